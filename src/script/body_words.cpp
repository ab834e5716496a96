#include "pliant/script/body_words.hpp"

namespace pliant::script {

std::vector<Key> body_keys(const std::string& surface_doc, const std::string& volume_doc, std::vector<Key> own) {
    std::vector<Key> keys{
        {.name = "name", .holds = Holds::text, .doc = "For reports and exports; body, body2 … when left out."},
        {.name = "surface", .holds = Holds::handle, .type = "shape|mesh", .doc = surface_doc},
        {.name = "volume",
         .holds = Holds::handle,
         .type = "volume",
         .doc = volume_doc,
         .remedy = "Write volume = lattice { cell = 0.1 } or volume = tets \"bar.msh\""},
        {.name = "edge",
         .unit = "m",
         .min = 0,
         .open_min = true,
         .doc = "Length of the triangles of the seen surface of a shape; smaller looks smoother and costs more in "
                "contacts."},
        {.name = "triangles",
         .unit = "1",
         .min = 20,
         .max = 2e7,
         .integer = true,
         .doc = "Instead of edge: about this many triangles."},
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
        color_key(),
    };
    keys.insert(keys.end(), own.begin(), own.end());
    return with_placement(std::move(keys));
}

Key collide_key() {
    return {
        .name = "collide", .holds = Holds::boolean, .fallback = true, .doc = "false: it passes through everything."};
}

Key contact_distance_key() {
    return {
        .name = "contact_distance",
        .unit = "m",
        .min = 0,
        .open_min = true,
        .doc =
            "Distance that contact by barriers keeps from others; of two bodies the smaller one counts. Left out: 2 % "
            "of the mean edge of what is seen. Small costs more solves in impacts."};
}

BodyDesc read_body(const Params& params, const std::string& verb, long long tets) {
    BodyDesc body;
    body.where = params.where();
    body.volume.tets = tets;
    body.volume.where = body.where;
    if (params.has("volume")) body.volume = params.object<VolumeDesc>("volume");
    body.surface.shape = shape_of(params, "surface");
    body.surface.mesh = mesh_of(params, "surface");
    body.surface.where = params.where("surface");
    if (!params.has("surface") && body.volume.kind != VolumeDesc::Kind::tets)
        throw UserError(verb + " needs 'surface' (a shape or a mesh)", body.where,
                        "Write surface = sphere { radius = 0.5 } or surface = load \"cow.obj\"");
    if (params.has("edge") && params.has("triangles"))
        throw UserError(verb + " takes edge or triangles, not both", params.where("triangles"), "Leave one out");
    if (params.has("edge")) body.surface.edge = params.number("edge");
    if (params.has("triangles")) body.surface.triangles = static_cast<long long>(params.number("triangles"));
    body.pose = placement(params);
    body.velocity = params.vec3("velocity");
    body.spin = params.vec3("spin") * degree;
    body.color = optional_color(params);
    return body;
}

Value add_body(Loader& loader, BodyDesc body, const Params& params) {
    body.name = loader.unique_name(params.has("name") ? params.text("name") : "", "body", params.where("name"));
    const BodyHandle handle{static_cast<int>(loader.desc.bodies.size()), std::make_shared<BodySlot>()};
    handle.slot->name = body.name;
    loader.bodies.push_back(handle.slot);
    loader.desc.bodies.push_back(std::move(body));
    return Value(Handle{"body", handle}, params.where());
}

std::vector<Key> cell_keys(const std::string& cell_doc) {
    return {{.name = "cell", .unit = "m", .min = 0, .open_min = true, .doc = cell_doc},
            {.name = "tets",
             .unit = "1",
             .min = 1,
             .max = 1e9,
             .integer = true,
             .doc = "Instead of cell: about this many tets (5000 when neither is given)."}};
}

Value volume_of_cells(const Params& params, const std::string& verb, VolumeDesc::Kind kind) {
    if (params.has("cell") && params.has("tets"))
        throw UserError(verb + " takes cell or tets, not both", params.where("tets"), "Leave one out");
    VolumeDesc volume;
    volume.kind = kind;
    if (params.has("cell")) volume.cell = params.number("cell");
    volume.tets = params.has("tets") ? static_cast<long long>(params.number("tets")) : params.has("cell") ? 0 : 5000;
    volume.where = params.where();
    return Value(Handle{"volume", volume}, volume.where);
}

const Schema& damping_schema() {
    static const Schema schema{"damping",
                               "Rayleigh damping: forces against motion.",
                               {{.name = "mass",
                                 .unit = "1/s",
                                 .min = 0,
                                 .doc = "Slows all motion like thick air, falling too; 0.1 is a little, 10 is syrup."},
                                {.name = "stiffness",
                                 .unit = "s",
                                 .min = 0,
                                 .doc = "Slows deformation only; a vibration of period T dies out within T when it is "
                                        "T/10. Too large looks like clay."}}};
    return schema;
}

Schema region_schema(std::vector<Key> numbers) {
    numbers.insert(numbers.begin(), {.name = "inside",
                                     .holds = Holds::handle,
                                     .required = true,
                                     .type = "shape",
                                     .doc = "The part, in the body's own coordinates."});
    return {"region", "A part of the body with other numbers; where regions overlap, the later one counts.",
            std::move(numbers)};
}

Schema vary_schema(std::vector<Key> numbers) { return {"vary", "What the function vary returns.", std::move(numbers)}; }

std::vector<Key> local_material_keys() {
    return {{.name = "regions", .holds = Holds::list, .doc = "A list of { inside = shape, young = …, … }."},
            {.name = "vary",
             .holds = Holds::function,
             .doc = "function(x, y, z) that returns { young = …, … } for a place of the body in its own coordinates; "
                    "called once per tet when the world is built, after the regions."}};
}

}  // namespace pliant::script
