// What `look` and `lighting` do to a picture.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <jpeglib.h>

#include "pliant/render/jpeg.hpp"
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

/// A cube whose front has one material and whose other sides another; u and v of the front are what `uv_of` says.
template <class UvOf>
Frame cube_of(const SurfaceMaterial& front, const SurfaceMaterial& others, UvOf&& uv_of) {
    Frame frame = cube();
    BodyFrame& body = frame.bodies[0];
    body.kind = "fem";
    body.color = BodyFrame{}.color;
    SurfaceAttributes attributes;
    attributes.materials = {others, front};
    for (const Tri& t : *body.triangles) {
        bool in_front = true;  // the side that the camera sees
        for (int v : t) {
            const Vec3& p = body.points[v];
            in_front = in_front && p.z() > 0;
            attributes.uv.push_back(uv_of(float(0.5 + 0.5 * p.x()), float(0.5 + 0.5 * p.y())));
        }
        attributes.material.push_back(in_front ? 1 : 0);
    }
    body.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    return frame;
}

std::array<float, 2> as_seen(float x, float y) { return {x, y}; }

SurfaceMaterial::Picture picture_of(int width, int height,
                                    const std::function<std::array<int, 3>(int x, int y)>& color) {
    Image picture(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (std::size_t k = 0; k < 3; ++k) picture.at(x, y)[k] = std::uint8_t(color(x, y)[k]);
    return std::make_shared<const PictureFile>(PictureFile{"a.png", png_bytes(picture)});
}

/// One has a colour, the other a texture whose left half is black.
TEST(Look, BroughtMaterialsAndTexturesAreSeen) {
    Threads threads(1);
    Frame frame = cube_of({.name = "wood",
                           .texture = picture_of(8, 8,
                                                 [](int x, int) {
                                                     return std::array{0, x < 4 ? 0 : 255, 0};
                                                 })},
                          {.name = "red", .color = {0.8F, 0, 0}, .has_color = true}, as_seen);
    const Image image = render(frame, from_the_front(), threads);
    const double left = mean(image, 1, 20, 28, 20, 44), right = mean(image, 1, 37, 44, 20, 44);
    std::printf("green to the left %.0f, to the right %.0f\n", left, right);
    EXPECT_GT(right, left + 60);
    EXPECT_LT(std::abs(mean(image, 0, 37, 44, 20, 44) - mean(image, 2, 37, 44, 20, 44)), 20) << "no red in it";
    RenderOptions from_above = from_the_front();
    from_above.camera = Camera{Vec3(0, 8, 0.01), Vec3::Zero(), Vec3::UnitY(), 26, 0};
    const Image top = render(frame, from_above, threads);
    EXPECT_GT(mean(top, 0, 20, 44, 20, 44), 40 + mean(top, 1, 20, 44, 20, 44)) << "the other sides are red";
    frame.bodies[0].color = Vec3(0, 0, 0.9);
    const Image blue = render(frame, from_the_front(), threads);
    EXPECT_GT(mean(blue, 2, 20, 44, 20, 44), 60 + mean(blue, 1, 20, 44, 20, 44)) << "the scene's colour comes first";
}

/// A JPEG of one row of two blocks of 8 × 8 pixels, black and white.
std::string small_jpeg() {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = 16, jpeg.image_height = 8, jpeg.input_components = 1, jpeg.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    std::array<unsigned char, 16> row{};
    std::fill(row.begin() + 8, row.end(), 255);
    for (int y = 0; y < 8; ++y) {
        unsigned char* at = row.data();
        jpeg_write_scanlines(&jpeg, &at, 1);
    }
    jpeg_finish_compress(&jpeg);
    std::string made(reinterpret_cast<char*>(bytes), size);
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
    return made;
}

TEST(Look, JpegComesBackNearly) {
    Image image(61, 35);  // no multiple of its blocks
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            for (int k = 0; k < 3; ++k)
                image.at(x, y)[k] = std::uint8_t(127 + 100 * std::sin(0.05 * x * (k + 1) + 0.08 * y));
    std::size_t before = 1 << 30;
    for (const int quality : {95, 85, 40}) {
        const std::string bytes = jpeg_bytes(image, quality);
        const Image back = read_jpeg(bytes);
        ASSERT_EQ(back.width, image.width);
        ASSERT_EQ(back.height, image.height);
        double sum = 0;
        for (std::size_t i = 0; i < image.rgb.size(); ++i) sum += std::abs(int(image.rgb[i]) - int(back.rgb[i]));
        const double off = sum / double(image.rgb.size());
        std::printf("quality %d: %zu bytes, %.2f of 255 off in the mean\n", quality, bytes.size(), off);
        EXPECT_LT(off, 5);
        EXPECT_LT(bytes.size(), before);
        before = bytes.size();
    }
}

TEST(Look, JpegTexturesAreSeenAndDamagedOnesAreNamed) {
    Threads threads(1);
    const std::string whole = small_jpeg();
    for (const bool damaged : {false, true}) {
        const std::string bytes = damaged ? whole.substr(0, 30) : whole;
        const SurfaceMaterial photo{.name = "photo",
                                    .texture = std::make_shared<const PictureFile>(PictureFile{"photo.jpg", bytes})};
        const RenderOptions options = from_the_front();
        const Image image = render(cube_of(photo, {.name = "others"}, as_seen), options, threads);
        const double left = mean(image, 1, 20, 28, 20, 44), right = mean(image, 1, 37, 44, 20, 44);
        std::printf("to the left %.0f, to the right %.0f\n", left, right);
        if (damaged) {
            EXPECT_NEAR(left, right, 20);
            ASSERT_EQ(options.pictures->unreadable().size(), 1U);
            EXPECT_NE(options.pictures->unreadable()[0].find("photo.jpg"), std::string::npos);
        } else {
            EXPECT_GT(right, left + 60);
            EXPECT_TRUE(options.pictures->unreadable().empty());
        }
    }
}

/// Sky and sun turned about the vertical make the same light: a face whose picture turns its normal by 30° towards x
/// looks as a plain one does with the sun 30° further from x. However the picture is laid on.
TEST(Look, NormalMapsTurnTheLight) {
    Threads threads(1);
    const auto lit = [&](const SurfaceMaterial& material, auto&& uv_of, double degrees) {
        RenderOptions options = from_the_front();
        options.appearance["cube"].gloss = 0;
        options.samples = 64;
        const double angle = degrees * M_PI / 180;
        options.to_sun = Vec3(std::sin(angle), 0, std::cos(angle));
        return mean(render(cube_of(material, {.name = "others"}, uv_of), options, threads), 1, 24, 40, 24, 40);
    };
    const auto of_normals = [](double x, double y, float strength) {
        const auto byte = [](double v) { return int(std::lround(127.5 * (v + 1))); };
        const std::array<int, 3> color{byte(x), byte(y), byte(std::sqrt(0.75))};
        return SurfaceMaterial{.name = "bumpy",
                               .color = {0.5F, 0.5F, 0.5F},
                               .has_color = true,
                               .normal_map = picture_of(4, 4, [&](int, int) { return color; }),
                               .normal_strength = strength};
    };
    const SurfaceMaterial plain{.name = "plain", .color = {0.5F, 0.5F, 0.5F}, .has_color = true};
    const auto mirrored = [](float x, float y) { return std::array{1 - x, y}; };
    const auto turned = [](float x, float y) { return std::array{y, 1 - x}; };
    const double wanted = lit(plain, as_seen, 20), wrong = lit(plain, as_seen, 80);
    const double found[] = {lit(of_normals(0.5, 0, 1), as_seen, 50), lit(of_normals(-0.5, 0, 1), mirrored, 50),
                            lit(of_normals(0, -0.5, 1), turned, 50), lit(of_normals(0.25, 0, 2), as_seen, 50)};
    std::printf(
        "wanted %.1f, with a normal turned the other way %.1f; as seen %.1f, mirrored %.1f, turned %.1f, "
        "twice as strong %.1f\n",
        wanted, wrong, found[0], found[1], found[2], found[3]);
    EXPECT_GT(wanted, wrong + 20);
    for (double one : found) EXPECT_NEAR(one, wanted, 3);
}

/// The same with normals that were brought for corners: edges are as hard as the artist made them.
TEST(Look, BroughtNormalsTurnTheLight) {
    Threads threads(1);
    const auto lit = [&](bool brought, double degrees) {
        Frame frame = cube();
        BodyFrame& body = frame.bodies[0];
        if (brought) {
            SurfaceAttributes attributes;
            set_corner_normals(attributes, body.points, *body.triangles,
                               std::vector<Vec3>(3 * body.triangles->size(), Vec3(0.5, 0, std::sqrt(0.75))));
            body.attributes = std::make_shared<const SurfaceAttributes>(attributes);
        }
        RenderOptions options = from_the_front();
        options.appearance["cube"].gloss = 0;
        options.samples = 64;
        const double angle = degrees * M_PI / 180;
        options.to_sun = Vec3(std::sin(angle), 0, std::cos(angle));
        return mean(render(frame, options, threads), 0, 24, 40, 24, 40);
    };
    const double wanted = lit(false, 20), found = lit(true, 50), wrong = lit(false, 50);
    std::printf("wanted %.1f, found %.1f; without the normals %.1f\n", wanted, found, wrong);
    EXPECT_NEAR(found, wanted, 3);
    EXPECT_GT(wanted, wrong + 10);
}

/// The picture's blue says where the front is metal: there it has no white coat, and its own colour is all it mirrors.
TEST(Look, MetalMirrorsInItsOwnColour) {
    Threads threads(1);
    const SurfaceMaterial half_metal{.name = "half",
                                     .color = {0, 0, 0.9F},
                                     .has_color = true,
                                     .roughness = 0.2F,
                                     .metallic = 1.0F,
                                     .metallic_map = picture_of(8, 8, [](int x, int) {
                                         return std::array{0, 0, x < 4 ? 255 : 0};
                                     })};
    const Image image = render(cube_of(half_metal, {.name = "others"}, as_seen), from_the_front(), threads);
    const double metal = mean(image, 0, 20, 28, 20, 44), paint = mean(image, 0, 37, 44, 20, 44);
    std::printf("red mirrored by blue metal %.1f, by blue paint %.1f\n", metal, paint);
    EXPECT_LT(metal, 2);
    EXPECT_GT(paint, metal + 10);
    EXPECT_GT(mean(image, 2, 20, 28, 20, 44), 40) << "but blue";
}

/// The sun's mirror image on a face is the brighter the smoother it is; the picture's green is a factor.
TEST(Look, RoughnessSpreadsTheSun) {
    Threads threads(1);
    const auto brightest = [&](float roughness, const SurfaceMaterial::Picture& map) {
        const SurfaceMaterial black{
            .name = "black", .color = {0, 0, 0}, .has_color = true, .roughness = roughness, .roughness_map = map};
        RenderOptions options = from_the_front();
        options.to_sun = Vec3(0, 0, 1);
        options.exposure = -3;
        const Image image = render(cube_of(black, black, as_seen), options, threads);
        return mean(image, 0, 31, 33, 31, 33);
    };
    const auto fifth = picture_of(4, 4, [](int, int) { return std::array{255, 51, 255}; });
    const double smooth = brightest(0.1F, nullptr), rough = brightest(0.5F, nullptr), mapped = brightest(0.5F, fifth);
    std::printf("the sun in a face of roughness 0.1 %.1f, 0.5 %.1f, 0.5 times a fifth %.1f\n", smooth, rough, mapped);
    EXPECT_GT(smooth, rough + 30);
    EXPECT_NEAR(mapped, smooth, 1);
    EXPECT_LT(smooth, 250) << "not so bright that all is white";
}

TEST(Look, BroughtColoursAreSeen) {
    Threads threads(1);
    Frame frame = cube();
    BodyFrame& body = frame.bodies[0];
    body.kind = "fem";
    body.color = BodyFrame{}.color;
    SurfaceAttributes attributes;
    for (const Tri& t : *body.triangles)
        for (int v : t) attributes.color.push_back({body.points[v].x() > 0 ? 1.0F : 0.0F, 0, 1, 1});
    body.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    RenderOptions options = from_the_front();
    options.appearance["cube"].gloss = 0;
    const Image image = render(frame, options, threads);
    const double left = mean(image, 0, 18, 22, 20, 44), right = mean(image, 0, 42, 46, 20, 44);
    std::printf("red to the left %.0f, to the right %.0f\n", left, right);
    EXPECT_GT(right, left + 80);
    EXPECT_GT(mean(image, 2, 18, 46, 20, 44), 150) << "blue all over";
    EXPECT_LT(mean(image, 1, 18, 46, 20, 44), 60) << "no green";
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
