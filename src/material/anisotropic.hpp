#pragma once
// Any linear relation between Green's strain and the second Piola–Kirchhoff stress (O'Brien & Hodgins 1999, eq. 5):
// S = C E with a symmetric 6×6 stiffness C, P = F S. Strains and stresses are ordered xx yy zz xy yz zx, and C acts on
// engineering shear 2E_xy, as handbooks print it. Entries are multiples of the material's `young`, so that regions and
// heat scale them; `poisson` then only serves what has to guess a stiffness (contact, preconditioners).

#include "pliant/material/law.hpp"

namespace pliant {
namespace {

struct Anisotropic {
    static constexpr LawKey keys[] = {
        {"axis_young", "young", 3, 1, 1e-6, 1e6, nullptr,
         "Young's modulus along each of the three axes, as multiples of `young`: wood is about { 1, 0.08, 0.05 }."},
        {"axis_shear", "young", 3, 0.4, 1e-6, 1e6, nullptr,
         "Shear moduli in the planes of axes 1 and 2, 2 and 3, 3 and 1, as multiples of `young`."},
        {"axis_poisson", "1", 3, 0.25, -1, 1, nullptr,
         "How much axis 2 thins when axis 1 is pulled, 3 when 2 is, and 1 when 3 is. Too large for the moduli: the "
         "stiffness "
         "is not positive, which is an error."},
        {"axes", "1", 6, 0, -1e300, 1e300, nullptr,
         "First and second axis in the body's rest frame, six numbers; made perpendicular. Zeros: x and y."},
        {"stiffness", "young", 21, 0, -1e300, 1e300, nullptr,
         "Instead of the numbers for axes: the upper triangle of C row by row, for strains xx yy zz xy yz zx with "
         "engineering "
         "shear, as multiples of `young`. Zeros: not given."}};
    static constexpr LawFacts facts{.name = "anisotropic",
                                    .doc =
                                        "Hooke's law on Green's strain with a stiffness that depends on the direction: "
                                        "wood, muscle, layered things; "
                                        "flat or inverted tets are not pushed back",
                                    .objective = true,
                                    .resists_inversion = false,
                                    .isotropic = false,
                                    .hooke = false,
                                    .keys = keys,
                                    .key_count = 5};

    /// C in the rest frame, row by row, from the numbers of the keys. Null, or what is wrong with them.
    static constexpr int prepared_count = 36;
    static const char* prepare(const double* given, double* C) {
        bool whole = false;
        for (int k = 0; k < 21; ++k) whole |= given[15 + k] != 0;
        double own[36] = {};
        if (whole) {
            for (int r = 0, k = 15; r < 6; ++r)
                for (int c = r; c < 6; ++c, ++k) own[6 * r + c] = own[6 * c + r] = given[k];
        } else {
            const double *E = given, *G = given + 3, *nu = given + 6;
            const double xy = -nu[0] / E[0], yz = -nu[1] / E[1], zx = -nu[2] / E[2];
            const Matrix<double> compliance{{1 / E[0], xy, zx, xy, 1 / E[1], yz, zx, yz, 1 / E[2]}};
            const double det = determinant(compliance);
            const Matrix<double> inverse = cofactor(compliance);
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 3; ++c) own[6 * r + c] = inverse(r, c) / det;
                own[7 * (3 + r)] = G[r];
            }
        }
        if (!positive(own)) return "the stiffness of the material is not positive in all directions";
        Matrix<double> Q;  // columns: the axes
        if (!axes(given + 9, Q)) return "the two axes of the material are parallel or zero";
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c) {
                double sum = 0;
                for (int p = 0; p < 9; ++p)
                    for (int q = 0; q < 9; ++q)
                        sum += Q(row[r], p / 3) * Q(column[r], p % 3) * Q(row[c], q / 3) * Q(column[c], q % 3) *
                               own[6 * place[p] + place[q]];
                C[6 * r + c] = sum;
            }
        return nullptr;
    }

    /// λ and μ say no more than how large Young's modulus is.
    static constexpr bool scales_with_young = true;

    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6], s[6];
        strain(F, e), stress_of(n, e, s);
        V sum = filled<V>(0);
        for (int k = 0; k < 6; ++k) sum = sum + s[k] * e[k];
        return filled<V>(0.5) * sum;
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6], s[6];
        strain(F, e), stress_of(n, e, s);
        return times<V>(F, {{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}});
    }
    template <class V>
    static FullTangent<V> tangent(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6];
        Symmetric3<V> S;
        strain(F, e), stress_of(n, e, S.e);
        return with_stress(n, F, S);
    }
    /// Compression makes the stress's own part of the tangent negative: without that it is positive, and it is the
    /// tangent itself where nothing is compressed.
    template <class V>
    static FullTangent<V> projected_tangent(const LawNumbers<V>& n, const Matrix<V>& F) {
        V e[6];
        Symmetric3<V> S;
        strain(F, e), stress_of(n, e, S.e);
        return with_stress(n, F, positive_part(S));
    }

private:
    static constexpr int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    static constexpr int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};  ///< of entry ij among the six

    static bool positive(const double* C) {  // Cholesky goes through
        double L[36] = {};
        for (int j = 0; j < 6; ++j)
            for (int i = j; i < 6; ++i) {
                double sum = C[6 * i + j];
                for (int k = 0; k < j; ++k) sum -= L[6 * i + k] * L[6 * j + k];
                if (i == j && !(sum > 1e-12 * C[7 * j])) return false;
                L[6 * i + j] = i == j ? square_root(sum) : sum / L[7 * j];
            }
        return true;
    }
    static bool axes(const double* given, Matrix<double>& Q) {
        double a[3] = {given[0], given[1], given[2]}, b[3] = {given[3], given[4], given[5]};
        bool none = true;
        for (int k = 0; k < 6; ++k) none &= given[k] == 0;
        if (none) a[0] = b[1] = 1;
        const double length = square_root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (double& e : a) e /= length;
        const double size = square_root(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (int k = 0; k < 3; ++k) b[k] -= along * a[k];
        const double rest = square_root(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        if (!(length > 0) || !(rest > 1e-9 * size)) return false;
        for (double& e : b) e /= rest;
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            Q(k, 0) = a[k], Q(k, 1) = b[k], Q(k, 2) = a[l] * b[m] - a[m] * b[l];
        }
        return true;
    }
    template <class V>
    static V young(const LawNumbers<V>& n) {
        const V sum = n.lambda + n.mu;
        const Mask<V> there = sum > filled<V>(0);
        return n.mu * (filled<V>(3) * n.lambda + n.mu + n.mu) / choose(there, sum, filled<V>(1));
    }
    /// Engineering shear.
    template <class V>
    static void strain(const Matrix<V>& F, V e[6]) {
        const Matrix<V> A = transposed_times(F, F);
        for (int i = 0; i < 3; ++i) e[i] = filled<V>(0.5) * (A(i, i) - filled<V>(1)), e[3 + i] = A(i, (i + 1) % 3);
    }
    template <class V>
    static void stress_of(const LawNumbers<V>& n, const V e[6], V s[6]) {
        const V scale = young(n);
        for (int r = 0; r < 6; ++r) {
            V sum = filled<V>(n.extra[6 * r]) * e[0];
            for (int c = 1; c < 6; ++c) sum = sum + filled<V>(n.extra[6 * r + c]) * e[c];
            s[r] = scale * sum;
        }
    }
    // ∂P_ij/∂F_kl = δ_ik S_lj + F_im C_mjpl F_kp.
    template <class V>
    static FullTangent<V> with_stress(const LawNumbers<V>& n, const Matrix<V>& F, const Symmetric3<V>& S) {
        const V scale = young(n);
        V product[6][9];  // C_mjpl F_kp
        for (int r = 0; r < 6; ++r)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    V sum = filled<V>(0);
                    for (int p = 0; p < 3; ++p) sum = sum + filled<V>(n.extra[6 * r + place[3 * p + l]]) * F(k, p);
                    product[r][3 * k + l] = scale * sum;
                }
        FullTangent<V> K;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int c = 0; c < 9; ++c) {
                    V sum = F(i, 0) * product[place[j]][c] + F(i, 1) * product[place[3 + j]][c] +
                            F(i, 2) * product[place[6 + j]][c];
                    if (c / 3 == i) sum = sum + S.e[place[3 * (c % 3) + j]];
                    K.m[3 * i + j][c] = sum;
                }
        return K;
    }
};

}  // namespace
}  // namespace pliant
