#include "pliant/geometry/glyph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

using Vec2 = Eigen::Vector2d;

// Skeletons, with capitals from y = 0 to y = 1 and x from 0. Commands, each with its numbers:
//   M x y          lift the pen and put it down at (x, y)
//   L x y          draw a line to (x, y)
//   A x y u v s e  draw along an ellipse around (x, y) with half axes u and v from s to e degrees (pen goes on from
//   where
//                  it is, if it is down)
//   D x y          a dot
struct Skeleton {
    char letter;
    double width;  // of the skeleton
    const char* path;
};

constexpr Skeleton typeface[] = {
    {'A', .80, "M0 0 L.4 1 L.8 0 M.14 .34 L.66 .34"},
    {'B', .62, "M0 0 L0 1 L.32 1 A.32 .76 .25 .24 90 -90 L0 .52 M.32 .52 A.34 .26 .28 .26 90 -90 L0 0"},
    {'C', .79, "A.47 .5 .47 .5 47 313"},
    {'D', .72, "M0 0 L0 1 L.28 1 A.28 .5 .44 .5 90 -90 L0 0"},
    {'E', .54, "M.54 1 L0 1 L0 0 L.54 0 M0 .52 L.46 .52"},
    {'F', .52, "M.52 1 L0 1 L0 0 M0 .52 L.44 .52"},
    {'G', .90, "A.47 .5 .47 .5 47 338 L.906 .46 L.54 .46"},
    {'H', .68, "M0 0 L0 1 M.68 0 L.68 1 M0 .52 L.68 .52"},
    {'I', .00, "M0 0 L0 1"},
    {'J', .42, "M.42 1 L.42 .24 A.21 .24 .21 .24 0 -165"},
    {'K', .62, "M0 0 L0 1 M.58 1 L0 .36 M.2 .58 L.62 0"},
    {'L', .50, "M0 1 L0 0 L.5 0"},
    {'M', .86, "M0 0 L0 1 L.43 .22 L.86 1 L.86 0"},
    {'N', .68, "M0 0 L0 1 L.68 0 L.68 1"},
    {'O', .96, "A.48 .5 .48 .5 0 360"},
    {'P', .57, "M0 0 L0 1 L.29 1 A.29 .73 .28 .27 90 -90 L0 .46"},
    {'Q', .96, "A.48 .5 .48 .5 0 360 M.6 .26 L.92 -.06"},
    {'R', .60, "M0 0 L0 1 L.29 1 A.29 .73 .28 .27 90 -90 L0 .46 M.29 .46 L.6 0"},
    {'S', .62, "A.31 .75 .29 .25 32 270 A.31 .25 .31 .25 90 -145"},
    {'T', .70, "M0 1 L.7 1 M.35 1 L.35 0"},
    {'U', .66, "M0 1 L0 .33 A.33 .33 .33 .33 180 360 L.66 1"},
    {'V', .76, "M0 1 L.38 0 L.76 1"},
    {'W', 1.12, "M0 1 L.28 0 L.56 .82 L.84 0 L1.12 1"},
    {'X', .68, "M0 0 L.68 1 M0 1 L.68 0"},
    {'Y', .72, "M0 1 L.36 .46 L.72 1 M.36 .46 L.36 0"},
    {'Z', .62, "M.02 1 L.6 1 L0 0 L.62 0"},

    {'a', .56, "A.28 .32 .28 .32 0 360 M.56 .64 L.56 0"},
    {'b', .56, "M0 1 L0 0 M.56 .32 A.28 .32 .28 .32 0 360"},
    {'c', .49, "A.29 .32 .29 .32 47 313"},
    {'d', .56, "A.28 .32 .28 .32 0 360 M.56 1 L.56 0"},
    {'e', .58, "M0 .33 L.58 .33 A.29 .32 .29 .32 2 300"},
    {'f', .36, "M.12 0 L.12 .76 A.34 .76 .22 .24 180 80 M0 .62 L.34 .62"},
    {'g', .56, "A.28 .32 .28 .32 0 360 M.56 .64 L.56 -.09 A.28 -.09 .28 .26 0 -150"},
    {'h', .52, "M0 1 L0 0 M0 .36 A.26 .36 .26 .28 180 0 L.52 0"},
    {'i', .00, "M0 0 L0 .64 D0 .98"},
    {'j', .18, "M.18 .64 L.18 -.13 A-.04 -.13 .22 .22 0 -80 D.18 .98"},
    {'k', .48, "M0 1 L0 0 M.44 .64 L0 .22 M.15 .36 L.48 0"},
    {'l', .00, "M0 1 L0 0"},
    {'m', .88, "M0 .64 L0 0 M0 .4 A.22 .4 .22 .24 180 0 L.44 0 M.44 .4 A.66 .4 .22 .24 180 0 L.88 0"},
    {'n', .51, "M0 .64 L0 0 M0 .37 A.255 .37 .255 .27 180 0 L.51 0"},
    {'o', .60, "A.3 .32 .3 .32 0 360"},
    {'p', .56, "M0 .64 L0 -.34 M.56 .32 A.28 .32 .28 .32 0 360"},
    {'q', .56, "A.28 .32 .28 .32 0 360 M.56 .64 L.56 -.34"},
    {'r', .34, "M0 .64 L0 0 M0 .36 A.27 .36 .27 .28 180 72"},
    {'s', .46, "A.23 .48 .22 .16 30 270 A.23 .16 .23 .16 90 -148"},
    {'t', .37, "M.13 .92 L.13 .2 A.33 .2 .2 .2 180 280 M0 .64 L.35 .64"},
    {'u', .51, "M0 .64 L0 .27 A.255 .27 .255 .27 180 360 M.51 .64 L.51 0"},
    {'v', .54, "M0 .64 L.27 0 L.54 .64"},
    {'w', .86, "M0 .64 L.215 0 L.43 .58 L.645 0 L.86 .64"},
    {'x', .50, "M0 0 L.5 .64 M0 .64 L.5 0"},
    {'y', .54, "M0 .64 L.29 0 M.54 .64 L.16 -.34"},
    {'z', .48, "M.02 .64 L.46 .64 L0 0 L.48 0"},

    {'0', .64, "A.32 .5 .32 .5 0 360"},
    {'1', .26, "M0 .78 L.26 1 L.26 0"},
    {'2', .58, "A.29 .71 .29 .29 160 -36 L0 0 L.58 0"},
    {'3', .56, "A.27 .75 .26 .25 148 -90 M.27 .5 A.27 .25 .29 .25 90 -148"},
    {'4', .64, "M.47 0 L.47 1 L0 .28 L.64 .28"},
    {'5', .56, "M.5 1 L.1 1 L.065 .546 A.27 .32 .29 .32 135 -148"},
    {'6', .60, "A.3 .3 .3 .3 0 360 M0 .3 A.54 .3 .54 .7 180 106"},
    {'7', .58, "M0 1 L.58 1 L.2 0"},
    {'8', .60, "A.3 .75 .26 .25 0 360 A.3 .25 .3 .25 0 360"},
    {'9', .60, "A.3 .7 .3 .3 0 360 M.6 .7 A.06 .7 .54 .7 0 -74"},

    {'.', .00, "D0 0"},
    {',', .07, "M.07 .02 L0 -.16"},
    {':', .00, "D0 0 D0 .54"},
    {';', .07, "D.07 .54 M.07 .02 L0 -.16"},
    {'!', .00, "M0 1 L0 .36 D0 0"},
    {'?', .54, "A.27 .73 .27 .27 160 -58 L.27 .34 D.27 0"},
    {'-', .32, "M0 .36 L.32 .36"},
    {'\'', .00, "M0 1 L0 .78"},
    {'"', .28, "M0 1 L0 .78 M.28 1 L.28 .78"},
    {'(', .20, "A.42 .46 .42 .68 120 240"},
    {')', .20, "A-.22 .46 .42 .68 60 -60"},
    {'/', .44, "M0 -.08 L.44 1.06"},
    {'+', .52, "M0 .44 L.52 .44 M.26 .7 L.26 .18"},
    {'=', .50, "M0 .6 L.5 .6 M0 .28 L.5 .28"},
    {'_', .60, "M0 -.1 L.6 -.1"},
    {'&', .76, "M.76 0 L.16 .64 A.31 .79 .19 .21 218 -46 L.1 .42 A.3 .24 .3 .24 130 322 L.7 .36"},
    {'#', .70, "M.2 0 L.28 1 M.5 0 L.58 1 M.02 .3 L.68 .3 M.06 .7 L.72 .7"},
    {'*', .36, "M.18 1 L.18 .6 M0 .9 L.36 .7 M0 .7 L.36 .9"},
};

constexpr double skeleton_height = 1 - 2 * glyph_stroke_radius;
constexpr double letter_gap = 0.12;       // between outlines of neighbours, capital heights
constexpr double word_space = 0.36;       // a space
constexpr double line_height = 1.65;      // from base line to base line
constexpr double deepest_kerning = 0.15;  // pairs like "AV" and "To" move together by at most this

const Skeleton* find(char letter) {
    for (const Skeleton& s : typeface)
        if (s.letter == letter) return &s;
    return nullptr;
}

/// Numbers and commands of a path, arcs as short lines of at most five degrees each.
std::vector<GlyphSegment> flattened(const Skeleton& skeleton) {
    std::vector<GlyphSegment> out;
    Vec2 pen(0, 0);
    bool down = false;
    auto placed = [](const Vec2& p) { return Vec2(skeleton_height * p + Vec2::Constant(glyph_stroke_radius)); };
    auto go = [&](const Vec2& to) {
        if (down && to != pen) out.push_back({placed(pen), placed(to)});
        pen = to, down = true;
    };
    const char* at = skeleton.path;
    auto number = [&] {
        char* end = nullptr;
        const double value = std::strtod(at, &end);
        CHECK(end != at, skeleton.letter, at);
        at = end;
        return value;
    };
    while (*at != '\0') {
        const char command = *at++;
        if (command == ' ') continue;
        const double x = number(), y = number();
        if (command == 'M') {
            pen = Vec2(x, y), down = true;
        } else if (command == 'L') {
            go({x, y});
        } else if (command == 'D') {
            out.push_back({placed({x, y}), placed({x, y})});
            down = false;
        } else {
            CHECK(command == 'A', command);
            const double u = number(), v = number(), start = number(), stop = number();
            const int n = std::max(2, static_cast<int>(std::ceil(std::abs(stop - start) / 5)));
            for (int i = 0; i <= n; ++i) {
                // A full turn ends exactly where it began.
                const bool closing = i == n && std::abs(stop - start) == 360;
                const double degrees = closing ? start : start + (stop - start) * i / n;
                const double angle = degrees * std::numbers::pi / 180;
                go({x + u * std::cos(angle), y + v * std::sin(angle)});
            }
        }
    }
    return out;
}

double point_to_segment(const Vec2& p, const GlyphSegment& s, double shift) {
    const Vec2 a(s.a.x() + shift, s.a.y()), d = s.b - s.a;
    const double length2 = d.squaredNorm();
    const double t = length2 > 0 ? std::clamp((p - a).dot(d) / length2, 0.0, 1.0) : 0.0;
    return (p - a - t * d).norm();
}

/// How near two letters come to each other when the second is moved right by shift. Letters side by side do not
/// cross, so ends against lines are enough.
double gap_between(const std::vector<GlyphSegment>& left, const std::vector<GlyphSegment>& right, double shift) {
    double least = 1e9;
    for (const GlyphSegment& l : left)
        for (const GlyphSegment& r : right) {
            const Vec2 ra(r.a.x() + shift, r.a.y()), rb(r.b.x() + shift, r.b.y());
            least = std::min({least, point_to_segment(l.a, r, shift), point_to_segment(l.b, r, shift),
                              point_to_segment(ra, l, 0), point_to_segment(rb, l, 0)});
        }
    return least;
}

/// Optical kerning: pairs with room between them move together, in steps of a hundredth of the capital height.
double kerning(const std::vector<GlyphSegment>& left, const std::vector<GlyphSegment>& right, double advance) {
    const double wanted = 2 * glyph_stroke_radius + letter_gap - 1e-9;
    double kern = 0;
    while (kern + 0.01 <= deepest_kerning && gap_between(left, right, advance - kern - 0.01) >= wanted) kern += 0.01;
    return kern;
}

std::string shown(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 32 && code < 127 ? std::string("'") + c + "'" : "with byte value " + std::to_string(code);
}

}  // namespace

GlyphLine set_text(const std::string& text) {
    GlyphLine line;
    std::vector<GlyphSegment> before;  // the letter to the left, at its own origin
    double x = 0, y = 0, before_x = 0;
    for (char c : text) {
        if (c == ' ' || c == '\n') {
            x = c == ' ' ? x + word_space : 0;
            if (c == '\n') y -= line_height;
            before.clear();
            continue;
        }
        const Skeleton* skeleton = find(c);
        if (skeleton == nullptr)
            throw UserError("the built-in face has no character " + shown(c), {},
                            "Use the letters A-Z and a-z, digits, spaces and . , : ; ! ? - ' \" ( ) / + = _ & # *");
        std::vector<GlyphSegment> letter = flattened(*skeleton);
        if (!before.empty()) x -= kerning(before, letter, x - before_x);
        for (const GlyphSegment& s : letter) line.segments.push_back({s.a + Vec2(x, y), s.b + Vec2(x, y)});
        before = std::move(letter), before_x = x;
        x += skeleton_height * skeleton->width + 2 * glyph_stroke_radius + letter_gap;
    }
    if (line.segments.empty()) throw UserError("a text shape needs at least one visible character");
    // Some letters begin left or right of their origin (j, a leading space); the outline starts at 0 all the same.
    double left = 1e9, right = -1e9;
    for (const GlyphSegment& s : line.segments) {
        left = std::min({left, s.a.x(), s.b.x()});
        right = std::max({right, s.a.x(), s.b.x()});
    }
    for (GlyphSegment& s : line.segments) {
        s.a.x() += glyph_stroke_radius - left;
        s.b.x() += glyph_stroke_radius - left;
    }
    line.width = right - left + 2 * glyph_stroke_radius;
    return line;
}

}  // namespace pliant
