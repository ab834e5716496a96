// What fills a body: structure files, the conforming mesher and TetGen as scenes ask for them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/voronoi.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class Volumes : public testing::Test {
protected:
    Volumes() {
        std::string name = (fs::temp_directory_path() / "pliant-volumes-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        std::ofstream(folder_ / "beam.str") << "stands for a structure";
        options_.read_structure = [](const fs::path&) {
            Threads threads(1);
            return particle_structure(bar_mesh(2, 1, 1, Vec3::Zero(), Vec3(2, 1, 1)), threads);
        };
        options_.tetgen = [this](const TriMesh&, const std::string& switches) {
            switches_ = switches;
            return bar_mesh(1, 1, 1, Vec3::Zero(), Vec3::Ones());
        };
    }
    ~Volumes() override { fs::remove_all(folder_); }

    VolumeDesc volume_of(const std::string& text) {
        const std::string body = "fem_body { name = \"b\", surface = box { size = {1, 1, 1} }, volume = " + text +
                                 ", material = { young = 1e5, density = 1000 } }";
        scene_ = std::make_unique<Scene>(Scene::load_text(body, "scene.lua", options_, folder_));
        return scene_->desc().bodies.at(0).volume;
    }
    std::string error_of(const std::string& text) {
        try {
            volume_of(text);
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    }

    fs::path folder_;
    SceneOptions options_;
    std::string switches_;
    std::unique_ptr<Scene> scene_;
};

// A lattice of large cells sticks far out of a ball; density times volume is its mass all the same.
TEST(Mass, OfALatticeBodyIsThatOfItsSurface) {
    for (const char* kind : {"fem_body", "modal_body", "particle_body"}) {
        Simulation simulation(
            Scene::load_text(std::string(kind) + " { surface = sphere { radius = 0.5 }, edge = 0.05, volume = "
                                                 "lattice { cell = 0.4 }, material = { density = 1200 } }",
                             "scene.lua", {}, {}),
            1);
        double heavy = 0, full = 0;
        for_each_body(simulation.world(), [&](const auto& body) {
            heavy = mass(body);
            full = 1200 * total_volume(body.mesh.rest, body.mesh.tets);
        });
        const double exact = 1200 * 4.0 / 3 * std::numbers::pi * 0.125;
        std::printf("%s: %.1f kg, the ball's %.1f kg, whole cells %.1f kg\n", kind, heavy, exact, full);
        EXPECT_NEAR(heavy, exact, 0.02 * exact);
        EXPECT_GT(full, 1.5 * exact);
    }
}

TEST_F(Volumes, StructuresComeWithTheirCells) {
    const VolumeDesc plain = volume_of("structure \"beam.str\"");
    ASSERT_TRUE(plain.structure && plain.mesh);
    EXPECT_EQ(plain.mesh->tets.size(), 12U);
    EXPECT_EQ(plain.structure->rest, plain.mesh->rest);
    double sum = 0;
    for (double v : plain.structure->volume) sum += v;
    EXPECT_NEAR(sum, 2, 1e-14);

    // Half as large, turned a quarter about z and moved: areas by 1/4, volumes by 1/8.
    const VolumeDesc placed =
        volume_of("structure { file = \"beam.str\", scale = 0.5, at = {1, 2, 3}, rotate = {0, 0, 90} }");
    const ParticleStructure &a = *plain.structure, &b = *placed.structure;
    ASSERT_EQ(a.faces.size(), b.faces.size());
    auto moved = [](const Vec3& p) { return Vec3(1 - 0.5 * p.y(), 2 + 0.5 * p.x(), 3 + 0.5 * p.z()); };
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_LT((b.rest[i] - moved(a.rest[i])).norm(), 1e-14);
        EXPECT_NEAR(b.volume[i], a.volume[i] / 8, 1e-15);
    }
    for (std::size_t f = 0; f < a.faces.size(); ++f) {
        const Vec3& area = a.faces[f].area;
        EXPECT_LT((b.faces[f].area - 0.25 * Vec3(-area.y(), area.x(), area.z())).norm(), 1e-14);
        EXPECT_LT((b.faces[f].centre - moved(a.faces[f].centre)).norm(), 1e-14);
    }
    for (std::size_t c = 0; c < a.polygon.size(); ++c)
        EXPECT_LT((b.polygon[c].rest - moved(a.polygon[c].rest)).norm(), 1e-14);
}

TEST_F(Volumes, ConformingAndTetgen) {
    EXPECT_EQ(volume_of("conforming { cell = 0.25 }").cell, 0.25);
    EXPECT_EQ(volume_of("conforming { }").tets, 5000);
    EXPECT_NE(error_of("conforming { cell = 1, tets = 5 }").find("not both"), std::string::npos);
    const VolumeDesc volume = volume_of("tetgen { switches = \"pqa0.01\" }");
    EXPECT_EQ(volume.kind, VolumeDesc::Kind::tetgen);
    EXPECT_EQ(volume.tetgen(TriMesh{}).tets.size(), 6U);
    EXPECT_EQ(switches_, "pqa0.01");
    options_.tetgen = {};
    EXPECT_NE(error_of("tetgen { }").find("scene.lua:1: TetGen cannot be run here"), std::string::npos);
}

TEST_F(Volumes, BadStructuresNameBothPlaces) {
    options_.read_structure = [](const fs::path&) -> ParticleStructure {
        throw UserError("the block faces is missing", {"beam.str"}, "Make it again");
    };
    const std::string text = error_of("structure \"beam.str\"");
    EXPECT_NE(text.find("scene.lua:1: beam.str: the block faces is missing"), std::string::npos) << text;
    EXPECT_NE(error_of("structure \"beem.str\"").find("beam.str"), std::string::npos) << "the nearest name";
}

}  // namespace
}  // namespace pliant
