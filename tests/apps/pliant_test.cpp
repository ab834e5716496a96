// Drives the built program as a user does: help, mistakes, bad files, and what is left on the disk after.

#include <gtest/gtest.h>

#include "../scenes/pliant_process.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"

namespace pliant::test {
namespace {

class PliantProgram : public testing::Test {
protected:
    std::string at(const std::string& name) const { return (folder.path / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        write_file_atomic(at(name), bytes);
        return at(name);
    }
    std::vector<std::string> listing() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder.path)) names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
    Outcome run(const std::vector<std::string>& words) const { return run_pliant(words, logs.path); }
    /// Fails with status 1, one line on stderr that holds `part`, nothing on stdout, and no new file.
    void expect_refused(const std::vector<std::string>& words, const std::string& part) const {
        SCOPED_TRACE(words[0] + " … " + part);
        const std::vector<std::string> before = listing();
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_EQ(outcome.err.rfind("pliant: ", 0), 0U) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(listing(), before);
    }
    /// A closed box of 12 triangles.
    std::string box_obj(const std::string& name) const {
        TriMesh mesh;
        for (int i = 0; i < 8; ++i) mesh.points.push_back(Vec3(i & 1 ? 1 : 0, i & 2 ? 1 : 0, i & 4 ? 1 : 0));
        const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
        for (const auto& q : quads) {
            mesh.triangles.push_back({q[0], q[1], q[2]});
            mesh.triangles.push_back({q[0], q[2], q[3]});
        }
        write_surface(at(name), mesh);
        return at(name);
    }

    TemporaryFolder folder, logs;
};

TEST_F(PliantProgram, HelpTeaches) {
    const Outcome help = run({"--help"});
    EXPECT_EQ(help.status, 0);
    for (const char* word : {"run", "mesh", "convert", "info", "models", "Examples", "Exit status"})
        EXPECT_NE(help.out.find(word), std::string::npos) << word;
    for (const char* command : {"run", "scenes", "materials", "mesh", "convert", "info", "models", "render", "sound",
                                "spectrum", "studio", "modes", "bench"}) {
        const Outcome page = run({command, "--help"});
        EXPECT_EQ(page.status, 0) << command;
        EXPECT_NE(page.out.find("Examples:"), std::string::npos) << command;
        EXPECT_EQ(page.out, run({"help", command}).out) << command;
        std::size_t longest = 0, column = 0;
        for (char c : page.out) {
            column = c == '\n' ? 0 : column + ((c & 0xC0) != 0x80);  // letters, not bytes
            longest = std::max(longest, column);
        }
        EXPECT_LE(longest, 120U) << command;
        // Every flag is told in sentences, and -o is --out everywhere.
        const std::size_t flags = page.out.find("Flags:\n") + 7, examples = page.out.find("\nExamples:");
        std::istringstream lines(page.out.substr(flags, examples - flags));
        std::string line, flag;
        std::vector<std::string> entries;
        while (std::getline(lines, line)) {
            if (line.rfind("  -", 0) == 0) entries.emplace_back();
            ASSERT_FALSE(entries.empty()) << line;
            entries.back() += line.substr(std::min<std::size_t>(line.size(), 2)) + " ";
        }
        for (const std::string& entry : entries) {
            const std::size_t words = entry.find("  ");
            ASSERT_NE(words, std::string::npos) << entry;
            const char first = entry[entry.find_first_not_of(' ', words)];
            EXPECT_TRUE(first >= 'A' && first <= 'Z') << command << ": " << entry;
            EXPECT_EQ(entry[entry.find_last_not_of(' ')], '.') << command << ": " << entry;
            EXPECT_TRUE(entry.rfind("-o", 0) != 0 || entry.rfind("-o, --out ", 0) == 0) << entry;
        }
    }
    const Outcome mesh = run({"mesh", "--help"});
    EXPECT_NE(mesh.out.find("Unit: m"), std::string::npos);
    EXPECT_NE(mesh.out.find("Default: 20000"), std::string::npos);
    EXPECT_EQ(run({"--version"}).out.rfind("pliant ", 0), 0U);
}

TEST_F(PliantProgram, WrongUsageIsStatus2WithAHint) {
    auto wrong = [&](const std::vector<std::string>& words, const std::string& part) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << part;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    };
    wrong({}, "Usage");
    wrong({"convret", "a", "b"}, "Did you mean 'convert'?");
    wrong({"help", "inof"}, "Did you mean 'info'?");
    wrong({"info", "a.obj", "--jsno"}, "Did you mean '--json'?");
    wrong({"info"}, "too few arguments");
    wrong({"info", "a", "b"}, "too many arguments");
    wrong({"mesh", "a.obj"}, "-o OUT");
    wrong({"mesh", "a.obj", "-o"}, "needs a value");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "--cell", "wide"}, "wants a number");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "--cell", "-1"}, "above zero");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "--tets", "0"}, "must lie in");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "--cell", "1", "--tets", "5"}, "not both");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "--method", "magic"}, "Known: lattice");
    wrong({"mesh", "a.obj", "-o", "b.vtu", "-o", "c.vtu"}, "twice");
    wrong({"info", "a.obj", "--json=yes"}, "takes no value");
    wrong({"run", "quickstart", "--no-out", "--out", "x"}, "--no-out writes nothing");
    wrong({"run", "quickstart", "--no-out", "--export", "usd"}, "--no-out writes nothing");
    wrong({"run", "quickstart", "--no-out", "--checkpoint-every", "5"}, "--checkpoint-every");
    wrong({"render", "quickstart", "-o", "a.png", "--sheet", "2x2", "--frame", "1"}, "does not go with --frame");
    wrong({"render", "quickstart", "-o", "a.png", "--ground", "0", "--no-ground"}, "contradict");
    wrong({"sound", "quickstart", "-o", "a.wav", "-o", "b.wav"}, "two sounds");
    wrong({"sound", "quickstart", "--cache", "c", "--no-cache"}, "contradict");
    wrong({"models", "buny"}, "Did you mean 'bunny'?");
}

TEST_F(PliantProgram, ScenesAndMaterialsAreListedWhole) {
    const Outcome scenes = run({"scenes"});
    EXPECT_EQ(scenes.status, 0);
    // A paragraph for every scene, and each ends as a sentence does.
    std::istringstream lines(scenes.out);
    std::string line, entry;
    std::vector<std::string> entries;
    while (std::getline(lines, line)) {
        if (line[0] != ' ') entries.emplace_back();
        ASSERT_FALSE(entries.empty());
        entries.back() = line;
        std::size_t letters = 0;
        for (char c : line) letters += (c & 0xC0) != 0x80;
        EXPECT_LE(letters, 120U) << line;
    }
    EXPECT_EQ(entries.size(), all_scenes().size());
    for (const std::string& last : entries) EXPECT_TRUE(last.back() == '.' || last.back() == ')') << last;
    const Outcome materials = run({"materials"});
    for (const char* word : {"rubber", "1100", "0.47", "steel", "7850", "wax", "yield 0.01"})
        EXPECT_NE(materials.out.find(word), std::string::npos) << word;
}

TEST_F(PliantProgram, BadFilesGiveOneSentence) {
    const std::string ply =
        write("cut.ply",
              "ply\nformat binary_little_endian 1.0\nelement vertex 1000\nproperty float x\nproperty float y\n"
              "property float z\nelement face 10\nproperty list uchar int vertex_indices\nend_header\n12345678");
    const std::string obj = write("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 40\n");
    std::string msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1000000000\n1 0 0 0\n";
    while (msh.size() < 300) msh += "2 0 0 1\n";
    const std::string gmsh = write("claims.msh", msh);
    for (const char* command : {"info", "mesh", "convert"}) {
        auto words = [&](const std::string& file) -> std::vector<std::string> {
            if (std::string(command) == "info") return {command, file};
            if (std::string(command) == "mesh") return {command, file, "-o", at("out.vtu")};
            return {command, file, at("out.ply")};
        };
        expect_refused(words(ply), "cut.ply: the file ends");
        expect_refused(words(obj), "range.obj:4: a face names vertex 40");
        expect_refused(words(gmsh), "claims.msh:5: ");
        expect_refused(words(at("missing.obj")), "No such file");
        expect_refused(words(folder.path.string()), "folder");
    }
}

TEST_F(PliantProgram, OutputsThatCannotBeWritten) {
    const std::string box = box_obj("box.obj");
    expect_refused({"convert", box, at("none/out.ply")}, "none/out.ply: cannot write the file");
    expect_refused({"convert", box, "/proc/out.ply"}, "/proc/out.ply: cannot write the file");
    expect_refused({"mesh", box, "-o", at("none/out.vtu"), "--tets", "500"}, "cannot write the file");
    expect_refused({"convert", box, at("out.xyz")}, "Known extensions");
    expect_refused({"convert", box, at("out.veg")}, "pliant mesh");
    expect_refused({"mesh", box, "-o", at("out.obj")}, "cannot hold tets");
}

TEST_F(PliantProgram, ConvertsThereAndBack) {
    const std::string box = box_obj("box.obj");
    for (const char* name : {"a.ply", "a.stl", "a.off", "a.glb", "a.msh", "a.mesh", "a.vtk", "a.vtu"}) {
        const Outcome outcome = run({"convert", box, at(name)});
        EXPECT_EQ(outcome.status, 0) << name << outcome.err;
        EXPECT_EQ(read_surface(at(name)).triangles.size(), 12U) << name;
    }
    EXPECT_EQ(run({"convert", box, at("t.ply"), "--ascii"}).status, 0);
    EXPECT_EQ(read_file(at("t.ply")).find("binary"), std::string::npos);
}

TEST_F(PliantProgram, InfoTellsWhatAFileHolds) {
    const Outcome text = run({"info", box_obj("box.obj")});
    EXPECT_EQ(text.status, 0);
    for (const char* part : {"triangles         12", "closed            yes", "volume            1 m³",
                             "area              6 m²", "outward"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
    const Outcome json = run({"info", at("box.obj"), "--json"});
    EXPECT_NE(json.out.find("\"closed\": true"), std::string::npos) << json.out;
    const Outcome open = run({"info", write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")});
    EXPECT_NE(open.out.find("no, 3 boundary edges"), std::string::npos) << open.out;
}

TEST_F(PliantProgram, MeshFillsASurfaceAndReports) {
    const Outcome outcome =
        run({"mesh", box_obj("box.obj"), "-o", at("box.vtu"), "--tets", "2000", "--report", at("m.json")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const TetMesh mesh = read_tets(at("box.vtu"));
    EXPECT_NEAR(mesh.tet_count(), 2000, 400);
    EXPECT_GE(total_volume(mesh.rest, mesh.tets), 1.0) << "the lattice encloses the body";
    const std::string report = read_file(at("m.json"));
    for (const char* key : {"tets", "nodes", "lattice_s", "total_s", "tets_per_s", "peak_mb", "repairs", "cell"})
        EXPECT_NE(report.find("\"" + std::string(key) + "\""), std::string::npos) << key;
    const Outcome info = run({"info", at("box.vtu")});
    EXPECT_NE(info.out.find("worst quality"), std::string::npos) << info.out;
    EXPECT_NE(info.out.find("█"), std::string::npos) << info.out;
    const Outcome quiet = run({"mesh", at("box.obj"), "-o", at("box.msh"), "--tets", "2000", "--quiet"});
    EXPECT_EQ(quiet.out + quiet.err, "");
    for (const char* name : {"box.ele", "box.mesh", "box.vtk", "box.veg", "box.msh"}) {
        EXPECT_EQ(run({"convert", at("box.vtu"), at(name)}).status, 0) << name;
        EXPECT_EQ(read_tets(at(name)).tet_count(), mesh.tet_count()) << name;
    }
    EXPECT_EQ(run({"convert", at("box.vtu"), at("skin.obj")}).status, 0);
    EXPECT_TRUE(inspect(read_surface(at("skin.obj"))).closed());
}

TEST_F(PliantProgram, RenderRunsASceneFirst) {
    if (run({"render", "--help"}).status != 0) GTEST_SKIP();
    const std::string scene = write("ball.lua", R"(world { dt = 0.01, duration = 0.2, fps = 50 }
        fem_body { name = "ball", surface = sphere { radius = 0.1, at = {0, 0.2, 0} }, edge = 0.05,
                   volume = lattice { cell = 0.1 }, material = { young = 1e5, density = 1000 } }
        ground { height = 0 })");
    const Outcome outcome = run({"render", scene, "-o", at("ball.png"), "--size", "64x48", "--frame", "3"});
    if (outcome.err.find("without pictures") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(at("ball.png")).substr(1, 3), "PNG");
    EXPECT_EQ(listing(), (std::vector<std::string>{"ball.lua", "ball.png"})) << "the run it was made from is gone";
    const Outcome kept =
        run({"render", scene, "-o", at("ball.png"), "--size", "64x48", "--keep", at("run"), "--quiet"});
    ASSERT_EQ(kept.status, 0) << kept.err;
    EXPECT_EQ(run({"render", at("run"), "-o", at("again.png"), "--size", "64x48"}).status, 0);
    EXPECT_EQ(read_file(at("again.png")), read_file(at("ball.png"))) << "a scene and its run look the same";
    EXPECT_EQ(run({"render", at("run"), "-o", at("ball.JPG"), "--size", "64x48"}).status, 0);
    EXPECT_EQ(read_file(at("ball.JPG")).substr(0, 3), "\xff\xd8\xff");
}

TEST_F(PliantProgram, ModelsAreListedWithSourceAndLicence) {
    const Outcome list = run({"models"});
    EXPECT_EQ(list.status, 0);
    for (const char* part : {"bunny", "armadillo", "licence", "npm package", "Debian package"})
        EXPECT_NE(list.out.find(part), std::string::npos) << part;
}

// A run goes on from a checkpoint only with the scene, the files and the arguments that it was started with.
TEST_F(PliantProgram, ResumeNamesWhatChanged) {
    box_obj("box.obj");
    const auto part = [&](const std::string& more) { write("part.lua", "young = 1e5" + more + "\n"); };
    const auto scene = [&](const std::string& more) {
        return write("s.lua",
                     "include \"part.lua\"\nworld { duration = 0.1, fps = 20 }\n"
                     "fem_body { surface = load { file = \"box.obj\" }, volume = lattice { tets = 60 }, "
                     "material = { young = young, density = args.density or 1000 } }\n" +
                         more);
    };
    part("");
    const std::string file = scene("");
    const std::vector<std::string> start{"run", file, "--out", at("o"), "--quiet", "--set", "density=900"};
    const auto resumed = [&](const std::string& density) {
        return std::vector<std::string>{"run",     file, "--out", at("o"), "--quiet", "--set", "density=" + density,
                                        "--resume"};
    };
    ASSERT_EQ(run(start).status, 0);
    EXPECT_EQ(run(resumed("900")).status, 0);
    expect_refused(resumed("901"), "another state of --set density");
    expect_refused({"run", file, "--out", at("o"), "--quiet", "--resume"}, "another state of --set density");
    scene("-- a remark\n");
    expect_refused(resumed("900"), "another state of the scene's text");
    scene("");
    part(" -- a remark");
    expect_refused(resumed("900"), "another state of 'part.lua'");
    part("");
    const std::string box = read_file(at("box.obj"));
    write("box.obj", "# a remark\n" + box);
    expect_refused(resumed("900"), "another state of 'box.obj'");
    part(" -- a remark");
    expect_refused(resumed("900"), "another state of 'box.obj' and 'part.lua'");
    part("");
    write("box.obj", box);
    EXPECT_EQ(run(resumed("900")).status, 0);
}

}  // namespace
}  // namespace pliant::test
