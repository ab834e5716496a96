#pragma once
// How far bodies are inside obstacles and inside each other: what tests and reports say "no body ends a scene inside
// another" with.

#include <functional>
#include <span>

#include "pliant/contact/obstacle.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/mesh/embedding.hpp"

namespace pliant {

struct Penetration {
    double max_depth = 0;  ///< of a vertex below a surface, m
    double fraction = 0;   ///< of all vertices that are below a surface
    int body = -1;         ///< view of the deepest vertex
    int vertex = -1;       ///< that vertex
    int partner = 0;       ///< what it is in: a view, or -1 - obstacle; only meaningful when body >= 0
};

/// Looks at every vertex, however deep. Inside another body means inside its surface as closed: the depth is the
/// distance to that surface. Obstacles count where they are at the end of the step. Builds its own trees: meant for
/// once per run or frame, not for every step. `ignored`, if any: view and partner (as above) that may be in each other.
Penetration measure_penetration(std::span<const SurfaceView> views, std::span<const Obstacle> obstacles,
                                Threads& threads, const std::function<bool(int view, int partner)>& ignored = {});

}  // namespace pliant
