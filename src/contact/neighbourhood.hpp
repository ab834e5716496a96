#pragma once
// Which triangles of a surface meet where, and the normals that tell inside from outside at edges and vertices.

#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {

/// Vertices at exactly the same place count as one, so that a seam of a texture or a soup of single triangles
/// does not open the surface.
struct Neighbourhood {
    std::vector<std::array<int, 3>> across;  ///< per triangle: its neighbour over edges ab, bc, ca; -1 at a boundary
    std::vector<int> fan_begin, fan;         ///< triangles round vertex i: fan[fan_begin[i] … fan_begin[i + 1])
    std::vector<int> origin;                 ///< per vertex: the first vertex at the same place
    std::vector<char> rim;                   ///< per vertex: 1 where a boundary edge ends

    bool empty() const { return fan_begin.empty(); }
    std::span<const int> triangles_at(int vertex) const {
        const int v = origin[vertex];
        return {fan.data() + fan_begin[v], static_cast<std::size_t>(fan_begin[v + 1] - fan_begin[v])};
    }
    bool closed() const {
        for (const std::array<int, 3>& a : across)
            if (a[0] < 0 || a[1] < 0 || a[2] < 0) return false;
        return !across.empty();
    }
};

/// seams = false: vertices are who they are, wherever they lie.
Neighbourhood find_neighbours(std::span<const Vec3> points, std::span<const Tri> triangles, bool seams = true);

/// Twice the area times the unit normal.
inline Vec3 area_normal(std::span<const Vec3> points, const Tri& t) {
    return (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
}

/// Sum of area normals round a vertex; zero for a vertex without triangles. Not of unit length.
Vec3 vertex_normal(const Neighbourhood& near, std::span<const Vec3> points, std::span<const Tri> triangles, int vertex);

/// The normal whose product with (p - closest point) has the sign of the distance wherever on the surface the closest
/// point lies: faces weighted by their angle at vertices, equally at edges (Bærentzen & Aanæs 2005). Not of unit
/// length; zero only where all triangles round the feature have no area.
Vec3 pseudonormal(const Neighbourhood& near, std::span<const Vec3> points, std::span<const Tri> triangles, int triangle,
                  TriangleFeature feature);

/// Whether the feature lies on the rim of an open surface, where sides mean nothing.
bool on_rim(const Neighbourhood& near, std::span<const Tri> triangles, int triangle, TriangleFeature feature);

}  // namespace pliant
