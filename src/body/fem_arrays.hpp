#pragma once
// Every array of a FemBody, once: what a step changes, and what belongs to nodes or tets and must follow their edits.
// The solid's rotations and its preconditioner's memory, the mesh and the surface's points are saved beside it
// (save_state in fem_body.cpp).

#include "pliant/body/fem_body.hpp"
#include "pliant/body/state_list.hpp"

namespace pliant {

template <>
struct SavedForm<PlasticNumbers> {
    struct type {
        double yield, rate, max, keep_volume, hardening;
        explicit type(const PlasticNumbers& n)
            : yield(n.yield), rate(n.rate), max(n.max), keep_volume(n.keep_volume ? 1 : 0), hardening(n.hardening) {}
        type() = default;
        operator PlasticNumbers() const { return {yield, rate, max, keep_volume != 0, hardening}; }
    };
};

/// Quantities per volume blend by volume, so that mass is kept.
inline ElementMaterial inherited(const std::vector<ElementMaterial>& values, const std::vector<Parent>& parents) {
    if (parents.size() == 1) return values[parents[0].index];
    ElementMaterial sum{0, 0, 0};
    for (const Parent& p : parents) {
        const ElementMaterial& m = values[p.index];
        sum.young += p.weight * m.young, sum.poisson += p.weight * m.poisson, sum.density += p.weight * m.density;
    }
    return sum;
}

/// Body: FemBody or const FemBody.
template <class Body, class F>
requires std::same_as<std::remove_const_t<Body>, FemBody>
void for_each_array(Body& body, F&& f) {
    f(ArrayRole{"x", Per::node}, body.x);
    f(ArrayRole{"v", Per::node}, body.v);
    f(ArrayRole{"origin", Per::node}, body.origin);
    f(ArrayRole{"temperature", Per::node}, body.temperature);
    f(ArrayRole{"plastic_strain", Per::tet}, body.plastic_strain);
    f(ArrayRole{"plastic_deformation", Per::tet}, body.plastic_deformation);
    f(ArrayRole{"hardened", Per::tet}, body.hardened);
    f(ArrayRole{"material", Per::tet, true}, body.material);
    f(ArrayRole{"plastic", Per::tet, true}, body.plastic);
    f(ArrayRole{"cold_young", Per::tet, true}, body.cold_young);
    f(ArrayRole{"cold_plastic", Per::tet, true}, body.cold_plastic);
    if (body.integrator->is_explicit()) f(ArrayRole{"halvings"}, body.own.halvings);
    if (body.integrator->remembers()) {
        f(ArrayRole{"moved", Per::node}, body.history.moved);
        f(ArrayRole{"last_velocity", Per::node}, body.history.velocity);
        f(ArrayRole{"last_step"}, body.history.step);
    }
    if (body.cutting) f(ArrayRole{"share", Per::tet, true}, body.share);
    if (body.cracks) {
        f(ArrayRole{"edge", Per::node}, body.cracks->edge);
        f(ArrayRole{"aim", Per::node}, body.cracks->aim);
        f(ArrayRole{"reached", Per::node}, body.cracks->reached);
        f(ArrayRole{"toughness", Per::tet, true}, body.cracks->toughness);
    }
    if (!body.fracture) return;
    f(ArrayRole{"crack_tip", Per::node}, body.fracture->crack_tip);
    f(ArrayRole{"strength", Per::tet, true}, body.fracture->strength);
    f(ArrayRole{"share", Per::tet, true}, body.fracture->share);
}

/// What the solid carries from one step to the next. S: Solid or const Solid.
template <class S, class F>
requires std::same_as<std::remove_const_t<S>, Solid>
void for_each_solver_array(S& solid, F&& f) {
    f(ArrayRole{"rotation"}, solid.rotation_state());
    auto& kept = solid.kept_state();
    f(ArrayRole{"kept_rotation"}, kept.rotations);
    f(ArrayRole{"kept_scale"}, kept.scale);
    f(ArrayRole{"kept_grips"}, kept.grips);
    f(ArrayRole{"kept_age"}, kept.age);
}

}  // namespace pliant
