#pragma once
// What the continuum particle models are built from (Everts 2006, chapters 5 and 6): particles, the bounded Voronoi
// cell of each at rest, and the tets that connect them. Plain data: whoever makes cells fills it, whoever computes
// forces reads it, a structure file stores it.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// A face between two cells, or between a cell and the outside.
struct VoronoiFace {
    int a = 0;                   ///< particle on this side
    int b = -1;                  ///< particle on the other side; -1: the face lies on the body's surface
    Vec3 area = Vec3::Zero();    ///< area vector at rest, m², pointing from a to b (outward where b is -1)
    Vec3 centre = Vec3::Zero();  ///< centroid at rest, m
};

/// A corner of a face. It moves with the four particles of its tet: position = Σ weight · x (eq. 5.1); weights sum to
/// 1 and may leave [0, 1] for a corner that lies outside of the tet it is tied to.
struct VoronoiCorner {
    Vec3 rest = Vec3::Zero();  ///< m
    int tet = 0;
    Vec4 weight = Vec4::Constant(0.25);
};

struct ParticleStructure {
    std::vector<Vec3> rest;                 ///< particles, m
    std::vector<double> volume;             ///< of the bounded cell of each particle, m³; they sum to the body's
    std::vector<VoronoiFace> faces;         ///< at most one per pair of particles; (a, b) ascending
    std::vector<Tet> tets;                  ///< right-handed at rest
    std::vector<std::array<int, 2>> edges;  ///< of the tets, each once, lower number first, ascending
    std::vector<Tri> boundary;              ///< of the tets, counter-clockwise seen from outside

    // Corners of face f: polygon[polygon_begin[f]] … polygon[polygon_begin[f + 1] - 1], counter-clockwise seen from b
    // (the area vector is theirs). A face that is not convex or has several parts lists the boundary of its parts one
    // after the other, joined by bridges walked in both directions, so that the fan of triangles about any point has
    // the right area vector.
    std::vector<int> polygon_begin;  ///< faces.size() + 1 entries
    std::vector<VoronoiCorner> polygon;

    std::size_t size() const { return rest.size(); }
    std::span<const VoronoiCorner> corners(std::size_t face) const {
        return std::span(polygon).subspan(polygon_begin[face], polygon_begin[face + 1] - polygon_begin[face]);
    }
};

}  // namespace pliant
