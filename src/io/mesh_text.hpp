#pragma once
// One growing buffer for files being written, text or bytes: numbers in their shortest exact form, no streams.

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "pliant/core/types.hpp"

namespace pliant {

class TextBuilder {
public:
    explicit TextBuilder(std::size_t expected_bytes = 0) { out_.reserve(expected_bytes + 256); }

    TextBuilder& text(std::string_view s) {
        out_.append(s);
        return *this;
    }
    TextBuilder& integer(long long value) { return number_as(value); }
    /// Shortest decimals that read back as the same double.
    TextBuilder& number(double value) { return number_as(value); }
    TextBuilder& number(float value) { return number_as(value); }
    TextBuilder& vector(const Vec3& p) { return number(p.x()).text(" ").number(p.y()).text(" ").number(p.z()); }
    /// The bytes of a value or array as they lie in memory (little-endian here).
    TextBuilder& raw(const void* data, std::size_t size) {
        out_.append(static_cast<const char*>(data), size);
        return *this;
    }
    template <class T>
    TextBuilder& value(const T& v) {
        return raw(&v, sizeof v);
    }
    /// Grows by `size` bytes and returns where to write them.
    char* grow(std::size_t size) {
        const std::size_t old = out_.size();
        out_.resize(old + size);
        return out_.data() + old;
    }
    std::size_t size() const { return out_.size(); }
    std::string take() { return std::move(out_); }

private:
    template <class T>
    TextBuilder& number_as(T value) {
        char buffer[40];
        const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
        out_.append(buffer, static_cast<std::size_t>(result.ptr - buffer));
        return *this;
    }
    std::string out_;
};

}  // namespace pliant
