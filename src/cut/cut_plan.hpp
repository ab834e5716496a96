#pragma once
// The virtual node algorithm (Molino, Bao & Fedkiw 2004, section 3), on exactly cut cells. An element gets one copy per
// set of its cells that hang together, and a node one copy per set of the cells in the elements round it that do: what
// the knife has parted within the ring of a node moves with a copy of that node of its own. There is no limit to the
// number of cuts, nor to where they go.
//
// Copies of an element that would have the same nodes are one element (partial cuts go round). The cuts within it are
// remembered, and part it when a later cut takes the last connection.

#include <utility>
#include <vector>

#include "pliant/cut/cut_sheet.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/surface/cut_surface.hpp"

namespace pliant {

class Threads;

struct CutRules {
    /// Section 4 of the paper: embedded nodes lie on edges, one on each at most, and all material is with a node. An
    /// element in which a cut would be otherwise is not cut by it. Central parts of faces do not join (figure 12).
    bool paper = false;
};

struct CutPlan {
    MeshEdit edit;                                             ///< empty where nothing came apart
    std::vector<std::pair<int, CutSurface::Content>> changed;  ///< what tets hold, by their numbers before the edit
    std::vector<CutSurface::Content> added;                    ///< what new tets hold
    int elements = 0;                                          ///< that the sheet has cut

    bool empty() const { return elements == 0; }
};

/// Changes nothing. `sheet` has a value for every node of the mesh; `state` says what its tets hold.
CutPlan plan_cut(const TetMesh& mesh, const CutSurface& state, const CutSheet& sheet, const CutRules& rules,
                 Threads& threads);

}  // namespace pliant
