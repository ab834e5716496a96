// Ground, planes and obstacles.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

Key friction_key() {
    return {.name = "friction",
            .unit = "1",
            .fallback = 0.5,
            .min = 0,
            .doc = "Coulomb coefficient. 0 ice, 1 rubber; above 2 nothing slides."};
}
Key color_key() {
    return {
        .name = "color",
        .holds = Holds::vec3 | Holds::text,
        .doc = "Red, green and blue of linear light from 0 to 1, or a name (\"teal\") or \"#rrggbb\", which are sRGB."};
}
Key name_key() { return {.name = "name", .holds = Holds::text, .doc = "For exports; made up when left out."}; }

const Schema& motion_schema() {
    static const Schema schema{"motion", "What the function motion of an obstacle returns.", with_placement({})};
    return schema;
}

Value make_ground(Loader& loader, const Params& params) {
    PlaneDesc plane;
    plane.name = loader.unique_name(params.has("name") ? params.text("name") : "", "ground", params.where("name"));
    plane.point = Vec3(0, params.number("height"), 0);
    plane.friction = params.number("friction");
    plane.color = optional_color(params);
    plane.where = params.where();
    loader.desc.planes.push_back(std::move(plane));
    return {};
}

Value make_plane(Loader& loader, const Params& params) {
    PlaneDesc plane;
    plane.name = loader.unique_name(params.has("name") ? params.text("name") : "", "plane", params.where("name"));
    plane.point = params.vec3("point");
    plane.normal = axis_from(params.at("normal"));
    plane.friction = params.number("friction");
    plane.color = optional_color(params);
    plane.where = params.where();
    loader.desc.planes.push_back(std::move(plane));
    return {};
}

Value make_obstacle(Loader& loader, const Params& params) {
    if (params.has("shape") == params.has("mesh"))
        throw UserError("obstacle needs either shape or mesh", params.where(),
                        "Write shape = box { size = {1, 1, 1} }");
    ObstacleDesc o;
    o.name = loader.unique_name(params.has("name") ? params.text("name") : "", "obstacle", params.where("name"));
    o.surface.shape = shape_of(params, "shape");
    o.surface.mesh = mesh_of(params, "mesh");
    o.surface.where = params.where(params.has("shape") ? "shape" : "mesh");
    if (params.has("edge")) o.surface.edge = params.number("edge");
    o.pose = placement(params);
    o.friction = params.number("friction");
    o.color = optional_color(params);
    o.where = params.where();
    if (params.has("motion")) {
        if (params.has("velocity") || params.has("spin"))
            throw UserError("obstacle takes motion, or velocity and spin, not both", params.where("motion"),
                            "Leave one out");
        o.motion = [function = params.function("motion"), place = params.where("motion")](double t) {
            const Value argument(t);
            const Value result = function(std::span(&argument, 1));
            if (result.kind() != Value::Kind::table)
                throw UserError("motion must return a table, not " + result.kind_text(), place,
                                "Return { at = {x, y, z}, rotate = {0, 90, 0} }");
            return placement(motion_schema().check(result));
        };
    } else if (params.has("velocity") || params.has("spin")) {
        const Vec3 velocity = params.has("velocity") ? params.vec3("velocity") : Vec3::Zero();
        const Vec3 spin = params.has("spin") ? Vec3(params.vec3("spin") * degree) : Vec3::Zero();
        o.motion = [start = o.pose, velocity, spin](double t) {
            const double rate = spin.norm();
            const Quat turn = rate > 0 ? Quat(Eigen::AngleAxisd(rate * t, spin / rate)) : Quat::Identity();
            return Pose{turn * start.rotation, start.translation + velocity * t};
        };
    }
    loader.desc.obstacles.push_back(std::move(o));
    return {};
}

Value make_camera(Loader& loader, const Params& params) {
    if (loader.desc.camera)
        throw UserError("camera is given twice", params.where(), "Put all of it into one camera { … }");
    CameraDesc camera{params.vec3("eye"), params.vec3("target"), params.number("fov"), params.where()};
    if (!((camera.eye - camera.target).norm() > 0))
        throw UserError("camera: eye and target are the same point", params.where("eye"), "Move one of them");
    loader.desc.camera = camera;
    return {};
}

}  // namespace

const std::vector<const Schema*>& scenery_tables() {
    static const std::vector<const Schema*> tables{&motion_schema()};
    return tables;
}

const std::vector<Verb>& scenery_verbs() {
    static const std::vector<Verb> verbs{
        {{"ground",
          "A floor without end.",
          {{.name = "height", .unit = "m", .fallback = 0, .doc = "Its y."}, friction_key(), color_key(), name_key()}},
         "ground { height = 0, friction = 0.4 }",
         make_ground},
        {{"plane",
          "A tilted floor or wall without end; everything behind it is solid.",
          {{.name = "point",
            .holds = Holds::vec3,
            .unit = "m",
            .fallback = Value(Vec3(0, 0, 0)),
            .doc = "Any point on it."},
           {.name = "normal", .holds = Holds::vec3, .required = true, .doc = "Where it faces; of any length."},
           friction_key(),
           color_key(),
           name_key()}},
         "plane { point = {0, 0, 0}, normal = {0.2, 1, 0} }",
         make_plane},
        {{"obstacle", "A rigid thing that bodies bump into; it may move, and nothing moves it.",
          with_placement(
              {{.name = "shape",
                .holds = Holds::handle,
                .type = "shape",
                .doc = "Its form, by exact distance. Thinner than what bodies move in a step, they may get through."},
               {.name = "mesh", .holds = Holds::handle, .type = "mesh", .doc = "Instead of shape: a loaded surface."},
               {.name = "edge",
                .unit = "m",
                .min = 0,
                .open_min = true,
                .doc = "Length of the triangles that show a shape; it touches exactly in any case."},
               friction_key(),
               color_key(),
               name_key(),
               {.name = "motion",
                .holds = Holds::function,
                .doc = "function(t) that returns { at = …, rotate = … }, instead of the keys at and rotate. A jump in "
                       "it throws things."},
               {.name = "velocity", .holds = Holds::vec3, .unit = "m/s", .doc = "Even motion."},
               {.name = "spin", .holds = Holds::vec3, .unit = "degrees/s", .doc = "Even turning about its origin."}})},
         "obstacle { shape = box { size = {1, 0.2, 1} }, at = {0, 1, 0} }",
         make_obstacle},
        {{"camera",
          "Where `pliant render` and the studio look from; without it they find a place by themselves.",
          {{.name = "eye", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Where it stands."},
           {.name = "target", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "What it looks at."},
           {.name = "fov",
            .unit = "degrees",
            .fallback = 26,
            .min = 1,
            .max = 120,
            .doc = "Angle of view from top to bottom. Small: as through a telescope; large: things near the edge look "
                   "stretched."}}},
         "camera { eye = {2, 1.2, 3}, target = {0, 0.4, 0} }",
         make_camera},
    };
    return verbs;
}

}  // namespace pliant::script
