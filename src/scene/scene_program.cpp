#include "pliant/scene/scene_program.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/world/ledger.hpp"

namespace pliant {

void check_expectations(const SceneDesc& desc) {
    std::vector<std::string> names;
    for (const MeasureDesc& measure : desc.measures) names.push_back(measure.name);
    for (const ExpectDesc& expect : desc.expects) {
        if (expect.check || std::ranges::find(names, expect.measure) != names.end()) continue;
        const std::string guess = did_you_mean(expect.measure, names);
        throw UserError("expect: there is no measure '" + expect.measure + "'", expect.where,
                        guess.empty() ? "Define it: measure(\"" + expect.measure + "\", function() … end)" : guess);
    }
}

void SceneProgram::step(double t, double dt) {
    for (const auto& callback : desc().on_step) callback(t, dt);
}

void SceneProgram::frame(double t, int index) {
    for (const auto& callback : desc().on_frame) callback(t, index);
}

std::map<std::string, double> SceneProgram::measure(const World* world) {
    std::map<std::string, double> values, energies;
    for (const MeasureDesc& m : desc().measures) {
        if (m.value) {
            values[m.name] = m.value();
            continue;
        }
        if (energies.empty())
            for_each_term(world ? energy_balance(*world) : EnergyBalance{},
                          [&](const char* name, double joules) { energies[name] = joules; });
        values[m.name] = energies.at(m.energy);
    }
    seen_.resize(desc().expects.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const ExpectDesc& expect = desc().expects[i];
        if (expect.check) continue;
        const double value = values.at(expect.measure);
        Seen& seen = seen_[i];
        seen.last = value;
        seen.undefined |= std::isnan(value) ? 1 : 0;
        seen.lowest = std::min(seen.lowest, value);
        seen.highest = std::max(seen.highest, value);
    }
    return values;
}

std::vector<ExpectOutcome> SceneProgram::outcomes() {
    std::vector<ExpectOutcome> list;
    seen_.resize(desc().expects.size());
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const ExpectDesc& expect = desc().expects[i];
        ExpectOutcome outcome{expect.description, false, {}, expect.where};
        const Seen& seen = seen_[i];
        if (expect.check) {
            outcome.passed = expect.check(outcome.message);
        } else if (expect.at == ExpectDesc::At::end) {
            outcome.passed = seen.last >= expect.at_least && seen.last <= expect.at_most;
            outcome.message = expect.measure + " is " + short_number(seen.last);
        } else {
            outcome.passed = !seen.undefined && seen.lowest <= seen.highest && seen.lowest >= expect.at_least &&
                             seen.highest <= expect.at_most;
            outcome.message = expect.measure + " went from " + short_number(seen.lowest) + " to " +
                              short_number(seen.highest) + (seen.undefined ? " and was not a number at times" : "");
        }
        list.push_back(std::move(outcome));
    }
    return list;
}

std::string SceneProgram::save_state() const {
    ByteWriter out;
    out.value(static_cast<std::uint64_t>(desc().expects.size()));
    for (std::size_t i = 0; i < desc().expects.size(); ++i) {
        const Seen seen = i < seen_.size() ? seen_[i] : Seen{};
        out.value(seen.last);
        out.value(seen.lowest);
        out.value(seen.highest);
        out.value(seen.undefined);
    }
    save_memory(out);
    return out.take();
}

void SceneProgram::restore_state(std::string_view bytes) {
    ByteReader in(bytes, "the saved state of the scene");
    if (in.value<std::uint64_t>() != desc().expects.size()) in.damaged("belongs to a scene with other expectations");
    seen_.resize(desc().expects.size());
    for (Seen& seen : seen_) {
        in.value(seen.last);
        in.value(seen.lowest);
        in.value(seen.highest);
        in.value(seen.undefined);
    }
    restore_memory(in);
    in.finish();
}

int steps_per_frame(const WorldDesc& world) {
    const double steps = 1 / (world.fps * world.dt);
    return std::max(1, static_cast<int>(std::min(2e9, std::ceil(steps * (1 - 1e-9)))));
}

double step_length(const WorldDesc& world) { return 1 / (world.fps * steps_per_frame(world)); }

int frame_count(const WorldDesc& world) { return static_cast<int>(std::ceil(world.duration * world.fps * (1 - 1e-9))); }

}  // namespace pliant
