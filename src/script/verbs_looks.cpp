// How pictures of the scene look: light, sky and ground, and what bodies are made of to the eye. Nothing here moves.

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/script/colors.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

Key any_color(const std::string& name, const std::string& doc) {
    return {.name = name, .holds = Holds::vec3 | Holds::text, .doc = doc};
}

Value make_lighting(Loader& loader, const Params& params) {
    if (loader.desc.lighting)
        throw UserError("lighting is given twice", params.where(), "Put all of it into one lighting { … }");
    LightingDesc light;
    if (params.has("sun")) {
        light.sun = params.vec3("sun");
        if (!(light.sun->norm() > 0))
            throw UserError("lighting: sun has no length", params.where("sun"),
                            "Write where it stands: sun = {1, 2, 1}");
    }
    light.softness = params.number("softness");
    light.sky = optional_color(params, "sky");
    light.horizon = optional_color(params, "horizon");
    light.floor = optional_color(params, "floor");
    light.exposure = params.number("exposure");
    loader.desc.lighting = light;
    return {};
}

Value make_look(Loader& loader, const Params& params) {
    LookDesc look;
    if (params.at("of").kind() == Value::Kind::text) {
        look.of = params.text("of");
        std::vector<std::string> names;
        for (const BodyDesc& b : loader.desc.bodies) names.push_back(b.name);
        for (const ObstacleDesc& o : loader.desc.obstacles) names.push_back(o.name);
        if (std::find(names.begin(), names.end(), look.of) == names.end())
            throw UserError("there is no body and no obstacle '" + look.of + "' yet", params.where("of"),
                            "Write look { … } behind it." + did_you_mean(look.of, names));
    } else {
        look.of = loader.desc.bodies.at(static_cast<std::size_t>(params.object<BodyHandle>("of").index)).name;
    }
    if (params.has("gloss")) look.gloss = params.number("gloss");
    look.translucency = params.number("translucency");
    look.texture = params.text("texture");
    const std::vector<std::string> known{"none", "checker", "stripes", "noise"};
    if (std::find(known.begin(), known.end(), look.texture) == known.end())
        throw UserError("there is no texture '" + look.texture + "'", params.where("texture"),
                        "Known: none, checker, stripes, noise." + did_you_mean(look.texture, known));
    look.size = params.number("size");
    if (const auto color = optional_color(params, "second")) look.second = *color;
    std::erase_if(loader.desc.looks, [&](const LookDesc& other) { return other.of == look.of; });
    loader.desc.looks.push_back(std::move(look));
    return {};
}

}  // namespace

const std::vector<Verb>& look_verbs() {
    static const std::vector<Verb> verbs{
        {{"lighting",
          "Sun, sky and floor of pictures. Colours: a name (\"teal\"), \"#rrggbb\" as painting programs write them "
          "(both "
          "sRGB), or three numbers of linear light from 0 to 1.",
          {{.name = "sun",
            .holds = Holds::vec3,
            .doc = "Where it stands, of any length; over the camera's left shoulder when left out."},
           {.name = "softness",
            .unit = "radians",
            .fallback = 0.075,
            .min = 0,
            .max = 0.6,
            .doc =
                "Half the angle that the sun is seen under. 0.0047 is the real one, with sharp shadows; 0.3 a window."},
           any_color("sky", "High above."),
           any_color("horizon", "Where floor and sky meet."),
           any_color("floor", "The floor in full light."),
           {.name = "exposure",
            .unit = "stops",
            .fallback = 0,
            .min = -10,
            .max = 10,
            .doc = "Brightness of the picture; +1 is twice as bright."}}},
         "lighting { sun = {1, 2, 1}, softness = 0.02, sky = \"#3f5f8f\", floor = \"wheat\" }",
         make_lighting},
        {{"look",
          "What a body or an obstacle is made of to the eye.",
          {{.name = "of",
            .holds = Holds::handle | Holds::text,
            .required = true,
            .type = "body",
            .doc = "The body, or the name of a body or an obstacle."},
           {.name = "gloss",
            .unit = "1",
            .min = 0,
            .max = 2,
            .doc = "Strength of the clear coat: 0 chalk, 1 wax, 2 wet. Bodies have 1, obstacles 0.25 when left out."},
           {.name = "translucency",
            .unit = "1",
            .fallback = 0,
            .min = 0,
            .max = 1,
            .doc = "How deep the sun shines through it, as a share of half its size: 0.2 wax, 0.6 jelly."},
           {.name = "texture",
            .holds = Holds::text,
            .fallback = Value(std::string("none")),
            .doc = "none, checker, stripes or noise, through and through, and carried along as the body deforms."},
           {.name = "size",
            .unit = "m",
            .fallback = 0.05,
            .min = 0,
            .open_min = true,
            .doc = "Of a square, a stripe, or a blotch."},
           any_color("second", "The other colour of the texture; white when left out.")}},
         "look { of = \"jelly\", gloss = 1.2, translucency = 0.5 }",
         make_look},
    };
    return verbs;
}

}  // namespace pliant::script
