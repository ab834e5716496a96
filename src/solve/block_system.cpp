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

// What has grown once will grow again, and new memory is slow.
template <class Array>
std::size_t room(const Array& array, std::size_t size) {
    return array.empty() ? size : size + size / 4;
}
}  // namespace

void BlockSystem::set_rows(std::span<const int> length, std::span<const int> order, std::size_t shared) {
    rows = static_cast<int>(length.size());
    slices = (rows + 7) / 8;
    node_of_row.assign(8 * std::size_t(slices), -1);
    if (order.empty()) {
        std::iota(node_of_row.begin(), node_of_row.begin() + rows, 0);
        for (int begin = 0; begin < rows; begin += window)
            std::stable_sort(node_of_row.begin() + begin, node_of_row.begin() + std::min(rows, begin + window),
                             [&](int a, int b) { return length[a] > length[b]; });
    } else {
        std::copy(order.begin(), order.end(), node_of_row.begin());
    }
    row_of_node.resize(rows);
    for (int row = 0; row < rows; ++row) row_of_node[node_of_row[row]] = row;

    slice_begin.assign(slices + 1, 0);
    for (int s = 0; s < slices; ++s) {
        int longest = 0;
        for (int row = 8 * s; row < std::min(rows, 8 * s + 8); ++row)
            longest = std::max(longest, length[node_of_row[row]]);
        slice_begin[s + 1] = slice_begin[s] + longest;
    }
    column.resize(8 * std::size_t(slots()));
    for (int s = 0; s < slices; ++s)
        for (int slot = slice_begin[s]; slot < slice_begin[s + 1]; ++slot)
            for (int lane = 0; lane < 8; ++lane) column[8L * slot + lane] = 4 * (8 * s + lane);
    // Anew, so that the empty rows of the last slice hold zeros.
    inertia.clear(), preconditioner.clear(), prescribed.clear(), v.clear(), r.clear();
    size_arrays(shared);
}

void BlockSystem::prepare_packed() {
    const std::size_t size = slots();
    if (packed.size() < size) {
        const std::size_t enough = room(packed, size);
        release(packed);
        packed.resize(enough);
    }
    if (near_known) return;
    near_known = true;
    near.resize(8 * size);
    for (int s = 0; s < slices; ++s)
        for (long at = 8L * slice_begin[s]; at < 8L * slice_begin[s + 1]; ++at) {
            const int away = column[at] - 32 * s;
            near[at] = static_cast<short>(away);
            if (near[at] != away) return release(near);
        }
}

void BlockSystem::size_arrays(std::size_t shared) {
    const auto resize = [&](auto& array, std::size_t size) {
        if (size > array.capacity()) array.reserve(room(array, size));
        array.resize(size);
    };
    resize(inertia, padded()), resize(preconditioner, 6 * padded()), resize(prescribed, padded());
    resize(v, 3 * padded()), resize(r, 3 * padded());
    near_known = aggregates.pattern_known = coarse_ready = false;
    const std::size_t floats = std::max(72 * std::size_t(slots()), shared) + 16;  // a load may read a little too far
    if (block.size() < floats) {
        const std::size_t size = room(block, floats);
        release(block);  // first, so that both are never there together
        block.resize(size, 0.f);
    }
}

void BlockSystem::set_pattern(std::span<const std::vector<int>> neighbours) {
    std::vector<int> length(neighbours.size());
    for (std::size_t i = 0; i < neighbours.size(); ++i) length[i] = static_cast<int>(neighbours[i].size());
    set_rows(length);
    for (int row = 0; row < rows; ++row) {
        int slot = slice_begin[row / 8];
        for (int node : neighbours[node_of_row[row]]) column[8L * slot++ + row % 8] = 4 * row_of_node[node];
    }
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
    if (lever.empty() || prescribed[row] || is_pinned(part_of(row))) return mean;
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
