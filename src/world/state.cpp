// What determines the future: hashed, saved and loaded in one order.

#include <algorithm>
#include <cmath>

#include "pliant/body/state_list.hpp"
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

/// What holds on to bodies whose elements were replaced: only a run knows which nodes these are by now.
template <class W, class F>
void for_each_hold_on_edited(W& w, F&& f) {
    const auto edited = [&](int body) { return body < static_cast<int>(w.fem.size()) && w.fem[body].edited; };
    for (auto& grip : w.grips)
        if (edited(grip.body)) f(grip.nodes);
    for (auto& pull : w.pulls)
        if (edited(pull.body)) f(pull.nodes);
    for (auto& drag : w.drags)
        if (edited(drag.body)) f(drag.point.node), f(drag.point.weight), f(drag.point.element);
}

}  // namespace

std::uint64_t state_hash(const World& w) {
    Hash hash;
    hash.value(w.steps);
    for_each_body(w, [&](const auto& body) { hash_state(body, hash); });
    for_each_hold_on_edited(w, [&](const auto& held) { ArrayHash{hash}(ArrayRole{"held"}, held); });
    for (const ContactAnchor& anchor : w.contact.anchors()) hash.value(anchor);
    for (const PairMemory& pair : w.touch.memory()) hash.value(pair);
    for (const ModalAnchor& anchor : w.modal_solver.anchors()) hash.value(anchor);
    for (const RigidBody& body : w.rigid.bodies) hash_state(body, hash);
    for (const CutStroke& stroke : w.strokes) {
        ByteWriter bytes;
        save_state(stroke, bytes);
        hash.text(bytes.bytes());
    }
    return hash.digest();
}

void save_state(const World& w, ByteWriter& out) {
    out.value(w.steps);
    out.value(w.ledger);
    for (const FemBody& body : w.fem) out.value(body.energy.known.value_or(std::nan("")));
    for_each_solved(w, [&](const auto& body) { out.value(static_cast<std::uint64_t>(body.pooled)); });
    out.value(static_cast<std::uint64_t>(body_count(w)));
    for_each_body(w, [&](const auto& body) { save_state(body, out); });
    for_each_hold_on_edited(w, [&](const auto& held) { ArrayWriter{out}(ArrayRole{"held"}, held); });
    out.vector(w.contact.anchors());
    out.vector(w.touch.memory());
    out.vector(w.modal_solver.anchors());
    out.value(static_cast<std::uint64_t>(w.rigid.bodies.size()));
    for (const RigidBody& body : w.rigid.bodies) save_state(body, out);
    out.value(static_cast<std::uint64_t>(w.strokes.size()));
    for (const CutStroke& stroke : w.strokes) save_state(stroke, out);
}

void load_state(World& w, ByteReader& in) {
    w.shown.clear();  // revisions may repeat from here on with other connectivity
    w.steps = in.value<std::uint64_t>();
    w.time = static_cast<double>(w.steps) * w.dt;
    in.value(w.ledger);
    for (FemBody& body : w.fem) {
        const double known = in.value<double>();
        body.energy.known = std::isnan(known) ? std::nullopt : std::optional(known);
    }
    for_each_solved(w, [&](auto& body) { body.pooled = in.value<std::uint64_t>() != 0; });
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
        if (w.fem[i].edited) w.contact.renumber(i, {});
        if (!w.fem[i].fracture || w.fem[i].edited) continue;
        for (Grip& grip : w.grips)
            if (grip.body == i) hold_copies(w.fem[i], grip.nodes);
        for (Pull& pull : w.pulls)
            if (pull.body == i) hold_copies(w.fem[i], pull.nodes);
        for (Drag& drag : w.drags)
            if (drag.body == i) drag.point.node = w.fem[i].mesh.tets[drag.point.element];
        w.contact.renumber(i, {});
    }
    const std::string what = "a grip";
    for_each_hold_on_edited(w, [&](auto& held) { ArrayReader{in, what}(ArrayRole{"held"}, held); });
    w.contact.set_anchors(in.vector<ContactAnchor>());
    w.touch.set_memory(in.vector<PairMemory>());
    w.modal_solver.set_anchors(in.vector<ModalAnchor>());
    if (in.value<std::uint64_t>() != w.rigid.bodies.size())
        throw UserError("the checkpoint holds another number of bodies", {}, "Run the scene anew without --resume.");
    for (RigidBody& body : w.rigid.bodies) load_state(body, in);
    if (in.value<std::uint64_t>() != w.strokes.size())
        throw UserError("the checkpoint holds another number of cuts", {}, "Run the scene anew without --resume.");
    for (CutStroke& stroke : w.strokes) load_state(stroke, in);
}

}  // namespace pliant
