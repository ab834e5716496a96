#include "pliant/meshing/surface_upkeep.hpp"

#include <Eigen/Cholesky>
#include <array>
#include <numeric>

#include "pliant/meshing/crossing_guard.hpp"
#include "pliant/meshing/surface_edit.hpp"

namespace pliant {

namespace {

class SurfaceUpkeep : EditedSurface {
public:
    SurfaceUpkeep(TriMesh& mesh, double edge)
        : EditedSurface(mesh), long_(1.6 * edge), short_(0.4 * edge), guard_(mesh.points, mesh.triangles, 2 * edge) {
        source.resize(tri_.size());
        std::iota(source.begin(), source.end(), 0);
    }

    void run(KeptSurface& out) {
        for (int before = -1; before != out.splits;) before = out.splits, out.splits += split_long_edges();
        for (std::size_t t = 0; t < tri_.size(); ++t) guard_.add(static_cast<int>(t));
        for (const auto& [u, v] : edges_where([&](int a, int b) { return length(a, b) < short_; }))
            out.collapses += collapse(u, v);
        for (const auto& [u, v] : edges_where([](int, int) { return true; })) out.flips += flip(u, v);
    }

    std::vector<int> source;  ///< per triangle

private:
    int split_long_edges() {
        int count = 0;
        for (const auto& [u, v] : edges_where([&](int a, int b) { return length(a, b) > long_; })) {
            int left, right;
            if (!triangles_at(u, v, left, right)) continue;  // a neighbour was split before
            // The longest edge of both triangles goes first, or slivers would be left.
            const int a = opposite(left, u, v), b = opposite(right, u, v);
            const double here = length(u, v);
            if (std::max({length(u, a), length(v, a), length(u, b), length(v, b)}) > here) continue;
            const int middle = add_point(0.5 * (x_[u] + x_[v]));
            split_edge(u, v, middle, left, right);
            source.push_back(source[left]), source.push_back(source[right]);
            ++count;
        }
        return count;
    }

    std::array<Vec3, 3> corners(const Tri& t) const { return {x_[t[0]], x_[t[1]], x_[t[2]]}; }

    /// Where both ends of an edge go (Lindstrom & Turk 1999): where the enclosed volume stays, and of these places the
    /// one that sweeps the least volume, squared, triangle by triangle; where that says nothing, near the middle.
    Vec3 collapsed_place(int u, int v, int left, int right) const {
        const Vec3 middle = 0.5 * (x_[u] + x_[v]);
        Mat3 H = Mat3::Zero();
        Vec3 c = Vec3::Zero(), g = Vec3::Zero();  // about the middle
        double swept = 0;
        for (int end : {u, v})
            for (int t : around_[end]) {
                if (end == v && (t == left || t == right)) continue;
                std::array<Vec3, 3> p = corners(tri_[t]);
                const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]);
                const double height = normal.dot(p[0] - middle);
                H += normal * normal.transpose(), c += height * normal;
                g += normal, swept += height;
            }
        // Σ normal·(p − corner) over all triangles of both stars is six times the volume that moving there sweeps.
        H += 1e-3 * H.trace() * Mat3::Identity();
        const Eigen::LDLT<Mat3> solver(H);
        const Vec3 free = solver.solve(c), along = solver.solve(g);
        const double slope = g.dot(along);
        return slope > 0 ? Vec3(middle + free + (swept - g.dot(free)) / slope * along) : middle;
    }

    bool collapse(int u, int v) {
        int left, right;
        if (!triangles_at(u, v, left, right)) return false;
        if (!(length(u, v) < short_)) return false;
        const int a = opposite(left, u, v), b = opposite(right, u, v);
        if (!may_merge(u, v, a, b)) return false;
        const Vec3 place = collapsed_place(u, v, left, right);
        if (!place.allFinite() || (place - 0.5 * (x_[u] + x_[v])).norm() > short_) return false;
        for (int end : {u, v})
            for (int t : around_[end]) {
                if (t == left || t == right) continue;
                const std::array<Vec3, 3> before = corners(tri_[t]);
                std::array<Vec3, 3> after = before;
                Tri renamed = tri_[t];
                for (int k = 0; k < 3; ++k)
                    if (renamed[k] == end) renamed[k] = v, after[k] = place;
                const Vec3 old_normal = (before[1] - before[0]).cross(before[2] - before[0]);
                const Vec3 new_normal = (after[1] - after[0]).cross(after[2] - after[0]);
                // Neither turned by more than 60° nor a needle, unless it was one.
                if (!(new_normal.dot(old_normal) > 0.5 * new_normal.norm() * old_normal.norm())) return false;
                const double quality_now = quality(after[0], after[1], after[2]);
                if (quality_now < 0.1 && quality_now < quality(before[0], before[1], before[2])) return false;
                for (int k = 0; k < 3; ++k)
                    if ((after[k] - after[(k + 1) % 3]).norm() > long_) return false;
                if (guard_.crosses(renamed, after, u)) return false;
            }
        merge_into(u, v, left, right);
        x_[v] = place;
        for (int t : around_[v]) guard_.add(t);
        return true;
    }

    /// Twice the area normal of a vertex' triangles: moving it by d changes six times the volume by d · this.
    Vec3 star_normal(int v) const {
        Vec3 sum = Vec3::Zero();
        for (int t : around_[v]) sum += (x_[tri_[t][1]] - x_[tri_[t][0]]).cross(x_[tri_[t][2]] - x_[tri_[t][0]]);
        return sum;
    }

    /// Moves a vertex, unless one of its triangles would go through another or turn away.
    bool move(int v, const Vec3& to) {
        for (int t : around_[v]) {
            const std::array<Vec3, 3> before = corners(tri_[t]);
            std::array<Vec3, 3> after = before;
            for (int k = 0; k < 3; ++k)
                if (tri_[t][k] == v) after[k] = to;
            const Vec3 turned = (after[1] - after[0]).cross(after[2] - after[0]);
            if (!(turned.dot((before[1] - before[0]).cross(before[2] - before[0])) > 0)) return false;
            if (guard_.crosses(tri_[t], after)) return false;
        }
        x_[v] = to;
        for (int t : around_[v]) guard_.add(t);
        return true;
    }

    /// Where the neighbours are as good as flat, and the worse of the two gets better. One end of the old edge moves as
    /// far as the volume needs.
    bool flip(int u, int v) {
        constexpr double flat = 0.99;  // cosine: below eight degrees
        int left, right;
        if (!triangles_at(u, v, left, right)) return false;
        const int a = opposite(left, u, v), b = opposite(right, u, v);
        if (a == b || around_[u].size() <= 3 || around_[v].size() <= 3) return false;
        const Tri one{a, b, v}, two{b, a, u};
        const double before = std::min(quality(tri_[left]), quality(tri_[right]));
        if (before > 0.5 || std::min(quality(one), quality(two)) < 1.1 * before) return false;
        std::array<Vec3, 4> normal;
        int n = 0;
        for (const Tri& t : {tri_[left], tri_[right], one, two})
            normal[n++] = (x_[t[1]] - x_[t[0]]).cross(x_[t[2]] - x_[t[0]]).normalized();
        for (int i = 0; i < 4; ++i)
            if (!(normal[i].dot(normal[0]) > flat)) return false;
        int l, r;
        if (triangles_at(a, b, l, r) || l >= 0 || r >= 0) return false;
        if (guard_.crosses(one, corners(one)) || guard_.crosses(two, corners(two))) return false;
        const double gained = (x_[a] - x_[u]).dot((x_[b] - x_[u]).cross(x_[v] - x_[u]));  // six times the volume
        turn_edge(u, v, left, right, a, b);
        guard_.add(left), guard_.add(right);
        const Vec3 out = star_normal(v), shift = -gained / out.squaredNorm() * out;
        if (shift.norm() < 0.1 * short_ && move(v, x_[v] + shift)) return true;
        turn_edge(a, b, left, right, v, u);
        guard_.add(left), guard_.add(right);
        return false;
    }

    double long_, short_;  ///< m
    CrossingGuard guard_;
};

}  // namespace

KeptSurface keep_surface(const TriMesh& surface, double edge) {
    KeptSurface out;
    TriMesh& mesh = out.surface;
    mesh.points = surface.points, mesh.triangles = surface.triangles;
    SurfaceUpkeep upkeep(mesh, edge);
    upkeep.run(out);

    std::vector<int> number(mesh.points.size(), -1);
    for (const Tri& t : mesh.triangles)
        for (int v : t)
            if (v >= 0) number[v] = 0;
    std::vector<Vec3> points;
    for (std::size_t v = 0; v < number.size(); ++v)
        if (number[v] == 0) number[v] = static_cast<int>(points.size()), points.push_back(mesh.points[v]);
    std::vector<Tri> triangles;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Tri& tri = mesh.triangles[t];
        if (tri[0] < 0) continue;
        triangles.push_back({number[tri[0]], number[tri[1]], number[tri[2]]});
        out.source.push_back(upkeep.source[t]);
    }
    mesh.points = std::move(points), mesh.triangles = std::move(triangles);
    out.vertices_after.assign(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(surface.points.size()));
    return out;
}

}  // namespace pliant
