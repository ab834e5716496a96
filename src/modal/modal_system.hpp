#pragma once
// Stiffness and mass of a mesh about its rest shape (O'Brien, Shen & Gatchalian 2002, section 3.3).

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/mesh/quadratic_mesh.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/solve/node_matrix.hpp"

namespace pliant {

/// What a linear, isotropic solid is made of.
struct ElasticNumbers {
    double young = 0;    ///< Pa
    double poisson = 0;  ///< between -1 and 0.5, both excluded
    double density = 0;  ///< kg/m³
};

enum class MassKind {
    lumped,      ///< shared among the nodes (eq. 15): frequencies come out low. Linear elements only.
    consistent,  ///< eq. 14: frequencies come out high, as those of any displacement method
};

struct ModalSystem {
    NodeMatrix stiffness;      ///< K, N/m
    std::vector<double> mass;  ///< M = m·I per block of the same pattern, kg; zero off the diagonal when lumped
    bool lumped = false;
    std::vector<Vec3> rest;           ///< m
    std::vector<Tet> tets;            ///< linear pieces of the elements
    std::vector<double> node_mass;    ///< row sums over the linear pieces, kg per node
    std::vector<std::uint8_t> fixed;  ///< per unknown (3·node + axis): taken out; empty: none
    ElasticNumbers first;             ///< of the first element

    int nodes() const { return static_cast<int>(rest.size()); }
    int unknowns() const;  ///< left after fixing
};

/// `numbers`: one for all elements, or one per element. A UserError names a tet without volume.
ModalSystem assemble_modal(const TetMesh& mesh, std::span<const ElasticNumbers> numbers, MassKind mass);
/// Ten-node elements; the mass is consistent.
ModalSystem assemble_modal(const QuadraticMesh& mesh, std::span<const ElasticNumbers> numbers);

/// Takes all motion of these nodes out.
void fix_nodes(ModalSystem& system, std::span<const int> nodes);

/// y = M x.
void multiply_mass(const ModalSystem& system, const MultiVector& x, MultiVector& y, Threads& threads);
/// K − shift·M.
NodeMatrix shifted(const ModalSystem& system, double shift);

/// λ (rad²/s²) below which about so many elastic eigenvalues lie, by Weyl's law for a body of this volume with a free
/// surface. Thin walls and held nodes make it wrong.
double weyl_guess(const ModalSystem& system, double wanted);

}  // namespace pliant
