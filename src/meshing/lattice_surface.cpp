#include "pliant/meshing/lattice_surface.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <string_view>
#include <tuple>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/mesh/same_place.hpp"

namespace pliant {

namespace {

std::string counted(long long n, std::string_view one, std::string_view many) {
    return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

constexpr std::size_t at_once = 4096;  // triangles or points

void check_input(const TriMesh& mesh, Threads& threads) {
    if (mesh.triangles.empty())
        throw UserError("the surface has no triangles", {}, "Check the file, or give a built-in shape");
    const int n = static_cast<int>(mesh.points.size());
    std::atomic<bool> sound{true};
    parallel_for(threads, mesh.triangles.size(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (int i : mesh.triangles[t])
                if (i < 0 || i >= n || !mesh.points[i].allFinite()) sound.store(false, std::memory_order_relaxed);
    });
    if (sound) return;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (int i : mesh.triangles[t]) {
            if (i < 0 || i >= n)
                throw UserError("triangle " + std::to_string(t) + " of the surface refers to point " +
                                    std::to_string(i) + ", but there are " + std::to_string(n),
                                {}, "Check the surface file");
            if (!mesh.points[i].allFinite())
                throw UserError("point " + std::to_string(i) + " of the surface is not a finite number", {},
                                "Check the surface file for nan or inf");
        }
}

[[noreturn]] void throw_no_extent() {
    throw UserError("the surface has no extent: all its triangles are points or lines", {},
                    "Check the file and its scale");
}

/// One triangle's use of an edge, ordered by the edge's higher point, then by triangle; one word, for speed.
struct EdgeUse {
    std::uint64_t key = 0;

    EdgeUse() = default;
    EdgeUse(int from, int to, std::size_t triangle)
        : key(static_cast<std::uint64_t>(std::max(from, to)) << 32 | triangle << 1 | (from < to ? 1 : 0)) {}
    int high() const { return static_cast<int>(key >> 32); }
    int triangle() const { return static_cast<int>(static_cast<std::uint32_t>(key) >> 1); }
    bool forward() const { return key & 1; }  // from the lower index to the higher
};

/// Uses of the same edge stand together.
struct EdgeUses {
    std::vector<int> start;  // per lower point, plus one
    std::vector<EdgeUse> uses;
    bool closed = true;         // every edge has two triangles, which run along it in opposite directions
    bool disagreement = false;  // the two triangles of some edge run along it in the same direction

    EdgeUses(int points, const std::vector<Tri>& triangles, Threads& threads)
        : start(points + 1, 0), uses(3 * triangles.size()) {
        for (const Tri& t : triangles)
            for (int e = 0; e < 3; ++e) ++start[std::min(t[e], t[(e + 1) % 3])];
        // From the counts to where each point's uses end, and by filling from the end to where they begin.
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (std::size_t n = triangles.size(); n-- > 0;)
            for (int e = 3; e-- > 0;) {
                const int a = triangles[n][e], b = triangles[n][(e + 1) % 3];
                uses[--start[std::min(a, b)]] = {a, b, n};
            }
        std::atomic<bool> all_paired{true}, some_disagree{false};
        parallel_for(threads, points, at_once, [&](std::size_t begin, std::size_t end) {
            bool paired = true, disagree = false;
            for (std::size_t p = begin; p < end; ++p) {
                std::sort(uses.begin() + start[p], uses.begin() + start[p + 1],
                          [](const EdgeUse& x, const EdgeUse& y) { return x.key < y.key; });
                each_edge_of(static_cast<int>(p), [&](int, const EdgeUse* use, int count) {
                    if (count != 2)
                        paired = false;
                    else if (use[0].forward() == use[1].forward())
                        disagree = true;
                });
            }
            if (!paired) all_paired.store(false, std::memory_order_relaxed);
            if (disagree) some_disagree.store(true, std::memory_order_relaxed);
        });
        disagreement = some_disagree;
        closed = all_paired && !disagreement;
    }

    /// visit(low, first use, number of uses) for every edge.
    template <class Visit>
    void each_edge(Visit&& visit) const {
        for (int p = 0; p + 1 < static_cast<int>(start.size()); ++p) each_edge_of(p, visit);
    }

private:
    template <class Visit>
    void each_edge_of(int p, Visit&& visit) const {
        for (int i = start[p], j = i; i < start[p + 1]; i = j) {
            while (j < start[p + 1] && uses[j].high() == uses[i].high()) ++j;
            visit(p, &uses[i], j - i);
        }
    }
};

/// For each triangle the first one of its part, where parts hang together by edges.
std::vector<int> connected_parts(std::size_t triangles, const EdgeUses& edges) {
    UnionFind parts(static_cast<int>(triangles));
    edges.each_edge([&](int, const EdgeUse* use, int count) {
        for (int i = 1; i < count; ++i) parts.join(use[0].triangle(), use[i].triangle());
    });
    std::vector<int> first(triangles);
    for (int t = 0; t < parts.size(); ++t) first[t] = parts.find(t);
    return first;
}

/// Turns triangles so that neighbours agree; within a connected part the majority stays. Returns how many turned.
long long orient_consistently(std::vector<Tri>& triangles, const EdgeUses& edges) {
    struct Link {
        int to = -1;
        bool disagrees = false;
    };
    std::vector<std::array<Link, 3>> links(triangles.size());
    std::vector<unsigned char> degree(triangles.size(), 0);
    edges.each_edge([&](int, const EdgeUse* use, int count) {
        if (count != 2 || use[0].triangle() == use[1].triangle()) return;
        const bool disagrees = use[0].forward() == use[1].forward();
        const int s = use[0].triangle(), t = use[1].triangle();
        links[s][degree[s]++] = {t, disagrees};
        links[t][degree[t]++] = {s, disagrees};
    });
    long long turned = 0;
    std::vector<signed char> side(triangles.size(), -1);
    std::vector<int> part;
    for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
        if (side[seed] >= 0) continue;
        side[seed] = 0;
        part.assign(1, static_cast<int>(seed));
        std::size_t odd = 0;
        for (std::size_t n = 0; n < part.size(); ++n)
            for (const Link& link : links[part[n]]) {
                if (link.to < 0 || side[link.to] >= 0) continue;
                side[link.to] = static_cast<signed char>(side[part[n]] ^ static_cast<int>(link.disagrees));
                odd += side[link.to];
                part.push_back(link.to);
            }
        const int minority = 2 * odd > part.size() ? 0 : 1;
        for (const int t : part)
            if (side[t] == minority) std::swap(triangles[t][1], triangles[t][2]), ++turned;
    }
    return turned;
}

/// Triangles that close a loop: every second corner is cut off, again and again. Half of them are slivers along the
/// rim and only a few are large, which the far field of the winding number likes.
void close_loop(std::vector<int> loop, std::vector<Tri>& caps) {
    while (loop.size() > 2) {
        const std::size_t n = loop.size();
        std::vector<int> rest;
        for (std::size_t i = 0; i < n; i += 2) {
            rest.push_back(loop[i]);
            if (i + 1 < n) caps.push_back({loop[i], loop[i + 1], loop[(i + 2) % n]});
        }
        loop = std::move(rest);
    }
}

/// Closes the surface: caps whose boundary is that of the surface, reversed. cap_part: the connected part each is of.
void cap_boundaries(LatticeSurface& s, const EdgeUses& edges, const std::vector<int>& part,
                    std::vector<int>& cap_part) {
    if (edges.closed) return;
    // Edges of the caps by their first point. As many come in as go out everywhere, so walks always get home.
    struct RimEdge {
        int from, to, part;
    };
    std::vector<RimEdge> rim;
    long long open = 0, nonmanifold = 0, loops = 0;
    edges.each_edge([&](int low, const EdgeUse* use, int count) {
        int net = 0;
        for (int i = 0; i < count; ++i) net += use[i].forward() ? 1 : -1;
        open += count == 1;
        nonmanifold += count > 2;
        const int p = part[use[0].triangle()];
        for (; net > 0; --net) rim.push_back({use[0].high(), low, p});
        for (; net < 0; ++net) rim.push_back({low, use[0].high(), p});
    });
    // Part by part: each is closed for itself, so that it can be turned round for itself.
    std::sort(rim.begin(), rim.end(), [](const RimEdge& a, const RimEdge& b) {
        return std::tie(a.part, a.from, a.to) < std::tie(b.part, b.from, b.to);
    });
    const int count = static_cast<int>(rim.size());
    std::vector<int> next(rim.empty() ? 0 : s.points.size(), -1), place(next.size(), -1), path;
    for (int begin = 0, end = 0; begin < count; begin = end) {
        const int home = rim[begin].part;
        while (end < count && rim[end].part == home) ++end;
        for (int e = end; e-- > begin;) next[rim[e].from] = e;
        for (int e = begin; e < end; ++e) {
            if (next[rim[e].from] != e) continue;  // walked already
            // Walk until a point comes up again: that loop is closed and taken off the path.
            int at = rim[e].from;
            for (path.clear();;) {
                if (place[at] >= 0) {
                    const auto start = path.begin() + place[at];
                    for (auto i = start; i != path.end(); ++i) place[*i] = -1;
                    close_loop({start, path.end()}, s.caps);
                    cap_part.resize(s.caps.size(), home);
                    path.erase(start, path.end());
                    ++loops;
                }
                int& out = next[at];
                if (out >= end || rim[out].from != at) break;
                place[at] = static_cast<int>(path.size());
                path.push_back(at);
                at = rim[out++].to;
            }
            CHECK(path.empty(), path.size());
        }
    }
    if (open > 0)
        s.repairs.push_back(counted(open, "boundary edge", "boundary edges") + " (" + counted(loops, "hole", "holes") +
                            ")");
    if (nonmanifold > 0)
        s.repairs.push_back(counted(nonmanifold, "edge", "edges") + " shared by more than two triangles");
}

double six_volume(const std::vector<Vec3>& x, const Tri& t) { return x[t[0]].dot(x[t[1]].cross(x[t[2]])); }

/// Turns parts that are inside out: all of them if the whole has a negative volume, then each closed part that
/// has one without lying in another part (then it is a cavity, and right).
void turn_inside_out_parts(LatticeSurface& s, const std::vector<int>& part, const std::vector<int>& cap_part,
                           Threads& threads) {
    const int last_part = *std::max_element(part.begin(), part.end());
    std::vector<double> volume(last_part + 1, 0), area(last_part + 1, 0);
    std::vector<std::array<double, 2>> of(s.triangles.size());  // volume and area of each, added up in their order
    parallel_for(threads, s.triangles.size(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Tri& tri = s.triangles[t];
            of[t] = {six_volume(s.points, tri) / 6,
                     0.5 * (s.points[tri[1]] - s.points[tri[0]]).cross(s.points[tri[2]] - s.points[tri[0]]).norm()};
        }
    });
    for (std::size_t t = 0; t < s.triangles.size(); ++t) volume[part[t]] += of[t][0], area[part[t]] += of[t][1];
    for (std::size_t t = 0; t < s.caps.size(); ++t) volume[cap_part[t]] += six_volume(s.points, s.caps[t]) / 6;
    s.volume = std::accumulate(volume.begin(), volume.end(), 0.0);
    s.area = std::accumulate(area.begin(), area.end(), 0.0);

    const auto turn = [](Tri& t) { std::swap(t[1], t[2]); };
    // Far thinner than a ball of the same area: a sheet, whose volume says nothing about its sides.
    const auto sheet = [](double v, double a) {
        return std::abs(v) < 1e-3 * a * std::sqrt(a) / (6 * std::sqrt(std::numbers::pi));
    };
    if (s.volume < 0 && !sheet(s.volume, s.area)) {
        for (Tri& t : s.triangles) turn(t);
        for (Tri& t : s.caps) turn(t);
        for (double& v : volume) v = -v;
        s.volume = -s.volume;
        s.repairs.push_back("the surface was inside out and is taken the other way round");
    }
    constexpr int most_parts = 200;  // each costs a pass over all triangles
    int tried = 0, turned = 0;
    for (std::size_t p = 0; p < volume.size() && tried < most_parts; ++p) {
        if (!(volume[p] < 0) || sheet(volume[p], area[p])) continue;
        ++tried;
        const Vec3 probe = s.points[s.triangles[p][0]];  // a part is named after its first triangle
        double winding = 0;
        for (std::size_t t = 0; t < s.triangles.size(); ++t) {
            const Tri& tri = s.triangles[t];
            if (part[t] != static_cast<int>(p))
                winding += triangle_winding(probe, s.points[tri[0]], s.points[tri[1]], s.points[tri[2]]);
        }
        if (winding > 0.5) continue;
        for (std::size_t t = 0; t < s.triangles.size(); ++t)
            if (part[t] == static_cast<int>(p)) turn(s.triangles[t]);
        for (std::size_t t = 0; t < s.caps.size(); ++t)
            if (cap_part[t] == static_cast<int>(p)) turn(s.caps[t]);
        s.volume -= 2 * volume[p];
        ++turned;
    }
    if (turned > 0)
        s.repairs.push_back(counted(turned, "part that was inside out is", "parts that were inside out are") +
                            " taken the other way round");
}

/// Points at the same place become one, points that no triangle has and triangles that have a point twice are left out.
/// Points are numbered as the triangles name them. Returns the box of all points that triangles have.
Box merge_points(const TriMesh& mesh, LatticeSurface& s, Threads& threads) {
    const std::vector<int> first = first_at_same_place(mesh.points);
    std::vector<int> index(mesh.points.size(), -1);
    long long repeated = 0, duplicates = 0;
    std::vector<char> used(mesh.points.size(), 0);
    s.points.reserve(mesh.points.size()), s.triangles.reserve(mesh.triangles.size());
    for (const Tri& t : mesh.triangles) {
        for (int i : t) used[i] = 1;
        const Tri w{first[t[0]], first[t[1]], first[t[2]]};
        if (w[0] == w[1] || w[1] == w[2] || w[2] == w[0]) {
            ++repeated;
            continue;
        }
        Tri renumbered;
        for (int k = 0; k < 3; ++k) {
            int& i = index[w[k]];
            if (i < 0) i = static_cast<int>(s.points.size()), s.points.push_back(mesh.points[w[k]]);
            renumbered[k] = i;
        }
        s.triangles.push_back(renumbered);
    }
    Box box;
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        if (used[i]) box.add(mesh.points[i]);
        duplicates += used[i] && first[i] != static_cast<int>(i);
    }
    const auto flat = parallel_sum(threads, s.triangles.size(), at_once, 0LL, [&](std::size_t begin, std::size_t end) {
        long long count = 0;
        for (std::size_t t = begin; t < end; ++t) {
            const Vec3& a = s.points[s.triangles[t][0]];
            count += (s.points[s.triangles[t][1]] - a).cross(s.points[s.triangles[t][2]] - a).isZero(0.0);
        }
        return count;
    });
    const long long unused = std::count(used.begin(), used.end(), 0);
    if (duplicates > 0) s.repairs.push_back(counted(duplicates, "duplicate point", "duplicate points") + " merged");
    if (unused > 0) s.repairs.push_back(counted(unused, "point", "points") + " in no triangle left out");
    if (repeated > 0)
        s.repairs.push_back(counted(repeated, "triangle", "triangles") + " with repeated points left out");
    if (flat > 0) s.repairs.push_back(counted(flat, "triangle", "triangles") + " without area");
    return box;
}

/// Makes neighbours agree and closes the holes; part and cap_part: the first triangle of the part that each is of.
void close_surface(LatticeSurface& s, std::vector<int>& part, std::vector<int>& cap_part, Threads& threads) {
    EdgeUses edges(static_cast<int>(s.points.size()), s.triangles, threads);
    part = connected_parts(s.triangles.size(), edges);
    if (edges.disagreement) {
        const long long turned = orient_consistently(s.triangles, edges);
        if (turned > 0)
            s.repairs.push_back(counted(turned, "flipped triangle", "flipped triangles") +
                                " turned to agree with the rest");
        edges = EdgeUses(static_cast<int>(s.points.size()), s.triangles, threads);
    }
    cap_boundaries(s, edges, part, cap_part);
}

}  // namespace

LatticeSurface prepare_surface(const TriMesh& mesh, Threads& threads) {
    check_input(mesh, threads);
    LatticeSurface s;
    const Box box = merge_points(mesh, s, threads);
    const double extent = box.size().maxCoeff();
    if (s.triangles.empty() || !(extent > 0) || !std::isnormal(extent) || !std::isfinite(box.diagonal()))
        throw_no_extent();

    // Products of powers of two are exact, so scale cannot change a single decision from here on.
    s.unit = std::exp2(std::ilogb(extent));
    s.box = {box.min / s.unit, box.max / s.unit};
    s.center = s.box.center();
    s.box = {s.box.min - s.center, s.box.max - s.center};
    for (Vec3& p : s.points) p = p / s.unit - s.center;

    std::vector<int> part, cap_part;
    close_surface(s, part, cap_part, threads);
    turn_inside_out_parts(s, part, cap_part, threads);
    if (!(s.area > 1e-12 * s.box.size().squaredNorm())) throw_no_extent();
    return s;
}

}  // namespace pliant
