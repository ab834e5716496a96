#pragma once
// What every pass over the elements reads.
//
//   elements in groups of eight lanes: node [group][4][8] ints, gradient [group][9][8] doubles (∇ of the shape
//   functions of nodes 1, 2, 3; node 0's is minus their sum), mu and lambda [tet] doubles (μ·V and λ·V)

namespace pliant {

/// Of a group of elements, see IterateEnergy in solid.hpp.
struct GroupPower {
    double all = 0, rate = 0;
    double given = 0, given_rate = 0;
    double turned = 0;
};

struct ElementInput {
    const double* x = nullptr;  ///< [node][3] positions, m
    const double* v = nullptr;  ///< [node][3] velocities, m/s; some passes need none
    const int* node = nullptr;
    const double* gradient = nullptr;
    const double* mu = nullptr;
    const double* lambda = nullptr;  ///< null: it is ratio·mu
    double ratio = 0;
    // For passes that find energies only.
    GroupPower* power = nullptr;       ///< [group] or null; with v alone
    const double* given = nullptr;     ///< [node][3]: v where motion is given, 0 elsewhere; null: nowhere, or it rests
    const char* prescribed = nullptr;  ///< [node]: its motion is given; with `given`
};

}  // namespace pliant
