#pragma once
// Contact of seen surfaces with obstacles and with each other, as soft rows solved together with the elastic systems.
//
// A step uses it so:
//     contact.detect(views, obstacles, dt, threads);              // who may touch during the step
//     for (int pass = 0; pass < 3; ++pass) {
//         solve(solids, contact.rows(effective_mass), …);
//         if (!contact.update(node_velocities)) break;            // who does touch, who sticks, who slides
//     }
//     contact.finish();                                           // impulses, statistics, friction anchors
//
// Normal direction: a spring that acts on the gap at the END of the step, g + dt·n·u⁺, so that a vertex is stopped at
// the surface and not behind it, at any speed. It only pushes. Its stiffness is relative to what the point weighs in
// the system solved (κ·m/dt²): contact needs no absolute number, and the conjugate gradients stay well conditioned.
// Friction: a tangential spring to where the vertex stuck, whose force is limited to μ times the normal force; beyond
// that the anchor is dragged along (the return mapping of plasticity). At rest nothing creeps.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pliant/contact/obstacle.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/types.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/solve/coupling.hpp"

namespace pliant {

struct ContactOptions {
    /// κ: stiffness of a contact times dt² over the effective mass of the point. Too small: bodies sink in on impact
    /// (by dt·speed/κ) and rest deeper. Too large: conjugate gradients need more iterations (about √κ).
    double stiffness = 20;
    /// Distance kept between surfaces at rest, over the surface spacing. Too small: surfaces seem to sink in.
    /// Too large: a visible gap.
    double offset = 0.03;
    /// Gap below which a vertex counts as near even if it does not move, over the spacing. Too small: contacts are
    /// found a step late. Too large: time is lost on vertices that never touch.
    double margin = 0.15;
    /// Part of the depth taken back per step. 1: depth turns into a push of depth/dt; small: bodies rest deeper.
    double recovery = 0.5;
    /// Gain of the integral control of the offset: the part of what a vertex at rest lacks to half the offset that is
    /// added per step to the distance the spring keeps. Too small: heavy vertices stay inside for long. Too large
    /// (near 1): what lies still bounces.
    double offset_gain = 0.1;
    /// Depth over the spacing from which the push grows only with the logarithm of the depth, so that bodies which
    /// start inside each other part without being thrown.
    double gentle_depth = 0.25;
};

/// One vertex against one obstacle or one triangle of another body.
struct Contact {
    int body, vertex;        ///< which view, which of its vertices
    int partner;             ///< the other view, or -1 - obstacle
    int slot;                ///< 0; 1 for a second place on the same obstacle
    int triangle;            ///< of the other view; -1 on obstacles
    Vec3 weight;             ///< barycentric, on that triangle
    Vec3 normal;             ///< unit, from the partner towards the vertex
    Vec3 point;              ///< on the partner's surface at the start of the step
    Vec3 drift;              ///< velocity of the obstacle's surface there, m/s; zero between bodies
    double distance;         ///< signed, at the start of the step, m
    double motion;           ///< change of the distance by the obstacle's own motion during the step, m
    double base_separation;  ///< that the spring acts on at the end of the step if u⁺ were zero, m
    double friction;         ///< μ of the pair
    double offset;           ///< m

    Vec3 velocity;             ///< u: of the vertex, or relative to the other body's point, m/s
    Vec3 tangent_elongation;   ///< of the tangential spring, m
    double stiffness;          ///< normal and sticking, N/m
    double tangent_stiffness;  ///< of the row, at most `stiffness`, N/m
    double trial_length;       ///< elongation in the previous step before it was returned to Coulomb's cone, m
    double length_growth;      ///< growth of the trial length per step that is expected, m
    double force;              ///< normal, N, never negative
    double end_separation;     ///< base_separation + dt·n·u⁺, m
    double augmented_depth;    ///< multiplier of an augmented Lagrangian within the step, as a depth added to the one
                               ///< that the spring sees, until a vertex that comes fast is stopped, m
    double integral_offset;    ///< added to the offset of a vertex that rests on its partner, or began nearer to it, m
    double approach;           ///< speed towards the partner before the step, m/s
    int piece;                 ///< of all pieces of all bodies
    int partner_piece;         ///< −1: an obstacle
    bool active;               ///< has a row in the next solve
    bool solved;               ///< had a row in the last solve
    bool sliding;
    bool fresh;            ///< did not touch in the previous step, or still comes in
    bool handled_by_body;  ///< in steps of its own: no row, finish_excluded() gives the result

    bool on_obstacle() const { return partner < 0; }
    int obstacle() const { return -1 - partner; }
    bool between_pieces() const { return partner == body; }  ///< of one broken body
};

/// What friction remembers of a touching vertex: all the state contact has. Ordered by (body, vertex, partner, slot).
struct ContactAnchor {
    std::int32_t body, vertex, partner, slot;
    std::array<double, 3> tangent_elongation;  ///< m
    double force;                              ///< N
    double depth;                              ///< m
    double trial_length;                       ///< elongation before it was returned to Coulomb's cone, m
    double length_growth;                      ///< change of trial_length from one step to the next, m
    /// That the spring keeps beyond the offset, so that weight does not push the vertex in; negative after it was put
    /// down nearer than the offset, m.
    double integral_offset;
};

/// All that two partners did to each other in one step.
struct ContactImpulse {
    int body, partner;   ///< body < partner between views; partner = -1 - obstacle otherwise
    Vec3 position;       ///< where, weighted by impulse, m
    Vec3 normal;         ///< unit mean, towards `body`
    double impulse = 0;  ///< normal, N·s
    double fresh = 0;    ///< the part of it on vertices that did not rest there in the previous step, N·s
    double speed = 0;    ///< largest approach of a fresh vertex, m/s
    int contacts = 0;

    /// They met in this step, rather than rest on each other or roll.
    bool impact() const { return fresh > 0.5 * impulse && speed > 0; }
};

/// What one contact did to an obstacle that yields, friction included.
struct ReturnedImpulse {
    int obstacle;
    Vec3 point;    ///< m
    Vec3 impulse;  ///< on the obstacle, N·s; the vertex got the opposite
    int body;      ///< the view whose vertex it was
    double speed;  ///< of approach, m/s; 0 when it rested there before
};

struct ContactStats {
    int candidates = 0;    ///< vertices near enough to be looked at by the solver
    int touching = 0;      ///< pushed
    int sliding = 0;       ///< of those, the ones that slide
    int pulling = 0;       ///< rows that pulled in the last solve: the passes ran out before the contacts converged
    double max_depth = 0;  ///< of a vertex behind a surface at the end of the step, m
};

/// What contacts did to the bodies in a step, J.
struct ContactWork {
    double normal = 0, friction = 0;
};

/// Effective mass (kg) of a node of a system; infinite for nodes whose motion is given.
using EffectiveMass = std::function<double(int system, int node)>;

/// √(μa·μb) when both are given (not negative), else the one that is; 0 when none is.
double combined_friction(double a, double b);

/// Finds contacts between surfaces, makes rows of them and keeps what friction remembers.
/// View i moves with system i of the solve. Views keep their order from step to step.
class ContactSolver {
public:
    ContactSolver();
    ~ContactSolver();
    ContactSolver(ContactSolver&&) noexcept;
    ContactSolver& operator=(ContactSolver&&) noexcept;

    ContactOptions options;
    /// Whether a view may touch another one, or obstacle −1 − partner; empty: all may.
    std::function<bool(int view, int partner)> handles;

    /// Whether the velocities of a view are final in this step: its contacts then keep the rows that these were solved
    /// with. Empty: none are.
    std::function<bool(int view)> final;

    /// Candidates from the positions at the start and the motion predicted by velocities and gravity (m/s²).
    /// May be called again for the same step.
    void detect(std::span<const SurfaceView> views, std::span<const Obstacle> obstacles, double dt, Threads& threads,
                const Vec3& gravity = Vec3::Zero());

    /// Contact number i (of contacts()) gets no row in this step, because the body handles it in steps of its own.
    /// finish_excluded() gives the result before finish(): the normal impulse (N·s) and the mean velocity of the vertex
    /// (m/s).
    void exclude(int i) { contacts_[i].handled_by_body = true; }
    void finish_excluded(int i, double impulse, const Vec3& velocity);

    /// The rows for the next solve.
    std::span<const Coupling> rows(const EffectiveMass& mass);

    /// With the velocities just solved (per system, per node), decides which contacts push and how they rub.
    /// True when the rows changed enough to be worth another solve.
    bool update(std::span<const std::span<const Vec3>> node_velocities);

    /// After update(): some row pulled in the last solve, or rubbed harder than Coulomb allows, enough to do harm if
    /// the step ended here.
    bool unconverged() const { return unconverged_; }

    /// Of the rows of the last solve, with the velocities of the last update().
    ContactWork work() const;

    /// Ends the step: impulses, statistics and anchors are those of the last update().
    void finish();

    std::span<const Contact> contacts() const { return contacts_; }
    std::span<const ContactImpulse> impulses() const { return impulses_; }
    const ContactStats& stats() const { return stats_; }
    /// On obstacles with a mobility, of the step just finished.
    std::span<const ReturnedImpulse> returned() const { return returned_; }

    /// The state for checkpoints and hashes.
    const std::vector<ContactAnchor>& anchors() const { return anchors_; }
    void set_anchors(std::vector<ContactAnchor> anchors) { anchors_ = std::move(anchors); }

    /// A body's surface was edited between two steps: `vertex` says which number each vertex has now, -1 where it is
    /// gone. Anchors follow, trees are made anew. Without this call a changed surface loses its anchors.
    void renumber(int body, std::span<const int> vertex);

    /// Forgets trees and anchors: after a body was added or removed.
    void reset();

    struct Scratch;  ///< trees and buffers, scratch.hpp

private:
    void assign_stiffness(const EffectiveMass& mass);
    void build_ends();
    void soften_for_yielding();
    void collect_returned();
    bool set_friction(Contact& contact) const;
    void assign_pieces();
    void count_force(const Contact& c);
    double mean_force(const Contact& contact) const;

    double dt_ = 0;
    std::vector<Contact> contacts_;
    std::vector<Coupling> all_rows_;  // one per contact: ends filled once per step, the rest when it is solved
    std::vector<Coupling> rows_;      // of the active ones
    struct PieceForce {
        double sum = 0;
        int count = 0;
        double mean() const { return count > 0 ? sum / count : 0; }
    };
    std::vector<PieceForce> forces_;  // on the contacts of each piece of each view, N
    std::vector<int> first_piece_;    // of each view
    bool unconverged_ = false;
    bool stiff_ = false;  // assign_stiffness() was called since detect()
    std::vector<ContactAnchor> anchors_;
    std::vector<ContactImpulse> impulses_;
    std::vector<ReturnedImpulse> returned_;
    std::vector<int> sharers_;  // per obstacle: contacts among which its mass is split
    ContactStats stats_;
    std::vector<std::vector<double>> load_;                  // per system and node, kg
    std::vector<std::pair<std::uint64_t, int>> by_partner_;  // touching contacts, for finish()
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace pliant
