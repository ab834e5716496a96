#pragma once
// The world: bodies, obstacles, what the script does to them, and time.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/body/fem_body.hpp"
#include "pliant/body/modal_contact.hpp"
#include "pliant/body/particle_body.hpp"
#include "pliant/body/shell_body.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/contact/obstacle.hpp"
#include "pliant/contact/surface_contact.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/warnings.hpp"
#include "pliant/rigid/rigid_solver.hpp"
#include "pliant/world/cutting.hpp"
#include "pliant/world/frame.hpp"
#include "pliant/world/ledger.hpp"
#include "pliant/world/loads.hpp"

namespace pliant {

/// Nodes whose motion is given: they follow a rigid placement of where they are at rest. Fixing, moving along a
/// path and turning are all this.
struct Grip {
    int body = 0;
    std::vector<int> nodes;
    std::function<Pose(double t)> pose;
    Span when;
    int axis = -1;  ///< 0, 1, 2: only this coordinate is given and the nodes are free along the others; -1: all
};

/// A force shared among nodes by their mass, N in all.
struct Pull {
    int body = 0;
    std::vector<int> nodes;
    std::function<Vec3(double t)> force;
    Span when;
};

/// A spring from a point of a body to a place that may move: what a hand does.
struct Drag {
    int body = 0;
    Point point;
    std::function<Vec3(double t)> target;
    double stiffness = 0;  ///< N/m; 0: as stiff as the body feels at that point
    Span when;
};

/// An obstacle with its scripted motion and its looks.
struct Prop {
    std::string name;
    Obstacle obstacle;
    std::function<Pose(double t)> motion;  ///< empty: it stays where it is
    TriMesh surface;                       ///< for display, in the obstacle's own frame; may be empty
    Vec3 color{0.55, 0.56, 0.58};
    std::optional<RigidObstacle> rigid_form = {};  ///< what rigid bodies collide with; none: they pass through
};

/// Something hot (or cold) that warms what is near it.
struct HeatSource {
    std::function<Vec3(double t)> at;
    double radius = 0.1;      ///< m
    double temperature = 80;  ///< as in Heat
    double power = 100;       ///< W, see HotSpot
    Span when;
};

/// A parameter of a body or of the world that gets another value at a given time (world/knobs.hpp).
struct ParameterChange {
    double at = 0;     ///< s: the first step that ends at this time or later has it
    std::string body;  ///< "" for the world's own
    std::string name;
    double value = 0;
};

/// Rigid bodies, which collide with each other, with the props and with bodies of all kinds. Their numbers follow those
/// of all other bodies.
struct RigidGroup {
    std::vector<RigidBody> bodies;
    std::vector<RigidJoint> joints;
    std::vector<RigidObstacle> obstacles;  ///< of the props that have a rigid form; made when first needed
    std::vector<ObstacleShapePtr> shapes;  ///< per rigid body, what others run into; made when first needed
    RigidSolver solver;
};

struct StepScratch;

/// Connectivity of a body as its pictures have it: they share it until its revision changes.
struct ShownTopology {
    std::uint64_t revision = 0;
    std::shared_ptr<const std::vector<Tri>> triangles;
    std::shared_ptr<const std::vector<Tet>> tets;
    std::shared_ptr<const std::vector<Point>> carriers;
    std::shared_ptr<const SurfaceAttributes> attributes;
};

struct World {
    explicit World(int thread_count = 1);
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    double dt = 0.01;  ///< s
    Vec3 gravity{0, -9.81, 0};
    std::uint64_t seed = 1;
    /// Bodies of the common solve touch by barriers (`touch`) rather than by springs (`contact`).
    bool barriers = false;

    std::vector<FemBody> fem;
    std::vector<ParticleBody> particles;  ///< bodies.hpp numbers bodies of all kinds
    std::vector<ShellBody> shells;
    std::vector<ModalBody> modal;          ///< touch obstacles and bodies of all kinds
    std::vector<ModalJoint> modal_joints;  ///< of modal bodies, by their place in `modal`, and rigid ones after
    ModalSolver modal_solver;              ///< their contacts: friction anchors and scratch
    RigidGroup rigid;
    std::vector<Prop> props;
    /// Pairs that pass through each other: numbers of bodies, and −1 − i for props[i]; the smaller first, ascending. A
    /// body with itself: its parts do.
    std::vector<std::array<int, 2>> ignored;
    std::vector<Grip> grips;
    std::vector<Pull> pulls;
    std::vector<SurfaceLoad> surface_loads;
    std::vector<VolumeLoad> volume_loads;
    std::vector<Drag> drags;
    std::vector<HeatSource> heat_sources;
    std::vector<ParameterChange> parameter_changes;  ///< in the order of time
    std::vector<CutStroke> strokes;                  ///< of knives; how far each has gone is state

    double time = 0;  ///< s
    std::uint64_t steps = 0;
    EnergyLedger ledger;           ///< saved with the state, but no part of what determines the future
    std::size_t changes_done = 0;  ///< so many of `parameter_changes` have been made
    SurfaceContact touch;          ///< contact by barriers: trees, friction anchors and scratch
    ContactSolver contact;         ///< contact by springs: the same

    std::vector<Event> events;                 ///< since the last snapshot
    std::vector<char> recorded;                ///< per body number: its contacts become contact events; empty: none
    std::vector<ContactEvent> contact_events;  ///< since the last snapshot
    std::vector<ShownTopology> shown;  ///< per body of a snapshot; empty: none was made, or the state was loaded since
    StageTimes times;                  ///< of all steps so far
    Warnings warnings;                 ///< of building and of all steps so far; no part of the state
    std::unique_ptr<Threads> threads;
    std::unique_ptr<StepScratch> scratch;
};

// Adding to a world, before or between its steps. Whatever names bodies by their number (grips, pulls, drags, joints,
// what is recorded) follows when numbers change. Contacts between bodies start afresh.

/// Returns the number of the body among those of all kinds (world/bodies.hpp).
int add_body(World& w, FemBody body);
int add_body(World& w, ParticleBody body);
int add_body(World& w, ShellBody body);
int add_body(World& w, ModalBody body);
int add_body(World& w, RigidBody body);

/// From now on frames tell the contact events of this body.
void record_contacts(World& w, int body);

struct StepReport {
    int substeps = 0;    ///< more than one when a step had to be retried smaller
    int iterations = 0;  ///< of conjugate gradients, all bodies and passes
    int contacts = 0;
    double residual = 0;     ///< worst relative residual that a last solve of some substep left over
    int missed = 0;          ///< last solves that did not reach the tolerance asked for, or the usual one
    int newton = 0;          ///< iterations of Newton's method beyond the first of each substep
    double energy_gain = 0;  ///< J that bodies gained beyond the work done on them, in substeps too short to be halved
    int own_steps = 0;       ///< most that an explicit body of finite elements took inside a substep
    double own_step = 0;     ///< the shortest of these, s; 0: there is none
    int own_cuts = 0;        ///< how often they were halved because energy grew
    int limited = 0;         ///< substeps whose motion barriers had to hold back at the end of Newton's method
};

/// Advances the world by w.dt. A step that would make a non-finite number is retried smaller; if that does not help,
/// a UserError names the body and the element.
StepReport step(World& w);

/// An immutable picture of the world, with the usual fields; takes the events with it.
Frame snapshot(World& w, int index);

/// Whether two bodies, or a body and an obstacle, pass through each other, as World::ignored numbers them.
bool ignores(const World& w, int a, int b);

/// A hash of everything that determines the future.
std::uint64_t state_hash(const World& w);

void save_state(const World& w, ByteWriter& out);
void load_state(World& w, ByteReader& in);

}  // namespace pliant
