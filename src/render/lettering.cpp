#include "pliant/render/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "pliant/render/tone.hpp"

namespace pliant {

namespace {

/// A character as strokes on a grid whose capitals are 10 high and whose small letters are 7 high.
/// "l x y x y …": straight lines; "a cx cy rx ry from to": part of an ellipse, degrees, counter-clockwise if to > from.
struct Glyph {
    char32_t code;
    float width;
    const char* strokes;
};

constexpr Glyph glyphs[] = {
    {' ', 2.2f, ""},
    {'0', 6, "a 3 5 3 5 0 360"},
    {'1', 6, "l 1 7.9 3.4 10 3.4 0"},
    {'2', 6, "a 3 7.2 2.8 2.8 165 -35 l 5.29 5.59 0.2 0 5.9 0"},
    {'3', 6, "a 2.9 7.5 2.4 2.5 150 -90 a 2.9 2.5 2.8 2.5 90 -150"},
    {'4', 6, "l 4.5 0 4.5 10 0 2.9 6 2.9"},
    {'5', 6, "l 5.3 10 1.2 10 0.8 5.4 a 2.9 3.15 3 3.15 134 -150"},
    {'6', 6, "a 3 3.1 2.9 3.1 0 360 a 5.5 3.6 5.4 6.5 180 104"},
    {'7', 6, "l 0.2 10 5.8 10 2 0"},
    {'8', 6, "a 3 7.6 2.4 2.4 0 360 a 3 2.6 2.9 2.6 0 360"},
    {'9', 6, "a 3 6.9 2.9 3.1 0 360 a 0.5 6.4 5.4 6.5 0 -76"},
    {'.', 1, "l 0.5 0.1 0.5 0.11"},
    {',', 1.2f, "l 0.8 0.3 0.2 -1.7"},
    {':', 1, "l 0.5 0.4 0.5 0.41 l 0.5 6 0.5 6.01"},
    {'-', 3.4f, "l 0.1 3.7 3.3 3.7"},
    {'_', 5, "l 0 -1 5 -1"},
    {'+', 5, "l 0 5 5 5 l 2.5 7.5 2.5 2.5"},
    {'=', 5, "l 0 6.2 5 6.2 l 0 3.4 5 3.4"},
    {'/', 4, "l 0 -1.5 4 11"},
    {'(', 2.4f, "a 5 4.5 4.4 7.6 140 220"},
    {')', 2.4f, "a -2.6 4.5 4.4 7.6 40 -40"},
    {'%', 8, "a 1.7 8.1 1.7 1.9 0 360 a 6.3 1.9 1.7 1.9 0 360 l 6.6 10 1.4 0"},
    {U'°', 2.8f, "a 1.4 8.6 1.4 1.4 0 360"},
    {U'²', 2.8f, "a 1.4 9.2 1.2 1.2 160 -35 l 2.38 8.5 0.2 5.8 2.7 5.8"},
    {U'³', 2.8f, "a 1.4 9.3 1.1 1.1 150 -90 a 1.4 7 1.3 1.2 90 -150"},
    {U'·', 1, "l 0.5 4.4 0.5 4.41"},
    {U'−', 5, "l 0 5 5 5"},
    {U'×', 5, "l 0.3 2.6 4.7 7 l 0.3 7 4.7 2.6"},
    {U'µ', 5.2f, "l 0 7 0 -3 l 0 7 0 2.6 a 2.6 2.6 2.6 2.6 180 360 l 5.2 7 5.2 0"},
    {'A', 7.4f, "l 0 0 3.7 10 7.4 0 l 1.3 3.4 6.1 3.4"},
    {'B', 5.9f, "l 3 10 0 10 0 0 3.2 0 a 3 7.6 2.4 2.4 90 -90 l 0 5.2 3.2 5.2 a 3.2 2.6 2.7 2.6 90 -90"},
    {'C', 7.2f, "a 4.5 5 4.5 5 50 310"},
    {'D', 7, "l 2.4 10 0 10 0 0 2.4 0 a 2.4 5 4.6 5 90 -90"},
    {'E', 5, "l 5 10 0 10 0 0 5 0 l 0 5.2 4.4 5.2"},
    {'F', 4.8f, "l 4.8 10 0 10 0 0 l 0 5.2 4.2 5.2"},
    {'G', 8.2f, "a 4.5 5 4.5 5 50 340 l 5.2 4.7 8.7 4.7 8.7 3.3"},
    {'H', 6.6f, "l 0 0 0 10 l 6.6 0 6.6 10 l 0 5.2 6.6 5.2"},
    {'I', 0.8f, "l 0.4 0 0.4 10"},
    {'J', 3.8f, "l 3.8 10 3.8 2.6 a 1.6 2.6 2.2 2.6 0 -140"},
    {'K', 6, "l 0 0 0 10 l 5.6 10 0 3.8 l 2 6 6 0"},
    {'L', 4.6f, "l 0 10 0 0 4.6 0"},
    {'M', 8, "l 0 0 0 10 4 3 8 10 8 0"},
    {'N', 6.6f, "l 0 0 0 10 6.6 0 6.6 10"},
    {'O', 9, "a 4.5 5 4.5 5 0 360"},
    {'P', 5.7f, "l 0 0 0 10 3 10 a 3 7.2 2.7 2.8 90 -90 l 3 4.4 0 4.4"},
    {'Q', 9, "a 4.5 5 4.5 5 0 360 l 5.8 2.6 8.6 -0.6"},
    {'R', 6, "l 0 0 0 10 3 10 a 3 7.2 2.7 2.8 90 -90 l 3 4.4 0 4.4 l 3 4.4 6 0"},
    {'S', 5.9f, "a 3 7.6 2.6 2.4 35 270 a 3 2.6 2.9 2.6 90 -145"},
    {'T', 6.6f, "l 0 10 6.6 10 l 3.3 10 3.3 0"},
    {'U', 6.2f, "l 0 10 0 3.1 l 6.2 10 6.2 3.1 a 3.1 3.1 3.1 3.1 180 360"},
    {'V', 7, "l 0 10 3.5 0 7 10"},
    {'W', 10.6f, "l 0 10 2.6 0 5.3 9.4 8 0 10.6 10"},
    {'X', 6.2f, "l 0 10 6.2 0 l 6.2 10 0 0"},
    {'Y', 6.4f, "l 0 10 3.2 5 6.4 10 l 3.2 5 3.2 0"},
    {'Z', 6.2f, "l 0.2 10 6 10 0 0 6.2 0"},
    {'a', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 5.4 7 5.4 0"},
    {'b', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 0 10.6 0 0"},
    {'c', 4.9f, "a 2.9 3.5 2.9 3.5 48 312"},
    {'d', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 5.4 10.6 5.4 0"},
    {'e', 5.6f, "l 0.1 3.7 5.6 3.7 a 2.8 3.5 2.8 3.5 3 315"},
    {'f', 3.6f, "l 1.5 0 1.5 8.4 a 3.4 8.4 1.9 2.1 180 80 l 0 6.7 3.4 6.7"},
    {'g', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 5.4 7 5.4 -0.4 a 2.8 -0.4 2.6 2.7 0 -145"},
    {'h', 5.2f, "l 0 10.6 0 0 a 2.6 4.4 2.6 2.6 180 0 l 5.2 4.4 5.2 0"},
    {'i', 0.8f, "l 0.4 7 0.4 0 l 0.4 9.7 0.4 9.71"},
    {'j', 1.6f, "l 1.2 7 1.2 -1 a -0.2 -1 1.4 2 0 -90 l 1.2 9.7 1.2 9.71"},
    {'k', 5, "l 0 10.6 0 0 l 4.6 7 0 2.6 l 1.7 4.1 5 0"},
    {'l', 0.8f, "l 0.4 10.6 0.4 0"},
    {'m', 8.4f, "l 0 7 0 0 a 2.1 4.9 2.1 2.1 180 0 l 4.2 4.9 4.2 0 a 6.3 4.9 2.1 2.1 180 0 l 8.4 4.9 8.4 0"},
    {'n', 5.2f, "l 0 7 0 0 a 2.6 4.4 2.6 2.6 180 0 l 5.2 4.4 5.2 0"},
    {'o', 5.8f, "a 2.9 3.5 2.9 3.5 0 360"},
    {'p', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 0 7 0 -3"},
    {'q', 5.4f, "a 2.7 3.5 2.7 3.5 0 360 l 5.4 7 5.4 -3"},
    {'r', 3.4f, "l 0 7 0 0 a 2.7 4.2 2.7 2.8 180 75"},
    {'s', 4.5f, "a 2.3 5.2 1.9 1.8 40 270 a 2.3 1.7 2.2 1.7 90 -140"},
    {'t', 3.7f, "l 1.6 9.4 1.6 1.8 a 3.4 1.8 1.8 1.8 180 280 l 0 7 3.7 7"},
    {'u', 5.2f, "l 0 7 0 2.6 a 2.6 2.6 2.6 2.6 180 360 l 5.2 7 5.2 0"},
    {'v', 5.2f, "l 0 7 2.6 0 5.2 7"},
    {'w', 8, "l 0 7 1.9 0 4 6.5 6.1 0 8 7"},
    {'x', 4.8f, "l 0 7 4.8 0 l 4.8 7 0 0"},
    {'y', 5.3f, "l 0 7 2.75 0.1 l 5.3 7 1.6 -3"},
    {'z', 4.9f, "l 0.2 7 4.7 7 0 0 4.9 0"},
};
constexpr Glyph unknown{0, 5, "l 0 0 5 0 5 8 0 8 0 0"};
constexpr float spacing = 1.75f;

const Glyph& glyph_of(char32_t code) {
    if (code == U'μ') code = U'µ';  // Greek letter and micro sign
    for (const Glyph& glyph : glyphs)
        if (glyph.code == code) return glyph;
    return unknown;
}

std::vector<char32_t> decode(std::string_view text) {
    std::vector<char32_t> codes;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i++]);
        int more = byte >= 0xf0 ? 3 : (byte >= 0xe0 ? 2 : (byte >= 0xc0 ? 1 : 0));
        char32_t code = more == 0 ? byte : (byte & (0x3f >> more));
        for (; more > 0 && i < text.size(); --more) code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3f);
        codes.push_back(code);
    }
    return codes;
}

struct Segment {
    float x0, y0, x1, y1;
};

std::vector<Segment> segments_of(const Glyph& glyph) {
    std::vector<Segment> list;
    const char* at = glyph.strokes;
    while (*at != 0) {
        const char kind = *at++;
        std::vector<float> numbers;
        for (;;) {
            while (*at == ' ') ++at;
            if (*at == 0 || *at == 'l' || *at == 'a') break;
            char* end = nullptr;
            numbers.push_back(std::strtof(at, &end));
            at = end;
        }
        if (kind == 'l') {
            for (std::size_t i = 3; i < numbers.size(); i += 2)
                list.push_back({numbers[i - 3], numbers[i - 2], numbers[i - 1], numbers[i]});
            continue;
        }
        const auto point = [&](float t) {
            const float angle = (numbers[4] + t * (numbers[5] - numbers[4])) * std::numbers::pi_v<float> / 180;
            return std::pair(numbers[0] + numbers[2] * std::cos(angle), numbers[1] + numbers[3] * std::sin(angle));
        };
        const int parts = std::max(4, int(std::abs(numbers[5] - numbers[4]) / 15));
        for (int i = 0; i < parts; ++i) {
            const auto [x0, y0] = point(float(i) / float(parts));
            const auto [x1, y1] = point(float(i + 1) / float(parts));
            list.push_back({x0, y0, x1, y1});
        }
    }
    return list;
}

float distance(const Segment& s, float x, float y) {
    const float dx = s.x1 - s.x0, dy = s.y1 - s.y0, length2 = dx * dx + dy * dy;
    const float t = length2 > 0 ? std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / length2, 0.0f, 1.0f) : 0.0f;
    return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

void blend(std::uint8_t* pixel, const Vec3f& srgb, float opacity) {
    for (int k = 0; k < 3; ++k) pixel[k] = to_byte(float(pixel[k]) / 255 + (srgb[k] - float(pixel[k]) / 255) * opacity);
}

}  // namespace

float text_width(std::string_view text, const TextStyle& style) {
    float width = 0;
    for (char32_t code : decode(text)) width += glyph_of(code).width + spacing;
    return std::max(0.0f, width - spacing) * style.size / 10;
}

void draw_text(Image& image, float x, float y, std::string_view text, const TextStyle& style) {
    const float unit = style.size / 10;
    const float half = std::max(0.55f, 0.5f * style.weight * style.size);
    for (char32_t code : decode(text)) {
        const Glyph& glyph = glyph_of(code);
        const std::vector<Segment> segments = segments_of(glyph);
        const int x0 = std::max(0, int(std::floor(x - 2 * unit - half))),
                  x1 = std::min(image.width - 1, int(std::ceil(x + (glyph.width + 2) * unit + half)));
        const int y0 = std::max(0, int(std::floor(y - 12 * unit - half))),
                  y1 = std::min(image.height - 1, int(std::ceil(y + 4 * unit + half)));
        if (!segments.empty())
            for (int py = y0; py <= y1; ++py)
                for (int px = x0; px <= x1; ++px) {
                    const float gx = (float(px) + 0.5f - x) / unit, gy = (y - float(py) - 0.5f) / unit;
                    float nearest = 1e9f;
                    for (const Segment& s : segments) nearest = std::min(nearest, distance(s, gx, gy));
                    const float coverage = std::clamp(half - nearest * unit + 0.5f, 0.0f, 1.0f);
                    if (coverage > 0) blend(image.at(px, py), style.color, coverage);
                }
        x += (glyph.width + spacing) * unit;
    }
}

void draw_panel(Image& image, float x, float y, float width, float height, float radius, const Vec3f& srgb,
                float opacity) {
    const float cx = x + 0.5f * width, cy = y + 0.5f * height;
    for (int py = std::max(0, int(y) - 1); py < std::min(image.height, int(y + height) + 2); ++py)
        for (int px = std::max(0, int(x) - 1); px < std::min(image.width, int(x + width) + 2); ++px) {
            const float dx = std::max(0.0f, std::abs(float(px) + 0.5f - cx) - 0.5f * width + radius);
            const float dy = std::max(0.0f, std::abs(float(py) + 0.5f - cy) - 0.5f * height + radius);
            const float coverage = std::clamp(radius - std::hypot(dx, dy) + 0.5f, 0.0f, 1.0f);
            if (coverage > 0) blend(image.at(px, py), srgb, coverage * opacity);
        }
}

}  // namespace pliant
