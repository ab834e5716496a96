// TetGen as a separate program: what it makes where it is installed, and that its absence, failure, crash and hanging
// are all reported and hurt nobody.

#include "pliant/io/tetgen_process.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mesh_samples.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/timer.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

std::string message_of(const TriMesh& surface, const TetgenOptions& options) {
    try {
        tetgen(surface, options);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

/// A program that does what a shell script says, in place of TetGen.
class Pretender {
public:
    explicit Pretender(const std::string& script) {
        std::string name = (fs::temp_directory_path() / "pretender-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        std::ofstream(path()) << "#!/bin/sh\n" << script << "\n";
        ::chmod(path().c_str(), 0700);
    }
    ~Pretender() { fs::remove_all(folder_); }
    std::string path() const { return (folder_ / "tetgen").string(); }

private:
    fs::path folder_;
};

int scratch_folders() {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path()))
        count += entry.path().filename().string().rfind("pliant-tetgen-", 0) == 0;
    return count;
}

TEST(TetgenProcess, SwitchesAreChecked) {
    EXPECT_EQ(checked_switches("pqa0.01"), "-pqa0.01");
    EXPECT_EQ(checked_switches("-nqa0.01"), "-pnqa0.01") << "as section 8.6 of the thesis writes them";
    EXPECT_EQ(checked_switches("q1.2/15a1e-6Y"), "-pq1.2/15a1e-6Y");
    for (const char* bad : {"r", "pm", "pi", "pqa0.01 /etc/passwd", "p;ls", "pE", "pN", "1", "p\n", "po2", "ph"})
        EXPECT_THROW(checked_switches(bad), UserError) << bad;
}

TEST(TetgenProcess, WhatGoesWrongIsSaid) {
    const TriMesh box = sample_surface();
    TriMesh open = box;
    open.triangles.pop_back();
    EXPECT_NE(message_of(open, {}).find("not closed (3 open"), std::string::npos) << message_of(open, {});
    EXPECT_NE(message_of(box, {.program = "no-such-program-here"}).find("not installed"), std::string::npos);
    struct Case {
        const char *script, *says;
    };
    for (const auto& [script, says] :
         {Case{"kill -SEGV $$", "crashed (signal 11)"}, Case{"exit 3", "TetGen failed"},
          Case{"echo 'Something odd.'; exit 2", "said \"Something odd.\""},
          Case{"echo '  A self-intersection was detected.'; exit 3", "cuts itself"},
          Case{"echo 'Error:  Out of memory.'; exit 1", "more than 4096 MB"}, Case{"exit 0", "made no tets"},
          Case{"printf '1 4 0\\n0 0 1 2 9\\n' > body.1.ele; printf '1 3 0 0\\n0 0 0 0\\n' > body.1.node",
               "cannot be read"},
          Case{"printf '1000000000 4 0\\n' > body.1.ele; printf '1 3 0 0\\n0 0 0 0\\n' > body.1.node",
               "cannot be read"}}) {
        const Pretender pretender(script);
        const std::string text = message_of(box, {.program = pretender.path()});
        EXPECT_NE(text.find(says), std::string::npos) << script << ": " << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
}

TEST(TetgenProcess, TimeAndMemoryAreLimited) {
    // A folder of its own for scratch: other tests may be at work in the common one.
    const fs::path own = fs::temp_directory_path() / ("pliant-limits-" + std::to_string(getpid()));
    fs::create_directories(own);
    setenv("TMPDIR", own.c_str(), 1);
    const Pretender sleeper("exec sleep 100");
    EXPECT_NE(message_of(sample_surface(), {.seconds = 0.2, .program = sleeper.path()}).find("stopped after 0.2 s"),
              std::string::npos);
    const Pretender hungry("head -c 300000000 /dev/zero > big && exit 0; exit 1");
    EXPECT_NE(message_of(sample_surface(), {.megabytes = 100, .program = hungry.path()}).find("TetGen"),
              std::string::npos);
    EXPECT_EQ(scratch_folders(), 0) << "nothing stays behind";
    unsetenv("TMPDIR");
    fs::remove_all(own);
}

TEST(TetgenProcess, MeshesABoxWhereItIsInstalled) {
    if (std::system("command -v tetgen > /dev/null 2>&1") != 0) GTEST_SKIP() << "tetgen is not installed";
    const TriMesh box = sample_surface();
    const double volume = std::abs(enclosed_volume(box.points, box.triangles));
    const TetMesh coarse = tetgen(box, {.switches = "p"});
    EXPECT_NEAR(total_volume(coarse.rest, coarse.tets) / volume, 1, 1e-12);
    const double largest = volume / 300;
    const TetMesh fine = tetgen(box, {.switches = "pqa" + std::to_string(largest)});
    EXPECT_NEAR(total_volume(fine.rest, fine.tets) / volume, 1, 1e-12);
    EXPECT_GE(fine.tets.size(), 300U);
    for (const Tet& t : fine.tets) {
        EXPECT_GT(signed_volume(fine.rest, t), 0);
        EXPECT_LE(signed_volume(fine.rest, t), 1.000001 * largest);
    }
    EXPECT_TRUE(inspect(boundary_surface(fine).surface).closed());

    // A box in the box, inside out: a cavity.
    TriMesh hollow = box;
    const Vec3 centre = box.bounds().center();
    for (const Vec3& p : box.points) hollow.points.push_back(centre + 0.5 * (p - centre));
    for (const Tri& t : box.triangles) hollow.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
    std::vector<std::string> notes;
    const TetMesh shell = tetgen(hollow, {}, &notes);
    EXPECT_NEAR(total_volume(shell.rest, shell.tets) / volume, 1 - 0.125, 1e-12);
    EXPECT_EQ(notes.size(), 1U);

    // Two boxes through one another.
    TriMesh crossed = box;
    for (const Vec3& p : box.points) crossed.points.push_back(p + 0.3 * box.bounds().size());
    for (const Tri& t : box.triangles) crossed.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
    const std::string text = message_of(crossed, {});
    EXPECT_NE(text.find("cuts itself"), std::string::npos) << text;
}

}  // namespace
}  // namespace pliant
