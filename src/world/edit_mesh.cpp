#include "pliant/world/edit_mesh.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/core/error.hpp"

namespace pliant {

void follow_edit(World& w, int body, std::size_t nodes_before, const MeshEdit& edit, const Edited& edited) {
    const FemBody& of = w.fem[body];
    for (Grip& grip : w.grips)
        if (grip.body == body) follow_held_nodes(grip.nodes, nodes_before, edit, edited);
    for (Pull& pull : w.pulls)
        if (pull.body == body) follow_held_nodes(pull.nodes, nodes_before, edit, edited);
    for (Drag& drag : w.drags)
        if (drag.body == body) drag.point.node = of.mesh.tets[drag.point.element];
    if (!edited.surface_changed) return;
    const auto& anchors = w.touch.anchors();
    std::vector<int> vertex;
    if (std::any_of(anchors.begin(), anchors.end(), [&](const TangentAnchor& a) { return a.key[0] == body; })) {
        if (edit.only_splits()) {
            vertex = follow_vertices(of);
        } else {  // the seen vertices stay, on other elements
            vertex.resize(of.points.size());
            std::iota(vertex.begin(), vertex.end(), 0);
        }
    }
    w.contact.renumber(body, vertex);
    w.touch.renumber(body, vertex);
}

void edit_mesh(World& w, int body, const MeshEdit& edit) {
    CHECK(body >= 0 && body < static_cast<int>(w.fem.size()), body, w.fem.size());
    if (edit.empty()) return;
    FemBody& of = w.fem[body];
    const std::size_t nodes_before = of.x.size();
    std::vector<Vec3> held;  // where hands hold the body, at rest
    for (const Drag& drag : w.drags)
        if (drag.body == body) held.push_back(drag.point.of(of.mesh.rest));
    const Edited edited = apply_edit(of, edit, *w.threads);
    if (!edit.only_splits()) {
        auto at = held.begin();
        for (Drag& drag : w.drags)
            if (drag.body == body) drag.point = embed_point(of.mesh, *at++);
    }
    follow_edit(w, body, nodes_before, edit, edited);
    update_surface(of, *w.threads);
}

}  // namespace pliant
