#pragma once
// Warnings of a simulation, printed as they come up, each once.

#include <functional>
#include <string>

#include "pliant/core/warnings.hpp"
#include "progress.hpp"

namespace pliant {

class NotePrinter {
public:
    explicit NotePrinter(bool quiet) : quiet_(quiet) {}

    /// What is told while a scene is built.
    std::function<void(const std::string&)> sayer() const {
        return [quiet = quiet_](const std::string& sentence) {
            if (!quiet) std::fprintf(stderr, "note: %s\n", sentence.c_str());
        };
    }
    /// Those that came since the last call; `progress` may be null.
    void print(const Warnings& warnings, Progress* progress = nullptr) {
        for (; printed_ < warnings.list().size(); ++printed_) {
            const std::string line = "note: " + warnings.list()[printed_].sentence();
            if (progress)
                progress->say(line);
            else if (!quiet_)
                std::fprintf(stderr, "%s\n", line.c_str());
        }
    }

private:
    bool quiet_;
    std::size_t printed_ = 0;
};

}  // namespace pliant
