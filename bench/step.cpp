// Steps of the hanging bar: alone, against the size of the mesh, stiff, and without the solve.

#include <algorithm>

#include "bench/hanging_bar.hpp"
#include "bench/textbook.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/material/material.hpp"
#include "pliant/meshing/lattice.hpp"

namespace pliant::bench {

namespace {

struct Baseline {
    double assembly = 1e300, solve = 1e300;
    int iterations = 0;
};

Baseline textbook(const TetMesh& mesh, double young, int iterations, double tolerance) {
    Textbook book(mesh, young, 0.33, 1000);
    Baseline best;
    const double begin = seconds_now();
    for (int k = 0; k < 100 && (k < 2 || seconds_now() - begin < 0.5); ++k) {
        const Textbook::Report report = book.step(0.01, iterations, tolerance);
        best.assembly = std::min(best.assembly, report.assembly_ms), best.solve = std::min(best.solve, report.solve_ms);
        best.iterations = report.iterations;
    }
    return best;
}

// Every mesh with every number of threads; the baselines once a mesh.
template <class Measure>
void for_bars(const Options& options, const std::vector<BarSize>& sizes, Measure&& one) {
    for (const BarSize& size : sizes)
        if (size.tets() <= options.largest) one(size);
}

}  // namespace

void run_step(const Options& options, std::vector<Row>& rows) {
    for_bars(options, bar_sizes(), [&](const BarSize& size) {
        const TetMesh mesh = bar(size);
        std::optional<double> eigen, bullet;
        if (options.baselines) {
            const Baseline b = textbook(mesh, 1e5, 20, 0);
            eigen = b.assembly + b.solve;
            bullet = bullet_step_ms(mesh, 1e5, size.tets() < 50000 ? 10 : 2);
        }
        for (int threads : options.threads) {
            HangingBar body(mesh, 1e5);
            Row row{.name = "step", .eigen_ms = eigen, .bullet_ms = bullet};
            measure(body, {20, 0, Preconditioner::jacobi}, threads, 1.0, row);
            row.limit_fraction = bandwidth_limit_ms(body, 20, threads) / row.ms;
            rows.push_back(row);
        }
    });
}

// Every law that a body can have, in turn, on the bars of the step; twenty iterations.
void run_laws(const Options& options, std::vector<Row>& rows) {
    for_bars(options, bar_sizes(), [&](const BarSize& size) {
        for (int threads : options.threads)
            for (const MaterialLaw& law : material_laws().entries()) {
                HangingBar body(bar(size), 1e5, &law);
                Row row{.name = law.name};
                measure(body, {20, 0, Preconditioner::jacobi}, threads, 1.0, row);
                rows.push_back(row);
            }
    });
}

void run_figure7(const Options& options, std::vector<Row>& rows) {
    const std::vector<BarSize> sizes{{6, 2, 2},  {9, 2, 3},    {14, 3, 4},  {20, 5, 5},
                                     {30, 7, 8}, {40, 10, 10}, {50, 13, 13}};
    for_bars(options, sizes, [&](const BarSize& size) {
        for (const char* name : {"linear", "corotational"}) {
            const MaterialLaw* law = &material_laws().get(name);
            HangingBar body(bar(size), 1e5, law);
            Row row{.name = !law->objective ? "linear stiffness" : "warped stiffness"};
            measure(body, {20, 0, Preconditioner::jacobi}, options.threads.front(), 0.4, row);
            rows.push_back(row);
        }
    });
}

void run_scaling(const Options& options, std::vector<Row>& rows) {
    const std::vector<BarSize> sizes{{30, 7, 8},   {38, 9, 10},  {48, 12, 12},  {60, 15, 15},
                                     {76, 19, 19}, {96, 24, 24}, {120, 30, 31}, {140, 35, 35}};
    for_bars(options, sizes, [&](const BarSize& size) {
        HangingBar body(bar(size), 1e5);
        Row row{.name = "scaling"};
        measure(body, {20, 0, Preconditioner::jacobi}, options.threads.back(), 1.0, row);
        rows.push_back(row);
    });
}

void run_stiff(const Options& options, std::vector<Row>& rows) {
    auto both = [&](const std::string& kind, const TetMesh& mesh, bool baseline) {
        std::optional<double> eigen;
        if (options.baselines && baseline) {
            const Baseline b = textbook(mesh, 1e7, 5000, 1e-6);
            eigen = b.assembly + b.solve;
        }
        for (int threads : options.threads)
            for (Preconditioner preconditioner : {Preconditioner::multigrid, Preconditioner::jacobi}) {
                HangingBar body(mesh, 1e7);
                const bool grids = preconditioner == Preconditioner::multigrid;
                Row row{.name = "stiff " + kind + (grids ? ", multigrid" : ", Jacobi"), .eigen_ms = eigen};
                // Sixteen steps share one set-up: all of them are run.
                measure(body, {5000, 1e-6, preconditioner}, threads, mesh.tet_count() > 200000 ? 0.5 : 1.0, row);
                rows.push_back(row);
            }
    };
    for_bars(options, bar_sizes(), [&](const BarSize& size) {
        if (size.tets() > 5000) both("bar", bar(size), size.tets() < 200000);
    });
    Threads threads(options.threads.back());
    for (int wanted : {10'000, 100'000, 500'000})
        if (wanted <= options.largest)
            both("lattice", lattice(*torus_shape(1, 0.4), {.cell = 0, .tets = wanted}, threads).mesh, false);
}

void run_assembly(const Options& options, std::vector<Row>& rows) {
    for_bars(options, bar_sizes(), [&](const BarSize& size) {
        const TetMesh mesh = bar(size);
        std::optional<double> eigen;
        if (options.baselines) eigen = textbook(mesh, 1e5, 1, 0).assembly;
        for (int threads : options.threads) {
            HangingBar body(mesh, 1e5);
            Row row{.name = "assembly", .eigen_ms = eigen};
            measure(body, {1, 0, Preconditioner::jacobi}, threads, 0.5, row);
            std::erase_if(row.stages,
                          [](const auto& stage) { return stage.first == "solve" || stage.first == "motion"; });
            row.ms = 0, row.iterations = 0;
            for (const auto& stage : row.stages) row.ms += stage.second;
            row.limit_fraction = bandwidth_limit_ms(body, 0, threads) / row.ms;
            rows.push_back(row);
        }
    });
}

}  // namespace pliant::bench
