// What an artist brings comes back: a brick with quads, texture coordinates, three materials, hard edges and colours
// goes through the program, whole and pulled in two, and what it exports is opened by readers that share nothing with
// it.

#include <gtest/gtest.h>

#include <cstdio>

#include "../scenes/pliant_process.hpp"

namespace pliant::test {
namespace {

const fs::path formats_folder = fs::path(PLIANT_SOURCE_DIR) / "tests" / "apps" / "formats";

/// The exit status, and what was said.
int run_script(const std::string& command, std::string& said) {
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return 127;
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) said += buffer;
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

class Formats : public testing::Test {
protected:
    /// The brick and its scene in a folder of their own, run with exports.
    void run(const std::string& exports, const std::vector<std::string>& more) {
        make_brick();
        if (!IsSkipped()) simulate(exports, more);
    }
    void make_brick() {
        std::string said;
        const int made = run_script("python3 '" + (formats_folder / "make_brick.py").string() + "' '" +
                                        (folder.path / "brick.obj").string() + "'",
                                    said);
        if (made == 127) GTEST_SKIP() << "python3 is not installed, so the files are not opened with it";
        ASSERT_EQ(made, 0) << said;
        fs::copy_file(formats_folder / "brick.lua", folder.path / "brick.lua", fs::copy_options::overwrite_existing);
    }
    void simulate(const std::string& exports, const std::vector<std::string>& more) {
        std::vector<std::string> words{
            "run", (folder.path / "brick.lua").string(), "--out", (folder.path / "out").string(), "--export", exports};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run_pliant(words, logs.path);
        ASSERT_EQ(outcome.status, 0) << outcome.words;
    }
    void check(const std::string& state) {
        std::string said;
        EXPECT_EQ(run_script("python3 '" + (formats_folder / "check_brick.py").string() + "' " + state + " '" +
                                 (folder.path / "brick.obj").string() + "' '" + (folder.path / "out").string() + "'",
                             said),
                  0)
            << said;
        std::cout << said;
    }
    /// Other people's readers, where they are installed.
    void open_with_others(const std::string& state) {
        std::string said;
        const fs::path web = formats_folder.parent_path().parent_path().parent_path() / "web";
        const int status = run_script("node '" + (formats_folder / "open_with_others.mjs").string() + "' " + state +
                                          " '" + web.string() + "' '" + (folder.path / "out" / "brick.glb").string() +
                                          "' '" + (folder.path / "out" / "brick.usda").string() + "'",
                                      said);
        if (status == 77 || status == 127) GTEST_SKIP() << "node or its packages are not installed: cd web && npm ci";
        EXPECT_EQ(status, 0) << said;
        std::cout << said;
    }

    TemporaryFolder folder, logs;
};

TEST_F(Formats, ABrickComesBackWhole) {
    run("usd,obj,ply,gltf,mdd,pc2", {"--set", "duration=0.2"});
    if (IsSkipped()) return;
    check("whole");
    open_with_others("whole");
}

TEST_F(Formats, ABrickComesBackInTwo) {
    run("usd,obj,ply,gltf", {"--set", "break_it=1"});
    if (IsSkipped()) return;
    check("broken");
    open_with_others("broken");
}

TEST_F(Formats, ABrickOfPlyOrGltfComesBackInTwo) {
    for (const std::string kind : {"ply", "glb"}) {
        make_brick();
        if (IsSkipped()) return;
        const std::string file = "brick." + kind;
        const Outcome outcome =
            run_pliant({"convert", (folder.path / "brick.obj").string(), (folder.path / file).string()}, logs.path);
        ASSERT_EQ(outcome.status, 0) << outcome.words;
        for (const std::string how : {"break_it", "cut_it"}) {
            SCOPED_TRACE(kind + " " + how);
            simulate("usd,obj,ply,gltf", {"--set", how + "=1", "--set", "file=" + file});
            check((how == "cut_it" ? "cut-from-" : "from-") + kind);
            fs::remove_all(folder.path / "out");
        }
    }
}

TEST_F(Formats, ABrickComesBackCut) {
    run("usd,obj,ply,gltf", {"--set", "cut_it=1"});
    if (IsSkipped()) return;
    check("cut");
    open_with_others("broken");
}

TEST_F(Formats, BlenderPlaysIt) {
    std::string said;
    if (run_script("blender --version", said) != 0) GTEST_SKIP() << "blender is not installed";
    run("obj,gltf", {"--set", "break_it=1"});
    if (IsSkipped()) return;
    said.clear();
    const int status = run_script("blender --background --factory-startup --python-exit-code 1 --python '" +
                                      (formats_folder / "open_in_blender.py").string() + "' -- '" +
                                      (folder.path / "out" / "brick.glb").string() + "' '" +
                                      (folder.path / "out" / "obj" / "brick_000015.obj").string() + "'",
                                  said);
    EXPECT_EQ(status, 0) << said;
    std::cout << said;
}

/// A band painted weak, at vertices or in a picture, is where a brick of one material breaks.
TEST_F(Formats, APaintedBrickBreaksWhereItIsPaintedWeak) {
    const auto at = [&](const char* name) { return "'" + (folder.path / name).string() + "'"; };
    const auto script = [](const char* name) { return "python3 '" + (formats_folder / name).string() + "' "; };
    std::string said;
    if (run_script("python3 --version", said) != 0) GTEST_SKIP() << "python3 is not installed";
    ASSERT_EQ(run_script(script("make_brick.py") + at("brick.obj"), said), 0) << said;
    ASSERT_EQ(run_script(script("check_painted.py") + "paint " + at("brick.obj") + " " + at("painted.obj"), said), 0)
        << said;
    ASSERT_EQ(run_script(script("check_painted.py") + "picture " + at("weak.png"), said), 0) << said;
    fs::copy_file(formats_folder / "painted.lua", folder.path / "painted.lua");
    for (const bool picture : {false, true}) {
        SCOPED_TRACE(picture ? "in a picture" : "at vertices");
        std::vector<std::string> words{
            "run", (folder.path / "painted.lua").string(), "--out", (folder.path / "out").string(), "--export", "obj"};
        if (picture) words.insert(words.end(), {"--set", "picture=weak.png"});
        const Outcome outcome = run_pliant(words, logs.path);
        ASSERT_EQ(outcome.status, 0) << outcome.words;
        said.clear();
        EXPECT_EQ(run_script(script("check_painted.py") + "where " + at("out"), said), 0) << said;
        std::cout << said;
    }
}

/// The frames on disk keep all of it: what is exported from them later passes the same checks.
TEST_F(Formats, RecordedFramesKeepEverything) {
    run("usd,obj,ply,gltf", {"--set", "break_it=1"});
    if (IsSkipped()) return;
    const fs::path again = folder.path / "again";
    const Outcome outcome =
        run_pliant({"convert", (folder.path / "out").string(), again.string(), "--export", "obj,gltf"}, logs.path);
    ASSERT_EQ(outcome.status, 0) << outcome.words;
    EXPECT_FALSE(fs::exists(again / "gltf.parts"));
    for (const char* name : {"brick.glb", "obj"}) {
        fs::remove_all(folder.path / "out" / name);
        fs::rename(again / name, folder.path / "out" / name);
    }
    check("broken");
}

}  // namespace
}  // namespace pliant::test
