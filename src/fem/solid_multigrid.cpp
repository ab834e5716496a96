// When a solid is preconditioned by multigrid, and with which matrix.
//
// The hierarchy belongs to the rotations of some earlier step (`kept`) and serves several steps: a preconditioner need
// not be exact. It is a function of those rotations, of material, step and prescribed nodes alone, and `kept` is part
// of what a checkpoint holds, so a resumed run builds the very same one.

#include <algorithm>
#include <cmath>

#include "pliant/core/hash.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/geometry/polar.hpp"

namespace pliant {

namespace {

/// Steps that a hierarchy serves. Larger: cheaper set-up per step, more iterations where elements turn quickly.
constexpr int steps_kept = 16;
/// Iterations of Jacobi that cost about as much as the ten or so of multigrid that replace them.
constexpr double worth_it = 130;
constexpr int fewest_nodes = 500;
/// From here on multigrid is faster than two levels (28,000 nodes of a bar: 116 against 141 ms a step, 7,000: the
/// same).
constexpr int many_nodes = 20000;

// Jacobi-preconditioned conjugate gradients need about √κ/2·ln(2/tolerance) iterations; κ of M + dt²K is that of the
// stiffest mode against inertia, unless the body is so stiff that its slowest mode decides: then the number of nodes
// across counts. The factors are fitted to bars (docs/performance.md).
double expected_iterations(const Solid::Parts& p, double tolerance, double scale) {
    const double by_inertia = std::sqrt(scale * p.stiffness_per_mass);
    const double across = p.diameter / p.spacing;
    return 0.62 * std::min(by_inertia, 4 * across) * std::log(2 / tolerance);
}

/// Where a number of iterations is all that is asked for: what Jacobi has to reach for motion to be right. Twenty
/// iterations then do up to dt²K/M of 25; at 42 a pendulum swings 0.5 % too slowly, at 106 1.5 %.
constexpr double right_motion = 3e-3;

// Rotated gradients for the rotations in `kept`: what the element pass leaves for the row kernels.
void kept_lines(Solid::Parts& p, double scale, Threads& threads) {
    parallel_for(threads, p.tets, 1024, [&](std::size_t begin, std::size_t end) {
        for (int t = static_cast<int>(begin); t < static_cast<int>(end); ++t) {
            const std::int8_t* q = p.kept.rotations.data() + 32L * (t / 8) + t % 8;
            Mat3 R = Mat3::Identity();
            if (p.law->objective) R = Quat(q[0], q[8], q[16], q[24]).normalized().toRotationMatrix();
            float* line = p.line.data() + 16L * t;
            const double mu = p.mu_volume(t), weight = std::sqrt(scale * mu);
            for (int a = 0; a < 4; ++a) {
                const Vec3 turned = weight * (R * p.shape_gradient(t, a));
                for (int c = 0; c < 3; ++c) line[4 * a + c] = float(turned[c]);
                line[4 * a + 3] = mu > 0 ? float(p.lambda_volume(t) / mu) : 0.f;
            }
        }
    });
}

}  // namespace

void Solid::Parts::set_rest(const TetMesh& mesh) {
    if (spacing == 0) {
        const Box box = mesh.bounds();
        box_corner = box.min, diameter = box.diagonal();
        // Lattices and good meshes have about six tets per node.
        spacing = std::cbrt(6 * total_volume(mesh.rest, mesh.tets) / tets);
    }
    const bool all = rest.empty();
    rest.resize(nodes);
    for (int i = all ? 0 : unbroken; i < nodes; ++i) {  // only copies of nodes are other ones than before
        const Vec3 d = mesh.rest[i] - box_corner;
        rest[i] = {float(d[0]), float(d[1]), float(d[2])};
    }
    multigrid.reset(), system.multigrid = nullptr;
}

bool Solid::Parts::wants_multigrid(const SolveOptions& solve, double scale) const {
    if (solve.preconditioner != Preconditioner::automatic) return solve.preconditioner == Preconditioner::multigrid;
    if (nodes < fewest_nodes) return false;
    // Two levels do where nobody asked for more, but their iterations grow with the number of nodes.
    if (!(solve.tolerance > 0))
        return solve.iterations == 0 && nodes >= many_nodes &&
               expected_iterations(*this, CgOptions::usual_tolerance, scale) >= 3 * worth_it;
    const double most = solve.iterations > 0 ? solve.iterations : CgOptions::most_iterations;
    return std::min(most, expected_iterations(*this, solve.tolerance, scale)) >= worth_it;
}

bool Solid::Parts::wants_two_level(const SolveOptions& solve, double scale) const {
    if (solve.preconditioner != Preconditioner::automatic) return solve.preconditioner == Preconditioner::two_level;
    // Who asks for so many iterations and no tolerance asks for their cost.
    if (solve.iterations > 0 && !(solve.tolerance > 0)) return false;
    const double tolerance = solve.tolerance > 0 ? solve.tolerance : right_motion;
    return expected_iterations(*this, tolerance, scale) > CgOptions::soft_iterations;
}

void Solid::Parts::prepare_two_level(std::span<const Vec3> x, const SolidInput& input, Threads& threads) {
    const double scale = input.dt * (input.dt + input.rate_scale * options.stiffness_damping);
    system.coarse_ready = false;
    system.two_level = !system.multigrid && wants_two_level(input.solve, scale);
    if (!system.two_level) return;
    // From a node of each piece: pieces may be far from each other.
    part_origin.resize(system.parts());
    if (system.part.empty())
        part_origin[0] = x[system.node_of_row[0]];
    else
        for (int row = system.rows - 1; row >= 0; --row) part_origin[system.part[row]] = x[system.node_of_row[row]];
    system.place.resize(4 * system.padded());
    parallel_for(threads, system.rows, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const Vec3 d = x[system.node_of_row[row]] - part_origin[system.part_of(static_cast<int>(row))];
            for (int c = 0; c < 3; ++c) system.place[4 * row + c] = d[c];
        }
    });
}

void Solid::Parts::prepare_multigrid(std::span<const Vec3> x, const SolidInput& input, const RowArgs& rows,
                                     Threads& threads, StageTimes& times) {
    const double scale = input.dt * (input.dt + input.rate_scale * options.stiffness_damping);
    system.multigrid = nullptr;
    if (!wants_multigrid(input.solve, scale)) {
        kept.rotations.clear();
        return;
    }
    StageTimer timer(times, "multigrid");
    const double for_mass = scale / input.mass_scale;
    Hash grips;
    for (int row = 0; row < system.rows; ++row)
        system.prescribed[row] = !input.prescribed.empty() && input.prescribed[system.node_of_row[row]];
    grips.bytes(system.prescribed.data(), system.prescribed.size());
    if (kept.rotations.empty() || kept.age >= steps_kept || kept.scale != for_mass || kept.grips != grips.digest()) {
        // The hierarchy of any law is that of warped stiffness at its rotations: near enough for a preconditioner.
        if (!law->hooke) follow_rotations(x, x, 0, threads);
        kept.rotations.resize(rotation.size());
        std::transform(rotation.begin(), rotation.end(), kept.rotations.begin(),
                       [](float q) { return static_cast<std::int8_t>(std::lround(127 * q)); });
        kept.scale = for_mass, kept.grips = grips.digest(), kept.age = 0;
        hierarchy_ready = false;
    }
    ++kept.age;
    if (!multigrid) {
        multigrid = std::make_unique<Multigrid>();
        multigrid->kernels = kernels;
        std::vector<Vec3> position(nodes);
        for (int i = 0; i < nodes; ++i) position[i] = Vec3(rest[i][0], rest[i][1], rest[i][2]);
        lay_grids(*multigrid, system, position, spacing, threads);
        release(rest);
    }
    if (!hierarchy_ready) {
        kept_lines(*this, scale, threads);
        const RowKernels& kernel = row_kernels(kernels);
        run_team(threads, system.slices,
                 [&](const Team& team) { kernel.blocks(rows, team.begin(system.slices), team.end(system.slices)); });
        set_operators(*multigrid, system, threads);
        hierarchy_ready = true;
    }
    system.multigrid = multigrid.get();
}

const KeptState& Solid::kept_state() const { return parts_->kept; }
KeptState& Solid::kept_state() { return parts_->kept; }

bool Solid::set_kept_state(KeptState state) {
    Parts& p = *parts_;
    if (!state.rotations.empty() && state.rotations.size() != p.rotation.size()) return false;
    p.kept = std::move(state), p.hierarchy_ready = false;
    return true;
}

}  // namespace pliant
