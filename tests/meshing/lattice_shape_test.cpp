#include <gtest/gtest.h>

#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/meshing/lattice.hpp"

namespace pliant {
namespace {

struct Ball : Shape {
    double radius;
    Vec3 center;
    Ball(double r, Vec3 c) : radius(r), center(std::move(c)) {}
    double distance(const Vec3& p) const override { return (p - center).norm() - radius; }
    Box bounds() const override { return Box{center, center}.grown(radius); }
    double thinnest() const override { return 2 * radius; }
};

// A thin plate, far thinner than the cells: no node lies inside.
struct Plate : Shape {
    Vec3 half{1, 0.001, 0.7};
    double distance(const Vec3& p) const override {
        const Vec3 q = p.cwiseAbs() - half;
        return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
    }
    Box bounds() const override { return {-half, half}; }
    double thinnest() const override { return 2 * half[1]; }
};

struct Nothing : Shape {
    double distance(const Vec3&) const override { return 1; }
    Box bounds() const override { return {Vec3::Zero(), Vec3::Ones()}; }
    double thinnest() const override { return 1; }
};

double least_weight(const TetMesh& mesh, const std::vector<Vec3>& points) {
    double least = 1;
    for (const Vec4& w : embed(mesh, points).weight) least = std::min(least, w.minCoeff());
    return least;
}

TEST(LatticeShape, BallIsFilledAndContained) {
    const Ball ball(1, Vec3(3, -2, 1));
    Threads team(2);
    const LatticeResult r = lattice(ball, {.cell = 0.1}, team);
    const double volume = total_volume(r.mesh.rest, r.mesh.tets), truth = 4 * std::numbers::pi / 3;
    EXPECT_GT(volume, truth);
    // At most a layer of tets beyond the surface: mean half-width 0.41 cells.
    EXPECT_LT(volume, truth * (1 + 3 * 0.055));
    EXPECT_NEAR(r.fill, truth / volume, 0.05);
    Rng rng(1);
    std::vector<Vec3> points;
    for (int i = 0; i < 5000; ++i) {
        const Vec3 d = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        points.push_back(ball.center + (i % 2 ? d.normalized() : d / 2));
    }
    EXPECT_GE(least_weight(r.mesh, points), -1e-9);
    // Every tet reaches into the ball, give or take the piece length of the search.
    for (const Tet& t : r.mesh.tets) {
        double nearest = 1e9;
        for (int i = 0; i <= 6; ++i)
            for (int j = 0; i + j <= 6; ++j)
                for (int k = 0; i + j + k <= 6; ++k)
                    nearest =
                        std::min(nearest, ball.distance((i * r.mesh.rest[t[0]] + j * r.mesh.rest[t[1]] +
                                                         k * r.mesh.rest[t[2]] + (6 - i - j - k) * r.mesh.rest[t[3]]) /
                                                        6));
        EXPECT_LT(nearest, 0.02);
    }
}

TEST(LatticeShape, ThinPlateIsNotLost) {
    const Plate plate;
    Threads team(1);
    const LatticeResult r = lattice(plate, {.cell = 0.13}, team);
    Rng rng(2);
    std::vector<Vec3> points;
    for (int i = 0; i < 3000; ++i)
        points.push_back(Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)).cwiseProduct(plate.half));
    EXPECT_GE(least_weight(r.mesh, points), -1e-9);
    EXPECT_EQ(connected_pieces(r.mesh.tets), 1);
}

TEST(LatticeShape, WantedNumberThreadsAndScale) {
    const Ball ball(1, Vec3(0.2, 0.1, 0));
    Threads one(1), seven(7);
    for (const long long wanted : {1500LL, 100000LL}) {
        const LatticeResult a = lattice(ball, {.tets = wanted}, one), b = lattice(ball, {.tets = wanted}, seven);
        EXPECT_NEAR(static_cast<double>(a.mesh.tets.size()) / static_cast<double>(wanted), 1, 0.05);
        EXPECT_EQ(a.mesh.tets, b.mesh.tets);
        EXPECT_EQ(a.mesh.rest, b.mesh.rest);
        const LatticeResult c = lattice(Ball(0x1p-10, ball.center * 0x1p-10), {.tets = wanted}, one);
        EXPECT_EQ(a.mesh.tets, c.mesh.tets);
    }
}

TEST(LatticeShape, EmptyShapesAreRefused) {
    Threads team(1);
    EXPECT_THROW(lattice(Nothing(), {.cell = 0.1}, team), UserError);
    EXPECT_THROW(lattice(Nothing(), {.tets = 1000}, team), UserError);
    EXPECT_THROW(lattice(Ball(1, Vec3::Zero()), {}, team), UserError);
    EXPECT_THROW(lattice(Ball(1, Vec3::Zero()), {.cell = 1e-9}, team), UserError);
}

}  // namespace
}  // namespace pliant
