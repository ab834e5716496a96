#pragma once
// What a crack does to the stress round it, before anything has moved.
//
// Where a node has come apart, the forces of the elements on either side of it no longer balance. Its neighbourhood
// gives way until they do, or as far as it comes in the time that the crack takes to cross it:
//
//     (M/h² + K) u = r,     r: at each part of a node, the force of its elements less the part's share by mass of what
//                              acts on the node as a whole,
//
// with the linear stiffness K of the elements where they are now, and everything further away at rest. The stresses of
// the elements change by those of u; positions do not. So the next node can be asked, within the same step, what pulls
// at it now: a crack runs on because it loads its tips and relieves what it has passed, and not because far material
// saw the stress of before. The energy that the crack sets free is ½ r·u.

#include <functional>
#include <span>
#include <vector>

#include "pliant/fracture/crack_mesh.hpp"

namespace pliant {

struct ReliefMaterial {
    double lambda, mu;  ///< Lamé's numbers, Pa
    double density;     ///< kg/m³
};

struct Relief {
    double energy = 0;       ///< set free, J
    std::vector<int> nodes;  ///< at which the stress changed, ascending
};

/// `opening`: the last cut of the mesh; `first_new`: the mesh's node count before it. `cauchy`: per tet of the mesh,
/// Pa, changed where it is relieved. `material`: of a tet. `time`: h, s.
Relief relieve(const CrackMesh& mesh, const Opening& opening, int first_new, std::vector<Mat3>& cauchy,
               const std::function<ReliefMaterial(int tet)>& material, double time);

}  // namespace pliant
