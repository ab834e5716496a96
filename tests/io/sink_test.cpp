#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include "io/sink_frames.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryDirectory;
using test::tree;
using test::wave_frame;

constexpr const char* all_sinks = "frames,vtu,usd,obj,ply,csv";
const RunInfo info{"scenes/wave.lua", 50, 12};

/// Frames begin … end−1 into new sinks, as one process would; `finished` as if it came to its end.
void run(const fs::path& directory, int begin, int end, bool finished, const char* names = all_sinks, int split = 7) {
    for (const auto& sink : make_sinks(names, directory)) {
        sink->begin(info);
        for (int i = begin; i < end; ++i) sink->write(wave_frame(i, 6, split));
        if (finished) sink->finish();
    }
}

TEST(SinkList, MakesEachKindOnce) {
    EXPECT_EQ(make_sinks("vtu, usd,obj,ply,csv,vtu,frames", "x").size(), 6u);
    EXPECT_TRUE(make_sinks("", "x").empty());
    EXPECT_FALSE(fs::exists("x"));
}

TEST(SinkList, UnknownNameSuggestsTheNearest) {
    try {
        make_sinks("vtu,uds", "x");
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("'uds'"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("Did you mean 'usd'?"), std::string::npos) << error.what();
    }
}

TEST(SinkOutput, NamesAreFitForFilesAndUnique) {
    Frame frame;
    for (const char* name : {"cow", "../etc/passwd", "7up", "", "Kühe", "cow", "cow_2", "a/b", "a.b"})
        frame.bodies.emplace_back().name = name;
    const std::vector<std::string> expected = {"cow",   "___etc_passwd", "_7up", "body", "K__he",
                                               "cow_2", "cow_2_2",       "a_b",  "a_b_2"};
    EXPECT_EQ(body_stems(frame), expected);
    EXPECT_EQ(scene_stem({"scenes/quickstart.lua", 50, 0}), "quickstart");
    EXPECT_EQ(scene_stem({"", 50, 0}), "scene");
}

TEST(SinkOutput, NothingIsLeftWithoutCommit) {
    TemporaryDirectory dir;
    {
        OutputFile file(dir.path / "a");
        file.write("old");
        file.commit();
    }
    {
        OutputFile file(dir.path / "a");
        file.write("new");
    }
    EXPECT_EQ(tree(dir.path), (std::map<std::string, std::string>{{"a", "old"}}));
}

TEST(Sinks, ResumedRunEqualsUninterruptedOne) {
    TemporaryDirectory whole, resumed;
    run(whole.path, 0, 12, true);
    const auto expected = tree(whole.path);
    EXPECT_GT(expected.size(), 12u * 6u);
    for (const auto& [name, bytes] : expected) EXPECT_EQ(name.find("part"), std::string::npos) << name;

    run(resumed.path, 0, 6, false);  // stopped
    run(resumed.path, 4, 9, false);  // from the checkpoint of frame 3, stopped again
    run(resumed.path, 8, 12, true);  // from the one of frame 7 to the end
    const auto found = tree(resumed.path);
    for (const auto& [name, bytes] : expected) {
        ASSERT_TRUE(found.contains(name)) << name;
        EXPECT_TRUE(found.at(name) == bytes) << name << " differs";
    }
    EXPECT_EQ(found.size(), expected.size());
}

TEST(Sinks, FinishedRunCanBeExtended) {
    TemporaryDirectory whole, longer;
    run(whole.path, 0, 12, true);
    run(longer.path, 0, 5, true);
    run(longer.path, 5, 12, true);
    EXPECT_TRUE(tree(whole.path) == tree(longer.path));
}

TEST(Sinks, RunStoppedBeforeFinishIsCompletedByFinishAlone) {
    TemporaryDirectory whole, stopped;
    run(whole.path, 0, 12, true);
    run(stopped.path, 0, 12, false);
    run(stopped.path, 12, 12, true);
    EXPECT_TRUE(tree(whole.path) == tree(stopped.path));
}

/// A process that writes frames is killed at some moment, and another one goes on from some frame before it.
TEST(Sinks, KilledAndResumedRunEqualsUninterruptedOne) {
    TemporaryDirectory whole(TemporaryDirectory::On::memory);
    run(whole.path, 0, 12, true);
    const auto expected = tree(whole.path);
    Rng rng(5);
    int killed = 0;
    for (int trial = 0; trial < 10; ++trial) {
        TemporaryDirectory dir(TemporaryDirectory::On::memory);
        int next = 0;
        for (int attempt = 0; attempt < 5; ++attempt) {
            int progress[2];
            ASSERT_EQ(::pipe(progress), 0);
            const pid_t child = ::fork();
            ASSERT_GE(child, 0);
            if (child == 0) {
                try {
                    const auto sinks = make_sinks(all_sinks, dir.path);
                    for (const auto& sink : sinks) sink->begin(info);
                    for (int i = next; i < 12; ++i) {
                        for (const auto& sink : sinks) sink->write(wave_frame(i, 6, 7));
                        if (::write(progress[1], "x", 1) != 1) ::_exit(2);
                    }
                    for (const auto& sink : sinks) sink->finish();
                } catch (...) {
                    ::_exit(1);
                }
                ::_exit(0);
            }
            ::close(progress[1]);
            // After some of its frames, at once or a little later: machines differ in how far they get meanwhile.
            const auto frames = static_cast<int>(rng.below(static_cast<std::uint64_t>(12 - next) + 1));
            char x = 0;
            for (int seen = 0; seen < frames && ::read(progress[0], &x, 1) == 1; ++seen) ++next;
            if (rng.below(2) == 1) ::usleep(static_cast<useconds_t>(rng.below(5000)));
            ::kill(child, SIGKILL);
            int status = 0;
            ::waitpid(child, &status, 0);
            ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
            killed += WIFSIGNALED(status) ? 1 : 0;
            while (::read(progress[0], &x, 1) == 1) ++next;
            ::close(progress[0]);
            next -= static_cast<int>(rng.below(static_cast<std::uint64_t>(std::min(next, 3)) + 1));
        }
        run(dir.path, next, 12, true);
        auto found = tree(dir.path);
        EXPECT_EQ(found.size(), expected.size());
        for (const auto& [name, bytes] : expected)
            EXPECT_TRUE(found[name] == bytes) << name << " after trial " << trial;
    }
    std::printf("%d of 50 were killed\n", killed);
    EXPECT_GT(killed, 0);
}

TEST(Sinks, NewRunDropsTheFramesOfALongerOldOne) {
    TemporaryDirectory old, fresh;
    run(old.path, 0, 12, true);
    run(old.path, 0, 3, true);
    run(fresh.path, 0, 3, true);
    EXPECT_TRUE(tree(old.path) == tree(fresh.path));
}

TEST(Sinks, EachSaysWhyItCannotWrite) {
    TemporaryDirectory dir;
    std::ofstream(dir.path / "file") << "in the way";
    for (const SinkKind& kind : sink_kinds().entries()) {
        const auto sink = kind.make(dir.path / "file" / "below");
        try {
            sink->begin(info);
            sink->write(wave_frame(0));
            sink->finish();
            FAIL() << kind.name << ": no error";
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("file/below"), std::string::npos) << error.what();
        }
    }
    EXPECT_EQ(tree(dir.path).size(), 1u);
}

/// Lets no file grow beyond so many bytes: what a full disk looks like to a writer.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &previous_);
        const rlimit limit{bytes, previous_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &previous_);
        std::signal(SIGXFSZ, previous_handler_);
    }

private:
    rlimit previous_{};
    void (*previous_handler_)(int);
};

TEST(Sinks, FullDiskLeavesWholeFilesOnly) {
    for (const char* name : {"frames", "vtu", "usd", "obj", "ply"}) {
        TemporaryDirectory dir;
        run(dir.path, 0, 2, false, name);
        const auto before = tree(dir.path);
        bool failed = false;
        {
            FileSizeLimit limit(300);
            try {
                run(dir.path, 2, 3, true, name);
            } catch (const UserError& error) {
                failed = true;
                EXPECT_NE(std::string(error.what()).find("cannot write the file"), std::string::npos) << error.what();
            }
        }
        EXPECT_TRUE(failed) << name;
        EXPECT_TRUE(tree(dir.path) == before) << name;
        run(dir.path, 2, 3, true, name);  // and goes on when there is space again
    }
}

TEST(SinkCsv, RowsColumnsAndResume) {
    TemporaryDirectory dir;
    run(dir.path, 0, 3, false, "csv");
    EXPECT_EQ(contents(dir.path / "measures.csv"),
              "frame,time,height,\"volume, total\"\n0,0,0,0.3333333333333333\n1,0.02,0.1,0.3333333333333333\n"
              "2,0.04,0.2,0.3333333333333333\n");
    std::ofstream(dir.path / "measures.csv", std::ios::app) << "3,0.06,0.";  // cut off by a crash
    Frame frame = wave_frame(2);
    frame.measures["speed"] = 4;
    frame.measures.erase("height");
    const auto sink = make_sinks("csv", dir.path);
    sink[0]->begin(info);
    sink[0]->write(frame);
    EXPECT_EQ(contents(dir.path / "measures.csv"),
              "frame,time,height,\"volume, total\",speed\n0,0,0,0.3333333333333333,\n1,0.02,0.1,0.3333333333333333,\n"
              "2,0.04,,0.3333333333333333,4\n");
}

TEST(SinkObj, WritesVerticesNormalsAndFaces) {
    TemporaryDirectory dir;
    run(dir.path, 3, 4, true, "obj");
    const std::string text = contents(dir.path / "obj" / "floor_000003.obj");
    EXPECT_EQ(text,
              "# frame 3, 0.06 s\nmtllib floor.mtl\no floor\nv -1 0 -1\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nvn 0 1 0\nvn 0 1 "
              "0\nvn 0 1 0\n"
              "vn 0 1 0\nusemtl floor\nf 1//1 2//2 3//3\nf 1//1 3//3 4//4\n");
    EXPECT_TRUE(fs::exists(dir.path / "obj" / "jelly_sheet_000003.obj"));
}

TEST(SinkPly, HeaderFitsTheBytes) {
    TemporaryDirectory dir;
    run(dir.path, 0, 1, true, "ply");
    const std::string bytes = contents(dir.path / "ply" / "jelly_sheet_000000.ply");
    const std::string end = "end_header\n";
    const std::size_t data = bytes.find(end) + end.size();
    const std::string header = bytes.substr(0, data);
    for (const char* line :
         {"element vertex 49\n", "element face 72\n", "property float nx\n", "property float group\n",
          "property float temperature\n", "property float velocity_z\n", "property uchar red\n"})
        EXPECT_NE(header.find(line), std::string::npos) << line;
    EXPECT_EQ(bytes.size() - data, 49u * (24 + 3 + 16) + 72u * (13 + 4));
    const Frame frame = wave_frame(0);
    float y = 0;
    std::memcpy(&y, bytes.data() + data + 43 * 10 + 4, 4);  // of vertex 10
    EXPECT_EQ(y, static_cast<float>(frame.bodies[0].points[10].y()));
    float temperature = 0;
    std::memcpy(&temperature, bytes.data() + data + 43 * 10 + 27, 4);
    EXPECT_EQ(temperature, 5.0F);
    EXPECT_EQ(bytes[data + 43 * 49], 3);
    int corner = 0;
    std::memcpy(&corner, bytes.data() + bytes.size() - 8, 4);  // the last corner, before the group
    EXPECT_EQ(corner, 48);
}

TEST(Sinks, ParticlesWithoutTriangles) {
    TemporaryDirectory dir;
    Frame frame;
    BodyFrame& body = frame.bodies.emplace_back();
    body.name = "drops";
    body.kind = "particle";
    body.points = {{0, 0, 0}, {1, 2, 3}, {2, 0, 0}};
    for (const auto& sink : make_sinks(all_sinks, dir.path)) {
        sink->begin(info);
        sink->write(frame);
        sink->finish();
    }
    EXPECT_NE(contents(dir.path / "obj" / "drops_000000.obj").find("\np 3\n"), std::string::npos);
    EXPECT_NE(contents(dir.path / "wave.usda").find("def Points \"drops\""), std::string::npos);
    EXPECT_NE(contents(dir.path / "vtu" / "drops-surface_000000.vtp").find("NumberOfVerts=\"3\""), std::string::npos);
    EXPECT_EQ(RunDirectory(dir.path).load(0).bodies[0].points.size(), 3u);
}

TEST(Sinks, WrongFieldSizeIsOurMistake) {
    TemporaryDirectory dir;
    Frame frame = wave_frame(0);
    frame.bodies[0].fields[0].values.pop_back();
    for (const auto& sink : make_sinks("frames,vtu,ply", dir.path)) {
        sink->begin(info);
        EXPECT_THROW(sink->write(frame), InternalError);
    }
}

TEST(Sinks, ALargeBody) {
    TemporaryDirectory dir;
    const Frame first = wave_frame(0, 224), second = wave_frame(1, 224);  // 100,352 triangles
    for (const SinkKind& kind : sink_kinds().entries()) {
        const fs::path own = dir.path / kind.name;
        fs::create_directory(own);
        const auto sink = kind.make(own);
        sink->begin(info);
        sink->write(first);
        const double wall = seconds_now();
        const std::clock_t cpu = std::clock();
        sink->write(second);
        const double seconds = double(std::clock() - cpu) / CLOCKS_PER_SEC;
        std::printf("%-6s %7.2f ms of processor time, %7.2f ms in all, per frame of 100k triangles\n",
                    kind.name.c_str(), 1e3 * seconds, 1e3 * (seconds_now() - wall));
        EXPECT_FALSE(fs::is_empty(own)) << kind.name;
    }
}

}  // namespace
}  // namespace pliant
