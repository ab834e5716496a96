// The run itself: time, measures, expectations, callbacks.

#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/script/verbs.hpp"
#include "pliant/world/ledger.hpp"

namespace pliant::script {

namespace {

Value make_world(Loader& loader, const Params& params) {
    if (loader.world_given)
        throw UserError("world is given twice", params.where(), "Put all of it into one world { … }");
    loader.world_given = true;
    WorldDesc& world = loader.desc.world;
    world.dt = params.number("dt");
    world.duration = params.number("duration");
    world.fps = params.number("fps");
    world.gravity = params.vec3("gravity");
    world.barriers = params.text("contact") == "barrier";
    world.seed = static_cast<std::uint64_t>(params.number("seed"));
    world.patience = params.number("patience");
    world.where = params.where();
    if (world.duration * world.fps > 1e7)
        throw UserError("world: this would be more than 10 million frames", params.where("duration"),
                        "Use a shorter duration or a smaller fps");
    if (world.duration / world.dt > 1e9)
        throw UserError("world: this would be more than a billion steps", params.where("dt"), "Use a larger dt");
    loader.bridge.sandbox().random() = Rng(world.seed);
    return {};
}

Value make_measure(Loader& loader, const Params& params) {
    MeasureDesc measure;
    measure.name = params.text("name");
    measure.where = params.where();
    if (measure.name.empty() || measure.name.size() > 100)
        throw UserError("a measure needs a name of 1 to 100 characters", params.where("name"),
                        "Write measure(\"tip\", function() … end)");
    for (const MeasureDesc& other : loader.desc.measures)
        if (other.name == measure.name)
            throw UserError("there are two measures called '" + measure.name + "'", params.where("name"),
                            "Give each its own name");
    measure.value = [function = params.function("value"), name = measure.name, where = measure.where] {
        const Value result = function({});
        if (result.kind() == Value::Kind::boolean) return result.boolean() ? 1.0 : 0.0;
        if (result.kind() != Value::Kind::number)
            throw UserError("measure '" + name + "' must return a number, not " + result.kind_text(), where,
                            result.nil() ? "Does the function say return?" : "Return one number");
        return result.number();
    };
    loader.desc.measures.push_back(std::move(measure));
    return {};
}

Value make_measure_energy(Loader& loader, const Params& params) {
    for_each_term({}, [&](const char* name, double) {
        MeasureDesc measure;
        measure.name = std::string("energy_") + name, measure.energy = name;
        measure.where = params.where();
        for (const MeasureDesc& other : loader.desc.measures)
            if (other.name == measure.name)
                throw UserError("there are two measures called '" + measure.name + "'", params.where(),
                                "Write measure_energy {} once, and give other measures other names");
        loader.desc.measures.push_back(std::move(measure));
    });
    return {};
}

Value make_expect(Loader& loader, const Params& params) {
    ExpectDesc expect;
    expect.where = params.where();
    if (params.has("check")) {
        if (params.has("measure"))
            throw UserError("expect takes a function or a measure, not both", params.where("measure"), "Leave one out");
        expect.description = params.has("description") ? params.text("description")
                                                       : "expectation on line " + std::to_string(expect.where.line);
        expect.check = [function = params.function("check"), where = expect.where](std::string& message) {
            const Value result = function({});
            const Value* verdict = &result;
            if (result.kind() == Value::Kind::table && !result.table().items.empty()) {
                verdict = &result.table().items[0];
                if (result.table().items.size() > 1 && result.table().items[1].kind() == Value::Kind::text)
                    message = result.table().items[1].text();
            }
            if (verdict->kind() != Value::Kind::boolean)
                throw UserError("expect: the function must return true or false, not " + verdict->kind_text(), where,
                                "Return a comparison, such as height < 1");
            return verdict->boolean();
        };
        loader.desc.expects.push_back(std::move(expect));
        return {};
    }
    if (!params.has("measure"))
        throw UserError(
            "expect needs a function or a measure", expect.where,
            "Write expect(\"it stays up\", function() return … end) or expect { measure = \"tip\", at_least = 1 }");
    expect.measure = params.text("measure");
    expect.at = params.text("at") == "always" ? ExpectDesc::At::always : ExpectDesc::At::end;
    if (params.has("at_least")) expect.at_least = params.number("at_least");
    if (params.has("at_most")) expect.at_most = params.number("at_most");
    if (params.has("near")) {
        if (!params.has("within"))
            throw UserError("expect: near needs within", params.where("near"),
                            "Say how far off it may be: within = 0.01");
        if (params.has("at_least") || params.has("at_most"))
            throw UserError("expect takes near and within, or at_least and at_most", params.where("near"),
                            "Leave one pair out");
        expect.at_least = params.number("near") - params.number("within");
        expect.at_most = params.number("near") + params.number("within");
    } else if (!params.has("at_least") && !params.has("at_most")) {
        throw UserError("expect: a measure needs at_least, at_most, or near and within", expect.where,
                        "Say what it should be");
    }
    if (expect.at_least > expect.at_most)
        throw UserError("expect: at_least is above at_most", params.where("at_least"), "No number is both");
    expect.description = expect.measure;
    if (std::isfinite(expect.at_least)) expect.description += " at least " + number_text(expect.at_least);
    if (std::isfinite(expect.at_least) && std::isfinite(expect.at_most)) expect.description += " and";
    if (std::isfinite(expect.at_most)) expect.description += " at most " + number_text(expect.at_most);
    if (params.has("near"))
        expect.description = expect.measure + " within " + number_text(params.number("within")) + " of " +
                             number_text(params.number("near"));
    if (expect.at == ExpectDesc::At::always) expect.description += ", always";
    if (params.has("description")) expect.description = params.text("description");
    loader.desc.expects.push_back(std::move(expect));
    return {};
}

/// What may change while a world runs, as world/knobs.hpp has it.
std::vector<Key> change_keys() {
    return {{.name = "body", .holds = Holds::handle, .type = "body", .doc = "The body; left out for gravity."},
            {.name = "at", .unit = "s", .required = true, .min = 0, .doc = "From this time on."},
            {.name = "gravity", .unit = "m/s²", .doc = "How strong it is; its direction stays."},
            {.name = "young", .unit = "Pa", .doc = "Young's modulus; softer regions stay softer."},
            {.name = "poisson", .unit = "1", .doc = "Poisson's ratio."},
            {.name = "density", .unit = "kg/m³", .doc = "Mass per volume; lighter regions stay lighter."},
            {.name = "mass_damping", .unit = "1/s", .doc = "What slows all motion."},
            {.name = "stiffness_damping", .unit = "s", .doc = "What stills vibration."},
            {.name = "damping", .unit = "1", .doc = "Of leap_frog."},
            {.name = "friction", .unit = "1", .doc = "Of its skin."},
            {.name = "restitution", .unit = "1", .doc = "Of a rigid body."},
            {.name = "iterations", .unit = "1", .doc = "Of conjugate gradients."},
            {.name = "strength", .unit = "Pa", .doc = "Of fracture; weaker regions stay weaker."},
            {.name = "yield", .unit = "1", .doc = "Of plasticity."},
            {.name = "rate", .unit = "1/s", .doc = "Of plasticity."}};
}

Value make_change(Loader& loader, const Params& params) {
    ChangeDesc change;
    if (params.has("body")) change.body = body_of(params);
    change.at = params.number("at");
    change.where = params.where();
    for (const Key& key : change_keys())
        if (key.name != "body" && key.name != "at" && params.has(key.name))
            change.numbers.emplace_back(key.name, params.number(key.name));
    if (change.numbers.empty())
        throw UserError("change says nothing that changes", change.where,
                        "Write change { body = jelly, at = 1, young = 1e4 }");
    loader.desc.changes.push_back(std::move(change));
    return {};
}

Value make_on_step(Loader& loader, const Params& params) {
    loader.desc.on_step.push_back([function = params.function("callback")](double t, double dt) {
        const Value arguments[2] = {Value(t), Value(dt)};
        function(arguments);
    });
    return {};
}

Value make_on_frame(Loader& loader, const Params& params) {
    loader.desc.on_frame.push_back([function = params.function("callback")](double t, int index) {
        const Value arguments[2] = {Value(t), Value(index)};
        function(arguments);
    });
    return {};
}

}  // namespace

const std::vector<Verb>& run_verbs() {
    static const std::vector<Verb> verbs{
        {{"world",
          "Time and gravity. Once per scene; may be left out.",
          {{.name = "dt",
            .unit = "s",
            .fallback = 0.01,
            .min = 0,
            .open_min = true,
            .doc = "Longest time step; a frame is divided into equal steps no longer than this. Larger steps damp "
                   "motion and let thin "
                   "things pass through each other, smaller ones cost time.",
            .remedy = "Use 0.01; smaller for fast or stiff things"},
           {.name = "duration",
            .unit = "s",
            .fallback = 4,
            .min = 0,
            .doc = "How long the world runs; 0 shows only the start."},
           {.name = "fps",
            .unit = "1/s",
            .fallback = 50,
            .min = 0,
            .max = 1e6,
            .open_min = true,
            .doc = "Frames written per second of the world.",
            .remedy = "Use 25 to 60"},
           {.name = "gravity",
            .holds = Holds::vec3,
            .unit = "m/s²",
            .fallback = Value(Vec3(0, -9.81, 0)),
            .doc = "y is up."},
           {.name = "seed",
            .unit = "1",
            .fallback = 1,
            .min = 0,
            .max = 9007199254740992.0,
            .integer = true,
            .doc = "Of math.random and of everything random in the world; the same seed gives the same result."},
           {.name = "contact",
            .holds = Holds::text,
            .fallback = "springs",
            .choices = {"springs", "barrier"},
            .doc =
                "How fem_body and implicit particle bodies touch each other and obstacles. springs: vertices against "
                "surfaces; fast, thin things may pass through each other. barrier: faces and edges of seen surfaces, "
                "of one body too, never cross; slower."},
           {.name = "patience",
            .unit = "s",
            .fallback = 600,
            .min = 0,
            .open_min = true,
            .doc = "What would take longer to make, by estimate, is refused: a surface, the tets or the modes of a "
                   "body."}}},
         "world { dt = 0.01, duration = 4, fps = 50 }",
         make_world},
        {{"measure",
          "A number that is watched: written to the CSV and the report at every frame.",
          {{.name = "name", .holds = Holds::text, .required = true, .doc = "Its name."},
           {.name = "value",
            .holds = Holds::function,
            .required = true,
            .doc = "function() that returns the number."}}},
         "measure(\"volume\", function() return cow:volume() end)",
         make_measure,
         {"name", "value"}},
        {{"measure_energy",
          "Watches where the energy of bodies comes from and goes to: a measure for each term of the energy ledger, "
          "energy_kinetic, energy_friction and so on, in J.",
          {}},
         "measure_energy { }",
         make_measure_energy},
        {{"expect",
          "What must be true; a run where it is not ends with an error.",
          {{.name = "description", .holds = Holds::text, .doc = "What is expected, in words."},
           {.name = "check",
            .holds = Holds::function,
            .doc = "function() evaluated at the end; returns true or false, and perhaps a message."},
           {.name = "measure", .holds = Holds::text, .doc = "Instead of a function: the name of a measure."},
           {.name = "at_least", .doc = "Its smallest value allowed."},
           {.name = "at_most", .doc = "Its largest value allowed."},
           {.name = "near", .doc = "Instead of at_least and at_most: the value it should have."},
           {.name = "within", .min = 0, .doc = "How far from near it may be."},
           {.name = "at",
            .holds = Holds::text,
            .fallback = "end",
            .choices = {"end", "always"},
            .doc = "When: at the end, or in every frame."}}},
         "expect(\"it stands\", function() return man:height() > 1 end), or expect { measure = \"tip\", at_least = -1 "
         "}",
         make_expect,
         {"description", "check"}},
        {{"change", "Numbers of a body become others at a time, as if a slider of the studio were moved.",
          change_keys()},
         "change { body = jelly, at = 1.5, young = 1e4 }",
         make_change},
        {{"on_step",
          "Calls a function before every step.",
          {{.name = "callback", .holds = Holds::function, .required = true, .doc = "function(t, dt)."}}},
         "on_step(function(t, dt) … end)",
         make_on_step,
         {"callback"}},
        {{"on_frame",
          "Calls a function at every frame.",
          {{.name = "callback", .holds = Holds::function, .required = true, .doc = "function(t, index)."}}},
         "on_frame(function(t, index) … end)",
         make_on_frame,
         {"callback"}},
    };
    return verbs;
}

}  // namespace pliant::script
