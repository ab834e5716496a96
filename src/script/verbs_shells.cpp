// Shells: bodies of triangles with a thickness, and the sheets they can be made of.

#include <cmath>
#include <numbers>

#include "pliant/script/body_words.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

/// Two numbers of a list, or one twice.
std::array<double, 2> two_numbers(const Params& params, const char* key, double least, double most, bool whole) {
    const Value& value = params.at(key);
    std::array<double, 2> out{};
    if (value.kind() == Value::Kind::number) {
        out = {value.number(), value.number()};
    } else {
        const std::vector<Value>& items = value.table().items;
        if (items.size() != 2)
            throw UserError(params.schema() + ": " + key + " takes one number or two", params.where(key),
                            std::string("Write ") + key + " = { 2, 1 }");
        for (int k = 0; k < 2; ++k) {
            if (items[k].kind() != Value::Kind::number)
                throw UserError(params.schema() + ": " + key + " takes numbers", params.where(key),
                                std::string("Write ") + key + " = { 2, 1 }");
            out[k] = items[k].number();
        }
    }
    for (double number : out)
        if (!(number >= least && number <= most) || (whole && number != std::floor(number)))
            throw UserError(params.schema() + ": a number of " + key + " is out of range", params.where(key),
                            whole ? "Use whole numbers from 1 to 2000" : "Use sizes above zero, in metres");
    return out;
}

/// A grid of cells mapped to space by at(u, v), u and v from 0 to 1; diagonals alternate, so that no direction is
/// favoured. `closed`: u = 1 is u = 0.
template <class Map>
TriMesh grid_of(const std::array<int, 2>& cells, bool closed, Map&& at) {
    TriMesh mesh;
    const int columns = closed ? cells[0] : cells[0] + 1;
    for (int j = 0; j <= cells[1]; ++j)
        for (int i = 0; i < columns; ++i) mesh.points.push_back(at(double(i) / cells[0], double(j) / cells[1]));
    const auto node = [&](int i, int j) { return j * columns + i % columns; };
    for (int j = 0; j < cells[1]; ++j)
        for (int i = 0; i < cells[0]; ++i) {
            const int a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
            if ((i + j) % 2 == 0)
                mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
            else
                mesh.triangles.push_back({a, b, d}), mesh.triangles.push_back({b, c, d});
        }
    return mesh;
}

Value sheet_value(TriMesh mesh, const Params& params) {
    const Pose pose = placement(params);
    for (Vec3& p : mesh.points) p = pose * p;
    MeshDesc desc{std::make_shared<const TriMesh>(std::move(mesh)), params.schema(), params.where()};
    return Value(Handle{"mesh", std::move(desc)}, params.where());
}

std::array<int, 2> cells_of(Loader& loader, const Params& params) {
    const auto cells = two_numbers(params, "cells", 1, 2000, true);
    loader.bridge.charge(static_cast<std::size_t>(cells[0] * cells[1]));
    return {static_cast<int>(cells[0]), static_cast<int>(cells[1])};
}

Value make_sheet(Loader& loader, const Params& params) {
    const auto size = two_numbers(params, "size", 1e-300, 1e300, false);
    return sheet_value(grid_of(cells_of(loader, params), false,
                               [&](double u, double v) { return Vec3((u - 0.5) * size[0], 0, (0.5 - v) * size[1]); }),
                       params);
}

Value make_pipe(Loader& loader, const Params& params) {
    const double radius = params.number("radius"), length = params.number("length");
    const double angle = params.number("angle") * std::numbers::pi / 180;
    const bool closed = params.number("angle") >= 360;
    const std::array<int, 2> cells = cells_of(loader, params);
    if (closed && cells[0] < 3)
        throw UserError("pipe: a closed pipe needs 3 cells around it at least", params.where("cells"));
    return sheet_value(grid_of(cells, closed,
                               [&](double u, double v) {
                                   const double a = (u - 0.5) * angle;
                                   return Vec3(radius * std::sin(a), radius * std::cos(a), (0.5 - v) * length);
                               }),
                       params);
}

/// Rings of triangles between two latitudes. A ring that would be a point is left out: `to` = 90 is closed by a fan.
Value make_dome(Loader& loader, const Params& params) {
    const double radius = params.number("radius"), degrees = std::numbers::pi / 180;
    const double from = params.number("from") * degrees, to = params.number("to") * degrees;
    const double angle = params.number("angle") * degrees;
    if (!(to > from)) throw UserError("dome: 'to' must be above 'from'", params.where("to"), "Write from = 0, to = 90");
    const bool closed = params.number("angle") >= 360, pole = params.number("to") >= 90;
    const std::array<int, 2> cells = cells_of(loader, params);
    TriMesh mesh = grid_of(cells, closed, [&](double u, double v) {
        const double a = u * angle, b = from + v * (to - from);
        return Vec3(radius * std::cos(b) * std::sin(a), radius * std::sin(b), radius * std::cos(b) * std::cos(a));
    });
    if (pole) {
        const int columns = closed ? cells[0] : cells[0] + 1, first = cells[1] * columns;
        mesh.points.resize(static_cast<std::size_t>(first) + 1);
        mesh.points.back() = {0, radius, 0};
        for (Tri& t : mesh.triangles)
            for (int& v : t) v = std::min(v, first);
        std::erase_if(mesh.triangles, [](const Tri& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
    }
    return sheet_value(std::move(mesh), params);
}

/// Rings of six more triangles each, all about the same size.
Value make_disc(Loader& loader, const Params& params) {
    const double radius = params.number("radius");
    const int rings = params.integer("cells");
    loader.bridge.charge(static_cast<std::size_t>(6) * rings * rings);
    TriMesh mesh;
    mesh.points.push_back(Vec3::Zero());
    const auto first = [](int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); };
    for (int ring = 1; ring <= rings; ++ring)
        for (int k = 0; k < 6 * ring; ++k) {
            const double a = 2 * std::numbers::pi * k / (6 * ring), r = radius * ring / rings;
            mesh.points.push_back({r * std::sin(a), 0, r * std::cos(a)});
        }
    for (int ring = 1; ring <= rings; ++ring)
        for (int side = 0; side < 6; ++side)
            for (int k = 0; k < ring; ++k) {
                const auto outer = [&](int i) { return first(ring) + (side * ring + i) % (6 * ring); };
                const auto inner = [&](int i) {
                    return ring == 1 ? 0 : first(ring - 1) + (side * (ring - 1) + i) % (6 * (ring - 1));
                };
                mesh.triangles.push_back({inner(k), outer(k), outer(k + 1)});
                if (k + 1 < ring) mesh.triangles.push_back({inner(k), outer(k + 1), inner(k + 1)});
            }
    return sheet_value(std::move(mesh), params);
}

Value make_shell_body(Loader& loader, const Params& params) {
    BodyDesc body;
    body.where = params.where();
    body.surface.shape = shape_of(params, "surface");
    body.surface.mesh = mesh_of(params, "surface");
    body.surface.where = params.where("surface");
    if (params.has("edge") && params.has("triangles"))
        throw UserError("shell_body takes edge or triangles, not both", params.where("triangles"), "Leave one out");
    if (params.has("edge")) body.surface.edge = params.number("edge");
    if (params.has("triangles")) body.surface.triangles = static_cast<long long>(params.number("triangles"));
    body.pose = placement(params);
    body.velocity = params.vec3("velocity");
    body.spin = params.vec3("spin") * degree;
    body.color = optional_color(params);
    body.material = material_of(params.at("material"), body.where);
    body.collide = params.flag("collide");
    body.kind = "shell";
    const auto refuse = [&](bool wrong, const char* what) {
        if (wrong)
            throw UserError(std::string("a shell has no ") + what + " yet", body.where,
                            "Leave it out, or use fem_body");
    };
    refuse(body.material.plasticity.has_value(), "plasticity of this kind: its bends stay by crease = 0.01");
    refuse(body.material.fracture.has_value(), "fracture");
    refuse(body.material.heat.has_value(), "heat");
    refuse(!body.material.paint.empty(), "paint");
    if (params.has("integrator")) body.integrator = params.object<IntegratorDesc>("integrator");
    if (body.integrator.kind != "implicit_euler")
        throw UserError("shell_body cannot be moved by " + body.integrator.kind, params.where("integrator"),
                        "Use implicit_euler { }");
    body.shell.thickness = params.number("thickness");
    body.shell.bending = params.text("bending");
    if (params.has("bending_stiffness")) body.shell.bending_stiffness = params.number("bending_stiffness");
    if (params.has("crease")) body.shell.crease_yield = params.number("crease");
    body.shell.thick = params.text("seen") == "thick";
    body.shell.clamped = shape_of(params, "clamped");
    if (body.shell.clamped && body.shell.bending != "smooth")
        throw UserError("shell_body: only smooth bending can be clamped", params.where("clamped"),
                        "Hold two rows of nodes instead");
    body.shell.where = body.where;
    return add_body(loader, std::move(body), params);
}

Key cells_key(const char* doc, int cells) {
    return {.name = "cells", .holds = Holds::number | Holds::list, .unit = "1", .fallback = cells, .doc = doc};
}

Key positive_key(const char* name, const char* doc) {
    return {.name = name, .unit = "m", .required = true, .min = 0, .open_min = true, .doc = doc};
}

}  // namespace

const std::vector<Verb>& shell_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Key> keys = body_verbs().at(0).schema.keys;
        std::erase_if(keys, [](const Key& key) {
            return key.name == "volume" || key.name == "volume_constraint" || key.name == "element" ||
                   key.name == "sound";
        });
        for (Key& key : keys)
            if (key.name == "contact_distance") {
                key.doc =
                    "Distance that contact by barriers keeps from others, and the sheet from itself; of two bodies the "
                    "smaller one counts. Left out: the thickness. Small costs more solves in impacts.";
            } else if (key.name == "surface") {
                key.required = true;
                key.doc =
                    "The middle of the sheet: sheet { … }, pipe { … }, dome { … }, disc { … }, a file, or a "
                    "shape, whose surface is then the shell. Its triangles are the elements. No edge may have "
                    "more than two.";
            }
        keys.push_back({.name = "thickness",
                        .unit = "m",
                        .required = true,
                        .min = 0,
                        .open_min = true,
                        .doc = "Of the sheet. Stretching it is as hard as it is thick, bending goes with the cube.",
                        .remedy = "Use 1e-4 for paper, 5e-4 for cloth, 1e-3 for sheet metal"});
        keys.push_back({.name = "bending",
                        .holds = Holds::text,
                        .fallback = "smooth",
                        .choices = {"smooth", "hinge", "none"},
                        .doc = "smooth: curvature of the fitted surface, right on any mesh. hinge: angles at edges; "
                               "cheaper, and how stiff it is depends on how the edges lie. none: a net."});
        keys.push_back({.name = "bending_stiffness",
                        .unit = "N·m",
                        .min = 0,
                        .open_min = true,
                        .doc = "Instead of what modulus and thickness give, E t³ / 12 (1 − ν²): cloth bends far more "
                               "easily than its threads stretch, 1e-5 or less."});
        keys.push_back({.name = "crease",
                        .unit = "1",
                        .min = 0,
                        .open_min = true,
                        .doc = "Strain at the face of the sheet from which a bend stays, such as 0.01; left out: it "
                               "springs back."});
        keys.push_back({.name = "clamped",
                        .holds = Holds::handle,
                        .type = "shape",
                        .doc = "Edges of the rim inside this shape (world coordinates at time 0) keep the direction of "
                               "the sheet: a wall, or a plane of symmetry. Use it with fix."});
        keys.push_back({.name = "seen",
                        .holds = Holds::text,
                        .fallback = "thick",
                        .choices = {"thick", "sheet"},
                        .doc = "thick: pictures and exports show both faces and the rim. sheet: the middle alone."});
        return std::vector<Verb>{
            {{"shell_body", "A sheet with a thickness that stretches and bends: cloth, paper, sheet metal, an egg.",
              keys},
             "shell_body { name = \"cloth\", surface = sheet { size = { 1, 1 }, cells = 40 }, thickness = 5e-4, "
             "material = \"cloth\" }",
             make_shell_body},
            {{"sheet", "A flat sheet, lying.",
              with_placement({{.name = "size",
                               .holds = Holds::number | Holds::list,
                               .unit = "m",
                               .required = true,
                               .doc = "Along x and z; one number: a square."},
                              cells_key("Squares along x and z, each two triangles.", 20)})},
             "sheet { size = { 2, 1 }, cells = { 40, 20 } }",
             make_sheet},
            {{"pipe", "The wall of a pipe along z, or a strip of it, around the top.",
              with_placement({positive_key("radius", "Of its middle."),
                              positive_key("length", "Along z."),
                              {.name = "angle",
                               .unit = "degrees",
                               .fallback = 360,
                               .min = 0,
                               .max = 360,
                               .open_min = true,
                               .doc = "Of the strip; 360: all of it."},
                              cells_key("Around and along, each two triangles.", 20)})},
             "pipe { radius = 0.2, length = 1, cells = { 40, 30 } }",
             make_pipe},
            {{"dome", "Part of a sphere between two latitudes.",
              with_placement({positive_key("radius", "Of its middle."),
                              {.name = "from",
                               .unit = "degrees",
                               .fallback = 0,
                               .min = -89,
                               .max = 89,
                               .doc = "Lower latitude; 0 is the equator."},
                              {.name = "to",
                               .unit = "degrees",
                               .fallback = 90,
                               .min = -89,
                               .max = 90,
                               .doc = "Upper latitude; less than 90 leaves a hole."},
                              {.name = "angle",
                               .unit = "degrees",
                               .fallback = 360,
                               .min = 0,
                               .max = 360,
                               .open_min = true,
                               .doc = "Around the axis; 360: all of it."},
                              cells_key("Around and up, each two triangles.", 24)})},
             "dome { radius = 0.5, from = 0, to = 90, cells = { 48, 16 } }",
             make_dome},
            {{"disc", "A flat round sheet, lying.",
              with_placement({positive_key("radius", "Of its rim."),
                              {.name = "cells",
                               .unit = "1",
                               .fallback = 12,
                               .min = 1,
                               .max = 1000,
                               .integer = true,
                               .doc = "Rings of triangles."}})},
             "disc { radius = 0.5, cells = 20 }",
             make_disc}};
    }();
    return verbs;
}

}  // namespace pliant::script
