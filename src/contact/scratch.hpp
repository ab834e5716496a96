#pragma once
// What the contact solver keeps between steps to be quick, none of it state: trees, neighbourhoods, buffers.

#include <vector>

#include "pliant/contact/contact.hpp"
#include "pliant/contact/neighbourhood.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

struct BodyCache {
    std::uint64_t revision = 0;
    std::size_t points = 0, triangles = 0;
    bool known = false;

    Neighbourhood near;  ///< made when the body first comes near another
    AabbTree tree;       ///< over triangles swept through the step
    std::vector<Box> boxes;

    Box swept;  ///< of the step, grown by the search distance
    std::vector<int> obstacles, partners;
    bool paired = false;  ///< near another body
};

struct DetectJob {
    int body;
    std::size_t begin, end;
};

struct ContactSolver::Scratch {
    std::vector<SurfaceView> views;
    std::vector<BodyCache> bodies;
    std::vector<int> order;
    std::vector<DetectJob> jobs;
    std::vector<std::vector<Contact>> found;  ///< per job
};

/// Drops caches and anchors of bodies whose surface was edited.
void forget_changed_bodies(ContactSolver::Scratch& s, std::span<const SurfaceView> views,
                           std::vector<ContactAnchor>& anchors);

/// Boxes of the bodies' motion, and from them who comes near whom.
void find_pairs(ContactSolver::Scratch& s, std::span<const SurfaceView> views, std::span<const Obstacle> obstacles,
                const ContactOptions& options, double dt, const Vec3& kick, Threads& threads);

/// Trees of the bodies that have partners.
void fit_trees(ContactSolver::Scratch& s, std::span<const SurfaceView> views, double dt, const Vec3& kick,
               Threads& threads);

}  // namespace pliant
