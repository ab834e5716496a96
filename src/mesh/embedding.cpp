#include "pliant/mesh/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {

namespace {

/// Points sorted into the cells of a uniform grid, so that every tet finds the points in its box.
struct PointGrid {
    Vec3 low = Vec3::Zero();
    double inverse_cell = 0;
    int size[3] = {1, 1, 1};
    std::vector<int> start;   // per cell, plus one
    std::vector<int> points;  // sorted by cell, then index

    int coordinate(double x, int axis) const {
        const double c = (x - low[axis]) * inverse_cell;
        return c > 0 ? std::min(static_cast<int>(std::min(c, 1e9)), size[axis] - 1) : 0;
    }
    std::size_t cell(int i, int j, int k) const { return (static_cast<std::size_t>(k) * size[1] + j) * size[0] + i; }
};

PointGrid make_grid(std::span<const Vec3> points, const Box& box, double wanted_cell) {
    PointGrid grid;
    grid.low = box.min;
    const Vec3 extent = box.size();
    // No more cells than are cheap to clear, however thin the mesh or scattered the points.
    const double most_cells = 4.0 * static_cast<double>(points.size()) + 4096;
    const double longest = extent.maxCoeff();
    double cell = std::max(wanted_cell, longest * 1e-6);
    if (!(cell > 0)) cell = 1;
    const auto cells = [&](double h) {
        double product = 1;
        for (int k = 0; k < 3; ++k) product *= std::floor(extent[k] / h) + 1;
        return product;
    };
    while (cells(cell) > most_cells) cell *= 1.25;
    grid.inverse_cell = 1 / cell;
    for (int k = 0; k < 3; ++k) grid.size[k] = static_cast<int>(extent[k] / cell) + 1;

    std::vector<std::size_t> home(points.size());
    grid.start.assign(static_cast<std::size_t>(grid.size[0]) * grid.size[1] * grid.size[2] + 1, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3& p = points[i];
        home[i] = grid.cell(grid.coordinate(p[0], 0), grid.coordinate(p[1], 1), grid.coordinate(p[2], 2));
        ++grid.start[home[i] + 1];
    }
    for (std::size_t c = 1; c < grid.start.size(); ++c) grid.start[c] += grid.start[c - 1];
    grid.points.resize(points.size());
    std::vector<int> next(grid.start.begin(), grid.start.end() - 1);
    for (std::size_t i = 0; i < points.size(); ++i) grid.points[next[home[i]]++] = static_cast<int>(i);
    return grid;
}

/// Maps a point to the weights of one tet; false from `usable` when the tet is flat.
struct Barycentric {
    Vec3 origin;
    Mat3 rows;
    bool usable;

    Barycentric(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) : origin(a) {
        const Vec3 ab = b - a, ac = c - a, ad = d - a;
        const Vec3 cd = ac.cross(ad), db = ad.cross(ab), bc = ab.cross(ac);
        const double six_volume = ab.dot(cd);
        const double edge = std::sqrt(std::max({ab.squaredNorm(), ac.squaredNorm(), ad.squaredNorm()}));
        usable = std::abs(six_volume) > 1e-12 * edge * edge * edge;  // relative to the tet's own size
        rows.row(0) = cd.transpose() / six_volume;
        rows.row(1) = db.transpose() / six_volume;
        rows.row(2) = bc.transpose() / six_volume;
    }
    Vec4 weights(const Vec3& p) const {
        const Vec3 w = rows * (p - origin);
        return {1 - w[0] - w[1] - w[2], w[0], w[1], w[2]};
    }
};

/// Distance to a tet's boundary: what counts for points that no tet contains.
double distance2_to_tet(const Vec3& p, const std::vector<Vec3>& x, const Tet& t) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& f : tet_faces) best = std::min(best, distance2_to_triangle(p, x[t[f[0]]], x[t[f[1]]], x[t[f[2]]]));
    return best;
}

Box tet_box(const std::vector<Vec3>& x, const Tet& t) {
    Box box;
    for (int i : t) box.add(x[i]);
    return box;
}

void embed_outside(const TetMesh& mesh, std::span<const Vec3> points, const std::vector<int>& outside, Embedding& out) {
    std::vector<Box> boxes;
    boxes.reserve(mesh.tets.size());
    for (const Tet& t : mesh.tets) {
        const bool usable = Barycentric(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]).usable;
        boxes.push_back(usable ? tet_box(mesh.rest, t) : Box{});  // nobody comes near an empty box
    }
    const AabbTree tree(boxes);
    for (const int i : outside) {
        const auto near = tree.nearest(points[i], std::numeric_limits<double>::infinity(), [&](int t) {
            return boxes[t].empty() ? std::numeric_limits<double>::infinity()
                                    : distance2_to_tet(points[i], mesh.rest, mesh.tets[t]);
        });
        if (near.item < 0)
            throw UserError("the tetrahedral mesh has only flat elements, so the surface cannot follow it", {},
                            "Mesh the body again, for example with `lattice`");
        const Tet& t = mesh.tets[near.item];
        out.tet[i] = near.item;
        out.weight[i] =
            Barycentric(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]).weights(points[i]);
    }
}

}  // namespace

Embedding embed(const TetMesh& mesh, std::span<const Vec3> points) {
    Embedding out;
    out.tet.assign(points.size(), -1);
    out.weight.assign(points.size(), Vec4(1, 0, 0, 0));
    if (points.empty()) return out;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!points[i].allFinite())
            throw UserError("point " + std::to_string(i) + " of the surface is not a finite number", {},
                            "Check the surface file for nan or inf");
    if (mesh.tets.empty())
        throw UserError("the surface cannot be embedded in a mesh without tetrahedra", {},
                        "Use a smaller cell, so that the lattice has elements");

    Box box;
    for (const Vec3& p : points) box.add(p);
    double edges = 0;
    for (const Tet& t : mesh.tets) edges += (mesh.rest[t[1]] - mesh.rest[t[0]]).norm();
    const PointGrid grid = make_grid(points, box, edges / static_cast<double>(mesh.tets.size()));

    // Points on a shared face may be outside both neighbours by rounding: a weight this little below zero counts
    // as inside, the least negative first.
    constexpr double slack = 1e-9;
    std::vector<double> lowest(points.size(), -slack);
    for (std::size_t n = 0; n < mesh.tets.size(); ++n) {
        const Tet& t = mesh.tets[n];
        Box reach = tet_box(mesh.rest, t);
        reach = reach.grown(slack * reach.size().maxCoeff());
        if (!reach.overlaps(box)) continue;
        int from[3], to[3];
        for (int k = 0; k < 3; ++k)
            from[k] = grid.coordinate(reach.min[k], k), to[k] = grid.coordinate(reach.max[k], k);
        bool any = false;
        for (int k = from[2]; k <= to[2] && !any; ++k)
            for (int j = from[1]; j <= to[1] && !any; ++j)
                any = grid.start[grid.cell(from[0], j, k)] != grid.start[grid.cell(to[0], j, k) + 1];
        if (!any) continue;
        const Barycentric barycentric(mesh.rest[t[0]], mesh.rest[t[1]], mesh.rest[t[2]], mesh.rest[t[3]]);
        if (!barycentric.usable) continue;
        for (int k = from[2]; k <= to[2]; ++k)
            for (int j = from[1]; j <= to[1]; ++j) {
                const int end = grid.start[grid.cell(to[0], j, k) + 1];
                for (int s = grid.start[grid.cell(from[0], j, k)]; s < end; ++s) {
                    const int i = grid.points[s];
                    if (lowest[i] >= 0 || !reach.contains(points[i])) continue;
                    const Vec4 w = barycentric.weights(points[i]);
                    const double least = std::min(w.minCoeff(), 0.0);
                    if (least > lowest[i] || (least == lowest[i] && out.tet[i] < 0))
                        lowest[i] = least, out.tet[i] = static_cast<int>(n), out.weight[i] = w;
                }
            }
    }

    std::vector<int> outside;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (out.tet[i] < 0) outside.push_back(static_cast<int>(i));
    if (!outside.empty()) embed_outside(mesh, points, outside, out);
    return out;
}

Point embed_point(const TetMesh& mesh, const Vec3& at) { return embed(mesh, std::span(&at, 1)).point(0, mesh.tets); }

void interpolate(const Embedding& embedding, std::span<const Tet> tets, std::span<const Vec3> nodal,
                 std::span<Vec3> out) {
    CHECK(out.size() == embedding.size(), out.size(), embedding.size());
    for (std::size_t i = 0; i < embedding.size(); ++i) {
        const Tet& t = tets[embedding.tet[i]];
        const Vec4& w = embedding.weight[i];
        // As an offset from node 0: far from the origin the weights' rounding would multiply the whole position.
        const Vec3 a = nodal[t[0]];
        out[i] = a + w[1] * (nodal[t[1]] - a) + w[2] * (nodal[t[2]] - a) + w[3] * (nodal[t[3]] - a);
    }
}

}  // namespace pliant
