#include "pliant/meshing/surface_topology.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numbers>
#include <tuple>

#include "pliant/core/union_find.hpp"
#include "pliant/meshing/crossing_guard.hpp"
#include "pliant/meshing/surface_edit.hpp"

namespace pliant {

namespace {

double mean_edge(const TriMesh& surface) {
    double sum = 0;
    for (const Tri& t : surface.triangles)
        for (int k = 0; k < 3; ++k) sum += (surface.points[t[k]] - surface.points[t[(k + 1) % 3]]).norm();
    return sum / (3 * std::max<double>(1, static_cast<double>(surface.triangles.size())));
}

/// Two triangles that face each other, or turn their backs.
struct FacingPair {
    double distance;  ///< m
    int one, other;
    bool outside;  ///< what is between them is not of the body
};

class SurfaceTopology : EditedSurface {
public:
    explicit SurfaceTopology(TriMesh& mesh)
        : EditedSurface(mesh), edge_(mean_edge(mesh)), guard_(mesh.points, mesh.triangles, 2 * edge_) {
        for (std::size_t t = 0; t < tri_.size(); ++t) guard_.add(static_cast<int>(t));
        from_.resize(x_.size());
        std::iota(from_.begin(), from_.end(), 0);
    }

    TopologyChanges run(const TopologyLengths& lengths) {
        TopologyChanges out;
        join_near(lengths, out);
        if (lengths.breaks > 0) out.breaks += cut_loops(lengths.breaks, false);
        if (lengths.merges > 0) out.merges += cut_loops(lengths.merges, true);
        out.from = std::move(from_);
        return out;
    }

private:
    Vec3 normal(int t) const {
        const Tri& c = tri_[t];
        return (x_[c[1]] - x_[c[0]]).cross(x_[c[2]] - x_[c[0]]);
    }
    Vec3 center(int t) const { return (x_[tri_[t][0]] + x_[tri_[t][1]] + x_[tri_[t][2]]) / 3; }
    std::array<Vec3, 3> places(const Tri& t) const { return {x_[t[0]], x_[t[1]], x_[t[2]]}; }

    /// The triangle with the edge from u to v in its order; −1: there is none.
    int triangle_from(int u, int v) const {
        int left, right;
        triangles_at(u, v, left, right);
        return left;
    }
    bool is_face(int u, int v, int w) const {
        return std::ranges::any_of(around_[u], [&](int t) {
            const Tri& c = tri_[t];
            return std::ranges::find(c, v) != c.end() && std::ranges::find(c, w) != c.end();
        });
    }
    bool is_neighbour(int u, int v) const {
        return std::ranges::any_of(around_[u], [&](int t) { return std::ranges::find(tri_[t], v) != tri_[t].end(); });
    }

    /// Six times the volume that a move of a vertex by d adds is d · this.
    Vec3 star_normal(int v) const {
        Vec3 sum = Vec3::Zero();
        for (int t : around_[v]) sum += normal(t);
        return sum;
    }

    /// Moves vertices along their normals until six times the volume is less by `gained`. Where a triangle would go
    /// through another or turn away, the others take more.
    void restore_volume(const std::vector<int>& vertices, double gained) {
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            const int v = vertices[i];
            const Vec3 out = star_normal(v);
            const double share = gained / static_cast<double>(vertices.size() - i);
            if (!(out.squaredNorm() > 0)) continue;
            const Vec3 shift = -share / out.squaredNorm() * out;
            if (shift.norm() > edge_ || !move(v, x_[v] + shift)) continue;
            gained -= share;
        }
    }

    bool move(int v, const Vec3& to) {
        for (int t : around_[v]) {
            std::array<Vec3, 3> after = places(tri_[t]);
            for (int k = 0; k < 3; ++k)
                if (tri_[t][k] == v) after[k] = to;
            const Vec3 turned = (after[1] - after[0]).cross(after[2] - after[0]);
            if (!(turned.dot(normal(t)) > 0) || guard_.crosses(tri_[t], after)) return false;
        }
        x_[v] = to;
        for (int t : around_[v]) guard_.add(t);
        return true;
    }

    /// Changes are made where the surface is thinnest, each at least four edges from the others: what breaks everywhere
    /// at once would be crumbs, or a lace of strands. Where more is to be done the next time does it.
    bool near_any(const std::vector<Vec3>& done, const Vec3& place) const {
        return std::ranges::any_of(done, [&](const Vec3& p) { return (p - place).norm() < 4 * edge_; });
    }

    // Strands, and holes that are left between parts that merged.

    int cut_loops(double thickness, bool hole) {
        struct Loop {
            double length;
            std::vector<int> at;
        };
        const double longest = std::numbers::pi * thickness;
        std::vector<Loop> loops;
        std::vector<int> ring, other;
        for (const auto& [u, v] : edges_where([&](int a, int b) { return length(a, b) < 0.5 * longest; })) {
            neighbours(u, ring), neighbours(v, other);
            for (int w : other) {
                if (w == u || length(u, v) + length(v, w) >= longest) continue;
                // Each loop from its lowest corner, so that it comes once or twice.
                const bool links = is_neighbour(u, w);
                if (links && w > v && !is_face(u, v, w)) loops.push_back({perimeter({u, v, w}), {u, v, w}});
                if (links || w < u) continue;
                for (int z : ring)
                    if (z > u && z != v && is_neighbour(z, w) && !is_neighbour(z, v))
                        loops.push_back({perimeter({u, v, w, z}), {u, v, w, z}});
            }
        }
        std::erase_if(loops, [&](const Loop& loop) { return loop.length > longest; });
        std::ranges::sort(
            loops, [](const Loop& a, const Loop& b) { return std::tie(a.length, a.at) < std::tie(b.length, b.at); });
        int count = 0;
        std::vector<Vec3> done;
        for (const auto& [round, at] : loops) {
            if (near_any(done, x_[at[0]]) || !cut(at, hole)) continue;
            done.push_back(x_[at[0]]);
            ++count;
        }
        return count;
    }

    /// The triangles at v between the edges u–v and v–w, on the left of this way.
    std::vector<int> fan(int u, int v, int w) const {
        std::vector<int> out{triangle_from(u, v)};
        while (opposite_from(out.back(), v) != w) {
            if (out.size() > around_[v].size()) return {};
            out.push_back(triangle_from(opposite_from(out.back(), v), v));
        }
        return out;
    }
    /// The corner that follows v.
    int opposite_from(int t, int v) const {
        for (int k = 0; k < 3; ++k)
            if (tri_[t][k] == v) return tri_[t][(k + 1) % 3];
        return -1;
    }

    double perimeter(const std::vector<int>& loop) const {
        double sum = 0;
        for (std::size_t k = 0; k < loop.size(); ++k) sum += length(loop[k], loop[(k + 1) % loop.size()]);
        return sum;
    }

    /// Parts the surface along three or four edges that go round a strand, or round a hole, and caps both sides.
    bool cut(const std::vector<int>& loop, bool hole) {
        const std::size_t n = loop.size();
        std::vector<int> left, right;  // triangles with a corner in the loop
        for (std::size_t k = 0; k < n; ++k) {
            const int u = loop[k], v = loop[(k + 1) % n], w = loop[(k + 2) % n];
            if (triangle_from(u, v) < 0 || triangle_from(v, w) < 0) return false;  // another cut came before
            const std::vector<int> at = fan(u, v, w);
            left.insert(left.end(), at.begin(), at.end());
        }
        const auto unique = [](std::vector<int>& list) {
            std::ranges::sort(list);
            list.erase(std::unique(list.begin(), list.end()), list.end());
        };
        unique(left);
        for (int c : loop)
            for (int t : around_[c])
                if (!std::ranges::binary_search(left, t)) right.push_back(t);
        unique(right);
        // Each side has neighbours of its own, more than those of a single corner, and lies behind its cap: then the
        // loop is round material.
        Vec3 middle = Vec3::Zero(), out = Vec3::Zero();  // out: of the cap of the left side
        for (int c : loop) middle += x_[c] / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k) out -= (x_[loop[k]] - middle).cross(x_[loop[(k + 1) % n]] - middle);
        const auto beyond = [&](const std::vector<int>& side, std::vector<int>& near) {
            for (int t : side)
                for (int c : tri_[t])
                    if (std::ranges::find(loop, c) == loop.end()) near.push_back(c);
            unique(near);
            double sum = 0;
            for (int c : near) sum += (x_[c] - middle).dot(out);
            return sum;
        };
        std::vector<int> near_left, near_right;
        const double from_left = beyond(left, near_left), from_right = beyond(right, near_right);
        if (near_left.size() < 3 || near_right.size() < 3 || !(from_left * from_right < 0)) return false;
        if ((from_left > 0) != hole) return false;

        std::vector<int> copy;
        for (int c : loop) copy.push_back(add_point(x_[c])), from_.push_back(from_[c]);
        for (int t : right)
            for (std::size_t k = 0; k < n; ++k)
                if (std::ranges::find(tri_[t], loop[k]) != tri_[t].end()) {
                    std::ranges::replace(tri_[t], loop[k], copy[k]);
                    remove_from(loop[k], t);
                    around_[copy[k]].push_back(t);
                }
        // Four corners: the shorter diagonal. No edge is there yet.
        const std::size_t turn = n == 4 && length(loop[1], loop[3]) < length(loop[0], loop[2]) ? 1 : 0;
        for (std::size_t k = 2; k < n; ++k) {
            const auto at = [&](std::size_t i) { return (i + turn) % n; };
            add_triangle({loop[at(0)], loop[at(k)], loop[at(k - 1)]});
            add_triangle({copy[at(0)], copy[at(k - 1)], copy[at(k)]});
        }
        // The caps part by a hundredth of an edge, each towards its own side.
        const Vec3 apart = 0.01 * edge_ * (from_left > 0 ? 1 : -1) * out.normalized();
        double gained = 0;
        for (std::size_t k = 0; k < n; ++k)
            for (const auto& [c, shift] : {std::pair{loop[k], apart}, std::pair{copy[k], Vec3(-apart)}}) {
                gained += star_normal(c).dot(shift);
                x_[c] += shift;
            }
        for (const std::vector<int>& side : {loop, copy})
            for (int c : side)
                for (int t : around_[c]) guard_.add(t);
        near_left.insert(near_left.end(), near_right.begin(), near_right.end());
        restore_volume(near_left, gained);
        return true;
    }

    void add_triangle(const Tri& t) {
        const int number = static_cast<int>(tri_.size());
        tri_.push_back(t);
        for (int v : t) around_[v].push_back(number);
    }

    // Films, and parts that merge.

    /// All neighbours lie within 45° of a triangle: it is not at the rim of a film, nor on a strand.
    bool is_flat(int t) const {
        const Vec3 n = normal(t);
        for (int v : tri_[t])
            for (int other : around_[v])
                if (!(normal(other).dot(n) > 0.7 * normal(other).norm() * n.norm())) return false;
        return true;
    }

    std::vector<FacingPair> facing_pairs(const TopologyLengths& lengths) {
        std::vector<FacingPair> out;
        const double reach = std::max(lengths.opens, lengths.merges);
        for (int t = 0; t < static_cast<int>(tri_.size()); ++t) {
            const Vec3 from = center(t), n = normal(t).normalized();
            if (!n.allFinite()) continue;
            Box box;
            box.add(from - Vec3::Constant(reach)), box.add(from + Vec3::Constant(reach));
            guard_.any_near(box, [&](int other) {
                if (other <= t) return false;
                const Vec3 way = center(other) - from, m = normal(other).normalized();
                if (!(n.dot(m) < -0.7)) return false;  // within 45° of each other
                const double along = n.dot(way), back = -m.dot(way);
                if (!(along * back > 0) || (way - along * n).norm() > 0.5 * edge_) return false;
                const double distance = way.norm();
                if (along > 0 ? distance < lengths.merges : distance < lengths.opens && is_flat(t) && is_flat(other))
                    out.push_back({distance, t, other, along > 0});
                return false;
            });
        }
        std::ranges::sort(out, [](const FacingPair& a, const FacingPair& b) {
            return std::tie(a.distance, a.one, a.other) < std::tie(b.distance, b.one, b.other);
        });
        const auto same = [](const FacingPair& a, const FacingPair& b) { return a.one == b.one && a.other == b.other; };
        out.erase(std::unique(out.begin(), out.end(), same), out.end());
        return out;
    }

    void join_near(const TopologyLengths& lengths, TopologyChanges& out) {
        std::vector<Vec3> done;
        for (const FacingPair& pair : facing_pairs(lengths)) {
            const Vec3 at = center(pair.one);
            if (near_any(done, at) || !join(pair.one, pair.other)) continue;
            done.push_back(at);
            ++(pair.outside ? out.merges : out.holes);
        }
    }

    /// Takes two triangles away and joins their edges by a tube.
    bool join(int one, int other) {
        const Tri a = tri_[one], b = tri_[other];
        for (int u : a)
            for (int v : b)
                if (u == v || is_neighbour(u, v)) return false;
        for (const Tri* t : {&a, &b})
            for (int v : *t)
                if (around_[v].size() < 3) return false;
        Tri facing{};
        double least = std::numeric_limits<double>::infinity();
        for (int turn = 0; turn < 3; ++turn) {
            double sum = 0;
            Tri to;
            for (int k = 0; k < 3; ++k) to[k] = b[(turn + 3 - k) % 3], sum += (x_[a[k]] - x_[to[k]]).squaredNorm();
            if (sum < least) least = sum, facing = to;
        }
        std::array<Tri, 6> tube;
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3;
            tube[2 * k] = {a[k], a[l], facing[l]}, tube[2 * k + 1] = {a[k], facing[l], facing[k]};
        }
        for (const Tri& t : tube)
            if (guard_.crosses(t, places(t))) return false;
        // Six times the volume: of the tube's triangles less that of the two that go.
        const auto six = [&](const Tri& t) {
            return (x_[t[0]] - x_[a[0]]).dot((x_[t[1]] - x_[a[0]]).cross(x_[t[2]] - x_[a[0]]));
        };
        double gained = -six(a) - six(b);
        for (const Tri& t : tube) gained += six(t);
        for (int v : a) remove_from(v, one);
        for (int v : b) remove_from(v, other);
        tri_[one] = tube[0], tri_[other] = tube[1];
        for (int v : tube[0]) around_[v].push_back(one);
        for (int v : tube[1]) around_[v].push_back(other);
        for (int k = 2; k < 6; ++k) add_triangle(tube[k]);
        std::vector<int> near;
        for (const Tri& t : {a, b})
            for (int v : t)
                for (int n : around_[v]) guard_.add(n);
        for (const Tri& t : {a, b})
            for (int v : t) {
                std::vector<int> ring;
                neighbours(v, ring);
                near.insert(near.end(), ring.begin(), ring.end());
            }
        std::ranges::sort(near);
        near.erase(std::unique(near.begin(), near.end()), near.end());
        std::erase_if(near,
                      [&](int v) { return std::ranges::find(a, v) != a.end() || std::ranges::find(b, v) != b.end(); });
        restore_volume(near, gained);
        return true;
    }

    double edge_;            ///< mean, m
    std::vector<int> from_;  ///< as TopologyChanges has it
    CrossingGuard guard_;
};

}  // namespace

namespace {

std::vector<int> linked_vertices(const TriMesh& surface, int& count) {
    UnionFind linked(static_cast<int>(surface.points.size()));
    for (const Tri& t : surface.triangles) linked.join(t[0], t[1]), linked.join(t[0], t[2]);
    std::vector<int> part;
    count = linked.number(part);
    return part;
}

/// m³, by parts.
std::vector<double> volumes(const TriMesh& surface, const std::vector<int>& part, int count) {
    std::vector<double> out(count, 0);
    for (const Tri& t : surface.triangles)
        out[part[t[0]]] += surface.points[t[0]].dot(surface.points[t[1]].cross(surface.points[t[2]])) / 6;
    return out;
}

/// Parts smaller than `least`, m³, but for the largest of all.
void drop_crumbs(TriMesh& surface, double least, TopologyChanges& changes) {
    int count = 0;
    const std::vector<int> part = linked_vertices(surface, count);
    const std::vector<double> volume = volumes(surface, part, count);
    const auto largest = std::ranges::max_element(volume) - volume.begin();
    const auto goes = [&](std::size_t v) { return part[v] != largest && std::abs(volume[part[v]]) < least; };
    std::vector<int> number(part.size(), -1), from;
    std::vector<Vec3> points;
    for (std::size_t v = 0; v < part.size(); ++v) {
        if (goes(v)) continue;
        number[v] = static_cast<int>(points.size());
        points.push_back(surface.points[v]), from.push_back(changes.from[v]);
    }
    std::erase_if(surface.triangles, [&](const Tri& t) { return number[t[0]] < 0; });
    for (Tri& t : surface.triangles)
        for (int& v : t) v = number[v];
    surface.points = std::move(points), changes.from = std::move(from);
    number.resize(changes.after.size());
    changes.after = std::move(number);
}

}  // namespace

TopologyChanges change_topology(TriMesh& surface, const TopologyLengths& lengths) {
    if (surface.triangles.empty()) return {};
    const std::size_t before = surface.points.size();
    TopologyChanges out = SurfaceTopology(surface).run(lengths);
    out.after.resize(before);
    std::iota(out.after.begin(), out.after.end(), 0);
    const double diameter = lengths.breaks;
    if (diameter > 0) drop_crumbs(surface, std::numbers::pi / 6 * diameter * diameter * diameter, out);
    return out;
}

std::vector<int> surface_parts(const TriMesh& surface, int& count) {
    std::vector<int> part = linked_vertices(surface, count);
    if (count == 1) return part;
    const std::vector<double> volume = volumes(surface, part, count);
    std::vector<int> vertex(count, -1);
    for (std::size_t v = part.size(); v-- > 0;) vertex[part[v]] = static_cast<int>(v);
    UnionFind together(count);
    for (int cavity = 0; cavity < count; ++cavity) {
        if (volume[cavity] > 0) continue;
        // Round it is the part with the largest solid angle about a vertex of it.
        const Vec3& p = surface.points[vertex[cavity]];
        std::vector<double> angle(count, 0);
        for (const Tri& t : surface.triangles) {
            if (part[t[0]] == cavity) continue;
            const Vec3 a = surface.points[t[0]] - p, b = surface.points[t[1]] - p, c = surface.points[t[2]] - p;
            const double la = a.norm(), lb = b.norm(), lc = c.norm();
            angle[part[t[0]]] +=
                2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
        }
        together.join(cavity, static_cast<int>(std::ranges::max_element(angle) - angle.begin()));
    }
    std::vector<int> number;
    count = together.number(number);
    for (int& p : part) p = number[p];
    return part;
}

}  // namespace pliant
