#pragma once
// What building bodies of different kinds has in common.

#include <memory>
#include <span>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/scene/cost.hpp"
#include "pliant/scene/scene_desc.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// An error without a place gets the one of the scene's line it came from.
template <class Work>
auto at_line(const Where& where, Work&& work) {
    try {
        return work();
    } catch (const UserError& error) {
        if (error.where().known() || !where.known()) throw;
        throw UserError(error.message(), where, error.remedy());
    }
}

/// What all that is built has at hand.
struct Building {
    Threads& threads;
    Warnings& warnings;  ///< what a user should know: repairs, odd sizes
    BuildLimits limits = {};
    double duration = 0;  ///< of the run, s
};

constexpr double default_friction = 0.5;

// The surface and the tets (build_mesh.cpp).
/// name: whose surface it is, for messages.
TriMesh seen_surface(const std::string& name, const SurfaceDesc& desc, const Building& building);
TetMesh carrying_mesh(const BodyDesc& desc, const TriMesh& surface, const Building& building);
/// Gives the surface (none: that of the tets), which is in the body's own coordinates still, the colours that the scene
/// says for regions and for what is inside (build_looks.cpp); nothing where it says none.
void add_scene_looks(const BodyDesc& desc, const TetMesh& mesh, TriMesh& surface);
/// Share of a lattice's volume that a closed surface encloses. Whole tets touch the surface; what sticks out of it
/// weighs and resists nothing.
double fill_of(const VolumeDesc& volume, const TriMesh& surface, const TetMesh& mesh);

// The material (build_material.cpp).
/// What regions, paint and the function `vary` say, per tet; empty when there are none.
std::vector<MaterialNumbers> local_numbers(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits);
/// One set of numbers for the whole body, or one per tet where the place matters.
std::vector<ElementMaterial> element_materials(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits);
std::vector<ElementMaterial> element_materials(const MaterialDesc& desc, ElementMaterial common,
                                               const std::vector<MaterialNumbers>& local);

/// UserError when an element has a mass or a stiffness that numbers cannot hold with some room to calculate: sizes and
/// densities may be as they like, but 1e-150 m and 1e300 kg/m³ are slips. One material, or one for each tet.
void check_magnitudes(const BodyDesc& body, const TetMesh& mesh, std::span<const ElementMaterial> materials);
/// young: of the material, which the table's stands against.
std::optional<HeatDesc> heat_of(const BodyDesc& body, double young, bool plastic);
/// Temperatures at the start, per node of the body.
template <class Body>
void set_temperatures(Body& body, const MaterialDesc& material, std::vector<double>&& temperatures) {
    if (temperatures.empty()) return;
    if (!body.heat)
        throw UserError("a temperature is painted, but the material has no heat", material.where,
                        "Add heat = { conductivity = 0.25, specific_heat = 2000 }");
    CHECK(temperatures.size() == body.temperature.size(), temperatures.size(), body.temperature.size());
    body.temperature = body.temperature_next = std::move(temperatures);
    set_material_at(body, body.temperature);
}

// One kind of body each (build_fem.cpp, build_particles.cpp, build_modal.cpp). seed: of flaws; dt: the world's step, s.
/// Nothing is seen, saved or stopped within a step of the world: it must not last longer than this, s.
constexpr double longest_step = 60;
/// dt: of the world, s.
FemBody build_fem_body(const BodyDesc& desc, std::uint64_t seed, double dt, const Building& building);
ParticleBody build_particle_body(const BodyDesc& desc, double dt, const Building& building);
ModalBody build_modal_body(const BodyDesc& desc, const Building& building);

/// A body of triangles with a thickness (build_shell.cpp).
ShellBody build_shell_body(const BodyDesc& desc, const Building& building);

/// Warns of sizes, speeds, densities and steps that look like a slip of the pen or of the unit.
void warn_of_proportions(World& w, const SceneDesc& desc);

// To bodies that are already in the world.
void add_hands(World& w, const SceneDesc& desc);  ///< grips, pulls and springs that a hand holds
void add_loads(World& w, const SceneDesc& desc);
void add_cuts(World& w, const SceneDesc& desc);
void add_heat_sources(World& w, const SceneDesc& desc);
void add_obstacles(World& w, const SceneDesc& desc, const Building& building);
void add_joints(World& w, const SceneDesc& desc);
void add_ignored(World& w, const SceneDesc& desc);
void add_rigid_bodies(World& w, const SceneDesc& desc, const Building& building);
/// index: of World::rigid.bodies.
std::unique_ptr<BodyQuery> rigid_query(const World& w, int index);

}  // namespace pliant
