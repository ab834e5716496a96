// The smoothed element: its forces and matrix against plain double precision, patch test, zero-energy modes, momentum.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <iostream>
#include <set>

#include "fem/scene.hpp"
#include "pliant/fem/smoothing.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/material.hpp"

namespace pliant {
namespace {

TetMesh smooth_mesh(std::uint64_t seed) {
    return crumpled(bar_mesh(4, 3, 2, Vec3::Zero(), Vec3(2, 1.5, 1)), 0.2, seed);
}

SolidOptions smooth(const MaterialLaw& law, double damping = 0) {
    return {.law = &law, .stiffness_damping = damping, .element = Element::smoothed};
}

/// Dense stiffness of the assembled system times dt(dt + β), by nodes.
Eigen::MatrixXd dense_stiffness(const Solid& solid) {
    const BlockSystem& a = solid.system();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(3 * a.rows, 3 * a.rows);
    for (int row = 0; row < a.rows; ++row)
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot) {
            const int to = a.neighbour(slot, row % 8), i = a.node_of_row[row], j = a.node_of_row[to];
            if (to == row) continue;
            for (int e = 0; e < 9; ++e) {
                const double k = a.block[72L * slot + 8 * e + row % 8];
                K(3 * i + e / 3, 3 * j + e % 3) += k, K(3 * i + e / 3, 3 * i + e % 3) -= k;
            }
        }
    return K;
}

Vec3 residual_of(const Solid& solid, int node) {
    const BlockSystem& a = solid.system();
    return a.at(a.r, a.row_of_node[node]);
}

TEST(SmoothedElement, ForcesAreTheSlopeOfTheEnergyForEveryLaw) {
    for (const MaterialLaw& law : material_laws().entries()) {
        const TetMesh mesh = smooth_mesh(3);
        Solid solid(mesh, random_material(mesh, 5), smooth(law));
        std::vector<Vec3> x = deformed(mesh, 0.03, 7), f(x.size());
        solid.internal_force(x, f);
        const std::vector<Vec3> along = random_vectors(x.size(), 1, 8);
        double work = 0, size = 0;
        const double h = 1e-5;
        std::vector<Vec3> plus = x, minus = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            plus[i] += h * along[i], minus[i] -= h * along[i];
            work -= f[i].dot(along[i]), size += f[i].norm() * along[i].norm();
        }
        const double slope = (solid.elastic_energy(plus) - solid.elastic_energy(minus)) / (2 * h);
        std::cout << law.name << ": " << std::abs(slope - work) / size << "\n";
        EXPECT_NEAR(slope, work, 1e-7 * size) << law.name;
    }
}

// Kernels against plain arithmetic, for every law and vector unit: the forces of a step are those at x + dt·v, blocks
// come in pairs that are each other's transpose to the last bit, and the matrix is the slope of the forces where the
// tangent needs no repair.
TEST(SmoothedElement, KernelsAgreeWithPlainArithmetic) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4})
        for (const MaterialLaw& law : material_laws().entries()) {
            if (!kernel_level_available(level)) continue;
            const TetMesh mesh = smooth_mesh(4);
            Solid solid(mesh, random_material(mesh, 6), smooth(law));
            set_kernel_level(solid, level);
            const std::size_t n = mesh.rest.size();
            const std::vector<Vec3> v = random_vectors(n, 0.3, 4), none(n, Vec3::Zero());
            const double dt = 0.02;
            Threads threads(2);
            StageTimes times;
            const std::vector<Vec3> x = deformed(mesh, 0.05, 3);
            solid.assemble(x, v, {.dt = dt, .force = none, .prescribed = {}}, threads, times);
            std::vector<Vec3> ahead = x, f(n);
            for (std::size_t i = 0; i < n; ++i) ahead[i] += dt * v[i];
            solid.internal_force(ahead, f);
            double worst = 0, largest = 0;
            for (std::size_t i = 0; i < n; ++i) {
                worst = std::max(worst, (residual_of(solid, int(i)) - dt * f[i]).norm());
                largest = std::max(largest, dt * f[i].norm());
            }
            const Eigen::MatrixXd K = dense_stiffness(solid);
            Eigen::MatrixXd off = K - K.transpose();
            for (Eigen::Index i = 0; i < off.rows(); ++i)  // diagonal blocks are sums
                off.block(i / 3 * 3, i / 3 * 3, 3, 3).setZero();

            // At rest no law needs repair.
            solid.assemble(mesh.rest, none, {.dt = dt, .force = none, .prescribed = {}}, threads, times);
            const Eigen::MatrixXd at_rest = dense_stiffness(solid);
            const std::vector<Vec3> u = random_vectors(n, 1, 9);
            std::vector<Vec3> plus = mesh.rest, minus = mesh.rest, up(n), down(n);
            const double h = 1e-6;
            for (std::size_t i = 0; i < n; ++i) plus[i] += h * u[i], minus[i] -= h * u[i];
            solid.internal_force(plus, up), solid.internal_force(minus, down);
            double slope_error = 0, slope_size = 0;
            for (std::size_t i = 0; i < n; ++i) {
                Vec3 product = Vec3::Zero();
                for (std::size_t j = 0; j < n; ++j)
                    product += at_rest.block<3, 3>(3 * Eigen::Index(i), 3 * Eigen::Index(j)) * u[j];
                const Vec3 slope = -dt * dt * (up[i] - down[i]) / (2 * h);
                slope_error = std::max(slope_error, (product - slope).norm());
                slope_size = std::max(slope_size, slope.norm());
            }
            std::cout << law.name << " v" << 2 + int(level) << ": force " << worst / largest << ", matrix "
                      << slope_error / slope_size << "\n";
            EXPECT_LT(worst, 1e-10 * largest) << law.name;
            EXPECT_EQ(off.cwiseAbs().maxCoeff(), 0) << law.name;
            EXPECT_LT(slope_error, 1e-5 * slope_size) << law.name;
        }
}

// A uniform deformation has the forces of plain tets at every node, whatever the materials and the shapes of the tets
// are: none inside where the material is the same everywhere.
TEST(SmoothedElement, PassesThePatchTest) {
    for (const MaterialLaw& law : material_laws().entries())
        for (const bool mixed : {false, true}) {
            const TetMesh mesh = smooth_mesh(12);
            const auto material =
                mixed ? random_material(mesh, 5) : std::vector<ElementMaterial>(mesh.tets.size(), {1e5, 0.45, 1000});
            const Solid smoothed(mesh, material, smooth(law)), plain(mesh, material, {.law = &law});
            Mat3 A = Mat3::Identity() + 0.1 * (Mat3() << 1, -2, 0.5, 0.3, -1, 2, 1.5, 0.2, 1).finished();
            std::vector<Vec3> x = mesh.rest, f(x.size()), g(x.size());
            for (Vec3& p : x) p = A * p;
            smoothed.internal_force(x, f), plain.internal_force(x, g);
            double off = 0, size = 0, inside = 0;
            const std::vector<Vec3> even = bar_mesh(4, 3, 2, Vec3::Zero(), Vec3(2, 1.5, 1)).rest;
            for (std::size_t i = 0; i < x.size(); ++i) {
                off = std::max(off, (f[i] - g[i]).norm()), size = std::max(size, g[i].norm());
                const Vec3& p = even[i];
                if (p.x() > 0 && p.x() < 2 && p.y() > 0 && p.y() < 1.5 && p.z() > 0 && p.z() < 1)
                    inside = std::max(inside, f[i].norm());
            }
            std::cout << law.name << (mixed ? ", mixed" : "") << ": against plain tets " << off / size << ", inside "
                      << inside / size << ", energy " << smoothed.elastic_energy(x) / plain.elastic_energy(x) - 1
                      << "\n";
            EXPECT_LT(off, 1e-12 * size) << law.name;
            EXPECT_NEAR(smoothed.elastic_energy(x), plain.elastic_energy(x), 1e-12 * plain.elastic_energy(x));
            if (!mixed) {
                EXPECT_LT(inside, 1e-12 * size) << law.name;
            }
        }
}

// Averaging may leave motions without energy (averages over nodes alone do). Here none: six rigid motions, and the next
// eigenvalue is not far below that of plain tets.
TEST(SmoothedElement, HasNoZeroEnergyModesBesideRigidMotion) {
    for (const double poisson : {0.0, 0.3, 0.499})
        for (const int cells : {1, 3}) {
            const TetMesh mesh = cells == 1 ? bar_mesh(1, 1, 1, Vec3::Zero(), Vec3(0.5, 0.5, 0.5)) : smooth_mesh(21);
            const std::vector<ElementMaterial> material(mesh.tets.size(), {1e5, poisson, 1000});
            const std::vector<Vec3> none(mesh.rest.size(), Vec3::Zero());
            Threads threads(1);
            StageTimes times;
            double seventh[2];
            for (const bool smoothed : {false, true}) {
                Solid solid(mesh, material, {.element = smoothed ? Element::smoothed : Element::tet4});
                solid.assemble(mesh.rest, none, {.dt = 1, .force = none, .prescribed = {}}, threads, times);
                const Eigen::VectorXd values =
                    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense_stiffness(solid), Eigen::EigenvaluesOnly)
                        .eigenvalues();
                int zeros = 0;
                for (double value : values) zeros += std::abs(value) < 1e-5 * values[values.size() - 1];
                seventh[smoothed] = values[6];
                if (smoothed) {
                    std::cout << "nu " << poisson << ", " << mesh.tet_count() << " tets: " << zeros
                              << " zero eigenvalues, the next is " << values[6] / values[values.size() - 1]
                              << " of the largest and " << seventh[1] / seventh[0] << " of plain tets'\n";
                    EXPECT_EQ(zeros, 6);
                    EXPECT_GT(values[6], 100 * std::abs(values[5]));
                    EXPECT_GT(seventh[1], 0.2 * seventh[0]);
                }
            }
        }
}

TEST(SmoothedElement, ForcesHaveNeitherResultantNorTorque) {
    for (const MaterialLaw& law : material_laws().entries()) {
        const TetMesh mesh = smooth_mesh(31);
        const Solid solid(mesh, random_material(mesh, 5), smooth(law));
        const std::vector<Vec3> x = deformed(mesh, 0.1, 3);
        std::vector<Vec3> f(x.size());
        solid.internal_force(x, f);
        Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
        double size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += f[i], torque += x[i].cross(f[i]), size += f[i].norm();
        EXPECT_LT(sum.norm(), 1e-12 * size) << law.name;
        if (law.objective) {
            EXPECT_LT(torque.norm(), 1e-11 * size) << law.name;
        }
    }
}

// Plastic strain that is the same everywhere frees a uniform strain of its stress; where it flows, it does so by the
// strain that the element sees.
TEST(SmoothedElement, PlasticStrainTakesStressAway) {
    for (const char* name : {"corotational", "linear"}) {
        const MaterialLaw& law = material_laws().get(name, {});
        const TetMesh mesh = smooth_mesh(41);
        Solid solid(mesh, random_material(mesh, 5), smooth(law));
        const Mat3 stretch = Vec3(1.1, 0.97, 0.99).asDiagonal();
        const Mat3 R = law.objective ? random_rotation(3) : Mat3(Mat3::Identity());
        std::vector<Vec3> x = mesh.rest;
        for (Vec3& p : x) p = R * stretch * p;
        const std::vector<Vec3> none(x.size(), Vec3::Zero());
        std::vector<std::array<double, 6>> strain(mesh.tets.size());
        FlowNumbers numbers;
        for (int lane = 0; lane < 8; ++lane)
            numbers.limit[lane] = numbers.yield[lane] = 0, numbers.share[lane] = 1, numbers.max[lane] = 1;
        const PlasticFlow flow{.strain = strain, .numbers = {&numbers, 1}, .stops_at_yield = false};
        Threads threads(2);
        StageTimes times;
        solid.assemble(x, none, {.dt = 0.01, .force = none, .prescribed = {}}, threads, times);
        double before = 0, after = 0;
        for (std::size_t i = 0; i < x.size(); ++i) before = std::max(before, residual_of(solid, int(i)).norm());
        solid.assemble(x, none, {.dt = 0.01, .force = none, .prescribed = {}, .flow = &flow}, threads, times);
        for (std::size_t i = 0; i < x.size(); ++i) after = std::max(after, residual_of(solid, int(i)).norm());
        std::cout << name << ": force left " << after / before << ", strain " << strain[5][0] << "\n";
        EXPECT_NEAR(strain[5][0], 0.1, 1e-12);
        EXPECT_NEAR(strain[5][1], -0.03, 1e-12);
        EXPECT_LT(after, 1e-10 * before);
        EXPECT_LT(solid.smoothed_energy(x, strain), 1e-20 * solid.elastic_energy(x));
        std::vector<std::array<double, 6>> stress(mesh.tets.size());
        solid.smoothed_stresses(x, strain, stress, threads);
        for (int t : {0, 7, 50})
            for (int k = 0; k < 6; ++k) EXPECT_NEAR(stress[t][k], solid.smoothed_stress(x, strain, t)[k], 1e-6);
    }
}

// Where nodes are split the domains part: the result is that of a solid made anew, and no force crosses the crack.
TEST(SmoothedElement, DomainsPartWhereNodesSplit) {
    const TetMesh whole = bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1));
    TetMesh split = whole;
    std::vector<int> copy(whole.rest.size(), -1), relinked;
    for (std::size_t i = 0; i < whole.rest.size(); ++i)
        if (whole.rest[i].x() == 1) copy[i] = static_cast<int>(split.rest.size()), split.rest.push_back(whole.rest[i]);
    for (int t = 0; t < whole.tet_count(); ++t) {
        double middle = 0;
        for (int i : whole.tets[t]) middle += whole.rest[i].x() / 4;
        if (middle < 1) continue;
        for (int& i : split.tets[t])
            if (copy[i] >= 0) i = copy[i];
        relinked.push_back(t);
    }
    const auto material = random_material(whole, 5);
    const MaterialLaw& law = material_laws().get("corotational", {});
    Threads threads(2);
    StageTimes times;
    Solid broken(whole, material, smooth(law)), anew(split, material, smooth(law));
    broken.relink(split, material, relinked, threads);
    broken.set_parts(linked_tets(split.tets), threads);
    std::vector<Vec3> x = deformed(split, 0.05, 3), f(x.size()), g(x.size());
    broken.internal_force(x, f), anew.internal_force(x, g);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(f[i], g[i]);
    const std::vector<Vec3> none(x.size(), Vec3::Zero());
    broken.assemble(x, none, {.dt = 0.01, .force = none, .prescribed = {}}, threads, times);
    anew.assemble(x, none, {.dt = 0.01, .force = none, .prescribed = {}}, threads, times);
    // Rows are in another order, and with them the order of some sums.
    const Eigen::MatrixXd K = dense_stiffness(anew), off = dense_stiffness(broken) - K;
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-6 * K.cwiseAbs().maxCoeff());
    // Moving one half as a rigid body changes no force.
    std::vector<Vec3> moved = x;
    std::set<int> half;
    for (int t : relinked) half.insert(split.tets[t].begin(), split.tets[t].end());
    for (int i : half) moved[i] += Vec3(0.5, 0.1, 0);
    broken.internal_force(moved, f);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((f[i] - g[i]).norm(), 1e-9 * (1 + g[i].norm()));
}

}  // namespace
}  // namespace pliant
