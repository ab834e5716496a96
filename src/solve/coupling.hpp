#pragma once
// Soft rows between points that hang on nodes, solved together with the elastic systems: contacts, springs, joints.

#include <array>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// With u = Σ weight·v(node) the velocity of a point (or the difference of two points), the row adds to the system
/// A v⁺ = b of implicit Euler the terms  JᵀSJ v⁺  on the left and  Jᵀs  on the right.
/// A spring of stiffness k along n with present elongation g contributes S = dt²·k·n nᵀ and s = -dt·k·g·n.
struct Coupling {
    struct End {
        int system;  ///< which of the systems solved together
        int node;
        double weight;
    };
    static constexpr int max_ends = 16;  ///< a point of one body takes 4, a point against a triangle of another 4 + 12
    std::array<End, max_ends> ends;
    int count = 0;
    Mat3 S = Mat3::Zero();  ///< kg, symmetric positive semidefinite
    Vec3 s = Vec3::Zero();  ///< kg·m/s
};

}  // namespace pliant
