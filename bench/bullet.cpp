// Bullet's deformable bodies on the same bar: linear elasticity, implicit, twenty iterations of conjugate gradients.

#include "bench/bench.hpp"

#ifdef PLIANT_WITH_BULLET

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>

#include "pliant/core/timer.hpp"

namespace pliant::bench {

namespace {

struct Solver : btDeformableBodySolver {
    explicit Solver(int iterations) { m_cg.m_maxIterations = iterations; }
};

}  // namespace

std::optional<double> bullet_step_ms(const TetMesh& mesh, double young, int steps) {
    const double poisson = 0.33, lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                 mu = young / (2 * (1 + poisson));
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    Solver solver(20);
    btDeformableMultiBodyConstraintSolver constraints;
    constraints.setDeformableSolver(&solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &constraints, &configuration, &solver);
    world.setGravity(btVector3(0, -9.81, 0));
    world.getWorldInfo().m_gravity.setValue(0, -9.81, 0);
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);  // selects the conjugate gradients; its other solver leaves the bar where it is

    std::vector<btVector3> points;
    std::vector<btScalar> mass(mesh.rest.size(), 0);
    for (const Vec3& p : mesh.rest) points.emplace_back(p.x(), p.y(), p.z());
    for (const Tet& tet : mesh.tets)
        for (int node : tet) mass[node] += 0.25 * 1000 * signed_volume(mesh.rest, tet);
    for (std::size_t i = 0; i < mass.size(); ++i)
        if (mesh.rest[i].x() == 0) mass[i] = 0;  // held
    auto* body = new btSoftBody(&world.getWorldInfo(), mesh.node_count(), points.data(), mass.data());
    for (const Tet& tet : mesh.tets) body->appendTetra(tet[0], tet[1], tet[2], tet[3]);
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->m_cfg.collisions = 0;
    body->setSelfCollision(false);
    body->getCollisionShape()->setMargin(0.001);
    world.addSoftBody(body);
    btDeformableLinearElasticityForce elastic(mu, lambda, 0, 0);
    btDeformableGravityForce gravity(btVector3(0, -9.81, 0));
    world.addForce(body, &elastic);
    world.addForce(body, &gravity);
    double best = 1e300;
    for (int k = 0; k < steps + 1; ++k) {
        const double begin = seconds_now();
        world.stepSimulation(0.01, 0);
        if (k > 0) best = std::min(best, 1e3 * (seconds_now() - begin));
    }
    // A bar that does not fall was not simulated: no figure is better than a wrong one.
    const bool moved = body->m_nodes[mesh.node_count() - 1].m_x.y() < mesh.rest.back().y();
    world.removeSoftBody(body);
    delete body;
    if (!moved) return std::nullopt;
    return best;
}

}  // namespace pliant::bench

#else

namespace pliant::bench {
std::optional<double> bullet_step_ms(const TetMesh&, double, int) { return std::nullopt; }
}  // namespace pliant::bench

#endif
