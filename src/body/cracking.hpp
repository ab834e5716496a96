#pragma once
// Bodies whose cracks go through elements (O'Brien & Hodgins 1999, section 4): the separation tensor and the mesh that
// cracks run through, connected to a body.
//
// After the positions of a step are known, the nodes at which tension exceeds what the material bears are opened, the
// most loaded first. Each time the stress round it is relieved by a local solve (fracture/relief.hpp) and its
// neighbours are asked again, until every node holds or the cracks have gone as far as their speed allows. The plane of
// a crack divides elements, so the mesh changes: all cracks of a step are proposed as one edit. What is seen is the
// boundary of the mesh itself.

#include <cstdint>
#include <optional>
#include <vector>

#include "pliant/fracture/crack_mesh.hpp"
#include "pliant/fracture/crack_rule.hpp"
#include "pliant/mesh/mesh_edit.hpp"

namespace pliant {

class Threads;
struct FemBody;
struct FractureDesc;

/// What all cracks of a body came to.
struct CrackTotals {
    std::uint64_t count = 0;  ///< openings of a node by a plane
    double area = 0;          ///< at rest, one side, m²
    double energy = 0;        ///< elastic energy that they set free in their neighbourhood (fracture/relief.hpp), J
};

struct ElementCracks {
    std::vector<double> toughness;  ///< per tet, flaws included, Pa
    CutOptions cut;
    int cracks = 4;  ///< nodes that may open in one step
    int planes = 3;  ///< by which one node may be divided in one step
    /// How fast a crack runs at most, as a share of the speed of Rayleigh's waves. 0: across the elements round a node
    /// in each step, whatever that makes of its speed (the paper's rule).
    double speed = 1;
    bool smooth = false, touch = false;
    /// `toughness` is a critical stress intensity K, Pa·√m. A node then bears K/√(2πr), the stress that the field of a
    /// crack's tip has at the distance r = 0.3 of the mean length of its edges at rest.
    bool by_intensity = false;

    std::vector<double> edge;  ///< per node: mean edge of the unbroken mesh there, m: state
    std::vector<Vec3> aim;     ///< per node: CrackMesh::aims(): state
    /// Per node: when the crack whose tip it is came there, s: state. 0 or before the step: it may open at once.
    std::vector<double> reached;
    CrackTotals total = {};  ///< state

    std::vector<Stress6> stress = {};      ///< scratch: Biot, per tet
    std::vector<double> stress_norm = {};  ///< scratch: of the Cauchy stress, or more, per tet
    std::vector<char> overloaded = {};     ///< scratch: per node
};

ElementCracks make_element_cracks(const FractureDesc& desc, const TetMesh& mesh);

struct OpenedCrack {
    Vec3 place, normal;  ///< of the node and of the crack's faces, where the body is now
    double stress = 0;   ///< that pulled, Pa
    double area = 0;     ///< m²
    double energy = 0;   ///< see CrackTotals, J
};
struct CrackedElements {
    MeshEdit edit;
    std::vector<Vec3> aim;        ///< per node after the edit, see ElementCracks
    std::vector<double> reached;  ///< likewise
    std::vector<OpenedCrack> cracks;
};

/// The cracks that the stress at the present x opens in a step of length dt that ends now; nothing where every node
/// holds. The body does not change.
std::optional<CrackedElements> propose_element_cracks(FemBody& body, double now, double dt, Threads& threads);

}  // namespace pliant
