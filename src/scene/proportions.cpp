// Numbers that are legal and hardly meant: millimetres taken for metres, grams for kilograms, an empty scene.
//
// Nothing in the solver depends on these limits, which are about people, not about numbers.

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

constexpr double large = 100, small = 1e-4;           // m: what is larger or smaller is seldom one body
constexpr double heavy = 3e4, light = 0.05;           // kg/m³: osmium has 22,600, air 1.2 and hydrogen 0.09
constexpr double fast = 3000;                         // m/s: a bullet does 1,000
constexpr double mass_ratio = 1e5, size_ratio = 1e4;  // between bodies of one scene

struct Facts {
    std::string name;
    double size = 0, mass = 0, volume = 0, speed = 0;
};

std::vector<Facts> facts_of(const World& w) {
    std::vector<Facts> list;
    const auto add = [&](const auto& body, double volume) {
        const Box box = bounds(body);
        list.push_back({body.name, box.empty() ? 0 : box.size().maxCoeff(), mass(body), volume, max_speed(body)});
    };
    for_each_body(w, [&](const auto& body) { add(body, body.rest_volume); });
    for (const RigidBody& body : w.rigid.bodies) add(body, body.rest.volume);
    return list;
}

void warn_of_one(Warnings& warnings, const Facts& f, double dt) {
    const std::string body = "body '" + f.name + "'";
    if (f.size > large)
        warnings.add(
            body + " is " + short_number(f.size) + " m long",
            "If it was drawn in millimetres, write scale = 0.001 where it is loaded, or divide its sizes by 1000");
    else if (f.size < small && f.size > 0)
        warnings.add(body + " is only " + short_number(1e3 * f.size) + " mm long", "Sizes are in metres");
    const double density = f.volume > 0 ? f.mass / f.volume : 0;
    if (density > heavy || (density > 0 && density < light))
        warnings.add(body + " has a density of " + short_number(density) + " kg/m³",
                     density > heavy ? "Water has 1000 and gold 19300: densities are in kg/m³"
                                     : "Water has 1000 and air 1.2: densities are in kg/m³, so 1 g/cm³ is 1000");
    if (f.speed > fast)
        warnings.add(body + " starts at " + short_number(f.speed) + " m/s",
                     "Velocities are in m/s, spins in degrees/s");
    else if (f.size > 0 && f.speed * dt > 10 * f.size)
        warnings.add(body + " moves by " + short_number(f.speed * dt / f.size) + " times its own length in one step",
                     "Use a smaller dt, or a lower velocity");
}

}  // namespace

void warn_of_proportions(World& w, const SceneDesc& desc) {
    const std::vector<Facts> facts = facts_of(w);
    if (facts.empty()) {
        w.warnings.add("the scene has no bodies, so nothing will move",
                       "Add one: fem_body { surface = sphere { radius = 0.3 }, at = {0, 1, 0} }");
        return;
    }
    for (const Facts& f : facts) warn_of_one(w.warnings, f, w.dt);
    const auto [small_one, large_one] = std::ranges::minmax_element(facts, {}, &Facts::size);
    if (small_one->size > 0 && large_one->size > size_ratio * small_one->size)
        w.warnings.add("body '" + large_one->name + "' is " + short_number(large_one->size / small_one->size) +
                           " times as long as body '" + small_one->name + "'",
                       "Is one of them in another unit?");
    const auto [light_one, heavy_one] = std::ranges::minmax_element(facts, {}, &Facts::mass);
    if (light_one->mass > 0 && heavy_one->mass > mass_ratio * light_one->mass)
        w.warnings.add("body '" + heavy_one->name + "' is " + short_number(heavy_one->mass / light_one->mass) +
                           " times as heavy as body '" + light_one->name + "'",
                       "Where they touch, the light one may be pushed through or away: bring their masses closer");
    const double asked = desc.world.dt;
    if (std::abs(w.dt - asked) > 1e-9 * asked)
        w.warnings.add("steps are " + short_number(w.dt) + " s long instead of " + short_number(asked) +
                           " s, so that a frame of 1/" + short_number(desc.world.fps) + " s ends with one",
                       "Write dt = " + short_number(w.dt) + ", or choose another fps");
}

}  // namespace pliant
