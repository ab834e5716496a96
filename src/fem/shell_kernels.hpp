#pragma once
// The loops of a shell's step (shell.hpp), eight elements at a time: what an element leaves for the rows, and how rows
// gather it. Elements are in groups of eight; [8] below is the place in a group, and the last group is filled up with
// copies that nobody gathers from.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// Stretch at edges, whose corners are a, b, c and d: the ends, then the third corners of both sides. Of an edge with
/// one triangle, d is a and has no share.
struct ShellEdgeArgs {
    const double* x;  ///< [node][4] m
    const int* node;  ///< [group][4][8] 4·node
    int edges;        ///< real ones
    /// [group][7][8]: 1/length; per side the slopes of the shape functions of b and of c (or d) across the edge; shares
    /// of the sides. Along the edge b has 1/length, c and d nothing; what a has keeps the sums zero.
    const double* shape;
    const double* moduli;  ///< [group][3][8]: thickness · area, m³; λ and μ, Pa
    /// Hinges as found before, or null: forces, and square roots of the tangent, [group][4][3][8].
    const double *hinge_force, *hinge_mode;
    /// Laws that are not Hooke's: from the two principal stretches energy, p₁, p₂, h₁₁, h₁₂, h₂₂ and shear, see
    /// plane_stress.hpp. Null: Hooke's.
    void (*principal)(const void* context, int edge, const double* stretch, double* out);
    const void* context;
    double least_stretch;
    double* force;   ///< [group][4][8][4] N
    double* block;   ///< [group][6][9][8], the blocks of ab, ac, ad, bc, bd and cd; null: forces alone
    double* energy;  ///< [8·group] J
};

/// Bending: three slopes of up to twelve nodes, or of up to eight.
struct ShellBendArgs {
    const double* x;         ///< [node][4] m
    const int* node;         ///< [group][nodes][8] 4·node
    const double* weight;    ///< [group][3][nodes][8] 1/m²
    const double* kept;      ///< [group][3][3][8], or null where no edge is clamped
    const double* coupling;  ///< [group][6][8]: 00 11 22 01 12 20, times stiffness and area
    const double* slope;     ///< [group][3][8] without stress, 1/m
    const double* floor;     ///< [8·group] least length of the unnormalised normal, m²
    double* normal;          ///< [8·group][4]
    double* share;           ///< [group][nodes][8]: force of a node along the normal
    double* corner;          ///< [group][3][8][4]: what the first three nodes have beside that, N
    double* square;          ///< [8·group][8]: products of the unit normal, xx yy zz xy yz zx 0 0
    double* pair;            ///< [group][pairs][8]: stiffness of pairs of nodes along the normal; null: forces alone
    double* energy;          ///< [8·group] J
};

/// Where one block of the matrix comes from. It goes to two places, one of them the transpose.
struct ShellPair {
    unsigned to, transposed;      ///< in floats of `block`
    unsigned bend_end, edge_end;  ///< in the lists below; the last one's ends are its beginnings
};

/// A number that goes along a normal.
struct ShellAlong {
    unsigned at, element;  ///< of `share` or `pair`, and of the normal
};

struct ShellRowArgs {
    // Blocks.
    const ShellPair* pair;      ///< the first is a sentinel with the beginnings
    const ShellAlong* along;    ///< of bends, by bend_end
    const unsigned* from_edge;  ///< twice the place in edge_block, plus one for the transpose, by edge_end
    const double *bend_pair, *square, *edge_block;
    float* block;
    double scale;  ///< dt (dt + β)
    // Rows.
    int rows;
    const int *slice_begin, *column;
    const unsigned* force_end;   ///< per row, into force_from; [0] is 0
    const unsigned* force_from;  ///< offsets in `force`
    const unsigned* share_end;   ///< per row, into share_from
    const ShellAlong* share_from;
    const double *force, *share, *normal;
    const double* v;         ///< [row][4] m/s
    const double* external;  ///< [node][3] N
    const int* node_of_row;
    const double* mass;      ///< [node] kg
    const double* inertia;   ///< [row] kg
    const char* prescribed;  ///< [row]
    double dt, mass_damping;
    double ahead;  ///< of K v
    float* preconditioner;
    double *out_v, *out_r;
};

constexpr int shell_pairs(int nodes) { return nodes * (nodes - 1) / 2; }
/// Place of a pair j < k among those of a stencil.
constexpr int shell_pair(int nodes, int j, int k) { return j * (2 * nodes - j - 1) / 2 + k - j - 1; }

struct ShellKernels {
    void (*edges)(const ShellEdgeArgs& args, int begin, int end);    ///< groups
    void (*bends12)(const ShellBendArgs& args, int begin, int end);  ///< groups, of twelve nodes
    void (*bends8)(const ShellBendArgs& args, int begin, int end);   ///< groups, of eight nodes
    void (*blocks)(const ShellRowArgs& args, int begin, int end);    ///< pairs, from 0
    /// Sum of the elements' forces on rows [begin, end), [node][3].
    void (*forces)(const ShellRowArgs& args, double* out, int begin, int end);
    /// Slices, when all blocks are there: velocity, residual, preconditioner.
    void (*rows)(const ShellRowArgs& args, int begin, int end);
};

const ShellKernels& shell_kernels(KernelLevel level);

}  // namespace pliant
