#pragma once
// Hooke's law with Cauchy's strain: ε = sym(F) − I (Müller & Gross 2004, eqs. 2 and 3).

#include "pliant/material/hooke.hpp"
#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct Linear {
    static constexpr LawFacts facts{.name = "linear",
                                    .doc = "Hooke's law as it stands: small turns only, swells when bent far",
                                    .objective = false,
                                    .resists_inversion = true,
                                    .isotropic = false,
                                    .hooke = true,
                                    .keys = nullptr,
                                    .key_count = 0};

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6];
        small_strain(F, e);
        return hooke_energy(n.lambda, n.mu, e);
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6], s[6];
        small_strain(F, e);
        hooke_stress(n.lambda, n.mu, e, s);
        return {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}};
    }
    template <class V>
    static FullTangent<V> tangent(const LawNumbers<V>& n, const Matrix<V>&) {
        FullTangent<V> K;
        for (int r = 0; r < 9; ++r)
            for (int c = 0; c < 9; ++c) {
                const int i = r / 3, j = r % 3, k = c / 3, l = c % 3;
                V entry = filled<V>(0);
                if (i == j && k == l) entry = entry + n.lambda;
                if (i == k && j == l) entry = entry + n.mu;
                if (i == l && j == k) entry = entry + n.mu;
                K.m[r][c] = entry;
            }
        return K;
    }
};

}  // namespace
}  // namespace pliant
