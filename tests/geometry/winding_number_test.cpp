#include "pliant/geometry/winding_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

struct Surface {
    std::vector<Vec3> points;
    std::vector<Tri> triangles;
};

// A bumpy ball of 2·n·(2n) triangles, poles included; rows from `skip` on only (a hole at the pole when > 0).
Surface bumpy_ball(int n, int skip = 0) {
    Surface s;
    const int m = 2 * n;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < m; ++j) {
            const double theta = std::numbers::pi * i / n, phi = 2 * std::numbers::pi * j / m;
            const double r = 1 + 0.1 * std::sin(5 * phi) * std::sin(theta) * std::sin(theta);
            s.points.push_back(r *
                               Vec3(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)));
        }
    for (int i = skip; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const int a = i * m + j, b = i * m + (j + 1) % m, c = a + m, d = b + m;
            s.triangles.push_back({a, c, d});
            s.triangles.push_back({a, d, b});
        }
    return s;
}

double exact(const Surface& s, const Vec3& p) {
    double sum = 0;
    for (const Tri& t : s.triangles) sum += triangle_winding(p, s.points[t[0]], s.points[t[1]], s.points[t[2]]);
    return sum;
}

Vec3 random_point(Rng& rng, double reach) {
    return {rng.uniform(-reach, reach), rng.uniform(-reach, reach), rng.uniform(-reach, reach)};
}

TEST(WindingNumber, OneTriangleIsItsSolidAngle) {
    // An octant's face seen from the origin covers an eighth of the sphere.
    EXPECT_NEAR(triangle_winding(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()), 0.125, 1e-15);
    EXPECT_NEAR(triangle_winding(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), Vec3::UnitY()), -0.125, 1e-15);
    EXPECT_EQ(triangle_winding(Vec3::UnitX(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()), 0);
    EXPECT_TRUE(std::isfinite(triangle_winding(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX(), Vec3::UnitX())));
}

TEST(WindingNumber, ClosedSurfaceGivesIntegers) {
    const Surface ball = bumpy_ball(40);
    const WindingNumber w(ball.points, ball.triangles);
    Rng rng(1);
    double worst = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = random_point(rng, 1.5);
        const double value = w(p), truth = std::round(exact(ball, p));
        worst = std::max(worst, std::abs(value - truth));
    }
    RecordProperty("worst_error", std::to_string(worst));
    EXPECT_LT(worst, 0.004);
}

TEST(WindingNumber, ToleratesHolesFlipsAndSoups) {
    Surface ball = bumpy_ball(40, 8);  // a large hole
    for (std::size_t t = 0; t < ball.triangles.size(); t += 50) std::swap(ball.triangles[t][0], ball.triangles[t][1]);
    const std::size_t n = ball.points.size();  // no two triangles share points
    Surface soup;
    for (const Tri& t : ball.triangles) {
        for (int i : t) soup.points.push_back(ball.points[i]);
        const int last = static_cast<int>(soup.points.size());
        soup.triangles.push_back({last - 3, last - 2, last - 1});
    }
    ASSERT_GT(soup.points.size(), n);
    const WindingNumber w(soup.points, soup.triangles);
    Rng rng(2);
    double worst = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = random_point(rng, 1.5);
        worst = std::max(worst, std::abs(w(p) - exact(soup, p)));
    }
    RecordProperty("worst_error", std::to_string(worst));
    EXPECT_LT(worst, 0.004);
    EXPECT_GT(w(Vec3(0, 0, -0.5)), 0.5);
    EXPECT_LT(w(Vec3(0, 0, 1.5)), 0.5);
}

TEST(WindingNumber, BlocksAgreeWithSinglePointsAndStayWithinTheBound) {
    const Surface ball = bumpy_ball(30, 6);
    const WindingNumber w(ball.points, ball.triangles);
    Rng rng(3);
    for (int n = 0; n < 60; ++n) {
        const Vec3 center = random_point(rng, 1.3);
        const double radius = rng.uniform(0.02, 0.3);
        std::vector<Vec3> points;
        for (int i = 0; i < 30; ++i) points.push_back(center + random_point(rng, radius / std::sqrt(3.0)));
        std::vector<double> values(points.size());
        w.evaluate(center, radius, points, values);
        const WindingNumber::Range range = w.over_ball(center, radius);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double truth = exact(ball, points[i]);
            EXPECT_NEAR(values[i], truth, 0.005);
            EXPECT_LE(std::abs(truth - range.value), range.variation + 0.01);
        }
    }
    // The bound is worth something: well away from the surface it is small.
    EXPECT_LT(w.over_ball(Vec3(0, 0, -0.2), 0.02).variation, 0.2);
}

TEST(WindingNumber, SameValueAtAnyScale) {
    Surface ball = bumpy_ball(10, 2);
    const WindingNumber one(ball.points, ball.triangles);
    for (Vec3& p : ball.points) p *= 0x1p-30;
    const WindingNumber tiny(ball.points, ball.triangles);
    Rng rng(4);
    for (int i = 0; i < 50; ++i) {
        const Vec3 p = random_point(rng, 1.2);
        EXPECT_EQ(one(p), tiny(p * 0x1p-30));
    }
}

TEST(WindingNumber, NoTrianglesNoWinding) {
    const WindingNumber none({}, {});
    EXPECT_EQ(none(Vec3(1, 2, 3)), 0);
    EXPECT_EQ(none.over_ball(Vec3::Zero(), 1).variation, 0);
}

}  // namespace
}  // namespace pliant
