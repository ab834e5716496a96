// One loop over every registered law: what a law must satisfy to be one.

#include "pliant/material/material.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {
namespace {

Mat3 random_matrix(Rng& rng, double size) {
    Mat3 F;
    for (int i = 0; i < 9; ++i) F(i) = rng.uniform(-size, size);
    return F;
}

// A deformation at which every law is smooth: no two signed singular values nearly cancel, where the nearest
// rotation jumps.
Mat3 smooth_deformation(Rng& rng) {
    for (;;) {
        const Mat3 F = Mat3::Identity() * rng.below(2) + random_matrix(rng, 1.5);
        const SignedSvd f = signed_svd(F);
        if (f.s[1] + f.s[2] > 0.2 * f.s[0]) return F;
    }
}

TEST(MaterialLaws, AtRestThereIsNoEnergyAndNoStress) {
    for (const MaterialLaw& law : material_laws().entries()) {
        const auto m = law.make(lame(1e5, 0.33));
        EXPECT_NEAR(m->energy(Mat3::Identity()), 0, 1e-10) << law.name;
        EXPECT_LT(m->stress(Mat3::Identity()).norm(), 1e-10) << law.name;
    }
}

TEST(MaterialLaws, ObjectiveLawsDoNotFeelRotation) {
    Rng rng(1);
    for (const MaterialLaw& law : material_laws().entries()) {
        const auto m = law.make(lame(1e5, 0.33));
        double worst = 0;
        for (int k = 0; k < 500; ++k) {
            const Mat3 F = smooth_deformation(rng);
            const Mat3 Q = closest_rotation(random_matrix(rng, 1)).toRotationMatrix();
            worst = std::max(worst, std::abs(m->energy(Q * F) - m->energy(F)) / (1e5 + m->energy(F)));
            worst = std::max(worst, (m->stress(Q * F) - Q * m->stress(F)).norm() / (1e5 + m->stress(F).norm()));
        }
        std::cout << law.name << ": relative change under rotation " << worst << "\n";
        if (law.objective)
            EXPECT_LT(worst, 1e-12) << law.name;
        else
            EXPECT_GT(worst, 1e-3) << law.name << " claims not to be objective";
    }
}

TEST(MaterialLaws, StressAndTangentAreDerivatives) {
    for (const MaterialLaw& law : material_laws().entries()) {
        Rng rng(7);
        const auto m = law.make(lame(1e5, 0.33));
        double stress_error = 0, tangent_error = 0;
        int inverted = 0;
        for (int k = 0; k < 2000; ++k) {
            const Mat3 F = smooth_deformation(rng), D = random_matrix(rng, 1).normalized();
            inverted += F.determinant() <= 0;
            // Fourth-order differences, so that their own error stays below the one looked for.
            const double h = 1e-3;
            // The type is said, because Eigen's sum of matrices would refer to results of f that are gone by then.
            auto slope = [&](auto&& f) -> decltype(f(h)) {
                return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
            };
            const double power = slope([&](double t) { return m->energy(F + t * D); });
            stress_error = std::max(stress_error, std::abs(power - m->stress(F).cwiseProduct(D).sum()) / 1e5);
            const Mat3 change = slope([&](double t) -> Mat3 { return m->stress(F + t * D); });
            const Eigen::Matrix<double, 9, 1> predicted =
                m->tangent(F) * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(D.data());
            tangent_error = std::max(
                tangent_error, (predicted - Eigen::Map<const Eigen::Matrix<double, 9, 1>>(change.data())).norm() / 1e5);
        }
        std::cout << law.name << ": stress " << stress_error << ", tangent " << tangent_error << " of E over 2000 F, "
                  << inverted << " with det F <= 0\n";
        EXPECT_LT(stress_error, 1e-6) << law.name;
        EXPECT_LT(tangent_error, 1e-6) << law.name;
        EXPECT_GT(inverted, 200);
    }
}

TEST(MaterialLaws, ProjectedTangentIsPositiveSemidefinite) {
    Rng rng(3);
    for (const MaterialLaw& law : material_laws().entries()) {
        const auto m = law.make(lame(1e5, 0.33));
        for (int k = 0; k < 300; ++k) {
            const Tangent K = m->tangent(random_matrix(rng, 2));
            EXPECT_LT((K - K.transpose()).norm(), 1e-9 * K.norm());
            const Tangent S = spd_projected(K);
            EXPECT_GT(Eigen::SelfAdjointEigenSolver<Tangent>(S).eigenvalues()[0], -1e-9 * K.norm());
            EXPECT_LT((spd_projected(S) - S).norm(), 1e-9 * K.norm()) << "a projection changes nothing the second time";
        }
    }
}

TEST(MaterialLaws, CollapsedAndMirroredMatricesStayFinite) {
    const Mat3 I = Mat3::Identity();
    std::vector<Mat3> cases{Mat3::Zero(),
                            -I,
                            Vec3(1, 1, -1).asDiagonal(),
                            Vec3(1, 0, 0).asDiagonal(),
                            Vec3(1, 1, 0).asDiagonal(),
                            Vec3(1e-200, 0, 0).asDiagonal(),
                            1e100 * I,
                            Mat3::Ones()};
    for (const MaterialLaw& law : material_laws().entries()) {
        const auto m = law.make(lame(1e5, 0.33));
        for (const Mat3& F : cases) {
            EXPECT_TRUE(std::isfinite(m->energy(F))) << law.name << "\n" << F;
            EXPECT_TRUE(m->stress(F).allFinite()) << law.name << "\n" << F;
            EXPECT_TRUE(m->tangent(F).allFinite()) << law.name << "\n" << F;
        }
    }
}

TEST(MaterialLaws, UnknownNameNamesTheNearest) {
    try {
        material_laws().get("corotatinal", {"scene.lua", 3});
        FAIL();
    } catch (const UserError& e) {
        EXPECT_NE(std::string(e.what()).find("scene.lua:3"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("'corotational'"), std::string::npos) << e.what();
    }
}

TEST(MaterialPresets, AreUsableNumbers) {
    for (const MaterialPreset& p : material_presets().entries()) {
        EXPECT_GT(p.young, 0) << p.name;
        EXPECT_GT(p.poisson, -1) << p.name;
        EXPECT_LT(p.poisson, 0.495) << p.name;
        EXPECT_GT(p.density, 0) << p.name;
        EXPECT_GE(p.mass_damping, 0) << p.name;
        EXPECT_GE(p.stiffness_damping, 0) << p.name;
        EXPECT_EQ(material_presets().get(p.name).young, p.young) << "two presets share the name " << p.name;
    }
}

TEST(Stress, VonMisesOfKnownStates) {
    EXPECT_DOUBLE_EQ(von_mises({5, 0, 0, 0, 0, 0}), 5);
    EXPECT_DOUBLE_EQ(von_mises({5, 5, 5, 0, 0, 0}), 0);
    EXPECT_NEAR(von_mises({0, 0, 0, 2, 0, 0}), 2 * std::sqrt(3.0), 1e-15);
}

}  // namespace
}  // namespace pliant
