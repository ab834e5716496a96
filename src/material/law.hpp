#pragma once
// What an elastic law is made of, written once for a number or for lanes of numbers (core/lane_math.hpp). A law is a
// struct of static functions of the deformation gradient F (m/m):
//
//     static constexpr LawFacts facts;                             // name, doc, keys, what it claims
//     V         energy(const LawNumbers<V>&, const Matrix<V>& F)   // ψ, J per m³ of rest volume
//     Matrix<V> stress(const LawNumbers<V>&, const Matrix<V>& F)   // first Piola–Kirchhoff P = ∂ψ/∂F, Pa
//
// and one of
//
//     StretchTangent<V> tangent(const LawNumbers<V>&, const V s[3])        // isotropic laws, in the principal frame
//     FullTangent<V>    tangent(const LawNumbers<V>&, const Matrix<V>& F)  // others: ∂P/∂F
//
// ψ, P and the tangent are of first degree in λ and μ, so that weighted moduli (λV, μV) give weighted results.
// To add a law: write its header and add its line to law_list.hpp. The scene word, the reference, the kernels and the
// family test then follow.

#include "pliant/geometry/lane_matrix.hpp"

namespace pliant {

/// A number of a law's own, plain data so that vector kernels may include it; law_schema() makes a Key of it.
struct LawKey {
    const char* name;
    const char* unit;
    int count;            ///< 1: a number; more: a list of so many
    double fallback;      ///< of each entry
    double min, max;      ///< the bounds are allowed
    const char* choices;  ///< null: a number; else words separated by spaces, and the number is the place of one
    const char* doc;
};

struct LawFacts {
    const char* name;        ///< as a scene spells it
    const char* doc;         ///< what it is good for and what it cannot do
    bool objective;          ///< energy does not change under rotation
    bool resists_inversion;  ///< past a flat state it still pushes back to where it came from
    bool isotropic;          ///< its tangent is a StretchTangent
    /// Hooke's law in the frame of the nearest rotation, or in none where it is not objective: it runs in the kernel of
    /// warped stiffness and takes additive plastic strain.
    bool hooke;
    const LawKey* keys;
    int key_count;
};

namespace {

/// The numbers of one element.
template <class V>
struct LawNumbers {
    V lambda, mu;         ///< Pa, or times a volume
    const double* extra;  ///< of the law's own keys, one after the other
};

/// ∂P/∂F of an isotropic law at F = U diag(s) Vᵀ, in that frame (Irving et al. 2004, Teran et al. 2005): `scaling` is
/// ∂p_i/∂s_i as xx yy zz xy yz zx; the pairs (0,1), (1,2), (2,0) of off-diagonal entries have the eigenvalues
/// (p_i − p_j)/(s_i − s_j) for equal entries and (p_i + p_j)/(s_i + s_j) for opposite ones.
template <class V>
struct StretchTangent {
    Symmetric3<V> scaling;
    V equal[3], opposite[3];
};

/// ∂P/∂F: entry (3i + j, 3k + l) is ∂P_ij/∂F_kl.
template <class V>
struct FullTangent {
    V m[9][9];
};

/// All eigenvalues at least zero. The eigenvalues of the pairs are clamped one by one, those of the scaling together.
template <class V>
inline StretchTangent<V> projected(const StretchTangent<V>& K) {
    StretchTangent<V> out;
    out.scaling = positive_part(K.scaling);
    for (int k = 0; k < 3; ++k) {
        out.equal[k] = larger_of(K.equal[k], filled<V>(0));
        out.opposite[k] = larger_of(K.opposite[k], filled<V>(0));
    }
    return out;
}

/// (p_i + p_j)/(s_i + s_j), where the sum can vanish: there the nearest rotation is not unique and turns ever faster.
/// Sums below a thousandth of the stretches count as that, with their sign, so that the tangent stays bounded.
template <class V>
inline V over_sum(const V& p, const V& a, const V& b) {
    const V least = filled<V>(1e-3) * (magnitude(a) + magnitude(b)), sum = a + b;
    const V safe = choose(magnitude(sum) > least, sum, choose(filled<V>(0) > sum, filled<V>(0) - least, least));
    return choose(least > filled<V>(0), p / choose(least > filled<V>(0), safe, filled<V>(1)), filled<V>(0));
}

}  // namespace
}  // namespace pliant
