#include "pliant/render/color_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pliant/render/lettering.hpp"
#include "pliant/render/tone.hpp"

namespace pliant {

std::vector<double> round_ticks(double low, double high, int wanted) {
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {};
    const double rough = (high - low) / std::max(1, wanted);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (double factor : {1.0, 2.0, 5.0})
        if (factor * power >= 0.8 * rough) {
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    const double slack = 1e-6 * step;
    for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) ticks.push_back(k * step);
    return ticks;
}

ScaledUnit scaled_unit(const std::string& unit, const FieldRange& range) {
    static constexpr const char* scalable[] = {"Pa", "m", "m/s", "N", "J", "W", "Hz", "s", "N/m"};
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    if (std::find(std::begin(scalable), std::end(scalable), unit) == std::end(scalable) || !(largest > 0))
        return {unit, 1};
    struct Prefix {
        const char* text;
        double size;
    };
    static constexpr Prefix prefixes[] = {{"G", 1e9},  {"M", 1e6},  {"k", 1e3}, {"", 1},
                                          {"m", 1e-3}, {"µ", 1e-6}, {"n", 1e-9}};
    for (const Prefix& p : prefixes) {
        // Kilometres per second are not what people say of large speeds and lengths; small parts of them are.
        if (p.size > 1 && (unit[0] == 'm' || unit == "s")) continue;
        if (largest >= p.size) return {p.text + unit, 1 / p.size};
    }
    return {unit, 1};
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks, double factor) {
    if (ticks.empty()) return {};
    const double step = ticks.size() > 1 ? (ticks[1] - ticks[0]) * factor : std::abs(ticks[0] * factor);
    const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back())) * factor;
    const int decimals = step > 0 ? std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 9) : 0;
    const bool scientific = largest >= 1e6 || decimals > 4;
    std::vector<std::string> labels;
    for (double tick : ticks) {
        char text[40];
        const double value = std::abs(tick * factor) < 1e-9 * largest ? 0.0 : tick * factor;
        const int digits = int(std::ceil(std::log10(std::max(1.0, largest / std::max(step, 1e-300))))) + 1;
        if (scientific)
            std::snprintf(text, sizeof text, "%.*g", std::clamp(digits, 2, 8), value);
        else
            std::snprintf(text, sizeof text, "%.*f", decimals, value);
        std::string label = text;
        if (label[0] == '-') label = "−" + label.substr(1);
        labels.push_back(label);
    }
    return labels;
}

std::string field_title(const std::string& name) {
    if (name == "von_mises") return "von Mises stress";
    std::string title = name;
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

namespace {

struct Layout {
    float scale, margin, cap, bar_width, gap, pad;
};

Layout layout_for(int width, int height) {
    // Small pictures keep letters that can be read.
    const float scale = std::max(0.66f, std::min(float(height) / 720, float(width) / 900));
    return {scale, 26 * scale, 11.5f * scale, 18 * scale, 10 * scale, 18 * scale};
}

}  // namespace

double color_bar_share(int width, int height) { return std::min(0.3, 150.0 * layout_for(width, height).scale / width); }

void draw_color_bar(Image& image, const std::string& field, const std::string& unit, const FieldRange& range) {
    const Layout at = layout_for(image.width, image.height);
    const ScaledUnit scaled = scaled_unit(unit, range);
    const std::vector<double> ticks = round_ticks(range.low, range.high);
    const std::vector<std::string> labels = tick_labels(ticks, scaled.factor);
    const TextStyle label_style{at.cap, 0.115f, Vec3f(0.20f, 0.22f, 0.25f)};
    const TextStyle title_style{1.1f * at.cap, 0.135f, Vec3f(0.13f, 0.15f, 0.18f)};

    // Title in lines of at most the width the card should have.
    const float room = 104 * at.scale;
    std::vector<std::string> lines;
    std::string word;
    for (char c : field_title(field) + " ") {
        if (c != ' ') {
            word += c;
            continue;
        }
        if (!lines.empty() && text_width(lines.back() + " " + word, title_style) <= room)
            lines.back() += " " + word;
        else if (!word.empty())
            lines.push_back(word);
        word.clear();
    }
    float inner = 0;
    for (const std::string& line : lines) inner = std::max(inner, text_width(line, title_style));
    for (const std::string& label : labels)
        inner = std::max(inner, at.bar_width + at.gap + text_width(label, label_style));
    inner = std::max(inner, text_width(scaled.text, label_style));

    const float line_height = 2.0f * at.cap;
    const float head = line_height * float(lines.size()) + (scaled.text.empty() ? 0.0f : line_height) + 0.6f * at.cap;
    const float bar_height = 0.46f * float(image.height);
    const float card_width = inner + 2 * at.pad, card_height = head + bar_height + 2 * at.pad;
    const float left = float(image.width) - at.margin - card_width, top = 0.5f * (float(image.height) - card_height);
    draw_panel(image, left, top, card_width, card_height, 12 * at.scale, Vec3f(0.985f, 0.985f, 0.99f), 0.80f);

    float y = top + at.pad + at.cap;
    for (const std::string& line : lines) draw_text(image, left + at.pad, y, line, title_style), y += line_height;
    if (!scaled.text.empty()) {
        TextStyle quiet = label_style;
        quiet.color = Vec3f(0.40f, 0.43f, 0.47f);
        draw_text(image, left + at.pad, y, scaled.text, quiet);
    }

    const float bar_left = left + at.pad, bar_top = top + at.pad + head;
    const Colormap map = colormap_for(range);
    const int y0 = int(std::lround(bar_top)), y1 = int(std::lround(bar_top + bar_height));
    const int x0 = int(std::lround(bar_left)), x1 = int(std::lround(bar_left + at.bar_width));
    for (int py = std::max(0, y0); py < std::min(y1, image.height); ++py) {
        const Vec3f c = map_color(map, 1 - (float(py - y0) + 0.5f) / float(y1 - y0));
        for (int px = std::max(0, x0); px < std::min(x1, image.width); ++px)
            for (int k = 0; k < 3; ++k) image.at(px, py)[k] = to_byte(srgb_from_linear(c[k]));
    }
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const float t = float((ticks[i] - range.low) / (range.high - range.low));
        const float ty = float(y1) - t * float(y1 - y0);
        draw_panel(image, float(x1), ty - 0.5f, 0.4f * at.gap, std::max(1.0f, at.scale), 0, label_style.color, 0.7f);
        draw_text(image, float(x1) + at.gap, ty + 0.5f * at.cap, labels[i], label_style);
    }
}

}  // namespace pliant
