#include "pliant/geometry/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/geometry/glyph.hpp"

namespace pliant {
namespace {

struct Named {
    std::string name;
    std::function<ShapePtr(double scale)> make;
    bool exact;                               // gradient of length one almost everywhere
    std::function<bool(const Vec3&)> inside;  // written without the distance; empty: not checked
};

Vec3 random_in(Rng& rng, const Box& box) {
    return {rng.uniform(box.min.x(), box.max.x()), rng.uniform(box.min.y(), box.max.y()),
            rng.uniform(box.min.z(), box.max.z())};
}

ShapePtr at(ShapePtr shape, const Vec3& place, double angle = 0) {
    return transformed(std::move(shape), Pose{Quat(Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized())), place});
}

double across(const Vec3& p) { return std::hypot(p.x(), p.z()); }

std::vector<Named> family() {
    std::vector<Named> all;
    all.push_back(
        {"box", [](double s) { return box_shape(s * Vec3(1, 0.8, 0.6)); }, true,
         [](const Vec3& p) { return std::abs(p.x()) < 0.5 && std::abs(p.y()) < 0.4 && std::abs(p.z()) < 0.3; }});
    all.push_back({"rounded box", [](double s) { return box_shape(s * Vec3(1, 0.8, 0.6), s * 0.1); }, true,
                   [](const Vec3& p) {
                       const Vec3 past = (p.cwiseAbs() - Vec3(0.4, 0.3, 0.2)).cwiseMax(0.0);
                       return past.norm() < 0.1;
                   }});
    all.push_back(
        {"sphere", [](double s) { return sphere_shape(0.5 * s); }, true, [](const Vec3& p) { return p.norm() < 0.5; }});
    all.push_back({"ellipsoid", [](double s) { return ellipsoid_shape(s * Vec3(1, 0.5, 0.3)); }, true,
                   [](const Vec3& p) { return p.cwiseQuotient(Vec3(1, 0.5, 0.3)).norm() < 1; }});
    all.push_back({"disc", [](double s) { return ellipsoid_shape(s * Vec3(1, 0.01, 1)); }, true,
                   [](const Vec3& p) { return p.cwiseQuotient(Vec3(1, 0.01, 1)).norm() < 1; }});
    all.push_back({"capsule", [](double s) { return capsule_shape(Vec3::Zero(), s * Vec3(1, 0.5, 0.2), 0.3 * s); },
                   true,
                   [](const Vec3& p) {
                       const Vec3 axis(1, 0.5, 0.2);
                       const double along = std::clamp(p.dot(axis) / axis.squaredNorm(), 0.0, 1.0);
                       return (p - along * axis).norm() < 0.3;
                   }});
    all.push_back({"cylinder", [](double s) { return cylinder_shape(0.4 * s, s); }, true,
                   [](const Vec3& p) { return across(p) < 0.4 && std::abs(p.y()) < 0.5; }});
    all.push_back({"tube", [](double s) { return tube_shape(0.5 * s, 0.1 * s, s); }, true,
                   [](const Vec3& p) { return across(p) < 0.5 && across(p) > 0.4 && std::abs(p.y()) < 0.5; }});
    all.push_back({"cone", [](double s) { return cone_shape(0.5 * s, 0, s); }, true,
                   [](const Vec3& p) { return std::abs(p.y()) < 0.5 && across(p) < 0.5 * (0.5 - p.y()); }});
    all.push_back({"frustum", [](double s) { return cone_shape(0.2 * s, 0.5 * s, 0.6 * s); }, true,
                   [](const Vec3& p) { return std::abs(p.y()) < 0.3 && across(p) < 0.2 + 0.3 * (p.y() + 0.3) / 0.6; }});
    all.push_back({"torus", [](double s) { return torus_shape(0.5 * s, 0.2 * s); }, true,
                   [](const Vec3& p) { return std::hypot(across(p) - 0.5, p.y()) < 0.2; }});
    all.push_back({"bowl", [](double s) { return bowl_shape(0.5 * s, 0.1 * s); }, true,
                   [](const Vec3& p) {
                       if (p.y() > 0) return std::hypot(across(p) - 0.45, p.y()) < 0.05;
                       return p.norm() < 0.5 && p.norm() > 0.4;
                   }});
    all.push_back(
        {"slab", [](double s) { return slab_shape(s, 0.7 * s, 0.05 * s); }, true,
         [](const Vec3& p) { return std::abs(p.x()) < 0.5 && std::abs(p.y()) < 0.025 && std::abs(p.z()) < 0.35; }});
    all.push_back({"sweep",
                   [](double s) {
                       return sweep_shape({s * Vec3(0, 0, 0), s * Vec3(0.5, 0.3, 0), s * Vec3(1, -0.2, 0.2),
                                           s * Vec3(1.5, 0.3, 0), s * Vec3(2, 0, 0)},
                                          {0.05 * s, 0.15 * s, 0.18 * s, 0.12 * s, 0.03 * s});
                   },
                   true,
                   {}});
    all.push_back({"text", [](double s) { return text_shape("The End", s, 0.3 * s); }, true, {}});
    all.push_back(
        {"union",
         [](double s) {
             return union_of({box_shape(s * Vec3(1, 0.8, 0.6)), at(sphere_shape(0.5 * s), s * Vec3(0.5, 0.4, 0.3))});
         },
         true,
         [](const Vec3& p) {
             return (p - Vec3(0.5, 0.4, 0.3)).norm() < 0.5 ||
                    (std::abs(p.x()) < 0.5 && std::abs(p.y()) < 0.4 && std::abs(p.z()) < 0.3);
         }});
    all.push_back({"difference",
                   [](double s) {
                       return difference_of(box_shape(s * Vec3(1, 0.8, 0.6)),
                                            at(sphere_shape(0.5 * s), s * Vec3(0.5, 0.4, 0.3)));
                   },
                   true,
                   [](const Vec3& p) {
                       return (p - Vec3(0.5, 0.4, 0.3)).norm() >= 0.5 && std::abs(p.x()) < 0.5 &&
                              std::abs(p.y()) < 0.4 && std::abs(p.z()) < 0.3;
                   }});
    all.push_back({"intersection",
                   [](double s) {
                       return intersection_of({box_shape(s * Vec3(1, 0.8, 0.6)), sphere_shape(0.55 * s)});
                   },
                   true,
                   [](const Vec3& p) {
                       return p.norm() < 0.55 && std::abs(p.x()) < 0.5 && std::abs(p.y()) < 0.4 &&
                              std::abs(p.z()) < 0.3;
                   }});
    all.push_back({"smooth union",
                   [](double s) {
                       return smooth_union_of(
                           {box_shape(s * Vec3(1, 0.8, 0.6)), at(sphere_shape(0.5 * s), s * Vec3(0.6, 0.4, 0.3))},
                           0.2 * s);
                   },
                   false,
                   {}});
    all.push_back({"shell", [](double s) { return shell_of(sphere_shape(0.5 * s), 0.1 * s); }, true,
                   [](const Vec3& p) { return p.norm() < 0.5 && p.norm() > 0.4; }});
    all.push_back({"turned and scaled",
                   [](double s) {
                       return transformed(cylinder_shape(0.2, 0.5),
                                          Pose{Quat(Eigen::AngleAxisd(0.7, Vec3::UnitX())), s * Vec3(0.1, 0.2, 0.3)},
                                          2 * s);
                   },
                   true,
                   [](const Vec3& p) {
                       const Vec3 own = Eigen::AngleAxisd(-0.7, Vec3::UnitX()) * (p - Vec3(0.1, 0.2, 0.3)) / 2;
                       return across(own) < 0.2 && std::abs(own.y()) < 0.25;
                   }});
    return all;
}

std::vector<Named> those_that(bool (*fit)(const Named&)) {
    std::vector<Named> some = family();
    std::erase_if(some, [fit](const Named& shape) { return !fit(shape); });
    return some;
}

class ShapeFamily : public testing::TestWithParam<Named> {};
class DefinedShape : public ShapeFamily {};  // by a formula of its own besides the distance
class ExactShape : public ShapeFamily {};    // whose distance is no mere lower bound

TEST_P(DefinedShape, SignAgreesWithTheDefinition) {
    const ShapePtr shape = GetParam().make(1);
    Rng rng(1);
    int inner = 0;
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = random_in(rng, shape->bounds().grown(0.05));
        inner += shape->inside(p);
        ASSERT_EQ(shape->inside(p), GetParam().inside(p)) << p.transpose();
    }
    EXPECT_GT(inner, 100);
}

TEST_P(ShapeFamily, DistanceNeverChangesFasterThanOneMoves) {
    const ShapePtr shape = GetParam().make(1);
    const Box around = shape->bounds().grown(0.3);
    Rng rng(2);
    double steepest = 0;
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = random_in(rng, around);
        const double reach = std::pow(10.0, rng.uniform(-4, 0));
        const Vec3 q = p + reach * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        steepest = std::max(steepest, std::abs(shape->distance(p) - shape->distance(q)) / (p - q).norm());
    }
    std::cout << GetParam().name << ": steepest slope " << steepest << "\n";
    EXPECT_LE(steepest, 1 + 1e-9);
    EXPECT_GT(steepest, 0.9);
}

TEST_P(ExactShape, GradientHasLengthOneAlmostEverywhere) {
    const ShapePtr shape = GetParam().make(1);
    const Box around = shape->bounds().grown(0.3);
    Rng rng(3);
    const int samples = 4000;
    int off = 0;
    for (int i = 0; i < samples; ++i) {
        const Vec3 p = random_in(rng, around);
        Vec3 g;
        for (int k = 0; k < 3; ++k) {
            const Vec3 step = 1e-6 * Vec3::Unit(k);
            g[k] = (shape->distance(p + step) - shape->distance(p - step)) / 2e-6;
        }
        off += std::abs(g.norm() - 1) > 1e-6;
    }
    std::cout << GetParam().name << ": " << off << " of " << samples << " samples off\n";
    EXPECT_LT(off, samples / 200);  // only those within a step of a medial surface
}

TEST_P(ShapeFamily, SameAtAMillimetreAndAKilometre) {
    const ShapePtr metre = GetParam().make(1);
    Rng rng(4);
    for (double scale : {1e-3, 1e3}) {
        const ShapePtr other = GetParam().make(scale);
        for (int i = 0; i < 1000; ++i) {
            const Vec3 p = random_in(rng, metre->bounds().grown(0.3));
            ASSERT_NEAR(other->distance(scale * p) / scale, metre->distance(p), 1e-12) << p.transpose();
        }
        EXPECT_NEAR(other->thinnest() / scale, metre->thinnest(), 1e-12);
    }
}

TEST_P(ShapeFamily, BoundsHoldTheSolidTightly) {
    const ShapePtr shape = GetParam().make(1);
    const Box box = shape->bounds();
    Rng rng(5);
    for (int i = 0; i < 20000; ++i) {
        const Vec3 p = random_in(rng, box.grown(0.3));
        if (shape->inside(p)) {
            ASSERT_TRUE(box.contains(p)) << p.transpose();
        }
    }
}

std::string name_of(const testing::TestParamInfo<Named>& info) {
    std::string name = info.param.name;
    std::ranges::replace(name, ' ', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, ShapeFamily, testing::ValuesIn(family()), name_of);
INSTANTIATE_TEST_SUITE_P(All, DefinedShape,
                         testing::ValuesIn(those_that([](const Named& s) { return bool(s.inside); })), name_of);
INSTANTIATE_TEST_SUITE_P(All, ExactShape, testing::ValuesIn(those_that([](const Named& s) { return s.exact; })),
                         name_of);

TEST(Shape, EllipsoidDistanceAgainstManySurfacePoints) {
    const Vec3 radii(1, 0.5, 0.3);
    const ShapePtr shape = ellipsoid_shape(radii);
    Rng rng(6);
    double worst = 0;
    for (int i = 0; i < 60; ++i) {
        Vec3 p = random_in(rng, shape->bounds().grown(0.5));
        if (i % 4 == 1) p[i / 4 % 3] = 0;  // in a plane of symmetry
        if (i % 4 == 2) p[i / 4 % 3] = p[(i / 4 + 1) % 3] = 0;
        if (i == 3) p.setZero();
        // Coarse search, then ever finer around the best direction.
        double best = 1e9, u0 = 0, v0 = 0, span_u = std::numbers::pi, span_v = std::numbers::pi / 2;
        for (int level = 0; level < 9; ++level) {
            double bu = u0, bv = v0;
            for (int a = -40; a <= 40; ++a)
                for (int b = -40; b <= 40; ++b) {
                    const double u = u0 + span_u * a / 40, v = v0 + span_v * b / 40;
                    const Vec3 q =
                        radii.cwiseProduct(Vec3(std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)));
                    if ((p - q).norm() < best) best = (p - q).norm(), bu = u, bv = v;
                }
            u0 = bu, v0 = bv, span_u *= 0.1, span_v *= 0.1;
        }
        worst = std::max(worst, std::abs(std::abs(shape->distance(p)) - best));
    }
    std::cout << "ellipsoid: worst error " << worst << " m\n";
    EXPECT_LT(worst, 1e-8);
}

TEST(Shape, SweepPassesThroughItsPointsWithTheirRadii) {
    const std::vector<Vec3> points = {{0, 0, 0}, {0.5, 0.3, 0}, {1, -0.2, 0.2}, {1.5, 0.3, 0}};
    const std::vector<double> radii = {0.05, 0.15, 0.18, 0.1};
    const ShapePtr shape = sweep_shape(points, radii);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(shape->distance(points[i]), -radii[i], 0.03 * radii[i]);
    // A straight sweep of one radius is a capsule.
    const ShapePtr straight = sweep_shape({{0, 0, 0}, {0.4, 0, 0}, {1, 0, 0}}, {0.2, 0.2, 0.2});
    const ShapePtr capsule = capsule_shape({0, 0, 0}, {1, 0, 0}, 0.2);
    Rng rng(7);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 p = random_in(rng, capsule->bounds().grown(0.3));
        EXPECT_NEAR(straight->distance(p), capsule->distance(p), 1e-12);
    }
}

TEST(Shape, EveryLetterStandsAloneAndInItsPlace) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,!?-:'";
    for (char c : letters) {
        const Box box = text_shape(std::string(1, c), 2, 0.5)->bounds();
        EXPECT_NEAR(box.min.x(), 0, 1e-12) << c;
        EXPECT_NEAR(box.min.z(), -0.25, 1e-12) << c;
        EXPECT_LT(box.max.y(), 2.15) << c;
        EXPECT_GT(box.min.y(), -0.75) << c;
        if (std::string("AEFHIKLMNTVXZ").find(c) != std::string::npos) {
            EXPECT_NEAR(box.min.y(), 0, 1e-9) << c;
            EXPECT_NEAR(box.max.y(), 2, 1e-9) << c;
        }
        // Neighbours keep a gap: set twice, a letter is as wide as two letters and a space between them.
        const double one = set_text(std::string(1, c)).width, two = set_text(std::string(2, c)).width;
        EXPECT_GT(two, 2 * one - 0.1) << c;
    }
    // Kerning moves V under A's roof; a word is wider than its longest letter.
    EXPECT_LT(set_text("AV").width, set_text("A").width + set_text("V").width);
    EXPECT_GT(set_text("T h").width, set_text("Th").width + 0.2);
    EXPECT_LT(text_shape("a\nb", 1, 0.2)->bounds().min.y(), -1);
}

TEST(Shape, BadSizesAreTheUsersMistake) {
    EXPECT_THROW(box_shape({1, 0, 1}), UserError);
    EXPECT_THROW(box_shape({1, 1, 1}, 0.6), UserError);
    EXPECT_THROW(sphere_shape(-1), UserError);
    EXPECT_THROW(sphere_shape(std::nan("")), UserError);
    EXPECT_THROW(sphere_shape(std::numeric_limits<double>::infinity()), UserError);
    EXPECT_THROW(ellipsoid_shape({1, 1, -1}), UserError);
    EXPECT_THROW(capsule_shape({0, 0, 0}, {1, 0, 0}, 0), UserError);
    EXPECT_THROW(cylinder_shape(1, 0), UserError);
    EXPECT_THROW(tube_shape(1, 1, 1), UserError);
    EXPECT_THROW(cone_shape(0, 0, 1), UserError);
    EXPECT_THROW(torus_shape(1, 1), UserError);
    EXPECT_THROW(bowl_shape(1, 2), UserError);
    EXPECT_THROW(slab_shape(1, 1, 0), UserError);
    EXPECT_THROW(sweep_shape({{0, 0, 0}}, {1}), UserError);
    EXPECT_THROW(sweep_shape({{0, 0, 0}, {1, 0, 0}}, {1}), UserError);
    EXPECT_THROW(text_shape("", 1, 1), UserError);
    EXPECT_THROW(text_shape("a\tb", 1, 1), UserError);
    EXPECT_THROW(text_shape("a", -1, 1), UserError);
    EXPECT_THROW(union_of({}), UserError);
    EXPECT_THROW(union_of({nullptr}), UserError);
    EXPECT_THROW(smooth_union_of({sphere_shape(1)}, 0), UserError);
    EXPECT_THROW(transformed(sphere_shape(1), Pose{}, 0), UserError);
    EXPECT_THROW(shell_of(sphere_shape(1), -0.1), UserError);
    try {
        sphere_shape(-1);
    } catch (const UserError& e) {
        EXPECT_STREQ(e.what(), "the radius of a sphere must be a positive number of metres, but is -1.");
    }
}

}  // namespace
}  // namespace pliant
