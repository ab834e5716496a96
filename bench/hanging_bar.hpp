#pragma once
// The body that most cases step: held at x = 0, hanging under its weight. ν 0.33, ρ 1000 kg/m³, dt 0.01 s.

#include "bench/bench.hpp"
#include "pliant/fem/solid.hpp"

namespace pliant::bench {

struct HangingBar {
    HangingBar(TetMesh mesh, double young, const MaterialLaw* law = nullptr);

    SolveReport step(const SolveOptions& options, Threads& threads, StageTimes& times);

    TetMesh mesh;
    Solid solid;
    std::vector<Vec3> x, v, force;
    std::vector<char> held;
};

/// Steps for about `seconds` after a warm-up, and fills in times, stages, iterations, bytes and the tip.
void measure(HangingBar& bar, const SolveOptions& options, int thread_count, double seconds, Row& row);

/// ms of one step if memory bandwidth were all that counts: what a step must at least read and write.
double bandwidth_limit_ms(const HangingBar& bar, int iterations, int threads);

}  // namespace pliant::bench
