#pragma once
// What building bodies of different kinds has in common.

#include <memory>
#include <span>

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
};

/// name: whose surface it is, for messages.
TriMesh seen_surface(const std::string& name, const SurfaceDesc& desc, const Building& building);
TetMesh carrying_mesh(const BodyDesc& desc, const TriMesh& surface, const Building& building);
/// One set of numbers for the whole body, or one per tet where the place matters.
std::vector<ElementMaterial> element_materials(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits);
std::vector<ElementMaterial> element_materials(const MaterialDesc& desc, ElementMaterial common,
                                               const std::vector<MaterialNumbers>& local);

/// UserError when an element has a mass or a stiffness that numbers cannot hold with some room to calculate: sizes and
/// densities may be as they like, but 1e-150 m and 1e300 kg/m³ are slips. One material, or one for each tet.
void check_magnitudes(const BodyDesc& body, const TetMesh& mesh, std::span<const ElementMaterial> materials);

/// A body of triangles with a thickness (build_shell.cpp).
ShellBody build_shell_body(const BodyDesc& desc, const Building& building);

/// Warns of sizes, speeds, densities and steps that look like a slip of the pen or of the unit.
void warn_of_proportions(World& w, const SceneDesc& desc);

/// Between bodies that are already in the world.
void add_joints(World& w, const SceneDesc& desc);
void add_rigid_bodies(World& w, const SceneDesc& desc, const Building& building);
/// index: of World::rigid.bodies.
std::unique_ptr<BodyQuery> rigid_query(const World& w, int index);

}  // namespace pliant
