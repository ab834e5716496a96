#include "pliant/remesh/contents.hpp"

#include <Eigen/LU>
#include <array>
#include <cstdint>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/geometry/crossing.hpp"
#include "pliant/geometry/moments.hpp"

namespace pliant {

namespace {

// A part of the body within a tet is bounded by parts of surface triangles and by the parts of the tet's faces that lie
// inside. With node 0 as the origin of the divergence theorem, faces 1 to 3 contribute nothing; with node 1 as the base
// of a fan that covers the inside part of face 0, the face's edges at node 1 contribute nothing either. What is left of
// all faces is the lines where triangles cut face 0, and the points where they cut the edge from node 2 to node 3.

/// What one triangle contributes to one tet.
struct Piece {
    int tet;
    Moments moments;                    ///< about node 0
    std::array<std::int8_t, 6> jump{};  ///< of the winding number along each edge of the tet, from its first node on
};

constexpr int last_edge = edge_between[2][3];

struct Clipper {
    const TetMesh& mesh;
    const TriMesh& surface;

    RankedPoint node(int i) const { return {&mesh.rest[i], static_cast<std::int64_t>(surface.points.size()) + i}; }

    /// False where they do not meet.
    bool add(int tet, int triangle, Piece& out) const {
        const Tet& nodes = mesh.tets[tet];
        const ClipTet clip_tet({node(nodes[0]), node(nodes[1]), node(nodes[2]), node(nodes[3])});
        const Tri& corners = surface.triangles[triangle];
        std::array<RankedPoint, 3> p;
        for (int k = 0; k < 3; ++k) p[k] = {&surface.points[corners[k]], corners[k]};
        const ClipPolygon polygon = clip(p, clip_tet);
        CHECK(polygon.size >= 0, tet, triangle);
        if (polygon.size == 0) return false;
        out = {.tet = tet, .moments = {.origin = mesh.rest[nodes[0]]}};
        std::array<Vec3, 8> x;
        for (int i = 0; i < polygon.size; ++i) x[i] = place(polygon.vertex[i], p, clip_tet);
        for (int i = 2; i < polygon.size; ++i) out.moments.add(x[0], x[i - 1], x[i], 1);
        for (int i = 0; i < polygon.size; ++i) {
            const int next = (i + 1) % polygon.size;
            // Seen from outside the tet, the inside part of the face runs along the other way.
            if (polygon.along[i] == 3) out.moments.add(mesh.rest[nodes[1]], x[next], x[i], 1);
            if (polygon.vertex[i].kind != ClipVertex::tet_edge) continue;
            const int edge = polygon.vertex[i].index;
            // Towards the side from which the triangle is counter-clockwise is out of the body.
            const std::int8_t jump = polygon.node_side[tet_edges[edge][1]] > 0 ? -1 : 1;
            out.jump[edge] = static_cast<std::int8_t>(out.jump[edge] + jump);
            if (edge == last_edge) out.moments.add(mesh.rest[nodes[1]], mesh.rest[nodes[2]], x[i], -jump);
        }
        return true;
    }

    static Vec3 place(const ClipVertex& v, const std::array<RankedPoint, 3>& p, const ClipTet& tet) {
        if (v.kind == ClipVertex::corner) return *p[v.index].p;
        RankedPoint from, to;
        std::array<const Vec3*, 3> plane;
        if (v.kind == ClipVertex::edge_face) {
            from = p[v.index], to = p[(v.index + 1) % 3];
            plane = {tet.face[v.face].a.p, tet.face[v.face].b.p, tet.face[v.face].c.p};
        } else {
            from = tet.node[tet_edges[v.index][0]], to = tet.node[tet_edges[v.index][1]];
            plane = {p[0].p, p[1].p, p[2].p};
        }
        if (from.rank > to.rank) std::swap(from, to);  // the same bits for all who share the edge
        return *from.p + crossing_parameter(*from.p, *to.p, *plane[0], *plane[1], *plane[2]) * (*to.p - *from.p);
    }
};

std::vector<Piece> clip_surface(const IndexedLattice& lattice, const TriMesh& surface, Threads& threads) {
    constexpr std::size_t at_once = 256;
    const Clipper clipper{lattice.lattice.mesh, surface};
    std::vector<std::vector<Piece>> chunks((surface.triangles.size() + at_once - 1) / at_once);
    parallel_for(threads, surface.triangles.size(), at_once, [&](std::size_t begin, std::size_t end) {
        std::vector<Piece>& out = chunks[begin / at_once];
        Piece piece;
        for (std::size_t t = begin; t < end; ++t) {
            Box box;
            for (int v : surface.triangles[t]) box.add(surface.points[v]);
            lattice.lookup.each_tet(box, [&](int tet) {
                if (clipper.add(tet, static_cast<int>(t), piece)) out.push_back(piece);
            });
        }
    });
    std::vector<Piece> all;
    for (const std::vector<Piece>& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
    return all;
}

/// Winding number of the surface about each node, from the jumps along edges.
std::vector<int> windings(const TetMesh& mesh, const std::vector<std::array<std::int8_t, 6>>& jump) {
    std::vector<int> begin(mesh.rest.size() + 1, 0), star(4 * mesh.tets.size());
    for (const Tet& tet : mesh.tets)
        for (int node : tet) ++begin[node + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (int node : mesh.tets[t]) star[next[node]++] = static_cast<int>(t);
    // A lattice keeps all 24 tets round a node that is inside: those with fewer are outside.
    constexpr int unknown = 1 << 20, full_star = 24;
    std::vector<int> winding(mesh.rest.size(), unknown), queue;
    for (int i = 0; i < mesh.node_count(); ++i)
        if (begin[i + 1] - begin[i] < full_star) winding[i] = 0, queue.push_back(i);
    for (std::size_t done = 0; done < queue.size(); ++done) {
        const int node = queue[done];
        for (int s = begin[node]; s < begin[node + 1]; ++s) {
            const Tet& tet = mesh.tets[star[s]];
            for (int e = 0; e < 6; ++e) {
                const int a = tet[tet_edges[e][0]], b = tet[tet_edges[e][1]];
                if (a != node && b != node) continue;
                const int other = a == node ? b : a;
                if (winding[other] != unknown) continue;
                winding[other] = winding[node] + (a == node ? jump[star[s]][e] : -jump[star[s]][e]);
                queue.push_back(other);
            }
        }
    }
    return winding;
}

}  // namespace

std::vector<TetContent> lattice_contents(const IndexedLattice& lattice, const TriMesh& surface, Threads& threads) {
    const TetMesh& mesh = lattice.lattice.mesh;
    std::vector<Moments> moments(mesh.tets.size());
    std::vector<std::array<std::int8_t, 6>> jump(mesh.tets.size(), std::array<std::int8_t, 6>{});
    for (const Piece& piece : clip_surface(lattice, surface, threads)) {
        Moments& sum = moments[piece.tet];
        sum.volume += piece.moments.volume, sum.first += piece.moments.first;
        for (int e = 0; e < 6; ++e) jump[piece.tet][e] = static_cast<std::int8_t>(jump[piece.tet][e] + piece.jump[e]);
    }
    const std::vector<int> winding = windings(mesh, jump);
    std::vector<TetContent> contents(mesh.tets.size());
    parallel_for(threads, contents.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Tet& tet = mesh.tets[t];
            Moments& sum = moments[t];
            sum.origin = mesh.rest[tet[0]];
            sum.add(mesh.rest[tet[1]], mesh.rest[tet[2]], mesh.rest[tet[3]], winding[tet[3]]);
            const double whole = signed_volume(mesh.rest, tet);
            // Less than rounding leaves of a whole tet has no place.
            if (!(sum.volume > 1e-12 * whole)) continue;
            Mat3 edges;
            for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
            const Vec3 weight = edges.inverse() * (sum.first / sum.volume);
            contents[t] = {sum.volume, {1 - weight.sum(), weight[0], weight[1], weight[2]}};
        }
    });
    return contents;
}

}  // namespace pliant
