#include "pliant/body/modal_body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/body/seen_volume.hpp"
#include "pliant/core/error.hpp"

namespace pliant {

namespace {

Mat3 cross_matrix(const Vec3& w) {
    Mat3 m;
    m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    return m;
}

Box tet_box(const std::vector<Vec3>& x, const Tet& t) {
    Box box;
    for (int i : t) box.add(x[i]);
    return box;
}

Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& v) {
    return {v.data(), static_cast<Eigen::Index>(v.size())};
}

// Σ m φ rᵀ and Σ m φ φᵀ: what inertial forces on the modes are made of.
void prepare_inertial(ModalBody& b) {
    const int modes = b.basis.mode_count();
    b.spread.assign(modes, Mat3::Zero());
    b.mixed.assign(static_cast<std::size_t>(modes) * modes, Mat3::Zero());
    for (int n = 0; n < b.basis.node_count(); ++n) {
        const double m = b.basis.mass[n];
        const Vec3 r = b.mesh.rest[n] - b.centre;
        for (int i = 0; i < modes; ++i) {
            const Vec3 p = m * b.basis.shape_at(n, i);
            b.spread[i] += p * r.transpose();
            for (int j = 0; j < modes; ++j)
                b.mixed[static_cast<std::size_t>(i) * modes + j] += p * b.basis.shape_at(n, j).transpose();
        }
    }
}

Mat3 local_inertia(const ModalBody& b) {
    Mat3 h = b.inertia;
    if (b.inertial)
        for (int i = 0; i < b.basis.mode_count(); ++i) {
            const Mat3& s = b.spread[i];
            h += b.oscillators.z[i] * (2 * s.trace() * Mat3::Identity() - s - s.transpose());
        }
    return h;
}

// −Σ m φ_i·(ω×(ω×r) + 2 ω×ṙ) in the frame of the body (eq. 20), r of the deformed shape.
void add_inertial_forces(const ModalBody& b, Eigen::VectorXd& g) {
    const int modes = b.basis.mode_count();
    const Mat3 w = cross_matrix(b.frame.rotation.conjugate() * angular_velocity(b)), ww = w * w;
    for (int i = 0; i < modes; ++i) {
        Mat3 s = b.spread[i], rate = Mat3::Zero();
        for (int j = 0; j < modes; ++j) {
            const Mat3& t = b.mixed[static_cast<std::size_t>(i) * modes + j];
            s += b.oscillators.z[j] * t, rate += b.oscillators.v[j] * t;
        }
        g[6 + i] -= (ww.cwiseProduct(s)).sum() + 2 * (w.cwiseProduct(rate)).sum();
    }
}

}  // namespace

ModalBody make_modal_body(ModalBodyDesc desc, Threads& threads) {
    if (desc.mesh.tets.empty()) throw UserError("body '" + desc.name + "' has no elements", {}, "Use a smaller cell.");
    orient_tets(desc.mesh);
    if (desc.surface.triangles.empty()) desc.surface = boundary_surface(desc.mesh).surface;
    ModalSystem system = assemble_modal(desc.mesh, desc.material, MassKind::lumped);
    fix_nodes(system, desc.held);
    const int free = system.unknowns() - static_cast<int>(rigid_motions(system).cols());
    if (free < 1)
        throw UserError("body '" + desc.name + "' has no way left to deform", {},
                        "Hold fewer nodes, or use a finer mesh.");
    ModeRequest request;
    request.count = std::min(desc.modes, free);
    request.damping = desc.damping;

    ModalBody b;
    b.basis = decompose(system, request, threads, &b.report);
    const std::vector<int> seen = observable_modes(b.basis, desc.limits);
    if (!seen.empty() && static_cast<int>(seen.size()) < b.basis.mode_count()) b.basis = selected(b.basis, seen);
    b.name = std::move(desc.name), b.color = desc.color, b.friction = desc.friction, b.collide = desc.collide;
    b.inertial = desc.inertial, b.contact = desc.contact;
    b.mesh = std::move(desc.mesh), b.surface = std::move(desc.surface);
    b.embedding = embed(b.mesh, b.surface.points);
    b.surface_facts = inspect(b.surface);
    b.rest_volume = surface_closed(b.surface_facts) ? b.surface_facts.volume : total_volume(b.mesh.rest, b.mesh.tets);
    double edges = 0;
    for (const Tri& t : b.surface.triangles)
        for (int k = 0; k < 3; ++k) edges += (b.surface.points[t[k]] - b.surface.points[t[(k + 1) % 3]]).norm();
    b.spacing = edges / static_cast<double>(3 * b.surface.triangles.size());
    b.anchored = !desc.held.empty();
    b.total_mass = 0, b.centre.setZero(), b.inertia.setZero();
    for (int i = 0; i < b.mesh.node_count(); ++i)
        b.total_mass += b.basis.mass[i], b.centre += b.basis.mass[i] * b.mesh.rest[i];
    b.centre /= b.total_mass;
    for (int i = 0; i < b.mesh.node_count(); ++i) {
        const Vec3 r = b.mesh.rest[i] - b.centre;
        b.inertia += b.basis.mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const int modes = b.basis.mode_count();
    b.surface_shape.resize(static_cast<Eigen::Index>(3 * b.surface.points.size()), modes);
    for (std::size_t p = 0; p < b.surface.points.size(); ++p) {
        auto rows = b.surface_shape.middleRows(static_cast<Eigen::Index>(3 * p), 3);
        rows.setZero();
        const Tet& t = b.mesh.tets[b.embedding.tet[p]];
        for (int k = 0; k < 4; ++k) rows += b.embedding.weight[p][k] * b.basis.shape.middleRows(3 * t[k], 3);
    }
    if (b.inertial) prepare_inertial(b);
    std::vector<Box> boxes;
    for (const Tri& t : b.surface.triangles) {
        Box box;
        for (int i : t) box.add(b.surface.points[i]);
        boxes.push_back(box);
    }
    b.rest_triangles = AabbTree(boxes);
    boxes.clear();
    for (const Tet& t : b.mesh.tets) boxes.push_back(tet_box(b.mesh.rest, t));
    b.rest_tets = AabbTree(boxes);

    b.tet_of_node.assign(b.mesh.rest.size(), 0);
    for (int t = b.mesh.tet_count() - 1; t >= 0; --t)
        for (int node : b.mesh.tets[t]) b.tet_of_node[node] = t;

    b.frame.translation = b.centre;
    b.velocity = b.anchored ? Vec3::Zero() : desc.velocity;
    b.angular_momentum = b.anchored ? Vec3::Zero() : Vec3(b.inertia * desc.spin);
    b.oscillators = make_oscillators(b.basis);
    b.force.assign(b.mesh.rest.size(), Vec3::Zero());
    b.x = b.v = b.mesh.rest;
    b.points = b.velocities = b.surface.points;
    update_surface(b, threads);
    return b;
}

Mat3 inverse_inertia(const ModalBody& b) {
    const Mat3 r = b.frame.rotation.toRotationMatrix();
    return r * local_inertia(b).inverse() * r.transpose();
}

Vec3 angular_velocity(const ModalBody& b) {
    return b.anchored ? Vec3::Zero() : Vec3(inverse_inertia(b) * b.angular_momentum);
}

void update_surface(ModalBody& b, Threads& threads) {
    const Mat3 r = b.frame.rotation.toRotationMatrix();
    const Vec3 w = angular_velocity(b);
    const Eigen::VectorXd z = as_vector(b.oscillators.z), rate = as_vector(b.oscillators.v);
    auto place = [&](const Eigen::MatrixXd& shape, const std::vector<Vec3>& rest, std::vector<Vec3>& x,
                     std::vector<Vec3>& v) {
        parallel_for(threads, rest.size(), 512, [&](std::size_t begin, std::size_t end) {
            const auto rows =
                shape.middleRows(static_cast<Eigen::Index>(3 * begin), static_cast<Eigen::Index>(3 * (end - begin)));
            const Eigen::VectorXd d = rows * z, u = rows * rate;
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3 arm = r * (rest[i] - b.centre + d.segment<3>(static_cast<Eigen::Index>(3 * (i - begin))));
                x[i] = b.frame.translation + arm;
                v[i] = b.velocity + w.cross(arm) + r * u.segment<3>(static_cast<Eigen::Index>(3 * (i - begin)));
            }
        });
    };
    place(b.basis.shape, b.mesh.rest, b.x, b.v);
    place(b.surface_shape, b.surface.points, b.points, b.velocities);
}

SurfaceView surface_view(const ModalBody& b) {
    return {b.points,     b.velocities, b.surface.triangles, b.mesh.tets,
            &b.embedding, b.spacing,    b.friction,          b.mesh.revision};
}

std::vector<Vec3> surface_normals(const ModalBody& b) { return vertex_normals(b.points, b.surface.triangles); }
std::span<const double> node_mass(const ModalBody& b) { return b.basis.mass; }

Vec3 point_position(const ModalBody& b, int tet, const Vec4& weight) {
    Vec3 p = Vec3::Zero();
    for (int k = 0; k < 4; ++k) p += weight[k] * b.x[b.mesh.tets[tet][k]];
    return p;
}

Vec3 point_velocity(const ModalBody& b, int tet, const Vec4& weight) {
    Vec3 p = Vec3::Zero();
    for (int k = 0; k < 4; ++k) p += weight[k] * b.v[b.mesh.tets[tet][k]];
    return p;
}

Eigen::MatrixXd point_jacobian(const ModalBody& b, int tet, const Vec4& weight) {
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(3, b.coordinates());
    if (!b.anchored) {
        j.leftCols<3>().setIdentity();
        j.middleCols<3>(3) = -cross_matrix(point_position(b, tet, weight) - b.frame.translation);
    }
    const Mat3 r = b.frame.rotation.toRotationMatrix();
    auto modal = j.rightCols(b.basis.mode_count());
    for (int k = 0; k < 4; ++k) modal += weight[k] * b.basis.shape.middleRows(3 * b.mesh.tets[tet][k], 3);
    modal = (r * modal).eval();
    return j;
}

Eigen::MatrixXd inverse_mass_times(const ModalBody& b, const Eigen::MatrixXd& columns) {
    Eigen::MatrixXd out = columns;
    out.topRows<3>() /= b.total_mass;
    out.middleRows<3>(3) = inverse_inertia(b) * columns.middleRows<3>(3);
    return out;
}

void apply_generalised(ModalBody& b, const Eigen::VectorXd& impulse) {
    if (!b.anchored) b.velocity += impulse.head<3>() / b.total_mass, b.angular_momentum += impulse.segment<3>(3);
    for (int i = 0; i < b.basis.mode_count(); ++i) b.oscillators.v[i] += impulse[6 + i];
}

void advance(ModalBody& b, double dt, const Eigen::VectorXd& extra) {
    Eigen::VectorXd g = extra;
    const Mat3 back = b.frame.rotation.conjugate().toRotationMatrix();
    Eigen::VectorXd local(3 * b.mesh.node_count());
    for (int i = 0; i < b.mesh.node_count(); ++i) {
        g.head<3>() += b.force[i];
        g.segment<3>(3) += (b.x[i] - b.frame.translation).cross(b.force[i]);
        local.segment<3>(3 * i) = back * b.force[i];
    }
    g.tail(b.basis.mode_count()) += b.basis.shape.transpose() * local;
    if (b.inertial && !b.anchored) add_inertial_forces(b, g);
    if (!b.anchored) {
        // Exact for constant force; the turn uses the angular velocity of the middle of the step.
        b.frame.translation += dt * b.velocity + (0.5 * dt * dt / b.total_mass) * g.head<3>();
        b.velocity += (dt / b.total_mass) * g.head<3>();
        const Vec3 momentum = b.angular_momentum;
        b.angular_momentum = momentum + 0.5 * dt * g.segment<3>(3);
        const Quat start = b.frame.rotation;
        auto turned = [&](const Vec3& w, double h) {
            const double angle = w.norm() * h;
            if (!(angle > 0)) return start;
            return (Quat(Eigen::AngleAxisd(angle, w.normalized())) * start).normalized();
        };
        b.frame.rotation = turned(angular_velocity(b), 0.5 * dt);
        b.frame.rotation = turned(angular_velocity(b), dt);
        b.angular_momentum = momentum + dt * g.segment<3>(3);
    }
    advance(b.oscillators, dt, {g.data() + 6, static_cast<std::size_t>(b.basis.mode_count())});
}

double volume(const ModalBody& b) {
    return seen_volume(surface_closed(b.surface_facts), b.points, b.surface.triangles, b.x, b.mesh.tets);
}
double mass(const ModalBody& b) { return b.total_mass; }
Vec3 center_of_mass(const ModalBody& b) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < b.x.size(); ++i) sum += b.basis.mass[i] * b.x[i];
    return sum / b.total_mass;
}
Vec3 momentum(const ModalBody& b) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < b.v.size(); ++i) sum += b.basis.mass[i] * b.v[i];
    return sum;
}
double kinetic_energy(const ModalBody& b) {
    double sum = 0;
    for (std::size_t i = 0; i < b.v.size(); ++i) sum += 0.5 * b.basis.mass[i] * b.v[i].squaredNorm();
    return sum;
}
double elastic_energy(const ModalBody& b) {
    double sum = 0;
    for (int i = 0; i < b.basis.mode_count(); ++i)
        sum += 0.5 * b.basis.lambda[i] * b.oscillators.z[i] * b.oscillators.z[i];
    return sum;
}
double max_speed(const ModalBody& b) {
    double most = 0;
    for (const Vec3& v : b.v) most = std::max(most, v.norm());
    return most;
}
Box bounds(const ModalBody& b) {
    Box box;
    for (const Vec3& p : b.points) box.add(p);
    return box;
}

void save_state(const ModalBody& b, ByteWriter& out) {
    out.value(b.frame.rotation);
    out.value(b.frame.translation);
    out.value(b.velocity);
    out.value(b.angular_momentum);
    out.vector(b.oscillators.z);
    out.vector(b.oscillators.v);
}

void load_state(ModalBody& b, ByteReader& in) {
    in.value(b.frame.rotation);
    in.value(b.frame.translation);
    in.value(b.velocity);
    in.value(b.angular_momentum);
    const auto z = in.vector<double>(), v = in.vector<double>();
    if (z.size() != b.oscillators.z.size() || v.size() != z.size())
        throw UserError("the checkpoint has another number of modes for body '" + b.name + "'", {},
                        "Run the scene anew without --resume.");
    b.oscillators.z = z, b.oscillators.v = v;
}

void hash_state(const ModalBody& b, Hash& hash) {
    hash.bytes(b.frame.rotation.coeffs().data(), 4 * sizeof(double));
    for (const Vec3* p : {&b.frame.translation, &b.velocity, &b.angular_momentum})
        hash.bytes(p->data(), 3 * sizeof(double));
    hash.bytes(b.oscillators.z.data(), b.oscillators.z.size() * sizeof(double));
    hash.bytes(b.oscillators.v.data(), b.oscillators.v.size() * sizeof(double));
}

}  // namespace pliant
