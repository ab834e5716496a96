#pragma once
// Which seen surfaces of the world cross: bodies of all kinds, each with itself too, and obstacles where they are seen.
// The check is exact and knows nothing of how contact works (collision/crossings.hpp).

#include <string>
#include <vector>

#include "pliant/collision/crossings.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

struct Intersections {
    std::vector<std::string> names;        ///< of the surfaces: bodies by number, rigid ones, obstacles that are seen
    std::vector<std::uint64_t> revisions;  ///< of their triangles
    Crossings crossings;                   ///< by surface and triangle
};

/// Bodies that pass through everything (collide = false) are left out, and so are pairs that the world ignores, and so
/// are obstacles among themselves. Builds its own tree: meant for once per run or frame, not for every step.
Intersections find_intersections(const World& w);

/// How many of `now` crossed at `start` already: the same triangles of the same surfaces, as long as these are whole.
std::int64_t crossed_before(const Intersections& start, const Intersections& now);

}  // namespace pliant
