#pragma once
// Edits of a body's mesh in a world: the body follows (body/edit.hpp), and with it the grips, pulls and hands that hold
// it and the friction of its contacts.

#include "pliant/world/world.hpp"

namespace pliant {

/// Changes the mesh of w.fem[body]. Between steps.
void edit_mesh(World& w, int body, const MeshEdit& edit);
/// The same for an edit in which every node and tet is new, with what its tets have.
void edit_mesh(World& w, int body, const MeshEdit& edit, NewElements elements);

/// What holds on to the body goes with an edit that it has followed already. Hands stay at their elements, so that this
/// is enough where nodes were only split.
void follow_edit(World& w, int body, std::size_t nodes_before, const MeshEdit& edit, const Edited& edited);

}  // namespace pliant
