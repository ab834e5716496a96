// The fast step against the textbook one, for every vector unit this machine has.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <functional>
#include <iostream>

#include "fem/scene.hpp"
#include "fem/textbook.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {
namespace {

const KernelLevel levels[] = {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4};

struct Case {
    const char* name;
    SolidOptions options;
    bool fixed, plastic, couplings;
    bool one_ratio = false;  ///< λ/μ is the same in all tets
};

/// The blocks of the last assemble() against those of the textbook, relative to the largest. Both blocks of an edge
/// are each other's transpose to the last bit.
double block_error(const Solid& fast, const textbook::Solid& plain) {
    const BlockSystem& a = fast.system();
    double error = 0, size = 0;
    for (int row = 0; row < a.rows; ++row) {
        const auto block = [&](int of, int to) {
            for (int slot = a.slice_begin[of / 8]; slot < a.slice_begin[of / 8 + 1]; ++slot)
                if (a.neighbour(slot, of % 8) == to) {
                    Mat3 K;
                    for (int e = 0; e < 9; ++e) K(e / 3, e % 3) = a.block[72L * slot + 8 * e + of % 8];
                    return K;
                }
            ADD_FAILURE() << "row " << of << " has no block for " << to;
            return Mat3(Mat3::Zero());
        };
        for (auto& [j, K] : plain.rows[a.node_of_row[row]]) {
            const int to = a.row_of_node[j];
            if (to == row) continue;
            EXPECT_EQ(block(row, to), block(to, row).transpose());
            error = std::max(error, (block(row, to) - K).cwiseAbs().maxCoeff());
            size = std::max(size, K.cwiseAbs().maxCoeff());
        }
    }
    return error / size;
}

double compare(const Case& c, KernelLevel level) {
    const TetMesh mesh = crumpled(bar_mesh(5, 3, 2, Vec3::Zero(), Vec3(2.5, 1.5, 1)), 0.2, 11);
    auto material = random_material(mesh, 5);
    for (ElementMaterial& m : material)
        if (c.one_ratio) m.poisson = 0.4;
    Solid fast(mesh, material, c.options);
    textbook::Solid plain(mesh, material, c.options);
    set_kernel_level(fast, level);
    std::vector<Vec3> x = deformed(mesh, 0.15, 3), v = random_vectors(x.size(), 2, 4),
                      force = random_vectors(x.size(), 30, 6), out(x.size());
    std::vector<char> prescribed(x.size(), 0);
    for (std::size_t i = 0; c.fixed && i < 7; ++i) prescribed[3 * i] = 1;
    std::vector<std::array<double, 6>> plastic(mesh.tets.size());
    Rng rng(8);
    for (auto& e : plastic)
        for (double& s : e) s = rng.uniform(-0.1, 0.1);
    std::vector<Coupling> rows;
    if (c.couplings)
        for (int k = 0; k < 4; ++k) {
            Coupling row;
            row.count = 3;
            for (int e = 0; e < 3; ++e) row.ends[e] = {0, 11 * k + 4 * e, e == 2 ? -1.0 : 0.5};
            const Vec3 n = random_vectors(1, 1, 20 + k)[0].normalized();
            row.S = 50 * plain.mass[0] * (n * n.transpose() + 0.01 * Mat3::Identity());
            row.s = n * plain.mass[0];
            rows.push_back(row);
        }
    SolidInput input{.dt = 0.02, .force = force, .prescribed = prescribed};
    if (c.plastic) input.plastic_strain = plastic;
    Threads threads(1);
    StageTimes times;
    double worst = 0;
    for (int step = 0; step < 4; ++step) {
        fast.assemble(x, v, input, threads, times);
        plain.assemble(x, v, input);
        EXPECT_LT(block_error(fast, plain), 3e-7);
        for (std::size_t i = 0; i < x.size(); ++i)
            for (auto& [j, K] : plain.rows[i])
                if (j == int(i)) {
                    EXPECT_NEAR(fast.effective_mass(int(i)), K.trace() / 3, 1e-5 * K.trace());
                }
        Solid* f = &fast;
        textbook::Solid* p = &plain;
        const SolveOptions tight{.iterations = 500, .tolerance = 1e-13};
        // Two passes, the second without the first row: what contact does.
        for (std::size_t skip = 0; skip < (rows.empty() ? 1 : 2); ++skip) {
            solve({&f, 1}, std::span(rows).subspan(skip), tight, threads, times);
            textbook::solve({&p, 1}, std::span(rows).subspan(skip), tight);
        }
        fast.velocity(out);
        double size = 0, error = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            size = std::max(size, plain.v[i].norm()), error = std::max(error, (out[i] - plain.v[i]).norm());
        worst = std::max(worst, error / size);
        for (int t = 0; t < mesh.tet_count(); ++t)
            EXPECT_LT((fast.rotation(t) - plain.rotation[t].toRotationMatrix()).norm(), 1e-6);
        v = plain.v;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += input.dt * v[i];
    }
    return worst;
}

TEST(StepKernels, AgreeWithTheTextbook) {
    const Case cases[] = {{"corotational", {}, false, false, false},
                          {"linear", {.law = &material_laws().get("linear")}, false, false, false},
                          {"fixed nodes", {}, true, false, false},
                          {"damped", {.mass_damping = 0.7, .stiffness_damping = 0.02}, true, false, false},
                          {"plastic", {}, false, true, false},
                          {"coupled", {}, false, false, true},
                          {"one ratio", {}, false, false, false, true},
                          {"all", {.mass_damping = 0.7, .stiffness_damping = 0.02}, true, true, true}};
    for (KernelLevel level : levels) {
        if (!kernel_level_available(level)) continue;
        for (const Case& c : cases) {
            const double error = compare(c, level);
            std::cout << "x86-64-v" << 2 + int(level) << ", " << c.name << ": velocities differ by " << error << "\n";
            // Float blocks change the converged velocity by their rounding, nothing more.
            EXPECT_LT(error, 3e-6) << c.name;
        }
    }
}

/// Tets that share no node, each deformed by its own F: forces of a step against those of internal_force(), which is
/// double throughout, relative to the stiffness. Also what a step finds when it starts from the rotations of the last.
struct ElementErrors {
    double first = 0, again = 0;
};
ElementErrors element_errors(KernelLevel level, const std::function<Mat3(Rng&)>& stretch, std::uint64_t seed) {
    Rng rng(seed);
    TetMesh mesh;
    std::vector<Vec3> x, out;
    for (int t = 0; t < 300; ++t) {
        const Mat3 F = random_rotation(1000 * seed + t) * stretch(rng);
        for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
            mesh.rest.push_back(corner + 0.3 * random_vectors(1, 1, 5000 * seed + mesh.rest.size())[0]);
            x.push_back(F * mesh.rest.back() + Vec3(1, 2, 3));
        }
        mesh.tets.push_back({4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3});
    }
    Solid solid(mesh, random_material(mesh, seed), {});
    set_kernel_level(solid, level);
    const std::vector<Vec3> still(x.size(), Vec3::Zero());
    out.resize(x.size());
    Threads threads(1);
    StageTimes times;
    const Solid::Parts& p = solid.parts();
    const auto error = [&] {
        solid.assemble(x, still, {.dt = 1, .force = still, .prescribed = {}, .plastic_strain = {}, .solve = {}},
                       threads, times);
        solid.internal_force(x, out);
        double worst = 0;
        for (int t = 0; t < p.tets; ++t)
            for (int a = 0; a < 4; ++a) {
                const double stiffness = (p.lambda_volume(t) + 2 * p.mu_volume(t)) * p.shape_gradient(t, a).norm();
                const Vec3 r = p.system.at(p.system.r, p.system.row_of_node[4 * t + a]);
                worst = std::max(worst, (r - out[4 * t + a]).norm() / stiffness);
            }
        return worst;
    };
    ElementErrors errors;
    errors.first = error();
    // A little further, as a step moves a body.
    const Mat3 turned = Eigen::AngleAxisd(0.01, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    for (Vec3& at : x) at = turned * at;
    errors.again = error();
    return errors;
}

TEST(ElementKernels, ForcesAreDoubleForAnyDeformation) {
    const auto symmetric = [](double size) {
        return [size](Rng& rng) {
            Mat3 E;
            for (int i = 0; i < 9; ++i) E(i) = rng.uniform(-size, size);
            return Mat3(Mat3::Identity() + 0.5 * (E + E.transpose()));
        };
    };
    // Singular values from `low` on; the least with a minus sign where `inverted`.
    const auto stretched = [](double low, bool inverted) {
        return [low, inverted](Rng& rng) {
            const Mat3 Q = random_rotation(rng.below(1000000));
            Vec3 s(rng.uniform(0.8, 1.5), rng.uniform(0.5, 0.8), rng.uniform(low, 2 * low));
            if (inverted) s[2] = -s[2];
            return Mat3(Q * s.asDiagonal() * Q.transpose());
        };
    };
    const struct {
        const char* name;
        std::function<Mat3(Rng&)> stretch;
        double bar;
    } cases[] = {{"at rest", symmetric(0), 1e-14},
                 {"strains to 5 %", symmetric(0.05), 1e-13},
                 {"strains to 50 %", symmetric(0.5), 1e-12},
                 {"nearly flat", stretched(1e-4, false), 1e-12},
                 {"inverted", stretched(0.1, true), 1e-12}};
    for (KernelLevel level : levels) {
        if (!kernel_level_available(level)) continue;
        for (const auto& c : cases) {
            const ElementErrors e = element_errors(level, c.stretch, 3);
            std::cout << "x86-64-v" << 2 + int(level) << ", " << c.name << ": forces differ by " << e.first << ", then "
                      << e.again << " of the stiffness\n";
            EXPECT_LT(e.first, c.bar) << c.name;
            EXPECT_LT(e.again, c.bar) << c.name;
        }
    }
}

/// Stresses for pictures against those of doubles and Eigen's eigenvalues, in parts of the modulus; and without a
/// trace.
TEST(ElementKernels, StressMeasuresAreThoseOfTheStress) {
    const TetMesh mesh = crumpled(bar_mesh(5, 3, 2, Vec3::Zero(), Vec3(2.5, 1.5, 1)), 0.2, 11);
    const auto material = random_material(mesh, 5);
    const std::size_t tets = mesh.tets.size();
    ASSERT_NE(tets % 8, 0u);  // a group that is not full
    std::vector<std::array<double, 6>> plastic(tets, {0.02, -0.03, 0.01, 0.04, 0, -0.01});
    for (KernelLevel level : levels) {
        if (!kernel_level_available(level)) continue;
        Solid solid(mesh, material, {});
        set_kernel_level(solid, level);
        std::vector<Vec3> x = deformed(mesh, 0.15, 3);
        for (int i : mesh.tets[7]) x[i] = 1.5 * mesh.rest[i];  // the same in all directions: three equal roots
        const std::vector<float> before(solid.rotation_state().begin(), solid.rotation_state().end());
        for (const bool flown : {false, true}) {
            std::vector<float> von_mises_of(tets), principal(tets);
            const int groups = static_cast<int>(tets + 7) / 8;
            const std::span<const std::array<double, 6>> strain(plastic.data(), flown ? tets : 0);
            solid.measure_stresses(x, material, strain, von_mises_of, principal, 0, 3);
            solid.measure_stresses(x, material, strain, von_mises_of, principal, 3, groups);
            double worst = 0;
            for (std::size_t t = 0; t < tets; ++t) {
                auto s = solid.stress(x, static_cast<int>(t));
                const double young = material[t].young, nu = material[t].poisson, mu = young / (2 * (1 + nu));
                const auto& e = plastic[t];
                const double pressure = young * nu / ((1 + nu) * (1 - 2 * nu)) * (e[0] + e[1] + e[2]);
                for (int k = 0; flown && k < 6; ++k) s[k] -= 2 * mu * e[k] + (k < 3 ? pressure : 0);
                Mat3 S;
                S << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
                const double largest = Eigen::SelfAdjointEigenSolver<Mat3>(S).eigenvalues()[2];
                const double size = young + S.norm();
                worst = std::max(
                    {worst, std::abs(von_mises_of[t] - von_mises(s)) / size, std::abs(principal[t] - largest) / size});
            }
            std::cout << "x86-64-v" << 2 + int(level) << (flown ? ", plastic" : "") << ": stress measures differ by "
                      << worst << "\n";
            EXPECT_LT(worst, 1e-7);
        }
        EXPECT_TRUE(std::equal(before.begin(), before.end(), solid.rotation_state().begin()));
    }
}

}  // namespace
}  // namespace pliant
