#include "pliant/contact/contact_search.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/polar.hpp"

namespace pliant {

namespace {

constexpr std::size_t jobs_per_chunk = 32;
constexpr double ulps = 0x1.0p-49;

/// All six comparisons without a branch.
bool meet(const Box& a, const Box& b) {
    return bool((a.min[0] <= b.max[0]) & (b.min[0] <= a.max[0]) & (a.min[1] <= b.max[1]) & (b.min[1] <= a.max[1]) &
                (a.min[2] <= b.max[2]) & (b.min[2] <= a.max[2]));
}

Box around(const Vec3& a, const Vec3& b, double margin) {
    const Vec3 low = a.cwiseMin(b), high = a.cwiseMax(b);
    const Vec3 grow = Vec3::Constant(margin) + ulps * (low.cwiseAbs() + high.cwiseAbs());
    return {low - grow, high + grow};
}

}  // namespace

ContactSearch::ContactSearch(FeatureMesh mesh, std::vector<SearchedSurface> surfaces, std::span<const Vec3> shape,
                             std::span<const int> part, Threads& threads)
    : mesh_(std::move(mesh)), surfaces_(std::move(surfaces)), part_(part.begin(), part.end()) {
    first_face_.assign(1, 0), first_patch_.assign(1, 0);
    int parts = 0;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const SearchedSurface& s = surfaces_[k];
        first_face_.push_back(first_face_.back() + static_cast<int>(s.triangles));
        patches_.emplace_back(mesh_, first_face_[k], first_face_[k + 1], shape, part, s.with_itself, s.least, threads);
        first_patch_.push_back(first_patch_.back() + patches_.back().count());
        const int before = parts;
        for (int p = mesh_.first_point[k]; p < mesh_.first_point[k + 1]; ++p) parts = std::max(parts, part[p] + 1);
        parts_of_.push_back({before, parts});
        for (int q = 0; q < patches_.back().count(); ++q) {
            part_of_patch_.push_back(part[mesh_.faces[patches_.back().faces(q)[0]][0]]);
            surface_of_patch_.push_back(static_cast<int>(k));
        }
    }
    motion_.resize(static_cast<std::size_t>(parts));
    side_.resize(mesh_.body.size());
    for (Frame* frame : {&space_, &beside_}) {
        frame->point.resize(mesh_.body.size()), frame->face.resize(mesh_.faces.size());
        frame->patch.resize(part_of_patch_.size());
        frame->tree.resize(surfaces_.size());
        frame->fitted.assign(surfaces_.size(), 0);
    }
    swept_.resize(surfaces_.size());
}

std::span<const int> ContactSearch::faces_of(int patch) const {
    const int k = surface_of_patch_[patch];
    return patches_[k].faces(patch - first_patch_[k]);
}

// --- motion ---------------------------------------------------------------------------------------------------------

void ContactSearch::follow(std::span<const Vec3> now, std::span<const Vec3> target, Threads& threads, bool straight) {
    now_ = now, target_ = target;
    struct Sums {
        double count = 0;
        Vec3 now = Vec3::Zero(), target = Vec3::Zero();
        Mat3 product = Mat3::Zero();
        void add(const Vec3& a, const Vec3& b) {
            count += 1, now += a, target += b;
            product += b * a.transpose();
        }
        Sums& operator+=(const Sums& s) {
            count += s.count, now += s.now, target += s.target, product += s.product;
            return *this;
        }
    };
    side_.assign(target.begin(), target.end());
    std::vector<Sums> sums;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const auto [first, last] = parts_of_[k];
        if (!surfaces_[k].with_itself || first == last) continue;
        const int begin = mesh_.first_point[k], end = mesh_.first_point[k + 1];
        const Vec3 from = now[begin], to = target[begin];
        sums.assign(static_cast<std::size_t>(last - first), {});
        if (last - first == 1) {
            sums[0] = parallel_sum(threads, static_cast<std::size_t>(end - begin), 4096, Sums{},
                                   [&](std::size_t i, std::size_t stop) {
                                       Sums some;
                                       for (; i < stop; ++i) some.add(now[begin + i] - from, target[begin + i] - to);
                                       return some;
                                   });
        } else {
            for (int p = begin; p < end; ++p) sums[part_[p] - first].add(now[p] - from, target[p] - to);
        }
        for (int q = first; q < last; ++q) {
            const Sums& s = sums[q - first];
            RigidMotion& motion = motion_[q];
            const double n = std::max(1.0, s.count);
            motion.from = from + s.now / n, motion.to = to + s.target / n;
            motion.rotation =
                straight ? Quat::Identity() : closest_rotation(Mat3(s.product - s.target * s.now.transpose() / n));
        }
        parallel_for(threads, static_cast<std::size_t>(end - begin), 4096, [&](std::size_t i, std::size_t stop) {
            for (std::size_t p = begin + i; p < begin + stop; ++p) side_[p] = motion_[part_[p]].back(target[p]);
        });
    }
}

// --- boxes ----------------------------------------------------------------------------------------------------------

void ContactSearch::fit_boxes(Frame& frame, int k, std::span<const Vec3> ends, Threads& threads) {
    const int begin = mesh_.first_point[k], end = mesh_.first_point[k + 1];
    parallel_for(threads, static_cast<std::size_t>(end - begin), 4096, [&](std::size_t i, std::size_t last) {
        for (std::size_t p = begin + i; p < begin + last; ++p) frame.point[p] = around(now_[p], ends[p], 0.5 * gap_);
    });
    parallel_for(threads, static_cast<std::size_t>(patches_[k].count()), 256, [&](std::size_t q, std::size_t last) {
        for (; q < last; ++q) {
            Box all;
            for (int f : patches_[k].faces(static_cast<int>(q))) {
                const Tri& t = mesh_.faces[f];
                Box& box = frame.face[f];
                box = frame.point[t[0]];
                box.add(frame.point[t[1]]), box.add(frame.point[t[2]]);
                all.add(box);
            }
            frame.patch[first_patch_[k] + q] = all;
        }
    });
    frame.fitted[k] = 0;
    if (&frame != &space_) return;
    swept_[k] = {};
    for (int q = first_patch_[k]; q < first_patch_[k + 1]; ++q) swept_[k].add(space_.patch[q]);
    if (!surfaces_[k].moves) tree_of(space_, k, threads);
}

AabbTree& ContactSearch::tree_of(Frame& frame, int k, Threads& threads) {
    AabbTree& tree = frame.tree[k];
    const auto boxes = std::span(frame.patch).subspan(first_patch_[k], patches_[k].count());
    if (tree.empty() && !boxes.empty())
        tree = AabbTree(boxes, threads);
    else if (!frame.fitted[k])
        tree.refit(boxes, threads);
    frame.fitted[k] = 1;
    return tree;
}

// --- patches --------------------------------------------------------------------------------------------------------

void ContactSearch::pair_up(int a, int b, Threads& threads) {
    // The smaller one asks the tree of the larger one, which is fitted once.
    if (surfaces_[a].triangles > surfaces_[b].triangles) std::swap(a, b);
    const AabbTree& tree = tree_of(space_, b, threads);
    for (int p = first_patch_[a]; p < first_patch_[a + 1]; ++p)
        if (space_.patch[p].overlaps(swept_[b]))
            tree.overlapping(space_.patch[p], [&](int q) { jobs_.push_back({p, first_patch_[b] + q, false}); });
}

/// Pieces of one surface.
void ContactSearch::pair_up_pieces(int k, Threads& threads) {
    if (parts_of_[k][1] - parts_of_[k][0] < 2) return;
    const int first = first_patch_[k];
    tree_of(space_, k, threads).overlapping_pairs({0, 0}, [&](int p, int q) {
        if (part_of_patch_[first + p] != part_of_patch_[first + q]) jobs_.push_back({first + p, first + q, false});
    });
}

void ContactSearch::pair_up_within(int k, double slack, Threads& threads) {
    const SurfacePatches& patches = patches_[k];
    const int first = first_patch_[k], count = patches.count();
    if (count == 0) return;
    fit_.resize(static_cast<std::size_t>(count));
    parallel_for(threads, static_cast<std::size_t>(count), 16, [&](std::size_t q, std::size_t last) {
        for (; q < last; ++q) fit_[q] = patches.fit(static_cast<int>(q), now_, side_);
    });
    for (int p = 0; p < count; ++p)
        for (const SurfacePatches::Neighbour& n : patches.neighbours(p)) {
            const double keep = std::min(gap_ - 2 * slack, 0.5 * n.apart) + 2 * slack;
            const auto apart = [&](const SurfacePatches::Fit& fit) {
                return fit.stretch * n.apart - 2 * fit.off > keep;
            };
            if (!apart(fit_[p]) && !apart(fit_[n.patch])) jobs_.push_back({first + p, first + n.patch, true});
        }
    tree_of(beside_, k, threads).overlapping_pairs({0, 0}, [&](int p, int q) {
        if (part_of_patch_[first + p] == part_of_patch_[first + q] && !patches.adjacent(p, q))
            jobs_.push_back({first + p, first + q, true});
    });
}

// --- features -------------------------------------------------------------------------------------------------------

/// An axis from one feature to the other shows that they keep their distance all the way: by any shares of their ways
/// in space, by the same share beside the piece to which both belong.
bool ContactSearch::part_ways(const FeaturePair& pair, bool beside) const {
    const std::array<int, 4> p = points_of(mesh_, pair);
    const int second = pair.kind == PairKind::vertex_face ? 1 : 2;
    const std::span<const Vec3> end = beside ? std::span<const Vec3>(side_) : target_;
    const Vec3 origin = now_[p[3]];
    std::array<Vec3, 4> at, to;
    for (int k = 0; k < 4; ++k) at[k] = now_[p[k]] - origin, to[k] = end[p[k]] - origin;
    const Vec3 axis = second == 1 ? Vec3(at[0] - (at[1] + at[2] + at[3]) / 3) : Vec3(at[0] + at[1] - at[2] - at[3]);
    double from_low = 1e300, from_high = -1e300, to_low = 1e300, to_high = -1e300;
    for (int k = 0; k < 4; ++k) {
        const double f = axis.dot(at[k]), t = axis.dot(to[k]);
        if (k < second)
            from_low = std::min(from_low, f), to_low = std::min(to_low, t);
        else
            from_high = std::max(from_high, f), to_high = std::max(to_high, t);
    }
    const double apart = beside ? std::min(from_low - from_high, to_low - to_high)
                                : std::min(from_low, to_low) - std::max(from_high, to_high);
    const double size = origin.cwiseAbs().maxCoeff() + to[0].cwiseAbs().maxCoeff();
    return apart > axis.norm() * (gap_ * (1 + 1e-9) + 16 * ulps * size);
}

void ContactSearch::look_at(const Job& job, std::vector<FeaturePair>& out) const {
    const Frame& frame = job.beside ? beside_ : space_;
    const std::vector<Box>& points = frame.point;
    const auto offer = [&](const FeaturePair& pair) {
        if (!part_ways(pair, job.beside)) out.push_back(pair);
    };
    const auto vertices = [&](int of, int against) {
        const Tri& face = mesh_.faces[against];
        for (int k = 0; k < 3; ++k) {
            const int v = mesh_.faces[of][k];
            if (!(mesh_.owns[of] >> k & 1) || v == face[0] || v == face[1] || v == face[2]) continue;
            if (meet(points[v], frame.face[against])) offer({PairKind::vertex_face, v, against});
        }
    };
    const auto edge_box = [&](int e) {
        Box box = points[mesh_.edges[e][0]];
        box.add(points[mesh_.edges[e][1]]);
        return box;
    };
    for (int f : faces_of(job.a)) {
        if (!meet(frame.face[f], frame.patch[job.b])) continue;
        for (int g : faces_of(job.b)) {
            if (job.a == job.b && g <= f) continue;
            if (!meet(frame.face[f], frame.face[g])) continue;
            vertices(f, g), vertices(g, f);
            for (int k = 0; k < 3; ++k) {
                if (!(mesh_.owns[f] >> (3 + k) & 1)) continue;
                const int e = mesh_.sides[f][k];
                const Box box = edge_box(e);
                if (!meet(box, frame.face[g])) continue;
                for (int n = 0; n < 3; ++n) {
                    if (!(mesh_.owns[g] >> (3 + n) & 1)) continue;
                    const int o = mesh_.sides[g][n];
                    const auto &p = mesh_.edges[e], &q = mesh_.edges[o];
                    if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
                    if (meet(box, edge_box(o))) offer({PairKind::edge_edge, std::min(e, o), std::max(e, o)});
                }
            }
        }
    }
}

void ContactSearch::run_jobs(std::vector<FeaturePair>& out, Threads& threads) {
    const std::size_t chunks = (jobs_.size() + jobs_per_chunk - 1) / jobs_per_chunk;
    if (found_.size() < chunks) found_.resize(chunks);
    parallel_for(threads, jobs_.size(), jobs_per_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<FeaturePair>& found = found_[begin / jobs_per_chunk];
        found.clear();
        for (std::size_t j = begin; j < end; ++j) look_at(jobs_[j], found);
    });
    out.clear();
    for (std::size_t c = 0; c < chunks; ++c) out.insert(out.end(), found_[c].begin(), found_[c].end());
}

}  // namespace pliant
