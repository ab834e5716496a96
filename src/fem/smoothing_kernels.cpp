#include "pliant/fem/smoothing_kernels.hpp"

#include "pliant/fem/law_pass.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/law_list.hpp"

namespace pliant {

namespace {

void smooth_deformation(const SmoothArgs& args, int begin, int end) {
    for (int t = begin; t < end; ++t) {
        const int* node = args.node + 32L * (t / 8) + t % 8;
        const double* gradient = args.gradient + 72L * (t / 8) + t % 8;
        D4 slope[3];
        for (int a = 0; a < 3; ++a) slope[a] = D4{gradient[24 * a], gradient[24 * a + 8], gradient[24 * a + 16], 0};
        const auto write = [&](const double* field, double* out, const double* add, double scale) {
            const double* origin = field + 3L * node[0];
            for (int i = 0; i < 3; ++i) {
                D4 row{};
                for (int a = 0; a < 3; ++a) row += (field[3L * node[8 * (a + 1)] + i] - origin[i]) * slope[a];
                if (add) row = row + scale * load4(add + 4 * i);
                store4(out + 4 * i, row);
            }
        };
        if (args.v) write(args.v, args.rate + 12L * t, nullptr, 0);
        write(args.x, args.F + 12L * t, args.v ? args.rate + 12L * t : nullptr, args.dt);
    }
}

// Eight domains while they are worked on.
struct SmoothGroup {
    alignas(64) double F[9][8], rate[9][8], P[9][8];
    alignas(64) float narrow_F[9][8], narrow_rate[9][8], damping[9][8];
    alignas(64) float lambda[8], mu[8], volume[8];
};

inline void smooth_means(const SmoothArgs& args, int group, SmoothGroup& g) {
    for (int lane = 0; lane < 8; ++lane) {
        const int domain = 8 * group + lane;
        const unsigned first = args.member_begin[domain], last = args.member_begin[domain + 1];
        D4 F[3] = {}, rate[3] = {};
        for (unsigned m = first; m < last; ++m) {
            const double weight = args.member_weight[m];
            const long at = 12L * args.member[m];
            for (int i = 0; i < 3; ++i) F[i] += weight * load4(args.F + at + 4 * i);
            if (args.v)
                for (int i = 0; i < 3; ++i) rate[i] += weight * load4(args.rate + at + 4 * i);
        }
        for (int k = 0; k < 9; ++k) {
            const double here = first == last ? double(k % 4 == 0) : F[k / 3][k % 3];
            g.F[k][lane] = here, g.narrow_F[k][lane] = float(here);
            g.rate[k][lane] = rate[k / 3][k % 3], g.narrow_rate[k][lane] = float(rate[k / 3][k % 3]);
        }
    }
}

// What λ adds to the stress: the share of a node.
template <class Law, class V>
inline Matrix<V> volume_stress(const LawNumbers<V>& n, const Matrix<V>& F) {
    Matrix<V> P = Law::template stress<V>(n, F);
    const Matrix<V> less = Law::template stress<V>({filled<V>(0), n.mu, n.extra}, F);
    for (int k = 0; k < 9; ++k) P.m[k] = P.m[k] - less.m[k];
    return P;
}

// Plastic strain is additive in the frame of the rotation, for Hooke's laws alone: an edge loses 2μV ε of its stress, a
// node λV tr ε I. `strain` holds these products but for the 2.
template <class Law>
inline void smooth_plastic(const SmoothArgs& args, int group, int half, bool edge, const Matrix<D>& F, Matrix<D>& P) {
    Matrix<D> R{};
    for (int k = 0; k < 9; k += 4) R.m[k] = all(1);
    if constexpr (Law::facts.objective) {
        const LaneSvd<D> f = lane_svd(F);
        R = times_transposed(f.U, f.W);
    }
    D e[6];
    for (int k = 0; k < 6; ++k)
        for (int lane = 0; lane < width; ++lane) e[k][lane] = args.plastic[6L * (8 * group + half + lane) + k];
    Matrix<D> less{};
    if (edge) {
        const D mu = load(args.mu + 8L * group + half), lambda = load(args.lambda + 8L * group + half);
        const D ratio = mu > 0 ? lambda / mu : D{};  // λ below zero stays with the edges
        D s[6];
        hooke_stress<D>(ratio, all(1), e, s);
        less = times<D>(R, {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}});
    } else {
        for (int k = 0; k < 9; ++k) less.m[k] = (e[0] + e[1] + e[2]) * R.m[k];
    }
    for (int k = 0; k < 9; ++k) P.m[k] -= less.m[k];
}

template <class Law>
inline void smooth_energy(const SmoothArgs& args, int group, bool edge, const SmoothGroup& g) {
    double sum = 0;
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        const LawNumbers<D> n{load(args.lambda + 8L * group + half), load(args.mu + 8L * group + half), args.numbers};
        D energy = Law::template energy<D>(n, F);
        if (!edge) energy -= Law::template energy<D>({D{}, n.mu, n.extra}, F);
        for (int lane = 0; lane < width; ++lane) sum += n.mu[lane] > 0 ? energy[lane] : 0;
    }
    args.energy[group] = sum;
}

template <class Law>
inline void smooth_stress(const SmoothArgs& args, int group, bool edge, SmoothGroup& g) {
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        const LawNumbers<D> n{load(args.lambda + 8L * group + half), load(args.mu + 8L * group + half), args.numbers};
        const D volume = load(args.volume + 8L * group + half);
        Matrix<D> P = edge ? Law::template stress<D>(n, F) : volume_stress<Law>(n, F);
        if constexpr (requires { Law::is_viscous(args.numbers); }) {
            if (edge && args.v && Law::is_viscous(args.numbers)) {
                Matrix<D> rate;
                for (int k = 0; k < 9; ++k) rate.m[k] = args.rate_scale * load(&g.rate[k][half]);
                const Matrix<D> more = Law::template viscous_stress<D>(n, volume, F, rate);
                for (int k = 0; k < 9; ++k) P.m[k] += more.m[k];
            }
        }
        if constexpr (Law::facts.hooke)
            if (args.plastic) smooth_plastic<Law>(args, group, half, edge, F, P);
        for (int k = 0; k < 9; ++k) store(&g.P[k][half], P.m[k]);
        store(&g.lambda[half], n.lambda), store(&g.mu[half], n.mu), store(&g.volume[half], volume);
    }
}

// Entries (i, k) of ∂P_ij/∂F_kl for one pair (j, l), to eight domains.
inline void smooth_write(const SmoothArgs& args, int group, int j, int l, const Matrix<F8>& C) {
    float* out = args.tangent + 864L * group;
    for (int lane = 0; lane < 8; ++lane, out += 108)
        for (int k = 0; k < 3; ++k) {
            store4(out + 4 * (9 * j + 3 * k + l), F4{C(0, k)[lane], C(1, k)[lane], C(2, k)[lane], 0});
            if (j != l) store4(out + 4 * (9 * l + 3 * k + j), F4{C(k, 0)[lane], C(k, 1)[lane], C(k, 2)[lane], 0});
        }
}

template <class Law>
inline void smooth_stretch_tangent(const SmoothArgs& args, int group, bool edge, SmoothGroup& g) {
    Matrix<F8> F;
    for (int k = 0; k < 9; ++k) F.m[k] = load8(g.narrow_F[k]);
    const LawNumbers<F8> n{load8(g.lambda), load8(g.mu), args.numbers};
    const LaneSvd<F8> f = lane_svd(F);
    StretchTangent<F8> K = Law::template tangent<F8>(n, f.s);
    if (!edge) {
        const StretchTangent<F8> less = Law::template tangent<F8>({F8{}, n.mu, n.extra}, f.s);
        for (int k = 0; k < 6; ++k) K.scaling.e[k] -= less.scaling.e[k];
        for (int k = 0; k < 3; ++k) K.equal[k] -= less.equal[k], K.opposite[k] -= less.opposite[k];
    }
    K = projected(K);
    PrincipalBlocks<F8> C;
    C.scaling = K.scaling;
    for (int i = 0; i < 3; ++i) {
        C.own[i][0] = C.own[i][1] = 0.5f * (K.equal[i] + K.opposite[i]);
        C.mixed[i] = 0.5f * (K.equal[i] - K.opposite[i]);
    }
    if (args.damping > 0) {
        Matrix<F8> rate;
        for (int k = 0; k < 9; ++k) rate.m[k] = load8(g.narrow_rate[k]);
        const Matrix<F8> A = times(transposed_times(f.U, rate), f.W);
        Matrix<F8> B;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            B(i, i) = C.scaling.e[i] * A(i, i) + C.scaling.e[3 + i] * A(j, j) + C.scaling.e[3 + k] * A(k, k);
            B(i, j) = C.own[i][0] * A(i, j) + C.mixed[i] * A(j, i);
            B(j, i) = C.own[i][1] * A(j, i) + C.mixed[i] * A(i, j);
        }
        const Matrix<F8> Q = times_transposed(times(f.U, B), f.W);
        for (int k = 0; k < 9; ++k) store8(g.damping[k], Q.m[k]);
    }
    const float scale = float(args.dt * (args.dt + args.damping)), dt = float(args.dt);
    for (F8& e : C.scaling.e) e *= scale;
    for (int i = 0; i < 3; ++i) C.own[i][0] *= scale, C.own[i][1] *= scale, C.mixed[i] *= scale;
    if constexpr (requires { Law::is_viscous(args.numbers); }) {
        if (edge && Law::is_viscous(args.numbers)) {
            const F8 weight = dt * float(args.rate_scale) * load8(g.volume), phi = weight * float(args.numbers[0]),
                     psi = weight * float(args.numbers[1]);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                C.scaling.e[i] += (phi + 2 * psi) * f.s[i] * f.s[i];
                C.scaling.e[3 + i] += phi * f.s[i] * f.s[j];
                C.own[i][0] += psi * f.s[i] * f.s[i], C.own[i][1] += psi * f.s[j] * f.s[j];
                C.mixed[i] += psi * f.s[i] * f.s[j];
            }
        }
    }
    // The gradient e_j of the rest frame is row j of W in the principal one.
    for (int j = 0; j < 3; ++j)
        for (int l = j; l < 3; ++l) {
            const F8 h[3] = {f.W(j, 0), f.W(j, 1), f.W(j, 2)}, other[3] = {f.W(l, 0), f.W(l, 1), f.W(l, 2)};
            smooth_write(args, group, j, l, times_transposed(times(f.U, principal_block(C, h, other)), f.U));
        }
}

template <class Law>
inline void smooth_full_tangent(const SmoothArgs& args, int group, bool edge, SmoothGroup& g) {
    Matrix<F8> F;
    for (int k = 0; k < 9; ++k) F.m[k] = load8(g.narrow_F[k]);
    const LawNumbers<F8> n{load8(g.lambda), load8(g.mu), args.numbers};
    const auto tangent = [&](const LawNumbers<F8>& of) {
        if constexpr (requires { Law::template projected_tangent<F8>(of, F); })
            return Law::template projected_tangent<F8>(of, F);
        else
            return Law::template tangent<F8>(of, F);
    };
    FullTangent<F8> K = tangent(n);
    if (!edge) {
        const FullTangent<F8> less = tangent({F8{}, n.mu, n.extra});
        for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 9; ++c) K.m[r][c] -= less.m[r][c];
    }
    if (args.damping > 0)
        for (int r = 0; r < 9; ++r) {
            F8 sum{};
            for (int c = 0; c < 9; ++c) sum += K.m[r][c] * load8(g.narrow_rate[c]);
            store8(g.damping[r], sum);
        }
    const float scale = float(args.dt * (args.dt + args.damping));
    for (int j = 0; j < 3; ++j)
        for (int l = j; l < 3; ++l) {
            Matrix<F8> C;
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) C(i, k) = scale * K.m[3 * i + j][3 * k + l];
            smooth_write(args, group, j, l, C);
        }
}

template <class Law>
void smooth_pass(const SmoothArgs& args, int begin, int end) {
    SmoothGroup g;
    for (int group = begin; group < end; ++group) {
        const bool edge = group < args.edge_groups;
        smooth_means(args, group, g);
        smooth_energy<Law>(args, group, edge, g);
        if (!args.stress) continue;
        smooth_stress<Law>(args, group, edge, g);
        if (args.tangent) {
            if constexpr (Law::facts.isotropic)
                smooth_stretch_tangent<Law>(args, group, edge, g);
            else
                smooth_full_tangent<Law>(args, group, edge, g);
        }
        const bool damped = args.tangent && args.damping > 0;
        double* out = args.stress + 96L * group;
        for (int lane = 0; lane < 8; ++lane, out += 12)
            for (int k = 0; k < 9; ++k)
                out[k + k / 3] = g.P[k][lane] + (damped ? args.damping * g.damping[k][lane] : 0);
    }
}

void smooth_forces(const SmoothArgs& args, int begin, int end) {
    for (int t = begin; t < end; ++t) {
        D4 P[3] = {};
        for (int k = 0; k < 10; ++k) {
            const double weight = -args.dt * args.member_weight[args.tet_member[10L * t + k]];
            const double* from = args.stress + 12L * args.tet_domain[10L * t + k];
            for (int i = 0; i < 3; ++i) P[i] += weight * load4(from + 4 * i);
        }
        const double* gradient = args.gradient + 72L * (t / 8) + t % 8;
        double* out = args.force + 12L * t;
        for (int i = 0; i < 3; ++i) {
            double first = 0;
            for (int a = 0; a < 3; ++a) {
                const double* slope = gradient + 24 * a;
                const double f = P[i][0] * slope[0] + P[i][1] * slope[8] + P[i][2] * slope[16];
                out[3 * (a + 1) + i] = f, first -= f;
            }
            out[i] = first;
        }
    }
}

// A row at a time: with a its own gradient, Q = a·C is found once for a domain, and each block is Q·b. Columns of the
// blocks are registers of four; sums stay in the core's own cache until the row is done.
void smooth_blocks(const SmoothArgs& args, int begin, int end) {
    constexpr int most = 1024;  // slots of a row that are summed at once
    alignas(64) float sum[12 * most];
    for (int s = begin; s < end; ++s) {
        const int first = args.slice_begin[s], slots = args.slice_begin[s + 1] - first;
        for (int lane = 0; lane < 8; ++lane) {
            const int row = 8 * s + lane;
            for (int from = 0; from < slots; from += most) {
                const int count = slots - from < most ? slots - from : most;
                for (int k = 0; k < 12 * count; k += 4) store4(sum + k, F4{});
                if (row < args.rows)
                    for (unsigned d = args.row_begin[row]; d < args.row_begin[row + 1]; ++d) {
                        const RowDomain& here = args.row_domain[d];
                        const unsigned pairs = args.row_domain[d + 1].pair_begin;
                        if (here.pair_begin == pairs) continue;
                        const float *C = args.tangent + 108L * here.domain, *a = args.slope + 4L * here.own;
                        F4 Q[9];
                        for (int kl = 0; kl < 9; ++kl)
                            Q[kl] = a[0] * load4(C + 4 * kl) + a[1] * load4(C + 4 * (9 + kl)) +
                                    a[2] * load4(C + 4 * (18 + kl));
                        for (unsigned p = here.pair_begin; p < pairs; ++p) {
                            const RowPair pair = args.row_pair[p];
                            const int slot = pair.slot - from;
                            if (slot < 0 || slot >= count) continue;
                            const float* b = args.slope + 4L * (here.first + pair.other);
                            const float x = b[0], y = b[1], z = b[2];
                            float* to = sum + 12 * slot;
                            for (int k = 0; k < 3; ++k)
                                store4(to + 4 * k,
                                       load4(to + 4 * k) + (x * Q[3 * k] + (y * Q[3 * k + 1] + z * Q[3 * k + 2])));
                        }
                    }
                for (int slot = 0; slot < count; ++slot) {
                    float* out = args.block + 72L * (first + from + slot) + lane;
                    for (int i = 0; i < 3; ++i)
                        for (int k = 0; k < 3; ++k) out[8 * (3 * i + k)] = sum[12 * slot + 4 * k + i];
                }
            }
        }
    }
}

void smooth_mirror(const SmoothArgs& args, int begin, int end) {
    for (int s = begin; s < end; ++s)
        for (int slot = args.slice_begin[s]; slot < args.slice_begin[s + 1]; ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const unsigned twin = args.twin[8L * slot + lane];
                float* out = args.block + 72L * slot + lane;
                const float* from = args.block + 72L * (twin / 8) + twin % 8;
                if (from == out) continue;
                for (int e = 0; e < 9; ++e) out[8 * e] = from[8 * (e % 3 * 3 + e / 3)];
            }
}

template <class... Laws>
SmoothPass smooth_pass_of(LawList<Laws...>, int place) {
    constexpr SmoothPass all[] = {smooth_pass<Laws>...};
    return place >= 0 && place < int(sizeof...(Laws)) ? all[place] : nullptr;
}

SmoothPass smooth_pass_at(int place) { return smooth_pass_of(AllLaws{}, place); }

}  // namespace

namespace PLIANT_KERNEL {
extern const SmoothKernels smooth_table;
const SmoothKernels smooth_table{smooth_deformation, smooth_forces, smooth_blocks, smooth_mirror, smooth_pass_at};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
