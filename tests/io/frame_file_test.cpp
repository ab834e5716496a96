#include "pliant/io/frame_file.hpp"

#include "io/sink_frames.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TemporaryDirectory;
using test::wave_frame;

void write_run(const fs::path& directory, int frames, int n = 6, int split = 4) {
    const auto sink = make_sinks("frames", directory);
    sink[0]->begin({"scenes/wave.lua", 30, frames});
    for (int i = 0; i < frames; ++i) sink[0]->write(wave_frame(i, n, split));
    sink[0]->finish();
}

void expect_equal(const Frame& a, const Frame& b) {
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.measures, b.measures);
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i) {
        EXPECT_EQ(a.events[i].kind, b.events[i].kind);
        EXPECT_EQ(a.events[i].position, b.events[i].position);
        EXPECT_EQ(a.events[i].size, b.events[i].size);
    }
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    double point_error = 0, normal_error = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        const BodyFrame &x = a.bodies[i], &y = b.bodies[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.kind, y.kind);
        EXPECT_EQ(x.color, y.color);
        EXPECT_EQ(x.surface_revision, y.surface_revision);
        ASSERT_EQ(bool(x.triangles), bool(y.triangles));
        ASSERT_EQ(bool(x.tets), bool(y.tets));
        if (x.triangles) {
            EXPECT_EQ(*x.triangles, *y.triangles);
        }
        if (x.tets) {
            EXPECT_EQ(*x.tets, *y.tets);
        }
        ASSERT_EQ(x.points.size(), y.points.size());
        ASSERT_EQ(x.nodes.size(), y.nodes.size());
        ASSERT_EQ(x.normals.size(), y.normals.size());
        Box box;
        for (const Vec3& p : x.points) box.add(p);
        for (std::size_t p = 0; p < x.points.size(); ++p) {
            point_error = std::max(point_error, (x.points[p] - y.points[p]).norm() / box.diagonal());
            normal_error = std::max(normal_error, (x.normals[p] - y.normals[p]).norm());
        }
        ASSERT_EQ(x.fields.size(), y.fields.size());
        for (std::size_t f = 0; f < x.fields.size(); ++f) {
            EXPECT_EQ(x.fields[f].name, y.fields[f].name);
            EXPECT_EQ(x.fields[f].unit, y.fields[f].unit);
            EXPECT_EQ(x.fields[f].on, y.fields[f].on);
            EXPECT_EQ(x.fields[f].components, y.fields[f].components);
            EXPECT_EQ(x.fields[f].values, y.fields[f].values);
        }
    }
    EXPECT_LT(point_error, 6e-8);
    EXPECT_LT(normal_error, 1e-4);
}

TEST(FrameFile, RunReadsBack) {
    TemporaryDirectory dir;
    write_run(dir.path, 6);
    for (const fs::path& name : {dir.path, dir.path / "frames"}) {
        RunDirectory run(name);
        EXPECT_EQ(run.info().scene, "scenes/wave.lua");
        EXPECT_EQ(run.info().fps, 30);
        EXPECT_EQ(run.info().frames, 6);
        ASSERT_EQ(run.frame_count(), 6);
        for (const int i : {0, 5, 3, 4}) expect_equal(wave_frame(i, 6, 4), run.load(i));
        EXPECT_EQ(run.load(1).bodies[0].triangles, run.load(2).bodies[0].triangles);  // shared, not repeated
    }
}

TEST(FrameFile, TopologyIsWrittenOncePerRevision) {
    TemporaryDirectory dir;
    write_run(dir.path, 10);
    int topologies = 0;
    for (const auto& entry : fs::directory_iterator(dir.path / "frames"))
        topologies += entry.path().extension() == ".topology" ? 1 : 0;
    EXPECT_EQ(topologies, 4);  // the sheet before and after its cut, its tets, the floor
}

TEST(FrameFile, FarFromTheOriginAndTinyIsAsPrecise) {
    TemporaryDirectory dir;
    Frame frame = wave_frame(0);
    for (Vec3& p : frame.bodies[0].points) p = p * 1e-3 + Vec3(1000, -2000, 500);
    const auto sink = make_sinks("frames", dir.path);
    sink[0]->begin({});
    sink[0]->write(frame);
    expect_equal(frame, RunDirectory(dir.path).load(0));
}

TEST(FrameFile, NormalsOfAllDirections) {
    TemporaryDirectory dir;
    Frame frame;
    BodyFrame& body = frame.bodies.emplace_back();
    for (int x = -2; x <= 2; ++x)
        for (int y = -2; y <= 2; ++y)
            for (int z = -2; z <= 2; ++z) {
                const Vec3 v(x, y, z);
                body.points.push_back(v);
                body.normals.push_back(v.isZero() ? v : v.normalized());
            }
    const auto sink = make_sinks("frames", dir.path);
    sink[0]->begin({});
    sink[0]->write(frame);
    expect_equal(frame, RunDirectory(dir.path).load(0));
}

TEST(FrameFile, MissingFramesAndFoldersAreSaid) {
    TemporaryDirectory dir;
    EXPECT_THROW(RunDirectory(dir.path), UserError);
    EXPECT_THROW(RunDirectory(dir.path / "nowhere"), UserError);
    write_run(dir.path, 5);
    fs::remove(dir.path / "frames" / "000002.frame");
    RunDirectory run(dir.path);
    EXPECT_EQ(run.frame_count(), 4);
    EXPECT_EQ(run.frame_index(2), 3);
    EXPECT_EQ(run.load(2).index, 3);
    for (const auto& entry : fs::directory_iterator(dir.path / "frames"))
        if (entry.path().extension() == ".topology") fs::remove(entry.path());
    EXPECT_THROW(RunDirectory(dir.path).load(0), UserError);
}

TEST(FrameFile, EveryTruncationIsAnError) {
    const std::string bytes = encode_frame(wave_frame(1, 1), {"s", 50, 3}, {{1, 2}, {3, 0}});
    EXPECT_EQ(decode_frame(bytes, "f").frame.bodies.size(), 2u);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_THROW(decode_frame(std::string_view(bytes).substr(0, n), "f"), UserError) << n;
    EXPECT_THROW(decode_frame(bytes + "x", "f"), UserError);
}

TEST(FrameFile, EveryFlippedBitIsAnError) {
    const std::string bytes = encode_frame(wave_frame(1, 1), {"s", 50, 3}, {{1, 2}, {3, 0}});
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_THROW(decode_frame(damaged, "f"), UserError) << bit;
    }
}

/// Damage with a checksum that fits it, as a malicious file would have: an error or a frame, never a crash.
TEST(FrameFile, CountsAreNotTrusted) {
    const std::string bytes = encode_frame(wave_frame(1, 1), {"s", 50, 3}, {{1, 2}, {3, 0}});
    Rng rng(7);
    int errors = 0;
    const int trials = 4000;
    for (int t = 0; t < trials; ++t) {
        std::string damaged = bytes;
        const std::size_t at = 16 + rng.below(damaged.size() - 24);
        const std::uint64_t word = t % 2 == 0 ? rng.next() : rng.below(1000);
        std::memcpy(damaged.data() + at, &word, t % 3 == 0 ? 8 : 2);
        const std::uint64_t digest = hash_of(std::string_view(damaged).substr(16));
        std::memcpy(damaged.data() + 8, &digest, 8);
        try {
            decode_frame(damaged, "f");
        } catch (const UserError&) {
            ++errors;
        }
    }
    EXPECT_GT(errors, trials / 20);
    EXPECT_LT(errors, trials);
}

TEST(FrameFile, CornersOutOfRangeAreAnError) {
    TemporaryDirectory dir;
    write_run(dir.path, 1, 6);
    // The topology of a finer sheet under the name of this one's.
    const auto name = [](int n) { return topology_file_name(topology_digest(*wave_frame(0, n).bodies[0].triangles)); };
    std::ofstream(dir.path / "frames" / name(6), std::ios::binary)
        << encode_topology(*wave_frame(0, 9).bodies[0].triangles);
    EXPECT_THROW(RunDirectory(dir.path).load(0), UserError);
    std::ofstream(dir.path / "frames" / name(6), std::ios::binary) << encode_topology(*wave_frame(0, 6).bodies[0].tets);
    EXPECT_THROW(RunDirectory(dir.path).load(0), UserError);
}

}  // namespace
}  // namespace pliant
