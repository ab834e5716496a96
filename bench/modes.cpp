// Modes of the bench's bars. Against ARPACK with CHOLMOD: pliant_bench_modes (baseline/modes_arpack.cpp), which needs
// both.

#include "bench/bench.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/modal/decompose.hpp"

namespace pliant::bench {

void run_modes(const Options& options, std::vector<Row>& rows) {
    const ElasticNumbers aluminium{6.9e10, 0.33, 2700};
    const std::pair<std::size_t, int> sizes[] = {{1, 50}, {2, 200}};  // which bar, how many modes
    for (const auto& [size, modes] : sizes) {
        if (bar_sizes()[size].tets() > options.largest) continue;
        const TetMesh mesh = bar(bar_sizes()[size]);
        const ModalSystem system = assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped);
        for (int threads : options.threads) {
            Threads team(threads);
            ModeRequest request;
            request.count = modes;
            ModeReport report;
            const double start = seconds_now();
            const ModalBasis basis = decompose(system, request, team, &report);
            const double taken = seconds_now() - start;
            rows.push_back({.name = std::to_string(basis.mode_count()) + " modes",
                            .tets = mesh.tet_count(),
                            .threads = threads,
                            .ms = 1e3 * taken,
                            .stages = {{"plan", 1e3 * report.plan_s},
                                       {"factor", 1e3 * report.factor_s},
                                       {"iterate", 1e3 * report.iterate_s},
                                       {"count", 1e3 * report.verify_s}}});
        }
    }
}

}  // namespace pliant::bench
