// The inside part of a tet face as triangles: a crack face of the skin.

#include <algorithm>
#include <utility>

#include "pliant/geometry/cap.hpp"
#include "pliant/geometry/tet_edges.hpp"
#include "pliant/surface/skin_clip.hpp"

namespace pliant {

namespace {

/// Places of the face's tets in the star of a point on it.
std::array<int, 2> entries(const SkinClip& clip, int face, int point) {
    const SkinFace& f = clip.faces[face];
    if (point >= static_cast<int>(clip.points.size()) || clip.points[point].entity == face)
        return {clip.star.begin[face], clip.star.begin[face] + 1};  // the first tet is the lower
    return {clip.corner(point, f.tet[0]).entry, f.tet[1] < 0 ? -1 : clip.corner(point, f.tet[1]).entry};
}

/// A face that is inside as a whole, as most are, is one triangle from node to node; false where it is not.
bool fill_whole(const SkinClip& clip, const std::vector<Tet>& tets, int face, CapTriangle& out) {
    if (clip.face_segments.begin[face] < clip.face_segments.begin[face + 1]) return false;
    const SkinFace& f = clip.faces[face];
    Tri point, middle;
    std::array<std::array<int, 2>, 3> at, at_middle;
    const auto entries_of = [&](int entity, int nth) {
        const int begin = clip.star.begin[entity];
        return std::array<int, 2>{begin + f.place[nth][0], f.tet[1] < 0 ? -1 : begin + f.place[nth][1]};
    };
    for (int k = 0; k < 3; ++k) {
        const int a = f.from_first[k], b = f.from_first[(k + 1) % 3], e = clip.edge_of[f.tet[0]][edge_between[a][b]];
        const int i = clip.edge_segments.begin[e];
        if (clip.edge_segments.begin[e + 1] != i + 1 || clip.edge_middle[i] < 0) return false;
        point[k] = clip.edge_segments.items[i][tets[f.tet[0]][a] < tets[f.tet[0]][b] ? 0 : 1];
        middle[k] = clip.edge_middle[i];
        at[k] = entries_of(clip.node_entity(tets[f.tet[0]][a]), 3 + k);
        at_middle[k] = entries_of(clip.edge_entity(e), k);
    }
    const int first = static_cast<int>(std::min_element(point.begin(), point.end()) - point.begin());
    for (int k = 0; k < 3; ++k) {
        const int from = (first + k) % 3;
        out.point[k] = point[from], out.middle[k] = middle[from];
        for (int s = 0; s < 2; ++s) out.entry[s][k] = at[from][s], out.middle_entry[s][k] = at_middle[from][s];
    }
    return true;
}

}  // namespace

void find_outline(const SkinClip& clip, const std::vector<Tet>& tets, int face, FaceOutline& out) {
    const SkinFace& f = clip.faces[face];
    const Tet& tet = tets[f.tet[0]];
    out.links.clear();
    for (int i = clip.face_segments.begin[face]; i < clip.face_segments.begin[face + 1]; ++i)
        out.links.push_back({clip.face_segments.items[i].from, clip.face_segments.items[i].to});
    for (int k = 0; k < 3; ++k) {
        const int from_corner = f.from_first[k], to_corner = f.from_first[(k + 1) % 3];
        const int a = tet[from_corner], b = tet[to_corner];
        out.edges[k] = clip.edge_of[f.tet[0]][edge_between[from_corner][to_corner]];
        for (int i = clip.edge_segments.begin[out.edges[k]]; i < clip.edge_segments.begin[out.edges[k] + 1]; ++i) {
            const auto& [from, to] = clip.edge_segments.items[i];
            out.links.push_back(a < b ? std::array<int, 2>{from, to} : std::array<int, 2>{to, from});
        }
    }
}

FaceCap face_cap(const SkinClip& clip, const std::vector<Vec3>& rest, const std::vector<Tet>& tets, int face) {
    FaceCap result;
    if (CapTriangle whole; fill_whole(clip, tets, face, whole)) {
        result.triangles.push_back(whole);
        return result;
    }
    const SkinFace& f = clip.faces[face];
    const Tet& tet = tets[f.tet[0]];
    FaceOutline outline;
    find_outline(clip, tets, face, outline);
    auto& links = outline.links;
    const auto& face_edges = outline.edges;
    if (links.empty()) return result;
    std::sort(links.begin(), links.end());

    // In the plane of the face, along the two axes that show most of it, turned so that the face is counter-clockwise.
    const Vec3 &a = rest[tet[f.from_first[0]]], &b = rest[tet[f.from_first[1]]], &c = rest[tet[f.from_first[2]]];
    const Vec3 normal = (b - a).cross(c - a);
    int axis;
    normal.cwiseAbs().maxCoeff(&axis);
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (normal[axis] < 0) std::swap(u, v);

    const int n = static_cast<int>(links.size());
    std::vector<CapVertex> flat(n);
    for (int i = 0; i < n; ++i) {
        const SkinClip::Point& point = clip.points[links[i][0]];
        flat[i].p = {point.x[u], point.x[v]};
        int lines = 0;
        for (int k = 0; k < 3; ++k)
            if (point.entity == clip.edge_entity(face_edges[k]) ||
                point.entity == clip.node_entity(tet[f.from_first[k]]) ||
                point.entity == clip.node_entity(tet[f.from_first[(k + 1) % 3]]))
                flat[i].line[lines++] = k;
    }
    std::vector<int> loops, loop_end;
    std::vector<char> used(n, 0);
    for (int i = 0; i < n; ++i) {
        if (used[i]) continue;
        const std::size_t start = loops.size();
        int at = i;
        while (!used[at]) {
            used[at] = 1;
            loops.push_back(at);
            const auto next = std::lower_bound(links.begin(), links.end(), std::array<int, 2>{links[at][1], -1});
            if (next == links.end() || (*next)[0] != links[at][1]) break;
            at = static_cast<int>(next - links.begin());
        }
        if (at == i)
            loop_end.push_back(static_cast<int>(loops.size()));
        else
            loops.resize(start), result.sound = false;
    }

    const Cap cap = fill_loops(flat, loops, loop_end);
    const int first_extra = static_cast<int>(clip.points.size());
    for (const Vec2& p : cap.extra) {
        // Back onto the face.
        Vec3 x;
        x[u] = p[0], x[v] = p[1];
        x[axis] = a[axis] - (normal[u] * (p[0] - a[u]) + normal[v] * (p[1] - a[v])) / normal[axis];
        result.extra.push_back(x);
    }
    const auto middle_of = [&](int p, int q) {
        for (int e : face_edges)
            for (int i = clip.edge_segments.begin[e]; i < clip.edge_segments.begin[e + 1]; ++i) {
                const auto& [from, to] = clip.edge_segments.items[i];
                if ((from == p && to == q) || (from == q && to == p)) return clip.edge_middle[i];
            }
        return -1;
    };
    std::vector<std::array<int, 2>> entry(n + cap.extra.size());
    for (int i = 0; i < n + static_cast<int>(cap.extra.size()); ++i)
        entry[i] = entries(clip, face, i < n ? links[i][0] : first_extra + i - n);
    const auto is_node = [&](int i) { return i < n && clip.points[links[i][0]].entity >= clip.node_entity(0); };
    result.triangles.reserve(cap.triangles.size());
    for (const Tri& t : cap.triangles) {
        CapTriangle out;
        for (int k = 0; k < 3; ++k) {
            out.point[k] = t[k] < n ? links[t[k]][0] : first_extra + t[k] - n;
            for (int s = 0; s < 2; ++s) out.entry[s][k] = entry[t[k]][s];
        }
        for (int k = 0; k < 3; ++k) {
            out.middle[k] = -1, out.middle_entry[0][k] = out.middle_entry[1][k] = -1;
            if (!is_node(t[k]) || !is_node(t[(k + 1) % 3])) continue;
            out.middle[k] = middle_of(out.point[k], out.point[(k + 1) % 3]);
            if (out.middle[k] < 0) continue;
            const auto at = entries(clip, face, out.middle[k]);
            for (int s = 0; s < 2; ++s) out.middle_entry[s][k] = at[s];
        }
        result.triangles.push_back(out);
    }
    return result;
}

std::vector<CapTriangle> fill_face(SkinClip& clip, const std::vector<Vec3>& rest, const std::vector<Tet>& tets,
                                   int face) {
    FaceCap cap = face_cap(clip, rest, tets, face);
    for (const Vec3& x : cap.extra) {
        clip.points.push_back({x, face, clip.slots});
        clip.slots += clip.faces[face].tet[1] < 0 ? 1 : 2;
    }
    clip.sound &= cap.sound;
    return std::move(cap.triangles);
}

}  // namespace pliant
