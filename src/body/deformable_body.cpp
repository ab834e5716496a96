#include "pliant/body/deformable_body.hpp"

namespace pliant {

void update_surface(DeformableBody& body, Threads& threads) {
    const Embedding& embedding = body.embedding();
    body.points.resize(embedding.size()), body.velocities.resize(embedding.size());
    parallel_for(threads, body.points.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Tet& t = body.mesh.tets[embedding.tet[i]];
            const Vec4& w = embedding.weight[i];
            body.points[i] = w[0] * body.x[t[0]] + w[1] * body.x[t[1]] + w[2] * body.x[t[2]] + w[3] * body.x[t[3]];
            body.velocities[i] = w[0] * body.v[t[0]] + w[1] * body.v[t[1]] + w[2] * body.v[t[2]] + w[3] * body.v[t[3]];
        }
    });
}

void add_spin(DeformableBody& body, std::span<const double> node_mass, const Vec3& spin) {
    if (spin.isZero(0.0)) return;
    const Vec3 center = center_of_mass(node_mass, body.x);
    for (std::size_t i = 0; i < body.x.size(); ++i) body.v[i] += spin.cross(body.x[i] - center);
}

bool surface_closed(const DeformableBody& body) { return body.seen->watertight(); }

std::vector<Vec3> surface_normals(const DeformableBody& body) {
    return vertex_normals(body.points, body.surface().triangles);
}

Box bounds(const DeformableBody& body) {
    Box box;
    for (const Vec3& p : body.points) box.add(p);
    return box;
}

double max_speed(const DeformableBody& body) { return max_speed(body.v); }

}  // namespace pliant
