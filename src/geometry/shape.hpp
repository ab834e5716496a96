#pragma once
// Solids described by their signed distance: negative inside, positive outside, zero on the surface.

#include <memory>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class Shape {
public:
    virtual ~Shape() = default;

    /// Signed distance in metres. Exact for the primitives; for combinations a lower bound of the true distance
    /// in magnitude with the right sign, exact near the surface away from the seams.
    virtual double distance(const Vec3& p) const = 0;

    /// A box that contains the solid, as tight as is cheap to tell.
    virtual Box bounds() const = 0;

    bool inside(const Vec3& p) const { return distance(p) < 0; }
};

using ShapePtr = std::shared_ptr<const Shape>;

// Primitives, sizes in metres. Centred on the origin unless said otherwise; axes along +y ("up").
ShapePtr box_shape(const Vec3& size, double rounding = 0);
ShapePtr sphere_shape(double radius);
ShapePtr ellipsoid_shape(const Vec3& radii);
ShapePtr capsule_shape(const Vec3& a, const Vec3& b, double radius);
ShapePtr cylinder_shape(double radius, double height);
ShapePtr tube_shape(double outer_radius, double wall, double height);
ShapePtr cone_shape(double base_radius, double top_radius, double height);
ShapePtr torus_shape(double ring_radius, double tube_radius);
/// The lower half of a spherical shell, open at the top, with a rounded rim.
ShapePtr bowl_shape(double radius, double wall);
/// All points between the planes y = -thickness/2 and y = thickness/2 within size.x × size.z.
ShapePtr slab_shape(double width, double depth, double thickness);
/// A round cross-section swept along a smooth (Catmull-Rom) curve through the points; radii per point.
ShapePtr sweep_shape(const std::vector<Vec3>& points, const std::vector<double>& radii);
/// Text in a built-in sans-serif face, extruded along z; letters stand on y = 0, capital height as given.
ShapePtr text_shape(const std::string& text, double height, double depth);

// Combinations.
ShapePtr union_of(std::vector<ShapePtr> parts);
ShapePtr difference_of(ShapePtr from, ShapePtr cut);
ShapePtr intersection_of(std::vector<ShapePtr> parts);
/// Union with seams rounded over about `blend` metres.
ShapePtr smooth_union_of(std::vector<ShapePtr> parts, double blend);
/// scale · (rotation · p) + translation; uniform scale only, so that distances stay distances.
ShapePtr transformed(ShapePtr shape, const Pose& pose, double scale = 1);
/// Hollow: the material within `wall` metres below the surface.
ShapePtr shell_of(ShapePtr shape, double wall);

}  // namespace pliant
