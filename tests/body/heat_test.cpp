// Heat conduction against formulas, and bodies that soften and set.

#include "pliant/body/heat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

using std::numbers::pi;

HeatFlow bar_flow(const TetMesh& mesh, const HeatNumbers& numbers, double area = 1) {
    const std::vector<double> density(mesh.tets.size(), 1000);
    return HeatFlow(mesh, density, area, numbers);
}

// An insulated bar, one half hot: T = 50 + Σ 200/(nπ) sin(nπ/2) cos(nπx) exp(−α n²π² t).
TEST(Heat, BarAgreesWithTheSeries) {
    const HeatNumbers numbers{.conductivity = 200, .specific_heat = 2000, .ambient = 20, .initial = 20, .cooling = 0};
    const double diffusivity = 200.0 / (1000 * 2000);
    Threads threads(2);
    double last = 1;
    for (int cells : {20, 40, 80}) {
        const TetMesh mesh = bar_mesh(cells, 1, 1, {0, 0, 0}, {1, 0.1, 0.1});
        HeatFlow flow = bar_flow(mesh, numbers);
        std::vector<double> now, next(mesh.rest.size());
        for (const Vec3& p : mesh.rest) now.push_back(p.x() < 0.499 ? 100 : p.x() > 0.501 ? 0 : 50);
        const double t_end = 0.03 / diffusivity, dt = t_end / (10.0 * cells);
        for (int i = 0; i < 10 * cells; ++i) {
            flow.advance(now, mesh.rest, {}, dt, next, threads);
            std::swap(now, next);
        }
        double worst = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            double exact = 50;
            for (int n = 1; n < 60; n += 2)
                exact += 200 / (n * pi) * std::sin(n * pi / 2) * std::cos(n * pi * mesh.rest[i].x()) *
                         std::exp(-diffusivity * n * n * pi * pi * t_end);
            worst = std::max(worst, std::abs(now[i] - exact));
        }
        std::cout << cells << " cells: largest error " << worst << " K of 100 K\n";
        EXPECT_LT(worst, 0.6 * last * 100);
        last = worst / 100;
    }
    EXPECT_LT(last, 0.003);
}

TEST(Heat, EnergyStaysWithoutCooling) {
    const TetMesh mesh = bar_mesh(10, 4, 4, {0, 0, 0}, {1, 0.4, 0.4});
    HeatFlow flow = bar_flow(mesh, {.cooling = 0});
    Threads threads(1);
    std::vector<double> now, next(mesh.rest.size());
    for (const Vec3& p : mesh.rest) now.push_back(20 + 80 * (p.norm() < 0.3));
    const double start = flow.energy(now);
    for (int i = 0; i < 500; ++i) flow.advance(now, mesh.rest, {}, 1.0, next, threads), std::swap(now, next);
    std::cout << "relative change of energy " << flow.energy(now) / start - 1 << " in 500 steps\n";
    EXPECT_NEAR(flow.energy(now) / start, 1, 1e-12);
}

TEST(Heat, AnyStepIsStable) {
    const TetMesh mesh = bar_mesh(10, 4, 4, {0, 0, 0}, {1, 0.4, 0.4});
    Threads threads(1);
    for (double dt : {1e-6, 1e-2, 1.0, 1e3, 1e6, 1e12}) {
        HeatFlow flow = bar_flow(mesh, {.cooling = 10});
        std::vector<double> now, next(mesh.rest.size());
        for (const Vec3& p : mesh.rest) now.push_back(20 + 80 * (p.x() < 0.3));
        for (int i = 0; i < 30; ++i) flow.advance(now, mesh.rest, {}, dt, next, threads), std::swap(now, next);
        const auto [low, high] = std::minmax_element(now.begin(), now.end());
        EXPECT_GT(*low, 19) << dt;
        EXPECT_LT(*high, 101) << dt;
        if (dt >= 1e6) {
            EXPECT_NEAR(*high, 20, 1e-3) << "cold in the end";
        }
    }
}

// A good conductor has one temperature, which falls like exp(−hA t / (m c)).
TEST(Heat, CoolsByNewtonsLaw) {
    const TetMesh mesh = bar_mesh(4, 4, 4, {0, 0, 0}, {0.1, 0.1, 0.1});
    HeatFlow flow =
        bar_flow(mesh, {.conductivity = 1e5, .specific_heat = 500, .ambient = 10, .initial = 90, .cooling = 50}, 0.06);
    Threads threads(1);
    std::vector<double> now(mesh.rest.size(), 90), next(now);
    for (int i = 0; i < 1000; ++i) flow.advance(now, mesh.rest, {}, 0.1, next, threads), std::swap(now, next);
    const double exact = 10 + 80 * std::exp(-50 * 0.06 * 100 / (1.0 * 500));
    std::cout << "after 100 s " << now[0] << " °C, formula " << exact << " °C\n";
    EXPECT_NEAR(now[0], exact, 0.05);
}

TEST(Heat, ASourceGivesItsPowerAndNeverMoreThanItsTemperature) {
    const TetMesh mesh = bar_mesh(16, 16, 16, {0, 0, 0}, {1, 1, 1});
    HeatFlow flow = bar_flow(mesh, {.cooling = 0});
    Threads threads(1);
    const HotSpot spot{.at = {0.5, 0.5, 0.5}, .radius = 0.3, .temperature = 80, .power = 1000};
    std::vector<double> now(mesh.rest.size(), 20), next(now);
    flow.advance(now, mesh.rest, std::span(&spot, 1), 1, next, threads);
    std::cout << "energy after 1 s of 1000 W: " << flow.energy(next) << " J\n";
    EXPECT_NEAR(flow.energy(next), 1000, 30);
    for (int i = 0; i < 50; ++i)
        flow.advance(next, mesh.rest, std::span(&spot, 1), 1e5, now, threads), std::swap(now, next);
    EXPECT_LT(*std::max_element(next.begin(), next.end()), 80 + 1e-6);
    EXPECT_GT(*std::min_element(next.begin(), next.end()), 78);

    const HotSpot tiny{.at = {0.51, 0.53, 0.47}, .radius = 1e-4, .temperature = 80, .power = 1000};
    std::fill(now.begin(), now.end(), 20.0);
    flow.advance(now, mesh.rest, std::span(&tiny, 1), 1, next, threads);
    EXPECT_GT(flow.energy(next), 100) << "a source smaller than a tet still heats";
}

TEST(Heat, TableFollowsTheLogarithm) {
    const HeatTable table{{{20, 1e6, 0.1, 0}, {60, 1e4, 0.001, 10}}};
    EXPECT_EQ(*table.at(0).young, 1e6);
    EXPECT_EQ(*table.at(99).rate, 10);
    EXPECT_NEAR(*table.at(40).young, 1e5, 1e-6);
    EXPECT_NEAR(*table.at(40).yield, 0.01, 1e-12);
    EXPECT_NEAR(*table.at(40).rate, 5, 1e-12) << "plainly where one is zero";
    EXPECT_FALSE(HeatTable{}.at(40).young.has_value());
}

TEST(Heat, MaterialIsAFunctionOfTemperatureAlone) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(2, 1, 1, {0, 0, 0}, {2, 1, 1});
    desc.material = {ElementMaterial{1e6, 0.33, 1000}};
    desc.plasticity = &plasticity_laws().get("creep");
    desc.plastic = {{0.1, 1, 2}};
    desc.heat = HeatDesc{{}, {{{20, 1e6, 0.1, 1.0}, {60, 1e4, 0.01, 100.0}}}, 1e6};
    FemBody body = make_fem_body(std::move(desc));
    EXPECT_NEAR(body.material[0].young, 1e6, 1e-3);
    std::vector<double> warm(body.x.size(), 40);
    set_material_at(body, warm);
    EXPECT_NEAR(body.material[0].young, 1e5, 1e5 * 0.0051) << "in steps of one per cent";
    EXPECT_NEAR(body.plastic[0].rate, 10, 1e-9);
    const double young = body.material[0].young;
    std::fill(warm.begin(), warm.end(), 75.0);
    set_material_at(body, warm);
    std::fill(warm.begin(), warm.end(), 40.0);
    set_material_at(body, warm);
    EXPECT_EQ(body.material[0].young, young) << "however it came there";
    EXPECT_NEAR(softness_before(body, 0), 1e6 / young, 1e-9);
}

}  // namespace
}  // namespace pliant
