#pragma once
// Binary state in memory: what bodies save themselves with, and what frame files and checkpoints are made of.
// Little-endian, as the machine has it; counts are checked against the bytes that are left, so damaged input
// ends in a UserError and never in a huge allocation.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

static_assert(std::endian::native == std::endian::little, "files are written in the machine's own byte order");

/// Values that are their bytes. Eigen's fixed-size matrices and quaternions are, though the language does not say so.
template <class T>
struct IsPlainBytes : std::bool_constant<std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>> {};
template <class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
struct IsPlainBytes<Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>>
    : std::bool_constant<(Rows > 0 && Columns > 0) && std::is_arithmetic_v<S>> {};
template <class S, int Options>
struct IsPlainBytes<Eigen::Quaternion<S, Options>> : std::is_arithmetic<S> {};
template <class T>
concept PlainBytes = IsPlainBytes<T>::value;

class ByteWriter {
public:
    template <PlainBytes T>
    void value(const T& v) {
        raw(&v, sizeof v);
    }
    /// The count, then the items.
    template <PlainBytes T>
    void vector(const std::vector<T>& items) {
        value(static_cast<std::uint64_t>(items.size()));
        raw(items.data(), items.size() * sizeof(T));
    }
    void text(std::string_view s) {
        value(static_cast<std::uint64_t>(s.size()));
        raw(s.data(), s.size());
    }
    /// Without a count.
    void raw(const void* data, std::size_t size) {
        if (size > 0) bytes_.append(static_cast<const char*>(data), size);
    }
    /// Room for `size` bytes that the caller fills at once; the pointer dies with the next call.
    char* grow(std::size_t size) {
        bytes_.resize(bytes_.size() + size);
        return bytes_.data() + bytes_.size() - size;
    }
    void reserve(std::size_t size) { bytes_.reserve(size); }

    const std::string& bytes() const { return bytes_; }
    std::string take() { return std::exchange(bytes_, {}); }

private:
    std::string bytes_;
};

class ByteReader {
public:
    /// `what` names the thing in messages: "section 'cow' of run/checkpoint.plc". The bytes must outlive the reader.
    explicit ByteReader(std::string_view bytes, std::string what = "saved state")
        : bytes_(bytes), what_(std::move(what)) {}

    template <PlainBytes T>
    T value() {
        T v;
        std::memcpy(static_cast<void*>(&v), raw(sizeof v).data(), sizeof v);
        return v;
    }
    template <PlainBytes T>
    void value(T& v) {
        v = value<T>();
    }
    template <PlainBytes T>
    std::vector<T> vector() {
        const std::size_t n = count(sizeof(T));
        std::vector<T> items(n);
        const std::string_view data = raw(n * sizeof(T));
        if (n > 0) std::memcpy(static_cast<void*>(items.data()), data.data(), data.size());
        return items;
    }
    template <PlainBytes T>
    void vector(std::vector<T>& items) {
        items = vector<T>();
    }
    std::string text() { return std::string(raw(count(1))); }
    void text(std::string& s) { s = text(); }

    /// The next `size` bytes as they are.
    std::string_view raw(std::size_t size) {
        if (size > bytes_.size()) damaged("ends too early");
        const std::string_view front = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return front;
    }
    /// A count of things that take at least `bytes_each` bytes; never more than can still follow.
    std::size_t count(std::size_t bytes_each) {
        const auto n = value<std::uint64_t>();
        if (n > bytes_.size() / bytes_each) damaged("ends too early");
        return static_cast<std::size_t>(n);
    }
    std::size_t left() const { return bytes_.size(); }
    /// To be called last: bytes nobody asked for mean that writer and reader disagree.
    void finish() const {
        if (!bytes_.empty()) damaged("has " + std::to_string(bytes_.size()) + " bytes too many");
    }
    [[noreturn]] void damaged(const std::string& how) const { throw UserError(what_ + " is damaged: it " + how); }

private:
    std::string_view bytes_;
    std::string what_;
};

}  // namespace pliant
