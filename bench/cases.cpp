#include "bench/bench.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant::bench {

const std::vector<Case>& cases() {
    // Modes, sound and whatever else is worth measuring: one line here, one file bench/<name>.cpp.
    static const std::vector<Case> all{
        {"step", "one step of a hanging bar, E 1e5 Pa, 20 iterations of conjugate gradients", run_step},
        {"laws", "the same step with every elastic law", run_laws},
        {"figure7", "Müller & Gross 2004, figure 7: linear and warped stiffness against the size of the mesh",
         run_figure7},
        {"scaling", "the same step from 10,000 to 1,000,000 tets", run_scaling},
        {"stiff", "E 1e7 Pa to a residual of 1e-6: multigrid and Jacobi, on bars and lattices", run_stiff},
        {"assembly", "rotations, forces and matrix without the solve", run_assembly},
        {"mesh", "lattice meshing of a torus", run_mesh},
        {"frame-output", "update of a skin, plastic flow, and writing a frame (tets counts triangles for the skin)",
         run_frame_output},
        {"splitting", "a step in which one node in a hundred splits, against one in which none does", run_splitting},
        {"modes", "vibration modes of an aluminium bar, proved complete: 50 of 10,080 tets, 200 of 98,304", run_modes},
        {"contact", "detection among moving triangles: pairs that may meet, then when they do (tets counts triangles)",
         run_contact},
#ifdef PLIANT_WITH_SOUND
        {"sound", "ms of one core per second of sound of 100,000 damped oscillators (tets counts them)", run_sound},
#endif
    };
    return all;
}

TetMesh bar(const BarSize& s) { return bar_mesh(s.x, s.y, s.z, Vec3::Zero(), Vec3(4, 1, 1)); }

const std::vector<BarSize>& bar_sizes() {
    static const std::vector<BarSize> sizes{{14, 3, 4}, {30, 7, 8}, {64, 16, 16}, {112, 28, 28}};
    return sizes;
}

}  // namespace pliant::bench
