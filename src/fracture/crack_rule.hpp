#pragma once
// Where a body breaks (Müller & Gross 2004, section 4). Reads stresses and a mesh, proposes; changes nothing itself.
//
// An element whose largest principal stress exceeds its strength splits one of its nodes, a crack tip if it has one,
// by the plane through the node perpendicular to that stress. The tets round the node go to either side by their
// centre, and every face-connected group of them gets a copy of the node of its own. So do the groups round the ends
// of the new crack, where two tets might otherwise hang together by a single point or edge.
//
// Everything is done at rest: stress in the rest frame of the element, centres and planes in rest coordinates. They are
// what the unrotated stress of the paper is about, and they stay well-defined when the deformed elements fold over.
//
// One thing is ours. Tets of a lattice reach beyond the surface, and what is seen of a piece of little material is a
// flake: `least_piece` keeps a node whole where its split would set one free.
//
// The stress must be that of the elastic strain. The paper takes the total strain, which with plasticity would break a
// body that has flowed into a new shape and carries no load.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

class Threads;

using Stress6 = std::array<double, 6>;  ///< xx yy zz xy yz zx, Pa

/// The largest eigenvalue of a stress and its direction.
struct PrincipalStress {
    double size = 0;  ///< Pa, positive in tension
    Vec3 direction = Vec3::UnitX();
};
PrincipalStress largest_principal(const Stress6& stress);

struct CrackOptions {
    int splits = 4;          ///< of nodes by stress in one step at most: the most overloaded elements first
    double propagation = 1;  ///< share of the strength at which an element with a crack tip breaks, (0, 1]
    double least_piece = 0;  ///< m³ of material at rest: nodes whose split would set less than this free stay whole
    std::uint64_t seed = 1;  ///< of the scene
    std::uint64_t step = 0;  ///< number of the step, so that each draws anew
};

/// A corner of a tet that gets another node.
struct Relink {
    int tet = 0;
    int old_node = 0;
    int new_node = 0;
};

struct Crack {
    int tet = 0;                  ///< that was overloaded
    int node = 0;                 ///< that was split
    double stress = 0;            ///< Pa
    Vec3 normal = Vec3::UnitX();  ///< of the plane, at rest
    double area = 0;              ///< of the faces that came apart, at rest, m²
};

struct CrackProposal {
    std::vector<Relink> relinks;             ///< at most one per corner, in the order of tets
    std::vector<int> parents;                ///< of new nodes, which count on from the mesh's: where they come from
    std::vector<std::array<int, 2>> parted;  ///< pairs of tets that shared a face before
    std::vector<char> crack_tip;             ///< per node, old and new, after the split
    std::vector<Crack> cracks;

    bool empty() const { return relinks.empty(); }
};

/// What the caller knows about the mesh's links already; what is empty is looked for.
struct KnownLinks {
    /// The tets round a node, ascending: 4·tet + which of its corners the node is.
    std::function<std::span<const unsigned>(int node)> star;
    /// Per tet and face, as of tet_neighbours().
    std::span<const std::array<int, 4>> neighbours;
    /// Per tet: the share of it that is material, for CrackOptions::least_piece; empty: all of each.
    std::span<const double> share;
};

/// stress and strength per tet, crack_tip per node (empty: none yet). `threads`: that look for overloaded elements
/// together; null: the caller alone.
CrackProposal propose_cracks(const TetMesh& mesh, std::span<const Stress6> stress, std::span<const double> strength,
                             std::span<const char> crack_tip, const CrackOptions& options, KnownLinks known = {},
                             Threads* threads = nullptr);

/// The proposal in the common language of changes to a mesh. The mesh is the one it was made for, not yet changed.
MeshEdit mesh_edit(const TetMesh& mesh, const CrackProposal& proposal);

/// Relinks the tets and appends the new nodes at their parents' rest positions; bumps the revision.
void apply(TetMesh& mesh, const CrackProposal& proposal);

/// Strengths with flaws: each is multiplied by a number between 1 − noise and 1 + noise that the seed and the element
/// decide. noise in [0, 1).
std::vector<double> flawed_strength(std::span<const double> strength, double noise, std::uint64_t seed);

}  // namespace pliant
