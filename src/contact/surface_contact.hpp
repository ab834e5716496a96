#pragma once
// Contact of seen surfaces with each other, with themselves and with obstacles, that cannot be crossed.
//
// Everything is triangles and planes: vertices against faces, edges against edges, vertices against planes. Pairs that
// come nearer than the contact distance push each other apart by a barrier. A step uses it so:
//     contact.begin(surfaces, planes, dt, threads);
//     do {
//         solve(systems, contact.rows(resistance), …);
//     } while (contact.advance(node velocities, threads));
//     contact.finish();                                     // forces, memory
// advance() follows the straight way from the start of the step, where nothing crosses, to the solution. Pairs that
// meet on that way, or end nearer than they should, push in the next solve, until a solution is free of crossings all
// the way. Whoever stops before that goes only so far towards the last solution as share() says: a step that is cut
// short costs motion, never safety. Parts that may meet on the way go by the same share: what was found safe for all of
// them together is then safe (docs/contact.md).
//
// Friction is Coulomb's with stick: a tangential spring that remembers its force from step to step and slides when it
// would exceed μ times the normal force.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/solve/coupling.hpp"

namespace pliant {

/// A surface that takes part. Surfaces keep their order from step to step.
struct ContactSurface {
    std::span<const Vec3> points;      ///< at the start of the step, m
    std::span<const Vec3> velocities;  ///< of the points, m/s
    std::span<const Tri> triangles;
    std::span<const Vec3> rest = {};  ///< the same points at rest, m; empty: the surface does not touch itself
    /// Where its points will be at the end if nothing stops it, for a surface whose motion is given; empty: its points
    /// hang on the nodes of a system.
    std::span<const Vec3> end = {};
    const Embedding* embedding = nullptr;  ///< of a surface that hangs on nodes
    std::span<const Tet> tets = {};
    std::span<const int> part = {};  ///< per node: which piece it belongs to, from 0; empty: all one piece
    int system = -1;                 ///< of the solve; −1: the motion is given
    int owner = 0;                   ///< who it is in forces and impulses: a body's number, or −1 − obstacle
    double distance = 0;             ///< contact distance d̂, m; 0: it leaves that to its partners
    double friction = 0;             ///< Coulomb's coefficient; negative: not given
    bool pieces_touch = true;        ///< pieces of one body touch each other
    std::uint64_t revision = 0;      ///< changes when triangles or embedding do
};

/// All behind a plane: its normal is a unit vector that points out.
struct ContactPlane {
    Vec3 point, normal;
    int owner = -1;
    double friction = -1;
};

/// How hard a node is to move in a whole step.
struct NodeResistance {
    double mass = 0;       ///< kg; infinite where its motion is given
    double effective = 0;  ///< kg: mass and step²·stiffness, the mean diagonal of its row
};
using ResistanceOf = std::function<NodeResistance(int system, int node)>;

struct SurfaceContactOptions {
    /// Stiffness of the barrier over that of what it holds apart (its inertia over dt², and its elastic stiffness).
    /// Smaller: gaps close further under load. Larger: conjugate gradients need more iterations.
    double stiffness = 10;
    /// Part of a gap that a step leaves over at least.
    double kept = 0.1;
    /// Gaps never fall below this part of the contact distance, so that rounding cannot cross them.
    double least = 1e-3;
    /// How far from where a search thought they would be points may go before the next one, over the contact distance.
    /// Nothing but time hangs on it: more means fewer searches that find more.
    double slack = 0.5;
};

/// What one pair of features does at the end of the step: for pictures, sound and reports.
struct ContactForce {
    int owner, partner;  ///< who is pushed along the normal, and by whom
    Vec3 point, normal;  ///< m; unit, towards `owner`
    double force;        ///< normal, N
    Vec3 friction;       ///< on `owner`, N
    double approach;     ///< speed at which they came nearer at the start of the step, m/s
    bool fresh;          ///< they did not touch in the previous step
    bool sliding;
};

/// What a pair that touches remembers from step to step.
struct PairMemory {
    /// Owner of the first feature; its vertex, or its edge's two vertices (−1 where there is but one); the partner's
    /// owner, and the number of its face, edge or plane.
    std::array<std::int32_t, 5> key;
    std::int32_t unused = 0;
    double load;                     ///< normal, N
    std::array<double, 3> friction;  ///< on the first feature, N
};

struct SurfaceContactStats {
    int touching = 0;    ///< pairs that push
    int sliding = 0;     ///< of those, the ones that slide
    int iterations = 0;  ///< solutions that were followed
    /// Owners of two surfaces that touched before the step, so that nobody can tell their sides: such places neither
    /// push nor stop each other. Both 0: there are none.
    std::array<int, 2> touched_before{};
    int searches = 0;      ///< for pairs that may meet
    double lost = 0;       ///< largest share of the last solution's motion that some part is refused
    double least_gap = 0;  ///< over the contact distance; 1 where nothing touches
    double rubbed = 0;     ///< what friction took from the bodies in the step, sliding or not, J
    double energy = 0;     ///< of all barriers, J
};

class SurfaceContact {
public:
    SurfaceContact();
    ~SurfaceContact();
    SurfaceContact(SurfaceContact&&) noexcept;
    SurfaceContact& operator=(SurfaceContact&&) noexcept;

    SurfaceContactOptions options;
    /// Owners of surfaces and planes that do not touch each other, or themselves; empty: all do. Not to be changed
    /// while it remembers what it searched for, see reset().
    std::function<bool(int a, int b)> excluded;

    /// Starts a step of length dt, s, or a part of a step: barriers are as stiff as the whole step wants them, so that
    /// nothing is stored or lost where a step is cut.
    void begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes, double dt, double step,
               Threads& threads);

    /// The pairs that push, linearised where the last solution says they will be. Ends name systems as ContactSurface
    /// does. `last`: nobody will look whether another solve would change them.
    std::span<const Coupling> rows(const ResistanceOf& resistance, bool last);

    /// For a line search between the last two solutions, along which the energies of all pairs are convex: names the
    /// new one, and adds to the rate of each group of systems what its pairs contribute at that share of the line, J.
    void aim(std::span<const std::span<const Vec3>> velocity, Threads& threads);
    void add_rates(std::span<const int> group, std::span<const double> share, std::span<double> rate) const;

    /// Follows the way to the mean velocities of the step that a solve has found (per system and node, m/s). True if
    /// another solve would change what surfaces do to each other. cut: per system, velocities are on the line to a
    /// solution and not at its end.
    bool advance(std::span<const std::span<const Vec3>> velocity, std::span<const char> cut, Threads& threads);

    /// For who stops though another solve would change something: finds how far everything may go towards the last
    /// solution.
    void limit(Threads& threads);
    /// The share of its way that a node may go; 1 unless limit() says less.
    double share(int system, int node) const;
    /// Systems that push each other, as far as is known: advance() may find more.
    std::span<const std::array<int, 2>> links() const;

    /// Ends the step at the last solution, or where share() leaves it: forces and friction are those found there.
    void finish();

    std::span<const ContactForce> forces() const;
    const SurfaceContactStats& stats() const;

    /// The state for checkpoints and hashes, ascending by key.
    const std::vector<PairMemory>& memory() const;
    void set_memory(std::vector<PairMemory> memory);
    /// The surface of that owner was edited: `vertex` says which number each vertex has now, −1 where it is gone.
    void renumber(int owner, std::span<const int> vertex);
    /// Forgets everything: after a body was added or removed.
    void reset();

    struct Parts;  ///< contact_parts.hpp

private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace pliant
