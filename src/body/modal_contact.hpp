#pragma once
// One step of modal bodies together: hands that hold points, joints, and contact with obstacles, with each other and
// with rigid bodies by penalties or by constraints on velocity and then on acceleration (Hauser, Shen & O'Brien 2003,
// section 3.4).
//
// Instead of backing up to the time of contact, a point that would reach a surface within the step is allowed the speed
// that just reaches it: nothing has to be undone, and the state never lies behind the surface by more than curvature.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pliant/body/modal_body.hpp"
#include "pliant/contact/obstacle.hpp"
#include "pliant/rigid/rigid_body.hpp"

namespace pliant {

/// A point of a modal body that is to be at `target` at the end of the step.
struct ModalHold {
    int body = 0;
    Point point;
    Vec3 target = Vec3::Zero();  ///< m
    int axis = -1;               ///< 0, 1, 2: only this coordinate is given; -1: all
};

/// A point of a modal body and another that stay together.
struct ModalJoint {
    int a = 0;
    Point on_a;
    int b = -1;                  ///< another body, rigid ones numbered after the modal ones; -1: the world
    Point on_b;                  ///< of a modal body b
    Vec3 anchor = Vec3::Zero();  ///< in the world, or of a rigid body where it was at the start of the run, m
};

/// A point of the surface of one body that touches, or will within the step. Modal bodies have the first numbers, rigid
/// ones follow.
struct ModalTouch {
    int body = 0, vertex = 0;
    int partner = 0;              ///< another body, or -1 - obstacle
    Tri on{0, 0, 0};              ///< vertices of the surface of a modal partner
    Vec3 weight = Vec3::Zero();   ///< barycentric there
    Vec3 point = Vec3::Zero();    ///< m
    Vec3 normal = Vec3::UnitY();  ///< unit, from the partner to the body
    Vec3 drift = Vec3::Zero();    ///< velocity of an obstacle's surface, m/s
    double gap = 0;               ///< m, negative inside
    double friction = 0;
    double approach = 0;   ///< speed towards the partner before the step, m/s
    double impulse = 0;    ///< normal, over the step, N·s
    bool support = false;  ///< between rigid bodies and what carries them: seen here, but Bullet's to act on
};

/// Where the tangential spring of a penalty contact is drawn to.
struct ModalAnchor {
    std::int32_t body = 0, vertex = 0, partner = 0, unused = 0;  ///< as in ModalTouch
    std::array<double, 3> elongation{};                          ///< elongation of the spring, m
};

/// Rigid bodies that modal ones may run into. They get `pushes` for their own step, which comes next.
struct RigidPartners {
    std::span<RigidBody> bodies;
    std::span<const ObstacleShapePtr> forms;  ///< one per body, of its surface at the start of the run
    Vec3 gravity = Vec3::Zero();              ///< that their own step adds, m/s²
    int substeps = 1;                         ///< of their own step
};

struct ModalStepReport {
    int candidates = 0, touches = 0;  ///< before and after clustering
    int pivots = 0;
    int held_off_body = -1;  ///< of which a held point is farthest from where it is told to be; −1: all are there
    double held_off = 0;     ///< by so much, m
    double detect_s = 0, solve_s = 0;
};

/// Keeps its memory, and the anchors of penalty contacts, from step to step.
class ModalSolver {
public:
    ModalSolver();
    ~ModalSolver();
    ModalSolver(ModalSolver&&) noexcept;
    ModalSolver& operator=(ModalSolver&&) noexcept;

    std::vector<ModalHold> holds;  ///< what hands do in the next step

    /// Advances all modal bodies by dt under body.force. While something touches, the step is cut into at most eight
    /// parts so that no mode turns by more than about a radian in one.
    ModalStepReport step(std::span<ModalBody> bodies, const RigidPartners& rigid, std::span<const Obstacle> obstacles,
                         std::span<const ModalJoint> joints, double dt, Threads& threads);

    /// What acted in the last step, in a fixed order; one entry per point, impulses of the parts added up.
    std::span<const ModalTouch> touches() const;

    const std::vector<ModalAnchor>& anchors() const { return anchors_; }
    void set_anchors(std::vector<ModalAnchor> anchors) { anchors_ = std::move(anchors); }

private:
    struct Scratch;
    std::unique_ptr<Scratch> scratch_;
    std::vector<ModalAnchor> anchors_;  // by body, vertex, partner
};

}  // namespace pliant
