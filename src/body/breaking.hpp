#pragma once
// Bodies that break: the crack rule connected to a body, and everything that follows an edit of its mesh.
//
// After the positions of a step are known, elements whose elastic stress exceeds their strength split a node (Müller &
// Gross 2004, sections 4 and 6). A split changes links only: element shapes, stiffnesses, rotations and plastic strains
// stay as they are, copies of a node start with its position, velocity and temperature, and masses are added up anew
// from the elements, so that mass and momentum are kept to rounding.

#include <optional>
#include <span>
#include <vector>

#include "pliant/body/edit.hpp"
#include "pliant/fracture/crack_mesh.hpp"
#include "pliant/fracture/crack_rule.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/surface/skin.hpp"

namespace pliant {

class Threads;
struct FemBody;

struct FractureDesc {
    std::vector<double> strength;  ///< largest tensile stress an element bears, Pa: one for all tets, or one per tet
    double noise = 0;              ///< strengths vary by up to this share from element to element, [0, 1)
    int splits = 4;                ///< nodes split by stress per step at most
    double propagation = 1;        ///< share of the strength at which a crack that is there goes on, (0, 1]
    std::uint64_t seed = 1;
    /// No piece with less material than a cube of this edge comes off, m; none: than a mean tet has.
    std::optional<double> grain = {};
    bool smooth = false;  ///< crack faces are shaded smoothly; false: flat, every face with its own normal
    bool touch = false;   ///< pieces touch each other like bodies
    /// Cracks divide elements (body/cracking.hpp) instead of following their faces: then `strength` is the toughness,
    /// `splits` the number of nodes that may open, and `propagation` is not used.
    bool through_elements = false;
    CutOptions cut = {};
    int planes = 3;          ///< by which one node may be divided in one step
    double crack_speed = 1;  ///< as ElementCracks::speed
    /// `strength` is the critical stress intensity of a crack's tip, Pa·√m: what a node bears follows from its edges.
    bool by_intensity = false;
};

/// What a breakable body has beside its motion.
struct Fracture {
    std::vector<double> strength;  ///< per tet, flaws included, Pa
    std::vector<double> share;     ///< per tet: how much of it is material
    CrackOptions options;          ///< seed and splits; the number of the step is filled in
    bool smooth = false;
    bool touch = false;
    std::vector<char> crack_tip;  ///< per node: state

    std::vector<Stress6> stress;  ///< scratch
};

Fracture make_fracture(const FractureDesc& desc, const TetMesh& mesh);

/// What is seen of a body that breaks along faces of its elements.
Skin& skin_of(FemBody& body);

/// What a body's break in one step comes to.
struct Broken {
    MeshEdit edit;
    Edited edited;
    std::vector<Crack> cracks;
};

/// Cracks by the elastic stress at the present x, after a step; nothing where no element is overloaded. `step` numbers
/// the draws of chance.
std::optional<Broken> break_apart(FemBody& body, std::uint64_t step, Threads& threads);

/// The parts of a body that are computed from its links, of which only those of the tets `relinked` (ascending)
/// changed. The seen surface has followed them already.
void follow_links(FemBody& body, std::span<const int> relinked, Threads& threads);

/// What is per node and no part of the state gets the size of the mesh.
void size_scratch(FemBody& body);

/// Puts another linking of the same tets into the mesh, for checkpoints: body.origin and all arrays per node belong to
/// it already, `origin_before` to the links there are; nothing else follows. Throws UserError where they are of another
/// mesh.
void set_links(FemBody& body, const std::vector<int>& origin_before, std::vector<Tet> tets);

/// Pieces of the body that can be seen; for a body that does not break, of its tet mesh.
int pieces(const FemBody& body);

}  // namespace pliant
