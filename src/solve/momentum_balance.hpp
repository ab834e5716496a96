#pragma once
// Truncated conjugate gradients leave an error in the momentum of a free body. It is removed exactly afterwards by one
// translation per body, which costs no elastic force. The pieces of a broken body have one each: without it small stiff
// pieces would hardly fall.

#include "pliant/solve/coupled_cg.hpp"

namespace pliant {

/// Shifts v (and r) of every system without prescribed nodes so that
///   Σ inertia·v = momentum + Σ weight (s − S u)   over the couplings that touch it,
/// solved for all bodies together: what one body gives through a row the other receives.
void balance_momentum(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& scratch);

}  // namespace pliant
