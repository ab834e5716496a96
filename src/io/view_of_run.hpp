#pragma once
// Where other programs look at a run from, and on what ground it stands.

#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

struct ViewOfRun {
    Vec3 eye, target;
    double fov = 26;             ///< vertical, degrees
    double near = 0.1, far = 1;  ///< clipping, m

    /// From a camera that looks along −z with y up to this one.
    Quat rotation() const;
};

/// The scene's camera; without one, from ahead, the right and above, so far that all of `bounds` is seen.
ViewOfRun view_of_run(const RunInfo& info, const Box& bounds);

/// A square below all of `bounds`, with a wide margin.
TriMesh ground_patch(const RunInfo::Ground& ground, const Box& bounds);

}  // namespace pliant
