#include "pliant/world/edit_mesh.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

/// A point of the material at rest, which was in the tet `element` before the edit. On the faces of a crack it stays on
/// its side: of what is made of its tet, the part that contains it, or comes nearest to.
Point follow_point(const TetMesh& mesh, const MeshEdit& edit, int element, const Vec3& rest) {
    const auto removed = std::lower_bound(edit.removed_tets.begin(), edit.removed_tets.end(), element);
    TetMesh parts;
    parts.rest = mesh.rest;
    std::vector<int> number;
    if (removed == edit.removed_tets.end() || *removed != element) {
        number.push_back(element - static_cast<int>(removed - edit.removed_tets.begin()));
    } else {
        const int first = mesh.tet_count() - static_cast<int>(edit.new_tets.size());
        for (std::size_t i = 0; i < edit.new_tets.size(); ++i)
            for (const Parent& parent : edit.new_tets[i].parents)
                if (parent.index == element) number.push_back(first + static_cast<int>(i));
    }
    if (number.empty()) return embed_point(mesh, rest);
    for (int t : number) parts.tets.push_back(mesh.tets[t]);
    Point point = embed_point(parts, rest);
    point.element = number[point.element];
    return point;
}

}  // namespace

void follow_edit(World& w, int body, std::size_t nodes_before, const MeshEdit& edit, const Edited& edited) {
    const FemBody& of = w.fem[body];
    for (Grip& grip : w.grips)
        if (grip.body == body) follow_held_nodes(grip.nodes, nodes_before, edit, edited);
    for (Pull& pull : w.pulls)
        if (pull.body == body) follow_held_nodes(pull.nodes, nodes_before, edit, edited);
    for (Drag& drag : w.drags)
        if (drag.body == body) drag.point.node = of.mesh.tets[drag.point.element];
    for (CutStroke& stroke : w.strokes)
        if (stroke.body == body)
            for (auto& value : stroke.value) follow_nodes(value, edit);
    if (!edited.surface_changed) return;
    const auto& springs = w.contact.anchors();
    const auto& touches = w.touch.memory();
    std::vector<int> vertex;
    const bool held =
        std::any_of(springs.begin(), springs.end(), [&](const ContactAnchor& a) { return a.body == body; }) ||
        std::any_of(touches.begin(), touches.end(), [&](const PairMemory& a) { return a.key[0] == body; });
    if (held) vertex = of.seen->vertices_after();
    w.contact.renumber(body, vertex);
    w.touch.renumber(body, vertex);
}

namespace {

/// apply(body): carries the edit out.
template <class Apply>
void edit_and_follow(World& w, int body, const MeshEdit& edit, Apply&& apply) {
    CHECK(body >= 0 && body < static_cast<int>(w.fem.size()), body, w.fem.size());
    if (edit.empty()) return;
    FemBody& of = w.fem[body];
    const std::size_t nodes_before = of.x.size();
    std::vector<Vec3> held;  // where hands hold the body, in the shape that its mesh is at rest in afterwards
    for (const Drag& drag : w.drags)
        if (drag.body == body) held.push_back(drag.point.of(edit.new_rest.empty() ? of.mesh.rest : of.x));
    const Edited edited = apply(of);
    if (!edit.only_splits()) {
        auto at = held.begin();
        for (Drag& drag : w.drags)
            if (drag.body == body) drag.point = follow_point(of.mesh, edit, drag.point.element, *at++);
    }
    follow_edit(w, body, nodes_before, edit, edited);
    update_surface(of, *w.threads);
}

}  // namespace

void edit_mesh(World& w, int body, const MeshEdit& edit) {
    edit_and_follow(w, body, edit, [&](FemBody& of) { return apply_edit(of, edit, *w.threads); });
}

void edit_mesh(World& w, int body, const MeshEdit& edit, NewElements elements) {
    edit_and_follow(w, body, edit, [&](FemBody& of) { return apply_edit(of, edit, std::move(elements), *w.threads); });
}

}  // namespace pliant
