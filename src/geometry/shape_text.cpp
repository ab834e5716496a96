// Text as a solid: the strokes of the built-in face, all points within half a stroke width, extruded along z.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "pliant/geometry/glyph.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/shape_check.hpp"

namespace pliant {

namespace {

using Vec2 = Eigen::Vector2d;

struct Stroke {
    Vec2 a, d;
    double inverse_length2;

    double distance2(const Vec2& p) const {
        const Vec2 q = p - a;
        return (q - std::clamp(q.dot(d) * inverse_length2, 0.0, 1.0) * d).squaredNorm();
    }
};

/// The nearest of many strokes: square tiles, each with the few strokes that can be nearest to some point in it.
class StrokeTiles {
public:
    StrokeTiles(std::vector<Stroke> strokes, const Vec2& low, const Vec2& high, double tile)
        : strokes_(std::move(strokes)), low_(low), tile_(tile) {
        for (int k = 0; k < 2; ++k) count_[k] = std::max(1, static_cast<int>(std::ceil((high[k] - low[k]) / tile)));
        range_.resize(static_cast<std::size_t>(count_[0]) * count_[1]);
        std::vector<std::int32_t> all(strokes_.size());
        std::iota(all.begin(), all.end(), 0);
        fill(0, 0, count_[0], count_[1], all);
    }

    double distance(const Vec2& p) const {
        const Vec2 at = (p - low_) / tile_;
        double least = std::numeric_limits<double>::infinity();
        if (at.x() >= 0 && at.y() >= 0 && at.x() < count_[0] && at.y() < count_[1]) {
            const Range range = range_[static_cast<int>(at.y()) * count_[0] + static_cast<int>(at.x())];
            for (std::int32_t s = range.begin; s < range.end; ++s)
                least = std::min(least, strokes_[near_[s]].distance2(p));
        } else {
            for (const Stroke& s : strokes_) least = std::min(least, s.distance2(p));
        }
        return std::sqrt(least);
    }

private:
    struct Range {
        std::int32_t begin, end;
    };

    /// Tiles i … i+w−1, j … j+h−1, given the strokes that can be nearest to some point in that block: halved until a
    /// tile is left, and each time the strokes that have become too far are dropped.
    void fill(int i, int j, int w, int h, const std::vector<std::int32_t>& candidates) {
        const Vec2 half = 0.5 * tile_ * Vec2(w, h), middle = low_ + tile_ * Vec2(i, j) + half;
        double least = std::numeric_limits<double>::infinity();
        std::vector<double> distance;
        for (std::int32_t s : candidates) {
            distance.push_back(std::sqrt(strokes_[s].distance2(middle)));
            least = std::min(least, distance.back());
        }
        // Every distance changes by at most half a diagonal between the middle and any point of the block.
        const double farthest = (least + 2 * half.norm()) * (1 + 1e-9);
        std::vector<std::int32_t> near;
        for (std::size_t k = 0; k < candidates.size(); ++k)
            if (distance[k] <= farthest) near.push_back(candidates[k]);
        if (w == 1 && h == 1) {
            const auto begin = static_cast<std::int32_t>(near_.size());
            near_.insert(near_.end(), near.begin(), near.end());
            range_[j * count_[0] + i] = {begin, static_cast<std::int32_t>(near_.size())};
        } else if (w >= h) {
            fill(i, j, w / 2, h, near), fill(i + w / 2, j, w - w / 2, h, near);
        } else {
            fill(i, j, w, h / 2, near), fill(i, j + h / 2, w, h - h / 2, near);
        }
    }

    std::vector<Stroke> strokes_;
    Vec2 low_;
    double tile_;
    int count_[2];
    std::vector<Range> range_;
    std::vector<std::int32_t> near_;
};

StrokeTiles tiles_of(const GlyphLine& line, double height, Vec2& low, Vec2& high) {
    std::vector<Stroke> strokes;
    low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const GlyphSegment& s : line.segments) {
        const Vec2 a = height * s.a, d = height * (s.b - s.a);
        const double length2 = d.squaredNorm();
        strokes.push_back({a, d, length2 > 0 ? 1 / length2 : 0});
        low = low.cwiseMin(a).cwiseMin(a + d), high = high.cwiseMax(a).cwiseMax(a + d);
    }
    const Vec2 margin = Vec2::Constant(3 * glyph_stroke_radius * height);
    return {std::move(strokes), low - margin, high + margin, 0.5 * glyph_stroke_radius * height};
}

class TextShape final : public Shape {
public:
    TextShape(const GlyphLine& line, double height, double depth)
        : tiles_(tiles_of(line, height, low_, high_)),
          radius_(glyph_stroke_radius * height),
          half_depth_(0.5 * depth) {}

    double distance(const Vec3& p) const override {
        const double across = tiles_.distance({p.x(), p.y()}) - radius_, along = std::abs(p.z()) - half_depth_;
        return across > 0 && along > 0 ? std::sqrt(across * across + along * along) : std::max(across, along);
    }
    Box bounds() const override {
        return {{low_.x() - radius_, low_.y() - radius_, -half_depth_},
                {high_.x() + radius_, high_.y() + radius_, half_depth_}};
    }
    double thinnest() const override { return 2 * std::min(radius_, half_depth_); }

private:
    Vec2 low_, high_;  // of the skeleton; set while tiles_ is built
    StrokeTiles tiles_;
    double radius_, half_depth_;
};

}  // namespace

ShapePtr text_shape(const std::string& text, double height, double depth) {
    require_positive(height, "the height of a text"), require_positive(depth, "the depth of a text");
    return std::make_shared<TextShape>(set_text(text), height, depth);
}

}  // namespace pliant
