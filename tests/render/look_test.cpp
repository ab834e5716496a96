// What `look` and `lighting` do to a picture.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/render/png.hpp"
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

/// A cube brought with two materials: one has a colour, the other a texture whose left half is black.
TEST(Look, BroughtMaterialsAndTexturesAreSeen) {
    Threads threads(1);
    Frame frame = cube();
    BodyFrame& body = frame.bodies[0];
    body.kind = "fem";
    body.color = BodyFrame{}.color;
    Image picture(8, 8);
    for (int y = 0; y < 8; ++y)
        for (int x = 4; x < 8; ++x) picture.at(x, y)[1] = 255;
    SurfaceAttributes attributes;
    attributes.materials = {
        {.name = "red", .color = {0.8F, 0, 0}, .has_color = true},
        {.name = "wood", .texture = std::make_shared<const PictureFile>(PictureFile{"a.png", png_bytes(picture)})}};
    for (const Tri& t : *body.triangles) {
        bool front = true;  // the side that the camera sees
        for (int v : t) {
            const Vec3& p = body.points[v];
            front = front && p.z() > 0;
            attributes.uv.push_back({float(0.5 + 0.5 * p.x()), float(0.5 + 0.5 * p.y())});
        }
        attributes.material.push_back(front ? 1 : 0);
    }
    body.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    const Image image = render(frame, from_the_front(), threads);
    const double left = mean(image, 1, 20, 28, 20, 44), right = mean(image, 1, 37, 44, 20, 44);
    std::printf("green to the left %.0f, to the right %.0f\n", left, right);
    EXPECT_GT(right, left + 60);
    EXPECT_LT(std::abs(mean(image, 0, 37, 44, 20, 44) - mean(image, 2, 37, 44, 20, 44)), 20) << "no red in it";
    RenderOptions from_above = from_the_front();
    from_above.camera = Camera{Vec3(0, 8, 0.01), Vec3::Zero(), Vec3::UnitY(), 26, 0};
    const Image top = render(frame, from_above, threads);
    EXPECT_GT(mean(top, 0, 20, 44, 20, 44), 40 + mean(top, 1, 20, 44, 20, 44)) << "the other sides are red";
    body.color = Vec3(0, 0, 0.9);
    const Image blue = render(frame, from_the_front(), threads);
    EXPECT_GT(mean(blue, 2, 20, 44, 20, 44), 60 + mean(blue, 1, 20, 44, 20, 44)) << "the scene's colour comes first";
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
