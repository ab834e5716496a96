// FIPS 180-4, section 6.1; RFC 4648, section 4.

#include "pliant/server/sha1.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace pliant {

std::string sha1(std::string_view bytes) {
    std::array<std::uint32_t, 5> h{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    std::string padded(bytes);
    padded += static_cast<char>(0x80);
    while (padded.size() % 64 != 56) padded += '\0';
    const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);

    for (std::size_t block = 0; block < padded.size(); block += 64) {
        std::array<std::uint32_t, 80> w;
        for (int i = 0; i < 16; ++i) {
            w[i] = 0;
            for (int k = 0; k < 4; ++k) w[i] = (w[i] << 8) | static_cast<unsigned char>(padded[block + 4 * i + k]);
        }
        for (int i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        auto [a, b, c, d, e] = h;
        for (int i = 0; i < 80; ++i) {
            std::uint32_t f, k;
            if (i < 20)
                f = (b & c) | (~b & d), k = 0x5a827999u;
            else if (i < 40)
                f = b ^ c ^ d, k = 0x6ed9eba1u;
            else if (i < 60)
                f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdcu;
            else
                f = b ^ c ^ d, k = 0xca62c1d6u;
            const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
            e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
        }
        h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
    }
    std::string digest;
    for (std::uint32_t word : h)
        for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
    return digest;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = (group << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? letters[(group >> (18 - 6 * k)) & 63] : '=';
    }
    return text;
}

}  // namespace pliant
