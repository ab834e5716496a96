// The symbolic part of multigrid: which grid nodes there are, who interpolates from whom, and the coarse sparsity.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pliant/solve/multigrid.hpp"

namespace pliant {

namespace {

// Grids are coarsened until so few nodes are left that a dense factorisation costs nothing.
constexpr int few_nodes = 40;
// Fractions of a cell closer than this to a whole number are that number: lattices then have few weights.
constexpr double snap = 1e-4;

struct Grid {
    Vec3 origin;
    std::array<int, 3> cells;
    Vec3 size;  ///< of a cell

    long index(int x, int y, int z) const { return (long(x) * (cells[1] + 1) + y) * (cells[2] + 1) + z; }
    Vec3 position(long node) const {
        const long z = node % (cells[2] + 1), y = node / (cells[2] + 1) % (cells[1] + 1),
                   x = node / (cells[2] + 1) / (cells[1] + 1);
        return origin + size.cwiseProduct(Vec3(double(x), double(y), double(z)));
    }
};

Grid fit_grid(const Box& box, double cell) {
    Grid grid{box.min, {}, Vec3::Zero()};
    const Vec3 extent = box.max - box.min;
    for (int c = 0; c < 3; ++c) {
        grid.cells[c] = std::max(1, static_cast<int>(std::lround(extent[c] / cell)));
        grid.size[c] = extent[c] > 0 ? extent[c] / grid.cells[c] : cell;
    }
    return grid;
}

// Grid nodes per mesh node, on average, from which on the finest grid is taken half as coarse again: it doesn't fit, so
// its matrix has three times the neighbours, and fewer of its nodes cost less than the two or three iterations they
// save.
constexpr double many_weights = 5;

struct Corner {
    long node;
    double weight;
};

// Weights in units: rounded, and the largest takes what is left of one.
void round_weights(const std::array<Corner, 8>& corners, int count, std::vector<std::uint16_t>& out) {
    const std::size_t first = out.size();
    int left = static_cast<int>(1 / weight_unit), largest = 0;
    for (int k = 0; k < count; ++k) {
        out.push_back(static_cast<std::uint16_t>(std::lround(corners[k].weight / weight_unit)));
        left -= out.back();
        if (corners[k].weight > corners[largest].weight) largest = k;
    }
    out[first + largest] = static_cast<std::uint16_t>(out[first + largest] + left);
}

// The grid nodes that a point hangs on, at most eight; returns how many.
int corners_of(const Grid& grid, const Vec3& point, std::array<Corner, 8>& out) {
    int low[3];
    double fraction[3];
    for (int c = 0; c < 3; ++c) {
        const double at = (point[c] - grid.origin[c]) / grid.size[c];
        low[c] = std::clamp(static_cast<int>(std::floor(at)), 0, grid.cells[c] - 1);
        fraction[c] = std::clamp(at - low[c], 0.0, 1.0);
        if (fraction[c] < snap) fraction[c] = 0;
        if (fraction[c] > 1 - snap) fraction[c] = 1;
    }
    int count = 0;
    for (int k = 0; k < 8; ++k) {
        double weight = 1;
        int node[3];
        for (int c = 0; c < 3; ++c) {
            const int up = k >> c & 1;
            node[c] = low[c] + up;
            weight *= up ? fraction[c] : 1 - fraction[c];
        }
        if (weight > 0) out[count++] = {grid.index(node[0], node[1], node[2]), weight};
    }
    return count;
}

// Hangs the points on the grid; `node` lists the grid nodes that are used, in the order of the grid.
Multigrid::Transfer hang(const std::vector<Vec3>& points, const Grid& grid, std::vector<long>& node) {
    Multigrid::Transfer up;
    up.begin.assign(1, 0);
    std::array<Corner, 8> corners;
    std::vector<long> hung;
    for (const Vec3& point : points) {
        const int count = corners_of(grid, point, corners);
        for (int k = 0; k < count; ++k) hung.push_back(corners[k].node);
        round_weights(corners, count, up.weight);
        up.begin.push_back(static_cast<int>(hung.size()));
    }
    node = hung;
    std::sort(node.begin(), node.end());
    node.erase(std::unique(node.begin(), node.end()), node.end());
    for (long n : hung)
        up.row.push_back(static_cast<int>(std::lower_bound(node.begin(), node.end(), n) - node.begin()));
    up.weight.shrink_to_fit(), up.row.shrink_to_fit(), up.begin.shrink_to_fit();
    return up;
}

Multigrid::Transfer transposed(const Multigrid::Transfer& up, int coarse_rows) {
    Multigrid::Transfer down;
    down.begin.assign(coarse_rows + 1, 0);
    for (int row : up.row) ++down.begin[row + 1];
    for (int i = 0; i < coarse_rows; ++i) down.begin[i + 1] += down.begin[i];
    down.row.resize(up.row.size()), down.weight.resize(up.row.size());
    std::vector<int> next(down.begin.begin(), down.begin.end() - 1);
    for (int i = 0; i + 1 < static_cast<int>(up.begin.size()); ++i)
        for (int k = up.begin[i]; k < up.begin[i + 1]; ++k) {
            const int at = next[up.row[k]]++;
            down.row[at] = i, down.weight[at] = up.weight[k];
        }
    return down;
}

// Which coarse nodes meet in PᵀAP: those that some pair of coupled fine rows hangs on.
std::vector<std::vector<int>> coarse_neighbours(const BlockSystem& fine, const Multigrid::Transfer& up,
                                                const Multigrid::Transfer& down, Threads& threads) {
    const int coarse = static_cast<int>(down.begin.size()) - 1;
    std::vector<std::vector<int>> out(coarse);
    parallel_for(threads, coarse, 256, [&](std::size_t begin, std::size_t end) {
        std::vector<int> fine_seen(fine.rows, -1), seen(coarse, -1), list;
        for (int I = static_cast<int>(begin); I < static_cast<int>(end); ++I) {
            list.clear();
            seen[I] = I;
            auto visit = [&](int j) {
                if (fine_seen[j] == I) return;
                fine_seen[j] = I;
                for (int k = up.begin[j]; k < up.begin[j + 1]; ++k)
                    if (seen[up.row[k]] != I) seen[up.row[k]] = I, list.push_back(up.row[k]);
            };
            for (int c = down.begin[I]; c < down.begin[I + 1]; ++c) {
                const int i = down.row[c];
                visit(i);
                for (int slot = fine.slice_begin[i / 8]; slot < fine.slice_begin[i / 8 + 1]; ++slot)
                    visit(fine.neighbour(slot, i % 8));
            }
            std::sort(list.begin(), list.end());
            out[I] = list;
        }
    });
    return out;
}

// Vectors of a solve live where the elements have left memory, if that is enough.
void size_vectors(Multigrid& m, std::span<float> spare) {
    std::size_t doubles = 0, anchors = 0;
    for (const Multigrid::Level& level : m.levels) {
        const std::size_t padded = 8 * std::size_t(level.slices);
        doubles += (&level == &m.levels[0] ? 20 : 18) * padded;
        if (&level != &m.levels[0]) anchors += 9 * padded;
    }
    m.coarse_anchors.assign(anchors, 0.f);
    double* next = reinterpret_cast<double*>(spare.data());
    if (spare.size() < 2 * doubles) {
        m.memory.assign(doubles, 0);
        next = m.memory.data();
    } else {
        m.spare = spare.subspan(2 * doubles);
    }
    const auto take = [&](std::size_t count) { return std::span(std::exchange(next, next + count), count); };
    float* anchor = m.coarse_anchors.data();
    for (Multigrid::Level& level : m.levels) {
        const std::size_t padded = 8 * std::size_t(level.slices);
        level.t = take(3 * padded), level.d = take(4 * padded), level.e = take(4 * padded), level.z = take(4 * padded);
        if (&level == &m.levels[0]) {
            level.anchor = {reinterpret_cast<float*>(take(5 * padded).data()), 9 * padded};
        } else {
            level.r = take(3 * padded);
            level.anchor = {std::exchange(anchor, anchor + 9 * padded), 9 * padded};
        }
    }
}

}  // namespace

void lay_grids(Multigrid& m, const BlockSystem& system, std::span<const Vec3> position, double spacing,
               Threads& threads) {
    m.levels.clear();
    m.levels.emplace_back();
    m.levels[0].rows = system.rows, m.levels[0].slices = system.slices;
    std::vector<Vec3> points(system.rows);
    Box box;
    for (int row = 0; row < system.rows; ++row) {
        points[row] = position[system.node_of_row[row]];
        box.add(points[row]);
    }
    double cell = 2 * spacing;
    m.most_neighbours = 0;
    for (;; cell *= 2) {
        const std::size_t l = m.levels.size() - 1;
        const BlockSystem& fine = l == 0 ? system : m.levels[l].matrix;
        Grid grid = fit_grid(box, cell);
        std::vector<long> node;
        Multigrid::Transfer up = hang(points, grid, node);
        if (l == 0 && up.row.size() > many_weights * points.size()) {
            cell *= 1.5;
            grid = fit_grid(box, cell);
            up = hang(points, grid, node);
        }
        const int coarse_rows = static_cast<int>(node.size());

        Multigrid::Level coarse;
        coarse.matrix.set_pattern(coarse_neighbours(fine, up, transposed(up, coarse_rows), threads));
        coarse.rows = coarse.matrix.rows, coarse.slices = coarse.matrix.slices;
        for (int& row : up.row) row = coarse.matrix.row_of_node[row];
        for (int s = 0; s < coarse.slices; ++s)
            m.most_neighbours = std::max<std::size_t>(m.most_neighbours,
                                                      coarse.matrix.slice_begin[s + 1] - coarse.matrix.slice_begin[s]);
        points.resize(coarse_rows);
        for (int row = 0; row < coarse_rows; ++row) points[row] = grid.position(node[coarse.matrix.node_of_row[row]]);
        BlockSystem& a = coarse.matrix;
        release(a.v), release(a.r), release(a.inertia);
        release(a.prescribed), release(a.row_of_node), release(a.node_of_row);
        m.levels[l].down = transposed(up, coarse_rows);
        m.levels[l].up = std::move(up);
        m.levels.push_back(std::move(coarse));
        if (coarse_rows <= few_nodes || grid.cells == std::array<int, 3>{1, 1, 1}) break;
    }
    size_vectors(m, system.behind_work());
    m.partial.assign(system.slices / 16 + 1, 0);
}

std::size_t memory_bytes(const Multigrid& m) {
    auto bytes = [](const auto&... vectors) { return ((vectors.capacity() * sizeof(vectors[0])) + ... + 0); };
    std::size_t sum =
        sizeof m + bytes(m.levels, m.coarse_anchors, m.memory, m.factor, m.solution, m.scratch, m.partial);
    for (const Multigrid::Level& l : m.levels) {
        const BlockSystem& a = l.matrix;
        sum += bytes(l.up.begin, l.up.row, l.up.weight, l.down.begin, l.down.row, l.down.weight) +
               bytes(a.slice_begin, a.column, a.block, a.preconditioner);
    }
    return sum;
}

}  // namespace pliant
