// The surface of a body that breaks, drawn from its clip. Only triangles and crack faces whose cuts or vertices changed
// are drawn anew; the rest keeps its order and is copied to its new place, and vertices are numbered by their slots, so
// that the outcome is the same as if all had been drawn at once.

#include <algorithm>
#include <bit>

#include "pliant/core/error.hpp"
#include "pliant/mesh/skin_state.hpp"

namespace pliant {

void SkinState::start_drawing() {
    const int triangles = static_cast<int>(clip->triangles.size()), edges = clip->surface_edge_points.count();
    edge_triangle.assign(edges, {-1, -1});
    for (int t = 0; t < triangles; ++t)
        for (int k = 0; k < 3; ++k) edge_triangle[clip->surface_edge[t][k]][clip->forward[t][k]] = t;
    cuts.assign(clip->leaves_mesh.begin(), clip->leaves_mesh.end());
    divided_by.assign(edges, 0);
    for (int t = 0; t < triangles; ++t)
        for (int e : clip->surface_edge[t]) divided_by[e] += cuts[t] > 0;

    base_slots = clip->slots;
    list_slots();
    used.resize(base_slots), used_before.resize(base_slots), renewed.resize(base_slots);
    rank.assign(used.words.size(), 0);
    dirty.resize(triangles), dirty_face.resize(clip->faces.size());
    begin.assign(clip->drawn_triangles + 1, 0);
    open_begin.assign(1, 0);
}

void SkinState::list_slots() {
    const int points = static_cast<int>(clip->points.size());
    for (int p = slot_point.empty() ? 0 : slot_point.back() + 1; p < points; ++p)
        slot_point.resize(p + 1 < points ? clip->points[p + 1].slot : clip->slots, p);
    use.resize(clip->slots, 0);
    extra_vertex.resize(clip->slots - base_slots, -1);
}

void SkinState::open_face(int face, int by) {
    dirty_face.insert(face);
    for (int i = clip->face_segments.begin[face]; i < clip->face_segments.begin[face + 1]; ++i) {
        const int t = clip->face_segments.items[i].triangle;
        const bool was = cuts[t] > 0;
        cuts[t] += by;
        dirty.insert(t);
        if (was == (cuts[t] > 0)) continue;
        for (int e : clip->surface_edge[t]) {
            divided_by[e] += by;
            for (int side_triangle : edge_triangle[e]) dirty.insert(side_triangle);
        }
    }
}

void SkinState::draw() {
    if (revision == 0) {
        for (int t = 0; t < clip->drawn_triangles; ++t) dirty.insert(t);
        for (int f = 0; close_boundary && f < static_cast<int>(clip->faces.size()); ++f)
            if (clip->faces[f].tet[1] < 0) open_face(f, 1);
    }
    for (int f : changed) open_face(f, separated[f] ? 1 : -1);
    for (int t = clip->drawn_triangles; t < static_cast<int>(clip->triangles.size()); ++t) dirty.erase(t);

    turned.clear();
    release_dirty();
    draw_dirty();
    std::swap(drawn, before);
    if (revision < 2) {  // the given points, from the first crack on with the tets that the clipping found
        drawn.surface.points = original.points;
        drawn.embedding = original_embedding;
    }
    place_vertices();
    place_triangles();
    dirty.clear(), dirty_face.clear();
    if (!clip->sound && watertight) {
        watertight = false;
        remark =
            "the tet mesh has elements of no volume or overlaps itself, so the surface could not be closed everywhere";
    }
}

void SkinState::release(int triangle) {
    for (int v : drawn.surface.triangles[triangle]) {
        if (v < given) continue;
        const int slot = drawn.slot[v - given];
        if (--use[slot] == 0) turned.push_back(slot);
    }
}

void SkinState::release_dirty() {
    dirty.for_each([&](int t) {
        for (int i = begin[t]; i < begin[t + 1]; ++i) release(i);
    });
    std::size_t at = 0;
    dirty_face.for_each([&](int f) {
        while (at < open.size() && open[at] < f) ++at;
        if (at == open.size() || open[at] != f) return;
        for (int i = open_begin[at]; i < open_begin[at + 1]; ++i) release(i);
    });
}

void SkinState::draw_dirty() {
    fresh.triangle.clear(), fresh.tet.clear(), fresh.crack.clear(), fresh.end.clear();
    const auto ended = [&] { fresh.end.push_back(static_cast<int>(fresh.triangle.size())); };
    dirty.for_each([&](int t) { draw_triangle(t), ended(); });
    dirty_face.for_each([&](int f) {
        if (is_open(f)) {
            if (!filled[f]) fill(f);
            draw_face(f);
        }
        ended();
    });
}

void SkinState::fill(int f) {
    filled[f] = 1;
    cap[f] = fill_face(*clip, mesh.rest, mesh.tets, f);
    if (clip->slots == static_cast<int>(use.size())) return;
    for (int slot = static_cast<int>(use.size()); slot < clip->slots; ++slot) extra.push_back({f, slot});
    std::sort(extra.begin(), extra.end());
    list_slots();
}

/// One of the clip's points as it is seen from the tet of a star's entry.
int SkinState::vertex(int point, int entry) const {
    const SkinClip::Point& p = clip->points[point];
    return p.entity < 0 ? point : given + p.slot + part[entry];
}

void SkinState::add(const Tri& triangle, int tet, std::uint8_t crack) {
    for (int id : triangle)
        if (id >= given && use[id - given]++ == 0) turned.push_back(id - given);
    fresh.triangle.push_back(triangle);
    fresh.tet.push_back(tet);
    fresh.crack.push_back(crack);
}

void SkinState::draw_triangle(int t) {
    if (cuts[t] > 0) {
        for (int i = clip->pieces.begin[t]; i < clip->pieces.begin[t + 1]; ++i) {
            const SkinClip::Piece& one = clip->pieces.items[i];
            polygon.clear();
            for (int k = 0; k < one.corners; ++k) {
                const SkinClip::Corner& c = clip->corners[one.first_corner + k];
                polygon.push_back(vertex(c.point, c.entry));
            }
            for (int k = 1; k + 1 < one.corners; ++k) add({polygon[0], polygon[k], polygon[k + 1]}, one.tet, 0);
        }
        return;
    }
    for (int e : clip->surface_edge[t])
        if (divided_by[e] > 0 && clip->surface_edge_points.begin[e] < clip->surface_edge_points.begin[e + 1])
            return draw_subdivided(t);
    add(clip->triangles[t], original_embedding.tet[clip->triangles[t][0]], 0);
}

/// A triangle with vertices on its sides (side[k] from corner k to k+1): a fan from the corner opposite to the fullest
/// side, whose first and last triangle take the vertices of the other two. No edge joins two vertices of one side.
void SkinState::add_divided(const Tri& corner, int tet, std::uint8_t crack) {
    int base = 0;
    for (int k = 1; k < 3; ++k)
        if (side[k].size() > side[base].size()) base = k;
    if (side[base].empty()) return add(corner, tet, crack);
    const int a = corner[base], b = corner[(base + 1) % 3], c = corner[(base + 2) % 3];
    const std::vector<int>& on_base = side[base];
    for (std::size_t i = 0; i + 1 < on_base.size(); ++i) add({c, on_base[i], on_base[i + 1]}, tet, crack);
    const auto fan = [&](int apex, int from, const std::vector<int>& between, int to) {
        int previous = from;
        for (int v : between) add({apex, previous, v}, tet, crack), previous = v;
        add({apex, previous, to}, tet, crack);
    };
    fan(on_base.front(), c, side[(base + 2) % 3], a);
    fan(on_base.back(), b, side[(base + 1) % 3], c);
}

/// A whole triangle next to one in pieces takes over the vertices on their common edge.
void SkinState::draw_subdivided(int t) {
    for (int k = 0; k < 3; ++k) {
        const int e = clip->surface_edge[t][k];
        side[k].clear();
        if (divided_by[e] > 0)
            for (int i = clip->surface_edge_points.begin[e]; i < clip->surface_edge_points.begin[e + 1]; ++i) {
                const int point = clip->surface_edge_points.items[i];
                // Every face this triangle meets is intact: any entry of the star will do.
                side[k].push_back(vertex(point, clip->star.begin[clip->points[point].entity]));
            }
        if (!clip->forward[t][k]) std::reverse(side[k].begin(), side[k].end());
    }
    add_divided(clip->triangles[t], original_embedding.tet[clip->triangles[t][0]], 0);
}

void SkinState::draw_face(int f) {
    for (int s = 0; s < 2; ++s) {
        const int tet = clip->faces[f].tet[s];
        if (tet < 0) continue;
        for (const CapTriangle& t : cap[f]) {
            Tri out;
            for (int k = 0; k < 3; ++k) {
                // Seen from the second tet the triangle turns the other way: corners 2, 1, 0 and edges 1, 0, 2.
                const int corner = s == 0 ? k : 2 - k, edge = s == 0 ? k : (4 - k) % 3, middle = t.middle[edge];
                out[k] = vertex(t.point[corner], t.entry[s][corner]);
                side[k].clear();
                if (middle >= 0 && parts[clip->points[middle].entity] > 1)
                    side[k].push_back(vertex(middle, t.middle_entry[s][edge]));
            }
            add_divided(out, tet, 1);
        }
    }
}

/// Place and tet of the vertex of a slot: the lowest tet of the part of the star it is seen from.
void SkinState::embed_vertex(int slot, int at) {
    const SkinClip::Point& p = clip->points[slot_point[slot]];
    const int tet = part_tet[clip->star.begin[p.entity] + slot - p.slot];
    const Vec3 w = frame[tet].inverse * (p.x - frame[tet].origin);
    drawn.surface.points[at] = p.x;
    drawn.embedding.tet[at] = tet;
    drawn.embedding.weight[at] = {1 - w.sum(), w[0], w[1], w[2]};
    drawn.slot[at - given] = slot;
}

/// From `before` to `drawn`: vertices that stay keep their order, those of new slots come between them.
void SkinState::place_vertices() {
    std::copy(used.words.begin(), used.words.end(), used_before.words.begin());
    for (int slot : turned) {
        if (slot >= base_slots) continue;
        if (use[slot] > 0)
            used.insert(slot), renewed.insert(slot);
        else
            used.erase(slot);
    }
    int count = given;
    for (std::size_t w = 0; w < rank.size(); ++w) rank[w] = count, count += std::popcount(used.words[w]);
    const int first_extra = count;
    for (const auto& [face, slot] : extra) extra_vertex[slot - base_slots] = use[slot] > 0 ? count++ : -1;
    drawn.surface.points.resize(count), drawn.slot.resize(count - given);
    drawn.embedding.tet.resize(count), drawn.embedding.weight.resize(count);

    const int had = static_cast<int>(before.surface.points.size());
    now.resize(had);
    for (int v = 0; v < given; ++v) now[v] = v;
    int from = given, to = given, run = 0;  // the run of vertices that stay ends at these
    const auto copy_run = [&] {
        if (run == 0) return;
        const auto copy = [&](const auto& source, auto& target, int skip) {
            std::copy_n(source.begin() + (from - run - skip), run, target.begin() + (to - run - skip));
        };
        copy(before.surface.points, drawn.surface.points, 0);
        copy(before.embedding.tet, drawn.embedding.tet, 0);
        copy(before.embedding.weight, drawn.embedding.weight, 0);
        copy(before.slot, drawn.slot, given);
        for (int i = run; i > 0; --i) now[from - i] = to - i;
        run = 0;
    };
    for (std::size_t w = 0; w < used.words.size(); ++w) {
        const std::uint64_t was = used_before.words[w], is = used.words[w], renew = renewed.words[w];
        if (was == is && renew == 0) {
            const int n = std::popcount(was);
            from += n, to += n, run += n;
            continue;
        }
        for (std::uint64_t rest = was | is; rest != 0; rest &= rest - 1) {
            const std::uint64_t bit = rest & -rest;
            if ((was & is & ~renew) & bit) {
                ++from, ++to, ++run;
                continue;
            }
            copy_run();
            if (was & bit) now[from++] = is & bit ? to : -1;
            if (is & bit) embed_vertex(static_cast<int>(64 * w) + std::countr_zero(bit), to++);
        }
        renewed.words[w] = 0;
    }
    copy_run();
    CHECK(to == first_extra, to, first_extra);
    for (; from < had; ++from) now[from] = extra_vertex[before.slot[from - given] - base_slots];
    for (const auto& [face, slot] : extra)
        if (const int v = extra_vertex[slot - base_slots]; v >= 0) embed_vertex(slot, v);
}

int SkinState::number_of(int id) const {
    if (id < given) return id;
    const int slot = id - given;
    if (slot >= base_slots) return extra_vertex[slot - base_slots];
    const std::uint64_t lower = (std::uint64_t{1} << (slot & 63)) - 1;
    return rank[slot >> 6] + std::popcount(used.words[slot >> 6] & lower);
}

void SkinState::place_triangles() {
    // As many as were drawn anew at most come on top.
    drawn.surface.triangles.resize(before.surface.triangles.size() + fresh.triangle.size());
    drawn.tet.resize(drawn.surface.triangles.size()), drawn.crack.resize(drawn.surface.triangles.size());
    int at = 0, fresh_from = 0;
    std::size_t owner = 0;
    const auto keep = [&](int from, int to) {
        const Tri* source = before.surface.triangles.data();
        Tri* target = drawn.surface.triangles.data() + at;
        for (int i = from; i < to; ++i, ++target)
            for (int k = 0; k < 3; ++k) (*target)[k] = now[source[i][k]];
        std::copy(before.tet.begin() + from, before.tet.begin() + to, drawn.tet.begin() + at);
        std::copy(before.crack.begin() + from, before.crack.begin() + to, drawn.crack.begin() + at);
        at += to - from;
    };
    const auto add_fresh = [&] {
        for (const int end = fresh.end[owner++]; fresh_from < end; ++fresh_from, ++at) {
            for (int k = 0; k < 3; ++k) drawn.surface.triangles[at][k] = number_of(fresh.triangle[fresh_from][k]);
            drawn.tet[at] = fresh.tet[fresh_from];
            drawn.crack[at] = fresh.crack[fresh_from];
        }
    };

    int next = 0;  // triangle of the surface that is not yet placed
    const auto keep_until = [&](int t) {
        const int from = begin[next], to = begin[t], shift = at - from;
        for (int i = next; i < t; ++i) begin[i] += shift;
        keep(from, to);
        next = t;
    };
    dirty.for_each([&](int t) {
        keep_until(t);
        next = t + 1;
        begin[t] = at;
        add_fresh();
    });
    keep_until(clip->drawn_triangles);
    begin[clip->drawn_triangles] = at;

    next_open.clear(), next_open_begin.assign(1, at);
    std::size_t old = 0;
    const auto keep_faces_until = [&](int f) {
        const std::size_t first = old;
        while (old < open.size() && open[old] < f) ++old;
        if (first == old) return;
        const int shift = at - open_begin[first];
        keep(open_begin[first], open_begin[old]);
        for (std::size_t i = first; i < old; ++i)
            next_open.push_back(open[i]), next_open_begin.push_back(open_begin[i + 1] + shift);
    };
    dirty_face.for_each([&](int f) {
        keep_faces_until(f);
        if (old < open.size() && open[old] == f) ++old;
        if (is_open(f)) next_open.push_back(f);
        add_fresh();
        if (is_open(f)) next_open_begin.push_back(at);
    });
    keep_faces_until(static_cast<int>(clip->faces.size()));
    std::swap(open, next_open), std::swap(open_begin, next_open_begin);
    drawn.surface.triangles.resize(at), drawn.tet.resize(at), drawn.crack.resize(at);
}

}  // namespace pliant
