#pragma once
// One writer per folder: two runs into the same one would mix their frames.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

/// While it exists, no other Pliant writes into the folder, which must be there. The system lets go of it when the
/// process ends, however it ends, and nothing is left in the folder.
class OutputLock {
public:
    OutputLock() = default;
    explicit OutputLock(const std::filesystem::path& folder)
        : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        // Where folders cannot be locked at all (some network drives), runs go on without.
        if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
        ::close(descriptor_);
        throw UserError("another run is writing into this folder", {folder.string()},
                        "Wait until it has ended, or choose another folder with --out");
    }
    ~OutputLock() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OutputLock(OutputLock&& b) noexcept : descriptor_(std::exchange(b.descriptor_, -1)) {}
    OutputLock& operator=(OutputLock&& b) noexcept {
        std::swap(descriptor_, b.descriptor_);
        return *this;
    }

private:
    int descriptor_ = -1;
};

}  // namespace pliant
