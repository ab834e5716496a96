// Bending and volume locking against closed forms: what the plain element misses, and what the smoothed one does.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "fem/scene.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/material.hpp"

namespace pliant {
namespace {

constexpr double beam_young = 1e7;

/// Static equilibrium by Newton's method: steps so long that inertia counts for nothing.
struct Statics {
    Statics(TetMesh m, double poisson, const SolidOptions& options, Preconditioner p = Preconditioner::multigrid)
        : mesh(std::move(m)),
          solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {beam_young, poisson, 1e-3}), options),
          solve_by{20000, 1e-9, p},
          x(mesh.rest),
          force(x.size(), Vec3::Zero()),
          held(x.size(), 0),
          v(x.size(), Vec3::Zero()) {}

    /// One iteration; returns how far the farthest node moved, m.
    double iterate() {
        constexpr double dt = 1e3;
        std::fill(v.begin(), v.end(), Vec3::Zero());
        solid.assemble(x, v, {.dt = dt, .force = force, .prescribed = held, .solve = solve_by}, threads, times);
        std::vector<Coupling> rows;
        for (const auto& [node, axis] : rollers) {
            Coupling row;
            row.ends[row.count++] = {0, node, 1.0};
            row.S(axis, axis) = 1e7 * solid.effective_mass(node);
            rows.push_back(row);
        }
        Solid* one = &solid;
        iterations += solve({&one, 1}, rows, solve_by, threads, times).iterations;
        solid.velocity(v);
        double most = 0;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i], most = std::max(most, dt * v[i].norm());
        return most;
    }

    TetMesh mesh;
    Solid solid;
    SolveOptions solve_by;
    std::vector<Vec3> x, force;
    std::vector<char> held;
    std::vector<std::pair<int, int>> rollers;  ///< node, axis
    std::vector<Vec3> v;
    Threads threads{1};
    StageTimes times;
    int iterations = 0;
};

double seconds_of(const auto& job) {
    const auto start = std::chrono::steady_clock::now();
    job();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Beam {
    static constexpr double length = 2, height = 0.1, inertia = height * height * height * height / 12;

    Beam(int cells, Element element, double load)
        : of(bar_mesh(20 * cells, cells, cells, Vec3(0, -height / 2, -height / 2),
                      Vec3(length, height / 2, height / 2)),
             0.3, {.element = element}) {
        for (int i = 0; i < of.mesh.node_count(); ++i) of.held[i] = of.mesh.rest[i].x() == 0;
        for (const Tet& tet : of.mesh.tets)
            for (const auto& face : tet_faces) {
                const Vec3 p[3] = {of.mesh.rest[tet[face[0]]], of.mesh.rest[tet[face[1]]], of.mesh.rest[tet[face[2]]]};
                if (p[0].x() != length || p[1].x() != length || p[2].x() != length) continue;
                const double area = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).norm();
                for (int k : face) full.push_back({tet[k], -load * area / (3 * height * height)});
            }
    }
    void load(double share) {
        std::fill(of.force.begin(), of.force.end(), Vec3::Zero());
        for (const auto& [node, f] : full) of.force[node].y() += share * f;
    }
    Vec3 tip() const {  // mean displacement of the end, by area
        Vec3 sum = Vec3::Zero();
        double all = 0;
        for (const auto& [node, f] : full) sum += f * (of.x[node] - of.mesh.rest[node]), all += f;
        return sum / all;
    }
    Statics of;
    std::vector<std::pair<int, double>> full;
};

/// The elastica under a dead load at its tip: EI θ″ = −P cos θ, θ(0) = 0, θ′(L) = 0 (θ downward), by shooting and
/// Runge–Kutta. Displacement of the tip over the length, for k = PL²/EI.
Vec3 elastica_tip(double k) {
    constexpr int steps = 2000;
    const auto shoot = [&](double curvature, Vec3* tip) {
        double theta = 0, bend = curvature, x = 0, y = 0;
        const double h = 1.0 / steps;
        for (int i = 0; i < steps; ++i) {
            double t[4], b[4], dx = 0, dy = 0;
            const double weight[4] = {1, 2, 2, 1}, reach[4] = {0, 0.5, 0.5, 1};
            double sum_t = 0, sum_b = 0;
            for (int s = 0; s < 4; ++s) {
                const double at = theta + (s ? reach[s] * h * t[s - 1] : 0),
                             turn = bend + (s ? reach[s] * h * b[s - 1] : 0);
                t[s] = turn, b[s] = -k * std::cos(at);
                sum_t += weight[s] * t[s], sum_b += weight[s] * b[s];
                dx += weight[s] * std::cos(at), dy += weight[s] * std::sin(at);
            }
            theta += h / 6 * sum_t, bend += h / 6 * sum_b, x += h / 6 * dx, y += h / 6 * dy;
        }
        if (tip) *tip = Vec3(x - 1, -y, 0);
        return bend;
    };
    double low = 0, high = k;
    for (int i = 0; i < 100; ++i) (shoot(0.5 * (low + high), nullptr) > 0 ? high : low) = 0.5 * (low + high);
    Vec3 tip;
    shoot(low, &tip);
    return tip;
}

// Four elements through the height, L/h = 20, PL²/EI = 2: the tip sinks by half the length.
TEST(Locking, LargeDeflectionOfASlenderBeam) {
    const double k = 2, load = k * beam_young * Beam::inertia / (Beam::length * Beam::length);
    const Vec3 exact = Beam::length * elastica_tip(k);
    EXPECT_NEAR(exact.y() / Beam::length, -0.4935, 1e-3);  // Bisshopp & Drucker 1945
    double error[2];
    for (const Element element : {Element::tet4, Element::smoothed}) {
        Beam beam(4, element, load);
        double moved = 0;
        int newton = 0;
        const double took = seconds_of([&] {
            for (double share : {0.25, 0.5, 0.75}) {
                beam.load(share);
                for (int i = 0; i < 6; ++i, ++newton) beam.of.iterate();
            }
            beam.load(1);
            for (int i = 0; i < 200; ++i, ++newton)
                if ((moved = beam.of.iterate()) < 1e-5 * Beam::length) break;
        });
        const Vec3 tip = beam.tip();
        error[element == Element::smoothed] = tip.y() / exact.y() - 1;
        std::cout << (element == Element::smoothed ? "smoothed" : "tet4") << ": tip (" << tip.x() << ", " << tip.y()
                  << "), elastica (" << exact.x() << ", " << exact.y() << "), error " << 100 * (tip.y() / exact.y() - 1)
                  << "% down, " << 100 * (tip.x() / exact.x() - 1) << "% along, " << newton << " Newton and "
                  << beam.of.iterations << " CG iterations, " << took << " s\n";
        EXPECT_LT(moved, 1e-5 * Beam::length);
        if (element == Element::smoothed) {
            EXPECT_NEAR(tip.x() / exact.x(), 1, 0.04);
        }
    }
    EXPECT_LT(error[0], -0.05);
    EXPECT_NEAR(error[1], 0, 0.02);
}

// Small deflection, one solve each: what the plain element costs for the same error.
TEST(Locking, BendingCost) {
    const double load = 1e-3 * beam_young * Beam::inertia / (Beam::length * Beam::length);
    const double shear = beam_young / 2.6, kappa = 13 / 15.3;
    const double exact = load * std::pow(Beam::length, 3) / (3 * beam_young * Beam::inertia) +
                         load * Beam::length / (kappa * shear * Beam::height * Beam::height);
    double best = 0, best_time = 0;
    for (const auto& [cells, element] :
         {std::pair{4, Element::smoothed}, {4, Element::tet4}, {8, Element::tet4}, {12, Element::tet4}}) {
        Beam beam(cells, element, load);
        beam.load(1);
        const double took = seconds_of([&] { beam.of.iterate(); });
        const double error = -beam.tip().y() / exact - 1;
        if (element == Element::smoothed) best = std::abs(error), best_time = took;
        std::cout << (element == Element::smoothed ? "smoothed " : "tet4 ") << cells << " cells, "
                  << beam.of.mesh.tet_count() << " tets: error " << 100 * error << "%, " << beam.of.iterations
                  << " iterations, " << took << " s, " << took / best_time << " times the smoothed one\n";
        if (element == Element::tet4) {
            EXPECT_GT(std::abs(error), best);
        }
    }
    EXPECT_LT(best, 0.02);
}

/// A quarter of a thick-walled cylinder, plane strain, pressure inside.
struct Cylinder {
    static constexpr double inner = 0.1, outer = 0.2, depth = 0.05, pressure = 10;

    Cylinder(int cells, Element element, double poisson)
        : of(make(cells), poisson, {.law = &material_laws().get("linear", {}), .element = element},
             Preconditioner::jacobi),
          nu(poisson) {
        for (int i = 0; i < of.mesh.node_count(); ++i) {
            const Vec3& p = of.mesh.rest[i];
            if (std::abs(p.x()) < 1e-12) of.rollers.push_back({i, 0});
            if (std::abs(p.y()) < 1e-12) of.rollers.push_back({i, 1});
            if (p.z() == 0 || p.z() == depth) of.rollers.push_back({i, 2});
        }
        const auto inside = [&](int i) {
            return std::hypot(of.mesh.rest[i].x(), of.mesh.rest[i].y()) < inner * (1 + 1e-9);
        };
        for (const Tet& tet : of.mesh.tets)
            for (const auto& face : tet_faces) {
                if (!inside(tet[face[0]]) || !inside(tet[face[1]]) || !inside(tet[face[2]])) continue;
                const Vec3 &a = of.mesh.rest[tet[face[0]]], &b = of.mesh.rest[tet[face[1]]],
                           &c = of.mesh.rest[tet[face[2]]];
                Vec3 area = 0.5 * (b - a).cross(c - a);
                if (area.dot(a) < 0) area = -area;  // outward, as the pressure pushes
                for (int k : face) of.force[tet[k]] += pressure / 3 * Vec3(area.x(), area.y(), 0);
            }
    }
    static TetMesh make(int cells) {
        TetMesh mesh = bar_mesh(cells, static_cast<int>(std::lround(2.4 * cells)), std::max(1, cells / 2), Vec3::Zero(),
                                Vec3(1, 1, depth));
        for (Vec3& p : mesh.rest) {
            const double r = inner + (outer - inner) * p.x(), angle = 0.5 * 3.14159265358979323846 * p.y();
            p = Vec3(r * std::cos(angle), r * std::sin(angle), p.z());
        }
        orient_tets(mesh);
        return mesh;
    }
    double solve() {
        of.iterate();
        double sum = 0;
        int count = 0;
        for (int i = 0; i < of.mesh.node_count(); ++i) {
            const Vec3 p(of.mesh.rest[i].x(), of.mesh.rest[i].y(), 0);
            if (p.norm() < inner * (1 + 1e-9)) sum += (of.x[i] - of.mesh.rest[i]).dot(p.normalized()), ++count;
        }
        return sum / count;
    }
    double lame() const {  // radial displacement inside, plane strain
        return (1 + nu) / beam_young * inner * inner * pressure / (outer * outer - inner * inner) *
               ((1 - 2 * nu) * inner + outer * outer / inner);
    }
    Statics of;
    double nu;
};

TEST(Locking, ThickCylinderThatKeepsItsVolume) {
    double best_time = 0;
    for (const auto& [cells, element] :
         {std::pair{4, Element::smoothed}, {4, Element::tet4}, {8, Element::tet4}, {12, Element::tet4}}) {
        Cylinder cylinder(cells, element, 0.499);
        double inside = 0;
        const double took = seconds_of([&] { inside = cylinder.solve(); });
        const double error = inside / cylinder.lame() - 1;
        if (element == Element::smoothed) best_time = took;
        std::cout << (element == Element::smoothed ? "smoothed " : "tet4 ") << cells << " cells, "
                  << cylinder.of.mesh.tet_count() << " tets: radial displacement " << inside << ", Lame "
                  << cylinder.lame() << ", error " << 100 * error << "%, " << cylinder.of.iterations << " iterations, "
                  << took << " s, " << took / best_time << " times the smoothed one\n";
        if (element == Element::smoothed) {
            EXPECT_NEAR(error, 0, 0.03);
        } else {
            EXPECT_LT(error, -0.03);
        }
    }
}

}  // namespace
}  // namespace pliant
