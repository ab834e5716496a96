#pragma once
// A closed triangle surface whose connectivity is edited in place. Each operation keeps it a closed manifold.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

inline std::uint64_t edge_key(int u, int v) {
    const auto low = static_cast<std::uint32_t>(std::min(u, v)), high = static_cast<std::uint32_t>(std::max(u, v));
    return static_cast<std::uint64_t>(low) << 32 | high;
}

class EditedSurface {
protected:
    explicit EditedSurface(TriMesh& mesh) : x_(mesh.points), tri_(mesh.triangles) {
        around_.resize(x_.size());
        for (std::size_t t = 0; t < tri_.size(); ++t)
            for (int v : tri_[t]) around_[v].push_back(static_cast<int>(t));
    }

    int opposite(int t, int u, int v) const {
        for (int w : tri_[t])
            if (w != u && w != v) return w;
        return -1;
    }

    /// The two triangles at an edge, the first with u → v in its order. False if u–v is no edge.
    bool triangles_at(int u, int v, int& left, int& right) const {
        left = right = -1;
        for (int t : around_[u])
            for (int k = 0; k < 3; ++k)
                if (tri_[t][k] == u) {
                    if (tri_[t][(k + 1) % 3] == v) left = t;
                    if (tri_[t][(k + 2) % 3] == v) right = t;
                }
        return left >= 0 && right >= 0;
    }

    /// Neighbours of a vertex, in the order of its triangles.
    void neighbours(int v, std::vector<int>& out) const {
        out.clear();
        for (int t : around_[v])
            for (int k = 0; k < 3; ++k)
                if (tri_[t][k] == v) out.push_back(tri_[t][(k + 1) % 3]);  // each neighbour follows v exactly once
    }

    template <class Visit>
    std::vector<std::pair<int, int>> edges_where(Visit&& wanted) const {
        std::vector<std::pair<int, int>> out;
        for (const Tri& t : tri_)
            if (t[0] >= 0)
                for (int k = 0; k < 3; ++k) {
                    const int u = t[k], v = t[(k + 1) % 3];
                    if (u < v && wanted(u, v)) out.emplace_back(u, v);
                }
        return out;
    }

    double length(int u, int v) const { return (x_[u] - x_[v]).norm(); }

    double quality(const Vec3& a, const Vec3& b, const Vec3& c) const {
        const double sides = (a - b).squaredNorm() + (b - c).squaredNorm() + (c - a).squaredNorm();
        return sides > 0 ? 2 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / sides : 0;
    }
    double quality(const Tri& t) const { return quality(x_[t[0]], x_[t[1]], x_[t[2]]); }

    void remove_from(int v, int t) { std::erase(around_[v], t); }

    /// A vertex with no triangles yet; split_edge gives it some.
    int add_point(const Vec3& p) {
        x_.push_back(p);
        around_.emplace_back();
        return static_cast<int>(x_.size()) - 1;
    }

    /// Puts m, which has no triangles, on the edge u–v between its triangles left and right.
    void split_edge(int u, int v, int m, int left, int right) {
        for (int t : {left, right}) {
            const int fresh = static_cast<int>(tri_.size());
            Tri copy = tri_[t];
            std::replace(copy.begin(), copy.end(), u, m);        // keeps v
            std::replace(tri_[t].begin(), tri_[t].end(), v, m);  // keeps u
            tri_.push_back(copy);
            remove_from(v, t);
            for (int w : copy) around_[w].push_back(fresh);
            around_[m].push_back(t);
        }
    }

    /// Link condition: u and v share no neighbours but a and b, the two across their edge, and these have triangles to
    /// spare. Then merging u and v keeps the surface a manifold.
    bool may_merge(int u, int v, int a, int b) const {
        if (a == b || around_[a].size() <= 3 || around_[b].size() <= 3) return false;
        std::vector<int> ring, other;
        neighbours(u, ring);
        neighbours(v, other);
        return std::none_of(ring.begin(), ring.end(), [&](int w) {
            return w != a && w != b && std::find(other.begin(), other.end(), w) != other.end();
        });
    }

    /// u becomes v; left and right, the triangles at their edge, go.
    void merge_into(int u, int v, int left, int right) {
        for (int t : {left, right}) {
            for (int w : tri_[t])
                if (w != u) remove_from(w, t);
            tri_[t] = {-1, -1, -1};
        }
        for (int t : around_[u]) {
            if (t == left || t == right) continue;
            std::replace(tri_[t].begin(), tri_[t].end(), u, v);
            around_[v].push_back(t);
        }
        around_[u].clear();
    }

    /// The edge u–v of left (u, v, a) and right (v, u, b) becomes a–b. There must be no such edge yet, and u and v
    /// must have more than three triangles.
    void turn_edge(int u, int v, int left, int right, int a, int b) {
        remove_from(u, left), remove_from(v, right);
        tri_[left] = {a, b, v}, tri_[right] = {b, a, u};
        around_[b].push_back(left), around_[a].push_back(right);
    }

    /// A vertex with three triangles goes, and one triangle takes their place. False if there is no such thing.
    bool drop_three(int v) {
        if (around_[v].size() != 3) return false;
        std::vector<int> ring;
        neighbours(v, ring);
        for (int w : ring)
            if (around_[w].size() <= 3) return false;
        const std::vector<int> three = around_[v];
        Tri joined = tri_[three[0]];
        for (int w : ring)
            if (std::find(joined.begin(), joined.end(), w) == joined.end())
                std::replace(joined.begin(), joined.end(), v, w);
        for (int t : around_[ring[0]]) {
            int shared = 0;
            for (int w : tri_[t]) shared += std::find(ring.begin(), ring.end(), w) != ring.end();
            if (shared == 3) return false;
        }
        for (int t : three) {
            for (int w : ring) remove_from(w, t);
            tri_[t] = {-1, -1, -1};
        }
        around_[v].clear();
        tri_[three[0]] = joined;
        for (int w : joined) around_[w].push_back(three[0]);
        return true;
    }

    /// Forgets what is gone.
    void compact() {
        std::erase_if(tri_, [](const Tri& t) { return t[0] < 0; });
        std::vector<int> number(x_.size(), -1);
        std::vector<Vec3> points;
        for (Tri& t : tri_)
            for (int& v : t) {
                if (number[v] < 0) number[v] = static_cast<int>(points.size()), points.push_back(x_[v]);
                v = number[v];
            }
        x_ = std::move(points);
    }

    std::vector<Vec3>& x_;
    std::vector<Tri>& tri_;                 // a triangle that is gone has indices -1
    std::vector<std::vector<int>> around_;  // triangles at each vertex; none: the vertex is gone
};

}  // namespace pliant
