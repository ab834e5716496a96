#include "pliant/render/look.hpp"

#include "pliant/render/subject.hpp"
#include "pliant/render/tone.hpp"

namespace pliant {

namespace {

constexpr unsigned palette[] = {0xE2725B, 0x2E9C92, 0xE8B04A, 0x5C7FC0, 0xB5679D, 0x86A853, 0xD98B5F, 0x6A6FA8};

bool uncolored(const BodyFrame& body) { return body.color == BodyFrame{}.color; }

}  // namespace

Coloring color_bodies(const Frame& frame, const RenderOptions&) {
    Coloring result;
    Box bodies;
    for (const BodyFrame& body : frame.bodies)
        if (body.kind != "obstacle") bodies.add(visible_bounds(body));
    unsigned next = 0;
    for (const BodyFrame& body : frame.bodies) {
        BodyLook look;
        if (body.kind == "obstacle") {
            look.visible = !is_floor(body, bodies);
            look.gloss = 0.25f;
            look.color = Vec3f(0.36f, 0.37f, 0.39f);
            if (!uncolored(body)) look.color = mix(look.color, body.color.cast<float>(), 0.45f);
        } else {
            const unsigned i = next++ % std::size(palette);
            look.color = uncolored(body) ? linear_from_hex(palette[i]) : body.color.cast<float>();
        }
        if (!look.color.allFinite()) look.color = Vec3f::Constant(0.5f);
        look.color = look.color.cwiseMax(0.0f).cwiseMin(0.95f);
        result.looks.push_back(std::move(look));
    }
    return result;
}

}  // namespace pliant
