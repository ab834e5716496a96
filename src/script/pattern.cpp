#include "pliant/script/pattern.hpp"

#include <algorithm>
#include <cctype>

#include "pliant/core/error.hpp"

namespace pliant::script {

namespace {

constexpr int max_pattern_depth = 200;

[[noreturn]] void malformed(const char* why) { throw UserError(std::string("malformed pattern: ") + why); }

/// %a, %d … ; capital letters mean the opposite; anything else stands for itself.
bool in_class(unsigned char c, unsigned char name) {
    bool in = false;
    switch (std::tolower(name)) {
        case 'a': in = std::isalpha(c); break;
        case 'c': in = std::iscntrl(c); break;
        case 'd': in = std::isdigit(c); break;
        case 'g': in = std::isgraph(c); break;
        case 'l': in = std::islower(c); break;
        case 'p': in = std::ispunct(c); break;
        case 's': in = std::isspace(c); break;
        case 'u': in = std::isupper(c); break;
        case 'w': in = std::isalnum(c); break;
        case 'x': in = std::isxdigit(c); break;
        default: return c == name;
    }
    return std::isupper(name) ? !in : in;
}

}  // namespace

Pattern::Pattern(std::string_view subject, std::string_view pattern, std::function<void()> tick)
    : subject_(subject), pattern_(pattern), tick_(std::move(tick)) {
    if (pattern_.starts_with('^')) {
        anchored_ = true;
        pattern_.remove_prefix(1);
    }
}

void Pattern::step() {
    if (++steps_ < next_tick_) return;
    next_tick_ = steps_ + 4096;
    if (tick_) tick_();
}

std::optional<std::size_t> Pattern::match_at(std::size_t begin) {
    level_ = 0;
    depth_ = 0;
    return match(begin, 0);
}

/// Just behind the single-character item at p.
std::size_t Pattern::item_end(std::size_t p) const {
    const char c = pattern_[p++];
    if (c == '%') {
        if (p >= pattern_.size()) malformed("it ends with '%'");
        return p + 1;
    }
    if (c != '[') return p;
    if (p < pattern_.size() && pattern_[p] == '^') ++p;
    // A ']' that comes first belongs to the set.
    for (bool first = true;; first = false) {
        if (p >= pattern_.size()) malformed("']' is missing");
        if (pattern_[p] == ']' && !first) return p + 1;
        p += pattern_[p] == '%' ? 2 : 1;
    }
}

/// p at '[', end behind ']'.
bool Pattern::in_set(unsigned char c, std::size_t p, std::size_t end) const {
    ++p;
    bool wanted = true;
    if (pattern_[p] == '^') wanted = false, ++p;
    for (const std::size_t last = end - 1; p < last;) {
        const auto here = static_cast<unsigned char>(pattern_[p]);
        if (here == '%' && p + 1 < last) {
            if (in_class(c, static_cast<unsigned char>(pattern_[p + 1]))) return wanted;
            p += 2;
        } else if (p + 2 < last && pattern_[p + 1] == '-') {
            if (here <= c && c <= static_cast<unsigned char>(pattern_[p + 2])) return wanted;
            p += 3;
        } else {
            if (here == c) return wanted;
            ++p;
        }
    }
    return !wanted;
}

bool Pattern::one_matches(std::size_t s, std::size_t p, std::size_t end) {
    steps_ += (end - p) / 8;  // a set is gone through again at every place
    step();
    if (s >= subject_.size()) return false;
    const auto c = static_cast<unsigned char>(subject_[s]);
    switch (pattern_[p]) {
        case '.': return true;
        case '%': return in_class(c, static_cast<unsigned char>(pattern_[p + 1]));
        case '[': return in_set(c, p, end);
        default: return static_cast<unsigned char>(pattern_[p]) == c;
    }
}

Pattern::End Pattern::repeat(std::size_t s, std::size_t p, std::size_t next, bool at_least_one) {
    std::size_t most = 0;
    while (one_matches(s + most, p, next)) ++most;
    for (std::size_t n = most + 1; n-- > (at_least_one ? 1u : 0u);)
        if (const End end = match(s + n, next + 1)) return end;
    return {};
}

Pattern::End Pattern::repeat_lazily(std::size_t s, std::size_t p, std::size_t next) {
    for (;; ++s) {
        if (const End end = match(s, next + 1)) return end;
        if (!one_matches(s, p, next)) return {};
    }
}

Pattern::End Pattern::balanced(std::size_t s, std::size_t p) {
    if (p + 3 >= pattern_.size()) malformed("'%b' wants two characters");
    const char open = pattern_[p + 2], close = pattern_[p + 3];
    if (s >= subject_.size() || subject_[s] != open) return {};
    for (std::size_t level = 1, i = s + 1; i < subject_.size(); ++i) {
        step();
        if (subject_[i] == close) {
            if (--level == 0) return i + 1;
        } else if (subject_[i] == open) {
            ++level;
        }
    }
    return {};
}

Pattern::End Pattern::match(std::size_t s, std::size_t p) {
    struct Depth {
        int& depth;
        ~Depth() { --depth; }
    } depth{depth_};
    if (++depth_ > max_pattern_depth) throw UserError("the pattern is too complex");

    while (p < pattern_.size()) {
        step();
        const char c = pattern_[p];
        if (c == '(') {
            if (level_ >= max_captures) throw UserError("the pattern has more than 32 captures");
            const bool position = p + 1 < pattern_.size() && pattern_[p + 1] == ')';
            captures_[static_cast<std::size_t>(level_++)] = {s, position ? position_capture : open_capture};
            const End end = match(s, p + (position ? 2 : 1));
            if (!end) --level_;
            return end;
        }
        if (c == ')') {
            int i = level_ - 1;
            while (i >= 0 && capture(i).size != open_capture) --i;
            if (i < 0) malformed("')' without '('");
            Capture& closing = captures_[static_cast<std::size_t>(i)];
            closing.size = static_cast<std::ptrdiff_t>(s - closing.begin);
            const End end = match(s, p + 1);
            if (!end) closing.size = open_capture;
            return end;
        }
        if (c == '$' && p + 1 == pattern_.size()) return s == subject_.size() ? End(s) : End();
        if (c == '%' && p + 1 < pattern_.size()) {
            const char kind = pattern_[p + 1];
            if (kind == 'b') {
                const End end = balanced(s, p);
                if (!end) return {};
                s = *end, p += 4;
                continue;
            }
            if (kind == 'f') {
                p += 2;
                if (p >= pattern_.size() || pattern_[p] != '[') malformed("'%f' wants a set");
                const std::size_t end = item_end(p);
                const auto before = static_cast<unsigned char>(s == 0 ? '\0' : subject_[s - 1]);
                const auto after = static_cast<unsigned char>(s < subject_.size() ? subject_[s] : '\0');
                if (in_set(before, p, end) || !in_set(after, p, end)) return {};
                p = end;
                continue;
            }
            if (std::isdigit(static_cast<unsigned char>(kind))) {
                const int i = kind - '1';
                if (i < 0 || i >= level_ || capture(i).size == open_capture)
                    malformed("'%n' names no finished capture");
                const auto size = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, capture(i).size));
                steps_ += size / 64;
                if (subject_.substr(s, size) != subject_.substr(capture(i).begin, size)) return {};
                s += size, p += 2;
                continue;
            }
        }
        const std::size_t next = item_end(p);
        const char suffix = next < pattern_.size() ? pattern_[next] : '\0';
        if (suffix == '*' || suffix == '+') return repeat(s, p, next, suffix == '+');
        if (suffix == '-') return repeat_lazily(s, p, next);
        const bool fits = one_matches(s, p, next);
        if (suffix == '?') {
            if (fits)
                if (const End end = match(s + 1, next + 1)) return end;
            p = next + 1;
            continue;
        }
        if (!fits) return {};
        ++s, p = next;
    }
    return s;
}

}  // namespace pliant::script
