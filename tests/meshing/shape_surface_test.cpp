#include "pliant/meshing/shape_surface.hpp"
#include "pliant/core/timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

constexpr double pi = std::numbers::pi;

struct Case {
    std::string name;
    ShapePtr shape;
    int characteristic;  // V − E + F
    double volume;       // m³, closed form; 0: not known
    int components = 1;
};

ShapePtr at(ShapePtr shape, const Vec3& place, double angle = 0) {
    return transformed(std::move(shape), Pose{Quat(Eigen::AngleAxisd(angle, Vec3(1, 2, 1).normalized())), place});
}

ShapePtr snake() {
    return sweep_shape({{0, 0, 0}, {0.5, 0.3, 0}, {1, -0.2, 0.2}, {1.5, 0.3, 0}, {2, 0, 0}},
                       {0.1, 0.15, 0.18, 0.12, 0.08});
}

std::vector<Case> cases() {
    const ShapePtr box = box_shape({1, 0.8, 0.6}), ball = sphere_shape(0.5);
    const Quat to_x(Eigen::AngleAxisd(pi / 2, Vec3::UnitZ())), to_z(Eigen::AngleAxisd(pi / 2, Vec3::UnitX()));
    const ShapePtr rod = cylinder_shape(0.25, 1.6);
    const double bowl_middle = 0.45, bowl_wall = 0.1;
    return {
        {"box", box, 2, 0.48},
        {"sphere", ball, 2, 4 * pi / 3 * 0.125},
        {"ellipsoid", ellipsoid_shape({1, 0.5, 0.3}), 2, 4 * pi / 3 * 0.15},
        {"capsule", capsule_shape({0, 0, 0}, {1, 0.5, 0.2}, 0.3), 2, pi * 0.09 * std::sqrt(1.29) + 4 * pi / 3 * 0.027},
        {"cylinder", cylinder_shape(0.4, 1), 2, pi * 0.16},
        {"tube", tube_shape(0.5, 0.1, 1), 0, pi * (0.25 - 0.16)},
        {"cone", cone_shape(0.5, 0, 1), 2, pi * 0.25 / 3},
        {"frustum", cone_shape(0.2, 0.5, 0.6), 2, pi * 0.6 / 3 * (0.04 + 0.1 + 0.25)},
        {"torus", torus_shape(0.5, 0.2), 0, 2 * pi * pi * 0.5 * 0.04},
        // Half a shell, and half a torus as its rim (the half above the middle circle).
        {"bowl", bowl_shape(0.5, bowl_wall), 2,
         2 * pi / 3 * (0.125 - 0.064) + pi * pi * bowl_middle * std::pow(bowl_wall / 2, 2)},
        {"slab", slab_shape(1, 0.7, 0.05), 2, 0.035},
        {"rounded box", box_shape({1, 0.8, 0.6}, 0.1), 2,
         0.8 * 0.6 * 0.4 + 2 * 0.1 * (0.8 * 0.6 + 0.6 * 0.4 + 0.4 * 0.8) + pi * 0.01 * (0.8 + 0.6 + 0.4) +
             4 * pi / 3 * 0.001},
        {"snake", snake(), 2, 0},
        {"union", union_of({box, at(ball, {0.5, 0.4, 0.3})}), 2, 0},
        {"difference", difference_of(box, at(ball, {0.5, 0.4, 0.3})), 2, 0.48 - 4 * pi / 3 * 0.125 / 8},
        {"intersection", intersection_of({box, sphere_shape(0.55)}), 2, 0},
        {"smooth union", smooth_union_of({box, at(ball, {0.6, 0.4, 0.3})}, 0.2), 2, 0},
        {"drilled box", difference_of(box, rod), 0, 0.48 - pi * 0.0625 * 0.8},
        {"crossed boxes", union_of({box, at(box, {0.1, 0.2, 0.1}, 0.7)}), 2, 0},
        {"notched box", difference_of(box, at(box_shape({0.5, 0.5, 0.5}), {0.4, 0.3, 0.3}, 0.5)), 2, 0},
        {"open shell", difference_of(shell_of(ball, 0.1), at(box_shape({2, 1, 2}), {0, 0.5, 0})), 2,
         2 * pi / 3 * (0.125 - 0.064)},
        {"closed shell", shell_of(ball, 0.12), 4, 4 * pi / 3 * (0.125 - std::pow(0.38, 3)), 2},
        {"sharp cylinder", intersection_of({cylinder_shape(0.4, 1)}), 2, pi * 0.16},
        {"sharp cone", intersection_of({cone_shape(0.5, 0, 1)}), 2, pi * 0.25 / 3},
        {"two apart", union_of({ball, at(ball, {2, 0, 0})}), 4, 8 * pi / 3 * 0.125, 2},
        {"three holes",
         difference_of(
             intersection_of({box_shape({1, 1, 1}), sphere_shape(0.7)}),
             union_of({rod, transformed(rod, Pose{to_x, Vec3::Zero()}), transformed(rod, Pose{to_z, Vec3::Zero()})})),
         -8, 0},
        {"letter", text_shape("d", 1, 0.3), 0, 0},
    };
}

double least_angle(const TriMesh& mesh, double fraction) {
    std::vector<double> angles;
    for (const Tri& t : mesh.triangles) {
        double least = 180;
        for (int k = 0; k < 3; ++k) {
            const Vec3 u = mesh.points[t[(k + 1) % 3]] - mesh.points[t[k]],
                       v = mesh.points[t[(k + 2) % 3]] - mesh.points[t[k]];
            least = std::min(least, std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / pi);
        }
        angles.push_back(least);
    }
    std::sort(angles.begin(), angles.end());
    return angles[static_cast<std::size_t>(fraction * static_cast<double>(angles.size() - 1))];
}

class Surfaces : public testing::TestWithParam<Case> {};

TEST_P(Surfaces, ClosedManifoldOutwardAtThreeResolutions) {
    const Case& c = GetParam();
    const double diagonal = c.shape->bounds().diagonal();
    Threads threads(2);
    for (double divisor : {8.0, 12.0, 17.0}) {
        const double edge = diagonal / divisor;
        const TriMesh mesh = shape_surface(*c.shape, edge, &threads);
        const SurfaceFacts facts = inspect(mesh);
        const std::string what = c.name + " at 1/" + std::to_string(static_cast<int>(divisor));
        EXPECT_TRUE(facts.closed()) << what << ": " << facts.boundary_edges << " open, " << facts.nonmanifold_edges;
        EXPECT_TRUE(facts.manifold()) << what;
        EXPECT_TRUE(facts.oriented()) << what;
        EXPECT_EQ(facts.degenerate_triangles, 0) << what;
        EXPECT_EQ(facts.unused_points, 0) << what;
        EXPECT_EQ(facts.duplicate_points, 0) << what;
        EXPECT_EQ(facts.components, c.components) << what;
        const long long v = static_cast<long long>(mesh.points.size()),
                        f = static_cast<long long>(mesh.triangles.size());
        EXPECT_EQ(v - f / 2, c.characteristic) << what;

        double off = 0, mean_edge = 0, inward = 0;
        for (const Vec3& p : mesh.points) off = std::max(off, std::abs(c.shape->distance(p)));
        for (const Tri& t : mesh.triangles) {
            const Vec3 n = (mesh.points[t[1]] - mesh.points[t[0]]).cross(mesh.points[t[2]] - mesh.points[t[0]]);
            const Vec3 middle = (mesh.points[t[0]] + mesh.points[t[1]] + mesh.points[t[2]]) / 3;
            const Vec3 out = 0.2 * edge * n.normalized();
            inward += c.shape->distance(middle + out) < c.shape->distance(middle - out) ? 0.5 * n.norm() : 0;
            for (int k = 0; k < 3; ++k)
                mean_edge += (mesh.points[t[k]] - mesh.points[t[(k + 1) % 3]]).norm() / (3.0 * static_cast<double>(f));
        }
        EXPECT_LT(off, 1e-6 * diagonal) << what;
        EXPECT_LT(inward, 0.01 * facts.area) << what;
        EXPECT_LT(mean_edge, 1.35 * edge) << what;
        EXPECT_GT(mean_edge, 0.2 * edge) << what;
        const double least = least_angle(mesh, 0), low = least_angle(mesh, 0.05);
        std::cout << what << ": " << f << " triangles, off the shape " << off << " m, edge " << mean_edge / edge
                  << " of the wish, least angle " << least << "°, 5 % below " << low << "°";
        EXPECT_GT(low, divisor < 12 ? 10 : 15) << what;
        EXPECT_GT(least, 0.5) << what;
        if (c.volume > 0) {
            const double error = (facts.volume - c.volume) / c.volume;
            std::cout << ", volume error " << 100 * error << " %";
            // Chords of a circle lose about (edge/radius)²/6 of its area; the thinnest part sets the radius.
            EXPECT_LT(std::abs(error), 18 / (divisor * divisor)) << what;
        } else {
            EXPECT_GT(facts.volume, 0) << what;
        }
        std::cout << "\n";
    }
}

TEST_P(Surfaces, DistanceAgreesWithTheSurface) {
    // Vertices are on the surface, so the nearest one is never nearer than the distance, and not farther than the
    // distance and a triangle's reach when the distance is exact.
    const Case& c = GetParam();
    const double edge = c.shape->bounds().diagonal() / 12;
    const TriMesh mesh = shape_surface(*c.shape, edge);
    Rng rng(9);
    const Box around = c.shape->bounds().grown(4 * edge);
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        const Vec3 p(rng.uniform(around.min.x(), around.max.x()), rng.uniform(around.min.y(), around.max.y()),
                     rng.uniform(around.min.z(), around.max.z()));
        double nearest2 = 1e300;
        for (const Vec3& q : mesh.points) nearest2 = std::min(nearest2, (p - q).squaredNorm());
        const double d = std::abs(c.shape->distance(p)), nearest = std::sqrt(nearest2);
        ASSERT_LE(d, nearest * (1 + 1e-9) + 1e-9) << c.name;
        worst = std::max(worst, nearest - d);
    }
    std::cout << c.name << ": nearest vertex at most " << worst / edge << " edges beyond the distance\n";
    // Combinations answer with a lower bound, far below at most near their seams.
    const bool exact = c.shape->surface(edge).has_value() || c.name == "ellipsoid" || c.name == "rounded box" ||
                       c.name == "snake" || c.name == "two apart";
    if (exact) {
        EXPECT_LT(worst, 1.0 * edge) << c.name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Surfaces, testing::ValuesIn(cases()), [](const auto& param_info) {
    std::string name = param_info.param.name;
    for (char& ch : name)
        if (ch == ' ') ch = '_';
    return name;
});

TEST(ShapeSurface, SharpEdgesStaySharp) {
    // The corners of a box that is found from its distance alone are vertices of its surface.
    const TriMesh mesh = shape_surface(*intersection_of({box_shape({1, 0.8, 0.6})}), 0.07);
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 c(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.4 : -0.4, corner & 4 ? 0.3 : -0.3);
        double nearest = 1;
        for (const Vec3& p : mesh.points) nearest = std::min(nearest, (p - c).norm());
        EXPECT_LT(nearest, 1e-6);
    }
    EXPECT_NEAR(inspect(mesh).volume, 0.48, 0.48 * 2e-3);
}

TEST(ShapeSurface, TheEndHasSixPiecesAndTwoHoles) {
    const ShapePtr text = text_shape("The End", 1, 0.3);
    const TriMesh mesh = shape_surface(*text, 0.1);
    const SurfaceFacts facts = inspect(mesh);
    EXPECT_TRUE(facts.closed());
    EXPECT_EQ(facts.components, 6);
    EXPECT_EQ(static_cast<long long>(mesh.points.size()) - static_cast<long long>(mesh.triangles.size()) / 2,
              2 * 6 - 2 * 2);
    std::cout << "least angle " << least_angle(mesh, 0) << "°\n";
}

TEST(ShapeSurface, NarrowCleftsOfLettersAreNotBridged) {
    const std::pair<const char*, int> letters[] = {{"A", 1}, {"M", 0}, {"N", 0}, {"V", 0},
                                                   {"W", 0}, {"w", 0}, {"8", 2}};
    for (const auto& [letter, holes] : letters) {
        const TriMesh mesh = shape_surface(*text_shape(letter, 1, 0.25), 0.12);
        EXPECT_TRUE(inspect(mesh).closed()) << letter;
        const long long v = static_cast<long long>(mesh.points.size()),
                        f = static_cast<long long>(mesh.triangles.size());
        EXPECT_EQ(v - f / 2, 2 - 2 * holes) << letter;
    }
}

TEST(ShapeSurface, SameBitsForAnyNumberOfThreads) {
    const ShapePtr shape = difference_of(box_shape({1, 0.8, 0.6}), at(sphere_shape(0.5), {0.5, 0.4, 0.3}));
    const TriMesh one = shape_surface(*shape, 0.1);
    for (int count : {2, 7}) {
        Threads threads(count);
        const TriMesh other = shape_surface(*shape, 0.1, &threads);
        EXPECT_EQ(one.triangles, other.triangles);
        EXPECT_EQ(one.points, other.points);
    }
}

TEST(ShapeSurface, SameAtAMillimetreAndAKilometre) {
    auto make = [](double s) {
        return difference_of(box_shape(s * Vec3(1, 0.8, 0.6)), at(sphere_shape(0.5 * s), s * Vec3(0.5, 0.4, 0.3)));
    };
    for (double s : {1e-3, 1.0, 1e3}) {
        const SurfaceFacts facts = inspect(shape_surface(*make(s), 0.1 * s));
        EXPECT_TRUE(facts.closed() && facts.oriented());
        EXPECT_EQ(facts.degenerate_triangles, 0);
        EXPECT_NEAR(facts.volume / (s * s * s), 0.48 - 4 * pi / 3 * 0.125 / 8, 4e-3);
    }
}

TEST(ShapeSurface, ImpossibleWishesAreTheUsersMistake) {
    const ShapePtr ball = sphere_shape(1);
    EXPECT_THROW(shape_surface(*ball, 0), UserError);
    EXPECT_THROW(shape_surface(*ball, -1), UserError);
    EXPECT_THROW(shape_surface(*ball, 1e-9), UserError);
    EXPECT_THROW(shape_surface(*intersection_of({ball}), 1e-9), UserError);
    EXPECT_THROW(shape_surface(*difference_of(ball, sphere_shape(2)), 0.1), UserError);
    EXPECT_THROW(shape_surface(*intersection_of({ball, at(ball, {3, 0, 0})}), 0.1), UserError);
    EXPECT_THROW(default_edge(*intersection_of({ball, at(ball, {3, 0, 0})})), UserError);
}

TEST(ShapeSurface, DefaultEdgeIsAFortiethOrLessWhereThin) {
    EXPECT_NEAR(default_edge(*sphere_shape(1)), std::sqrt(12.0) / 40, 1e-12);
    EXPECT_LT(default_edge(*text_shape("The End", 1, 0.3)), 0.07);
}

/// A wall costs what its surfaces cost, however thin it is: the area of two spheres over that of a triangle.
TEST(ShapeSurface, AThinWallCostsNoMoreThanItsTwoSurfaces) {
    Threads threads(2);
    const double edge = std::sqrt(3.0) / 60, between = 2 * pi / (std::sqrt(3.0) / 4 * edge * edge);
    for (double wall : {0.03, 0.003, 0.0003}) {
        const ShapePtr shape = at(shell_of(sphere_shape(0.5), wall), {0.1, 0, 0}, 0.3);
        const SurfaceCost told = surface_cost(*shape, edge);
        const double start = seconds_now();
        const TriMesh mesh = shape_surface(*shape, edge, &threads);
        const double seconds = seconds_now() - start;
        const SurfaceFacts facts = inspect(mesh);
        const double volume = 4 * pi / 3 * (0.125 - std::pow(0.5 - wall, 3));
        std::printf(
            "wall %g: %zu triangles (%.0f estimated, two spheres have %.0f) in %.2f s (%.2f s), volume %+.2f %%\n",
            wall, mesh.triangles.size(), told.triangles, between, seconds, told.seconds,
            100 * (facts.volume / volume - 1));
        EXPECT_TRUE(facts.closed() && facts.oriented());
        EXPECT_EQ(facts.components, 2);
        EXPECT_LT(static_cast<double>(mesh.triangles.size()), 8 * between);
        EXPECT_LT(told.triangles / static_cast<double>(mesh.triangles.size()), 4);
        EXPECT_GT(told.triangles / static_cast<double>(mesh.triangles.size()), 0.125);
        // Flat triangles cut off up to edge²/8R of 0.5 m from each side: a share of the wall.
        EXPECT_NEAR(facts.volume / volume, 1, 0.01 + 2 * edge * edge / wall);
    }
}

/// An upper part cut away: what is left is one surface, and must be seen by a lattice as fine as the wall.
TEST(ShapeSurface, TheCostOfAnOpenWallIsToldBeforehand) {
    const ShapePtr open = difference_of(shell_of(sphere_shape(0.5), 0.03), at(box_shape({2, 1, 2}), {0, 0.5, 0}));
    const SurfaceCost thick = surface_cost(*open, 0.1);
    const ShapePtr thinner = difference_of(shell_of(sphere_shape(0.5), 0.0075), at(box_shape({2, 1, 2}), {0, 0.5, 0}));
    const SurfaceCost thin = surface_cost(*thinner, 0.03);
    Threads threads(2);
    const double start = seconds_now();
    const TriMesh mesh = shape_surface(*open, 0.1, &threads);
    std::printf("%zu triangles in %.2f s, estimated %.0f in %.2f s and %.0f MB\n", mesh.triangles.size(),
                seconds_now() - start, thick.triangles, thick.seconds, 1e-6 * thick.bytes);
    EXPECT_TRUE(inspect(mesh).closed());
    EXPECT_LT(std::abs(std::log(thick.triangles / static_cast<double>(mesh.triangles.size()))), std::log(4.0));
    EXPECT_NEAR(thin.bytes / thick.bytes, 16, 8);  // four times as thin: sixteen times as many cubes
}

}  // namespace
}  // namespace pliant
