#include "pliant/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace pliant {

namespace {

// Optimal string alignment distance: a swap of neighbours counts as one mistake.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string found;
    for (const std::string& candidate : candidates) {
        std::size_t distance = edit_distance(word, candidate);
        const bool prefix = word.size() >= 3 && std::string_view(candidate).substr(0, word.size()) == word;
        if (prefix) distance = std::min<std::size_t>(distance, 1);
        if (distance < best) best = distance, found = candidate;
    }
    return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string name = nearest_name(word, candidates);
    return name.empty() ? "" : "Did you mean '" + name + "'?";
}

std::string number_text(double value) {
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, result.ptr};
}

std::string short_number(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.4g", value);
    return buffer;
}

std::string grouped(long long value) {
    const std::string digits = std::to_string(value < 0 ? -value : value);
    std::string out = value < 0 ? "-" : "";
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
        out += digits[i];
    }
    return out;
}

}  // namespace pliant
