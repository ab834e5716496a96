#pragma once
// TetGen, if the system has it, as a program of its own: it meshes a closed surface so that the tets end on it. It runs
// in a folder of its own with limits on time and memory, so that nothing it does can hurt us. (TetGen is under the
// AGPL; Pliant neither contains nor links it, and works without it.)

#include <string>
#include <vector>

#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct TetgenOptions {
    /// TetGen's own: q bounds the shape (q1.2 better and more tets), a0.01 the volume of a tet (m³, in the surface's
    /// units cubed), Y keeps the surface's triangles. p is added. Switches that read or leave out files are refused.
    std::string switches = "pq";
    double seconds = 120;            ///< more than this and it is stopped
    std::size_t megabytes = 4096;    ///< more than this and it fails
    std::string program = "tetgen";  ///< found in the PATH unless it has a slash
};

/// UserError when the program is absent, the surface is not closed or cuts itself, a switch is not allowed, or TetGen
/// fails, crashes or passes a limit. Enclosed cavities stay empty. `notes` receives what was done besides.
TetMesh tetgen(const TriMesh& surface, const TetgenOptions& options = {}, std::vector<std::string>* notes = nullptr);

/// The switches as given to the program, "-pqa0.01", or UserError with the reason why not.
std::string checked_switches(const std::string& switches);

}  // namespace pliant
