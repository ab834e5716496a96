#pragma once
// A deformable body: a tet mesh that moves, and the detailed surface it carries.

#include <optional>
#include <string>
#include <vector>

#include "pliant/body/breaking.hpp"
#include "pliant/body/cracking.hpp"
#include "pliant/body/cutting.hpp"
#include "pliant/body/deformable_body.hpp"
#include "pliant/body/integrator.hpp"
#include "pliant/body/moving_frame.hpp"
#include "pliant/body/node_energies.hpp"
#include "pliant/body/own_steps.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/material/plasticity.hpp"
#include "pliant/particle/particle_model.hpp"
#include "pliant/remesh/remesh_options.hpp"

namespace pliant {

/// All that is needed to make a body; plain data.
struct FemBodyDesc {
    std::string name = "body";
    TetMesh mesh;
    std::vector<ElementMaterial> material;      ///< one for all tets, or one per tet
    const PlasticityLaw* plasticity = nullptr;  ///< null: elastic
    std::vector<PlasticNumbers> plastic;        ///< one for all tets, or one per tet
    /// What has flowed before the start, with plasticity: the lasting deformation Fp, one for all tets or one per tet,
    /// of which laws of strain take the small strain. Empty: nothing.
    std::vector<Mat3> lasting;
    std::optional<HeatDesc> heat;          ///< none: no temperature
    std::optional<FractureDesc> fracture;  ///< none: it never breaks
    std::optional<CuttingDesc> cutting;    ///< none: no knife parts it; it does not break if it has this
    std::optional<RemeshOptions> remesh;   ///< none: its mesh stays
    TriMesh surface;                       ///< what is seen and touched; empty: the boundary of the mesh
    SolidOptions solid;
    SolveOptions solve;
    const Integrator* integrator = nullptr;  ///< null: implicit Euler
    double own_step = 0;                     ///< explicit: longest step, s; 0: what is stable
    std::optional<VolumeConstraintOptions> keeps_volume;
    Vec3 velocity = Vec3::Zero();  ///< at the start, m/s
    Vec3 spin = Vec3::Zero();      ///< angular velocity about the centre of mass at the start, rad/s
    double friction = 0.5;         ///< Coulomb coefficient of the skin
    bool collide = true;           ///< false: passes through everything
    Vec3 color{0.8, 0.8, 0.8};     ///< linear RGB
};

/// Constant parts first, then the state, then what is derived from it or scratch of a step. x, v and temperature are
/// state, too.
struct FemBody : DeformableBody, SolvedNodes {
    explicit FemBody(Solid elastic) : solid(std::move(elastic)) {}

    std::vector<ElementMaterial> material;
    const Integrator* integrator = nullptr;     ///< never null once made
    bool rotates = true;                        ///< elements have rotations of their own; false: linear elasticity
    const PlasticityLaw* plasticity = nullptr;  ///< null: elastic
    std::vector<PlasticNumbers> plastic;        ///< per tet; empty: elastic
    std::vector<double> cold_young;             ///< per tet, without heat, Pa; empty: no heat
    std::vector<PlasticNumbers> cold_plastic;   ///< likewise
    std::optional<Fracture> fracture;           ///< none: it does not break along element faces
    std::optional<ElementCracks> cracks;        ///< none: it does not break through elements
    std::optional<CuttingDesc> cutting;         ///< none: it cannot be cut
    /// Per tet: which part of its volume is material; mass and stiffness count by it. Empty: all of each.
    std::vector<double> share;
    std::optional<Remeshing> remeshing;  ///< none: its mesh stays (body/remeshing.hpp)

    std::vector<Strain6> plastic_strain;  ///< per tet, in its rest frame: state; empty: elastic
    /// Per tet: Fp of F = Fe Fp, from its shape at rest to the one in which it is free of stress, volume kept: state;
    /// empty: its law of plasticity is additive, or it has none.
    std::vector<Mat3> plastic_deformation;
    std::vector<double> hardened;  ///< per tet: see StressFlowRule; state; empty: stress does not make it flow
    TwoStepHistory history;        ///< of an integrator that reaches over two steps: state
    OwnSteps own;                  ///< of an explicit integrator; own.halvings is state
    std::vector<int> origin;       ///< per node: the node of the unbroken mesh it is a copy of: state, with mesh.tets
    /// The mesh is no longer the scene's with some nodes split: from then on every saved state holds it. Who is going
    /// to change a mesh, and may be set back to a state of before, says so at the start.
    bool edited = false;
    Solid solid;                                   ///< its rotation_state() is state
    std::optional<VolumeConstraint> keeps_volume;  ///< of the mesh of `keeps_revision`
    std::uint64_t keeps_revision = 0;

    std::vector<FlowNumbers> flow_numbers;  ///< of the plastic flow of the step, see PlasticFlow; empty: to be found
    std::vector<char> flowed;               ///< per 64 tets: some have another plastic deformation than before
    double flow_dt = 0;                     ///< the step they are for, s
    std::vector<Vec3> x_before;             ///< of a body that keeps its volume
    bool flows = true;                      ///< plastic material flows at the start of the present substep
    MovingFrame frame;                      ///< of the present step
    std::vector<Vec3> deforming;            ///< a velocity in that frame, m/s
    std::vector<Vec3> newton_force;         ///< of an iteration of Newton's method after the first, N
    std::vector<Vec3> v_saved, v_reached;   ///< the iterate before, and where its solve led, m/s
    /// Energies of the substep, see step_energy.hpp.
    struct : StepEnergies {
        /// J at the end of the substep before; none: it was not counted yet (world/ledger.hpp). Saved with the state.
        std::optional<double> known;
    } energy;
    mutable std::vector<NodeEnergies> energy_sums;  ///< of chunks of nodes
    mutable std::vector<double> node_sums;          ///< the same of other things
    TwoStep formula;                                ///< of the present step
    bool touched = false;                           ///< something acts on it in this step
};

/// Where the velocities of deformation start from: x, moved along with the frames of free pieces.
std::span<const Vec3> frame_positions(const FemBody& body);
/// Elements take the rotations to which the velocities lead that its solve starts from, and not those at the start of
/// the step: of stiff bodies, whose frozen rotations would not do, and with formulas of second order.
bool turns_ahead(const FemBody& body, double dt);
/// v_next as velocities of deformation.
std::span<const Vec3> in_frame(FemBody& body);

FemBody make_fem_body(FemBodyDesc desc, Threads& threads);
FemBody make_fem_body(FemBodyDesc desc);  ///< on one thread

SurfaceView surface_view(const FemBody& body);

/// From the next step on; `longest`: of explicit steps, s, 0 for what is stable.
void set_integrator(FemBody& body, const Integrator& integrator, double longest = 0);

// The stages of a step; world/bodies.hpp says when each is called.
void begin_step(FemBody& body, double dt, Threads& threads, StageTimes& times);
/// After measure_iterate(): above 1, elements turn so far away from the rotations that the system was assembled with
/// that these will not do.
double rotation_lag(const FemBody& body, double dt);
/// Assembles the system anew where v_next leads, starting from there.
void newton_iteration(FemBody& body, double dt, Threads& threads, StageTimes& times);
BlockSystem& system(FemBody& body);
const BlockSystem& system(const FemBody& body);
void finish_solve(FemBody& body, Threads& threads);
/// The surface of a body that may break is brought up to date by whoever lets it break afterwards.
void commit_step(FemBody& body, double dt, Threads& threads);
std::span<const double> node_mass(const FemBody& body);  ///< of the material, kg
inline const char* kind_name(const FemBody&) { return "fem"; }

/// It may come apart: by a rule for cracks along faces of its elements or through them, or by a knife.
inline bool may_break(const FemBody& body) { return body.fracture || body.cracks || body.cutting; }
/// Of a body that may: its pieces touch each other; what it opens is shaded smoothly.
bool pieces_touch(const FemBody& body);
bool smooth_cracks(const FemBody& body);

/// What the solid is made of: the material of each tet by its share.
std::vector<ElementMaterial> solid_material(const FemBody& body);

// Measures at the present state, beside those of body/deformable_body.hpp.
double elastic_energy(const FemBody& body);  ///< J
/// Of the fastest node, m/s; of a body that may break, of the fastest vertex: the nodes of a crumb reach far beyond it.
double max_speed(const FemBody& body);
double mean_plastic_strain(const FemBody& body);  ///< norm, over the volume; 0 when elastic
double von_mises(const FemBody& body, int tet);   ///< Pa

/// Force through the plane where coordinate `axis` is `at`, as the part above pulls the part below: the part across the
/// plane and the part along it. Summed over the faces that halve each tet between its corners, so that a plane through
/// a mesh is crossed where its edges are.
Flux flux_through(const FemBody& body, int axis, double at);

/// The first node whose position or velocity is not finite, if any.
std::optional<int> first_nonfinite(const FemBody& body);

// State in and out: everything a checkpoint needs beside the scene itself.
void save_state(const FemBody& body, ByteWriter& out);
void load_state(FemBody& body, ByteReader& in);
void hash_state(const FemBody& body, Hash& hash);

}  // namespace pliant
