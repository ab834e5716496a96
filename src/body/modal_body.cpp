#include "pliant/body/modal_body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/body/state_list.hpp"
#include "pliant/body/warm_bodies.hpp"
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

// Σ over modes of coordinate times shape, for `count` numbers from `first` on.
void blend(const Eigen::MatrixXd& shape, const std::vector<double>& z, Eigen::Index first, Eigen::Index count,
           double* out) {
    Eigen::Map<Eigen::VectorXd> sum(out, count);
    sum.setZero();
    for (std::size_t m = 0; m < z.size(); ++m)
        sum += z[m] * shape.col(static_cast<Eigen::Index>(m)).segment(first, count);
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
void add_inertial_forces(const ModalBody& b, std::span<double> g) {
    const int modes = b.basis.mode_count();
    const Mat3 w = cross_matrix(b.frame.rotation.conjugate() * angular_velocity(b)), ww = w * w;
    for (int i = 0; i < modes; ++i) {
        Mat3 s = b.spread[i], rate = Mat3::Zero();
        for (int j = 0; j < modes; ++j) {
            const Mat3& t = b.mixed[static_cast<std::size_t>(i) * modes + j];
            s += b.oscillators.z[j] * t, rate += b.oscillators.v[j] * t;
        }
        g[static_cast<std::size_t>(6 + i)] -= (ww.cwiseProduct(s)).sum() + 2 * (w.cwiseProduct(rate)).sum();
    }
}

}  // namespace

ModalBody make_modal_body(ModalBodyDesc desc, Threads& threads) {
    if (desc.mesh.tets.empty()) throw UserError("body '" + desc.name + "' has no elements", {}, "Use a smaller cell.");
    orient_tets(desc.mesh);
    if (desc.surface.triangles.empty()) desc.surface = boundary_surface(desc.mesh).surface;
    if (desc.material.size() == 1) desc.material.assign(desc.mesh.tets.size(), desc.material[0]);
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
    const SurfaceFacts facts = inspect(desc.surface);
    auto surface = std::make_unique<EmbeddedSurface>(desc.mesh, std::move(desc.surface), facts);
    take_shared(b, desc, std::move(desc.mesh), std::move(surface), facts);
    b.inertial = desc.inertial, b.contact = desc.contact;
    b.material = std::move(desc.material);
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
    b.surface_shape.resize(static_cast<Eigen::Index>(3 * b.surface().points.size()), modes);
    for (std::size_t p = 0; p < b.surface().points.size(); ++p) {
        auto rows = b.surface_shape.middleRows(static_cast<Eigen::Index>(3 * p), 3);
        rows.setZero();
        const Tet& t = b.mesh.tets[b.embedding().tet[p]];
        for (int k = 0; k < 4; ++k) rows += b.embedding().weight[p][k] * b.basis.shape.middleRows(3 * t[k], 3);
    }
    if (b.inertial) prepare_inertial(b);
    std::vector<Box> boxes;
    for (const Tri& t : b.surface().triangles) {
        Box box;
        for (int i : t) box.add(b.surface().points[i]);
        boxes.push_back(box);
    }
    b.rest_triangles = AabbTree(boxes);
    boxes.clear();
    for (const Tet& t : b.mesh.tets) boxes.push_back(tet_box(b.mesh.rest, t));
    b.rest_tets = AabbTree(boxes);

    b.frame.translation = b.centre;
    b.velocity = b.anchored ? Vec3::Zero() : desc.velocity;
    b.angular_momentum = b.anchored ? Vec3::Zero() : Vec3(b.inertia * desc.spin);
    b.oscillators = make_oscillators(b.basis);
    if (desc.heat) add_heat(b, *desc.heat);
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
    auto place = [&](const Eigen::MatrixXd& shape, const std::vector<Vec3>& rest, std::vector<Vec3>& x,
                     std::vector<Vec3>& v) {
        constexpr std::size_t chunk = 256;
        parallel_for(threads, rest.size(), chunk, [&](std::size_t begin, std::size_t end) {
            double d[3 * chunk], u[3 * chunk];
            const auto first = static_cast<Eigen::Index>(3 * begin),
                       count = static_cast<Eigen::Index>(3 * (end - begin));
            blend(shape, b.oscillators.z, first, count, d), blend(shape, b.oscillators.v, first, count, u);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t k = 3 * (i - begin);
                const Vec3 lever = r * (rest[i] - b.centre + Vec3(d[k], d[k + 1], d[k + 2]));
                x[i] = b.frame.translation + lever;
                v[i] = b.velocity + w.cross(lever) + r * Vec3(u[k], u[k + 1], u[k + 2]);
            }
        });
    };
    place(b.basis.shape, b.mesh.rest, b.x, b.v);
    place(b.surface_shape, b.surface().points, b.points, b.velocities);
}

SurfaceView surface_view(const ModalBody& b) {
    return {b.points,  b.velocities, b.surface().triangles, b.mesh.tets, &b.embedding(),
            b.spacing, b.friction,   b.mesh.revision};
}

std::span<const double> node_mass(const ModalBody& b) { return b.basis.mass; }

Vec3 point_position(const ModalBody& b, const Point& point) { return point.of(b.x); }
Vec3 point_velocity(const ModalBody& b, const Point& point) { return point.of(b.v); }

ModalPoint mesh_point(const ModalBody& b, const Point& point) {
    return {&b.basis.shape, point.node, point.weight, 4, point.of(b.x)};
}

ModalPoint surface_point(const ModalBody& b, const Tri& on, const Vec3& weight) {
    ModalPoint p{&b.surface_shape, {on[0], on[1], on[2], 0}, {weight[0], weight[1], weight[2], 0}, 3, Vec3::Zero()};
    for (int k = 0; k < 3; ++k) p.x += weight[k] * b.points[on[k]];
    return p;
}

ModalPoint surface_vertex(const ModalBody& b, int vertex) {
    return {&b.surface_shape, {vertex, 0, 0, 0}, {1, 0, 0, 0}, 1, b.points[vertex]};
}

namespace {

// How the point moves in a mode, in the frame of the body.
Vec3 motion_of(const ModalPoint& p, int mode) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < p.count; ++k) sum += p.weight[k] * p.shape->col(mode).segment<3>(3 * p.row[k]);
    return sum;
}

}  // namespace

void add_jacobian(const ModalBody& b, const ModalPoint& p, const Mat3& axes, double scale, double* columns,
                  std::size_t stride, int at) {
    double* out = columns + at;
    if (!b.anchored) {
        const Vec3 lever = p.x - b.frame.translation;
        for (int c = 0; c < 3; ++c) {
            const Vec3 axis = scale * axes.col(c), turn = lever.cross(axis);
            for (int k = 0; k < 3; ++k) {
                out[static_cast<std::size_t>(k) * stride + c] += axis[k];
                out[static_cast<std::size_t>(3 + k) * stride + c] += turn[k];
            }
        }
    }
    const Mat3 local = scale * (axes.transpose() * b.frame.rotation.toRotationMatrix());
    for (int m = 0; m < b.basis.mode_count(); ++m) {
        const Vec3 moved = local * motion_of(p, m);
        double* row = out + static_cast<std::size_t>(6 + m) * stride;
        for (int c = 0; c < 3; ++c) row[c] += moved[c];
    }
}

double mobility(const ModalBody& b, const ModalPoint& p, const Vec3& direction) {
    double sum = 0;
    if (!b.anchored) {
        const Vec3 turn = (p.x - b.frame.translation).cross(direction);
        sum = 1 / b.total_mass + turn.dot(inverse_inertia(b) * turn);
    }
    const Vec3 local = b.frame.rotation.conjugate() * direction;
    for (int m = 0; m < b.basis.mode_count(); ++m) {
        const double along = local.dot(motion_of(p, m));
        sum += along * along;
    }
    return sum;
}

void apply_impulse(ModalBody& b, const ModalPoint& p, const Vec3& impulse) {
    if (!b.anchored) {
        b.velocity += impulse / b.total_mass;
        b.angular_momentum += (p.x - b.frame.translation).cross(impulse);
    }
    const Vec3 local = b.frame.rotation.conjugate() * impulse;
    for (int m = 0; m < b.basis.mode_count(); ++m) b.oscillators.v[m] += local.dot(motion_of(p, m));
}

void add_force(const ModalBody& b, const ModalPoint& p, const Vec3& force, std::span<double> g) {
    if (!b.anchored) {
        const Vec3 torque = (p.x - b.frame.translation).cross(force);
        for (int k = 0; k < 3; ++k) g[k] += force[k], g[3 + k] += torque[k];
    }
    const Vec3 local = b.frame.rotation.conjugate() * force;
    for (int m = 0; m < b.basis.mode_count(); ++m) g[6 + m] += local.dot(motion_of(p, m));
}

void apply_generalised(ModalBody& b, std::span<const double> impulse) {
    if (!b.anchored) {
        b.velocity += Vec3(impulse[0], impulse[1], impulse[2]) / b.total_mass;
        b.angular_momentum += Vec3(impulse[3], impulse[4], impulse[5]);
    }
    for (std::size_t i = 0; i < b.oscillators.v.size(); ++i) b.oscillators.v[i] += impulse[6 + i];
}

void external_force(const ModalBody& b, std::span<double> g, std::vector<double>& scratch) {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    scratch.resize(3 * b.force.size());
    const Mat3 back = b.frame.rotation.conjugate().toRotationMatrix();
    for (std::size_t i = 0; i < b.force.size(); ++i) {
        force += b.force[i];
        torque += (b.x[i] - b.frame.translation).cross(b.force[i]);
        const Vec3 local = back * b.force[i];
        for (std::size_t k = 0; k < 3; ++k) scratch[3 * i + k] = local[static_cast<int>(k)];
    }
    for (int k = 0; k < 3; ++k) g[k] = force[k], g[3 + k] = torque[k];
    const Eigen::Map<const Eigen::VectorXd> local(scratch.data(), static_cast<Eigen::Index>(scratch.size()));
    for (int m = 0; m < b.basis.mode_count(); ++m) g[6 + m] = b.basis.shape.col(m).dot(local);
    if (b.inertial && !b.anchored) add_inertial_forces(b, g);
}

void advance(ModalBody& b, double dt, std::span<const double> g) {
    if (!b.anchored) {
        // Exact for constant force; the turn uses the angular velocity of the middle of the step.
        const Vec3 force(g[0], g[1], g[2]), torque(g[3], g[4], g[5]);
        b.frame.translation += dt * b.velocity + (0.5 * dt * dt / b.total_mass) * force;
        b.velocity += (dt / b.total_mass) * force;
        const Vec3 momentum = b.angular_momentum;
        b.angular_momentum = momentum + 0.5 * dt * torque;
        const Quat start = b.frame.rotation;
        auto turned = [&](const Vec3& w, double h) {
            const double angle = w.norm() * h;
            if (!(angle > 0)) return start;
            return (Quat(Eigen::AngleAxisd(angle, w.normalized())) * start).normalized();
        };
        b.frame.rotation = turned(angular_velocity(b), 0.5 * dt);
        b.frame.rotation = turned(angular_velocity(b), dt);
        b.angular_momentum = momentum + dt * torque;
    }
    advance(b.oscillators, dt, g.subspan(6));
}

double elastic_energy(const ModalBody& b) {
    double sum = 0;
    for (int i = 0; i < b.basis.mode_count(); ++i)
        sum += 0.5 * b.oscillators.lambda[i] * b.oscillators.z[i] * b.oscillators.z[i];
    return sum;
}

namespace {

template <class Body, class F>
requires std::same_as<std::remove_const_t<Body>, ModalBody>
void for_each_array(Body& b, F&& f) {
    f(ArrayRole{"rotation"}, b.frame.rotation);
    f(ArrayRole{"translation"}, b.frame.translation);
    f(ArrayRole{"velocity"}, b.velocity);
    f(ArrayRole{"angular_momentum"}, b.angular_momentum);
    f(ArrayRole{"modal_displacement"}, b.oscillators.z);
    f(ArrayRole{"modal_velocity"}, b.oscillators.v);
    f(ArrayRole{"temperature", Per::node}, b.temperature);
}

}  // namespace

void save_state(const ModalBody& b, ByteWriter& out) { for_each_array(b, ArrayWriter{out}); }

void load_state(ModalBody& b, ByteReader& in) {
    const std::size_t modes = b.oscillators.z.size();
    for_each_array(b, ArrayReader{in, b.name});
    if (b.oscillators.z.size() != modes || b.oscillators.v.size() != modes || !finish_temperature(b))
        throw UserError("the checkpoint has another number of modes for body '" + b.name + "'", {},
                        "Run the scene anew without --resume.");
}

void hash_state(const ModalBody& b, Hash& hash) { for_each_array(b, ArrayHash{hash}); }

}  // namespace pliant
