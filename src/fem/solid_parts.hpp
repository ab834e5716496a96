#pragma once
// What a Solid is made of; for the files of this room and its tests.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "pliant/fem/element_kernels.hpp"
#include "pliant/fem/row_kernels.hpp"
#include "pliant/fem/smoothing.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/material/material.hpp"
#include "pliant/solve/aligned.hpp"
#include "pliant/solve/block_system.hpp"
#include "pliant/solve/coupled_cg.hpp"
#include "pliant/solve/multigrid.hpp"

namespace pliant {

struct Solid::Parts {
    int nodes = 0, tets = 0;
    int groups = 0;  ///< of eight tets; the last is filled up with copies of the last tet that weigh nothing
    SolidOptions options;
    const MaterialLaw* law = nullptr;
    std::vector<double> law_numbers;
    KernelLevel kernels = best_kernel_level();
    std::vector<double> mass;                    ///< [node] kg
    std::vector<double> material_mass;           ///< [node] kg; empty: all of `mass`
    std::vector<std::array<double, 4>> carried;  ///< [tet] as in set_carried(); empty: a quarter of `fill` each

    // Elements, in the layouts of element_kernels.hpp.
    AlignedVector<int> node;
    AlignedVector<double> gradient, mu, lambda;  // λ only where λ/μ differs between tets
    AlignedVector<float> rotation, line;
    AlignedVector<float> law_block;   ///< of laws other than Hooke's, in the layout of law_pass.hpp; empty otherwise
    std::vector<double> rest_volume;  ///< [tet] m³, once shapes were set: gradients then know it to rounding only
    bool same_ratio = false;          ///< all tets have the same λ/μ,
    double ratio = 0;                 ///< this one

    // Which elements each row gathers from, in the layouts of row_kernels.hpp.
    // The pairs of a slice are together; where the body broke, slices may be in any order, with spent ones between.
    AlignedVector<unsigned> incident_begin, incident, pair_begin, pair;
    std::vector<unsigned> pair_room;  ///< per slice, in `pair`; empty until a node splits: what it holds
    AlignedVector<unsigned short> pair_steps;
    unsigned no_pair() const { return 128u * groups; }  ///< fills up `pair`: the line behind all others holds zeros
    int unbroken = 0;  ///< nodes that the solid was made with: their rows stay where they are, those of copies follow

    /// The element forces of the step share the memory of system.block: they are spent before the blocks are written.
    BlockSystem system;
    std::size_t element_forces() const { return 192 * std::size_t(groups); }  ///< floats of them
    double inertia_scale = 0;  ///< of system.inertia against mass; 0: not set yet
    struct Chunk {
        double momentum[3];
        bool pinned;
        int first, last;  ///< groups of tets that its rows gather from
    };
    static constexpr int chunk_slices = 32;
    std::vector<Chunk> chunks;  ///< of slices, cut by size alone
    void set_chunks();
    CgScratch scratch;  ///< used when this solid is the first of a solve
    /// [group of tets, or of domains where it is smoothed] J, of the last pass. Summed in order: the same for any
    /// number of threads.
    AlignedVector<double> energy;
    std::vector<GroupPower> power;  ///< [group of tets] W, of the last energy_at()
    std::vector<Vec3> given;        ///< [node] v where motion is given, else 0, m/s, of the last energy_at(); or empty
    void size_energy() { energy.resize(smoothing ? smoothing->groups : groups); }
    std::vector<double> partial;                                                    ///< sums of chunks
    std::vector<Vec3> moved_to;                                                     ///< scratch: positions, m
    LawArgs law_args(std::span<const Vec3> x, std::span<const Vec3> v, double dt);  ///< for the energy alone

    // Multigrid (solid_multigrid.cpp).
    std::vector<std::array<float, 3>> rest;  ///< [node] from a corner of the bounding box, m; until grids are laid
    Vec3 box_corner = Vec3::Zero();          ///< this one
    double spacing = 0, diameter = 0;        ///< of nodes, of the body; m
    double stiffness = 0;                    ///< see Solid::stiffness()
    double stiffness_per_mass = 0;           ///< mean diagonal entry of K against the mean mass, 1/s²
    /// Softer bodies bear what the frozen rotations of a step do to them.
    bool stiff_in(double dt) const { return law->objective && stiffness_per_mass * dt * dt > 1e4; }
    std::unique_ptr<Multigrid> multigrid;  ///< null until it is wanted
    KeptState kept;
    bool hierarchy_ready = false;  ///< false: to be built from `kept`
    /// Masses or stiffnesses are others now.
    void forget_hierarchy() { hierarchy_ready = false, kept.rotations.clear(), inertia_scale = 0, rates = {}; }

    // Explicit steps (solid_explicit.cpp).
    StableRates rates;          ///< as long as masses and stiffnesses stay; elastic 0: to be found
    std::vector<Vec3> shifted;  ///< [node] m

    Vec3 shape_gradient(int tet, int corner) const {
        const double* g = gradient.data() + 72L * (tet / 8) + tet % 8;
        auto of = [&](int c) { return Vec3(g[8 * (3 * c)], g[8 * (3 * c + 1)], g[8 * (3 * c + 2)]); };
        return corner > 0 ? of(corner - 1) : Vec3(-(of(0) + of(1) + of(2)));
    }
    int corner_node(int tet, int corner) const { return node[32L * (tet / 8) + 8 * corner + tet % 8]; }
    void set_corner_node(int tet, int corner, int to) { node[32L * (tet / 8) + 8 * corner + tet % 8] = to; }
    double lambda_volume(int tet) const { return same_ratio ? ratio * mu[tet] : lambda[tet]; }
    double mu_volume(int tet) const { return mu[tet]; }
    double volume(int tet) const;
    /// Share of a tet's volume that is stiff.
    double stiff_share(int tet) const {
        if (!(options.least_fill > 0) || carried.empty()) return options.fill;
        const std::array<double, 4>& c = carried[tet];
        return std::max(options.least_fill, c[0] + c[1] + c[2] + c[3]);
    }
    double corner_mass(int tet, int corner, double density) const {
        return density * volume(tet) * (carried.empty() ? 0.25 * options.fill : carried[tet][corner]);
    }
    Quat quaternion(int tet) const {
        const float* q = rotation.data() + 32L * (tet / 8) + tet % 8;
        return Quat(q[0], q[8], q[16], q[24]).normalized();
    }
    Mat3 deformation(std::span<const Vec3> x, int tet) const;
    /// At x, starting from the state but not changing it; I for laws that are not objective.
    Mat3 rotation_at(std::span<const Vec3> x, int tet) const;
    /// V·sym(RᵀP), the Biot stress times the volume.
    Mat3 weighted_stress(const Mat3& R, const Mat3& F, int tet) const;
    Mat3 piola_stress(std::span<const Vec3> x, int tet) const;  ///< V·P at x, J
    Lame weighted_moduli(int tet) const { return {lambda_volume(tet), mu_volume(tet)}; }
    /// IterateEnergy::turned, where the pass over the elements does not find it.
    double turned(std::span<const Vec3> x, std::span<const Vec3> v, double dt, Threads& threads);
    /// Brings the rotations up to date with x + ahead·v where the pass over the elements does not.
    void follow_rotations(std::span<const Vec3> x, std::span<const Vec3> v, double ahead, Threads& threads);
    LawPass pass() const { return options.pass ? options.pass : law_pass(kernels, law->place); }

    // The smoothed element (smoothed_solid.cpp).
    std::unique_ptr<Smoothing> smoothing;  ///< null: plain tets
    void set_smoothing(const TetMesh& mesh);
    struct DomainModuli {
        double mu, edge_lambda, node_lambda;  ///< times the volume, J
    };
    DomainModuli domain_moduli(int tet) const;
    void weigh_domains();  ///< after moduli changed
    void slope_domains();  ///< after shapes changed
    SmoothArgs smooth_args(std::span<const Vec3> x, std::span<const Vec3> v);
    Mat3 domain_deformation(std::span<const Vec3> x, unsigned domain) const;
    Mat3 mean_deformation(std::span<const Vec3> x, int tet) const;  ///< of its edges; its own if it is plain
    std::array<double, 6> mean_strain(std::span<const Vec3> x, int tet) const;
    /// Plastic strains of tets as their domains take them.
    void gather_plastic(std::span<const std::array<double, 6>> strain, Threads& threads);
    void flow_smoothed(std::span<const Vec3> x, const PlasticFlow& flow, Threads& threads);
    Mat3 smoothed_stress(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                         int tet) const;                                                       ///< V·P of a tet, J
    std::array<double, 6> biot_stress(std::span<const Vec3> x, const Mat3& P, int tet) const;  ///< from V·P
    void smoothed_force(std::span<const Vec3> x, std::span<Vec3> out) const;
    double smoothed_energy(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic) const;
    IterateEnergy smoothed_energy_at(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                                     std::span<const std::array<double, 6>> plastic, Threads& threads);
    Mat3 gathered_stress(int tet) const;  ///< V·P from the stresses that the last pass over the domains found, J
    /// Stresses and energies of all domains at x + ahead·v, without viscosity; plastic strain may be empty.
    void pass_domains(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                      std::span<const std::array<double, 6>> plastic, Threads& threads);

    void set_rest(const TetMesh& mesh);
    /// scale: dt(dt+β).
    bool wants_multigrid(const SolveOptions& solve, double scale) const;
    bool wants_two_level(const SolveOptions& solve, double scale) const;
    /// Where the rows are, for systems with two levels. After the system is assembled.
    void prepare_two_level(std::span<const Vec3> x, const SolidInput& input, Threads& threads);
    std::vector<Vec3> part_origin;  ///< of BlockSystem::place, m
    void prepare_multigrid(std::span<const Vec3> x, const SolidInput& input, const RowArgs& rows, Threads& threads,
                           StageTimes& times);

    void set_elements(const TetMesh& mesh);
    void set_masses(const std::vector<ElementMaterial>& material);
    void set_gathering(const TetMesh& mesh);
    /// Contributions to the block rows of a slice, each in order: neighbour·2³² + 16·tet + 4·a + b.
    using SliceRows = std::array<std::span<const std::uint64_t>, 8>;
    struct SliceRun {
        const std::uint64_t* first = nullptr;  ///< of the contributions to one block
        int count = 0;
    };
    using SliceRuns = std::array<std::vector<SliceRun>, 8>;  ///< scratch
    /// Columns of a slice and its pairs, behind those that are there. Eight blocks of a slot are summed in step, so
    /// those of many tets come first in each row: hardly any step is there for a single row.
    void write_slice(int slice, const SliceRows& rows, SliceRuns& runs);
    /// The same as set_gathering() where the mesh differs from the present one only by nodes that were split, in a
    /// fraction of the time; `relinked`: tets that may have other nodes, ascending. split_update.resized are the split
    /// nodes and their copies then. False, and nothing is changed, where it differs otherwise.
    bool split_gathering(const TetMesh& mesh, std::span<const int> relinked, Threads& threads);
    /// Work on a split (splitting.cpp); kept as room for the next.
    struct SplitUpdate {
        std::vector<int> tets;                   ///< that were relinked, ascending
        std::vector<std::uint64_t> is_relinked;  ///< a bit per tet: it is one of these
        std::vector<char> smaller;               ///< per node: lost tets to its copies
        std::vector<int> resized;                ///< nodes that did, then the copies
        std::vector<int> smaller_rows;           ///< of those that did, ascending
        std::vector<char> row_changed;           ///< per row: is new, or has other neighbours than before
        // As they were before the split.
        int old_slices = 0;
        AlignedVector<unsigned short> pair_steps;
        std::vector<int> slice_begin;
        AlignedVector<int> column;
        /// The contributions to one block.
        struct Run {
            int neighbour, column, count;
            int from;  ///< in `pairs`
        };
        /// One that has changed rows.
        struct Slice {
            int slice;
            unsigned lanes;             ///< a bit for each of these rows
            unsigned had, pairs;        ///< before and now
            unsigned from = 0;          ///< where those before were
            int first_row, first_step;  ///< in its chunk
        };
        /// The changed rows of some slices.
        struct Chunk {
            std::vector<Slice> slices;
            std::vector<std::array<int, 2>> rows;  ///< [first, last) of their runs
            std::vector<Run> runs;
            std::vector<unsigned> pairs;
            std::vector<unsigned short> steps;  ///< per slot of slices that have such rows
            std::vector<std::uint64_t> found;
            std::vector<unsigned> before;  ///< pairs of a slice while they are written over
        };
        std::vector<Chunk> chunks;
    };
    SplitUpdate split_update;
    void split_stars(const TetMesh& mesh, int before);
    void split_slices(const TetMesh& mesh, int before, Threads& threads);
    void list_runs(const TetMesh& mesh, int row, int before, SplitUpdate::Chunk& chunk) const;
    void count_steps(int slice, unsigned lanes, SplitUpdate::Chunk& chunk) const;
    unsigned pairs_before(int slice) const;
    void make_room(Threads& threads);
    void write_slice(const SplitUpdate::Slice& mended, SplitUpdate::Chunk& chunk);
    void set_parts(std::span<const int> part_of_tet, Threads& threads);
};

/// What every pass over the elements reads: the groups from `first` on, numbered from there. v may be empty.
ElementInput element_input(const Solid::Parts& p, std::span<const Vec3> x, std::span<const Vec3> v, int first);
/// The same for Hooke's law behind rotations, which are found at x; that is enough for strains and stresses.
ElementArgs element_args(const Solid::Parts& p, std::span<const Vec3> x, std::span<const Vec3> v, int first,
                         float* rotation);

/// How many neighbours the contributions to a block row come from.
int neighbours(std::span<const std::uint64_t> row);

/// For tests: run a solid's loops with another vector unit than the best one.
inline void set_kernel_level(Solid& solid, KernelLevel level) { solid.parts().kernels = level; }

}  // namespace pliant
