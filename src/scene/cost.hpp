#pragma once
// What parts of a scene cost, estimated before they are built: a user who asks for too much learns so in a sentence,
// not from a machine that stands still.
//
// The numbers come from measurements on one core of an ordinary computer and hold within a factor of three or so, which
// is enough to tell a second from an hour.

#include <functional>
#include <string>

#include "pliant/core/error.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/scene/scene_desc.hpp"

namespace pliant {

struct Cost {
    double seconds = 0;
    double bytes = 0;
};

struct BuildLimits {
    double seconds = 600;  ///< for one part, such as the surface or the modes of a body; see WorldDesc::patience
    double bytes = 0;      ///< for one part; 0: all the memory that this process may have
    /// Is told, before the work begins, of each part that takes a while; may be empty.
    std::function<void(const std::string& sentence)> say = {};
};

/// The memory that this process may use, in bytes: that of the machine, or less where a limit is set.
double machine_memory();

/// Says what a part will cost when it is much, and throws a UserError with the remedy when it is too much.
void check_cost(const BuildLimits& limits, const std::string& part, const Cost& cost, const Where& where,
                const std::string& remedy);

Cost surface_cost(const SurfaceDesc& surface);
Cost grid_cost(const std::array<int, 3>& cells);
/// A lattice or conforming mesh of this many tets.
Cost tets_cost(double tets);
/// Seen triangles in contacts, pictures and files.
Cost triangles_cost(double triangles);
Cost modes_cost(int modes, const TetMesh& mesh, std::size_t surface_points);
/// One step of the world, made of many steps of leap-frog, or of an explicit integrator of finite elements.
Cost leap_frog_cost(double dt, double own_dt, std::size_t tets);
Cost explicit_cost(double dt, double own_dt, std::size_t tets);
/// Says how long a run will take that makes so many steps of an integrator's own, when that is long.
void say_own_steps(const BuildLimits& limits, const std::string& body, const std::string& integrator, double steps,
                   double seconds);

/// Calls `each(i)` for i in [0, count) and refuses to go on when the first calls show that all of them would take too
/// long: for functions of a script, which may do anything.
void call_for_each(const BuildLimits& limits, const std::string& part, std::size_t count, const Where& where,
                   const std::function<void(std::size_t)>& each);

}  // namespace pliant
