#include "pliant/fem/row_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

// Lines are fetched this many contributions early; the list is padded to allow it.
constexpr int pairs_ahead = 32;

void residual(const RowArgs& args, int begin, int end, double* momentum) {
    double sum[3] = {0, 0, 0};
    for (int s = begin; s < end; ++s)
        for (int lane = 0; lane < 8; ++lane) {
            const int row = 8 * s + lane;
            if (row >= args.rows) break;
            D4 elastic{};
            for (unsigned i = args.incident_begin[row]; i < args.incident_begin[row + 1]; ++i)
                elastic += *reinterpret_cast<const D4Loose*>(args.force + 3L * args.incident[i]);
            const long node = args.node_of_row[row];
            const double mass = args.mass[node];
            double* v = args.out_v + 24L * s + lane;
            double* r = args.out_r + 24L * s + lane;
            for (int c = 0; c < 3; ++c) {
                const double speed = args.v[3 * node + c], push = args.dt * args.external[3 * node + c];
                v[8 * c] = speed;
                r[8 * c] = elastic[c] + (push - args.dt * args.mass_damping * mass * speed);
                sum[c] += mass * speed + push;
            }
        }
    for (int c = 0; c < 3; ++c) momentum[c] += sum[c];
}

inline F8 twice(const float* p) {
    const F4 v = load4(p);
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline F8 both(float low, float high) {
    const F8 a = all8(low), b = all8(high);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 12, 13, 14, 15);
}
inline F4 low(F8 v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
inline F4 high(F8 v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }

// Entry k of four vectors' low halves, and of their high halves, for k = 0, 1, 2.
inline void entries(const F8* v, F8* out) {
    const F8 ab = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 cd = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 ab2 = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 cd2 = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
}

// K_ij = Σ λ c_i c_jᵀ + μ c_j c_iᵀ + μ (c_i·c_j) I over the tets that hold edge ij, with c = R∇ (from K_e = V BᵀEB).
// The low half of a register sums λ T, the high half μ T, T = c_i c_jᵀ, one register per row of T. Products commute, so
// K_ji comes out as exactly K_ijᵀ.
void blocks(const RowArgs& args, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        const unsigned* pair = args.pair + args.pair_begin[s];
        F4 trace[2][3] = {};
        for (int slot = args.slice_begin[s]; slot < args.slice_begin[s + 1]; ++slot) {
            float* out = args.block + 72L * slot;
            const unsigned short* count = args.pair_count + 8L * slot;
            for (int half = 0; half < 2; ++half) {
                F8 T[3][4];
                for (int lane = 0; lane < 4; ++lane) {
                    F8 t0{}, t1{}, t2{};
                    for (const unsigned* last = pair + count[4 * half + lane]; pair != last; ++pair) {
                        const float* line = args.line + 16L * (*pair >> 4);
                        __builtin_prefetch(args.line + 16L * (pair[pairs_ahead] >> 4));
                        const F8 a = twice(line + (*pair & 12)), b = twice(line + 4 * (*pair & 3));
                        const F8 weight = both(line[3], line[7]);
                        t0 += weight * (__builtin_shufflevector(a, a, 0, 0, 0, 0, 4, 4, 4, 4) * b);
                        t1 += weight * (__builtin_shufflevector(a, a, 1, 1, 1, 1, 5, 5, 5, 5) * b);
                        t2 += weight * (__builtin_shufflevector(a, a, 2, 2, 2, 2, 6, 6, 6, 6) * b);
                    }
                    T[0][lane] = t0, T[1][lane] = t1, T[2][lane] = t2;
                }
                F8 e[3][3];
                for (int i = 0; i < 3; ++i) entries(T[i], e[i]);
                const F4 shear = high(e[0][0]) + high(e[1][1]) + high(e[2][2]);
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) {
                        F4 k = low(e[i][j]) + high(e[j][i]);
                        if (i == j) k += shear, trace[half][i] += k;
                        store4(out + 8 * (3 * i + j) + 4 * half, k);
                    }
            }
        }
        for (int lane = 0; lane < 8; ++lane) {
            const int row = 8 * s + lane;
            float* c = args.preconditioner + 48L * s + lane;
            const bool free = row < args.rows && !args.prescribed[row];
            for (int i = 0; i < 3; ++i) {
                const double d = args.inertia[row] - double(trace[lane / 4][i][lane % 4]);
                c[8 * i] = free && d > 0 ? float(1 / d) : 0.f;
                c[24 + 8 * i] = 0.f;
            }
        }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const RowKernels row_table;
const RowKernels row_table{residual, blocks};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
