// Bodies of particles, and the actions of Everts 2006, section 8.4.

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/script/body_words.hpp"

namespace pliant::script {

namespace {

std::vector<Key> particle_keys() {
    return {
        {.name = "young",
         .unit = "Pa",
         .min = 0,
         .open_min = true,
         .doc = "Young's modulus E, 3e6 when left out: stiffness against a change of length.",
         .remedy = "Use 3e6 for rubber"},
        {.name = "shear",
         .unit = "Pa",
         .min = 0,
         .open_min = true,
         .doc = "Shear modulus G of cmpm1 and cmpm2: stiffness against leaning over. Left out: E/(2(1+poisson))."},
        {.name = "poisson",
         .unit = "1",
         .min = -1,
         .max = 0.5,
         .open_min = true,
         .open_max = true,
         .doc = "Poisson's ratio of cmpm3, 0.45 when left out. The others have what their forces amount to.",
         .remedy = "Use 0.49, and volume_constraint for something that keeps its volume"},
        {.name = "density", .unit = "kg/m³", .min = 0, .open_min = true, .doc = "Mass per volume, 1200 when left out."},
        {.name = "fibre", .holds = Holds::vec3, .doc = "cmpm3: direction in which it is stiffer."},
        {.name = "fibre_young", .unit = "Pa", .min = 0, .doc = "cmpm3: what is added to Young's modulus along it."},
    };
}

ParticleNumbers particle_numbers_of(const Params& params) {
    ParticleNumbers n{optional_number(params, "young"),       optional_number(params, "shear"),
                      optional_number(params, "poisson"),     optional_number(params, "density"),
                      optional_number(params, "fibre_young"), {}};
    if (params.has("fibre")) n.fibre = params.vec3("fibre");
    if (n.fibre && !(n.fibre->norm() > 0))
        throw UserError("fibre must have a direction", params.where("fibre"), "Give a vector other than {0, 0, 0}");
    return n;
}

const Schema& particle_region_schema() {
    static const Schema schema = region_schema(particle_keys());
    return schema;
}

const Schema& particle_vary_schema() {
    static const Schema schema = vary_schema(particle_keys());
    return schema;
}

const Schema& particle_material_schema() {
    static const Schema schema = [] {
        Schema s{"particle material", "What a particle_body is made of; rubber when left out.", particle_keys()};
        s.keys.push_back({.name = "damping",
                          .holds = Holds::table,
                          .doc = "{ mass = 0.1, stiffness = 0.002 }, of implicit steps; leap_frog has its own."});
        s.keys.push_back({.name = "heat",
                          .holds = Holds::table,
                          .doc = "Gives the body a temperature that its moduli may depend on; see heat."});
        s.keys.push_back({.name = "friction", .unit = "1", .min = 0, .doc = "Coulomb friction of its skin; 0.5."});
        for (Key& key : local_material_keys()) s.keys.push_back(std::move(key));
        return s;
    }();
    return schema;
}

const Schema& constraint_schema() {
    static const Schema schema{
        "volume_constraint",
        "Keeps the volume of a body by correcting positions after each step (chapter 3).",
        {{.name = "keep",
          .holds = Holds::text,
          .fallback = "total",
          .choices = {"total", "elements", "particles"},
          .doc = "What keeps its volume: the body as a whole, every tet (which makes it nearly rigid), or the cell of "
                 "every particle."},
         {.name = "gamma",
          .unit = "1",
          .fallback = 1.0 / 3,
          .min = 0,
          .max = 0.66,
          .doc = "γ of equation 3.20. 1/3 takes a volume error back in one step, less leaves it longer, above 2/3 it "
                 "would grow."},
         {.name = "newton",
          .unit = "1",
          .min = 0,
          .max = 20,
          .integer = true,
          .doc = "Newton steps on the volume itself after it: 1 for leap_frog (0 unless the body as a whole keeps its "
                 "volume), 3 for implicit steps, which are longer."},
         {.name = "iterations",
          .unit = "1",
          .fallback = 60,
          .min = 1,
          .max = 10000,
          .integer = true,
          .doc = "Of conjugate gradients for elements and particles."},
         {.name = "tolerance",
          .unit = "1",
          .fallback = 1e-4,
          .min = 0,
          .max = 1,
          .doc = "Relative residual to stop at."}}};
    return schema;
}

VolumeConstraintOptions options_of(const Params& params, bool implicit) {
    VolumeConstraintOptions o;
    const std::string& keep = params.text("keep");
    o.kind = keep == "elements"    ? KeepsVolume::elements
             : keep == "particles" ? KeepsVolume::particles
                                   : KeepsVolume::total;
    o.gamma = params.number("gamma");
    // A second projection costs a leap-frog step next to nothing when there is one constraint.
    const int usual = implicit ? 3 : o.kind == KeepsVolume::total ? 1 : 0;
    o.newton = params.has("newton") ? params.integer("newton") : usual;
    o.iterations = params.integer("iterations");
    o.tolerance = params.number("tolerance");
    return o;
}

void set_material(BodyDesc& body, const Value& value) {
    if (value.nil()) return;
    ParticleDesc& particle = body.particle;
    if (value.kind() == Value::Kind::text) {
        const MaterialPreset& preset = material_presets().get(value.text(), value.where());
        particle.numbers = {.young = preset.young, .poisson = preset.poisson, .density = preset.density};
        return;
    }
    const Params params = particle_material_schema().check(value);
    particle.numbers = particle_numbers_of(params);
    particle.friction = optional_number(params, "friction");
    if (params.has("damping")) {
        const Params damping = damping_schema().check(params.at("damping"));
        particle.mass_damping = optional_number(damping, "mass").value_or(0);
        particle.stiffness_damping = optional_number(damping, "stiffness").value_or(0);
    }
    if (params.has("regions"))
        for (const Value& item : params.table("regions").items) {
            const Params region = particle_region_schema().check(item);
            particle.regions.push_back({shape_of(region, "inside"), particle_numbers_of(region)});
        }
    if (params.has("heat")) body.material.heat = heat_of(params.at("heat"));
    particle.vary = vary_of<ParticleNumbers>(params, particle_vary_schema(), particle_numbers_of);
}

Value make_particle_body(Loader& loader, const Params& params) {
    BodyDesc body = read_body(params, "particle_body", 5000);
    body.kind = "particle";
    const std::string& model = params.text("model");
    body.particle.model.model = model == "spring"  ? ParticleModel::spring
                                : model == "cmpm1" ? ParticleModel::cmpm1
                                : model == "cmpm2" ? ParticleModel::cmpm2
                                                   : ParticleModel::cmpm3;
    body.particle.model.normal = params.text("normal") == "unit" ? DeformedNormal::unit : DeformedNormal::stretched;
    body.particle.model.stiffness = params.number("stiffness");
    set_material(body, params.at("material"));
    body.integrator.kind = "leap_frog";
    body.integrator.where = body.where;
    if (params.has("integrator")) body.integrator = params.object<IntegratorDesc>("integrator");
    if (body.integrator.kind != "leap_frog" && body.integrator.kind != "implicit_euler")
        throw UserError("particle_body cannot be moved by " + body.integrator.kind, params.where("integrator"),
                        "Use leap_frog { } or implicit_euler { }, or a fem_body");
    if (params.has("volume_constraint"))
        body.keeps_volume =
            volume_constraint_of(params.at("volume_constraint"), body.integrator.kind == "implicit_euler");
    body.collide = params.flag("collide");
    body.contact_distance = optional_number(params, "contact_distance");
    return add_body(loader, std::move(body), params);
}

Value make_leap_frog(Loader&, const Params& params) {
    IntegratorDesc integrator;
    integrator.kind = "leap_frog";
    integrator.step = params.number("dt");
    integrator.damping = params.number("damping");
    integrator.where = params.where();
    return Value(Handle{"integrator", integrator}, integrator.where);
}

int axis_of(const Params& params, std::string_view key) {
    const int axis = axis_number(params.at(key));
    if (axis < 0)
        throw UserError(std::string(key) + " must be \"x\", \"y\" or \"z\"", params.where(key), "Name one of the axes");
    return axis;
}

constexpr double far = 1e9;  // m: as good as endless

/// All that lies between two coordinates.
ShapePtr slab(int axis, double low, double high) {
    Vec3 size = Vec3::Constant(far), centre = Vec3::Zero();
    size[axis] = std::max(high - low, 1e-300), centre[axis] = 0.5 * (low + high);
    return transformed(box_shape(size), {Quat::Identity(), centre});
}

ShapePtr plane_of_particles(const Params& params) {
    const double at = params.number("at"), half = 0.5 * params.number("thickness");
    return slab(axis_of(params, "axis"), at - half, at + half);
}

Key particle_body_key() {
    return {.name = "body", .holds = Holds::handle, .required = true, .type = "body", .doc = "The body."};
}
std::vector<Key> plane_keys(const char* what) {
    return {particle_body_key(),
            {.name = "axis", .holds = Holds::text, .required = true, .doc = "The plane is across this axis."},
            {.name = "at", .unit = "m", .required = true, .doc = what},
            {.name = "thickness",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Particles up to half of this off the plane belong to it; 0 takes those in it."}};
}
Key direction_key() {
    return {.name = "direction", .holds = Holds::text, .required = true, .doc = "The axis along which they move."};
}
Key free_key() {
    return {.name = "free",
            .holds = Holds::boolean,
            .fallback = true,
            .doc = "They may move as they like along the other axes."};
}
std::vector<Key> times() {
    return {{.name = "from", .unit = "s", .fallback = 0, .min = 0, .doc = "Begins at this time."},
            {.name = "till", .unit = "s", .min = 0, .doc = "Stops there, and goes on holding."},
            {.name = "release", .unit = "s", .min = 0, .doc = "Lets go at this time."}};
}

GripDesc grip_of(const Params& params, ShapePtr inside, int direction, std::function<double(double)> distance) {
    GripDesc g;
    g.body = body_of(params);
    g.inside = std::move(inside);
    g.from = params.number("from");
    g.till = params.has("release") ? params.number("release") : forever;
    g.axis = params.flag("free") ? direction : -1;
    g.where = params.where();
    const double from = g.from, stop = std::max(from, params.has("till") ? params.number("till") : forever);
    g.pose = [distance = std::move(distance), direction, from, stop](double t) {
        return Pose{Quat::Identity(), distance(std::clamp(t, from, stop) - from) * Vec3::Unit(direction)};
    };
    return g;
}

Value make_move_steady(Loader& loader, const Params& params) {
    const double speed = params.number("speed");
    loader.desc.grips.push_back(grip_of(params, plane_of_particles(params), axis_of(params, "direction"),
                                        [speed](double t) { return speed * t; }));
    return {};
}

Value make_move_block(Loader& loader, const Params& params) {
    const Vec3 low = params.vec3("min"), high = params.vec3("max");
    if (!(low.array() < high.array()).all())
        throw UserError("move_block: min must be below max", params.where("max"), "Give two opposite corners");
    const double speed = params.number("speed");
    loader.desc.grips.push_back(grip_of(params,
                                        transformed(box_shape(high - low), {Quat::Identity(), 0.5 * (low + high)}),
                                        axis_of(params, "direction"), [speed](double t) { return speed * t; }));
    return {};
}

Value make_sine_movement(Loader& loader, const Params& params) {
    const double size = params.number("amplitude"), rate = 2 * 3.14159265358979323846 * params.number("frequency");
    loader.desc.grips.push_back(grip_of(params, plane_of_particles(params), axis_of(params, "direction"),
                                        [size, rate](double t) { return size * std::sin(rate * t); }));
    return {};
}

Value make_event_force(Loader& loader, const Params& params) {
    PullDesc pull;
    pull.body = body_of(params);
    pull.at = params.vec3("at");
    pull.force = [force = params.vec3("force")](double) { return force; };
    pull.from = params.number("time");
    pull.till = pull.from + params.number("duration");
    pull.where = params.where();
    loader.desc.pulls.push_back(std::move(pull));
    return {};
}

Value make_tabletop(Loader& loader, const Params& params) {
    ObstacleDesc table;
    table.name = loader.unique_name(params.has("name") ? params.text("name") : "", "tabletop", params.where("name"));
    const Vec3 size = params.vec3("size"), centre = params.vec3("center");
    if (!(size.array() > 0).all())
        throw UserError("tabletop: its size must be above 0", params.where("size"), "Write size = {1, 0.1, 1}");
    table.surface.shape = box_shape(size);
    table.surface.where = params.where("size");
    table.pose.translation = {centre.x(), params.number("height") - 0.5 * size.y(), centre.z()};
    table.friction = params.number("friction");
    table.where = params.where();
    loader.desc.obstacles.push_back(std::move(table));
    return {};
}

Value make_global_damping(Loader& loader, const Params& params) {
    BodyDesc& body = loader.desc.bodies[static_cast<std::size_t>(body_of(params))];
    if (body.integrator.kind != "leap_frog")
        throw UserError("global_damping acts on the steps of leap_frog, and '" + body.name + "' has none",
                        params.where(), "Use material = { damping = { mass = 0.1 } }");
    body.integrator.damping = params.number("factor");
    return {};
}

Value make_gravity(Loader& loader, const Params& params) {
    loader.desc.world.gravity = {0, -params.number("strength"), 0};
    return {};
}

Value make_volume_constraint(Loader& loader, const Params& params) {
    BodyDesc& body = loader.desc.bodies[static_cast<std::size_t>(body_of(params))];
    body.keeps_volume = options_of(params, body.integrator.kind == "implicit_euler");
    return {};
}

Value make_flux(Loader& loader, const Params& params) {
    const int axis = axis_of(params, "axis"), along = params.has("along") ? axis_of(params, "along") : axis;
    const std::string& name = params.text("name");
    const auto slot = params.object<BodyHandle>("body").slot;
    for (const bool shear : {false, true}) {
        MeasureDesc measure;
        measure.name = name + (shear ? "_shear" : "_elastic");
        measure.where = params.where();
        for (const MeasureDesc& other : loader.desc.measures)
            if (other.name == measure.name)
                throw UserError("there are two measures called '" + measure.name + "'", params.where(),
                                "Give each flux its own name");
        measure.value = [slot, shear, axis, along, at = params.number("at")] {
            if (!slot->query) return 0.0;
            const Flux flux = slot->query->flux(axis, at);
            return (shear ? flux.shear : flux.elastic)[along];
        };
        loader.desc.measures.push_back(std::move(measure));
    }
    return {};
}

Schema constraint_schema_with_body() {
    Schema schema = constraint_schema();
    schema.keys.insert(schema.keys.begin(), particle_body_key());
    return schema;
}

std::vector<Key> joined(std::vector<Key> a, std::vector<Key> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace

int axis_number(const Value& axis) {
    if (axis.kind() != Value::Kind::text) return -1;
    for (int i = 0; i < 3; ++i)
        if (axis.text() == std::string(1, "xyz"[i])) return i;
    return -1;
}

Key volume_constraint_key() {
    return {
        .name = "volume_constraint",
        .holds = Holds::table | Holds::text,
        .choices = {"total", "elements", "particles"},
        .doc = "Keeps the body's volume: \"total\", \"elements\", \"particles\", or a table; see volume_constraint."};
}

VolumeConstraintOptions volume_constraint_of(const Value& value, bool implicit) {
    Value table = value;
    if (value.kind() == Value::Kind::text) table = Value(Table{{{"keep", value}}, {}}, value.where());
    return options_of(constraint_schema().check(table), implicit);
}

const std::vector<const Schema*>& particle_tables() {
    static const std::vector<const Schema*> tables{&particle_material_schema(), &particle_region_schema(),
                                                   &damping_schema()};
    return tables;
}

const std::vector<Verb>& particle_verbs() {
    static const std::vector<Verb> verbs{
        {{"particle_body", "A body of particles: mass-spring, or a continuum particle model.",
          body_keys(
              "What is seen and touched. Left out with volume = tets: the boundary of the tets.",
              "The tets between the particles: lattice { … }, grid { … }, tets \"file\" or structure \"file\".",
              {{.name = "model",
                .holds = Holds::text,
                .fallback = "cmpm3",
                .choices = {"spring", "cmpm1", "cmpm2", "cmpm3"},
                .doc =
                    "spring: a spring per edge. cmpm1, cmpm2: the two models of the thesis. cmpm3: the corrected one, "
                    "with the right stiffness, Poisson's ratio and fibres."},
               {.name = "material",
                .holds = Holds::table | Holds::text,
                .doc =
                    "See particle material below; rubber when left out. The name of a preset gives its young, poisson "
                    "and density."},
               {.name = "stiffness",
                .unit = "N/m",
                .fallback = 0,
                .min = 0,
                .doc = "spring: the same constant for all springs; 0 derives them from Young's modulus."},
               {.name = "normal",
                .holds = Holds::text,
                .fallback = "stretched",
                .choices = {"stretched", "unit"},
                .doc =
                    "cmpm2: the deformed normal as section 7.4 has it, or brought to unit length, which is what figure "
                    "7.3 shows: then it has no elastic stiffness at first."},
               {.name = "integrator",
                .holds = Holds::handle,
                .type = "integrator",
                .doc = "leap_frog { } when left out, or implicit_euler { }."},
               volume_constraint_key(),
               collide_key(),
               contact_distance_key()})},
         "particle_body { model = \"cmpm1\", surface = box { size = {1, 1, 1} }, volume = grid { cells = {5, 5, 5} } }",
         make_particle_body},
        {{"leap_frog",
          "Leap-frog: explicit, cheap per step, stable only for small ones. Its steps run inside those of the world.",
          {{.name = "dt",
            .unit = "s",
            .fallback = 1e-4,
            .min = 0,
            .open_min = true,
            .doc = "Longest step. Too large, and the body explodes: about 0.2·d·√(density/E) for particles d apart."},
           {.name = "damping",
            .unit = "1",
            .fallback = 1,
            .min = 0,
            .max = 1,
            .doc = "All velocities are multiplied by it after each step (GlobalDamping); 1 is none, and 0.99 every "
                   "0.1 ms stops motion within 10 ms."}}},
         "leap_frog { dt = 1e-4, damping = 0.9999 }",
         make_leap_frog},
        {constraint_schema_with_body(), "volume_constraint { body = cube, gamma = 1/3 }", make_volume_constraint},
        {{"flux",
          "Watches the force through a plane in a body: two measures, NAME_elastic and NAME_shear, in N.",
          {particle_body_key(),
           {.name = "axis", .holds = Holds::text, .required = true, .doc = "The plane is across this axis."},
           {.name = "at", .unit = "m", .required = true, .doc = "Its place on the axis."},
           {.name = "along",
            .holds = Holds::text,
            .doc = "Which component of the forces is counted; across the plane when left out."},
           {.name = "name", .holds = Holds::text, .fallback = "flux", .doc = "What the measures' names begin with."}}},
         "flux { body = cube, axis = \"y\", at = 0.5 }",
         make_flux},
        {{"move_steady", "Moves the particles in a plane along an axis with even speed.",
          joined(plane_keys("Where the plane is at time 0."),
                 joined({direction_key(),
                         {.name = "speed", .unit = "m/s", .required = true, .doc = "Negative: the other way."},
                         free_key()},
                        times()))},
         "move_steady { body = cube, axis = \"y\", at = 1, direction = \"y\", speed = 0.1, till = 1.6 }",
         make_move_steady},
        {{"move_block", "Moves the particles in a block along an axis with even speed.",
          joined({particle_body_key(),
                  {.name = "min", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Corner of the block."},
                  {.name = "max", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "The opposite one."},
                  direction_key(),
                  {.name = "speed", .unit = "m/s", .required = true, .doc = "Negative: the other way."},
                  free_key()},
                 times())},
         "move_block { body = bunny, min = {0, 0, 0}, max = {1, 0.1, 1}, direction = \"y\", speed = -0.5 }",
         make_move_block},
        {{"sine_movement", "Moves the particles in a plane to and fro along an axis.",
          joined(plane_keys("Where the plane is at time 0."),
                 joined({direction_key(),
                         {.name = "amplitude", .unit = "m", .required = true, .doc = "How far from the middle."},
                         {.name = "frequency", .unit = "1/s", .required = true, .min = 0, .doc = "How often."},
                         free_key()},
                        times()))},
         "sine_movement { body = beam, axis = \"x\", at = 0, direction = \"y\", amplitude = 0.1, frequency = 2 }",
         make_sine_movement},
        {{"event_force",
          "A force on one particle for a moment.",
          {particle_body_key(),
           {.name = "at",
            .holds = Holds::vec3,
            .unit = "m",
            .required = true,
            .doc = "On the particle nearest to this place at time 0."},
           {.name = "force", .holds = Holds::vec3, .unit = "N", .required = true, .doc = "How hard."},
           {.name = "time", .unit = "s", .required = true, .min = 0, .doc = "When."},
           {.name = "duration",
            .unit = "s",
            .fallback = 0,
            .min = 0,
            .doc = "How long; 0 is the step of the world that ends at that time."}}},
         "event_force { body = cube, at = {0, 1, 0}, force = {0, -100, 0}, time = 0.5 }",
         make_event_force},
        {{"global_damping",
          "Multiplies all velocities of a body by a factor after each of its leap-frog steps.",
          {particle_body_key(),
           {.name = "factor", .unit = "1", .required = true, .min = 0, .max = 1, .doc = "1 is none."}}},
         "global_damping { body = beam, factor = 0.9999 }",
         make_global_damping},
        {{"gravity",
          "How hard everything is drawn down; the same as the key of world.",
          {{.name = "strength", .unit = "m/s²", .required = true, .doc = "9.81 on Earth."}}},
         "gravity(9.81)",
         make_gravity,
         {"strength"}},
        {{"tabletop",
          "A solid block that bodies fall on and drape over.",
          {{.name = "name", .holds = Holds::text, .doc = "For exports; made up when left out."},
           {.name = "height", .unit = "m", .fallback = 0, .doc = "The y of its top."},
           {.name = "size",
            .holds = Holds::vec3,
            .unit = "m",
            .fallback = Value(Vec3(1, 0.1, 1)),
            .doc = "Width, thickness and depth."},
           {.name = "center",
            .holds = Holds::vec3,
            .unit = "m",
            .fallback = Value(Vec3(0, 0, 0)),
            .doc = "Its x and z; the y does not count."},
           {.name = "friction", .unit = "1", .fallback = 0.5, .min = 0, .doc = "Coulomb coefficient."}}},
         "tabletop { height = 0.5, size = {0.6, 0.1, 0.6} }",
         make_tabletop},
    };
    return verbs;
}

}  // namespace pliant::script
