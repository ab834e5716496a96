#pragma once
// Bodies that can be cut: the virtual node algorithm (src/cut), connected to a body of finite elements. A cut is
// proposed as an edit of the mesh, like a crack; what is seen is a CutSurface, which knows what each element holds.

#include "pliant/cut/cut_plan.hpp"

namespace pliant {

class Threads;
struct FemBody;

struct CuttingDesc {
    CutRules rules = {};
    /// Copies of an element keep all of its mass and stiffness (the paper's choice), so that a body grows heavier where
    /// it is cut. False: each has the share that its material has.
    bool whole_copies = false;
    bool touch = false;   ///< pieces touch each other
    bool smooth = false;  ///< shading of cut faces
};

/// What the seen surface of a body with FemBody::cutting is.
CutSurface& cut_surface(FemBody& body);
const CutSurface& cut_surface(const FemBody& body);

/// What `sheet` does to the body as it is. Before plan.edit is applied the surface must be told what elements hold:
/// accept_cut() does.
CutPlan propose_cut(const FemBody& body, const CutSheet& sheet, Threads& threads);
void accept_cut(FemBody& body, const CutPlan& plan);

}  // namespace pliant
