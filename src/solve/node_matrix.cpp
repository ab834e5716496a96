#include "pliant/solve/node_matrix.hpp"

#include <algorithm>

namespace pliant {

int NodePattern::find(int row, int col) const {
    const auto first = column.begin() + begin[row], last = column.begin() + begin[row + 1];
    const auto it = std::lower_bound(first, last, col);
    return it != last && *it == col ? static_cast<int>(it - column.begin()) : -1;
}

void multiply(const NodeMatrix& a, const MultiVector& x, MultiVector& y, Threads& threads) {
    const int width = x.width;
    if (y.rows != x.rows || y.width != width) y.resize(x.rows, width);
    parallel_for(threads, static_cast<std::size_t>(a.pattern.nodes()), 256, [&](std::size_t from, std::size_t till) {
        for (std::size_t i = from; i < till; ++i) {
            double *y0 = y.row(static_cast<int>(3 * i)), *y1 = y0 + width, *y2 = y1 + width;
            std::fill(y0, y2 + width, 0.0);
            for (int e = a.pattern.begin[i]; e < a.pattern.begin[i + 1]; ++e) {
                const double* k = a.block.data() + 9L * e;
                const double *x0 = x.row(3 * a.pattern.column[e]), *x1 = x0 + width, *x2 = x1 + width;
                for (int c = 0; c < width; ++c) {
                    y0[c] += k[0] * x0[c] + k[1] * x1[c] + k[2] * x2[c];
                    y1[c] += k[3] * x0[c] + k[4] * x1[c] + k[5] * x2[c];
                    y2[c] += k[6] * x0[c] + k[7] * x1[c] + k[8] * x2[c];
                }
            }
        }
    });
}

}  // namespace pliant
