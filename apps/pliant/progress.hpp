#pragma once
// How far a long piece of work is: a bar with the time left on a terminal, a plain line now and then otherwise,
// nothing when quiet. Prints on stderr, so that stdout stays for results.

#include <cstdio>
#include <string>

namespace pliant {

class Progress {
public:
    enum class Style { quiet, lines, bar };

    /// `total`: how many units make the whole work, at least 1. `unit`: what they are called, "frames".
    Progress(std::string title, double total, std::string unit, bool quiet);
    /// The same with the style and the stream chosen by the caller.
    Progress(std::string title, double total, std::string unit, Style style, std::FILE* out);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `done` units so far; `detail` is shown after the time. Cheap to call often: it redraws ten times a second.
    void update(double done, const std::string& detail = {});
    /// Ends the line with the time the work took; later calls do nothing.
    /// A line between two states of the bar.
    void say(const std::string& line);
    void finish(const std::string& detail = {});

    Style style() const { return style_; }

private:
    void draw(double now, const std::string& detail);

    std::string title_, unit_;
    double total_, done_ = 0;
    Style style_;
    std::FILE* out_;
    double start_, last_draw_, first_update_ = -1, first_done_ = 0;
    bool finished_ = false;
};

/// "0.4 s", "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace pliant
