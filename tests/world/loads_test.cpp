// Loads spread over regions and supports along single axes, through the world's own step, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/edit_mesh.hpp"

namespace pliant {
namespace {

ShapePtr slab_at(int axis, double at) {
    Vec3 size = Vec3::Constant(100), centre = Vec3::Zero();
    size[axis] = 1e-6, centre[axis] = at;
    return transformed(box_shape(size), Pose{Quat::Identity(), centre});
}

FemBodyDesc load_bar(double young, double poisson, Element element = Element::tet4) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(4, 2, 3, {0, 0, 0}, {0.4, 0.2, 0.3});
    desc.material = {ElementMaterial{young, poisson, 1000}};
    desc.solid.element = element;
    desc.solve = {4000, 1e-10};
    return desc;
}

World still_world(FemBodyDesc desc, double dt) {
    World w(1);
    w.gravity.setZero();
    w.dt = dt;
    add_body(w, make_fem_body(std::move(desc)));
    return w;
}

template <class Inside>
void roller(World& w, int axis, const Inside& inside) {
    Grip grip;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (inside(w.fem[0].mesh.rest[i])) grip.nodes.push_back(i);
    ASSERT_FALSE(grip.nodes.empty());
    grip.pose = [](double) { return Pose{}; };
    grip.axis = axis;
    w.grips.push_back(std::move(grip));
}

SurfaceLoad pressure_on(ShapePtr inside, std::function<double(double)> pressure, bool following = true) {
    SurfaceLoad load;
    load.on.inside = std::move(inside), load.pressure = std::move(pressure), load.following = following;
    return load;
}

struct LoadSums {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double size = 0;
};

/// Of the forces that the last step gathered, at the places they were gathered for.
template <class Body>
LoadSums load_sums(const Body& body, const std::vector<Vec3>& x) {
    LoadSums s;
    for (std::size_t i = 0; i < x.size(); ++i)
        s.force += body.force[i], s.torque += x[i].cross(body.force[i]), s.size += body.force[i].norm();
    return s;
}

TEST(Loads, PressureRoundAClosedSurfaceHasNoResultant) {
    for (const bool following : {true, false}) {
        FemBodyDesc desc = load_bar(1e5, 0.3);
        desc.velocity = {1, 0, 0};
        desc.spin = {3, 4, 5};
        World w = still_world(std::move(desc), 0.01);
        w.surface_loads.push_back(pressure_on(
            nullptr, [](double t) { return 2e4 * t; }, following));
        double worst = 0, worst_torque = 0;
        for (int i = 0; i < 20; ++i) {
            const std::vector<Vec3> x = w.fem[0].x;
            step(w);
            const LoadSums s = load_sums(w.fem[0], x);
            worst = std::max(worst, s.force.norm() / s.size);
            worst_torque = std::max(worst_torque, s.torque.norm() / s.size);
        }
        std::cout << (following ? "following" : "dead") << ": resultant " << worst << ", torque " << worst_torque
                  << " m\n";
        EXPECT_LT(worst, 1e-13);
        if (following) {
            EXPECT_LT(worst_torque, 1e-13);
        }
    }
}

TEST(Loads, APlanePatchBearsPressureTimesItsArea) {
    World w = still_world(load_bar(1e5, 0.3), 1e-4);
    w.surface_loads.push_back(pressure_on(slab_at(0, 0.4), [](double) { return 70.; }));
    step(w);
    EXPECT_NEAR((load_sums(w.fem[0], w.fem[0].x).force - Vec3(-70 * 0.2 * 0.3, 0, 0)).norm(), 0, 1e-12);
    w.surface_loads.clear();
    SurfaceLoad wind = pressure_on(slab_at(1, 0), {});
    wind.traction = [](double) { return Vec3(3, 4, 5); };
    w.surface_loads.push_back(wind);
    step(w);
    EXPECT_NEAR((load_sums(w.fem[0], w.fem[0].x).force - 0.4 * 0.3 * Vec3(3, 4, 5)).norm(), 0, 1e-12);
    w.surface_loads.clear();
    // The half of the bar with x below 0.2, by the centres of its elements.
    VolumeLoad lift;
    lift.in.inside = box_shape({0.4, 9, 9}), lift.force = [](double) { return Vec3(0, 1000, 0); };
    w.volume_loads.push_back(lift);
    step(w);
    EXPECT_NEAR((load_sums(w.fem[0], w.fem[0].x).force - Vec3(0, 1000 * 0.2 * 0.2 * 0.3, 0)).norm(), 0, 1e-10);
    Pull pull{.body = 0, .nodes = {0, 3, 7, 20}, .force = [](double) { return Vec3(1, 2, 3); }, .when = {}};
    w.volume_loads.clear(), w.pulls.push_back(pull);
    step(w);
    EXPECT_NEAR((load_sums(w.fem[0], w.fem[0].x).force - Vec3(1, 2, 3)).norm(), 0, 1e-14);
}

// Rollers on three faces, pressure on the fourth: ε = −p/E along it and ν p/E across, exactly, with either element.
TEST(Loads, APressedBlockOnRollersStrainsUniformly) {
    for (const Element element : {Element::tet4, Element::smoothed}) {
        const double young = 1e6, poisson = 0.4, p = 100;
        World w = still_world(load_bar(young, poisson, element), 10);
        for (int axis = 0; axis < 3; ++axis) roller(w, axis, [&](const Vec3& r) { return r[axis] < 1e-9; });
        w.surface_loads.push_back(pressure_on(slab_at(0, 0.4), [&](double) { return p; }));
        for (int i = 0; i < 10; ++i) step(w);
        double worst = 0;
        for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) {
            const Vec3 &r = w.fem[0].mesh.rest[i], u = w.fem[0].x[i] - r;
            worst = std::max(worst, (u - p / young * Vec3(-r.x(), poisson * r.y(), poisson * r.z())).norm());
        }
        std::cout << "displacement off by " << worst / (0.4 * p / young) << " of that of the face\n";
        EXPECT_LT(worst, 3e-4 * 0.4 * p / young);  // second order in p/E = 1e-4, and what rollers yield
    }
}

// A following pressure turns with the face it acts on, a dead one does not.
TEST(Loads, FollowingPressureTurnsWithTheBody) {
    for (const bool following : {true, false}) {
        World w = still_world(load_bar(1e8, 0.3), 0.01);
        Grip grip;
        for (int i = 0; i < w.fem[0].mesh.node_count(); ++i) grip.nodes.push_back(i);
        grip.pose = [](double t) {
            return Pose{Quat(Eigen::AngleAxisd(t * std::numbers::pi, Vec3::UnitZ())), Vec3::Zero()};
        };
        w.grips.push_back(std::move(grip));
        w.surface_loads.push_back(pressure_on(
            slab_at(0, 0.4), [](double) { return 100.; }, following));
        for (int i = 0; i < 51; ++i) step(w);  // the last step starts after a quarter turn
        const Vec3 force = load_sums(w.fem[0], w.fem[0].x).force / (100 * 0.2 * 0.3);
        std::cout << (following ? "following: " : "dead: ") << force.transpose() << " p A\n";
        EXPECT_NEAR((force - (following ? Vec3(0, -1, 0) : Vec3(-1, 0, 0))).norm(), 0, 1e-9);
    }
}

// Lamé: u(a) = p a³/(E (b³ − a³)) ((1 − 2ν) a + (1 + ν) b³/(2a²)). A free hollow sphere, blown up from inside.
TEST(Loads, ThickSphereUnderPressure) {
    const int cells = 16;
    const double outer = 0.2, inner = 0.1, young = 1e6, poisson = 0.45, p = 200;
    TetMesh cube = bar_mesh(cells, cells, cells, Vec3::Constant(-1), Vec3::Constant(1));
    FemBodyDesc desc;
    std::vector<int> number(cube.rest.size(), -1);
    for (const Tet& tet : cube.tets) {
        Vec3 centre = Vec3::Zero();
        for (int i : tet) centre += 0.25 * cube.rest[i];
        if (centre.lpNorm<Eigen::Infinity>() < 0.5) continue;
        Tet made;
        for (int k = 0; k < 4; ++k) {
            int& to = number[tet[k]];
            if (to < 0) {
                to = desc.mesh.node_count();
                const Vec3& at = cube.rest[tet[k]];
                desc.mesh.rest.push_back(outer * at.lpNorm<Eigen::Infinity>() * at.normalized());
            }
            made[k] = to;
        }
        desc.mesh.tets.push_back(made);
    }
    desc.material = {ElementMaterial{young, poisson, 1000}};
    desc.solid.element = Element::smoothed;
    desc.solid.mass_damping = 1;
    desc.solve = {4000, 1e-8};
    World w = still_world(std::move(desc), 1);
    w.surface_loads.push_back(pressure_on(sphere_shape(0.5 * (inner + outer)), [&](double) { return p; }));
    for (int i = 0; i < 10; ++i) step(w);
    double sum = 0;
    int count = 0;
    const Vec3 middle = center_of_mass(w.fem[0]);
    for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) {
        const Vec3& r = w.fem[0].mesh.rest[i];
        if (r.norm() < inner * (1 + 1e-9)) sum += (w.fem[0].x[i] - middle).norm() - r.norm(), ++count;
    }
    const double a3 = inner * inner * inner, b3 = outer * outer * outer;
    const double exact =
        p * a3 / (young * (b3 - a3)) * ((1 - 2 * poisson) * inner + (1 + poisson) * b3 / (2 * inner * inner));
    std::cout << w.fem[0].mesh.tet_count() << " tets, radial displacement inside " << sum / count << " m, Lame "
              << exact << ", error " << 100 * (sum / count / exact - 1) << "%\n";
    EXPECT_NEAR(sum / count / exact, 1, 0.03);
}

// A quarter of a thick-walled cylinder that hardly changes its volume, plane strain: rollers, pressure and the
// smoothed element together.
TEST(Loads, ThickCylinderOnRollers) {
    const double inner = 0.1, outer = 0.2, young = 1e6, poisson = 0.499, p = 100;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(4, 10, 2, Vec3::Zero(), Vec3(1, 1, 0.05));
    for (Vec3& r : desc.mesh.rest) {
        const double radius = inner + (outer - inner) * r.x(), angle = std::numbers::pi / 2 * r.y();
        r = Vec3(radius * std::cos(angle), radius * std::sin(angle), r.z());
    }
    desc.material = {ElementMaterial{young, poisson, 1000}};
    desc.solid.element = Element::smoothed;
    desc.solve = {10000, 1e-9};
    World w = still_world(std::move(desc), 1);
    roller(w, 0, [](const Vec3& r) { return r.x() < 1e-12; });
    roller(w, 1, [](const Vec3& r) { return r.y() < 1e-12; });
    roller(w, 2, [](const Vec3& r) { return r.z() < 1e-12 || r.z() > 0.05 - 1e-12; });
    // The corners of the facets that follow the bore lie on it: a shape that holds no others.
    w.surface_loads.push_back(
        pressure_on(capsule_shape({0, 0, -1}, {0, 0, 1}, inner + 0.1 * (outer - inner)), [&](double) { return p; }));
    for (int i = 0; i < 10; ++i) step(w);
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) {
        const Vec3 &r = w.fem[0].mesh.rest[i], out(r.x(), r.y(), 0);
        if (out.norm() < inner * (1 + 1e-9)) sum += (w.fem[0].x[i] - r).dot(out.normalized()), ++count;
    }
    const double exact = (1 + poisson) / young * inner * inner * p / (outer * outer - inner * inner) *
                         ((1 - 2 * poisson) * inner + outer * outer / inner);
    std::cout << "radial displacement inside " << sum / count << " m, Lame " << exact << ", error "
              << 100 * (sum / count / exact - 1) << "%\n";
    EXPECT_NEAR(sum / count / exact, 1, 0.03);
}

// A modal bar that slides on a plane across y: it falls along x and z, and stays on the plane.
TEST(Loads, AModalBodyCanBeHeldAlongOneAxis) {
    World w(1);
    w.gravity = {1, -9.81, 2};
    ModalBodyDesc desc;
    desc.mesh = bar_mesh(4, 2, 2, {0, 0, 0}, {0.4, 0.1, 0.1});
    desc.material = {{1e8, 0.3, 1000}};
    desc.modes = 10;
    Threads threads(1);
    add_body(w, make_modal_body(std::move(desc), threads));
    Grip grip;
    for (int i = 0; i < w.modal[0].mesh.node_count(); ++i)
        if (w.modal[0].mesh.rest[i].y() < 1e-9) grip.nodes.push_back(i);
    grip.pose = [](double) { return Pose{}; };
    grip.axis = 1;
    w.grips.push_back(std::move(grip));
    const Vec3 start = center_of_mass(w.modal[0]);
    for (int i = 0; i < 50; ++i) step(w);
    const Vec3 way = center_of_mass(w.modal[0]) - start;
    std::cout << "after 0.5 s it has moved by " << way.transpose() << " m\n";
    EXPECT_NEAR(way.x(), 0.125, 0.01);
    EXPECT_NEAR(way.z(), 0.25, 0.01);
    EXPECT_NEAR(way.y(), 0, 1e-3);
}

TEST(SmoothedBody, BreaksCreepsAndKeepsItsMomentum) {
    // Drawn apart at both ends: it breaks, and the pieces are free of each other.
    FemBodyDesc brittle;
    brittle.mesh = bar_mesh(12, 3, 3, {0, 0.5, -0.1}, {1, 0.7, 0.1});
    brittle.material = {ElementMaterial{1e5, 0.33, 1000}};
    brittle.fracture = FractureDesc{.strength = {2e4}, .noise = 0.2, .splits = 3, .seed = 11};
    brittle.solid.element = Element::smoothed;
    World w = still_world(std::move(brittle), 0.01);
    Grip left, right;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i) {
        if (w.fem[0].mesh.rest[i].x() < 1e-9) left.nodes.push_back(i);
        if (w.fem[0].mesh.rest[i].x() > 1 - 1e-9) right.nodes.push_back(i);
    }
    left.pose = [](double) { return Pose{}; };
    right.pose = [](double t) { return Pose{Quat::Identity(), Vec3(t, 0, 0)}; };
    left.when = right.when = {0, 0.45};
    w.grips = {left, right};
    const double mass_before = mass(w.fem[0]);
    for (int i = 0; i < 50; ++i) step(w);
    const int broken = pieces(w.fem[0]);
    const Vec3 before = momentum(w.fem[0]);
    for (int i = 0; i < 30; ++i) step(w);
    double moving = 0;
    for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) moving += node_mass(w.fem[0])[i] * w.fem[0].v[i].norm();
    std::cout << broken << " pieces, mass off by " << mass(w.fem[0]) / mass_before - 1 << ", momentum after release by "
              << (momentum(w.fem[0]) - before).norm() / moving << "\n";
    EXPECT_GE(broken, 2);
    EXPECT_NEAR(mass(w.fem[0]), mass_before, 1e-12 * mass_before);
    EXPECT_LT((momentum(w.fem[0]) - before).norm(), 1e-9 * moving);

    for (const char* law : {"creep", "finite_creep"}) {
        FemBodyDesc wax;
        wax.mesh = bar_mesh(10, 3, 3, {0, -0.1, -0.1}, {1, 0.1, 0.1});
        wax.material = {ElementMaterial{5e4, 0.33, 1000}};
        wax.solid.mass_damping = 1;
        wax.solid.element = Element::smoothed;
        wax.plasticity = &plasticity_laws().get(law);
        wax.plastic = {{0.01, 20, 1}};
        World bar = still_world(std::move(wax), 0.01);
        bar.gravity = {0, -9.81, 0};
        Grip grip;
        for (int i = 0; i < bar.fem[0].mesh.node_count(); ++i)
            if (bar.fem[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
        grip.pose = [](double) { return Pose{}; };
        bar.grips.push_back(std::move(grip));
        const auto tip = [&] {
            double low = 0;
            for (const Vec3& r : bar.fem[0].x) low = std::min(low, r.y());
            return low;
        };
        for (int i = 0; i < 200; ++i) step(bar);
        const double loaded = tip();
        bar.gravity.setZero();
        for (int i = 0; i < 400; ++i) step(bar);
        std::cout << law << ": tip " << loaded << " m under load, " << tip() << " m after\n";
        EXPECT_LT(tip(), -0.3);
        EXPECT_GT(tip(), -3);
    }
}

// A free box that spins, default iterations: momentum to rounding, no energy from nowhere.
TEST(SmoothedBody, SpinsFreely) {
    for (const double young : {1e5, 1e7}) {
        FemBodyDesc desc;
        desc.mesh = bar_mesh(6, 3, 1, {0, 0, 0}, {0.6, 0.3, 0.1});
        desc.material = {ElementMaterial{young, 0.3, 1000}};
        desc.solid.element = Element::smoothed;
        desc.spin = {0.1, 6.2, 0.2};
        World w = still_world(std::move(desc), 0.01);
        const auto spin = [&] {
            Vec3 sum = Vec3::Zero();
            const Vec3 centre = center_of_mass(w.fem[0]);
            for (std::size_t i = 0; i < w.fem[0].x.size(); ++i)
                sum += node_mass(w.fem[0])[i] * (w.fem[0].x[i] - centre).cross(w.fem[0].v[i]);
            return sum;
        };
        const Vec3 before = spin();
        const double energy = kinetic_energy(w.fem[0]);
        double most = 0;
        for (int i = 0; i < 300; ++i) {
            step(w);
            most = std::max(most, kinetic_energy(w.fem[0]) + elastic_energy(w.fem[0]));
        }
        std::cout << "E " << young << ": angular momentum off by " << (spin() - before).norm() / before.norm()
                  << ", most energy " << most / energy << ", at the end " << kinetic_energy(w.fem[0]) / energy << "\n";
        EXPECT_LT((spin() - before).norm(), 1e-9 * before.norm());
        EXPECT_LT(most, (1 + 1e-6) * energy);
    }
}

}  // namespace
}  // namespace pliant
