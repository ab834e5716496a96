#pragma once
// The pass over the elements for any law of material/law.hpp: stress and forces at the end of the step, and the blocks
// of the tangent made positive. Instantiated for every law of the list in law_kernels.cpp, once per vector unit; a
// program with a law of its own includes this header and hands element_pass<Law> to the solid.
//
// With F₁ = F(x + dt·v), G the gradient of v, C the positive tangent and β the stiffness damping, elements push with
// P(F₁) + β C:G (and the viscous stress of laws that have one), and the matrix gets dt(dt + β) C: one Newton iteration
// of implicit Euler from the velocities given. Layouts:
//
//   node, gradient, mu, lambda, force   as in element_kernels.hpp
//   block [tet][56] floats: the blocks K_ab of the corners ab = 01 02 03 12 13 23, first eight entries of each row by
//   row,
//         then the ninth of all six, then two that are not used; behind the last tet comes one of zeros

#include "pliant/fem/law_args.hpp"
#include "pliant/geometry/lane_matrix.hpp"
#include "pliant/material/law.hpp"
#include "pliant/solve/lanes.hpp"

namespace pliant {
namespace {

constexpr int pass_lanes = 8;

// Forces are found in as many lanes of double as a register has, the tangent in eight of float.
struct PassGroup {
    alignas(64) double F[9][8];     // at the end of the step
    alignas(64) double rate[9][8];  // G
    alignas(64) double P[9][8];     // weighted by the volume
    alignas(64) float tangent_F[9][8];
    alignas(64) float lambda[8], mu[8], volume[8];
    alignas(64) float damping[9][8];  // C:G in floats
    alignas(64) float block[54][8];   // entry by entry
};

inline void pass_deformation(const LawArgs& args, int group, PassGroup& g) {
    const int* node = args.node + 32L * group;
    const double* v = args.v ? args.v : args.x;
    const double ahead = args.v ? args.dt : 0;
    const double* gradient = args.gradient + 72L * group;
    for (int half = 0; half < 8; half += width) {
        D edge[2][9];  // of x and v: [corner][axis]
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c) {
                D at{}, speed{};
                for (int lane = 0; lane < width; ++lane) {
                    const long to = 3L * node[8 * (a + 1) + half + lane] + c, from = 3L * node[half + lane] + c;
                    at[lane] = args.x[to] - args.x[from], speed[lane] = v[to] - v[from];
                }
                edge[0][3 * a + c] = at, edge[1][3 * a + c] = speed;
            }
        const D dt = all(ahead);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                D F{}, G{};
                for (int a = 0; a < 3; ++a) {
                    const D slope = load(gradient + 8 * (3 * a + j) + half);
                    F += edge[0][3 * a + i] * slope, G += edge[1][3 * a + i] * slope;
                }
                F += dt * G;
                store(&g.F[3 * i + j][half], F), store(&g.rate[3 * i + j][half], G);
                store(&g.tangent_F[3 * i + j][half], F);
            }
    }
}

// P:G of the gradient G of the given velocities.
inline D given_power(const LawArgs& args, int group, int half, const Matrix<D>& P) {
    const int* node = args.node + 32L * group + half;
    const double* gradient = args.gradient + 72L * group + half;
    D sum{};
    for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i) {
            D edge{};
            for (int lane = 0; lane < width; ++lane)
                edge[lane] = args.given[3L * node[8 * (a + 1) + lane] + i] - args.given[3L * node[lane] + i];
            for (int j = 0; j < 3; ++j) sum += P(i, j) * edge * load(gradient + 8 * (3 * a + j));
        }
    return sum;
}

template <class Law>
inline void pass_energy(const LawArgs& args, int group, const PassGroup& g) {
    double sum = 0;
    GroupPower power;
    bool given_too = false;
    for (int i = 0; args.given && i < 32; ++i) given_too |= args.prescribed[args.node[32L * group + i]] != 0;
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        const D mu = load(args.mu + 8L * group + half);
        const D lambda = args.lambda ? load(args.lambda + 8L * group + half) : args.ratio * mu;
        const auto add = [&](double& to, D term) {
            for (int lane = 0; lane < width; ++lane) to += mu[lane] > 0 ? term[lane] : 0;
        };
        add(sum, Law::template energy<D>({lambda, mu, args.numbers}, F));
        if (!args.power) continue;
        const Matrix<D> P = Law::template stress<D>({lambda, mu, args.numbers}, F);
        D all{};
        for (int k = 0; k < 9; ++k) all += P.m[k] * load(&g.rate[k][half]);
        add(power.all, all);
        if (given_too) add(power.given, given_power(args, group, half, P));
    }
    args.energy[group] = sum;
    if (args.power) args.power[group] = power;
}

template <class Law>
inline void pass_stress(const LawArgs& args, int group, PassGroup& g) {
    const double* gradient = args.gradient + 72L * group;
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        const D mu = load(args.mu + 8L * group + half);
        const D lambda = args.lambda ? load(args.lambda + 8L * group + half) : args.ratio * mu;
        Matrix<D> P = Law::template stress<D>({lambda, mu, args.numbers}, F);
        // The volume of a tet is a sixth of that of its edges; the inverse of these is the gradient.
        Matrix<D> inverse;
        for (int k = 0; k < 9; ++k) inverse.m[k] = load(gradient + 8 * k + half);
        const D volume = mu > 0 ? args.fill / (6 * determinant(inverse)) : D{};
        if constexpr (requires { Law::is_viscous(args.numbers); }) {
            if (Law::is_viscous(args.numbers)) {
                Matrix<D> rate;
                for (int k = 0; k < 9; ++k) rate.m[k] = args.rate_scale * load(&g.rate[k][half]);
                const Matrix<D> more = Law::template viscous_stress<D>({lambda, mu, args.numbers}, volume, F, rate);
                for (int k = 0; k < 9; ++k) P.m[k] += more.m[k];
            }
        }
        for (int k = 0; k < 9; ++k) store(&g.P[k][half], P.m[k]);
        store(&g.lambda[half], lambda), store(&g.mu[half], mu), store(&g.volume[half], volume);
    }
}

// The three pairs of off-diagonal entries 01, 12, 20 of the principal frame.
template <class V>
struct PrincipalBlocks {
    Symmetric3<V> scaling;
    V own[3][2], mixed[3];  // of the pair ij: that of entry ij, that of ji, and between them
};

// K_ab = Σ_jl h_j C_ij,kl h′_l in the principal frame, with h = Vᵀ∇_a and h′ = Vᵀ∇_b.
template <class V>
inline Matrix<V> principal_block(const PrincipalBlocks<V>& C, const V h[3], const V other[3]) {
    Matrix<V> K;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        // Rows i: entries ii, ij (first of pair i) and ik (second of pair k).
        K(i, i) =
            C.scaling.e[i] * (h[i] * other[i]) + C.own[i][0] * (h[j] * other[j]) + C.own[k][1] * (h[k] * other[k]);
        K(i, j) = C.scaling.e[3 + i] * (h[i] * other[j]) + C.mixed[i] * (h[j] * other[i]);
        K(j, i) = C.scaling.e[3 + i] * (h[j] * other[i]) + C.mixed[i] * (h[i] * other[j]);
    }
    return K;
}

inline F8 pass_row(const float (*rows)[8], int k) { return load8(rows[k]); }

// Gradients of corners 1, 2, 3 in floats.
inline void pass_gradients(const double* gradient, F8 g[3][3]) {
    for (int k = 0; k < 9; ++k) g[k / 3][k % 3] = narrow(gradient + 8 * k, 1);
}

// Blocks of corners a, b from 1 to 3; those of corner 0 follow, because the forces of an element add up to zero.
template <class Block>
inline void pass_blocks(PassGroup& g, const Block& block) {
    Matrix<F8> K[3][3];
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            K[a][b] = block(a, b);
            for (int e = 0; e < 9; ++e) K[b][a](e % 3, e / 3) = K[a][b](e / 3, e % 3);
        }
    for (int b = 0; b < 3; ++b)
        for (int e = 0; e < 9; ++e) store8(g.block[9 * b + e], -(K[0][b].m[e] + K[1][b].m[e] + K[2][b].m[e]));
    for (int e = 0; e < 9; ++e) {
        store8(g.block[27 + e], K[0][1].m[e]);
        store8(g.block[36 + e], K[0][2].m[e]);
        store8(g.block[45 + e], K[1][2].m[e]);
    }
}

template <class Law>
inline void pass_tangent(const LawArgs& args, int group, PassGroup& g) {
    Matrix<F8> F;
    for (int k = 0; k < 9; ++k) F.m[k] = load8(g.tangent_F[k]);
    const LawNumbers<F8> n{load8(g.lambda), load8(g.mu), args.numbers};
    F8 slope[3][3];
    pass_gradients(args.gradient + 72L * group, slope);
    const float scale = float(args.dt * (args.dt + args.damping)), dt = float(args.dt);
    if constexpr (Law::facts.isotropic) {
        const LaneSvd<F8> f = lane_svd(F);
        const StretchTangent<F8> K = projected(Law::template tangent<F8>(n, f.s));
        PrincipalBlocks<F8> C;
        C.scaling = K.scaling;
        for (int i = 0; i < 3; ++i) {
            C.own[i][0] = C.own[i][1] = 0.5f * (K.equal[i] + K.opposite[i]);
            C.mixed[i] = 0.5f * (K.equal[i] - K.opposite[i]);
        }
        if (args.damping > 0) {
            Matrix<F8> rate;
            for (int k = 0; k < 9; ++k) rate.m[k] = narrow(g.rate[k], 1);
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
        for (int k = 0; k < 6; ++k) C.scaling.e[k] *= scale;
        for (int i = 0; i < 3; ++i) C.own[i][0] *= scale, C.own[i][1] *= scale, C.mixed[i] *= scale;
        if constexpr (requires { Law::is_viscous(args.numbers); }) {
            if (Law::is_viscous(args.numbers)) {
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
        F8 h[3][3];
        for (int a = 0; a < 3; ++a)
            for (int j = 0; j < 3; ++j)
                h[a][j] = f.W(0, j) * slope[a][0] + f.W(1, j) * slope[a][1] + f.W(2, j) * slope[a][2];
        pass_blocks(g, [&](int a, int b) { return times_transposed(times(f.U, principal_block(C, h[a], h[b])), f.U); });
    } else {
        FullTangent<F8> K;
        if constexpr (requires { Law::template projected_tangent<F8>(n, F); })
            K = Law::template projected_tangent<F8>(n, F);
        else
            K = Law::template tangent<F8>(n, F);
        if (args.damping > 0)
            for (int r = 0; r < 9; ++r) {
                F8 sum{};
                for (int c = 0; c < 9; ++c) sum += K.m[r][c] * narrow(g.rate[c], 1);
                store8(g.damping[r], sum);
            }
        pass_blocks(g, [&](int a, int b) {
            Matrix<F8> block;
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) {
                    F8 sum{};
                    for (int j = 0; j < 3; ++j) {
                        F8 inner{};
                        for (int l = 0; l < 3; ++l) inner += K.m[3 * i + j][3 * k + l] * slope[b][l];
                        sum += slope[a][j] * inner;
                    }
                    block(i, k) = scale * sum;
                }
            return block;
        });
    }
}

// −dt P∇ to [tet][12], and the blocks to [tet][56].
inline void pass_write(const LawArgs& args, int group, PassGroup& g) {
    const double* gradient = args.gradient + 72L * group;
    double* force = args.force + 96L * group;
    alignas(64) double out[12][8];
    for (int half = 0; half < 8; half += width) {
        Matrix<D> P;
        for (int k = 0; k < 9; ++k) {
            P.m[k] = load(&g.P[k][half]);
            if (args.damping > 0) P.m[k] += args.damping * load(&g.damping[k][half]);
        }
        for (int i = 0; i < 3; ++i) {
            D first{};
            for (int a = 0; a < 3; ++a) {
                const D f = -args.dt * (P(i, 0) * load(gradient + 8 * (3 * a) + half) +
                                        P(i, 1) * load(gradient + 8 * (3 * a + 1) + half) +
                                        P(i, 2) * load(gradient + 8 * (3 * a + 2) + half));
                first -= f;
                store(&out[3 * (a + 1) + i][half], f);
            }
            store(&out[i][half], first);
        }
    }
    for (int lane = 0; lane < 8; ++lane)
        for (int k = 0; k < 12; ++k) force[12 * lane + k] = out[k][lane];
    if (!args.block) return;
    float* block = args.block + 448L * group;
    for (int e = 0; e < 6; ++e) {
        // Eight entries of eight tets: rows become columns in two halves of four.
        for (int half = 0; half < 8; half += 4) {
            F8 r[4];
            for (int i = 0; i < 4; ++i) r[i] = load8(g.block[9 * e + half + i]);
            transpose(r[0], r[1], r[2], r[3]);
            for (int i = 0; i < 4; ++i) {
                store4(block + 56 * i + 8 * e + half, __builtin_shufflevector(r[i], r[i], 0, 1, 2, 3));
                store4(block + 56 * (i + 4) + 8 * e + half, __builtin_shufflevector(r[i], r[i], 4, 5, 6, 7));
            }
        }
        for (int lane = 0; lane < 8; ++lane) block[56 * lane + 48 + e] = g.block[9 * e + 8][lane];
    }
}

/// Forces, blocks and energies of groups [begin, end).
template <class Law>
void element_pass(const LawArgs& args, int begin, int end) {
    PassGroup g;
    for (int group = begin; group < end; ++group) {
        pass_deformation(args, group, g);
        pass_energy<Law>(args, group, g);
        if (!args.force) continue;
        pass_stress<Law>(args, group, g);
        if (args.block || args.damping > 0) pass_tangent<Law>(args, group, g);
        pass_write(args, group, g);
    }
}

}  // namespace
}  // namespace pliant
