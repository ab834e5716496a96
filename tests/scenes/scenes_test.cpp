// Every shipped scene: the same bits for 1, 2 and 7 threads, through stop and resume, and after being killed; and
// judged to its end by what it expects.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <thread>

#include "pliant_process.hpp"

namespace pliant::test {
namespace {

class EveryScene : public testing::TestWithParam<fs::path> {
protected:
    /// The state hash after `frames` frames.
    std::string hash(const std::vector<std::string>& more, int frames) {
        const fs::path report = folder.path / "report.json";
        fs::remove(report);
        std::vector<std::string> words{"run",      GetParam().string(), "--quiet", "--frames", std::to_string(frames),
                                       "--report", report.string()};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run_pliant(words, folder.path);
        EXPECT_EQ(outcome.status, 0) << outcome.words;
        return reported(report, "state_hash");
    }
    /// Enough for contacts, flow and heat; the cantilever's few steps are exact solutions, the creature tears late.
    /// What breaks through elements, flows or is wrapped in barriers has long steps, in which much happens.
    int some_frames() const {
        if (GetParam().stem() == "cantilever") return 2;
        const std::string folder_name = GetParam().parent_path().filename().string();
        for (const char* slow : {"brittle", "ductile", "flow", "contact"})
            if (folder_name == slow) return 8;
        if (GetParam().stem() == "pressure" || GetParam().stem() == "chute") return 8;
        return GetParam().stem() == "creature-torn" ? 40 : 20;
    }
    /// Seven threads in one go against one thread and, after a stop, two.
    void compare(int frames) {
        const std::string seven = hash({"--no-out", "--threads", "7"}, frames);
        EXPECT_GE(seven.size(), 16u);
        const std::string out = (folder.path / "out").string();
        hash({"--out", out, "--threads", "1"}, frames / 2);
        EXPECT_EQ(seven, hash({"--out", out, "--threads", "2", "--resume"}, frames));
    }
    TemporaryFolder folder;
};

TEST_P(EveryScene, GivesTheSameBitsForAnyThreadCountAndThroughStopAndResume) { compare(some_frames()); }

class SoakEveryScene : public EveryScene {};

TEST_P(SoakEveryScene, GivesTheSameBitsForLonger) { compare(2 * std::max(20, some_frames())); }

std::string scene_name(const testing::TestParamInfo<fs::path>& scene) {
    std::string name =
        scene.param.lexically_relative(fs::path(PLIANT_SOURCE_DIR) / "scenes").replace_extension().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Shipped, EveryScene, testing::ValuesIn(all_scenes()), scene_name);
INSTANTIATE_TEST_SUITE_P(Soak, SoakEveryScene, testing::ValuesIn(all_scenes()), scene_name);

/// Where a scene takes longer than a few seconds, every test runs it coarser, shorter or with fewer bodies, so that it
/// can still fail in the same way. The soak runs it as it is.
std::vector<std::string> smaller(const fs::path& scene) {
    static const std::map<std::string, std::vector<std::string>> settings{
        {"brittle/bottle", {"cell=0.02", "duration=0.05"}},
        {"brittle/bowl4", {"duration=0.07"}},
        {"brittle/the-end", {"cell=0.02"}},
        {"brittle/wall1", {"duration=0.12"}},
        {"brittle/wall2", {"duration=0.1"}},
        {"contact/erleben", {"duration=0.5"}},
        {"contact/house", {"storeys=2", "duration=2"}},
        {"contact/rings", {"count=5", "duration=2"}},
        {"contact/squeeze", {"cell=0.04"}},
        {"ductile/balls", {"cell=0.055"}},
        {"ductile/clay", {"duration=0.08"}},
        {"ductile/cylinder", {"cell=0.07"}},
        {"ductile/figure", {"cell=0.07"}},
        {"flow/batter", {"cell=0.034"}},
        {"flow/candle", {"cell=0.017"}},
        {"flow/cubes", {"cell=0.035", "duration=1"}},
        {"flow/drip", {"cell=0.018", "edge=0.0075", "duration=0.7"}},
        {"flow/fine", {"cell=0.03", "edge=0.009", "duration=0.4"}},
        {"flow/honey", {"cell=0.017"}},
        {"flow/strainer", {"cell=0.018", "edge=0.006"}},
        {"letters", {"count=6"}},
        {"shells/cloth", {"cells=14"}},
        {"virtual-nodes/flap", {"cells=4"}},
    };
    const auto found =
        settings.find(scene.lexically_relative(fs::path(PLIANT_SOURCE_DIR) / "scenes").replace_extension().string());
    return found == settings.end() ? std::vector<std::string>() : found->second;
}

/// Pairs of triangles that cross, at every frame of a run with --check intersections.
std::vector<double> crossings(const fs::path& report) {
    const std::string text = content(report);
    std::size_t at = text.find("\"intersections\": [", text.find("\"series\":"));
    std::vector<double> counts;
    for (at = text.find('[', at) + 1; at < text.size() && text.find('[', at) < text.find(']', at);) {
        at = text.find(',', text.find('[', at)) + 1;
        counts.push_back(std::stod(text.substr(at)));
        at = text.find(']', at) + 1;
    }
    return counts;
}

/// Runs a scene to its end. What it expects must be there and must be true, and where contact is by barriers nothing
/// may ever cross.
void judge(const fs::path& scene, const std::vector<std::string>& settings) {
    TemporaryFolder folder;
    const fs::path report = folder.path / "report.json";
    const bool barriers = content(scene).find("contact = \"barrier\"") != std::string::npos;
    std::vector<std::string> words{"run", scene.string(), "--quiet",      "--no-out", "--threads",
                                   "1",   "--report",     report.string()};
    if (barriers) words.insert(words.end(), {"--check", "intersections"});
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    const Outcome outcome = run_pliant(words, folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.words;
    if (!barriers) {
        EXPECT_NE(content(report).find("\"passed\":"), std::string::npos) << "it expects nothing";
        return;
    }
    const std::vector<double> counts = crossings(report);
    ASSERT_FALSE(counts.empty());
    EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 0);
}

class JudgedScene : public testing::TestWithParam<fs::path> {};

TEST_P(JudgedScene, EndsAsItExpects) { judge(GetParam(), smaller(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Shipped, JudgedScene, testing::ValuesIn(all_scenes()), scene_name);

class SoakJudgedScene : public JudgedScene {};

// As it is, with each vector unit; where the machine lacks one, with the next it has.
TEST_P(SoakJudgedScene, EndsAsItExpectsAtEveryVectorLevel) {
    for (const char* level : {"v2", "v3", "v4"}) {
        SCOPED_TRACE(level);
        setenv("PLIANT_KERNELS", level, 1);
        judge(GetParam(), {});
    }
    unsetenv("PLIANT_KERNELS");
}

INSTANTIATE_TEST_SUITE_P(Soak, SoakJudgedScene, testing::ValuesIn(all_scenes()), scene_name);

bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

// Kills a run at a random moment again and again; it must go on each time and end with the right hash.
void kill_and_resume(int kills) {
    // Quick to start, so that most kills hit a step or a file being written.
    const std::string scene = (fs::path(PLIANT_SOURCE_DIR) / "scenes/twist.lua").string();
    TemporaryFolder folder;
    const fs::path report = folder.path / "report.json", log = folder.path / "log.txt", out = folder.path / "out";
    const std::vector<std::string> common{"run", scene, "--quiet", "--frames", "60", "--report", report.string()};
    auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> words = common;
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    ASSERT_EQ(run_pliant(with({"--no-out"}), folder.path).status, 0);
    const std::string straight = reported(report, "state_hash");
    fs::remove(report);

    const auto saved = [&] {
        std::error_code missing;
        return fs::last_write_time(out / "checkpoint.plc", missing);
    };
    unsigned random = 12345;
    int hits = 0;  // kills that found a run with a checkpoint behind it
    for (int i = 0; i < kills; ++i) {
        const auto before = saved();
        const pid_t child = start_pliant(with({"--out", out.string(), "--resume", "--checkpoint-every", "1"}), log);
        // Every other one is let go on for a frame at least, however long this machine takes to get there.
        while (i % 2 == 0 && saved() == before && !has_ended(child))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        random = random * 1664525u + 1013904223u;
        std::this_thread::sleep_for(std::chrono::microseconds(random % 40000));
        kill(child, SIGKILL);
        const Outcome outcome = wait_for(child, log);
        ASSERT_TRUE(outcome.status == 128 + SIGKILL || outcome.status == 0) << outcome.words;
        hits += outcome.status != 0 && fs::exists(out / "checkpoint.plc");
        if (outcome.status == 0) fs::remove_all(out);  // a finished run would only confirm itself
    }
    const Outcome last = run_pliant(with({"--out", out.string(), "--resume"}), folder.path);
    ASSERT_EQ(last.status, 0) << last.words;
    EXPECT_EQ(reported(report, "state_hash"), straight);
    EXPECT_GT(hits, 0);
    std::cout << hits << " of " << kills << " kills hit a run with a checkpoint behind it\n";
}

TEST(Killed, GoesOnToTheSameBits) { kill_and_resume(6); }
TEST(SoakKilled, GoesOnToTheSameBitsAThousandTimes) { kill_and_resume(1000); }

TEST(Run, RefusesAnUnwritableFolderInOneSentence) {
    TemporaryFolder folder;
    std::ofstream(folder.path / "file") << "not a folder";
    const Outcome outcome = run_pliant({"run", (fs::path(PLIANT_SOURCE_DIR) / "scenes/quickstart.lua").string(),
                                        "--out", (folder.path / "file" / "out").string()},
                                       folder.path);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(std::count(outcome.words.begin(), outcome.words.end(), '\n'), 1) << outcome.words;
}

// The first scene a reader types in, word for word, and the commands beside it.
TEST(Readme, ItsSceneRuns) {
    const std::string readme = content(fs::path(PLIANT_SOURCE_DIR) / "README.md");
    const std::size_t begin = readme.find("```lua\n"), end = readme.find("```", begin + 7);
    ASSERT_NE(end, std::string::npos);
    TemporaryFolder folder;
    const std::string scene = (folder.path / "ball.lua").string(), out = (folder.path / "out").string();
    std::ofstream(scene) << readme.substr(begin + 7, end - begin - 7);
    const Outcome run = run_pliant({"run", scene, "--quiet", "--out", out, "--export", "usd,vtu"}, folder.path);
    EXPECT_EQ(run.status, 0) << run.words;
    EXPECT_TRUE(fs::exists(fs::path(out) / "ball.usda"));
}

TEST(Run, QuickstartEndsClosedFiniteAndAsExpected) {
    TemporaryFolder folder;
    const fs::path report = folder.path / "report.json";
    const Outcome outcome = run_pliant({"run", (fs::path(PLIANT_SOURCE_DIR) / "scenes/quickstart.lua").string(),
                                        "--no-out", "--report", report.string()},
                                       folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.words;
    EXPECT_EQ(reported(report, "surface_closed"), "true");
    EXPECT_LT(std::stod(reported(report, "penetration_depth")), 0.005);
    EXPECT_EQ(content(report).find("null"), std::string::npos);  // non-finite numbers would be null
}

TEST(Run, LettersEndOutsideEachOther) {
    TemporaryFolder folder;
    const fs::path report = folder.path / "report.json";
    const Outcome outcome = run_pliant({"run", (fs::path(PLIANT_SOURCE_DIR) / "scenes/letters.lua").string(),
                                        "--no-out", "--set", "count=10", "--report", report.string()},
                                       folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.words;
    // No vertex is inside another letter. Edges still cross: contact holds vertices alone.
    std::cout << "crossing triangle pairs: " << reported(report, "intersections")
              << ", depth: " << reported(report, "penetration_depth") << " m\n";
    EXPECT_EQ(std::stod(reported(report, "penetration_fraction")), 0);
}

std::string virtual_material(const std::string& scene) {
    return (fs::path(PLIANT_SOURCE_DIR) / "scenes/virtual-materials" / (scene + ".lua")).string();
}

TEST(VirtualMaterials, CreatureTornIsInPiecesAndClosed) {
    TemporaryFolder folder;
    const fs::path report = folder.path / "report.json";
    const Outcome outcome =
        run_pliant({"run", virtual_material("creature-torn"), "--no-out", "--report", report.string()}, folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.words;
    std::cout << reported(report, "pieces") << " pieces, volume error " << reported(report, "skin_volume_error") << ", "
              << reported(report, "real_time_factor") << " times real time\n";
    EXPECT_GE(std::stoi(reported(report, "pieces")), 2);
    EXPECT_EQ(reported(report, "surface_closed"), "true");
    EXPECT_LE(std::stod(reported(report, "skin_volume_error")), 1e-9);
}

// Müller & Gross 2004 promise unconditional stability: their scenes at ten times the step and a thousand times the
// stiffness stay finite and come to rest, which the scenes check themselves.
TEST(VirtualMaterials, LongStepsAndStiffBodiesStayFiniteAndSettle) {
    // Speed of the fastest node at the end, m/s; in one step gravity adds 0.98. Of a body in pieces one may still
    // sway.
    const struct {
        const char *scene, *iterations;
        double bound;
    } runs[] = {{"snake", "20", 0.1},         {"cow", "20", 0.1},           {"creature", "20", 0.01},
                {"creature-heat", "20", 0.1}, {"creature-torn", "20", 0.5}, {"creature-torn", "60", 0.3}};
    for (const auto& [scene, iterations, bound] : runs) {
        TemporaryFolder folder;
        const fs::path report = folder.path / "report.json";
        std::vector<std::string> words{
            "run",   virtual_material(scene), "--no-out", "--report",  report.string(), "--set", "dt=0.1",
            "--set", "stiffer=1000",          "--set",    "duration=8"};
        if (scene == std::string("creature-torn"))
            words.insert(words.end(), {"--set", std::string("iterations=") + iterations});
        const Outcome outcome = run_pliant(words, folder.path);
        EXPECT_EQ(outcome.status, 0) << scene << ": " << outcome.words;
        EXPECT_EQ(content(report).find("null"), std::string::npos) << scene << ": a number is not finite";
        std::cout << scene << ", " << iterations << " iterations: fastest node " << reported(report, "max_speed")
                  << " m/s at the end\n";
        EXPECT_LT(std::stod(reported(report, "max_speed")), bound) << scene;
    }
}

}  // namespace
}  // namespace pliant::test
