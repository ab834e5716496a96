#include "sweep_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "pliant/core/text.hpp"
#include "pliant/server/sha1.hpp"

namespace pliant {

namespace {

std::string shown(const std::string& text) {
    std::string out;
    for (char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

/// Colours along the values of one key: told apart by eyes that see no red and green too.
std::string line_color(std::size_t i, std::size_t count) {
    constexpr std::array<std::array<int, 3>, 5> stops{
        {{84, 110, 230}, {160, 80, 190}, {226, 90, 102}, {240, 150, 50}, {120, 160, 40}}};
    const double at = count > 1 ? 4.0 * static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    const auto k = std::min<std::size_t>(3, static_cast<std::size_t>(at));
    std::string text = "rgb(";
    for (std::size_t c = 0; c < 3; ++c)
        text +=
            std::to_string(std::lround(stops[k][c] + (at - static_cast<double>(k)) * (stops[k + 1][c] - stops[k][c]))) +
            (c < 2 ? "," : ")");
    return text;
}

constexpr std::array<const char*, 4> dashes{"", "6 3", "2 3", "8 3 2 3"};

/// The keys that runs differ in: the first one makes columns and colours, the second rows and dashes.
std::vector<std::size_t> varied(const Sweep& sweep) {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
        if (sweep.keys[k].values.size() > 1) list.push_back(k);
    return list;
}

std::size_t place_of(const SweepKey& key, const std::string& value) {
    return static_cast<std::size_t>(std::find(key.values.begin(), key.values.end(), value) - key.values.begin());
}

std::string run_name(const Sweep& sweep, const SweepRun& run) {
    std::string name;
    for (std::size_t k : varied(sweep)) name += (name.empty() ? "" : ", ") + sweep.keys[k].name + " " + run.values[k];
    return name.empty() ? sweep.scene : name;
}

/// About five round numbers over a range.
std::vector<double> round_ticks(double low, double high) {
    const double rough = (high - low) / 4, power = std::pow(10, std::floor(std::log10(rough)));
    double step = power;
    for (double s : {2.0, 5.0, 10.0})
        if (rough > 0.75 * step) step = s * power;
    std::vector<double> ticks;
    for (double t = std::ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step)
        ticks.push_back(std::abs(t) < 1e-9 * step ? 0 : t);
    return ticks;
}

std::string plot_svg(const Sweep& sweep, const std::string& measure) {
    double t0 = 1e300, t1 = -1e300, low = 1e300, high = -1e300;
    for (const SweepRun& run : sweep.runs)
        if (const auto found = run.report.series.find(measure); found != run.report.series.end())
            for (const auto& [t, v] : found->second)
                if (std::isfinite(v))
                    t0 = std::min(t0, t), t1 = std::max(t1, t), low = std::min(low, v), high = std::max(high, v);
    if (!(t1 > t0)) return "";
    if (!(high > low)) {
        const double size = std::max(std::abs(high), 1e-300);
        low -= 0.5 * size, high += 0.5 * size;
    }
    constexpr double width = 420, height = 250, left = 62, right = 12, top = 10, bottom = 30;
    const auto x = [&](double t) { return left + (t - t0) / (t1 - t0) * (width - left - right); };
    const auto y = [&](double v) { return height - bottom - (v - low) / (high - low) * (height - top - bottom); };
    const auto text = [](double v) { return short_number(std::round(100 * v) / 100); };
    std::string svg = "<svg viewBox=\"0 0 420 250\" role=\"img\" aria-label=\"" + shown(measure) + "\">";
    for (double t : round_ticks(t0, t1))
        svg += "<path class=\"grid\" d=\"M" + text(x(t)) + " " + text(top) + "V" + text(height - bottom) +
               "\"/><text x=\"" + text(x(t)) + "\" y=\"" + text(height - bottom + 15) + "\" text-anchor=\"middle\">" +
               short_number(t) + "</text>";
    for (double v : round_ticks(low, high))
        svg += "<path class=\"grid\" d=\"M" + text(left) + " " + text(y(v)) + "H" + text(width - right) +
               "\"/><text x=\"" + text(left - 6) + "\" y=\"" + text(y(v) + 4) + "\" text-anchor=\"end\">" +
               short_number(v) + "</text>";
    svg += "<text x=\"" + text((left + width - right) / 2) + "\" y=\"" + text(height - 2) +
           "\" text-anchor=\"middle\">t (s)</text>";
    const auto keys = varied(sweep);
    for (const SweepRun& run : sweep.runs) {
        const auto found = run.report.series.find(measure);
        if (found == run.report.series.end()) continue;
        const std::size_t color = keys.empty() ? 0 : place_of(sweep.keys[keys[0]], run.values[keys[0]]);
        const std::size_t dash = keys.size() < 2 ? 0 : place_of(sweep.keys[keys[1]], run.values[keys[1]]);
        svg += "<path class=\"line\" stroke=\"" +
               line_color(color, keys.empty() ? 1 : sweep.keys[keys[0]].values.size()) + "\" stroke-dasharray=\"" +
               dashes[dash % dashes.size()] + "\" d=\"";
        bool begun = false;
        for (const auto& [t, v] : found->second) {
            if (std::isfinite(v)) svg += (begun ? "L" : "M") + text(x(t)) + " " + text(y(v));
            begun = std::isfinite(v);
        }
        svg += "\"><title>" + shown(run_name(sweep, run)) + "</title></path>";
    }
    return "<figure><figcaption>" + shown(measure) + "</figcaption>" + svg + "</svg></figure>\n";
}

std::string picture_cell(const Sweep& sweep, const SweepRun& run) {
    if (!run.error.empty()) return "<div class=\"failed\">" + shown(run.error) + "</div>";
    std::string cell = run.picture.empty() ? "<div class=\"failed\">No picture</div>"
                                           : "<img alt=\"" + shown(run_name(sweep, run)) +
                                                 "\" src=\"data:image/png;base64," + base64(run.picture) + "\">";
    if (!run.page.empty()) cell = "<a href=\"" + shown(run.page) + "\" title=\"Play this run\">" + cell + "</a>";
    return cell;
}

/// A grid per combination of the keys beyond the second.
std::string grids(const Sweep& sweep) {
    const auto keys = varied(sweep);
    const SweepKey one{"", {""}};
    const SweepKey& columns = keys.empty() ? one : sweep.keys[keys[0]];
    const SweepKey& rows = keys.size() < 2 ? one : sweep.keys[keys[1]];
    std::vector<std::string> titles;
    std::map<std::string, std::map<std::pair<std::size_t, std::size_t>, const SweepRun*>> tables;
    for (const SweepRun& run : sweep.runs) {
        std::string title;
        for (std::size_t i = 2; i < keys.size(); ++i)
            title += (title.empty() ? "" : ", ") + sweep.keys[keys[i]].name + " = " + run.values[keys[i]];
        if (tables.find(title) == tables.end()) titles.push_back(title);
        tables[title][{keys.size() < 2 ? 0 : place_of(rows, run.values[keys[1]]),
                       keys.empty() ? 0 : place_of(columns, run.values[keys[0]])}] = &run;
    }
    std::string html;
    for (const std::string& title : titles) {
        if (!title.empty()) html += "<h3>" + shown(title) + "</h3>\n";
        html += "<table class=\"grid-table\"><tr><td></td>";
        for (const std::string& v : columns.values)
            html += "<th>" + (columns.name.empty() ? "" : shown(columns.name + " = " + v)) + "</th>";
        html += "</tr>\n";
        for (std::size_t r = 0; r < rows.values.size(); ++r) {
            html += "<tr><th>" + (rows.name.empty() ? "" : shown(rows.name + " = " + rows.values[r])) + "</th>";
            for (std::size_t c = 0; c < columns.values.size(); ++c) {
                const auto found = tables[title].find({r, c});
                html += "<td>" + (found == tables[title].end() ? "" : picture_cell(sweep, *found->second)) + "</td>";
            }
            html += "</tr>\n";
        }
        html += "</table>\n";
    }
    return html;
}

std::vector<std::string> measure_names(const Sweep& sweep) {
    std::set<std::string> names;
    for (const SweepRun& run : sweep.runs)
        for (const auto& [name, points] : run.report.series) names.insert(name);
    return {names.begin(), names.end()};
}

/// Heads and rows of the table: texts, and whether a cell is a number.
struct SweepTable {
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

SweepTable sweep_table(const Sweep& sweep, bool exact) {
    const auto number = [&](double v) { return exact ? number_text(v) : short_number(v); };
    SweepTable table;
    for (const SweepKey& key : sweep.keys) table.head.push_back(key.name);
    const auto measures = measure_names(sweep);
    for (const std::string& name : measures)
        for (const char* part : {" (end)", " (min)", " (max)"}) table.head.push_back(name + part);
    for (const char* name : {"pieces", "steps", "ms per step", "expectations met"}) table.head.emplace_back(name);
    for (const SweepRun& run : sweep.runs) {
        std::vector<std::string> row = run.values;
        for (const std::string& name : measures) {
            const auto found = run.report.series.find(name);
            double low = std::nan(""), high = low, end = low;
            if (found != run.report.series.end())
                for (const auto& [t, v] : found->second) low = std::fmin(low, v), high = std::fmax(high, v), end = v;
            const double size = std::max(std::abs(low), std::abs(high));  // rounding beside it is no number for people
            for (double v : {end, low, high})
                row.push_back(!std::isfinite(v) ? "" : number(exact || std::abs(v) > 1e-12 * size ? v : 0));
        }
        int pieces = 0, met = 0;
        for (const BodyReport& body : run.report.bodies) pieces += body.pieces;
        for (const ExpectationReport& e : run.report.expectations) met += e.passed;
        const bool ran = run.error.empty();
        row.push_back(ran ? std::to_string(pieces) : "");
        row.push_back(ran ? std::to_string(run.report.steps) : "");
        row.push_back(ran ? number(run.report.step_ms.mean) : "");
        const std::size_t asked = run.report.expectations.size();
        row.push_back(!ran         ? run.error
                      : asked == 0 ? std::string("none")
                                   : std::to_string(met) + " of " + std::to_string(asked));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string legend(const Sweep& sweep) {
    const auto keys = varied(sweep);
    std::string html = "<p class=\"legend\">";
    const auto line = [](const std::string& color, const std::string& dash) {
        return "<svg viewBox=\"0 0 30 8\" width=\"30\" height=\"8\"><path class=\"line\" stroke=\"" + color +
               "\" stroke-dasharray=\"" + dash + "\" d=\"M1 4H29\"/></svg>";
    };
    for (std::size_t i = 0; i < std::min<std::size_t>(2, keys.size()); ++i) {
        const SweepKey& key = sweep.keys[keys[i]];
        html += "<b>" + shown(key.name) + "</b>";
        for (std::size_t v = 0; v < key.values.size(); ++v)
            html += "<span>" +
                    line(i == 0 ? line_color(v, key.values.size()) : "currentColor",
                         i == 0 ? "" : dashes[v % dashes.size()]) +
                    shown(key.values[v]) + "</span>";
    }
    return html + "</p>\n";
}

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --ink: #171b22; --soft: #566171; --line: #dde2e8; --bg: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9edf2; --soft: #98a3b3; --line: #323843; --bg: #14161a; } }
body { margin: 0 auto; padding: 24px 28px 60px; max-width: 1500px; background: var(--bg); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 22px; margin: 0 0 2px; } h2 { font-size: 16px; margin: 30px 0 10px; } p, small { color: var(--soft); margin: 0 0 12px; }
.scroll { overflow-x: auto; }
.grid-table { border-spacing: 6px; width: 100%; table-layout: fixed; min-width: 640px; } .grid-table tr > :first-child { width: 96px; text-align: right; padding-right: 6px; }
.grid-table img { display: block; width: 100%; border-radius: 6px; } .grid-table th { font-weight: 600; }
.failed { padding: 14px; border: 1px solid #c93434; border-radius: 6px; color: #c93434; font-size: 12px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 18px; } figure { margin: 0; } figcaption { font-weight: 600; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } .grid { stroke: var(--line); fill: none; } .line { fill: none; stroke-width: 1.6; } .line:hover { stroke-width: 4; }
.legend b { margin: 0 10px 0 0; color: var(--ink); } .legend span { margin-right: 16px; } .legend svg { margin-right: 5px; }
.numbers { border-collapse: collapse; } .numbers th, .numbers td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; } .numbers th { color: var(--soft); font-weight: 500; }
</style>
)";

}  // namespace

std::string sweep_html(const Sweep& sweep) {
    std::string html =
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        shown(sweep.scene) + " – sweep</title>\n" + style + "</head>\n<body>\n<h1>" + shown(sweep.scene) +
        "</h1>\n<p>" + std::to_string(sweep.runs.size()) + " runs";
    for (const SweepKey& key : sweep.keys)
        if (key.values.size() == 1) html += ", " + shown(key.name + " = " + key.values[0]);
    html += ". " + shown(sweep.caption) + "</p>\n<div class=\"scroll\">" + grids(sweep) + "</div>\n";
    std::string plots;
    for (const std::string& name : measure_names(sweep)) plots += plot_svg(sweep, name);
    if (!plots.empty()) html += "<h2>Measures</h2>\n" + legend(sweep) + "<div class=\"plots\">\n" + plots + "</div>\n";
    const SweepTable table = sweep_table(sweep, false);
    html +=
        "<h2>Numbers</h2>\n<p>With all digits in sweep.csv.</p>\n<div class=\"scroll\"><table class=\"numbers\"><tr>";
    for (const std::string& head : table.head) html += "<th>" + shown(head) + "</th>";
    html += "</tr>\n";
    for (const auto& row : table.rows) {
        html += "<tr>";
        for (const std::string& cell : row) html += "<td>" + shown(cell) + "</td>";
        html += "</tr>\n";
    }
    return html + "</table></div>\n</body>\n</html>\n";
}

std::string sweep_csv(const Sweep& sweep) {
    const SweepTable table = sweep_table(sweep, true);
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            std::string cell = cells[i];
            if (cell.find_first_of(",\"\n") != std::string::npos) {
                for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2) cell.insert(at, "\"");
                cell = "\"" + cell + "\"";
            }
            text += (i ? "," : "") + cell;
        }
        return text + "\n";
    };
    std::string text = line(table.head);
    for (const auto& row : table.rows) text += line(row);
    return text;
}

}  // namespace pliant
