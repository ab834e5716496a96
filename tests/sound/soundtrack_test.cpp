// From blows to a soundtrack.

#include "pliant/sound/soundtrack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/sound/spectrum.hpp"

namespace pliant {
namespace {

using std::numbers::pi;

/// A block whose one mode shears its top against its bottom at `hz`.
std::shared_ptr<const Voice> block_voice(double hz, double alpha) {
    ModalBasis basis;
    const TetMesh mesh = bar_mesh(2, 2, 2, Vec3(-0.05, -0.05, -0.05), Vec3(0.05, 0.05, 0.05));
    basis.rest = mesh.rest, basis.tets = mesh.tets;
    basis.mass.assign(basis.rest.size(), 1.0 / static_cast<double>(basis.rest.size()));
    basis.shape.setZero(3 * static_cast<Eigen::Index>(basis.rest.size()), 1);
    for (std::size_t i = 0; i < basis.rest.size(); ++i)
        basis.shape(3 * static_cast<Eigen::Index>(i) + 1, 0) = 20 * basis.rest[i].y();
    const double w = 2 * pi * hz;
    basis.lambda = {w * w + 0.25 * alpha * alpha};
    basis.young = 1e9, basis.poisson = 0.3, basis.density = 1000, basis.alpha = alpha;
    return std::make_shared<const Voice>(make_voice(basis, {}));
}

Frame frame_at(double time, int bodies) {
    Frame frame;
    frame.time = time;
    frame.bodies.resize(static_cast<std::size_t>(bodies));
    for (BodyFrame& body : frame.bodies) body.points = {Vec3(0, 0, 0)};
    return frame;
}

ContactEvent blow(int body, double time, double impulse, double approach) {
    return {body, time, 1e-3, Vec3(0, 0.05, 0), Vec3(0, -impulse, 0), approach, 0};
}

TEST(Soundtrack, RingsWhenStruckAndStemsAddUp) {
    Threads threads(2);
    SoundtrackSink sink({{.name = "low", .body = 0, .voice = block_voice(440, 6), .contact_time = 3e-4},
                         {.name = "high", .body = 1, .voice = block_voice(1000, 12), .contact_time = 3e-4}});
    Frame first = frame_at(0, 2);
    sink.write(first);
    Frame second = frame_at(1.5, 2);
    second.contact_events = {blow(0, 0.2, 0.1, 1), blow(1, 0.5, 0.2, 1)};
    sink.write(second);
    SoundtrackOptions options;
    const Soundtrack track = sink.render(options, threads);
    ASSERT_EQ(track.stems.size(), 2u);
    ASSERT_EQ(track.mix.frames(), 66150u);
    EXPECT_NEAR(1200 * std::log2(strongest_partial(track.stems[0].audio.samples, 44100, 20, 20000) / 440), 0, 1);
    EXPECT_NEAR(1200 * std::log2(strongest_partial(track.stems[1].audio.samples, 44100, 20, 20000) / 1000), 0, 1);
    double loudest = 0, sum = 0;
    for (std::size_t n = 0; n < track.mix.samples.size(); ++n) {
        EXPECT_NEAR(track.mix.samples[n], track.stems[0].audio.samples[n] + track.stems[1].audio.samples[n], 1e-9);
        loudest = std::max({loudest, std::abs(track.mix.samples[n]), std::abs(track.stems[0].audio.samples[n]),
                            std::abs(track.stems[1].audio.samples[n])});
        sum += track.mix.samples[n];
    }
    EXPECT_NEAR(20 * std::log10(loudest), -1, 1e-9);
    EXPECT_LT(std::abs(sum) / 66150, 1e-12);
    // Nothing before the blow: 0.199 s is when the substep that gave it began.
    for (int n = 0; n < 8700; ++n) EXPECT_LT(std::abs(track.stems[0].audio.samples[n]), 1e-6);
    EXPECT_GT(levels(std::span(track.stems[0].audio.samples).subspan(8800, 100)).peak, 0.01);
    // Sample for sample the same, for any number of threads.
    Threads one(1);
    const Soundtrack again = sink.render(options, one);
    EXPECT_EQ(track.mix.samples, again.mix.samples);
    EXPECT_EQ(encode_wav(track.mix, 16), encode_wav(again.mix, 16));
}

TEST(Soundtrack, ABodyAtRestIsSilentAlthoughItIsPushedAThousandTimesASecond) {
    Threads threads(1);
    SoundtrackSink sink({{.name = "block", .body = 0, .voice = block_voice(1000, 60), .contact_time = 3e-4}});
    sink.write(frame_at(0, 1));
    Frame frame = frame_at(1, 1);
    frame.contact_events.push_back(blow(0, 0.1, 0.1, 1));
    const double weight = 1 * 9.81 * 1e-3;  // N·s per substep: as much as the blow within 10 ms
    for (int i = 101; i < 1000; ++i) frame.contact_events.push_back(blow(0, 1e-3 * i, weight, 0));
    sink.write(frame);
    const Soundtrack track = sink.render({}, threads);
    const auto& s = track.mix.samples;
    const double late = levels(std::span(s).subspan(30000, 10000)).rms, peak = levels(s).peak;
    std::printf("at rest %.1f dB below the blow\n", 20 * std::log10(peak / late));
    EXPECT_LT(late, 3e-5 * peak);
}

TEST(Soundtrack, TwiceTheImpulseIsTwiceTheSound) {
    Threads threads(1);
    SoundtrackSink sink({{.name = "block", .body = 0, .voice = block_voice(700, 20), .contact_time = 3e-4}});
    Frame frame = frame_at(1, 1);
    frame.contact_events = {blow(0, 0.1, 0.1, 1), blow(0, 0.6, 0.2, 1)};
    sink.write(frame_at(0, 1)), sink.write(frame);
    const Soundtrack track = sink.render({}, threads);
    const double once = levels(std::span(track.mix.samples).subspan(4410, 4000)).peak;
    const double twice = levels(std::span(track.mix.samples).subspan(26460, 4000)).peak;
    EXPECT_NEAR(twice / once, 2, 0.02);
}

TEST(Soundtrack, SilenceIsSilence) {
    Threads threads(1);
    SoundtrackSink sink({{.name = "block", .body = 0, .voice = block_voice(700, 20)}});
    sink.write(frame_at(0, 1)), sink.write(frame_at(0.25, 1));
    const Soundtrack track = sink.render({}, threads);
    EXPECT_EQ(track.mix.frames(), 11025u);
    for (double s : track.mix.samples) EXPECT_EQ(s, 0);
}

}  // namespace
}  // namespace pliant
