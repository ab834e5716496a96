// pliant sound as a user runs it.

#include <gtest/gtest.h>

#include <cmath>

#include "../scenes/pliant_process.hpp"

namespace pliant::test {
namespace {

double metric(const fs::path& report, const std::string& name) {
    const std::string text = content(report), key = "\"" + name + "\":";
    const auto at = text.find(key);
    return at == std::string::npos ? NAN : std::stod(text.substr(at + key.size()));
}

class Sound : public testing::Test {
protected:
    void SetUp() override {
        if (run_pliant({"sound", "nowhere.lua"}, folder.path).words.find("no sound") != std::string::npos)
            GTEST_SKIP() << "built without libsndfile";
    }
    Outcome run(std::vector<std::string> words) {
        words.insert(words.begin(), "sound");
        words.insert(words.end(), {"--cache", (folder.path / "cache").string(), "--threads", "2"});
        return run_pliant(words, folder.path);
    }
    fs::path scene(const std::string& text) {
        std::ofstream(folder.path / "scene.lua") << text;
        return folder.path / "scene.lua";
    }
    TemporaryFolder folder;
};

const char* const falling_bar = R"(
world { dt = 1/200, duration = 0.6, fps = 25 }
ground { friction = 0.3 }
rigid_body { name = "bar", volume = structured "bar:length=0.3,width=0.02,height=0.02,cells=16", rotate = {0, 0, 10},
             at = {0, 0.2, 0}, pieces = 1, material = { preset = "aluminium" },
             sound = { modes = 8, damping = { mass = 6, stiffness = 0 }, contact_time = 0.0012 } }
)";

TEST_F(Sound, ChimesHaveTheMeasuredPitches) {
    const fs::path report = folder.path / "r.json";
    const fs::path chimes = fs::path(PLIANT_SOURCE_DIR) / "scenes/sound/chimes.lua";
    const Outcome outcome =
        run({chimes.string(), "-o", (folder.path / "chimes.wav").string(), "--report", report.string(), "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.words;
    const double measured[6] = {585.8, 656.0, 781.8, 877.5, 982.5, 1167.0};
    double mean = 0, most = 0;
    for (int i = 0; i < 6; ++i) {
        const std::string name = "chime_" + std::to_string(i + 1);
        const double hz = metric(report, name + "_hz"), mode = metric(report, name + "_mode_hz");
        const double error = std::abs(hz / measured[i] - 1);
        std::printf("%s: WAV %.3f Hz, mode %.3f Hz, measured %.1f Hz, error %.2f %%\n", name.c_str(), hz, mode,
                    measured[i], 100 * error);
        mean += error / 6, most = std::max(most, error);
        EXPECT_LT(std::abs(1200 * std::log2(hz / mode)), 1) << "cents between the WAV and the mode";
    }
    std::printf("mean %.2f %%, largest %.2f %%\n", 100 * mean, 100 * most);
    EXPECT_LE(mean, 0.009);
    EXPECT_LE(most, 0.017);
}

TEST_F(Sound, SameBytesAgainFromADamagedCacheAndFromNone) {
    const fs::path wav = folder.path / "bar.wav", report = folder.path / "r.json";
    const std::vector<std::string> words{scene(falling_bar).string(), "-o", wav.string(), "--report", report.string()};
    ASSERT_EQ(run(words).status, 0) << run(words).words;
    const std::string first = content(wav);
    EXPECT_EQ(run(words).status, 0);
    EXPECT_EQ(metric(report, "modes_cached"), 1);
    EXPECT_EQ(first, content(wav));
    for (const auto& entry : fs::directory_iterator(folder.path / "cache")) {
        std::ofstream(entry.path(), std::ios::in | std::ios::binary).seekp(2000) << "damage";
        fs::resize_file(entry.path(), fs::file_size(entry.path()) - 100);
    }
    EXPECT_EQ(run(words).status, 0);
    EXPECT_EQ(metric(report, "modes_computed"), 1);
    EXPECT_EQ(first, content(wav));
    EXPECT_NEAR(metric(report, "peak_dbfs"), -1, 0.01);
    EXPECT_LT(metric(report, "mean_over_peak"), 1e-4);
}

// Contacts of a FEM body and of a modal body reach their voices: struck, heard, and at the pitch of the modes.
TEST_F(Sound, BodiesThatDeformHaveVoices) {
    for (const char* kind : {"fem_body", "modal_body"}) {
        const std::string text = std::string("world { dt = 1 / 500, duration = 0.5, fps = 50 }\nground { }\n") + kind +
                                 R"( { name = "bar", surface = box { size = {0.3, 0.02, 0.02} }, edge = 0.02,
  volume = grid { cells = {15, 1, 1} }, at = {0, 0.05, 0}, rotate = {0, 0, 10},
  material = { young = 2e8, poisson = 0.3, density = 1000 },
  sound = { modes = 8, damping = { mass = 5, stiffness = 1e-7 } } }
expect_sound { metric = "bar_blows", at_least = 1 }
expect_sound { metric = "peak_dbfs", near = -1, within = 0.01 }
expect_sound { metric = "bar_mode_hz", near = 100.7, within = 0.5 }
expect_sound { metric = "bar_hz", at_least = 99, at_most = 1000 }
)";
        const Outcome outcome = run({scene(text).string(), "-o", (folder.path / "bar.wav").string()});
        EXPECT_EQ(outcome.status, 0) << kind << ": " << outcome.words;
    }
}

TEST_F(Sound, SaysWhatIsWrong) {
    const std::string good = scene(falling_bar).string();
    Outcome outcome = run({good, "-o", "/proc/nowhere/x.wav"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.words.find("/proc/nowhere"), std::string::npos) << outcome.words;
    // A folder gets the frames beside the sound.
    EXPECT_EQ(run({good, "-o", (folder.path / "whole").string()}).status, 0);
    EXPECT_TRUE(fs::exists(folder.path / "whole" / "sound.wav") && fs::exists(folder.path / "whole" / "measures.csv"));
    fs::create_directory(folder.path / "folder.wav");
    EXPECT_EQ(run({good, "-o", (folder.path / "folder.wav").string()}).status, 1);
    EXPECT_EQ(run({good, "--bits", "20"}).status, 2);
    outcome = run({scene("ground { }").string()});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.words.find("sound = true"), std::string::npos) << outcome.words;
    outcome = run({scene("rigid_body { volume = structured \"tube:long=1\", sound = true }").string()});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.words.find("scene.lua:1"), std::string::npos) << outcome.words;
    outcome = run({scene("rigid_body { surface = sphere { radius = 0.1 }, sound = { mode = 3 } }").string()});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.words.find("modes"), std::string::npos) << outcome.words;
    EXPECT_FALSE(fs::exists(folder.path / "scene.wav"));
}

}  // namespace
}  // namespace pliant::test
