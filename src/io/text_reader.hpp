#pragma once
// Words and numbers out of a text in memory. Line numbers are counted only when something is wrong, so reading
// costs nothing for them.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "pliant/core/error.hpp"

namespace pliant {

class TextReader {
public:
    /// `comment`: from this character to the end of the line is skipped; 0: there are no comments.
    TextReader(std::string_view text, std::string name, char comment = 0)
        : text_(text), name_(std::move(name)), comment_(comment) {}

    /// Skips white space, line ends and comments; true when nothing is left.
    bool at_end() {
        skip_space();
        return position_ == text_.size();
    }
    /// Skips blanks; true when the line has nothing more (but a comment).
    bool at_line_end() {
        skip_blanks();
        return position_ == text_.size() || text_[position_] == '\n' || is_comment();
    }
    /// The next word on any line, or "" at the end.
    std::string_view word() {
        skip_space();
        return take_word();
    }
    /// The next word on this line, or "" when there is none.
    std::string_view word_on_line() { return at_line_end() ? std::string_view{} : take_word(); }
    std::string_view peek() {
        skip_space();
        const std::size_t keep = position_;
        const std::string_view found = take_word();
        position_ = keep;
        return found;
    }
    /// What is left of this line without its end and trailing blanks; goes on to the next line.
    std::string_view rest_of_line();
    /// Goes to the start of the next line.
    void skip_line() {
        const std::size_t end = text_.find('\n', position_);
        position_ = end == std::string_view::npos ? text_.size() : end + 1;
    }

    /// The next number, on any line; finite and of a size that can be squared, or the file is refused.
    double number(const char* what) {
        skip_space();
        start_ = position_;
        const char* first = text_.data() + position_;
        const char* last = text_.data() + text_.size();
        if (first != last && *first == '+') ++first;
        double value = 0;
        const auto [end, error] = std::from_chars(first, last, value);
        if (error != std::errc{} || !(std::abs(value) < largest_number) || !ends_word(end))
            value = odd_number(what);
        else
            position_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    /// The next whole number, on any line.
    long long integer(const char* what, long long min = std::numeric_limits<long long>::min(),
                      long long max = std::numeric_limits<long long>::max()) {
        skip_space();
        start_ = position_;
        const char* first = text_.data() + position_;
        const char* last = text_.data() + text_.size();
        if (first != last && *first == '+') ++first;
        long long value = 0;
        const auto [end, error] = std::from_chars(first, last, value);
        if (error != std::errc{} || !ends_word(end)) odd_integer(what);
        if (value < min || value > max) integer_out_of_range(what, value, min, max);
        position_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    /// A count that the rest of the file has room for, at `bytes_each` bytes or more apiece: nothing is allocated on
    /// the strength of a number alone.
    std::size_t count(const char* what, std::size_t bytes_each);
    /// The same check for a count read elsewhere.
    void expect_room(std::uint64_t count, std::size_t bytes_each, const char* what);

    std::size_t position() const { return position_; }
    void seek(std::size_t position) { start_ = position_ = position; }
    /// Where the last word or number began.
    std::size_t last_start() const { return start_; }
    std::size_t remaining() const { return text_.size() - position_; }
    std::string_view text() const { return text_; }
    const std::string& name() const { return name_; }

    [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const {
        fail_at(start_, message, remedy);
    }
    [[noreturn]] void fail_at(std::size_t position, const std::string& message, const std::string& remedy = {}) const;

    /// Coordinates beyond this are refused: their squares and cubes would overflow.
    static constexpr double largest_number = 1e100;

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
    bool is_comment() const { return comment_ != 0 && text_[position_] == comment_; }
    void skip_blanks() {
        while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    }
    void skip_space() {
        for (;;) {
            while (position_ < text_.size() && (is_blank(text_[position_]) || text_[position_] == '\n')) ++position_;
            if (position_ == text_.size() || !is_comment()) return;
            skip_line();
        }
    }
    std::string_view take_word() {
        start_ = position_;
        while (position_ < text_.size() && !is_blank(text_[position_]) && text_[position_] != '\n') ++position_;
        return text_.substr(start_, position_ - start_);
    }
    bool ends_word(const char* p) const {
        return p == text_.data() + text_.size() || is_blank(*p) || *p == '\n' || (comment_ != 0 && *p == comment_);
    }
    double odd_number(const char* what);
    [[noreturn]] void odd_integer(const char* what);
    [[noreturn]] void integer_out_of_range(const char* what, long long value, long long min, long long max);

    std::string_view text_;
    std::string name_;
    std::size_t position_ = 0, start_ = 0;
    char comment_;
};

/// A word from a file, cut short and made printable, for messages.
std::string in_quotes(std::string_view word);

/// True when both are the same but for the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

}  // namespace pliant
