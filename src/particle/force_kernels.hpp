#pragma once
// The loops of the particle models. Particles are rows of four doubles (x, y, z, 0): one is one 32-byte load.
// Elements come in groups of eight: constants are [group][entry][lane 8]. Element forces are rows of four floats,
// gathered by particle in an order of their own, so that every number of threads gives the same bits; sums and
// integration are in double. A `row` is where one of four starts: four times the number of the particle or element.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// Corners of Voronoi faces follow four particles (Everts 2006, eq. 5.1).
struct CornerArgs {
    const double* x;       ///< [particle][4]
    const int* node;       ///< [corner][4] rows
    const double* weight;  ///< [corner][4]
    float* corner;         ///< [corner][4], relative to particle 0
};

/// Model 1, eight faces to a group; a face's corners are in turn, the first again as padding to an even number.
struct FaceArgs {
    const double* x;
    const float* corner;
    const int* slot_begin;  ///< per group, and the end
    const int* column;      ///< [slot][8] rows of corners
    const int* pair;        ///< [group][2][8] rows of particles a and b
    const float* constant;  ///< [group][4][8]: 1/d(0), 1/(2A), E·A, G·A
    float* force;           ///< [face][4] on a
};

/// Springs, eight to a group.
struct SpringArgs {
    const double* x;
    const int* pair;        ///< [group][2][8] rows
    const float* constant;  ///< [group][2][8]: 1/l, K·l
    float* force;
};

/// Models 2 and 3, eight tets to a group.
struct TetArgs {
    const double* x;
    const int* node;              ///< model 3: [group][4][8] particles
    const int* row;               ///< model 2: [group][4][8] their rows
    const double* gradient;       ///< [group][9][8]: rows are the gradients of corners 1, 2, 3
    const float* gradient_float;  ///< model 2: the same
    /// Model 3: [group][6][8]: 2μV, V, E_f·V, and the unit fibre.
    const double* constant;
    /// Model 2: [group][8][8]: E·V/4, G·V/4, then (V/4A)² of the six sub-faces.
    const float* constant_float;
    float* force;            ///< [group][4 corners][8][4]
    bool unit_normal;        ///< model 2
    double* rotation;        ///< model 3: [group][4][8] quaternions, updated by dilations()
    const double* pressure;  ///< model 3: [particle] Pa
    double* dilation;        ///< model 3, dilations(): [group][8] trace of the strain
};

/// Sums the element forces of each particle.
struct GatherArgs {
    const unsigned* begin;  ///< per particle: first entry to add; two per particle, the second: first to subtract
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
};

struct ParticleKernels {
    void (*corners)(const CornerArgs&, int begin, int end);
    void (*faces)(const FaceArgs&, int begin, int end);  ///< groups
    void (*springs)(const SpringArgs&, int begin, int end);
    void (*model2)(const TetArgs&, int begin, int end);
    void (*dilations)(const TetArgs&, int begin, int end);
    void (*model3)(const TetArgs&, int begin, int end);
    void (*gather)(const GatherArgs&, double* out, int begin, int end);  ///< particles; out: rows of four
    void (*move)(const GatherArgs&, const MoveArgs&, int begin, int end);
};

const ParticleKernels& particle_kernels(KernelLevel level);

}  // namespace pliant
