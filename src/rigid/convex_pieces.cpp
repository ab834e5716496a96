#include "pliant/rigid/convex_pieces.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

struct Piece {
    Box box;
    std::vector<int> points;
    double excess = 0;  ///< how far outside of the body it reaches, m
};

/// The farthest that the hull of the points reaches out of the body, seen at random places between pairs and triples of
/// them: the same places for the same points.
double excess_of(const std::vector<Vec3>& points, const std::vector<int>& chosen,
                 const std::function<double(const Vec3&)>& distance) {
    if (chosen.size() < 3) return 0;
    Rng random(chosen.size(), static_cast<std::uint64_t>(chosen.front()));
    const int tries = static_cast<int>(std::min<std::size_t>(400, 20 + 4 * chosen.size()));
    double most = 0;
    for (int i = 0; i < tries; ++i) {
        const Vec3& a = points[chosen[random.below(chosen.size())]];
        const Vec3& b = points[chosen[random.below(chosen.size())]];
        const Vec3& c = points[chosen[random.below(chosen.size())]];
        most = std::max({most, distance(0.5 * (a + b)), distance((a + b + c) / 3)});
    }
    return most;
}

/// Few points that span nearly the same hull: the farthest in many directions, no two at one place.
std::vector<Vec3> corners_of(const std::vector<Vec3>& points, const std::vector<int>& chosen, int limit) {
    std::vector<int> picked;
    const auto pick = [&](const Vec3& direction) {
        int best = chosen.front();
        for (int i : chosen)
            if (points[i].dot(direction) > points[best].dot(direction)) best = i;
        if (std::find(picked.begin(), picked.end(), best) == picked.end()) picked.push_back(best);
    };
    for (int x = -1; x <= 1; ++x)  // corners, edges and faces of boxes along the axes
        for (int y = -1; y <= 1; ++y)
            for (int z = -1; z <= 1; ++z)
                if (x != 0 || y != 0 || z != 0) pick(Vec3(x + 1e-3 * y, y + 1e-3 * z, z + 1e-3 * x));
    constexpr double golden_angle = 2.399963229728653;
    for (int i = 0; i < 4 * limit && static_cast<int>(picked.size()) < limit; ++i) {
        const double y = 1 - (2 * i + 1.0) / (4.0 * limit), r = std::sqrt(1 - y * y);
        // Every other direction, so that a limit reached early does not leave one side bare.
        const double angle = golden_angle * i;
        const Vec3 d(r * std::cos(angle), i % 2 == 0 ? y : -y, r * std::sin(angle));
        pick(d);
    }
    std::vector<Vec3> corners;
    for (int i : picked) corners.push_back(points[i]);
    return corners;
}

}  // namespace

std::vector<std::vector<Vec3>> convex_pieces(const std::vector<Vec3>& points,
                                             const std::function<double(const Vec3&)>& distance,
                                             const PieceOptions& options) {
    Piece whole;
    for (std::size_t i = 0; i < points.size(); ++i)
        whole.box.add(points[i]), whole.points.push_back(static_cast<int>(i));
    const double allowed = options.tolerance * whole.box.diagonal();
    whole.excess = excess_of(points, whole.points, distance);
    std::vector<Piece> pieces{std::move(whole)};
    // Neighbouring pieces share the points within this of the cut, so that no gap opens between them.
    const double overlap = pieces[0].box.diagonal() /
                           std::max(8.0, std::sqrt(static_cast<double>(std::max<std::size_t>(1, points.size()))));
    while (static_cast<int>(pieces.size()) < options.limit) {
        const auto worst = std::max_element(pieces.begin(), pieces.end(),
                                            [](const Piece& a, const Piece& b) { return a.excess < b.excess; });
        if (worst->excess <= allowed) break;
        const Piece piece = *worst;
        Piece best[2];
        double least = 1e300;
        for (int axis = 0; axis < 3; ++axis) {
            if (piece.box.size()[axis] < 4 * overlap) continue;
            const double cut = piece.box.center()[axis];
            Piece halves[2];
            for (int i : piece.points)
                for (int side = 0; side < 2; ++side)
                    if (side == 0 ? points[i][axis] <= cut + overlap : points[i][axis] >= cut - overlap)
                        halves[side].points.push_back(i), halves[side].box.add(points[i]);
            if (halves[0].points.size() == piece.points.size() || halves[1].points.size() == piece.points.size())
                continue;
            double sum = 0;
            for (Piece& half : halves) sum += half.excess = excess_of(points, half.points, distance);
            if (sum < least) least = sum, std::swap(best[0], halves[0]), std::swap(best[1], halves[1]);
        }
        if (least == 1e300) {
            worst->excess = 0;  // too small to be cut
            continue;
        }
        *worst = std::move(best[0]);
        pieces.push_back(std::move(best[1]));
    }
    std::vector<std::vector<Vec3>> corners;
    for (const Piece& piece : pieces)
        if (piece.points.size() >= 4) corners.push_back(corners_of(points, piece.points, options.corners));
    return corners;
}

}  // namespace pliant
