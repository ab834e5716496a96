#pragma once
// The sink that CONTRIBUTING.md adds as an example; the page quotes what follows.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

// speed.txt: the largest speed of each frame, m/s, one line per frame.
class SpeedSink final : public FrameSink {
public:
    explicit SpeedSink(const std::filesystem::path& directory) : path_(directory / "speed.txt") {}

    void begin(const RunInfo&) override { ensure_directory(path_.parent_path()); }

    void write(const Frame& frame) override {  // one call per frame, in order
        if (text_.empty() && frame.index > 0) text_ = lines_on_disk(frame.index);
        float fastest = 0;
        for (const BodyFrame& body : frame.bodies)
            for (const Field& field : body.fields)
                if (field.name == "speed")
                    for (float speed : field.values) fastest = std::max(fastest, speed);
        text_ += number_text(fastest) + "\n";
        OutputFile file(path_);
        file.write(text_);
        file.commit();
    }

private:
    /// What an earlier part of the run has written before frame `first`.
    std::string lines_on_disk(int first) const {
        if (!std::filesystem::exists(path_)) return "";
        std::istringstream file(read_file(path_));
        std::string lines, line;
        for (int i = 0; i < first && std::getline(file, line); ++i) lines += line + "\n";
        return lines;
    }

    std::filesystem::path path_;
    std::string text_;
};

inline std::unique_ptr<FrameSink> make_speed_sink(const std::filesystem::path& directory) {
    return std::make_unique<SpeedSink>(directory);
}

}  // namespace pliant
