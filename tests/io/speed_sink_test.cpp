// The sink of CONTRIBUTING.md does what its page says of sinks.

#include "io/speed_sink.hpp"

#include "io/sink_frames.hpp"
#include "pliant/io/sink_list.hpp"

namespace pliant {
namespace {

using test::TemporaryDirectory;
using test::tree;

Frame moving_frame(int index) {
    Frame frame = test::wave_frame(index);
    Field speed{"speed", "m/s", Field::On::vertex, 1, {}};
    for (std::size_t i = 0; i < frame.bodies[0].points.size(); ++i)
        speed.values.push_back(i == 3 ? 1 + 0.5f * static_cast<float>(index) : 0.25f);
    frame.bodies[0].fields.push_back(std::move(speed));
    return frame;
}

void run(const std::filesystem::path& directory, int begin, int end) {
    const SinkKind kind{"speed", "speed.txt: the largest speed of each frame", make_speed_sink};  // a line of the list
    const auto sink = kind.make(directory);
    EXPECT_TRUE(begin > 0 || tree(directory).empty()) << "nothing may be created before begin()";
    sink->begin({"scenes/wave.lua", 50, 12});
    for (int i = begin; i < end; ++i) sink->write(moving_frame(i));
    sink->finish();
}

TEST(SpeedSink, WritesTheLargestSpeedOfEachFrame) {
    TemporaryDirectory dir;
    run(dir.path, 0, 4);
    const std::map<std::string, std::string> expected{{"speed.txt", "1\n1.5\n2\n2.5\n"}};
    EXPECT_EQ(tree(dir.path), expected);
}

TEST(SpeedSink, ARunThatWasStoppedAndResumedHasTheSameFile) {
    TemporaryDirectory whole;
    run(whole.path, 0, 12);
    for (int stop = 1; stop < 12; ++stop)
        for (int from = 1; from <= stop; ++from) {
            TemporaryDirectory resumed(TemporaryDirectory::On::memory);
            run(resumed.path, 0, stop);
            run(resumed.path, from, 12);
            EXPECT_EQ(tree(resumed.path), tree(whole.path)) << "stopped at " << stop << ", resumed from " << from;
        }
}

}  // namespace
}  // namespace pliant
