#pragma once
// A triangle surface: points and triangles, nothing derived; and what it was brought with.

#include <memory>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/surface_attributes.hpp"

namespace pliant {

struct TriMesh {
    std::vector<Vec3> points;
    std::vector<Tri> triangles;  ///< counter-clockwise seen from outside
    /// What the file had besides; null: nothing. Of a body that breaks: of its surface as it was given.
    std::shared_ptr<const SurfaceAttributes> attributes = {};

    Box bounds() const {
        Box box;
        for (const Vec3& p : points) box.add(p);
        return box;
    }
};

/// What a surface is like; computed by inspect().
struct SurfaceFacts {
    int components = 0;                  ///< connected by shared edges
    long long boundary_edges = 0;        ///< used by one triangle
    long long nonmanifold_edges = 0;     ///< used by more than two
    long long misoriented_edges = 0;     ///< used twice in the same direction
    long long degenerate_triangles = 0;  ///< repeated index or zero area
    long long unused_points = 0;
    long long duplicate_points = 0;  ///< points at exactly the same place as an earlier one
    double area = 0;                 ///< m²
    double volume = 0;               ///< m³, signed; meaningful when closed

    bool closed() const { return boundary_edges == 0 && nonmanifold_edges == 0; }
    bool manifold() const { return nonmanifold_edges == 0; }
    bool oriented() const { return misoriented_edges == 0; }
};

SurfaceFacts inspect(const TriMesh& mesh);

/// Signed volume by the divergence theorem, m³.
double enclosed_volume(const std::vector<Vec3>& points, const std::vector<Tri>& triangles);

/// Area-weighted vertex normals, unit length (zero where a vertex has no area).
std::vector<Vec3> vertex_normals(const std::vector<Vec3>& points, const std::vector<Tri>& triangles);

}  // namespace pliant
