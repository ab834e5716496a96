#pragma once
// Loose mass points with seen surfaces, and a dense solve: just enough dynamics to try contact on its own.

#include <Eigen/Cholesky>
#include <memory>
#include <vector>

#include "pliant/contact/contact.hpp"

namespace pliant::test {

struct PointBody {
    std::vector<double> mass;
    std::vector<Vec3> x, v;
    std::vector<Tri> triangles = {};
    double spacing = 0.1;
    double friction = -1;
    bool held = false;  ///< moves with the velocities it has, whatever happens
    std::vector<Tet> tets = {};
    Embedding embedding = {};

    SurfaceView view() {
        if (tets.size() != x.size()) {
            tets.clear();
            for (int i = 0; i < static_cast<int>(x.size()); ++i) tets.push_back({i, i, i, i});
            embedding.tet.clear();
            for (int i = 0; i < static_cast<int>(x.size()); ++i) embedding.tet.push_back(i);
            embedding.weight.assign(x.size(), Vec4(1, 0, 0, 0));
        }
        return {x, v, triangles, tets, &embedding, spacing, friction};
    }
    Vec3 momentum() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < x.size(); ++i) sum += mass[i] * v[i];
        return sum;
    }
};

struct PointWorld {
    std::vector<PointBody> bodies;
    std::vector<Obstacle> obstacles;
    Vec3 gravity{0, -9.81, 0};
    double dt = 0.01;
    ContactSolver contact;
    std::unique_ptr<Threads> threads = std::make_unique<Threads>(1);
    int passes = 3;

    std::vector<SurfaceView> views() {
        std::vector<SurfaceView> out;
        for (PointBody& b : bodies) out.push_back(b.view());
        return out;
    }

    void step() {
        contact.detect(views(), obstacles, dt, *threads, gravity);
        std::vector<int> first;
        int n = 0;
        for (const PointBody& b : bodies) first.push_back(n), n += static_cast<int>(b.x.size());
        std::vector<std::vector<Vec3>> next(bodies.size());
        for (int pass = 0; pass < passes; ++pass) {
            Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
            Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n);
            auto huge = [&](int s) { return bodies[s].held ? 1e12 : 1.0; };
            for (int s = 0; s < static_cast<int>(bodies.size()); ++s)
                for (std::size_t i = 0; i < bodies[s].x.size(); ++i) {
                    const int at = 3 * (first[s] + static_cast<int>(i));
                    const double m = bodies[s].mass[i] * huge(s);
                    A.block<3, 3>(at, at) = m * Mat3::Identity();
                    b.segment<3>(at) =
                        m * (bodies[s].v[i] + (bodies[s].held ? Vec3(Vec3::Zero()) : Vec3(dt * gravity)));
                }
            auto effective = [&](int s, int node) { return bodies[s].mass[node] * huge(s); };
            for (const Coupling& row : contact.rows(effective))
                for (int i = 0; i < row.count; ++i) {
                    const int r = 3 * (first[row.ends[i].system] + row.ends[i].node);
                    b.segment<3>(r) += row.ends[i].weight * row.s;
                    for (int j = 0; j < row.count; ++j) {
                        const int c = 3 * (first[row.ends[j].system] + row.ends[j].node);
                        A.block<3, 3>(r, c) += row.ends[i].weight * row.ends[j].weight * row.S;
                    }
                }
            const Eigen::VectorXd v = A.ldlt().solve(b);
            std::vector<std::span<const Vec3>> spans;
            for (std::size_t s = 0; s < bodies.size(); ++s) {
                next[s].resize(bodies[s].x.size());
                for (std::size_t i = 0; i < next[s].size(); ++i)
                    next[s][i] = v.segment<3>(3 * (first[s] + static_cast<int>(i)));
                spans.push_back(next[s]);
            }
            if (!contact.update(spans)) break;
        }
        contact.finish();
        for (std::size_t s = 0; s < bodies.size(); ++s)
            for (std::size_t i = 0; i < bodies[s].x.size(); ++i) {
                bodies[s].v[i] = next[s][i];
                bodies[s].x[i] += dt * next[s][i];
            }
    }
};

inline PointBody point(const Vec3& x, const Vec3& v = Vec3::Zero(), double mass = 1, double spacing = 0.1,
                       double friction = -1) {
    PointBody b;
    b.mass = {mass}, b.x = {x}, b.v = {v};
    b.spacing = spacing, b.friction = friction;
    return b;
}

/// A closed box of n × n squares a side, all vertices with the same mass.
inline PointBody box_body(const Vec3& center, const Vec3& size, int n, double total_mass, double friction = 0) {
    PointBody b;
    // Vertices of the grid surface, found by their integer places.
    std::vector<int> index((n + 1) * (n + 1) * (n + 1), -1);
    auto vertex = [&](int i, int j, int k) {
        int& at = index[(i * (n + 1) + j) * (n + 1) + k];
        if (at < 0) {
            at = static_cast<int>(b.x.size());
            b.x.push_back(center + size.cwiseProduct(Vec3(i, j, k) / n - Vec3::Constant(0.5)));
        }
        return at;
    };
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side)
            for (int p = 0; p < n; ++p)
                for (int q = 0; q < n; ++q) {
                    auto at = [&](int dp, int dq) {
                        int c[3];
                        c[axis] = side * n, c[(axis + 1) % 3] = p + dp, c[(axis + 2) % 3] = q + dq;
                        return vertex(c[0], c[1], c[2]);
                    };
                    const int a = at(0, 0), bb = at(1, 0), c = at(1, 1), d = at(0, 1);
                    if (side) {
                        b.triangles.push_back({a, bb, c});
                        b.triangles.push_back({a, c, d});
                    } else {
                        b.triangles.push_back({a, c, bb});
                        b.triangles.push_back({a, d, c});
                    }
                }
    b.v.assign(b.x.size(), Vec3::Zero());
    b.mass.assign(b.x.size(), total_mass / static_cast<double>(b.x.size()));
    b.spacing = size.maxCoeff() / n;
    b.friction = friction;
    return b;
}

inline Obstacle still(ObstacleShapePtr shape, double friction = -1, const Pose& pose = {}) {
    return {std::move(shape), pose, pose, friction};
}

}  // namespace pliant::test
