#include "pliant/meshing/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/meshing/lattice_grid.hpp"
#include "pliant/meshing/lattice_lookup.hpp"
#include "pliant/meshing/lattice_raster.hpp"
#include "pliant/meshing/lattice_shape.hpp"
#include "pliant/meshing/lattice_surface.hpp"

namespace pliant {

namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// How many tets a cell gives: those of the body's volume, and half a tet's mean width all over its surface.
/// A convex body's mean width is Σ edge length · (π - dihedral angle) / 4π: here (2·1·π/2 + 4·(√3/2)·2π/3)/4π cells.
struct SizeModel {
    double volume, area;

    static constexpr double half_width = 0.8274 / 2;
    double tets(double cell) const { return 12 * (volume / cell + half_width * area) / (cell * cell); }
    double cell_for(double wanted) const {
        double low = 1e-12, high = 1e12;  // lengths are about 1: the surface's units
        for (int i = 0; i < 200; ++i) {
            const double middle = std::sqrt(low * high);
            (tets(middle) > wanted ? low : high) = middle;
        }
        return std::sqrt(low * high);
    }
};

/// The body in its own units, whichever way it was given.
struct Body {
    Box box;
    double unit;
    Vec3 center;
    SizeModel size;
    std::function<LatticeGrid(double cell)> grid;
};

// The grid of blocks takes about 8 bytes per place, most of them empty for a thin body in a large box.
constexpr double most_places = 1 << 28;
// Keeps lattice coordinates well above their rounding.
constexpr double most_cells_along = 1 << 17;

void check_cell(const Body& body, double cell) {
    const Vec3 cells = body.box.size() / cell;
    const double tets = body.size.tets(cell);
    const double longest = cells.maxCoeff();
    if (tets > 1.2 * lattice_tet_limit)
        throw UserError(
            "a cell of " + number(cell * body.unit) + " m would make about " + number(tets) +
                " tetrahedra; the limit is " + number(lattice_tet_limit),
            {}, "Use a cell of " + number(body.size.cell_for(lattice_tet_limit) * body.unit * 1.01) + " m or more");
    if (longest < 0.01)
        throw UserError("a cell of " + number(cell * body.unit) +
                            " m is over a hundred times the size of the body, which is " +
                            number(body.box.size().maxCoeff() * body.unit) + " m",
                        {}, "Use a smaller cell, or check the units of the surface");
    const double places = (cells.array() / 4 + 4).prod();
    if (places > most_places || longest > most_cells_along)
        throw UserError("the body is too thin for its box: a cell of " + number(cell * body.unit) +
                            " m divides the box into " + number(cells[0]) + " × " + number(cells[1]) + " × " +
                            number(cells[2]) + " cubes",
                        {}, "Use a larger cell, or turn the body along an axis");
}

LatticeGrid grid_for_cell(const Body& body, double cell) {
    check_cell(body, cell);
    LatticeGrid grid = body.grid(cell);
    const long long count = count_kept(grid);
    if (count > lattice_tet_limit)
        throw UserError("a cell of " + number(cell * body.unit) + " m would make " +
                            number(static_cast<double>(count)) + " tetrahedra; the limit is " +
                            number(lattice_tet_limit),
                        {}, "Use a larger cell");
    return grid;
}

/// Counts, corrects the model by what was found, and tries again: two or three grids in practice.
LatticeGrid grid_for_count(Body body, double wanted) {
    LatticeGrid best;
    // A body within one cell has a handful of tets; larger cells change nothing.
    const double largest = 8 * body.box.size().maxCoeff();
    double best_error = 1e300, cell = std::min(largest, body.size.cell_for(wanted));
    for (int pass = 0;; ++pass) {
        LatticeGrid grid = grid_for_cell(body, cell);
        const double found = static_cast<double>(count_kept(grid)), error = std::abs(found / wanted - 1);
        if (error < best_error) best_error = error, best = std::move(grid);
        // Small lattices are cheap to try, and their counts jump.
        const int most_passes = wanted < 20000 ? 16 : 5;
        if (best_error < 0.01 || (pass >= 1 && best_error < 0.03) || pass + 1 >= most_passes) return best;
        const double correction = std::max(found, 1.0) / body.size.tets(cell);
        body.size.volume *= correction, body.size.area *= correction;
        const double next = std::min(largest, body.size.cell_for(wanted));
        cell = pass < 4 ? next : std::sqrt(cell * next);  // a jumping count is approached more carefully
    }
}

LatticeResult make_lattice(const Body& body, const LatticeOptions& options, Threads& threads, double start,
                           LatticeGrid& grid) {
    grid = options.tets > 0 ? grid_for_count(body, static_cast<double>(options.tets))
                            : grid_for_cell(body, options.cell / body.unit);
    LatticeResult result;
    result.mesh = emit_mesh(grid, body.center, body.unit, threads);
    result.cell = grid.frame.cell * body.unit;
    const double cell3 = grid.frame.cell * grid.frame.cell * grid.frame.cell;
    result.fill =
        result.mesh.tets.empty() ? 0 : body.size.volume / (static_cast<double>(result.mesh.tets.size()) * cell3 / 12);
    result.seconds = seconds_now() - start;
    return result;
}

void check_options(const LatticeOptions& options) {
    const char* remedy = "Give the edge of the cubes (cell, in metres) or the number of elements (tets)";
    if (options.cell != 0 && options.tets != 0)
        throw UserError("a lattice has either a cell or a number of tets", {}, remedy);
    if (options.cell == 0 && options.tets == 0) throw UserError("the lattice needs a size", {}, remedy);
    if (options.tets == 0 && !(options.cell > 0 && std::isfinite(options.cell)))
        throw UserError("the cell of a lattice must be a positive length, not " + number(options.cell) + " m", {},
                        remedy);
    if (options.tets < 0)
        throw UserError("the number of tets must be positive, not " + std::to_string(options.tets), {}, remedy);
    if (options.tets > lattice_tet_limit)
        throw UserError(number(static_cast<double>(options.tets)) + " tetrahedra are above the limit of " +
                            number(lattice_tet_limit),
                        {}, "Ask for fewer");
}

/// Volume and surface of a solid, from how the counts at two coarse cells grow.
SizeModel measure_shape(const LatticeShape& shape, Threads& threads) {
    const double cell = std::cbrt((shape.box.size().array() + 0.05 * shape.box.size().maxCoeff()).prod() / 2000);
    const double few = static_cast<double>(count_kept(sample_shape(shape, cell, threads)));
    const double more = static_cast<double>(count_kept(sample_shape(shape, 0.5 * cell, threads)));
    // tets = v/cell³ + a/cell²: at half the cell the first grows by 8, the second by 4.
    const double v = std::max(0.0, (more - 4 * few) / 4), a = std::max(0.0, (8 * few - more) / 4);
    return {v * cell * cell * cell / 12, a * cell * cell / (12 * SizeModel::half_width)};
}

}  // namespace

namespace {

IndexedLattice lattice_of_surface(const TriMesh& surface, const LatticeOptions& options, Threads& threads) {
    const double start = seconds_now();
    check_options(options);
    LatticeSurface prepared = prepare_surface(surface, threads);
    const WindingNumber caps(prepared.points, prepared.caps);
    const Body body{
        prepared.box, prepared.unit, prepared.center, {std::abs(prepared.volume), prepared.area}, [&](double cell) {
            return rasterise(prepared, caps, cell, threads);
        }};
    LatticeGrid grid;
    LatticeResult result = make_lattice(body, options, threads, start, grid);
    result.repairs = std::move(prepared.repairs);
    return {std::move(result), LatticeLookup(std::move(grid), body.center, body.unit)};
}

}  // namespace

LatticeResult lattice(const TriMesh& surface, const LatticeOptions& options, Threads& threads) {
    return lattice_of_surface(surface, options, threads).lattice;
}

IndexedLattice indexed_lattice(const TriMesh& surface, double cell, Threads& threads) {
    return lattice_of_surface(surface, {.cell = cell}, threads);
}

LatticeResult lattice(const Shape& shape, const LatticeOptions& options, Threads& threads) {
    const double start = seconds_now();
    check_options(options);
    const Box box = shape.bounds();
    const double extent = box.empty() ? 0 : box.size().maxCoeff();
    const char* remedy = "Check its sizes; a difference or an intersection may have left nothing";
    if (!(extent > 0) || !std::isnormal(extent) || !box.min.allFinite() || !box.max.allFinite())
        throw UserError("the shape is empty", {}, remedy);
    const double unit = std::exp2(std::ilogb(extent));
    const Vec3 center = box.center() / unit;
    const LatticeShape scaled{shape, unit, center, {box.min / unit - center, box.max / unit - center}};
    const Body body{scaled.box, unit, center, measure_shape(scaled, threads),
                    [&](double cell) { return sample_shape(scaled, cell, threads); }};
    if (!(body.size.tets(1) > 0)) throw UserError("the shape is empty", {}, remedy);
    LatticeGrid grid;
    LatticeResult result = make_lattice(body, options, threads, start, grid);
    if (result.mesh.tets.empty()) throw UserError("the shape is empty", {}, remedy);
    return result;
}

}  // namespace pliant
