// The barrier's force is the derivative of its energy.

#include "pliant/contact/barrier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace pliant {
namespace {

TEST(BarrierLaw, ForceIsTheDerivativeOfTheEnergy) {
    const Barrier barrier{3, 50, 2e-3};
    double worst = 0;
    for (double part : {1e-3, 0.01, 0.1, 0.3, 0.7, 0.95}) {
        const double d = part * barrier.distance, h = 1e-5 * d;
        const double force = (barrier.energy(d - h) - barrier.energy(d + h)) / (2 * h);
        worst = std::max(worst, std::abs(force / barrier.force(d) - 1));
        EXPECT_NEAR(barrier.gap_under(barrier.force(d)), d, 1e-9 * barrier.distance);
    }
    std::printf("worst difference %.1e\n", worst);
    EXPECT_LT(worst, 1e-5);
    EXPECT_GT(barrier.force(1e-6 * barrier.distance), 1e10 * barrier.force(0.5 * barrier.distance));
}

}  // namespace
}  // namespace pliant
