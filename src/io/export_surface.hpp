#pragma once
// One surface as all writers of surfaces see it, whether it comes from a mesh file or from a frame of a run.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

struct ExportSurface {
    std::string name;
    std::span<const Vec3> points;
    std::span<const Tri> triangles;
    const SurfaceAttributes* attributes = nullptr;  ///< null: nothing was brought
    /// Unit, per corner of each triangle (3 · triangle + corner) or, `normal_per_point`, per point; empty: none.
    std::vector<Vec3> normals;
    bool normal_per_point = false;
    std::vector<int> slot;               ///< per triangle: in slots; empty: all of the first
    std::vector<SurfaceMaterial> slots;  ///< one at least, each with a colour, no two of one name
    Vec3 color{0.8, 0.8, 0.8};           ///< of the body, linear RGB
    const Field* crack = nullptr;        ///< above a half for triangles that a crack or a cut has opened

    /// Per corner: corners at one point with the same number have the same normal in every frame; empty: all at a
    /// point.
    std::vector<std::uint64_t> shading_number;
    std::uint64_t shading(int corner) const {
        return shading_number.empty() ? 0 : shading_number[static_cast<std::size_t>(corner)];
    }

    bool has_uv() const { return attributes && !attributes->uv.empty(); }
    bool has_colors() const { return attributes && !attributes->color.empty(); }
    const Vec3& normal(int corner) const {
        return normals[static_cast<std::size_t>(normal_per_point ? point(corner) : corner)];
    }
    int point(int corner) const { return triangles[static_cast<std::size_t>(corner / 3)][corner % 3]; }
    int slot_of(int triangle) const { return slot.empty() ? 0 : slot[static_cast<std::size_t>(triangle)]; }
};

/// The slots of a body: what it was brought with; else one of the body's name, and once it has cracks "NAME_inside".
ExportSurface export_surface(const BodyFrame& body);
/// Without normals where none were brought.
ExportSurface export_surface(const TriMesh& mesh, const std::string& name);

/// For formats that have a colour per point only: the first corner at each point, of a triangle that nothing has opened
/// where there is one; −1 for points that no triangle has.
std::vector<int> corner_of_points(const ExportSurface& surface);

/// Values that are the same over and over, as OBJ lists them: the different ones in the order of their first use, and
/// for each entry which it is.
template <class Value>
struct IndexedValues {
    std::vector<Value> values;
    std::vector<int> index;
};
IndexedValues<std::array<float, 2>> indexed_uv(const ExportSurface& surface);  ///< per corner
IndexedValues<Vec3> indexed_normals(const ExportSurface& surface);             ///< per corner; by value and shading

}  // namespace pliant
