#pragma once
// A law of law.hpp as a MaterialLaw: for register.cpp, and for programs with a law of their own.

#include <sstream>

#include "pliant/core/error.hpp"
#include "pliant/material/law.hpp"
#include "pliant/material/material.hpp"

namespace pliant {

/// The keys of a law as a schema.
Schema law_schema(const LawFacts& facts);
/// The numbers of its keys one after the other, words as their place among the choices.
std::vector<double> law_numbers(const LawFacts& facts, const Params& params);

namespace {

inline Matrix<double> lane_matrix(const Mat3& F) {
    Matrix<double> out;
    for (int k = 0; k < 9; ++k) out.m[k] = F(k / 3, k % 3);
    return out;
}
inline Mat3 eigen_matrix(const Matrix<double>& F) {
    Mat3 out;
    for (int k = 0; k < 9; ++k) out(k / 3, k % 3) = F.m[k];
    return out;
}

inline Tangent expanded(const FullTangent<double>& K) {
    Tangent out;
    for (int r = 0; r < 9; ++r)
        for (int c = 0; c < 9; ++c) out(r / 3 + 3 * (r % 3), c / 3 + 3 * (c % 3)) = K.m[r][c];
    return out;
}
// Modes U M Vᵀ of the principal frame, each with its stiffness.
inline Tangent expanded(const StretchTangent<double>& K, const LaneSvd<double>& f) {
    const Mat3 U = eigen_matrix(f.U), V = eigen_matrix(f.W);
    using Vec9 = Eigen::Matrix<double, 9, 1>;
    const auto mode = [&](int i, int j) -> Vec9 {
        const Mat3 m = U.col(i) * V.col(j).transpose();
        return Eigen::Map<const Vec9>(m.data());
    };
    Tangent out = Tangent::Zero();
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        out += K.scaling.e[i] * mode(i, i) * mode(i, i).transpose();
        const Tangent mixed = mode(i, i) * mode(j, j).transpose();
        out += K.scaling.e[3 + i] * (mixed + mixed.transpose());
        const Vec9 equal = mode(i, j) + mode(j, i), opposite = mode(i, j) - mode(j, i);
        out += 0.5 * (K.equal[i] * equal * equal.transpose() + K.opposite[i] * opposite * opposite.transpose());
    }
    return out;
}

template <class Law>
Tangent law_tangent(const Lame& m, const double* numbers, const Mat3& F, bool projects) {
    const LawNumbers<double> n{m.lambda, m.mu, numbers};
    if constexpr (Law::facts.isotropic) {
        const LaneSvd<double> f = lane_svd(lane_matrix(F));
        const StretchTangent<double> K = Law::template tangent<double>(n, f.s);
        return expanded(projects ? projected(K) : K, f);
    } else if constexpr (requires { Law::template projected_tangent<double>(n, lane_matrix(F)); }) {
        return expanded(projects ? Law::template projected_tangent<double>(n, lane_matrix(F))
                                 : Law::template tangent<double>(n, lane_matrix(F)));
    } else {
        return expanded(Law::template tangent<double>(n, lane_matrix(F)));
    }
}

template <class Law>
std::vector<double> numbers_of_law(const MaterialLaw&, const Params& params) {
    const std::vector<double> given = law_numbers(Law::facts, params);
    if constexpr (requires { Law::prepared_count; }) {
        std::vector<double> prepared(Law::prepared_count);
        if (const char* wrong = Law::prepare(given.data(), prepared.data()))
            throw UserError(wrong, params.where(),
                            "Look at the numbers of the law '" + std::string(Law::facts.name) + "'");
        return prepared;
    }
    return given;
}

/// `place`: in the list of laws, −1 for one that is not in it.
template <class Law>
MaterialLaw law_entry(int place = -1) {
    const LawFacts& f = Law::facts;
    return {.name = f.name,
            .doc = f.doc,
            .objective = f.objective,
            .resists_inversion = f.resists_inversion,
            .isotropic = f.isotropic,
            .hooke = f.hooke,
            .volume_separates = !requires {Law::scales_with_young;
}
, .viscous = requires(const double* numbers) { Law::is_viscous(numbers); }
, .place = place, .schema = law_schema(f), .numbers = numbers_of_law<Law>,
  .energy =
      [](const Lame& m, const double* numbers, const Mat3& F) {
          return Law::template energy<double>({m.lambda, m.mu, numbers}, lane_matrix(F));
      },
  .stress =
      [](const Lame& m, const double* numbers, const Mat3& F) {
          return eigen_matrix(Law::template stress<double>({m.lambda, m.mu, numbers}, lane_matrix(F)));
      },
  .tangent = [](const Lame& m, const double* numbers, const Mat3& F) { return law_tangent<Law>(m, numbers, F, false); },
  .projected_tangent = [](const Lame& m, const double* numbers, const Mat3& F) {
      return law_tangent<Law>(m, numbers, F, true);
  }
};  // namespace
}  // namespace pliant

}  // namespace
}  // namespace pliant
