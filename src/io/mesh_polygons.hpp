#pragma once
// What readers collect before a mesh exists: points, polygons of any size, tets; and how that becomes a mesh.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/io/mesh_file.hpp"

namespace pliant {

/// Polygons as one list of corners. Corners are indices of points, already checked to be in range.
struct PolygonList {
    std::vector<int> corners;
    std::vector<int> sizes;

    void add_triangle(int a, int b, int c) {
        corners.insert(corners.end(), {a, b, c});
        sizes.push_back(3);
    }
    void close(std::size_t first_corner) { sizes.push_back(static_cast<int>(corners.size() - first_corner)); }
    bool empty() const { return sizes.empty(); }
};

/// Triangles of all polygons: quads along the diagonal that keeps both halves facing the same way (the shorter one
/// if both do), larger ones by cutting ears in the plane of their mean normal. Corners keep their turn.
std::vector<Tri> triangulate(const std::vector<Vec3>& points, const PolygonList& polygons,
                             std::vector<std::string>& notes);

/// What a file says of the corners and polygons of a PolygonList; empty where it says nothing.
struct PolygonAttributes {
    std::vector<std::array<float, 2>> uv;     ///< per corner
    std::vector<std::array<float, 4>> color;  ///< per corner, linear
    std::vector<Vec3> normal;                 ///< per corner; zero: not said
    std::vector<int> smoothing;  ///< per polygon: group, 0: flat, −1: not said; where there are no normals
    std::vector<int> material;   ///< per polygon
    std::vector<SurfaceMaterial> materials;
};

/// Merges points at exactly the same place (−0 counts as 0), keeping the first of each. Returns how many went.
std::size_t weld_equal_points(TriMesh& mesh);

/// Cells of any kind over points, as unstructured formats hold them.
struct CellSoup {
    std::vector<Vec3> points;
    PolygonList polygons;
    std::vector<Tet> tets;
    std::vector<int> region;            ///< per tet; may be all zero
    std::vector<std::string> left_out;  ///< kinds of cells that were skipped, "hexahedra" …

    void leave_out(std::string_view kind);
};

/// Tets where there are any, else the polygons. Drops points that nothing uses, turns inverted tets round, drops
/// regions that are all zero, and says so in the notes. UserError for a soup with neither.
MeshFile finish_cells(CellSoup&& soup, const std::string& format, const std::string& name);

/// A surface of the polygons over all the points; UserError when there is no polygon.
MeshFile finish_surface(std::vector<Vec3>&& points, const PolygonList& polygons, const std::string& format,
                        const std::string& name, PolygonAttributes&& brought = {});

/// Maps the node numbers a file uses (any 64-bit numbers, mostly 0 … n−1 or 1 … n) to 0 … n−1.
class NodeNumbers {
public:
    /// The next node in file order has this number.
    void add(long long number);
    /// To be called after the last add(). False, and `twice` set, when a number was given twice.
    bool finish(long long& twice);
    /// −1 when no node has this number.
    int index(long long number) const {
        if (plain_) {
            const auto offset = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(first_);
            return offset < count_ ? static_cast<int>(offset) : -1;
        }
        return search(number);
    }

private:
    int search(long long number) const;

    bool plain_ = true;  // numbers so far are first_, first_ + 1, …
    long long first_ = 0;
    std::uint64_t count_ = 0;
    std::vector<std::pair<long long, int>> sparse_;
};

}  // namespace pliant
