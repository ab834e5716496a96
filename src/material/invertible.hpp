#pragma once
// Elasticity in the diagonal frame F = U diag(s) Vᵀ with proper rotations, extended past inversion (Irving, Teran &
// Fedkiw 2004; used by Molino, Bao & Fedkiw 2004, section 5, and Wojtan & Turk 2008, section 3). With a strain h of
// each stretch,
//
//     ψ = μ Σ w(s_i) + λ/2 (Σ h(s_i))²,
//
//     neo_hookean   h = ln s          w = (s² − 1)/2 − h
//     stvk          h = (s² − 1)/2    w = h²
//     corotated     h = s − 1         w = h²
//
// Below the threshold, h goes on along its tangent: the stress is continuous, and it keeps growing through the flat
// state and beyond. Irving et al. hold it constant there; growing stress derives from an energy whatever the other
// stretches do.

#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct Invertible {
    static constexpr LawKey keys[] = {
        {"energy", "", 1, 0, 0, 2, "neo_hookean stvk corotated",
         "Which energy the stretches have above the threshold."},
        {"threshold", "1", 1, 0.3, 0.05, 0.95, nullptr,
         "Stretch below which the strain goes on along its tangent. Too small: stiff where the body is crushed; too "
         "large: the energy is another one at moderate compression already. stvk softens below 0.58."}};
    static constexpr LawFacts facts{.name = "invertible",
                                    .doc = "three classical energies that push back through flat and inverted states",
                                    .objective = true,
                                    .resists_inversion = true,
                                    .isotropic = true,
                                    .hooke = false,
                                    .keys = keys,
                                    .key_count = 2};

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        const LaneSvd<V> f = lane_svd(F);
        V shear = filled<V>(0), sum = filled<V>(0);
        for (int i = 0; i < 3; ++i) {
            const Terms<V> t(n.extra, f.s[i]);
            shear = shear + t.w, sum = sum + t.h;
        }
        return n.mu * shear + filled<V>(0.5) * n.lambda * sum * sum;
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        const LaneSvd<V> f = lane_svd(F);
        const Terms<V> t[3] = {{n.extra, f.s[0]}, {n.extra, f.s[1]}, {n.extra, f.s[2]}};
        const V pressure = n.lambda * (t[0].h + t[1].h + t[2].h);
        V p[3];
        for (int i = 0; i < 3; ++i) p[i] = n.mu * t[i].w1 + pressure * t[i].h1;
        return recomposed(f.U, p, f.W);
    }
    template <class V>
    static StretchTangent<V> tangent(const LawNumbers<V>& n, const V s[3]) {
        const Terms<V> t[3] = {{n.extra, s[0]}, {n.extra, s[1]}, {n.extra, s[2]}};
        const V pressure = n.lambda * (t[0].h + t[1].h + t[2].h);
        StretchTangent<V> K;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            K.scaling.e[i] = n.mu * t[i].w2 + n.lambda * t[i].h1 * t[i].h1 + pressure * t[i].h2;
            K.scaling.e[3 + i] = n.lambda * t[i].h1 * t[j].h1;
            const V slope = slope_between<V>(n.extra, s[i], s[j]);  // of h′
            K.equal[i] = n.mu * shear_slope<V>(n.extra, s[i], s[j], t[i], t[j], slope) + pressure * slope;
            const V p = n.mu * (t[i].w1 + t[j].w1) + pressure * (t[i].h1 + t[j].h1);
            K.opposite[i] = over_sum<V>(p, s[i], s[j]);
        }
        return K;
    }

private:
    static int which(const double* extra) { return static_cast<int>(extra[0]); }

    /// h and w of a stretch with their first and second derivatives.
    template <class V>
    struct Terms {
        V h, h1, h2, w, w1, w2;
        Terms(const double* extra, const V& s) {
            const V a = filled<V>(extra[1]), one = filled<V>(1), half = filled<V>(0.5);
            const Mask<V> above = s > a;
            const V c = choose(above, s, a), beyond = choose(above, filled<V>(0), s - a);
            if (which(extra) == 0)
                h1 = one / c, h = logarithm(c) + beyond * h1, h2 = choose(above, filled<V>(0) - h1 * h1, filled<V>(0));
            else if (which(extra) == 1)
                h1 = c, h = half * (c * c - one) + beyond * h1, h2 = choose(above, one, filled<V>(0));
            else
                h1 = one, h = s - one, h2 = filled<V>(0);
            if (which(extra) == 0)
                w = half * (s * s - one) - h, w1 = s - h1, w2 = one - h2;
            else
                w = h * h, w1 = filled<V>(2) * h * h1, w2 = filled<V>(2) * (h1 * h1 + h * h2);
        }
    };
    /// (h′(s) − h′(t))/(s − t), without the difference where both are above the threshold; zero where both are below.
    template <class V>
    static V slope_between(const double* extra, const V& s, const V& t) {
        if (which(extra) == 2) return filled<V>(0);
        const V a = filled<V>(extra[1]), zero = filled<V>(0);
        const V c = larger_of(s, a), d = larger_of(t, a);
        // h′ depends on c and d alone, and |c − d| ≤ |s − t|.
        const V gap = s - t, share = choose(magnitude(gap) > zero, (c - d) / choose(magnitude(gap) > zero, gap, a),
                                            choose(s > a, filled<V>(1), zero));
        return which(extra) == 0 ? (zero - share) / (c * d) : share;
    }
    /// (w′(s) − w′(t))/(s − t).
    template <class V>
    static V shear_slope(const double* extra, const V& s, const V& t, const Terms<V>& at_s, const Terms<V>& at_t,
                         const V& slope) {
        if (which(extra) == 0) return filled<V>(1) - slope;
        // w′ = 2 h h′, and h has the slope between its own values.
        const V a = filled<V>(extra[1]), half = filled<V>(0.5);
        V mean = filled<V>(1);
        if (which(extra) == 1) {
            // (h(s) − h(t))/(s − t): the mean of h′ over the interval.
            const V low = choose(s > t, t, s), high = larger_of(s, t), gap = high - low;
            const V c = larger_of(low, a), d = larger_of(high, a),
                    part = choose(gap > filled<V>(0), (d - c) / choose(gap > filled<V>(0), gap, a), filled<V>(0));
            mean = choose(gap > filled<V>(0), part * half * (c + d) + (filled<V>(1) - part) * a, at_s.h1);
        }
        return mean * (at_s.h1 + at_t.h1) + slope * (at_s.h + at_t.h);
    }
};

}  // namespace
}  // namespace pliant
