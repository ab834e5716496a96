#include "pliant/fem/row_kernels.hpp"

#include "pliant/solve/packing.hpp"

namespace pliant {

namespace {

// What elements left in bodies of more rows than this does not stay in a core's own cache: element forces are fetched
// this many early, lines one slice early, some with every slot.
constexpr int rows_that_fit = 4096;
constexpr unsigned fetched_ahead = 64;
constexpr int fetched_per_slot = 14;

template <bool Fetch>
void residual(const RowArgs& args, int begin, int end, double* momentum) {
    double sum[3] = {0, 0, 0};
    const unsigned last = args.incident_begin[args.rows] - 1;
    for (int s = begin; s < end; ++s)
        for (int lane = 0; lane < 8; ++lane) {
            const int row = 8 * s + lane;
            if (row >= args.rows) break;
            D4 elastic{};
            for (unsigned i = args.incident_begin[row]; i < args.incident_begin[row + 1]; ++i) {
                const unsigned ahead = i + fetched_ahead < last ? i + fetched_ahead : last;
                if (Fetch) __builtin_prefetch(args.force + 3L * args.incident[ahead]);
                elastic += *reinterpret_cast<const D4Loose*>(args.force + 3L * args.incident[i]);
            }
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

// Lanes of float: as many rows as go through blocks() in step.
#if defined(__AVX2__)
constexpr int lanes = 8;
typedef F8 F;
#else
constexpr int lanes = 4;
typedef F4 F;
#endif
typedef int Mask __attribute__((vector_size(4 * lanes)));
typedef F FMemory __attribute__((may_alias));

inline FMemory& at(float* p) { return *reinterpret_cast<FMemory*>(p); }

struct Corner {
    F x, y, z, w;
};

// Four numbers from each of the addresses base + offset, in lanes.
inline Corner corners(const float* base, const unsigned* offset) {
#if defined(__AVX2__)
    const F84 v = load_fours(base, offset);
    return {v.x, v.y, v.z, v.w};
#else
    F4 row[4];
    for (int i = 0; i < 4; ++i) row[i] = load4(base + offset[i]);
    const F4 ab = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const F4 cd = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const F4 ab2 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const F4 cd2 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
            __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5), __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
#endif
}

// Σ over the tets round an edge, entry by entry; a lane for each of the rows that go in step.
struct Sums {
    F xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

// K_ij = Σ λ c_i c_jᵀ + μ c_j c_iᵀ + μ (c_i·c_j) I over the tets that hold edge ij, with c = R∇ (from K_e = V BᵀEB).
// Lines hold √μ c and λ/μ, so that with a = √μ c_i, b = √μ c_j and T = a bᵀ a tet gives λ/μ T + Tᵀ + tr T I. Products
// commute, so K_ji comes out as exactly K_ijᵀ. Rows whose edge has fewer tets than others in step with it add zeros.
template <bool Same>
inline Sums edge_block(const RowArgs& args, const unsigned* step, const unsigned* last) {
    Sums k{};
    F shear{};
    for (; step < last; step += 8) {
        unsigned at_a[lanes], at_b[lanes];
        for (int lane = 0; lane < lanes; ++lane) {
            const unsigned p = step[lane];
            at_a[lane] = p & ~3u, at_b[lane] = (p & ~15u) + 4 * (p & 3);
        }
        const Corner a = corners(args.line, at_a), b = corners(args.line, at_b);
        if (Same) {
            k.xx += a.x * b.x, k.xy += a.x * b.y, k.xz += a.x * b.z;
            k.yx += a.y * b.x, k.yy += a.y * b.y, k.yz += a.y * b.z;
            k.zx += a.z * b.x, k.zy += a.z * b.y, k.zz += a.z * b.z;
        } else {
            const F ratio = a.w;
            const F xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
            k.xx += ratio * xx + xx, k.yy += ratio * yy + yy, k.zz += ratio * zz + zz;
            shear += xx + yy + zz;
            const F xy = a.x * b.y, yx = a.y * b.x;
            k.xy += ratio * xy + yx, k.yx += ratio * yx + xy;
            const F yz = a.y * b.z, zy = a.z * b.y;
            k.yz += ratio * yz + zy, k.zy += ratio * zy + yz;
            const F zx = a.z * b.x, xz = a.x * b.z;
            k.zx += ratio * zx + xz, k.xz += ratio * xz + zx;
        }
    }
    if (!Same) {
        k.xx += shear, k.yy += shear, k.zz += shear;
        return k;
    }
    const F ratio = F{} + args.ratio;
    shear = k.xx + k.yy + k.zz;
    return {ratio * k.xx + k.xx + shear, ratio * k.xy + k.yx,         ratio * k.xz + k.zx,
            ratio * k.yx + k.xy,         ratio * k.yy + k.yy + shear, ratio * k.yz + k.zy,
            ratio * k.zx + k.xz,         ratio * k.zy + k.yz,         ratio * k.zz + k.zz + shear};
}

// Where the block of corners a and b is among the six of a tet, 4·a + b; and the order of its first eight entries,
// turned over where a > b.
constexpr int block_place[16] = {0, 0, 1, 2, 0, 0, 3, 4, 1, 3, 0, 5, 2, 4, 5, 0};

inline F8 turned_over(F8 v) { return __builtin_shufflevector(v, v, 0, 3, 6, 1, 4, 7, 2, 5); }

// One row's block of a slot: entry by entry in a register, the ninth beside it. Sums run in the order of the tets, the
// same for both blocks of an edge, so that these are each other's transpose to the last bit.
inline void law_block_row(const RowArgs& args, const unsigned* step, const unsigned* last, F8& sum, float& ninth) {
    F8 total{};
    float end = 0;
    for (; step < last; step += 8) {
        const unsigned p = *step, a = p >> 2 & 3, b = p & 3;
        const float* tet = args.law_block + 56L * (p >> 4);
        const int e = block_place[4 * a + b];
        const F8 block = load8(tet + 8 * e);
        total += a < b ? block : turned_over(block);
        end += tet[48 + e];
    }
    sum = total, ninth = end;
}

// The eight rows of a slot, then from rows to entries.
inline void law_slot(const RowArgs& args, const unsigned* pair, const unsigned* last, float* to) {
    F8 sum[8];
    alignas(32) float ninth[8];
    for (int lane = 0; lane < 8; ++lane) law_block_row(args, pair + lane, last, sum[lane], ninth[lane]);
    for (int half = 0; half < 2; ++half) {
        F8 r[4];
        for (int i = 0; i < 4; ++i)
            r[i] = half == 0 ? __builtin_shufflevector(sum[i], sum[i + 4], 0, 1, 2, 3, 8, 9, 10, 11)
                             : __builtin_shufflevector(sum[i], sum[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        transpose(r[0], r[1], r[2], r[3]);
        for (int i = 0; i < 4; ++i) store8(to + 8 * (4 * half + i), r[i]);
    }
    store8(to + 64, load8(ninth));
}

// Where the blocks of the elements come from: lines of rotated gradients, or what law_pass.hpp left.
struct GradientLines {
    static constexpr bool law = false;
};
struct LawBlocks {
    static constexpr bool law = true;
};

// With a packed copy, the blocks themselves are hardly read again.
template <bool Same, bool Packs, class Source>
void blocks(const RowArgs& args, int begin, int end) {
    const auto first_row = [&](int s) { return 8 * s < args.rows ? 8 * s : args.rows; };
    const bool fetch = args.rows > rows_that_fit;
    for (int s = begin; s < end; ++s) {
        const unsigned* pair = args.pair + args.pair_begin[s];
        alignas(32) float here[72];          // a slot
        alignas(32) float trace[3][8] = {};  // of the row's blocks, entry by entry
        const unsigned *ahead = args.incident + args.incident_begin[first_row(s + 1)],
                       *ahead_end = fetch ? args.incident + args.incident_begin[first_row(s + 2)] : ahead;
        for (int slot = args.slice_begin[s]; slot < args.slice_begin[s + 1]; ++slot) {
            const unsigned* stop = ahead_end - ahead < fetched_per_slot ? ahead_end : ahead + fetched_per_slot;
            const unsigned* last = pair + 8 * args.pair_steps[slot];
            if constexpr (Source::law) {
                for (; ahead != stop; ++ahead)
                    for (int line = 0; line < 4; ++line)
                        __builtin_prefetch(args.law_block + 56L * (*ahead >> 2) + 16 * line);
                float* to = Packs ? here : args.block + 72L * slot;
                law_slot(args, pair, last, to);
                for (int i = 0; i < 3; ++i) store8(trace[i], load8(trace[i]) + load8(to + 32 * i));
            } else {
                for (; ahead != stop; ++ahead) __builtin_prefetch(args.line + 4L * (*ahead & ~3u));
                for (int half = 0; half < 8; half += lanes) {
                    const Sums k = edge_block<Same>(args, pair + half, last);
                    const F K[9] = {k.xx, k.xy, k.xz, k.yx, k.yy, k.yz, k.zx, k.zy, k.zz};
                    float* to = Packs ? here : args.block + 72L * slot;
                    for (int e = 0; e < 9; ++e) at(to + 8 * e + half) = K[e];
                    for (int i = 0; i < 3; ++i) at(&trace[i][half]) += K[4 * i];
                }
            }
            if (Packs) {
                pack_slot(here, args.packed[slot]);
                for (int e = 0; e < 72; e += 8) stream8(args.block + 72L * slot + e, load8(here + e));
            }
            pair = last;
        }
        // Jacobi: the inverse diagonal, zero in rows that are prescribed or not there.
        float* inverse = args.preconditioner + 48L * s;
        alignas(64) double free[8];
        for (int lane = 0; lane < 8; ++lane) free[lane] = 8 * s + lane < args.rows && !args.prescribed[8 * s + lane];
        for (int i = 0; i < 3; ++i)
            for (int lane = 0; lane < 8; lane += width) {
                const D d = load(args.inertia + 8L * s + lane) - load(&trace[i][lane]);
                store(inverse + 8 * i + lane, d > 0 ? load(free + lane) / d : D{});
                store(inverse + 24 + 8 * i + lane, D{});
            }
    }
    if (Packs) fence();
}

void any_residual(const RowArgs& args, int begin, int end, double* momentum) {
    return args.rows > rows_that_fit ? residual<true>(args, begin, end, momentum)
                                     : residual<false>(args, begin, end, momentum);
}

void any_blocks(const RowArgs& args, int begin, int end) {
    if (args.packed)
        return args.same_ratio ? blocks<true, true, GradientLines>(args, begin, end)
                               : blocks<false, true, GradientLines>(args, begin, end);
    return args.same_ratio ? blocks<true, false, GradientLines>(args, begin, end)
                           : blocks<false, false, GradientLines>(args, begin, end);
}

void any_law_blocks(const RowArgs& args, int begin, int end) {
    return args.packed ? blocks<true, true, LawBlocks>(args, begin, end)
                       : blocks<true, false, LawBlocks>(args, begin, end);
}

}  // namespace

namespace PLIANT_KERNEL {
extern const RowKernels row_table;
const RowKernels row_table{any_residual, any_blocks, any_law_blocks};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
