#pragma once
// How a body of finite elements moves on in time: a small family, listed in integrator_list.cpp. There are two kinds.
//
// Explicit ones take shorter steps of their own inside the step of the world. Each is a function that moves positions
// and velocities on by h and may ask for accelerations where it likes:
//     ẍ = a(x, v)           a: elastic forces, damping and external forces over the mass; 0 where the motion is given
//
// Implicit ones are rows of the common solve and reach over at most two steps,
//     x₁ = x + γ (x − x₋₁) + κ dt v₁,      v₁ = v + γ (v − v₋₁) + κ dt a(x₁, v₁):
// κ = 1, γ = 0 is implicit Euler. They are taken in the frame that moves with each piece (moving_frame.hpp). With
// u = (x₁ − x)/dt − γ (x − x₋₁)/dt = κ v₁ for the unknown this is a step of implicit Euler whose masses are 1/κ² and
// whose damping is 1/κ of the true ones, which is how it is assembled.

#include <span>
#include <string_view>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

/// κ and γ above.
struct TwoStep {
    double reach = 1, memory = 0;

    double mass_scale() const { return 1 / (reach * reach); }
    double rate_scale() const { return 1 / reach; }
};

/// What an explicit integrator can ask of the body that it moves.
class BodyForces {
public:
    virtual ~BodyForces() = default;
    /// a(x, v) into `out`, m/s²: all that acts, and 0 where the motion is given.
    virtual void accelerations(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> out) = 0;
    /// Damping depends on how nodes move against each other, and not only on each one's own velocity.
    virtual bool has_inner_damping() const = 0;
};

/// One step of an explicit integrator.
struct Substep {
    double h = 0;        ///< s
    double damping = 0;  ///< Rayleigh α: the part −α v of accelerations, 1/s
    std::span<Vec3> x, v;
    std::span<const Vec3> free;    ///< per node and axis: 0 where the motion is given, else 1
    std::span<const double> mass;  ///< kg per node
    BodyForces* forces = nullptr;
    Threads* threads = nullptr;
    std::vector<std::vector<Vec3>>* memory = nullptr;  ///< for array()
    std::vector<double>* sums = nullptr;

    /// Room for one vector per node that lasts for this step; `number` from 0 on.
    std::span<Vec3> array(int number) const;
    /// Calls f(node) for every node.
    template <class F>
    void each_node(F&& f) const {
        parallel_for(*threads, x.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) f(i);
        });
    }
    /// Σ m a·b, in an order that threads do not change.
    double dot(std::span<const Vec3> a, std::span<const Vec3> b) const;
};

struct Integrator {
    const char* name;  ///< as a scene spells it
    const char* doc;   ///< one sentence: what it is good for and what it cannot do
    int order;         ///< of its error in the step
    /// Explicit: moves x and v on by h. Null: implicit.
    void (*advance)(const Substep& substep) = nullptr;
    /// Explicit: damping does not limit its step.
    bool damps_implicitly = false;
    /// Implicit: the formula for a step `ratio` times as long as the last one. In the first step, and while the body
    /// touches something, implicit Euler takes its place.
    TwoStep (*formula)(double ratio) = nullptr;

    bool is_explicit() const { return advance != nullptr; }
    bool remembers() const { return formula && formula(1).memory > 0; }  ///< reaches over two steps
};

/// Every integrator there is, the default first.
std::span<const Integrator* const> integrators();
const Integrator* find_integrator(std::string_view name);  ///< null: there is none of that name

}  // namespace pliant
