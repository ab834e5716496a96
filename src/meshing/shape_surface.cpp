#include "pliant/meshing/shape_surface.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/meshing/surface_lattice.hpp"
#include "pliant/meshing/surface_remesh.hpp"

namespace pliant {

namespace {

/// The lattice must see thin parts, but a wall of a hundredth of an edge must not cost a million times the work.
double seen_thickness(const Shape& shape, double edge) { return std::max(shape.thinnest(), 0.1 * edge); }

/// The cell of the finest lattice that is made for creases. Cubes of 1.8 edges give a few triangles for each that is
/// wanted where there are none.
double fine_cell(const Shape& shape, double edge) { return std::min(0.9 * edge, 0.6 * seen_thickness(shape, edge)); }

TriMesh found_surface(const Shape& shape, double edge, Threads& threads) {
    const double thin = seen_thickness(shape, edge), fine = fine_cell(shape, edge);
    FirstSurface first = first_surface(shape, std::min(1.8 * edge, 0.6 * thin), threads);
    if (first.sharpest < 0.7 && first.cell > fine) first = first_surface(shape, fine, threads);
    remesh_surface(first.mesh, shape, std::min(edge, 2 * thin), 0.3 * std::min(first.cell, 0.9 * edge), threads);
    return std::move(first.mesh);
}

TriMesh one_surface(const Shape& shape, double edge, Threads& threads) {
    if (std::optional<ShapeSurface> drawn = shape.surface(edge))
        return {std::move(drawn->points), std::move(drawn->triangles)};
    return found_surface(shape, edge, threads);
}

/// How far flat triangles stray from the surface of the shape they stand for, m: looked at in 15 points of each.
double deviation(const TriMesh& mesh, const Shape& shape, Threads& threads) {
    constexpr int parts = 4;
    constexpr std::size_t chunk = 256;
    std::vector<double> most((mesh.triangles.size() + chunk - 1) / chunk, 0);
    parallel_for(threads, mesh.triangles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        double& here = most[begin / chunk];
        for (std::size_t i = begin; i < end; ++i) {
            const Tri& t = mesh.triangles[i];
            for (int a = 0; a <= parts; ++a)
                for (int b = 0; a + b <= parts; ++b) {
                    const int c = parts - a - b;
                    const Vec3 p = (a * mesh.points[t[0]] + b * mesh.points[t[1]] + c * mesh.points[t[2]]) / parts;
                    here = std::max(here, std::abs(shape.distance(p)));
                }
        }
    });
    return most.empty() ? 0 : *std::max_element(most.begin(), most.end());
}

/// Outer and inner surface found one by one. They keep apart when neither strays by half of the wall; where they do,
/// shorter edges follow the shape better. Nothing when that does not help: then the lattice has to see the wall.
std::optional<TriMesh> hollow_surface(const HollowShape& hollow, double edge, Threads& threads) {
    const Box cavity = hollow.cavity->bounds();
    if (cavity.empty()) return std::nullopt;
    for (int round = 0; round < 3; ++round, edge *= 0.5) {
        // A cavity is only worth its own lattice when that can see it.
        if (cavity.size().minCoeff() < 4 * edge) return std::nullopt;
        TriMesh outer = one_surface(*hollow.solid, edge, threads), inner = one_surface(*hollow.cavity, edge, threads);
        const double room = 0.45 * hollow.wall;
        if (deviation(outer, *hollow.solid, threads) > room || deviation(inner, *hollow.cavity, threads) > room)
            continue;
        const int first = static_cast<int>(outer.points.size());
        outer.points.insert(outer.points.end(), inner.points.begin(), inner.points.end());
        for (const Tri& t : inner.triangles) outer.triangles.push_back({first + t[0], first + t[2], first + t[1]});
        return outer;
    }
    return std::nullopt;
}

}  // namespace

TriMesh shape_surface(const Shape& shape, double edge, Threads* threads) {
    if (!(edge > 0) || !std::isfinite(edge))
        throw UserError("the edge length of a surface must be a positive number of metres");
    Threads alone(1);
    Threads& team = threads ? *threads : alone;
    if (const std::optional<HollowShape> hollow = shape.hollow(); hollow)
        if (std::optional<TriMesh> both = hollow_surface(*hollow, edge, team)) return std::move(*both);
    return one_surface(shape, edge, team);
}

SurfaceCost surface_cost(const Shape& shape, double edge) {
    if (const std::optional<HollowShape> hollow = shape.hollow()) {
        const Box cavity = hollow->cavity->bounds();
        if (!cavity.empty() && cavity.size().minCoeff() >= 4 * edge) {
            const SurfaceCost a = surface_cost(*hollow->solid, edge), b = surface_cost(*hollow->cavity, edge);
            return {a.triangles + b.triangles, a.seconds + b.seconds, a.bytes + b.bytes};
        }
    }
    const double diagonal = shape.bounds().diagonal(), thin = seen_thickness(shape, edge);
    if (!(diagonal > 0) || !(edge > 0)) return {};
    // Cubes within one cell of the surface fill a layer two cells thick. The layers of a wall's two sides may be one.
    const double coarse = std::max(diagonal / 96, fine_cell(shape, edge));
    const double layer = std::min(shape.thinnest(), 2 * coarse) + 2 * coarse;
    const double area = 2 * cubes_near_surface(shape, coarse) * coarse * coarse * coarse / layer;
    const double triangle = std::sqrt(0.1875);  // area of a triangle with edges of 1
    SurfaceCost cost;
    const bool drawn = shape.surface(diagonal).has_value();
    const double length = drawn ? edge : std::min(edge, 2 * thin);
    cost.triangles = area / (triangle * length * length);
    // Measured on one core, and good to a factor of two or three: shapes differ in how long their distance takes.
    cost.seconds = 2e-7 * cost.triangles, cost.bytes = 100 * cost.triangles;
    if (!drawn) {
        const double cell = fine_cell(shape, edge), cubes = 2 * area / (cell * cell);
        cost.seconds += 5e-5 * cubes, cost.bytes += 1700 * cubes;
    }
    return cost;
}

double default_edge(const Shape& shape) {
    const double diagonal = shape.bounds().diagonal();
    if (!(diagonal > 0)) throw UserError("the shape is empty, so it has no surface");
    // Thin walls and strokes want a few vertices across, within reason.
    return std::clamp(0.4 * shape.thinnest(), diagonal / 160, diagonal / 40);
}

}  // namespace pliant
