// The barrier's force is the derivative of its energy, and rows push with that force.

#include "pliant/contact/barrier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pliant/contact/surface_contact.hpp"

namespace pliant {
namespace {

TEST(BarrierLaw, ForceAndSlopeAreDerivativesOfTheEnergy) {
    const Barrier barrier{3, 50, 2e-3};
    double worst = 0;
    for (double part : {1e-3, 0.01, 0.1, 0.3, 0.7, 0.95}) {
        const double d = part * barrier.distance, h = 1e-5 * d;
        const double force = (barrier.energy(d - h) - barrier.energy(d + h)) / (2 * h);
        const double slope = (barrier.force(d - h) - barrier.force(d + h)) / (2 * h);
        worst = std::max({worst, std::abs(force / barrier.force(d) - 1), std::abs(slope / barrier.slope(d) - 1)});
        EXPECT_NEAR(barrier.gap_under(barrier.force(d)), d, 1e-9 * barrier.distance);
        // The chord leads where the load is borne.
        const double load = 0.3 * barrier.force(d), to = barrier.gap_under(load);
        EXPECT_NEAR(barrier.force(d) - barrier.chord(d, load) * (to - d), load, 1e-6 * barrier.force(d));
    }
    std::printf("worst difference %.1e\n", worst);
    EXPECT_LT(worst, 1e-5);
    EXPECT_GT(barrier.force(1e-6 * barrier.distance), 1e10 * barrier.force(0.5 * barrier.distance));
}

TEST(BarrierLaw, RowsPushWithTheDerivativeOfTheEnergy) {
    // One tet over a plane and a second one above its top, all within the contact distance.
    const double distance = 0.02, dt = 0.01;
    std::vector<Vec3> low{{0, 0.01, 0}, {1, 0.015, 0}, {0, 0.012, 1}, {0.2, 1, 0.2}};
    std::vector<Vec3> high{{0.21, 1.011, 0.22}, {1, 2, 0}, {0, 2, 1}, {-1, 2, -1}};
    const std::vector<Tri> faces{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const std::vector<Tet> tets{{0, 1, 2, 3}};
    Embedding embedding;
    embedding.tet.assign(4, 0);
    for (int i = 0; i < 4; ++i) embedding.weight.push_back(Vec4::Unit(i));
    const std::vector<Vec3> still(4, Vec3::Zero());
    std::vector<ContactSurface> surfaces;
    for (const auto* points : {&low, &high})
        surfaces.push_back({.points = *points,
                            .velocities = still,
                            .triangles = faces,
                            .rest = *points,
                            .embedding = &embedding,
                            .tets = tets,
                            .system = static_cast<int>(surfaces.size()),
                            .owner = static_cast<int>(surfaces.size()),
                            .distance = distance,
                            .friction = 0.5});
    const std::vector<ContactPlane> planes{{Vec3::Zero(), Vec3::UnitY(), -1, 0.5}};
    Threads threads(1);
    SurfaceContact contact;
    contact.begin(surfaces, planes, dt, Vec3::Zero(), threads);
    const auto rows = contact.rows([](int, int) { return NodeResistance{2, 5}; });
    std::vector<std::vector<Vec3>> impulse(2, std::vector<Vec3>(4, Vec3::Zero()));
    for (const Coupling& row : rows)
        for (int e = 0; e < row.count; ++e) impulse[row.ends[e].system][row.ends[e].node] += row.ends[e].weight * row.s;
    double largest = 0, worst = 0;
    for (int system = 0; system < 2; ++system)
        for (int node = 0; node < 4; ++node)
            for (int axis = 0; axis < 3; ++axis) {
                const double h = 1e-5;
                double energy[2];
                for (int side = 0; side < 2; ++side) {
                    std::vector<std::vector<Vec3>> v(2, still);
                    v[system][node][axis] = side == 0 ? -h : h;
                    const std::vector<std::span<const Vec3>> spans(v.begin(), v.end());
                    energy[side] = contact.energy_at(spans);
                }
                const double pushed = (energy[0] - energy[1]) / (2 * h);
                largest = std::max(largest, std::abs(impulse[system][node][axis]));
                worst = std::max(worst, std::abs(pushed - impulse[system][node][axis]));
            }
    std::printf("%zu rows, largest impulse %.3g kg m/s, worst difference %.1e of it\n", rows.size(), largest,
                worst / largest);
    EXPECT_GE(rows.size(), 4u);
    EXPECT_LT(worst, 1e-4 * largest);
}

}  // namespace
}  // namespace pliant
