// Bodies that break in the world: mass and momentum are kept, pieces are closed, hands and contacts follow, and the
// bits are the same for any thread count and through save and load.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

FemBodyDesc brittle_bar(double strength, double noise = 0.2) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(12, 3, 3, {0, 0.5, -0.1}, {1, 0.7, 0.1});
    desc.material = {ElementMaterial{1e5, 0.33, 1000}};
    desc.fracture = FractureDesc{.strength = {strength}, .noise = noise, .splits = 3, .seed = 11};
    return desc;
}

/// Both ends are held; the right one is drawn away at 1 m/s.
World pulled_bar(int threads, bool warm = false, double strength = 2e4) {
    World w(threads);
    FemBodyDesc desc = brittle_bar(strength);
    if (warm) {
        desc.plasticity = &plasticity_laws().get("creep");
        desc.plastic = {{0.05, 1, 1}};
        desc.heat = HeatDesc{};
        desc.heat->numbers.specific_heat = 100;
        desc.heat->numbers.initial = 60;
    }
    w.fem.push_back(make_fem_body(std::move(desc)));
    Grip left, right;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i) {
        if (w.fem[0].mesh.rest[i].x() < 1e-9) left.nodes.push_back(i);
        if (w.fem[0].mesh.rest[i].x() > 1 - 1e-9) right.nodes.push_back(i);
    }
    left.pose = [](double) { return Pose{}; };
    right.pose = [](double t) { return Pose{Quat::Identity(), Vec3(t, 0, 0)}; };
    right.when = {0, 0.35};
    w.grips = {left, right};
    Prop floor;
    floor.name = "ground";
    floor.obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5};
    w.props.push_back(std::move(floor));
    return w;
}

TEST(FractureStep, APulledBarComesApartAndStaysClosed) {
    World w = pulled_bar(1);
    const double mass_before = mass(w.fem[0]);
    for (int i = 0; i < 100; ++i) step(w);
    const FemBody& body = w.fem[0];
    const SurfaceFacts facts = inspect(body.surface());
    std::cout << pieces(body) << " pieces, " << body.x.size() << " nodes of " << 13 * 16 << ", skin volume error "
              << body.seen->volume_error() << ", mass error " << mass(body) / mass_before - 1 << "\n";
    EXPECT_GE(pieces(body), 2);
    EXPECT_TRUE(facts.closed() && facts.oriented());
    EXPECT_TRUE(surface_closed(body));
    EXPECT_LT(body.seen->volume_error(), 1e-9);
    EXPECT_NEAR(mass(body) / mass_before, 1, 1e-12);
    EXPECT_FALSE(first_nonfinite(body).has_value());
    // The ends held by grips are where the hands are, copies of their nodes included.
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (body.mesh.rest[i].x() < 1e-9) {
            EXPECT_LT((body.x[i] - body.mesh.rest[i]).norm(), 1e-9) << "node " << i;
        }
    int cracks = 0;
    for (const Event& e : w.events) cracks += e.kind == "crack" && e.size > 0;
    EXPECT_GT(cracks, 0);
}

// A bar that is torn apart in flight by its own motion: nothing outside acts on it.
TEST(FractureStep, MomentumAndMassAreKept) {
    World w(2);
    w.gravity.setZero();
    FemBodyDesc desc = brittle_bar(1e4);
    desc.velocity = {0.3, -0.2, 0.1};
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() += 12 * (body.x[i].x() - 0.4);
    const Vec3 before = momentum(body);
    const double mass_before = mass(body);
    double worst = 0, worst_mass = 0;
    for (int i = 0; i < 60; ++i) {
        step(w);
        double scale = 0;
        for (std::size_t k = 0; k < body.v.size(); ++k) scale += body.solid.mass()[k] * body.v[k].norm();
        worst = std::max(worst, (momentum(body) - before).norm() / scale);
        worst_mass = std::max(worst_mass, std::abs(mass(body) / mass_before - 1));
    }
    std::cout << pieces(body) << " pieces; momentum drifts by " << worst << " of sum m|v|, mass by " << worst_mass
              << "\n";
    EXPECT_GE(pieces(body), 2);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(worst_mass, 1e-12);
}

// Stiff pieces fall as they should after only a few iterations: each balances its own momentum.
TEST(FractureStep, EveryPieceFallsFreely) {
    World w(1);
    w.gravity.setZero();
    w.fem.push_back(make_fem_body(brittle_bar(1e4)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() = 12 * (body.x[i].x() - 0.4);
    for (int i = 0; i < 60; ++i) step(w);
    ASSERT_GE(pieces(body), 3);
    // From now on it is stiff, whole pieces at rest that cannot break any more, nor push each other.
    body.collide = false;
    std::fill(body.fracture->strength.begin(), body.fracture->strength.end(), 1e30);
    for (ElementMaterial& m : body.material) m.young = 1e9;
    body.solid.set_material(body.material);
    body.x = body.mesh.rest;
    std::fill(body.v.begin(), body.v.end(), Vec3::Zero());
    std::vector<int> piece;
    const int count = connected_pieces(tet_neighbours(body.mesh.tets), piece);
    const auto velocities = [&] {
        std::vector<Vec3> sum(count, Vec3::Zero());
        std::vector<double> mass(count, 0);
        std::vector<char> seen(body.x.size(), 0);
        for (int t = 0; t < body.mesh.tet_count(); ++t)
            for (int n : body.mesh.tets[t])
                if (!std::exchange(seen[n], 1)) {
                    sum[piece[t]] += body.solid.mass()[n] * body.v[n];
                    mass[piece[t]] += body.solid.mass()[n];
                }
        for (int k = 0; k < count; ++k) sum[k] /= mass[k];
        return sum;
    };
    const std::vector<Vec3> before = velocities();
    w.gravity = {0, -10, 0};
    for (int i = 0; i < 10; ++i) step(w);
    const std::vector<Vec3> after = velocities();
    double worst = 0;
    for (int k = 0; k < count; ++k) worst = std::max(worst, (after[k] - before[k] - Vec3(0, -1, 0)).norm());
    std::cout << count << " pieces, " << worst << " m/s from free fall\n";
    EXPECT_LT(worst, 1e-10);
}

// The two halves of a bar, driven back into each other: they stop each other, and what one gives the other gets.
TEST(FractureStep, PiecesStopEachOther) {
    World w(1);
    w.gravity.setZero();
    FemBodyDesc desc = brittle_bar(1e4);
    desc.fracture->touch = true;
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() = 12 * (body.x[i].x() - 0.4);
    for (int i = 0; i < 60; ++i) step(w);
    ASSERT_GE(pieces(body), 2);
    std::fill(body.fracture->strength.begin(), body.fracture->strength.end(), 1e30);
    // Everything back, a little apart, and then towards the middle at 1 m/s.
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        body.x[i] = body.mesh.rest[i];
        body.x[i].x() = 0.4 + 1.02 * (body.x[i].x() - 0.4);
        body.v[i] = Vec3(body.mesh.rest[i].x() < 0.4 ? 1 : -1, 0, 0);
    }
    update_surface(body, *w.threads);
    const double length = bounds(body).size().x();
    const Vec3 before = momentum(body);
    double shortest = length;
    for (int i = 0; i < 40; ++i) {
        step(w);
        shortest = std::min(shortest, bounds(body).size().x());
    }
    const double error = (momentum(body) - before).norm() / mass(body);
    std::cout << pieces(body) << " pieces, " << length << " m long, never shorter than " << shortest
              << " m; momentum changed by " << error << " m/s\n";
    EXPECT_GT(shortest, 0.75 * length);  // free, they would have passed through each other within 0.4 s
    EXPECT_LT(error, 1e-10);
}

// A body may be in several parts before anything breaks: they are pieces that touch from the first step on.
TEST(FractureStep, PartsOfAnUnbrokenBodyStopEachOther) {
    World w(1);
    w.gravity.setZero();
    FemBodyDesc desc = brittle_bar(1e30);
    const TetMesh other = bar_mesh(12, 3, 3, {1.1, 0.5, -0.1}, {2.1, 0.7, 0.1});
    const int nodes = desc.mesh.node_count();
    desc.mesh.rest.insert(desc.mesh.rest.end(), other.rest.begin(), other.rest.end());
    for (const Tet& t : other.tets) desc.mesh.tets.push_back({t[0] + nodes, t[1] + nodes, t[2] + nodes, t[3] + nodes});
    desc.fracture->touch = true;
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    ASSERT_EQ(pieces(body), 2);
    for (int i = 0; i < body.mesh.node_count(); ++i) body.v[i] = Vec3(i < nodes ? 1 : -1, 0, 0);
    update_surface(body, *w.threads);
    double shortest = bounds(body).size().x();
    for (int i = 0; i < 40; ++i) {
        step(w);
        shortest = std::min(shortest, bounds(body).size().x());
    }
    std::cout << "2.1 m long with a gap of 0.1 m, never shorter than " << shortest << " m; momentum "
              << momentum(body).norm() / mass(body) << " m/s\n";
    EXPECT_GT(shortest, 1.5);  // free, they would have been one in the other after 0.55 s, 1.3 m long after 0.4 s
    EXPECT_LT(momentum(body).norm() / mass(body), 1e-10);
    EXPECT_EQ(pieces(body), 2);
}

TEST(FractureStep, ARelaxedPlasticBodyDoesNotBreak) {
    // Stretched to twice its length, far beyond its strength if the total strain counted; all of it has flowed.
    World w(1);
    w.gravity.setZero();
    FemBodyDesc desc = brittle_bar(2e4, 0);
    desc.plasticity = &plasticity_laws().get("creep");
    desc.plastic = {{0.01, 1, 10}};
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i].x() *= 2;
    for (int t = 0; t < body.mesh.tet_count(); ++t) body.plastic_strain[t] = total_strain(body, t);
    for (int i = 0; i < 20; ++i) step(w);
    EXPECT_EQ(body.mesh.revision, 0u);
    EXPECT_EQ(pieces(body), 1);
}

TEST(FractureStep, SameBitsForAnyThreadCountAndThroughSaveAndLoad) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = pulled_bar(threads, true);
        while (w.fem[0].mesh.revision < 4 && w.steps < 100) step(w);
        ASSERT_LT(w.steps, 100u) << "it must break";
        ByteWriter out;
        save_state(w, out);
        World again = pulled_bar(1, true);
        ByteReader in(out.bytes());
        load_state(again, in);
        EXPECT_EQ(state_hash(w), state_hash(again));
        const std::uint64_t cracks = w.fem[0].mesh.revision;
        for (int i = 0; i < 25; ++i) step(w), step(again);
        EXPECT_GT(w.fem[0].mesh.revision, cracks) << "it was saved in the middle of breaking";
        EXPECT_EQ(state_hash(w), state_hash(again)) << threads << " threads";
        EXPECT_EQ(w.fem[0].surface().triangles, again.fem[0].surface().triangles);
        EXPECT_EQ(w.fem[0].points, again.fem[0].points);
        EXPECT_EQ(w.grips[0].nodes, again.grips[0].nodes);
        if (hash) {
            EXPECT_EQ(hash, state_hash(w)) << threads << " threads";
        }
        hash = state_hash(w);
    }
}

TEST(FractureStep, LoadingAnEarlierMomentMendsTheBody) {
    World w = pulled_bar(1);
    ByteWriter out;
    save_state(w, out);
    const std::uint64_t whole = state_hash(w);
    for (int i = 0; i < 60; ++i) step(w);
    const std::uint64_t broken = state_hash(w);
    ByteReader in(out.bytes());
    load_state(w, in);
    EXPECT_EQ(state_hash(w), whole);
    EXPECT_EQ(pieces(w.fem[0]), 1);
    EXPECT_EQ(w.fem[0].points.size(), w.fem[0].surface().points.size());
    for (int i = 0; i < 60; ++i) step(w);
    EXPECT_EQ(state_hash(w), broken);
}

TEST(FractureStep, StrengthDecidesWhere) {
    World w(1);
    FemBodyDesc desc = brittle_bar(1e9, 0);
    desc.fracture->strength.assign(desc.mesh.tets.size(), 1e9);
    for (int t = 0; t < desc.mesh.tet_count(); ++t) {
        double x = 0;
        for (int n : desc.mesh.tets[t]) x += 0.25 * desc.mesh.rest[n].x();
        if (x > 0.66 && x < 0.76) desc.fracture->strength[t] = 1e4;
    }
    w.fem.push_back(make_fem_body(std::move(desc)));
    w.gravity.setZero();
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() = 8 * (body.x[i].x() - 0.5);
    for (int i = 0; i < 60; ++i) step(w);
    EXPECT_GE(pieces(body), 2);
    for (std::size_t i = 0; i < body.origin.size(); ++i)
        if (body.origin[i] != static_cast<int>(i)) {
            EXPECT_GT(body.mesh.rest[i].x(), 0.57);
            EXPECT_LT(body.mesh.rest[i].x(), 0.85);
        }
}

// An open surface breaks too; it only cannot be promised to be closed.
TEST(FractureStep, AnOpenSurfaceBreaks) {
    World w(1);
    FemBodyDesc desc = brittle_bar(1e4);
    desc.surface = boundary_surface(desc.mesh).surface;
    desc.surface.triangles.resize(desc.surface.triangles.size() - 7);
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    EXPECT_FALSE(body.seen->remark().empty());
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() = 12 * (body.x[i].x() - 0.5);
    for (int i = 0; i < 40; ++i) step(w);
    EXPECT_GE(pieces(body), 2);
    EXPECT_FALSE(surface_closed(body));
    EXPECT_FALSE(first_nonfinite(body).has_value());
}

// What rests on the ground and breaks keeps the friction of the vertices that are still there.
TEST(FractureStep, AnchorsFollow) {
    World w = pulled_bar(1);
    w.grips.clear();
    for (Vec3& x : w.fem[0].x) x.y() -= 0.495;
    w.dt = 0.01;
    for (int i = 0; i < 60; ++i) step(w);
    const auto before = w.contact.anchors();
    ASSERT_GT(before.size(), 20u) << "it lies on the ground";
    FemBody& body = w.fem[0];
    std::fill(body.fracture->strength.begin(), body.fracture->strength.end(), 1e-3);
    const auto broken = break_apart(body, 1, *w.threads);
    ASSERT_TRUE(broken && broken->edited.surface_changed);
    const std::vector<int> vertex = body.seen->vertices_after();
    w.contact.renumber(0, vertex);
    update_surface(body, *w.threads);
    EXPECT_EQ(w.contact.anchors().size(), before.size());
    for (const ContactAnchor& a : w.contact.anchors()) {
        EXPECT_LT(a.vertex, static_cast<int>(body.points.size()));
        EXPECT_LT(body.points[a.vertex].y(), 0.02);
    }
}

}  // namespace
}  // namespace pliant
