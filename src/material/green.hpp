#pragma once
// Hooke's law between Green's strain and the second Piola–Kirchhoff stress (O'Brien & Hodgins 1999, eqs. 1 to 27):
//
//     E = (FᵀF − I)/2,   S = λ tr(E) I + 2μ E,   P = F S,      and while it moves   S += φ tr(Ė) I + 2ψ Ė.
//
// The paper writes the strain without the factor ½ (eq. 1) and the forces with it (eqs. 24, 26, 27); here it is the
// other way round, which gives the same forces for the same λ, μ, φ and ψ.

#include "pliant/material/hooke.hpp"
#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct Green {
    static constexpr LawKey keys[] = {
        {"phi", "Pa·s", 1, 0, 0, 1e300, nullptr,
         "φ: viscosity that resists changes of volume. Too large: the body moves as if in honey."},
        {"psi", "Pa·s", 1, 0, 0, 1e300, nullptr,
         "ψ: viscosity that resists changes of shape. Motions that are locally rigid are not damped."}};
    static constexpr LawFacts facts{.name = "green",
                                    .doc =
                                        "Hooke's law on Green's strain, for stiff things that break: its resistance "
                                        "falls off below 58 % of a length, "
                                        "and flat or inverted tets are not pushed back",
                                    .objective = true,
                                    .resists_inversion = false,
                                    .isotropic = true,
                                    .hooke = false,
                                    .keys = keys,
                                    .key_count = 2};

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6];
        strain(F, e);
        return hooke_energy(n.lambda, n.mu, e);
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6], s[6];
        strain(F, e);
        hooke_stress(n.lambda, n.mu, e, s);
        return times<V>(F, {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}});
    }
    // p_i = s_i (λ tr E − μ + μ s_i²).
    template <class V>
    static StretchTangent<V> tangent(const LawNumbers<V>& n, const V s[3]) {
        const V trace = filled<V>(0.5) * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - filled<V>(3));
        const V base = n.lambda * trace - n.mu;
        StretchTangent<V> K;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const V ii = s[i] * s[i], ij = s[i] * s[j], squares = ii + s[j] * s[j];
            K.scaling.e[i] = base + (filled<V>(3) * n.mu + n.lambda) * ii;
            K.scaling.e[3 + i] = n.lambda * ij;
            K.equal[i] = base + n.mu * (squares + ij);
            K.opposite[i] = base + n.mu * (squares - ij);
        }
        return K;
    }
    /// Viscous first Piola–Kirchhoff stress, Pa times the volume given, while F changes by `rate` (1/s).
    template <class V>
    static Matrix<V> viscous_stress(const LawNumbers<V>& n, const V& volume, const Matrix<V>& F,
                                    const Matrix<V>& rate) {
        const Matrix<V> A = transposed_times(F, rate);
        V e[6], s[6];
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            e[i] = A(i, i), e[3 + i] = filled<V>(0.5) * (A(i, j) + A(j, i));
        }
        hooke_stress<V>(volume * filled<V>(n.extra[0]), volume * filled<V>(n.extra[1]), e, s);
        return times<V>(F, {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}});
    }
    static bool is_viscous(const double* extra) { return extra[0] > 0 || extra[1] > 0; }

private:
    template <class V>
    static void strain(const Matrix<V>& F, V e[6]) {
        const Matrix<V> A = transposed_times(F, F);
        const V one = filled<V>(1), half = filled<V>(0.5);
        for (int i = 0; i < 3; ++i) e[i] = half * (A(i, i) - one), e[3 + i] = half * A(i, (i + 1) % 3);
    }
};

}  // namespace
}  // namespace pliant
