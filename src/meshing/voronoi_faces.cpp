#include "pliant/meshing/voronoi_faces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {

namespace {

/// One face being put together.
struct Gathering {
    std::vector<VoronoiCorner> corners;  // of all parts
    std::vector<int> part_begin;         // in corners
    std::vector<int> vertex;             // per corner; corners at the same place are one vertex
    std::vector<int> order;
    struct Edge {
        int from, to;
    };
    std::vector<Edge> edges;
    std::vector<int> loops, loop_begin;  // corners

    void number_vertices();
    void collect_edges();
    bool chain();
};

bool before(const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

/// Two tets have the same bits for a corner on the face they share, so equal places are enough to find it again.
void Gathering::number_vertices() {
    order.resize(corners.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) {
        return before(corners[a].rest, corners[b].rest) || (corners[a].rest == corners[b].rest && a < b);
    });
    vertex.resize(corners.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool same = i > 0 && corners[order[i]].rest == corners[order[i - 1]].rest;
        vertex[order[i]] = same ? vertex[order[i - 1]] : order[i];  // named after its first corner
    }
}

/// The directed edges of all parts; those walked in both directions, where tets meet, cancel.
void Gathering::collect_edges() {
    edges.clear();
    for (std::size_t p = 0; p + 1 < part_begin.size(); ++p)
        for (int i = part_begin[p]; i < part_begin[p + 1]; ++i) {
            const int next = i + 1 < part_begin[p + 1] ? i + 1 : part_begin[p];
            if (vertex[i] != vertex[next]) edges.push_back({vertex[i], vertex[next]});
        }
    auto key = [](const Edge& e) { return std::pair(std::min(e.from, e.to), std::max(e.from, e.to)); };
    std::ranges::sort(
        edges, [&](const Edge& x, const Edge& y) { return key(x) < key(y) || (key(x) == key(y) && x.from < y.from); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t j = i;
        int forward = 0;
        for (; j < edges.size() && key(edges[j]) == key(edges[i]); ++j) forward += edges[j].from < edges[j].to ? 1 : -1;
        const auto [low, high] = key(edges[i]);
        for (int n = std::abs(forward); n > 0; --n) edges[kept++] = forward > 0 ? Edge{low, high} : Edge{high, low};
        i = j;
    }
    edges.resize(kept);
}

/// Edges to closed loops. False when they do not close, which only tets that do not meet face to face can bring about.
bool Gathering::chain() {
    loops.clear();
    loop_begin.assign(1, 0);
    std::ranges::sort(
        edges, [](const Edge& x, const Edge& y) { return x.from < y.from || (x.from == y.from && x.to < y.to); });
    std::size_t left = edges.size();
    for (std::size_t start = 0; left > 0; ++start) {
        if (edges[start].to < 0) continue;
        const int home = edges[start].from;
        std::size_t at = start;
        for (;;) {
            loops.push_back(edges[at].from);
            const int to = edges[at].to;
            edges[at].to = -1;
            --left;
            if (to == home) break;
            auto next = std::ranges::lower_bound(edges, to, {}, &Edge::from);
            while (next != edges.end() && next->from == to && next->to < 0) ++next;
            if (next == edges.end() || next->from != to) return false;
            at = static_cast<std::size_t>(next - edges.begin());
        }
        loop_begin.push_back(static_cast<int>(loops.size()));
    }
    return true;
}

/// Loops one after the other, with bridges to the first corner of the first and back.
void append_loops(const Gathering& g, std::vector<VoronoiCorner>& polygon) {
    if (g.loops.empty()) return;
    const VoronoiCorner& home = g.corners[g.loops[0]];
    for (std::size_t l = 0; l + 1 < g.loop_begin.size(); ++l) {
        if (l > 1) polygon.push_back(home);
        for (int i = g.loop_begin[l]; i < g.loop_begin[l + 1]; ++i) polygon.push_back(g.corners[g.loops[i]]);
        if (g.loop_begin.size() > 2) polygon.push_back(g.corners[g.loops[g.loop_begin[l]]]);
    }
}

/// Parts as they are, but for corners in one place.
void keep_apart(Gathering& g) {
    g.loops.clear();
    g.loop_begin.assign(1, 0);
    for (std::size_t p = 0; p + 1 < g.part_begin.size(); ++p) {
        const int begin = g.part_begin[p], end = g.part_begin[p + 1], start = g.loop_begin.back();
        for (int i = begin; i < end; ++i)
            if (g.vertex[i] != g.vertex[i + 1 < end ? i + 1 : begin]) g.loops.push_back(i);
        if (static_cast<int>(g.loops.size()) - start < 3)
            g.loops.resize(start);
        else
            g.loop_begin.push_back(static_cast<int>(g.loops.size()));
    }
}

struct Place {
    int b;
    const FaceParts* chunk;
    const FacePart* part;
};

/// The faces of the cells begin … end-1, with their polygons numbered from 0.
void join_cells(const TetMesh& mesh, std::span<const Place> places, std::span<const std::size_t> first,
                std::size_t begin, std::size_t end, BoundedVoronoi& out, std::vector<double>& size) {
    Gathering g;
    out.polygon_begin.assign(1, 0);
    for (std::size_t a = begin; a < end; ++a)
        for (std::size_t i = first[a], j; i < first[a + 1]; i = j) {
            VoronoiFace face{static_cast<int>(a), places[i].b, Vec3::Zero(), Vec3::Zero()};
            double total = 0;
            g.corners.clear();
            g.part_begin.assign(1, 0);
            for (j = i; j < first[a + 1] && places[j].b == face.b; ++j) {
                const FacePart& part = *places[j].part;
                const double s = part.area.norm();
                if (j == i) face.centre = part.centre;
                total += s;
                face.area += part.area;
                if (s > 0) face.centre += s / total * (part.centre - face.centre);
                const Tet& tet = mesh.tets[part.tet];
                const std::array<int, 4> order = sorted_order(tet);
                std::array<const Vec3*, 4> x;
                for (int k = 0; k < 4; ++k) x[order[k]] = &mesh.rest[tet[k]];
                for (int c = 0; c < part.count; ++c) {
                    const CornerValues& w = places[j].chunk->corners[part.first + c];
                    VoronoiCorner corner;
                    corner.tet = part.tet;
                    corner.rest = w[0] * *x[0] + w[1] * *x[1] + w[2] * *x[2] + w[3] * *x[3];
                    for (int k = 0; k < 4; ++k) corner.weight[k] = w[order[k]];
                    g.corners.push_back(corner);
                }
                g.part_begin.push_back(static_cast<int>(g.corners.size()));
            }
            g.number_vertices();
            if (face.b >= 0) g.collect_edges();
            if (face.b < 0 || !g.chain()) keep_apart(g);
            append_loops(g, out.polygon);
            out.faces.push_back(face);
            out.polygon_begin.push_back(static_cast<int>(out.polygon.size()));
            size.push_back(total);
        }
}

}  // namespace

void join_faces(const TetMesh& mesh, const std::vector<FaceParts>& chunks, std::size_t sites, Threads& threads,
                BoundedVoronoi& result) {
    // Parts by their lower cell, then by the other; in the order of the tets within a face.
    std::vector<std::size_t> first(sites + 1, 0);
    for (const FaceParts& chunk : chunks)
        for (const FacePart& part : chunk.parts) ++first[part.a + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Place> places(first.back());
    std::vector<std::size_t> at(first.begin(), first.end() - 1);
    for (const FaceParts& chunk : chunks)
        for (const FacePart& part : chunk.parts) places[at[part.a]++] = {part.b, &chunk, &part};

    constexpr std::size_t cells_each = 128;
    std::vector<BoundedVoronoi> joined((sites + cells_each - 1) / cells_each);
    std::vector<std::vector<double>> sizes(joined.size());
    parallel_for(threads, sites, cells_each, [&](std::size_t begin, std::size_t end) {
        for (std::size_t a = begin; a < end; ++a)
            std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(first[a]),
                             places.begin() + static_cast<std::ptrdiff_t>(first[a + 1]),
                             [](const Place& x, const Place& y) { return x.b < y.b; });
        join_cells(mesh, places, first, begin, end, joined[begin / cells_each], sizes[begin / cells_each]);
    });

    std::vector<double> around(sites, 0);
    for (std::size_t c = 0; c < joined.size(); ++c)
        for (std::size_t f = 0; f < joined[c].faces.size(); ++f) {
            const VoronoiFace& face = joined[c].faces[f];
            around[face.a] += sizes[c][f];
            if (face.b >= 0) around[face.b] += sizes[c][f];
        }
    for (std::size_t c = 0; c < joined.size(); ++c)
        for (std::size_t f = 0; f < joined[c].faces.size(); ++f) {
            const VoronoiFace& face = joined[c].faces[f];
            const double cell = face.b < 0 ? around[face.a] : std::min(around[face.a], around[face.b]);
            if (!(sizes[c][f] > 0x1p-46 * cell)) continue;
            result.faces.push_back(face);
            result.polygon.insert(result.polygon.end(), joined[c].polygon.begin() + joined[c].polygon_begin[f],
                                  joined[c].polygon.begin() + joined[c].polygon_begin[f + 1]);
            result.polygon_begin.push_back(static_cast<int>(result.polygon.size()));
        }
}

}  // namespace pliant
