#pragma once
// Stable neo-Hookean elasticity (Smith, de Goes & Kim 2018, eq. 14): with I = F:F and J = det F,
//
//     ψ = μ′/2 (I − 3) + λ′/2 (J − α)² − μ′/2 ln((I + 1)/4) − λ′/2 (1 − α)²,     α = 1 + 3μ′/(4λ′).
//
// μ′ = 4/3 μ and λ′ = λ + 5/6 μ make small strains Hooke's with the user's λ and μ. There is no logarithm of J: forces
// are finite and push back through any inversion. The two constant terms make the energy at rest zero.

#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct NeoHookean {
    static constexpr LawFacts facts{
        .name = "neo_hookean",
        .doc =
            "rubber and flesh at large strain: keeps its volume the better the nearer poisson is to 0.5, recovers from "
            "any inversion",
        .objective = true,
        .resists_inversion = true,
        .isotropic = true,
        .hooke = false,
        .keys = nullptr,
        .key_count = 0};

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        const Moduli<V> m(n);
        const V I = inner(F, F), one = filled<V>(1), half = filled<V>(0.5), rest = one - m.alpha;
        const V volume = determinant(F) - m.alpha;
        return half * (m.mu * (I - filled<V>(3) - logarithm(filled<V>(0.25) * (I + one))) +
                       m.lambda * (volume * volume - rest * rest));
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        const Moduli<V> m(n);
        const V one = filled<V>(1), shear = m.mu * (one - one / (inner(F, F) + one));
        const Matrix<V> C = cofactor(F);
        const V J = F(0, 0) * C(0, 0) + F(0, 1) * C(0, 1) + F(0, 2) * C(0, 2), pressure = m.lambda * (J - m.alpha);
        Matrix<V> P;
        for (int k = 0; k < 9; ++k) P.m[k] = shear * F.m[k] + pressure * C.m[k];
        return P;
    }
    // p_i = μ_T s_i + λ′(J − α) s_j s_k with μ_T = μ′(1 − 1/(I + 1)).
    template <class V>
    static StretchTangent<V> tangent(const LawNumbers<V>& n, const V s[3]) {
        const Moduli<V> m(n);
        const V one = filled<V>(1), inverse = one / (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + one);
        const V shear = m.mu * (one - inverse), growth = filled<V>(2) * m.mu * inverse * inverse;
        const V area[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
        const V pressure = m.lambda * (area[2] * s[2] - m.alpha);
        StretchTangent<V> K;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            K.scaling.e[i] = shear + growth * s[i] * s[i] + m.lambda * area[i] * area[i];
            K.scaling.e[3 + i] = growth * s[i] * s[j] + m.lambda * area[i] * area[j] + pressure * s[k];
            K.equal[i] = shear - pressure * s[k];
            K.opposite[i] = shear + pressure * s[k];
        }
        return K;
    }

private:
    template <class V>
    struct Moduli {
        V mu, lambda, alpha;
        explicit Moduli(const LawNumbers<V>& n)
            : mu(filled<V>(4.0 / 3) * n.mu), lambda(n.lambda + filled<V>(5.0 / 6) * n.mu) {
            // Lanes without a tet have no moduli.
            const Mask<V> there = lambda > filled<V>(0);
            alpha = filled<V>(1) + filled<V>(0.75) * mu / choose(there, lambda, filled<V>(1));
        }
    };
};

}  // namespace
}  // namespace pliant
