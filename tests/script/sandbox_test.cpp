// The sandbox: no scene may touch files, run programs, escape, hang or crash.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "pliant/script/scene.hpp"
#include "script/attacks.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double limit = 0.05;  // s for each attack

SceneOptions strict_options() {
    SceneOptions options;
    options.memory = std::size_t{64} << 20;
    options.load_seconds = limit;
    options.call_seconds = limit;
    options.read_surface = [](const fs::path&, std::vector<std::string>&) -> TriMesh {
        throw std::logic_error("a file was read");
    };
    options.read_tets = [](const fs::path&, std::vector<std::string>&) -> TetMesh {
        throw std::logic_error("a file was read");
    };
    return options;
}

class Folder {
public:
    Folder() : path(fs::temp_directory_path() / ("pliant_script_" + std::to_string(::getpid()))) {
        fs::create_directories(path / "scene" / "meshes");
    }
    ~Folder() { fs::remove_all(path); }
    fs::path path;
};

/// Processor time, so that a busy machine does not look like a hang.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Tries each; returns how many there were. `late` says whether running out of time is a good end.
int attack_all(const std::vector<test::Attack>& attacks, double seconds_allowed, bool late,
               std::size_t memory = std::size_t{64} << 20) {
    const Folder folder;
    std::ofstream(folder.path / "secret.obj") << "v 0 0 0\n";
    SceneOptions options = strict_options();
    options.load_seconds = seconds_allowed;
    options.memory = memory;
    double slowest = 0;
    std::string slowest_name;
    for (const test::Attack& attack : attacks) {
        SCOPED_TRACE(attack.name);
        const double begin = cpu_seconds();
        std::string text;
        try {
            Scene::load_text(attack.text, "attack.lua", options, folder.path / "scene");
            ADD_FAILURE() << "was not refused";
        } catch (const UserError& error) {
            text = error.what();
        }
        const double seconds = cpu_seconds() - begin;
        EXPECT_LT(seconds, seconds_allowed + 1);
        EXPECT_TRUE(late || text.find("ran longer") == std::string::npos) << text;
        // One sentence a terminal can show, with its place and without addresses.
        EXPECT_EQ(text.rfind("attack.lua", 0), 0u) << text.substr(0, 200);
        EXPECT_LT(text.size(), 900u);
        for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 32u) << text.substr(0, 200);
        EXPECT_EQ(text.find("0x"), std::string::npos) << text.substr(0, 200);
        if (seconds > slowest) slowest = seconds, slowest_name = attack.name;
    }
    std::cout << attacks.size() << " attacks; slowest: " << slowest_name << ", " << slowest << " s\n";
    return static_cast<int>(attacks.size());
}

TEST(Sandbox, RefusesEveryAttackInTime) { EXPECT_GE(attack_all(test::refused_attacks(), limit, true), 200); }

TEST(Sandbox, BoundsMemory) { EXPECT_GE(attack_all(test::memory_attacks(), 250, false, std::size_t{8} << 20), 20); }

TEST(Sandbox, LoadsOddButHarmlessScenes) {
    for (const test::Attack& scene : test::harmless_scenes()) {
        SCOPED_TRACE(scene.name);
        SceneOptions options = strict_options();
        options.load_seconds = 20;
        EXPECT_NO_THROW(Scene::load_text(scene.text, "scene.lua", options));
    }
}

TEST(Sandbox, CallbackHasItsOwnTime) {
    Scene scene = Scene::load_text("measure('m', function()\n pcall(function() while true do end end)\n return 1 end)",
                                   "scene.lua", strict_options());
    for (int i = 0; i < 2; ++i) {
        const auto begin = Clock::now();
        try {
            scene.measure();
            ADD_FAILURE();
        } catch (const UserError& error) {
            EXPECT_STREQ(
                error.what(),
                "scene.lua:2: the function ran longer than 0.05 s. Look for a loop that never ends, or do less "
                "work there.");
        }
        EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + 1);
    }
}

TEST(Sandbox, MemoryCapHoldsForCallbacks) {
    Scene scene = Scene::load_text(
        "local t = {}\non_step(function() for i = 1, 1e7 do t[#t + 1] = {} end end)\nmeasure('one', function() return "
        "1 end)",
        "scene.lua", strict_options());
    EXPECT_THROW(scene.step(0, 0.01), UserError);
}

TEST(Sandbox, FilesComeFromBelowTheFoldersOnly) {
    const Folder folder;
    const fs::path scene = folder.path / "scene", models = folder.path / "models";
    fs::create_directories(models);
    std::ofstream(folder.path / "secret.obj") << "v 0 0 0\n";
    std::ofstream(scene / "meshes" / "inside.obj") << "v 0 0 0\n";
    std::ofstream(models / "model.obj") << "v 0 0 0\n";
    fs::create_symlink(folder.path / "secret.obj", scene / "link.obj");
    fs::create_symlink(folder.path, scene / "up");
    fs::create_symlink(scene / "meshes" / "inside.obj", scene / "good_link.obj");
    ASSERT_EQ(::mkfifo((scene / "pipe.obj").c_str(), 0600), 0);

    SceneOptions options = strict_options();
    options.model_paths = {models};
    std::vector<std::string> read;
    options.read_surface = [&](const fs::path& path, std::vector<std::string>&) {
        read.push_back(path.filename().string());
        return TriMesh{{Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
    };
    const auto load = [&](const std::string& name) {
        Scene::load_text("load '" + name + "'", "scene.lua", options, scene);
    };
    for (const char* name :
         {"link.obj", "up/secret.obj", "../secret.obj", "meshes/../../secret.obj", "pipe.obj", "meshes", "missing.obj"})
        EXPECT_THROW(load(name), UserError) << name;
    EXPECT_TRUE(read.empty());
    load("meshes/inside.obj");
    load("./meshes/inside.obj");
    load("good_link.obj");
    load("model.obj");
    EXPECT_EQ(read, (std::vector<std::string>{"inside.obj", "inside.obj", "inside.obj", "model.obj"}));

    try {
        load("meshes/insde.obj");
        ADD_FAILURE();
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("Did you mean 'meshes/inside.obj'?"), std::string::npos)
            << error.what();
    }
}

TEST(Sandbox, PatternsAgreeWithLua) {
    // Expected values are those of Lua 5.4's own library.
    const char* text = R"lua(
local function same(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
same(("hello world"):find("wor"), 7)
same(select(2, ("hello world"):find("o w")), 7)
same(("hello"):find("l+"), 3)
same(("hello"):match("(h)(.)"), "h")
same(select(2, ("hello"):match("(h)(.)")), "e")
same(("key = value"):match("^(%w+)%s*=%s*(%w+)$"), "key")
same(("  trim  "):match("^%s*(.-)%s*$"), "trim")
same(("THE (quick) fox"):find("%((%a+)%)"), 5)
same(("f(a(b)c)d"):match("%b()"), "(a(b)c)")
same(("THE (quick) fox"):gsub("%f[%a]%a+", string.lower), "the (quick) fox")
same(("abc"):gsub("", "-"), "-a-b-c-")
same(("abc"):gsub("%w", "%0%0"), "aabbcc")
same(("hello world"):gsub("o", "0", 1), "hell0 world")
same(select(2, ("hello world"):gsub("o", "0")), 2)
same(("$name is $age"):gsub("%$(%w+)", { name = "x", age = 3 }), "x is 3")
same(("abc"):gsub("b", false and "x" or function() return nil end), "abc")
same(("a,b,,c"):gsub("[^,]*", "x"), "x,x,x,x")
same(("x^2"):find("^", 1, true), 2)
same(("aaa"):find("a-", 2), 2)
same(("[]]"):find("[]]"), 2)
same(("a-b"):match("[a%-]+"), "a-")
same(("xyz"):match("[^x]+"), "yz")
same(("0x1F"):match("%x+$"), "1F")
same(("abab"):match("(ab)%1"), "ab")
same(("abc"):match("()b()"), 2)
same(select(2, ("abc"):match("()b()")), 3)
same(("abc"):find("b", -1), nil)
same(("abc"):find("", 10), nil)
same(("abc"):find("", 4), 4)
same(("héllo"):len(), 6)
local words = {}
for w in ("one two  three"):gmatch("%a+") do words[#words + 1] = w end
same(table.concat(words, ","), "one,two,three")
local pairs_ = {}
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do pairs_[#pairs_ + 1] = k .. v end
same(table.concat(pairs_, ","), "a1,b2")
local empties = 0
for _ in ("abc"):gmatch("x*") do empties = empties + 1 end
same(empties, 4)
same(("a.b"):gsub("%.", "%%"), "a%b")
same(("abc"):rep(2, "-"), "abc-abc")
same(("x"):rep(0), "")
same(("x"):rep(-1), "")
for _, bad in ipairs { "[a", "%", "(a", "a)", "%1", "(()", "%f", "%b", "%bx" } do same(pcall(string.match, "aaa", bad), false) end
local list = { 5, 2, 8, 1, 9, 3 }
table.sort(list)
same(table.concat(list, " "), "1 2 3 5 8 9")
table.sort(list, function(a, b) return a > b end)
same(table.concat(list, " "), "9 8 5 3 2 1")
local stable = {}
for i = 1, 50 do stable[i] = { key = i % 3, at = i } end
table.sort(stable, function(a, b) return a.key < b.key end)
for i = 2, 50 do same(stable[i - 1].key < stable[i].key or stable[i - 1].at < stable[i].at, true) end
same(table.concat(table.move({ 1, 2, 3, 4 }, 2, 4, 1), ","), "2,3,4,4")
same(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ","), "1,1,2,3")
)lua";
    EXPECT_NO_THROW({
        try {
            SceneOptions options;
            Scene::load_text(text, "patterns.lua", options);
        } catch (const UserError& error) {
            ADD_FAILURE() << error.what();
            throw;
        }
    });
}

}  // namespace
}  // namespace pliant
