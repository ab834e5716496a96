// Detection between bodies, obstacles of all kinds, determinism and degenerate input.

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "contact/stand_in.hpp"
#include "pliant/contact/penetration.hpp"

using namespace pliant;
using namespace pliant::test;

namespace {

TriMesh surface_of(const PointBody& b) { return {b.x, b.triangles}; }

bool same(const Contact& a, const Contact& b) {
    return a.body == b.body && a.vertex == b.vertex && a.partner == b.partner && a.slot == b.slot &&
           a.triangle == b.triangle && a.weight == b.weight && a.normal == b.normal &&
           a.base_separation == b.base_separation && a.stiffness == b.stiffness && a.force == b.force &&
           a.tangent_elongation == b.tangent_elongation;
}

// 30 boxes of about 2,000 vertices that overlap a little, with some motion.
PointWorld heap(int threads) {
    PointWorld w;
    w.threads = std::make_unique<Threads>(threads);
    for (int i = 0; i < 30; ++i) {
        const Vec3 place(0.98 * (i % 3), 0.995 * (i / 9) + 0.5, 0.97 * (i / 3 % 3));
        PointBody b = box_body(place, {1, 1, 1}, 18, 1000, 0.5);
        for (std::size_t v = 0; v < b.v.size(); ++v)
            b.v[v] = Vec3(std::sin(i + 3.0 * b.x[v].y()), std::cos(2.0 * i + b.x[v].x()), 0.3 * std::sin(b.x[v].z()));
        w.bodies.push_back(std::move(b));
    }
    w.obstacles = {still(ground_obstacle(0), 0.4)};
    return w;
}

}  // namespace

TEST(BodyContact, ImpactKeepsMomentum) {
    PointWorld w;
    w.gravity.setZero();
    w.bodies = {box_body({0, 0, 0}, {1, 1, 1}, 3, 8, 0.5), box_body({0.2, 1.05, 0.1}, {1, 1, 1}, 4, 5, 0.5)};
    for (Vec3& v : w.bodies[1].v) v = Vec3(1, -8, 0.5);
    const Vec3 before = w.bodies[0].momentum() + w.bodies[1].momentum();
    double impulse = 0;
    for (int i = 0; i < 3; ++i) {
        w.step();
        for (const ContactImpulse& j : w.contact.impulses()) {
            impulse += j.impulse;
            EXPECT_EQ(j.body, 0);
            EXPECT_EQ(j.partner, 1);
            EXPECT_LT(j.normal.y(), -0.9);  // towards body 0, which is below
        }
    }
    const Vec3 after = w.bodies[0].momentum() + w.bodies[1].momentum();
    std::printf("impulse %.4g N·s, change of total momentum %.2g\n", impulse, (after - before).norm());
    EXPECT_GT(impulse, 1);
    EXPECT_LT((after - before).norm(), 1e-12 * before.norm());
}

TEST(BodyContact, WeightsOfBothSidesSumToOne) {
    PointWorld w;
    w.bodies = {box_body({0, 0, 0}, {1, 1, 1}, 3, 8), box_body({0.2, 1.01, 0.1}, {1, 1, 1}, 4, 5)};
    for (Vec3& v : w.bodies[1].v) v = Vec3(0, -3, 0);
    w.contact.detect(w.views(), {}, w.dt, *w.threads);
    const auto rows = w.contact.rows([](int, int) { return 1.0; });
    ASSERT_GT(rows.size(), 4u);
    for (const Coupling& row : rows) {
        double sum[2] = {0, 0};
        for (int i = 0; i < row.count; ++i) sum[row.ends[i].system] += row.ends[i].weight;
        EXPECT_NEAR(std::abs(sum[0]), 1, 1e-14);
        EXPECT_NEAR(sum[0] + sum[1], 0, 1e-14);
    }
}

TEST(BodyContact, FastVertexDoesNotPassAThinBody) {
    for (double start : {0.05, 0.4, 0.9}) {
        PointWorld w;
        w.gravity.setZero();
        w.bodies = {box_body({0, 0, 0}, {1, 0.02, 1}, 5, 1), point({0.11, start, 0.07}, {0, -100, 0}, 0.01, 0.02)};
        w.bodies[0].held = true;
        w.bodies[0].spacing = 0.02;
        for (int i = 0; i < 10; ++i) w.step();
        EXPECT_GT(w.bodies[1].x[0].y(), 0.01) << start;
    }
}

TEST(BodyContact, NormalsOfThinBodiesDoNotFlip) {
    // A plate pressed past the middle of another: its lower vertices are nearer to the far side, and must go back up.
    PointWorld w;
    w.bodies = {box_body({0, 0, 0}, {1, 0.02, 1}, 5, 1), box_body({0.03, 0.006, 0.03}, {0.9, 0.02, 0.9}, 5, 1)};
    for (PointBody& b : w.bodies) b.spacing = 0.04;
    w.contact.detect(w.views(), {}, w.dt, *w.threads);
    int found = 0;
    for (const Contact& c : w.contact.contacts()) {
        // Vertices on the rims face sideways and may go either way.
        const Vec3 place = w.bodies[c.body].x[c.vertex];
        if (std::max(std::abs(place.x()), std::abs(place.z())) > 0.4) continue;
        ++found;
        EXPECT_GT(c.body == 1 ? c.normal.y() : -c.normal.y(), 0.9) << c.body << " " << c.vertex;
    }
    EXPECT_GT(found, 10);
}

TEST(BodyContact, StackedPlatesTouchOnlyTheirNeighbours) {
    PointWorld w;
    for (int i = 0; i < 3; ++i) {
        w.bodies.push_back(box_body({0.01 * i, 0.0205 * i, 0}, {1, 0.02, 1}, 8, 1));
        w.bodies.back().spacing = 0.02;
    }
    w.contact.detect(w.views(), {}, w.dt, *w.threads);
    EXPECT_GT(w.contact.contacts().size(), 100u);
    for (const Contact& c : w.contact.contacts()) EXPECT_EQ(std::abs(c.body - c.partner), 1);
}

TEST(BodyContact, SameForAnyThreadCount) {
    PointWorld one = heap(1), two = heap(2), seven = heap(7);
    std::vector<std::vector<Contact>> found;
    for (PointWorld* w : {&one, &two, &seven}) {
        w->contact.detect(w->views(), w->obstacles, w->dt, *w->threads, w->gravity);
        w->contact.rows([](int, int) { return 0.5; });
        found.emplace_back(w->contact.contacts().begin(), w->contact.contacts().end());
    }
    ASSERT_GT(found[0].size(), 2000u);
    for (int other : {1, 2}) {
        ASSERT_EQ(found[0].size(), found[other].size());
        for (std::size_t i = 0; i < found[0].size(); ++i) ASSERT_TRUE(same(found[0][i], found[other][i])) << i;
    }
}

TEST(BodyContact, DetectionAgainFindsTheSame) {
    // As in a heap at rest: each body touches a few others with some of its vertices.
    PointWorld w = heap(1);
    for (int i = 0; i < 30; ++i) {
        const Quat turn(Eigen::AngleAxisd(0.7 * i, Vec3(std::sin(i), 1, std::cos(i)).normalized()));
        const Vec3 center(1.35 * (i % 3), 1.3 * (i / 9) + 0.8, 1.35 * (i / 3 % 3));
        const Vec3 old(0.98 * (i % 3), 0.995 * (i / 9) + 0.5, 0.97 * (i / 3 % 3));
        for (Vec3& x : w.bodies[i].x) x = center + turn * (x - old);
    }
    const auto views = w.views();
    std::size_t vertices = 0;
    for (const SurfaceView& v : views) vertices += v.points.size();
    w.contact.detect(views, w.obstacles, w.dt, *w.threads, w.gravity);
    const std::size_t contacts = w.contact.contacts().size();
    EXPECT_GT(contacts, 100u);
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
        const std::clock_t t0 = std::clock();
        w.contact.detect(views, w.obstacles, w.dt, *w.threads, w.gravity);
        best = std::min(best, static_cast<double>(std::clock() - t0) / CLOCKS_PER_SEC);
    }
    EXPECT_EQ(w.contact.contacts().size(), contacts);
    std::printf("%zu vertices, %zu contacts: %.2f ms of one core\n", vertices, contacts, best * 1e3);
}

TEST(BodyContact, AnchorsCarryTheWholeState) {
    auto world = [] {
        PointWorld w;
        w.bodies = {point({0, 0.003, 0}, {0.3, 0, 0}, 1, 0.1, 0.4)};
        w.obstacles = {still(ground_obstacle(0), 0.4)};
        w.gravity = Vec3(2, -9.81, 0);
        return w;
    };
    PointWorld a = world();
    for (int i = 0; i < 30; ++i) a.step();
    PointWorld b = world();
    b.bodies[0].x = a.bodies[0].x, b.bodies[0].v = a.bodies[0].v;
    b.contact.set_anchors(a.contact.anchors());
    for (int i = 0; i < 20; ++i) a.step(), b.step();
    EXPECT_EQ(a.bodies[0].x[0], b.bodies[0].x[0]);
    EXPECT_EQ(a.bodies[0].v[0], b.bodies[0].v[0]);
}

TEST(BodyContact, DegenerateAndNonFiniteInput) {
    PointWorld w;
    PointBody flat = box_body({0, 0, 0}, {1, 1, 1}, 2, 1);
    flat.triangles.push_back({0, 0, 1});  // no area
    flat.triangles.push_back({3, 3, 3});
    for (int k = 0; k < 3; ++k) flat.x[flat.triangles[5][k]] = flat.x[flat.triangles[5][0]];  // collapsed to a point
    w.bodies = {flat, box_body({0, 1.0, 0}, {1, 1, 1}, 3, 1), box_body({0, 1.0, 0}, {1, 1, 1}, 3, 1)};
    w.obstacles = {still(ground_obstacle(-0.5), 0.5),
                   still(mesh_obstacle({{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 3, 1}}}), 0.5)};
    for (int i = 0; i < 20; ++i) {
        w.step();
        for (const PointBody& b : w.bodies)
            for (std::size_t v = 0; v < b.x.size(); ++v) ASSERT_TRUE(b.x[v].allFinite() && b.v[v].allFinite()) << i;
    }
    // A body that is lost already must not take the others with it.
    w.bodies[0].x[0] = Vec3::Constant(std::nan(""));
    w.contact.detect(w.views(), w.obstacles, w.dt, *w.threads, w.gravity);
    for (const Contact& c : w.contact.contacts()) EXPECT_TRUE(c.normal.allFinite() && std::isfinite(c.base_separation));
}

TEST(Obstacles, DistancesAndNormals) {
    const TriMesh box = surface_of(box_body({0, 0, 0}, {2, 1, 3}, 3, 1));
    const Vec3 size(2, 1, 3);
    const std::vector<ObstacleShapePtr> boxes{box_obstacle(size), solid_obstacle(box_shape(size)), mesh_obstacle(box)};
    struct Case {
        Vec3 p;
        double distance;
        Vec3 normal;
    };
    for (const Case& c : {Case{{0.2, 0.7, 0.1}, 0.2, {0, 1, 0}}, Case{{0.2, 0.4, 0.1}, -0.1, {0, 1, 0}},
                          Case{{1.3, 0.9, 0}, 0.5, {0.6, 0.8, 0}}, Case{{-0.9, 0.1, 0.3}, -0.1, {-1, 0, 0}},
                          Case{{0.3, 0.1, -1.6}, 0.1, {0, 0, -1}}})
        for (const ObstacleShapePtr& shape : boxes) {
            ObstaclePoint at;
            ASSERT_TRUE(shape->nearest(c.p, 1, at));
            EXPECT_NEAR(at.distance, c.distance, 1e-9);
            EXPECT_LT((at.normal - c.normal).norm(), 1e-4) << c.p.transpose();
            EXPECT_LT((at.point - (c.p - c.distance * c.normal)).norm(), 1e-4);
        }
    ObstaclePoint at;
    EXPECT_FALSE(sphere_obstacle(1)->nearest({3, 0, 0}, 1.5, at));
    ASSERT_TRUE(sphere_obstacle(1)->nearest({3, 0, 0}, 2.5, at));
    EXPECT_NEAR(at.distance, 2, 1e-15);
    ASSERT_TRUE(sphere_obstacle(1)->nearest(Vec3::Zero(), 1, at));  // the middle of a sphere
    EXPECT_NEAR(at.normal.norm(), 1, 1e-15);
    ASSERT_TRUE(capsule_obstacle({0, 0, 0}, {0, 2, 0}, 0.5)->nearest({1, 1, 0}, 1, at));
    EXPECT_NEAR(at.distance, 0.5, 1e-15);
    ASSERT_TRUE(plane_obstacle({0, 1, 0}, {0, 0, 5})->nearest({7, 7, -2}, 1, at));
    EXPECT_NEAR(at.distance, -2, 1e-15);
}

TEST(Obstacles, OpenSheetHoldsOnItsFront) {
    const auto sheet = mesh_obstacle({{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {{0, 2, 1}, {0, 3, 2}}});
    EXPECT_FALSE(sheet->solid());
    ObstaclePoint at;
    ASSERT_TRUE(sheet->nearest({0.1, 0.2, 0.1}, 1, at));
    EXPECT_NEAR(at.distance, 0.2, 1e-12);
    ASSERT_TRUE(sheet->nearest({0.1, -0.2, 0.1}, 1, at));
    EXPECT_NEAR(at.distance, -0.2, 1e-12);
    EXPECT_GT(at.normal.y(), 0.99);
    EXPECT_FALSE(sheet->nearest({1.1, -0.2, 0.1}, 1, at)) << "behind and beside";
}

TEST(Obstacles, TurningPaddlePushes) {
    // A paddle turns about y at 2 rad/s and meets a point at radius 1: the point must leave at about 2 m/s.
    PointWorld w;
    w.gravity.setZero();
    w.bodies = {point({1, 0, -0.3}, Vec3::Zero(), 1, 0.1, 0)};
    w.obstacles = {still(box_obstacle({3, 1, 0.1}), 0)};
    auto pose = [](double t) {
        Pose p;
        p.rotation = Quat(Eigen::AngleAxisd(2 * t, Vec3::UnitY()));
        return p;
    };
    double time = 0;
    for (int i = 0; i < 40; ++i, time += w.dt) {
        w.obstacles[0].start = pose(time), w.obstacles[0].end = pose(time + w.dt);
        w.step();
        const Vec3 local = pose(time + w.dt).inverse() * w.bodies[0].x[0];
        EXPECT_LT(local.z(), -0.05 + 1e-3) << "in front of the paddle";
    }
    const double speed = w.bodies[0].v[0].norm();
    std::printf("paddle of 2 m/s at the point gives it %.3f m/s\n", speed);
    EXPECT_GT(speed, 1.9);
    EXPECT_LT(speed, 3);
}

TEST(PenetrationMeasure, SaysHowDeepAndHowMany) {
    Threads threads(2);
    PointBody a = box_body({0, 0, 0}, {1, 1, 1}, 4, 1), b = box_body({0, 0.8, 0}, {0.5, 1, 0.5}, 4, 1);
    const std::vector<SurfaceView> views{a.view(), b.view()};
    Penetration p = measure_penetration(views, {}, threads);
    EXPECT_NEAR(p.max_depth, 0.2, 1e-12);
    EXPECT_EQ(p.partner, 1 - p.body);
    int inside = 1;  // the middle of a's upper side
    for (const Vec3& x : b.x) inside += x.y() < 0.5;
    EXPECT_NEAR(p.fraction, double(inside) / double(a.x.size() + b.x.size()), 1e-12);
    const std::vector<Obstacle> ground{still(ground_obstacle(-0.2))};
    p = measure_penetration(views, ground, threads);
    EXPECT_NEAR(p.max_depth, 0.3, 1e-12);
    EXPECT_EQ(p.partner, -1);
    for (Vec3& x : b.x) x.y() += 0.3;
    EXPECT_EQ(measure_penetration(views, {}, threads).fraction, 0);
}
