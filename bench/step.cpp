// pliant_bench_step [threads] [nx ny nz]…: milliseconds per step of a hanging 4×1×1 m bar of 6·nx·ny·nz Kuhn tets,
// E 1e5, ν 0.33, ρ 1000, dt 0.01, 20 iterations of conjugate gradients; one end fixed, gravity.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "pliant/fem/solid.hpp"
#include "pliant/mesh/bar_mesh.hpp"

using namespace pliant;

namespace {

void measure(const std::array<int, 3>& cells, int thread_count) {
    const TetMesh mesh = bar_mesh(cells[0], cells[1], cells[2], Vec3::Zero(), Vec3(4, 1, 1));
    const double begin = seconds_now();
    Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size()), {});
    const double built = seconds_now() - begin;
    std::vector<Vec3> x = mesh.rest, v(x.size(), Vec3::Zero()), force(x.size());
    std::vector<char> prescribed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        force[i] = solid.mass()[i] * Vec3(0, -9.81, 0);
        prescribed[i] = x[i].x() == 0;
    }
    Threads threads(thread_count);
    const SolidInput input{.dt = 0.01, .force = force, .prescribed = prescribed};
    Solid* one = &solid;
    auto step = [&](StageTimes& times) {
        solid.assemble(x, v, input, threads, times);
        solve({&one, 1}, {}, {}, threads, times);
        solid.velocity(v);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += input.dt * v[i];
    };
    StageTimes warm;
    const int steps = std::clamp(5'000'000 / mesh.tet_count(), 10, 1000);
    for (int k = 0; k < std::min(steps, 30); ++k) step(warm);
    std::vector<std::array<double, 5>> rows;
    for (int k = 0; k < steps; ++k) {
        StageTimes times;
        const double start = seconds_now();
        step(times);
        rows.push_back({1e3 * (seconds_now() - start), 1e3 * times.of("rotations"), 1e3 * times.of("forces"),
                        1e3 * times.of("assembly"), 1e3 * times.of("solve")});
    }
    // The machine may be shared: the median for what to expect, the least of each stage for what the code can do.
    std::sort(rows.begin(), rows.end());
    const auto& median = rows[rows.size() / 2];
    std::array<double, 5> best = rows.front();
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) best[k] = std::min(best[k], row[k]);
    std::printf("%8d %8d %2d  %8.3f %8.3f   %7.3f %7.3f %7.3f %8.3f   %6.3f %6.0f   %.9f\n", mesh.tet_count(),
                mesh.node_count(), threads.count(), median[0], best[0], best[1], best[2], best[3], best[4], built,
                double(memory_bytes(solid)) / mesh.tet_count(), x.back().y());
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    std::vector<std::array<int, 3>> sizes;
    for (int i = 2; i + 2 < argc; i += 3)
        sizes.push_back({std::atoi(argv[i]), std::atoi(argv[i + 1]), std::atoi(argv[i + 2])});
    if (sizes.empty()) sizes = {{14, 3, 4}, {30, 7, 8}, {64, 16, 16}, {112, 28, 28}};
    std::printf("    tets    nodes  t    median     best   element  gather blocks    solve   set-up B/tet   tip y\n");
    for (const auto& cells : sizes) measure(cells, threads);
}
