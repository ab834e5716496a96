// Text as a solid: the strokes of the built-in face, all points within half a stroke width, extruded along z.

#include <cmath>

#include "pliant/geometry/glyph.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/shape_check.hpp"
#include "pliant/geometry/shape_tree.hpp"

namespace pliant {

namespace {

class TextShape final : public Shape {
public:
    TextShape(const GlyphLine& line, double height, double depth)
        : radius_(glyph_stroke_radius * height), half_depth_(0.5 * depth) {
        std::vector<Box> boxes;
        Box all;
        for (const GlyphSegment& s : line.segments) {
            const Eigen::Vector2d a = height * s.a, d = height * (s.b - s.a);
            const double length2 = d.squaredNorm();
            strokes_.push_back({a, d, length2 > 0 ? 1 / length2 : 0});
            Box box;
            box.add(Vec3(a.x(), a.y(), 0)), box.add(Vec3(a.x() + d.x(), a.y() + d.y(), 0));
            boxes.push_back(box);
            all.add(box);
        }
        tree_.build(boxes, std::vector<double>(boxes.size(), 0.0));
        const Vec3 margin(radius_, radius_, half_depth_);
        bounds_ = {all.min - margin, all.max + margin};
    }

    double distance(const Vec3& p) const override {
        const Eigen::Vector2d q(p.x(), p.y());
        const double to_skeleton = tree_.nearest(Vec3(p.x(), p.y(), 0), [&](int i) {
            const Stroke& s = strokes_[i];
            const Eigen::Vector2d d = q - s.a;
            return (d - std::clamp(d.dot(s.d) * s.inverse_length2, 0.0, 1.0) * s.d).norm();
        });
        const double across = to_skeleton - radius_, along = std::abs(p.z()) - half_depth_;
        return across > 0 && along > 0 ? std::hypot(across, along) : std::max(across, along);
    }
    Box bounds() const override { return bounds_; }
    double thinnest() const override { return 2 * std::min(radius_, half_depth_); }

private:
    struct Stroke {
        Eigen::Vector2d a, d;
        double inverse_length2;
    };
    std::vector<Stroke> strokes_;
    ShapeTree tree_;
    double radius_, half_depth_;
    Box bounds_;
};

}  // namespace

ShapePtr text_shape(const std::string& text, double height, double depth) {
    require_positive(height, "the height of a text"), require_positive(depth, "the depth of a text");
    return std::make_shared<TextShape>(set_text(text), height, depth);
}

}  // namespace pliant
