#pragma once
// A 64-bit hash of bytes, for state hashes and file checksums. Not for secrets.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace pliant {

/// Order-dependent running hash: eight bytes a round, multiply and fold.
class Hash {
public:
    void bytes(const void* data, std::size_t size) {
        const auto* p = static_cast<const unsigned char*>(data);
        length_ += size;
        for (; size >= 8; p += 8, size -= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            mix(word);
        }
        if (size > 0) {
            std::uint64_t word = 0;
            std::memcpy(&word, p, size);
            mix(word ^ (std::uint64_t{size} << 56));
        }
    }
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void value(const T& v) { bytes(&v, sizeof v); }
    void text(std::string_view s) { bytes(s.data(), s.size()); }

    std::uint64_t digest() const {
        std::uint64_t h = state_ ^ length_;
        h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
        h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
        return h ^ (h >> 33);
    }

private:
    void mix(std::uint64_t word) {
        const auto product = static_cast<unsigned __int128>(state_ ^ word) * 0x9e3779b97f4a7c15ULL;
        state_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ (word << 1 | 1);
    }
    std::uint64_t state_ = 0x243f6a8885a308d3ULL;
    std::uint64_t length_ = 0;
};

inline std::uint64_t hash_of(std::string_view data) {
    Hash h;
    h.text(data);
    return h.digest();
}

}  // namespace pliant
