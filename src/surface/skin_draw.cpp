// The surface of a body that breaks, drawn from its clip. Only triangles and crack faces whose cuts or vertices changed
// are drawn anew; the rest keeps its order and is copied to its new place, and vertices are numbered by their slots, so
// that the outcome is the same as if all had been drawn at once.

#include <algorithm>
#include <bit>

#include "pliant/core/prefetch.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/surface/skin_state.hpp"

namespace pliant {

namespace {

/// Draws parts of the surface as the skin stands now.
struct Pen {
    const SkinState& skin;
    FreshTriangles& out;
    std::vector<int> polygon;
    std::array<std::vector<int>, 3> side;  // vertices on the sides of the triangle being divided
    std::vector<char> needs_middle;        // per edge of the triangles of a cap

    const SkinClip& clip() const { return *skin.clip; }

    /// One of the clip's points as it is seen from the tet of a star's entry.
    int vertex(int point, int entry) const {
        const SkinClip::Point& p = clip().points[point];
        if (p.entity < 0) return point;
        const int slot = p.slot + skin.part[entry];
        prefetch(skin.use[slot]);  // for count_fresh()
        return skin.given + slot;
    }

    void add(const Tri& triangle, int tet, std::uint8_t crack) {
        out.triangle.push_back(triangle);
        out.tet.push_back(tet);
        out.crack.push_back(crack);
    }

    void draw_triangle(int t) {
        if (skin.cuts[t] > 0) {
            for (int i = clip().pieces.begin[t]; i < clip().pieces.begin[t + 1]; ++i) {
                const SkinClip::Piece& piece = clip().pieces.items[i];
                polygon.clear();
                for (int k = 0; k < piece.corners; ++k) {
                    const SkinClip::Corner& c = clip().corners[piece.first_corner + k];
                    polygon.push_back(vertex(c.point, c.entry));
                }
                for (int k = 1; k + 1 < piece.corners; ++k) add({polygon[0], polygon[k], polygon[k + 1]}, piece.tet, 0);
            }
            return;
        }
        const Lists<int>& on_edge = clip().surface_edge_points;
        for (int e : clip().surface_edge[t])
            if (skin.divided_by[e] > 0 && on_edge.begin[e] < on_edge.begin[e + 1]) return draw_subdivided(t);
        add(clip().triangles[t], skin.original_embedding.tet[clip().triangles[t][0]], 0);
    }

    /// A triangle with vertices on its sides (side[k] from corner k to k+1): a fan from the corner opposite to the
    /// fullest side, whose first and last triangle take the vertices of the other two. No edge joins two vertices of
    /// one side.
    void add_divided(const Tri& corner, int tet, std::uint8_t crack) {
        if (side[0].empty() && side[1].empty() && side[2].empty()) return add(corner, tet, crack);
        int base = 0;
        for (int k = 1; k < 3; ++k)
            if (side[k].size() > side[base].size()) base = k;
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
    void draw_subdivided(int t) {
        const Lists<int>& on_edge = clip().surface_edge_points;
        for (int k = 0; k < 3; ++k) {
            const int e = clip().surface_edge[t][k];
            side[k].clear();
            if (skin.divided_by[e] > 0)
                for (int i = on_edge.begin[e]; i < on_edge.begin[e + 1]; ++i) {
                    const int point = on_edge.items[i];
                    // Every face this triangle meets is intact: any entry of the star will do.
                    side[k].push_back(vertex(point, clip().star.begin[clip().points[point].entity]));
                }
            if (!clip().forward[t][k]) std::reverse(side[k].begin(), side[k].end());
        }
        add_divided(clip().triangles[t], skin.original_embedding.tet[clip().triangles[t][0]], 0);
    }

    void draw_face(int f) {
        const std::vector<CapTriangle>& cap = skin.cap[f];
        needs_middle.clear();
        for (const CapTriangle& t : cap)
            for (int m : t.middle) needs_middle.push_back(m >= 0 && skin.needs_middle(clip().points[m].entity));
        for (int s = 0; s < 2; ++s) {
            const int tet = clip().faces[f].tet[s];
            if (tet < 0) continue;
            for (std::size_t i = 0; i < cap.size(); ++i) {
                const CapTriangle& t = cap[i];
                Tri corner;
                for (int k = 0; k < 3; ++k) {
                    // Seen from the second tet the triangle turns the other way: corners 2, 1, 0 and edges 1, 0, 2.
                    const int at = s == 0 ? k : 2 - k, edge = s == 0 ? k : (4 - k) % 3;
                    corner[k] = vertex(t.point[at], t.entry[s][at]);
                    side[k].clear();
                    if (needs_middle[3 * i + edge]) side[k].push_back(vertex(t.middle[edge], t.middle_entry[s][edge]));
                }
                add_divided(corner, tet, 1);
            }
        }
    }
};

constexpr std::size_t owners_at_once = 64;

}  // namespace

void SkinState::start_drawing() {
    const int triangles = static_cast<int>(clip->triangles.size()), edges = clip->surface_edge_points.count();
    cuts.assign(clip->leaves_mesh.begin(), clip->leaves_mesh.end());
    divided_by.assign(edges, 0);
    for (int t = 0; t < triangles; ++t)
        for (int e : clip->surface_edge[t]) divided_by[e] += cuts[t] > 0;

    base_slots = clip->slots;
    list_slots();
    used.resize(base_slots), used_before.resize(base_slots), renewed.resize(base_slots);
    rank.assign(used.words.size(), given), rank_before = rank;
    dirty.resize(triangles), dirty_face.resize(clip->faces.size());
    // A surface that is whole and within the mesh is drawn as it was given, triangle by triangle.
    drawn_as_given = clip->drawn_triangles == static_cast<int>(original.triangles.size()) &&
                     std::count(cuts.begin(), cuts.end(), 0) == triangles;
    begin.assign(clip->drawn_triangles + 1, 0);
    if (drawn_as_given)
        for (int t = 0; t <= clip->drawn_triangles; ++t) begin[t] = t;
    for (int t = 0; drawn_as_given && t < clip->drawn_triangles; ++t)
        drawn.tet[t] = original_embedding.tet[clip->triangles[t][0]];
    open_begin.assign(1, begin.back());
}

void SkinState::list_slots() {
    const int points = static_cast<int>(clip->points.size());
    int slot = static_cast<int>(slot_point.size());
    const int first = slot == 0 ? 0 : slot_point.back() + 1;
    slot_point.resize(clip->slots);
    for (int p = first; p < points; ++p)
        for (const int end = p + 1 < points ? clip->points[p + 1].slot : clip->slots; slot < end; ++slot)
            slot_point[slot] = p;
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
            for (int beside : clip->edge_triangle[e]) dirty.insert(beside);
        }
    }
}

void SkinState::find_dirty() {
    if (revision == 0) {
        for (int t = 0; !drawn_as_given && t < clip->drawn_triangles; ++t) dirty.insert(t);
        for (int f = 0; close_boundary && f < static_cast<int>(clip->faces.size()); ++f)
            if (clip->faces[f].tet[1] < 0) open_face(f, 1);
    }
    prefetch_segments(changed);
    for (int f : changed) open_face(f, separated[f] ? 1 : -1);
    dirty_list.clear(), dirty_faces.clear();
    dirty.for_each([&](int t) {
        if (t < clip->drawn_triangles) dirty_list.push_back(t);
    });
    dirty_face.for_each([&](int f) { dirty_faces.push_back(f); });
    dirty.clear(), dirty_face.clear();
}

/// Do two parts of an edge's star have both its nodes in common? Then only a vertex in its middle tells them apart.
bool SkinState::needs_middle(int entity) const {
    const int count = parts[entity];
    if (count == 1) return false;
    const auto& nodes = clip->edge_nodes[entity - clip->edge_entity(0)];
    const int* tet = &part_tet[clip->star.begin[entity]];
    std::array<std::array<int, 2>, 8> ends;  // per part of the edge, the parts of its nodes
    if (count > static_cast<int>(ends.size())) return true;
    for (int p = 0; p < count; ++p)
        for (int k = 0; k < 2; ++k) ends[p][k] = part_of(clip->node_entity(nodes[k]), tet[p]);
    for (int p = 0; p < count; ++p)
        for (int q = 0; q < p; ++q)
            if (ends[p] == ends[q]) return true;
    return false;
}

void SkinState::draw_dirty(Threads& threads, const std::function<void()>& beside) {
    const std::size_t triangles = dirty_list.size(), owners = triangles + dirty_faces.size();
    chunks = (owners + owners_at_once - 1) / owners_at_once;
    if (fresh.size() < chunks) fresh.resize(chunks);
    const auto draw_chunk = [&](std::size_t chunk) {
        FreshTriangles& out = fresh[chunk];
        out.triangle.clear(), out.tet.clear(), out.crack.clear(), out.end.clear();
        const std::size_t first = owners_at_once * chunk, last = std::min(owners, first + owners_at_once);
        const std::size_t middle = std::clamp(triangles, first, last);
        const auto some_triangles = std::span(dirty_list).subspan(first, middle - first);
        const auto some_faces = std::span(dirty_faces).subspan(middle - triangles, last - middle);
        prefetch_triangles(some_triangles);
        out.needs_points = !make_caps(some_faces, out.sound);
        if (out.needs_points) return;
        prefetch_caps(some_faces);
        Pen pen{*this, out, {}, {}, {}};
        for (int t : some_triangles) {
            pen.draw_triangle(t);
            out.end.push_back(static_cast<int>(out.triangle.size()));
        }
        for (int f : some_faces) {
            if (is_open(f)) pen.draw_face(f);
            out.end.push_back(static_cast<int>(out.triangle.size()));
        }
    };
    parallel_for(threads, chunks + 2, 1, [&](std::size_t i, std::size_t) {
        if (i == 0)  // the longest ones first
            beside();
        else if (i == 1)
            release_dirty();
        else
            draw_chunk(i - 2);
    });
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        if (fresh[chunk].needs_points) {
            add_points(owners_at_once * chunk, std::min(owners, owners_at_once * (chunk + 1)));
            draw_chunk(chunk);
        }
        clip->sound &= fresh[chunk].sound;
    }
}

bool SkinState::make_caps(std::span<const int> faces, bool& sound) {
    prefetch_outlines(faces);
    for (int f : faces) {
        if (!is_open(f) || filled[f]) continue;
        FaceCap made = face_cap(*clip, mesh.rest, mesh.tets, f);
        sound &= made.sound;
        if (!made.extra.empty()) return false;
        cap[f] = std::move(made.triangles), filled[f] = 1;
    }
    return true;
}

/// Caps of faces that need points of their own: rare, and one after the other.
void SkinState::add_points(std::size_t first, std::size_t last) {
    for (std::size_t i = std::max(first, dirty_list.size()); i < last; ++i) {
        const int f = dirty_faces[i - dirty_list.size()];
        if (!is_open(f) || filled[f]) continue;
        filled[f] = 1;
        cap[f] = fill_face(*clip, mesh.rest, mesh.tets, f);
        for (int slot = static_cast<int>(use.size()); slot < clip->slots; ++slot) extra.push_back({f, slot});
        list_slots();
    }
    std::sort(extra.begin(), extra.end());
}

void SkinState::place(Threads& threads) {
    count_fresh();
    std::swap(drawn, before);
    if (revision < 2) {  // the given points, from the first crack on with the tets that the clipping found
        drawn.surface.points = original.points;
        drawn.embedding = original_embedding;
    }
    place_vertices(threads);
    place_triangles(threads);
    if (!clip->sound && watertight) {
        watertight = false;
        remark =
            "the tet mesh has elements of no volume or overlaps itself, so the surface could not be closed everywhere";
    }
}

void SkinState::release_dirty() {
    turned.clear(), released.clear();
    for (int t : dirty_list) released.push_back({begin[t], begin[t + 1]});
    std::size_t at = 0;
    for (int f : dirty_faces) {
        while (at < open.size() && open[at] < f) ++at;
        if (at < open.size() && open[at] == f) released.push_back({open_begin[at], open_begin[at + 1]});
    }
    prefetch_released();
    for (const auto& [from, to] : released)
        for (int i = from; i < to; ++i)
            for (int v : drawn.surface.triangles[i])
                if (v >= given && --use[drawn.slot[v - given]] == 0) turned.push_back(drawn.slot[v - given]);
}

void SkinState::count_fresh() {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        for (const Tri& t : fresh[chunk].triangle)
            for (int id : t)
                if (id >= given && use[id - given]++ == 0) turned.push_back(id - given);
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
void SkinState::place_vertices(Threads& threads) {
    for (int slot : turned) {
        if (slot >= base_slots) continue;
        if (use[slot] > 0)
            used.insert(slot), renewed.insert(slot);
        else
            used.erase(slot);
    }
    prefetch_turned();
    std::swap(rank, rank_before);
    int count = given;
    for (std::size_t w = 0; w < rank.size(); ++w) rank[w] = count, count += std::popcount(used.words[w]);
    for (const auto& [face, slot] : extra) extra_vertex[slot - base_slots] = use[slot] > 0 ? count++ : -1;
    drawn.surface.points.resize(count), drawn.slot.resize(count - given);
    drawn.embedding.tet.resize(count), drawn.embedding.weight.resize(count);

    const int had = static_cast<int>(before.surface.points.size());
    const int known = static_cast<int>(now.size());
    now.resize(had);
    for (int v = known; v < given; ++v) now[v] = v;  // the given points keep their numbers for ever
    parallel_for(threads, used.words.size(), 128, [&](std::size_t first, std::size_t last) {
        int from = rank_before[first], to = rank[first], run = 0;  // the run of vertices that stay ends at these
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
        for (std::size_t w = first; w < last; ++w) {
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
    });
    for (int v = had - 1; v >= given && before.slot[v - given] >= base_slots; --v)
        now[v] = extra_vertex[before.slot[v - given] - base_slots];
    for (const auto& [face, slot] : extra)
        if (const int v = extra_vertex[slot - base_slots]; v >= 0) embed_vertex(slot, v);
    for (int slot : turned)
        if (slot < base_slots) used_before.words[slot >> 6] = used.words[slot >> 6];
}

int SkinState::number_of(int id) const {
    if (id < given) return id;
    const int slot = id - given;
    if (slot >= base_slots) return extra_vertex[slot - base_slots];
    const std::uint64_t lower = (std::uint64_t{1} << (slot & 63)) - 1;
    return rank[slot >> 6] + std::popcount(used.words[slot >> 6] & lower);
}

void SkinState::place_triangles(Threads& threads) {
    moves.clear();
    int at = 0;
    const auto keep = [&](int from, int to) {
        constexpr int longest = 4096;
        for (; from < to; from += longest) {
            const int n = std::min(longest, to - from);
            moves.push_back({-1, from, n, at});
            at += n;
        }
    };
    std::size_t owner = 0;
    const auto add_fresh = [&] {
        const std::size_t chunk = owner / owners_at_once, i = owner % owners_at_once;
        const std::vector<int>& end = fresh[chunk].end;
        const int from = i == 0 ? 0 : end[i - 1];
        if (end[i] > from) moves.push_back({static_cast<int>(chunk), from, end[i] - from, at});
        at += end[i] - from, ++owner;
    };

    int next = 0;  // triangle of the surface that is not yet placed
    const auto keep_until = [&](int t) {
        const int from = begin[next], to = begin[t], shift = at - from;
        for (int i = next; i < t; ++i) begin[i] += shift;
        keep(from, to);
    };
    for (int t : dirty_list) {
        keep_until(t);
        next = t + 1;
        begin[t] = at;
        add_fresh();
    }
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
    for (int f : dirty_faces) {
        keep_faces_until(f);
        if (old < open.size() && open[old] == f) ++old;
        add_fresh();
        if (is_open(f)) next_open.push_back(f), next_open_begin.push_back(at);
    }
    keep_faces_until(static_cast<int>(clip->faces.size()));
    std::swap(open, next_open), std::swap(open_begin, next_open_begin);

    drawn.surface.triangles.resize(at), drawn.tet.resize(at), drawn.crack.resize(at);
    parallel_for(threads, moves.size(), 32, [&](std::size_t first, std::size_t last) {
        for (std::size_t m = first; m < last; ++m) {
            const Move& move = moves[m];
            Tri* target = drawn.surface.triangles.data() + move.to;
            const bool kept = move.chunk < 0;
            const Tri* source = (kept ? before.surface.triangles : fresh[move.chunk].triangle).data() + move.from;
            const std::vector<int>& tet = kept ? before.tet : fresh[move.chunk].tet;
            const std::vector<std::uint8_t>& crack = kept ? before.crack : fresh[move.chunk].crack;
            if (kept)
                for (int i = 0; i < move.count; ++i)
                    target[i] = {now[source[i][0]], now[source[i][1]], now[source[i][2]]};
            else
                for (int i = 0; i < move.count; ++i)
                    for (int k = 0; k < 3; ++k) target[i][k] = number_of(source[i][k]);
            std::copy_n(tet.begin() + move.from, move.count, drawn.tet.begin() + move.to);
            std::copy_n(crack.begin() + move.from, move.count, drawn.crack.begin() + move.to);
        }
    });
}

}  // namespace pliant
