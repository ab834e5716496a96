#include "pliant/meshing/surface_remesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>

#include "pliant/core/error.hpp"
#include "pliant/meshing/surface_edit.hpp"
#include "pliant/meshing/surface_probe.hpp"

namespace pliant {

namespace {

enum Kind : char { smooth = 1, crease = 2, corner = 3 };

// A chord may leave the surface by this fraction of its length: about sixteen edges around a circle.
constexpr double chord_tolerance = 0.05;
// No operation makes a triangle worse than this, unless it was worse before (1: equilateral, 0: flat).
constexpr double poor_quality = 0.25;

class Remesher : private EditedSurface {
public:
    Remesher(TriMesh& mesh, const Shape& shape, double edge, double detail, Threads& threads)
        : EditedSurface(mesh),
          probe_(shape, std::min(edge, detail), mesh.bounds().diagonal()),
          edge_(edge),
          detail_(detail),
          threads_(threads) {}

    void run() {
        classify();
        for (int pass = 0; pass < 2; ++pass) {
            flip_pass();
            insert_creases();
        }
        flip_pass();
        for (int round = 0; round < 7; ++round) {
            find_crease_edges();
            find_sizes();
            if (round > 0) split_pass(4.0 / 3);
            for (int pass = 0; pass < (round == 0 ? 4 : 1); ++pass) {
                collapse_pass(0.8);
                flip_pass();
            }
            if (round < 4) insert_creases();
            flip_pass();
            smooth_pass();
        }
        for (int round = 0; round < 5; ++round) {
            find_sizes();
            if (round < 2) insert_creases();
            mend_pass();
            flip_pass();
            if (round < 4) smooth_pass();
        }
        part_duplicates();
        compact();
    }

private:
    // --- what the mesh is like ---

    /// Does the triangle face the way the shape does?
    bool faces_outward(const Tri& t) const {
        const Vec3 n = (x_[t[1]] - x_[t[0]]).cross(x_[t[2]] - x_[t[0]]);
        const double area = n.norm();
        if (!(area > 0)) return false;
        bool any = false;
        for (int v : t)
            if (kind_[v] == smooth) {
                any = true;
                if (n.dot(normal_[v]) < 0.5 * area) return false;
            }
        if (any) return true;
        const Vec3 g = probe_.gradient((x_[t[0]] + x_[t[1]] + x_[t[2]]) / 3);
        return n.dot(g) > 0.5 * area * g.norm();
    }

    /// Is the chord u–v as near to the surface as it should be?
    bool chord_fits(int u, int v, double slack) const {
        return chord_error(u, v) <= slack * std::max(chord_tolerance * length(u, v), 0.03 * edge_);
    }

    /// Do the normals at both ends say that the chord stays within chord_tolerance? A circle's arc of θ rises to θ/8
    /// of its chord.
    bool lies_flat(int u, int v) const {
        if (kind_[u] != smooth || kind_[v] != smooth || normal_[u].dot(normal_[v]) < 0.95) return false;
        const Vec3 d = x_[v] - x_[u];
        const double most = 0.2 * d.norm();
        return std::abs(d.dot(normal_[u])) < most && std::abs(d.dot(normal_[v])) < most;
    }

    double chord_error(int u, int v) const { return std::abs(probe_.distance(0.5 * (x_[u] + x_[v]))); }

    /// Does the line between two crease vertices follow the crease?
    bool follows_crease(int u, int v) const {
        const Vec3 middle = 0.5 * (x_[u] + x_[v]);
        const double l = length(u, v);
        if (!(l > 1e-3 * detail_)) return true;
        if (std::abs(probe_.distance(middle)) > 0.2 * l) return false;
        // The triangles at the edge mostly lie on one sheet each, so looking towards them is enough.
        int left = 0, right = 0;
        if (triangles_at(u, v, left, right)) {
            std::array<Vec3, 4> toward;
            int count = 0;
            for (int t : {left, right}) {
                const Vec3 apex = x_[opposite(t, u, v)];
                for (int end : {u, v}) toward[count++] = (apex + 0.5 * x_[end] - 1.5 * middle).normalized();
            }
            Vec3 p = middle;
            if (probe_.to_crease(p, toward, 0.12 * l) >= 2 && (p - middle).norm() < 0.2 * l) return true;
        }
        Vec3 p = middle;
        return probe_.to_crease(p, 0.12 * l) >= 2 && (p - middle).norm() < 0.2 * l;
    }

    bool is_crease_edge(int u, int v) {
        if (kind_[u] == smooth || kind_[v] == smooth) return false;
        const auto [it, fresh] = crease_edges_.try_emplace(edge_key(u, v), char{0});
        if (fresh) it->second = follows_crease(u, v);
        return it->second != 0;
    }
    bool is_known_crease_edge(int u, int v) const {
        const auto it = crease_edges_.find(edge_key(u, v));
        return it != crease_edges_.end() && it->second != 0;
    }

    void find_crease_edges() {
        // Vertices stay on their crease once there, so what is known stays true.
        const auto candidates = edges_where([&](int u, int v) {
            return kind_[u] != smooth && kind_[v] != smooth && !crease_edges_.contains(edge_key(u, v));
        });
        std::vector<char> follows(candidates.size());
        parallel_for(threads_, candidates.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                follows[i] = follows_crease(candidates[i].first, candidates[i].second);
        });
        for (std::size_t i = 0; i < candidates.size(); ++i)
            crease_edges_[edge_key(candidates[i].first, candidates[i].second)] = follows[i];
    }

    // --- the start: which vertices sit on creases ---

    std::vector<Vec3> directions_around(int v, const Vec3& from) const {
        std::vector<Vec3> out;
        for (int t : around_[v]) {
            const Vec3 d = (x_[tri_[t][0]] + x_[tri_[t][1]] + x_[tri_[t][2]]) / 3 - from;
            const double l = d.norm();
            if (l > 0) out.push_back(d / l);
        }
        return out;
    }

    void classify() {
        kind_.assign(x_.size(), smooth);
        normal_.resize(x_.size());
        size_.assign(x_.size(), edge_);
        parallel_for(threads_, x_.size(), 128, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
                normal_[v] = probe_.gradient(x_[v]).normalized();
                double spread = 1;
                for (int t : around_[v]) {
                    const Tri& a = tri_[t];
                    const Vec3 n = (x_[a[1]] - x_[a[0]]).cross(x_[a[2]] - x_[a[0]]).normalized();
                    spread = std::min(spread, n.dot(normal_[v]));
                }
                if (spread > 0.97) continue;
                Vec3 p = x_[v];
                const int rank = probe_.to_crease(p, 0.05 * detail_);
                // Only those that sit there already: moving others would need care for their triangles.
                if (rank >= 2 && (p - x_[v]).norm() < 1e-4 * detail_) kind_[v] = rank == 2 ? crease : corner;
            }
        });
    }

    /// The edge length wanted at each vertex: less where the surface bends within an edge.
    void find_sizes() {
        size_.assign(x_.size(), edge_);
        auto lower = [&](int v, double size) { size_[v] = std::min(size_[v], std::max(size, 0.25 * edge_)); };
        const auto edges = edges_where([](int, int) { return true; });
        for (const auto& [u, v] : edges)
            if (kind_[u] == smooth && kind_[v] == smooth) {
                const double turn = (normal_[u] - normal_[v]).norm();
                // 0.4 radii make chords that just fit chord_tolerance; sharper turns than 60° are creases missed.
                const double size = turn < 1 ? 0.4 * std::max(length(u, v), 0.3 * edge_) / turn : edge_;
                lower(u, size), lower(v, size);
            }
        for (int pass = 0; pass < 3; ++pass)
            for (const auto& [u, v] : edges) {
                const double growth = 0.4 * length(u, v);
                lower(u, size_[v] + growth), lower(v, size_[u] + growth);
            }
    }
    double size_at(int u, int v) const { return std::min(size_[u], size_[v]); }

    // --- operations ---

    int add_vertex(const Vec3& p, Kind kind) {
        kind_.push_back(kind);
        normal_.push_back(probe_.gradient(p).normalized());
        size_.push_back(edge_);
        return add_point(p);
    }

    /// Puts a vertex on the edge u–v at p.
    bool split(int u, int v, const Vec3& p, Kind kind) {
        int left = 0, right = 0;
        if (!triangles_at(u, v, left, right)) return false;
        const int m = add_vertex(p, kind);
        size_[m] = size_at(u, v);
        split_edge(u, v, m, left, right);
        return true;
    }

    /// Merges u into v, where that keeps the surface a manifold, on the shape and well shaped. Vertices nearer to each
    /// other than `merge` edges count as one place, whatever they are.
    bool collapse(int u, int v, double longest, double slack, double merge = 0) {
        if (kind_[u] > kind_[v]) return false;
        // Two vertices at the same corner or crease point are one; otherwise corners stay, and creases are followed.
        const bool same_place = length(u, v) < std::max(1e-3 * detail_, merge * size_at(u, v));
        if (kind_[u] == corner && !same_place) return false;
        if (kind_[u] == crease && !same_place && !is_crease_edge(u, v)) return false;
        int left = 0, right = 0;
        if (!triangles_at(u, v, left, right)) return false;
        const int a = opposite(left, u, v), b = opposite(right, u, v);
        if (!may_merge(u, v, a, b)) return false;
        neighbours(u, ring_);

        double worst_before = 1;
        for (int t : around_[u]) worst_before = std::min(worst_before, quality(tri_[t]));
        for (int t : around_[u]) {
            if (t == left || t == right) continue;
            Tri moved = tri_[t];
            std::replace(moved.begin(), moved.end(), u, v);
            if (same_place && (quality(tri_[t]) < 0.1 || !faces_outward(tri_[t]))) continue;  // little to lose
            if (quality(moved) < std::min(same_place ? 0.05 : poor_quality, worst_before)) return false;
            if (!faces_outward(moved)) return false;
        }
        for (int w : ring_) {
            if (w == v || w == a || w == b) continue;
            const double l = length(v, w);
            if (!same_place && (l > longest * size_at(v, w) || !chord_fits(v, w, slack))) return false;
            if (kind_[u] == smooth || same_place) continue;
            // A crease that went from u to w must go on from v to w.
            if (kind_[w] != smooth && is_crease_edge(u, w) && !is_crease_edge(v, w)) return false;
        }
        merge_into(u, v, left, right);
        return true;
    }

    /// Replaces the edge u–v by the other diagonal, if that is better or must be.
    bool flip(int u, int v, bool must = false) {
        int left = 0, right = 0;
        if (!triangles_at(u, v, left, right)) return false;
        const int a = opposite(left, u, v), b = opposite(right, u, v);
        if (a == b || around_[u].size() <= 3 || around_[v].size() <= 3) return false;
        const Tri one{a, b, v}, two{b, a, u};  // left is (u, v, a), right is (v, u, b)
        const double before = std::min(quality(tri_[left]), quality(tri_[right]));
        const double after = std::min(quality(one), quality(two));
        // Asking the shape is what costs; where both ends lie flat, the answer is known.
        const bool shapelier = after > before + 0.01;
        if (!must && !shapelier && (after <= 0.02 || lies_flat(u, v))) return false;
        if (!must) {
            const double error_before = chord_error(u, v), error_after = chord_error(a, b);
            const bool nearer = error_after < 0.5 * error_before && after > 0.02 && !chord_fits(u, v, 1);
            if (!nearer && !(shapelier && (error_after <= error_before || chord_fits(a, b, 1)))) return false;
        }
        if (is_crease_edge(u, v)) return false;
        neighbours(a, ring_);
        if (std::find(ring_.begin(), ring_.end(), b) != ring_.end()) return false;
        if (!faces_outward(one) || !faces_outward(two)) return false;
        turn_edge(u, v, left, right, a, b);
        return true;
    }

    // --- passes ---

    void split_pass(double longest) {
        auto edges = edges_where([&](int u, int v) { return length(u, v) > longest * size_at(u, v); });
        std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) {
            const double la = length(a.first, a.second), lb = length(b.first, b.second);
            return la != lb ? la > lb : a < b;
        });
        for (const auto& [u, v] : edges) {
            const double l = length(u, v);
            Vec3 p = 0.5 * (x_[u] + x_[v]);
            if (is_crease_edge(u, v)) {
                if (probe_.to_crease(p, 0.12 * l) != 2) continue;
                if (split(u, v, p, crease)) {
                    const int m = static_cast<int>(x_.size()) - 1;
                    crease_edges_[edge_key(u, m)] = crease_edges_[edge_key(m, v)] = 1;
                }
            } else if (probe_.project(p, 0.3 * l)) {
                split(u, v, p, smooth);
            }
        }
    }

    /// Edges that cut across a crease get a vertex on it.
    void insert_creases() {
        const auto edges = edges_where(
            [&](int u, int v) { return kind_[u] != smooth || kind_[v] != smooth || normal_[u].dot(normal_[v]) < 0.9; });
        std::vector<Vec3> place(edges.size());
        std::vector<int> rank(edges.size(), 0);
        parallel_for(threads_, edges.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto [u, v] = edges[i];
                const double l = length(u, v);
                if (chord_error(u, v) < 0.04 * l || is_known_crease_edge(u, v)) continue;
                const Vec3 middle = 0.5 * (x_[u] + x_[v]);
                place[i] = middle;
                rank[i] = probe_.to_crease(place[i], 0.3 * l);
                if ((place[i] - middle).norm() > 0.9 * l) rank[i] = 0;
            }
        });
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (rank[i] < 2) continue;
            const auto [u, v] = edges[i];
            const Kind kind = rank[i] == 2 ? crease : corner;
            // An end that is almost there already moves instead.
            const double l = length(u, v);
            const double to_u = (place[i] - x_[u]).norm(), to_v = (place[i] - x_[v]).norm();
            if (std::min(to_u, to_v) < 0.15 * l) {
                const int w = to_u < to_v ? u : v;
                if (kind_[w] == smooth) x_[w] = place[i], kind_[w] = kind;
                continue;
            }
            split(u, v, place[i], kind);
        }
    }

    void collapse_pass(double shortest) {
        struct Short {
            double length;
            int u, v;
        };
        std::vector<Short> edges;
        for (const auto& [u, v] : edges_where([&](int a, int b) { return length(a, b) < shortest * size_at(a, b); }))
            edges.push_back({length(u, v), u, v});
        std::sort(edges.begin(), edges.end(), [](const Short& a, const Short& b) {
            return a.length != b.length ? a.length < b.length : std::pair(a.u, a.v) < std::pair(b.u, b.v);
        });
        for (const Short& e : edges) {
            if (around_[e.u].empty() || around_[e.v].empty()) continue;
            if (!collapse(e.u, e.v, 4.0 / 3, 1)) collapse(e.v, e.u, 4.0 / 3, 1);
        }
    }

    void flip_pass() {
        for (const auto& [u, v] : edges_where([](int, int) { return true; })) flip(u, v);
    }

    /// Smooth vertices move to the middle of their neighbours within the surface, crease vertices along their crease.
    void smooth_pass() {
        find_crease_edges();
        std::vector<Vec3> wish(x_.size()), wish_normal(x_.size());
        std::vector<char> moves(x_.size(), 0);
        parallel_for(threads_, x_.size(), 64, [&](std::size_t begin, std::size_t end) {
            std::vector<int> ring;
            for (std::size_t i = begin; i < end; ++i) {
                const int v = static_cast<int>(i);
                if (around_[v].empty() || kind_[v] == corner) continue;
                neighbours(v, ring);
                moves[i] = kind_[v] == smooth ? wish_on_sheet(v, ring, wish[i]) : wish_on_crease(v, ring, wish[i]);
                if (moves[i]) wish_normal[i] = probe_.gradient(wish[i]).normalized();
            }
        });
        for (std::size_t i = 0; i < x_.size(); ++i)
            if (moves[i]) move_if_sound(static_cast<int>(i), wish[i], wish_normal[i]);
    }

    bool wish_on_sheet(int v, const std::vector<int>& ring, Vec3& wish) const {
        Vec3 middle = Vec3::Zero();
        for (int w : ring) middle += x_[w] / static_cast<double>(ring.size());
        Vec3 step = middle - x_[v];
        step -= normal_[v] * normal_[v].dot(step);
        wish = x_[v] + 0.8 * step;
        return probe_.project(wish, step.norm() + 0.1 * edge_);
    }

    bool wish_on_crease(int v, const std::vector<int>& ring, Vec3& wish) const {
        Vec3 middle = Vec3::Zero();
        double shortest = edge_;
        int count = 0;
        for (int w : ring)
            if (is_known_crease_edge(v, w)) {
                middle += 0.5 * x_[w], ++count;
                shortest = std::min(shortest, length(v, w));
            }
        if (count != 2) return false;
        wish = x_[v] + 0.6 * (middle - x_[v]);
        const Vec3 start = wish;
        const std::vector<Vec3> directions = directions_around(v, wish);
        return probe_.to_crease(wish, directions, 0.1 * shortest) == 2 && (wish - start).norm() < 0.3 * edge_;
    }

    void move_if_sound(int v, const Vec3& to, const Vec3& to_normal) {
        const Vec3 old = x_[v], old_normal = normal_[v];
        double worst_before = 1;
        for (int t : around_[v]) worst_before = std::min(worst_before, quality(tri_[t]));
        x_[v] = to, normal_[v] = to_normal;
        for (int t : around_[v])
            if (quality(tri_[t]) < std::min(0.5, worst_before) || !faces_outward(tri_[t])) {
                x_[v] = old, normal_[v] = old_normal;
                return;
            }
    }

    /// What is still badly shaped loses its shortest edge, with more freedom than elsewhere.
    void mend_pass() {
        for (std::size_t i = 0; i < tri_.size(); ++i) {
            if (tri_[i][0] < 0 || quality(tri_[i]) > 0.5) continue;
            const Tri t = tri_[i];
            std::array<int, 3> order{0, 1, 2};
            std::sort(order.begin(), order.end(),
                      [&](int a, int b) { return length(t[a], t[(a + 1) % 3]) < length(t[b], t[(b + 1) % 3]); });
            bool mended = false;
            for (int k : {order[0], order[1]}) {
                const int u = t[k], v = t[(k + 1) % 3];
                mended = mended || collapse(u, v, 1.7, 1.5, 0.06) || collapse(v, u, 1.7, 1.5, 0.06);
            }
            if (mended || quality(tri_[i]) > 0.2) continue;
            const int u = t[order[0]], v = t[(order[0] + 1) % 3];
            if (part_neighbours(u, v) && (collapse(u, v, 1.7, 1.5, 0.06) || collapse(v, u, 1.7, 1.5, 0.06))) continue;
            if (!relocate(u)) relocate(v);
        }
    }

    /// Where u and v share a neighbour besides the two across their edge, they cannot be merged; turns edges to that
    /// neighbour away, and drops one of the two if it has no other triangles. True if something changed.
    bool part_neighbours(int u, int v) {
        int left = 0, right = 0;
        if (!triangles_at(u, v, left, right)) return false;
        const int a = opposite(left, u, v), b = opposite(right, u, v);
        std::vector<int> ring, other;
        neighbours(u, ring);
        neighbours(v, other);
        bool changed = (kind_[a] == smooth && drop_three(a));
        changed = (kind_[b] == smooth && drop_three(b)) || changed;
        for (int w : ring)
            if (w != v && w != a && w != b && std::find(other.begin(), other.end(), w) != other.end())
                changed = flip(u, w, true) || flip(v, w, true) || changed;
        return changed;
    }

    /// The last resort for a vertex in a flat triangle that cannot be merged away: it goes to the middle of its
    /// neighbours on the surface, off its crease if need be, if that helps.
    bool relocate(int v, double gain = 0.02, double share = 1) {
        std::vector<int> ring;
        neighbours(v, ring);
        Vec3 to = Vec3::Zero();
        for (int w : ring) to += x_[w] / static_cast<double>(ring.size());
        to = x_[v] + share * (to - x_[v]);
        if (!probe_.project(to, edge_)) return false;
        auto look = [&](double& worst, int& astray) {
            worst = 1, astray = 0;
            for (int t : around_[v]) {
                worst = std::min(worst, quality(tri_[t]));
                astray += !faces_outward(tri_[t]);
            }
        };
        double worst_before = 0, worst_after = 0;
        int astray_before = 0, astray_after = 0;
        look(worst_before, astray_before);
        const Vec3 old = x_[v], old_normal = normal_[v];
        const Kind old_kind = kind_[v];
        x_[v] = to, normal_[v] = probe_.gradient(to).normalized(), kind_[v] = smooth;
        look(worst_after, astray_after);
        // A nudge by a hair may leave a triangle askew; two vertices in one place are worse.
        const bool hair = share < 0.05;
        if (worst_after > std::max(worst_before + gain, 0.0) && (hair || astray_after <= astray_before)) return true;
        x_[v] = old, normal_[v] = old_normal, kind_[v] = old_kind;
        return false;
    }

    /// Vertices at exactly the same place that no edge joins: one of each pair moves.
    void part_duplicates() {
        std::vector<int> order;
        for (std::size_t v = 0; v < x_.size(); ++v)
            if (!around_[v].empty()) order.push_back(static_cast<int>(v));
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            const Vec3 &p = x_[a], &q = x_[b];
            return std::tie(p.x(), p.y(), p.z(), a) < std::tie(q.x(), q.y(), q.z(), b);
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            for (double share : {1.0, 0.3, 0.1, 0.03}) {
                if (x_[order[i]] != x_[order[i - 1]]) break;
                if (!relocate(order[i], -1, share)) relocate(order[i - 1], -1, share);
            }
    }

    std::vector<Kind> kind_;
    std::vector<Vec3> normal_;  // of the shape at smooth vertices
    std::vector<double> size_;  // edge length wanted
    std::unordered_map<std::uint64_t, char> crease_edges_;
    std::vector<int> ring_;
    SurfaceProbe probe_;
    double edge_, detail_;
    Threads& threads_;
};

}  // namespace

void remesh_surface(TriMesh& mesh, const Shape& shape, double edge, double detail, Threads& threads) {
    Remesher(mesh, shape, edge, detail, threads).run();
}

}  // namespace pliant
