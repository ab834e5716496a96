#include "pliant/modal/modal_basis.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "pliant/core/error.hpp"

namespace pliant {

double decay(const ModalBasis& basis, int mode) {
    const double lambda = basis.lambda[mode], c = basis.alpha + basis.beta * lambda;
    if (c * c <= 4 * lambda) return c / 2;
    return 2 * lambda / (c + std::sqrt(c * c - 4 * lambda));  // the slower of the two: it is what remains
}

double frequency_hz(const ModalBasis& basis, int mode) {
    const double lambda = basis.lambda[mode], c = (basis.alpha + basis.beta * lambda) / 2;
    return c * c < lambda ? std::sqrt(lambda - c * c) / (2 * std::numbers::pi) : 0;
}

double undamped_hz(const ModalBasis& basis, int mode) { return std::sqrt(basis.lambda[mode]) / (2 * std::numbers::pi); }

double t60(const ModalBasis& basis, int mode) {
    const double rate = decay(basis, mode);
    return rate > 0 ? std::log(1000.0) / rate : std::numeric_limits<double>::infinity();
}

ModalBasis rescaled(const ModalBasis& basis, double density, double stiffness_factor, const Damping& damping) {
    CHECK(density > 0 && stiffness_factor > 0, density, stiffness_factor);
    ModalBasis out = basis;
    const double heavier = density / basis.density;
    for (double& m : out.mass) m *= heavier;
    for (double& lambda : out.lambda) lambda *= stiffness_factor / heavier;
    out.shape *= 1 / std::sqrt(heavier);
    out.density = density;
    out.young *= stiffness_factor;
    out.alpha = damping.alpha, out.beta = damping.beta;
    return out;
}

ModalBasis truncated(const ModalBasis& basis, int count) {
    std::vector<int> modes(std::min(count, basis.mode_count()));
    std::iota(modes.begin(), modes.end(), 0);
    return selected(basis, modes);
}

ModalBasis selected(const ModalBasis& basis, const std::vector<int>& modes) {
    ModalBasis out = basis;
    out.lambda.resize(modes.size());
    out.shape.resize(basis.shape.rows(), static_cast<Eigen::Index>(modes.size()));
    for (std::size_t i = 0; i < modes.size(); ++i) {
        CHECK(modes[i] >= 0 && modes[i] < basis.mode_count(), modes[i], basis.mode_count());
        out.lambda[i] = basis.lambda[modes[i]];
        out.shape.col(static_cast<Eigen::Index>(i)) = basis.shape.col(modes[i]);
    }
    return out;
}

}  // namespace pliant
