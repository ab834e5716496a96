#pragma once
// A step in frames that move with the body. The rigid part of each free piece moves by a step of its own that keeps
// linear and angular momentum exactly; what is solved for is how the piece deforms in the frame that moves along.
// A piece that hangs on a point or a line turns about it in the same way, as if its mass were infinite.
//
// Stepping along the tangent of a rotation stretches a body by (ω·dt)²/2 in every step, and a solve that is cut short
// turns that into motion. In the moving frame neither exists: with
//     y  = c₁ + Q (x − c)        the piece moved rigidly, Q the rotation of a free rigid body with angular momentum L₁
//     w* = Qᵀw + dt (−ω×(ω×r) + f/m)    its velocity of deformation after inertial and external forces, without its
//                                       rigid part; Qᵀ is Coriolis' force
// implicit Euler is M (w₁ − w*) = dt f(y + dt·w₁), and w = 0 is the place to start from: every iterate of conjugate
// gradients from there obeys implicit Euler's own energy law, however early it is cut off.

#include <span>
#include <vector>

#include "pliant/body/integrator.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/types.hpp"
#include "pliant/particle/volume_constraint.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

/// Sums over the nodes of a piece, with places relative to some origin.
struct PieceSums {
    double mass = 0;
    Vec3 place = Vec3::Zero(), momentum = Vec3::Zero(), spin = Vec3::Zero();  ///< Σ m r, Σ m v, Σ m r×v
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();                         ///< Σ f, Σ r×f
    Mat3 second = Mat3::Zero();                                               ///< Σ m r rᵀ: its lower half

    /// Once per node: as a call it takes as long as a good part of the step's assembly.
    __attribute__((always_inline)) void add(double m, const Vec3& r, const Vec3& v, const Vec3& f) {
        mass += m, place += m * r, momentum += m * v, spin += m * r.cross(v);
        force += f, torque += r.cross(f);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k <= i; ++k) second(i, k) += m * r[i] * r[k];
    }
    void add(const PieceSums& other);
    Vec3 centre() const { return place / mass; }
    Mat3 inertia_about(const Vec3& point) const;  ///< kg·m²
    Vec3 spin_about(const Vec3& point) const { return spin - point.cross(momentum); }
    Vec3 torque_about(const Vec3& point) const { return torque - point.cross(force); }
};

/// What keeps a piece from moving freely: nodes whose motion is given. Where they stand still on a line it may still
/// turn about that, and about a single one in every direction.
enum class Hold { none, point, line, other };

struct PieceFrame {
    bool moves = false;  ///< false: the piece is held otherwise, or too fast, and its frame stands still
    Hold hold = Hold::none;
    Vec3 pivot, axis;                ///< of a hold: a point of it, m, and the direction of the line
    double inverse_mass = 0;         ///< 1/kg; zero where the piece is held: it turns about the pivot
    Vec3 centre, centre_end;         ///< of mass, or the pivot, at the start and at the end of the rigid motion, m
    Vec3 velocity, omega;            ///< rigid, at the start, m/s and rad/s
    Vec3 velocity_end, omega_end;    ///< and at the end
    Vec3 spin_end;                   ///< angular momentum about the centre at the end, kg·m²/s
    Mat3 rotation, inverse_inertia;  ///< Q; of the moved piece, about its centre

    /// The centre of what was summed with places relative to `origin`, relative to that.
    Vec3 centre_of(const PieceSums& sums, const Vec3& origin) const {
        return hold == Hold::none ? sums.centre() : Vec3(pivot - origin);
    }
    /// Its inverse where the piece may turn, zero where not.
    Mat3 inverse_of(const Mat3& inertia) const;
};

/// What a formula that reaches over two steps must know of the last one, all in the frame as it is now: the
/// displacement of each node in it and its velocity before it, both without rigid motion where the piece moves freely.
struct TwoStepHistory {
    std::vector<Vec3> moved;     ///< m
    std::vector<Vec3> velocity;  ///< m/s
    std::vector<double> step;    ///< {its length in s, revision of the mesh}; empty: there was none
};

/// What a body's nodes do in a substep, and what acts on them.
struct FrameInput {
    double dt = 0;                      ///< s
    double mass_damping = 0;            ///< Rayleigh α, 1/s
    std::span<const Vec3> x, v;         ///< at the start
    std::span<const Vec3> first_guess;  ///< velocities of held pieces to start from, the given ones among them
    std::span<const Vec3> force;        ///< external, N
    std::span<const double> mass;       ///< kg
    std::span<const char> prescribed;
    std::span<const AxisHold> axis_holds;
    TwoStep formula = {};
    const TwoStepHistory* history = nullptr;  ///< of an integrator of two steps; null: of one
    double ratio = 1;                         ///< of dt to the step of the history
    bool second_order = false;                ///< of the rigid motion: by mean momentum instead of that at the end
    bool stands = false;                      ///< no frame moves: linear elasticity takes rotation for strain
};

/// Arrays are per node. Scratch of a step, no state.
struct MovingFrame {
    bool active = false;  ///< some piece moves
    std::vector<PieceFrame> pieces;
    std::vector<Vec3> y;         ///< m
    std::vector<Vec3> velocity;  ///< (y − x)/dt, m/s
    /// Deformation velocity to start the solve from: 0, that of before with a two-step formula, or the first guess
    /// where held.
    std::vector<Vec3> start;
    std::vector<Vec3> force;    ///< m·(w* − start/κ)/(κ dt), or the external force where held, N
    std::vector<Vec3> rigid;    ///< the nodes moved rigidly, without memory of the last step, m; of two-step formulas
    std::vector<Vec3> carried;  ///< the deformation velocity of before, turned along, m/s; of two-step formulas
    std::vector<Vec3> before;   ///< Qᵀw, or the velocity where held, m/s
    std::vector<PieceSums> sums, more_sums;  ///< per piece
    /// Sums over nodes of one piece that follow each other.
    struct Run {
        int piece;
        PieceSums sums;
    };
    std::vector<std::vector<Run>> runs;  ///< per chunk of nodes
    std::vector<Vec3> shift, turn;       ///< per piece: a rigid velocity field
    std::vector<double> energy;          ///< per chunk of nodes, J
};

/// `system`: which piece each row belongs to.
void begin_frame(MovingFrame& frame, const FrameInput& input, BlockSystem& system, Threads& threads);

/// After the system was assembled at y + dt·w: its unknowns become mean velocities (x₁ − x)/dt, which is what contacts
/// and hands act on, and its momentum that of the frame.
void enter_frame(const MovingFrame& frame, BlockSystem& system);

/// After a solve, of its mean velocities: a piece that nothing is coupled to deforms only. What the solve has of rigid
/// motion there is its error, and is taken off.
void remove_rigid_error(MovingFrame& frame, std::span<const double> mass, std::span<const char> prescribed,
                        const BlockSystem& system, std::span<Vec3> v, Threads& threads);

/// From the mean velocity of the step in `v` to position and velocity at its end. Pieces that nothing was coupled to
/// keep their momentum exactly, whatever the solve left over; others have that of their mean velocity. `excess`:
/// kinetic energy that deformation gives up, J; what it does not have is returned.
double leave_frame(MovingFrame& frame, const FrameInput& input, const BlockSystem& system, double excess,
                   std::span<Vec3> x, std::span<Vec3> v, Threads& threads);

}  // namespace pliant
