#pragma once
// The smoothed element: four-node tets whose deformation gradients are averaged before the law sees them, against the
// two kinds of locking that plain linear tets have.
//
//   bending: the part of the energy that μ multiplies takes F_e, the mean over the tets round each edge e
//            (edge-based smoothed finite elements, Nguyen-Thoi et al. 2009; in 3D He et al. 2013)
//   volume:  the part that λ multiplies takes F_n, the mean over the tets round each node n (Dohrmann et al. 2000,
//            Bonet & Burton 1998: about one condition of constant volume per node instead of six)
//
//   W = Σ_e ψ(F_e; 0, (μV)_e) + Σ_n [ψ(F_n; (λV)_n, (μV)_n) − ψ(F_n; 0, (μV)_n)]
//
// Edges and nodes are the *domains*. A tet gives a sixth of its μV to each of its edges and a quarter of its λV to each
// of its nodes, and counts in the means by the same numbers, so that a uniform deformation has the energy and the
// forces of plain tets whatever the materials are. A domain is an element of its own with more nodes (its *stencil*)
// and gradients G, F = Σ x_i G_iᵀ: no quantity beside positions is added, and where a crack opens the domains part with
// the nodes.

#include <array>
#include <span>
#include <vector>

#include "pliant/fem/smoothing_kernels.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/solve/aligned.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

struct Smoothing {
    static constexpr int per_tet = 10;  ///< domains: six edges (01 02 03 12 13 23), then four nodes
    int tets = 0;
    int edge_groups = 0, groups = 0;  ///< of eight domains: those of edges, then those of nodes; the rest are empty
    int domains() const { return 8 * groups; }
    bool is_edge(int domain) const { return domain < 8 * edge_groups; }

    // Who belongs to a domain.
    std::vector<unsigned> member_begin;                       ///< [domain + 1]
    std::vector<unsigned> member;                             ///< tets, ascending
    AlignedVector<double> member_weight;                      ///< in the mean; they add up to one
    std::vector<std::array<unsigned short, 4>> member_place;  ///< of the tet's corners in the stencil
    std::vector<std::array<unsigned, per_tet>> tet_member;    ///< per tet: where it is in `member`
    std::vector<std::array<unsigned, per_tet>> tet_domain;
    std::vector<unsigned> stencil_begin;  ///< [domain + 1]
    std::vector<int> stencil;             ///< nodes, ascending
    AlignedVector<float> slope;           ///< [stencil entry][4]: G, 1/m
    AlignedVector<double> lambda, mu;     ///< [domain] λV and μV, J
    AlignedVector<double> volume;         ///< [domain] m³, of edges alone: where viscous stress acts

    // How the rows of the system gather from the domains (smoothing_kernels.hpp).
    std::vector<unsigned> row_begin;  ///< [row + 1]
    std::vector<RowDomain> row_domain;
    std::vector<RowPair> row_pair;
    std::vector<unsigned>
        twin;  ///< [slot][8]: where in the blocks the transposed block is that is computed; own: itself

    // Scratch of a step.
    AlignedVector<double> F, rate;  ///< [tet][12], rows of four
    AlignedVector<double> stress;   ///< [domain][12]: P times the volume, J
    AlignedVector<float> tangent;   ///< [domain][27][4], see smoothing_kernels.hpp
    AlignedVector<double> plastic;  ///< [domain][6] μV or λV times the plastic strain, J; empty: there is none
    AlignedVector<double> mean;     ///< [domain][12]: F where the flow of plastic strain asks for it
    int longest_row = 0;            ///< slots
};

/// The domains of a mesh and what rows gather from them; the sparsity of `system` is there. Weights are not set.
void set_domains(Smoothing& s, const TetMesh& mesh, const BlockSystem& system);

std::size_t memory_bytes(const Smoothing& s);

/// For each node, those that share a domain with it, itself left out, ascending.
std::vector<std::vector<int>> smoothed_neighbours(const TetMesh& mesh);

}  // namespace pliant
