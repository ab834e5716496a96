#include "bench/hanging_bar.hpp"

#include <algorithm>

#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/material.hpp"
#include "pliant/solve/single_kernels.hpp"

namespace pliant::bench {

HangingBar::HangingBar(TetMesh m, double young, const MaterialLaw* law)
    : mesh(std::move(m)),
      solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {young, 0.33, 1000}), {.law = law}),
      x(mesh.rest),
      v(x.size(), Vec3::Zero()),
      force(x.size()),
      held(x.size()) {
    const double low = mesh.bounds().min.x(),
                 edge = std::cbrt(6 * total_volume(mesh.rest, mesh.tets) / mesh.tet_count());
    for (std::size_t i = 0; i < x.size(); ++i) {
        force[i] = solid.mass()[i] * Vec3(0, -9.81, 0);
        held[i] = x[i].x() < low + 0.4 * edge;
    }
}

SolveReport HangingBar::step(const SolveOptions& options, Threads& threads, StageTimes& times) {
    const double dt = 0.01;
    solid.assemble(x, v, {.dt = dt, .force = force, .prescribed = held, .plastic_strain = {}, .solve = options},
                   threads, times);
    Solid* one = &solid;
    const SolveReport report = solve({&one, 1}, {}, options, threads, times);
    solid.velocity(v);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i];
    return report;
}

void measure(HangingBar& bar, const SolveOptions& options, int thread_count, double seconds, Row& row) {
    Threads threads(thread_count);
    StageTimes warm;
    const double started = seconds_now();
    for (int k = 0; k < 3; ++k) bar.step(options, threads, warm);
    int steps = std::clamp(static_cast<int>(seconds / ((seconds_now() - started) / 3)), 3, 2000);
    // A hierarchy serves sixteen steps: whole rounds of them, so that each bears its share of the set-up.
    if (options.preconditioner == Preconditioner::multigrid) steps = 16 * ((steps + 15) / 16);
    // Set-up that serves several steps is shared among them; all else is the lowest seen.
    double shared = 0;
    std::vector<std::pair<std::string, double>> best;
    row.ms = 1e300;
    for (int k = 0; k < steps; ++k) {
        StageTimes times;
        const double begin = seconds_now();
        row.iterations = bar.step(options, threads, times).iterations;
        const double total = 1e3 * (seconds_now() - begin), set_up = 1e3 * times.of("multigrid");
        shared += set_up / steps;
        row.ms = std::min(row.ms, total - set_up);
        double named = set_up;
        std::size_t at = 0;
        auto note = [&](const char* name, double ms) {
            if (at == best.size()) best.emplace_back(name, ms);
            best[at].second = std::min(best[at].second, ms), ++at;
        };
        for (const char* name : {"rotations", "forces", "assembly", "solve"})
            note(name, 1e3 * times.of(name)), named += 1e3 * times.of(name);
        note("motion", total - named);
    }
    if (shared > 0) best.emplace_back("multigrid set-up, shared", shared), row.ms += shared;
    row.stages = best;
    row.tets = bar.mesh.tet_count(), row.threads = threads.count();
    row.bytes_per_tet = double(memory_bytes(bar.solid)) / bar.mesh.tet_count();
    row.tip = bar.x.back().y();
}

double bandwidth_limit_ms(const HangingBar& bar, int iterations, int threads) {
    const Solid::Parts& p = bar.solid.parts();
    const BlockSystem& a = p.system;
    const double rows = 8.0 * a.slices, tets = p.tets;
    const double matrix = 320.0 * a.slots();  // 9 floats and a column, eight rows
    const double packed = a.packed_ready ? (sizeof(PackedSlot) + (a.near.empty() ? 32.0 : 16.0)) * a.slots() : matrix;
    // Product: direction and inertia in, product out; advance: those, correction, residual and preconditioner; turn.
    const double vectors = rows * (4 * (4 + 3) + 8 + 4 * (3 * 4 + 4 * 3) + 24 + 4 * (3 + 2 * 4));
    const double packing = a.packed_ready ? packed : 0;
    // Elements: indices, gradients, Lamé, rotations in; rotations, lines, forces out. Rows: forces and lines in,
    // indices, blocks out.
    const double elements = tets * (16 + 72 + 16 + 16 + 16 + 64 + 96);
    const double gathering = tets * (96 + 16 + 64 + 48) + matrix;
    const double bandwidth = triad_bytes_per_second(packed / 1e6, threads);
    return 1e3 * (iterations * (packed + vectors) + packing + elements + gathering) / bandwidth;
}

}  // namespace pliant::bench
