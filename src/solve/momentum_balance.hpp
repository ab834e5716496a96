#pragma once
// Truncated conjugate gradients leave an error in the momentum of a free body. It is removed exactly afterwards by one
// translation per body, which costs no elastic force. The pieces of a broken body have one each: without it small stiff
// pieces would hardly fall. Very stiff bodies in long steps (BlockSystem::lever) get a rotation as well: what the solve
// leaves over, what frozen rotations err and what plastic strain off the axes of the stretch adds is small against
// their stiffness, but would keep them spinning for ever. With arms at the start of the step, Σ x × m v⁺ is the angular
// momentum at its end too, since x⁺ × v⁺ = x × v⁺.

#include "pliant/solve/coupled_cg.hpp"
#include "pliant/solve/solve_kernels.hpp"

namespace pliant {

/// Shifts v (and r) of every system without prescribed nodes so that
///   Σ inertia·v = momentum + Σ weight (s − S u)   over the couplings that touch it,
/// and the same for Σ lever × inertia·v, solved for all bodies together: what one body gives through a row the other
/// receives.
void balance_momentum(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                      const SolveKernels& kernels, CgScratch& scratch);

}  // namespace pliant
