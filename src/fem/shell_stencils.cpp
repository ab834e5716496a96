#include "pliant/fem/shell_stencils.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <map>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

/// A point at distances `from_a` and `from_b` from two points of the plane, to the left of a → b or to the right.
Vec2 unfolded(const Vec2& a, const Vec2& b, double from_a, double from_b, bool left) {
    const double length = (b - a).norm();
    const Vec2 along = (b - a) / length, across(-along.y(), along.x());
    const double s = (from_a * from_a - from_b * from_b + length * length) / (2 * length);
    const double height = std::sqrt(std::max(0.0, from_a * from_a - s * s));
    return a + s * along + (left ? height : -height) * across;
}

std::array<Vec2, 3> shape_gradients(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double twice = (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
    const auto turned = [&](const Vec2& e) { return Vec2(-e.y() / twice, e.x() / twice); };
    return {turned(c - b), turned(a - c), turned(b - a)};
}

double area_of(std::span<const Vec3> x, const Tri& t) {
    return 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
}

/// Which edge is opposite to each corner of each triangle.
std::vector<std::array<int, 3>> edges_of_triangles(std::span<const Tri> triangles, std::span<const ShellEdge> edges) {
    std::vector<std::array<int, 3>> of(triangles.size());
    for (int e = 0; e < static_cast<int>(edges.size()); ++e)
        for (int side = 0; side < edges[e].sides(); ++side) {
            const Tri& t = triangles[edges[e].triangle[side]];
            for (int k = 0; k < 3; ++k)
                if (t[k] == edges[e].node[2 + side]) of[edges[e].triangle[side]][k] = e;
        }
    return of;
}

/// The derivative of a quantity across an edge, at its middle and towards its first triangle, from its values at up to
/// eight nodes: Σ weight · value, 1/m.
struct Slope {
    int count = 0;
    std::array<int, 8> node;
    std::array<double, 8> weight;
};

/// Curvatures that the nodes of a patch see this much worse than the best one count as not seen: they are taken for
/// zero, so that nodes on a conic section do no harm. Halved or doubled, only patches that are nearly so change.
constexpr double unseen = 0.01;

/// Stiffness of what no quadratic surface has, in units of the bending stiffness. With it, waves that are long against
/// the edges have the right energy to the next order on a grid of right-angled triangles (there it would be 1.93; on
/// one of equilateral triangles 4.93, so that these stay a little soft). Nothing, or twice as much, changes the
/// deflections of the usual benchmarks by 1 to 3 % at the usual meshes.
constexpr double ripple_stiffness = 2;

/// From the quadratic polynomial that fits the values best. Fits the linear part whatever the nodes, and so gives the
/// exact derivative of linear functions; that of quadratic ones where the patch sees all three curvatures.
void fit_slope(std::span<const Vec2> at, double scale, std::span<double> weight) {
    const int n = static_cast<int>(at.size());
    Eigen::MatrixXd linear(n, 3), square(n, 3);
    Eigen::VectorXd importance(n);
    for (int i = 0; i < n; ++i) {
        const Vec2 p = at[i] / scale;
        importance[i] = 1;
        linear.row(i) << 1, p.x(), p.y();
        square.row(i) << 0.5 * p.x() * p.x(), p.x() * p.y(), 0.5 * p.y() * p.y();
    }
    const Eigen::MatrixXd scaled = importance.asDiagonal() * linear;
    const Eigen::MatrixXd inverse = scaled.completeOrthogonalDecomposition().pseudoInverse() * importance.asDiagonal();
    const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(n, n) - linear * inverse;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> curvatures(n, 3);
    curvatures.setThreshold(unseen);
    curvatures.compute(importance.asDiagonal() * rest * square);
    const Eigen::MatrixXd curvature = curvatures.pseudoInverse() * importance.asDiagonal() * rest;
    const Eigen::RowVectorXd slope = inverse.row(2) * (Eigen::MatrixXd::Identity(n, n) - square * curvature);
    for (int i = 0; i < n; ++i) weight[i] = slope[i] / scale;
}

/// The nodes of the patch round an edge, unfolded into the plane with the middle of the edge at the origin.
struct Patch {
    int count = 0;
    std::array<int, 8> node;
    std::array<Vec2, 8> at;
};

Patch patch_of(std::span<const Vec3> rest, std::span<const Tri> triangles, std::span<const ShellEdge> edges,
               std::span<const std::array<int, 3>> edges_of, const ShellEdge& edge) {
    Patch patch;
    const auto distance = [&](int i, int j) { return (rest[i] - rest[j]).norm(); };
    const auto add = [&](int node, const Vec2& place) {
        for (int i = 0; i < patch.count; ++i)
            if (patch.node[i] == node) return;
        patch.at[patch.count] = place;
        patch.node[patch.count++] = node;
    };
    const int a = edge.node[0], b = edge.node[1];
    const Vec2 place_a(-0.5 * edge.length, 0), place_b(0.5 * edge.length, 0);
    add(a, place_a), add(b, place_b);
    for (int side = 0; side < edge.sides(); ++side) {
        const int c = edge.node[2 + side];
        add(c, unfolded(place_a, place_b, distance(a, c), distance(b, c), side == 0));
    }
    for (int side = 0; side < edge.sides(); ++side) {
        const int c = edge.node[2 + side], t = edge.triangle[side];
        const Vec2 place_c = unfolded(place_a, place_b, distance(a, c), distance(b, c), side == 0);
        for (int k = 0; k < 3; ++k) {
            if (triangles[t][k] == c) continue;
            const ShellEdge& outer = edges[edges_of[t][k]];
            if (outer.sides() < 2) continue;
            const int beyond = outer.triangle[0] == t ? outer.node[3] : outer.node[2];
            // Opposite to a is the edge b c, and the other way round; the neighbour lies beyond it.
            const bool beside_b = triangles[t][k] == a;
            const int end = beside_b ? b : a;
            const Vec2& place_end = beside_b ? place_b : place_a;
            add(beyond,
                unfolded(place_end, place_c, distance(end, beyond), distance(c, beyond), beside_b != (side == 0)));
        }
    }
    return patch;
}

Slope slope_across(const Patch& patch, const ShellEdge& edge) {
    Slope slope;
    slope.count = patch.count, slope.node = patch.node;
    fit_slope(std::span(patch.at).first(patch.count), edge.length, std::span(slope.weight).first(patch.count));
    return slope;
}

/// What is left of the shape of a patch when the best quadratic surface is taken off: waves shorter than a few edges,
/// which the slopes see too little of. Quadratic surfaces have none, so that constant curvature stays exact.
ShellBend ripple(const Patch& patch, const ShellEdge& edge, double poisson) {
    ShellBend bend;
    // The first three nodes are those of the first triangle, whose normal counts.
    bend.count = patch.count;
    std::copy(patch.node.begin(), patch.node.begin() + patch.count, bend.node.begin());
    bend.area = edge.area;
    bend.coupling.setZero();
    Eigen::MatrixXd quadratic(patch.count, 6);
    const double scale = std::sqrt(3 * edge.area);
    for (int i = 0; i < patch.count; ++i) {
        const Vec2 p = patch.at[i] / scale;
        quadratic.row(i) << 1, p.x(), p.y(), p.x() * p.x(), p.x() * p.y(), p.y() * p.y();
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> fit(patch.count, 6);
    fit.setThreshold(unseen);
    fit.compute(quadratic);
    const Eigen::MatrixXd basis = fit.householderQ();
    for (int k = fit.rank(), mode = 0; k < patch.count && mode < 3; ++k, ++mode) {
        for (int i = 0; i < patch.count; ++i) bend.weight[mode][i] = basis(i, k) / (scale * scale);
        bend.coupling(mode, mode) = ripple_stiffness / (1 - poisson * poisson);
    }
    return bend;
}

}  // namespace

std::vector<ShellEdge> shell_edges(std::span<const Vec3> rest, std::span<const Tri> triangles) {
    std::vector<ShellEdge> edges;
    std::map<std::pair<int, int>, int> number;
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = triangles[t][(k + 1) % 3], b = triangles[t][(k + 2) % 3], c = triangles[t][k];
            const auto [at, fresh] = number.try_emplace(std::minmax(a, b), static_cast<int>(edges.size()));
            if (fresh) {
                ShellEdge edge;
                edge.node = {a, b, c, -1}, edge.triangle = {t, -1};
                edges.push_back(edge);
            } else {
                ShellEdge& edge = edges[at->second];
                CHECK(edge.node[3] < 0, a, b);
                edge.node[3] = c, edge.triangle[1] = t;
            }
        }
    for (ShellEdge& e : edges) {
        const Vec3 &a = rest[e.node[0]], &b = rest[e.node[1]];
        e.length = (b - a).norm();
        double area[2] = {0, 0};
        for (int side = 0; side < e.sides(); ++side) {
            const Vec3& c = rest[e.node[2 + side]];
            const Vec2 zero(0, 0), along(e.length, 0);
            e.gradient[side] =
                shape_gradients(zero, along, unfolded(zero, along, (c - a).norm(), (c - b).norm(), side == 0));
            area[side] = area_of(rest, triangles[e.triangle[side]]);
        }
        e.area = (area[0] + area[1]) / 3;
        for (int side = 0; side < 2; ++side) e.share[side] = area[side] / (area[0] + area[1]);
    }
    return edges;
}

std::vector<ShellBend> shell_bends(std::span<const Vec3> rest, std::span<const Tri> triangles,
                                   std::span<const ShellEdge> edges, std::span<const double> poisson,
                                   std::span<const char> clamped) {
    const std::vector<std::array<int, 3>> edges_of = edges_of_triangles(triangles, edges);
    std::vector<Slope> slopes(edges.size());
    std::vector<ShellBend> ripples;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e].sides() < 2) continue;
        const Patch patch = patch_of(rest, triangles, edges, edges_of, edges[e]);
        slopes[e] = slope_across(patch, edges[e]);
        ripples.push_back(ripple(patch, edges[e], poisson[edges[e].triangle[0]]));
    }
    std::vector<ShellBend> bends(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        ShellBend& bend = bends[t];
        const Tri& tri = triangles[t];
        bend.area = area_of(rest, tri);
        for (int i : tri) bend.node[bend.count++] = i;
        const Vec3 e1 = (rest[tri[1]] - rest[tri[0]]).normalized();
        const Vec3 normal = (rest[tri[1]] - rest[tri[0]]).cross(rest[tri[2]] - rest[tri[0]]).normalized();
        const Vec3 e2 = normal.cross(e1);
        Eigen::Matrix3d direction;  // per edge: its outward normal ν as ν₁², ν₂², 2ν₁ν₂
        for (int k = 0; k < 3; ++k) {
            const Vec3 outward = (rest[tri[(k + 2) % 3]] - rest[tri[(k + 1) % 3]]).cross(normal).normalized();
            const double x = outward.dot(e1), y = outward.dot(e2);
            direction.row(k) << x * x, y * y, 2 * x * y;
            const ShellEdge& edge = edges[edges_of[t][k]];
            if (edge.sides() < 2) {
                if (!clamped.empty() && clamped[edges_of[t][k]]) bend.kept[k] = edge.length / bend.area * outward;
                continue;
            }
            const Slope& slope = slopes[edges_of[t][k]];
            // Slopes are towards the edge's first triangle, outward is away from this one.
            const double factor = edge.length / bend.area * (edge.triangle[0] == static_cast<int>(t) ? -1 : 1);
            for (int i = 0; i < slope.count; ++i) {
                const auto last = bend.node.begin() + bend.count;
                const auto place = std::find(bend.node.begin(), last, slope.node[i]);
                if (place == last) bend.node[bend.count++] = slope.node[i];
                bend.weight[k][place - bend.node.begin()] += factor * slope.weight[i];
            }
        }
        Eigen::Matrix3d plane;  // plane stress of unit modulus
        const double nu = poisson[t];
        plane << 1, nu, 0, nu, 1, 0, 0, 0, 0.5 * (1 - nu);
        plane /= 1 - nu * nu;
        bend.coupling = direction * plane * direction.transpose();
        for (int k = 0; k < 3; ++k) {
            if (edges[edges_of[t][k]].sides() == 2 || !bend.kept[k].isZero(0)) continue;
            const Eigen::Vector3d column = bend.coupling.col(k);
            const double pivot = column[k];
            if (pivot > 0) bend.coupling -= column * column.transpose() / pivot;
            bend.coupling.row(k).setZero(), bend.coupling.col(k).setZero();
        }
    }
    bends.insert(bends.end(), ripples.begin(), ripples.end());
    return bends;
}

}  // namespace pliant
