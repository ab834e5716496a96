// What happens round the step: meshing, the skin, plastic flow, cracks, frames on disk.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bench/bench.hpp"
#include "pliant/body/fem_body.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/world/world.hpp"

namespace pliant::bench {

namespace {

template <class Job>
double least_ms(int times, Job&& job) {
    double best = 1e300;
    for (int k = 0; k < times; ++k) {
        const double begin = seconds_now();
        job();
        best = std::min(best, 1e3 * (seconds_now() - begin));
    }
    return best;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// A stretched ring in which many tets are overloaded.
World stretched_ring(int tets, double edge, int threads) {
    World world(threads);
    FemBodyDesc desc;
    desc.name = "ring";
    desc.surface = shape_surface(*torus_shape(1, 0.4), edge, world.threads.get());
    desc.mesh = lattice(desc.surface, {.cell = 0, .tets = tets}, *world.threads).mesh;
    desc.material = {{1e5, 0.33, 1000}};
    desc.solve.iterations = 20;  // as in the rows of plain steps
    desc.fracture = FractureDesc{
        .strength = {8e3}, .noise = 0.3, .splits = desc.mesh.node_count() / 300, .propagation = 1, .seed = 3};
    desc.collide = false;
    world.gravity = Vec3::Zero();
    world.fem.push_back(make_fem_body(std::move(desc), *world.threads));
    for (Vec3& x : world.fem.front().x) x.x() *= 1.05;
    return world;
}

}  // namespace

void run_splitting(const Options& options, std::vector<Row>& rows) {
    for (const auto& [tets, edge] : {std::pair(10'000, 0.06), std::pair(100'000, 0.0185)}) {
        if (tets > options.largest) continue;
        for (int count : options.threads) {
            World world = stretched_ring(tets, edge, count);
            FemBody& body = world.fem.front();
            std::vector<double> unbreakable(body.mesh.tets.size(), 1e12);
            const std::vector<Vec3> stretched = body.x;
            const double wanted = 0.01 * static_cast<double>(stretched.size());
            std::vector<double> ordinary, splitting, cracks;
            const auto timed_step = [&] {
                for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i] = stretched[body.origin[i]];
                for (Vec3& v : body.v) v.setZero();
                world.times.reset();
                return least_ms(1, [&] { step(world); });
            };
            // In turn, with the same body, because it grows by what splits. Where a crack ends others split too: how
            // many splits the rule may make follows from how many nodes there were more after the last.
            for (int round = 0; round < 12; ++round) {
                std::swap(body.fracture->strength, unbreakable);
                const double without = median({timed_step(), timed_step(), timed_step()});
                std::swap(body.fracture->strength, unbreakable);
                const std::size_t before = body.x.size();
                const double ms = timed_step();
                const auto copies = static_cast<double>(body.x.size() - before);
                if (copies >= wanted) {
                    ordinary.push_back(without), splitting.push_back(ms);
                    cracks.push_back(1e3 * world.times.of("fracture"));
                }
                int& splits = body.fracture->options.splits;
                splits = static_cast<int>(std::clamp(1.1 * wanted / std::max(copies, 1.0), 0.5, 2.0) * splits) + 1;
            }
            rows.push_back({.name = "step that splits 1% of the nodes",
                            .tets = body.mesh.tet_count(),
                            .threads = count,
                            .iterations = body.solve.iterations,
                            .ms = median(splitting),
                            .stages = {{"step without", median(ordinary)}, {"cracks", median(cracks)}}});
        }
    }
}

void run_mesh(const Options& options, std::vector<Row>& rows) {
    for (int wanted : {100'000, 1'000'000})
        for (int count : options.threads) {
            Threads threads(count);
            const TriMesh surface = shape_surface(*torus_shape(1, 0.4), 0.02, &threads);
            LatticeResult made;
            const double all = least_ms(4, [&] { made = lattice(surface, {.cell = 0, .tets = wanted}, threads); });
            const double fixed = least_ms(4, [&] { made = lattice(surface, {.cell = made.cell, .tets = 0}, threads); });
            rows.push_back({.name = "mesh",
                            .tets = made.mesh.tet_count(),
                            .threads = count,
                            .ms = all,
                            .stages = {{"lattice of a given cell", fixed}, {"search of the cell", all - fixed}}});
        }
}

void run_frame_output(const Options& options, std::vector<Row>& rows) {
    namespace fs = std::filesystem;
    for (int count : options.threads) {
        World world(count);
        FemBodyDesc desc;
        desc.name = "torus";
        desc.surface = shape_surface(*torus_shape(1, 0.4), 0.0185, world.threads.get());
        desc.mesh = lattice(desc.surface, {.cell = 0, .tets = 100'000}, *world.threads).mesh;
        desc.material = {{1e5, 0.33, 1000}};
        desc.plasticity = &plasticity_laws().get("creep", {});
        desc.plastic = {{.yield = 0.01, .rate = 100, .max = 10}};
        desc.collide = false;
        world.fem.push_back(make_fem_body(std::move(desc)));
        FemBody& body = world.fem.front();
        world.gravity = Vec3::Zero();
        for (std::size_t i = 0; i < body.x.size(); ++i) body.v[i] = 0.3 * Vec3(body.x[i].y(), 0, body.x[i].x());
        const int triangles = static_cast<int>(body.surface().triangles.size());
        rows.push_back({.name = "skin", .tets = triangles, .threads = count, .ms = least_ms(30, [&] {
                                                                                 update_surface(body, *world.threads);
                                                                             })});
        // In turn, because the machine's speed wavers by more than the difference.
        std::vector<double> whole, elastic, flow;
        std::vector<Strain6> strain;
        const auto least_of_some = [&] {
            step(world);
            const double ms = least_ms(4, [&] { step(world); });
            std::swap(body.plastic_strain, strain);  // elastic, and back
            return ms;
        };
        for (int k = 0; k < 10; ++k) {
            whole.push_back(least_of_some()), elastic.push_back(least_of_some());
            flow.push_back(whole.back() - elastic.back());
        }
        rows.push_back({.name = "step with plasticity",
                        .tets = body.mesh.tet_count(),
                        .threads = count,
                        .iterations = body.solve.iterations,
                        .ms = median(whole),
                        .stages = {{"elastic", median(elastic)}, {"plastic flow", median(flow)}}});
        Frame frame;
        const double taken = least_ms(3, [&] { frame = snapshot(world, 0); });
        const fs::path file = fs::temp_directory_path() / "pliant-bench.frame";
        std::string bytes;
        const double coded =
            least_ms(3, [&] { bytes = encode_frame(frame, {}, std::vector<TopologyNames>(frame.bodies.size())); });
        const double written = least_ms(3, [&] {
            std::ofstream out(file, std::ios::binary);
            out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        });
        fs::remove(file);
        rows.push_back({.name = "frame",
                        .tets = body.mesh.tet_count(),
                        .threads = count,
                        .ms = taken + coded + written,
                        .stages = {{"snapshot", taken}, {"encode", coded}, {"write", written}}});
    }
}

}  // namespace pliant::bench
