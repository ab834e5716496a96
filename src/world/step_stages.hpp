#pragma once
// The stages of a step, in the order in which step() calls them, and what they hand to each other. Each stage is
// described where it is declared and lives in the file named beside it.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/solve/coupled_cg.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// A step that fails is repeated as two halves, those as two halves each, down to 1/2^6 of the step.
constexpr int max_halvings = 6;
/// One that is finite but gains energy, or that contact has held back, is repeated down to 1/2^2: what shorter steps
/// cure is gone by then.
constexpr int max_energy_halvings = 2;
/// The share of its motion that a part may lose to contact in a substep before it is repeated.
constexpr double bearable_loss = 0.1;

/// What is known of the step so far.
struct StepContext {
    double dt = 0;   ///< length of the present substep, s
    double end = 0;  ///< time at its end, s
    int halvings = 0;
    std::array<int, max_halvings + 1> pending{};  ///< halvings of the substeps to come, the next one last
    int pending_count = 0;
    double residual = 0;  ///< of the last solves of this substep, see StepReport
    int missed = 0;
    double energy_gain = 0;  ///< J that bodies gained beyond the law of body/step_energy.hpp and cannot give back
    StepReport report;
};

/// Bodies that may touch each other in this substep; they are solved together.
struct Island {
    std::vector<int> bodies;
    std::vector<BlockSystem*> systems;
    std::vector<Coupling> rows;  ///< ends name systems by their place here
    /// Where the rows of barriers end, and those of all contacts: hands and supports come after them.
    std::size_t touch_rows = 0, contact_rows = 0;
    SolveOptions options;
    // Newton's method (newton.cpp).
    bool converged = false;  ///< its velocities are final
    double lag = 0;          ///< largest rotation_lag() of its bodies
    double excess = 0;       ///< J that its bodies gained
};

/// The line search between two solutions with barriers (line_search.cpp).
struct LineSearch {
    struct Solution {
        AlignedVector<double> v, r;  ///< of a body's system
    };
    struct Line {
        double from = 0, to = 0;   ///< rates at both ends of all but the barriers, J
        double low = 0, high = 1;  ///< shares between which the rate changes its sign
        bool searches = false;
    };
    std::vector<Solution> before;  ///< per solved body
    std::vector<char> cut;         ///< per solved body: its velocities are on the line, not at its end
    std::vector<Line> island;
    std::vector<double> rate, share;  ///< per island

    void find_rates(const SurfaceContact& touch, std::span<const int> island_of);
};

/// Numbers of Newton's method (newton.cpp). Its verdicts do not hang on them: tests halve and double each.
struct NewtonLimits {
    int iterations = 12;
    /// Energy that a substep may gain before Newton's method goes on, as a part of what it moves; all of it is taken
    /// back.
    double tolerated_gain = 1e-5;
    /// The part of its kinetic energy that deformation may have to give back; more asks for shorter steps.
    double bearable = 0.5;
};

/// Memory that a step uses and the next one uses again.
struct StepScratch {
    std::vector<SurfaceView> views;
    std::vector<Obstacle> obstacles;  ///< the props, then rigid bodies, then modal ones that collide
    std::vector<Coupling> hands;      ///< rows of hands and of nodes held along one axis
    std::vector<HotSpot> spots;
    std::vector<std::span<const Vec3>> velocities;
    std::vector<ContactSurface> surfaces;  ///< of implicit bodies, then of props
    std::vector<ContactPlane> planes;
    std::vector<std::vector<int>> node_part;              ///< per solved body: piece of each node, if there are several
    std::vector<std::vector<Vec3>> prop_start, prop_end;  ///< per prop: its surface in this substep, m
    std::vector<double> row_work;                         ///< per solved body, J
    std::vector<int> root, place;                         ///< per body: representative of its island; place in it
    std::vector<int> island_of;                           ///< per body
    std::vector<Island> islands;
    std::size_t island_count = 0;
    CgScratch conjugate;
    LineSearch line;
    NewtonLimits newton;
    std::vector<ContactImpulse> impulses;  ///< between implicit bodies and what they touch, in this substep
    std::vector<int> own_contacts;         ///< numbers of the contacts that bodies handle in steps of their own
    std::vector<std::size_t> next_touch;   ///< per solved body
};

// step.cpp

/// Sets the parameters that change at this time; the whole step is the first substep.
StepContext begin_step(World& w);
/// Takes the next substep; false when the step is complete.
bool next_substep(const World& w, StepContext& c);
/// True if all velocities are finite, no body has gained energy and contact held nothing back. Otherwise two halves
/// take the place of the substep. When it is too short to be halved again, a UserError names body and element that are
/// not finite; energy that was gained even so is in the report.
bool accept_substep(const World& w, StepContext& c);
/// Rigid bodies move, and the clock is set.
StepReport end_step(World& w, StepContext& c);

// grips.cpp

/// Grips give the velocities of their nodes so that each is where it should be at the end of the substep.
void prescribe_motion(World& w, const StepContext& c);
/// Gravity, pulls and loads.
void gather_forces(World& w, const StepContext& c);

// loads.cpp

/// Adds pressure, traction and forces per volume to the forces on the nodes.
void gather_loads(World& w, const StepContext& c);

// heat_step.cpp

/// Temperatures at the end of the substep, and the material numbers that belong to them.
void conduct_heat(World& w, const StepContext& c);

// collisions.cpp

/// Who may touch whom, from present positions and predicted motion. Obstacles that do not yield are left to the bodies
/// that meet them in steps of their own.
void find_collisions(World& w, const StepContext& c);
/// Bodies with steps of their own end them; what stopped them then counts as a contact like any other.
void finish_own_contacts(World& w, const StepContext& c);

// assemble.cpp

/// Each body's share of the linear system, and the rows of hands and of nodes held along one axis.
void assemble(World& w, const StepContext& c);
/// After a first solve: bodies that reach over two steps and turn out to be touched are assembled anew as steps of
/// implicit Euler. True if there are any.
bool forget_where_touched(World& w, const StepContext& c);
/// How hard a node is to move in this substep, kg; infinite where its motion is given.
double effective_mass(const World& w, int body, int node);
/// The same as barriers want it: of the whole step, however short the substep.
NodeResistance node_resistance(const World& w, double dt, int body, int node);

// islands.cpp

/// Groups bodies that a contact may connect in this substep, in the order of their lowest member.
void find_islands(World& w);
/// Gives each row to the island that it acts in.
void distribute_rows(StepScratch& scratch, std::span<const Coupling> rows);

// solve_islands.cpp

/// Velocities at the end of the substep, contacts included.
void solve_islands(World& w, StepContext& c);
bool all_finite(const World& w);
/// Linear solves until contacts neither pull nor are missing: an iteration solves with rows that are linearised where
/// the last one ended, and moves there as far as nothing is crossed.
void solve_with_contacts(World& w, StepContext& c);

// line_search.cpp

/// After a solve with barriers: goes back from where linearised barriers lead too far, to where the energy of each
/// island is least on the way from the last solution.
void search_lines(World& w, bool first);

// newton.cpp

/// Newton's method for the elastic forces, after a first solve: islands in which a body has gained energy, or whose
/// elements turn too far for one linearisation, are solved again where that solution leads, with a line search.
void newton_iterations(World& w, StepContext& c);

/// Σ weight·v over the ends of a row of an island, m/s.
Vec3 row_velocity(const World& w, const Island& island, const Coupling& row);

// commit.cpp

/// Makes the end of the substep the present: positions, velocities, temperatures, impulses, contact events. Modal
/// bodies move here.
void commit(World& w, StepContext& c);

// edit_topology.cpp

/// Elements that are overloaded at the new positions crack; grips, pulls, contacts and surfaces follow.
void edit_topology(World& w, const StepContext& c);

}  // namespace pliant
