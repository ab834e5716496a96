#pragma once
// Where a closed surface that flows changes its topology: strands break, films open, what comes near merges. Like
// upkeep (surface_upkeep.hpp) each operation leaves a closed manifold that goes through itself nowhere where it did not
// before, and keeps the volume: what it adds or takes its neighbours give back.
//
//   strand   three or four edges that go round it, and bound no triangles: it is cut, and each side gets a cap
//   film     two triangles back to back: both go, and a tube through the film joins their edges
//   merging  two triangles face to face: the same, outside; as few edges round a hole that is left: it is closed

#include <vector>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct TopologyLengths {
    double breaks = 0;  ///< strands thinner than this break, by their circumference over π, m; 0: none does
    double opens = 0;   ///< films thinner than this, and flat as far as a triangle's neighbours, get holes, m; 0: none
    /// Parts nearer to each other than this merge, and holes narrower than this close, m; 0: none does.
    double merges = 0;
};

struct TopologyChanges {
    int breaks = 0, holes = 0, merges = 0;
    std::vector<int> after;  ///< per vertex before: its number now, −1 where it is gone
    std::vector<int> from;   ///< per vertex now: what it was before, or is a copy of
};

/// In place; attributes are not changed. Strands break where upkeep has left three or four edges round them: with edges
/// far shorter than `breaks` they become thinner than that first. Parts smaller than a ball of that diameter go, but
/// for the largest.
TopologyChanges change_topology(TriMesh& surface, const TopologyLengths& lengths);

/// Per vertex: which part of the surface it belongs to, numbered by their lowest vertices. The surface of a cavity
/// belongs to the part that is round it.
std::vector<int> surface_parts(const TriMesh& surface, int& count);

}  // namespace pliant
