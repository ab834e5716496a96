#pragma once
// How a body that flows gets a new lattice and keeps its surface (Wojtan & Turk 2008), and what came of it.

#include <cstdint>
#include <limits>

#include "pliant/core/types.hpp"

namespace pliant {

/// A nozzle that a body comes out of. What is behind its mouth moves along with the given speed, and as much is added
/// at the back, where the surface is flat.
struct Inlet {
    Vec3 at = Vec3::Zero();                                 ///< middle of the mouth, m
    Vec3 along = Vec3::UnitX();                             ///< where it goes, of length 1
    double radius = 0;                                      ///< of the nozzle, within which nodes are held, m
    double speed = 0;                                       ///< m/s; 0: there is no inlet
    double till = std::numeric_limits<double>::infinity();  ///< s; then what is in the nozzle stands still
    double depth = 0;  ///< from the mouth to the back, m: as the body was made with

    /// How far in front of the mouth, m; behind it below zero. `beside`: it is not in line with the nozzle.
    double ahead(const Vec3& p) const { return (p - at).dot(along); }
    bool beside(const Vec3& p) const { return ((p - at) - ahead(p) * along).norm() > radius; }
};

struct RemeshOptions {
    double cell = 0;  ///< of the lattice, m
    /// m_min of section 6, as a share of the mass of a node amid full elements; see SolidOptions::least_fill.
    double least_fill = 0.05;
    /// A new lattice as soon as the condition number of some element's deformation since the last one is above this.
    double condition = 3;
    /// Length that edges of the surface are kept near, m; 0: its triangles stay as they are.
    double edge = 0;
    double tension = 0;  ///< surface tension, N/m
    Inlet inlet = {};    ///< none as it is
    double breaks = 0;   ///< strands thinner than this break, m; 0: they never do
    double opens = 0;    ///< films thinner than this get holes, m; 0: they never do
    double merges = 0;   ///< parts of the surface nearer to each other than this merge, m; 0: they never do
};

/// Of all remeshes of a body so far: state.
struct RemeshTotals {
    std::uint64_t count = 0;
    double volume = 0;         ///< free of stress, m³: of the body as it was made, and what came through its inlet
    double brought = 0;        ///< through its inlet, kg
    double volume_change = 0;  ///< largest so far against that, relative
    double time = 0;           ///< of the last one, s: when the body was as its mesh is at rest
    std::uint64_t breaks = 0;  ///< strands that broke
    std::uint64_t holes = 0;   ///< that opened in films
    std::uint64_t merges = 0;  ///< parts of the surface that merged
};

struct Remeshing {
    RemeshOptions options;
    RemeshTotals total;
};

}  // namespace pliant
