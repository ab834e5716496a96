#include "pliant/collision/feature_pairs.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

FeatureMesh make_feature_mesh(std::span<const std::span<const Tri>> triangles, std::span<const int> point_counts) {
    CHECK(triangles.size() == point_counts.size(), triangles.size(), point_counts.size());
    FeatureMesh mesh;
    mesh.first_point.push_back(0);
    for (std::size_t b = 0; b < triangles.size(); ++b) {
        const int first = mesh.first_point.back();
        for (const Tri& t : triangles[b]) mesh.faces.push_back({first + t[0], first + t[1], first + t[2]});
        mesh.body.insert(mesh.body.end(), point_counts[b], static_cast<int>(b));
        mesh.first_point.push_back(first + point_counts[b]);
    }
    struct Side {
        int low, high, face, k;
        auto operator<=>(const Side&) const = default;
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh.faces.size());
    for (int f = 0; f < static_cast<int>(mesh.faces.size()); ++f)
        for (int k = 0; k < 3; ++k) {
            const int p = mesh.faces[f][k], q = mesh.faces[f][(k + 1) % 3];
            sides.push_back({std::min(p, q), std::max(p, q), f, k});
        }
    std::sort(sides.begin(), sides.end());
    mesh.owns.assign(mesh.faces.size(), 0);
    mesh.sides.resize(mesh.faces.size());
    for (const Side& s : sides) {
        if (mesh.edges.empty() || mesh.edges.back() != std::array{s.low, s.high}) {
            mesh.edges.push_back({s.low, s.high});
            mesh.owns[s.face] |= static_cast<std::uint8_t>(8 << s.k);
        }
        mesh.sides[s.face][s.k] = static_cast<int>(mesh.edges.size()) - 1;
    }
    std::vector<char> owned(mesh.body.size(), 0);
    for (std::size_t f = 0; f < mesh.faces.size(); ++f)
        for (int k = 0; k < 3; ++k)
            if (!owned[mesh.faces[f][k]])
                owned[mesh.faces[f][k]] = 1, mesh.owns[f] |= static_cast<std::uint8_t>(1 << k);
    return mesh;
}

std::array<int, 4> points_of(const FeatureMesh& mesh, const FeaturePair& pair) {
    if (pair.kind == PairKind::vertex_face) {
        const Tri& f = mesh.faces[pair.b];
        return {pair.a, f[0], f[1], f[2]};
    }
    const auto &e = mesh.edges[pair.a], &f = mesh.edges[pair.b];
    return {e[0], e[1], f[0], f[1]};
}

namespace {

// Pairs of branches of the tree that threads take one after the other; fixed, whatever the number of threads.
constexpr std::size_t shares_of_work = 512;

}  // namespace

/// Looks at one pair of faces whose boxes overlap, and lists the pairs of their own features whose boxes do.
struct FeaturePairFinder::Search {
    const FeaturePairFinder& finder;
    const FeaturePairOptions& options;

    bool wanted(int f, int g) const {
        const FeatureMesh& mesh = finder.mesh_;
        const int a = mesh.body[mesh.faces[f][0]], b = mesh.body[mesh.faces[g][0]];
        if (a == b) return options.within_bodies;
        return !options.excluded || !options.excluded(std::min(a, b), std::max(a, b));
    }
    void add_vertices(int f, int g, std::vector<FeaturePair>& out) const {
        const FeatureMesh& mesh = finder.mesh_;
        const Tri& face = mesh.faces[g];
        for (int k = 0; k < 3; ++k) {
            const int v = mesh.faces[f][k];
            if (!(mesh.owns[f] >> k & 1) || v == face[0] || v == face[1] || v == face[2]) continue;
            if (finder.point_boxes_[v].overlaps(finder.face_boxes_[g])) out.push_back({PairKind::vertex_face, v, g});
        }
    }
    Box edge_box(int e) const {
        Box box = finder.point_boxes_[finder.mesh_.edges[e][0]];
        box.add(finder.point_boxes_[finder.mesh_.edges[e][1]]);
        return box;
    }
    void add_edges(int f, int g, std::vector<FeaturePair>& out) const {
        const FeatureMesh& mesh = finder.mesh_;
        for (int k = 0; k < 3; ++k) {
            if (!(mesh.owns[f] >> (3 + k) & 1)) continue;
            const int e = mesh.sides[f][k];
            const Box box = edge_box(e);
            if (!box.overlaps(finder.face_boxes_[g])) continue;
            for (int m = 0; m < 3; ++m) {
                if (!(mesh.owns[g] >> (3 + m) & 1)) continue;
                const int o = mesh.sides[g][m];
                const auto &p = mesh.edges[e], &q = mesh.edges[o];
                if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
                if (box.overlaps(edge_box(o))) out.push_back({PairKind::edge_edge, std::min(e, o), std::max(e, o)});
            }
        }
    }
    void add_pairs_of(int f, int g, std::vector<FeaturePair>& out) const {
        if (!wanted(f, g)) return;
        add_vertices(f, g, out);
        add_vertices(g, f, out);
        add_edges(f, g, out);
    }
};

FeaturePairFinder::FeaturePairFinder(FeatureMesh mesh) : mesh_(std::move(mesh)) {
    point_boxes_.resize(mesh_.body.size());
    face_boxes_.resize(mesh_.faces.size());
}

bool FeaturePairFinder::still_inside(std::span<const Vec3> start, std::span<const Vec3> end, double gap,
                                     Threads& threads) const {
    std::atomic<bool> inside{true};
    parallel_for(threads, start.size(), 4096, [&](std::size_t i, std::size_t last) {
        bool all = true;
        for (; i < last; ++i) {
            // The boxes were grown by half of gap and slack; half of the gap, and rounding, must still be around the
            // points.
            const Box& box = point_boxes_[i];
            const Vec3 half = Vec3::Constant(0.5 * gap);
            const Vec3 ulps = 0x1.0p-49 * (box.min.cwiseAbs() + box.max.cwiseAbs() + half);
            const Box kept{box.min + half + ulps, box.max - half - ulps};
            all = all && kept.contains(start[i]) && kept.contains(end[i]);
        }
        if (!all) inside.store(false, std::memory_order_relaxed);
    });
    return inside;
}

void FeaturePairFinder::refit(std::span<const Vec3> start, std::span<const Vec3> end, double margin, Threads& threads) {
    parallel_for(threads, start.size(), 4096, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) {
            // Half of the margin on either side; a few ulps more, so that rounding never parts what is just so near.
            const Vec3 low = start[i].cwiseMin(end[i]), high = start[i].cwiseMax(end[i]);
            constexpr double ulps = 0x1.0p-50;
            const double grow = 0.5 * margin * (1 + ulps);
            point_boxes_[i].min = low - Vec3::Constant(grow) - ulps * (low.cwiseAbs() + Vec3::Constant(grow));
            point_boxes_[i].max = high + Vec3::Constant(grow) + ulps * (high.cwiseAbs() + Vec3::Constant(grow));
        }
    });
    parallel_for(threads, mesh_.faces.size(), 4096, [&](std::size_t f, std::size_t last) {
        for (; f < last; ++f) {
            Box box = point_boxes_[mesh_.faces[f][0]];
            box.add(point_boxes_[mesh_.faces[f][1]]);
            box.add(point_boxes_[mesh_.faces[f][2]]);
            face_boxes_[f] = box;
        }
    });
    if (tree_.empty())
        tree_ = AabbTree(face_boxes_, threads);
    else
        tree_.refit(face_boxes_, threads);
}

/// The parts as one ascending list: first by the first feature, by counting, then the few pairs of each.
void FeaturePairFinder::sort_parts(std::size_t total, Threads& threads) {
    const std::size_t points = mesh_.body.size(), features = points + mesh_.edges.size();
    const auto bucket = [&](const FeaturePair& pair) {
        return pair.a + (pair.kind == PairKind::vertex_face ? 0 : points);
    };
    place_.assign(features + 1, 0);
    parallel_for(threads, shares_.size(), 1, [&](std::size_t i, std::size_t) {
        for (const FeaturePair& pair : parts_[i])
            std::atomic_ref(place_[bucket(pair)]).fetch_add(1, std::memory_order_relaxed);
    });
    std::uint32_t sum = 0;
    for (std::uint32_t& at : place_) at = std::exchange(sum, sum + at);
    pairs_.resize(total);
    parallel_for(threads, shares_.size(), 1, [&](std::size_t i, std::size_t) {
        for (const FeaturePair& pair : parts_[i])
            pairs_[std::atomic_ref(place_[bucket(pair)]).fetch_add(1, std::memory_order_relaxed)] = pair;
    });
    // Each place is now the end of its bucket; within one, order does not depend on who came first.
    parallel_for(threads, features, 4096, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i)
            std::sort(pairs_.begin() + (i > 0 ? place_[i - 1] : 0), pairs_.begin() + place_[i],
                      [](const FeaturePair& a, const FeaturePair& b) { return a.b < b.b; });
    });
}

std::span<const FeaturePair> FeaturePairFinder::find(std::span<const Vec3> start, std::span<const Vec3> end,
                                                     const FeaturePairOptions& options, Threads& threads) {
    CHECK(start.size() == mesh_.body.size() && end.size() == start.size(), start.size(), end.size(), mesh_.body.size());
    reused_ = options.gap == gap_ && options.slack == slack_ && options.slack > 0 &&
              still_inside(start, end, options.gap, threads);
    if (reused_) return pairs_;
    refit(start, end, options.gap + options.slack, threads);
    tree_.share_pairs(shares_of_work, shares_);
    if (parts_.size() < shares_.size()) parts_.resize(shares_.size());
    std::atomic<std::size_t> total{0};
    const Search search{*this, options};
    parallel_for(threads, shares_.size(), 1, [&](std::size_t i, std::size_t) {
        std::vector<FeaturePair>& part = parts_[i];
        part.clear();
        if (total.load(std::memory_order_relaxed) > options.max_pairs) return;
        tree_.overlapping_pairs(shares_[i], [&](int f, int g) {
            if (part.size() <= options.max_pairs) search.add_pairs_of(f, g, part);
        });
        total += part.size();
    });
    gap_ = slack_ = -1;
    if (total > options.max_pairs)
        throw UserError("contact search found more than " + std::to_string(options.max_pairs) +
                            " pairs of features that may meet in one step",
                        {}, "Take smaller steps, a smaller contact distance, or coarser surfaces");
    sort_parts(total, threads);
    gap_ = options.gap, slack_ = options.slack;
    return pairs_;
}

}  // namespace pliant
