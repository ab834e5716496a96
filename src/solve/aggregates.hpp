#pragma once
// The rows of a block system in a few connected lumps. A stiff body moves almost as if each lump were rigid: their
// rigid modes are the coarse space of the two-level preconditioner (coarse_space.hpp).

#include <span>
#include <vector>

#include "pliant/solve/aligned.hpp"

namespace pliant {

struct BlockSystem;

/// Which aggregate each row belongs to, and lists of rows and blocks in the order in which the coarse matrix is made.
/// They depend on the pattern and on the prescribed rows alone.
struct Aggregates {
    int count = 0;
    bool pattern_known = false;  ///< `of_row` belongs to the present pattern
    bool lists_known = false;    ///< and the rest to the present prescribed rows
    std::vector<int> of_row;     ///< [8·slices]; −1: the row has no neighbours, or is none
    std::vector<char> held;      ///< the prescribed rows that the lists were made for

    /// Sums over the rows of an aggregate are made chunk by chunk of slices, so that they do not depend on the number
    /// of threads: an entry is the share that one aggregate has in one chunk.
    static constexpr int chunk_slices = 32;
    int chunks = 0, entries = 0;
    AlignedVector<int> entry_of_row;  ///< [8·slices]; −1: no aggregate moves the row
    std::vector<int> chunk_begin;     ///< [chunks + 1] first entry
    std::vector<int> entry_begin;     ///< [count + 1] in `entry_list`
    std::vector<int> entry_list;      ///< entries of each aggregate, ascending
    std::vector<int> entry_aggregate;
    AlignedVector<float> same;  ///< [slot][8] 1 where row and neighbour move with the same aggregate, else 0

    /// Blocks that connect two aggregates, once: those of rows of the higher one.
    struct Pair {
        int high, low;   ///< aggregates
        int begin, end;  ///< groups of eight edges
    };
    std::vector<Pair> pairs;
    AlignedVector<int> edge_block;          ///< [group][8] place of the block's first entry; −1: none
    AlignedVector<int> edge_from, edge_to;  ///< [group][8] 4·row; 0 where there is none
};

/// Brings the aggregates of a system up to its pattern and prescribed rows; nothing is done where both are as before.
void update_aggregates(BlockSystem& system);

std::size_t memory_bytes(const Aggregates& aggregates);

}  // namespace pliant
