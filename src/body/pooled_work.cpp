#include "pliant/body/pooled_work.hpp"

namespace pliant {

namespace {

/// Of the nodes whose motion is given, with the elastic forces at the end of the step.
double given_work(const SolvedNodes& nodes, std::span<const Vec3> force, double dt) {
    double sum = 0;
    for (std::size_t i = 0; i < force.size(); ++i)
        if (nodes.prescribed[i]) sum -= dt * force[i].dot(nodes.v_next[i]);
    return sum;
}

template <class Body>
void place_end(const Body& body, double dt, std::vector<Vec3>& x) {
    x.resize(body.x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = body.x[i] + dt * body.v_next[i];
}

}  // namespace

double work_against_elasticity(FemBody& body, double dt, Threads& threads) {
    return dt *
           body.solid.energy_at(body.x, body.v_next, dt, body.plastic_strain, body.prescribed, threads).given_power;
}

double work_against_elasticity(ParticleBody& body, double dt, Threads& threads) {
    if (body.implicit) place_end(body, dt, body.x_trial);
    body.own.resize(body.x.size());
    body.forces.forces(body.x_trial, body.own, threads);
    return given_work(body, body.own, dt);
}

double work_against_elasticity(ShellBody& body, double dt, Threads& threads) {
    place_end(body, dt, body.work_x);
    body.work_force.resize(body.x.size());
    body.shell.forces(body.work_x, body.work_force, threads);
    return given_work(body, body.work_force, dt);
}

double mass_damping(const FemBody& body) { return body.solid.options().mass_damping; }
double mass_damping(const ParticleBody& body) { return body.tangent ? body.tangent->options().mass_damping : 0; }
double mass_damping(const ShellBody& body) { return body.shell.options().mass_damping; }

}  // namespace pliant
