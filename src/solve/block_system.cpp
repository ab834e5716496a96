#include "pliant/solve/block_system.hpp"

#include <algorithm>
#include <numeric>

namespace pliant {

namespace {
// Rows are sorted by length inside windows of this many: padding drops to a few percent, locality stays.
constexpr int window = 512;
// How much harder to move than its whole part a row may be called. With a hundred, bodies that move as one are thrown
// about by contacts that are stiffer than they weigh; with 1, what presses a body against something else sinks into it.
// Pieces lie about, and are rarely pressed.
constexpr double whole_body = 8, whole_piece = 1;
}  // namespace

void BlockSystem::set_pattern(std::span<const std::vector<int>> neighbours) {
    rows = static_cast<int>(neighbours.size());
    slices = (rows + 7) / 8;
    std::vector<int> order(neighbours.size());
    std::iota(order.begin(), order.end(), 0);
    for (int begin = 0; begin < rows; begin += window)
        std::stable_sort(order.begin() + begin, order.begin() + std::min(rows, begin + window),
                         [&](int a, int b) { return neighbours[a].size() > neighbours[b].size(); });
    row_of_node.resize(neighbours.size());
    node_of_row.assign(8 * std::size_t(slices), -1);
    for (int row = 0; row < rows; ++row) row_of_node[order[row]] = row, node_of_row[row] = order[row];

    slice_begin.assign(slices + 1, 0);
    for (int s = 0; s < slices; ++s) {
        std::size_t longest = 0;
        for (int row = 8 * s; row < std::min(rows, 8 * s + 8); ++row)
            longest = std::max(longest, neighbours[order[row]].size());
        slice_begin[s + 1] = slice_begin[s] + static_cast<int>(longest);
    }
    column.resize(8 * std::size_t(slots()));
    for (int row = 0; row < 8 * slices; ++row) {
        const int begin = slice_begin[row / 8], end = slice_begin[row / 8 + 1];
        for (int slot = begin; slot < end; ++slot) column[8L * slot + row % 8] = row;
        if (row >= rows) continue;
        int slot = begin;
        for (int node : neighbours[order[row]]) column[8L * slot++ + row % 8] = row_of_node[node];
    }
    const std::size_t padded = 8 * std::size_t(slices);
    block.assign(72 * std::size_t(slots()), 0.f);
    inertia.assign(padded, 0), preconditioner.assign(6 * padded, 0.f), prescribed.assign(padded, 0);
    v.assign(3 * padded, 0), r.assign(3 * padded, 0), q.assign(3 * padded, 0), p.assign(4 * padded, 0);
}

Mat3 BlockSystem::diagonal(int row) const {
    Mat3 D = inertia[row] * Mat3::Identity();
    for (int slot = slice_begin[row / 8]; slot < slice_begin[row / 8 + 1]; ++slot) {
        const float* k = block.data() + 72L * slot + row % 8;
        for (int e = 0; e < 9; ++e) D(e / 3, e % 3) -= k[8 * e];
    }
    return D;
}

double BlockSystem::effective_mass(int row) const {
    const float* inverse = preconditioner.data() + 48L * (row / 8) + row % 8;
    const double mean = (1.0 / inverse[0] + 1.0 / inverse[8] + 1.0 / inverse[16]) / 3;
    if (arm.empty() || prescribed[row] || is_pinned(part_of(row))) return mean;
    return std::min(mean, (part.empty() ? whole_body : whole_piece) * part_mass[part_of(row)]);
}

void BlockSystem::set_preconditioner(int row, const Mat3& inverse) {
    float* c = preconditioner.data() + 48L * (row / 8) + row % 8;
    c[0] = float(inverse(0, 0)), c[8] = float(inverse(1, 1)), c[16] = float(inverse(2, 2));
    c[24] = float(inverse(0, 1)), c[32] = float(inverse(1, 2)), c[40] = float(inverse(2, 0));
}

void BlockSystem::reset_preconditioner(int row) {
    if (prescribed[row]) return set_preconditioner(row, Mat3::Zero());
    const Vec3 d = diagonal(row).diagonal();
    set_preconditioner(row, Vec3(1 / d[0], 1 / d[1], 1 / d[2]).asDiagonal());
}

}  // namespace pliant
