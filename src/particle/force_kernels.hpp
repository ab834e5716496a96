#pragma once
// The loops of the particle models. Particles are rows of four doubles (x, y, z, 0): one is one 32-byte load.
// Elements come in groups of eight: constants are [group][entry][lane 8]. Element forces are rows of four floats,
// gathered by particle in a fixed order, so that every number of threads gives the same bits; sums and
// integration are in double. A `row` is where one of four starts: four times the number of the particle or element.
// The energy loops write one sum per group, to be added in order. Lanes that only fill the last group up have no
// stiffness.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// Which row of the eight of a group the force of a lane is: lanes 0, 4, 1, 5, 2, 6, 3, 7, two to a register.
constexpr int element_row(int lane) { return 2 * (lane % 4) + lane / 4; }

/// Corners of Voronoi faces follow four particles (Everts 2006, eq. 5.1), those on the surface fewer; two to a
/// register.
struct CornerArgs {
    const float* near;    ///< [particle][4], relative to a point of the body
    const int* node;      ///< [corner][4] rows
    const float* weight;  ///< [corner][4]
    float* corner;        ///< [corner][4], relative to the same point
    int two, three;       ///< pairs up to the first hang on two particles alone, up to the second on three
};
struct FaceArgs;
struct FaceKernels {
    void (*corners)(const CornerArgs&, int begin, int end);  ///< pairs of corners
    void (*forces)(const FaceArgs&, int begin, int end);     ///< groups
    void (*energies)(const FaceArgs&, int begin, int end);
};

/// Model 1, eight faces to a group; a face's corners are in turn, the first again where it has fewer than others.
struct FaceArgs {
    const double* x;
    const float* corner;
    const int* slot_begin;  ///< per group, and the end
    const int* column;      ///< [slot][8] rows of corners
    const int* pair;        ///< [group][2][8] rows of particles a and b
    const float* constant;  ///< [group][4][8]: 1/d(0), 1/(2A), E·A, G·A
    float* force;           ///< [group][2][8][4]: on a, and the opposite on b
    double* energy;         ///< [group] J
};

/// Springs, eight to a group.
struct SpringArgs {
    const double* x;
    const int* pair;        ///< [group][2][8] rows
    const float* constant;  ///< [group][2][8]: 1/l, K·l
    float* force;           ///< as in FaceArgs
    double* energy;         ///< [group] J
};
struct SpringKernels {
    void (*forces)(const SpringArgs&, int begin, int end);
    void (*energies)(const SpringArgs&, int begin, int end);
};

/// Model 2, eight tets to a group.
struct Model2Args {
    const double* x;
    const int* row;  ///< [group][4][8]
    /// [group][16][8]: E/24, (E − G)/24 over 6V, (6V·|g_j − g_i|)⁻² of the six sub-faces, and G·V times the products
    /// g_k·g_j (11, 12, 13, 22, 23, 33); for unit normals without the G·V, then G·V/4 and (6V)².
    const float* constant;
    /// [group][7][8], for energies: half the area at rest of the six sub-faces times their edge, and 1/(6V).
    const float* weight;
    float* force;  ///< [group][4 corners][8][4]
    bool unit_normal;
    double* energy;  ///< [group] J
};
struct Model2Kernels {
    void (*forces)(const Model2Args&, int begin, int end);
    void (*energies)(const Model2Args&, int begin, int end);
};

/// Model 3, eight tets to a group.
struct Model3Args {
    const double* x;
    const int* node;         ///< [group][4][8] particles
    const double* gradient;  ///< [group][9][8]: rows are the gradients g of corners 1, 2, 3
    const double* constant;  ///< [group][6][8]: 2μV, V, E_f·V, and the unit fibre
    float* force;            ///< [group][4 corners][8][4]
    double* rotation;        ///< [group][4][8] quaternions, updated by dilations()
    const double* pressure;  ///< [particle] Pa
    double* dilation;        ///< dilations(): [group][8] volume at rest times trace of the strain, m³
    double* energy;          ///< [group] J, without that of the pressure
};
struct Model3Kernels {
    void (*dilations)(const Model3Args&, int begin, int end);
    void (*forces)(const Model3Args&, int begin, int end);
    void (*energies)(const Model3Args&, int begin, int end);
};

/// Sums the element forces of each particle. Particles with the same number of entries follow each other, so that the
/// processor foresees where the sums end.
struct GatherArgs {
    const int* order;       ///< particles
    const unsigned* begin;  ///< first entry of each of them in this order, and the end
    const int* entry;       ///< rows of `force`
    const float* force;
};

/// v ← free·v + scale·f + push, x ← x + h·v, v ← damping·v. Components whose scale is zero are not free.
struct MoveArgs {
    const double* scale;  ///< [particle][4] h/m, or 0
    const double* push;   ///< [particle][4] m/s: external force times h/m, or the velocity given
    double* x;
    double* v;
    double h, damping;
    const double* origin;  ///< [4]
    float* near;           ///< x − origin for CornerArgs; null: not wanted
};
struct MoveKernels {
    void (*gather)(const GatherArgs&, double* out, int begin, int end);  ///< places in order
    void (*move)(const GatherArgs&, const MoveArgs&, int begin, int end);
};

struct ParticleKernels {
    const FaceKernels& face;
    const SpringKernels& spring;
    const Model2Kernels& model2;
    const Model3Kernels& model3;
    const MoveKernels& move;
};
ParticleKernels particle_kernels(KernelLevel level);

}  // namespace pliant
