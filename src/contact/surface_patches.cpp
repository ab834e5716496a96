#include "pliant/contact/surface_patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/collision/distance.hpp"
#include "pliant/geometry/polar.hpp"

namespace pliant {

namespace {

// Steers cost alone: larger patches mean fewer of them and more work where two are near.
constexpr int faces_per_patch = 8;
constexpr double infinite = std::numeric_limits<double>::infinity();

Vec3 middle(const FeatureMesh& mesh, std::span<const Vec3> shape, int f) {
    const Tri& t = mesh.faces[f];
    return (shape[t[0]] + shape[t[1]] + shape[t[2]]) / 3;
}

/// Least distance of features of two faces that share no point and are farther apart than `least`, if below `best`.
double nearest_features(const FeatureMesh& mesh, std::span<const Vec3> x, int f, int g, double least, double best) {
    const auto offer = [&](PairKind kind, const std::array<int, 4>& p) {
        const double d = std::sqrt(closest(kind, {x[p[0]], x[p[1]], x[p[2]], x[p[3]]}).distance2);
        if (d > least) best = std::min(best, d);
    };
    const Tri &a = mesh.faces[f], &b = mesh.faces[g];
    for (const auto& [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}})
        for (int v : *from)
            if (v != (*to)[0] && v != (*to)[1] && v != (*to)[2])
                offer(PairKind::vertex_face, {v, (*to)[0], (*to)[1], (*to)[2]});
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = a[i], q = a[(i + 1) % 3], r = b[j], s = b[(j + 1) % 3];
            if (p != r && p != s && q != r && q != s) offer(PairKind::edge_edge, {p, q, r, s});
        }
    return best;
}

double distance_of(const Box& a, const Box& b) { return (a.min - b.max).cwiseMax(b.min - a.max).cwiseMax(0.0).norm(); }

}  // namespace

SurfacePatches::SurfacePatches(const FeatureMesh& mesh, int begin, int end, std::span<const Vec3> shape,
                               std::span<const int> part, bool within, double least, Threads& threads) {
    for (int f = begin; f < end; ++f) faces_.push_back(f);
    cut(mesh, shape, part);
    first_neighbour_.assign(first_.size(), 0);
    if (!within) return;
    find_neighbours(mesh);
    measure_rest(mesh, shape, least, threads);
    surround(mesh, shape, threads);
}

/// Faces of one part stay together; within it ranges are halved along their longest side.
void SurfacePatches::cut(const FeatureMesh& mesh, std::span<const Vec3> shape, std::span<const int> part) {
    const auto part_of = [&](int f) { return part[mesh.faces[f][0]]; };
    std::stable_sort(faces_.begin(), faces_.end(), [&](int f, int g) { return part_of(f) < part_of(g); });
    struct Range {
        int begin, end;
    };
    std::vector<Range> stack;
    const int all = static_cast<int>(faces_.size());
    for (int end = all; end > 0;) {  // the last range is taken first, so they are put down from the back
        int begin = end - 1;
        while (begin > 0 && part_of(faces_[begin - 1]) == part_of(faces_[end - 1])) --begin;
        stack.push_back({begin, end});
        end = begin;
    }
    first_.assign(1, 0);
    while (!stack.empty()) {
        const auto [begin, end] = stack.back();
        stack.pop_back();
        if (end - begin <= faces_per_patch) {
            first_.push_back(end);
            continue;
        }
        Box box;
        for (int i = begin; i < end; ++i) box.add(middle(mesh, shape, faces_[i]));
        int axis = 0;
        box.size().maxCoeff(&axis);
        const int half = begin + (end - begin) / 2;
        std::nth_element(faces_.begin() + begin, faces_.begin() + half, faces_.begin() + end, [&](int f, int g) {
            const double a = middle(mesh, shape, f)[axis], b = middle(mesh, shape, g)[axis];
            return a < b || (a == b && f < g);
        });
        stack.push_back({half, end});
        stack.push_back({begin, half});
    }
}

void SurfacePatches::find_neighbours(const FeatureMesh& mesh) {
    std::vector<std::array<int, 2>> uses;  // vertex and patch
    for (int p = 0; p < count(); ++p)
        for (int f : faces(p))
            for (int v : mesh.faces[f]) uses.push_back({v, p});
    std::sort(uses.begin(), uses.end());
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    std::vector<std::array<int, 2>> pairs;
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = i; j < uses.size() && uses[j][0] == uses[i][0]; ++j)
            pairs.push_back({uses[i][1], uses[j][1]});
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    first_neighbour_.assign(first_.size(), 0);
    for (const auto& [a, b] : pairs) neighbours_.push_back({b, infinite}), ++first_neighbour_[a + 1];
    for (int p = 0; p < count(); ++p) first_neighbour_[p + 1] += first_neighbour_[p];
}

bool SurfacePatches::adjacent(int a, int b) const {
    if (b < a) std::swap(a, b);
    const auto list = neighbours(a);
    return std::any_of(list.begin(), list.end(), [&](const Neighbour& n) { return n.patch == b; });
}

void SurfacePatches::measure_rest(const FeatureMesh& mesh, std::span<const Vec3> shape, double least,
                                  Threads& threads) {
    std::vector<Box> box(mesh.faces.size());
    for (int f : faces_)
        for (int v : mesh.faces[f]) box[f].add(shape[v]);
    parallel_for(threads, static_cast<std::size_t>(count()), 8, [&](std::size_t p, std::size_t last) {
        for (; p < last; ++p)
            for (int n = first_neighbour_[p]; n < first_neighbour_[p + 1]; ++n) {
                Neighbour& to = neighbours_[n];
                const bool itself = to.patch == static_cast<int>(p);
                for (int f : faces(static_cast<int>(p)))
                    for (int g : faces(to.patch)) {
                        if (itself && g <= f) continue;
                        if (distance_of(box[f], box[g]) < to.apart)
                            to.apart = nearest_features(mesh, shape, f, g, least, to.apart);
                    }
            }
    });
}

void SurfacePatches::surround(const FeatureMesh& mesh, std::span<const Vec3> shape, Threads& threads) {
    std::vector<std::vector<int>> set(static_cast<std::size_t>(count()));
    for (int p = 0; p < count(); ++p)
        for (const Neighbour& n : neighbours(p)) {
            set[p].push_back(n.patch);
            if (n.patch != p) set[n.patch].push_back(p);
        }
    std::vector<std::vector<Around>> found(set.size());
    moments_.assign(set.size(), Vec3::Zero());
    parallel_for(threads, set.size(), 8, [&](std::size_t p, std::size_t last) {
        std::vector<int> points;
        for (; p < last; ++p) {
            points.clear();
            for (int q : set[p])
                for (int f : faces(q)) points.insert(points.end(), mesh.faces[f].begin(), mesh.faces[f].end());
            std::sort(points.begin(), points.end());
            points.erase(std::unique(points.begin(), points.end()), points.end());
            Vec3 centre = Vec3::Zero();
            for (int v : points) centre += shape[v];
            centre /= static_cast<double>(points.size());
            Mat3 spread = Mat3::Zero();
            for (int v : points) spread += (shape[v] - centre) * (shape[v] - centre).transpose();
            const Mat3 axes = signed_svd(spread).V;  // the widest first
            for (int v : points) {
                const Vec3 at = axes.transpose() * (shape[v] - centre);
                found[p].push_back({at, v});
                moments_[p] += at.cwiseAbs2();
            }
        }
    });
    first_around_.assign(1, 0);
    for (const auto& list : found) {
        around_.insert(around_.end(), list.begin(), list.end());
        first_around_.push_back(static_cast<int>(around_.size()));
    }
}

namespace {

/// A lower bound of the least singular value, from the trigonometric roots of AᵀA's characteristic polynomial.
double least_stretch(const Mat3& A) {
    const Mat3 S = A.transpose() * A;
    const double mean = S.trace() / 3;
    const Mat3 D = S - mean * Mat3::Identity();
    const double p = std::sqrt(D.squaredNorm() / 6);
    if (!(p > 0)) return std::sqrt(mean);
    const double half = std::clamp(0.5 * (D / p).determinant(), -1.0, 1.0);
    const double angle = std::acos(half) / 3;
    const double least = mean + 2 * p * std::cos(angle + 2.0943951023931953);
    constexpr double rounding = 1e-7;  // of the roots where two are equal, relative to the largest
    return std::sqrt(std::max(0.0, least - rounding * (mean + 2 * p)));
}

}  // namespace

SurfacePatches::Fit SurfacePatches::fit(int patch, std::span<const Vec3> start, std::span<const Vec3> end) const {
    const auto points = slice(around_, first_around_, patch);
    const Vec3& moment = moments_[patch];
    constexpr Fit unknown{0, infinite};
    if (!(moment[1] > 1e-6 * moment[0])) return unknown;  // all on a line
    // Of a nearly flat set the points do not tell how its normal moves: it stays a unit normal.
    const double prior = 0.05 * moment[1];
    const auto affine = [&](std::span<const Vec3> x, Mat3& A) {
        const Vec3 origin = x[points[0].point];
        Vec3 mean = Vec3::Zero();
        A.setZero();
        for (const Around& p : points) {
            const Vec3 d = x[p.point] - origin;
            mean += d;
            for (int k = 0; k < 3; ++k) A.col(k) += p.rest[k] * d;
        }
        mean /= static_cast<double>(points.size());
        A.col(0) /= moment[0], A.col(1) /= moment[1];
        A.col(2) = (A.col(2) + prior * A.col(0).cross(A.col(1)).stableNormalized()) / (moment[2] + prior);
        double off = 0;
        for (const Around& p : points) {
            const Vec3 d =
                x[p.point] - origin - mean - A.col(0) * p.rest[0] - A.col(1) * p.rest[1] - A.col(2) * p.rest[2];
            off = std::max(off, d.squaredNorm());
        }
        return std::sqrt(off);
    };
    Mat3 before, after;
    const double off = std::max(affine(start, before), affine(end, after));
    // In between the map is (1 − t) A₀ + t A₁, whose least stretch is at least σ₀ − t c and σ₁ − (1 − t) c, c = |A₁ −
    // A₀|.
    const double stretch = 0.5 * (least_stretch(before) + least_stretch(after) - (after - before).norm());
    return {std::max(0.0, stretch), off};
}

}  // namespace pliant
