// The elements of a shell: energy, force and tangent agree, rigid motions cost nothing, plane stress and bending are
// those of the textbook.

#include "pliant/fem/shell.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <iostream>

#include "pliant/fem/plane_stress.hpp"
#include "shell_static.hpp"

namespace pliant::test {
namespace {

/// A sheet with inner nodes and curvature at rest, on an uneven mesh.
Sheet saddle() {
    return mapped_sheet(
        5, 4, false, [](double u, double v) { return Vec3(u, 0.8 * v, 0.3 * u * u - 0.4 * v * v + 0.1 * u * v); },
        0.25);
}

std::vector<Vec3> shaken(const std::vector<Vec3>& x, double by, std::uint64_t seed) {
    Rng random(seed);
    std::vector<Vec3> y = x;
    for (Vec3& p : y)
        for (int c = 0; c < 3; ++c) p[c] += by * (2 * random.uniform() - 1);
    return y;
}

TEST(Shell, ForcesAreTheGradientOfTheEnergy) {
    Threads threads(1);
    for (const Bending bending : {Bending::smooth, Bending::hinge, Bending::none})
        for (const char* law : {"corotational", "linear", "neo_hookean", "invertible", "green"})
            for (const double by : {0.1}) {
                const Sheet s = saddle();
                Shell shell = make_shell(s, 1e5, 0.3, 0.05, bending, law);
                const std::vector<Vec3> x = shaken(s.points, by, 3);
                std::vector<Vec3> f(x.size());
                shell.forces(x, f, threads);
                double worst = 0, scale = 0;
                for (const Vec3& force : f) scale = std::max(scale, force.norm());
                for (std::size_t i = 0; i < x.size(); ++i)
                    for (int c = 0; c < 3; ++c) {
                        const double h = 1e-6;
                        std::vector<Vec3> a = x, b = x;
                        a[i][c] += h, b[i][c] -= h;
                        const double slope = (shell.energy(a) - shell.energy(b)) / (2 * h);
                        worst = std::max(worst, std::abs(slope + f[i][c]) / scale);
                    }
                EXPECT_LT(worst, 1e-6) << law << " bending " << static_cast<int>(bending) << " shaken by " << by;
            }
}

/// The kernels of every vector unit against the plain energy and against each other, with clamps, creases and groups of
/// elements that are not full.
TEST(Shell, KernelsOfEveryUnitAgree) {
    Threads threads(1);
    const Sheet s = saddle();
    const std::vector<Vec3> x = shaken(s.points, 0.1, 4);
    for (const Bending bending : {Bending::smooth, Bending::hinge})
        for (const char* law : {"corotational", "neo_hookean"}) {
            std::vector<Vec3> forces;
            Eigen::MatrixXd tangent;
            for (const KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
                if (!kernel_level_available(level)) continue;
                ShellOptions options;
                options.bending = bending, options.thickness = 0.05, options.law = &material_laws().get(law);
                if (bending == Bending::smooth) options.clamped = [](const Vec3& p) { return p.x() < 1e-9; };
                std::vector<ElementMaterial> material(s.triangles.size(), {1e5, 0.3, 1});
                for (std::size_t t = 0; t < material.size(); ++t) material[t].young *= 1 + 0.1 * double(t % 5);
                Shell shell(s.points, s.triangles, material, options);
                shell.set_kernel_level(level);
                shell.crease(shaken(s.points, 0.1, 5), {0.01, 1}, threads);
                const double plain = shell.energy(x);
                EXPECT_NEAR(shell.energy(x, threads), plain, 1e-12 * plain) << law << " level " << int(level);
                std::vector<Vec3> f(x.size());
                shell.forces(x, f, threads);
                double worst = 0, scale = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const int c = static_cast<int>(i % 3);
                    std::vector<Vec3> a = x, b = x;
                    a[i][c] += 1e-6, b[i][c] -= 1e-6;
                    worst = std::max(worst, std::abs((shell.energy(a) - shell.energy(b)) / 2e-6 + f[i][c]));
                    scale = std::max(scale, f[i].norm());
                }
                EXPECT_LT(worst, 1e-6 * scale) << law << " level " << int(level);
                const Eigen::MatrixXd K = tangent_matrix(shell, x, threads);
                if (forces.empty()) {
                    forces = f, tangent = K;
                    continue;
                }
                for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((f[i] - forces[i]).norm(), 1e-11 * scale);
                EXPECT_LT((K - tangent).norm(), 1e-6 * tangent.norm()) << law << " level " << int(level);
            }
        }
}

TEST(Shell, TangentIsTheDerivativeOfForcesAtRestAndPositiveElsewhere) {
    Threads threads(1);
    for (const Bending bending : {Bending::smooth, Bending::hinge}) {
        const Sheet s = saddle();
        Shell shell = make_shell(s, 1e5, 0.3, 0.05, bending);
        const Eigen::MatrixXd K = tangent_matrix(shell, s.points, threads);
        Eigen::MatrixXd numeric(K.rows(), K.cols());
        std::vector<Vec3> fa(s.points.size()), fb = fa;
        for (int k = 0; k < K.cols(); ++k) {
            const double h = 1e-6;
            std::vector<Vec3> a = s.points, b = s.points;
            a[k / 3][k % 3] += h, b[k / 3][k % 3] -= h;
            shell.forces(a, fa, threads), shell.forces(b, fb, threads);
            for (int r = 0; r < K.rows(); ++r) numeric(r, k) = (fb[r / 3][r % 3] - fa[r / 3][r % 3]) / (2 * h);
        }
        const double error = (K - numeric).norm() / K.norm();
        std::cout << "tangent at rest against differences of forces: " << error << "\n";
        EXPECT_LT(error, 1e-5);  // blocks are single precision
        const Eigen::MatrixXd bent = tangent_matrix(shell, shaken(s.points, 0.15, 9), threads);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (bent + bent.transpose()));
        std::cout << "least eigenvalue of a crumpled sheet over the largest: "
                  << eigen.eigenvalues()[0] / eigen.eigenvalues().tail(1)[0] << "\n";
        EXPECT_GT(eigen.eigenvalues()[0], -1e-6 * eigen.eigenvalues().tail(1)[0]);
    }
}

TEST(Shell, RigidMotionsCostNothing) {
    Threads threads(1);
    const Pose pose{Quat(Eigen::AngleAxisd(2.3, Vec3(1, 2, -1).normalized())), Vec3(3, -1, 5)};
    for (const Bending bending : {Bending::smooth, Bending::hinge}) {
        const Sheet s = saddle();
        Shell shell = make_shell(s, 1e5, 0.3, 0.05, bending);
        std::vector<Vec3> x, f(s.points.size());
        for (const Vec3& p : s.points) x.push_back(pose * p);
        shell.forces(x, f, threads);
        double most = 0;
        for (const Vec3& force : f) most = std::max(most, force.norm());
        std::cout << "force after a rigid motion: " << most << " N of " << 1e5 * 0.05 << " N/m\n";
        EXPECT_LT(most, 1e-8);
    }
}

TEST(Shell, CrushedAndFoldedTrianglesStayFinite) {
    Threads threads(1);
    StageTimes times;
    for (const Bending bending : {Bending::smooth, Bending::hinge})
        for (const char* law : {"corotational", "neo_hookean", "invertible", "green"}) {
            const Sheet s = saddle();
            Shell shell = make_shell(s, 1e5, 0.3, 0.05, bending, law);
            std::vector<std::vector<Vec3>> states{std::vector<Vec3>(s.points.size(), Vec3::Zero()), s.points, s.points,
                                                  shaken(s.points, 100, 5)};
            for (Vec3& p : states[1]) p.x() = 0;
            for (Vec3& p : states[2]) p.x() = std::abs(p.x() - 0.5);
            for (const std::vector<Vec3>& x : states) {
                std::vector<Vec3> f(x.size());
                shell.forces(x, f, threads);
                EXPECT_TRUE(std::isfinite(shell.energy(x))) << law;
                for (const Vec3& force : f) EXPECT_TRUE(force.allFinite()) << law;
                EXPECT_TRUE(Eigen::MatrixXd(tangent_matrix(shell, x, threads)).allFinite()) << law;
            }
        }
}

/// Interior nodes of an uneven mesh whose rim is stretched evenly find the even stretch.
TEST(Shell, PatchTestInThePlane) {
    Threads threads(1);
    const Sheet s = mapped_sheet(
        6, 6, false, [](double u, double v) { return Vec3(u, v, 0); }, 0.3);
    Shell shell = make_shell(s, 1e5, 0.3, 0.01, Bending::smooth);
    Held held(s.points.size());
    std::vector<Vec3> x = s.points, exact;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3& p = s.points[i];
        const bool rim = std::min(p.x(), p.y()) < 1e-9 || std::max(p.x(), p.y()) > 1 - 1e-9;
        held[i].fill(rim);
        exact.push_back({1.02 * p.x() + 0.01 * p.y(), 0.99 * p.y(), 0});
        if (rim) x[i] = exact.back();
    }
    solve_static(shell, x, std::vector<Vec3>(x.size(), Vec3::Zero()), held, threads, 1e-10);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, (x[i] - exact[i]).norm());
    std::cout << "patch test in the plane: " << worst << " m of a sheet of 1 m\n";
    EXPECT_LT(worst, 1e-9);
}

/// The same out of the plane: two rows of nodes along the rim lie on a shallow quadratic surface, the others find it.
TEST(Shell, PatchTestOutOfThePlane) {
    Threads threads(1);
    const double height = 1e-4;
    const auto surface = [&](const Vec3& p) {
        return Vec3(p.x(), p.y(), height * (p.x() * p.x() + 0.5 * p.x() * p.y() - 0.7 * p.y() * p.y()));
    };
    for (const Bending bending : {Bending::smooth, Bending::hinge}) {
        const Sheet s = mapped_sheet(
            10, 10, false, [](double u, double v) { return Vec3(u, v, 0); }, 0.3);
        Shell shell = make_shell(s, 1e5, 0.3, 0.1, bending);
        Held held(s.points.size());
        std::vector<Vec3> x = s.points;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const int a = static_cast<int>(i) % 11, b = static_cast<int>(i) / 11;
            const bool rim = std::min(a, b) < 3 || std::max(a, b) > 7;
            held[i] = {1, 1, rim};
            if (rim) x[i] = surface(s.points[i]);
        }
        solve_static(shell, x, std::vector<Vec3>(x.size(), Vec3::Zero()), held, threads, 1e-10);
        double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, (x[i] - surface(s.points[i])).norm());
        std::cout << (bending == Bending::smooth ? "smooth" : "hinge") << ": patch test out of the plane, error "
                  << worst / height << " of the height\n";
        if (bending == Bending::smooth) {
            EXPECT_LT(worst / height, 1e-5);
        }
    }
}

TEST(Shell, StretchedOneWayItThinsTheOther) {
    Threads threads(1);
    const double young = 2e5, poisson = 0.3, thickness = 0.01, force = 4;  // 2e-3 of strain
    for (const char* law : {"corotational", "neo_hookean", "invertible", "green"}) {
        const Sheet s = mapped_sheet(
            8, 8, false, [](double u, double v) { return Vec3(u, v, 0); }, 0.3);
        Shell shell = make_shell(s, young, poisson, thickness, Bending::smooth, law);
        Held held(s.points.size());
        std::vector<Vec3> load(s.points.size(), Vec3::Zero()), x = s.points;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3& p = s.points[i];
            held[i] = {p.x() < 1e-9, p.y() < 1e-9, 1};
            const bool corner = p.y() < 1e-9 || p.y() > 1 - 1e-9;
            if (p.x() > 1 - 1e-9) load[i].x() = force / 8 * (corner ? 0.5 : 1);
        }
        solve_static(shell, x, load, held, threads, 1e-11);
        const double strain = x.back().x() - 1, lateral = x.back().y() - 1, expected = force / (young * thickness);
        std::cout << law << ": strain over F/(E t) " << strain / expected << ", lateral over axial " << lateral / strain
                  << "\n";
        EXPECT_NEAR(strain / expected, 1, 5 * expected);  // laws differ by terms of second order
        EXPECT_NEAR(lateral / strain, -poisson, 5 * expected);
    }
}

/// No stress acts across a sheet, however far it is stretched: neo-Hookean against the solution for its volume.
TEST(Shell, ThicknessAdjustsUntilNothingPushesAcross) {
    const MaterialLaw& law = material_laws().get("neo_hookean");
    const std::vector<double> numbers = law.default_numbers();
    const Lame m = lame(1e6, 0.4);
    for (const double stretch : {0.6, 1.0, 1.5, 3.0}) {
        Eigen::Matrix2d C;
        C << stretch * stretch, 0.1, 0.1, 1.1;
        const PlaneStress here = plane_stress(law, numbers.data(), m, C);
        const double h = 1e-6;
        Eigen::Matrix2d up = C, down = C;
        up(0, 0) += h, down(0, 0) -= h;
        const double slope =
            (plane_stress(law, numbers.data(), m, up).energy - plane_stress(law, numbers.data(), m, down).energy) /
            (2 * h);
        EXPECT_NEAR(slope, 0.5 * here.stress(0, 0), 1e-6 * m.mu);
        const Eigen::Matrix2d change =
            (plane_stress(law, numbers.data(), m, up).stress - plane_stress(law, numbers.data(), m, down).stress) /
            (2 * h);
        if (stretch > 1) {  // tension: nothing was projected away
            EXPECT_NEAR(change(0, 0), 0.5 * here.tangent(0, 0), 1e-4 * std::abs(here.tangent(0, 0)));
        }
    }
}

/// Tip of a clamped elastica under a dead load across it, P L²/(E I) = 5 (Bisshopp & Drucker 1945, Mattiasson 1981).
TEST(Shell, StripAgainstTheElastica) {
    Threads threads(1);
    const double length = 1, width = 0.1, young = 1e7, thickness = 0.002;
    const double inertia = width * std::pow(thickness, 3) / 12, force = 5 * young * inertia / (length * length);
    const double down = 0.71379, back = 0.38763;
    for (const Bending bending : {Bending::smooth, Bending::hinge})
        for (const int n : {5, 10, 20}) {
            const Sheet s =
                mapped_sheet(n, 2, false, [&](double u, double v) { return Vec3(length * u, width * v, 0); });
            ShellOptions options;
            options.bending = bending, options.thickness = thickness;
            if (bending == Bending::smooth) options.clamped = [](const Vec3& p) { return p.x() < 1e-9; };
            Shell shell(s.points, s.triangles, std::vector<ElementMaterial>(s.triangles.size(), {young, 0, 1}),
                        options);
            Held held(s.points.size());
            std::vector<Vec3> load(s.points.size(), Vec3::Zero()), x = s.points;
            for (std::size_t i = 0; i < x.size(); ++i) {
                // Hinges cannot be clamped: the first cell is held, and the strip is the shorter for it.
                held[i].fill(s.points[i].x() < (bending == Bending::smooth ? 1e-9 : 1.01 * length / n));
                if (s.points[i].x() > length - 1e-9) load[i].z() = -force / 4;
            }
            load[2 * n + 1].z() *= 2;  // two triangles' edges end at the middle
            const int iterations = solve_static(shell, x, load, held, threads, 1e-6, 400);
            const double error = std::hypot(-x[2 * n + 1].z() - down, 1 - x[2 * n + 1].x() - back);
            std::cout << (bending == Bending::smooth ? "smooth" : "hinge") << ", " << n << " cells: tip down "
                      << -x[2 * n + 1].z() << " (" << down << "), back " << 1 - x[2 * n + 1].x() << " (" << back
                      << "), error " << 100 * error << " % of the length, " << iterations << " iterations\n";
            if (bending == Bending::smooth && n == 20) {
                EXPECT_LT(error, 0.01);
            }
        }
}

}  // namespace
}  // namespace pliant::test
