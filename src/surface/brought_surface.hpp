#pragma once
// What an artist's surface was brought with, laid on another surface of the same body: on the skin of one that has
// broken, on the boundary of its tets, on one that was kept up while it flowed.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// Where a corner lies on the brought surface.
struct BroughtPlace {
    int triangle = -1;            ///< −1: on no triangle, since a crack or a cut has opened there
    Vec3 weight = Vec3::UnitX();  ///< of the triangle's corners
};

/// Barycentric weights of the point in the plane of the triangle that is nearest to p; of the nearest corner where the
/// triangle has no area.
Vec3 weights_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// The attributes of `from` for the triangles of `to`, but for polygons. place(t, k): of corner k of triangle t; all
/// corners of a triangle are on brought ones, or none. Where slots were brought, opened faces have the slot that
/// `inside` of the attributes says, or one of their own after the brought ones (named "inside"); they are white for a
/// colour and have flat normals, and texture coordinates seen along the axis they face most, the longest side of `from`
/// for one unit.
SurfaceAttributes transferred_attributes(const TriMesh& from, const TriMesh& to,
                                         const std::function<BroughtPlace(int t, int k)>& place);

/// Triangles that are copies of brought ones, which they follow in order, or that stand beside them.
struct CopiedTriangles {
    std::vector<int> corner;  ///< per corner: the brought one (3 · triangle + corner) that it has its values from
    std::vector<std::int8_t> faces;  ///< per triangle: 1 as the brought one does, −1 the other way, 0 as it lies
};
/// The attributes of `from` for `to`, which is made of such copies. Copies of a polygon are a polygon; triangles that
/// face as they lie have flat normals.
SurfaceAttributes copied_attributes(const TriMesh& from, const TriMesh& to, const CopiedTriangles& copies);

/// The name of that slot.
inline constexpr const char* inside_material = "inside";

/// A surface on which places are looked for. Its triangles make charts: sets that hang together by edges along which
/// texture coordinates and normals go on and the material is the same.
class BroughtSurface {
public:
    /// With attributes.
    explicit BroughtSurface(TriMesh surface);

    /// The attributes for a surface near this one. Each triangle takes the chart of the place nearest to its middle,
    /// and each of its corners the nearest place of that chart, so that seams stay seams. crack: per triangle; empty:
    /// none.
    std::shared_ptr<const SurfaceAttributes> on(const TriMesh& drawn, std::span<const std::uint8_t> crack) const;

private:
    void find_charts();
    BroughtPlace nearest(const Vec3& p, int chart) const;

    TriMesh surface_;
    std::vector<int> chart_;  // per triangle
    AabbTree tree_;
};

}  // namespace pliant
