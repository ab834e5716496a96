// What `look` and `lighting` do to a picture.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/render/renderer.hpp"

namespace pliant {
namespace {

/// A cube of side 2 about the origin, as an obstacle: texture places are its own.
Frame cube() {
    BodyFrame body;
    body.name = "cube";
    body.kind = "obstacle";
    body.color = Vec3(0.7, 0.1, 0.1);
    for (int i = 0; i < 8; ++i) body.points.push_back(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    std::vector<Tri> triangles;
    for (const auto& q : quads) triangles.push_back({q[0], q[1], q[2]}), triangles.push_back({q[0], q[2], q[3]});
    body.triangles = std::make_shared<const std::vector<Tri>>(triangles);
    Frame frame;
    frame.bodies.push_back(std::move(body));
    return frame;
}

RenderOptions from_the_front() {
    RenderOptions options;
    options.width = options.height = 64;
    options.ground = false;
    options.camera = Camera{Vec3(0, 0, 8), Vec3::Zero(), Vec3::UnitY(), 26, 0};
    options.to_sun = Vec3(0.3, 0.4, 1);
    return options;
}

double mean(const Image& image, int channel, int x0, int x1, int y0, int y1) {
    double sum = 0;
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) sum += image.at(x, y)[channel];
    return sum / ((x1 - x0) * (y1 - y0));
}

TEST(Look, CheckerIsWhereItsSquaresAre) {
    Threads threads(1);
    RenderOptions options = from_the_front();
    Appearance as;
    as.texture.kind = Texture::Kind::checker;
    as.texture.size = 1;
    as.texture.second = Vec3f::Constant(0.9f);
    options.appearance["cube"] = as;
    const Image image = render(cube(), options, threads);
    // The front face is four squares; those that share a corner only are of one colour.
    const double a = mean(image, 1, 20, 29, 20, 29), b = mean(image, 1, 35, 44, 20, 29);
    const double c = mean(image, 1, 20, 29, 35, 44), d = mean(image, 1, 35, 44, 35, 44);
    std::printf("green of the four squares: %.0f %.0f / %.0f %.0f\n", a, b, c, d);
    EXPECT_NEAR(a, d, 12);
    EXPECT_NEAR(b, c, 12);
    EXPECT_GT(std::abs(a - b), 60);
}

TEST(Look, TheSunShinesThroughWhatIsTranslucent) {
    Threads threads(1);
    RenderOptions options = from_the_front();
    options.to_sun = Vec3(0, 0, -1);  // behind it
    const double dark = mean(render(cube(), options, threads), 0, 24, 40, 24, 40);
    Appearance as;
    as.translucency = 1;  // half of its size: over the whole of it, exp(−2) of the light is left
    options.appearance["cube"] = as;
    const double light = mean(render(cube(), options, threads), 0, 24, 40, 24, 40);
    as.translucency = 0.1;
    options.appearance["cube"] = as;
    const double hardly = mean(render(cube(), options, threads), 0, 24, 40, 24, 40);
    std::printf("red of the face in the shade: %.1f, translucent %.1f, hardly %.1f\n", dark, light, hardly);
    EXPECT_GT(light, dark + 4);
    EXPECT_NEAR(hardly, dark, 1);
}

TEST(Look, GlossAddsTheMirroredSky) {
    Threads threads(1);
    RenderOptions options = from_the_front();
    Appearance as;
    as.gloss = 0;
    options.appearance["cube"] = as;
    const double chalk = mean(render(cube(), options, threads), 2, 24, 40, 24, 40);
    as.gloss = 2;
    options.appearance["cube"] = as;
    const double wet = mean(render(cube(), options, threads), 2, 24, 40, 24, 40);
    std::printf("blue of a red face: chalk %.1f, wet %.1f\n", chalk, wet);
    EXPECT_GT(wet, chalk + 3);
}

}  // namespace
}  // namespace pliant
