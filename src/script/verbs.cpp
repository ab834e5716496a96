#include "pliant/script/verbs.hpp"
#include "pliant/script/colors.hpp"

#include <cmath>

#include "pliant/core/text.hpp"

namespace pliant::script {

const std::vector<VerbGroup>& verb_groups() {
    static const std::vector<VerbGroup> groups{
        {"The run", "How long, how finely, and what is watched.", &run_verbs()},
        {"Shapes",
         "Solids by their exact signed distance, in metres, centred on the origin with their axis along y unless said "
         "otherwise. Every one of them also takes `at` and `rotate`.",
         &shape_verbs(), &shape_methods()},
        {"Meshes", "Files are found below the scene's folder and the model paths, and nowhere else.", &mesh_verbs(),
         &mesh_methods()},
        {"Bodies",
         "What is written inside a body (surface, regions, vary) is in its own coordinates; `at` and `rotate` then "
         "place "
         "it in the world.",
         &body_verbs(), &body_methods(), body_tables()},
        {"Modal bodies", "Bodies that move as a rigid frame and deform by a few vibration modes: fast and stable.",
         &modal_verbs()},
        {"Shells",
         "Bodies of triangles with a thickness, and sheets to make them of; docs/shells.md says what they can do.",
         &shell_verbs()},
        {"Lasting deformation", "What `plasticity` of a material may be.", &plastic_verbs()},
        {"Heat", "Bodies whose material has `heat` conduct it, cool, and soften or set.", &heat_verbs(), nullptr,
         heat_tables()},
        {"Particles",
         "Bodies of particles, and what the thesis of Everts (2006) calls actions; docs/particles.md says how they "
         "correspond.",
         &particle_verbs(), nullptr, particle_tables()},
        {"Rigid bodies",
         "Bodies that do not deform, moved by Bullet. They collide with each other and with the scenery, not with "
         "deformable bodies.",
         &rigid_verbs()},
        {"Sound",
         "What `pliant sound` writes: bodies with `sound` ring with their own modes when something strikes them.",
         &sound_verbs(), nullptr, sound_tables()},
        {"Holding and moving",
         "Places are in world coordinates at time 0. `release` lets go, so that what was held or twisted springs back.",
         &motion_verbs()},
        {"Cutting", "Knives; docs/cutting.md says what they do.", &cutting_verbs(), nullptr, {&cutting_schema()}},
        {"Scenery", "What bodies fall on and bump into.", &scenery_verbs(), nullptr, scenery_tables()},
        {"Looks", "How pictures of the scene look.", &look_verbs(), nullptr, {}},
    };
    return groups;
}

std::string ObjectMethod::name() const {
    const std::size_t begin = usage.find(':') + 1;
    return usage.substr(begin, usage.find_first_of(" ({", begin) - begin);
}

namespace {

/// Brings the ways of calling a verb into one: a table with named entries.
Value named_arguments(const Verb& verb, std::span<const Value> arguments, const Where& here) {
    const bool table = !arguments.empty() && arguments[0].kind() == Value::Kind::table;
    const bool by_name = arguments.size() == 1 && table;
    if (arguments.empty()) return Value(Table{}, here);
    if (by_name) {
        const Table& given = arguments[0].table();
        // The line of the call when the table does not know its own.
        if (verb.items.empty() || given.items.empty()) return arguments[0];
        Table named{given.entries, {}};
        if (!named.entries.contains(verb.items))
            named.entries.emplace(verb.items, Value(Table{{}, given.items}, arguments[0].where()));
        return Value(std::move(named), arguments[0].where());
    }
    if (arguments.size() > verb.positional.size()) {
        const std::string what = arguments.size() == 1 ? "not " + arguments[0].kind_text()
                                                       : "not " + std::to_string(arguments.size()) + " things";
        throw UserError(verb.schema.name + " takes a table, " + what, here, "Write " + verb.usage);
    }
    Table named;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (!arguments[i].nil()) named.entries.emplace(verb.positional[i], arguments[i]);
    return Value(std::move(named), here);
}

}  // namespace

void define_verbs(Loader& loader) {
    for (const VerbGroup& group : verb_groups()) {
        for (const Verb& verb : *group.verbs)
            loader.bridge.define_function(verb.schema.name, [&loader, &verb](std::span<const Value> arguments) {
                const Where here = loader.here();
                if (!loader.bridge.loading)
                    throw UserError(verb.schema.name + " cannot be used in a callback", here,
                                    "Use it while the scene loads: the world is complete when the run begins");
                return verb.make(loader, verb.schema.check(named_arguments(verb, arguments, here)));
            });
        if (!group.methods) continue;
        for (const ObjectMethod& method : *group.methods)
            loader.bridge.define_method(
                method.type, method.name(), [&loader, &method](const Value& self, std::span<const Value> arguments) {
                    if (self.handle().type != method.type)
                        throw UserError("this is no " + method.type, loader.here(), "Write " + method.usage);
                    return method.call(loader, self, arguments);
                });
    }
}

std::string Loader::unique_name(const std::string& wanted, const std::string& kind, const Where& where) {
    std::string name = wanted;
    if (name.empty())
        for (int i = 1; name.empty() || names.contains(name); ++i) name = kind + (i == 1 ? "" : std::to_string(i));
    if (!names.insert(name).second)
        throw UserError("there are two objects called '" + name + "'", where, "Give each its own name");
    // Names become parts of file names.
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 32 || c == '/' || c == '\\')
            throw UserError("a name cannot have '/', '\\' or control characters", where,
                            "Use letters, digits, '-' and '_'");
    if (name.size() > 100) throw UserError("a name is longer than 100 characters", where, "Use a shorter one");
    return name;
}

// Words that several groups share ------------------------------------------------------------------------------------

std::vector<Key> with_placement(std::vector<Key> keys) {
    keys.push_back({.name = "at",
                    .holds = Holds::vec3,
                    .unit = "m",
                    .fallback = Value(Vec3(0, 0, 0)),
                    .doc = "Where its origin goes."});
    keys.push_back({.name = "rotate",
                    .holds = Holds::vec3 | Holds::table,
                    .unit = "degrees",
                    .doc = "Turn before it is placed: {x, y, z} turns about the x axis, then y, then z; "
                           "{ axis = {0, 1, 0}, angle = 90 } about any axis."});
    return keys;
}

Vec3 axis_from(const Value& axis) {
    if (axis.kind() == Value::Kind::text) {
        for (int i = 0; i < 3; ++i)
            if (axis.text() == std::string(1, "xyz"[i])) return Vec3::Unit(i);
        throw UserError("there is no axis '" + axis.text() + "'", axis.where(),
                        "It can be \"x\", \"y\", \"z\" or a vector");
    }
    const Vec3 v = axis.vec3();
    const double length = v.stableNorm();
    if (!(length > 0))
        throw UserError("an axis must have a direction", axis.where(), "Give a vector other than {0, 0, 0}");
    return v / length;
}

Quat rotation_from(const Value& rotate) {
    if (rotate.nil()) return Quat::Identity();
    const auto turn = [](double degrees, const Vec3& axis) { return Quat(Eigen::AngleAxisd(degrees * degree, axis)); };
    if (rotate.table().entries.empty()) {
        const Vec3 angles = rotate.vec3();
        return turn(angles.z(), Vec3::UnitZ()) * turn(angles.y(), Vec3::UnitY()) * turn(angles.x(), Vec3::UnitX());
    }
    static const Schema schema{
        "rotate",
        "A turn about an axis through the origin.",
        {{.name = "axis",
          .holds = Holds::vec3 | Holds::text,
          .required = true,
          .doc = "Direction of the axis: a vector, or \"x\", \"y\", \"z\"."},
         {.name = "angle", .unit = "degrees", .required = true, .doc = "Anticlockwise when the axis points at you."}}};
    const Params params = schema.check(rotate);
    return turn(params.number("angle"), axis_from(params.at("axis")));
}

Pose placement(const Params& params) { return {rotation_from(params.at("rotate")), params.vec3("at")}; }

std::function<double(double)> number_of_time(const Value& value, const std::string& what) {
    if (value.kind() == Value::Kind::number) return [n = value.number()](double) { return n; };
    return [function = value.function(), where = value.where(), what](double t) {
        const Value argument(t);
        const Value result = function(std::span(&argument, 1));
        if (result.kind() != Value::Kind::number || !std::isfinite(result.number()))
            throw UserError(
                what + " must return a finite number, not " + result.kind_text() + " (at t = " + number_text(t) + ")",
                where, "Look at what the function does at that time");
        return result.number();
    };
}

std::function<Vec3(double)> vector_of_time(const Value& value, const std::string& what) {
    if (value.kind() == Value::Kind::table) return [v = value.vec3()](double) { return v; };
    return [function = value.function(), where = value.where(), what](double t) -> Vec3 {
        const Value argument(t);
        const Value result = function(std::span(&argument, 1));
        bool good = result.kind() == Value::Kind::table && result.table().items.size() == 3;
        Vec3 v = Vec3::Zero();
        for (int i = 0; good && i < 3; ++i) {
            const Value& item = result.table().items[static_cast<std::size_t>(i)];
            good = item.kind() == Value::Kind::number && std::isfinite(item.number());
            if (good) v[i] = item.number();
        }
        if (!good)
            throw UserError(what + " must return a finite vector {x, y, z}, not " + result.kind_text() +
                                " (at t = " + number_text(t) + ")",
                            where, "Look at what the function does at that time");
        return v;
    };
}

std::optional<double> optional_number(const Params& params, std::string_view key) {
    return params.has(key) ? std::optional(params.number(key)) : std::nullopt;
}

Key color_key() {
    return {
        .name = "color",
        .holds = Holds::vec3 | Holds::text,
        .doc =
            "A name such as \"red\" or \"orange\", or \"#ff8800\" as screens have it (sRGB); or red, green and blue "
            "from 0 to 1 as amounts of light (linear RGB), where {0.2, 0.2, 0.2} is middle grey."};
}

std::optional<Vec3> optional_color(const Params& params, std::string_view key) {
    if (!params.has(key)) return {};
    return color_from(params.at(key));
}

Vec3 point_argument(std::span<const Value> arguments, const std::string& usage, const Where& where) {
    if (arguments.size() == 1 && arguments[0].kind() == Value::Kind::table) return arguments[0].vec3();
    Vec3 p;
    if (arguments.size() != 3) throw UserError("a point has three coordinates", where, "Write " + usage);
    for (int i = 0; i < 3; ++i) {
        const Value& a = arguments[static_cast<std::size_t>(i)];
        if (a.kind() != Value::Kind::number || !std::isfinite(a.number()))
            throw UserError("a coordinate must be a finite number, not " + a.kind_text(), where, "Write " + usage);
        p[i] = a.number();
    }
    return p;
}

int body_of(const Params& params) { return params.object<BodyHandle>("body").index; }

}  // namespace pliant::script

namespace pliant {

const std::vector<const Schema*>& scene_schemas() {
    static const std::vector<const Schema*> all = [] {
        std::vector<const Schema*> list;
        for (const script::VerbGroup& group : script::verb_groups()) {
            for (const script::Verb& verb : *group.verbs) list.push_back(&verb.schema);
            list.insert(list.end(), group.tables.begin(), group.tables.end());
        }
        return list;
    }();
    return all;
}

}  // namespace pliant
