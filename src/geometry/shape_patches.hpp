#pragma once
// Surfaces drawn directly: a grid on a box, and a profile turned around the y axis. Vertices lie on the surface
// exactly, corners and rims are kept, and triangles have edges of about the length asked for.

#include "pliant/geometry/shape.hpp"

namespace pliant {

/// A line in the half plane (radius ≥ 0, height y) that a solid of revolution is turned from. The material lies on
/// the left of the line as it is walked: from the bottom pole outwards and up to the top pole, or, for rings, around.
class ShapeProfile {
public:
    ShapeProfile(double radius, double y, double edge) : points_{{radius, y}}, edge_(edge) {}

    /// Straight to (radius, y); the end is a vertex, so corners stay sharp.
    ShapeProfile& line(double radius, double y);
    /// Around a centre by `turn` radians (positive: counter-clockwise with the radius to the right, y up). The last
    /// point is put at (end_radius, end_y), where the arc should end up but for round-off.
    ShapeProfile& arc(double centre_radius, double centre_y, double turn, double end_radius, double end_y);

    /// Turned around the y axis. A profile that ends where it began gives a ring; others must begin and end on the
    /// axis.
    ShapeSurface revolved() const;

private:
    struct Point {
        double radius, y;
    };
    int steps(double length, int least) const;

    std::vector<Point> points_;
    double edge_;
};

/// The box -half … half with edges rounded by a radius, each face a grid of squares cut in two.
ShapeSurface box_grid(const Vec3& half, double rounding, double edge);

}  // namespace pliant
