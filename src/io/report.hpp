#pragma once
// What `pliant run --report` writes: one JSON object about a run, for scripts, benchmarks and tests. Keys are stable.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/remesh/remesh_options.hpp"
#include "pliant/world/ledger.hpp"

namespace pliant {

/// What cracks through elements did to a body.
struct CrackReport {
    std::int64_t count = 0;  ///< openings of a node by a plane
    double area = 0;         ///< of one side, at rest, m²
    double energy = 0;       ///< elastic energy of the elements round each node when it opened, J
};

struct BodyReport {
    std::string name, kind;
    std::int64_t nodes = 0, elements = 0, surface_triangles = 0;
    bool surface_closed = false;
    double volume = 0, rest_volume = 0;  ///< m³
    double mass = 0;                     ///< kg
    int pieces = 1;
    double skin_volume_error = 0;             ///< of all pieces against the unbroken surface, at rest, relative
    double max_speed = 0;                     ///< m/s, at the end
    std::optional<CrackReport> cracks = {};   ///< none: its cracks do not go through elements
    std::optional<RemeshTotals> remesh = {};  ///< none: its mesh stays
};

struct ExpectationReport {
    std::string name;
    bool passed = false;
    std::string message;
};

struct StepTimes {
    double mean = 0, p50 = 0, p99 = 0;  ///< ms
};
/// Of the wall times of all steps in ms; order statistics by nearest rank.
StepTimes step_times(std::vector<double> milliseconds);

/// The same for runs of any length, in memory that does not grow: times are counted in classes 1 % wide, so that order
/// statistics are within half a percent. The mean is exact.
class StepTimeTally {
public:
    void add(double milliseconds);
    std::int64_t count() const { return count_; }
    StepTimes times() const;

private:
    std::vector<std::int64_t> classes_;
    std::int64_t count_ = 0;
    double sum_ = 0;
};

struct RunReport {
    std::string scene, version;
    std::uint64_t seed = 0;
    int threads = 1;
    int frames = 0;
    std::int64_t steps = 0;
    double sim_s = 0, wall_s = 0;
    StepTimes step_ms;
    std::vector<std::pair<std::string, double>> stage_ms;  ///< mean per step, in the order of the step
    int most_own_steps = 0;        ///< of explicit bodies of finite elements, inside one step of the world
    double shortest_own_step = 0;  ///< s; 0: there are none
    int own_cuts = 0;              ///< how often these were halved because energy grew
    double worst_residual = 0;     ///< relative, of all solves
    std::int64_t missed = 0, cut = 0, limited = 0;  ///< solves above their tolerance, steps cut, steps held back
    std::int64_t newton = 0;                        ///< iterations of Newton's method beyond the first of a step
    EnergyBalance energy;
    std::uint64_t state_hash = 0;
    std::vector<BodyReport> bodies;
    std::map<std::string, double> metrics;                                 ///< last value of each measure
    std::map<std::string, std::vector<std::pair<double, double>>> series;  ///< (time in s, value) of each frame
    std::vector<std::string> warnings;
    std::vector<ExpectationReport> expectations;
};

/// Hexadecimal, 16 digits: JSON numbers would lose the low bits.
std::string hash_text(std::uint64_t hash);

std::string report_json(const RunReport& report);
void write_report(const std::string& path, const RunReport& report);

}  // namespace pliant
