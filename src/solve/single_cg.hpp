#pragma once
// Conjugate gradients in single precision around a residual in double: two thirds of the time of those in double, for
// systems that are not much stiffer than heavy.

#include <span>

#include "pliant/solve/coupled_cg.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

/// Brings r of systems that an earlier solve left with a pending correction up to their v. Called by every member of
/// the team.
void refresh_residual(const CgScratch& scratch, const CgOptions& options, const Team& team);

/// Adds to v the solution d of A d = r. r is left as it was, without couplings, and the systems have a pending
/// correction. The residual is taken anew in double, at the v reached, whenever rounding may have grown to a part of
/// it, and before it is called small enough: any tolerance can be reached. Returns false, and changes nothing, where a
/// row is too stiff for that. Called by every member of the team with r complete; `report` is written by the first.
bool iterate_single(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                    const CgOptions& options, CgScratch& scratch, const Team& team, CgReport& report);

}  // namespace pliant
