#include "pliant/meshing/shape_surface.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/meshing/surface_lattice.hpp"
#include "pliant/meshing/surface_remesh.hpp"

namespace pliant {

TriMesh shape_surface(const Shape& shape, double edge, Threads* threads) {
    if (!(edge > 0) || !std::isfinite(edge))
        throw UserError("the edge length of a surface must be a positive number of metres");
    if (std::optional<ShapeSurface> drawn = shape.surface(edge))
        return {std::move(drawn->points), std::move(drawn->triangles)};

    Threads alone(1);
    Threads& team = threads ? *threads : alone;
    // The lattice must see thin parts, but a wall of a hundredth of an edge must not cost a million times the work.
    const double thin = std::max(shape.thinnest(), 0.1 * edge);
    // Cubes of 1.8 edges give a few triangles for each that is wanted. Creases need more of them to be followed.
    const double fine = std::min(0.9 * edge, 0.6 * thin);
    FirstSurface first = first_surface(shape, std::min(1.8 * edge, 0.6 * thin), team);
    if (first.sharpest < 0.7 && first.cell > fine) first = first_surface(shape, fine, team);
    remesh_surface(first.mesh, shape, std::min(edge, 2 * thin), 0.3 * std::min(first.cell, 0.9 * edge), team);
    return std::move(first.mesh);
}

double default_edge(const Shape& shape) {
    const double diagonal = shape.bounds().diagonal();
    if (!(diagonal > 0)) throw UserError("the shape is empty, so it has no surface");
    // Thin walls and strokes want a few vertices across, within reason.
    return std::clamp(0.4 * shape.thinnest(), diagonal / 160, diagonal / 40);
}

}  // namespace pliant
