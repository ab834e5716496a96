// Typical mistakes, and the whole text the user reads. PLIANT_UPDATE_GOLDEN=1 writes the file anew.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pliant/script/scene.hpp"

namespace pliant {
namespace {

struct Mistake {
    const char* name;
    const char* text;
};

const Mistake mistakes[] = {
    {"misspelt key", R"(world { dt = 0.01 }
fem_body {
  name = "cow",
  surface = sphere { radius = 0.5 },
  material = {
    preset = "wax",
    yuong = 5e4,
  },
})"},
    {"misspelt key of a table made elsewhere", R"(local soft = {
  young = 1e4,
  possion = 0.4,
}
fem_body { surface = sphere { radius = 1 }, material = soft })"},
    {"misspelt verb", R"(world { dt = 0.01 }
fem_bdy {
  surface = sphere { radius = 1 },
})"},
    {"verb of another program", "add_rigid_body { }"},
    {"misspelt variable", R"(local radius = 0.5
local ball = sphere { radius = raduis })"},
    {"negative stiffness", R"(fem_body {
  surface = sphere { radius = 1 },
  material = {
    young = -1,
  },
})"},
    {"incompressible", R"(fem_body {
  surface = sphere { radius = 1 },
  material = { young = 1e5,
               poisson = 0.5 },
})"},
    {"no surface", R"(world { }

fem_body {
  name = "nobody",
  material = { young = 1e5 },
})"},
    {"no time step", "world { dt = 0 }"},
    {"text for a number", R"(world {
  dt = "0.01",
})"},
    {"number for a vector", "world { gravity = -9.81 }"},
    {"vector of two numbers", "box { size = {1, 2} }"},
    {"radius left out", "sphere { }"},
    {"radius without a name", "sphere { 0.5 }"},
    {"number instead of a table", "sphere(0.5)"},
    {"number for a shape", "fem_body { surface = 5 }"},
    {"shape for a volume", R"(fem_body {
  surface = sphere { radius = 1 },
  volume = sphere { radius = 1 },
})"},
    {"unknown preset", R"(fem_body { surface = sphere { radius = 1 },
  material = { preset = "ruber" } })"},
    {"unknown elasticity", R"(fem_body { surface = sphere { radius = 1 },
  material = { elasticity = "corotated" } })"},
    {"forgotten comma", R"(world {
  dt = 0.01
  duration = 4,
})"},
    {"forgotten brace", R"(world {
  dt = 0.01,
)"},
    {"forgotten end", R"(on_step(function(t)
  print(t)
)"},
    {"forgotten quote", "load \"cow.obj"},
    {"assignment instead of a call", "world = { dt = 0.01 }"},
    {"two bodies of one name", R"(fem_body { name = "a", surface = sphere { radius = 1 } }
fem_body { name = "a", surface = sphere { radius = 1 } })"},
    {"body asked too early", R"(local b = fem_body { surface = sphere { radius = 1 } }
print(b:volume()))"},
    {"unknown method", R"(local b = fem_body { surface = sphere { radius = 1 } }
measure("v", function() return b:volum() end))"},
    {"missing file", "load \"cow.obj\""},
    {"file elsewhere", "load \"/etc/passwd\""},
    {"expectation about no measure", R"(measure("tip", function() return 1 end)
expect { measure = "top", at_least = 0 })"},
    {"verb in a callback", R"(on_step(function()
  ground { }
end))"},
    {"measure without return", R"(measure("tip", function() end))"},
    {"path of two numbers", R"(local b = fem_body { surface = sphere { radius = 1 } }
move { body = b, inside = sphere { radius = 1 },
  path = function(t) return { 0, t } end })"},
    {"calculation with nothing", R"(local speed
local twice = speed * 2)"},
    {"look into nothing", R"(local settings
print(settings.size))"},
    {"comparison of a text", "if 'a' < 1 then end"},
    {"endless loop", R"(local i = 0
while true do i = i + 1 end)"},
    {"endless memory", R"(local t = {}
while true do t[#t + 1] = 'x' .. #t end)"},
    {"endless recursion", R"(local function f(x)
  return f(x) + 1
end
f(1))"},
    {"own error", "error('the cow is missing')"},
    {"files", "local f = io.open('data.txt')"},
    {"change of nothing", R"(local ball = fem_body { surface = sphere { radius = 1 } }
change { body = ball, at = 1 })"},
    {"heat twice", R"(local ball = fem_body { surface = sphere { radius = 1 }, material = { heat = { } } }
give_heat { body = ball })"},
    {"heat of something rigid", R"(local stone = rigid_body { surface = sphere { radius = 1 } }
give_heat { body = stone })"},
    {"two ways to soften", R"(fem_body { surface = sphere { radius = 1 }, material = { young = 1e5,
  heat = { table = { {20, young = 1e5, stiffness = 1}, {60, young = 1e3} } } } })"},
    {"negative yield", R"(fem_body { surface = sphere { radius = 1 },
  material = { young = 1e4, plasticity = flow { yield = -5, rate = 10 } } })"},
    {"breaking without upkeep", R"(fem_body { surface = sphere { radius = 1 }, material = "honey",
  remesh = { cell = 0.2, breaks = 0.05 } })"},
    {"inlet without direction", R"(fem_body { surface = sphere { radius = 1 }, material = "honey",
  remesh = { cell = 0.2, edge = 0.08,
    inlet = { at = {0, 0, 0}, along = {0, 0, 0}, radius = 1, speed = 1 } } })"},
};

/// What the user reads, if anything; callbacks are tried as well.
std::string message_of(const Mistake& mistake) {
    SceneOptions options;
    options.load_seconds = 30;
    options.memory = std::size_t{64} << 20;
    if (std::string(mistake.name) == "endless loop") options.load_seconds = 0.2;
    try {
        Scene scene = Scene::load_text(mistake.text, "scene.lua", options);
        scene.step(0, 0.01);
        scene.measure();
        for (const GripDesc& grip : scene.desc().grips) grip.pose(0.25);
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Mistakes, ReadAsIntended) {
    std::string all;
    for (const Mistake& mistake : mistakes) {
        const std::string text = message_of(mistake);
        EXPECT_NE(text, "no error") << mistake.name;
        all += std::string("# ") + mistake.name + "\n" + mistake.text + "\n=> " + text + "\n\n";
    }
    const std::filesystem::path file = std::filesystem::path(PLIANT_GOLDEN) / "mistakes.txt";
    if (std::getenv("PLIANT_UPDATE_GOLDEN")) {
        std::ofstream(file) << all;
        return;
    }
    std::ifstream in(file);
    std::stringstream expected;
    expected << in.rdbuf();
    // Line by line, so that a failure shows the one sentence that changed.
    std::istringstream a(expected.str()), b(all);
    std::string wanted, got;
    while (std::getline(a, wanted)) {
        ASSERT_TRUE(std::getline(b, got));
        EXPECT_EQ(got, wanted);
    }
    EXPECT_FALSE(std::getline(b, got)) << got;
}

}  // namespace
}  // namespace pliant
