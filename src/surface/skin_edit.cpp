// A skin whose mesh was edited: nodes and tets added and removed. The given surface is clipped to the new tets.
//
// Cracks that were there are slits of the new mesh from then on: faces of its boundary, closed by caps of their own.
// The two sides of a slit need not fit together any more, since an edge may be divided on one side alone. What keeps
// the sides of a slit from overlapping or gaping is that the clipping has both in the same plane. Places for the
// clipping are therefore chosen once, before the first such edit, for the mesh without its cracks, and follow every
// edit like places at rest do: copies of a node are where it is, and a new node is between its parents. A new node on
// one side of a slit is in the plane of the other side up to rounding alone, which exact predicates see. They would
// decide on which side of a slit a vertex of the surface lies for each side by itself, if it lay exactly in its plane,
// as it does in regular meshes. So the nodes are scattered by more than rounding and less than can be seen.

#include "pliant/core/error.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/surface/skin.hpp"
#include "pliant/surface/skin_state.hpp"

namespace pliant {

std::vector<Vec3> SkinState::scattered_now(std::size_t nodes, Threads& threads) const {
    std::vector<Vec3> of_whole = clip_nodes;
    if (of_whole.empty()) clip_surface(mesh, original, tet_neighbours(mesh.tets), threads, &of_whole);
    std::vector<Vec3> places(nodes, Vec3::Zero());
    for (std::size_t t = 0; t < links.size(); ++t)
        for (int k = 0; k < 4; ++k) places[links[t][k]] = of_whole[mesh.tets[t][k]];
    return places;
}

Skin Skin::edited(const TetMesh& now, const MeshEdit& edit, Threads& threads) const {
    const SkinState& old = *state_;
    std::vector<Vec3> nodes;
    if (old.revision > 0) {
        const std::size_t before = now.rest.size() + edit.removed_nodes.size() - edit.new_nodes.size();
        nodes = old.scattered_now(before, threads);
        follow_nodes(nodes, edit);
        CHECK(nodes.size() == now.rest.size(), nodes.size(), now.rest.size());
    }
    return remade(now, std::move(nodes), threads);
}

Skin Skin::remade(const TetMesh& mesh, std::vector<Vec3> clip_nodes, Threads& threads) const {
    const SkinState& old = *state_;
    auto state = std::make_unique<SkinState>(mesh, old.original, old.facts, embed(mesh, old.original.points));
    state->clip_nodes = std::move(clip_nodes);
    if (!state->clip_nodes.empty()) state->watertight = old.watertight, state->remark = old.remark;
    state->prepare(threads);
    return Skin(std::move(state));
}

const std::vector<Vec3>& Skin::clip_nodes() const { return state_->clip_nodes; }
const TetMesh& Skin::rest_mesh() const { return state_->mesh; }

}  // namespace pliant
