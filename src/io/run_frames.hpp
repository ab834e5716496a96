#pragma once
// For exporters whose format needs the whole run before it can be written: the frames so far, on disk. Where the native
// frames of the run are written beside (`pliant run` always does), these are used; elsewhere frames are kept in a
// folder of their own until the end, without what surfaces do not need.

#include <filesystem>
#include <memory>
#include <string>

#include "pliant/io/frame_file.hpp"

namespace pliant {

class RunFrames {
public:
    /// `directory`: of the run; `name`: of the format, for the folder NAME.parts.
    RunFrames(std::filesystem::path directory, const std::string& name)
        : directory_(std::move(directory)), parts_(directory_ / (name + ".parts")) {}

    void begin(const RunInfo& info) { info_ = info; }
    void add(const Frame& frame);
    /// All frames, those of an earlier part of the run included; null when there is none.
    std::unique_ptr<RunDirectory> open() const;
    /// Removes what was kept.
    void drop();

private:
    std::filesystem::path directory_, parts_;
    RunInfo info_;
    std::unique_ptr<FrameSink> sink_;  // null: the run's own frames are there
    bool first_ = true;
};

}  // namespace pliant
