#pragma once
// What takes part in the contacts of modal bodies: the modal bodies, and the rigid ones near them. Numbered in this
// order, each with its generalised coordinates (translation, rotation, modes).

#include <span>
#include <vector>

#include "pliant/body/modal_contact.hpp"
#include "pliant/solve/aligned.hpp"
#include "pliant/solve/dense.hpp"

namespace pliant {

/// Points told where to be, as rows of the body's coordinates, and the pseudo-inverse of their effect.
struct HoldRows {
    std::size_t count = 0, stride = 0;       ///< rows, and how far apart those of the matrices below are
    AlignedVector<double> jacobian, scaled;  ///< coordinates × stride: Jᵀ, and Jᵀ in axes where the response is one
    std::vector<double> missing, forces;     ///< per row
    std::vector<double> root, along, sum;    ///< per coordinate; root: of its response
    double off = 0;                          ///< of the row that its forces bring least to where it is told to be, m
    Eigen::MatrixXd product;
    SymmetricEigen eigen;
};

struct ContactBody {
    ModalBody* modal = nullptr;  ///< one of these two
    RigidBody* rigid = nullptr;
    const ObstacleShape* form = nullptr;  ///< of a rigid one, where it was at the start of the run
    int coordinates = 6;
    double spacing = 0, friction = 0;
    double radius = 0;          ///< of a rigid one about its centre, m
    double margin = 0;          ///< by which Bullet keeps it apart from others, m
    std::vector<Vec3> normals;  ///< of the vertices, at rest

    // A rigid one as it would move: it is only guessed here what Bullet does when its turn comes.
    Vec3 x = Vec3::Zero(), v = Vec3::Zero(), spin = Vec3::Zero();
    Mat3 rotation = Mat3::Identity();
    Pose pose;
    std::vector<Vec3> own_points, own_velocities;
    Vec3 impulse = Vec3::Zero(), twist = Vec3::Zero();  ///< that bodies made of nodes gave it for this step
    std::size_t own_pushes = 0;                         ///< the first of its pushes that modal bodies gave
    bool carried = false;                               ///< by something rigid, in some part of the step

    bool joined = false;   ///< a rigid one by a joint to a modal one
    bool near = true;      ///< may touch a modal body in this step, or is joined to one
    bool present = true;   ///< near, or beside a rigid body that is
    bool touched = false;  ///< touches one in this part of the step, or is joined
    bool movable = true;
    double inverse_mass = 0;  ///< 1/kg
    Mat3 inverse_inertia = Mat3::Zero();
    Box box;
    double fastest = 0;  ///< of its vertices, m/s

    // Generalised: external forces, contact forces, rates now and rates at the end of the part if nothing else acted.
    std::vector<double> external, extra, rate, end, push;
    AlignedVector<double> jacobian, answer;  ///< coordinates × stride of the rows: Jᵀ and M⁻¹Jᵀ
    HoldRows held[2];                        ///< for speeds, for forces

    Vec3 normal(int vertex) const {
        const Vec3& n = normals[static_cast<std::size_t>(vertex)];
        return modal ? modal->frame.rotation * n : pose.rotation * n;
    }
    std::span<const Vec3> points() const { return modal ? std::span<const Vec3>(modal->points) : own_points; }
    std::span<const Vec3> velocities() const {
        return modal ? std::span<const Vec3>(modal->velocities) : own_velocities;
    }
};

/// All of them at the start of a step; `contact_bodies` keeps its memory.
void gather_contact_bodies(std::span<ModalBody> bodies, const RigidPartners& rigid, std::span<const ModalJoint> joints,
                           double dt, std::vector<ContactBody>& contact_bodies);
/// Inertia, box and speeds of those near, for a part of a step.
void refresh(ContactBody& contact_body);
/// The rates at present.
void find_rates(ContactBody& contact_body);
/// External forces of those near; `step`: the whole step, over which a rigid body takes what others gave it.
void find_external(ContactBody& contact_body, const Vec3& gravity, double step, std::vector<double>& scratch);
/// Rates after dt under external and extra forces: exact for the modes.
void find_end(ContactBody& contact_body, double dt);
/// Changes the rates by a generalised impulse; a rigid one's real velocity is not touched.
void strike(ContactBody& contact_body, std::span<const double> impulse);
/// Moves it over dt.
void advance(ContactBody& contact_body, double dt, Threads& threads);

/// Bullet's bodies at rest have speeds of what gravity does in a substep or two, now down, now none. In what is guessed
/// here, those that are carried, or of which it is not known, then do not move at all.
void quiet_down(ContactBody& contact_body, double slow);
/// After the last part: pushes of a rigid body are gathered into a blow at the start and an even push such that its
/// own, semi-implicit substeps end where this step did: else the difference would be a gap or a depth for the next
/// step, and what lies still would tremble. One that something rigid carries is pushed evenly.
void merge_pushes(ContactBody& contact_body, const Vec3& gravity, int substeps, double dt);

/// Where the far end of a joint is.
Vec3 joint_end(std::span<const ContactBody> contact_bodies, const ModalJoint& joint);

/// Jᵀ·axes of a point of a rigid one, of the far end of a joint, and of a contact, see add_jacobian(ModalBody).
void add_rigid_jacobian(const ContactBody& contact_body, const Vec3& point, const Mat3& axes, double scale,
                        double* columns, std::size_t stride, int at);
void add_jacobian(const ContactBody& contact_body, const ModalTouch& touch, bool as_partner, const Mat3& axes,
                  double scale, double* columns, std::size_t stride, int at);
double mobility(const ContactBody& contact_body, const ModalTouch& touch, bool as_partner, const Vec3& direction);

/// Touches of all contact_bodies, clustered, in a fixed order, supports last; `pair` is scratch. Returns how many there
/// were before clustering.
int find_touches(std::span<ContactBody> contact_bodies, int modal_count, std::span<const Obstacle> obstacles, double dt,
                 std::vector<ModalTouch>& touches, std::vector<ModalTouch>& pair);

/// Eqs. 14 and 15 for the points held on the body with this number: makes held[forces] ready for this part.
void prepare_hold(ContactBody& contact_body, std::span<const ModalHold> holds, int number, double dt, bool forces);
/// Speeds that lead to the targets.
void hold_speeds(ContactBody& contact_body, std::span<const ModalHold> holds, int number, double dt);
/// Forces, added to `extra`, with which the targets are reached at the end.
void hold_places(ContactBody& contact_body, std::span<const ModalHold> holds, int number, double dt);

}  // namespace pliant
