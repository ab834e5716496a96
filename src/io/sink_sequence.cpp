#include "pliant/io/sink_sequence.hpp"

#include "pliant/io/file.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

class SequenceSink : public FrameSink {
public:
    SequenceSink(const std::filesystem::path& directory, const std::string& extension,
                 std::string (*bytes)(const BodyFrame&, const Frame&))
        : directory_(directory / extension), ending_("." + extension), bytes_(bytes) {}

    void begin(const RunInfo&) override { ensure_directory(directory_); }

    void write(const Frame& frame) override {
        check_fields(frame);
        const std::vector<std::string> stems = body_stems(frame);
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            if (frame.bodies[b].points.empty()) continue;
            if (first_) drop_frames(directory_, stems[b] + "_", ending_, frame.index);
            OutputFile file(directory_ / (stems[b] + "_" + frame_number(frame.index) + ending_));
            file.write(bytes_(frame.bodies[b], frame));
            file.commit();
        }
        first_ = false;
    }

private:
    std::filesystem::path directory_;
    std::string ending_;
    std::string (*bytes_)(const BodyFrame&, const Frame&);
    bool first_ = true;
};

}  // namespace

std::unique_ptr<FrameSink> make_sequence_sink(const std::filesystem::path& directory, const std::string& extension,
                                              std::string (*bytes)(const BodyFrame&, const Frame&)) {
    return std::make_unique<SequenceSink>(directory, extension, bytes);
}

}  // namespace pliant
