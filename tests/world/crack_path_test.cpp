// Where cracks go and at what load: bars and plates with notches, drawn apart slowly, against the formulas of linear
// fracture mechanics.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <map>

#include "pliant/core/rng.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

/// A plate in x and y with nodes moved about inside it, and a slit of no width along x = 0 where `open` says so.
TetMesh slit_plate(std::array<int, 3> cells, const Vec3& half, std::uint64_t seed,
                   const std::function<bool(double y)>& open) {
    TetMesh mesh = bar_mesh(cells[0], cells[1], cells[2], -half, half);
    Rng rng(seed, 0);
    for (Vec3& p : mesh.rest) {
        const bool in_plane = std::abs(p.x()) < 1e-9 && (open(p.y()) || open(p.y() + 1e-6) || open(p.y() - 1e-6));
        for (int k = 0; k < 3; ++k) {
            const double move = 0.25 * rng.uniform(-1, 1) * 2 * half[k] / cells[k];
            if (std::abs(p[k]) < half[k] - 1e-9 && !in_plane) p[k] += move;
        }
    }
    std::map<int, int> copy;
    const int nodes = mesh.node_count();
    for (int i = 0; i < nodes; ++i)
        if (std::abs(mesh.rest[i].x()) < 1e-9 && open(mesh.rest[i].y())) {
            copy[i] = mesh.node_count();
            mesh.rest.push_back(Vec3(mesh.rest[i]));
        }
    for (Tet& tet : mesh.tets) {
        double x = 0;
        for (int n : tet) x += mesh.rest[n].x();
        if (x < 0) continue;
        for (int& n : tet)
            if (const auto found = copy.find(n); found != copy.end()) n = found->second;
    }
    return mesh;
}

/// Both ends of a plate are drawn apart along x at `speed`, m/s.
World drawn_plate(TetMesh mesh, FractureDesc fracture, double half_length, double speed, double dt) {
    World w(1);
    w.gravity.setZero();
    w.dt = dt;
    FemBodyDesc desc;
    desc.mesh = std::move(mesh);
    desc.material = {ElementMaterial{1e7, 0.25, 1000}};
    desc.solve = {.iterations = 400, .tolerance = 1e-6};
    fracture.splits = 1000, fracture.through_elements = true;
    desc.fracture = std::move(fracture);
    w.fem.push_back(make_fem_body(std::move(desc)));
    for (int side : {-1, 1}) {
        Grip grip;
        for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
            if (side * w.fem[0].mesh.rest[i].x() > half_length - 1e-9) grip.nodes.push_back(i);
        grip.pose = [=](double t) { return Pose{Quat::Identity(), Vec3(side * speed * t, 0, 0)}; };
        w.grips.push_back(grip);
    }
    return w;
}

/// Angle of a crack's faces from the plane across the pull, rad, with a sign.
double crack_angle(const World& w) {
    Vec3 sum = Vec3::Zero();
    for (const Event& e : w.events)
        if (e.kind == "crack") sum += e.size * (e.normal.x() < 0 ? Vec3(-e.normal) : e.normal);
    return std::atan2(sum.y(), sum.x());
}

/// Every second mesh is mirrored: all diagonals of a box of tets lean the same way, and a little of that is seen.
void break_notched_bars(int bars) {
    double sum = 0, squares = 0, lean = 0;
    int apart = 0, most_pieces = 0;
    for (int seed = 1; seed <= bars; ++seed) {
        TetMesh mesh = slit_plate({16, 8, 2}, {0.5, 0.25, 0.06}, seed, [](double y) { return y > 0.1; });
        const int side = seed % 2 ? 1 : -1;
        for (Vec3& p : mesh.rest) p.x() *= side;
        orient_tets(mesh);
        World w = drawn_plate(std::move(mesh), {.strength = {1e5}, .cut = {.quality = 0.05, .smallest = 0.1}}, 0.5, 0.1,
                              1e-3);
        for (int i = 0; i < 150 && pieces(w.fem[0]) < 2; ++i) step(w);
        apart += pieces(w.fem[0]) >= 2;
        most_pieces = std::max(most_pieces, pieces(w.fem[0]));
        const double angle = crack_angle(w) * 180 / M_PI;
        sum += angle, squares += angle * angle, lean += side * angle;
    }
    std::cout << bars << " notched bars: " << apart << " in pieces (at most " << most_pieces << "), mean angle "
              << sum / bars << ", RMS " << std::sqrt(squares / bars) << ", with the diagonals of the mesh "
              << lean / bars << " degrees\n";
    EXPECT_EQ(apart, bars);
    EXPECT_LT(std::abs(sum / bars), 2);
    EXPECT_LT(std::sqrt(squares / bars), 5);
}

TEST(CrackPath, ANotchedBarBreaksAcrossThePull) { break_notched_bars(6); }
TEST(SoakCrackPath, AHundredNotchedBarsBreakAcrossThePull) { break_notched_bars(100); }

// A plate with a slit of length 2a in its middle: K = σ √(πa sec(πa/W)) (Feddersen). It is to break where K reaches the
// critical stress intensity, on coarse meshes and on fine ones.
double breaking_load(int across, double a) {
    const double half_width = 0.5, intensity = 5e4;
    World w = drawn_plate(slit_plate({across * 8 / 5, across, 1}, {0.8, half_width, 0.5 / across}, 3,
                                     [&](double y) { return std::abs(y) < a - 1e-9; }),
                          {.strength = {intensity}, .by_intensity = true}, 0.8, 0.02, 4e-3);
    double load = 0;
    for (int i = 0; i < 400 && w.fem[0].cracks->total.count == 0; ++i) {
        const Flux through = flux_through(w.fem[0], 0, -0.4);
        load = (through.elastic + through.shear).norm() / (1.0 / across);  // over its thickness, N/m
        step(w);
    }
    const double sigma = load / (2 * half_width);
    return sigma * std::sqrt(M_PI * a / std::cos(M_PI * a / (2 * half_width))) / intensity;
}

void break_slit_plates(std::initializer_list<int> meshes) {
    for (double a : {0.2, 0.3})
        for (int across : meshes) {
            const double ratio = breaking_load(across, a);
            std::cout << "slit of " << 2 * a << " m, " << across << " elements across: breaks at " << ratio
                      << " of the load by the formula\n";
            EXPECT_NEAR(ratio, 1, 0.15);
        }
}

TEST(CrackPath, ASlitPlateBreaksAtItsStressIntensity) { break_slit_plates({10, 20}); }
TEST(SoakCrackPath, ASlitPlateBreaksAtItsStressIntensityOnAFineMesh) { break_slit_plates({40}); }

}  // namespace
}  // namespace pliant
