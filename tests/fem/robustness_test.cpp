// Hostile states: the step answers with finite numbers, and bodies find back to their shape.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "fem/scene.hpp"
#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {
namespace {

void step(Solid& solid, std::vector<Vec3>& x, std::vector<Vec3>& v, double dt, Threads& threads) {
    const std::vector<Vec3> force(x.size(), Vec3::Zero());
    StageTimes times;
    Solid* one = &solid;
    solid.assemble(x, v, {.dt = dt, .force = force, .prescribed = {}}, threads, times);
    solve({&one, 1}, {}, {}, threads, times);
    solid.velocity(v);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i];
}

bool finite(std::span<const Vec3> v) {
    for (const Vec3& e : v)
        if (!e.allFinite()) return false;
    return true;
}

// The ways to mistreat a mesh.
std::vector<Vec3> tortured(const TetMesh& mesh, int kind, std::uint64_t seed) {
    std::vector<Vec3> x = mesh.rest;
    const auto noise = random_vectors(x.size(), 1, seed);
    const Vec3 n = random_vectors(1, 1, seed + 1)[0].normalized();
    for (std::size_t i = 0; i < x.size(); ++i) switch (kind) {
            case 0: x[i] = Vec3(1, 2, 3); break;                                  // a point
            case 1: x[i] = n * n.dot(x[i]); break;                                // a line
            case 2: x[i] -= n * n.dot(x[i]); break;                               // a plane
            case 3: x[i].x() = -x[i].x(); break;                                  // mirrored
            case 4: x[i] = 100 * noise[i]; break;                                 // scattered
            case 5: x[i] = -x[i]; break;                                          // through the origin
            case 6: x[i] *= 1e-12; break;                                         // nearly a point
            case 7: x[i] = Vec3(x[i].x(), 0, 1e-9 * x[i].y()); break;             // nearly a plane, sheared
            case 8: x[i] = i % 2 ? Vec3(x[i] + noise[i]) : Vec3(0, 0, 0); break;  // half of it in one place
        }
    return x;
}

TEST(Torture, NeverANumberThatIsNone) {
    const double dts[] = {1e-4, 1e-3, 1e-2, 1e-1, 1};
    Threads threads(1);
    int cases = 0;
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        for (int kind = 0; kind < 9; ++kind)
            for (double dt : dts)
                for (int seed = 0; seed < 8; ++seed) {
                    const TetMesh mesh = crumpled(bar_mesh(2, 2, 1, Vec3::Zero(), Vec3(1, 1, 0.5)), 0.2, seed);
                    Solid solid(mesh, random_material(mesh, seed), {.stiffness_damping = seed % 2 * 0.01});
                    set_kernel_level(solid, level);
                    auto x = tortured(mesh, kind, 10 * seed);
                    auto v = random_vectors(x.size(), seed % 4 == 3 ? 100 : 0, seed);
                    for (int k = 0; k < 4; ++k) {
                        step(solid, x, v, dt, threads);
                        ASSERT_TRUE(finite(x) && finite(v))
                            << "kind " << kind << " dt " << dt << " seed " << seed << " step " << k;
                        for (int t = 0; t < mesh.tet_count(); ++t) {
                            const Mat3 R = solid.rotation(t);
                            ASSERT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-5);
                            ASSERT_GT(R.determinant(), 0.9);
                        }
                    }
                    ++cases;
                }
    }
    std::cout << cases << " cases\n";
}

TEST(Torture, BodiesFindBackToTheirShape) {
    const char* names[] = {"point", "line", "plane", "mirrored", "scattered", "through the origin"};
    Threads threads(1);
    for (int kind = 0; kind < 6; ++kind) {
        int back = 0, flipped = 0;
        double worst = 0;
        const int tries = 6;
        for (int seed = 0; seed < tries; ++seed) {
            const TetMesh mesh = crumpled(bar_mesh(2, 2, 2, Vec3::Zero(), Vec3(1, 1, 1)), 0.1, seed);
            Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e5, 0.3, 1000}),
                        {.mass_damping = 3, .stiffness_damping = 0.005});
            auto x = tortured(mesh, kind, 10 * seed);
            // Damped in its spin too, which the torture sets going. A breath of noise: exact points, lines and planes
            // are equilibria of their own.
            const auto noise = random_vectors(x.size(), 1e-3, seed);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += noise[i];
            std::vector<Vec3> v(x.size(), Vec3::Zero());
            const double start = solid.elastic_energy(x);
            for (int k = 0; k < 600; ++k) step(solid, x, v, 0.01, threads);
            const double left = solid.elastic_energy(x) / start;
            back += left < 1e-6;
            worst = std::max(worst, left);
            for (const Tet& t : mesh.tets) flipped += signed_volume(x, t) <= 0;
        }
        std::cout << names[kind] << ": " << back << " of " << tries << " back at rest, " << flipped << " of "
                  << tries * 48 << " tets still inverted, energy left at most " << worst << " of the start\n";
        // A body crushed to a line may unfold into a knot of its own, which nothing but self-contact could forbid.
        EXPECT_GE(back, kind == 1 ? tries - 1 : tries) << names[kind];
        EXPECT_EQ(flipped, 0) << names[kind];
    }
}

TEST(Torture, AnInvertedElementTurnsBack) {
    // One tet, its top pushed through the base.
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    Threads threads(1);
    for (double depth : {0.0, -0.2, -0.7}) {
        Solid solid(mesh, {{1e5, 0.3, 1000}}, {.mass_damping = 3, .stiffness_damping = 0.005});
        std::vector<Vec3> x = mesh.rest, v(4, Vec3::Zero());
        x[3].z() = depth;
        for (int k = 0; k < 600; ++k) step(solid, x, v, 0.01, threads);
        const double energy = solid.elastic_energy(x);
        std::cout << "pushed to " << depth << ": energy left " << energy << " J, volume "
                  << signed_volume(x, mesh.tets[0]) << "\n";
        EXPECT_NEAR(signed_volume(x, mesh.tets[0]), 1.0 / 6, 1e-3);
        EXPECT_LT(energy, 1e-3);
    }
}

TEST(Robustness, FlatRestElementsAreRefused) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    mesh.tets = {{0, 1, 2, 3}};
    EXPECT_THROW(Solid(mesh, {{}}, {}), UserError);
}

TEST(Solid, WeighsWhatItsCornersCarry) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    mesh.tets = {{0, 1, 2, 3}, {1, 4, 2, 3}};
    orient_tets(mesh);
    const std::vector<ElementMaterial> material = {{1e5, 0.3, 1000}, {1e5, 0.3, 500}};
    Solid solid(mesh, material, {.fill = 0.5});
    const double first = signed_volume(mesh.rest, mesh.tets[0]), second = signed_volume(mesh.rest, mesh.tets[1]);
    EXPECT_NEAR(solid.mass()[0], 0.125 * 1000 * first, 1e-10);
    solid.set_carried({{0.1, 0.2, 0.3, 0.4}, {0.5, 0.6, 0.7, 0.8}}, material);
    std::vector<double> expected(5, 0.0);
    for (int a = 0; a < 4; ++a) {
        expected[mesh.tets[0][a]] += (0.1 + 0.1 * a) * 1000 * first;
        expected[mesh.tets[1][a]] += (0.5 + 0.1 * a) * 500 * second;
    }
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(solid.mass()[i], expected[i], 1e-10) << i;
}

// The same body at a thousandth of the size, with time and stiffness to match, moves alike: no absolute lengths.
TEST(Robustness, ScaleDoesNotMatter) {
    Threads threads(1);
    std::vector<Vec3> first;
    for (double scale : {1.0, 0x1p-10, 0x1p10}) {  // powers of two: even rounding agrees
        TetMesh mesh = bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1));
        for (Vec3& p : mesh.rest) p *= scale;
        // Speed of sound must scale with length at fixed dt: E / ρ ∝ scale².
        Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e5 * scale * scale, 0.3, 1000}), {});
        auto x = mesh.rest;
        for (Vec3& p : x) p = Eigen::AngleAxisd(p.x() / scale, Vec3::UnitX()) * p;
        std::vector<Vec3> v(x.size(), Vec3::Zero());
        for (int k = 0; k < 20; ++k) step(solid, x, v, 0.01, threads);
        for (Vec3& p : x) p /= scale;
        if (first.empty()) first = x;
        double worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, (x[i] - first[i]).norm());
        EXPECT_LT(worst, 1e-9) << scale;
    }
}

}  // namespace
}  // namespace pliant
