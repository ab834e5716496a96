#include "pliant/geometry/cap.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace pliant {

namespace {

double area2(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

using Loop = std::vector<int>;

std::pair<int, int> edge(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

struct Filler {
    std::span<const CapVertex> vertices;
    Cap& out;
    Loop next, previous;                     // linked list over the polygon's positions
    std::vector<std::pair<int, int>> drawn;  // edges so far, needed only where a bridge repeats vertices

    const Vec2& p(int v) const { return vertices[v].p; }

    double loop_area2(const Loop& loop) const {
        double sum = 0;
        for (std::size_t i = 1; i + 1 < loop.size(); ++i) sum += area2(p(loop[0]), p(loop[i]), p(loop[i + 1]));
        return sum;
    }

    bool on_one_line(int a, int b) const {
        for (int line : vertices[a].line)
            if (line >= 0 && (line == vertices[b].line[0] || line == vertices[b].line[1])) return true;
        return false;
    }

    bool is_drawn(int a, int b) const { return std::find(drawn.begin(), drawn.end(), edge(a, b)) != drawn.end(); }

    bool inside(const Loop& loop, const Vec2& q) const {
        bool in = false;
        for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++) {
            const Vec2 &a = p(loop[i]), &b = p(loop[j]);
            if ((a[1] > q[1]) != (b[1] > q[1]) && (area2(a, b, q) > 0) == (b[1] > a[1])) in = !in;
        }
        return in;
    }

    /// Always possible: a new vertex in the middle, joined to every edge of the loop.
    void fan(const Loop& loop) {
        if (loop.size() < 3) return;
        if (loop.size() == 3) return out.triangles.push_back({loop[0], loop[1], loop[2]});
        Vec2 middle = Vec2::Zero();
        for (int v : loop) middle += p(v);
        const int extra = static_cast<int>(vertices.size() + out.extra.size());
        out.extra.push_back(middle / static_cast<double>(loop.size()));
        for (std::size_t i = 0; i < loop.size(); ++i)
            out.triangles.push_back({extra, loop[i], loop[(i + 1) % loop.size()]});
    }

    /// Does a polygon vertex other than the ear's corners lie in the ear at position i?
    bool blocked(const Loop& polygon, int i, double turn) const {
        const int ia = previous[i], ic = next[i];
        const Vec2 &a = p(polygon[ia]), &b = p(polygon[i]), &c = p(polygon[ic]);
        for (int j = next[ic]; j != ia; j = next[j]) {
            const int v = polygon[j];
            if (v == polygon[ia] || v == polygon[i] || v == polygon[ic]) continue;
            const Vec2& q = p(v);
            if (turn * area2(a, b, q) >= 0 && turn * area2(b, c, q) >= 0 && turn * area2(c, a, q) >= 0) return true;
        }
        return false;
    }

    /// Clips ears until a triangle is left. False, with nothing emitted, when no permitted ear is left.
    /// Sound ears are taken first, then ears that rounding has blocked, then any that may be drawn.
    bool clip_ears(const Loop& polygon, bool repeats, double turn) {
        const int n = static_cast<int>(polygon.size());
        next.resize(n), previous.resize(n);
        for (int i = 0; i < n; ++i) next[i] = (i + 1) % n, previous[i] = (i + n - 1) % n;
        const std::size_t triangles_before = out.triangles.size();
        drawn.clear();
        if (repeats)
            for (int i = 0; i < n; ++i) drawn.push_back(edge(polygon[i], polygon[next[i]]));
        int left = n, at = 0, tried = 0, patience = 0;
        while (left > 3) {
            const int a = polygon[previous[at]], b = polygon[at], c = polygon[next[at]];
            bool ear = a != c && !on_one_line(a, c) && !(repeats && is_drawn(a, c));
            if (ear && patience < 2) {
                const double area = turn * area2(p(a), p(b), p(c));
                ear = patience == 0 ? area > 0 && !blocked(polygon, at, turn) : area >= 0;
            }
            if (!ear) {
                at = next[at];
                if (++tried < left) continue;
                if (++patience == 3) {
                    out.triangles.resize(triangles_before);
                    return false;
                }
                tried = 0;
                continue;
            }
            out.triangles.push_back({a, b, c});
            if (repeats) drawn.push_back(edge(a, c));
            next[previous[at]] = next[at], previous[next[at]] = previous[at];
            // Going on with the vertex after the next one keeps triangles from crowding round one vertex.
            at = next[next[at]];
            --left, tried = 0, patience = 0;
        }
        out.triangles.push_back({polygon[previous[at]], polygon[at], polygon[next[at]]});
        return true;
    }

    void fill_one(const Loop& loop) {
        if (loop.size() < 3) return;
        if (loop.size() == 3) return out.triangles.push_back({loop[0], loop[1], loop[2]});
        if (!clip_ears(loop, false, loop_area2(loop) >= 0 ? 1.0 : -1.0)) fan(loop);
    }

    /// May the polygon's corner at position i look towards q?
    bool opens_towards(const Loop& polygon, std::size_t i, const Vec2& q) const {
        const std::size_t n = polygon.size();
        const Vec2 &a = p(polygon[(i + n - 1) % n]), &b = p(polygon[i]), &c = p(polygon[(i + 1) % n]);
        const bool left_in = area2(a, b, q) > 0, left_out = area2(b, c, q) > 0;
        return area2(a, b, c) > 0 ? left_in && left_out : left_in || left_out;
    }

    bool crosses(const Loop& loop, int u, int v) const {
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const int a = loop[i], b = loop[(i + 1) % loop.size()];
            if (a == u || a == v || b == u || b == v) continue;
            const double a_side = area2(p(u), p(v), p(a)), b_side = area2(p(u), p(v), p(b));
            const double u_side = area2(p(a), p(b), p(u)), v_side = area2(p(a), p(b), p(v));
            if (a_side * b_side <= 0 && u_side * v_side <= 0) return true;
        }
        return false;
    }

    /// Joins a hole to the polygon by the shortest edge that sees its way; false when there is none.
    bool bridge(Loop& polygon, const Loop& hole, std::span<const Loop> others) const {
        struct Sight {
            double distance2;
            int outer, inner;
            bool operator<(const Sight& b) const {
                return std::tie(distance2, outer, inner) < std::tie(b.distance2, b.outer, b.inner);
            }
        };
        std::vector<Sight> sights;
        for (std::size_t i = 0; i < polygon.size(); ++i)
            for (std::size_t j = 0; j < hole.size(); ++j)
                if (!on_one_line(polygon[i], hole[j]))
                    sights.push_back(
                        {(p(polygon[i]) - p(hole[j])).squaredNorm(), static_cast<int>(i), static_cast<int>(j)});
        std::sort(sights.begin(), sights.end());
        for (const Sight& s : sights) {
            const int u = polygon[s.outer], v = hole[s.inner];
            if (!opens_towards(polygon, s.outer, p(v)) || !opens_towards(hole, s.inner, p(u))) continue;
            if (crosses(polygon, u, v) || crosses(hole, u, v)) continue;
            if (std::any_of(others.begin(), others.end(), [&](const Loop& o) { return crosses(o, u, v); })) continue;
            Loop joined(polygon.begin(), polygon.begin() + s.outer + 1);
            joined.insert(joined.end(), hole.begin() + s.inner, hole.end());
            joined.insert(joined.end(), hole.begin(), hole.begin() + s.inner + 1);
            joined.insert(joined.end(), polygon.begin() + s.outer, polygon.end());
            polygon = std::move(joined);
            return true;
        }
        return false;
    }
};

}  // namespace

Cap fill_loops(std::span<const CapVertex> vertices, std::span<const int> loops, std::span<const int> loop_end) {
    Cap cap;
    Filler filler{vertices, cap, {}, {}, {}};
    std::vector<Loop> all;
    for (std::size_t i = 0, begin = 0; i < loop_end.size(); begin = loop_end[i++])
        all.emplace_back(loops.begin() + begin, loops.begin() + loop_end[i]);
    if (all.size() == 1) {
        filler.fill_one(all[0]);
        return cap;
    }
    std::vector<double> area(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) area[i] = filler.loop_area2(all[i]);
    // Every hole goes to the smallest filled loop round it.
    std::vector<std::vector<int>> holes(all.size());
    std::vector<char> is_hole(all.size(), 0);
    for (std::size_t h = 0; h < all.size(); ++h) {
        if (!(area[h] < 0)) continue;
        int home = -1;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (area[i] > -area[h] && filler.inside(all[i], filler.p(all[h][0])) && (home < 0 || area[i] < area[home]))
                home = static_cast<int>(i);
        if (home >= 0) holes[home].push_back(static_cast<int>(h)), is_hole[h] = 1;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (is_hole[i]) continue;
        if (holes[i].empty()) {
            filler.fill_one(all[i]);
            continue;
        }
        Loop polygon = all[i];
        std::vector<Loop> waiting;
        for (int h : holes[i]) waiting.push_back(all[h]);
        // Holes that cannot be joined yet may see a way once others are; those that never do are filled on their own,
        // which still leaves the right boundary.
        for (bool progress = true; progress && !waiting.empty();) {
            progress = false;
            for (std::size_t h = 0; h < waiting.size();) {
                const Loop hole = std::move(waiting[h]);
                waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(h));
                if (filler.bridge(polygon, hole, waiting)) {
                    progress = true;
                } else {
                    waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(h), hole);
                    ++h;
                }
            }
        }
        if (filler.clip_ears(polygon, true, 1.0)) {
            for (const Loop& hole : waiting) filler.fill_one(hole);
        } else {
            filler.fill_one(all[i]);
            for (int h : holes[i]) filler.fill_one(all[h]);
        }
    }
    return cap;
}

}  // namespace pliant
