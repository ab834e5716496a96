#include "pliant/body/surface_tension.hpp"

namespace pliant {

namespace {

/// Calls f(i, j, half the cotangent of the angle across) for the edges of every triangle: each edge comes twice.
template <class F>
void each_half_weight(const FemBody& body, F&& f) {
    const std::vector<Vec3>& x = body.points;
    for (const Tri& t : body.surface().triangles) {
        const Vec3 edge[3] = {x[t[2]] - x[t[1]], x[t[0]] - x[t[2]], x[t[1]] - x[t[0]]};  // across from each corner
        const double area2 = edge[0].cross(edge[1]).norm();
        if (!(area2 > 0)) continue;  // no area, no direction to shrink in
        for (int k = 0; k < 3; ++k) {
            const double cotangent = -edge[(k + 1) % 3].dot(edge[(k + 2) % 3]) / area2;
            f(t[(k + 1) % 3], t[(k + 2) % 3], 0.5 * cotangent);
        }
    }
}

}  // namespace

void add_surface_tension(FemBody& body) {
    const double sigma = body.remeshing->options.tension;
    const Embedding& embedding = body.embedding();
    const auto push = [&](int vertex, const Vec3& force) {
        const Tet& tet = body.mesh.tets[embedding.tet[vertex]];
        for (int k = 0; k < 4; ++k) body.force[tet[k]] += embedding.weight[vertex][k] * force;
    };
    each_half_weight(body, [&](int i, int j, double weight) {
        const Vec3 force = sigma * weight * (body.points[j] - body.points[i]);
        push(i, force), push(j, -force);
    });
}

void add_tension_rows(const FemBody& body, int system, double dt, std::vector<Coupling>& rows) {
    const double sigma = body.remeshing->options.tension;
    const Embedding& embedding = body.embedding();
    each_half_weight(body, [&](int i, int j, double weight) {
        if (!(weight > 0)) return;  // the matrix must stay positive
        Coupling row;
        for (int end = 0; end < 2; ++end) {
            const int vertex = end == 0 ? i : j;
            const Tet& tet = body.mesh.tets[embedding.tet[vertex]];
            for (int k = 0; k < 4; ++k)
                row.ends[row.count++] = {system, tet[k], (end == 0 ? 1 : -1) * embedding.weight[vertex][k]};
        }
        row.S = dt * dt * sigma * weight * Mat3::Identity();
        rows.push_back(row);
    });
}

}  // namespace pliant
