// What an update of a skin reads, asked for ahead. It is spread over memory, and waiting for one thing after the other
// would be most of the update. Each round asks for what the one before has found.

#include "pliant/core/prefetch.hpp"
#include "pliant/surface/skin_state.hpp"

namespace pliant {

void SkinState::prefetch_faces(const std::vector<Tet>& current, std::span<const int> tets) const {
    for (int t : tets) prefetch(clip->face_of[t]), prefetch(links[t]), prefetch(mesh.tets[t]);
    for (int t : tets)
        for (int f : clip->face_of[t]) prefetch(clip->faces[f]), prefetch(separated[f]);
    for (int t : tets)
        for (int f : clip->face_of[t]) {
            const auto& [first, second] = clip->faces[f].tet;
            prefetch(current[first]), prefetch(mesh.tets[first]), prefetch(clip->edge_of[first]);
            if (second >= 0) prefetch(current[second]);
        }
}

void SkinState::prefetch_stars(std::span<const int> entities) const {
    for (int entity : entities) {
        prefetch(clip->star_faces.begin[entity]), prefetch(clip->star.begin[entity]), prefetch(parts[entity]);
        if (entity >= clip->edge_entity(0) && entity < clip->node_entity(0))
            prefetch(clip->pierced.begin[entity - clip->edge_entity(0)]);
    }
    for (int entity : entities) {
        const int begin_faces = clip->star_faces.begin[entity], end_faces = clip->star_faces.begin[entity + 1];
        for (int k = begin_faces; k < end_faces; k += 8) prefetch(clip->star_faces.items[k]);
        const int from = clip->star.begin[entity];
        prefetch(part[from]), prefetch(part_tet[from]), prefetch(clip->star.items[from]);
    }
}

void SkinState::prefetch_segments(std::span<const int> faces) const {
    const auto each_triangle = [&](auto&& visit) {
        for (int f : faces)
            for (int i = clip->face_segments.begin[f]; i < clip->face_segments.begin[f + 1]; ++i)
                visit(clip->face_segments.items[i].triangle);
    };
    for (int f : faces) prefetch(clip->face_segments.begin[f]);
    for (int f : faces)
        if (const std::size_t i = clip->face_segments.begin[f]; i < clip->face_segments.items.size())
            prefetch(clip->face_segments.items[i]);
    each_triangle([&](int t) { prefetch(cuts[t]), prefetch(clip->surface_edge[t]); });
    each_triangle([&](int t) {
        for (int e : clip->surface_edge[t]) prefetch(divided_by[e]), prefetch(clip->edge_triangle[e]);
    });
}

void SkinState::prefetch_nodes(const std::vector<Tet>& current, std::span<const int> nodes) const {
    const auto each_star = [&](auto&& visit) {
        for (int node : nodes) {
            const int entity = clip->node_entity(node), from = clip->star.begin[entity];
            visit(std::span(clip->star.items).subspan(from, clip->star.begin[entity + 1] - from));
        }
    };
    for (int node : nodes) prefetch(clip->star.begin[clip->node_entity(node)]);
    each_star([](std::span<const int> star) {
        if (!star.empty()) prefetch(star.front()), prefetch(star.back());
    });
    each_star([&](std::span<const int> star) {
        for (int t : star) prefetch(mesh.tets[t]), prefetch(current[t]), prefetch(pieces.of()[t]);
    });
}

void SkinState::prefetch_outlines(std::span<const int> faces) const {
    for (int f : faces)
        prefetch(clip->faces[f]), prefetch(clip->face_segments.begin[f]), prefetch(cap[f]), prefetch(filled[f]);
    const auto each_edge = [&](auto&& visit) {
        for (int f : faces)
            if (!filled[f])
                for (int e : clip->edge_of[clip->faces[f].tet[0]]) visit(e);
    };
    for (int f : faces)
        if (!filled[f]) prefetch(clip->edge_of[clip->faces[f].tet[0]]), prefetch(mesh.tets[clip->faces[f].tet[0]]);
    for (int f : faces) {
        if (filled[f]) continue;
        for (int n : mesh.tets[clip->faces[f].tet[0]]) prefetch(clip->star.begin[clip->node_entity(n)]);
    }
    each_edge([&](int e) { prefetch(clip->edge_segments.begin[e]), prefetch(clip->star.begin[clip->edge_entity(e)]); });
    each_edge([&](int e) {
        const std::size_t i = clip->edge_segments.begin[e];
        if (i < clip->edge_segments.items.size())
            prefetch(clip->edge_segments.items[i]), prefetch(clip->edge_middle[i]);
    });
}

void SkinState::prefetch_caps(std::span<const int> faces) const {
    const auto each_triangle = [&](auto&& visit) {
        for (int f : faces)
            if (is_open(f))
                for (const CapTriangle& t : cap[f]) visit(t);
    };
    for (int f : faces)
        if (!cap[f].empty()) prefetch(cap[f].front());
    each_triangle([&](const CapTriangle& t) {
        for (int k = 0; k < 3; ++k) {
            prefetch(clip->points[t.point[k]]);
            if (t.middle[k] >= 0) prefetch(clip->points[t.middle[k]]);
            for (int s = 0; s < 2; ++s)
                if (t.entry[s][k] >= 0) prefetch(part[t.entry[s][k]]);
        }
    });
    // For needs_middle().
    const auto each_edge = [&](auto&& visit) {
        each_triangle([&](const CapTriangle& t) {
            for (int m : t.middle)
                if (m >= 0) visit(clip->points[m].entity);
        });
    };
    const auto each_end = [&](auto&& visit) {
        each_edge([&](int edge) {
            if (parts[edge] == 1) return;
            for (int n : clip->edge_nodes[edge - clip->edge_entity(0)]) visit(clip->node_entity(n));
        });
    };
    each_edge([&](int edge) {
        prefetch(parts[edge]), prefetch(clip->star.begin[edge]);
        prefetch(clip->edge_nodes[edge - clip->edge_entity(0)]);
    });
    each_end([&](int node) { prefetch(parts[node]), prefetch(clip->star.begin[node]); });
    each_edge([&](int edge) { prefetch(part_tet[clip->star.begin[edge]]); });
    each_end([&](int node) {
        const int from = clip->star.begin[node];
        prefetch(clip->star.items[from]), prefetch(part[from]);
    });
}

void SkinState::prefetch_triangles(std::span<const int> triangles) const {
    const auto each_piece = [&](auto&& visit) {
        for (int t : triangles)
            for (int i = clip->pieces.begin[t]; cuts[t] > 0 && i < clip->pieces.begin[t + 1]; ++i)
                visit(clip->pieces.items[i]);
    };
    const auto each_corner = [&](auto&& visit) {
        each_piece([&](const SkinClip::Piece& of) {
            for (int k = 0; k < of.corners; ++k) visit(clip->corners[of.first_corner + k]);
        });
    };
    for (int t : triangles) prefetch(cuts[t]), prefetch(clip->pieces.begin[t]), prefetch(clip->surface_edge[t]);
    each_piece([](const SkinClip::Piece& of) { prefetch(of); });
    each_piece([&](const SkinClip::Piece& of) { prefetch(clip->corners[of.first_corner]); });
    each_corner([&](const SkinClip::Corner& c) {
        prefetch(clip->points[c.point]);
        if (c.entry >= 0) prefetch(part[c.entry]);
    });
    for (int t : triangles)
        for (int e : clip->surface_edge[t]) prefetch(divided_by[e]), prefetch(clip->surface_edge_points.begin[e]);
}

void SkinState::prefetch_released() const {
    const auto each_vertex = [&](auto&& visit) {
        for (const auto& [from, to] : released)
            for (int i = from; i < to; ++i)
                for (int v : drawn.surface.triangles[i])
                    if (v >= given) visit(v - given);
    };
    for (const auto& [from, to] : released)
        for (int i = from; i < to; i += 4) prefetch(drawn.surface.triangles[i]);
    each_vertex([&](int v) { prefetch(drawn.slot[v]); });
    each_vertex([&](int v) { prefetch(use[drawn.slot[v]]); });
}

void SkinState::prefetch_turned() const {
    const auto each = [&](auto&& visit) {
        for (int slot : turned)
            if (use[slot] > 0) visit(slot);
    };
    const auto entry = [&](int slot) {
        const SkinClip::Point& p = clip->points[slot_point[slot]];
        return clip->star.begin[p.entity] + slot - p.slot;
    };
    each([&](int slot) { prefetch(slot_point[slot]); });
    each([&](int slot) { prefetch(clip->points[slot_point[slot]]); });
    each([&](int slot) { prefetch(clip->star.begin[clip->points[slot_point[slot]].entity]); });
    each([&](int slot) { prefetch(part_tet[entry(slot)]); });
    each([&](int slot) { prefetch(frame[part_tet[entry(slot)]]); });
}

}  // namespace pliant
