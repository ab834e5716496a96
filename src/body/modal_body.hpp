#pragma once
// A body that moves as a rigid frame and deforms by its vibration modes (Hauser, Shen & O'Brien 2003): a few dozen
// numbers are its whole state, however fine the surface it carries.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/body/deformable_body.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/modal/decompose.hpp"
#include "pliant/modal/oscillators.hpp"

namespace pliant {

/// How a modal body answers a touch.
struct ModalContactOptions {
    bool penalty = false;  ///< springs instead of constraints: cheaper, but stiff ones need short steps
    double stiffness = 0;  ///< of the springs, N/m per point; 0: a tenth of what the step can bear
    double cluster =
        0;          ///< touching points nearer than this act as one, m; 0: 6 % of the body's size. Too small: slow.
    int most = 24;  ///< contact points of a pair after clustering; more is slower, fewer rests less evenly
};

struct ModalBodyDesc {
    std::string name = "body";
    TetMesh mesh;
    std::vector<ElasticNumbers> material;  ///< one for all tets, or one per tet
    Damping damping;
    TriMesh surface;       ///< what is seen and touched; empty: the boundary of the mesh
    int modes = 40;        ///< kept at most; more follow finer deformations and cost time in proportion
    Observability limits;  ///< modes that could never be seen are left out
    std::vector<int>
        held;  ///< nodes taken out before the decomposition; enough of them and the body has no free motion
    bool inertial = false;  ///< centrifugal and Coriolis forces on the modes, inertia that follows the deformation
    ModalContactOptions contact;
    std::optional<HeatDesc> heat;  ///< none: no temperature
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< rad/s about the centre of mass
    double friction = 0.5;
    bool collide = true;
    Vec3 color{0.8, 0.8, 0.8};
};

/// Constant parts first, then the state, then what is derived from it. The temperature is state, too; x and v follow
/// from the frame and the oscillators.
struct ModalBody : DeformableBody {
    bool inertial = false;
    ModalContactOptions contact;
    std::vector<ElasticNumbers> material;  ///< per tet
    std::vector<float> energy_share;       ///< [tet][mode]: φᵀ K_tet φ / λ, for heat alone
    std::vector<double> energy_shares;     ///< per mode: their sum, 1 but for rounding
    ModalBasis basis;                      ///< of the cold body
    ModeReport report;                     ///< of the decomposition
    bool anchored;                         ///< held: the frame does not move
    double total_mass;                     ///< kg
    Vec3 centre;                           ///< of mass at rest, m
    Mat3 inertia;                          ///< about it at rest, kg·m²
    Eigen::MatrixXd surface_shape;         ///< 3·vertices × modes
    std::vector<Mat3> spread;              ///< per mode i: Σ m φ_i rᵀ, kept when `inertial`
    std::vector<Mat3> mixed;               ///< per pair i·modes + j: Σ m φ_i φ_jᵀ, likewise
    AabbTree rest_triangles, rest_tets;    ///< of the surface and the mesh at rest

    // The state.
    Pose frame;               ///< of the centre of mass: x = frame · (rest − centre + W z)
    Vec3 velocity;            ///< of the centre of mass, m/s
    Vec3 angular_momentum;    ///< about it, in the world, kg·m²/s
    Oscillators oscillators;  ///< with the eigenvalues that the temperature leaves

    int touching = 0;  ///< contact points of the last step

    int coordinates() const { return 6 + basis.mode_count(); }
};

/// Decomposes, so this can take a while. UserErrors as decompose() and assemble_modal() have.
ModalBody make_modal_body(ModalBodyDesc desc, Threads& threads);

void update_surface(ModalBody& body, Threads& threads);
SurfaceView surface_view(const ModalBody& body);
std::span<const double> node_mass(const ModalBody& body);
inline const char* kind_name(const ModalBody&) { return "modal"; }

/// Angular velocity of the frame in the world, rad/s.
Vec3 angular_velocity(const ModalBody& body);
/// Inverse inertia in the world, of the deformed shape when `inertial`.
Mat3 inverse_inertia(const ModalBody& body);

/// Where a point of the mesh is, and how fast it moves.
Vec3 point_position(const ModalBody& body, const Point& point);
Vec3 point_velocity(const ModalBody& body, const Point& point);

/// A point that hangs on up to four nodes of the mesh or vertices of the surface.
struct ModalPoint {
    const Eigen::MatrixXd* shape;  ///< of the body: of its nodes, or of its surface
    std::array<int, 4> row;        ///< nodes or vertices
    Vec4 weight;
    int count;
    Vec3 x;  ///< where it is, m
};
ModalPoint mesh_point(const ModalBody& body, const Point& point);
ModalPoint surface_point(const ModalBody& body, const Tri& on, const Vec3& weight);
ModalPoint surface_vertex(const ModalBody& body, int vertex);

/// Generalised coordinates are (translation, rotation, modes). Adds scale·Jᵀ·axes, J the Jacobian of the point, to
/// columns `at` … `at` + 2 of a matrix of coordinates × stride, row by row. Nothing in the first six rows of an
/// anchored body.
void add_jacobian(const ModalBody& body, const ModalPoint& point, const Mat3& axes, double scale, double* columns,
                  std::size_t stride, int at);
/// How fast the point yields to a unit impulse along a unit direction, 1/kg.
double mobility(const ModalBody& body, const ModalPoint& point, const Vec3& direction);
/// An impulse at a point, N·s.
void apply_impulse(ModalBody& body, const ModalPoint& point, const Vec3& impulse);
/// Adds a force at a point to a generalised force: Jᵀ f.
void add_force(const ModalBody& body, const ModalPoint& point, const Vec3& force, std::span<double> generalised);
/// An impulse in generalised coordinates: Jᵀ times impulses, N·s, N·m·s, √kg·m/s.
void apply_generalised(ModalBody& body, std::span<const double> impulse);
/// What body.force is in generalised coordinates, inertial forces included. `scratch`: kept between calls.
void external_force(const ModalBody& body, std::span<double> generalised, std::vector<double>& scratch);

/// Motion over dt under a generalised force held constant, exact for the modes.
void advance(ModalBody& body, double dt, std::span<const double> generalised_force);

double elastic_energy(const ModalBody& body);  ///< J

void save_state(const ModalBody& body, ByteWriter& out);
void load_state(ModalBody& body, ByteReader& in);
void hash_state(const ModalBody& body, Hash& hash);

}  // namespace pliant
