#include "pliant/io/mesh_vtu_data.hpp"

#include <zlib.h>
#include <algorithm>

#include <array>
#include <cmath>
#include <cstring>

#include "pliant/io/foreign_bytes.hpp"

namespace pliant {

std::string XmlTag::attribute(std::string_view key, std::string_view fallback) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string(fallback) : found->second;
}

bool XmlReader::next(XmlTag& tag) {
    const std::string_view text = in_.text();
    for (;;) {
        const std::size_t open = text.find('<', in_.position());
        if (open == std::string_view::npos) return false;
        in_.seek(open);
        const bool comment = text.substr(open, 4) == "<!--";
        const std::size_t close = text.find(comment ? "-->" : ">", open);
        if (close == std::string_view::npos) in_.fail("a tag has no end", "The file is truncated: get it again");
        if (comment || text[open + 1] == '?' || text[open + 1] == '!') {
            in_.seek(close + 1);
            continue;
        }
        if (close - open > 4096) in_.fail("a tag is over 4096 letters long");
        std::string_view inside = text.substr(open + 1, close - open - 1);
        tag = {};
        tag.start = open, tag.content = close + 1;
        if (!inside.empty() && inside.front() == '/') tag.closing = true, inside.remove_prefix(1);
        if (!inside.empty() && inside.back() == '/') tag.empty = true, inside.remove_suffix(1);
        constexpr std::string_view blanks = " \t\r\n";
        std::size_t at = std::min(inside.find_first_of(blanks), inside.size());
        tag.name = std::string(inside.substr(0, at));
        while ((at = inside.find_first_not_of(blanks, at)) != std::string_view::npos) {
            const std::size_t equals = inside.find('=', at);
            if (equals == std::string_view::npos) in_.fail("an attribute has no value");
            const std::size_t quote = inside.find_first_not_of(blanks, equals + 1);
            if (quote == std::string_view::npos || (inside[quote] != '"' && inside[quote] != '\''))
                in_.fail("the value of an attribute is not in quotes");
            const std::size_t end = inside.find(inside[quote], quote + 1);
            if (end == std::string_view::npos) in_.fail("the value of an attribute has no closing quote");
            std::string_view key = inside.substr(at, equals - at);
            while (!key.empty() && blanks.find(key.back()) != std::string_view::npos) key.remove_suffix(1);
            tag.attributes[std::string(key)] = std::string(inside.substr(quote + 1, end - quote - 1));
            at = end + 1;
        }
        in_.seek(tag.content);
        return true;
    }
}

namespace {

constexpr const char* truncated_remedy = "The file is truncated or damaged: get it again";

/// Bytes of an array: straight from the file, or from base64, in which padding may end a group anywhere (VTK codes
/// the header of a compressed array apart from its data).
class ArrayBytes {
public:
    ArrayBytes(const TextReader& file, std::size_t begin, std::size_t end, bool base64)
        : file_(file), at_(begin), end_(end), base64_(base64) {}

    /// Appends exactly `count` bytes to `out`.
    void read(std::string& out, std::uint64_t count) {
        // Four letters make three bytes, so this bounds the allocation for either coding.
        if (count > end_ - at_ + left_) file_.fail_at(at_, "an array is longer than the file", truncated_remedy);
        if (!base64_) {
            out.append(file_.text().substr(at_, count));
            at_ += count;
            return;
        }
        const std::size_t wanted = out.size() + count;
        out.reserve(wanted);
        while (out.size() < wanted) {
            if (left_ == 0) fill();
            out += buffer_[3 - left_ - missing_];
            --left_;
        }
    }

private:
    void fill() {
        std::uint32_t group = 0;
        int letters = 0, padding = 0;
        const std::string_view text = file_.text();
        while (letters + padding < 4) {
            if (at_ >= end_) file_.fail_at(at_, "base64 data ends too early", truncated_remedy);
            const char c = text[at_++];
            if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
            if (c == '=') {
                ++padding;
                continue;
            }
            const int value = digit(c);
            if (value < 0 || padding > 0) file_.fail_at(at_ - 1, "a letter that is not base64", truncated_remedy);
            group = group << 6 | static_cast<std::uint32_t>(value);
            ++letters;
        }
        if (padding > 2) file_.fail_at(at_ - 1, "base64 data is padded wrongly", truncated_remedy);
        group <<= 6 * padding;
        for (int k = 0; k < 3; ++k) buffer_[static_cast<std::size_t>(k)] = static_cast<char>(group >> (16 - 8 * k));
        missing_ = static_cast<std::size_t>(padding);
        left_ = 3 - missing_;
    }
    static int digit(char c) {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (c >= '0' && c <= '9') return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    }

    const TextReader& file_;
    std::size_t at_, end_;
    bool base64_;
    std::array<char, 3> buffer_{};
    std::size_t left_ = 0, missing_ = 0;
};

std::uint64_t header_word(const std::string& bytes, std::size_t index, const VtuCoding& coding) {
    if (coding.wide_header) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + 8 * index, 8);
        return coding.big_endian ? swapped_bytes(word) : word;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * index, 4);
    return coding.big_endian ? swapped_bytes(word) : word;
}

/// Takes what `bytes` of an array will occupy as 8-byte values, `per_value` bytes each in the file, off the budget.
void charge(const TextReader& file, VtuCoding& coding, std::size_t place, std::uint64_t bytes, std::size_t per_value) {
    const std::uint64_t scale = 8 / per_value;
    if (bytes > coding.unpack_left / scale)
        file.fail_at(place, "an array unpacks to far more than the size of the file allows",
                     "If the file is sound, save it without compression");
    coding.unpack_left -= bytes * scale;
}

std::string unpack_zlib(const TextReader& file, VtuCoding& coding, ArrayBytes& in, std::size_t place,
                        std::size_t per_value) {
    const std::size_t word = coding.wide_header ? 8 : 4;
    std::string header;
    in.read(header, 3 * word);
    const std::uint64_t blocks = header_word(header, 0, coding), full = header_word(header, 1, coding),
                        last = header_word(header, 2, coding);
    if (blocks == 0) return {};
    if (blocks > file.text().size())
        file.fail_at(place, "an array claims more blocks than the file has bytes", truncated_remedy);
    if (full > coding.unpack_left || last > full || (full > 0 && blocks > coding.unpack_left / full + 1))
        charge(file, coding, place, coding.unpack_left + 1, 8);
    const std::uint64_t total = full * (blocks - (last > 0 ? 1 : 0)) + last;
    charge(file, coding, place, total, per_value);
    header.clear();
    in.read(header, blocks * word);
    std::string out(total, '\0'), packed;
    std::size_t done = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
        packed.clear();
        in.read(packed, header_word(header, b, coding));
        const std::uint64_t expected = b + 1 == blocks && last > 0 ? last : full;
        auto got = static_cast<uLongf>(expected);
        const int result = ::uncompress(reinterpret_cast<Bytef*>(out.data() + done), &got,
                                        reinterpret_cast<const Bytef*>(packed.data()), packed.size());
        if (result != Z_OK || got != expected) file.fail_at(place, "a compressed array is damaged", truncated_remedy);
        done += expected;
    }
    return out;
}

/// The bytes of a binary array, in the byte order of the file.
std::string array_bytes(const TextReader& file, VtuCoding& coding, const VtuArray& array, std::size_t per_value) {
    const bool inlined = array.format == "binary";
    if (!inlined && (coding.appended == 0 || array.offset > file.text().size() - coding.appended))
        file.fail_at(array.content, "an array lies beyond the end of the appended data", truncated_remedy);
    const std::size_t begin = inlined ? array.content : coding.appended + array.offset;
    const std::size_t end = inlined ? array.content_end : file.text().size();
    ArrayBytes in(file, begin, end, inlined || !coding.appended_raw);
    if (coding.zlib) return unpack_zlib(file, coding, in, begin, per_value);
    const std::size_t word = coding.wide_header ? 8 : 4;
    std::string header, out;
    in.read(header, word);
    const std::uint64_t size = header_word(header, 0, coding);
    charge(file, coding, begin, size, per_value);  // arrays may overlap, so plain ones count as well
    in.read(out, size);
    return out;
}

template <class T, class Stored>
void convert(const std::string& bytes, bool swap, std::vector<T>& out) {
    out.resize(bytes.size() / sizeof(Stored));
    const char* at = bytes.data();
    for (T& value : out) {
        Stored stored;
        std::memcpy(&stored, at, sizeof stored);
        at += sizeof stored;
        if (swap) stored = swapped_bytes(stored);
        if constexpr (std::is_floating_point_v<Stored> && !std::is_floating_point_v<T>)
            value = std::abs(stored) < Stored(1e15) ? static_cast<T>(stored) : T{-1};
        else
            value = static_cast<T>(stored);
    }
}

template <class T>
std::vector<T> values(const TextReader& file, VtuCoding& coding, const VtuArray& array) {
    std::vector<T> out;
    if (array.format == "ascii") {
        TextReader text(file.text().substr(0, array.content_end), file.name());
        text.seek(array.content);
        while (!text.at_end()) {
            if constexpr (std::is_same_v<T, double>)
                out.push_back(text.number("a value of an array"));
            else
                out.push_back(text.integer("a value of an array"));
        }
        return out;
    }
    if (array.format != "binary" && array.format != "appended")
        file.fail_at(array.content, "an array has the unknown format " + in_quotes(array.format));
    constexpr std::pair<std::string_view, std::size_t> sizes[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
    std::size_t per_value = 8;
    for (const auto& [bits, size] : sizes)
        if (array.type.size() > bits.size() &&
            std::string_view(array.type).substr(array.type.size() - bits.size()) == bits)
            per_value = size;
    const std::string bytes = array_bytes(file, coding, array, per_value);
    const bool swap = coding.big_endian;
    if (array.type == "Float64")
        convert<T, double>(bytes, swap, out);
    else if (array.type == "Float32")
        convert<T, float>(bytes, swap, out);
    else if (array.type == "Int64")
        convert<T, std::int64_t>(bytes, swap, out);
    else if (array.type == "UInt64")
        convert<T, std::uint64_t>(bytes, swap, out);
    else if (array.type == "Int32")
        convert<T, std::int32_t>(bytes, swap, out);
    else if (array.type == "UInt32")
        convert<T, std::uint32_t>(bytes, swap, out);
    else if (array.type == "Int16")
        convert<T, std::int16_t>(bytes, swap, out);
    else if (array.type == "UInt16")
        convert<T, std::uint16_t>(bytes, swap, out);
    else if (array.type == "Int8")
        convert<T, std::int8_t>(bytes, swap, out);
    else if (array.type == "UInt8")
        convert<T, std::uint8_t>(bytes, swap, out);
    else
        file.fail_at(array.content, "an array has the unknown type " + in_quotes(array.type));
    return out;
}

}  // namespace

std::vector<double> vtu_reals(const TextReader& file, VtuCoding& coding, const VtuArray& array) {
    return values<double>(file, coding, array);
}

std::vector<long long> vtu_integers(const TextReader& file, VtuCoding& coding, const VtuArray& array) {
    return values<long long>(file, coding, array);
}

}  // namespace pliant
