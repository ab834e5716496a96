// The barrier's force is the derivative of its energy, its slope that of the force.

#include "pliant/contact/barrier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace pliant {
namespace {

TEST(BarrierLaw, ForceAndSlopeAreDerivativesAtEveryGap) {
    const Barrier barrier{50, 2e-3, 1.5e-3};
    double worst = 0;
    for (double part : {-2.0, -0.3, 0.01, 0.1, 0.3, 0.7}) {
        const double d = part * barrier.distance, h = 1e-6 * barrier.distance;
        const double force = (barrier.energy(d - h) - barrier.energy(d + h)) / (2 * h);
        const double slope = (barrier.force(d - h) - barrier.force(d + h)) / (2 * h);
        worst = std::max({worst, std::abs(force / barrier.force(d) - 1), std::abs(slope / barrier.slope(d) - 1)});
        EXPECT_NEAR(barrier.reach - barrier.closed_under(barrier.force(d)), d, 1e-12 * barrier.distance);
    }
    std::printf("worst difference %.1e\n", worst);
    EXPECT_LT(worst, 1e-6);
    EXPECT_EQ(barrier.force(1.6e-3), 0);
    EXPECT_EQ(barrier.slope(1.6e-3), 0);
    EXPECT_EQ(barrier.energy(1.6e-3), 0);
}

}  // namespace
}  // namespace pliant
