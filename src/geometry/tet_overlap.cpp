#include "pliant/geometry/tet_overlap.hpp"

#include <algorithm>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/geometry/crossing.hpp"
#include "pliant/geometry/moments.hpp"

namespace pliant {

namespace {

// Outward faces, as clip() numbers them: face i is opposite to node i.
constexpr int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Every corner the solid may have by one index: nodes of tet 0, of tet 1, then edges of tet s through faces of the
/// other.
constexpr int corner_of_node(int tet, int node) { return 4 * tet + node; }
constexpr int corner_of_edge(int tet, int edge, int other_face) { return 8 + 24 * tet + 4 * edge + other_face; }

struct OverlapSolid {
    const ClipTet* tet[2];
    TetOverlap& out;
    std::array<signed char, 56> known;

    Vec3 place(int corner) const {
        if (corner < 8) return *tet[corner / 4]->node[corner % 4].p;
        const int s = (corner - 8) / 24, edge = (corner - 8) % 24 / 4, face = (corner - 8) % 4;
        RankedPoint p = tet[s]->node[tet_edges[edge][0]], q = tet[s]->node[tet_edges[edge][1]];
        if (p.rank > q.rank) std::swap(p, q);  // so that all tets with this edge find the same bits
        const RankedPlane& plane = tet[1 - s]->face[face];
        return *p.p + crossing_parameter(*p.p, *q.p, *plane.a.p, *plane.b.p, *plane.c.p) * (*q.p - *p.p);
    }

    unsigned char number(int corner) {
        if (known[corner] < 0) {
            CHECK(out.corners < static_cast<int>(out.point.size()), out.corners);
            known[corner] = static_cast<signed char>(out.corners);
            out.point[out.corners++] = place(corner);
        }
        return static_cast<unsigned char>(known[corner]);
    }

    /// Face f of tet s within the other. `beyond`: what the other says of the nodes of s.
    void add_face(int s, int f, const std::array<unsigned, 4>& beyond) {
        const auto& c = outward[f];
        const auto& node = tet[s]->node;
        const ClipPolygon polygon =
            clip({node[c[0]], node[c[1]], node[c[2]]}, {beyond[c[0]], beyond[c[1]], beyond[c[2]]}, *tet[1 - s]);
        CHECK(polygon.size >= 0, s, f);
        TetOverlap::Face& face = out.face[4 * s + f];
        for (int k = 0; k < polygon.size; ++k) {
            const ClipVertex& v = polygon.vertex[k];
            int corner = 0;
            if (v.kind == ClipVertex::corner) corner = corner_of_node(s, c[v.index]);
            if (v.kind == ClipVertex::edge_face)
                corner = corner_of_edge(s, edge_between[c[v.index]][c[(v.index + 1) % 3]], v.face);
            if (v.kind == ClipVertex::tet_edge) corner = corner_of_edge(1 - s, v.index, f);
            face.corner[face.count++] = number(corner);
        }
    }
};

/// Where a coordinate is zero between two places.
Vec4 between(const Vec4& in, const Vec4& out, int coordinate) {
    return in + in[coordinate] / (in[coordinate] - out[coordinate]) * (out - in);
}

/// The part of a tet where coordinates `first` to 3 are positive.
double positive_part(const std::array<Vec4, 4>& tet, int first) {
    for (int k = first; k < 4; ++k) {
        std::array<int, 4> in, out;
        int inside = 0, outside = 0;
        for (int i = 0; i < 4; ++i) (tet[i][k] >= 0 ? in[inside++] : out[outside++]) = i;
        if (outside == 0) continue;
        if (inside == 0) return 0;
        if (inside == 1) {  // a corner
            std::array<Vec4, 4> corner{tet[in[0]]};
            for (int i = 0; i < 3; ++i) corner[i + 1] = between(tet[in[0]], tet[out[i]], k);
            return positive_part(corner, k + 1);
        }
        if (inside == 3) {  // all but a corner
            std::array<Vec4, 4> corner{tet[out[0]]};
            for (int i = 0; i < 3; ++i) corner[i + 1] = between(tet[in[i]], tet[out[0]], k);
            return positive_part(tet, k + 1) - positive_part(corner, k + 1);
        }
        const Vec4 &a = tet[in[0]], &b = tet[in[1]];  // a prism over the triangle at a, with another at b
        const Vec4 a1 = between(a, tet[out[0]], k), a2 = between(a, tet[out[1]], k);
        const Vec4 b1 = between(b, tet[out[0]], k), b2 = between(b, tet[out[1]], k);
        return positive_part({a, a1, a2, b2}, k + 1) + positive_part({a, a1, b1, b2}, k + 1) +
               positive_part({a, b, b1, b2}, k + 1);
    }
    const Vec3 base = tet[0].head<3>();
    return std::abs((tet[1].head<3>() - base).cross(tet[2].head<3>() - base).dot(tet[3].head<3>() - base));
}

}  // namespace

double overlap_share(const std::array<Vec4, 4>& corner) {
    for (int k = 0; k < 4; ++k)
        if (corner[0][k] <= 0 && corner[1][k] <= 0 && corner[2][k] <= 0 && corner[3][k] <= 0) return 0;
    return std::max(0.0, positive_part(corner, 0));
}

ClipTet oriented_tet(std::array<RankedPoint, 4> nodes) {
    if (side(nodes[0], nodes[1], nodes[2], nodes[3]) < 0) std::swap(nodes[2], nodes[3]);
    return ClipTet(nodes);
}

TetOverlap overlap(const ClipTet& a, const ClipTet& b) {
    TetOverlap out;
    std::array<unsigned, 4> a_beyond, b_beyond;
    for (int i = 0; i < 4; ++i) a_beyond[i] = b.beyond(a.node[i]);
    if ((a_beyond[0] & a_beyond[1] & a_beyond[2] & a_beyond[3]) != 0) return out;
    for (int i = 0; i < 4; ++i) b_beyond[i] = a.beyond(b.node[i]);
    if ((b_beyond[0] & b_beyond[1] & b_beyond[2] & b_beyond[3]) != 0) return out;
    OverlapSolid solid{{&a, &b}, out, {}};
    solid.known.fill(-1);
    for (int f = 0; f < 4; ++f) solid.add_face(0, f, a_beyond);
    for (int f = 0; f < 4; ++f) solid.add_face(1, f, b_beyond);
    if (out.corners == 0) return out;

    Moments moments;
    moments.origin = out.point[0];
    for (const TetOverlap::Face& face : out.face)
        for (int k = 2; k < face.count; ++k)
            moments.add(out.point[face.corner[0]], out.point[face.corner[k - 1]], out.point[face.corner[k]], 1);
    if (moments.volume > 0) out.volume = moments.volume, out.centroid = moments.centroid();
    return out;
}

TetOverlap overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    std::array<RankedPoint, 4> first, second;
    for (int i = 0; i < 4; ++i) first[i] = {&a[i], i}, second[i] = {&b[i], 4 + i};
    return overlap(oriented_tet(first), oriented_tet(second));
}

}  // namespace pliant
