#pragma once
// A body as a few convex pieces, which is what rigid-body engines collide: cut in halves until each piece holds hardly
// anything that is not body. Needs the surface's points and an inside test by distance, nothing else, so that any solid
// can be cut: a bowl, a letter, a bunny.

#include <functional>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

struct PieceOptions {
    /// How far outside of the body a piece may reach, over the body's size. Small: many pieces, slow; large: a bowl
    /// has no hollow.
    double tolerance = 0.03;
    int limit = 64;    ///< pieces at most
    int corners = 48;  ///< corners of a piece at most; few: round things roll on flats
};

/// Corners of each piece. distance(p): signed, m, negative inside; `points`: of the surface, m. Never empty for a
/// surface with extent.
std::vector<std::vector<Vec3>> convex_pieces(const std::vector<Vec3>& points,
                                             const std::function<double(const Vec3&)>& distance,
                                             const PieceOptions& options = {});

}  // namespace pliant
