#pragma once
// Which features passed through each other during a step: what a count of crossings at its end cannot see, such as a
// bullet that is through. Only what is certain counts; continuous detection, which is conservative, would also tell
// touching pairs.

#include <span>
#include <vector>

#include "pliant/collision/feature_pairs.hpp"

namespace pliant {

/// True when the vertex passes from one side of the face to the other inside it, or the edges pass through each other
/// away from their ends, proved in spite of rounding. False where they touch only, or meet exactly at a border.
bool certainly_crosses(PairKind kind, const FourPoints& start, const FourPoints& end);

/// Those of the pairs that certainly cross, in the order of `pairs`. start, end: positions of all points of the mesh,
/// m.
std::vector<FeaturePair> motion_crossings(const FeatureMesh& mesh, std::span<const FeaturePair> pairs,
                                          std::span<const Vec3> start, std::span<const Vec3> end, Threads& threads);

}  // namespace pliant
