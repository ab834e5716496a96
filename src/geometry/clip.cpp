#include "pliant/geometry/clip.hpp"

namespace pliant {

namespace {

// Outward faces, as pliant/mesh/tet_mesh.hpp has them.
constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Vertices of all kinds as one index: corners, then (edge, face), then tet edges.
constexpr int crossing(int edge, int face) { return 3 + 4 * edge + face; }
constexpr int piercing(int tet_edge) { return 15 + tet_edge; }
constexpr int kinds = 21;

ClipVertex vertex_of(int i) {
    if (i < 3) return {ClipVertex::corner, static_cast<unsigned char>(i), 0};
    if (i < 15)
        return {ClipVertex::edge_face, static_cast<unsigned char>((i - 3) / 4),
                static_cast<unsigned char>((i - 3) % 4)};
    return {ClipVertex::tet_edge, static_cast<unsigned char>(i - 15), 0};
}

}  // namespace

ClipTet::ClipTet(const std::array<RankedPoint, 4>& n)
    : node(n), face{{{n[1], n[2], n[3]}, {n[0], n[3], n[2]}, {n[0], n[1], n[3]}, {n[0], n[2], n[1]}}} {}

ClipPolygon clip(const std::array<RankedPoint, 3>& p, const std::array<unsigned, 3>& beyond, const ClipTet& tet) {
    ClipPolygon out;
    out.size = 0;
    const std::array<RankedPoint, 4>& n = tet.node;
    if ((beyond[0] & beyond[1] & beyond[2]) != 0) return out;
    const unsigned reached = beyond[0] | beyond[1] | beyond[2];  // faces whose planes the triangle goes through
    if (reached == 0) {                                          // it is within as a whole
        out.size = 3;
        for (unsigned char k = 0; k < 3; ++k) out.vertex[k] = {ClipVertex::corner, k, 0}, out.along[k] = k;
        return out;
    }
    const auto outside = [&](int f, int k) { return (beyond[k] >> f & 1) != 0; };

    const bool reaches_one = (reached & (reached - 1)) == 0;  // then a corner is inside
    if (!reaches_one) {
        const RankedPlane plane(p[0], p[1], p[2]);
        bool above = false, below = false;
        for (int j = 0; j < 4; ++j) {
            out.node_side[j] = static_cast<signed char>(plane.side_of(n[j]));
            (out.node_side[j] > 0 ? above : below) = true;
        }
        if (!above || !below) return out;
    }

    // How each triangle edge passes each tet edge; asked for only where it matters.
    int passing[3][6] = {};
    const auto passes = [&](int e, int m) {
        int& s = passing[e][m];
        if (s == 0) s = side(p[e], p[(e + 1) % 3], n[tet_edges[m][0]], n[tet_edges[m][1]]);
        return s;
    };
    const auto passes_directed = [&](int e, int i, int j) {
        return i < j ? passes(e, edge_between[i][j]) : -passes(e, edge_between[i][j]);
    };

    bool crosses[3][4] = {}, pierces[6] = {};
    for (int e = 0; e < 3; ++e)
        for (int f = 0; f < 4; ++f) {
            if (outside(f, e) == outside(f, (e + 1) % 3)) continue;
            // From inside to beyond a single face: through this one.
            if ((crosses[e][f] = (beyond[e] | beyond[(e + 1) % 3]) == 1u << f)) continue;
            const auto& c = faces[f];
            const int first = passes_directed(e, c[0], c[1]);
            crosses[e][f] = first == passes_directed(e, c[1], c[2]) && first == passes_directed(e, c[2], c[0]);
        }
    // Only where the triangle goes through the planes of both faces that meet in the edge.
    for (int m = 0; m < 6 && !reaches_one; ++m)
        pierces[m] = (reached | 1u << tet_edges[m][0] | 1u << tet_edges[m][1]) == 15 &&
                     out.node_side[tet_edges[m][0]] != out.node_side[tet_edges[m][1]] && passes(0, m) == passes(1, m) &&
                     passes(1, m) == passes(2, m);

    int next[kinds], along[kinds], links = 0;
    for (int& i : next) i = -1;
    const auto link = [&](int from, int to, int on) {
        if (from < 0 && to < 0) return true;
        if (from < 0 || to < 0 || next[from] >= 0) return false;
        next[from] = to, along[from] = on, ++links;
        return true;
    };
    for (int e = 0; e < 3; ++e) {
        const int q = (e + 1) % 3;
        int from = -1, to = -1;
        for (int f = 0; f < 4; ++f)
            if (crosses[e][f]) (outside(f, e) ? from : to) = crossing(e, f);
        if (beyond[e] == 0) from = e;
        if (beyond[q] == 0) to = q;
        if (!link(from, to, e)) return out.size = -1, out;
    }
    // Within face f the cut runs along (triangle normal) × (outward face normal). It leaves the triangle where an edge
    // comes into the tet, and leaves the face where the face's edge, counter-clockwise, goes out of the surface.
    for (int f = 0; f < 4; ++f) {
        int from = -1, to = -1;
        for (int e = 0; e < 3; ++e)
            if (crosses[e][f]) (outside(f, e) ? to : from) = crossing(e, f);
        for (int k = 0; k < 3; ++k) {
            const int i = faces[f][k], j = faces[f][(k + 1) % 3], m = edge_between[i][j];
            if (pierces[m]) (out.node_side[j] > 0 ? to : from) = piercing(m);
        }
        if (!link(from, to, 3 + f)) return out.size = -1, out;
    }
    if (links == 0) return out;
    int start = 0;
    while (next[start] < 0) ++start;
    int at = start;
    do {
        if (out.size == 8 || next[at] < 0) return out.size = -1, out;
        out.vertex[out.size] = vertex_of(at);
        out.along[out.size] = static_cast<unsigned char>(along[at]);
        ++out.size;
        at = next[at];
    } while (at != start);
    if (out.size != links) out.size = -1;
    return out;
}

}  // namespace pliant
