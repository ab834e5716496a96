// What the .vtu, .vtp and .pvd files say, as ParaView's own reader understands them.

#include <sys/wait.h>

#include <cstdio>

#include "io/sink_frames.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using test::wave_frame;

/// The facts that read_vtu.py prints, by their first word; empty when VTK is not installed.
std::map<std::string, std::string> read_with_vtk(const fs::path& path) {
    const fs::path script = fs::path(__FILE__).parent_path() / "read_vtu.py";
    std::FILE* pipe = ::popen(("/usr/bin/python3 '" + script.string() + "' '" + path.string() + "'").c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::map<std::string, std::string> facts;
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
        const std::string line(buffer);
        const std::size_t space = line.find(' ');
        facts[line.substr(0, space)] = line.substr(space + 1, line.size() - space - 2);
    }
    const int status = ::pclose(pipe);
    const bool absent = WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127);
    if (absent) return {};
    EXPECT_EQ(status, 0) << path;
    return facts;
}

TEST(SinkVtu, ATensorHasSixComponents) {
    TemporaryDirectory dir;
    Frame frame = wave_frame(0);
    const std::size_t tets = frame.bodies[0].tets->size();
    frame.bodies[0].fields.push_back({"stress", "Pa", Field::On::tet, 6, std::vector<float>(6 * tets, 2.5F)});
    const auto sink = make_sinks("vtu", dir.path);
    sink[0]->begin({"wave.lua", 50, 1});
    sink[0]->write(frame);
    sink[0]->finish();
    auto facts = read_with_vtk(dir.path / "vtu" / "jelly_sheet_000000.vtu");
    if (facts.empty()) GTEST_SKIP() << "python3-vtk9 is not installed, so the files are not opened with it";
    EXPECT_EQ(facts["errors"], "0");
    EXPECT_EQ(facts["cell_data"], "stress:6:6 von_mises:1:6");
}

TEST(SinkVtu, OpensInVtk) {
    TemporaryDirectory dir;
    const auto sink = make_sinks("vtu", dir.path);
    sink[0]->begin({"wave.lua", 50, 3});
    for (int i = 0; i < 3; ++i) sink[0]->write(wave_frame(i));
    sink[0]->finish();

    auto tets = read_with_vtk(dir.path / "vtu" / "jelly_sheet_000002.vtu");
    if (tets.empty()) GTEST_SKIP() << "python3-vtk9 is not installed, so the files are not opened with it";
    EXPECT_EQ(tets["errors"], "0");
    EXPECT_EQ(tets["points"], "24");
    EXPECT_EQ(tets["cells"], "6");
    EXPECT_EQ(tets["types"], "10");
    EXPECT_EQ(tets["bounds"], "0 1 0.02 0.186667 0 0.166667");
    EXPECT_EQ(tets["point_data"], "displacement:3:24 velocity:3:24");
    EXPECT_EQ(tets["cell_data"], "von_mises:1:6");
    EXPECT_EQ(tets["time"], "0.04");
    EXPECT_EQ(tets["last_cell"], "20 21 22 23");

    auto surface = read_with_vtk(dir.path / "vtu" / "jelly_sheet-surface_000002.vtp");
    EXPECT_EQ(surface["errors"], "0");
    EXPECT_EQ(surface["points"], "49");
    EXPECT_EQ(surface["cells"], "72");
    EXPECT_EQ(surface["types"], "5");
    EXPECT_EQ(surface["point_data"], "normals:3:49 temperature:1:49 velocity:3:49");
    EXPECT_EQ(surface["cell_data"], "group:1:72");
    EXPECT_EQ(surface["normals"], "yes");
    EXPECT_EQ(surface["last_cell"], "41 47 48");
}

TEST(SinkVtu, CollectionListsEveryFrameWithItsTime) {
    TemporaryDirectory dir;
    const auto sink = make_sinks("vtu", dir.path);
    sink[0]->begin({"wave.lua", 50, 40});
    for (int i = 0; i < 40; ++i) sink[0]->write(wave_frame(i, 1));
    const auto lines_with = [](const std::string& text, const std::string& word) {
        int found = 0;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
        return found;
    };
    // Even if the run were killed now, most frames are listed.
    EXPECT_GE(lines_with(test::contents(dir.path / "vtu" / "jelly_sheet.pvd"), "<DataSet"), 35);
    sink[0]->finish();
    for (const char* name : {"jelly_sheet.pvd", "jelly_sheet-surface.pvd", "floor-surface.pvd"}) {
        const std::string text = test::contents(dir.path / "vtu" / name);
        EXPECT_EQ(lines_with(text, "<DataSet"), 40) << name;
        EXPECT_NE(text.find("timestep=\"0.78\""), std::string::npos) << name;
        EXPECT_NE(text.find("</VTKFile>"), std::string::npos) << name;
    }
    EXPECT_FALSE(fs::exists(dir.path / "vtu" / "floor.pvd"));  // no tets, no mesh
}

}  // namespace
}  // namespace pliant
