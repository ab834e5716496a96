#include "pliant/surface/skin_clip.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/geometry/crossing.hpp"
#include "pliant/geometry/predicates.hpp"

namespace pliant {

namespace {

// ---- the surface ----

/// Pairs each use of an edge with one in the opposite direction; `alone` are the directed edges left over.
/// `manifold` falls where more than two triangles meet.
void pair_edges(SkinClip& clip, int vertices, std::vector<std::array<int, 2>>& alone, bool& manifold,
                Threads& threads) {
    struct Side {
        int triangle, corner;
    };
    // Per smaller vertex: the larger one, and which edge of which triangle.
    const Lists<int> corners = corners_round_nodes(vertices, clip.triangles);
    const auto uses = sorted_keys(vertices, threads, [&](int low, auto&& visit) {
        for (int i = corners.begin[low]; i < corners.begin[low + 1]; ++i) {
            const int t = corners.items[i] / 3, k = corners.items[i] % 3, before = (k + 2) % 3;
            const int to = clip.triangles[t][(k + 1) % 3], from = clip.triangles[t][before];
            if (to >= low) visit(packed(to, 3 * t + k));
            if (from > low) visit(packed(from, 3 * t + before));
        }
    });
    clip.surface_edge.assign(clip.triangles.size(), {-1, -1, -1});
    clip.forward.assign(clip.triangles.size(), {false, false, false});
    clip.edge_triangle.clear();
    alone.clear();
    std::vector<Side> there, back;
    for (int low = 0; low < vertices; ++low)
        for (int i = uses.begin[low], j = i; i < uses.begin[low + 1]; i = j) {
            const int high = high_half(uses.items[i]);
            there.clear(), back.clear();
            for (; j < uses.begin[low + 1] && high_half(uses.items[j]) == high; ++j) {
                const Side side{low_half(uses.items[j]) / 3, low_half(uses.items[j]) % 3};
                (clip.triangles[side.triangle][side.corner] == low ? there : back).push_back(side);
            }
            if (j - i > 2) manifold = false;
            const std::size_t pairs = std::min(there.size(), back.size());
            for (std::size_t k = 0; k < pairs; ++k) {
                const int edge = static_cast<int>(clip.edge_triangle.size());
                clip.surface_edge[there[k].triangle][there[k].corner] = edge;
                clip.surface_edge[back[k].triangle][back[k].corner] = edge;
                clip.forward[there[k].triangle][there[k].corner] = true;
                clip.edge_triangle.push_back({back[k].triangle, there[k].triangle});
            }
            for (std::size_t k = pairs; k < there.size(); ++k) alone.push_back({low, high});
            for (std::size_t k = pairs; k < back.size(); ++k) alone.push_back({high, low});
        }
}

/// Fans over the rims of holes, each from the middle of its rim. The rim of any set of triangles is made of cycles.
void add_lids(SkinClip& clip, std::vector<std::array<int, 2>> rim, std::vector<Vec3>& vertices) {
    std::sort(rim.begin(), rim.end());
    std::vector<char> used(rim.size(), 0);
    for (std::size_t i = 0; i < rim.size(); ++i) {
        if (used[i]) continue;
        std::vector<int> loop;
        for (std::size_t at = i; !used[at];) {
            used[at] = 1;
            loop.push_back(rim[at][0]);
            auto next = std::lower_bound(rim.begin(), rim.end(), std::array<int, 2>{rim[at][1], -1});
            while (next != rim.end() && (*next)[0] == rim[at][1] && used[next - rim.begin()]) ++next;
            if (next == rim.end() || (*next)[0] != rim[at][1]) break;
            at = next - rim.begin();
        }
        Vec3 middle = Vec3::Zero();
        for (int v : loop) middle += vertices[v];
        const int apex = static_cast<int>(vertices.size());
        vertices.push_back(middle / static_cast<double>(loop.size()));
        for (std::size_t k = 0; k < loop.size(); ++k)
            clip.triangles.push_back({loop[(k + 1) % loop.size()], loop[k], apex});
    }
}

// ---- clipping ----

struct RawPiece {
    int triangle, tet;
    ClipPolygon polygon;
};

/// In the order of triangles (clip.pieces.begin), then of tets. Finds the tets of the vertices on the way.
UnsetVector<RawPiece> clip_all(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Tet>& tets,
                               const std::vector<Vec3>& vertices, Threads& threads) {
    std::vector<Box> boxes(clip.triangles.size());
    parallel_for(threads, boxes.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (int v : clip.triangles[t]) boxes[t].add(vertices[v]);
    });
    const AabbTree tree(boxes, threads);
    const auto rank = [&](int vertex) { return static_cast<std::int64_t>(nodes.size()) + vertex; };

    constexpr std::size_t tets_at_once = 256;
    struct Found {
        std::vector<RawPiece> pieces;
        std::vector<int> place;                  // of the pieces when all are sorted
        std::vector<std::array<int, 2>> within;  // vertex and tet
    };
    std::vector<Found> found((tets.size() + tets_at_once - 1) / tets_at_once);
    std::atomic<bool> sound{true};
    std::atomic<std::size_t> next{0};
    threads.run([&](int, int) {
        // Triangles share their vertices: where each lies is asked once for every tet.
        struct Looked {
            int tet = -1;
            unsigned beyond = 0;
        };
        std::vector<Looked> looked(vertices.size());
        std::vector<int> near;
        for (std::size_t chunk = next++; chunk < found.size(); chunk = next++)
            for (std::size_t t = tets_at_once * chunk; t < std::min(tets.size(), tets_at_once * (chunk + 1)); ++t) {
                std::array<RankedPoint, 4> n;
                Box box;
                for (int i = 0; i < 4; ++i) n[i] = {&nodes[tets[t][i]], tets[t][i]}, box.add(nodes[tets[t][i]]);
                if (side(n[0], n[1], n[2], n[3]) < 0) sound = false;
                near.clear();
                tree.overlapping(box, [&](int i) { near.push_back(i); });
                if (near.empty()) continue;
                const ClipTet tet(n);
                for (int i : near) {
                    const auto point = [&](int k) {
                        return RankedPoint{&vertices[clip.triangles[i][k]], rank(clip.triangles[i][k])};
                    };
                    std::array<unsigned, 3> beyond;
                    for (int k = 0; k < 3; ++k) {
                        const int v = clip.triangles[i][k];
                        if (looked[v].tet != static_cast<int>(t)) {
                            looked[v] = {static_cast<int>(t), tet.beyond(point(k))};
                            if (looked[v].beyond == 0) found[chunk].within.push_back({v, static_cast<int>(t)});
                        }
                        beyond[k] = looked[v].beyond;
                    }
                    if ((beyond[0] & beyond[1] & beyond[2]) != 0) continue;
                    const ClipPolygon polygon = pliant::clip({point(0), point(1), point(2)}, beyond, tet);
                    if (polygon.size < 0) sound = false;
                    if (polygon.size > 0) found[chunk].pieces.push_back({i, static_cast<int>(t), polygon});
                }
            }
    });
    if (!sound) clip.sound = false;

    clip.vertex_tet.assign(vertices.size(), -1);
    std::vector<int>& begin = clip.pieces.begin;
    begin.assign(clip.triangles.size() + 1, 0);
    for (const Found& some : found) {
        for (const auto& [vertex, tet] : some.within) clip.vertex_tet[vertex] = tet;
        for (const RawPiece& piece : some.pieces) ++begin[piece.triangle + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> at(begin.begin(), begin.end() - 1);
    for (Found& some : found)
        for (const RawPiece& piece : some.pieces) some.place.push_back(at[piece.triangle]++);
    UnsetVector<RawPiece> sorted(begin.back());
    parallel_for(threads, found.size(), 1, [&](std::size_t chunk, std::size_t) {
        const Found& some = found[chunk];
        for (std::size_t i = 0; i < some.pieces.size(); ++i) sorted[some.place[i]] = some.pieces[i];
    });
    return sorted;
}

/// Which triangles leave the mesh.
void find_leavers(SkinClip& clip, const UnsetVector<RawPiece>& pieces, Threads& threads) {
    clip.leaves_mesh.assign(clip.triangles.size(), 0);
    parallel_for(threads, clip.triangles.size(), 2048, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            for (int v : clip.triangles[t])
                if (clip.vertex_tet[v] < 0) clip.leaves_mesh[t] = 1;
            for (int i = clip.pieces.begin[t]; i < clip.pieces.begin[t + 1]; ++i)
                for (int k = 0; k < pieces[i].polygon.size; ++k)
                    if (const int along = pieces[i].polygon.along[k];
                        along >= 3 && clip.faces[clip.face_of[pieces[i].tet][along - 3]].tet[1] < 0)
                        clip.leaves_mesh[t] = 1;
        }
    });
    const auto drawn = clip.leaves_mesh.begin() + clip.drawn_triangles;
    clip.contained = std::find(clip.leaves_mesh.begin(), drawn, 1) == drawn;
}

// ---- inside and outside ----

struct EdgeCrossing {
    int edge, point, triangle;
    int enter;  // +1 when going into the surface
    double t;   // from the smaller node
};

/// How often the surface winds round a node: crossings of the way to a point far off.
int winding(const SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices, int node,
            Threads& threads) {
    Box box;
    for (const Vec3& p : nodes) box.add(p);
    for (const Vec3& p : vertices) box.add(p);
    const Vec3 far = box.max + Vec3(1.1, 1.3, 1.7) * box.diagonal();
    const auto rank = [&](int v) { return static_cast<std::int64_t>(nodes.size()) + v; };
    const RankedPoint from{&nodes[node], node}, to{&far, rank(static_cast<int>(vertices.size()))};
    return parallel_sum(threads, clip.triangles.size(), 4096, 0, [&](std::size_t first, std::size_t last) {
        int wind = 0;
        for (std::size_t t = first; t < last; ++t) {
            std::array<RankedPoint, 3> p;
            for (int k = 0; k < 3; ++k) p[k] = {&vertices[clip.triangles[t][k]], rank(clip.triangles[t][k])};
            const int here = side(p[0], p[1], p[2], from);
            if (here == side(p[0], p[1], p[2], to)) continue;
            const int s = side(from, to, p[0], p[1]);
            if (s == side(from, to, p[1], p[2]) && s == side(from, to, p[2], p[0])) wind -= here;
        }
        return wind;
    });
}

/// Winding of every node, carried along the tet edges from one node per connected part.
std::vector<int> node_windings(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices,
                               const Lists<EdgeCrossing>& crossings, Threads& threads) {
    const int edges = static_cast<int>(clip.edge_nodes.size());
    // Edges are sorted by their smaller nodes: those to smaller ones, then those to larger ones are in their order.
    const Lists<int> to_smaller = numbers_by(clip.node_count, edges, [&](int e) { return clip.edge_nodes[e][1]; });
    std::vector<int> to_larger(clip.node_count + 1, 0);
    for (const auto& [a, b] : clip.edge_nodes) ++to_larger[a + 1];
    std::partial_sum(to_larger.begin(), to_larger.end(), to_larger.begin());
    std::vector<int> wind(clip.node_count, 0), stack;
    std::vector<char> known(clip.node_count, 0);
    const auto go = [&](int from, int edge, int direction) {
        int change = 0;
        for (int i = crossings.begin[edge]; i < crossings.begin[edge + 1]; ++i) change += crossings.items[i].enter;
        const int to = clip.edge_nodes[edge][direction > 0 ? 1 : 0], is = wind[from] + direction * change;
        if (!known[to])
            known[to] = 1, wind[to] = is, stack.push_back(to);
        else if (wind[to] != is)
            clip.sound = false;
    };
    for (int seed = 0; seed < clip.node_count; ++seed) {
        const bool alone =
            to_smaller.begin[seed] == to_smaller.begin[seed + 1] && to_larger[seed] == to_larger[seed + 1];
        if (known[seed] || alone) continue;
        wind[seed] = winding(clip, nodes, vertices, seed, threads), known[seed] = 1;
        stack.assign(1, seed);
        while (!stack.empty()) {
            const int n = stack.back();
            stack.pop_back();
            for (int i = to_smaller.begin[n]; i < to_smaller.begin[n + 1]; ++i) go(n, to_smaller.items[i], -1);
            for (int e = to_larger[n]; e < to_larger[n + 1]; ++e) go(n, e, 1);
        }
    }
    return wind;
}

/// The inside parts of one tet edge: like brackets, where the surface is entered a part opens, where it is left the
/// part opened last closes. A node starts or ends as many parts as the surface winds round it.
/// visit(from, to) for each; false where they contradict each other.
template <class Visit>
bool edge_parts(std::vector<EdgeCrossing>& crossings, int wind_a, int first_a, int wind_b, int first_b, Visit&& visit) {
    std::sort(crossings.begin(), crossings.end(), [](const EdgeCrossing& a, const EdgeCrossing& b) {
        return std::tie(a.t, a.point) < std::tie(b.t, b.point);
    });
    std::vector<int> open(static_cast<std::size_t>(std::abs(wind_a)));
    std::iota(open.begin(), open.end(), first_a);
    int wind = wind_a;
    const auto pass = [&](int point, int enter) {
        if (wind * enter < 0) {  // closes a part
            wind > 0 ? visit(open.back(), point) : visit(point, open.back());
            open.pop_back();
        } else {
            open.push_back(point);
        }
        wind += enter;
    };
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        // Where crossings fall together, the order that keeps inside and outside apart is the right one.
        const int wanted = wind > 0 ? -1 : 1;
        std::size_t pick = i;
        for (std::size_t j = i; j < crossings.size() && crossings[j].t - crossings[i].t <= 1e-14; ++j)
            if (crossings[j].enter == wanted) {
                pick = j;
                break;
            }
        std::rotate(crossings.begin() + static_cast<std::ptrdiff_t>(i),
                    crossings.begin() + static_cast<std::ptrdiff_t>(pick),
                    crossings.begin() + static_cast<std::ptrdiff_t>(pick) + 1);
        pass(crossings[i].point, crossings[i].enter);
    }
    if (wind != wind_b) return false;
    for (int k = std::abs(wind_b); k-- > 0;) pass(first_b + k, wind_b > 0 ? -1 : 1);
    return true;
}

}  // namespace

SkinClip::Corner SkinClip::corner(int point, int tet) const {
    const int entity = points[point].entity;
    if (entity < 0) return {point, -1};
    const auto end = star.items.begin() + star.begin[entity + 1];
    const auto at = std::lower_bound(star.items.begin() + star.begin[entity], end, tet);
    CHECK(at != end && *at == tet, point, entity, tet);
    return {point, static_cast<int>(at - star.items.begin())};
}

namespace {

/// Gives every vertex of every piece its point, and every point its place.
struct Numbering {
    const std::vector<Vec3>& nodes;
    const std::vector<Vec3>& vertices;
    const UnsetVector<RawPiece>& raw;
    SkinClip& clip;
    std::vector<EdgeCrossing> crossings;

    SkinClip::Point face_point(const RawPiece& piece, const ClipVertex& v, const std::vector<Tet>& tets) const {
        const Tri& tri = clip.triangles[piece.triangle];
        const int face = clip.face_of[piece.tet][v.face];
        const Tet& t = tets[clip.faces[face].tet[0]];
        const auto& c = clip.faces[face].from_first;
        const int a = tri[v.index], b = tri[(v.index + 1) % 3];
        const Vec3 &p = vertices[std::min(a, b)], &q = vertices[std::max(a, b)];
        return {p + crossing_parameter(p, q, nodes[t[c[0]]], nodes[t[c[1]]], nodes[t[c[2]]]) * (q - p), face, 0};
    }

    SkinClip::Point edge_point(const RawPiece& piece, const ClipVertex& v, const std::vector<Tet>& tets, int number,
                               EdgeCrossing& crossing) const {
        const Tri& tri = clip.triangles[piece.triangle];
        const int edge = clip.edge_of[piece.tet][v.index];
        const auto [a, b] = clip.edge_nodes[edge];
        const double t = crossing_parameter(nodes[a], nodes[b], vertices[tri[0]], vertices[tri[1]], vertices[tri[2]]);
        const int larger = tets[piece.tet][tet_edges[v.index][0]] == b ? tet_edges[v.index][0] : tet_edges[v.index][1];
        crossing = {edge, number, piece.triangle, -piece.polygon.node_side[larger], t};
        return {nodes[a] + t * (nodes[b] - nodes[a]), clip.edge_entity(edge), 0};
    }

    /// Points of a kind. Keys of the same high half are uses of the same point, low halves are 8·piece + vertex; the
    /// first use says where it is. `first`: number of the first point of each list.
    template <class MakePoint>
    void number(const Lists<std::uint64_t>& uses, const std::vector<int>& first, Threads& threads,
                MakePoint&& make_point) {
        const int before = static_cast<int>(clip.points.size());
        clip.points.resize(before + first.back());
        parallel_for(threads, uses.count(), lists_at_once, [&](std::size_t begin, std::size_t end) {
            for (std::size_t list = begin; list < end; ++list)
                for (int i = uses.begin[list], nth = first[list] - 1; i < uses.begin[list + 1]; ++i) {
                    const int piece = low_half(uses.items[i]) / 8, k = low_half(uses.items[i]) % 8;
                    if (i == uses.begin[list] || high_half(uses.items[i]) != high_half(uses.items[i - 1]))
                        ++nth, clip.points[before + nth] = make_point(nth, raw[piece], raw[piece].polygon.vertex[k]);
                    clip.corners[clip.pieces.items[piece].first_corner + k].point = before + nth;
                }
        });
    }

    /// visit(tet, vertex, 8·piece + its number) for the vertices of a kind in the pieces of a triangle.
    template <class Visit>
    void each_vertex(int triangle, ClipVertex::Kind kind, Visit&& visit) const {
        for (int i = clip.pieces.begin[triangle]; i < clip.pieces.begin[triangle + 1]; ++i)
            for (int k = 0; k < raw[i].polygon.size; ++k)
                if (raw[i].polygon.vertex[k].kind == kind) visit(raw[i].tet, raw[i].polygon.vertex[k], 8 * i + k);
    }

    void run(const std::vector<Tet>& tets, Threads& threads) {
        const int triangles = static_cast<int>(clip.triangles.size());
        int corners = 0;
        clip.pieces.items.resize(raw.size());
        for (std::size_t i = 0; i < raw.size(); ++i) {
            clip.pieces.items[i] = {raw[i].tet, corners, raw[i].polygon.size};
            corners += raw[i].polygon.size;
        }
        clip.corners.resize(corners);
        // Where edges of the surface go through faces, by the edge; where edges of the mesh go through triangles, by
        // the triangle.
        const auto by_edge =
            sorted_keys(static_cast<int>(clip.edge_triangle.size()), threads, [&](int edge, auto&& visit) {
                for (int t : clip.edge_triangle[edge])
                    each_vertex(t, ClipVertex::edge_face, [&](int tet, const ClipVertex& v, int use) {
                        if (clip.surface_edge[t][v.index] == edge) visit(packed(clip.face_of[tet][v.face], use));
                    });
            });
        const auto by_triangle = sorted_keys(triangles, threads, [&](int t, auto&& visit) {
            each_vertex(t, ClipVertex::tet_edge,
                        [&](int tet, const ClipVertex& v, int use) { visit(packed(clip.edge_of[tet][v.index], use)); });
        });
        const std::vector<int> first_on_edge = first_of_lists(by_edge, threads),
                               first_in_triangle = first_of_lists(by_triangle, threads);
        const std::size_t found = vertices.size() + first_on_edge.back() + first_in_triangle.back();
        clip.points.reserve(found + clip.node_count + clip.edge_nodes.size());  // mostly enough for those to come

        for (const Vec3& v : vertices) clip.points.push_back({v, -1, 0});
        parallel_for(threads, triangles, lists_at_once, [&](std::size_t begin, std::size_t end) {
            for (int t = static_cast<int>(begin); t < static_cast<int>(end); ++t)
                each_vertex(t, ClipVertex::corner, [&](int, const ClipVertex& v, int use) {
                    clip.corners[clip.pieces.items[use / 8].first_corner + use % 8].point = clip.triangles[t][v.index];
                });
        });
        number(by_edge, first_on_edge, threads,
               [&](int, const RawPiece& piece, const ClipVertex& v) { return face_point(piece, v, tets); });
        const int before = static_cast<int>(clip.points.size());
        crossings.resize(first_in_triangle.back());
        number(by_triangle, first_in_triangle, threads, [&](int nth, const RawPiece& piece, const ClipVertex& v) {
            return edge_point(piece, v, tets, before + nth, crossings[nth]);
        });
    }
};

/// Inside parts of all tet edges; adds the inside nodes to the points.
void find_edge_segments(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices,
                        const std::vector<EdgeCrossing>& found, Threads& threads) {
    const int edges = static_cast<int>(clip.edge_nodes.size());
    const auto crossings = bucket(edges, found, [](const EdgeCrossing& c) { return c.edge; });
    clip.pierced.begin = crossings.begin;
    for (const EdgeCrossing& c : crossings.items) clip.pierced.items.push_back(c.triangle);
    const std::vector<int> wind = node_windings(clip, nodes, vertices, crossings, threads);
    std::vector<int> first(clip.node_count, -1);
    for (int n = 0; n < clip.node_count; ++n) {
        first[n] = static_cast<int>(clip.points.size());
        for (int k = 0; k < std::abs(wind[n]); ++k) clip.points.push_back({nodes[n], clip.node_entity(n), 0});
    }
    std::atomic<bool> sound{true};
    clip.edge_segments = make_lists<std::array<int, 2>>(edges, threads, [&](int e, auto&& visit) {
        const auto [a, b] = clip.edge_nodes[e];
        const auto begin = crossings.items.begin();
        std::vector<EdgeCrossing> along(begin + crossings.begin[e], begin + crossings.begin[e + 1]);
        if (along.empty() && wind[a] == 0 && wind[b] == 0) return;
        const auto add = [&](int from, int to) { visit({from, to}); };
        if (!edge_parts(along, wind[a], first[a], wind[b], first[b], add)) sound = false;
    });
    if (!sound) clip.sound = false;
    const int nodes_from = clip.node_entity(0);
    const auto is_node = [&](int point) { return clip.points[point].entity >= nodes_from; };
    clip.edge_middle.assign(clip.edge_segments.items.size(), -1);
    for (int e = 0; e < edges; ++e)
        for (int i = clip.edge_segments.begin[e]; i < clip.edge_segments.begin[e + 1]; ++i) {
            const auto [from, to] = clip.edge_segments.items[i];
            if (!is_node(from) || !is_node(to)) continue;
            clip.edge_middle[i] = static_cast<int>(clip.points.size());
            const Vec3 middle = 0.5 * (clip.points[from].x + clip.points[to].x);
            clip.points.push_back({middle, clip.edge_entity(e), 0});
        }
}

/// From which tet the pieces' corners are seen, and what of their sides lies in faces and on edges of the surface.
void finish_pieces(SkinClip& clip, const UnsetVector<RawPiece>& raw, Threads& threads) {
    parallel_for(threads, clip.pieces.items.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const SkinClip::Piece& piece = clip.pieces.items[p];
            for (int i = piece.first_corner; i < piece.first_corner + piece.corners; ++i)
                clip.corners[i] = clip.corner(clip.corners[i].point, piece.tet);
        }
    });
    // visit(from, to) for the sides of a piece along an edge of its triangle or in a face of its tet.
    const auto each_side = [&](int i, int along, auto&& visit) {
        const int size = raw[i].polygon.size;
        const SkinClip::Corner* corner = &clip.corners[clip.pieces.items[i].first_corner];
        for (int k = 0; k < size; ++k)
            if (raw[i].polygon.along[k] == along) visit(corner[k].point, corner[k + 1 < size ? k + 1 : 0].point);
    };

    clip.tet_pieces = numbers_by(static_cast<int>(clip.face_of.size()), static_cast<int>(raw.size()),
                                 [&](int i) { return raw[i].tet; });
    clip.face_segments =
        make_lists<SkinClip::Segment>(static_cast<int>(clip.faces.size()), threads, [&](int face, auto&& visit) {
            const int tet = clip.faces[face].tet[0], along = 3 + clip.faces[face].local[0];
            for (int n = clip.tet_pieces.begin[tet]; n < clip.tet_pieces.begin[tet + 1]; ++n) {
                const int i = clip.tet_pieces.items[n];
                each_side(i, along, [&](int from, int to) { visit({to, from, raw[i].triangle}); });
            }
        });

    // The steps of an edge from tet to tet, put in order. A chain that is broken belongs to triangles that leave the
    // mesh, which are always drawn in pieces.
    const int vertices = static_cast<int>(clip.vertex_tet.size());
    clip.surface_edge_points =
        make_lists<int>(static_cast<int>(clip.edge_triangle.size()), threads, [&](int edge, auto&& visit) {
            const int t = clip.edge_triangle[edge][1], first = clip.pieces.begin[t], last = clip.pieces.begin[t + 1];
            const auto& edges = clip.surface_edge[t];
            const int along = static_cast<int>(std::find(edges.begin(), edges.end(), edge) - edges.begin());
            // End of the first step that begins so; −1 where there is none.
            const auto step = [&](auto&& begins_so) {
                int end = -1;
                for (int i = first; i < last && end < 0; ++i)
                    each_side(i, along, [&](int from, int to) {
                        if (begins_so(from)) end = to;
                    });
                return end;
            };
            int point = step([&](int from) { return from < vertices; });
            for (int left = last - first; left > 0 && point >= vertices; --left) {
                visit(point);
                point = step([&](int from) { return from == point; });
            }
        });
}

}  // namespace

SkinClip clip_surface(const TetMesh& mesh, const TriMesh& surface, TetNeighbours neighbours, Threads& threads,
                      std::vector<Vec3>* keep_nodes) {
    SkinClip clip;
    list_all_stars(clip, mesh, neighbours, threads);

    std::vector<Vec3> vertices = surface.points;
    for (const Tri& t : surface.triangles)
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) clip.triangles.push_back(t);
    clip.drawn_triangles = static_cast<int>(clip.triangles.size());
    std::vector<std::array<int, 2>> rim;
    pair_edges(clip, static_cast<int>(vertices.size()), rim, clip.closed, threads);
    if (!rim.empty()) {
        clip.closed = false;
        add_lids(clip, rim, vertices);
        bool ignored = true;
        pair_edges(clip, static_cast<int>(vertices.size()), rim, ignored, threads);
        CHECK(rim.empty(), rim.size());
    }

    std::vector<Vec3> nodes;
    UnsetVector<RawPiece> raw;
    const auto clip_to = [&](std::vector<Vec3> at) {
        nodes = std::move(at);
        raw = clip_all(clip, nodes, mesh.tets, vertices, threads);
        find_leavers(clip, raw, threads);
    };
    if (keep_nodes && !keep_nodes->empty()) {
        clip_to(*keep_nodes);
    } else {
        const std::vector<Vec3> start = keep_nodes ? scattered_nodes(mesh) : mesh.rest;
        for (double margin : {0.0, 1e-4, 1e-2, 0.1, 0.3}) {
            clip_to(margin > 0 ? inflated_nodes(clip, mesh, start, margin) : start);
            if (clip.contained) break;
        }
        if (keep_nodes) *keep_nodes = nodes;
    }
    Numbering numbering{nodes, vertices, raw, clip, {}};
    numbering.run(mesh.tets, threads);
    find_edge_segments(clip, nodes, vertices, numbering.crossings, threads);
    for (SkinClip::Point& point : clip.points) {
        point.slot = clip.slots;
        clip.slots += point.entity < 0 ? 1 : clip.star.begin[point.entity + 1] - clip.star.begin[point.entity];
    }
    finish_pieces(clip, raw, threads);
    return clip;
}

}  // namespace pliant
