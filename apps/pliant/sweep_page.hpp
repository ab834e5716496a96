#pragma once
// The page of a sweep: a grid of pictures, a plot per measure with a line per run, and a table. One HTML file that
// needs nothing else; pictures and plots are inside.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pliant/io/report.hpp"

namespace pliant {

/// A value that the runs differ in, or all share.
struct SweepKey {
    std::string name;
    std::vector<std::string> values;
};

struct SweepRun {
    std::vector<std::string> values;  ///< one per key
    std::string folder;               ///< beside the page
    std::string page;                 ///< that plays it, beside the page; "" for none
    std::string picture;              ///< PNG; "" for none
    RunReport report;
    std::string error;  ///< one sentence when it could not be run; "" otherwise
};

struct Sweep {
    std::string scene;
    std::string caption;  ///< what the pictures show: "t = 2 s, coloured by von_mises"
    std::vector<SweepKey> keys;
    std::vector<SweepRun> runs;  ///< all combinations, the last key changing fastest
};

std::string sweep_html(const Sweep& sweep);
/// The table alone, for other programs.
std::string sweep_csv(const Sweep& sweep);

}  // namespace pliant
