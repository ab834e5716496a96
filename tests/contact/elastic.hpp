#pragma once
// Elastic bodies in contact: the loop of a step as a world runs it, small enough for tests.

#include <functional>
#include <memory>
#include <vector>

#include "pliant/contact/contact.hpp"
#include "pliant/contact/penetration.hpp"
#include "pliant/fem/solid.hpp"

namespace pliant::test {

struct ElasticBody {
    TetMesh mesh;
    std::unique_ptr<Solid> solid;
    std::vector<Vec3> x, v;
    TriMesh surface;
    Embedding embedding;
    std::vector<Vec3> points, velocities, force;
    double spacing = 0, friction = 0.5;

    SurfaceView view() {
        interpolate(embedding, mesh.tets, x, points);
        interpolate(embedding, mesh.tets, v, velocities);
        return {points, velocities, surface.triangles, mesh.tets, &embedding, spacing, friction};
    }
    double mass() const {
        double sum = 0;
        for (double m : solid->mass()) sum += m;
        return sum;
    }
    Vec3 momentum() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < v.size(); ++i) sum += solid->mass()[i] * v[i];
        return sum;
    }
    Vec3 center() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < x.size(); ++i) sum += solid->mass()[i] * x[i];
        return sum / mass();
    }
    double max_speed() const {
        double most = 0;
        for (const Vec3& u : v) most = std::max(most, u.norm());
        return most;
    }
};

/// Cells of six tets each; `place` bends the unit-spaced grid into shape. The surface is the boundary of the mesh,
/// each triangle cut in four `refine` times.
inline ElasticBody make_body(const std::array<int, 3>& cells, const std::function<Vec3(const Vec3&)>& place,
                             const ElementMaterial& material, int refine = 0) {
    ElasticBody b;
    const auto [nx, ny, nz] = cells;
    auto id = [ny = ny, nz = nz](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
    for (int i = 0; i <= nx; ++i)
        for (int j = 0; j <= ny; ++j)
            for (int k = 0; k <= nz; ++k)
                b.mesh.rest.push_back(place(Vec3(double(i) / nx, double(j) / ny, double(k) / nz)));
    static constexpr int ways[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k)
                for (const auto& way : ways) {
                    int c[3] = {i, j, k};
                    Tet t;
                    t[0] = id(c[0], c[1], c[2]);
                    for (int s = 0; s < 3; ++s) ++c[way[s]], t[s + 1] = id(c[0], c[1], c[2]);
                    b.mesh.tets.push_back(t);
                }
    orient_tets(b.mesh);
    b.solid = std::make_unique<Solid>(b.mesh, std::vector<ElementMaterial>(b.mesh.tets.size(), material),
                                      SolidOptions{.stiffness_damping = 0.005});
    b.x = b.mesh.rest;
    b.v.assign(b.x.size(), Vec3::Zero());
    b.force.resize(b.x.size());
    b.surface = boundary_surface(b.mesh).surface;
    for (int r = 0; r < refine; ++r) {
        TriMesh fine;
        fine.points = b.surface.points;
        std::vector<std::array<int, 3>> known;  // (low, high, middle)
        auto middle = [&](int p, int q) {
            const int low = std::min(p, q), high = std::max(p, q);
            for (const auto& e : known)
                if (e[0] == low && e[1] == high) return e[2];
            fine.points.push_back(0.5 * (b.surface.points[p] + b.surface.points[q]));
            known.push_back({low, high, static_cast<int>(fine.points.size()) - 1});
            return known.back()[2];
        };
        for (const Tri& t : b.surface.triangles) {
            const int ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
            fine.triangles.push_back({t[0], ab, ca});
            fine.triangles.push_back({ab, t[1], bc});
            fine.triangles.push_back({ca, bc, t[2]});
            fine.triangles.push_back({ab, bc, ca});
        }
        b.surface = fine;
    }
    b.embedding = embed(b.mesh, b.surface.points);
    b.points.resize(b.surface.points.size()), b.velocities.resize(b.surface.points.size());
    double sum = 0;
    for (const Tri& t : b.surface.triangles) sum += (b.surface.points[t[0]] - b.surface.points[t[1]]).norm();
    b.spacing = sum / static_cast<double>(b.surface.triangles.size());
    // Thin bodies: margins must stay below the thickness, which is about 2·volume/area.
    const SurfaceFacts facts = inspect(b.surface);
    b.spacing = std::min(b.spacing, 2 * facts.volume / facts.area);
    return b;
}

inline ElasticBody cube(const Vec3& center, const Vec3& size, const std::array<int, 3>& cells,
                        const ElementMaterial& material, int refine = 0) {
    return make_body(
        cells, [=](const Vec3& p) -> Vec3 { return center + size.cwiseProduct(p - Vec3::Constant(0.5)); }, material,
        refine);
}

/// The cube's cells pushed out into a ball.
inline ElasticBody ball(const Vec3& center, double radius, int n, const ElementMaterial& material, int refine = 0) {
    return make_body(
        {n, n, n},
        [=](const Vec3& p) -> Vec3 {
            const Vec3 q = 2 * p - Vec3::Constant(1.0);
            const double most = q.cwiseAbs().maxCoeff(), length = q.norm();
            return center + (length > 0 ? Vec3(radius * most / length * q) : Vec3(Vec3::Zero()));
        },
        material, refine);
}

struct ElasticWorld {
    std::vector<ElasticBody> bodies;
    std::vector<Obstacle> obstacles;
    Vec3 gravity{0, -9.81, 0};
    double dt = 0.01;
    SolveOptions solve_options{};
    int passes = 3;
    ContactSolver contact;
    std::unique_ptr<Threads> threads = std::make_unique<Threads>(1);
    StageTimes times;
    int solves = 0, pulled = 0;

    std::vector<SurfaceView> views() {
        std::vector<SurfaceView> out;
        for (ElasticBody& b : bodies) out.push_back(b.view());
        return out;
    }
    void step() {
        std::vector<Solid*> solids;
        for (ElasticBody& b : bodies) {
            for (std::size_t i = 0; i < b.x.size(); ++i) b.force[i] = b.solid->mass()[i] * gravity;
            b.solid->assemble(b.x, b.v, {.dt = dt, .force = b.force, .prescribed = {}}, *threads, times);
            solids.push_back(b.solid.get());
        }
        contact.detect(views(), obstacles, dt, *threads, gravity);
        const EffectiveMass mass = [&](int s, int node) { return bodies[s].solid->effective_mass(node); };
        std::vector<std::vector<Vec3>> next(bodies.size());
        for (int pass = 0; pass < passes; ++pass) {
            solve(solids, contact.rows(mass), solve_options, *threads, times);
            ++solves;
            std::vector<std::span<const Vec3>> spans;
            for (std::size_t s = 0; s < bodies.size(); ++s) {
                next[s].resize(bodies[s].x.size());
                bodies[s].solid->velocity(next[s]);
                spans.push_back(next[s]);
            }
            if (!contact.update(spans)) break;
        }
        contact.finish();
        pulled += contact.stats().pulling;
        for (std::size_t s = 0; s < bodies.size(); ++s)
            for (std::size_t i = 0; i < bodies[s].x.size(); ++i) {
                bodies[s].v[i] = next[s][i];
                bodies[s].x[i] += dt * next[s][i];
            }
    }
    double max_speed() const {
        double most = 0;
        for (const ElasticBody& b : bodies) most = std::max(most, b.max_speed());
        return most;
    }
    Penetration penetration() { return measure_penetration(views(), obstacles, *threads); }
    double energy() const {
        double sum = 0;
        for (const ElasticBody& b : bodies) {
            sum += b.solid->elastic_energy(b.x);
            for (std::size_t i = 0; i < b.x.size(); ++i)
                sum += b.solid->mass()[i] * (0.5 * b.v[i].squaredNorm() - gravity.dot(b.x[i]));
        }
        return sum;
    }
};

}  // namespace pliant::test
