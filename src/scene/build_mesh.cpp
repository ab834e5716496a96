// What is seen of a body, and the tets that carry it.

#include <cmath>

#include "pliant/body/seen_volume.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/text.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/conforming.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/scene/build_parts.hpp"

namespace pliant {

TriMesh seen_surface(const std::string& name, const SurfaceDesc& desc, const Building& building) {
    if (desc.mesh) {
        check_cost(
            building.limits, name + ": a surface of " + grouped(desc.mesh->mesh->triangles.size()) + " triangles",
            triangles_cost(static_cast<double>(desc.mesh->mesh->triangles.size())), desc.where, "Use a coarser mesh");
        return *desc.mesh->mesh;
    }
    if (!desc.shape) return {};
    check_cost(building.limits, name + ": a surface this fine", surface_cost(desc), desc.where,
               "Ask for fewer triangles, a longer edge or a thicker wall");
    Threads& threads = building.threads;
    double edge = desc.edge > 0 ? desc.edge : default_edge(*desc.shape);
    TriMesh surface = shape_surface(*desc.shape, edge, &threads);
    if (desc.triangles > 0) {  // edge² is proportional to area per triangle; two corrections are plenty
        for (int round = 0; round < 2; ++round) {
            edge *= std::sqrt(static_cast<double>(surface.triangles.size()) / static_cast<double>(desc.triangles));
            surface = shape_surface(*desc.shape, edge, &threads);
        }
    }
    return surface;
}

namespace {

/// Moves the nodes of a grid at random, those on the faces within them, so that its tets have all kinds of directions.
void shake_inner_nodes(TetMesh& mesh, const Box& box, const VolumeDesc& volume) {
    const std::vector<Vec3> regular = mesh.rest;
    const double smallest = 0.05 * total_volume(regular, mesh.tets) / mesh.tet_count();
    for (double jitter = volume.jitter;; jitter *= 0.9) {  // as far as no tet becomes flat
        Rng random(1);
        mesh.rest = regular;
        for (Vec3& p : mesh.rest)
            for (int k = 0; k < 3; ++k) {
                const double cell = box.size()[k] / volume.cells[k], shift = (2 * random.uniform() - 1) * jitter * cell;
                if (p[k] > box.min[k] + 0.5 * cell && p[k] < box.max[k] - 0.5 * cell) p[k] += shift;
            }
        double least = smallest;
        for (const Tet& tet : mesh.tets) least = std::min(least, signed_volume(mesh.rest, tet));
        if (least >= smallest) return;
    }
}

}  // namespace

namespace {

/// A lattice has as many tets as fill the volume, and half of one's width all over the surface.
void check_lattice(const BodyDesc& desc, const SurfaceFacts& facts, double cell, const Building& building) {
    const double tets = 12 * (std::abs(facts.volume) / cell + 0.4 * facts.area) / (cell * cell);
    check_cost(building.limits, desc.name + ": about " + short_number(tets) + " tets", tets_cost(tets),
               desc.volume.where.known() ? desc.volume.where : desc.where, "Use a larger cell");
}

}  // namespace

TetMesh carrying_mesh(const BodyDesc& desc, const TriMesh& surface, const Building& building) {
    const VolumeDesc& volume = desc.volume;
    Threads& threads = building.threads;
    if (volume.cell > 0) check_lattice(desc, inspect(surface), volume.cell, building);
    if (desc.remesh) {  // its own lattice comes next, and its surface
        const SurfaceFacts facts = inspect(surface);
        check_lattice(desc, facts, desc.remesh->cell, building);
        if (desc.remesh->edge > 0) {  // equilateral triangles
            const double triangles = facts.area / (0.433 * desc.remesh->edge * desc.remesh->edge);
            check_cost(building.limits, desc.name + ": about " + short_number(triangles) + " triangles",
                       triangles_cost(triangles), desc.where, "Use a larger edge in remesh");
        }
    }
    if (volume.tets > 0)
        check_cost(building.limits, desc.name + ": " + grouped(volume.tets) + " tets",
                   tets_cost(static_cast<double>(volume.tets)), volume.where, "Ask for fewer");
    if (volume.kind == VolumeDesc::Kind::tets) return *volume.mesh;
    if (volume.kind == VolumeDesc::Kind::grid) {
        const Box box = surface.bounds();
        check_cost(building.limits,
                   desc.name + ": a grid of " + grouped(volume.cells[0]) + " × " + grouped(volume.cells[1]) + " × " +
                       grouped(volume.cells[2]) + " cubes",
                   grid_cost(volume.cells), volume.where, "Use fewer cells");
        TetMesh mesh = bar_mesh(volume.cells[0], volume.cells[1], volume.cells[2], box.min, box.max);
        if (volume.jitter > 0) shake_inner_nodes(mesh, box, volume);
        return mesh;
    }
    if (volume.kind == VolumeDesc::Kind::tetgen) {
        try {
            return volume.tetgen(surface);
        } catch (const UserError& error) {
            throw UserError(error.message(), volume.where, error.remedy());
        }
    }
    const LatticeOptions wanted{.cell = volume.cell, .tets = volume.tets};
    LatticeResult result = volume.kind == VolumeDesc::Kind::conforming ? conforming(surface, wanted, threads)
                                                                       : lattice(surface, wanted, threads);
    for (const std::string& repair : result.repairs) building.warnings.add(desc.name + ": " + repair);
    return std::move(result.mesh);
}

double fill_of(const VolumeDesc& volume, const TriMesh& surface, const TetMesh& mesh) {
    if (volume.kind != VolumeDesc::Kind::lattice || !surface_closed(inspect(surface))) return 1;
    const double share = enclosed_volume(surface.points, surface.triangles) / total_volume(mesh.rest, mesh.tets);
    return share > 0 && share < 1 ? share : 1;
}

}  // namespace pliant
