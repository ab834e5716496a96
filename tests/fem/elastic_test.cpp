// What elasticity owes to physics, whatever the loops look like.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "fem/scene.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/material.hpp"

namespace pliant {
namespace {

const MaterialLaw* const linear = &material_laws().get("linear");
const MaterialLaw* const corotational = &material_laws().get("corotational");
const MaterialLaw* const laws[] = {linear, corotational};
std::string name(const MaterialLaw* law) { return law->name; }

double largest(std::span<const Vec3> v) {
    double most = 0;
    for (const Vec3& e : v) most = std::max(most, e.norm());
    return most;
}

// The elastic part of the residual that a step computes, as a force.
std::vector<Vec3> step_force(Solid& solid, std::span<const Vec3> x) {
    const std::vector<Vec3> none(x.size(), Vec3::Zero());
    Threads threads(1);
    StageTimes times;
    solid.assemble(x, none, {.dt = 0.01, .force = none, .prescribed = {}}, threads, times);
    const BlockSystem& a = solid.parts().system;
    std::vector<Vec3> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = a.at(a.r, a.row_of_node[i]) / 0.01;
    return out;
}

TEST(Elasticity, RigidMotionOfABodyAtRestCostsNoForce) {
    const double young = 1e5, h = 0.5;
    const TetMesh mesh = crumpled(bar_mesh(8, 2, 2, Vec3::Zero(), Vec3(4, 1, 1)), 0.2, 1);
    Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {young, 0.33, 1000}), {});
    std::vector<Vec3> x(mesh.rest.size()), f(x.size());
    double worst = 0, worst_step = 0;
    std::vector<Mat3> turns{Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()).toRotationMatrix(), Mat3::Identity(),
                            Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitX()).toRotationMatrix()};
    for (int k = 0; k < 40; ++k) turns.push_back(random_rotation(k));
    for (const Mat3& R : turns) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = R * mesh.rest[i] + Vec3(3, -2, 5);
        solid.internal_force(x, f);
        worst = std::max(worst, largest(f));
        worst_step = std::max(worst_step, largest(step_force(solid, x)));
    }
    std::cout << "largest nodal force after rigid motion: " << worst / (young * h * h) << " E h^2, in the step "
              << worst_step / (young * h * h) << " E h^2\n";
    EXPECT_LT(worst, 1e-10 * young * h * h);
    EXPECT_LT(worst_step, 1e-10 * young * h * h);
}

TEST(Elasticity, PatchTest) {
    for (const MaterialLaw* law : laws) {
        double worst = 0, worst_step = 0;
        for (int k = 0; k < 100; ++k) {
            const TetMesh mesh = crumpled(bar_mesh(3, 3, 3, Vec3::Zero(), Vec3(1.5, 1.5, 1.5)), 0.25, k);
            Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e5, 0.3, 1000}), {.law = law});
            const auto c = random_vectors(3, 0.2, 1000 + k);
            Mat3 F = Mat3::Identity();
            for (int j = 0; j < 3; ++j) F.col(j) += c[j];
            if (law == corotational) F = random_rotation(k) * F;
            std::vector<Vec3> x(mesh.rest.size()), f(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = F * mesh.rest[i];
            solid.internal_force(x, f);
            const double size = largest(f);  // on the boundary
            const auto g = step_force(solid, x);
            for (int i = 1; i < 3; ++i)
                for (int j = 1; j < 3; ++j)
                    for (int l = 1; l < 3; ++l) {
                        const int inner = 16 * i + 4 * j + l;
                        worst = std::max(worst, f[inner].norm() / size);
                        worst_step = std::max(worst_step, g[inner].norm() / size);
                    }
        }
        std::cout << name(law) << ": unbalanced inner force under uniform strain " << worst << ", in the step "
                  << worst_step << "\n";
        EXPECT_LT(worst, 1e-10);
        EXPECT_LT(worst_step, 1e-10);
    }
}

TEST(Elasticity, ForcesOfABodySumToZero) {
    for (const MaterialLaw* law : laws) {
        const TetMesh mesh = crumpled(bar_mesh(6, 2, 2, Vec3::Zero(), Vec3(3, 1, 1)), 0.2, 4);
        Solid solid(mesh, random_material(mesh, 3), {.law = law});
        const auto x = deformed(mesh, 0.3, 9);
        std::vector<Vec3> f(x.size());
        solid.internal_force(x, f);
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        double forces = 0, torques = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            force += f[i], torque += x[i].cross(f[i]);
            forces += f[i].norm(), torques += x[i].norm() * f[i].norm();
        }
        std::cout << name(law) << ": sum of forces " << force.norm() / forces << ", torque " << torque.norm() / torques
                  << " of the absolute sums\n";
        EXPECT_LT(force.norm(), 1e-13 * forces);
        // Corotational: P Fᵀ = R σ S Rᵀ is symmetric since σ and S commute for isotropic σ(S), so torque vanishes too.
        if (law == corotational) {
            EXPECT_LT(torque.norm(), 1e-10 * torques);
        }
    }
}

TEST(Elasticity, ForceIsTheDerivativeOfTheEnergy) {
    for (const MaterialLaw* law : laws) {
        const TetMesh mesh = bar_mesh(3, 2, 2, Vec3::Zero(), Vec3(1.5, 1, 1));
        Solid solid(mesh, random_material(mesh, 3), {.law = law});
        const auto x = deformed(mesh, 0.1, 2), d = random_vectors(x.size(), 1, 5);
        std::vector<Vec3> f(x.size());
        solid.internal_force(x, f);
        double work = 0, size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) work -= f[i].dot(d[i]), size += std::abs(f[i].dot(d[i]));
        auto energy = [&](double t) {
            std::vector<Vec3> y = x;
            for (std::size_t i = 0; i < x.size(); ++i) y[i] += t * d[i];
            return solid.elastic_energy(y);
        };
        const double h = 1e-4;
        const double slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
        std::cout << name(law) << ": energy slope against force " << std::abs(slope - work) / size << "\n";
        EXPECT_NEAR(slope, work, 1e-8 * size);
    }
}

// Static equilibrium: long steps from rest, forces taken anew each time.
void relax(Solid& solid, std::vector<Vec3>& x, const SolidInput& input, int steps, double tolerance) {
    const std::vector<Vec3> still(x.size(), Vec3::Zero());
    std::vector<Vec3> v(x.size());
    Threads threads(1);
    StageTimes times;
    Solid* one = &solid;
    for (int k = 0; k < steps; ++k) {
        solid.assemble(x, still, input, threads, times);
        solve({&one, 1}, {}, {.iterations = 20000, .tolerance = tolerance}, threads, times);
        solid.velocity(v);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += input.dt * v[i];
    }
}

// A traction on the end face of a bar as nodal forces: a third of each boundary triangle's share to its corners.
std::vector<Vec3> end_load(const TetMesh& mesh, double at, const Vec3& traction) {
    std::vector<Vec3> f(mesh.rest.size(), Vec3::Zero());
    for (const Tet& tet : mesh.tets)
        for (const auto& face : tet_faces) {
            const Vec3 &a = mesh.rest[tet[face[0]]], &b = mesh.rest[tet[face[1]]], &c = mesh.rest[tet[face[2]]];
            if (a.x() != at || b.x() != at || c.x() != at) continue;
            const double area = 0.5 * (b - a).cross(c - a).norm();
            for (int k : face) f[tet[k]] += area / 3 * traction;
        }
    return f;
}

TEST(Elasticity, StretchedBarGetsThinnerByPoissonsRatio) {
    for (const MaterialLaw* law : laws) {
        const double young = 1e5, poisson = 0.33, strain = 0.01;
        const TetMesh mesh = crumpled(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), 0, 1);
        Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {young, poisson, 1000}), {.law = law});
        auto force = end_load(mesh, 2, Vec3(young * strain, 0, 0));
        const auto other = end_load(mesh, 0, Vec3(-young * strain, 0, 0));
        for (std::size_t i = 0; i < force.size(); ++i) force[i] += other[i];
        std::vector<Vec3> x = mesh.rest;
        relax(solid, x, {.dt = 0.5, .force = force, .prescribed = {}}, 40, 1e-10);
        double worst = 0;
        for (int t = 0; t < mesh.tet_count(); ++t) {
            // Stretches along the rest axes, whichever way the free body turned while it relaxed.
            const Mat3 F = solid.deformation_gradient(x, t);
            const Vec3 stretch = law == linear ? Vec3(F.diagonal()) : Vec3(F.colwise().norm());
            worst = std::max(worst, (stretch - Vec3(1 + strain, 1 - poisson * strain, 1 - poisson * strain)).norm());
        }
        std::cout << name(law) << ": strain against (e, -nu e, -nu e) off by " << worst / strain << " e\n";
        EXPECT_LT(worst, 1e-8 * strain);
    }
}

// Tip deflection of a slender bar under a small load at its end against PL³/3EI + PL/κGA (Timoshenko, κ after Cowper).
// The formula is that of Saint-Venant's solution: the load is spread over the end as the parabola of shear, the section
// at the root stays plane but is free to contract as bending wants it, and deflection means that of the section.
// (Clamping the root rigidly makes the bar about 1% stiffer than the formula, on any mesh.)
struct Cantilever {
    static constexpr double young = 1e6, poisson = 0.3, length = 10, height = 1, width = 0.25, load = 0.01;
    static constexpr double inertia = width * height * height * height / 12, area = width * height;

    static double formula() {
        const double shear = young / (2 * (1 + poisson)), kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
        return load * std::pow(length, 3) / (3 * young * inertia) + load * length / (kappa * shear * area);
    }
    // Displacement of the root: y, z from the axis. Curvature of the bar there is load·length/EI, and Poisson's ratio
    // bends the section the other way; its mean deflection is zero.
    static Vec3 root(double y, double z) {
        const double bend = poisson * load * length / (young * inertia);
        const double mean = (height * height - width * width) / 12;
        return {0, 0.5 * bend * (z * z - y * y + mean), -bend * y * z};
    }
    static double tip(int cells) {
        const TetMesh mesh = bar_mesh(10 * cells, cells, cells / 4, Vec3(0, -height / 2, -width / 2),
                                      Vec3(length, height / 2, width / 2));
        Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {young, poisson, 1}), {});
        // Each triangle of the end face carries the shear at the middles of its edges, half of it to either corner.
        std::vector<Vec3> force(mesh.rest.size(), Vec3::Zero());
        std::vector<double> share(mesh.rest.size(), 0);  // of the end's area
        for (const Tet& tet : mesh.tets)
            for (const auto& face : tet_faces) {
                const Vec3 p[3] = {mesh.rest[tet[face[0]]], mesh.rest[tet[face[1]]], mesh.rest[tet[face[2]]]};
                if (p[0].x() != length || p[1].x() != length || p[2].x() != length) continue;
                const double triangle = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).norm();
                for (int k = 0; k < 3; ++k) {
                    share[tet[face[k]]] += triangle / 3 / area;
                    const int l = (k + 1) % 3;
                    const double y = 0.5 * (p[k].y() + p[l].y());
                    const double shear = load / (2 * inertia) * (height * height / 4 - y * y);
                    for (int end : {k, l}) force[tet[face[end]]].y() -= triangle / 3 * shear / 2;
                }
            }
        const double dt = 100;  // so long that inertia counts for nothing
        std::vector<Vec3> v(mesh.rest.size(), Vec3::Zero());
        std::vector<char> held(mesh.rest.size());
        double total = 0;
        for (std::size_t i = 0; i < held.size(); ++i) {
            total -= force[i].y();
            if (mesh.rest[i].x() != 0) continue;
            held[i] = 1, v[i] = root(mesh.rest[i].y(), mesh.rest[i].z()) / dt;
        }
        EXPECT_NEAR(total, load, 1e-2 * load);  // the parabola, as the edges see it
        for (Vec3& f : force) f *= load / total;
        Threads threads(2);
        StageTimes times;
        Solid* one = &solid;
        const SolveOptions options{1000, 1e-7, Preconditioner::multigrid};
        solid.assemble(mesh.rest, v,
                       {.dt = dt, .force = force, .prescribed = held, .plastic_strain = {}, .solve = options}, threads,
                       times);
        const SolveReport report = solve({&one, 1}, {}, options, threads, times);
        solid.velocity(v);
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i) sum -= share[i] * dt * v[i].y();
        std::cout << cells << " cells, " << mesh.tet_count() << " tets, " << report.iterations << " iterations: tip "
                  << sum << ", formula " << formula() << ", error " << 100 * (sum / formula() - 1) << "%\n";
        return sum;
    }
};

TEST(Elasticity, CantileverConvergesToTheBeamFormula) {
    const double formula = Cantilever::formula();
    const double tip[3] = {Cantilever::tip(8), Cantilever::tip(16), Cantilever::tip(32)};
    const double first = std::log2((formula - tip[0]) / (formula - tip[1])),
                 second = std::log2((formula - tip[1]) / (formula - tip[2]));
    const double observed = std::log2((tip[1] - tip[0]) / (tip[2] - tip[1]));
    const double limit = tip[2] + (tip[2] - tip[1]) / (std::pow(2, observed) - 1);
    std::cout << "order of the error against the formula " << first << ", then " << second
              << "; without the formula (Richardson) " << observed << ", extrapolated tip " << limit << ", error "
              << 100 * (limit / formula - 1) << "%\n";
    EXPECT_GT(first, 1.8);
    EXPECT_GT(second, 1.8);
    EXPECT_GT(observed, 1.8);
    EXPECT_NEAR(limit, formula, 0.003 * formula);
}

}  // namespace
}  // namespace pliant
