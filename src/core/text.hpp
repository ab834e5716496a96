#pragma once
// Small text tools for messages people read.

#include <string>
#include <string_view>
#include <vector>

namespace pliant {

/// The candidate nearest to `word` by edit distance (letters swapped, missing, extra, wrong), or "" if none is near.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// " Did you mean 'young'?" or "", ready to be appended as a remedy.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Shortest decimal text that reads back as the same double.
std::string number_text(double value);

/// Four significant digits, for tables and messages.
std::string short_number(double value);

/// 12,345,678
std::string grouped(long long value);

}  // namespace pliant
