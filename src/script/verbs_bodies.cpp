// Deformable bodies: surface, volume, material, integrator; and what callbacks can ask them.

#include <cmath>

#include "pliant/body/integrator.hpp"
#include "pliant/core/text.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/script/body_words.hpp"

namespace pliant::script {

namespace {

std::vector<Key> number_keys() {
    return {
        {.name = "young",
         .unit = "Pa",
         .min = 0,
         .open_min = true,
         .doc = "Young's modulus: stiffness. Jelly 1e4, rubber 1e6, wood 1e10; too small sags into itself, very large "
                "needs more "
                "iterations.",
         .remedy = "Use 1e4 for jelly, 1e6 for rubber, 1e10 for wood"},
        {.name = "poisson",
         .unit = "1",
         .min = -1,
         .max = 0.5,
         .open_min = true,
         .open_max = true,
         .doc = "Poisson's ratio: how much it thins when stretched. 0 not at all, 0.33 most things, 0.49 rubber; close "
                "to 0.5 linear "
                "tets bend too stiffly.",
         .remedy =
             "Use 0.49 for something that keeps its volume: at 0.5 it could not be squeezed at all, which no finite "
             "stiffness can do"},
        {.name = "density",
         .unit = "kg/m³",
         .min = 0,
         .open_min = true,
         .doc = "Mass per volume. Water 1000; very light bodies on heavy ones are hard for contacts.",
         .remedy = "Use 1000 for water, 7800 for steel"},
    };
}

/// What may differ from place to place: the numbers above, and those of the plasticity law.
std::vector<Key> local_keys() {
    std::vector<Key> keys = number_keys();
    keys.push_back({.name = "yield",
                    .unit = "1",
                    .min = 0,
                    .doc = "Of the body's plasticity law, which must be given, if only as creep { rate = 0 }."});
    keys.push_back({.name = "rate", .unit = "1/s", .min = 0, .doc = "Of the body's plasticity law."});
    keys.push_back({.name = "strength",
                    .unit = "Pa",
                    .min = 0,
                    .open_min = true,
                    .doc = "Of the body's fracture, which must be given: 1e4 of 6e4 makes a weak seam."});
    return keys;
}

const Schema& fem_region_schema() {
    static const Schema schema = [] {
        std::vector<Key> keys = local_keys();
        keys.push_back(color_key());
        return region_schema(std::move(keys));
    }();
    return schema;
}

const Schema& fem_vary_schema() {
    static const Schema schema = vary_schema(local_keys());
    return schema;
}

std::string elasticity_doc() {
    std::string doc = "How stress follows deformation (docs/elasticity.md; default corotational).";
    for (const MaterialLaw& law : material_laws().entries()) doc += " " + law.name + ": " + law.doc + ".";
    return doc;
}

const Schema& material_schema() {
    static const Schema schema = [] {
        Schema s{"material", "What the body is made of. Numbers left out come from the preset.", number_keys()};
        s.keys.insert(s.keys.begin(), {.name = "preset",
                                       .holds = Holds::text,
                                       .doc = "A named material to start from, such as \"rubber\" or \"wax\"."});
        s.keys.push_back(
            {.name = "elasticity", .holds = Holds::text, .choices = material_laws().names(), .doc = elasticity_doc()});
        s.keys.push_back({.name = "law",
                          .holds = Holds::table,
                          .doc = "Numbers of the elasticity's own, such as law = { threshold = 0.3 }; see the tables "
                                 "named after the laws."});
        s.keys.push_back({.name = "plasticity",
                          .holds = Holds::handle | Holds::text,
                          .choices = {"none"},
                          .type = "plasticity",
                          .doc = "Lasting deformation: creep { … }, or \"none\" to switch off what a preset has.",
                          .remedy = "Write plasticity = creep { yield = 0.01, rate = 100, max = 10 }"});
        s.keys.push_back({.name = "heat",
                          .holds = Holds::table,
                          .doc = "Gives the body a temperature that its numbers may depend on; see heat."});
        s.keys.push_back({.name = "fracture",
                          .holds = Holds::table,
                          .doc = "Lets the body break where it is pulled too hard; see fracture."});
        s.keys.push_back({.name = "paint",
                          .holds = Holds::table,
                          .doc = "Numbers painted on the loaded surface as vertex colours; see paint."});
        s.keys.push_back({.name = "damping", .holds = Holds::table, .doc = "{ mass = 0.1, stiffness = 0.002 }."});
        s.keys.push_back({.name = "friction",
                          .unit = "1",
                          .min = 0,
                          .doc = "Coulomb friction of its skin. 0 ice, 1 rubber; above 2 nothing slides."});
        for (Key& key : local_material_keys()) s.keys.push_back(std::move(key));
        return s;
    }();
    return schema;
}

MaterialNumbers numbers_of(const Params& params) {
    return {optional_number(params, "young"),
            optional_number(params, "poisson"),
            optional_number(params, "density"),
            {},
            {},
            {}};
}

MaterialNumbers local_numbers_of(const Params& params) {
    MaterialNumbers numbers = numbers_of(params);
    numbers.yield = optional_number(params, "yield");
    numbers.rate = optional_number(params, "rate");
    numbers.strength = optional_number(params, "strength");
    return numbers;
}

MaterialDesc make_material(const Value& value, const Where& where) {
    MaterialDesc material;
    material.where = where;
    if (value.nil()) return material;
    const bool name_alone = value.kind() == Value::Kind::text;
    const Params params =
        material_schema().check(name_alone ? Value(Table{{{"preset", value}}, {}}, value.where()) : value);
    material.where = value.where();
    if (params.has("preset")) material.preset = params.text("preset");
    material.preset_where = params.where("preset");
    if (!material.preset.empty())
        material_presets().get(material.preset, material.preset_where);  // throws for an unknown one
    material.numbers = numbers_of(params);
    if (params.has("elasticity")) material.elasticity = params.text("elasticity");
    if (params.has("law")) {
        const MaterialLaw& law = material_laws().get(material.elasticity.value_or(material_laws().names().front()));
        material.law_numbers = law.numbers(law, law.schema.check(params.at("law")));
    }
    if (params.has("plasticity"))
        material.plasticity = params.at("plasticity").kind() == Value::Kind::text
                                  ? PlasticityDesc{.law = {}, .numbers = {}, .where = params.where("plasticity")}
                                  : params.object<PlasticityDesc>("plasticity");
    if (params.has("heat")) material.heat = heat_of(params.at("heat"));
    if (params.has("fracture")) material.fracture = fracture_of(params.at("fracture"));
    if (params.has("paint")) material.paint = paint_of(params.at("paint"));
    material.friction = optional_number(params, "friction");
    if (params.has("damping")) {
        const Params damping = damping_schema().check(params.at("damping"));
        material.mass_damping = optional_number(damping, "mass");
        material.stiffness_damping = optional_number(damping, "stiffness");
    }
    if (params.has("regions"))
        for (const Value& item : params.table("regions").items) {
            const Params region = fem_region_schema().check(item);
            material.regions.push_back(
                {shape_of(region, "inside"), local_numbers_of(region), optional_color(region), item.where()});
        }
    material.vary = vary_of<MaterialNumbers>(params, fem_vary_schema(), local_numbers_of);
    return material;
}

Value make_lattice(Loader&, const Params& params) {
    return volume_of_cells(params, "lattice", VolumeDesc::Kind::lattice);
}

Value make_grid(Loader&, const Params& params) {
    VolumeDesc volume;
    volume.kind = VolumeDesc::Kind::grid;
    const Vec3 cells = params.vec3("cells");
    for (int k = 0; k < 3; ++k) {
        if (!(cells[k] >= 1 && cells[k] <= 10000 && cells[k] == std::floor(cells[k])))
            throw UserError("grid: cells must be three whole numbers from 1 to 10000", params.where("cells"));
        volume.cells[k] = static_cast<int>(cells[k]);
    }
    volume.jitter = params.number("jitter");
    volume.where = params.where();
    return Value(Handle{"volume", volume}, volume.where);
}

Value make_implicit(const char* kind, const Params& params) {
    IntegratorDesc integrator;
    integrator.kind = kind;
    integrator.iterations = params.integer("iterations");
    integrator.tolerance = params.number("tolerance");
    integrator.preconditioner = params.text("preconditioner");
    integrator.newton = params.integer("newton");
    integrator.where = params.where();
    return Value(Handle{"integrator", integrator}, integrator.where);
}

Value make_explicit(const char* kind, const Params& params) {
    IntegratorDesc integrator;
    integrator.kind = kind;
    integrator.step = params.has("dt") ? params.number("dt") : 0;
    integrator.where = params.where();
    return Value(Handle{"integrator", integrator}, integrator.where);
}

std::vector<Key> implicit_keys() {
    return {
        {.name = "iterations",
         .unit = "1",
         .fallback = 0,
         .min = 0,
         .max = 100000,
         .integer = true,
         .doc = "Of conjugate gradients per step; 0 takes as many as the body needs: 20 where it is soft, else what "
                "leaves 0.2 % of the residual, or the tolerance. Too few make stiff bodies soft and slow, too many "
                "only cost time."},
        {.name = "tolerance",
         .unit = "1",
         .fallback = 0,
         .min = 0,
         .max = 1,
         .open_max = true,
         .doc = "Stop when the residual is this small relative to the start; 0 does all iterations, unless nothing "
                "but rounding is left. 1e-3 is coarse, 1e-8 exact."},
        {.name = "preconditioner",
         .holds = Holds::text,
         .fallback = "auto",
         .choices = {"auto", "jacobi", "two_level", "multigrid"},
         .doc = "What speeds conjugate gradients up. Jacobi does for soft bodies. Two levels add the rigid motions "
                "of up to twenty lumps of the body, for stiff ones. Multigrid needs few iterations however stiff "
                "the body and fine the mesh, each about twelve times dearer than Jacobi's. Auto takes two levels "
                "where Jacobi's iterations would not be enough, and multigrid where a tolerance is given and "
                "Jacobi would need about 130 iterations or more."},
        {.name = "newton",
         .unit = "1",
         .fallback = 0,
         .min = 0,
         .max = 1,
         .integer = true,
         .doc =
             "0 solves a step of implicit_euler again where one linear solve would give a body energy, or turn it too "
             "far; 1 makes one linear solve of each step, whatever comes of it: somewhat faster, and stiff "
             "bodies in long steps may run away. FEM bodies only."}};
}

std::vector<Key> explicit_keys() {
    return {{.name = "dt",
             .unit = "s",
             .min = 0,
             .open_min = true,
             .doc = "Longest step. Left out: 0.9 of what is stable, which is about the time in which the fastest wave "
                    "crosses the flattest tet. Too long, and steps are halved when energy grows; too short only costs "
                    "time."}};
}

/// A verb for every integrator of finite elements that there is.
void add_integrators(std::vector<Verb>& verbs) {
    for (const Integrator* integrator : integrators()) {
        const char* name = integrator->name;
        if (integrator->is_explicit())
            verbs.push_back({{name, integrator->doc, explicit_keys()},
                             std::string(name) + " { }",
                             [name](Loader&, const Params& params) { return make_explicit(name, params); }});
        else
            verbs.push_back({{name, integrator->doc, implicit_keys()},
                             std::string(name) + " { iterations = 20 }",
                             [name](Loader&, const Params& params) { return make_implicit(name, params); }});
    }
}

}  // namespace

/// What the paint of a body is on: its own loaded surface.
static void set_painted(BodyDesc& body) {
    const Where& where = body.material.paint.front().where;
    if (!body.surface.mesh)
        throw UserError("paint needs a surface from a file, with colours at its vertices or texture coordinates", where,
                        "Write surface = load \"painted.ply\"");
    const auto& mesh = body.surface.mesh->mesh;
    for (const PaintDesc& paint : body.material.paint) {
        if (paint.picture && (!mesh->attributes || mesh->attributes->uv.empty()))
            throw UserError("'" + body.surface.mesh->file + "' has no texture coordinates, so no picture lies on it",
                            paint.where, "Export it with texture coordinates, as OBJ, PLY or glTF");
        if (!paint.picture && (!mesh->attributes || mesh->attributes->color.empty()))
            throw UserError(
                "'" + body.surface.mesh->file + "' has no colours at its vertices, so nothing is painted on it", where,
                "Export it with vertex colours, as PLY, OBJ or glTF, or say texture = picture \"weak.png\"");
    }
    body.material.painted = mesh;
}

BodyDesc read_elastic_body(const Params& params, const char* verb) {
    BodyDesc body = read_body(params, verb, 5000);
    body.material = make_material(params.at("material"), body.where);
    if (!body.material.paint.empty()) set_painted(body);
    body.collide = params.flag("collide");
    body.contact_distance = optional_number(params, "contact_distance");
    body.sound = sound_of(params);
    return body;
}

Value make_fem_body(Loader& loader, const Params& params) {
    BodyDesc body = read_elastic_body(params, "fem_body");
    if (params.has("integrator"))
        body.integrator = params.object<IntegratorDesc>("integrator");
    else
        body.integrator.where = body.where;
    if (!find_integrator(body.integrator.kind))
        throw UserError("fem_body cannot be moved by " + body.integrator.kind, params.where("integrator"),
                        "Use implicit_euler { }, or a particle_body");
    body.smoothed = params.text("element") == "smoothed";
    body.inside_color = optional_color(params, "inside_color");
    if (params.has("cutting")) body.cutting = cutting_of(params.at("cutting"));
    if (params.has("volume_constraint")) body.keeps_volume = volume_constraint_of(params.at("volume_constraint"), true);
    if (params.has("remesh")) body.remesh = remesh_of(params.at("remesh"));
    return add_body(loader, std::move(body), params);
}

/// The body of that name, made before.
Value make_body(Loader& loader, const Params& params) {
    const std::string& name = params.text("name");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < loader.desc.bodies.size(); ++i) {
        names.push_back(loader.desc.bodies[i].name);
        if (names.back() == name)
            return Value(Handle{"body", BodyHandle{static_cast<int>(i), loader.bodies[i]}}, params.where());
    }
    throw UserError("there is no body called '" + name + "' yet", params.where("name"), did_you_mean(name, names));
}

BodySlot& slot_of(const Value& self) { return *std::any_cast<BodyHandle>(&self.handle().object)->slot; }

const BodyQuery& query(Loader& loader, const Value& self) {
    const BodySlot& slot = slot_of(self);
    if (!slot.query)
        throw UserError("body '" + slot.name + "' cannot be asked while the scene loads: the world is not built yet",
                        loader.here(), "Ask it inside measure, expect, on_step or on_frame");
    return *slot.query;
}

namespace {

Vec3 tracked_point(Loader& loader, const Value& self, std::span<const Value> arguments) {
    const BodyQuery& body = query(loader, self);
    BodySlot& slot = slot_of(self);
    const Vec3 start = point_argument(arguments, "body:point(x, y, z)", loader.here());
    if (slot.revision != body.revision()) slot.tracked.clear(), slot.revision = body.revision();
    for (const BodySlot::Tracked& t : slot.tracked)
        if (t.start == start) return body.node_position(t.node);
    const int node = body.node_near(start);
    // A script that asks for ever new points gets its answer, but is not remembered for ever.
    if (slot.tracked.size() < 256) slot.tracked.push_back({start, node});
    return body.node_position(node);
}

using Arguments = std::span<const Value>;

}  // namespace

MaterialDesc material_of(const Value& value, const Where& where) { return make_material(value, where); }

const std::vector<const Schema*>& body_tables() {
    static const std::vector<const Schema*> tables = [] {
        std::vector<const Schema*> list{&material_schema(), &fem_region_schema(), &damping_schema(),
                                        &fracture_schema(), &remesh_schema(),     &inlet_schema()};
        list.insert(list.end(), paint_tables().begin(), paint_tables().end());
        for (const MaterialLaw& law : material_laws().entries())
            if (!law.schema.keys.empty()) list.push_back(&law.schema);
        return list;
    }();
    return tables;
}

namespace {

std::vector<Verb> fixed_body_verbs() {
    std::vector<Verb> list{
        {{"fem_body", "A body that deforms: tets that carry a seen surface.",
          body_keys("What is seen and touched. Left out with volume = tets: the boundary of the tets.",
                    "The tets inside: lattice { … }, conforming { … }, tetgen { … }, structure \"file\" or tets "
                    "\"file\"; lattice { tets = 5000 } when left out.",
                    {{.name = "material",
                      .holds = Holds::table | Holds::text,
                      .doc = "A table, see material below, or the name of a preset: material = \"rubber\"."},
                     {.name = "integrator",
                      .holds = Holds::handle,
                      .type = "integrator",
                      .doc = "How time goes on: implicit_euler { } when left out, bdf2 { }, or steps of its own by "
                             "symplectic_euler { }, taylor2 { } or newmark { }."},
                     {.name = "element",
                      .holds = Holds::text,
                      .fallback = "tet4",
                      .choices = {"tet4", "smoothed"},
                      .doc = "tet4: strain is constant in each tet; fast, but too stiff in bending where there are "
                             "few tets across, and rigid as poisson approaches 0.5. smoothed: strain is averaged over "
                             "edges and nodes, which cures both; a step costs three to six times as much."},
                     {.name = "inside_color",
                      .holds = Holds::vec3 | Holds::text,
                      .doc = "Of the faces that cracks and cuts open, as color; where a region has a color, that. "
                             "Left out: pictures tint them."},
                     {.name = "cutting",
                      .holds = Holds::table,
                      .doc = "How knives cut it, see cutting; what is seen is then the boundary of the tets."},
                     {.name = "remesh",
                      .holds = Holds::table,
                      .doc = "Lets the body flow without end: it gets a new lattice whenever the present one is too "
                             "distorted, and keeps its surface; see remesh."},
                     volume_constraint_key(),
                     collide_key(),
                     contact_distance_key(),
                     sound_key()})},
         "fem_body { name = \"ball\", surface = sphere { radius = 0.5 }, material = { young = 1e5 } }",
         make_fem_body},
        {{"lattice",
          "Tets of a body-centred cubic lattice that touch the surface or its inside; all of the same good shape. The "
          "surface may have holes.",
          cell_keys("Size of the lattice's cells. Half of it makes eight times as many tets; thin parts want at least "
                    "two cells.")},
         "lattice { cell = 0.1 }",
         make_lattice},
        {{"grid",
          "Tets of a regular grid of cubes over the bounds of the surface, six to a cube: exact for boxes, where the "
          "mesh "
          "must end on the faces.",
          {{.name = "cells",
            .holds = Holds::vec3,
            .unit = "1",
            .required = true,
            .doc = "How many cubes along x, y and z. Linear tets bend too stiffly when there are few across."},
           {.name = "jitter",
            .unit = "1",
            .fallback = 0,
            .min = 0,
            .max = 0.45,
            .doc = "Moves the nodes at random by up to this part of a cube, those on the faces within them, so that "
                   "tets have all directions alike; it is taken back as far as no tet becomes flat."}}},
         "grid { cells = {40, 4, 4} }",
         make_grid},
        {{"body",
          "A body that was made before, by its name.",
          {{.name = "name", .holds = Holds::text, .required = true, .doc = "As its fem_body says."}}},
         "body \"cow\"",
         make_body,
         {"name"}},
    };
    return list;
}

}  // namespace

const std::vector<Verb>& body_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Verb> list = fixed_body_verbs();
        add_integrators(list);
        return list;
    }();
    return verbs;
}

const std::vector<ObjectMethod>& body_methods() {
    static const std::vector<ObjectMethod> methods{
        {"body", "body:name()", "Its name.", [](Loader&, const Value& b, Arguments) { return Value(slot_of(b).name); }},
        {"body", "body:volume()", "Volume now, m³.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).volume()); }},
        {"body", "body:rest_volume()", "Volume at rest, m³.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).rest_volume()); }},
        {"body", "body:mass()", "Mass, kg.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).mass()); }},
        {"body", "body:center()", "Centre of mass as a vector, m.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).center()); }},
        {"body", "body:velocity()", "Velocity of the centre of mass as a vector, m/s.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).velocity()); }},
        {"body", "body:energy()", "Kinetic plus elastic energy, J.",
         [](Loader& l, const Value& b, Arguments) {
             return Value(query(l, b).kinetic_energy() + query(l, b).elastic_energy());
         }},
        {"body", "body:kinetic_energy()", "J.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).kinetic_energy()); }},
        {"body", "body:elastic_energy()", "J.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).elastic_energy()); }},
        {"body", "body:max_speed()",
         "Speed of its fastest node, m/s; of a body that may break, of the fastest point of its surface.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).max_speed()); }},
        {"body", "body:temperature()", "Mean temperature over its mass, °C; 0 for a body without heat.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).temperature()); }},
        {"body", "body:max_temperature()", "Temperature of its hottest node, °C; 0 for a body without heat.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).max_temperature()); }},
        {"body", "body:plastic_strain()", "Mean norm of the lasting strain over its volume; 0 for an elastic body.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).plastic_strain()); }},
        {"body", "body:pieces()", "Into how many pieces it has come apart that can be seen; 1 while it is whole.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).pieces()); }},
        {"body", "body:remeshes()", "How often it got a new lattice; see remesh.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).remeshes()); }},
        {"body", "body:volume_change()",
         "Largest change so far of the volume of a body with remesh, elastic compression taken out, relative.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).volume_change()); }},
        {"body", "body:height()", "The y of its highest point, m.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).bounds().max.y()); }},
        {"body", "body:bounds()", "A box around it: a table with the vectors min and max, m.",
         [](Loader& l, const Value& b, Arguments) {
             const Box box = query(l, b).bounds();
             return Value(Table{{{"min", Value(box.min)}, {"max", Value(box.max)}}, {}});
         }},
        {"body", "body:point(x, y, z)", "Where the node is now that was nearest to this place at time 0; a vector, m.",
         [](Loader& l, const Value& b, Arguments a) { return Value(tracked_point(l, b, a)); }},
        {"body", "body:flux(axis, at)",
         "Force through the plane across an axis (\"x\", \"y\", \"z\") at a coordinate, as the part above pulls the "
         "part "
         "below: a table with the vectors elastic, shear and total, N.",
         [](Loader& l, const Value& b, Arguments a) {
             const int axis = a.size() == 2 ? axis_number(a[0]) : -1;
             if (axis < 0 || a[1].kind() != Value::Kind::number)
                 throw UserError("flux takes an axis and a coordinate", l.here(), "Write body:flux(\"y\", 0.5)");
             const Flux flux = query(l, b).flux(axis, a[1].number());
             return Value(Table{{{"elastic", Value(flux.elastic)},
                                 {"shear", Value(flux.shear)},
                                 {"total", Value(Vec3(flux.elastic + flux.shear))}},
                                {}});
         }},
        {"body", "body:node_count()", "Number of nodes.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).node_count()); }},
        {"body", "body:tet_count()", "Number of tets.",
         [](Loader& l, const Value& b, Arguments) { return Value(query(l, b).tet_count()); }},
    };
    return methods;
}

}  // namespace pliant::script
