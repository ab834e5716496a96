// Texture coordinates, colours, normals, polygons and materials of mesh files, in and out.

#include <gtest/gtest.h>

#include <filesystem>

#include "io/sink_frames.hpp"
#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/texture_files.hpp"

namespace pliant {
namespace {

/// A pyramid of a quad and four triangles; two materials, a seam, colours as sRGB, flat normals by smoothing groups.
constexpr const char* pyramid =
    "mtllib pyramid.mtl\n"
    "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 0 1 0 0 1\nv 0 0 1 1 1 1\nv 0.5 1 0.5 0.6 0.6 0.6\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n"
    "s off\nusemtl base\nf 1/1 2/2 3/3 4/4\nusemtl roof tiles\nf 2/1 1/2 5/5\nf 3/1 2/2 5/5\nf 4/1 3/2 5/5\nf 1/1 4/2 "
    "5/5\n";

TriMesh parse_pyramid() {
    const auto beside = [](const std::string& name) -> std::optional<std::string> {
        if (name != "pyramid.mtl") return {};
        return "newmtl base\nKd 0.25 0.5 0.75\nmap_Kd wood.png\n";
    };
    return *parse_mesh(pyramid, "obj", "pyramid.obj", beside).surface;
}

TEST(MeshAttributes, ObjBringsAllOfIt) {
    const TriMesh mesh = parse_pyramid();
    ASSERT_TRUE(mesh.attributes);
    const SurfaceAttributes& a = *mesh.attributes;
    EXPECT_EQ(a.polygon_size, (std::vector<int>{4, 3, 3, 3, 3}));
    ASSERT_EQ(a.materials.size(), 2U);
    EXPECT_EQ(a.materials[1].name, "roof tiles");
    EXPECT_EQ(a.materials[0].color, (std::array<float, 3>{0.25F, 0.5F, 0.75F}));
    EXPECT_EQ(a.material, (std::vector<int>{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(a.uv[8], (std::array<float, 2>{0.5F, 0.5F}));
    EXPECT_NEAR(a.color[8][0], 0.3185, 1e-4);  // sRGB 0.6, which is 153 of 255
    // "s off": every polygon has its own normal.
    const std::vector<Vec3> normals = moved_corner_normals(a, mesh.points, mesh.triangles);
    for (int c = 0; c < 6; ++c)
        EXPECT_LT((normals[c] - Vec3(0, 1, 0)).norm() * (normals[c] + Vec3(0, 1, 0)).norm(), 1e-6);
    for (std::size_t t = 2; t < 6; ++t)
        for (std::size_t k = 1; k < 3; ++k) EXPECT_LT((normals[3 * t + k] - normals[3 * t]).norm(), 1e-6);
    EXPECT_GT((normals[6] - normals[9]).norm(), 0.5);
}

/// Corner by corner, whatever the numbering: position, texture, colour, normal and the material's name.
std::multiset<std::string> corner_lines(const TriMesh& mesh, bool normals = true) {
    const SurfaceAttributes& a = *mesh.attributes;
    const std::vector<Vec3> n =
        a.shading.empty() ? std::vector<Vec3>{} : moved_corner_normals(a, mesh.points, mesh.triangles);
    std::multiset<std::string> lines;
    for (std::size_t c = 0; c < 3 * mesh.triangles.size(); ++c) {
        const Vec3& p = mesh.points[mesh.triangles[c / 3][c % 3]];
        char text[300];
        std::snprintf(text, sizeof text, "%.5f %.5f %.5f uv %.5f %.5f color %.2f %.2f %.2f", p.x(), p.y(), p.z(),
                      a.uv[c][0], a.uv[c][1], a.color[c][0], a.color[c][1], a.color[c][2]);
        std::string line = text;
        if (normals) {
            std::snprintf(text, sizeof text, " n %.3f %.3f %.3f", n[c].x() + 0.0, n[c].y() + 0.0, n[c].z() + 0.0);
            line += text;
        }
        lines.insert(line + " " + a.materials[a.material[c / 3]].name);
    }
    return lines;
}

/// The first bytes of a PNG, so that glTF takes it; nobody looks further.
const std::string some_picture = std::string("\x89PNG\r\n\x1a\n") + "the rest";

TEST(MeshAttributes, TexturesAreCarriedAlong) {
    const auto beside = [](const std::string& name) -> std::optional<std::string> {
        if (name == "pyramid.mtl")
            return "newmtl base\nmap_Kd -o 0.5 0 -clamp on C:\\art\\dark wood.png\nnewmtl roof tiles\nmap_Kd "
                   "gone.png\n";
        if (name == "dark wood.png") return some_picture;
        if (name.find(':') != std::string::npos) throw UserError("outside the folder");
        return {};
    };
    const MeshFile file = parse_mesh(pyramid, "obj", "pyramid.obj", beside);
    const std::vector<SurfaceMaterial>& brought = file.surface->attributes->materials;
    ASSERT_TRUE(brought[0].texture);
    EXPECT_EQ(*brought[0].texture, (PictureFile{"dark wood.png", some_picture}));
    EXPECT_FALSE(brought[1].texture);
    ASSERT_FALSE(file.notes.empty());
    EXPECT_NE(file.notes.back().find("gone.png"), std::string::npos) << file.notes.back();

    test::TemporaryDirectory dir;
    for (const char* name : {"out.obj", "out.glb"}) {
        write_surface((dir.path / name).string(), *file.surface);
        const TriMesh back = read_surface((dir.path / name).string());
        ASSERT_EQ(back.attributes->materials.size(), 2U) << name;
        ASSERT_TRUE(back.attributes->materials[0].texture) << name;
        EXPECT_EQ(back.attributes->materials[0].texture->bytes, some_picture) << name;
        EXPECT_FALSE(back.attributes->materials[1].texture) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(dir.path / "textures" / "dark_wood.png"));
}

/// A PNG up to its colour type: 0 is grey, 2 has colours.
std::string png_head(char color_type, const std::string& rest) {
    return "\x89PNG\r\n\x1a\n" + std::string(17, '\0') + color_type + rest;
}

/// What becomes of the material `base` with this library.
SurfaceMaterial material_of(const std::string& library, std::vector<std::string>* notes = nullptr) {
    const auto beside = [&](const std::string& name) -> std::optional<std::string> {
        if (name == "pyramid.mtl") return "newmtl base\n" + library;
        if (name == "grey.jpg") return std::string("\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\xb\x8\0\1\0\1\1", 18);
        return png_head(name.starts_with("grey") ? 0 : 2, name);
    };
    const MeshFile file = parse_mesh(pyramid, "obj", "pyramid.obj", beside);
    if (notes) *notes = file.notes;
    return file.surface->attributes->materials[0];
}

TriMesh pyramid_of(const SurfaceMaterial& base) {
    TriMesh mesh = parse_pyramid();
    SurfaceAttributes attributes = *mesh.attributes;
    attributes.materials[0] = base;
    mesh.attributes = std::make_shared<const SurfaceAttributes>(attributes);
    return mesh;
}

TEST(MeshAttributes, NormalsRoughnessAndMetalAreCarriedAlong) {
    const SurfaceMaterial brought = material_of(
        "Kd 0.25 0.5 0.75\nPr 0.5\nPm 0.25\nmap_Pr -imfchan g orm.png\nmap_Pm -imfchan b orm.png\n"
        "norm -bm 0.75 n.png\nmap_Kd c.png\n");
    EXPECT_EQ(brought.roughness, 0.5F);
    EXPECT_EQ(brought.metallic, 0.25F);
    ASSERT_TRUE(brought.texture && brought.roughness_map && brought.normal_map);
    EXPECT_EQ(brought.roughness_map, brought.metallic_map) << "one file is one picture";
    EXPECT_EQ(brought.normal_strength, 0.75F);
    test::TemporaryDirectory dir;
    for (const char* name : {"out.obj", "out.glb"}) {
        write_surface((dir.path / name).string(), pyramid_of(brought));
        EXPECT_EQ(read_surface((dir.path / name).string()).attributes->materials[0], brought) << name;
    }
}

TEST(MeshAttributes, BumpMapsAreNormalsWhereTheyHaveColours) {
    const SurfaceMaterial blender = material_of("map_Bump -bm 2 bumps.png\n");
    EXPECT_TRUE(blender.normal_map);
    EXPECT_EQ(blender.normal_strength, 2);
    std::vector<std::string> notes;
    for (const char* heights : {"bump grey.png\n", "map_bump grey.jpg\n"}) {
        EXPECT_FALSE(material_of(heights, &notes).normal_map) << heights;
        EXPECT_NE(notes.back().find("heights"), std::string::npos) << notes.back();
    }
    // A grey picture has the same in each channel; of one with colours only the right channel is taken.
    EXPECT_TRUE(material_of("map_Pr -imfchan r grey.png\n").roughness_map);
    EXPECT_EQ(material_of("map_Pr grey.png\n").roughness, 1.0F) << "where no number is given";
    EXPECT_FALSE(material_of("map_Pr -imfchan r orm.png\n", &notes).roughness_map);
    EXPECT_NE(notes.back().find("channel"), std::string::npos) << notes.back();
}

/// glTF has roughness and metal in one picture.
TEST(MeshAttributes, TwoPicturesOfRoughnessAndMetalAreNumbersInGltf) {
    test::TemporaryDirectory dir;
    const auto through_gltf = [&](const char* library) {
        write_surface((dir.path / "out.glb").string(), pyramid_of(material_of(library)));
        return read_surface((dir.path / "out.glb").string()).attributes->materials[0];
    };
    const SurfaceMaterial two = through_gltf("Pr 0.5\nPm 0.25\nmap_Pr grey1.png\nmap_Pm grey2.png\n");
    EXPECT_FALSE(two.roughness_map || two.metallic_map);
    EXPECT_EQ(two.roughness, 0.5F);
    EXPECT_EQ(two.metallic, 0.25F);
    EXPECT_TRUE(through_gltf("map_Pr grey1.png\n").roughness_map) << "without metal the other channel says nothing";
}

TEST(MeshAttributes, PicturesOfOneNameAndDifferentContentsAreKeptApart) {
    test::TemporaryDirectory dir;
    TextureFolder folder(dir.path);
    const auto picture = [](const char* bytes) {
        return std::make_shared<const PictureFile>(PictureFile{"a.b.png", bytes});
    };
    EXPECT_EQ(folder.place(picture("one")), "textures/a.b.png");
    EXPECT_EQ(folder.place(picture("two")), "textures/a.b_2.png");
    EXPECT_EQ(folder.place(picture("one")), "textures/a.b.png");
    EXPECT_EQ(folder.place(nullptr), "");
    EXPECT_EQ(read_file((dir.path / "textures/a.b_2.png").string()), "two");
}

TEST(MeshAttributes, FilesComeBackAsTheyWent) {
    test::TemporaryDirectory dir;
    const TriMesh mesh = parse_pyramid();
    for (const char* name : {"p.obj", "p.ply", "p.glb"}) {
        SCOPED_TRACE(name);
        const std::string path = (dir.path / name).string(), format = std::filesystem::path(name).extension();
        write_surface(path, mesh);
        const TriMesh back = read_surface(path);
        ASSERT_TRUE(back.attributes);
        // OBJ writes names without blanks; PLY has one normal per point.
        TriMesh expected = mesh;
        if (format == ".obj") {
            SurfaceAttributes renamed = *mesh.attributes;
            renamed.materials[1].name = "roof_tiles";
            expected.attributes = std::make_shared<const SurfaceAttributes>(renamed);
        }
        EXPECT_EQ(corner_lines(back, format != ".ply"), corner_lines(expected, format != ".ply"));
        if (format != ".glb") {  // which has triangles only
            EXPECT_EQ(back.attributes->polygon_size, mesh.attributes->polygon_size);
            EXPECT_EQ(back.points, mesh.points);
        }
        EXPECT_TRUE(inspect(back).closed());
        EXPECT_EQ(back.points.size(), 5U) << "seams are welded";
    }
}

TEST(MeshAttributes, WrongNumbersAreNamed) {
    const auto refused = [](const std::string& text, const std::string& part) {
        try {
            parse_mesh(text, "obj", "f.obj");
            ADD_FAILURE() << text;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n";
    refused(points + "f 1/2 2/1 3/1\n", "texture point 2");
    refused(points + "f 1/1/3 2/1/1 3/1/1\n", "normal 3");
    refused(points + "f 1/0 2/1 3/1\n", "counts from 1");
    refused(points + "f 1/-4 2/1 3/1\n", "before the first texture point");
    refused(points + "f 1/x 2/1 3/1\n", "12/3/4");
    refused(points + "vt one 2\nf 1 2 3\n", "texture coordinate");
    EXPECT_FALSE(parse_mesh(points + "f 1 2 3\n", "obj", "f.obj").surface->attributes) << "nothing was used";
}

/// A body with all attributes, which from frame 3 on has a crack face with a slot of its own.
Frame painted_frame(int index) {
    Frame frame;
    frame.index = index;
    frame.time = index / 50.0;
    BodyFrame body;
    body.name = "pyramid";
    body.kind = "fem";
    TriMesh mesh = parse_pyramid();
    for (Vec3& p : mesh.points) p.y() += 0.01 * index * p.x();
    const bool broken = index >= 3;
    static std::map<bool, std::pair<std::shared_ptr<const std::vector<Tri>>, std::shared_ptr<const SurfaceAttributes>>>
        shared;
    auto& [triangles, attributes] = shared[broken];
    if (!triangles) {
        SurfaceAttributes a = *mesh.attributes;
        if (broken) {
            mesh.triangles.push_back({0, 4, 2});
            for (int k = 0; k < 3; ++k) {
                a.uv.push_back({0.1F * static_cast<float>(k), 0.2F}), a.color.push_back({1, 1, 1, 1});
                a.local_normal.push_back({0, 0, 1}), a.shading.push_back(static_cast<int>(a.shading.size()) - 2);
                a.polygon_corner.push_back(18 + k);
            }
            a.polygon_size.push_back(3);
            a.material.push_back(2), a.materials.push_back({.name = "inside"});
        }
        a.materials[0] =
            material_of("Kd 0.25 0.5 0.75\nPr 0.5\nPm 1\nmap_Pr r.png\nmap_Pm m.png\nnorm -bm 2 n.png\nmap_Kd k.png\n");
        triangles = std::make_shared<const std::vector<Tri>>(mesh.triangles);
        attributes = std::make_shared<const SurfaceAttributes>(a);
    }
    body.triangles = triangles, body.attributes = attributes, body.surface_revision = broken ? 2 : 1;
    body.points = mesh.points;
    body.normals = vertex_normals(mesh.points, *triangles);
    Field crack{"crack", "", Field::On::triangle, 1, std::vector<float>(triangles->size(), 0)};
    if (broken) crack.values.back() = 1;
    body.fields = {crack, {"piece", "", Field::On::triangle, 1, std::vector<float>(triangles->size(), 0)}};
    frame.bodies = {body};
    return frame;
}

TEST(MeshAttributes, FramesOnDiskKeepThem) {
    test::TemporaryDirectory dir;
    const auto sink = make_sinks("frames", dir.path);
    sink[0]->begin({.scene = "p.lua",
                    .camera = RunInfo::Camera{{1, 2, 3}, {0, 0, 0}, 30},
                    .ground = RunInfo::Ground{-1, {0, 1, 0}}});
    for (int i = 0; i < 5; ++i) sink[0]->write(painted_frame(i));
    RunDirectory run(dir.path);
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(*run.load(i).bodies[0].attributes, *painted_frame(i).bodies[0].attributes) << i;
    ASSERT_TRUE(run.info().camera && run.info().ground);
    EXPECT_EQ(run.info().camera->eye, Vec3(1, 2, 3));
    EXPECT_EQ(run.info().ground->height, -1);
    EXPECT_EQ(run.load(0).bodies[0].attributes, run.load(1).bodies[0].attributes) << "shared, not read twice";

    // A frame of an older version is answered with one sentence.
    std::string old = test::contents(dir.path / "frames" / "000004.frame");
    old[7] = '2';
    std::ofstream(dir.path / "frames" / "000004.frame", std::ios::binary) << old;
    try {
        run.load(4);
        ADD_FAILURE();
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("another version"), std::string::npos) << error.what();
    }
}

/// A run that was stopped after any frame and resumed leaves what one that was not leaves.
TEST(MeshAttributes, ResumedRunsLeaveTheSame) {
    const auto write = [](const std::filesystem::path& to, const std::string& kinds, int from, int till, bool finish) {
        for (const auto& sink : make_sinks(kinds, to)) {
            sink->begin({.scene = "p.lua", .frames = 6, .ground = RunInfo::Ground{}});
            for (int i = from; i < till; ++i) sink->write(painted_frame(i));
            if (finish) sink->finish();
        }
    };
    test::TemporaryDirectory whole(test::TemporaryDirectory::On::memory);
    write(whole.path, "usd,gltf,obj", 0, 6, true);
    const auto expected = test::tree(whole.path);
    EXPECT_EQ(expected.size(), 17U);  // stage, glb, six frames and one .mtl, and four pictures twice
    for (int stop = 1; stop < 6; ++stop) {
        test::TemporaryDirectory parts(test::TemporaryDirectory::On::memory);
        write(parts.path, "usd,gltf,obj", 0, stop, false);
        write(parts.path, "usd,gltf,obj", stop, 6, true);
        const auto found = test::tree(parts.path);
        ASSERT_EQ(found.size(), expected.size()) << stop;
        for (const auto& [name, bytes] : expected) EXPECT_TRUE(found.at(name) == bytes) << name << " after " << stop;
    }
}

}  // namespace
}  // namespace pliant
