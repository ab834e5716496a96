// Crack tag, piece and the choice of normals reach everything that a run writes.

#include "io/sink_frames.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {
namespace {

using test::contents;
using test::TemporaryDirectory;

/// A skin triangle and a crack triangle at right angles to it, of another piece.
Frame broken_frame(bool flat) {
    BodyFrame body;
    body.name = "bar";
    body.kind = "fem";
    body.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    body.triangles = std::make_shared<const std::vector<Tri>>(std::vector<Tri>{{0, 1, 2}, {0, 2, 3}});
    body.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
    body.fields = {{"crack", "", Field::On::triangle, 1, {0, 1}},
                   {"piece", "", Field::On::triangle, 1, {0, 2}},
                   {"flat", "", Field::On::triangle, 1, {0, flat ? 1.f : 0.f}}};
    Frame frame;
    frame.bodies = {body};
    return frame;
}

TEST(CornerNormals, HaveACreaseBetweenSkinAndCrack) {
    for (bool flat : {false, true}) {
        const std::vector<Vec3> n = corner_normals(broken_frame(flat).bodies[0]);
        ASSERT_EQ(n.size(), 6u);
        for (int k = 0; k < 3; ++k) EXPECT_LT((n[k] - Vec3(0, 0, 1)).norm(), 1e-15);
        for (int k = 3; k < 6; ++k) EXPECT_LT((n[k] - Vec3(1, 0, 0)).norm(), 1e-15);
    }
    // Two crack faces that meet: one normal for both when smooth, one each when flat.
    for (bool flat : {false, true}) {
        BodyFrame body = broken_frame(flat).bodies[0];
        body.fields[0].values = {1, 1};
        body.fields[2].values = {flat ? 1.f : 0.f, flat ? 1.f : 0.f};
        const std::vector<Vec3> n = corner_normals(body);
        EXPECT_LT((n[0] - (flat ? Vec3(0, 0, 1) : Vec3(1, 0, 1).normalized())).norm(), 1e-15);
        EXPECT_LT((n[1] - Vec3(0, 0, 1)).norm(), 1e-15);
    }
    BodyFrame whole = broken_frame(true).bodies[0];
    whole.fields[0].values = {0, 0};
    EXPECT_TRUE(corner_normals(whole).empty());
}

TEST(SinkCracks, ReachEveryFile) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    for (const auto& sink : make_sinks("frames,vtu,usd,obj,ply", dir.path)) {
        sink->begin({"bar.lua", 24, 1});
        sink->write(broken_frame(true));
        sink->finish();
    }
    const auto files = test::tree(dir.path);
    int vtu = 0, ply = 0, obj = 0, native = 0;
    for (const auto& [name, text] : files) {
        const bool has = text.find("crack") != std::string::npos && text.find("piece") != std::string::npos;
        if (name.ends_with(".vtp")) vtu += text.find("Name=\"crack\"") != std::string::npos;
        if (name.ends_with(".ply"))
            ply += text.find("property float crack\nproperty float piece\n") != std::string::npos;
        if (name.ends_with(".obj")) {
            ++obj;
            EXPECT_NE(text.find("g piece0 skin\nusemtl bar\nf 1//1 2//1 3//1\n"), std::string::npos) << text;
            EXPECT_NE(text.find("g piece2 crack\nusemtl bar_inside\nf 1//2 3//2 4//2\n"), std::string::npos) << text;
        }
        if (name.find("frame") != std::string::npos && !name.ends_with(".obj")) native += has;
    }
    EXPECT_EQ(ply, 1);
    EXPECT_EQ(obj, 1);
    EXPECT_GE(native, 1);
    EXPECT_EQ(vtu, 1);
    const std::string stage = contents(dir.path / "bar.usda");
    EXPECT_NE(stage.find("int[] primvars:crack = [0, 1] (\n            interpolation = \"uniform\""),
              std::string::npos);
    EXPECT_NE(stage.find("int[] primvars:piece = [0, 2] ("), std::string::npos);
    EXPECT_NE(stage.find("int[] primvars:flat = [0, 1] ("), std::string::npos);
    EXPECT_NE(stage.find("interpolation = \"faceVarying\""), std::string::npos);
    EXPECT_EQ(stage.find("interpolation = \"vertex\""), std::string::npos);
}

}  // namespace
}  // namespace pliant
