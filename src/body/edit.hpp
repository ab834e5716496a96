#pragma once
// How a body follows an edit of its mesh. Cracks, cuts and remeshing propose a MeshEdit; apply_edit() alone carries it
// out: for every array per node or tet (body/fem_arrays.hpp), the solid, the seen surface, heat and what is derived.
// Mass is kept to rounding where the edit keeps the volume at rest and names parents by their shares of it. Linear and
// angular momentum and heat are given back to the nodes round what changed.

#include <array>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/mesh/mesh_edit.hpp"

namespace pliant {

class Threads;
struct FemBody;

/// What tets have after an edit in which all are new, and which no blend of their parents' would give.
struct NewElements {
    std::vector<Mat3> shape;                     ///< per tet: Solid::set_shapes()
    std::vector<std::array<double, 4>> carried;  ///< per tet: Solid::set_carried()
};

/// What an edit came to, for whatever holds on to nodes or vertices of the body.
struct Edited {
    /// Per node before, then per new node of the edit: its number now, −1 if it is gone. Empty: all keep theirs.
    std::vector<int> node;
    /// Vertices or triangles have other numbers, or hang on other tets: body.seen->vertices_after() tells.
    bool surface_changed = false;
};

/// At any time but within a step. An edit that only splits nodes costs what it touches; any other one makes the solid
/// and what the surface hangs on anew, which costs about as much as making the body.
Edited apply_edit(FemBody& body, const MeshEdit& edit, Threads& threads);
/// The same for one in which all is new.
Edited apply_edit(FemBody& body, const MeshEdit& edit, NewElements elements, Threads& threads);

/// Nodes that were held stay held: copies of them are too, but virtual ones, and nodes that the edit puts between held
/// ones.
void follow_held_nodes(std::vector<int>& held, std::size_t nodes_before, const MeshEdit& edit, const Edited& edited);

/// The mesh before any crack, and the arrays that the scene gave, as they are now: what a checkpoint of a body needs
/// once its mesh is no longer the scene's own.
void save_mesh(const FemBody& body, ByteWriter& out);
/// Puts it in place. Throws UserError where its parts do not fit together. The state is for the caller to load.
void load_mesh(FemBody& body, ByteReader& in, Threads& threads);

}  // namespace pliant
