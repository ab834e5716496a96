// include: scenes share text, and stay in their folder.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pliant/core/hash.hpp"
#include "pliant/script/scene.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class Include : public testing::Test {
protected:
    Include() : folder(fs::temp_directory_path() / ("pliant_include_" + std::to_string(::getpid()))) {
        fs::create_directories(folder / "scene" / "parts");
    }
    ~Include() override { fs::remove_all(folder); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
    Scene load(const std::string& text, SceneOptions options = {}) const {
        write("scene/scene.lua", text);
        return Scene::load(folder / "scene" / "scene.lua", options);
    }
    std::string error_of(const std::string& text, SceneOptions options = {}) const {
        try {
            load(text, std::move(options));
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }
    fs::path folder;
};

TEST_F(Include, GivesWhatTheFileReturnsAndRunsItOnce) {
    const std::string text = R"(print "running"
maker = "wheelwright"
local function wheel(r) return cylinder { radius = r, height = args.thickness or 0.1 } end
return wheel)";
    write("scene/parts/wheel.lua", text);
    SceneOptions options;
    options.args = {{"thickness", "0.2"}};
    int runs = 0;
    options.print = [&](const std::string&) { ++runs; };
    const Scene scene = load(R"(local wheel = include "parts/wheel.lua"
local again = include("parts/wheel.lua")
fem_body { name = "w", surface = wheel(1), volume = lattice { cell = 0.1 } }
fem_body { name = maker, surface = again(2), volume = lattice { cell = 0.1 } })",
                             options);
    ASSERT_EQ(scene.desc().bodies.size(), 2u);
    EXPECT_EQ(scene.desc().bodies[1].name, "wheelwright");  // its globals are the scene's
    EXPECT_EQ(runs, 1);
    ASSERT_EQ(scene.desc().files.size(), 2u);  // the scene itself comes first
    EXPECT_EQ(fs::path(scene.desc().files[1].path).filename(), "wheel.lua");
    EXPECT_TRUE(fs::path(scene.desc().files[1].path).is_absolute());
    EXPECT_EQ(scene.desc().files[1].content, hash_of(text));
}

TEST_F(Include, ErrorsNameTheIncludedFileAndItsLine) {
    const std::string file = (folder / "scene/parts/bad.lua").string();
    write("scene/parts/bad.lua", "local x = 1\nlocal y = = 2\n");
    EXPECT_NE(error_of("include \"parts/bad.lua\"").find(file + ":2"), std::string::npos);
    write("scene/parts/bad.lua", "return {\n  young = 1,\n  yuong = 2 }\n");
    std::string text = error_of(
        "local m = include \"parts/bad.lua\"\n"
        "fem_body { surface = box { size = {1, 1, 1} }, volume = lattice { cell = 1 }, material = m }");
    EXPECT_NE(text.find(file + ":3"), std::string::npos) << text;
    EXPECT_NE(text.find("yuong"), std::string::npos) << text;
    write("scene/parts/bad.lua", "\n\nlocal z = nothing.here\n");
    text = error_of("include \"parts/bad.lua\"");
    EXPECT_NE(text.find(file + ":3"), std::string::npos) << text;
    write("scene/parts/bad.lua", "return function()\n  return 1 .. {}\nend");
    Scene scene = load("measure(\"m\", include \"parts/bad.lua\")");
    try {
        scene.measure();
        FAIL();
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(file + ":2"), std::string::npos) << error.what();
    }
    // A misspelt --set is found though only the included file reads args.
    write("scene/parts/bad.lua", "local cell = args.cell");
    SceneOptions options;
    options.args = {{"cel", "1"}};
    EXPECT_NE(error_of("include \"parts/bad.lua\"", options).find("cell"), std::string::npos);
}

TEST_F(Include, StaysInItsFolder) {
    write("secret.lua", "return 1");
    write("scene/parts/data.txt", "return 1");
    fs::create_symlink(folder / "secret.lua", folder / "scene/parts/link.lua");
    EXPECT_NE(error_of("include \"../secret.lua\"").find("leads out"), std::string::npos);
    EXPECT_NE(error_of("include \"" + (folder / "secret.lua").string() + "\"").find("absolute"), std::string::npos);
    EXPECT_NE(error_of("include \"parts/link.lua\"").find("leads out"), std::string::npos);
    EXPECT_NE(error_of("include \"parts/data.txt\"").find(".lua"), std::string::npos);
    EXPECT_NE(error_of("include \"parts/none.lua\"").find("no file"), std::string::npos);
    EXPECT_NE(error_of("include(3)").find("name of a file"), std::string::npos);
    write("scene/parts/bytes.lua", "\x1bLua");
    EXPECT_NE(error_of("include \"parts/bytes.lua\"").find("not a text"), std::string::npos);
}

TEST_F(Include, CirclesAndEndlessFilesEnd) {
    write("scene/parts/a.lua", "include \"parts/b.lua\"");
    write("scene/parts/b.lua", "\ninclude \"parts/a.lua\"");
    const std::string text = error_of("include \"parts/a.lua\"");
    EXPECT_NE(text.find("includes itself through others"), std::string::npos) << text;
    EXPECT_NE(text.find("b.lua:2"), std::string::npos) << text;
    EXPECT_NE(error_of("include \"scene.lua\"").find("includes itself"), std::string::npos);
    write("scene/parts/a.lua", "while true do end");
    SceneOptions options;
    options.load_seconds = 0.05;
    EXPECT_NE(error_of("pcall(include, \"parts/a.lua\")", options).find("a.lua:1"), std::string::npos);
    // A file that failed may be tried again, but not for ever.
    write("scene/parts/a.lua", "error \"no\"");
    EXPECT_NE(error_of("for i = 1, 200 do pcall(include, \"parts/a.lua\") end include \"parts/a.lua\"").find("files"),
              std::string::npos);
    // Not during the run.
    write("scene/parts/a.lua", "return 1");
    Scene scene = load("measure(\"m\", function() return include \"parts/a.lua\" end)");
    EXPECT_THROW(scene.measure(), UserError);
}

}  // namespace
}  // namespace pliant
