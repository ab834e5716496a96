#pragma once
// Solids described by their signed distance: negative inside, positive outside, zero on the surface.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// Points and triangles that a shape draws of itself; closed, manifold, counter-clockwise seen from outside.
struct ShapeSurface {
    std::vector<Vec3> points;
    std::vector<Tri> triangles;
};

struct HollowShape;

class Shape {
public:
    virtual ~Shape() = default;

    /// Signed distance in metres. Exact for the primitives (sweep and text: outside, and inside where no two pieces or
    /// strokes meet); elsewhere, and for combinations, a lower bound of the true distance in magnitude with the right
    /// sign, exact near the surface away from the seams. Never changes faster than
    /// the distance moved (1-Lipschitz), so a ball of radius |distance(p)| around p holds no surface.
    virtual double distance(const Vec3& p) const = 0;

    /// A box that contains the solid, as tight as is cheap to tell.
    virtual Box bounds() const = 0;

    /// The thickness of the thinnest part, metres (a wall, a stroke, a tapered end): sampling coarser than this may
    /// lose it. Combinations answer for their parts; what a difference leaves over may be thinner.
    virtual double thinnest() const = 0;

    /// A surface with edges of about `edge` metres for shapes that can draw themselves; others answer nothing, and
    /// meshing/shape_surface.hpp finds their surface from distance() alone.
    virtual std::optional<ShapeSurface> surface(double edge) const;

    /// A hollow shape is a solid with a cavity wholly inside it, `wall` metres below its surface. The two surfaces can
    /// be found one by one, at a cost that does not depend on how thin the wall is. Others answer nothing.
    virtual std::optional<HollowShape> hollow() const;

    bool inside(const Vec3& p) const { return distance(p) < 0; }
};

using ShapePtr = std::shared_ptr<const Shape>;

struct HollowShape {
    ShapePtr solid, cavity;
    double wall;  ///< m
};

// Primitives, sizes in metres. Centred on the origin unless said otherwise; axes along +y ("up").
// Sizes that are not positive and finite are a UserError that names them.
ShapePtr box_shape(const Vec3& size, double rounding = 0);
ShapePtr sphere_shape(double radius);
ShapePtr ellipsoid_shape(const Vec3& radii);
/// All points within radius of the segment a … b; a == b gives a sphere.
ShapePtr capsule_shape(const Vec3& a, const Vec3& b, double radius);
ShapePtr cylinder_shape(double radius, double height);
ShapePtr tube_shape(double outer_radius, double wall, double height);
/// One of the radii may be zero: then that end is a point.
ShapePtr cone_shape(double base_radius, double top_radius, double height);
/// A ring around the y axis.
ShapePtr torus_shape(double ring_radius, double tube_radius);
/// The lower half of a spherical shell of outer radius `radius`, open at the top, with a rounded rim at y = 0.
ShapePtr bowl_shape(double radius, double wall);
/// All points between the planes y = -thickness/2 and y = thickness/2 within width (x) × depth (z).
ShapePtr slab_shape(double width, double depth, double thickness);
/// A round cross-section swept along a smooth (Catmull-Rom) curve through the points; one radius per point.
ShapePtr sweep_shape(const std::vector<Vec3>& points, const std::vector<double>& radii);
/// Text in a built-in rounded sans-serif face (glyph.hpp), extruded along z from -depth/2 to depth/2; letters stand on
/// y = 0, the outline starts at x = 0, capital height as given. A newline starts a new line below.
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
