#include "pliant/io/json_writer.hpp"

#include <cmath>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

/// Length of the valid UTF-8 sequence that `text` starts with, 0 if there is none (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    // Too long for what they say, surrogates, beyond U+10FFFF.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return length;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0)
            valid += "\xEF\xBF\xBD";
        else
            valid += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return valid;
}

void JsonWriter::begin_object() { open('{', '}'); }
void JsonWriter::end_object() { close('}'); }
void JsonWriter::begin_array() { open('[', ']'); }
void JsonWriter::end_array() { close(']'); }

void JsonWriter::open(char bracket, char close) {
    separate();
    text_ += bracket;
    levels_.push_back({close});
}

void JsonWriter::close(char bracket) {
    CHECK(!levels_.empty() && levels_.back().close == bracket && !after_key_, bracket);
    const bool empty = levels_.back().empty;
    levels_.pop_back();
    if (!empty) new_line();
    text_ += bracket;
}

void JsonWriter::new_line() {
    if (one_line_ > 0) return;
    text_ += '\n';
    text_.append(2 * levels_.size(), ' ');
}

/// What goes between the previous value and the next.
void JsonWriter::separate() {
    if (std::exchange(after_key_, false) || levels_.empty()) return;
    CHECK(levels_.back().close == ']', text_.size());
    if (!levels_.back().empty) text_ += one_line_ > 0 ? ", " : ",";
    levels_.back().empty = false;
    new_line();
}

void JsonWriter::key(std::string_view name) {
    CHECK(!levels_.empty() && levels_.back().close == '}' && !after_key_, name);
    if (!levels_.back().empty) text_ += one_line_ > 0 ? ", " : ",";
    levels_.back().empty = false;
    new_line();
    quoted(name);
    text_ += ": ";
    after_key_ = true;
}

void JsonWriter::plain(std::string_view text) {
    separate();
    text_ += text;
}

void JsonWriter::value(bool flag) { plain(flag ? "true" : "false"); }
void JsonWriter::value(double number) { plain(std::isfinite(number) ? number_text(number) : "null"); }

void JsonWriter::value(std::string_view text) {
    separate();
    quoted(text);
}

void JsonWriter::quoted(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    text_ += '"';
    for (const char c : valid_utf8(text)) {
        const auto code = static_cast<unsigned char>(c);
        switch (c) {
            case '"': text_ += "\\\""; break;
            case '\\': text_ += "\\\\"; break;
            case '\n': text_ += "\\n"; break;
            case '\r': text_ += "\\r"; break;
            case '\t': text_ += "\\t"; break;
            default:
                if (code < 0x20 || code == 0x7F)
                    ((text_ += "\\u00") += digits[code >> 4]) += digits[code & 15];
                else
                    text_ += c;
        }
    }
    text_ += '"';
}

std::string JsonWriter::take() {
    CHECK(levels_.empty() && !after_key_, levels_.size());
    return std::exchange(text_, {}) + "\n";
}

}  // namespace pliant
