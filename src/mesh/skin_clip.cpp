#include "pliant/mesh/skin_clip.hpp"

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
#include "pliant/geometry/predicates.hpp"

namespace pliant {

namespace {

// ---- the surface ----

/// Pairs each use of an edge with one in the opposite direction; `alone` are the directed edges left over.
/// Returns the number of paired edges; `manifold` falls where more than two triangles meet.
int pair_edges(SkinClip& clip, int vertices, std::vector<std::array<int, 2>>& alone, bool& manifold, Threads& threads) {
    struct Side {
        int triangle, corner;
    };
    const int triangles = static_cast<int>(clip.triangles.size());
    // Per smaller vertex: the larger one, and which edge of which triangle.
    const auto uses = sorted_keys(vertices, threads, [&](auto&& visit) {
        for (int t = 0; t < triangles; ++t)
            for (int k = 0; k < 3; ++k) {
                const int a = clip.triangles[t][k], b = clip.triangles[t][(k + 1) % 3];
                visit(std::min(a, b), packed(std::max(a, b), 3 * t + k));
            }
    });
    clip.surface_edge.assign(clip.triangles.size(), {-1, -1, -1});
    clip.forward.assign(clip.triangles.size(), {false, false, false});
    alone.clear();
    int edges = 0;
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
            for (std::size_t k = 0; k < pairs; ++k, ++edges) {
                clip.surface_edge[there[k].triangle][there[k].corner] = edges;
                clip.surface_edge[back[k].triangle][back[k].corner] = edges;
                clip.forward[there[k].triangle][there[k].corner] = true;
            }
            for (std::size_t k = pairs; k < there.size(); ++k) alone.push_back({low, high});
            for (std::size_t k = pairs; k < back.size(); ++k) alone.push_back({high, low});
        }
    return edges;
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

/// In the order of triangles, then of tets.
std::vector<RawPiece> clip_all(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Tet>& tets,
                               const std::vector<Vec3>& vertices, Threads& threads) {
    std::vector<Box> boxes(clip.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (int v : clip.triangles[t]) boxes[t].add(vertices[v]);
    const AabbTree tree(boxes);
    const auto rank = [&](int vertex) { return static_cast<std::int64_t>(nodes.size()) + vertex; };

    constexpr std::size_t tets_at_once = 256;
    std::vector<std::vector<RawPiece>> found((tets.size() + tets_at_once - 1) / tets_at_once);
    std::atomic<bool> sound{true};
    parallel_for(threads, tets.size(), tets_at_once, [&](std::size_t begin, std::size_t end) {
        std::vector<RawPiece>& pieces = found[begin / tets_at_once];
        std::vector<int> near;
        for (std::size_t t = begin; t < end; ++t) {
            std::array<RankedPoint, 4> n;
            Box box;
            for (int i = 0; i < 4; ++i) n[i] = {&nodes[tets[t][i]], tets[t][i]}, box.add(nodes[tets[t][i]]);
            if (side(n[0], n[1], n[2], n[3]) < 0) sound = false;
            near.clear();
            tree.overlapping(box, [&](int i) { near.push_back(i); });
            if (near.empty()) continue;
            const ClipTet tet(n);
            for (int i : near) {
                std::array<RankedPoint, 3> p;
                for (int k = 0; k < 3; ++k) p[k] = {&vertices[clip.triangles[i][k]], rank(clip.triangles[i][k])};
                const ClipPolygon polygon = pliant::clip(p, tet);
                if (polygon.size < 0) sound = false;
                if (polygon.size > 0) pieces.push_back({i, static_cast<int>(t), polygon});
            }
        }
    });
    if (!sound) clip.sound = false;

    std::vector<int> at(clip.triangles.size() + 1, 0);
    for (const auto& pieces : found)
        for (const RawPiece& piece : pieces) ++at[piece.triangle + 1];
    std::partial_sum(at.begin(), at.end(), at.begin());
    std::vector<RawPiece> sorted(at.back());
    for (const auto& pieces : found)
        for (const RawPiece& piece : pieces) sorted[at[piece.triangle]++] = piece;
    return sorted;
}

/// Which surface vertices are in which tet, and which triangles leave the mesh.
void find_leavers(SkinClip& clip, const std::vector<RawPiece>& pieces, std::size_t vertices) {
    clip.vertex_tet.assign(vertices, -1);
    clip.leaves_mesh.assign(clip.triangles.size(), 0);
    for (const RawPiece& piece : pieces)
        for (int i = 0; i < piece.polygon.size; ++i) {
            const ClipVertex& v = piece.polygon.vertex[i];
            if (v.kind == ClipVertex::corner) clip.vertex_tet[clip.triangles[piece.triangle][v.index]] = piece.tet;
            const int along = piece.polygon.along[i];
            if (along >= 3 && clip.faces[clip.face_of[piece.tet][along - 3]].tet[1] < 0)
                clip.leaves_mesh[piece.triangle] = 1;
        }
    clip.contained = true;
    for (std::size_t t = 0; t < clip.triangles.size(); ++t) {
        for (int v : clip.triangles[t])
            if (clip.vertex_tet[v] < 0) clip.leaves_mesh[t] = 1;
        if (clip.leaves_mesh[t] && static_cast<int>(t) < clip.drawn_triangles) clip.contained = false;
    }
}

/// Nodes of the mesh's boundary moved outward by `margin` of their edges' mean length, so that a surface that lies on
/// the boundary is inside. Tets that would suffer keep their nodes.
std::vector<Vec3> inflated(const SkinClip& clip, const TetMesh& mesh, double margin) {
    std::vector<Vec3> normal(mesh.rest.size(), Vec3::Zero());
    std::vector<double> length(mesh.rest.size(), 0);
    std::vector<int> count(mesh.rest.size(), 0);
    for (const SkinFace& face : clip.faces) {
        if (face.tet[1] >= 0) continue;
        std::array<int, 3> c;
        for (int k = 0; k < 3; ++k) c[k] = mesh.tets[face.tet[0]][face.from_first[k]];
        const Vec3 n = (mesh.rest[c[1]] - mesh.rest[c[0]]).cross(mesh.rest[c[2]] - mesh.rest[c[0]]);
        for (int k = 0; k < 3; ++k) {
            normal[c[k]] += n;
            length[c[k]] += (mesh.rest[c[(k + 1) % 3]] - mesh.rest[c[k]]).norm(), ++count[c[k]];
        }
    }
    std::vector<Vec3> nodes = mesh.rest;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double size = normal[i].norm();
        if (size > 0) nodes[i] += normal[i] * (margin * length[i] / (count[i] * size));
    }
    for (bool again = true; again;) {
        again = false;
        for (const Tet& t : mesh.tets) {
            if (orient3d(nodes[t[0]], nodes[t[1]], nodes[t[2]], nodes[t[3]]) > 0) continue;
            for (int n : t)
                if (nodes[n] != mesh.rest[n]) nodes[n] = mesh.rest[n], again = true;
        }
    }
    return nodes;
}

/// Where between p and q the segment meets the triangle, 0…1. In one plane: the middle of what they share.
double crossing_parameter(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    const double vp = orient3d(a, b, c, p), vq = orient3d(a, b, c, q);
    if (vp != vq) return std::clamp(vp / (vp - vq), 0.0, 1.0);
    int axis;
    const Vec3 normal = (b - a).cross(c - a);
    normal.cwiseAbs().maxCoeff(&axis);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double turn = normal[axis] < 0 ? -1 : 1;
    double low = 0, high = 1;
    const Vec3* corner[3] = {&a, &b, &c};
    for (int k = 0; k < 3; ++k) {
        const double at_p = turn * orient2d(*corner[k], *corner[(k + 1) % 3], p, u, v);
        const double at_q = turn * orient2d(*corner[k], *corner[(k + 1) % 3], q, u, v);
        if (at_p < at_q) low = std::max(low, std::min(1.0, at_p / (at_p - at_q)));
        if (at_p > at_q) high = std::min(high, std::max(0.0, at_p / (at_p - at_q)));
    }
    return 0.5 * (low + high);
}

// ---- inside and outside ----

struct EdgeCrossing {
    int edge, point;
    double t;   // from the smaller node
    int enter;  // +1 when going into the surface
};

/// How often the surface winds round a node: crossings of the way to a point far off.
int winding(const SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices, int node) {
    Box box;
    for (const Vec3& p : nodes) box.add(p);
    for (const Vec3& p : vertices) box.add(p);
    const Vec3 far = box.max + Vec3(1.1, 1.3, 1.7) * box.diagonal();
    const auto rank = [&](int v) { return static_cast<std::int64_t>(nodes.size()) + v; };
    const RankedPoint from{&nodes[node], node}, to{&far, rank(static_cast<int>(vertices.size()))};
    int wind = 0;
    for (const Tri& t : clip.triangles) {
        std::array<RankedPoint, 3> p;
        for (int k = 0; k < 3; ++k) p[k] = {&vertices[t[k]], rank(t[k])};
        const int here = side(p[0], p[1], p[2], from);
        if (here == side(p[0], p[1], p[2], to)) continue;
        const int s = side(from, to, p[0], p[1]);
        if (s == side(from, to, p[1], p[2]) && s == side(from, to, p[2], p[0])) wind -= here;
    }
    return wind;
}

/// Winding of every node, carried along the tet edges from one node per connected part.
std::vector<int> node_windings(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices,
                               const Lists<EdgeCrossing>& crossings) {
    std::vector<std::array<int, 3>> links;  // node, other node, change
    for (int e = 0; e < static_cast<int>(clip.edge_nodes.size()); ++e) {
        int change = 0;
        for (int i = crossings.begin[e]; i < crossings.begin[e + 1]; ++i) change += crossings.items[i].enter;
        const auto [a, b] = clip.edge_nodes[e];
        links.push_back({a, b, change}), links.push_back({b, a, -change});
    }
    const auto around = bucket(clip.node_count, links, [](const auto& link) { return link[0]; });
    std::vector<int> wind(clip.node_count, 0), stack;
    std::vector<char> known(clip.node_count, 0);
    for (int seed = 0; seed < clip.node_count; ++seed) {
        if (known[seed] || around.begin[seed] == around.begin[seed + 1]) continue;
        wind[seed] = winding(clip, nodes, vertices, seed), known[seed] = 1;
        stack.assign(1, seed);
        while (!stack.empty()) {
            const int n = stack.back();
            stack.pop_back();
            for (int i = around.begin[n]; i < around.begin[n + 1]; ++i) {
                const auto& [from, to, change] = around.items[i];
                if (!known[to])
                    known[to] = 1, wind[to] = wind[n] + change, stack.push_back(to);
                else if (wind[to] != wind[n] + change)
                    clip.sound = false;
            }
        }
    }
    return wind;
}

/// The inside parts of one tet edge: like brackets, where the surface is entered a part opens, where it is left the
/// part opened last closes. A node starts or ends as many parts as the surface winds round it.
void edge_parts(int edge, std::vector<EdgeCrossing>& crossings, int wind_a, int first_a, int wind_b, int first_b,
                std::vector<std::array<int, 3>>& parts, bool& sound) {
    std::sort(crossings.begin(), crossings.end(), [](const EdgeCrossing& a, const EdgeCrossing& b) {
        return std::tie(a.t, a.point) < std::tie(b.t, b.point);
    });
    std::vector<int> open;
    int wind = wind_a;
    for (int k = 0; k < std::abs(wind_a); ++k) open.push_back(first_a + k);
    const auto pass = [&](int point, int enter) {
        if (wind * enter < 0) {  // closes a part
            parts.push_back(wind > 0 ? std::array<int, 3>{edge, open.back(), point}
                                     : std::array<int, 3>{edge, point, open.back()});
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
    if (wind != wind_b) {
        sound = false;
        return;
    }
    for (int k = std::abs(wind_b); k-- > 0;) pass(first_b + k, wind_b > 0 ? -1 : 1);
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
    const std::vector<RawPiece>& raw;
    SkinClip& clip;
    std::vector<int> point_of;  // per piece vertex, pieces one after the other
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
        crossing = {edge, number, t, -piece.polygon.node_side[larger]};
        return {nodes[a] + t * (nodes[b] - nodes[a]), clip.edge_entity(edge), 0};
    }

    /// Points of the kind by their lists: of the same high half is the same point, and its first use says where it is.
    template <class MakePoint>
    void number(const Lists<std::uint64_t>& uses, Threads& threads, MakePoint&& make_point) {
        const std::vector<int> first = first_of_lists(uses, threads);
        const int before = static_cast<int>(clip.points.size());
        clip.points.resize(before + first.back());
        parallel_for(threads, uses.count(), lists_at_once, [&](std::size_t begin, std::size_t end) {
            for (std::size_t list = begin; list < end; ++list)
                for (int i = uses.begin[list], point = before + first[list] - 1; i < uses.begin[list + 1]; ++i) {
                    const int place = low_half(uses.items[i]);
                    if (i == uses.begin[list] || high_half(uses.items[i]) != high_half(uses.items[i - 1]))
                        ++point, clip.points[point] = make_point(point, place);
                    point_of[place] = point;
                }
        });
    }

    void run(const std::vector<Tet>& tets, int edges, Threads& threads) {
        std::vector<int> piece_of;
        for (std::size_t i = 0; i < raw.size(); ++i) piece_of.resize(piece_of.size() + raw[i].polygon.size, int(i));
        point_of.resize(piece_of.size());
        std::vector<int> start(raw.size(), 0);
        for (std::size_t i = 1; i < raw.size(); ++i) start[i] = start[i - 1] + raw[i - 1].polygon.size;
        const auto vertex = [&](int place) {
            return raw[piece_of[place]].polygon.vertex[place - start[piece_of[place]]];
        };
        // visit(list, key) for the vertices of the kind: by the edge of the surface that crosses a face, or by the
        // triangle that an edge of the mesh goes through.
        const auto each = [&](ClipVertex::Kind kind, auto&& visit) {
            int place = 0;
            for (const RawPiece& piece : raw)
                for (int k = 0; k < piece.polygon.size; ++k, ++place) {
                    const ClipVertex& v = piece.polygon.vertex[k];
                    if (v.kind != kind) continue;
                    if (kind == ClipVertex::edge_face)
                        visit(clip.surface_edge[piece.triangle][v.index],
                              packed(clip.face_of[piece.tet][v.face], place));
                    else if (kind == ClipVertex::tet_edge)
                        visit(piece.triangle, packed(clip.edge_of[piece.tet][v.index], place));
                    else
                        point_of[place] = clip.triangles[piece.triangle][v.index];
                }
        };
        for (const Vec3& v : vertices) clip.points.push_back({v, -1, 0});
        each(ClipVertex::corner, [](int, std::uint64_t) {});
        number(sorted_keys(edges, threads, [&](auto&& visit) { each(ClipVertex::edge_face, visit); }), threads,
               [&](int, int place) { return face_point(raw[piece_of[place]], vertex(place), tets); });
        const auto by_triangle = sorted_keys(static_cast<int>(clip.triangles.size()), threads,
                                             [&](auto&& visit) { each(ClipVertex::tet_edge, visit); });
        const int before = static_cast<int>(clip.points.size());
        crossings.resize(first_of_lists(by_triangle, threads).back());
        number(by_triangle, threads, [&](int point, int place) {
            return edge_point(raw[piece_of[place]], vertex(place), tets, point, crossings[point - before]);
        });
    }
};

/// Inside parts of all tet edges; adds the inside nodes to the points.
void find_edge_segments(SkinClip& clip, const std::vector<Vec3>& nodes, const std::vector<Vec3>& vertices,
                        const std::vector<EdgeCrossing>& found) {
    const int edges = static_cast<int>(clip.edge_nodes.size());
    const auto crossings = bucket(edges, found, [](const EdgeCrossing& c) { return c.edge; });
    const std::vector<int> wind = node_windings(clip, nodes, vertices, crossings);
    std::vector<int> first(clip.node_count, -1);
    for (int n = 0; n < clip.node_count; ++n) {
        first[n] = static_cast<int>(clip.points.size());
        for (int k = 0; k < std::abs(wind[n]); ++k) clip.points.push_back({nodes[n], clip.node_entity(n), 0});
    }
    std::vector<std::array<int, 3>> parts;
    std::vector<EdgeCrossing> along;
    for (int e = 0; e < edges; ++e) {
        const auto [a, b] = clip.edge_nodes[e];
        along.assign(crossings.items.begin() + crossings.begin[e], crossings.items.begin() + crossings.begin[e + 1]);
        edge_parts(e, along, wind[a], first[a], wind[b], first[b], parts, clip.sound);
    }
    const auto sorted = bucket(edges, parts, [](const auto& part) { return part[0]; });
    clip.edge_segments.begin = sorted.begin;
    const auto is_node = [&](int point) { return clip.points[point].entity >= clip.node_entity(0); };
    for (const auto& [e, from, to] : sorted.items) {
        clip.edge_segments.items.push_back({from, to});
        clip.edge_middle.push_back(-1);
        if (!is_node(from) || !is_node(to)) continue;
        clip.edge_middle.back() = static_cast<int>(clip.points.size());
        const Vec3 middle = 0.5 * (clip.points[from].x + clip.points[to].x);
        clip.points.push_back({middle, clip.edge_entity(e), 0});
    }
}

void store_pieces(SkinClip& clip, const std::vector<RawPiece>& raw, const std::vector<int>& point_of, int edges,
                  Threads& threads) {
    struct Step {
        int edge, from, to;
    };
    struct FaceSegment {
        int face;
        SkinClip::Segment segment;
    };
    std::vector<Step> steps;
    std::vector<FaceSegment> segments;
    clip.pieces.begin.assign(clip.triangles.size() + 1, 0);
    clip.pieces.items.reserve(raw.size());
    int place = 0;
    for (const RawPiece& piece : raw) {
        ++clip.pieces.begin[piece.triangle + 1];
        const int n = piece.polygon.size;
        clip.pieces.items.push_back({piece.tet, place, n});
        for (int i = 0; i < n; ++i) {
            const int from = point_of[place + i], to = point_of[place + (i + 1) % n], along = piece.polygon.along[i];
            if (along < 3) {
                if (clip.forward[piece.triangle][along])
                    steps.push_back({clip.surface_edge[piece.triangle][along], from, to});
            } else if (const int face = clip.face_of[piece.tet][along - 3]; clip.faces[face].tet[0] == piece.tet) {
                segments.push_back({face, {to, from, piece.triangle}});
            }
        }
        place += n;
    }
    std::partial_sum(clip.pieces.begin.begin(), clip.pieces.begin.end(), clip.pieces.begin.begin());
    clip.corners.resize(point_of.size());
    parallel_for(threads, clip.pieces.items.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const SkinClip::Piece& piece = clip.pieces.items[p];
            for (int i = piece.first_corner; i < piece.first_corner + piece.corners; ++i)
                clip.corners[i] = clip.corner(point_of[i], piece.tet);
        }
    });

    const auto by_face =
        bucket(static_cast<int>(clip.faces.size()), segments, [](const FaceSegment& s) { return s.face; });
    clip.face_segments.begin = by_face.begin;
    for (const FaceSegment& s : by_face.items) clip.face_segments.items.push_back(s.segment);

    // The steps of an edge from tet to tet, put in order. A chain that is broken belongs to triangles that leave the
    // mesh, which are always drawn in pieces.
    const auto by_edge = bucket(edges, steps, [](const Step& s) { return s.edge; });
    const int vertices = static_cast<int>(clip.vertex_tet.size());
    clip.surface_edge_points.begin.assign(1, 0);
    for (int e = 0; e < edges; ++e) {
        const auto begin = by_edge.items.begin() + by_edge.begin[e], end = by_edge.items.begin() + by_edge.begin[e + 1];
        auto at = std::find_if(begin, end, [&](const Step& s) { return s.from < vertices; });
        for (auto n = end - begin; n > 0 && at != end && at->to >= vertices; --n) {
            const int point = at->to;
            clip.surface_edge_points.items.push_back(point);
            at = std::find_if(begin, end, [&](const Step& s) { return s.from == point; });
        }
        clip.surface_edge_points.begin.push_back(static_cast<int>(clip.surface_edge_points.items.size()));
    }
}

}  // namespace

SkinClip clip_surface(const TetMesh& mesh, const TriMesh& surface, Threads& threads) {
    SkinClip clip;
    list_all_stars(clip, mesh, threads);

    std::vector<Vec3> vertices = surface.points;
    for (const Tri& t : surface.triangles)
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) clip.triangles.push_back(t);
    clip.drawn_triangles = static_cast<int>(clip.triangles.size());
    std::vector<std::array<int, 2>> rim;
    int edges = pair_edges(clip, static_cast<int>(vertices.size()), rim, clip.closed, threads);
    if (!rim.empty()) {
        clip.closed = false;
        add_lids(clip, rim, vertices);
        bool ignored = true;
        edges = pair_edges(clip, static_cast<int>(vertices.size()), rim, ignored, threads);
        CHECK(rim.empty(), rim.size());
    }

    std::vector<Vec3> nodes = mesh.rest;
    std::vector<RawPiece> raw;
    for (double margin : {0.0, 1e-4, 1e-2, 0.1, 0.3}) {
        if (margin > 0) nodes = inflated(clip, mesh, margin);
        raw = clip_all(clip, nodes, mesh.tets, vertices, threads);
        find_leavers(clip, raw, vertices.size());
        if (clip.contained) break;
    }
    Numbering numbering{nodes, vertices, raw, clip, {}, {}};
    numbering.run(mesh.tets, edges, threads);
    find_edge_segments(clip, nodes, vertices, numbering.crossings);
    for (SkinClip::Point& point : clip.points) {
        point.slot = clip.slots;
        clip.slots += point.entity < 0 ? 1 : clip.star.begin[point.entity + 1] - clip.star.begin[point.entity];
    }
    store_pieces(clip, raw, numbering.point_of, edges, threads);
    return clip;
}

}  // namespace pliant
