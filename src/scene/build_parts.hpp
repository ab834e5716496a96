#pragma once
// What building bodies of different kinds has in common.

#include <memory>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
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

TriMesh seen_surface(const SurfaceDesc& desc, Threads& threads);
TetMesh carrying_mesh(const BodyDesc& desc, const TriMesh& surface, Threads& threads,
                      std::vector<std::string>& warnings);
/// One set of numbers for the whole body, or one per tet where the place matters.
std::vector<ElementMaterial> element_materials(const MaterialDesc& desc, const TetMesh& mesh);
std::vector<ElementMaterial> element_materials(const MaterialDesc& desc, ElementMaterial common,
                                               const std::vector<MaterialNumbers>& local);

/// Between bodies that are already in the world.
void add_joints(World& w, const SceneDesc& desc);
void add_rigid_bodies(World& w, const SceneDesc& desc, std::vector<std::string>& warnings);
/// index: of World::rigid.bodies.
std::unique_ptr<BodyQuery> rigid_query(const World& w, int index);

}  // namespace pliant
