#pragma once
// What `pliant bench` measures: a table of cases, each of which adds rows. Times are the lowest of several runs, stages
// the lowest of each, so that a busy machine disturbs them least; of steps that are compared with each other, plastic
// or splitting against ordinary ones, medians of rounds in turn. Baselines are measured in the same run on the same
// mesh.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/mesh/tet_mesh.hpp"

namespace pliant::bench {

struct Row {
    std::string name;  ///< "step", "stiff multigrid bar", …
    int tets = 0;      ///< or whatever the case counts: its doc says so
    int threads = 1;
    int iterations = 0;                                       ///< of conjugate gradients, 0 where there are none
    double ms = 0;                                            ///< of one step, mesh or frame
    std::vector<std::pair<std::string, double>> stages = {};  ///< ms each
    std::optional<double> eigen_ms = {};                      ///< the textbook with Eigen, one thread (textbook.hpp)
    std::optional<double> bullet_ms = {};                     ///< Bullet's deformable bodies, one thread (bullet.cpp)
    std::optional<double> limit_fraction = {};  ///< time that the machine's bandwidth alone would take / ms
    std::optional<double> bytes_per_tet = {};
    std::optional<double> tip = {};  ///< y of the last node at the end, m: the physics must not change with the speed
};

struct Options {
    std::vector<int> threads{1};  ///< each case runs once with each
    int largest = 600'000;        ///< tets; larger meshes are left out
    bool baselines = true;
};

struct Case {
    std::string name;  ///< of the subcommand
    std::string doc;   ///< one line
    void (*run)(const Options& options, std::vector<Row>& rows);
};

/// In cases.cpp. A room that has something worth measuring (modes, sound, particles) adds a line there and a file
/// bench/<name>.cpp with its run function.
const std::vector<Case>& cases();

// The cases of this folder.
void run_step(const Options& options, std::vector<Row>& rows);
void run_laws(const Options& options, std::vector<Row>& rows);
void run_figure7(const Options& options, std::vector<Row>& rows);
void run_scaling(const Options& options, std::vector<Row>& rows);
void run_stiff(const Options& options, std::vector<Row>& rows);
void run_assembly(const Options& options, std::vector<Row>& rows);
void run_mesh(const Options& options, std::vector<Row>& rows);
void run_frame_output(const Options& options, std::vector<Row>& rows);
void run_splitting(const Options& options, std::vector<Row>& rows);
void run_sound(const Options& options, std::vector<Row>& rows);
void run_modes(const Options& options, std::vector<Row>& rows);
void run_contact(const Options& options, std::vector<Row>& rows);

/// The bench's body: a bar of 4×1×1 m of six Kuhn tets a cube.
struct BarSize {
    int x, y, z;
    int tets() const { return 6 * x * y * z; }
};
TetMesh bar(const BarSize& size);
/// 1,008 to 526,848 tets.
const std::vector<BarSize>& bar_sizes();

// The machine, measured in this run (machine.cpp).
double triad_bytes_per_second(double megabytes, int threads);  ///< a = b + s·c over arrays of that size in all
double flops_per_second(int threads);                          ///< double precision, fused multiply-adds

/// ms per step of Bullet's deformable bodies on the same bar, 20 iterations; none when Bullet wasn't there at
/// configure time.
std::optional<double> bullet_step_ms(const TetMesh& mesh, double young, int steps);

}  // namespace pliant::bench
