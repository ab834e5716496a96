#include "pliant/io/report.hpp"

#include <cstdlib>
#include <limits>

#include "io/sink_frames.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/io/json_writer.hpp"

namespace pliant {
namespace {

TEST(Report, KeysAndOrderAreStable) {
    RunReport report;
    report.scene = "scenes/quickstart.lua";
    report.version = "0.1.0";
    report.seed = 18446744073709551615ULL;
    report.threads = 2;
    report.frames = 3;
    report.steps = 6;
    report.sim_s = 0.06;
    report.wall_s = 0.03;
    report.step_ms = {5, 4.5, 9};
    report.stage_ms = {{"solve", 3}, {"assemble", 1}};
    report.worst_residual = 0.25, report.missed = 7, report.cut = 2, report.limited = 1, report.newton = 4;
    report.energy = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13}, 11, 12, 14};
    report.state_hash = 0xabc;
    report.bodies.push_back({"cow", "fem", 10, 20, 30, true, 1.5, 1.25, 1500, 1, 2e-16, 0.1});
    report.metrics = {{"volume", 1.5}, {"drift", std::numeric_limits<double>::quiet_NaN()}};
    report.series = {{"volume", {{0, 1.25}, {0.02, 1.5}}}, {"none", {}}};
    report.warnings = {"3 vertices were merged"};
    report.expectations = {{"stays", true, "0.1 m is below 1 m"}};
    EXPECT_EQ(report_json(report), R"({
  "scene": "scenes/quickstart.lua",
  "version": "0.1.0",
  "seed": 18446744073709551615,
  "threads": 2,
  "frames": 3,
  "steps": 6,
  "sim_s": 0.06,
  "wall_s": 0.03,
  "real_time_factor": 2,
  "step_ms": {
    "mean": 5,
    "p50": 4.5,
    "p99": 9
  },
  "residual": {
    "worst": 0.25,
    "missed": 7
  },
  "steps_cut": 2,
  "steps_held_back": 1,
  "newton_iterations": 4,
  "energy": {
    "kinetic": 11,
    "elastic": 12,
    "brought": 1,
    "outside": 2,
    "grips": 3,
    "hands": 4,
    "contact": 5,
    "friction": 6,
    "damping": 7,
    "plastic": 8,
    "heat": 9,
    "fracture": 10,
    "numerical": 13,
    "residual": 14
  },
  "stage_ms": {
    "solve": 3,
    "assemble": 1
  },
  "state_hash": "0000000000000abc",
  "bodies": [
    {
      "name": "cow",
      "kind": "fem",
      "nodes": 10,
      "elements": 20,
      "surface_triangles": 30,
      "surface_closed": true,
      "volume": 1.5,
      "rest_volume": 1.25,
      "mass": 1500,
      "pieces": 1,
      "skin_volume_error": 2e-16,
      "max_speed": 0.1
    }
  ],
  "metrics": {
    "drift": null,
    "volume": 1.5
  },
  "series": {
    "none": [],
    "volume": [[0, 1.25], [0.02, 1.5]]
  },
  "warnings": [
    "3 vertices were merged"
  ],
  "expectations": [
    {
      "name": "stays",
      "passed": true,
      "message": "0.1 m is below 1 m"
    }
  ]
}
)");
}

TEST(Report, EmptyRunIsStillJson) {
    const std::string text = report_json({});
    EXPECT_NE(text.find("\"real_time_factor\": null"), std::string::npos);  // 0/0
    EXPECT_NE(text.find("\"bodies\": []"), std::string::npos);
    EXPECT_NE(text.find("\"metrics\": {}"), std::string::npos);
}

TEST(Report, OpensInPython) {
    test::TemporaryDirectory dir;
    RunReport report;
    report.scene = "a\"b\\c\n\x01 \xff \xe2\x82 naïve €";
    report.metrics = {{"tiny", 5e-324}, {"third", 1.0 / 3.0}, {"big", 1.7976931348623157e308}};
    write_report((dir.path / "r.json").string(), report);
    const std::string check =
        "import json,sys; r=json.load(open('" + (dir.path / "r.json").string() +
        "', encoding='utf-8')); m=r['metrics']; sys.exit(0 if m['third']==1/3 and m['tiny']==5e-324 "
        "and r['scene']=='a\\\"b\\\\\\\\c\\\\n\\\\x01 \\\\ufffd \\\\ufffd\\\\ufffd na\\\\xefve \\\\u20ac' else 1)";
    if (std::system("python3 -c 'pass'") != 0) GTEST_SKIP() << "python3 is not installed";
    EXPECT_EQ(std::system(("python3 -c \"" + check + "\"").c_str()), 0) << test::contents(dir.path / "r.json");
}

TEST(Report, NumbersReadBackAsTheSame) {
    Rng rng(3);
    for (int i = 0; i < 1000; ++i) {
        const double value = std::ldexp(rng.uniform(-1, 1), static_cast<int>(rng.below(600)) - 300);
        JsonWriter json;
        json.value(value);
        EXPECT_EQ(std::strtod(json.take().c_str(), nullptr), value);
    }
}

TEST(Report, Utf8IsValid) {
    EXPECT_EQ(valid_utf8("plain naïve € 😀"), "plain naïve € 😀");
    EXPECT_EQ(valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");           // overlong '/'
    EXPECT_EQ(valid_utf8("\xED\xA0\x80").substr(0, 3), "\xEF\xBF\xBD");      // surrogate
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80").substr(0, 3), "\xEF\xBF\xBD");  // beyond U+10FFFF
    EXPECT_EQ(valid_utf8("a\xE2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD");         // cut off
    for (int lead = 0; lead < 256; ++lead)
        for (int second = 0; second < 256; ++second) {
            const std::string once = valid_utf8(std::string{char(lead), char(second)});
            ASSERT_EQ(valid_utf8(once), once);
        }
}

TEST(Report, StepTimesByNearestRank) {
    EXPECT_EQ(step_times({}).p99, 0);
    EXPECT_EQ(step_times({4}).p50, 4);
    std::vector<double> times;
    for (int i = 200; i >= 1; --i) times.push_back(i);
    const StepTimes found = step_times(times);
    EXPECT_EQ(found.mean, 100.5);
    EXPECT_EQ(found.p50, 100);
    EXPECT_EQ(found.p99, 198);
}

/// Against all times kept and sorted: a hundred thousand of them, spread over five decades.
TEST(Report, StepTimesOfAnyNumberOfStepsAreTallied) {
    StepTimeTally tally;
    EXPECT_EQ(tally.times().p99, 0);
    std::vector<double> all;
    Rng random(3);
    for (int i = 0; i < 100000; ++i) all.push_back(std::pow(10, 5 * random.uniform() - 3)), tally.add(all.back());
    const StepTimes exact = step_times(all), found = tally.times();
    std::printf("p50 %g for %g ms, p99 %g for %g ms\n", found.p50, exact.p50, found.p99, exact.p99);
    EXPECT_EQ(tally.count(), 100000);
    EXPECT_NEAR(found.mean / exact.mean, 1, 1e-12);
    EXPECT_NEAR(found.p50 / exact.p50, 1, 0.0051);
    EXPECT_NEAR(found.p99 / exact.p99, 1, 0.0051);
    tally.add(0), tally.add(1e300);  // a clock that stands still, and one that was set
}

TEST(Report, MisuseOfTheWriterIsOurMistake) {
    JsonWriter json;
    json.begin_object();
    EXPECT_THROW(json.value(1), InternalError);
    EXPECT_THROW(json.end_array(), InternalError);
    EXPECT_THROW(json.take(), InternalError);
}

TEST(Report, UnwritableFolderIsSaid) { EXPECT_THROW(write_report("/dev/null/report.json", {}), UserError); }

}  // namespace
}  // namespace pliant
