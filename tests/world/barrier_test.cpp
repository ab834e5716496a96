// Contact by barriers: seen surfaces never cross, whatever bodies do.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numeric>

#include "pliant/collision/motion_crossings.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/intersections.hpp"

namespace pliant {
namespace {

FemBodyDesc block(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells, double young) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(cells[0], cells[1], cells[2], low, high);
    desc.material = {ElementMaterial{young, 0.3, 1000}};
    return desc;
}

World world_with_barriers(double dt, int threads = 1) {
    World w(threads);
    w.barriers = true;
    w.dt = dt;
    return w;
}

Prop plane(const Vec3& normal, double friction) {
    Prop prop;
    prop.name = "plane";
    prop.obstacle = {.shape = plane_obstacle(Vec3::Zero(), normal), .start = {}, .end = {}, .friction = friction};
    return prop;
}

/// Steps, and counts surfaces that cross after any step and features that passed through each other during any.
std::int64_t crossings_of_run(World& w, int steps) {
    std::int64_t count = 0;
    for (int i = 0; i < steps; ++i) {
        std::vector<std::vector<Vec3>> before;
        for (const FemBody& body : w.fem) before.push_back(body.points);
        const StepReport report = step(w);
        count += find_intersections(w).crossings.count;
        if (report.substeps > 1) continue;  // a step in parts is no straight motion
        std::vector<std::span<const Tri>> triangles;
        std::vector<int> counts;
        std::vector<Vec3> start, end;
        for (std::size_t b = 0; b < w.fem.size(); ++b) {
            triangles.push_back(w.fem[b].surface().triangles), counts.push_back(static_cast<int>(before[b].size()));
            start.insert(start.end(), before[b].begin(), before[b].end());
            end.insert(end.end(), w.fem[b].points.begin(), w.fem[b].points.end());
        }
        FeaturePairFinder finder(make_feature_mesh(triangles, counts));
        const auto pairs = finder.find(start, end, {}, *w.threads);
        count += static_cast<std::int64_t>(motion_crossings(finder.mesh(), pairs, start, end, *w.threads).size());
    }
    return count;
}

World crossed_bars(int threads = 1) {
    World w = world_with_barriers(0.01, threads);
    FemBodyDesc lower = block({-0.5, 0, -0.04}, {0.5, 0.08, 0.04}, {6, 1, 1}, 1e5);
    FemBodyDesc upper = block({-0.04, 0.2, -0.5}, {0.04, 0.28, 0.5}, {1, 1, 6}, 1e5);
    w.fem.push_back(make_fem_body(std::move(lower)));
    w.fem.push_back(make_fem_body(std::move(upper)));
    Grip ends{.body = 0, .nodes = {}, .pose = [](double) { return Pose{}; }, .when = {}};
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (std::abs(w.fem[0].mesh.rest[i].x()) > 0.49) ends.nodes.push_back(i);
    w.grips.push_back(ends);
    return w;
}

/// Mean height of the nodes near the middle of a bar along `axis`, m.
double middle_height(const FemBody& body, int axis) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < body.mesh.node_count(); ++i)
        if (std::abs(body.mesh.rest[i][axis]) < 0.1) sum += body.x[i].y(), ++count;
    return sum / count;
}

TEST(Barrier, CrossedBarsWithCoarseSurfacesHoldEachOther) {
    World w = crossed_bars();
    // The lower bar swings through once; in its second swing the upper one slides off along itself.
    const std::int64_t crossed = crossings_of_run(w, 75);
    const double height = middle_height(w.fem[1], 2) - middle_height(w.fem[0], 0);
    std::printf("crossings %lld, middle of the upper bar %.4f m above that of the lower one, gap over distance %.3f\n",
                static_cast<long long>(crossed), height, w.touch.stats().least_gap);
    EXPECT_EQ(crossed, 0);
    EXPECT_GT(height, 0.04);  // half of what they measure: soft bars that hang through are squeezed
    EXPECT_GT(w.touch.stats().least_gap, 0);
}

TEST(Barrier, TheSameBitsForAnyNumberOfThreadsAndThroughAResume) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = crossed_bars(threads);
        for (int i = 0; i < 60; ++i) step(w);
        if (threads > 1) {
            EXPECT_EQ(state_hash(w), hash) << threads;
        }
        hash = state_hash(w);
    }
    World first = crossed_bars();
    for (int i = 0; i < 30; ++i) step(first);
    ByteWriter out;
    save_state(first, out);
    World second = crossed_bars(2);
    ByteReader in(out.bytes());
    load_state(second, in);
    for (int i = 0; i < 30; ++i) step(second);
    EXPECT_EQ(state_hash(second), hash);
}

/// Two soft bars that are thrown at each other and at the ground.
World thrown_bars(double slack) {
    World w = world_with_barriers(0.01);
    w.touch.options.slack = slack;
    for (int i = 0; i < 2; ++i) {
        FemBodyDesc desc = block({-0.3, -0.04, -0.04}, {0.3, 0.04, 0.04}, {9, 2, 2}, 2e4);
        const Quat turn(Eigen::AngleAxisd(0.7 + 0.9 * i, Vec3(0.2, 1, 0.5).normalized()));
        for (Vec3& x : desc.mesh.rest) x = turn * x + Vec3(0.05 * i, 0.45 + 0.25 * i, 0.02 * i);
        desc.velocity = {0.5 - i, -4, 0.3 * i};
        desc.spin = Vec3(3, 5 - 9 * i, 2);
        w.fem.push_back(make_fem_body(std::move(desc)));
    }
    w.props.push_back(plane({0, 1, 0}, 0.4));
    return w;
}

TEST(Barrier, WhatTheLastSearchListedMakesNoDifference) {
    const auto run = [](double slack, bool resume_often) {
        World w = thrown_bars(slack);
        int touching = 0;
        for (int i = 0; i < 60; ++i) {
            if (resume_often && i % 3 == 2) {
                ByteWriter out;
                save_state(w, out);
                w = thrown_bars(slack);
                ByteReader in(out.bytes());
                load_state(w, in);
            }
            step(w);
            touching += w.touch.stats().touching;
        }
        EXPECT_GT(touching, 100);
        return state_hash(w);
    };
    const std::uint64_t hash = run(0.5, false);
    EXPECT_EQ(run(0.1, false), hash);
    EXPECT_EQ(run(5, false), hash);
    EXPECT_EQ(run(0.5, true), hash);
}

TEST(Barrier, AFastBlockDoesNotPassThroughAThinPlate) {
    for (double young : {1e5, 1e7}) {
        World w = world_with_barriers(0.01);
        w.gravity.setZero();
        w.fem.push_back(make_fem_body(block({-0.3, 0, -0.3}, {0.3, 0.02, 0.3}, {6, 1, 6}, young)));
        FemBodyDesc bullet = block({-0.05, 0.3, -0.05}, {0.05, 0.4, 0.05}, {2, 2, 2}, young);
        bullet.velocity = {3, -50, 1};
        w.fem.push_back(make_fem_body(std::move(bullet)));
        const std::int64_t crossed = crossings_of_run(w, 40);
        std::printf("E %.0e: crossings %lld\n", young, static_cast<long long>(crossed));
        EXPECT_EQ(crossed, 0);
    }
}

double mass(const FemBody& body) { return std::accumulate(body.solid.mass().begin(), body.solid.mass().end(), 0.0); }

/// Boxes, plates and bars of all stiffnesses that are thrown at each other above a ground, at up to 100 m/s.
World random_world(std::uint64_t seed) {
    Rng rng(seed);
    const auto between = [&](double low, double high) { return low + (high - low) * rng.uniform(); };
    const auto direction = [&] { return Vec3(between(-1, 1), between(-1, 0.3), between(-1, 1)).normalized().eval(); };
    World w = world_with_barriers(std::pow(10, between(-3, std::log10(0.05))));
    w.props.push_back(plane({0, 1, 0}, rng.uniform()));
    const int bodies = 3 + static_cast<int>(6 * rng.uniform());
    for (int k = 0; k < bodies; ++k) {
        Vec3 size(between(0.1, 0.4), between(0.1, 0.4), between(0.1, 0.4));
        const double kind = rng.uniform();
        if (kind < 0.3) size.y() = between(0.01, 0.03);
        if (kind < 0.15) size.z() = between(0.02, 0.06);
        FemBodyDesc desc = block(-size / 2, size / 2, {3, kind < 0.3 ? 1 : 2, 3}, std::pow(10, between(4, 9)));
        desc.material[0].density = std::pow(10, between(2, 4));
        desc.friction = rng.uniform();
        const Quat turn(Eigen::AngleAxisd(between(0, 6), direction()));
        for (Vec3& x : desc.mesh.rest) x = turn * x + 0.8 * Vec3(k % 2, 0.7 + k / 4, (k / 2) % 2);
        desc.velocity = std::pow(10, between(-1, 2)) * direction();
        desc.spin = between(0, 10) * direction();
        w.fem.push_back(make_fem_body(std::move(desc)));
    }
    return w;
}

/// Worlds [first, last]: nothing crosses at the end of any step, and nothing gets below the ground.
void throw_about(std::uint64_t first, std::uint64_t last, int steps) {
    int gained = 0;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        World w = random_world(seed);
        const auto energy = [&] {
            double sum = 0;
            for (const FemBody& body : w.fem)
                sum += kinetic_energy(body) + elastic_energy(body) + 9.81 * mass(body) * center_of_mass(body).y();
            return sum;
        };
        const double brought = energy();
        double most = brought;
        for (int i = 0; i < steps; ++i) {
            step(w);
            most = std::max(most, energy());
            ASSERT_EQ(find_intersections(w).crossings.count, 0) << "seed " << seed << " step " << i;
            double lowest = 1;
            for (const FemBody& body : w.fem)
                for (const Vec3& x : body.points) lowest = std::min(lowest, x.y());
            ASSERT_GT(lowest, 0) << "seed " << seed << " step " << i;
        }
        ASSERT_TRUE(std::isfinite(most)) << seed;
        if (most > brought * (1 + 1e-6)) {
            ++gained;
            std::printf("seed %llu: the energy rose to %.6f of what was brought\n",
                        static_cast<unsigned long long>(seed), most / brought);
        }
    }
    std::printf("%d of %llu worlds gained energy\n", gained, static_cast<unsigned long long>(last - first + 1));
    EXPECT_LE(gained, static_cast<int>(last - first + 1) / 10);
}

TEST(Barrier, NothingCrossesInRandomWorlds) { throw_about(1, 30, 40); }

TEST(SoakBarrier, NothingCrossesInRandomWorlds) { throw_about(31, 230, 100); }

TEST(Barrier, BodiesThatTouchAtTheStartAreNamed) {
    World w = world_with_barriers(0.01);
    FemBodyDesc lower = block({-0.1, 0.1, -0.1}, {0.1, 0.2, 0.1}, {1, 1, 1}, 1e5);
    FemBodyDesc upper = block({-0.05, 0.2, -0.05}, {0.05, 0.3, 0.05}, {1, 1, 1}, 1e5);
    lower.name = "lower", upper.name = "upper";
    w.fem.push_back(make_fem_body(std::move(lower)));
    w.fem.push_back(make_fem_body(std::move(upper)));
    step(w);
    ASSERT_EQ(w.warnings.list().size(), 1u);
    const std::string said = w.warnings.list()[0].sentence();
    EXPECT_NE(said.find("'upper' and 'lower' touch"), std::string::npos) << said;
}

TEST(Contact, IgnoredPairsPassThroughEachOther) {
    for (bool barriers : {true, false}) {
        World w = world_with_barriers(0.01);
        w.barriers = barriers;
        w.props.push_back(plane({0, 1, 0}, 0.5));
        const std::array<double, 3> heights{0.3, 0.1, 0.5};
        for (double low : heights)
            w.fem.push_back(make_fem_body(block({-0.1, low, -0.1}, {0.1, low + 0.1, 0.1}, {2, 1, 2}, 1e6)));
        // The first falls through the second, which lies on the ground, and through the ground; the third does not.
        w.ignored = {{-1, 0}, {0, 1}, {0, 2}};
        for (int i = 0; i < 60; ++i) step(w);
        const auto height = [&](int body) { return center_of_mass(w.fem[body]).y(); };
        std::printf("%s: %.2f, %.2f and %.2f m up\n", barriers ? "barriers" : "springs", height(0), height(1),
                    height(2));
        EXPECT_NEAR(height(0), 0.35 - 0.5 * 9.81 * 0.36, 0.03);  // free fall, by symplectic Euler
        EXPECT_NEAR(height(1), 0.05, 0.02);
        EXPECT_NEAR(height(2), 0.15, 0.03);
        EXPECT_EQ(find_intersections(w).crossings.count, 0);  // they are not told
    }
}

TEST(Barrier, BodiesKeepTheDistanceThatTheyAreTold) {
    for (double distance : {1e-4, 5e-3}) {
        World w = world_with_barriers(0.01);
        w.props.push_back(plane({0, 1, 0}, 0.5));
        w.fem.push_back(make_fem_body(block({-0.1, 0.02, -0.1}, {0.1, 0.12, 0.1}, {2, 1, 2}, 1e7)));
        w.fem[0].contact_distance = distance;
        for (int i = 0; i < 60; ++i) step(w);
        double gap = 1;
        for (const Vec3& x : w.fem[0].points) gap = std::min(gap, x.y());
        std::printf("told %.1e m, kept %.2e m\n", distance, gap);
        EXPECT_LT(gap, distance);
        EXPECT_GT(gap, 0.25 * distance);
    }
}

struct Slide {
    double acceleration = 0;  ///< mean over the second half of the run, m/s²
    double drift = 0;         ///< motion in the second half, m
    double speed = 0;         ///< at the end, m/s
    double distance = 0;      ///< that surfaces keep, m
};

/// A block on a plane of the slope 26.565° = atan(1/2) for two seconds.
Slide slide(double friction, double dt, double young) {
    World w = world_with_barriers(dt);
    const double angle = std::atan(0.5);
    w.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    w.props.push_back(plane(Vec3::UnitY(), friction));
    FemBodyDesc desc = block({-0.1, 0.0019, -0.1}, {0.1, 0.1, 0.1}, {2, 1, 2}, young);
    desc.friction = friction;
    w.fem.push_back(make_fem_body(std::move(desc)));
    const int half = static_cast<int>(std::lround(1 / dt));
    for (int i = 0; i < half; ++i) step(w);
    const double speed = momentum(w.fem[0]).x() / mass(w.fem[0]), place = center_of_mass(w.fem[0]).x();
    for (int i = 0; i < half; ++i) step(w);
    Slide result;
    result.speed = momentum(w.fem[0]).x() / mass(w.fem[0]);
    result.acceleration = result.speed - speed;
    result.drift = center_of_mass(w.fem[0]).x() - place;
    result.distance = 0.02 * w.fem[0].spacing;
    return result;
}

TEST(Barrier, FrictionHoldsBelowItsAngleAndSlidesAboveIt) {
    const double expected = 9.81 * (std::sin(std::atan(0.5)) - 0.49 * std::cos(std::atan(0.5)));
    for (double young : {1e5, 1e6, 1e7, 1e9})
        for (double dt : {0.002, 0.01}) {
            const Slide stuck = slide(0.51, dt, young), sliding = slide(0.49, dt, young);
            std::printf("E %.0e dt %.3f: μ 0.51 drifts by %.1e m at %.1e m/s, μ 0.49 accelerates by %.4f m/s² (%.4f)\n",
                        young, dt, stuck.drift, stuck.speed, sliding.acceleration, expected);
            EXPECT_NEAR(sliding.acceleration, expected, 0.02 * expected);
            EXPECT_LT(std::abs(stuck.drift), stuck.distance);
            EXPECT_LT(std::abs(stuck.speed), 1e-6);
        }
}

/// Cubes of a decimetre on each other, a little less than the contact distance apart; every second one weighs `ratio`
/// times as much.
World stack(int count, double ratio) {
    World w = world_with_barriers(0.01);
    w.props.push_back(plane(Vec3::UnitY(), 0.5));
    const double side = 0.1, gap = 0.0019;
    for (int i = 0; i < count; ++i) {
        const double low = i * (side + gap) + gap;
        FemBodyDesc desc = block({-side / 2, low, -side / 2}, {side / 2, low + side, side / 2}, {1, 1, 1}, 1e10);
        desc.material[0].density = 1000 * std::min(1.0, i % 2 == 1 ? ratio : 1 / ratio);
        desc.friction = 0.5;
        w.fem.push_back(make_fem_body(std::move(desc)));
    }
    return w;
}

TEST(Barrier, TwentyStiffBoxesStandWithoutDrift) {
    for (double ratio : {1.0, 0.001, 1000.0}) {
        World w = stack(20, ratio);
        for (int i = 0; i < 100; ++i) step(w);
        std::vector<Vec3> settled;
        for (const FemBody& body : w.fem) settled.push_back(center_of_mass(body));
        for (int i = 0; i < 100; ++i) step(w);
        double drift = 0;
        for (std::size_t b = 0; b < w.fem.size(); ++b)
            drift = std::max(drift, (center_of_mass(w.fem[b]) - settled[b]).norm() / 0.1);
        std::printf("masses 1:%g: drift within a second %.1e of a side\n", ratio, drift);
        EXPECT_LT(drift, 1e-4);
        EXPECT_EQ(find_intersections(w).crossings.count, 0);
    }
}

TEST(Barrier, WhatIsPutDownNearIsNotThrownApart) {
    // Without gravity, closer than the distance that surfaces keep: nobody has done work, so nothing may move.
    for (double gap : {1e-3, 1e-4, 1e-5}) {
        World w = world_with_barriers(0.01);
        w.gravity.setZero();
        w.fem.push_back(make_fem_body(block({-0.1, 0, -0.1}, {0.1, 0.1, 0.1}, {2, 1, 2}, 1e9)));
        w.fem.push_back(make_fem_body(block({-0.1, 0.1 + gap, -0.1}, {0.1, 0.2 + gap, 0.1}, {2, 1, 2}, 1e9)));
        ASSERT_LT(gap, 0.02 * w.fem[0].spacing);
        for (int i = 0; i < 20; ++i) step(w);
        double fastest = 0;
        for (const FemBody& body : w.fem)
            for (const Vec3& v : body.v) fastest = std::max(fastest, v.norm());
        std::printf("gap %.0e m: fastest node %.1e m/s\n", gap, fastest);
        EXPECT_LT(fastest, 1e-9);
    }
}

}  // namespace
}  // namespace pliant
