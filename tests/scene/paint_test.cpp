#include "pliant/scene/paint.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

constexpr double length = 2, width = 0.6;

/// A box whose red grows along x from 0 to 1, as triangles with colours at their corners.
std::shared_ptr<const TriMesh> painted_box() {
    TriMesh mesh;
    for (int i = 0; i < 8; ++i) mesh.points.push_back({i & 1 ? length : 0, i & 2 ? width : 0, i & 4 ? width : 0});
    const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads)
        mesh.triangles.push_back({q[0], q[1], q[2]}), mesh.triangles.push_back({q[0], q[2], q[3]});
    SurfaceAttributes attributes;
    for (const Tri& t : mesh.triangles)
        for (int v : t) attributes.color.push_back({static_cast<float>(mesh.points[v].x() / length), 0.25F, 0, 1});
    mesh.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    return std::make_shared<const TriMesh>(mesh);
}

/// Red of the place on the box that is nearest to one inside, by comparing the distances to its six sides.
double nearest_red(const Vec3& p) {
    const double sides = std::min({p.y(), width - p.y(), p.z(), width - p.z()});
    if (p.x() < sides && p.x() <= length - p.x()) return 0;
    if (length - p.x() < sides) return 1;
    return p.x() / length;
}

SceneDesc scene_of(std::vector<PaintDesc> paint) {
    SceneDesc desc;
    BodyDesc body;
    body.name = "bar";
    body.surface.mesh = MeshDesc{painted_box(), "box.ply", {}};
    body.volume.kind = VolumeDesc::Kind::grid;
    body.volume.cells = {9, 3, 3};      // no place is as near to an end as to a side
    body.pose.translation = {5, 6, 7};  // paint is in the body's own coordinates
    body.material.numbers.young = 1e5;
    body.material.paint = std::move(paint);
    body.material.painted = body.surface.mesh->mesh;
    desc.bodies.push_back(std::move(body));
    return desc;
}

TEST(Paint, PicturesAreBlendedAndRepeat) {
    // Two pixels wide, one high: black and white.
    const PaintPicture picture{2, 1, {0, 0, 0, 255, 255, 255}};
    EXPECT_NEAR(picture_color(picture, 0.25, 0.3)[0], 0, 1e-12);
    EXPECT_NEAR(picture_color(picture, 0.75, 0.9)[1], 1, 1e-12);
    EXPECT_NEAR(picture_color(picture, 0.5, 0.5)[2], 0.5, 1e-12);
    EXPECT_NEAR(picture_color(picture, 1.25, -7)[0], 0, 1e-12);
    EXPECT_NEAR(picture_color(picture, 0, 0.5)[0], 0.5, 1e-12) << "between the last pixel and the first";
    // Row by row from the top: v = 1 is the first row. sRGB 188 is half of the light.
    const PaintPicture rows{1, 2, {188, 188, 188, 0, 0, 0}};
    EXPECT_NEAR(picture_color(rows, 0.5, 0.75)[0], 0.5, 5e-3);
    EXPECT_NEAR(picture_color(rows, 0.5, 0.25)[0], 0, 1e-12);
}

/// A picture that lies on the box along x gives the numbers that its pixels say there.
TEST(Paint, NumbersAreThoseOfAPictureOnTheSurface) {
    PaintPicture picture{256, 1, {}};
    for (int i = 0; i < 256; ++i)
        for (int c = 0; c < 3; ++c) picture.rgb.push_back(static_cast<std::uint8_t>(i < 128 ? 0 : 255));
    SceneDesc desc = scene_of({{.number = &MaterialNumbers::young,
                                .from = 1e4,
                                .to = 1e6,
                                .picture = std::make_shared<const PaintPicture>(picture)}});
    TriMesh box = *desc.bodies[0].surface.mesh->mesh;
    SurfaceAttributes attributes;
    for (const Tri& t : box.triangles)
        for (int v : t) attributes.uv.push_back({static_cast<float>(box.points[v].x() / length), 0.5F});
    box.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    desc.bodies[0].surface.mesh->mesh = desc.bodies[0].material.painted = std::make_shared<const TriMesh>(box);
    const auto world = build_world(desc, 1);
    const FemBody& bar = world->fem[0];
    int black = 0, white = 0;
    for (std::size_t t = 0; t < bar.mesh.tets.size(); ++t) {
        Vec3 center = -desc.bodies[0].pose.translation;
        for (int node : bar.mesh.tets[t]) center += 0.25 * bar.mesh.rest[node];
        const double red = nearest_red(center);
        if (!(std::abs(red - 0.5) > 0.01 && red > 0.01 && red < 0.99)) continue;
        EXPECT_NEAR(bar.material[t].young, red < 0.5 ? 1e4 : 1e6, 1);
        ++(red < 0.5 ? black : white);
    }
    EXPECT_GT(black, 100);
    EXPECT_GT(white, 100);
}

TEST(Paint, NumbersAreThoseOfTheNearestColour) {
    SceneDesc desc = scene_of(
        {{.number = &MaterialNumbers::young, .from = 1e4, .to = 1e6, .logarithmic = true},
         {.number = &MaterialNumbers::density, .from = 500, .to = 2500},
         {.number = &MaterialNumbers::strength, .channel = PaintDesc::Channel::green, .from = 1e3, .to = 5e3}});
    desc.bodies[0].material.fracture = MaterialFractureDesc{.strength = 7};
    const auto world = build_world(desc, 1);
    const FemBody& bar = world->fem[0];
    ASSERT_EQ(bar.material.size(), bar.mesh.tets.size());
    double error = 0;
    for (std::size_t t = 0; t < bar.mesh.tets.size(); ++t) {
        Vec3 center = Vec3::Zero();
        for (int node : bar.mesh.tets[t]) center += 0.25 * (bar.mesh.rest[node] - Vec3(5, 6, 7));
        const double red = nearest_red(center);
        error = std::max({error, std::abs(bar.material[t].young / (1e4 * std::pow(100, red)) - 1),
                          std::abs(bar.material[t].density / (500 + 2000 * red) - 1)});
    }
    std::cout << "largest relative error " << error << "\n";
    EXPECT_LT(error, 1e-5);  // colours are floats
}

TEST(Paint, TemperaturesStartAsPainted) {
    SceneDesc desc = scene_of({{.number = nullptr, .from = 20, .to = 320}});
    EXPECT_THROW(build_world(desc, 1), UserError) << "there is no heat";
    MaterialHeatDesc heat;
    heat.numbers.initial = 5;
    heat.table.rows = {{0, 1e5, {}, {}}, {400, 1e4, {}, {}}};
    desc.bodies[0].material.heat = heat;
    const auto world = build_world(desc, 1);
    const FemBody& bar = world->fem[0];
    double error = 0;
    for (std::size_t i = 0; i < bar.temperature.size(); ++i)
        error =
            std::max(error, std::abs(bar.temperature[i] - (20 + 300 * nearest_red(bar.mesh.rest[i] - Vec3(5, 6, 7)))));
    std::cout << "largest error " << error << " °C\n";
    EXPECT_LT(error, 1e-3);
    EXPECT_LT(bar.material.back().young, 0.5 * bar.material.front().young) << "stiffness follows at once";
}

}  // namespace
}  // namespace pliant
