#include "pliant/io/report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"

namespace pliant {

StepTimes step_times(std::vector<double> milliseconds) {
    if (milliseconds.empty()) return {};
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto n = static_cast<double>(milliseconds.size());
    const auto ranked = [&](double share) {
        const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * n)));
        return milliseconds[std::min(rank, milliseconds.size()) - 1];
    };
    return {std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / n, ranked(0.50), ranked(0.99)};
}

namespace {

constexpr double shortest_ms = 1e-6, longest_ms = 1e9, class_width = 1.01;

}  // namespace

void StepTimeTally::add(double milliseconds) {
    if (classes_.empty())
        classes_.resize(2 + static_cast<std::size_t>(std::log(longest_ms / shortest_ms) / std::log(class_width)));
    const double t = std::clamp(milliseconds, shortest_ms, longest_ms);
    ++classes_[static_cast<std::size_t>(std::log(t / shortest_ms) / std::log(class_width))];
    ++count_;
    sum_ += milliseconds;
}

StepTimes StepTimeTally::times() const {
    if (count_ == 0) return {};
    const auto ranked = [&](double share) {
        const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(share * double(count_))));
        std::int64_t below = 0;
        std::size_t c = 0;
        while (below + classes_[c] < rank) below += classes_[c++];
        return shortest_ms * std::pow(class_width, static_cast<double>(c) + 0.5);
    };
    return {sum_ / static_cast<double>(count_), ranked(0.50), ranked(0.99)};
}

std::string hash_text(std::uint64_t hash) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; hash >>= 4) text[i] = digits[hash & 15];
    return text;
}

namespace {

void put_body(JsonWriter& json, const BodyReport& body) {
    json.begin_object();
    json.entry("name", body.name);
    json.entry("kind", body.kind);
    json.entry("nodes", body.nodes);
    json.entry("elements", body.elements);
    json.entry("surface_triangles", body.surface_triangles);
    json.entry("surface_closed", body.surface_closed);
    json.entry("volume", body.volume);
    json.entry("rest_volume", body.rest_volume);
    json.entry("mass", body.mass);
    json.entry("pieces", body.pieces);
    json.entry("skin_volume_error", body.skin_volume_error);
    json.entry("max_speed", body.max_speed);
    if (body.cracks) {
        json.key("cracks");
        json.begin_object();
        json.entry("count", body.cracks->count);
        json.entry("area", body.cracks->area);
        json.entry("energy", body.cracks->energy);
        json.end_object();
    }
    if (body.remesh) {
        json.entry("remeshes", static_cast<std::int64_t>(body.remesh->count));
        json.entry("volume_change", body.remesh->volume_change);
        json.entry("breaks", static_cast<std::int64_t>(body.remesh->breaks));
        json.entry("holes", static_cast<std::int64_t>(body.remesh->holes));
        json.entry("merges", static_cast<std::int64_t>(body.remesh->merges));
    }
    json.end_object();
}

/// In J since the start; world/ledger.hpp says what each is.
void put_energy(JsonWriter& json, const EnergyBalance& balance) {
    json.key("energy");
    json.begin_object();
    for_each_term(balance, [&](const char* name, double joules) { json.entry(name, joules); });
    json.end_object();
}

void put_series(JsonWriter& json, const std::vector<std::pair<double, double>>& points) {
    json.begin_line();
    json.begin_array();
    for (const auto& [time, value] : points) {
        json.begin_array();
        json.value(time);
        json.value(value);
        json.end_array();
    }
    json.end_array();
    json.end_line();
}

}  // namespace

std::string report_json(const RunReport& report) {
    JsonWriter json;
    json.begin_object();
    json.entry("scene", report.scene);
    json.entry("version", report.version);
    json.entry("seed", report.seed);
    json.entry("threads", report.threads);
    json.entry("frames", report.frames);
    json.entry("steps", report.steps);
    json.entry("sim_s", report.sim_s);
    json.entry("wall_s", report.wall_s);
    json.entry("real_time_factor", report.sim_s / report.wall_s);  // above 1: faster than real time
    json.key("step_ms");
    json.begin_object();
    json.entry("mean", report.step_ms.mean);
    json.entry("p50", report.step_ms.p50);
    json.entry("p99", report.step_ms.p99);
    json.end_object();
    json.key("residual");
    json.begin_object();
    json.entry("worst", report.worst_residual);
    json.entry("missed", report.missed);
    json.end_object();
    if (report.most_own_steps > 0) {
        json.key("explicit_steps");
        json.begin_object();
        json.entry("most", report.most_own_steps);
        json.entry("shortest_s", report.shortest_own_step);
        json.entry("halved", report.own_cuts);
        json.end_object();
    }
    json.entry("steps_cut", report.cut);
    json.entry("steps_held_back", report.limited);
    json.entry("newton_iterations", report.newton);
    put_energy(json, report.energy);
    json.key("stage_ms");
    json.begin_object();
    for (const auto& [name, milliseconds] : report.stage_ms) json.entry(name, milliseconds);
    json.end_object();
    json.entry("state_hash", hash_text(report.state_hash));
    json.key("bodies");
    json.begin_array();
    for (const BodyReport& body : report.bodies) put_body(json, body);
    json.end_array();
    json.key("metrics");
    json.begin_object();
    for (const auto& [name, value] : report.metrics) json.entry(name, value);
    json.end_object();
    json.key("series");
    json.begin_object();
    for (const auto& [name, points] : report.series) {
        json.key(name);
        put_series(json, points);
    }
    json.end_object();
    json.key("warnings");
    json.begin_array();
    for (const std::string& warning : report.warnings) json.value(warning);
    json.end_array();
    json.key("expectations");
    json.begin_array();
    for (const ExpectationReport& expectation : report.expectations) {
        json.begin_object();
        json.entry("name", expectation.name);
        json.entry("passed", expectation.passed);
        json.entry("message", expectation.message);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return json.take();
}

void write_report(const std::string& path, const RunReport& report) { write_file_atomic(path, report_json(report)); }

}  // namespace pliant
