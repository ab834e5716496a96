// Solids: primitives, combinations, and the methods that place them.

#include <cmath>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

constexpr int max_shape_depth = 500;
constexpr double max_parts = 100'000;

void check_size(const ShapeObject& shape, const Where& where) {
    if (shape.depth > max_shape_depth)
        throw UserError("a shape is nested more than 500 levels deep", where, "Put all its parts into one union { … }");
    if (shape.parts > max_parts)
        throw UserError("a shape is made of more than 100,000 parts", where, "Use fewer, or load a mesh");
}

ShapeHandle handle_of(const Value& value) {
    const auto* shape =
        value.kind() == Value::Kind::handle ? std::any_cast<ShapeHandle>(&value.handle().object) : nullptr;
    if (!shape)
        throw UserError("expected a shape, got " + value.kind_text(), value.where(),
                        "Make one with box, sphere, load …");
    return *shape;
}

/// scale · (rotation · p) + translation on top of what the shape has already.
ShapeObject moved(const ShapeObject& shape, const Pose& pose, double scale) {
    ShapeObject result = shape;
    result.pose = {pose.rotation * shape.pose.rotation,
                   scale * (pose.rotation * shape.pose.translation) + pose.translation};
    result.pose.rotation.normalize();
    result.scale = scale * shape.scale;
    const bool plain =
        result.pose.rotation.isApprox(Quat::Identity(), 0) && result.pose.translation.isZero(0) && result.scale == 1;
    result.shape = plain ? shape.plain : transformed(shape.plain, result.pose, result.scale);
    result.depth = shape.plain == shape.shape ? shape.depth + 1 : shape.depth;
    return result;
}

ShapeObject fresh(const ShapePtr& shape) { return {shape, shape, {}, 1, 1, 1}; }

Value placed(ShapeObject shape, const Params& params) {
    if (params.has("rotate") || !params.vec3("at").isZero(0)) shape = moved(shape, placement(params), 1);
    return shape_value(std::move(shape), params.where());
}

Key length_key(const char* name, const char* doc, bool required = true) {
    return {.name = name, .unit = "m", .required = required, .min = 0, .open_min = true, .doc = doc};
}

struct Parts {
    std::vector<ShapePtr> shapes;
    int depth = 1;
    double parts = 1;
};

Parts parts_of(const Params& params, std::size_t at_least) {
    Parts result;
    for (const Value& item : params.table("shapes").items) {
        const ShapeHandle shape = handle_of(item);
        result.shapes.push_back(shape->shape);
        result.depth = std::max(result.depth, shape->depth + 1);
        result.parts += shape->parts;
    }
    if (result.shapes.size() < at_least)
        throw UserError("this needs at least " + std::to_string(at_least) + " shape" + (at_least > 1 ? "s" : ""),
                        params.where("shapes"), "List them: { a, b }");
    return result;
}

Value combined(const Params& params, const Parts& parts, const ShapePtr& shape) {
    ShapeObject object = fresh(shape);
    object.depth = parts.depth;
    object.parts = parts.parts;
    return placed(std::move(object), params);
}

Key shapes_key(const char* doc) { return {.name = "shapes", .holds = Holds::list, .required = true, .doc = doc}; }

Value make_sweep(Loader&, const Params& params) {
    std::vector<Vec3> points;
    std::vector<double> radii;
    for (const Value& p : params.table("points").items) points.push_back(p.vec3());
    if (points.size() < 2)
        throw UserError("sweep: points must be at least two", params.where("points"),
                        "Give { {x, y, z}, {x, y, z}, … }");
    if (params.has("radius") == params.has("radii"))
        throw UserError("sweep needs either radius or radii", params.where(), "Give radius = 0.1 for an even one");
    if (params.has("radius")) radii.assign(points.size(), params.number("radius"));
    if (params.has("radii"))
        for (const Value& r : params.table("radii").items) {
            if (!(r.number() > 0))
                throw UserError("sweep: radii must be above 0 m", r.where(), "Use a small radius for a pointed end");
            radii.push_back(r.number());
        }
    if (radii.size() != points.size())
        throw UserError("sweep: there are " + std::to_string(points.size()) + " points but " +
                            std::to_string(radii.size()) + " radii",
                        params.where("radii"), "Give one radius per point");
    const double parts = static_cast<double>(points.size());
    ShapeObject shape = fresh(sweep_shape(points, radii));
    shape.parts = parts / 8;
    return placed(std::move(shape), params);
}

Value make_text(Loader&, const Params& params) {
    const std::string& text = params.text("text");
    if (text.empty() || text.size() > 200)
        throw UserError("text must have 1 to 200 characters", params.where("text"), "Make several texts");
    return placed(fresh(text_shape(text, params.number("height"), params.number("depth"))), params);
}

const ShapeObject& self_shape(const Value& self) { return **std::any_cast<ShapeHandle>(&self.handle().object); }

}  // namespace

Value shape_value(ShapeObject shape, const Where& where) {
    check_size(shape, where);
    return Value(Handle{"shape", ShapeHandle(std::make_shared<const ShapeObject>(std::move(shape)))}, where);
}

ShapePtr shape_of(const Params& params, std::string_view key) {
    const Value& value = params.at(key);
    if (value.nil()) return nullptr;
    const auto* shape = std::any_cast<ShapeHandle>(&value.handle().object);
    return shape ? (*shape)->shape : nullptr;
}

const std::vector<Verb>& shape_verbs() {
    static const std::vector<Verb> verbs{
        {{"box", "A box.",
          with_placement(
              {{.name = "size",
                .holds = Holds::vec3,
                .unit = "m",
                .required = true,
                .doc = "Its sides along x, y and z: {1, 1, 1}."},
               {.name = "rounding",
                .unit = "m",
                .fallback = 0,
                .min = 0,
                .doc = "Radius of its edges; they roll over stairs better. At most half the shortest side."}})},
         "box { size = {1, 1, 1} }",
         [](Loader&, const Params& p) {
             const Vec3 size = p.vec3("size");
             if (!(size.minCoeff() > 0))
                 throw UserError("box: size must be above 0 m in all three directions", p.where("size"),
                                 "Give {width, height, depth}");
             if (p.number("rounding") > 0.5 * size.minCoeff())
                 throw UserError("box: rounding is more than half the shortest side", p.where("rounding"),
                                 "Use a smaller one");
             return placed(fresh(box_shape(size, p.number("rounding"))), p);
         }},
        {{"sphere", "A ball.", with_placement({length_key("radius", "Its radius.")})},
         "sphere { radius = 0.5 }",
         [](Loader&, const Params& p) { return placed(fresh(sphere_shape(p.number("radius"))), p); }},
        {{"ellipsoid", "A ball stretched along the axes.",
          with_placement({{.name = "radii",
                           .holds = Holds::vec3,
                           .unit = "m",
                           .required = true,
                           .doc = "Half its extent along x, y and z."}})},
         "ellipsoid { radii = {1, 0.5, 0.5} }",
         [](Loader&, const Params& p) {
             const Vec3 radii = p.vec3("radii");
             if (!(radii.minCoeff() > 0))
                 throw UserError("ellipsoid: radii must be above 0 m", p.where("radii"), "Give three positive lengths");
             return placed(fresh(ellipsoid_shape(radii)), p);
         }},
        {{"capsule", "A rod with round ends.",
          with_placement(
              {{.name = "a", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Centre of one end."},
               {.name = "b", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Centre of the other end."},
               length_key("radius", "Half its thickness.")})},
         "capsule { a = {0, 0, 0}, b = {1, 0, 0}, radius = 0.2 }",
         [](Loader&, const Params& p) {
             return placed(fresh(capsule_shape(p.vec3("a"), p.vec3("b"), p.number("radius"))), p);
         }},
        {{"cylinder", "A cylinder along y.",
          with_placement({length_key("radius", "Its radius."), length_key("height", "Its extent along y.")})},
         "cylinder { radius = 0.3, height = 1 }",
         [](Loader&, const Params& p) {
             return placed(fresh(cylinder_shape(p.number("radius"), p.number("height"))), p);
         }},
        {{"tube", "A pipe along y, open at both ends.",
          with_placement(
              {length_key("radius", "Outer radius."),
               length_key("wall",
                          "Thickness of the wall; thinner than a lattice cell, it is carried by cells that stick out."),
               length_key("height", "Its extent along y.")})},
         "tube { radius = 0.3, wall = 0.05, height = 1 }",
         [](Loader&, const Params& p) {
             if (p.number("wall") >= p.number("radius"))
                 throw UserError("tube: wall must be below the radius", p.where("wall"),
                                 "Use a cylinder for a solid one");
             return placed(fresh(tube_shape(p.number("radius"), p.number("wall"), p.number("height"))), p);
         }},
        {{"cone", "A cone along y, pointed or cut off.",
          with_placement(
              {length_key("radius", "Radius at the bottom."),
               {.name = "top", .unit = "m", .fallback = 0, .min = 0, .doc = "Radius at the top; 0 for a point."},
               length_key("height", "Its extent along y.")})},
         "cone { radius = 0.5, height = 1 }",
         [](Loader&, const Params& p) {
             return placed(fresh(cone_shape(p.number("radius"), p.number("top"), p.number("height"))), p);
         }},
        {{"torus", "A ring around y.",
          with_placement({length_key("ring", "From the centre to the middle of the tube."),
                          length_key("tube", "Radius of the tube.")})},
         "torus { ring = 0.5, tube = 0.15 }",
         [](Loader&, const Params& p) { return placed(fresh(torus_shape(p.number("ring"), p.number("tube"))), p); }},
        {{"bowl", "The lower half of a hollow ball, open at the top.",
          with_placement(
              {length_key("radius", "Outer radius."),
               length_key("wall",
                          "Thickness of the wall; below the distance things move in a step, they may get through.")})},
         "bowl { radius = 1, wall = 0.1 }",
         [](Loader&, const Params& p) {
             if (p.number("wall") >= p.number("radius"))
                 throw UserError("bowl: wall must be below the radius", p.where("wall"), "Use a thinner wall");
             return placed(fresh(bowl_shape(p.number("radius"), p.number("wall"))), p);
         }},
        {{"slab", "A flat plate, lying.",
          with_placement(
              {length_key("width", "Along x."), length_key("depth", "Along z."), length_key("thickness", "Along y.")})},
         "slab { width = 2, depth = 1, thickness = 0.1 }",
         [](Loader&, const Params& p) {
             return placed(fresh(slab_shape(p.number("width"), p.number("depth"), p.number("thickness"))), p);
         }},
        {{"sweep", "A round section along a smooth curve through points: snakes, arms, hoses.",
          with_placement(
              {{.name = "points",
                .holds = Holds::list,
                .unit = "m",
                .required = true,
                .doc = "The points of the curve, in order."},
               {.name = "radius", .unit = "m", .min = 0, .open_min = true, .doc = "The same radius all along."},
               {.name = "radii", .holds = Holds::list, .unit = "m", .doc = "Instead of radius: one per point."}})},
         "sweep { points = { {0, 0, 0}, {1, 0, 0}, {1, 1, 0} }, radius = 0.1 }",
         make_sweep},
        {{"text", "Letters, standing on y = 0 and extruded along z.",
          with_placement(
              {{.name = "text", .holds = Holds::text, .required = true, .doc = "What it says."},
               {.name = "height", .unit = "m", .fallback = 1, .min = 0, .open_min = true, .doc = "Of capital letters."},
               {.name = "depth", .unit = "m", .fallback = 0.25, .min = 0, .open_min = true, .doc = "Along z."}})},
         "text { text = \"The End\", height = 1, depth = 0.3 }",
         make_text,
         {"text"}},
        {{"union", "All of several shapes.", with_placement({shapes_key("The shapes.")})},
         "union { a, b }",
         [](Loader&, const Params& p) {
             Parts parts = parts_of(p, 1);
             ShapePtr s = union_of(parts.shapes);
             return combined(p, parts, s);
         },
         {},
         "shapes"},
        {{"difference", "The first shape without the others.",
          with_placement({shapes_key("What is cut, then what it is cut with.")})},
         "difference { from, cut }",
         [](Loader&, const Params& p) {
             Parts parts = parts_of(p, 2);
             const std::vector<ShapePtr> cuts(parts.shapes.begin() + 1, parts.shapes.end());
             ShapePtr s = difference_of(parts.shapes[0], cuts.size() == 1 ? cuts[0] : union_of(cuts));
             return combined(p, parts, s);
         },
         {},
         "shapes"},
        {{"intersection", "What several shapes have in common.", with_placement({shapes_key("The shapes.")})},
         "intersection { a, b }",
         [](Loader&, const Params& p) {
             Parts parts = parts_of(p, 2);
             ShapePtr s = intersection_of(parts.shapes);
             return combined(p, parts, s);
         },
         {},
         "shapes"},
        {{"smooth_union", "All of several shapes, with round seams.",
          with_placement({shapes_key("The shapes."),
                          {.name = "blend",
                           .unit = "m",
                           .required = true,
                           .min = 0,
                           .open_min = true,
                           .doc = "Over what distance seams are rounded; large against the shapes, they swell."}})},
         "smooth_union { a, b, blend = 0.1 }",
         [](Loader&, const Params& p) {
             Parts parts = parts_of(p, 1);
             ShapePtr s = smooth_union_of(parts.shapes, p.number("blend"));
             return combined(p, parts, s);
         },
         {},
         "shapes"},
        {{"transform", "A shape scaled, then turned, then moved.",
          with_placement({shapes_key("The shape."),
                          {.name = "scale",
                           .unit = "1",
                           .fallback = 1,
                           .min = 0,
                           .open_min = true,
                           .doc = "The same in all directions."}})},
         "transform { shape, at = {0, 1, 0}, rotate = {0, 90, 0}, scale = 2 }",
         [](Loader&, const Params& p) {
             if (p.table("shapes").items.size() != 1)
                 throw UserError("transform takes one shape", p.where("shapes"), "Join several with union { … }");
             return shape_value(moved(*handle_of(p.table("shapes").items[0]), placement(p), p.number("scale")),
                                p.where());
         },
         {},
         "shapes"},
        {{"shell", "A shape hollowed out.",
          with_placement(
              {shapes_key("The shape."), length_key("wall", "Thickness of what is left, measured inwards.")})},
         "shell { shape, wall = 0.05 }",
         [](Loader&, const Params& p) {
             Parts parts = parts_of(p, 1);
             if (parts.shapes.size() != 1)
                 throw UserError("shell takes one shape", p.where("shapes"), "Join several with union { … }");
             ShapePtr s = shell_of(parts.shapes[0], p.number("wall"));
             return combined(p, parts, s);
         },
         {},
         "shapes"},
    };
    return verbs;
}

const std::vector<ObjectMethod>& shape_methods() {
    static const std::vector<ObjectMethod> methods{
        {"shape", "shape:at { x, y, z }", "The shape moved by a vector, m.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             return shape_value(moved(self_shape(self),
                                      {Quat::Identity(), point_argument(a, "shape:at { x, y, z }", loader.here())}, 1),
                                loader.here());
         }},
        {"shape", "shape:rotated(axis, degrees)",
         "The shape turned about an axis through the origin: \"x\", \"y\", \"z\" or a vector.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             if (a.size() != 2 || a[1].kind() != Value::Kind::number || !std::isfinite(a[1].number()))
                 throw UserError("rotated takes an axis and an angle in degrees", loader.here(),
                                 "Write shape:rotated(\"y\", 90)");
             const Quat turn(Eigen::AngleAxisd(a[1].number() * degree, axis_from(a[0])));
             return shape_value(moved(self_shape(self), {turn, Vec3::Zero()}, 1), loader.here());
         }},
        {"shape", "shape:scaled(factor)", "The shape scaled about the origin.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             if (a.size() != 1 || a[0].kind() != Value::Kind::number || !(a[0].number() > 0) ||
                 !std::isfinite(a[0].number()))
                 throw UserError("scaled takes a factor above 0", loader.here(), "Write shape:scaled(2)");
             return shape_value(moved(self_shape(self), {}, a[0].number()), loader.here());
         }},
        {"shape", "shape:distance(x, y, z)", "Signed distance of a point to the surface, m; negative inside.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             return Value(
                 self_shape(self).shape->distance(point_argument(a, "shape:distance(x, y, z)", loader.here())));
         }},
        {"shape", "shape:inside(x, y, z)", "Whether a point is inside.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             return Value(self_shape(self).shape->inside(point_argument(a, "shape:inside(x, y, z)", loader.here())));
         }},
        {"shape", "shape:bounds()", "A box around it: a table with the vectors min and max.",
         [](Loader&, const Value& self, std::span<const Value>) {
             const Box box = self_shape(self).shape->bounds();
             return Value(Table{{{"min", Value(box.min)}, {"max", Value(box.max)}}, {}});
         }},
    };
    return methods;
}

}  // namespace pliant::script
