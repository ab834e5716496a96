// Structure files: what is written comes back, and whatever is wrong with a file is said in one sentence with its line.

#include "pliant/io/structure_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/voronoi.hpp"

namespace pliant {
namespace {

/// Two tets on a common face, so that there is a neighbour, an outside and an inner edge.
TetMesh two_tets() {
    TetMesh mesh;
    mesh.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.25, 0.25, 1), Vec3(0.25, 0.25, -1)};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    return mesh;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::size_t line_of(const std::vector<std::string>& lines, const std::string& block) {
    return static_cast<std::size_t>(std::find(lines.begin(), lines.end(), block) - lines.begin());
}

// Cubes of edge h between the nodes of a 1 × 1 × 1 bar: cells are octants of the cube, every ridge is a square of a
// quarter of the cube's side, and the centre of the cube is where all eight cells meet.
TEST(StructureFile, TheCubeByHand) {
    Threads threads(1);
    const std::string text =
        format_structure(particle_structure(bar_mesh(1, 1, 1, Vec3::Zero(), Vec3::Constant(2)), threads));
    const StructureFile file = parse_structure(text, "cube.str");
    EXPECT_EQ(file.mesh.rest.size(), 8U);
    EXPECT_EQ(file.mesh.tets.size(), 6U);
    EXPECT_EQ(file.faces.size(), 12U);
    EXPECT_EQ(file.ridges.size(), 12U) << "one per edge of the cube, none along diagonals";
    const ParticleStructure s = structure_of(file, threads);
    for (double v : s.volume) EXPECT_NEAR(v, 1, 1e-14);
    int ridges = 0;
    for (const VoronoiFace& f : s.faces) {
        if (f.b < 0) continue;
        ++ridges;
        EXPECT_LT((f.area - 0.5 * (s.rest[f.b] - s.rest[f.a])).norm(), 1e-14);
    }
    EXPECT_EQ(ridges, 12);
}

TEST(StructureFile, WhatIsWrittenComesBack) {
    Threads threads(1);
    Rng rng(7);
    TetMesh mesh = bar_mesh(3, 2, 2, Vec3(-0.3, 0, 1e-3), Vec3(1.0 / 3, 0.5, 0.7));
    for (Vec3& p : mesh.rest) p += 0.01 * Vec3(rng.uniform(), rng.uniform(), rng.uniform());
    mesh.tets.erase(mesh.tets.begin() + 20, mesh.tets.begin() + 30);  // not convex
    const ParticleStructure before = particle_structure(mesh, threads);
    const std::string text = format_structure(before);
    const ParticleStructure after = structure_of(parse_structure(text, "bar.str"), threads);
    EXPECT_EQ(after.rest, before.rest);
    EXPECT_EQ(after.tets, before.tets);
    EXPECT_EQ(after.edges, before.edges);
    EXPECT_EQ(after.boundary, before.boundary);
    EXPECT_EQ(after.volume, before.volume);
    ASSERT_EQ(after.faces.size(), before.faces.size());
    double worst = 0, moved = 0;
    for (std::size_t f = 0; f < after.faces.size(); ++f) {
        ASSERT_EQ(after.faces[f].a, before.faces[f].a);
        ASSERT_EQ(after.faces[f].b, before.faces[f].b);
        worst = std::max(worst, (after.faces[f].area - before.faces[f].area).norm());
        ASSERT_EQ(after.corners(f).size(), before.corners(f).size());
        for (std::size_t c = 0; c < after.corners(f).size(); ++c) {
            const VoronoiCorner& corner = after.corners(f)[c];
            EXPECT_EQ(corner.rest, before.corners(f)[c].rest);
            Vec3 at = Vec3::Zero();
            for (int k = 0; k < 4; ++k) at += corner.weight[k] * after.rest[after.tets[corner.tet][k]];
            moved = std::max(moved, (at - corner.rest).norm());
        }
    }
    std::cout << before.faces.size() << " faces; areas differ by " << worst << " m², corners by " << moved << " m\n";
    EXPECT_LT(worst, 1e-15);
    EXPECT_LT(moved, 1e-14);
    EXPECT_EQ(format_structure(after), text) << "to the byte";
}

TEST(StructureFile, BlocksComeInAnyOrderAndComments) {
    Threads threads(1);
    const std::string text = format_structure(particle_structure(two_tets(), threads));
    std::vector<std::string> lines = lines_of(text), turned(lines.begin() + 7, lines.end());
    turned.insert(turned.begin(), "# tetrahedra first");
    turned.insert(turned.end(), lines.begin(), lines.begin() + 7);
    EXPECT_EQ(parse_structure(joined(turned), "a.str").mesh.tets, parse_structure(text, "a.str").mesh.tets);
    const MeshFile file = parse_mesh(text, "str", "a.str");
    EXPECT_EQ(file.volume->tets.size(), 2U);
    EXPECT_TRUE(file.structure);
    EXPECT_EQ(mesh_format_of("no-extension", text), "str") << "by content";
}

TEST(StructureFile, WhatIsWrongIsSaidInASentence) {
    Threads threads(1);
    const std::vector<std::string> good = lines_of(format_structure(particle_structure(two_tets(), threads)));
    auto at = [&](const char* block, std::size_t item) { return line_of(good, block) + 2 + item; };
    struct Case {
        std::string what;
        std::vector<std::string> lines;
        std::string says;
        std::size_t line;  // from 1; 0: none is named
    };
    std::vector<Case> cases;
    auto replaced = [&](const char* what, std::size_t line, const std::string& by, const char* says,
                        std::size_t named = 0) {
        std::vector<std::string> lines = good;
        lines[line] = by;
        cases.push_back({what, lines, says, named ? named : line + 1});
    };
    const std::vector<const char*> blocks{"particles",       "tetrahedra",   "neighbors",     "faces",
                                          "voronoivertices", "dependencies", "voronoiridges", "voronoicells"};
    for (const char* block : blocks) {
        // Without the block; with a count that is one too small, one too large, a billion, negative, no number.
        std::vector<std::string> lines = good;
        const std::size_t head = line_of(good, block);
        const std::size_t count = std::stoul(good[head + 1]);
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(head),
                    lines.begin() + static_cast<std::ptrdiff_t>(head + 2 + count));
        cases.push_back({std::string("no ") + block, lines, std::string("the block ") + block + " is missing", 0});
        replaced("count too small", head + 1, std::to_string(count - 1), "expected the name of a block",
                 head + 2 + count);
        replaced("count too large", head + 1, std::to_string(count + 1), "follow");
        replaced("a billion", head + 1, "1000000000", "the file ends");
        replaced("negative", head + 1, "-2", "less than zero");
        replaced("no count", head + 1, "many", "expected a whole number");
        lines = good;
        lines.insert(lines.end(), {block, "0"});
        cases.push_back({std::string("two of ") + block, lines, std::string("two blocks ") + block, good.size() + 1});
    }
    replaced("NaN", at("particles", 1), "0 nan 1", "not a usable number");
    replaced("infinite", at("voronoivertices", 0), "0 0 inf", "not a usable number");
    replaced("too short", at("particles", 2), "0 1", "the line ends where");
    replaced("too long", at("particles", 2), "0 1 0 5", "goes on with '5'");
    replaced("word", at("particles", 0), "0 x 0", "expected a number");
    replaced("tet out of range", at("tetrahedra", 1), "0 2 1 5", "is 5, but must lie in 0 … 4");
    replaced("tet negative", at("tetrahedra", 1), "0 2 1 -1", "is -1");
    replaced("tet twice the same", at("tetrahedra", 1), "0 2 2 4", "same particle twice");
    replaced("the same tet again", at("tetrahedra", 1), "0 2 1 3", "belongs to no tet", at("tetrahedra", 0));
    replaced("neighbour out of range", at("neighbors", 0), "-1 -1 -1 2", "is 2");
    replaced("wrong neighbour", at("neighbors", 0), "-1 -1 -1 -1", "other neighbors");
    replaced("no such face", at("faces", 0), "0 3 4", "belongs to no tet");
    replaced("face out of range", at("faces", 0), "0 3 9", "is 9");
    replaced("dependency out of range", at("dependencies", 0), "0 1 2 7", "is 7");
    replaced("dependency is no tet", at("dependencies", 0), "0 1 3 4", "no tet");
    replaced("ridge between one", at("voronoiridges", 0), "1 1 3 0 1 2", "on both sides");
    replaced("ridge of two", at("voronoiridges", 0), "0 1 2 0 1", "at least 3");
    replaced("ridge too long", at("voronoiridges", 0), "0 1 4 0 1 2", "the line ends");
    replaced("ridge of billions", at("voronoiridges", 0), "0 1 2000000000 0 1 2", "the file ends");
    replaced("no such vertex", at("voronoiridges", 0), "0 1 3 0 1 99", "is 99");
    replaced("no such ridge", at("voronoicells", 0), "1 99", "is 99");
    replaced("not its ridge", at("voronoicells", 4), "1 0", "lies between");
    replaced("ridge not listed", at("voronoicells", 0), "0", "does not list", at("voronoicells", 0));
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        try {
            parse_structure(joined(c.lines), "f.str");
            ADD_FAILURE() << "was accepted";
        } catch (const UserError& error) {
            const std::string text = error.what();
            const std::string place = c.line ? "f.str:" + std::to_string(c.line) + ": " : "f.str: ";
            EXPECT_EQ(text.rfind(place, 0), 0U) << text << "\nnot at " << place;
            EXPECT_NE(text.find(c.says), std::string::npos) << text;
            EXPECT_EQ(text.find('\n'), std::string::npos) << text;
            EXPECT_LT(text.size(), 250U) << text;
        }
    }
    std::cout << cases.size() << " bad files\n";
}

// Ridges of other programs: any turn, several for one pair.
TEST(StructureFile, RidgesAreTurnedAndJoined) {
    Threads threads(1);
    const ParticleStructure s = particle_structure(bar_mesh(1, 1, 1, Vec3::Zero(), Vec3::Constant(2)), threads);
    StructureFile file = parse_structure(format_structure(s), "cube.str");
    const VoronoiRidge ridge = file.ridges[0];
    // Cut the first ridge into a fan of triangles, every other one turned round.
    const std::vector<int> loop(file.corners(ridge).begin(), file.corners(ridge).end());
    file.ridges.erase(file.ridges.begin());
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        file.ridges.push_back({ridge.b, ridge.a, static_cast<int>(file.ridge_vertices.size()), 3});
        std::array<int, 3> triangle{loop[0], loop[i], loop[i + 1]};
        if (i % 2) std::swap(triangle[1], triangle[2]);
        file.ridge_vertices.insert(file.ridge_vertices.end(), triangle.begin(), triangle.end());
    }
    const ParticleStructure again = structure_of(file, threads);
    ASSERT_EQ(again.faces.size(), s.faces.size());
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
        EXPECT_LT((again.faces[f].area - s.faces[f].area).norm(), 1e-14);
        Vec3 fan = Vec3::Zero();
        const auto corners = again.corners(f);
        for (std::size_t c = 0; c < corners.size(); ++c)
            fan += 0.5 * corners[c].rest.cross(corners[(c + 1) % corners.size()].rest);
        EXPECT_LT((fan - again.faces[f].area).norm(), 1e-14) << f;
    }
}

}  // namespace
}  // namespace pliant
