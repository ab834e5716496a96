#include "pliant/sound/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pliant/sound/spectrum.hpp"

namespace pliant {

namespace {

constexpr double width = 640, height = 150, left = 40, gap = 34;
constexpr int columns = 128, rows = 50;

std::string format(const char* pattern, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

std::string escaped(const std::string& s) {
    std::string out;
    for (char c : s) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : std::string(1, c);
    return out;
}

std::string curve(std::span<const double> signal, double rate, double highest, double top) {
    const Spectrum s = spectrum(signal, rate);
    constexpr int points = 320;
    std::vector<double> level(points, 0.0);
    for (std::size_t k = 1; k < s.power.size(); ++k) {
        const int at = static_cast<int>(static_cast<double>(k) * s.bin / highest * points);
        if (at < points) level[at] = std::max(level[at], std::sqrt(s.power[k]));
    }
    const double most = std::max(*std::max_element(level.begin(), level.end()), 1e-300);
    std::string path;
    for (int i = 0; i < points; ++i)
        path += format("%s%.1f %.1f", i == 0 ? "M" : "L", left + width * (i + 0.5) / points,
                       top + height * (1 - level[i] / most));
    return "<path d='" + path + "' fill='none' stroke='#1f5fa8' stroke-width='1.2'/>\n";
}

std::string spectrogram(std::span<const double> signal, double rate, double highest, double top) {
    constexpr std::size_t window = 2048;
    if (signal.size() < window) return {};
    std::vector<double> level(static_cast<std::size_t>(columns) * rows, 0.0);
    for (int c = 0; c < columns; ++c) {
        const auto begin = static_cast<std::size_t>(static_cast<double>(signal.size() - window) * c / (columns - 1));
        const Spectrum s = spectrum(signal.subspan(begin, window), rate);
        for (std::size_t k = 1; k < s.power.size(); ++k) {
            const int row = static_cast<int>(static_cast<double>(k) * s.bin / highest * rows);
            if (row >= rows) break;
            double& l = level[static_cast<std::size_t>(c) * rows + static_cast<std::size_t>(row)];
            l = std::max(l, s.power[k]);
        }
    }
    const double most = std::max(*std::max_element(level.begin(), level.end()), 1e-300);
    std::string out;
    const double w = width / columns, h = height / rows;
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) {
            const double db = 10 * std::log10(level[static_cast<std::size_t>(c * rows + r)] / most + 1e-12);
            const int shade = static_cast<int>(std::clamp(1 + db / 80, 0.0, 1.0) * 255);
            if (shade == 0) continue;
            out += format("<rect x='%.1f' y='%.1f' width='%.2f' height='%.2f' fill='#%02x%02x%02x'/>\n", left + c * w,
                          top + height - (r + 1) * h, w + 0.1, h + 0.1, shade, static_cast<int>(shade * 0.8),
                          static_cast<int>(60 + shade * 0.3));
        }
    return out;
}

std::vector<double> first_channel(const Audio& audio) {
    std::vector<double> signal;
    for (std::size_t n = 0; n < audio.samples.size(); n += static_cast<std::size_t>(audio.channels))
        signal.push_back(audio.samples[n]);
    return signal;
}

std::string frequency_axis(double y, double highest) {
    std::string svg;
    for (int i = 0; i <= 5; ++i)
        svg += format("<text x='%.0f' y='%.0f' text-anchor='middle'>%.0f%s</text>\n", left + width * i / 5, y,
                      highest * i / 5, i == 5 ? " Hz" : "");
    return svg;
}

}  // namespace

std::string spectra_svg(std::span<const NamedAudio> sounds, double highest_hz) {
    const double pitch = height + 52;
    std::string svg = format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' "
        "font-size='11'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
        left + width + 20, pitch * static_cast<double>(sounds.size()));
    for (std::size_t i = 0; i < sounds.size(); ++i) {
        const double top = gap + pitch * static_cast<double>(i);
        svg +=
            format("<text x='%.0f' y='%.0f' font-size='13'>", left, top - 10) + escaped(sounds[i].name) + "</text>\n";
        svg += format("<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' fill='none' stroke='#999'/>\n", left, top,
                      width, height);
        const std::vector<double> signal = first_channel(sounds[i].audio);
        if (!signal.empty()) svg += curve(signal, sounds[i].audio.rate, highest_hz, top);
        svg += frequency_axis(top + height + 14, highest_hz);
    }
    return svg + "</svg>\n";
}

std::string sound_svg(const Audio& audio, const std::string& title, double highest_hz) {
    const std::vector<double> signal = first_channel(audio);
    const double top = gap + height + 46, total = top + height + 34;
    std::string svg = format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' "
        "font-size='11'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
        left + width + 20, total);
    svg += format("<text x='%.0f' y='20' font-size='13'>", left) + escaped(title) + "</text>\n";
    svg += format("<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' fill='none' stroke='#999'/>\n", left, gap, width,
                  height);
    svg += format("<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' fill='#00003c'/>\n", left, top, width, height);
    if (!signal.empty())
        svg += curve(signal, audio.rate, highest_hz, gap) + spectrogram(signal, audio.rate, highest_hz, top);
    svg += frequency_axis(gap + height + 14, highest_hz);
    for (int i = 0; i <= 4; ++i)
        svg += format("<text x='%.0f' y='%.0f' text-anchor='middle'>%.2g%s</text>\n", left + width * i / 4,
                      top + height + 14, audio.seconds() * i / 4, i == 4 ? " s" : "");
    svg += format("<text x='4' y='%.0f'>%.0f Hz</text>\n</svg>\n", top + 8, highest_hz);
    return svg;
}

}  // namespace pliant
