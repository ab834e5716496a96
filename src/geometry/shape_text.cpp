// Text as a solid: the strokes of the built-in face, all points within half a stroke width, extruded along z.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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
        const double reach = tile * std::sqrt(2.0);  // the nearest stroke's distance changes by at most this in a tile
        std::vector<double> distance(strokes_.size());
        for (int j = 0; j < count_[1]; ++j)
            for (int i = 0; i < count_[0]; ++i) {
                const Vec2 middle = low_ + tile_ * Vec2(i + 0.5, j + 0.5);
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t s = 0; s < strokes_.size(); ++s) {
                    distance[s] = std::sqrt(strokes_[s].distance2(middle));
                    least = std::min(least, distance[s]);
                }
                first_.push_back(static_cast<std::int32_t>(near_.size()));
                for (std::size_t s = 0; s < strokes_.size(); ++s)
                    if (distance[s] <= (least + reach) * (1 + 1e-9)) near_.push_back(static_cast<std::int32_t>(s));
            }
        first_.push_back(static_cast<std::int32_t>(near_.size()));
    }

    double distance(const Vec2& p) const {
        const Vec2 at = (p - low_) / tile_;
        double least = std::numeric_limits<double>::infinity();
        if (at.x() >= 0 && at.y() >= 0 && at.x() < count_[0] && at.y() < count_[1]) {
            const int tile = static_cast<int>(at.y()) * count_[0] + static_cast<int>(at.x());
            for (std::int32_t s = first_[tile]; s < first_[tile + 1]; ++s)
                least = std::min(least, strokes_[near_[s]].distance2(p));
        } else {
            for (const Stroke& s : strokes_) least = std::min(least, s.distance2(p));
        }
        return std::sqrt(least);
    }

private:
    std::vector<Stroke> strokes_;
    Vec2 low_;
    double tile_;
    int count_[2];
    std::vector<std::int32_t> first_, near_;
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
        return across > 0 && along > 0 ? std::hypot(across, along) : std::max(across, along);
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
