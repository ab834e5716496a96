#pragma once
// A tetrahedral mesh at rest: connectivity and rest positions. Deformed positions belong to bodies.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct TetMesh {
    std::vector<Vec3> rest;  ///< node positions at rest, m
    std::vector<Tet> tets;
    std::vector<int> region;     ///< per tet, as read from a file; empty when there are none
    std::uint64_t revision = 0;  ///< bumped by every change of connectivity; caches compare theirs with it

    int node_count() const { return static_cast<int>(rest.size()); }
    int tet_count() const { return static_cast<int>(tets.size()); }
    Box bounds() const {
        Box box;
        for (const Vec3& p : rest) box.add(p);
        return box;
    }
};

/// Faces of tet (0,1,2,3), outward for positive volume: face i is opposite to node i.
inline constexpr std::array<std::array<int, 3>, 4> tet_faces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

inline double signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).cross(c - a).dot(d - a) / 6.0;
}
inline double signed_volume(const std::vector<Vec3>& x, const Tet& t) {
    return signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
}

/// Sum over tets at the given node positions, m³.
double total_volume(const std::vector<Vec3>& x, const std::vector<Tet>& tets);

/// For each tet and each of its faces: the tet on the other side, or -1 at the boundary.
std::vector<std::array<int, 4>> tet_neighbours(const std::vector<Tet>& tets);
using TetNeighbours = std::span<const std::array<int, 4>>;

/// The boundary triangles as a surface over the same nodes: `points` is compacted, `node` says which mesh node each is.
struct BoundarySurface {
    TriMesh surface;
    std::vector<int> node;
};
BoundarySurface boundary_surface(const TetMesh& mesh);

/// Number of face-connected pieces.
int connected_pieces(const std::vector<Tet>& tets);
/// The same from what tet_neighbours() tells; `piece` per tet, numbered in order of the lowest tet.
int connected_pieces(TetNeighbours neighbours, std::vector<int>& piece);

/// Per tet: the set of tets it hangs together with by nodes at least, numbered in order of the lowest tet; empty where
/// all hang together. `group` per tet: sets already known to hang together.
std::vector<int> linked_tets(const std::vector<Tet>& tets, std::span<const int> group = {});

/// Turns tets of negative volume round. Returns how many.
int orient_tets(TetMesh& mesh);

/// Quality per tet: 6√2·V / (rms edge length)³, 1 for a regular tet, 0 for a flat one, negative when inverted.
std::vector<double> tet_quality(const std::vector<Vec3>& x, const std::vector<Tet>& tets);

}  // namespace pliant
