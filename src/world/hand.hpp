#pragma once
// What a person's hand does to a world that runs: take hold of a point of a seen surface, hold it fast, push it. Bodies
// of every kind are named the same way, by name and triangle, as a picture shows them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/world/world.hpp"

namespace pliant {

/// A material point on the seen surface of a body.
struct SurfacePoint {
    std::string body;
    int triangle = 0;
    Vec3 weight = Vec3::Constant(1.0 / 3);  ///< barycentric
};

/// True if a hand can move the body: it exists and is no obstacle.
bool can_be_held(const World& w, const std::string& body);

/// Where the point is now; nothing when there is no such body or triangle.
std::optional<Vec3> position_of(const World& w, const SurfacePoint& point);

/// A spring at the point, without a target yet.
std::optional<Drag> spring_at(const World& w, const SurfacePoint& point);

/// Where the point that a spring holds is now.
Vec3 position_of(const World& w, const Drag& drag);

/// How stiff a spring at the point must be to move it about as the hand moves, N/m: what "0" means in a Drag, at the
/// present step length.
double grip_stiffness(const World& w, const Drag& drag);

/// Holds what is within `radius` (m) of the point, and at least the nearest node, where it is now; with `moved`, as far
/// from there as that says at any time, m. Then the tet that carries the point is held whole, so that it follows
/// exactly.
std::vector<Grip> pins_at(const World& w, const SurfacePoint& point, double radius,
                          std::shared_ptr<const Vec3> moved = nullptr);

/// Heat for a body whose scene says nothing of it: room temperature, whole up to 40 °C, and 3 % of its stiffness left
/// from 80 °C on.
HeatDesc plain_heat();

/// The number of a body that deforms, and so can have a temperature.
std::optional<int> deforming_body(const World& w, const std::string& name);
/// Gives it plain_heat() if it has none, and says whether it did. Between steps.
bool warm_up(World& w, int body);
/// Watts that bring a spot of a body with heat to a temperature in about `seconds`.
double power_to_warm(const World& w, int body, double radius, double temperature, double seconds);

/// A force of `newton` in all, on what is within `radius` of the point.
std::optional<Pull> push_at(const World& w, const SurfacePoint& point, double radius, const Vec3& newton);

}  // namespace pliant
