#include "pliant/io/checkpoint.hpp"

#include <sys/wait.h>

#include <csignal>

#include "io/sink_frames.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/timer.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryDirectory;

/// A checkpoint whose every byte follows from its step.
Checkpoint sample(std::int64_t step, std::size_t size = 100) {
    Checkpoint checkpoint{{{"the scene's text", 0x1234567890abcdefULL}, {"--set young", 5}},
                          step,
                          static_cast<int>(step / 2),
                          0.01 * double(step),
                          {}};
    Rng rng(static_cast<std::uint64_t>(step));
    for (const char* name : {"cow", "world", "empty"}) {
        std::string& bytes = checkpoint.sections[name];
        while (bytes.size() < size && std::string_view(name) != "empty") bytes += static_cast<char>(rng.next());
    }
    return checkpoint;
}

void put(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST(Bytes, RoundTrip) {
    ByteWriter out;
    out.value(3.5);
    out.vector(std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}});
    out.vector(std::vector<Tet>{});
    out.text("naïve");
    out.value(Quat(1, 2, 3, 4));
    out.value(true);
    ByteReader in(out.bytes());
    EXPECT_EQ(in.value<double>(), 3.5);
    EXPECT_EQ(in.vector<Vec3>(), (std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}}));
    EXPECT_TRUE(in.vector<Tet>().empty());
    EXPECT_EQ(in.text(), "naïve");
    EXPECT_EQ(in.value<Quat>().coeffs(), Quat(1, 2, 3, 4).coeffs());
    EXPECT_THROW(in.finish(), UserError);
    EXPECT_TRUE(in.value<bool>());
    in.finish();
    EXPECT_THROW(in.value<char>(), UserError);
}

TEST(Bytes, HugeCountIsAnErrorNotAnAllocation) {
    ByteWriter out;
    out.value(std::uint64_t{1} << 61);  // times eight wraps around to zero
    out.value(0.0);
    EXPECT_THROW(ByteReader(out.bytes()).vector<double>(), UserError);
    EXPECT_THROW(ByteReader(out.bytes()).text(), UserError);
}

TEST(Checkpoint, NamesWhatChangedInItsScene) {
    Checkpoint checkpoint;
    checkpoint.sources = {{"the scene's text", 1}, {"'cow.obj'", 2}, {"--set young", 3}};
    auto now = checkpoint.sources;
    EXPECT_EQ(changed_sources(checkpoint, now), "");
    now["'cow.obj'"] = 4;
    EXPECT_EQ(changed_sources(checkpoint, now), "'cow.obj'");
    now.erase("--set young");
    EXPECT_EQ(changed_sources(checkpoint, now), "'cow.obj' and --set young");
    now["--set cell"] = 1;
    EXPECT_EQ(changed_sources(checkpoint, now), "'cow.obj', --set cell and --set young");
}

TEST(Checkpoint, ReadsBackAndKeepsThePreviousOne) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    EXPECT_FALSE(load_checkpoint(dir.path).has_value());
    EXPECT_FALSE(load_checkpoint(dir.path / "nowhere").has_value());
    for (const int step : {10, 20, 30}) {
        save_checkpoint(dir.path / "run", sample(step));
        const auto loaded = load_checkpoint(dir.path / "run");
        ASSERT_TRUE(loaded.has_value());
        EXPECT_EQ(loaded->checkpoint, sample(step));
        EXPECT_EQ(loaded->warning, "");
    }
    EXPECT_EQ(read_checkpoint_file(dir.path / "run" / "checkpoint.prev.plc"), sample(20));
    EXPECT_EQ(test::tree(dir.path).size(), 2u);
    remove_checkpoints(dir.path / "run");
    EXPECT_FALSE(load_checkpoint(dir.path / "run").has_value());
}

TEST(Checkpoint, SectionsAreNamedInErrors) {
    const Checkpoint checkpoint = sample(4);
    EXPECT_EQ(section_reader(checkpoint, "cow").left(), 100u);
    EXPECT_THROW(section_reader(checkpoint, "pig"), UserError);
    ByteReader in = section_reader(checkpoint, "empty");
    try {
        in.value<int>();
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "section 'empty' of the checkpoint is damaged: it ends too early.");
    }
}

TEST(Checkpoint, EveryTruncationFallsBack) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    save_checkpoint(dir.path, sample(10));
    save_checkpoint(dir.path, sample(20));
    const fs::path newest = dir.path / "checkpoint.plc";
    const std::string bytes = contents(newest);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        put(newest, std::string_view(bytes).substr(0, n));
        const auto loaded = load_checkpoint(dir.path);
        ASSERT_TRUE(loaded.has_value());
        ASSERT_EQ(loaded->checkpoint, sample(10)) << n;
        ASSERT_NE(loaded->warning.find("checkpoint.plc"), std::string::npos);
        ASSERT_NE(loaded->warning.find("going on from the previous checkpoint, of frame 5"), std::string::npos);
    }
    put(newest, bytes + "more");
    EXPECT_EQ(load_checkpoint(dir.path)->checkpoint, sample(10));
    fs::remove(newest);
    EXPECT_EQ(load_checkpoint(dir.path)->checkpoint, sample(10));
}

TEST(Checkpoint, EveryFlippedBitIsFound) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    const fs::path path = dir.path / "c.plc";
    write_checkpoint_file(path, sample(10));
    const std::string bytes = contents(path);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        put(path, damaged);
        ASSERT_THROW(read_checkpoint_file(path), UserError) << bit;
    }
}

TEST(Checkpoint, BothDamagedIsOneSentenceWithARemedy) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    save_checkpoint(dir.path, sample(10));
    save_checkpoint(dir.path, sample(20));
    put(dir.path / "checkpoint.plc", "PLIANTCP");
    put(dir.path / "checkpoint.prev.plc", "");
    try {
        load_checkpoint(dir.path);
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()), dir.path.string() + ": has no undamaged checkpoint (" + dir.path.string() +
                                                 "/checkpoint.plc: the checkpoint is damaged: it ends too early). "
                                                 "Start the run anew, without --resume.");
    }
}

TEST(Checkpoint, DamagedNewestDoesNotReplaceTheGoodPrevious) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    save_checkpoint(dir.path, sample(10));
    save_checkpoint(dir.path, sample(20));
    put(dir.path / "checkpoint.plc", "damage");
    save_checkpoint(dir.path, sample(30));
    EXPECT_EQ(load_checkpoint(dir.path)->checkpoint, sample(30));
    EXPECT_EQ(read_checkpoint_file(dir.path / "checkpoint.prev.plc"), sample(10));
}

TEST(Checkpoint, UnwritableFolderIsSaid) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    put(dir.path / "file", "in the way");
    EXPECT_THROW(save_checkpoint(dir.path / "file" / "below", sample(1)), UserError);
}

TEST(Checkpoint, SurvivesKillAtAnyMoment) {
    TemporaryDirectory dir(TemporaryDirectory::On::memory);
    Rng rng(11);
    std::int64_t reached = 0;
    int left_behind = 0;
    for (int trial = 0; trial < 50; ++trial) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            try {
                for (std::int64_t step = reached + 1;; ++step) save_checkpoint(dir.path, sample(step, 20000));
            } catch (...) {
            }
            ::_exit(1);
        }
        ::usleep(static_cast<useconds_t>(rng.below(20000)));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
        left_behind += fs::exists(dir.path / "checkpoint.plc.part") ? 1 : 0;
        const auto loaded = load_checkpoint(dir.path);
        if (!loaded && reached == 0) continue;  // killed before the first one was there
        ASSERT_TRUE(loaded.has_value());
        EXPECT_EQ(loaded->warning, "");
        EXPECT_GE(loaded->checkpoint.step, reached);
        EXPECT_EQ(loaded->checkpoint, sample(loaded->checkpoint.step, 20000));
        reached = loaded->checkpoint.step;
    }
    std::printf("%lld checkpoints written, %d of 50 kills came during a write\n", static_cast<long long>(reached),
                left_behind);
    EXPECT_GT(reached, 10);
    EXPECT_GT(left_behind, 0);
}

TEST(Checkpoint, SpeedOfALargeState) {
    TemporaryDirectory dir;
    Checkpoint checkpoint = sample(1);
    checkpoint.sections["cow"].assign(64 << 20, 'x');
    const double start = seconds_now();
    save_checkpoint(dir.path, checkpoint);
    const double saved = seconds_now();
    EXPECT_TRUE(load_checkpoint(dir.path)->checkpoint == checkpoint);
    std::printf("64 MB: saved in %.0f ms, loaded in %.0f ms\n", 1e3 * (saved - start), 1e3 * (seconds_now() - saved));
}

}  // namespace
}  // namespace pliant
