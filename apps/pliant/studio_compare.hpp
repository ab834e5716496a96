#pragma once
// Another run that the studio shows beside the present one, so that the two can be compared: its bodies at the same
// time as shadows among the present ones, its numbers as further lines of the plots.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "studio_history.hpp"

namespace pliant {

class ComparedRun {
public:
    ComparedRun() = default;
    /// What a session went through, as it is now. `numbers`: the rest of a message that tells plots all of it.
    ComparedRun(const History& history, std::string numbers);
    /// A run on disk.
    ComparedRun(const std::filesystem::path& directory, std::string numbers);

    explicit operator bool() const { return static_cast<bool>(frame_at_); }
    const std::string& numbers() const { return numbers_; }

    /// The frame with this run's bodies behind its own, of kind "ghost"; its last ones where it is shorter.
    std::shared_ptr<const Frame> beside(const std::shared_ptr<const Frame>& frame) const;

private:
    std::function<Frame(const Frame&)> frame_at_;  // of the same time
    std::string numbers_;
};

}  // namespace pliant
