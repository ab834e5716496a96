#pragma once
// A body of triangles with a thickness: cloth, paper, sheet metal, eggs. Its nodes are rows of the common system, so
// that contacts, grips, hands and loads act on it as on a body of tets.
//
// Everything that hangs on elements goes by DeformableBody::mesh, whose elements here are triangles: the fourth node of
// each repeats the third and has no weight. They have no volume; what needs one asks the shell.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pliant/body/deformable_body.hpp"
#include "pliant/body/moving_frame.hpp"
#include "pliant/body/node_energies.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/fem/shell.hpp"

namespace pliant {

struct ShellBodyDesc {
    std::string name = "body";
    TriMesh surface;                        ///< the middle of the sheet; vertices at the same place are one node
    std::vector<ElementMaterial> material;  ///< one for all triangles, or one per triangle
    ShellOptions shell;
    std::optional<ShellCreases> creases;  ///< none: it springs back
    bool seen_thick = true;               ///< pictures show both faces and the rim; false: the middle alone
    SolveOptions solve;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< at the start, m/s and rad/s
    double friction = 0.5;
    bool collide = true;
    Vec3 color{0.8, 0.8, 0.8};
};

/// x, v and shell.lasting() are state.
struct ShellBody : DeformableBody, SolvedNodes {
    explicit ShellBody(Shell elastic) : shell(std::move(elastic)) {}

    Shell shell;
    std::optional<ShellCreases> creases;
    bool seen_thick = true;
    bool clamped = false;          ///< some edges keep their direction in space: no frame moves along
    std::vector<Tri> seen_closed;  ///< both faces and the rim, over points and their copies; empty: the middle is seen
    std::shared_ptr<const SurfaceAttributes> seen_attributes;  ///< of what is seen; null: nothing was brought

    MovingFrame frame;             ///< of the present step
    std::vector<Vec3> work_force;  ///< of a step that is linearised again, N
    std::vector<Vec3> work_x, work_v;
    std::vector<Vec3> v_saved, v_reached;           ///< the iterate before, and where its solve led, m/s
    StepEnergies energy;                            ///< see step_energy.hpp
    mutable std::vector<NodeEnergies> energy_sums;  ///< of chunks of nodes
};

/// v_next as velocities of deformation, and where they start from.
std::span<const Vec3> in_frame(ShellBody& body);
std::span<const Vec3> frame_positions(const ShellBody& body);

/// UserError for thickness 0, triangles without area, edges of more than two triangles, triangles that hang together
/// nowhere, and surfaces with one side.
ShellBody make_shell_body(ShellBodyDesc desc);

SurfaceView surface_view(const ShellBody& body);

// The stages of a step; world/bodies.hpp says when each is called.
void begin_step(ShellBody& body, double dt, Threads& threads, StageTimes& times);
/// Newton's method: assembles the system anew where v_next leads to, starting from v_next. Another solve then improves
/// on it.
void newton_iteration(ShellBody& body, double dt, Threads& threads, StageTimes& times);
BlockSystem& system(ShellBody& body);
const BlockSystem& system(const ShellBody& body);
void finish_solve(ShellBody& body, Threads& threads);
void commit_step(ShellBody& body, double dt, Threads& threads);
std::span<const double> node_mass(const ShellBody& body);
inline const char* kind_name(const ShellBody&) { return "shell"; }

double elastic_energy(const ShellBody& body);  ///< J
double volume(const ShellBody& body);          ///< area times thickness, the thickness at rest, m³
/// The point of the middle surface nearest to a place at rest, as a material point.
Point nearest_point(const ShellBody& body, const Vec3& at);
/// What is seen: the middle, or both faces at half the thickness from it and the rim; and what each vertex hangs on.
std::vector<Vec3> seen_points(const ShellBody& body);
const std::vector<Tri>& seen_triangles(const ShellBody& body);

/// Sheets have no temperature yet: a UserError.
void add_heat(ShellBody& body, const HeatDesc& desc);
inline void set_material_at(ShellBody&, std::span<const double>) {}

void save_state(const ShellBody& body, ByteWriter& out);
void load_state(ShellBody& body, ByteReader& in);
void hash_state(const ShellBody& body, Hash& hash);

}  // namespace pliant
