#pragma once
// Numbers out of bytes in memory, either byte order, never past the end.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "pliant/core/error.hpp"

namespace pliant {

/// The same value with its bytes in the opposite order.
template <class T>
requires std::is_arithmetic_v<T> T swapped_bytes(T value) {
    if constexpr (sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
    if constexpr (sizeof(T) == 4) return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
    if constexpr (sizeof(T) == 8) return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
}

/// Reads a file that another program wrote.
class ForeignBytes {
public:
    ForeignBytes(std::string_view bytes, std::string name, std::size_t position = 0, bool big_endian = false)
        : bytes_(bytes), name_(std::move(name)), position_(position), swap_(big_endian) {}

    template <class T>
    T read(const char* what) {
        if (remaining() < sizeof(T)) truncated(what);
        T value;
        std::memcpy(&value, bytes_.data() + position_, sizeof value);
        position_ += sizeof value;
        return swap_ ? swapped_bytes(value) : value;
    }
    /// Throws unless `count` items of `bytes_each` are still there; safe for any 64-bit count.
    void need(std::uint64_t count, std::size_t bytes_each, const char* what) const {
        if (bytes_each != 0 && count > remaining() / bytes_each) too_many(count, what);
    }
    /// Moves on over `count` bytes and returns them.
    std::string_view take(std::uint64_t count, const char* what) {
        need(count, 1, what);
        const std::string_view found = bytes_.substr(position_, count);
        position_ += count;
        return found;
    }

    std::size_t position() const { return position_; }
    void seek(std::size_t position) { position_ = position; }
    std::size_t remaining() const { return bytes_.size() - position_; }
    bool swaps() const { return swap_; }
    void set_swap(bool swap) { swap_ = swap; }
    const std::string& name() const { return name_; }

    [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const {
        throw UserError(message + " (near byte " + std::to_string(position_) + ")", {name_}, remedy);
    }

private:
    [[noreturn]] void truncated(const char* what) const {
        fail(std::string("the file ends where ") + what + " should be", "It is truncated: get it again");
    }
    [[noreturn]] void too_many(std::uint64_t count, const char* what) const {
        fail("the file ends after " + std::to_string(remaining()) + " more bytes, too few for " +
                 std::to_string(count) + " " + what,
             "It is truncated or damaged: get it again");
    }

    std::string_view bytes_;
    std::string name_;
    std::size_t position_;
    bool swap_;
};

}  // namespace pliant
