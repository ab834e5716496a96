#include "pliant/contact/contact_search.hpp"

#include <algorithm>

namespace pliant {

namespace {

constexpr int faces_per_job = 512;
constexpr std::size_t shares_of_a_surface = 64;

Box around(const Vec3& a, const Vec3& b, double margin) {
    constexpr double ulps = 0x1.0p-49;
    const Vec3 low = a.cwiseMin(b), high = a.cwiseMax(b);
    const Vec3 grow = Vec3::Constant(margin) + ulps * (low.cwiseAbs() + high.cwiseAbs());
    return {low - grow, high + grow};
}

}  // namespace

ContactSearch::ContactSearch(FeatureMesh mesh, std::vector<SearchedSurface> surfaces)
    : mesh_(std::move(mesh)), surfaces_(std::move(surfaces)) {
    first_face_.assign(1, 0);
    for (const SearchedSurface& s : surfaces_)
        first_face_.push_back(first_face_.back() + static_cast<int>(s.triangles));
    point_way_.resize(mesh_.body.size()), point_side_.resize(mesh_.body.size());
    face_way_.resize(mesh_.faces.size()), face_side_.resize(mesh_.faces.size());
    swept_.resize(surfaces_.size());
    way_tree_.resize(surfaces_.size()), side_tree_.resize(surfaces_.size());
    fitted_.assign(surfaces_.size(), 0);
}

namespace {

bool inside(const Box& box, double margin, const Vec3& x) {
    return ((x - box.min).array() >= margin).all() && ((box.max - x).array() >= margin).all();
}

}  // namespace

bool ContactSearch::still_valid(const SearchMotion& m) const {
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        if (!surfaces_[k].moves) continue;
        for (int p = mesh_.first_point[k]; p < mesh_.first_point[k + 1]; ++p)
            if (!inside(point_way_[p], 0.5 * m.gap, m.now[p]) || !inside(point_way_[p], 0.5 * m.gap, m.target[p]))
                return false;
    }
    return true;
}

bool ContactSearch::still_valid_within(int k, const SearchMotion& m) const {
    for (int p = mesh_.first_point[k]; p < mesh_.first_point[k + 1]; ++p)
        if (!inside(point_side_[p], 0.5 * m.gap, m.now_beside[p]) ||
            !inside(point_side_[p], 0.5 * m.gap, m.target_beside[p]))
            return false;
    return true;
}

void ContactSearch::fit_ways(const SearchMotion& m, Threads& threads) {
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const bool first = way_tree_[k].empty();
        if (!surfaces_[k].moves && !first) continue;
        const int begin = mesh_.first_point[k], end = mesh_.first_point[k + 1];
        const double margin = 0.5 * m.gap + m.slack[k];
        parallel_for(threads, static_cast<std::size_t>(end - begin), 4096, [&](std::size_t i, std::size_t last) {
            for (; i < last; ++i) {
                const std::size_t p = static_cast<std::size_t>(begin) + i;
                point_way_[p] = around(m.now[p], m.target[p], margin);
            }
        });
        Box all;
        for (int f = first_face_[k]; f < first_face_[k + 1]; ++f) {
            face_way_[f] = box_of_face(point_way_, f);
            all.add(face_way_[f]);
        }
        swept_[k] = all;
        fitted_[k] = 0;
        if (first && first_face_[k] < first_face_[k + 1]) {
            way_tree_[k] = AabbTree(faces_of(face_way_, static_cast<int>(k)), threads);
            fitted_[k] = 1;
        }
    }
}

void ContactSearch::find_within(int k, const SearchMotion& m, std::vector<FeaturePair>& out, Threads& threads) {
    const double margin = 0.5 * m.gap + m.slack_beside[k];
    for (int p = mesh_.first_point[k]; p < mesh_.first_point[k + 1]; ++p)
        point_side_[p] = around(m.now_beside[p], m.target_beside[p], margin);
    for (int f = first_face_[k]; f < first_face_[k + 1]; ++f) face_side_[f] = box_of_face(point_side_, f);
    if (side_tree_[k].empty())
        side_tree_[k] = AabbTree(faces_of(face_side_, k), threads);
    else
        side_tree_[k].refit(faces_of(face_side_, k), threads);
    side_tree_[k].share_pairs(shares_of_a_surface, shares_);
    pairs_.assign(1, {k, k});
    jobs_.clear();
    for (const AabbTree::Branches& share : shares_) jobs_.push_back({0, share, 0, 0});
    run_jobs(out, threads);
}

Box ContactSearch::box_of_face(const std::vector<Box>& points, int f) const {
    Box box = points[mesh_.faces[f][0]];
    box.add(points[mesh_.faces[f][1]]);
    box.add(points[mesh_.faces[f][2]]);
    return box;
}

std::span<const Box> ContactSearch::faces_of(const std::vector<Box>& boxes, int k) const {
    return std::span(boxes).subspan(first_face_[k], first_face_[k + 1] - first_face_[k]);
}

void ContactSearch::add_pairs_of(int f, int g, const std::vector<Box>& points, const std::vector<Box>& faces,
                                 std::vector<FeaturePair>& out) const {
    const auto vertices = [&](int of, int against) {
        const Tri& face = mesh_.faces[against];
        for (int k = 0; k < 3; ++k) {
            const int v = mesh_.faces[of][k];
            if (!(mesh_.owns[of] >> k & 1) || v == face[0] || v == face[1] || v == face[2]) continue;
            if (points[v].overlaps(faces[against])) out.push_back({PairKind::vertex_face, v, against});
        }
    };
    const auto edge_box = [&](int e) {
        Box box = points[mesh_.edges[e][0]];
        box.add(points[mesh_.edges[e][1]]);
        return box;
    };
    vertices(f, g), vertices(g, f);
    for (int k = 0; k < 3; ++k) {
        if (!(mesh_.owns[f] >> (3 + k) & 1)) continue;
        const int e = mesh_.sides[f][k];
        const Box box = edge_box(e);
        if (!box.overlaps(faces[g])) continue;
        for (int n = 0; n < 3; ++n) {
            if (!(mesh_.owns[g] >> (3 + n) & 1)) continue;
            const int o = mesh_.sides[g][n];
            const auto &p = mesh_.edges[e], &q = mesh_.edges[o];
            if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
            if (box.overlaps(edge_box(o))) out.push_back({PairKind::edge_edge, std::min(e, o), std::max(e, o)});
        }
    }
}

void ContactSearch::collect(std::vector<FeaturePair>& out, Threads& threads) {
    jobs_.clear();
    for (int i = 0; i < static_cast<int>(pairs_.size()); ++i) {
        auto& [a, b] = pairs_[i];
        // The smaller one asks the tree of the larger one, which is fitted once.
        if (surfaces_[a].triangles > surfaces_[b].triangles) std::swap(a, b);
        if (!fitted_[b]) way_tree_[b].refit(faces_of(face_way_, b), threads), fitted_[b] = 1;
        for (int f = first_face_[a]; f < first_face_[a + 1]; f += faces_per_job)
            jobs_.push_back({i, {}, f, std::min(first_face_[a + 1], f + faces_per_job)});
    }
    run_jobs(out, threads);
}

void ContactSearch::run_jobs(std::vector<FeaturePair>& out, Threads& threads) {
    if (found_.size() < jobs_.size()) found_.resize(jobs_.size());
    parallel_for(threads, jobs_.size(), 1, [&](std::size_t j, std::size_t) {
        const Job& job = jobs_[j];
        const auto [a, b] = pairs_[job.pair];
        std::vector<FeaturePair>& found = found_[j];
        found.clear();
        if (a == b) {
            const int first = first_face_[a];
            side_tree_[a].overlapping_pairs(job.branches, [&](int f, int g) {
                add_pairs_of(first + f, first + g, point_side_, face_side_, found);
            });
            return;
        }
        for (int f = job.begin; f < job.end; ++f) {
            if (!face_way_[f].overlaps(swept_[b])) continue;
            way_tree_[b].overlapping(
                face_way_[f], [&, b = b](int g) { add_pairs_of(f, first_face_[b] + g, point_way_, face_way_, found); });
        }
    });
    out.clear();
    for (std::size_t j = 0; j < jobs_.size(); ++j) out.insert(out.end(), found_[j].begin(), found_[j].end());
}

}  // namespace pliant
