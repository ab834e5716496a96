#include "pliant/rigid/rigid_solver.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

int substeps_of(const RigidOptions& options, double dt) {
    return std::max(1, static_cast<int>(std::ceil(dt / options.substep - 1e-9)));
}

}  // namespace pliant

#ifdef PLIANT_WITH_BULLET
#include <BulletCollision/CollisionShapes/btConvexPolyhedron.h>
#include <btBulletDynamicsCommon.h>

namespace pliant {

namespace {

btVector3 bt(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btTransform bt(const Mat3& r, const Vec3& x) {
    return btTransform(btMatrix3x3(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)),
                       bt(x));
}

/// What a contact needs to know of either side; Bullet's own rule is a product of both.
struct Skin {
    double friction = 0.5;    ///< negative: not given
    double restitution = -1;  ///< likewise
};

double together(double a, double b) { return a < 0 ? std::max(b, 0.0) : b < 0 ? a : std::sqrt(a * b); }

bool set_skins(btManifoldPoint& point, const btCollisionObjectWrapper* a, int, int, const btCollisionObjectWrapper* b,
               int, int) {
    const auto* one = static_cast<const Skin*>(a->getCollisionObject()->getUserPointer());
    const auto* other = static_cast<const Skin*>(b->getCollisionObject()->getUserPointer());
    point.m_combinedFriction = together(one->friction, other->friction);
    point.m_combinedRestitution = together(one->restitution, other->restitution);
    return true;
}

/// The part of a push that acts in one of the substeps.
double share_of(const RigidPush& push, int substep, int substeps) {
    const double length = push.till - push.from;
    if (!(length * substeps > 1e-9)) return substep == std::min(static_cast<int>(push.from * substeps), substeps - 1);
    const double begin = static_cast<double>(substep) / substeps, end = (substep + 1.0) / substeps;
    return std::max(0.0, std::min(end, push.till) - std::max(begin, push.from)) / length;
}

/// Convex pieces as one shape. Bullet rounds shapes off by a margin that it adds to them: here a thousandth of the
/// size.
struct Form {
    std::vector<std::unique_ptr<btConvexHullShape>> hulls;
    std::unique_ptr<btCompoundShape> compound;
    std::unique_ptr<btStaticPlaneShape> plane;

    explicit Form(const std::vector<std::vector<Vec3>>& pieces) {
        Box box;
        for (const auto& piece : pieces)
            for (const Vec3& p : piece) box.add(p);
        for (const auto& piece : pieces) {
            auto hull = std::make_unique<btConvexHullShape>();
            for (const Vec3& p : piece) hull->addPoint(bt(p), false);
            hull->setMargin(1e-3 * box.diagonal());
            hull->recalcLocalAabb();
            hull->initializePolyhedralFeatures();  // faces meet faces in whole manifolds, at once
            hulls.push_back(std::move(hull));
        }
        if (hulls.size() == 1) return;
        compound = std::make_unique<btCompoundShape>();
        for (auto& hull : hulls) compound->addChildShape(btTransform::getIdentity(), hull.get());
    }
    Form(const Vec3& point, const Vec3& normal)
        : plane(std::make_unique<btStaticPlaneShape>(bt(normal), normal.dot(point))) {}

    btCollisionShape* shape() {
        if (plane) return plane.get();
        if (compound) return compound.get();
        return hulls.front().get();
    }
};

}  // namespace

struct RigidSolver::Engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btHashedOverlappingPairCache pairs;
    btSimpleBroadphase broadphase{4096, &pairs};
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<Form> forms;
    std::vector<Skin> skins;
    std::vector<std::unique_ptr<btRigidBody>> bodies;  ///< the span's, then the obstacles
    std::vector<std::unique_ptr<btPoint2PointConstraint>> joints;
    std::vector<Vec3> v, spin;  ///< before the substep

    Engine(std::span<const RigidBody> given, std::span<const RigidObstacle> obstacles,
           std::span<const RigidJoint> strings, const RigidOptions& options);
    ~Engine() {
        for (auto& joint : joints) world.removeConstraint(joint.get());
        for (auto& body : bodies) world.removeRigidBody(body.get());
    }
    void put(std::span<const RigidBody> given);
    void forget_contacts();
    void collect(int body_count, double time, double interval, std::vector<RigidImpulse>& out);
};

RigidSolver::Engine::Engine(std::span<const RigidBody> given, std::span<const RigidObstacle> obstacles,
                            std::span<const RigidJoint> strings, const RigidOptions& options) {
    gContactAddedCallback = set_skins;
    // Eight directions to look for points on a plane: in four, two sides of a box may both name the corner they share,
    // and what stands on three points or two rocks for ever.
    configuration.setPlaneConvexMultipointIterations(8, 4);
    configuration.setConvexConvexMultipointIterations(4, 4);
    world.getDispatchInfo().m_deterministicOverlappingPairs = true;
    btContactSolverInfo& info = world.getSolverInfo();
    info.m_numIterations = options.iterations;
    // Warm starting has nothing to start from, but without the flag Bullet does not tell the impulses.
    info.m_solverMode = SOLVER_USE_WARMSTARTING | SOLVER_USE_2_FRICTION_DIRECTIONS |
                        SOLVER_DISABLE_VELOCITY_DEPENDENT_FRICTION_DIRECTION;
    info.m_splitImpulse = 1;
    info.m_splitImpulsePenetrationThreshold = 1e30;  // depth never turns into speed, which would be heard
    forms.reserve(given.size() + obstacles.size());
    skins.reserve(given.size() + obstacles.size());
    const auto add = [&](Form form, Skin skin, double mass, const Vec3& inertia) {
        forms.push_back(std::move(form));
        skins.push_back(skin);
        btRigidBody::btRigidBodyConstructionInfo make(mass, nullptr, forms.back().shape(), bt(inertia));
        auto body = std::make_unique<btRigidBody>(make);
        body->setActivationState(DISABLE_DEACTIVATION);
        body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK |
                                (mass > 0 ? 0 : btCollisionObject::CF_KINEMATIC_OBJECT));
        body->setUserPointer(&skins.back());
        body->setUserIndex(static_cast<int>(bodies.size()));
        world.addRigidBody(body.get());
        bodies.push_back(std::move(body));
    };
    for (const RigidBody& b : given)
        add(Form(b.pieces), {b.friction, b.restitution}, b.fixed ? 0 : b.rest.mass,
            b.fixed ? Vec3::Zero() : b.principal);
    for (const RigidObstacle& o : obstacles)
        add(o.half_space ? Form(o.point, o.normal) : Form(o.pieces), {o.friction, -1}, 0, Vec3::Zero());
    for (const RigidJoint& string : strings) {
        const RigidBody& b = given[string.body];
        const Vec3 local = b.axes.transpose() * (string.at - b.rest.center);
        std::unique_ptr<btPoint2PointConstraint> joint;
        if (string.partner < 0) {
            joint = std::make_unique<btPoint2PointConstraint>(*bodies[string.body], bt(local));
            joint->setPivotB(bt(string.at));
        } else {
            const RigidBody& other = given[string.partner];
            joint = std::make_unique<btPoint2PointConstraint>(
                *bodies[string.body], *bodies[string.partner], bt(local),
                bt(Vec3(other.axes.transpose() * (string.at - other.rest.center))));
        }
        world.addConstraint(joint.get(), true);
        joints.push_back(std::move(joint));
    }
    v.resize(given.size()), spin.resize(given.size());
}

/// Bullet's bodies start the substep where ours are.
void RigidSolver::Engine::put(std::span<const RigidBody> given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        btRigidBody& b = *bodies[i];
        const btTransform place = bt(given[i].rotation, given[i].x);
        b.setWorldTransform(place), b.setInterpolationWorldTransform(place);
        const btVector3 speed = bt(given[i].fixed ? Vec3::Zero() : given[i].v);
        const btVector3 turn = bt(given[i].fixed ? Vec3::Zero() : given[i].spin);
        b.setLinearVelocity(speed), b.setAngularVelocity(turn);
        b.setInterpolationLinearVelocity(speed), b.setInterpolationAngularVelocity(turn);
        b.updateInertiaTensor();
        v[i] = from(speed), spin[i] = from(turn);
        skins[i] = {given[i].friction, given[i].restitution};
    }
}

void RigidSolver::Engine::forget_contacts() {
    btBroadphasePairArray& all = pairs.getOverlappingPairArray();
    for (int i = 0; i < all.size(); ++i) pairs.cleanOverlappingPair(all[i], &dispatcher);
    solver.reset();
}

void RigidSolver::Engine::collect(int body_count, double time, double interval, std::vector<RigidImpulse>& out) {
    const auto velocity = [&](int i, const Vec3& p) -> Vec3 {
        if (i < body_count) return v[i] + spin[i].cross(p - from(bodies[i]->getCenterOfMassPosition()));
        return from(bodies[i]->getVelocityInLocalPoint(bt(p) - bodies[i]->getCenterOfMassPosition()));
    };
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
        const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(m);
        int a = manifold->getBody0()->getUserIndex(), b = manifold->getBody1()->getUserIndex();
        const bool swapped = a >= body_count;  // the first is one of ours
        if (swapped) std::swap(a, b);
        if (a >= body_count) continue;
        for (int k = 0; k < manifold->getNumContacts(); ++k) {
            const btManifoldPoint& p = manifold->getContactPoint(k);
            if (!(p.m_appliedImpulse > 0)) continue;
            const double sign = swapped ? -1 : 1;  // Bullet's normal and impulse point at its first body
            RigidImpulse hit;
            hit.body = a, hit.partner = b < body_count ? b : -1 - (b - body_count);
            hit.time = time, hit.interval = interval;
            hit.point = 0.5 * (from(p.m_positionWorldOnA) + from(p.m_positionWorldOnB));
            hit.normal = sign * from(p.m_normalWorldOnB);
            hit.impulse = sign * (p.m_appliedImpulse * from(p.m_normalWorldOnB) +
                                  p.m_appliedImpulseLateral1 * from(p.m_lateralFrictionDir1) +
                                  p.m_appliedImpulseLateral2 * from(p.m_lateralFrictionDir2));
            const Vec3 relative = velocity(a, hit.point) - velocity(b, hit.point);
            const double along = relative.dot(hit.normal);
            hit.approach = std::max(0.0, -along);
            hit.slide = (relative - along * hit.normal).norm();
            out.push_back(hit);
        }
    }
}

bool rigid_bodies_available() { return true; }

RigidSolver::RigidSolver() = default;
RigidSolver::~RigidSolver() = default;
RigidSolver::RigidSolver(RigidSolver&&) noexcept = default;
RigidSolver& RigidSolver::operator=(RigidSolver&&) noexcept = default;

void RigidSolver::step(std::span<RigidBody> bodies, std::span<const RigidObstacle> obstacles,
                       std::span<const RigidJoint> joints, const Vec3& gravity, double dt) {
    impulses_.clear();
    if (bodies.empty()) return;
    if (!engine_) engine_ = std::make_unique<Engine>(bodies, obstacles, joints, options);
    Engine& e = *engine_;
    CHECK(e.bodies.size() == bodies.size() + obstacles.size(), e.bodies.size(), bodies.size(), obstacles.size());
    const int substeps = substeps_of(options, dt);
    const double h = dt / substeps;
    e.world.setGravity(bt(gravity));
    for (std::size_t i = 0; i < bodies.size(); ++i) e.bodies[i]->setGravity(bt(gravity));
    // Below the speed that gravity gives within two substeps nothing bounces: it rests.
    e.world.getSolverInfo().m_restitutionVelocityThreshold = 2 * gravity.norm() * h;
    for (int s = 0; s < substeps; ++s) {
        e.put(bodies);
        for (std::size_t i = 0; i < obstacles.size(); ++i) {
            const RigidObstacle& o = obstacles[i];
            if (o.half_space) continue;
            btRigidBody& b = *e.bodies[bodies.size() + i];
            const double u = (s + 1.0) / substeps;
            const Vec3 x = (1 - u) * o.start.translation + u * o.end.translation;
            const Quat q = o.start.rotation.slerp(u, o.end.rotation);
            const btTransform place = bt(q.toRotationMatrix(), x);
            b.setWorldTransform(place), b.setInterpolationWorldTransform(place);
            b.setLinearVelocity(bt((o.end.translation - o.start.translation) / dt));
            const Eigen::AngleAxisd turn(o.end.rotation * o.start.rotation.conjugate());
            const Vec3 rate = turn.angle() * turn.axis() / dt;
            b.setAngularVelocity(bt(rate));
        }
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            for (const RigidPush& push : bodies[i].pushes) {
                const double share = share_of(push, s, substeps) / h;
                e.bodies[i]->applyCentralForce(bt(Vec3(share * push.impulse)));
                e.bodies[i]->applyTorque(bt(Vec3(share * push.twist)));
            }
        }
        e.forget_contacts();
        e.world.stepSimulation(h, 0);
        const std::size_t told = impulses_.size();
        e.collect(static_cast<int>(bodies.size()), (s + 1) * h, h, impulses_);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (bodies[i].fixed) continue;
            const btRigidBody& b = *e.bodies[i];
            const btMatrix3x3& r = b.getWorldTransform().getBasis();
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 3; ++column) bodies[i].rotation(row, column) = r[row][column];
            bodies[i].x = from(b.getWorldTransform().getOrigin());
            bodies[i].v = from(b.getLinearVelocity()), bodies[i].spin = from(b.getAngularVelocity());
        }
        for (std::size_t i = told; i < impulses_.size(); ++i) {
            RigidImpulse& hit = impulses_[i];
            for (int side = 0; side < 2; ++side) {
                const int who = side == 0 ? hit.body : hit.partner;
                hit.own_point[side] = hit.own_impulse[side] = Vec3::Zero();
                if (who < 0) continue;
                const Pose back = pose_of(bodies[static_cast<std::size_t>(who)]).inverse();
                hit.own_point[side] = back * hit.point;
                hit.own_impulse[side] = back.rotation * (side == 0 ? hit.impulse : Vec3(-hit.impulse));
            }
        }
    }
    for (RigidBody& body : bodies) body.pushes.clear();
}

}  // namespace pliant

#else

namespace pliant {

struct RigidSolver::Engine {};

bool rigid_bodies_available() { return false; }

RigidSolver::RigidSolver() = default;
RigidSolver::~RigidSolver() = default;
RigidSolver::RigidSolver(RigidSolver&&) noexcept = default;
RigidSolver& RigidSolver::operator=(RigidSolver&&) noexcept = default;

void RigidSolver::step(std::span<RigidBody> bodies, std::span<const RigidObstacle>, std::span<const RigidJoint>,
                       const Vec3&, double) {
    impulses_.clear();
    if (!bodies.empty())
        throw UserError("this build has no rigid bodies", {}, "Install libbullet-dev, then configure and build again");
}

}  // namespace pliant

#endif
