#include "pliant/render/renderer.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/render/subject.hpp"
#include "render/shapes.hpp"

namespace pliant {
namespace {

using test::box;
using test::frame_of;
using test::sphere;

RenderOptions small(int width = 160, int height = 120) {
    RenderOptions options;
    options.width = width, options.height = height;
    return options;
}

double brightness(const Image& image, int x, int y) {
    const std::uint8_t* p = image.at(x, y);
    return (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255;
}

double mean_brightness(const Image& image, int x0, int y0, int x1, int y1) {
    double sum = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) sum += brightness(image, x, y);
    return sum / ((x1 - x0) * (y1 - y0));
}

/// Looks along −z at the origin from 10 m.
Camera front() {
    Camera camera;
    camera.eye = Vec3(0, 0, 10);
    camera.fov = 30;
    return camera;
}

TEST(Render, SphereCoversItsSolidAngle) {
    // Silhouette of a sphere of radius r at distance d: tan = r / sqrt(d² − r²). Black on the light backdrop, no
    // ground.
    const double r = 1.5, d = 10;
    BodyFrame ball = sphere(Vec3::Zero(), r, 96);
    ball.color = Vec3::Zero();
    RenderOptions options = small(320, 240);
    options.camera = front();
    options.ground = false;
    options.samples = 16;
    options.smoothing = 0;
    options.backdrop.horizon = options.backdrop.top = Vec3::Ones();
    Threads threads(2);
    const Image with = render(frame_of({ball}), options, threads);
    const Image without = render(Frame{}, options, threads);
    int covered = 0;
    for (int y = 0; y < 240; ++y)
        for (int x = 0; x < 320; ++x) covered += brightness(with, x, y) < 0.75 * brightness(without, x, y);
    const double half = 120 / std::tan(15 * std::numbers::pi / 180) * r / std::sqrt(d * d - r * r);
    const double expected = std::numbers::pi * half * half;
    std::printf("covered %d pixels, expected %.1f, error %.2f %%\n", covered, expected,
                100 * (covered - expected) / expected);
    EXPECT_NEAR(covered, expected, 0.01 * expected);
}

TEST(Render, BodyIsLitFromTheSide) {
    RenderOptions options = small();
    options.camera = front();
    options.ground = false;
    Threads threads(2);
    const Frame frame = frame_of({sphere(Vec3::Zero(), 1.5)});
    options.to_sun = Vec3(-1, 0.2, 0.3);
    const Image left = render(frame, options, threads);
    options.to_sun = Vec3(1, 0.2, 0.3);
    const Image right = render(frame, options, threads);
    const auto west = [](const Image& i) { return mean_brightness(i, 55, 50, 65, 70); };
    const auto east = [](const Image& i) { return mean_brightness(i, 95, 50, 105, 70); };
    EXPECT_GT(west(left), east(left) + 0.15);
    EXPECT_GT(east(right), west(right) + 0.15);
}

TEST(Render, InsideOutBodyLooksTheSame) {
    RenderOptions options = small();
    options.camera = front();
    Threads threads(2);
    const BodyFrame ball = sphere(Vec3::Zero(), 1.5);
    std::vector<Tri> flipped = *ball.triangles;
    for (Tri& t : flipped) std::swap(t[1], t[2]);
    BodyFrame inside_out = ball;
    inside_out.triangles = std::make_shared<const std::vector<Tri>>(flipped);
    const Image a = render(frame_of({ball}), options, threads), b = render(frame_of({inside_out}), options, threads);
    double worst = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) worst = std::max(worst, std::abs(double(a.rgb[i]) - b.rgb[i]));
    std::printf("largest difference %.0f of 255\n", worst);
    EXPECT_LE(worst, 24);  // edge pixels may choose another of two equal triangles
    EXPECT_NEAR(mean_brightness(a, 0, 0, 160, 120), mean_brightness(b, 0, 0, 160, 120), 1e-3);
}

TEST(Render, CoarseSphereHasNoFacetShadows) {
    // Across the boundary between light and dark, a coarse ball shaded smooth must darken as steadily as a fine one.
    RenderOptions options = small(200, 150);
    options.camera = front();
    options.ground = false;
    options.samples = 16;
    options.to_sun = Vec3(-1, 0.3, 0.5);
    Threads threads(2);
    const Image coarse = render(frame_of({sphere(Vec3::Zero(), 1.8, 9)}), options, threads);
    const Image fine = render(frame_of({sphere(Vec3::Zero(), 1.8, 90)}), options, threads);
    double worst = 0;
    for (int y = 55; y < 95; ++y)
        for (int x = 75; x < 125; ++x)
            worst = std::max(worst, std::abs(brightness(coarse, x, y) - brightness(fine, x, y)));
    std::printf("largest difference between a ball of 324 and of 32400 triangles: %.3f\n", worst);
    EXPECT_LT(worst, 0.04);
}

TEST(Render, ShadowIsDarkerThanTheLitGround) {
    RenderOptions options = small();
    options.ground_height = -1;
    options.to_sun = Vec3(-1, 1.2, 0);
    Camera camera;
    camera.eye = Vec3(0, 12, 8);
    camera.target = Vec3(0, -1, 0);
    camera.fov = 40;
    options.camera = camera;
    Threads threads(2);
    const Image image = render(frame_of({sphere(Vec3(0, 0.2, 0), 1)}), options, threads);
    // The sun is at the left, so the shadow lies at the right: its centre is 1 m from the ball's foot.
    const auto at = [&](const Vec3& p) {
        const CameraFrame axes(camera, 160.0 / 120);
        const Vec3 d = p - camera.eye;
        const double z = d.dot(axes.forward);
        return std::pair(int(80 * (1 + d.dot(axes.right) / z / axes.tan_x)),
                         int(60 * (1 - d.dot(axes.up) / z / axes.tan_y)));
    };
    const auto [sx, sy] = at(Vec3(1.3, -1, 0.4));
    const auto [lx, ly] = at(Vec3(-2.5, -1, 0.4));
    std::printf("shadow %.3f, lit %.3f\n", brightness(image, sx, sy), brightness(image, lx, ly));
    EXPECT_LT(brightness(image, sx, sy), 0.75 * brightness(image, lx, ly));
    EXPECT_GT(brightness(image, sx, sy), 0.05);  // the sky still reaches it
}

TEST(Render, EmptySceneShowsTheBackdrop) {
    Threads threads(1);
    const Image image = render(Frame{}, small(), threads);
    EXPECT_GT(mean_brightness(image, 0, 0, 160, 120), 0.4);
    RenderOptions options = small();
    options.ground = false;
    EXPECT_GT(mean_brightness(render(Frame{}, options, threads), 0, 0, 160, 120), 0.3);
}

TEST(Render, SameBytesForAnyThreadCount) {
    const Frame frame = frame_of({sphere(Vec3(0, 1, 0), 1), box(Vec3(1, 0, -1), Vec3(2, 1, 0)),
                                  box(Vec3(-2, -0.2, -2), Vec3(3, 0, 2), "obstacle")});
    RenderOptions options = small(200, 150);
    Threads one(1);
    const Image expected = render(frame, options, one);
    for (int count : {2, 7}) {
        Threads threads(count);
        EXPECT_EQ(render(frame, options, threads).rgb, expected.rgb) << count << " threads";
    }
    EXPECT_EQ(render(frame, options, one).rgb, expected.rgb) << "a second time";
}

TEST(Render, SizeOfTheSceneDoesNotMatter) {
    // Powers of two scale without rounding, so the pictures must agree exactly, at 1 mm as at 1 km.
    const auto at_scale = [](double s) {
        Frame frame = frame_of({sphere(Vec3(0, 1, 0), 1), box(Vec3(1, 0, -1), Vec3(2, 1, 0))});
        for (BodyFrame& b : frame.bodies)
            for (Vec3& p : b.points) p *= s;
        Threads threads(2);
        return render(frame, small(), threads);
    };
    const Image metre = at_scale(1);
    EXPECT_EQ(at_scale(1.0 / 1024).rgb, metre.rgb);
    EXPECT_EQ(at_scale(1024).rgb, metre.rgb);
}

TEST(Render, BadTrianglesAreLeftOut) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    Threads threads(2);
    const BodyFrame good = sphere(Vec3::Zero(), 1);
    const Image expected = render(frame_of({good}), small(), threads);
    BodyFrame bad = good;
    std::vector<Tri> triangles = *good.triangles;
    const int n = int(bad.points.size());
    bad.points.insert(bad.points.end(), {Vec3(nan, 0, 0), Vec3(0, inf, 0), Vec3(0, 0, 0)});
    triangles.insert(triangles.end(),
                     {{0, 1, n}, {n, n + 1, n + 2}, {0, 0, 5}, {-1, 2, 3}, {1, 2, n + 77}, {n + 2, n + 2, n + 2}});
    bad.triangles = std::make_shared<const std::vector<Tri>>(triangles);
    const Image image = render(frame_of({bad}), small(), threads);
    EXPECT_NEAR(mean_brightness(image, 0, 0, 160, 120), mean_brightness(expected, 0, 0, 160, 120), 0.02);

    BodyFrame nothing = test::body({Vec3(nan, nan, nan)}, {{0, 0, 0}});
    EXPECT_NO_THROW(render(frame_of({nothing}), small(), threads));
    nothing.triangles = nullptr;
    EXPECT_NO_THROW(render(frame_of({nothing}), small(), threads));
}

TEST(Render, CrackFacesAreTinted) {
    RenderOptions options = small();
    options.camera = front();
    Threads threads(2);
    BodyFrame cube = box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
    const Image plain = render(frame_of({cube}), options, threads);
    Field crack{"crack", "", Field::On::triangle, 1, std::vector<float>(12, 0.0f)};
    crack.values[2] = crack.values[3] = 1;  // the side toward the camera
    cube.fields.push_back(crack);
    const Image cracked = render(frame_of({cube}), options, threads);
    const std::uint8_t *a = plain.at(80, 60), *b = cracked.at(80, 60);
    EXPECT_GT(int(b[1]), int(a[1]) + 25);
    EXPECT_EQ(0, std::memcmp(plain.at(3, 3), cracked.at(3, 3), 3));
}

TEST(Render, PiecesGetTheirOwnColours) {
    RenderOptions options = small();
    options.camera = front();
    options.color_pieces = true;
    Threads threads(2);
    BodyFrame cube = box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
    cube.fields.push_back({"piece", "", Field::On::triangle, 1, std::vector<float>(12, 0.0f)});
    cube.fields[0].values[3] = 1;  // half of the front side
    const Image image = render(frame_of({cube}), options, threads);
    const std::uint8_t *a = image.at(60, 75), *b = image.at(100, 45);
    EXPECT_GT(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]), 60);
}

TEST(Render, UnknownFieldNamesTheKnownOnes) {
    Threads threads(1);
    BodyFrame ball = sphere(Vec3::Zero(), 1, 4);
    ball.fields.push_back({"speed", "m/s", Field::On::vertex, 1, std::vector<float>(ball.points.size(), 1.0f)});
    RenderOptions options = small();
    options.field = "sped";
    try {
        render(frame_of({ball}), options, threads);
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("speed"), std::string::npos) << error.what();
    }
}

TEST(Render, RefusesImpossibleSizes) {
    Threads threads(1);
    EXPECT_THROW(render(Frame{}, small(0, 100), threads), UserError);
    EXPECT_THROW(render(Frame{}, small(100, 100000), threads), UserError);
}

TEST(Subject, WideLevelObstacleIsTheFloor) {
    const Frame frame = frame_of({sphere(Vec3(0, 1.5, 0), 1), box(Vec3(-50, -1, -50), Vec3(50, 0.5, 50), "obstacle")});
    const auto floor = floor_of(frame);
    ASSERT_TRUE(floor);
    EXPECT_TRUE(floor->found);
    EXPECT_DOUBLE_EQ(floor->height, 0.5);
    EXPECT_LT(subject_bounds(frame).diagonal(), 4);

    // A ramp is no floor, however wide.
    BodyFrame ramp = box(Vec3(-50, -1, -50), Vec3(50, 0, 50), "obstacle");
    for (Vec3& p : ramp.points) p[1] += 0.2 * p[0];
    const auto low = floor_of(frame_of({sphere(Vec3(0, 1.5, 0), 1), ramp}));
    ASSERT_TRUE(low);
    EXPECT_FALSE(low->found);
    EXPECT_FALSE(floor_of(Frame{}));
}

}  // namespace
}  // namespace pliant
