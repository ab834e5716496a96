#include "pliant/geometry/tet_split.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

/// Replaces every tet that has the whole edge by its two halves.
void bisect(TetSplit& split, int edge) {
    const auto [a, b] = tet_edges[edge];
    const auto middle = static_cast<signed char>(4 + edge);
    for (int i = 0, before = split.count; i < before; ++i) {
        SplitTet& first = split.tet[i];
        const auto at_a = std::find(first.begin(), first.end(), a), at_b = std::find(first.begin(), first.end(), b);
        if (at_a == first.end() || at_b == first.end()) continue;
        CHECK(split.count < static_cast<int>(split.tet.size()), split.count, edge);
        SplitTet& second = split.tet[split.count++];
        second = first;
        second[at_a - first.begin()] = middle;
        *at_b = middle;
    }
}

int sign_of_distance(double d) { return (d > 0) - (d < 0); }

}  // namespace

TetSplit split_tet(std::span<const int> edges_in_order) {
    TetSplit split;
    split.count = 1;
    split.tet[0] = {0, 1, 2, 3};
    split.side.fill(0);
    for (int e : edges_in_order) bisect(split, e);
    return split;
}

TetSplit split_tet(const Tet& number, unsigned edges) {
    std::array<int, 6> order;
    int count = 0;
    const auto before = [&](int e, int f) {
        return std::minmax(number[tet_edges[e][0]], number[tet_edges[e][1]]) <
               std::minmax(number[tet_edges[f][0]], number[tet_edges[f][1]]);
    };
    for (int e = 0; e < 6; ++e) {
        if (!(edges >> e & 1)) continue;
        int at = count++;
        for (; at > 0 && before(e, order[at - 1]); --at) order[at] = order[at - 1];
        order[at] = e;
    }
    return split_tet(std::span(order).first(count));
}

unsigned divided_edges(const std::array<double, 4>& distance) {
    unsigned edges = 0;
    for (unsigned e = 0; e < 6; ++e)
        if (sign_of_distance(distance[tet_edges[e][0]]) * sign_of_distance(distance[tet_edges[e][1]]) < 0)
            edges |= 1u << e;
    return edges;
}

TetSplit split_tet(const Tet& number, const std::array<double, 4>& distance) {
    TetSplit split = split_tet(number, divided_edges(distance));
    for (int i = 0; i < split.count; ++i)
        for (int corner : split.tet[i])
            if (corner < 4 && distance[corner] != 0)
                split.side[i] = static_cast<signed char>(sign_of_distance(distance[corner]));
    return split;
}

TetPart part_of_tet(const std::array<double, 4>& distance, int side) {
    const TetSplit split = split_tet({0, 1, 2, 3}, distance);
    TetPart out;
    for (int i = 0; i < split.count; ++i) {
        if (split.side[i] != side) continue;
        Eigen::Matrix4d corner = Eigen::Matrix4d::Zero();  // barycentric, one per column
        for (int k = 0; k < 4; ++k) {
            const int c = split.tet[i][k];
            if (c < 4) {
                corner(c, k) = 1;
            } else {
                const double t = edge_parameter(distance, c - 4);
                corner(tet_edges[c - 4][0], k) = 1 - t, corner(tet_edges[c - 4][1], k) = t;
            }
        }
        const double volume = std::abs(corner.determinant());
        out.volume += volume;
        out.center += volume / 4 * corner.rowwise().sum();
    }
    if (out.volume > 0) out.center /= out.volume;
    return out;
}

TetSection section_of_tet(const std::array<double, 4>& distance) {
    TetSection out;
    int above[4], below[4], on[4], aboves = 0, belows = 0, ons = 0;
    for (int i = 0; i < 4; ++i) {
        const int s = sign_of_distance(distance[i]);
        if (s > 0) above[aboves++] = i;
        if (s < 0) below[belows++] = i;
        if (s == 0) on[ons++] = i;
    }
    if (aboves == 0 || belows == 0) return out;
    const auto point = [](int i, int j) { return static_cast<signed char>(4 + edge_between[i][j]); };
    if (aboves == 2 && belows == 2) {
        out.count = 4;
        out.corner = {point(below[0], above[0]), point(below[1], above[0]), point(below[1], above[1]),
                      point(below[0], above[1])};
    } else {
        for (int i = 0; i < ons; ++i) out.corner[out.count++] = static_cast<signed char>(on[i]);
        for (int i = 0; i < belows; ++i)
            for (int j = 0; j < aboves; ++j) out.corner[out.count++] = point(below[i], above[j]);
    }
    // Which way round it runs depends on the signs alone, so a plane through the middles of the divided edges of any
    // tet tells.
    const auto middle_of = [&](int c) -> Vec3 {
        const auto corner = [](int i) -> Vec3 { return i == 0 ? Vec3::Zero() : Vec3(Vec3::Unit(i - 1)); };
        return c < 4 ? corner(c) : Vec3(0.5 * (corner(tet_edges[c - 4][0]) + corner(tet_edges[c - 4][1])));
    };
    const Vec3 a = middle_of(out.corner[0]), b = middle_of(out.corner[1]), c = middle_of(out.corner[2]);
    const Vec3 top = above[0] == 0 ? Vec3::Zero() : Vec3(Vec3::Unit(above[0] - 1));
    if ((b - a).cross(c - a).dot(top - a) < 0) std::reverse(out.corner.begin(), out.corner.begin() + out.count);
    return out;
}

}  // namespace pliant
