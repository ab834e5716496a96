#pragma once
// Couplings and chunks as conjugate gradients go through them; what both precisions share.

#include <algorithm>
#include <span>

#include "pliant/solve/coupled_cg.hpp"

namespace pliant {

void flatten_couplings(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& s);
/// After flatten_couplings().
void cut_chunks(std::span<BlockSystem* const> systems, CgScratch& s);
/// impulse = s − S J v
void take_impulses(std::span<const Coupling> couplings, CgScratch& s);
/// r += sign·Jᵀ·impulse
void add_impulses(std::span<BlockSystem* const> systems, double sign, const CgScratch& s);
/// What the couplings push a touched row with: its share of Jᵀ·impulse.
inline Vec3 touch_impulse(const CgScratch& s, const CgScratch::Touch& touch) {
    Vec3 sum = Vec3::Zero();
    for (int i = touch.begin; i < touch.end; ++i) sum += s.touching[i].weight * s.impulse[s.touching[i].coupling];
    return sum;
}
/// Relative residual below which there is nothing left to solve but the rounding of doubles, as when a body falls
/// freely.
inline constexpr double all_solved = 1e-13;
/// The square of the residual at which to stop.
inline double small_enough(const CgOptions& options, double reference) {
    const double relative = std::max(options.tolerance, all_solved);
    return relative * relative * reference;
}
/// Sums of chunks, added in order: the same for any number of threads.
inline double in_order(const AlignedVector<double>& partial) {
    double sum = 0;
    for (double part : partial) sum += part;
    return sum;
}

}  // namespace pliant
