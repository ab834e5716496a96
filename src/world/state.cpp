// What determines the future: hashed, saved and loaded in one order.

#include "pliant/world/bodies.hpp"

namespace pliant {

std::uint64_t state_hash(const World& w) {
    Hash hash;
    hash.value(w.steps);
    for_each_body(w, [&](const auto& body) { hash_state(body, hash); });
    for (const ContactAnchor& anchor : w.contact.anchors()) {
        const std::array<std::int32_t, 4> who{anchor.body, anchor.vertex, anchor.partner, anchor.slot};
        hash.value(who);
        hash.value(anchor.slip);
    }
    return hash.digest();
}

void save_state(const World& w, ByteWriter& out) {
    out.value(w.steps);
    out.value(static_cast<std::uint64_t>(body_count(w)));
    for_each_body(w, [&](const auto& body) { save_state(body, out); });
    out.vector(w.contact.anchors());
}

void load_state(World& w, ByteReader& in) {
    w.steps = in.value<std::uint64_t>();
    if (in.value<std::uint64_t>() != static_cast<std::uint64_t>(body_count(w)))
        throw UserError("the checkpoint holds another number of bodies", {}, "Run the scene anew without --resume.");
    for_each_body(w, [&](auto& body) {
        load_state(body, in);
        update_surface(body, *w.threads);
    });
    w.contact.set_anchors(in.vector<ContactAnchor>());
    w.time = static_cast<double>(w.steps) * w.dt;
}

}  // namespace pliant
