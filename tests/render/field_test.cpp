#include "pliant/render/field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "pliant/mesh/embedding.hpp"
#include "pliant/render/color_bar.hpp"
#include "pliant/render/lettering.hpp"
#include "pliant/render/renderer.hpp"
#include "render/shapes.hpp"

namespace pliant {
namespace {

/// A unit cube of nodes cut into five tets, with a few seen points inside.
BodyFrame cube_with_points(const std::vector<Vec3>& points) {
    BodyFrame body = test::body(points, {});
    for (int i = 0; i < 8; ++i) body.nodes.push_back(Vec3(i & 1, i >> 1 & 1, i >> 2 & 1));
    body.tets = std::make_shared<const std::vector<Tet>>(
        std::vector<Tet>{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}});
    TetMesh mesh;
    mesh.rest = body.nodes, mesh.tets = *body.tets;
    std::vector<Point> carriers;
    for (const Vec3& p : points) carriers.push_back(embed_point(mesh, p));
    body.carriers = std::make_shared<const std::vector<Point>>(carriers);
    return body;
}

TEST(Field, NodeValuesAreInterpolatedAtTheSurface) {
    // A linear function of position is met exactly, inside the tets; outside, the nearest tet holds.
    const std::vector<Vec3> points{Vec3(0.1, 0.2, 0.3), Vec3(0.9, 0.8, 0.2), Vec3(0.5, 0.5, 0.5), Vec3(1, 1, 1),
                                   Vec3(0.5, 0.25, -0.001)};
    BodyFrame body = cube_with_points(points);
    const auto f = [](const Vec3& p) { return 2 + p[0] - 3 * p[1] + 0.5 * p[2]; };
    Field field{"temperature", "K", Field::On::node, 1, {}};
    for (const Vec3& p : body.nodes) field.values.push_back(float(f(p)));
    body.fields.push_back(field);
    const auto values = surface_values(body, "temperature");
    ASSERT_TRUE(values);
    EXPECT_TRUE(values->per_vertex);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(values->values[i], f(points[i]), 1e-5) << i;
    EXPECT_NEAR(values->values[4], f(points[4]), 0.01);
}

TEST(Field, VectorsCountByLengthAndTheSurfaceComesFirst) {
    BodyFrame body = cube_with_points({Vec3(0.5, 0.5, 0.5)});
    Field nodes{"velocity", "m/s", Field::On::node, 3, {}};
    for (int i = 0; i < 8; ++i) nodes.values.insert(nodes.values.end(), {3, 0, 4});
    body.fields.push_back(nodes);
    EXPECT_NEAR(surface_values(body, "velocity")->values[0], 5, 1e-5);
    body.fields.push_back({"velocity", "m/s", Field::On::vertex, 1, {7}});
    EXPECT_NEAR(surface_values(body, "velocity")->values[0], 7, 1e-5);
    body.fields.push_back({"wrong_size", "", Field::On::vertex, 1, {1, 2, 3}});
    EXPECT_FALSE(surface_values(body, "wrong_size"));
    EXPECT_FALSE(surface_values(body, "absent"));
}

TEST(Field, RangeLeavesOutliersOut) {
    BodyFrame body = test::sphere(Vec3::Zero(), 1, 40);
    Field field{"von_mises", "Pa", Field::On::vertex, 1, {}};
    for (std::size_t i = 0; i < body.points.size(); ++i) field.values.push_back(float(i) / float(body.points.size()));
    field.values[10] = 1e9f;
    field.values[11] = std::numeric_limits<float>::quiet_NaN();
    body.fields.push_back(field);
    const auto range = field_range(test::frame_of({body}), "von_mises");
    ASSERT_TRUE(range);
    EXPECT_LT(range->high, 1.01);
    EXPECT_GT(range->high, 0.98);
    EXPECT_FALSE(field_range(test::frame_of({body}), "speed"));
}

TEST(Field, TidyRanges) {
    EXPECT_EQ(tidy({0.1, 5}).low, 0);
    EXPECT_EQ(tidy({290, 310}).low, 290);
    EXPECT_EQ(tidy({-2, 3}).low, -3);
    EXPECT_EQ(colormap_for(tidy({-2, 3})), Colormap::around_zero);
    EXPECT_EQ(colormap_for(tidy({0, 3})), Colormap::rising);
    for (const FieldRange& r : {FieldRange{0, 0}, FieldRange{5, 5}, FieldRange{-5, -5}})
        EXPECT_GT(tidy(r).high, tidy(r).low);
}

TEST(ColorBar, RoundTicksAndLabels) {
    EXPECT_EQ(round_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
    const auto ticks = round_ticks(0, 310e3);
    const ScaledUnit unit = scaled_unit("Pa", {0, 310e3});
    EXPECT_EQ(unit.text, "kPa");
    const auto labels = tick_labels(ticks, unit.factor);
    EXPECT_EQ(labels.front(), "0");
    EXPECT_EQ(labels.back(), "300");
    EXPECT_EQ(scaled_unit("m", {0, 0.004}).text, "mm");
    EXPECT_EQ(scaled_unit("m", {0, 4000}).text, "m");
    EXPECT_EQ(scaled_unit("K", {0, 4000}).text, "K");
    EXPECT_EQ(scaled_unit("", {0, 4000}).text, "");
    EXPECT_EQ(tick_labels(round_ticks(-1, 1, 4), 1).front(), "−1.0");
    EXPECT_TRUE(round_ticks(1, 1).empty());
    EXPECT_TRUE(round_ticks(0, INFINITY).empty());
}

TEST(ColorBar, ChangesThePictureWhereItIs) {
    Image image(640, 360);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{128});
    const Image before = image;
    draw_color_bar(image, "von_mises", "Pa", {0, 3e5});
    int changed = 0, dark = 0;
    for (int y = 0; y < 360; ++y)
        for (int x = 0; x < 640; ++x) {
            changed += std::memcmp(image.at(x, y), before.at(x, y), 3) != 0;
            dark += image.at(x, y)[0] < 90 && image.at(x, y)[1] < 90 && image.at(x, y)[2] < 90;
            if (x < 480) {
                EXPECT_EQ(image.at(x, y)[0], 128) << x << " " << y;
            }
        }
    EXPECT_GT(changed, 8000);
    EXPECT_GT(dark, 150);  // the words and numbers

    // Other ticks give other labels on the same bar.
    Image other = before;
    draw_color_bar(other, "von_mises", "Pa", {0, 4e5});
    EXPECT_NE(other.rgb, image.rgb);
}

TEST(ColorBar, FieldColoursReachTheBody) {
    BodyFrame ball = test::sphere(Vec3::Zero(), 1);
    Field field{"speed", "m/s", Field::On::vertex, 1, {}};
    for (const Vec3& p : ball.points) field.values.push_back(p[1] > 0 ? 10.0f : 0.0f);
    ball.fields.push_back(field);
    RenderOptions options;
    options.width = 320, options.height = 180;
    options.field = "speed";
    Threads threads(2);
    const Image image = render(test::frame_of({ball}), options, threads);
    const Image plain = [&] {
        RenderOptions by_body = options;
        by_body.field = "";
        return render(test::frame_of({ball}), by_body, threads);
    }();
    // Upper half yellow (red over blue), lower half indigo (blue over red). The bar shifts the body to the left.
    const int x = int(160 * (1 - color_bar_share(320, 180)));
    EXPECT_GT(image.at(x, 60)[0], image.at(x, 60)[2] + 60);
    EXPECT_GT(image.at(x, 130)[2], image.at(x, 130)[0] + 20);
    EXPECT_NE(image.rgb, plain.rgb);
}

TEST(Lettering, WidthAndInk) {
    const TextStyle style{20, 0.115f, Vec3f::Zero()};
    EXPECT_EQ(text_width("", style), 0);
    EXPECT_GT(text_width("mm", style), text_width("ll", style));
    Image image(200, 60);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
    draw_text(image, 20, 40, "µm²", style);
    const float end = 20 + text_width("µm²", style);
    int inside = 0;
    for (int y = 0; y < 60; ++y)
        for (int x = 0; x < 200; ++x)
            if (image.at(x, y)[0] < 128) {
                ++inside;
                EXPECT_GT(x, 15);
                EXPECT_LT(float(x), end + 4);
            }
    EXPECT_GT(inside, 100);
    // Off the edge of the picture is no harm.
    draw_text(image, -50, 5, "clipped", style);
    draw_text(image, 190, 70, "clipped", style);
}

TEST(Colormap, GrowsLighterAndSpreadsLabels) {
    float before = -1;
    for (int i = 0; i <= 20; ++i) {
        const float l = luminance(map_color(Colormap::rising, float(i) / 20));
        EXPECT_GT(l, before);
        before = l;
    }
    EXPECT_TRUE(map_color(Colormap::rising, std::numeric_limits<float>::quiet_NaN()).allFinite());
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < i; ++j) EXPECT_GT((label_color(i) - label_color(j)).norm(), 0.05f) << i << " " << j;
}

}  // namespace
}  // namespace pliant
