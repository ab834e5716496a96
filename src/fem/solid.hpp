#pragma once
// The elastic solid: linear tets, implicit Euler (Müller & Gross 2004, sections 2 and 6).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/core/types.hpp"
#include "pliant/fem/flow_numbers.hpp"
#include "pliant/fem/law_args.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/solve/coupling.hpp"

namespace pliant {

struct BlockSystem;
struct MaterialLaw;

/// Material numbers of one element.
struct ElementMaterial {
    double young = 1e5;     ///< Pa
    double poisson = 0.33;  ///< 1, below 0.5
    double density = 1000;  ///< kg/m³
};

/// How a solid takes strain from its four-node tets.
enum class Element {
    tet4,      ///< constant in each tet: too stiff in bending, and locks as ν approaches 0.5
    smoothed,  ///< averaged over edges and nodes (smoothing.hpp): neither; a step costs several times as much
};

struct SolidOptions {
    const MaterialLaw* law = nullptr;      ///< null: the default, corotational
    std::vector<double> law_numbers = {};  ///< of its own keys, from MaterialLaw::numbers(); empty: its defaults
    LawPass pass = nullptr;                ///< of a law that is not in the list (law_pass.hpp); null: it is
    double mass_damping = 0;               ///< Rayleigh α, 1/s
    double stiffness_damping = 0;          ///< Rayleigh β, s
    /// Share of the elements' volume that is material, for elements that stick out of the body: mass and stiffness
    /// count by it. Motion under gravity does not change with it, what forces do does.
    double fill = 1;
    /// Above 0: elements are filled as set_carried() says, each by its own share. Stiffness then counts by that share,
    /// but by this one at least; and no node is easier to move than this share of a node amid full elements of a
    /// lattice, which has six elements' mass: what is missing is inertia without weight. Too small: nodes that carry
    /// hardly anything make the system hard to solve; too large: thin features are stiff and sluggish.
    double least_fill = 0;
    Element element = Element::tet4;  ///< `smoothed` takes laws of the list only
};

enum class Preconditioner {
    automatic,  ///< Jacobi where it does with the iterations it has, else two levels, or multigrid in large bodies
    jacobi,     ///< the inverse diagonal: cheapest where bodies are soft or steps short
    two_level,  ///< the inverse diagonal and the rigid modes of a few lumps of the body: for stiff bodies
    multigrid,  ///< always
};

struct SolveOptions {
    /// Of conjugate gradients; the cap when a tolerance is given; 0: as many as the body needs (CgOptions).
    int iterations = 0;
    double tolerance = 0;  ///< relative residual to stop at; 0: always `iterations`, or as exact as motion needs
    Preconditioner preconditioner = Preconditioner::automatic;
    /// Of Newton's method. 0: as many iterations as keep the energy law of body/step_energy.hpp; 1: one linear solve a
    /// step, whatever it does to the energy.
    int newton = 0;
};

/// Plastic strain that follows the strain at the start of a step, in the same pass over the elements as its forces.
/// Where the numbers of a tet say which share flows, that is
///     plastic += min(share, 1 − yield/‖elastic‖)·elastic     while   ‖elastic‖ > yield,     ‖plastic‖ ≤ max,
/// the second term only if flow stops at the yield strain; other tets are left to the law.
struct PlasticFlow {
    std::span<std::array<double, 6>> strain;  ///< per tet, xx yy zz xy yz zx (tensor), unrotated: what flows
    std::span<const FlowNumbers> numbers;     ///< one for all tets or one per eight
    bool stops_at_yield = true;
    /// The law: changes the plastic strain of a tet, given its total strain. Called from several threads.
    void (*flow)(const void* context, int tet, const double* total, double* plastic) = nullptr;
    const void* context = nullptr;
};

/// What acts on a solid during one step.
struct SolidInput {
    double dt = 0.01;                                            ///< s
    std::span<const Vec3> force;                                 ///< external force per node, N (gravity included)
    std::span<const char> prescribed;                            ///< per node: 1 = its velocity is given, in `v`
    std::span<const std::array<double, 6>> plastic_strain = {};  ///< per tet, xx yy zz xy yz zx (tensor), unrotated
    SolveOptions solve = {};            ///< how it will be solved: assemble() prepares the preconditioner for that
    const PlasticFlow* flow = nullptr;  ///< null: none; else `plastic_strain` is not read
    double turn = 0;  ///< s: rotations are taken at x + turn·v; 0 is the paper's, dt the fully implicit ones
    /// Of formulas that reach over two steps (body/integrator.hpp): the mass that resists changes of v over the true
    /// one, and the velocity that damping sees over v.
    double mass_scale = 1, rate_scale = 1;
};

/// Squares of the largest frequency and rates of viscosity in a solid, bounded element by element.
struct StableRates {
    double elastic = 0;  ///< ω² of elasticity, 1/s²
    double viscous = 0;  ///< of the law's own viscosity, 1/s
};

/// What the preconditioner keeps from earlier steps: the rotations that its matrices belong to, and for what they are.
struct KeptState {
    std::vector<std::int8_t> rotations;  ///< quaternions · 127: enough for a preconditioner; empty: nothing is kept
    double scale = 0;                    ///< dt(dt+β), over the scale of masses, s²
    std::uint64_t grips = 0;             ///< hash of the prescribed nodes
    int age = 0;                         ///< steps served
};

/// Of a solid at some positions that moves with some velocities. C: of Hooke's laws in plain tets; others have 0.
struct IterateEnergy {
    double elastic = 0;  ///< J
    /// ∫ P:∇v of the elastic stress, W, with Hooke's laws that which the linear solve knows: by the rotations of the
    /// last assemble()
    double power = 0;
    double rate = 0;  ///< ∫ ε̇:C:ε̇, W per second of stiffness damping
    // The parts of both that nodes do whose motion is given: with their ∇v for one of the factors.
    double given_power = 0, given_rate = 0;
    /// Square of the largest angle by which an element has turned away from its rotation in the last assemble(); 0 for
    /// bodies and steps that are soft enough never to mind.
    double turned = 0;
};

class Solid {
public:
    Solid(const TetMesh& mesh, std::vector<ElementMaterial> material, const SolidOptions& options);
    ~Solid();
    Solid(Solid&&) noexcept;
    Solid& operator=(Solid&&) noexcept;

    /// Per tet: the part of its volume that each corner carries as mass; a quarter of `fill` each until it is called.
    void set_carried(std::vector<std::array<double, 4>> carried, const std::vector<ElementMaterial>& material);

    const std::vector<std::array<double, 4>>& carried() const;  ///< as set; empty: it was not called

    /// The shapes in which tets are free of stress, as linear maps of their shapes at rest, per tet: the plastic part
    /// Fp of F = Fe Fp. Volumes must stay as they are (det = 1). Masses and moduli do not change with it.
    void set_shapes(const TetMesh& mesh, std::span<const Mat3> shape, Threads& threads);

    std::span<const double> mass() const;           ///< lumped inertia, kg per node
    std::span<const double> material_mass() const;  ///< the part of it that is material and weighs, kg
    double fill() const;                            ///< as in the options
    const SolidOptions& options() const;            ///< as it was made with

    /// Rotations, forces and the system matrix at (x, v). `v` holds the prescribed velocities already.
    /// Nothing is allocated after the first call.
    void assemble(std::span<const Vec3> x, std::span<const Vec3> v, const SolidInput& input, Threads& threads,
                  StageTimes& times);

    /// What acts on the nodes at x while they move with v, N: elastic forces, damping and input.force. There is no
    /// matrix: for explicit steps. Plastic strain flows if input.flow says so. Nothing is allocated after the first
    /// call.
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, const SolidInput& input, std::span<Vec3> out,
                Threads& threads);
    /// How fast the stiffest element may swing and creep; `material` is its own. Found again when it changes.
    StableRates stable_rates(std::span<const ElementMaterial> material);

    /// After solve(): the velocity at the end of the step.
    void velocity(std::span<Vec3> out) const;

    /// How far a solution leaves the frames that the last assemble() took: with θ² = IterateEnergy::turned, the elastic
    /// energy that comes from the linear path (a stretch of θ²/2) over the kinetic energy of that turning, about
    /// K/M·dt²·θ². Below 1 it does not matter.
    double rotation_lag(double turned, double dt) const;
    /// It may matter in steps of dt.
    bool stiff_in(double dt) const;

    /// A scalar measure (kg) of how hard a node is to move in this step: a third of the trace of its diagonal block.
    /// Contacts and hand springs take their stiffness relative to it, so that no absolute number is needed.
    double effective_mass(int node) const;

    /// The tets round a node, ascending: 4·tet + which of its corners the node is.
    std::span<const unsigned> star(int node) const;

    // Element quantities at the last assembled x.
    Mat3 rotation(int tet) const;
    std::array<double, 6> stress(std::span<const Vec3> x,
                                 int tet) const;  ///< Biot stress sym(RᵀP) in the rest frame, Pa
    Mat3 deformation_gradient(std::span<const Vec3> x, int tet) const;

    /// Total strain sym(RᵀF) − I of one tet at x, xx yy zz xy yz zx, with the rotation that the next assemble() would
    /// find.
    std::array<double, 6> total_strain(std::span<const Vec3> x, int tet) const;
    /// Computes the total strains of tets 8·begin to 8·end at x, with fresh rotations that the next assemble() starts
    /// from. Different ranges may be computed at the same time.
    void total_strains(std::span<const Vec3> x, std::span<std::array<double, 6>> out, int begin, int end);
    /// Computes von Mises' stress and the largest principal stress (Pa) of tets 8·begin to 8·end at x, by the strain
    /// less the plastic one (empty: none). For pictures: no trace is left, the next assemble() starts from where it
    /// would have.
    /// Different ranges may be computed at the same time.
    void measure_stresses(std::span<const Vec3> x, std::span<const ElementMaterial> material,
                          std::span<const std::array<double, 6>> plastic, std::span<float> von_mises,
                          std::span<float> principal, int begin, int end) const;

    bool smoothed() const;  ///< its element is the smoothed one
    /// Of a smoothed solid: Biot stress sym(RᵀP) in the rest frame of all tets at x, Pa; plastic strain may be empty.
    std::array<double, 6> smoothed_stress(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                                          int tet) const;  ///< the same of one tet
    void smoothed_stresses(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                           std::span<std::array<double, 6>> out, Threads& threads);

    const MaterialLaw& law() const;
    /// Biot stress sym(RᵀP) at x of a tet with other moduli than its own, Pa. The law is not Hooke's.
    std::array<double, 6> law_stress(std::span<const Vec3> x, int tet, const ElementMaterial& material) const;
    /// Elastic forces at x with fresh rotations, double precision throughout; for tests and measures. N.
    void internal_force(std::span<const Vec3> x, std::span<Vec3> out) const;
    double elastic_energy(std::span<const Vec3> x) const;  ///< J
    /// The same at x + ahead·v (v empty: at x) less plastic strain (empty: none), by the kernels. Rotations are looked
    /// for from where the last assemble() found them, and leave no trace. `given`, per node: its motion is given.
    IterateEnergy energy_at(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                            std::span<const std::array<double, 6>> plastic, std::span<const char> given,
                            Threads& threads);
    double elastic_energy_at(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic, Threads& threads);
    double stiffness() const;  ///< Σ (λ + 2μ) V over the elements, J: what a strain of one would cost
    /// As the last assemble() found it beside the forces, J: at x + turn·v with Hooke's laws, at x + dt·v with others;
    /// without plastic strain where the element is smoothed.
    double assembled_energy() const;
    /// The same of a smoothed solid with plastic strain, J.
    double smoothed_energy(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic) const;

    /// The warm start of the rotations: part of the state, for checkpoints and hashes.
    std::span<float> rotation_state();
    std::span<const float> rotation_state() const;

    /// The same per tet, as unit quaternions w x y z: what goes along when the tets of a body are replaced.
    std::vector<std::array<float, 4>> rotations() const;
    void set_rotations(std::span<const std::array<float, 4>> rotation);

    /// Part of a checkpoint, so that a resumed run goes on with the same bits. set_kept_state() returns false when the
    /// state belongs to another mesh.
    const KeptState& kept_state() const;
    KeptState& kept_state();
    bool set_kept_state(KeptState state);

    void set_material(std::vector<ElementMaterial> material);  ///< new numbers, same mesh
    void set_mass(std::span<const double> mass);  ///< instead of the lumped one, kg per node; until set_material()

    /// The system of the last assemble(): solved together with those of other bodies by solve_coupled().
    BlockSystem& system();
    const BlockSystem& system() const;

    /// The same tets in the same order and shape, but linked to other nodes: those it was made with, and copies of them
    /// with the numbers behind (some were split). Rotations stay; masses and the sparsity are those of the new links.
    /// The result depends on the mesh alone, not on how it came about. `relinked`: tets that may have other nodes than
    /// before, ascending. set_parts() must follow.
    void relink(const TetMesh& mesh, const std::vector<ElementMaterial>& material, std::span<const int> relinked,
                Threads& threads);
    /// Which tets hang together, as numbers from 0; empty: all do.
    void set_parts(std::span<const int> part_of_tet, Threads& threads);

    struct Parts;  // solid_parts.hpp, for the other files of this room and its tests
    Parts& parts() { return *parts_; }
    const Parts& parts() const { return *parts_; }

private:
    std::unique_ptr<Parts> parts_;
};

/// Bytes that a solid holds, everything included.
std::size_t memory_bytes(const Solid& solid);

struct SolveReport {
    int iterations = 0;
    double residual = 0;  ///< relative, in the norm of Jacobi's preconditioner
    bool missed = false;  ///< a tolerance was asked for, and the residual is above it
};

/// Solves the assembled systems together with the couplings between them. Coupling ends name systems by their
/// place in `solids`. Called again with other couplings after one assemble(), it goes on from the velocities it
/// reached.
SolveReport solve(std::span<Solid* const> solids, std::span<const Coupling> couplings, const SolveOptions& options,
                  Threads& threads, StageTimes& times);

}  // namespace pliant
