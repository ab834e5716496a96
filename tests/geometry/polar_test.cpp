#include "pliant/geometry/polar.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <iostream>
#include <vector>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

Mat3 random_matrix(Rng& rng, double size) {
    Mat3 F;
    for (int i = 0; i < 9; ++i) F(i) = rng.uniform(-size, size);
    return F;
}
Mat3 random_rotation(Rng& rng) {
    return Quat(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1))
        .normalized()
        .toRotationMatrix();
}

const std::vector<Mat3> degenerate_matrices{Mat3::Zero(),
                                            -Mat3::Identity(),
                                            Mat3::Ones(),
                                            Vec3(1, 1, -1).asDiagonal(),
                                            Vec3(1, 0, 0).asDiagonal(),
                                            Vec3(1, 1, 0).asDiagonal(),
                                            Vec3(1, -1, 0).asDiagonal(),
                                            Vec3(1, 1e-300, 0).asDiagonal(),
                                            Vec3(1e-200, 1e-210, 1e-220).asDiagonal(),
                                            Vec3(1e200, 1, 1e-200).asDiagonal()};

TEST(ClosestRotation, IsThePolarFactorWhereThereIsOne) {
    Rng rng(1);
    double worst = 0;
    for (int k = 0; k < 5000; ++k) {
        const Mat3 R = random_rotation(rng), B = random_matrix(rng, 1);
        const Mat3 S = B * B.transpose() + 0.05 * Mat3::Identity();
        worst = std::max(worst, (closest_rotation(R * S).toRotationMatrix() - R).norm());
    }
    std::cout << "error of R in R S: " << worst << "\n";
    EXPECT_LT(worst, 1e-13);
}

TEST(ClosestRotation, NoRotationIsNearerEvenWhenInverted) {
    Rng rng(2);
    for (int k = 0; k < 2000; ++k) {
        const Mat3 F = random_matrix(rng, 1);
        const Mat3 R = closest_rotation(F).toRotationMatrix();
        const double best = (R.transpose() * F).trace();
        EXPECT_NEAR(best, signed_svd(F).s.sum(), 1e-13);
        for (int other = 0; other < 5; ++other) EXPECT_GE(best + 1e-13, (random_rotation(rng).transpose() * F).trace());
    }
}

TEST(ClosestRotation, IsProperAndFiniteForEveryMatrix) {
    Rng rng(3);
    for (const Mat3& base : degenerate_matrices)
        for (int k = 0; k < 20; ++k) {
            const Quat guess(random_rotation(rng));
            const Mat3 F = random_rotation(rng) * base * random_rotation(rng);
            for (const Quat& q : {closest_rotation(F, guess), tracked_rotation(F, guess)}) {
                const Mat3 R = q.toRotationMatrix();
                ASSERT_TRUE(R.allFinite()) << F;
                EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-12) << F;
                EXPECT_NEAR(R.determinant(), 1, 1e-12) << F;
            }
        }
}

TEST(ClosestRotation, TiesGoToTheGuess) {
    Rng rng(4);
    for (int k = 0; k < 100; ++k) {
        const Quat guess(random_rotation(rng));
        EXPECT_LT(guess.angularDistance(closest_rotation(Mat3::Zero(), guess)), 1e-7) << "a point tells nothing";
        // A line tells two of three angles: turning about it is free, and the guess's share of that stays.
        const Vec3 a = random_rotation(rng).col(0), b = random_rotation(rng).col(0);
        const Mat3 F = b * a.transpose();
        const Quat found = closest_rotation(F, guess);
        EXPECT_LT((found * a - b).norm(), 1e-7);
        for (double turn : {-0.2, 0.2}) {
            const Quat other = Quat(Eigen::AngleAxisd(turn, b)) * found;
            EXPECT_LE(guess.angularDistance(found), guess.angularDistance(other) + 1e-7);
        }
    }
}

TEST(TrackedRotation, AgreesWithTheClosestFromAnyGuess) {
    Rng rng(5);
    double worst = 0;
    for (int k = 0; k < 5000; ++k) {
        const Mat3 F = random_matrix(rng, 1);
        const SignedSvd f = signed_svd(F);
        if (f.s[1] + f.s[2] < 0.02 * f.s[0]) continue;  // nearly a tie
        worst = std::max(
            worst, (tracked_rotation(F, Quat(random_rotation(rng))).toRotationMatrix() - f.U * f.V.transpose()).norm());
    }
    std::cout << "tracked against SVD: " << worst << "\n";
    EXPECT_LT(worst, 1e-9);
}

TEST(SignedSvd, MultipliesBackAndIsOrdered) {
    Rng rng(6);
    std::vector<Mat3> all = degenerate_matrices;
    for (int k = 0; k < 5000; ++k) all.push_back(random_matrix(rng, std::pow(10, rng.uniform(-5, 5))));
    for (int k = 0; k < 500; ++k) {  // nearly flat, nearly lines
        const double small = std::pow(10, rng.uniform(-18, -2));
        all.push_back(random_rotation(rng) * Vec3(1, 1, small).asDiagonal() * random_rotation(rng));
        all.push_back(random_rotation(rng) * Vec3(1, small, -small).asDiagonal() * random_rotation(rng));
    }
    for (const Mat3& F : all) {
        const SignedSvd f = signed_svd(F);
        const double size = F.cwiseAbs().maxCoeff();
        EXPECT_LE((f.U * f.s.asDiagonal() * f.V.transpose() - F).cwiseAbs().maxCoeff(), 1e-14 * 3 * size) << F;
        EXPECT_LT((f.U.transpose() * f.U - Mat3::Identity()).norm(), 1e-13) << F;
        EXPECT_LT((f.V.transpose() * f.V - Mat3::Identity()).norm(), 1e-13) << F;
        EXPECT_NEAR(f.U.determinant(), 1, 1e-12);
        EXPECT_NEAR(f.V.determinant(), 1, 1e-12);
        EXPECT_GE(f.s[0], f.s[1]);
        EXPECT_GE(f.s[1], std::abs(f.s[2]) - 1e-15 * size);
    }
}

}  // namespace
}  // namespace pliant
