#pragma once
// From an old mesh, deformed as it is, to a new lattice in the same place (Wojtan & Turk 2008, section 5): which old
// tets each new tet overlaps, and where in the old mesh each new node lies. The lattice itself answers who is near
// whom; there are no trees.

#include <span>
#include <vector>

#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/meshing/lattice_lookup.hpp"

namespace pliant {

class Threads;

/// The mesh to transfer from.
struct DeformedMesh {
    std::span<const Tet> tets;
    std::span<const Vec3> x;          ///< present positions, m
    std::span<const double> content;  ///< per tet: share of its volume that is material, above 0
    std::vector<char> counts = {};    ///< per tet: 1 where it may be a parent; empty: all may

    bool may_be_parent(int tet) const { return counts.empty() || counts[tet] != 0; }
    int first_parent() const {
        int tet = 0;
        while (!may_be_parent(tet)) ++tet;
        return tet;
    }
};

/// Per new tet: the old tets whose material it is made of, by the volume of overlap times their content. A new tet that
/// overlaps none has the parents of its neighbours.
std::vector<std::vector<Parent>> tet_parents(const DeformedMesh& old, const IndexedLattice& lattice, Threads& threads);

/// Per new node: the four nodes of the old tet that contains it, with barycentric weights. Nodes outside of all take an
/// old tet that their neighbours lie in, and extrapolate; no further than its nodes are apart.
std::vector<std::vector<Parent>> node_parents(const DeformedMesh& old, const IndexedLattice& lattice, Threads& threads);

}  // namespace pliant
