#include "pliant/solve/dense_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

typedef D DLoose __attribute__((may_alias, aligned(8)));
inline D load_loose(const double* p) { return *reinterpret_cast<const DLoose*>(p); }
inline void store_loose(double* p, D v) { *reinterpret_cast<DLoose*>(p) = v; }

// One load that fills all lanes; all() of lanes.hpp adds to zero, which this inner loop would feel.
#if defined(__AVX512F__)
inline D splat(const double& s) { return (D)_mm512_set1_pd(s); }
#elif defined(__AVX2__)
inline D splat(const double& s) { return (D)_mm256_broadcast_sd(&s); }
#else
inline D splat(const double& s) { return (D)_mm_loaddup_pd(&s); }
#endif

constexpr int tile = 2 * width;
// Accumulators of a tile and the operands fill the registers: 16 of them up to AVX2, 32 with AVX-512.
#if defined(__AVX512F__)
constexpr int tall = 12;
#else
constexpr int tall = 6;
#endif

template <int R, bool Transposed>
inline __attribute__((always_inline)) void tile_product(int cols, int depth, double sign, const double* a, long lda,
                                                        const double* b, long ldb, double* c, long ldc) {
    D low[R], high[R];
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) low[r] = D{}, high[r] = D{};
    for (int k = 0; k < depth; ++k) {
        const D b0 = load_loose(b), b1 = load_loose(b + width);
        b += ldb;
        // Columns of A are strided, which the processor does not foresee: what comes after this product is fetched.
        if (Transposed)
            __builtin_prefetch(a + (k + depth) * lda, 0, 2);
        else if (R == tall)
            __builtin_prefetch(a + (R + (k & 7)) * lda + k, 0, 2);
#pragma GCC unroll 12
        for (int r = 0; r < R; ++r) {
            const D x = splat(Transposed ? a[k * lda + r] : a[r * lda + k]);
            low[r] += x * b0;
            high[r] += x * b1;
        }
    }
    const D s = splat(sign);
    if (cols >= tile) {
#pragma GCC unroll 12
        for (int r = 0; r < R; ++r) {
            double* out = c + r * ldc;
            store_loose(out, load_loose(out) + s * low[r]);
            store_loose(out + width, load_loose(out + width) + s * high[r]);
        }
    } else {
        // Through memory, not by lane: lanes addressed by number would keep the sums out of registers.
        double edge[tile];
#pragma GCC unroll 12
        for (int r = 0; r < R; ++r) {
            store_loose(edge, s * low[r]), store_loose(edge + width, s * high[r]);
            for (int j = 0; j < cols; ++j) c[r * ldc + j] += edge[j];
        }
    }
}

template <bool Transposed>
void rows_product(int rows, int cols, int depth, double sign, const double* a, long lda, const double* b, long ldb,
                  double* c, long ldc) {
    int i = 0;
    auto at = [&](int row) { return Transposed ? a + row : a + row * lda; };
    for (; i + tall <= rows; i += tall)
        tile_product<tall, Transposed>(cols, depth, sign, at(i), lda, b, ldb, c + i * ldc, ldc);
    for (; i + 4 <= rows; i += 4) tile_product<4, Transposed>(cols, depth, sign, at(i), lda, b, ldb, c + i * ldc, ldc);
    for (; i < rows; ++i) tile_product<1, Transposed>(cols, depth, sign, at(i), lda, b, ldb, c + i * ldc, ldc);
}

// Rows of A that stay in the second-level cache while all strips of B pass by.
constexpr long panel_bytes = 128 * 1024;

void multiply(int rows, int cols, int depth, double sign, const double* a, long lda, bool transposed, const double* b,
              long ldb, long strip, double* c, long ldc) {
    if (rows <= 0 || cols <= 0 || depth <= 0) return;
    long band = panel_bytes / (8L * depth) / tall * tall;
    if (band < 2 * tall) band = 2 * tall;
    for (int i = 0; i < rows; i += static_cast<int>(band)) {
        const int height = rows - i < band ? rows - i : static_cast<int>(band);
        const double* top = transposed ? a + i : a + i * lda;
        for (int j = 0, s = 0; j < cols; j += tile, ++s) {
            const double* bs = b + s * strip;
            double* cs = c + i * ldc + j;
            if (transposed)
                rows_product<true>(height, cols - j, depth, sign, top, lda, bs, ldb, cs, ldc);
            else
                rows_product<false>(height, cols - j, depth, sign, top, lda, bs, ldb, cs, ldc);
        }
    }
}

void pack(int cols, int depth, const double* l, long ldl, const double* d, double* b) {
    for (int j0 = 0; j0 < cols; j0 += tile) {
        for (int t = 0; t < tile; ++t) {
            const double* row = l + (j0 + t) * ldl;
            double* out = b + t;
            if (j0 + t < cols)
                for (int k = 0; k < depth; ++k, out += tile) *out = d[k] * row[k];
            else
                for (int k = 0; k < depth; ++k, out += tile) *out = 0;
        }
        b += static_cast<long>(depth) * tile;
    }
}

void factor_diagonal(int n, double* a, long lda) {
    for (int j = 0; j < n; ++j) {
        const double pivot = a[j * lda + j];
        for (int i = j + 1; i < n; ++i) {
            const double l = a[i * lda + j] / pivot;
            for (int k = j + 1; k <= i; ++k) a[i * lda + k] -= l * a[k * lda + j];
        }
        for (int i = j + 1; i < n; ++i) a[i * lda + j] /= pivot;
    }
}

void invert_unit(int n, double* l, long ldl) {
    // Row i of the inverse: −(row i of L) · (rows above of the inverse).
    double row[diagonal_block];
    for (int i = 1; i < n; ++i) {
        for (int k = 0; k < i; ++k) row[k] = l[i * ldl + k];
        for (int j = 0; j < i; ++j) {
            double s = row[j];
            for (int k = j + 1; k < i; ++k) s += row[k] * l[k * ldl + j];
            l[i * ldl + j] = -s;
        }
    }
}

void apply_unit_inverse(int n, int cols, const double* inverse, long ld, bool transposed, double* x, long ldx) {
    for (int j = 0; j < cols; j += width) {
        double* col = x + j;
        if (!transposed)
            for (int i = n - 1; i > 0; --i) {
                D s = load_loose(col + i * ldx);
                for (int k = 0; k < i; ++k) s += splat(inverse[i * ld + k]) * load_loose(col + k * ldx);
                store_loose(col + i * ldx, s);
            }
        else
            for (int i = 0; i + 1 < n; ++i) {
                D s = load_loose(col + i * ldx);
                for (int k = i + 1; k < n; ++k) s += splat(inverse[k * ld + i]) * load_loose(col + k * ldx);
                store_loose(col + i * ldx, s);
            }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const DenseKernels dense_table;
const DenseKernels dense_table{tile, multiply, pack, factor_diagonal, invert_unit, apply_unit_inverse};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
