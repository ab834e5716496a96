#pragma once
// The order of elimination and the shape of the factor of a sparse symmetric matrix: nested dissection by METIS on the
// graph of nodes, columns with like structure gathered to supernodes, small ones merged with their parents.

#include <cstdint>
#include <vector>

#include "pliant/solve/node_matrix.hpp"

namespace pliant {

/// Columns that are eliminated together. Numbers of unknowns are positions in the order of elimination.
struct Supernode {
    int first = 0, pivots = 0;  ///< unknowns first … first + pivots − 1
    std::vector<int> below;     ///< the unknowns of the rows below them, ascending
    int parent = -1;
    std::vector<int> into;  ///< place of each of `below` in the parent's front (pivots, then its `below`)
    std::vector<int> children;
    std::size_t offset = 0;  ///< of its (pivots + below) × pivots block in the factor

    int front() const { return pivots + static_cast<int>(below.size()); }
};

struct FactorPlan {
    int unknowns = 0;
    std::vector<int> place;        ///< per unknown of the matrix (3·node + axis): position in the order; -1: left out
    std::vector<Supernode> nodes;  ///< children before parents
    /// Numbers of disjoint subtrees that can be factored side by side, largest first; the rest comes after them.
    std::vector<std::vector<int>> subtrees;
    std::vector<int> top;  ///< supernodes above the subtrees, in order
    std::size_t factor_entries = 0;
    double operations = 0;        ///< floating-point, for one factorisation
    std::size_t stack_bytes = 0;  ///< largest sum of contribution blocks alive at once, estimate
    std::size_t factor_bytes() const { return factor_entries * sizeof(double); }
};

/// `fixed`: per unknown, 1 where it is left out; may be empty.
FactorPlan plan_factor(const NodePattern& pattern, const std::vector<std::uint8_t>& fixed);

}  // namespace pliant
