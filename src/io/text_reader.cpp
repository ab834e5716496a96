#include "pliant/io/text_reader.hpp"

#include <algorithm>
#include <cstdlib>

#include "pliant/core/text.hpp"

namespace pliant {

std::string in_quotes(std::string_view word) {
    std::string text = "'";
    for (char c : word.substr(0, 40)) text += c >= ' ' && c < 127 ? c : '?';
    return text + (word.size() > 40 ? "…'" : "'");
}

bool same_word(std::string_view a, std::string_view b) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view TextReader::rest_of_line() {
    skip_blanks();
    start_ = position_;
    skip_line();
    std::string_view rest = text_.substr(start_, position_ - start_);
    while (!rest.empty() && (is_blank(rest.back()) || rest.back() == '\n')) rest.remove_suffix(1);
    return rest;
}

std::size_t TextReader::count(const char* what, std::size_t bytes_each) {
    const long long n = integer(what);
    if (n < 0) fail(std::string(what) + " is " + std::to_string(n) + ", less than zero");
    expect_room(static_cast<std::uint64_t>(n), bytes_each, what);
    return static_cast<std::size_t>(n);
}

void TextReader::expect_room(std::uint64_t count, std::size_t bytes_each, const char* what) {
    const std::size_t most = remaining() / bytes_each + 1;  // the last entry may lack its line end
    if (count > most || count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        fail(std::string(what) + " is " + std::to_string(count) + ", but the file ends " +
                 grouped(static_cast<long long>(remaining())) + " bytes later",
             "The file is truncated or damaged: get it again");
}

double TextReader::odd_number(const char* what) {
    const std::string_view text = take_word();
    if (text.empty()) fail(std::string("the file ends where ") + what + " should be", "It seems to be truncated");
    const std::string copy(text.substr(0, 400));  // strtod wants a terminated string, and accepts what underflows
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    const bool number = end == copy.c_str() + copy.size() && text.size() == copy.size();
    if (number && std::abs(value) < largest_number && copy.find_first_of("xX") == std::string::npos) return value;
    if (number && !(std::abs(value) < largest_number))
        fail(std::string(what) + " is " + in_quotes(text) + ", which is not a usable number",
             "Coordinates must be finite: export the mesh again");
    fail(std::string("expected a number for ") + what + ", found " + in_quotes(text));
}

void TextReader::odd_integer(const char* what) {
    const std::string_view text = take_word();
    if (text.empty()) fail(std::string("the file ends where ") + what + " should be", "It seems to be truncated");
    const bool digits = text.find_first_not_of("+-0123456789") == std::string_view::npos;
    if (digits && text.size() > 1) fail(std::string(what) + " is " + in_quotes(text) + ", which is far too large");
    fail(std::string("expected a whole number for ") + what + ", found " + in_quotes(text));
}

void TextReader::integer_out_of_range(const char* what, long long value, long long min, long long max) {
    fail(std::string(what) + " is " + std::to_string(value) +
         (max == std::numeric_limits<long long>::max()
              ? ", but must be at least " + std::to_string(min)
              : ", but must lie in " + std::to_string(min) + " … " + std::to_string(max)));
}

void TextReader::fail_at(std::size_t position, const std::string& message, const std::string& remedy) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), '\n');
    throw UserError(message, {name_, static_cast<int>(lines) + 1}, remedy);
}

}  // namespace pliant
