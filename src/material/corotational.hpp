#pragma once
// Hooke's law in the frame of the nearest rotation: energy μ‖F − R‖² + λ/2 tr²(RᵀF − I). Its nodal forces are those of
// the element-based warped stiffness (Müller & Gross 2004, eq. 7). R stays proper when F is inverted, so the energy
// pulls a mirrored element back through its flat state.

#include "pliant/material/hooke.hpp"
#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct Corotational {
    static constexpr LawFacts facts{
        .name = "corotational",
        .doc = "Hooke's law in a rotating frame: large turns, moderate strain; the default, and the fastest",
        .objective = true,
        .resists_inversion = true,
        .isotropic = true,
        .hooke = true,
        .keys = nullptr,
        .key_count = 0};

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        const LaneSvd<V> f = lane_svd(F);
        const V one = filled<V>(1), a = f.s[0] - one, b = f.s[1] - one, c = f.s[2] - one;
        return hooke_energy<V>(n.lambda, n.mu, a * a + b * b + c * c, a + b + c);
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        const LaneSvd<V> f = lane_svd(F);
        const V one = filled<V>(1), none = filled<V>(0);
        const V e[6] = {f.s[0] - one, f.s[1] - one, f.s[2] - one, none, none, none};
        V p[6];
        hooke_stress(n.lambda, n.mu, e, p);  // in the principal frame
        return recomposed(f.U, p, f.W);
    }
    template <class V>
    static StretchTangent<V> tangent(const LawNumbers<V>& n, const V s[3]) {
        const V twice = n.mu + n.mu, direct = n.lambda + twice;
        const V pressure = n.lambda * (s[0] + s[1] + s[2] - filled<V>(3));
        StretchTangent<V> K{{{direct, direct, direct, n.lambda, n.lambda, n.lambda}}, {}, {}};
        for (int k = 0; k < 3; ++k) {
            K.equal[k] = twice;
            K.opposite[k] = twice + over_sum<V>(filled<V>(2) * (pressure - twice), s[k], s[(k + 1) % 3]);
        }
        return K;
    }
};

}  // namespace
}  // namespace pliant
