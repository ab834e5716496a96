// Rigid bodies.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

Value make_rigid_body(Loader& loader, const Params& params) {
    BodyDesc body;
    body.kind = "rigid";
    body.where = params.where();
    body.volume.tets = 1500;
    body.volume.where = body.where;
    if (params.has("volume")) body.volume = params.object<VolumeDesc>("volume");
    body.surface.shape = shape_of(params, "surface");
    body.surface.mesh = mesh_of(params, "surface");
    body.surface.where = params.where("surface");
    if (!params.has("surface") && body.volume.kind == VolumeDesc::Kind::lattice)
        throw UserError("rigid_body needs 'surface' (a shape or a mesh)", body.where,
                        "Write surface = box { size = {0.1, 0.1, 0.1} }");
    if (params.has("edge")) body.surface.edge = params.number("edge");
    body.pose = placement(params);
    body.velocity = params.vec3("velocity");
    body.spin = params.vec3("spin") * degree;
    body.material = material_of(params.at("material"), body.where);
    body.color = optional_color(params);
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
    body.name = loader.unique_name(params.has("name") ? params.text("name") : "", "body", params.where("name"));

    const BodyHandle handle{static_cast<int>(loader.desc.bodies.size()), std::make_shared<BodySlot>()};
    handle.slot->name = body.name;
    loader.bodies.push_back(handle.slot);
    loader.desc.bodies.push_back(std::move(body));
    return Value(Handle{"body", handle}, params.where());
}

}  // namespace

const std::vector<Verb>& rigid_verbs() {
    static const std::vector<Verb> verbs{
        {{"rigid_body", "A body that moves and turns but keeps its form; hollow where its surface is.",
          with_placement({
              {.name = "name", .holds = Holds::text, .doc = "For reports and exports; body, body2 … when left out."},
              {.name = "surface",
               .holds = Holds::handle,
               .type = "shape|mesh",
               .doc = "What is seen, weighed and touched; closed. Left out with volume = tets: their boundary."},
              {.name = "volume",
               .holds = Holds::handle,
               .type = "volume",
               .doc = "Tets for the modes, when it has a sound; lattice { tets = 1500 } when left out."},
              {.name = "edge",
               .unit = "m",
               .min = 0,
               .open_min = true,
               .doc = "Length of the triangles of a shape's surface."},
              {.name = "velocity",
               .holds = Holds::vec3,
               .unit = "m/s",
               .fallback = Value(Vec3(0, 0, 0)),
               .doc = "At the start."},
              {.name = "spin",
               .holds = Holds::vec3,
               .unit = "degrees/s",
               .fallback = Value(Vec3(0, 0, 0)),
               .doc = "Angular velocity at the start, about the centre of mass."},
              {.name = "material",
               .holds = Holds::table,
               .doc = "Its density and friction count for the motion, the rest for the sound."},
              {.name = "restitution",
               .unit = "1",
               .fallback = 0.3,
               .min = 0,
               .max = 1,
               .doc = "Share of the speed that a bounce gives back; the geometric mean of both sides, scenery apart. "
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
               .doc = "Points, in world coordinates, at which it hangs on a string's end: they stay where they are."},
              {.name = "color", .holds = Holds::vec3, .doc = "Red, green and blue from 0 to 1."},
              sound_key(),
          })},
         "rigid_body { surface = box { size = {0.05, 0.05, 0.05} }, at = {0, 1, 0}, sound = true }",
         make_rigid_body},
    };
    return verbs;
}

}  // namespace pliant::script
