#include "pliant/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    int close() {
        const int fd = fd_;
        fd_ = -1;
        return ::close(fd);
    }

private:
    int fd_;
};

std::string remedy_for(int error, bool writing) {
    switch (error) {
        case ENOENT: return writing ? "Make the folder first, or choose another" : "Check the spelling and the folder";
        case EACCES:
        case EPERM:
        case EROFS: return writing ? "Choose a folder you may write to" : "Check the permissions of the file";
        case ENOSPC:
        case EDQUOT: return "Free some space, or write to another disk";
        default: return "";
    }
}

[[noreturn]] void fail(const std::string& what, const std::string& path, int error, bool writing) {
    throw UserError(what + ": " + std::generic_category().message(error), {path}, remedy_for(error, writing));
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t limit) {
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang before we can refuse it.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) fail("cannot open the file", path, errno, false);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) fail("cannot read the file", path, errno, false);
    if (S_ISDIR(info.st_mode)) throw UserError("is a folder, not a file", {path}, "Name a file in it");
    if (!S_ISREG(info.st_mode)) throw UserError("is not a regular file", {path}, "Copy its contents to a file first");
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size > limit)
        throw UserError("has " + grouped(static_cast<long long>(size)) + " bytes; at most " +
                            grouped(static_cast<long long>(limit)) + " are read",
                        {path});
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("cannot read the file", path, errno, false);
        if (got == 0) break;  // it shrank while we read: what is there is parsed, and found truncated if it is
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

void write_file_atomic(const std::string& path, std::string_view bytes) {
    if (path.empty()) throw UserError("the name of the output file is empty", {}, "Give a file name");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UserError("is a folder, so no file can be written there", {path}, "Name a file in it");
    // Renaming would replace a device such as /dev/null by a plain file.
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
        throw UserError("is not a regular file, so it is not overwritten", {path}, "Choose another name");

    // O_EXCL: two writers never share a temporary, in one process or in several.
    std::string temporary;
    int fd = -1;
    for (int attempt = 0; attempt < 100 && fd < 0; ++attempt) {
        temporary = path + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
        fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) fail("cannot write the file", path, errno, true);
    }
    Descriptor file(fd);
    if (fd < 0) fail("cannot write the file", path, EEXIST, true);
    auto give_up = [&](int error) {
        ::unlink(temporary.c_str());
        fail("cannot write the file", path, error, true);
    };
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) give_up(errno);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(file.get()) != 0 && errno != EINVAL) give_up(errno);
    if (file.close() != 0) give_up(errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0) give_up(errno);
}

void ensure_directory(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
        if (!error) error = std::make_error_code(std::errc::not_a_directory);
        throw UserError("cannot make the folder: " + error.message(), {path}, remedy_for(error.value(), true));
    }
}

}  // namespace pliant
