#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"

namespace pliant {

namespace {

constexpr double redraw_seconds = 0.1;  // of the bar
constexpr double line_seconds = 5;      // between plain lines

Progress::Style style_for(bool quiet) {
    if (quiet) return Progress::Style::quiet;
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return ::isatty(STDERR_FILENO) && !dumb ? Progress::Style::bar : Progress::Style::lines;
}

int terminal_width(std::FILE* out) {
    winsize size{};
    return ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

std::string duration_text(double seconds) {
    char text[64];
    const long long whole = std::llround(seconds);
    if (seconds < 10)
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    else if (whole < 60)
        std::snprintf(text, sizeof text, "%lld s", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    return text;
}

Progress::Progress(std::string title, double total, std::string unit, bool quiet)
    : Progress(std::move(title), total, std::move(unit), style_for(quiet), stderr) {}

Progress::Progress(std::string title, double total, std::string unit, Style style, std::FILE* out)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(std::max(total, 1.0)),
      style_(style),
      out_(out),
      start_(seconds_now()),
      last_draw_(start_) {}

Progress::~Progress() {
    if (!finished_ && style_ == Style::bar) std::fputs("\n", out_);  // an error message follows on its own line
}

void Progress::update(double done, const std::string& detail) {
    if (style_ == Style::quiet || finished_) return;
    const double now = seconds_now();
    if (first_update_ < 0) first_update_ = now, first_done_ = done;
    done_ = std::min(done, total_);
    if (now - last_draw_ < (style_ == Style::bar ? redraw_seconds : line_seconds)) return;
    last_draw_ = now;
    draw(now, detail);
}

void Progress::draw(double now, const std::string& detail) {
    // The rate since the first update: what came before (loading, resuming) says nothing about what is left.
    const double passed = now - first_update_, advanced = done_ - first_done_;
    const std::string left =
        advanced > 0 && passed > 0 ? duration_text((total_ - done_) * passed / advanced) + " left" : "";
    std::string text =
        grouped(static_cast<long long>(done_)) + "/" + grouped(static_cast<long long>(total_)) + " " + unit_;
    if (!left.empty()) text += ", " + left;
    if (!detail.empty()) text += ", " + detail;
    if (style_ == Style::lines) {
        std::fprintf(out_, "%s: %s\n", title_.c_str(), text.c_str());
    } else {
        const int width = terminal_width(out_) - 1;
        const int cells = std::clamp(width - static_cast<int>(title_.size() + text.size()) - 4, 0, 40);
        const int full = static_cast<int>(cells * done_ / total_);
        std::string line = title_ + " ";
        if (cells >= 8) {
            for (int i = 0; i < cells; ++i) line += i < full ? "█" : "░";
            line += " ";
        }
        std::fprintf(out_, "\r\033[K%s%s", line.c_str(), text.c_str());
    }
    std::fflush(out_);
}

void Progress::say(const std::string& line) {
    if (style_ == Style::quiet) return;
    std::fprintf(out_, style_ == Style::bar ? "\r\033[K%s\n" : "%s\n", line.c_str());
    std::fflush(out_);
    last_draw_ = 0;  // the bar is drawn again at the next occasion
}

void Progress::finish(const std::string& detail) {
    if (finished_ || style_ == Style::quiet) return;
    finished_ = true;
    const std::string text = title_ + ": " + grouped(static_cast<long long>(done_)) + " " + unit_ + " in " +
                             duration_text(seconds_now() - start_) + (detail.empty() ? "" : ", " + detail);
    std::fprintf(out_, style_ == Style::bar ? "\r\033[K%s\n" : "%s\n", text.c_str());
    std::fflush(out_);
}

}  // namespace pliant
