#pragma once
// A symmetric sparse matrix of 3×3 blocks, one row of blocks per node, as stiffness and mass of a mesh come.

#include <vector>

#include "pliant/core/threads.hpp"

namespace pliant {

/// Which nodes share an element: for each node its neighbours and itself, ascending.
struct NodePattern {
    std::vector<int> begin;   ///< per node, and one past the end
    std::vector<int> column;  ///< of each block

    int nodes() const { return static_cast<int>(begin.size()) - 1; }
    int find(int row, int col) const;  ///< the block's number, -1 where there is none
};

struct NodeMatrix {
    NodePattern pattern;
    std::vector<double> block;  ///< nine per block, row by row; both triangles are stored
};

/// Many vectors at once: row i of `value` holds entry i of each of `width` vectors.
struct MultiVector {
    int rows = 0, width = 0;
    std::vector<double> value;

    void resize(int new_rows, int new_width) {
        rows = new_rows, width = new_width;
        value.assign(static_cast<std::size_t>(rows) * width, 0.0);
    }
    double* row(int i) { return value.data() + static_cast<std::size_t>(i) * width; }
    const double* row(int i) const { return value.data() + static_cast<std::size_t>(i) * width; }
};

/// y = A x.
void multiply(const NodeMatrix& a, const MultiVector& x, MultiVector& y, Threads& threads);

}  // namespace pliant
