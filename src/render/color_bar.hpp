#pragma once
// The scale beside a picture coloured by a field: title, unit, ticks at round numbers.

#include <string>
#include <vector>

#include "pliant/render/field.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// Round numbers (1, 2 or 5 times a power of ten apart) within low … high, about `wanted` of them.
std::vector<double> round_ticks(double low, double high, int wanted = 5);

/// A unit with the SI prefix that keeps labels short: values of 3.1e5 Pa read in kPa.
struct ScaledUnit {
    std::string text;  ///< "kPa"
    double factor;     ///< label = value · factor
};
ScaledUnit scaled_unit(const std::string& unit, const FieldRange& range);

/// Labels of the ticks in the scaled unit, all with the same number of decimals.
std::vector<std::string> tick_labels(const std::vector<double>& ticks, double factor);

/// "von_mises" → "von Mises stress", "max_speed" → "max speed".
std::string field_title(const std::string& name);

/// Share of the picture's width that a colour bar takes, for the camera to leave free.
double color_bar_share(int width, int height);

void draw_color_bar(Image& image, const std::string& field, const std::string& unit, const FieldRange& range);

}  // namespace pliant
