// Knives, and what it takes to be cut.

#include <algorithm>
#include <cmath>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

const Schema& cutting_schema() {
    static const Schema schema{
        "cutting",
        "How a body is cut. A body that some cut names can be cut without it, with these defaults.",
        {{.name = "touch",
          .holds = Holds::boolean,
          .fallback = false,
          .doc = "true: pieces touch each other, once they have come apart. false: they pass through each other."},
         {.name = "normals",
          .holds = Holds::text,
          .fallback = "flat",
          .choices = {"flat", "smooth"},
          .doc = "How cut faces are shaded."},
         {.name = "whole_copies",
          .holds = Holds::boolean,
          .fallback = false,
          .doc = "true: both copies of a cut element keep all of its mass and stiffness (Molino, Bao & Fedkiw 2004), "
                 "so that the body grows heavier along every cut. false: each has the share of its material."},
         {.name = "one_point_per_edge",
          .holds = Holds::boolean,
          .fallback = false,
          .doc = "true: the paper's own restriction. Cuts go through whole elements, at most once across each edge; "
                 "where one would not, the element stays whole. false: any number of cuts, anywhere."}}};
    return schema;
}

CuttingDesc cutting_of(const Value& value) {
    const Params params = cutting_schema().check(value);
    return {.rules = {.paper = params.flag("one_point_per_edge")},
            .whole_copies = params.flag("whole_copies"),
            .touch = params.flag("touch"),
            .smooth = params.text("normals") == "smooth"};
}

namespace {

std::vector<Vec3> points_of(const Params& params, const char* key) {
    std::vector<Vec3> points;
    for (const Value& item : params.table(key).items) {
        const auto is_number = [](const Value& v) {
            return v.kind() == Value::Kind::number && std::isfinite(v.number());
        };
        if (item.kind() != Value::Kind::table || item.table().items.size() != 3 ||
            !std::ranges::all_of(item.table().items, is_number))
            throw UserError(std::string(key) + " is a list of points", params.where(key),
                            "Write path = { {0, 1, 0}, {1, 1, 0} }");
        points.push_back(item.vec3());
    }
    return points;
}

std::function<bool(double)> condition_of(const Value& value) {
    return [function = value.function(), where = value.where()](double t) {
        const Value argument(t);
        const Value result = function(std::span(&argument, 1));
        if (result.kind() != Value::Kind::boolean)
            throw UserError("cut: when must return true or false, not " + result.kind_text(), where,
                            "Write a comparison, as in function(t) return ball:height() < 1 end");
        return result.boolean();
    };
}

/// A closed mesh or a shape to cut along.
void read_outline(CutDesc& cut, const Params& params) {
    if (const auto mesh = mesh_of(params, "along"))
        cut.along_mesh = mesh;
    else
        cut.along = shape_of(params, "along");
    cut.carves = params.flag("carve");
}

void read_blade(CutDesc& cut, const Params& params) {
    cut.path = points_of(params, "path");
    cut.direction = params.vec3("direction");
    cut.depth = params.has("depth") ? params.number("depth") : forever;
    cut.height = params.number("height");
    cut.thickness = params.number("thickness");
}

Value make_cut(Loader& loader, const Params& params) {
    const int ways = int(params.has("normal")) + int(params.has("path")) + int(params.has("along"));
    if (ways != 1)
        throw UserError("cut needs one of path, normal and along", params.where(),
                        "path for a blade, normal (with point) for a plane, along for a shape or closed mesh");
    CutDesc cut;
    cut.body = body_of(params);
    cut.at = params.number("from");
    cut.where = params.where();
    if (params.has("till")) {
        cut.duration = params.number("till") - cut.at;
        if (!(cut.duration > 0))
            throw UserError("till is not after from", params.where("till"), "Leave it out to cut at once");
        if (!params.has("path"))
            throw UserError("only a blade takes its time", params.where("till"), "Leave out till, or give a path");
    }
    if (params.has("when")) cut.when = condition_of(params.at("when"));
    if (params.has("carve") && params.flag("carve") && !params.has("along"))
        throw UserError("only what is inside a shape or mesh can be carved away", params.where("carve"),
                        "Give along = a shape");
    if (params.has("along")) {
        read_outline(cut, params);
    } else if (params.has("path")) {
        read_blade(cut, params);
    } else {
        cut.point = params.vec3("point");
        cut.normal = axis_from(params.at("normal"));
    }
    loader.desc.cuts.push_back(std::move(cut));
    auto& cutting = loader.desc.bodies[static_cast<std::size_t>(loader.desc.cuts.back().body)].cutting;
    if (!cutting) cutting.emplace();
    return {};
}

}  // namespace

const std::vector<Verb>& cutting_verbs() {
    static const std::vector<Verb> verbs{
        {{"cut",
          "Cuts a body of finite elements, where it is at that time: by a blade along a path, by a plane, or along a "
          "shape or closed mesh. What is seen of a body that is cut is the boundary of its elements.",
          {{.name = "body",
            .holds = Holds::handle,
            .required = true,
            .type = "body",
            .doc = "The body, as fem_body returned it."},
           {.name = "path",
            .holds = Holds::list,
            .unit = "m",
            .doc =
                "Points between which a blade goes straight, in world coordinates. Where it turns, so does the cut."},
           {.name = "direction",
            .holds = Holds::vec3,
            .unit = "1",
            .fallback = Value(Vec3(0, -1, 0)),
            .doc = "Where the blade points from its path: into the body. Not along the path."},
           {.name = "depth",
            .unit = "m",
            .min = 0,
            .open_min = true,
            .doc = "How far it reaches from the path; all the way through when left out."},
           {.name = "height",
            .unit = "m",
            .fallback = 0,
            .min = 0,
            .doc = "How far it reaches the other way: for a path on a surface that bulges between its points."},
           {.name = "thickness",
            .unit = "m",
            .fallback = 0,
            .min = 0,
            .doc = "Of what the blade takes away with it: the two sides of the cut are then so far apart. 0: nothing."},
           {.name = "normal",
            .holds = Holds::vec3 | Holds::text,
            .doc = "Of a plane that cuts all of the body: a vector, or \"x\", \"y\", \"z\"."},
           {.name = "point",
            .holds = Holds::vec3,
            .unit = "m",
            .fallback = Value(Vec3(0, 0, 0)),
            .doc = "Of the plane."},
           {.name = "along",
            .holds = Holds::handle,
            .type = "shape|mesh",
            .doc = "A shape, or a closed mesh, in world coordinates: what is inside is parted from what is outside. "
                   "Within an element the cut is flat."},
           {.name = "carve",
            .holds = Holds::boolean,
            .fallback = false,
            .doc = "With along: what is inside is taken away."},
           {.name = "from", .unit = "s", .fallback = 0, .min = 0, .doc = "Cuts, or begins to, at this time."},
           {.name = "till",
            .unit = "s",
            .min = 0,
            .doc =
                "A blade comes to the end of its path at this time; at once when left out. Elements part when it has "
                "gone through them. The plane of the blade is that of its start, and goes with the body."},
           {.name = "when",
            .holds = Holds::function,
            .doc = "function(t), asked every step from `from` on: it cuts when this first returns true. With till, "
                   "the blade takes till − from."}}},
         "cut { body = cake, path = { {-1, 0.2, 0}, {1, 0.2, 0} }, depth = 0.1, from = 1, till = 2 }",
         make_cut},
    };
    return verbs;
}

}  // namespace pliant::script
