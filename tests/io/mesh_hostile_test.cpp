// Damaged and hostile files: each is refused with one sentence that says where, without large allocations.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "mesh_samples.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

struct Hostile {
    const char* format;
    const char* what;
    std::string bytes;
    const char* says;  // part of the message
};

std::vector<Hostile> hostile_files() {
    const std::string tet_nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    const std::string msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", msh41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    const std::string one("\1\0\0\0", 4);
    const std::string msh41_binary = "$MeshFormat\n4.1 1 8\n" + one + "\n$EndMeshFormat\n";
    const std::string vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    const std::string vtk_binary = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n";
    const std::string medit = "MeshVersionFormatted 2\nDimension 3\n";
    const std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const std::string ply_binary = "ply\nformat binary_little_endian 1.0\n";
    const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
    const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    const std::string vtu =
        "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>"
        "<Piece NumberOfPoints=\"1000000000\" NumberOfCells=\"1000000000\"><Points>\n";
    const std::string huge_size("\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
    const std::string gltf = R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)";
    return {
        {"obj", "index out of range", triangle + "f 1 2 9\n", ":4: a face names vertex 9, but the file has only 3"},
        {"obj", "index zero", triangle + "f 0 1 2\n", ":4:"},
        {"obj", "index before the first", triangle + "f -1 -2 -9\n", ":4:"},
        {"obj", "overflowing index", triangle + "f 1 2 99999999999999999999\n", ":4:"},
        {"obj", "not a number", "v 0 0 zero\n", ":1: expected a number"},
        {"obj", "nan", "v 0 0 nan\n", "not a usable number"},
        {"obj", "infinity", "v 0 inf 0\n", "not a usable number"},
        {"obj", "too large", "v 0 1e999 0\n", "not a usable number"},
        {"obj", "two coordinates", "v 0 1\nv 1 2 3\n", ":1:"},
        {"obj", "two corners", triangle + "f 1 2\n", "corners"},
        {"obj", "no faces", triangle, "no faces"},
        {"obj", "bytes", std::string(300, '\xfe'), "no faces"},
        {"ply", "truncated ascii", ply + "0 0 0\n1 0 0\n", "ends"},
        {"ply", "index out of range", ply + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ":13: a face names vertex 3"},
        {"ply", "billion vertices", ply_binary + "element vertex 1000000000\n" + xyz + "end_header\nxx", "too few"},
        {"ply", "billion empty elements", ply_binary + "element none 1000000000000\nend_header\n", "no faces"},
        {"ply", "64-bit count", ply_binary + "element vertex 18446744073709551615\n" + xyz + "end_header\n",
         "too large"},
        {"ply", "negative count", ply_binary + "element vertex -3\n" + xyz + "end_header\n", "at least 0"},
        {"ply", "huge list",
         ply_binary + "element vertex 1\n" + xyz +
             "element face 1\nproperty list uint int vertex_indices\nend_header\n" + std::string(12, '\0') +
             std::string("\xff\xff\xff\xff", 4),
         "too few"},
        {"ply", "no coordinates", ply_binary + "element vertex 1\nproperty float x\nend_header\n\1\2\3\4", "lack"},
        {"ply", "no end of header", "ply\nformat ascii 1.0\nelement vertex 3\n", "header"},
        {"ply", "wrong magic", "plx\n", ":1:"},
        {"ply", "nan in binary",
         ply_binary + "element vertex 1\n" + xyz + "end_header\n" + std::string("\0\0\xc0\x7f", 4) +
             std::string(8, '\0'),
         "byte"},
        {"stl", "billion triangles", std::string(80, 'x') + std::string("\xff\xff\xff\x7f", 4) + std::string(50, '\0'),
         "too few"},
        {"stl", "short header", "short", "byte"},
        {"stl", "ascii without end", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "vertex"},
        {"off", "billion vertices", "OFF\n1000000000 1 0\n0 0 0\n", ":2:"},
        {"off", "index out of range", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", ":6:"},
        {"off", "wrong magic", "FOO\n", "OFF"},
        {"gltf", "broken JSON", "{\"asset\":\n{\n", ":3:"},
        {"gltf", "deep JSON", std::string(100'000, '['), "deep"},
        {"gltf", "no such accessor", gltf + "\"accessors\":[]}", "does not exist"},
        {"gltf", "billion positions",
         gltf +
             R"("accessors":[{"bufferView":0,"componentType":5126,"count":1000000000,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":3}],"buffers":[{"uri":"data:;base64,AAAA"}]})",
         "do not fit"},
        {"gltf", "view beyond buffer",
         gltf +
             R"("accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteOffset":4611686018427387900,"byteLength":12}],"buffers":[{"uri":"data:;base64,AAAA"}]})",
         "beyond"},
        {"gltf", "cycle of nodes",
         R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"children":[0]}]})",
         "two parents"},
        {"gltf", "glb cut short", std::string("glTF\2\0\0\0\xff\0\0\0\xff\xff\xff\x7fJSON{}", 22), "too few"},
        {"tetgen", "billion tets", "1000000000 4 0\n1 1 2 3 4\n", ":1:"},
        {"tetgen", "no such node", "1 4 0\n1 1 2 3 5\n", ":2: a tet names node 5"},
        {"tetgen", "five corners", "1 5 0\n1 1 2 3 4 5\n", "4 or 10"},
        {"msh", "billion nodes", msh + "$Nodes\n1000000000\n1 0 0 0\n", ":5:"},
        {"msh", "billion nodes 4.1", msh41 + "$Nodes\n1 1000000000 1 1000000000\n", ":5:"},
        {"msh", "2^63 nodes in binary", msh41_binary + "$Nodes\n" + one + "\0\0\0" + huge_size + huge_size + huge_size,
         "byte"},
        {"msh", "no such node", msh + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 2\n$EndElements\n",
         ":10:"},
        {"msh", "same number twice", msh + "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "two nodes"},
        {"msh", "unknown type", msh + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 999 0 1\n$EndElements\n", "999"},
        {"msh", "version 1", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", "MeshFormat"},
        {"msh", "version 9", "$MeshFormat\n9.9 0 8\n$EndMeshFormat\n", "9.9"},
        {"msh", "huge tag count", msh + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 2000000000 1\n$EndElements\n",
         "tags"},
        {"msh", "section without end", msh + "$Comments\nx\n", "no end"},
        {"medit", "billion vertices", medit + "Vertices\n1000000000\n0 0 0 0\n", ":4:"},
        {"medit", "index zero", medit + "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n0 1 1 1 0\n", ":8:"},
        {"medit", "two dimensions", "MeshVersionFormatted 2\nDimension 2\n", ":2:"},
        {"medit", "wrong magic", "hello\n", ":1:"},
        {"vtk", "billion points", vtk + "POINTS 1000000000 float\n0 0 0\n", ":5:"},
        {"vtk", "billion points in binary", vtk_binary + "POINTS 1000000000 float\n0123", "too few"},
        {"vtk", "cells longer than their list", vtk + "POINTS 1 float\n0 0 0\nCELLS 1 2\n900 0\n", "corners"},
        {"vtk", "no such point", vtk + "POINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 0 9\nCELL_TYPES 1\n10\n",
         "names point 9"},
        {"vtk", "no types", vtk + "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\n", "cell types"},
        {"vtk", "wrong magic", "hello\n", ":1:"},
        {"vtu", "size of 2^63 bytes",
         vtu +
             "<DataArray type=\"Float32\" format=\"appended\" "
             "offset=\"0\"/></Points></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_" +
             huge_size,
         "far more"},
        {"vtu", "offset beyond the end",
         vtu + "<DataArray type=\"Float32\" format=\"appended\" "
               "offset=\"99999999999\"/></Points></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_1234",
         "beyond"},
        {"vtu", "not base64", vtu + "<DataArray type=\"Float32\" format=\"binary\">################</DataArray>",
         "base64"},
        {"vtu", "tag without end", "<VTKFile type=\"UnstructuredGrid\"", "no end"},
        {"vtu", "other XML", "<html></html>", "no VTK"},
        {"vtu", "unknown compressor", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
         "vtkLZ4"},
        {"veg", "billion vertices", "*VERTICES\n1000000000 3 0 0\n1 0 0 0\n", ":2:"},
        {"veg", "cubes", "*VERTICES\n" + tet_nodes + "*ELEMENTS\nCUBIC\n1 8 0\n", "only TET"},
        {"veg", "missing include", "*VERTICES\n*INCLUDE nothing.node\n", "not beside"},
        {"veg", "unknown set", "*VERTICES\n" + tet_nodes + "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*REGION\nfoo, bar\n",
         "not defined"},
        {"obj", "empty file", "", "empty"},
    };
}

TEST(MeshHostile, EachIsRefusedWithASentence) {
    const std::string nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    for (const Hostile& file : hostile_files()) {
        SCOPED_TRACE(std::string(file.format) + ", " + file.what);
        const bool tetgen = std::string(file.format) == "tetgen";
        const ReadBeside beside = [&](const std::string&) { return tetgen ? std::optional(nodes) : std::nullopt; };
        try {
            parse_mesh(file.bytes, file.format, tetgen ? "f.ele" : "f", beside);
            ADD_FAILURE() << "was accepted";
        } catch (const UserError& error) {
            const std::string text = error.what();
            EXPECT_EQ(text.rfind("f", 0), 0U) << text;
            EXPECT_NE(text.find(file.says), std::string::npos) << text;
            EXPECT_EQ(text.find('\n'), std::string::npos) << text;
            EXPECT_LT(text.size(), 300U) << text;
        }
    }
}

/// Every sample, damaged in many ways, is either read or refused; anything else (a crash, another exception, a hang)
/// is a defect. Deterministic: the seed is fixed.
TEST(MeshHostile, MutationsAreReadOrRefused) {
    std::vector<Sample> samples = surface_samples();
    for (Sample& sample : tet_samples()) samples.push_back(std::move(sample));
    samples.push_back(structure_sample());
    constexpr int rounds = 600;
    constexpr const char* words[] = {"-1",         "0",           "1e999", "nan", "4294967296", "9223372036854775807",
                                     "1000000000", "-9999999999", " ",     "\n",  "<",          "$",
                                     "{",          "\"",          "3"};
    long long accepted = 0, refused = 0;
    for (const Sample& sample : samples) {
        SCOPED_TRACE(sample.label);
        Rng rng(20, std::hash<std::string>{}(sample.label));
        for (int round = 0; round < rounds; ++round) {
            std::string bytes = sample.bytes;
            const std::uint64_t changes = 1 + rng.below(4);
            for (std::uint64_t c = 0; c < changes && !bytes.empty(); ++c) {
                const std::size_t at = rng.below(bytes.size());
                switch (rng.below(7)) {
                    case 0: bytes.resize(at); break;
                    case 1: bytes[at] = static_cast<char>(rng.next()); break;
                    case 2: bytes[at] ^= static_cast<char>(1 << rng.below(8)); break;
                    case 3: bytes.erase(at, 1 + rng.below(16)); break;
                    case 4: bytes.insert(at, words[rng.below(std::size(words))]); break;
                    case 5: bytes.insert(at, bytes.substr(rng.below(bytes.size()), 1 + rng.below(32))); break;
                    default:
                        for (std::size_t k = at; k < std::min(bytes.size(), at + 8); ++k)
                            bytes[k] = static_cast<char>(rng.below(2) ? 0xff : 0x7f);
                }
            }
            try {
                const MeshFile file = sample.parse(bytes);
                ++accepted;
                // What was accepted must be safe to use.
                const std::vector<Vec3>& points = file.volume ? file.volume->rest : file.surface->points;
                for (const Vec3& p : points) ASSERT_TRUE(p.allFinite());
                const auto n = static_cast<int>(points.size());
                if (file.volume)
                    for (const Tet& t : file.volume->tets)
                        for (int v : t) ASSERT_TRUE(v >= 0 && v < n);
                else
                    for (const Tri& t : file.surface->triangles)
                        for (int v : t) ASSERT_TRUE(v >= 0 && v < n);
            } catch (const UserError&) {
                ++refused;
            }
        }
    }
    std::printf("%lld damaged files read, %lld refused\n", accepted, refused);
    EXPECT_GT(refused, accepted / 10);
    EXPECT_GT(accepted, 0);
}

/// No input of a few kilobytes may make us take much memory: the peak of the whole process tells.
TEST(MeshHostile, SmallFilesTakeLittleMemory) {
    for (const Hostile& file : hostile_files()) {
        try {
            parse_mesh(file.bytes, file.format, "f");
        } catch (const UserError&) {
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LT(usage.ru_maxrss, 512 * 1024) << "kB";
#endif
}

}  // namespace
}  // namespace pliant
