#pragma once
// What a scene says, as plain data: written by hand in C++ or by the verbs of a script, turned into a World by
// build_world (scene/simulation.hpp).
//
// Frames of reference. Everything written inside a fem_body (surface, regions, vary) is in the body's own
// coordinates; everything written elsewhere (fix, move, pull, body:point …) is in world coordinates at time 0,
// after the body was placed by `at` and `rotate`.
//
// Functions may call into a script: they are called from one thread only, and not after its Scene is gone. They throw
// UserError, with the line of the function, when the script fails or returns something else than it should.
//
// Every member has a default, so that a program names only what it sets: {.name = "ground", .friction = 0.8}.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/body/cutting.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/types.hpp"
#include "pliant/fracture/crack_mesh.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/material/heat_table.hpp"
#include "pliant/material/plasticity.hpp"
#include "pliant/mesh/particle_structure.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/particle/particle_model.hpp"
#include "pliant/particle/volume_constraint.hpp"
#include "pliant/remesh/remesh_options.hpp"

namespace pliant {

inline constexpr double forever = std::numeric_limits<double>::infinity();

struct WorldDesc {
    double dt = 0.01;     ///< longest step, s; see step_length
    double duration = 4;  ///< s
    double fps = 50;      ///< frames per second
    Vec3 gravity{0, -9.81, 0};
    std::uint64_t seed = 1;
    bool barriers = false;  ///< implicit bodies touch by barriers that cannot be crossed
    double patience = 600;  ///< s that making one part of a body may take by estimate; more is refused
    Where where = {};
};

/// The number of equal steps between two frames, and their length (s): at most dt, and a frame ends on a step.
int steps_per_frame(const WorldDesc& world);
double step_length(const WorldDesc& world);
/// Frames after the first one, which shows time 0.
int frame_count(const WorldDesc& world);

/// A surface mesh as loaded, already scaled and placed as the scene asked.
struct MeshDesc {
    std::shared_ptr<const TriMesh> mesh = {};
    std::string file = {};  ///< as the scene wrote it
    Where where = {};       ///< of the load
};

/// The seen surface of a body or obstacle: exactly one of shape and mesh, or neither (the boundary of the tets).
struct SurfaceDesc {
    ShapePtr shape = {};
    std::optional<MeshDesc> mesh = {};
    double edge = 0;          ///< wanted triangle edge for shapes, m; 0: not said
    long long triangles = 0;  ///< wanted number of triangles for shapes; 0: not said
    Where where = {};
};

struct VolumeDesc {
    enum class Kind { lattice, grid, tets, conforming, tetgen };
    Kind kind = Kind::lattice;
    double cell = 0;                           ///< lattice, conforming: cell size, m; 0: not said
    long long tets = 0;                        ///< likewise: wanted number of tets; 0: not said
    std::array<int, 3> cells{1, 1, 1};         ///< grid: cubes along x, y, z
    double jitter = 0;                         ///< grid: inner nodes are moved by up to this part of a cube at random
    std::shared_ptr<const TetMesh> mesh = {};  ///< tets: as loaded, scaled and placed
    std::shared_ptr<const ParticleStructure> structure = {};     ///< of the same, when the file has Voronoi cells
    std::function<TetMesh(const TriMesh& surface)> tetgen = {};  ///< tetgen: fills the seen surface
    std::string structured = {};  ///< tets made from this text, see meshing/structured.hpp; empty: not
    std::string file = {};
    Where where = {};
};

/// Numbers that may differ from place to place; what is not set comes from the material, then from the preset.
struct MaterialNumbers {
    std::optional<double> young = {};     ///< Pa
    std::optional<double> poisson = {};   ///< 1
    std::optional<double> density = {};   ///< kg/m³
    std::optional<double> yield = {};     ///< 1; of the plasticity law, when there is one
    std::optional<double> rate = {};      ///< 1/s; likewise
    std::optional<double> strength = {};  ///< Pa; of `fracture`, when there is one
};

struct PlasticityDesc {
    std::string law = {};  ///< of plasticity_laws(); empty: none, whatever the preset says
    PlasticNumbers numbers = {};
    std::optional<double> yield_stress = {};  ///< instead of numbers.yield: von Mises' stress where flow starts, Pa
    Vec3 lasting = Vec3::Ones();              ///< stretches along the body's own axes that last from before the start
    Where where = {};
};

struct MaterialHeatDesc {
    HeatNumbers numbers = {};
    HeatTable table = {};
    bool relative = false;  ///< its Young's moduli are shares of the material's own
    Where where = {};
};

struct MaterialFractureDesc {
    double strength = 0;  ///< Pa
    double noise = 0;     ///< share
    int splits = 4;       ///< per step
    double propagation = 1;
    std::optional<double> grain = {};  ///< m; none: a mean tet
    bool smooth = false;               ///< shading of crack faces
    bool touch = false;                ///< pieces touch each other
    /// Cracks go through elements: `strength` is the toughness, `splits` the nodes that may open in a step.
    bool through_elements = false;
    CutOptions cut = {};
    int planes = 3;
    double crack_speed = 1;     ///< as ElementCracks::speed
    bool by_intensity = false;  ///< `strength` is a critical stress intensity, Pa·√m
    bool by_release = false;    ///< `strength` is a critical energy release rate, J/m²
    Where where = {};
};

struct RegionDesc {
    ShapePtr inside = {};  ///< body coordinates; the last region that contains a tet's centre wins
    MaterialNumbers numbers = {};
    std::optional<Vec3> color = {};  ///< linear RGB, outside and inside; none: as the body
    Where where = {};
};

/// A picture that numbers are painted in: 8 bits of sRGB per channel, row by row from the top left.
struct PaintPicture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb = {};
};

/// A number painted on the surface: where the channel is 0 it is `from`, where it is 1 it is `to`.
struct PaintDesc {
    /// Which number; null: the temperature at the start, °C.
    std::optional<double> MaterialNumbers::*number = nullptr;
    enum class Channel { red, green, blue, alpha, grey };
    Channel channel = Channel::red;  ///< linear
    double from = 0, to = 1;
    bool logarithmic = false;  ///< equal steps of colour are equal factors
    Where where = {};
    std::shared_ptr<const PaintPicture> picture = {};  ///< laid on by texture coordinates; null: colours at vertices
};

struct MaterialDesc {
    std::string preset = {};  ///< empty: none
    Where preset_where = {};
    MaterialNumbers numbers = {};
    std::optional<std::string> elasticity = {};  ///< a name of material_laws()
    std::vector<double> law_numbers = {};        ///< of its own keys; empty: their defaults
    std::optional<PlasticityDesc> plasticity = {};
    std::optional<MaterialHeatDesc> heat = {};
    std::optional<MaterialFractureDesc> fracture = {};
    std::optional<double> mass_damping = {};       ///< 1/s
    std::optional<double> stiffness_damping = {};  ///< s
    std::optional<double> friction = {};           ///< Coulomb coefficient
    std::vector<RegionDesc> regions = {};
    std::vector<PaintDesc> paint = {};            ///< applied after the regions and before `vary`
    std::shared_ptr<const TriMesh> painted = {};  ///< what it is painted on, body coordinates; has colours
    std::function<MaterialNumbers(const Vec3& rest)> vary = {};  ///< empty: none; applied after the regions
    Where where = {};
};

struct IntegratorDesc {
    std::string kind = "implicit_euler";  ///< or "leap_frog", or another name of body/integrator.hpp
    int iterations = 0;                   ///< 0: as many as needed
    double tolerance = 0;                 ///< 0: always `iterations`
    std::string preconditioner = "auto";  ///< "auto", "jacobi", "two_level" or "multigrid"
    int newton = 0;                       ///< as in SolveOptions
    double step = 1e-4;                   ///< leap_frog, explicit: longest, s; explicit: 0 for what is stable
    double damping = 1;                   ///< leap_frog: factor on velocities per step
    Where where = {};
};

/// Of bodies of the kind "modal".
struct ModalDesc {
    int modes = 40;
    ShapePtr hold = {};     ///< nodes inside are taken out before the decomposition; null: none
    bool inertial = false;  ///< centrifugal and Coriolis forces
    bool penalty = false;   ///< contact by springs
    double cluster = 0;     ///< m
    Where hold_where = {};
};

/// Of bodies of the kind "shell".
struct ShellDesc {
    double thickness = 1e-3;                  ///< m
    std::string bending = "smooth";           ///< or "hinge", "none"
    double bending_stiffness = 0;             ///< N·m; 0: from modulus and thickness
    std::optional<double> crease_yield = {};  ///< strain at the face from which a bend stays; none: springs back
    double crease_max = 1;                    ///< largest lasting strain at the face
    bool thick = true;                        ///< seen with both faces and a rim
    ShapePtr clamped = {};                    ///< world, m: rim edges inside keep their direction; null: none
    Where where = {};
};

/// Numbers of a particle body's material that may differ from place to place.
struct ParticleNumbers {
    std::optional<double> young = {}, shear = {}, poisson = {}, density = {},
                          fibre_young = {};  ///< Pa, Pa, 1, kg/m³, Pa
    std::optional<Vec3> fibre = {};
};

/// What a particle body has instead of a MaterialDesc.
struct ParticleDesc {
    ParticleModelOptions model = {};
    ParticleNumbers numbers = {};
    struct Region {
        ShapePtr inside;  ///< body coordinates; the last one that contains a tet's centre counts
        ParticleNumbers numbers;
    };
    std::vector<Region> regions = {};
    std::function<ParticleNumbers(const Vec3& rest)> vary = {};  ///< empty: none; applied after the regions
    double mass_damping = 0, stiffness_damping = 0;              ///< implicit, 1/s and s
    std::optional<double> friction = {};
};

/// The voice of a body: which modes, and how it is struck.
struct SoundDesc {
    int modes = 60;                                ///< the lowest so many
    bool quadratic = true;                         ///< ten-node tets: right pitch from coarse meshes
    std::optional<double> mass_damping = {};       ///< Rayleigh α, 1/s; from the material when not given
    std::optional<double> stiffness_damping = {};  ///< Rayleigh β, s
    double contact_time = 0;                       ///< s; 0: after Hertz
    double roughness = 0;
    double grain = 1e-3;  ///< m
    double gain = 1;
    Where where = {};
};

/// Ears; sizes as in sound/mix.hpp.
struct ListenerDesc {
    Vec3 at = Vec3::Zero();
    Vec3 right{1, 0, 0};   ///< unit
    double ears = 0;       ///< m
    double reference = 1;  ///< m
    bool delay = true;
    Where where = {};
};

struct BodyDesc {
    std::string name = {};     ///< unique
    std::string kind = "fem";  ///< or "particle", "shell", "modal", "rigid"
    SurfaceDesc surface = {};
    VolumeDesc volume = {};
    Pose pose = {};
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< rad/s (a scene writes degrees per second)
    MaterialDesc material = {};
    ParticleDesc particle = {};
    std::optional<VolumeConstraintOptions> keeps_volume = {};
    bool smoothed = false;                     ///< fem: the smoothed element
    std::optional<CuttingDesc> cutting = {};   ///< fem: none: it cannot be cut
    std::optional<RemeshOptions> remesh = {};  ///< fem: none: its mesh stays
    IntegratorDesc integrator = {};
    ModalDesc modal = {};
    ShellDesc shell = {};
    bool collide = true;
    std::optional<double> contact_distance = {};  ///< m; none: 2 % of the edges of what is seen
    std::optional<Vec3> color = {};               ///< linear RGB
    std::optional<Vec3> inside_color = {};        ///< of faces that cracks and cuts open, linear RGB
    std::optional<SoundDesc> sound = {};          ///< none: silent
    // Rigid bodies only.
    double restitution = 0.3;
    bool fixed = false;
    int pieces = 64;              ///< convex ones at most
    std::vector<Vec3> hung = {};  ///< points of the body that stay where they are, world, m
    Where where = {};
};

/// fix, move and rotate: nodes inside a shape follow a rigid placement of where they are at time 0.
struct GripDesc {
    int body = 0;  ///< index into SceneDesc::bodies
    ShapePtr inside = {};
    std::function<Pose(double t)> pose = {};
    double from = 0;
    double till = forever;  ///< released after this time, s
    int axis = -1;          ///< 0, 1, 2: only this coordinate is given; -1: all
    Where where = {};
};

/// A force (N in all) shared among the nodes inside a shape, or on the node nearest to a point.
struct PullDesc {
    int body = 0;
    ShapePtr inside = {};
    std::optional<Vec3> at = {};
    std::function<Vec3(double t)> force = {};
    double from = 0;
    double till = forever;
    Where where = {};
};

/// Pressure or traction on the seen surface inside a shape; nothing: on all of it.
struct SurfaceLoadDesc {
    int body = 0;
    ShapePtr on = {};
    std::function<double(double t)> pressure = {};  ///< Pa; either this
    std::function<Vec3(double t)> traction = {};    ///< Pa; or this
    bool following = true;
    double from = 0;
    double till = forever;
    Where where = {};
};

/// A force per volume (N/m³) in the tets inside a shape; nothing: in all of them.
struct VolumeLoadDesc {
    int body = 0;
    ShapePtr inside = {};
    std::function<Vec3(double t)> force = {};
    double from = 0;
    double till = forever;
    Where where = {};
};

/// Bodies that stay together at a point, or turn about a line.
struct JointDesc {
    int a = 0;
    std::optional<int> b = {};      ///< nothing: the world
    Vec3 at = Vec3::Zero();         ///< m
    std::optional<Vec3> axis = {};  ///< unit; a hinge
    double width = 0;               ///< of a hinge, m; 0: a fifth of body a
    Where where = {};
};

/// Bodies and obstacles that pass through each other; one alone passes through itself.
struct IgnoreDesc {
    std::vector<int> bodies = {};
    std::vector<std::string> obstacles = {};  ///< names, of planes too
    Where where = {};
};

/// A spring from the material point that is at `at` at time 0 to a place.
struct DragDesc {
    int body = 0;
    Vec3 at = Vec3::Zero();
    std::function<Vec3(double t)> target = {};
    double stiffness = 0;  ///< N/m; 0: as stiff as the body feels at that point
    double from = 0;
    double till = forever;
    Where where = {};
};

/// A cut: by a plane, by a blade along a path, or along a shape or closed mesh; one of these.
struct CutDesc {
    int body = 0;
    std::optional<Vec3> point = {};  ///< of a plane, m
    Vec3 normal{0, 1, 0};
    std::vector<Vec3> path = {};  ///< of a blade, m
    Vec3 direction{0, -1, 0};     ///< in which it reaches `depth`
    double depth = forever;       ///< m
    double height = 0;            ///< m, the other way
    double thickness = 0;         ///< m, of what it takes away
    ShapePtr along = {};
    std::optional<MeshDesc> along_mesh = {};
    bool carves = false;  ///< what is inside goes away
    double at = 0;        ///< s
    double duration = 0;  ///< s that a blade takes
    std::function<bool(double t)> when = {};
    Where where = {};
};

/// Numbers that become others at a time.
struct ChangeDesc {
    int body = -1;  ///< -1: the world's own
    double at = 0;
    std::vector<std::pair<std::string, double>> numbers = {};
    Where where = {};
};

/// Something hot (or cold) that warms what is near it.
struct HeatSourceDesc {
    std::function<Vec3(double t)> at = {};
    double radius = 0.1;  ///< m
    double temperature = 80;
    double power = 100;  ///< W
    double from = 0;
    double till = forever;
    Where where = {};
};

/// ground and plane: the half space behind it is solid.
struct PlaneDesc {
    std::string name = {};
    Vec3 point = Vec3::Zero();
    Vec3 normal{0, 1, 0};  ///< unit length
    double friction = 0.5;
    std::optional<Vec3> color = {};
    Where where = {};
};

struct ObstacleDesc {
    std::string name = {};
    SurfaceDesc surface = {};
    Pose pose = {};  ///< at time 0, when there is no motion
    double friction = 0.5;
    std::function<Pose(double t)> motion = {};  ///< empty: it stays at `pose`
    std::optional<Vec3> color = {};
    Where where = {};
};

/// Where pictures of the scene are taken from, when the scene says so.
struct CameraDesc {
    Vec3 eye = Vec3::Zero(), target = Vec3::Zero();
    double fov = 26;  ///< vertical, degrees
    Where where = {};
};

/// Light and surroundings of pictures; what is left out is found or has a default. Colours are linear RGB.
struct LightingDesc {
    std::optional<Vec3> sun = {};  ///< where it stands
    double softness = 0.075;       ///< half the angle it is seen under, radians
    std::optional<Vec3> sky = {}, horizon = {}, floor = {};
    double exposure = 0;  ///< stops
};

/// What a body or an obstacle is made of to the eye.
struct LookDesc {
    std::string of = {};               ///< its name
    std::optional<double> gloss = {};  ///< 0 chalk, 1 wax, 2 wet
    double translucency = 0;           ///< how deep the sun gets, as a share of half the body's size
    std::string texture = "none";      ///< or "checker", "stripes", "noise"
    double size = 0.05;                ///< of the texture, m
    Vec3 second = Vec3::Ones();        ///< its other colour, linear RGB
};

struct MeasureDesc {
    std::string name = {};
    std::function<double()> value = {};
    std::string energy = {};  ///< instead of `value`: a term of the energy ledger (world/ledger.hpp), J
    Where where = {};
};

struct ExpectDesc {
    enum class At { end, always };
    std::string description = {};
    std::function<bool(std::string& message)> check = {};  ///< evaluated at the end; empty: a range of a measure
    std::string measure = {};
    double at_least = -forever, at_most = forever;
    At at = At::end;
    Where where = {};
};

/// What must be true of a number that `pliant sound` measures in the sound it wrote.
struct SoundExpectDesc {
    std::string metric = {};
    double at_least = -forever, at_most = forever;
    Where where = {};
};

/// A file that a scene was made from.
struct SceneFile {
    std::string path = {};      ///< absolute, but for the scene itself: as given
    std::uint64_t content = 0;  ///< hash of what was read
};

struct SceneDesc {
    std::string file = {};                ///< as given by the user; for messages and the report
    std::vector<SceneFile> files = {};    ///< all that were read: the scene's own first, then includes and meshes
    std::vector<std::string> notes = {};  ///< what a user should know about what was read, a sentence each
    WorldDesc world = {};
    std::vector<BodyDesc> bodies = {};
    std::vector<GripDesc> grips = {};
    std::vector<PullDesc> pulls = {};
    std::vector<SurfaceLoadDesc> surface_loads = {};
    std::vector<VolumeLoadDesc> volume_loads = {};
    std::vector<DragDesc> drags = {};
    std::vector<JointDesc> joints = {};
    std::vector<IgnoreDesc> ignored = {};
    std::vector<HeatSourceDesc> heat_sources = {};
    std::vector<CutDesc> cuts = {};
    std::vector<ChangeDesc> changes = {};
    std::vector<PlaneDesc> planes = {};
    std::vector<ObstacleDesc> obstacles = {};
    std::optional<CameraDesc> camera = {};
    std::optional<LightingDesc> lighting = {};
    std::vector<LookDesc> looks = {};
    std::vector<MeasureDesc> measures = {};
    std::vector<ExpectDesc> expects = {};
    std::optional<ListenerDesc> listener = {};
    std::vector<SoundExpectDesc> sound_expects = {};
    double rigid_substep = 1e-3;  ///< s
    std::vector<std::function<void(double t, double dt)>> on_step = {};
    std::vector<std::function<void(double t, int index)>> on_frame = {};
};

/// What body:volume() and its like ask; implemented by whoever builds the world, one per body.
class BodyQuery {
public:
    virtual ~BodyQuery() = default;

    virtual double volume() const = 0;                    ///< m³
    virtual double rest_volume() const = 0;               ///< m³
    virtual double mass() const = 0;                      ///< kg
    virtual Vec3 center() const = 0;                      ///< centre of mass, m
    virtual Vec3 velocity() const = 0;                    ///< of the centre of mass, m/s
    virtual double kinetic_energy() const = 0;            ///< J
    virtual double elastic_energy() const = 0;            ///< J
    virtual double max_speed() const = 0;                 ///< m/s
    virtual Box bounds() const = 0;                       ///< of the seen surface
    virtual double temperature() const { return 0; }      ///< mean over its mass, °C; 0 without heat
    virtual double max_temperature() const { return 0; }  ///< of its hottest node
    virtual double plastic_strain() const { return 0; }   ///< mean norm over its volume, 1
    virtual int pieces() const { return 1; }              ///< that can be seen
    virtual int remeshes() const { return 0; }            ///< so far
    virtual double volume_change() const { return 0; }    ///< largest so far of a body that is remeshed, relative
    /// Force through the plane where coordinate `axis` is `at`, as the part above pulls the part below, N.
    virtual Flux flux(int /*axis*/, double /*at*/) const { return {}; }
    virtual int node_count() const = 0;
    virtual int tet_count() const = 0;
    /// The node that was nearest to a world point at time 0; asked once per point and mesh revision.
    virtual int node_near(const Vec3& start) const = 0;
    virtual Vec3 node_position(int node) const = 0;
    virtual std::uint64_t revision() const = 0;  ///< of the tet mesh; a change makes nodes be looked up again
};

}  // namespace pliant
