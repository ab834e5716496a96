// What the script does to bodies: hold, move, turn, pull, drag.

#include <algorithm>
#include <cmath>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

Key body_key() {
    return {.name = "body",
            .holds = Holds::handle,
            .required = true,
            .type = "body",
            .doc = "The body, as fem_body returned it."};
}
Key inside_key(bool required = true) {
    return {.name = "inside",
            .holds = Holds::handle,
            .required = required,
            .type = "shape",
            .doc = "Nodes inside this shape at time 0. If it holds no node the scene does not start."};
}
Key axes_key() {
    return {.name = "axes",
            .holds = Holds::text,
            .doc =
                "Which coordinates are held: \"y\" lets the nodes slide in the plane across y, \"xz\" along y. All "
                "when left out."};
}
Key release_key() {
    return {.name = "release", .unit = "s", .min = 0, .doc = "Lets go at this time; never when left out."};
}
Key from_key() { return {.name = "from", .unit = "s", .fallback = 0, .min = 0, .doc = "Begins at this time."}; }
Key till_key(const char* doc) { return {.name = "till", .unit = "s", .min = 0, .doc = doc}; }

double or_forever(const Params& params, std::string_view key) { return params.has(key) ? params.number(key) : forever; }

void check_order(const Params& params, std::string_view later) {
    if (params.has(later) && params.number(later) < params.number("from"))
        throw UserError(std::string(later) + " is before from", params.where(later),
                        "Times go from, then till or release");
}

/// Exactly one of two ways to say it.
void check_either(const Params& params, const std::string& verb, const char* a, const char* b) {
    if (params.has(a) != params.has(b)) return;
    throw UserError(verb + " needs either " + a + " or " + b, params.where(), std::string("Give one of them"));
}

/// The axes that a support holds: none named, all of them.
std::vector<int> held_axes(const Params& params) {
    if (!params.has("axes")) return {-1};
    std::vector<int> axes;
    for (const char letter : params.text("axes")) {
        const int axis = letter - 'x';
        if (axis < 0 || axis > 2 || std::ranges::find(axes, axis) != axes.end())
            throw UserError("'" + params.text("axes") + "' does not name axes", params.where("axes"),
                            "Write each of the letters x, y, z at most once, as in \"xz\"");
        axes.push_back(axis);
    }
    if (axes.empty())
        throw UserError("axes names none", params.where("axes"), "Write letters, as in \"y\", or leave it out");
    if (axes.size() == 3) return {-1};
    return axes;
}

/// One grip for all axes, or one for each that is held.
void add_grip(Loader& loader, GripDesc g, const Params& params) {
    for (int axis : held_axes(params)) {
        g.axis = axis;
        loader.desc.grips.push_back(g);
    }
}

GripDesc grip(const Params& params) {
    GripDesc g;
    g.body = body_of(params);
    g.inside = shape_of(params, "inside");
    g.till = or_forever(params, "release");
    g.where = params.where();
    return g;
}

Value make_fix(Loader& loader, const Params& params) {
    GripDesc g = grip(params);
    g.pose = [](double) { return Pose{}; };
    add_grip(loader, std::move(g), params);
    return {};
}

Value make_move(Loader& loader, const Params& params) {
    check_either(params, "move", "path", "velocity");
    check_order(params, "till");
    check_order(params, "release");
    GripDesc g = grip(params);
    g.from = params.number("from");
    const double from = g.from, stop = or_forever(params, "till");
    if (params.has("path")) {
        g.pose = [path = vector_of_time(params.at("path"), "move: path"), stop](double t) {
            return Pose{Quat::Identity(), path(std::min(t, stop))};
        };
    } else {
        g.pose = [velocity = params.vec3("velocity"), from, stop](double t) {
            return Pose{Quat::Identity(), velocity * (std::clamp(t, from, std::max(from, stop)) - from)};
        };
    }
    add_grip(loader, std::move(g), params);
    return {};
}

Value make_rotate(Loader& loader, const Params& params) {
    check_either(params, "rotate", "angle", "rate");
    check_order(params, "till");
    check_order(params, "release");
    GripDesc g = grip(params);
    g.from = params.number("from");
    const double from = g.from, stop = or_forever(params, "till");
    const Vec3 axis = axis_from(params.at("axis")), center = params.vec3("center");
    std::function<double(double)> degrees;
    if (params.has("angle"))
        degrees = [angle = number_of_time(params.at("angle"), "rotate: angle"), stop](double t) {
            return angle(std::min(t, stop));
        };
    else
        degrees = [rate = params.number("rate"), from, stop](double t) {
            return rate * (std::clamp(t, from, std::max(from, stop)) - from);
        };
    std::function<Vec3(double)> path = [](double) { return Vec3(Vec3::Zero()); };
    if (params.has("path")) path = vector_of_time(params.at("path"), "rotate: path");
    g.pose = [degrees, path, axis, center, stop](double t) {
        const Quat turn(Eigen::AngleAxisd(degrees(t) * degree, axis));
        return Pose{turn, center + path(std::min(t, stop)) - turn * center};
    };
    loader.desc.grips.push_back(std::move(g));
    return {};
}

/// Force per area or per volume.
Value make_spread_pull(Loader& loader, const Params& params, const char* key) {
    if (params.has("at"))
        throw UserError(std::string("pull: ") + key + " needs a region, not a point", params.where("at"),
                        "Give inside = a shape, or leave both out for the whole body");
    const std::function<Vec3(double)> force = vector_of_time(params.at(key), std::string("pull: ") + key);
    const double from = params.number("from"), till = or_forever(params, "till");
    if (std::string_view(key) == "per_area")
        loader.desc.surface_loads.push_back({.body = body_of(params),
                                             .on = shape_of(params, "inside"),
                                             .traction = force,
                                             .from = from,
                                             .till = till,
                                             .where = params.where()});
    else
        loader.desc.volume_loads.push_back({.body = body_of(params),
                                            .inside = shape_of(params, "inside"),
                                            .force = force,
                                            .from = from,
                                            .till = till,
                                            .where = params.where()});
    return {};
}

Value make_pressure(Loader& loader, const Params& params) {
    check_order(params, "till");
    loader.desc.surface_loads.push_back({.body = body_of(params),
                                         .on = shape_of(params, "on"),
                                         .pressure = number_of_time(params.at("pascal"), "pressure: pascal"),
                                         .following = params.flag("following"),
                                         .from = params.number("from"),
                                         .till = or_forever(params, "till"),
                                         .where = params.where()});
    return {};
}

Value make_pull(Loader& loader, const Params& params) {
    check_order(params, "till");
    const char* given = nullptr;
    for (const char* key : {"force", "per_area", "per_volume"}) {
        if (!params.has(key)) continue;
        if (given)
            throw UserError(std::string("pull has both ") + given + " and " + key, params.where(key),
                            "Give one of them");
        given = key;
    }
    if (!given)
        throw UserError("pull has no force", params.where(), "Give force (N), per_area (Pa) or per_volume (N/m³)");
    if (std::string_view(given) != "force") return make_spread_pull(loader, params, given);
    check_either(params, "pull", "inside", "at");
    PullDesc pull;
    pull.body = body_of(params);
    pull.inside = shape_of(params, "inside");
    if (params.has("at")) pull.at = params.vec3("at");
    pull.force = vector_of_time(params.at("force"), "pull: force");
    pull.from = params.number("from");
    pull.till = or_forever(params, "till");
    pull.where = params.where();
    loader.desc.pulls.push_back(std::move(pull));
    return {};
}

Value make_drag(Loader& loader, const Params& params) {
    check_order(params, "release");
    DragDesc drag;
    drag.body = body_of(params);
    drag.at = params.vec3("at");
    drag.target = vector_of_time(params.at("to"), "drag: to");
    drag.stiffness = params.number("stiffness");
    drag.from = params.number("from");
    drag.till = or_forever(params, "release");
    drag.where = params.where();
    loader.desc.drags.push_back(std::move(drag));
    return {};
}

Value make_joint(Loader& loader, const Params& params) {
    JointDesc joint;
    joint.a = body_of(params);
    if (params.has("to")) joint.b = params.object<BodyHandle>("to").index;
    if (joint.b == joint.a)
        throw UserError("a joint connects two bodies", params.where("to"), "Leave out `to` to pin it to the world");
    joint.at = params.vec3("at");
    if (params.has("axis")) joint.axis = axis_from(params.at("axis"));
    if (params.has("width")) joint.width = params.number("width");
    if (params.has("width") && !joint.axis)
        throw UserError("only a hinge has a width", params.where("width"), "Give it an axis as well");
    joint.where = params.where();
    loader.desc.joints.push_back(joint);
    return {};
}

Value make_ignore(Loader& loader, const Params& params) {
    IgnoreDesc ignored;
    for (const Value& item : params.table("members").items) {
        if (item.kind() == Value::Kind::text) {
            ignored.obstacles.push_back(item.text());
            continue;
        }
        const auto* body =
            item.kind() == Value::Kind::handle ? std::any_cast<BodyHandle>(&item.handle().object) : nullptr;
        if (!body)
            throw UserError("ignore takes bodies and names of obstacles, not " + item.kind_text(), item.where(),
                            "Write ignore { ball, \"ramp\" }");
        ignored.bodies.push_back(body->index);
    }
    if (ignored.bodies.empty())
        throw UserError("ignore needs a body", params.where(), "Write ignore { ball, \"ramp\" }");
    ignored.where = params.where();
    loader.desc.ignored.push_back(std::move(ignored));
    return {};
}

}  // namespace

const std::vector<Verb>& motion_verbs() {
    static const std::vector<Verb> verbs{
        {{"fix", "Holds a part of a body where it is.", {body_key(), inside_key(), axes_key(), release_key()}},
         "fix { body = bar, inside = box { size = {0.1, 1, 1} } }",
         make_fix},
        {{"joint",
          "Joins two bodies, rigid or modal, or pins one to the world: at a point about which it turns "
          "freely, or with `axis` as a hinge. Bodies that a joint connects pass through each other if rigid.",
          {body_key(),
           {.name = "to", .holds = Holds::handle, .type = "body", .doc = "The other body; the world when left out."},
           {.name = "at", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Where, at time 0."},
           {.name = "axis",
            .holds = Holds::vec3,
            .unit = "1",
            .doc = "Direction of a hinge; its length does not matter. Without it the joint is a ball."},
           {.name = "width",
            .unit = "m",
            .min = 0,
            .open_min = true,
            .doc =
                "Of the hinge, a fifth of the body's size when left out. Narrow: it gives way sideways under load."}}},
         "joint { body = door, at = {0, 1, 0}, axis = {0, 1, 0} }",
         make_joint},
        {{"move",
          "Moves a part of a body along a path.",
          {body_key(),
           inside_key(),
           {.name = "path",
            .holds = Holds::function,
            .unit = "m",
            .doc = "function(t) that returns how far it is from where it was at time 0: {dx, dy, dz}. A jump in it is "
                   "a blow."},
           {.name = "velocity", .holds = Holds::vec3, .unit = "m/s", .doc = "Instead of path: an even motion."},
           axes_key(),
           from_key(),
           till_key("Stops there, and goes on holding."),
           release_key()}},
         "move { body = bar, inside = grip, velocity = {0.1, 0, 0}, till = 2 }",
         make_move},
        {{"rotate",
          "Turns a part of a body about an axis.",
          {body_key(),
           inside_key(),
           {.name = "axis",
            .holds = Holds::vec3 | Holds::text,
            .required = true,
            .doc = "Direction of the axis: a vector, or \"x\", \"y\", \"z\"."},
           {.name = "center",
            .holds = Holds::vec3,
            .unit = "m",
            .fallback = Value(Vec3(0, 0, 0)),
            .doc = "A point on the axis."},
           {.name = "angle",
            .holds = Holds::number | Holds::function,
            .unit = "degrees",
            .doc = "function(t) that returns the angle, or a fixed one."},
           {.name = "rate",
            .unit = "degrees/s",
            .doc = "Instead of angle: an even turn. More than about 45 degrees per step cannot be followed."},
           {.name = "path",
            .holds = Holds::function,
            .unit = "m",
            .doc = "function(t) that returns how far the axis is from where it was at time 0: {dx, dy, dz}. It stays "
                   "when left out."},
           from_key(),
           till_key("Stops there, and goes on holding."),
           release_key()}},
         "rotate { body = bar, inside = grip, axis = \"x\", rate = 360, till = 2, release = 3 }",
         make_rotate},
        {{"pull",
          "A force on a part of a body.",
          {body_key(),
           inside_key(false),
           {.name = "at",
            .holds = Holds::vec3,
            .unit = "m",
            .doc = "Instead of inside: on the node nearest to this place. A large force on one node stretches only the "
                   "tets around it."},
           {.name = "force",
            .holds = Holds::vec3 | Holds::function,
            .unit = "N",
            .doc = "A vector, or function(t) that returns one; the sum over all nodes, shared by their mass."},
           {.name = "per_area",
            .holds = Holds::vec3 | Holds::function,
            .unit = "Pa",
            .doc = "Instead of force: on each square metre (at rest) of the triangles of the surface that lie inside; "
                   "on all of them without inside. It keeps its direction; pressure is what turns with the body."},
           {.name = "per_volume",
            .holds = Holds::vec3 | Holds::function,
            .unit = "N/m³",
            .doc = "Instead of force: on each cubic metre of material of the elements whose centres lie inside; of all "
                   "without inside."},
           from_key(),
           till_key("Ends at this time.")}},
         "pull { body = bar, inside = tip, force = {0, -10, 0} }",
         make_pull},
        {{"pressure",
          "Pressure on the surface of a body, against its outward normal: of air round it or in a cavity of it, of "
          "water, of a press.",
          {body_key(),
           {.name = "on",
            .holds = Holds::handle,
            .type = "shape",
            .doc = "On the triangles of the surface that lie inside this shape at time 0, whole ones only; on all when "
                   "left out. The force is pascal times their area. Faces that cracks open later bear none."},
           {.name = "pascal",
            .holds = Holds::number | Holds::function,
            .unit = "Pa",
            .required = true,
            .doc = "A number, or function(t) that returns one. Below 0 it draws outward."},
           {.name = "following",
            .holds = Holds::boolean,
            .fallback = true,
            .doc = "True: it acts across the surface as that moves, and over its present area; each step takes the "
                   "surface at its start. False: direction and area stay those at time 0."},
           from_key(),
           till_key("Ends at this time.")}},
         "pressure { body = tyre, on = sphere { radius = 0.3 }, pascal = function(t) return 2e5 * math.min(t, 1) end }",
         make_pressure},
        {{"drag",
          "A spring from a point of a body to a place: what a hand does.",
          {body_key(),
           {.name = "at",
            .holds = Holds::vec3,
            .unit = "m",
            .required = true,
            .doc = "The point of the body, where it is at time 0."},
           {.name = "to",
            .holds = Holds::vec3 | Holds::function,
            .unit = "m",
            .required = true,
            .doc = "Where it is drawn to: a vector, or function(t) that returns one."},
           {.name = "stiffness",
            .unit = "N/m",
            .fallback = 0,
            .min = 0,
            .doc = "Of the spring; 0 chooses one as stiff as the body feels there."},
           from_key(),
           release_key()}},
         "drag { body = cow, at = {0, 1, 0}, to = function(t) return {t, 1, 0} end }",
         make_drag},
        {{"ignore",
          "Bodies and obstacles that pass through each other, each of the list through each. A body alone: its own "
          "parts "
          "pass through each other where contact is by barriers. The report's intersections leave such pairs out.",
          {{.name = "members",
            .holds = Holds::list,
            .required = true,
            .doc = "fem, particle and shell bodies, and obstacles, planes or the ground by name."}}},
         "ignore { ball, \"ramp\" }",
         make_ignore,
         {},
         "members"},
    };
    return verbs;
}

}  // namespace pliant::script
