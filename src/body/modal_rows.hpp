#pragma once
// Contacts and joints of modal bodies as rows of one complementarity problem (Hauser, Shen & O'Brien 2003, eq. 21).

#include <span>
#include <vector>

#include "pliant/body/modal_contact_bodies.hpp"
#include "pliant/solve/lcp.hpp"

namespace pliant {

/// Three rows (normal, two tangents) per contact, then three per joint. Keeps its memory.
struct ModalContactRows {
    int contacts = 0, supports = 0, joints = 0;  ///< supports: how many of the contacts, the last ones
    std::size_t stride = 0;                      ///< of the matrices, a whole number of tiles
    AlignedVector<double> effect;                ///< A: of impulses on speeds
    std::vector<double> given;                   ///< velocity that obstacles bring in
    std::vector<double> speed, target, impulse;
    int count() const { return 3 * (contacts + joints); }

    std::vector<int> index;  ///< rows of the complementarity problem
    std::vector<std::uint8_t> bilateral;
    std::vector<double> small, right, answer, tangential;
    LcpSolver lcp;
};

/// Jᵀ of all contact_bodies for these contacts and joints; supports are the last contacts.
void build_rows(ModalContactRows& rows, std::span<ContactBody> contact_bodies, std::span<const ModalTouch> touches,
                std::span<const ModalJoint> joints);

/// A = Σ J·(response)·Jᵀ. `held`: response of the modes to a force over dt, else to an impulse.
void find_effect(ModalContactRows& rows, std::span<ContactBody> contact_bodies, double dt, bool held);

/// Speeds along the rows: of the rates now, or at the end of the step.
void find_speeds(ModalContactRows& rows, std::span<const ContactBody> contact_bodies, bool at_end);

/// rows.impulse with: normal ones never negative and complementary to the speeds they leave less `target`, friction
/// within the cone and opposing (stick where it can), joints exact. Returns the pivots of the complementarity problem.
int solve_impulses(ModalContactRows& rows, std::span<const ModalTouch> touches);

/// Jᵀ times the impulses of all rows, or without those of supports.
void generalise(const ModalContactRows& rows, const ContactBody& contact_body, bool supports, std::span<double> out);

}  // namespace pliant
