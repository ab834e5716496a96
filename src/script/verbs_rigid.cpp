// Rigid bodies.

#include "pliant/script/body_words.hpp"

namespace pliant::script {

namespace {

Value make_rigid_body(Loader& loader, const Params& params) {
    BodyDesc body = read_body(params, "rigid_body", 1500);
    body.kind = "rigid";
    body.material = material_of(params.at("material"), body.where);
    body.sound = sound_of(params);
    body.restitution = params.number("restitution");
    body.fixed = params.flag("fixed");
    body.pieces = params.integer("pieces");
    if (params.has("hung"))
        for (const Value& item : params.table("hung").items) {
            if (item.kind() != Value::Kind::table || item.table().items.size() != 3)
                throw UserError("hung is a list of points", params.where("hung"), "Write hung = { {0, 1, 0} }");
            Vec3 point;
            for (int k = 0; k < 3; ++k) {
                const Value& number = item.table().items[static_cast<std::size_t>(k)];
                if (number.kind() != Value::Kind::number)
                    throw UserError("hung is a list of points", params.where("hung"), "Write hung = { {0, 1, 0} }");
                point[k] = number.number();
            }
            body.hung.push_back(point);
        }
    return add_body(loader, std::move(body), params);
}

}  // namespace

const std::vector<Verb>& rigid_verbs() {
    static const std::vector<Verb> verbs{
        {{"rigid_body", "A body that moves and turns but keeps its form; hollow where its surface is.",
          body_keys(
              "What is seen, weighed and touched; closed. Left out with volume = tets: their boundary.",
              "Tets for the modes, when it has a sound; lattice { tets = 1500 } when left out.",
              {
                  {.name = "material",
                   .holds = Holds::table | Holds::text,
                   .doc = "Its density and friction count for the motion, the rest for the sound. The name of a preset "
                          "will do: material = \"steel\"."},
                  {.name = "restitution",
                   .unit = "1",
                   .fallback = 0.3,
                   .min = 0,
                   .max = 1,
                   .doc =
                       "Share of the speed that a bounce gives back; the geometric mean of both sides, scenery apart. "
                       "Near 1 nothing comes to rest."},
                  {.name = "fixed",
                   .holds = Holds::boolean,
                   .fallback = false,
                   .doc = "true: it does not move, but others bump into it and it sounds."},
                  {.name = "pieces",
                   .unit = "1",
                   .fallback = 64,
                   .min = 1,
                   .max = 1000,
                   .integer = true,
                   .doc = "Convex pieces it may be cut into for contacts. 1: hollows are filled; many: slow."},
                  {.name = "hung",
                   .holds = Holds::list,
                   .doc =
                       "Points, in world coordinates, at which it hangs on a string's end: they stay where they are."},
                  sound_key(),
              })},
         "rigid_body { surface = box { size = {0.05, 0.05, 0.05} }, at = {0, 1, 0}, sound = true }",
         make_rigid_body},
    };
    return verbs;
}

}  // namespace pliant::script
