// What determines the future: hashed, saved and loaded in one order.

#include <algorithm>

#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {

namespace {

/// The nodes of the unbroken mesh that a hand holds, and all copies of them, in the order in which a run makes them.
void hold_copies(const FemBody& body, std::vector<int>& nodes) {
    std::erase_if(nodes, [&](int n) { return n >= static_cast<int>(body.origin.size()) || body.origin[n] != n; });
    std::vector<char> held(body.origin.size(), 0);
    for (int node : nodes) held[node] = 1;
    for (int i = 0; i < static_cast<int>(body.origin.size()); ++i)
        if (body.origin[i] != i && held[body.origin[i]]) nodes.push_back(i);
}

}  // namespace

std::uint64_t state_hash(const World& w) {
    Hash hash;
    hash.value(w.steps);
    for_each_body(w, [&](const auto& body) { hash_state(body, hash); });
    for (const ContactAnchor& anchor : w.contact.anchors()) {
        const std::array<std::int32_t, 4> who{anchor.body, anchor.vertex, anchor.partner, anchor.slot};
        hash.value(who);
        hash.value(anchor.tangent_elongation);
    }
    for (const ModalAnchor& anchor : w.modal_solver.anchors()) hash.value(anchor);
    for (const RigidBody& body : w.rigid.bodies) hash_state(body, hash);
    return hash.digest();
}

void save_state(const World& w, ByteWriter& out) {
    out.value(w.steps);
    out.value(static_cast<std::uint64_t>(body_count(w)));
    for_each_body(w, [&](const auto& body) { save_state(body, out); });
    out.vector(w.contact.anchors());
    out.vector(w.modal_solver.anchors());
    out.value(static_cast<std::uint64_t>(w.rigid.bodies.size()));
    for (const RigidBody& body : w.rigid.bodies) save_state(body, out);
}

void load_state(World& w, ByteReader& in) {
    w.shown.clear();  // revisions may repeat from here on with other connectivity
    w.steps = in.value<std::uint64_t>();
    w.time = static_cast<double>(w.steps) * w.dt;
    // Parameters are no part of the state. Whoever loads an earlier state into a world in which more of them have
    // changed must set those back.
    apply_parameter_changes(w, w.time);
    w.changes_done =
        static_cast<std::size_t>(std::count_if(w.parameter_changes.begin(), w.parameter_changes.end(),
                                               [&](const ParameterChange& change) { return change.at <= w.time; }));
    if (in.value<std::uint64_t>() != static_cast<std::uint64_t>(body_count(w)))
        throw UserError("the checkpoint holds another number of bodies", {}, "Run the scene anew without --resume.");
    for_each_body(w, [&](auto& body) {
        load_state(body, in);
        update_surface(body, *w.threads);
    });
    for (int i = 0; i < static_cast<int>(w.fem.size()); ++i) {  // FEM bodies have the first numbers
        if (!w.fem[i].fracture) continue;
        for (Grip& grip : w.grips)
            if (grip.body == i) hold_copies(w.fem[i], grip.nodes);
        for (Pull& pull : w.pulls)
            if (pull.body == i) hold_copies(w.fem[i], pull.nodes);
        w.contact.renumber(i, {});
    }
    w.contact.set_anchors(in.vector<ContactAnchor>());
    w.modal_solver.set_anchors(in.vector<ModalAnchor>());
    if (in.value<std::uint64_t>() != w.rigid.bodies.size())
        throw UserError("the checkpoint holds another number of bodies", {}, "Run the scene anew without --resume.");
    for (RigidBody& body : w.rigid.bodies) load_state(body, in);
}

}  // namespace pliant
