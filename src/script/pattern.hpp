#pragma once
// Lua's text patterns (reference manual 5.4, section 6.4.1), with a count of the work done: Lua's own matcher can run
// for years on a short pattern and cannot be stopped.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace pliant::script {

struct Capture {
    std::size_t begin = 0;
    std::ptrdiff_t size = 0;  ///< open_capture while it is being matched, position_capture for ()
};

class Pattern {
public:
    static constexpr std::ptrdiff_t open_capture = -1, position_capture = -2;
    static constexpr int max_captures = 32;

    /// `tick` is called every few thousand steps and throws when the time is over.
    Pattern(std::string_view subject, std::string_view pattern, std::function<void()> tick);

    /// Tries at one place of the subject; the end of the match, or nothing. Throws UserError on a malformed pattern.
    std::optional<std::size_t> match_at(std::size_t begin);
    bool anchored() const { return anchored_; }

    int captures() const { return level_; }
    const Capture& capture(int i) const { return captures_[static_cast<std::size_t>(i)]; }
    std::string_view subject() const { return subject_; }

private:
    using End = std::optional<std::size_t>;

    End match(std::size_t s, std::size_t p);
    End repeat(std::size_t s, std::size_t p, std::size_t next, bool at_least_one);
    End repeat_lazily(std::size_t s, std::size_t p, std::size_t next);
    End balanced(std::size_t s, std::size_t p);
    std::size_t item_end(std::size_t p) const;
    bool one_matches(std::size_t s, std::size_t p, std::size_t end);
    bool in_set(unsigned char c, std::size_t p, std::size_t end) const;
    void step();

    std::string_view subject_, pattern_;
    std::function<void()> tick_;
    bool anchored_ = false;
    int level_ = 0;
    int depth_ = 0;
    std::uint64_t steps_ = 0, next_tick_ = 4096;
    std::array<Capture, max_captures> captures_;
};

}  // namespace pliant::script
