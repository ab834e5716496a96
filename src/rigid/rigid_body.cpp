#include "pliant/rigid/rigid_body.hpp"

#include <Eigen/Eigenvalues>

#include "pliant/core/error.hpp"

namespace pliant {

MassProperties mass_properties(const TriMesh& surface, double density) {
    // Tetrahedra from a point near the surface to its triangles: ∫x xᵀ over one is V/20·(Σ pᵢpᵢᵀ + (Σp)(Σp)ᵀ).
    const Vec3 origin = surface.bounds().center();
    double volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (const Tri& t : surface.triangles) {
        const Vec3 a = surface.points[t[0]] - origin, b = surface.points[t[1]] - origin,
                   c = surface.points[t[2]] - origin;
        const double v = a.cross(b).dot(c) / 6;
        const Vec3 sum = a + b + c;
        volume += v;
        first += v / 4 * sum;
        second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
    MassProperties p;
    p.volume = volume;
    p.mass = density * volume;
    const Vec3 offset = volume > 0 ? Vec3(first / volume) : Vec3::Zero();
    p.center = origin + offset;
    const Mat3 about = density * (second - volume * offset * offset.transpose());
    p.inertia = about.trace() * Mat3::Identity() - about;
    return p;
}

RigidBody make_rigid_body(RigidBodyDesc desc) {
    RigidBody body;
    body.rest = mass_properties(desc.surface, desc.density);
    if (!(body.rest.volume > 0))
        throw UserError("rigid body '" + desc.name + "' has no inside: its surface is open or inside out", {},
                        "Give it a closed surface");
    Eigen::SelfAdjointEigenSolver<Mat3> solver(body.rest.inertia);
    body.axes = solver.eigenvectors();
    if (body.axes.determinant() < 0) body.axes.col(2) = -body.axes.col(2);
    body.principal = solver.eigenvalues();
    body.name = std::move(desc.name), body.color = desc.color;
    body.friction = desc.friction, body.restitution = desc.restitution, body.fixed = desc.fixed;
    body.surface = std::move(desc.surface);
    body.pieces = std::move(desc.pieces);
    for (std::vector<Vec3>& piece : body.pieces)
        for (Vec3& p : piece) p = body.axes.transpose() * (p - body.rest.center);
    body.x = body.rest.center, body.rotation = body.axes;
    body.v = desc.velocity, body.spin = desc.spin;
    return body;
}

Pose pose_of(const RigidBody& body) {
    const Mat3 turn = body.rotation * body.axes.transpose();
    return {Quat(turn), body.x - turn * body.rest.center};
}

double mass(const RigidBody& body) { return body.rest.mass; }
Vec3 center_of_mass(const RigidBody& body) { return body.x; }
Vec3 momentum(const RigidBody& body) { return body.fixed ? Vec3::Zero() : Vec3(body.rest.mass * body.v); }

double kinetic_energy(const RigidBody& body) {
    if (body.fixed) return 0;
    const Vec3 w = body.rotation.transpose() * body.spin;
    return 0.5 * (body.rest.mass * body.v.squaredNorm() + w.dot(body.principal.cwiseProduct(w)));
}

double max_speed(const RigidBody& body) {
    double most = 0;
    const Pose pose = pose_of(body);
    for (const Vec3& p : body.surface.points)
        most = std::max(most, (body.v + body.spin.cross(pose * p - body.x)).norm());
    return body.fixed ? 0 : most;
}

Box bounds(const RigidBody& body) {
    Box box;
    const Pose pose = pose_of(body);
    for (const Vec3& p : body.surface.points) box.add(pose * p);
    return box;
}

void save_state(const RigidBody& body, ByteWriter& out) {
    out.value(body.x), out.value(body.rotation), out.value(body.v), out.value(body.spin);
}

void load_state(RigidBody& body, ByteReader& in) {
    in.value(body.x), in.value(body.rotation), in.value(body.v), in.value(body.spin);
}

void hash_state(const RigidBody& body, Hash& hash) {
    const auto add = [&](const double* p, std::size_t n) { hash.bytes(p, n * sizeof(double)); };
    add(body.x.data(), 3), add(body.rotation.data(), 9), add(body.v.data(), 3), add(body.spin.data(), 3);
}

}  // namespace pliant
