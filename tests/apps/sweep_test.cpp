// pliant sweep and pages of runs, through the program.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "../scenes/pliant_process.hpp"
#include "pliant/io/file.hpp"

namespace pliant::test {
namespace {

std::vector<std::vector<std::string>> read_table(const std::string& path) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream text(read_file(path));
    for (std::string line; std::getline(text, line);) {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}

const std::string swept_scene = std::string(PLIANT_SOURCE_DIR) + "/tests/browser/sweep.lua";

/// Stiffness and weight enter the motion of a bar by E/ρ alone where damping follows the mass, so runs off the grid's
/// diagonal must agree in pairs.
TEST(Sweep, RunsWithTheSameStiffnessPerMassAgree) {
    const TemporaryFolder folder, logs;
    const std::string out = (folder.path / "grid").string();
    const Outcome outcome = run_pliant({"sweep", swept_scene, "--set", "young=1e5,2e5,4e5", "--set",
                                        "density=500,1000,2000", "--frames", "6", "-o", out, "--quiet"},
                                       logs.path);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto table = read_table(out + "/sweep.csv");
    ASSERT_EQ(table.size(), 10U);
    ASSERT_EQ(table[0][2], "tip (end)");
    const auto tip = [&](std::size_t young, std::size_t density) {
        return std::stod(table[1 + 3 * young + density][2]);
    };
    double worst = 0;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) worst = std::max(worst, std::abs(tip(i, j) / tip(i + 1, j + 1) - 1));
    std::printf("same E/rho: tips differ by %.1e; stiffest %.4f m, softest %.4f m\n", worst, tip(2, 0), tip(0, 2));
    EXPECT_LT(worst, 1e-3);
    EXPECT_LT(tip(0, 2), 1.5 * tip(2, 0));  // both hang down: the soft and heavy one farther
    const std::string page = read_file(out + "/index.html");
    EXPECT_EQ(count_of(page, "src=\"data:image/png;base64,"), 9U);
    EXPECT_EQ(count_of(page, "<path class=\"line\""), 9U + 6U);  // a line per run, and the legend
    EXPECT_EQ(page.find("://"), std::string::npos);  // it needs nothing else (letters of a picture may be "http")
}

TEST(Sweep, SaysWhyARunCouldNotBeMade) {
    const TemporaryFolder folder, logs;
    const std::string out = (folder.path / "grid").string();
    const Outcome outcome = run_pliant(
        {"sweep", swept_scene, "--set", "young=1e5,-3", "--set", "density=1000", "--frames", "1", "-o", out, "--quiet"},
        logs.path);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("1 of 2 runs"), std::string::npos) << outcome.err;
    const std::string page = read_file(out + "/index.html");
    EXPECT_EQ(count_of(page, "<div class=\"failed\">"), 1U);
    EXPECT_EQ(count_of(page, "src=\"data:image/png;base64,"), 1U);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"sweep", swept_scene},
                                                  {"sweep", swept_scene, "--set", "young=1"},
                                                  {"sweep", swept_scene, "--set", "young=1,,2"},
                                                  {"sweep", swept_scene, "--set", "young=1,2", "--set", "young=3"}})
        EXPECT_EQ(run_pliant(words, logs.path).status, 2) << words.back();
}

}  // namespace
}  // namespace pliant::test
