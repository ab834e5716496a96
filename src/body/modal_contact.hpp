#pragma once
// One step of modal bodies together: hands that hold points, joints, and contact with obstacles and with each other by
// penalties or by constraints on velocity and then on acceleration (Hauser, Shen & O'Brien 2003, section 3.4).
//
// Instead of backing up to the time of contact, a point that would reach a surface within the step is allowed the speed
// that just reaches it: nothing has to be undone, and the state never lies behind the surface by more than curvature.

#include <span>
#include <vector>

#include "pliant/body/modal_body.hpp"
#include "pliant/contact/obstacle.hpp"

namespace pliant {

/// A point of a modal body that is to be at `target` at the end of the step.
struct ModalHold {
    int body = 0;
    int tet = 0;
    Vec4 weight = Vec4::Constant(0.25);
    Vec3 target = Vec3::Zero();  ///< m
};

/// Two points that stay together; b = -1 pins the point to `anchor` in the world.
struct ModalJoint {
    int a = 0, tet_a = 0;
    Vec4 weight_a = Vec4::Constant(0.25);
    int b = -1, tet_b = 0;
    Vec4 weight_b = Vec4::Constant(0.25);
    Vec3 anchor = Vec3::Zero();
};

/// A point of the surface of one body that touches, or will within the step.
struct ModalTouch {
    int body = 0, vertex = 0;
    int partner = 0;              ///< another body, or -1 - obstacle
    Tri on{0, 0, 0};              ///< vertices of the partner's surface
    Vec3 weight = Vec3::Zero();   ///< barycentric there
    Vec3 point = Vec3::Zero();    ///< m
    Vec3 normal = Vec3::UnitY();  ///< unit, from the partner to the body
    Vec3 drift = Vec3::Zero();    ///< velocity of an obstacle's surface, m/s
    double gap = 0;               ///< m, negative inside
    double friction = 0;
    double approach = 0;  ///< speed towards the partner before the step, m/s
    double impulse = 0;   ///< normal, over the step, N·s
};

struct ModalStepReport {
    int candidates = 0, touches = 0;  ///< before and after clustering
    int pivots = 0;
    double detect_s = 0, solve_s = 0;
};

/// Touches of all bodies, clustered, in a fixed order.
std::vector<ModalTouch> find_touches(std::span<const ModalBody> bodies, std::span<const Obstacle> obstacles, double dt,
                                     int* candidates = nullptr);

/// Advances all bodies by dt under body.force. `touches` gets what acted, with impulses. While something touches, the
/// step is cut into at most eight parts so that no mode turns by more than about a radian in one.
ModalStepReport step_modal(std::span<ModalBody> bodies, std::span<const Obstacle> obstacles,
                           std::span<const ModalJoint> joints, std::span<const ModalHold> holds, double dt,
                           Threads& threads, std::vector<ModalTouch>& touches);

}  // namespace pliant
