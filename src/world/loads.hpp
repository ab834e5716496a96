#pragma once
// Loads that are spread over a region of a body: pressure and traction on its seen surface, force per volume in its
// elements. Regions are shapes at rest; which triangles or tets lie in them is found when it is first asked for and
// again when the mesh has changed, so that pieces of a broken body keep their loads.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/geometry/shape.hpp"

namespace pliant {

/// When something acts, s. Both ends belong to it.
struct Span {
    double from = 0;
    double till = std::numeric_limits<double>::infinity();

    bool holds(double t) const { return t >= from && t <= till; }
};

/// What lies in a region of a body, by number.
struct Region {
    std::shared_ptr<const Shape> inside;         ///< at rest; null: all of it
    std::vector<int> members;                    ///< triangles or tets, ascending
    std::optional<std::uint64_t> revision = {};  ///< of the mesh they were found in; nothing: not yet
};

/// A load on the triangles of the seen surface whose corners all lie in the region; faces of cracks bear none. Either
/// pressure or traction is there.
struct SurfaceLoad {
    int body = 0;
    Region on;
    std::function<double(double t)> pressure = {};  ///< Pa, against the outward normal
    std::function<Vec3(double t)> traction = {};    ///< N per m² of the surface at rest
    /// Pressure: true, along the normal and over the area of the surface as it is at the start of a substep; false
    /// ("dead"), of the surface at rest.
    bool following = true;
    Span when;
};

/// A force on the tets whose centres lie in the region.
struct VolumeLoad {
    int body = 0;
    Region in;
    std::function<Vec3(double t)> force = {};  ///< N per m³ of material at rest
    Span when;
};

struct DeformableBody;

/// Brings the members of a region up to date with the body.
void find_triangles(Region& region, const DeformableBody& body);
void find_tets(Region& region, const DeformableBody& body);

}  // namespace pliant
