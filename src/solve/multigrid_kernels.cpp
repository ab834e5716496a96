#include "pliant/solve/multigrid_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

constexpr int ahead = 4096 / 4;  // floats of the matrix fetched early, as in cg_kernels.cpp

inline D3 symmetric_times(const float* c, const D3& r) {
    const D xx = load(c), yy = load(c + 8), zz = load(c + 16), xy = load(c + 24), yz = load(c + 32), zx = load(c + 40);
    return {xx * r.x + xy * r.y + zx * r.z, xy * r.x + yy * r.y + yz * r.z, zx * r.x + yz * r.y + zz * r.z};
}

inline D3 load_blocked(const double* p) { return {load(p), load(p + 8), load(p + 16)}; }
inline void store_blocked(double* p, const D3& v) { store(p, v.x), store(p + 8, v.y), store(p + 16, v.z); }

inline D3 block_times(const float* k, const D3& e) {
    return {load(k) * e.x + load(k + 8) * e.y + load(k + 16) * e.z,
            load(k + 24) * e.x + load(k + 32) * e.y + load(k + 40) * e.z,
            load(k + 48) * e.x + load(k + 56) * e.y + load(k + 64) * e.z};
}

// A d for `width` rows of slice s.
inline D3 product(const LevelArgs& a, const double* d, const D3& own, int s, int half) {
    D3 y = block_times(a.anchor + 72L * s + half, own);
    for (int slot = a.slice_begin[s]; slot < a.slice_begin[s + 1]; ++slot) {
        const float* k = a.block + 72L * slot + half;
        if (half == 0)
            for (int line = 0; line < 80; line += 16) __builtin_prefetch(k + ahead + line);
        D3 e = load_at(d, a.column + 8L * slot + half);
        e.x -= own.x, e.y -= own.y, e.z -= own.z;
        y.x += load(k) * e.x + load(k + 8) * e.y + load(k + 16) * e.z;
        y.y += load(k + 24) * e.x + load(k + 32) * e.y + load(k + 40) * e.z;
        y.z += load(k + 48) * e.x + load(k + 56) * e.y + load(k + 64) * e.z;
    }
    return y;
}

void start(const LevelArgs& a, double step, const double* r, double* t, double* d, double* z, int begin, int end) {
    const D by = all(step);
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const D3 left = load_blocked(r + 24L * s + half);
            store_blocked(t + 24L * s + half, left);
            D3 c = symmetric_times(a.inverse + 48L * s + half, left);
            c.x *= by, c.y *= by, c.z *= by;
            store_rows(d + 32L * s + 4 * half, c);
            store_rows(z + 32L * s + 4 * half, c);
        }
}

// t −= A·d in these rows, which are returned.
inline D3 subtract_product(const LevelArgs& a, const double* d, const D3& own, double* t, int s, int half) {
    const D3 q = product(a, d, own, s, half);
    D3 left = load_blocked(t + 24L * s + half);
    left.x -= q.x, left.y -= q.y, left.z -= q.z;
    store_blocked(t + 24L * s + half, left);
    return left;
}

void smooth(const LevelArgs& a, double keep, double step, const double* d, double* t, double* next, double* z,
            int begin, int end) {
    const D by = all(step), old = all(keep);
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const D3 own = load_own_rows(d + 32L * s + 4 * half);
            const D3 left = subtract_product(a, d, own, t, s, half);
            D3 c = symmetric_times(a.inverse + 48L * s + half, left);
            c.x = old * own.x + by * c.x, c.y = old * own.y + by * c.y, c.z = old * own.z + by * c.z;
            store_rows(next + 32L * s + 4 * half, c);
            D3 sum = load_own_rows(z + 32L * s + 4 * half);
            sum.x += c.x, sum.y += c.y, sum.z += c.z;
            store_rows(z + 32L * s + 4 * half, sum);
        }
}

void residual(const LevelArgs& a, const double* d, double* t, double* rows, int begin, int end) {
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            D3 left = subtract_product(a, d, load_own_rows(d + 32L * s + 4 * half), t, s, half);
            const D xx = load(a.inverse + 48L * s + half);
            left.x = xx != 0 ? left.x : D{}, left.y = xx != 0 ? left.y : D{}, left.z = xx != 0 ? left.z : D{};
            store_rows(rows + 32L * s + 4 * half, left);
        }
}

void restrict_rows(const TransferArgs& down, const double* rows, double* r, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        D4 sum{};
        for (int k = down.begin[i]; k < down.begin[i + 1]; ++k)
            sum += weight_unit * down.weight[k] * load4(rows + 4L * down.row[k]);
        double* out = r + 24L * (i / 8) + i % 8;
        out[0] = sum[0], out[8] = sum[1], out[16] = sum[2];
    }
}

void prolong(const TransferArgs& up, const float* inverse, const double* coarse, double* d, double* z, int begin,
             int end) {
    for (int i = begin; i < end; ++i) {
        D4 sum{};
        if (inverse[48L * (i / 8) + i % 8] != 0)
            for (int k = up.begin[i]; k < up.begin[i + 1]; ++k)
                sum += weight_unit * up.weight[k] * load4(coarse + 4L * up.row[k]);
        store4(d + 4L * i, sum);
        store4(z + 4L * i, load4(z + 4L * i) + sum);
    }
}

// Rows of a 3×3 block as vectors of four.
struct Block {
    D4 row[3];
};
inline Block block_at(const float* f) {
    return {{D4{f[0], f[8], f[16], 0}, D4{f[24], f[32], f[40], 0}, D4{f[48], f[56], f[64], 0}}};
}
inline void add(double* sum, double by, const Block& b) {
    for (int i = 0; i < 3; ++i) store4(sum + 4 * i, load4(sum + 4 * i) + by * b.row[i]);
}

// Σ_j K_ij (d_j − d_i) with d = P e is Σ_J (Σ_j w_jJ K_ij − w_iJ Σ_j K_ij) e_J. What is prescribed does not move (d_j =
// 0) and so anchors its neighbours.
void galerkin(const GalerkinArgs& a, int begin, int end, int* place, double* sum) {
    for (int I = begin; I < end; ++I) {
        const int first = a.slice_begin[I / 8], last = a.slice_begin[I / 8 + 1], lane = I % 8;
        int count = 0;
        for (int slot = first; slot < last; ++slot) {
            const int J = a.column[8L * slot + lane] / 4;
            if (J != I) place[J] = 12 * count++;
        }
        place[I] = 12 * count;  // follows from the others: summed up and forgotten
        double* anchor = sum + 12 * (count + 1);
        for (int k = 0; k < 12 * (count + 2); ++k) sum[k] = 0;
        for (int c = a.down.begin[I]; c < a.down.begin[I + 1]; ++c) {
            const int i = a.down.row[c], slice = i / 8, l = i % 8;
            if (a.fine.inverse[48L * slice + l] == 0) continue;
            const double w = weight_unit * weight_unit * a.down.weight[c];  // of two interpolations
            const Block own = block_at(a.fine.anchor + 72L * slice + l);
            Block held = own, diagonal = own;  // own share of the coarse anchor; minus the sum of the row
            for (int slot = a.fine.slice_begin[slice]; slot < a.fine.slice_begin[slice + 1]; ++slot) {
                const int j = a.fine.column[8L * slot + l] / 4;
                if (j == i) continue;
                const Block K = block_at(a.fine.block + 72L * slot + l);
                const bool moves = a.fine.inverse[48L * (j / 8) + j % 8] != 0;
                for (int r = 0; r < 3; ++r) {
                    diagonal.row[r] -= K.row[r];
                    if (!moves) held.row[r] -= K.row[r];
                }
                if (!moves) continue;
                for (int u = a.up.begin[j]; u < a.up.begin[j + 1]; ++u)
                    add(sum + place[a.up.row[u]], w * a.up.weight[u], K);
            }
            for (int u = a.up.begin[i]; u < a.up.begin[i + 1]; ++u)
                add(sum + place[a.up.row[u]], w * a.up.weight[u], diagonal);
            add(anchor, w / weight_unit, held);
        }
        count = 0;
        for (int slot = first; slot < last; ++slot) {
            float* out = a.block + 72L * slot + lane;
            const int J = a.column[8L * slot + lane] / 4;
            place[J] = -1;
            for (int e = 0; e < 9; ++e) out[8 * e] = J != I ? float(sum[12 * count + 4 * (e / 3) + e % 3]) : 0.f;
            if (J != I) ++count;
        }
        place[I] = -1;
        float* out = a.anchor + 72L * (I / 8) + lane;
        for (int e = 0; e < 9; ++e) out[8 * e] = float(anchor[4 * (e / 3) + e % 3]);
    }
}

double dot(const double* r, const double* z, int begin, int end) {
    D sum_{};
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const D3 a = load_blocked(r + 24L * s + half), b = load_own_rows(z + 32L * s + 4 * half);
            sum_ += a.x * b.x + a.y * b.y + a.z * b.z;
        }
    return sum(sum_);
}

void turn(double turn_by, const double* z, double* p, int begin, int end) {
    for (long k = 32L * begin; k < 32L * end; k += 4)
        store4(p + k, turn_by == 0 ? load4(z + k) : load4(z + k) + turn_by * load4(p + k));
}

}  // namespace

namespace PLIANT_KERNEL {
extern const MultigridKernels multigrid_table;
const MultigridKernels multigrid_table{start, smooth, residual, restrict_rows, prolong, galerkin, dot, turn};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
