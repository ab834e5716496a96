#pragma once
// How a body that flows gets a new lattice and keeps its surface (Wojtan & Turk 2008), and what came of it.

#include <cstdint>

namespace pliant {

struct RemeshOptions {
    double cell = 0;  ///< of the lattice, m
    /// m_min of section 6, as a share of the mass of a node amid full elements; see SolidOptions::least_fill.
    double least_fill = 0.05;
    /// A new lattice as soon as the condition number of some element's deformation since the last one is above this.
    double condition = 3;
    /// Length that edges of the surface are kept near, m; 0: its triangles stay as they are.
    double edge = 0;
    double tension = 0;  ///< surface tension, N/m
    double breaks = 0;   ///< strands and films thinner than this break, m; 0: they never do
    double merges = 0;   ///< parts of the surface nearer to each other than this merge, m; 0: they never do
};

/// Of all remeshes of a body so far: state.
struct RemeshTotals {
    std::uint64_t count = 0;
    double volume = 0;         ///< free of stress, m³: of the body as it was made
    double volume_change = 0;  ///< largest so far against that, relative
    double time = 0;           ///< of the last one, s: when the body was as its mesh is at rest
    std::uint64_t breaks = 0;  ///< strands and films that broke
    std::uint64_t merges = 0;  ///< parts of the surface that merged
};

struct Remeshing {
    RemeshOptions options;
    RemeshTotals total;
};

}  // namespace pliant
