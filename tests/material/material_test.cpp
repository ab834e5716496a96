// One loop over every law of the list: what a law must satisfy to be one. Laws with choices are tried with each.

#include "pliant/material/material.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/law_entry.hpp"
#include "pliant/material/law_list.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {
namespace {

/// The nearest symmetric positive semidefinite matrix: negative eigenvalues become zero.
Tangent spd_projected(const Tangent& tangent) {
    const Eigen::SelfAdjointEigenSolver<Tangent> eigen(0.5 * (tangent + tangent.transpose()));
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
}

using Vec9 = Eigen::Matrix<double, 9, 1>;

Mat3 random_matrix(Rng& rng, double size) {
    Mat3 F;
    for (int i = 0; i < 9; ++i) F(i) = rng.uniform(-size, size);
    return F;
}

/// A law with a set of its numbers.
struct TriedLaw {
    std::string name;
    const MaterialLaw* law;
    std::vector<double> numbers;
    Lame moduli = lame(1e5, 0.33);
    double energy(const Mat3& F) const { return law->energy(moduli, numbers.data(), F); }
    Mat3 stress(const Mat3& F) const { return law->stress(moduli, numbers.data(), F); }
    Tangent tangent(const Mat3& F) const { return law->tangent(moduli, numbers.data(), F); }
    Tangent projected(const Mat3& F) const { return law->projected_tangent(moduli, numbers.data(), F); }
};

/// Every law with its defaults, with each word of its choices, and with lists of numbers that are not all the same.
std::vector<TriedLaw> tried_laws() {
    std::vector<TriedLaw> out;
    for (const MaterialLaw& law : material_laws().entries()) {
        out.push_back({law.name, &law, law.default_numbers()});
        for (const Key& key : law.schema.keys)
            for (std::size_t k = 1; k < key.choices.size(); ++k) {
                Table table;
                table.entries.insert_or_assign(key.name, Value(key.choices[k]));
                out.push_back(
                    {law.name + " " + key.choices[k], &law, law.numbers(law, law.schema.check(Value(table)))});
            }
    }
    Table wood;
    wood.entries.insert_or_assign("axis_young", Value(Table{{}, {1.0, 0.3, 0.1}}));
    wood.entries.insert_or_assign("axis_poisson", Value(Table{{}, {0.3, 0.2, 0.02}}));
    wood.entries.insert_or_assign("axes", Value(Table{{}, {1.0, 2.0, 0.5, 0.0, 1.0, -1.0}}));
    const MaterialLaw& law = material_laws().get("anisotropic");
    out.push_back({"anisotropic wood", &law, law.numbers(law, law.schema.check(Value(wood)))});
    return out;
}

/// Whether every law is smooth within `reach` of F: no two signed singular values nearly cancel, where the nearest
/// rotation jumps, and none is at the threshold where `invertible` bends.
bool smooth(const Mat3& F, double reach) {
    const SignedSvd f = signed_svd(F);
    const double threshold = 0.3;
    for (int i = 0; i < 3; ++i)
        if (std::abs(f.s[i] - threshold) < 3 * reach) return false;
    return f.s[1] + f.s[2] > 0.2 * f.s[0];
}

TEST(MaterialLaws, AtRestThereIsNoEnergyAndNoStress) {
    for (const TriedLaw& law : tried_laws()) {
        EXPECT_NEAR(law.energy(Mat3::Identity()), 0, 1e-10) << law.name;
        EXPECT_LT(law.stress(Mat3::Identity()).norm(), 1e-10) << law.name;
    }
}

TEST(MaterialLaws, SmallStrainsAreHookes) {
    Rng rng(5);
    for (const TriedLaw& law : tried_laws()) {
        if (law.law->name == "anisotropic") continue;
        double worst = 0;
        for (int k = 0; k < 100; ++k) {
            const Mat3 D = random_matrix(rng, 1), e = 0.5 * (D + D.transpose());
            const Mat3 hooke = law.moduli.lambda * e.trace() * Mat3::Identity() + 2 * law.moduli.mu * e;
            const Mat3 change =
                Eigen::Map<const Mat3>(Vec9(law.tangent(Mat3::Identity()) * Eigen::Map<const Vec9>(D.data())).data());
            worst = std::max(worst, (change - hooke).norm() / hooke.norm());
        }
        std::cout << law.name << ": tangent at rest differs from Hooke's by " << worst << "\n";
        EXPECT_LT(worst, 1e-12) << law.name;
    }
}

TEST(MaterialLaws, OrthotropicBarHasItsModuli) {
    // Pulled along axis k at small strain, the stiffness is E_k and the thinning is as given.
    Table wood;
    wood.entries.insert_or_assign("axis_young", Value(Table{{}, {1.0, 0.3, 0.1}}));
    wood.entries.insert_or_assign("axis_poisson", Value(Table{{}, {0.3, 0.2, 0.02}}));
    const MaterialLaw& law = material_laws().get("anisotropic");
    const std::vector<double> C = law.numbers(law, law.schema.check(Value(wood)));
    const Eigen::Matrix<double, 6, 6> compliance = Eigen::Map<const Eigen::Matrix<double, 6, 6>>(C.data()).inverse();
    const double young[3] = {1, 0.3, 0.1}, poisson[3] = {0.3, 0.2, 0.02};
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(compliance(k, k), 1 / young[k], 1e-12);
        EXPECT_NEAR(compliance((k + 1) % 3, k), -poisson[k] / young[k], 1e-12);
    }
}

TEST(MaterialLaws, ObjectiveLawsDoNotFeelRotation) {
    Rng rng(1);
    for (const TriedLaw& law : tried_laws()) {
        double worst = 0;
        for (int k = 0; k < 500; ++k) {
            Mat3 F;
            do F = Mat3::Identity() * rng.below(2) + random_matrix(rng, 1.5);
            while (!smooth(F, 0));
            const Mat3 Q = closest_rotation(random_matrix(rng, 1)).toRotationMatrix();
            worst = std::max(worst, std::abs(law.energy(Q * F) - law.energy(F)) / (1e5 + law.energy(F)));
            worst = std::max(worst, (law.stress(Q * F) - Q * law.stress(F)).norm() / (1e5 + law.stress(F).norm()));
        }
        std::cout << law.name << ": relative change under rotation " << worst << "\n";
        if (law.law->objective)
            EXPECT_LT(worst, 1e-12) << law.name;
        else
            EXPECT_GT(worst, 1e-3) << law.name << " claims not to be objective";
    }
}

TEST(MaterialLaws, StressAndTangentAreDerivatives) {
    constexpr int tries = 100000;
    for (const TriedLaw& law : tried_laws()) {
        Rng rng(7);
        double stress_error = 0, tangent_error = 0;
        int inverted = 0, tried = 0;
        while (tried < tries) {
            const Mat3 F = Mat3::Identity() * rng.below(2) + random_matrix(rng, 1.5),
                       D = random_matrix(rng, 1).normalized();
            const double h = 1e-3;
            if (!smooth(F, 2 * h)) continue;
            ++tried, inverted += F.determinant() <= 0;
            // Fourth-order differences, so that their own error stays below the one looked for. The type is said,
            // because Eigen's sum of matrices would refer to results of f that are gone by then.
            auto slope = [&](auto&& f) -> decltype(f(h)) {
                return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
            };
            const double power = slope([&](double t) { return law.energy(F + t * D); });
            const Mat3 P = law.stress(F);
            const Tangent K = law.tangent(F);
            const double stiffness = 1e5 + K.norm();  // scaled where the law is stiffer than its modulus
            stress_error =
                std::max(stress_error, std::abs(power - P.cwiseProduct(D).sum()) / (1e5 + P.norm() + h * K.norm()));
            const Mat3 change = slope([&](double t) -> Mat3 { return law.stress(F + t * D); });
            const Vec9 predicted = K * Eigen::Map<const Vec9>(D.data());
            tangent_error =
                std::max(tangent_error, (predicted - Eigen::Map<const Vec9>(change.data())).norm() / stiffness);
        }
        std::cout << law.name << ": stress " << stress_error << ", tangent " << tangent_error << " over " << tried
                  << " F, " << inverted << " with det F <= 0\n";
        EXPECT_LT(stress_error, 1e-6) << law.name;
        EXPECT_LT(tangent_error, 1e-6) << law.name;
        EXPECT_GT(inverted, tries / 10);
    }
}

TEST(MaterialLaws, ProjectedTangentIsTheNearestPositiveOne) {
    for (const TriedLaw& law : tried_laws()) {
        Rng rng(3);
        double least = 0, asymmetry = 0, distance = 0;
        for (int k = 0; k < 3000; ++k) {
            const Mat3 F = random_matrix(rng, 2);
            const Tangent K = law.tangent(F), S = law.projected(F);
            const double size = K.norm() + S.norm();
            asymmetry = std::max({asymmetry, (K - K.transpose()).norm() / size, (S - S.transpose()).norm() / size});
            least = std::min(least, Eigen::SelfAdjointEigenSolver<Tangent>(S).eigenvalues()[0] / size);
            if (law.law->isotropic) {
                distance = std::max(distance, (S - spd_projected(K)).norm() / size);
            } else {  // never softer than the tangent itself
                distance =
                    std::max(distance, -Eigen::SelfAdjointEigenSolver<Tangent>(Tangent(S - K)).eigenvalues()[0] / size);
            }
        }
        std::cout << law.name << ": asymmetry " << asymmetry << ", least eigenvalue " << least << ", from the nearest "
                  << distance << "\n";
        EXPECT_LT(asymmetry, 1e-12) << law.name;
        EXPECT_GT(least, -1e-12) << law.name;
        EXPECT_LT(distance, 1e-10) << law.name;
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
                            1e30 * I,
                            Mat3::Ones()};
    for (const TriedLaw& law : tried_laws())
        for (const Mat3& F : cases) {
            EXPECT_TRUE(std::isfinite(law.energy(F))) << law.name << "\n" << F;
            EXPECT_TRUE(law.stress(F).allFinite()) << law.name << "\n" << F;
            EXPECT_TRUE(law.tangent(F).allFinite()) << law.name << "\n" << F;
            EXPECT_TRUE(law.projected(F).allFinite()) << law.name << "\n" << F;
        }
}

// A tet squeezed flat, and inside out along one axis, is pushed back by laws that say so.
TEST(MaterialLaws, InversionIsResistedWhereClaimed) {
    for (const TriedLaw& law : tried_laws()) {
        bool resists = true;
        for (double s : {0.2, 0.0, -0.3, -0.9}) {
            const Mat3 F = Vec3(1, 1, s).asDiagonal();
            resists &= law.stress(F)(2, 2) < -1e-3 * law.moduli.mu;
        }
        EXPECT_EQ(resists, law.law->resists_inversion) << law.name;
    }
}

TEST(MaterialLaws, LanesAreTheNumbersOneByOne) {
    typedef double D2 __attribute__((vector_size(16)));
    Rng rng(11);
    double worst = 0;
    const std::vector<double> numbers = material_laws().get("invertible").default_numbers();
    for (int k = 0; k < 1000; ++k) {
        Matrix<D2> F{};
        Mat3 one[2];
        for (int lane = 0; lane < 2; ++lane) {
            one[lane] = random_matrix(rng, 1.5);
            for (int e = 0; e < 9; ++e) F.m[e][lane] = one[lane](e / 3, e % 3);
        }
        const LawNumbers<D2> n{filled<D2>(7e4), filled<D2>(3e4), numbers.data()};
        const Matrix<D2> P = Invertible::stress<D2>(n, F);
        for (int lane = 0; lane < 2; ++lane) {
            const Mat3 expected = material_laws().get("invertible").stress({7e4, 3e4}, numbers.data(), one[lane]);
            for (int e = 0; e < 9; ++e)
                worst = std::max(worst, std::abs(P.m[e][lane] - expected(e / 3, e % 3)) / (1e5 + expected.norm()));
        }
    }
    EXPECT_LT(worst, 1e-14);
}

TEST(LaneSvd, IsTheSignedOneInFloatAndDouble) {
    Rng rng(2);
    double worst = 0, worst_float = 0;
    for (int k = 0; k < 20000; ++k) {
        Mat3 F = random_matrix(rng, k % 3 == 0 ? 1e-8 : 1.5);
        if (k % 5 == 0) F.col(1) = F.col(0) * rng.uniform(-1, 1);
        if (k % 7 == 0) F = Mat3::Identity() + 1e-9 * F;
        const LaneSvd<double> f = lane_svd(lane_matrix(F));
        const Mat3 U = eigen_matrix(f.U), W = eigen_matrix(f.W);
        const Mat3 back = U * Vec3(f.s[0], f.s[1], f.s[2]).asDiagonal() * W.transpose();
        worst = std::max({worst, (back - F).norm() / F.norm(), (U.transpose() * U - Mat3::Identity()).norm(),
                          std::abs(U.determinant() - 1), std::abs(W.determinant() - 1)});
        Matrix<float> G;
        for (int e = 0; e < 9; ++e) G.m[e] = float(F(e / 3, e % 3));
        const LaneSvd<float> g = lane_svd(G);
        const Matrix<float> there = recomposed(g.U, g.s, g.W);
        for (int e = 0; e < 9; ++e)
            worst_float = std::max(worst_float, double(std::abs(there.m[e] - G.m[e])) / F.norm());
        EXPECT_GE(f.s[0], f.s[1]);
        EXPECT_GE(f.s[1], std::abs(f.s[2]) - 1e-12 * f.s[0]);
    }
    std::cout << "signed SVD: " << worst << " in double, " << worst_float << " in float\n";
    EXPECT_LT(worst, 1e-14);
    EXPECT_LT(worst_float, 1e-5);
}

TEST(MaterialLaws, ImpossibleStiffnessIsOneSentence) {
    Table wrong;
    wrong.entries.insert_or_assign("axis_poisson", Value(Table{{}, {0.9, 0.9, 0.9}}));
    const MaterialLaw& law = material_laws().get("anisotropic");
    EXPECT_THROW(law.numbers(law, law.schema.check(Value(wrong))), UserError);
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
