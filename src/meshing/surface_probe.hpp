#pragma once
// Finding surface points, normals and creases of a shape from its distance alone.

#include <span>

#include "pliant/geometry/shape.hpp"

namespace pliant {

class SurfaceProbe {
public:
    /// scale: the length the caller thinks in (an edge of the mesh); size: the extent of the shape. Both in metres.
    SurfaceProbe(const Shape& shape, double scale, double size)
        : shape_(shape), step_(1e-6 * scale), tolerance_(1e-12 * size) {}

    double distance(const Vec3& p) const { return shape_.distance(p); }

    /// Gradient of the distance by central differences; of length one where the distance is smooth.
    Vec3 gradient(const Vec3& p) const;

    /// The unit normal where there is one; false on a crease, a corner or the medial axis.
    bool normal(const Vec3& p, Vec3& n) const;

    /// Moves p onto the surface and says so; leaves p alone and answers false if that takes more than `reach`.
    bool project(Vec3& p, double reach) const;

    /// Moves p to the crease (where two smooth sheets meet) or corner (three or more) near it, if there is one. Looks
    /// at the sheets around p in the given directions, first at `radius`, then ever closer, so that curved sheets are
    /// met exactly. Answers how many independent normals meet: 1 smooth (p is left alone), 2 crease, 3 corner or tip.
    int to_crease(Vec3& p, std::span<const Vec3> toward, double radius) const;

    /// The same with directions all around.
    int to_crease(Vec3& p, double radius) const;

private:
    bool project_to(Vec3& p, double reach, double tolerance) const;

    const Shape& shape_;
    double step_, tolerance_;
};

}  // namespace pliant
