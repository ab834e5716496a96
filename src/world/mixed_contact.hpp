#pragma once
// Bodies made of nodes (FEM, particles) against rigid and modal bodies. To the common contact solve the latter are
// obstacles that yield (contact/obstacle.hpp): they move as they would without it, take an impulse per contact, and get
// exactly what the nodes got the other way. Vertices of the former against surfaces of the latter. Rigid and modal
// bodies meet in the modal step (body/modal_contact.hpp).

#include "pliant/world/world.hpp"

namespace pliant {

/// Adds them behind the props: rigid bodies, then modal ones that collide.
void add_yielding_obstacles(World& w, double dt, std::vector<Obstacle>& obstacles);

/// After ContactSolver::finish(): modal bodies take the impulses at once, rigid ones in
/// the course of their step, which comes next; they become contact events.
void return_impulses(World& w, double dt);

/// The surfaces of rigid bodies as shapes that others run into, in w.rigid.shapes; made when first needed.
void make_rigid_forms(World& w);

/// An impulse on a modal or on a rigid body (the other number is -1) at a point of the world, which becomes a
/// contact event if those of the body are recorded.
void add_contact_event(World& w, double end, double dt, int modal, int rigid, const Vec3& point, const Vec3& impulse,
                       double speed);

/// Whether the contacts of this body become contact events.
bool is_recorded(const World& w, int number);

/// A point of a modal body taken back to where it was at the start of the run, deformation apart.
Vec3 start_place(const ModalBody& body, const Vec3& point);

}  // namespace pliant
