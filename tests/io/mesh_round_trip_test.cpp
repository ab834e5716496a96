// Every format gives back what was written, and files as other programs write them are read.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mesh_samples.hpp"
#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/foreign_bytes.hpp"

namespace pliant {
namespace {

/// Triangles as sorted rotations of their corner positions: what must survive renumbering.
std::multiset<std::array<double, 9>> corner_set(const TriMesh& mesh, bool single_precision) {
    std::multiset<std::array<double, 9>> out;
    for (const Tri& t : mesh.triangles) {
        std::array<double, 9> best;
        best.fill(1e300);
        for (int turn = 0; turn < 3; ++turn) {
            std::array<double, 9> row;
            for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 3; ++k) {
                    const double x = mesh.points[t[(c + turn) % 3]][k];
                    row[static_cast<std::size_t>(3 * c + k)] = single_precision ? static_cast<float>(x) : x;
                }
            best = std::min(best, row);
        }
        out.insert(best);
    }
    return out;
}

TEST(MeshRoundTrip, SurfacesComeBack) {
    for (const Sample& sample : surface_samples()) {
        SCOPED_TRACE(sample.label);
        const MeshFile file = sample.parse(sample.bytes);
        ASSERT_TRUE(file.surface.has_value());
        EXPECT_EQ(file.format, sample.format);
        EXPECT_EQ(corner_set(*file.surface, false), corner_set(sample_surface(), sample.single_precision));
        EXPECT_EQ(file.surface->points.size(), 8U);
        EXPECT_TRUE(inspect(*file.surface).closed());
    }
}

TEST(MeshRoundTrip, TetsComeBackWithTheirRegions) {
    const TetMesh expected = sample_tets();
    for (const Sample& sample : tet_samples()) {
        SCOPED_TRACE(sample.label);
        const MeshFile file = sample.parse(sample.bytes);
        ASSERT_TRUE(file.volume.has_value());
        EXPECT_EQ(file.volume->rest, expected.rest);
        auto sorted = [](const TetMesh& mesh) {  // Gmsh 4.1 groups the tets by region
            std::multiset<std::pair<Tet, int>> rows;
            for (std::size_t t = 0; t < mesh.tets.size(); ++t) rows.insert({mesh.tets[t], mesh.region.at(t)});
            return rows;
        };
        EXPECT_EQ(sorted(*file.volume), sorted(expected));
    }
}

TEST(MeshRoundTrip, FilesOnDiskAndBoundaries) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pliant-mesh-files";
    std::filesystem::remove_all(folder);
    ensure_directory(folder.string());
    auto at = [&](const char* name) { return (folder / name).string(); };
    for (const char* name : {"t.ele", "t.msh", "t.mesh", "t.vtk", "t.vtu", "t.veg"}) {
        SCOPED_TRACE(name);
        write_tets(at(name), sample_tets());
        EXPECT_EQ(read_tets(at(name)).tets.size(), 6U);
        std::vector<std::string> notes;
        const TriMesh boundary = read_surface(at(name), &notes);
        EXPECT_EQ(boundary.triangles.size(), 12U);
        EXPECT_GT(enclosed_volume(boundary.points, boundary.triangles), 0);
        EXPECT_FALSE(notes.empty());
    }
    EXPECT_EQ(read_tets(at("t.node")).tets.size(), 6U);
    for (const char* name : {"s.obj", "s.ply", "s.stl", "s.off", "s.glb", "s.msh", "s.mesh", "s.vtk", "s.vtu"}) {
        SCOPED_TRACE(name);
        write_surface(at(name), sample_surface());
        EXPECT_EQ(read_surface(at(name)).triangles.size(), 12U);
        EXPECT_THROW(read_tets(at(name)), UserError);
        std::filesystem::copy(at(name), at("unknown.kind"), std::filesystem::copy_options::overwrite_existing);
        EXPECT_EQ(read_surface(at("unknown.kind")).triangles.size(), 12U) << "by content";
    }
    EXPECT_THROW(write_surface(at("s.veg"), sample_surface()), UserError);
    EXPECT_THROW(write_tets(at("t.obj"), sample_tets()), UserError);
    EXPECT_THROW(write_surface(at("s.xyz"), sample_surface()), UserError);
    std::filesystem::remove_all(folder);
}

MeshFile parse(const std::string& format, const std::string& text, const char* name = "f") {
    return parse_mesh(text, format, name);
}

TEST(MeshReading, ObjOfOtherPrograms) {
    const MeshFile file = parse("obj",
                                "# comment\r\nmtllib a.mtl\r\nv 0 0 0 1 0 0\r\nv +1 0 0\r\nv 1 1e0 0\nv 0 1. 0 # end\n"
                                "vn 0 0 1\nvt 0 0\ng x\nusemtl y\ns off\nf 1//1 2/1 3/1/1 -1\nl 1 2\n");
    EXPECT_EQ(file.surface->points.size(), 4U);
    EXPECT_EQ(file.surface->triangles.size(), 2U);
    EXPECT_EQ(parse("obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").surface->triangles.size(), 1U) << "faces first";
}

TEST(MeshReading, BigEndianPlyWithOtherPropertiesAndStrips) {
    std::string bytes =
        "ply\nformat binary_big_endian 1.0\ncomment x\nelement vertex 4\nproperty uchar red\nproperty float x\n"
        "property float y\nproperty float z\nelement extra 1\nproperty list uchar short stuff\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n";
    auto put = [&](auto value) {
        value = swapped_bytes(value);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    for (const auto& p : corners) {
        bytes += '\x7f';
        for (float x : p) put(x);
    }
    bytes += '\x02';
    put(std::int16_t{5}), put(std::int16_t{6});
    put(std::int32_t{6});
    for (int v : {0, 1, 2, 3, -1, 0}) put(std::int32_t{v});
    const TriMesh mesh = *parse("ply", bytes).surface;
    ASSERT_EQ(mesh.triangles.size(), 2U);
    EXPECT_EQ(mesh.points[3], Vec3(1, 1, 0));
    const std::vector<Vec3> normals = vertex_normals(mesh.points, mesh.triangles);
    for (const Vec3& n : normals) EXPECT_DOUBLE_EQ(n.z(), 1) << "every other triangle of a strip is turned";
}

TEST(MeshReading, OffVariants) {
    EXPECT_EQ(parse("off", "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n").surface->triangles.size(), 1U);
    EXPECT_EQ(
        parse("off", "COFF\n# c\n3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n").surface->points.size(),
        3U);
}

TEST(MeshReading, StlWeldsEqualCorners) {
    const Sample stl = surface_samples()[4];
    EXPECT_EQ(stl.parse(stl.bytes).surface->points.size(), 8U);
}

TEST(MeshReading, ZeroBasedTetgenAndQuadraticTets) {
    const std::string nodes = "4 3 0 1\n0 0 0 0 1\n1 1 0 0 1\n2 0 1 0 1\n3 0 0 1 1\n";
    auto beside = [&](const std::string& leaf) { return leaf == "a.1.node" ? std::optional(nodes) : std::nullopt; };
    const MeshFile file = parse_mesh("# t\n1 4 0\n0 0 2 1 3\n", "tetgen", "a.1.ele", beside);
    EXPECT_EQ(file.volume->tets.size(), 1U);
    EXPECT_GT(total_volume(file.volume->rest, file.volume->tets), 0) << "inverted tets are turned";
    EXPECT_TRUE(file.volume->region.empty());

    const MeshFile quadratic = parse(
        "msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 5 \"body\"\n$EndPhysicalNames\n"
        "$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 0 1 0\n40 0 0 1\n5 9 9 9\n6 9 9 9\n7 9 9 9\n8 9 9 9\n9 9 9 9\n"
        "10 9 9 9\n99 7 7 7\n$EndNodes\n$Elements\n2\n1 15 2 0 1 99\n2 11 2 5 1 1 2 3 40 5 6 7 8 9 10\n$EndElements\n");
    EXPECT_EQ(quadratic.volume->rest.size(), 4U);
    EXPECT_EQ(quadratic.volume->region, std::vector<int>{5});
}

TEST(MeshReading, GmshPhysicalGroupsOf41) {
    const std::string text =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 2\n1 0 0 0 1 1 1 1 12 0\n2 0 0 0 1 1 1 0 "
        "0\n$EndEntities\n"
        "$Nodes\n2 5 1 9\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 2 1 1\n9\n1 1 1 0.5 0.5 0.5\n$EndNodes\n"
        "$Elements\n2 2 1 2\n3 1 4 1\n1 1 2 3 4\n3 2 4 1\n2 2 3 4 9\n$EndElements\n";
    const MeshFile file = parse("msh", text);
    EXPECT_EQ(file.volume->region, (std::vector<int>{12, 2}));
}

TEST(MeshReading, LegacyVtkVersion51AndPolydata) {
    const std::string grid =
        "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
        "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1\n\nCELLS 2 4\nOFFSETS "
        "vtktypeint64\n0 4\n"
        "CONNECTIVITY vtktypeint64\n0 1 2 3\n\nCELL_TYPES 1\n10\n\nPOINT_DATA 4\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 "
        "0 0\n"
        "CELL_DATA 1\nFIELD FieldData 2\nother 2 1 double\n1.5 2.5\nregion 1 1 int\n4\n";
    EXPECT_EQ(parse("vtk", grid).volume->region, std::vector<int>{4});
    const std::string poly =
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 1 "
        "5\n4 0 1 2 3\n";
    EXPECT_EQ(parse("vtk", poly).surface->triangles.size(), 2U);
}

std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    return out;
}

/// A .vtu as ParaView writes it by default: base64 inline, zlib, UInt32 headers, two blocks an array.
std::string compressed_vtu(bool zlib) {
    auto array = [&](const char* name, const char* type, const std::string& raw) {
        auto word = [](std::uint32_t v) { return std::string(reinterpret_cast<const char*>(&v), 4); };
        std::string text = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" format=\"binary\">\n ";
        if (!zlib) return text + base64(word(static_cast<std::uint32_t>(raw.size())) + raw) + "\n</DataArray>\n";
        const std::size_t block = raw.size() / 2 + 1;
        std::vector<std::string> parts{raw.substr(0, block)};
        if (raw.size() > block) parts.push_back(raw.substr(block));
        std::string header = word(static_cast<std::uint32_t>(parts.size())) + word(static_cast<std::uint32_t>(block)) +
                             word(static_cast<std::uint32_t>(raw.size() - block)),
                    data;
        for (const std::string& part : parts) {
            std::string packed(compressBound(part.size()), '\0');
            uLongf size = packed.size();
            compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(part.data()),
                     part.size());
            header += word(static_cast<std::uint32_t>(size));
            data += packed.substr(0, size);
        }
        return text + base64(header) + base64(data) + "\n</DataArray>\n";
    };
    auto raw = [](const auto& values) {
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
    };
    const std::vector<float> points{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::vector<std::int64_t> connectivity{0, 1, 2, 3}, offsets{4};
    const std::vector<std::uint8_t> types{10};
    return std::string(
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
               "byte_order=\"LittleEndian\"") +
           (zlib ? " header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\"" : "") +
           ">\n<UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<PointData></PointData><Points>\n" +
           array("Points", "Float32", raw(points)) + "</Points><Cells>" +
           array("connectivity", "Int64", raw(connectivity)) + array("offsets", "Int64", raw(offsets)) +
           array("types", "UInt8", raw(types) + std::string(0, '\0')) +
           "</Cells></Piece></UnstructuredGrid></VTKFile>\n";
}

TEST(MeshReading, VtuInlineAndCompressed) {
    for (const bool zlib : {false, true}) {
        const MeshFile file = parse("vtu", compressed_vtu(zlib));
        ASSERT_TRUE(file.volume) << zlib;
        EXPECT_NEAR(total_volume(file.volume->rest, file.volume->tets), 1.0 / 6, 1e-15);
    }
}

TEST(MeshReading, VegaSetsAndIncludes) {
    const std::string text =
        "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\n*ELEMENTS\nTETS\n1 4 0\n1 1 2 3 4\n\n"
        "*MATERIAL soft\nENU, 1000, 1e5, 0.4\n\n*REGION\nallElements, soft\n";
    EXPECT_EQ(parse("veg", text).volume->tets.size(), 1U);
    auto beside = [](const std::string& leaf) {
        return leaf == "n.node" ? std::optional<std::string>("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n")
                                : std::nullopt;
    };
    EXPECT_EQ(parse_mesh("*VERTICES\n*INCLUDE n.node\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n", "veg", "a.veg", beside)
                  .volume->tets.size(),
              1U);
}

TEST(MeshReading, GltfTransformsAndBuffers) {
    const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::string raw(reinterpret_cast<const char*>(points), sizeof points);
    auto text = [&](const std::string& uri) {
        return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"translation":[5,0,0],"children":[1]},)"
               R"({"scale":[-2,2,2],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
               R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
               R"("buffers":[{"byteLength":36,"uri":")" +
               uri + "\"}]}";
    };
    const std::string data = text("data:application/octet-stream;base64," + base64(raw));
    const TriMesh mesh = *parse("gltf", data).surface;
    EXPECT_LT((mesh.points[1] - Vec3(5, -2, 0)).norm(), 1e-12) << mesh.points[1].transpose();
    EXPECT_EQ(mesh.triangles[0], (Tri{0, 2, 1})) << "a mirrored mesh keeps its outside";

    std::string asked;
    auto beside = [&](const std::string& leaf) { return asked = leaf, std::optional(raw); };
    EXPECT_EQ(parse_mesh(text("a%20b.bin"), "gltf", "a.gltf", beside).surface->triangles.size(), 1U);
    EXPECT_EQ(asked, "a b.bin");
    for (const char* uri : {"../x.bin", "/etc/passwd", "file:///etc/passwd", "http://host/x", "a/%2e%2e/../x", "..",
                            "a\\\\..\\\\b", "%2Fetc", ""}) {
        asked.clear();
        EXPECT_THROW(parse_mesh(text(uri), "gltf", "a.gltf", beside), UserError) << uri;
        EXPECT_EQ(asked, "") << uri;
    }
}

}  // namespace
}  // namespace pliant
