#pragma once
// Bodies meshed by rows and columns: bars, plates, tubes, bowls and crates that ring, and the stones of an arch. Each
// cell is cut into the six Kuhn tets round one diagonal; quadratic meshes have their middle nodes on the true wall, so
// that few elements do.

#include <functional>
#include <string>

#include "pliant/mesh/quadratic_mesh.hpp"

namespace pliant {

/// A block of nx × ny × nz cells bent by `map`, which takes each coordinate in [0, 1].
struct Blocks {
    int cells[3] = {1, 1, 1};
    bool closed = false;    ///< the last cell along x joins the first: a ring
    bool mirrored = false;  ///< diagonals run from the middle of the x–y square outwards; needs even counts there
    bool hollow = false;    ///< only the outermost cells on each side are there; at least three cells along each axis
    std::function<Vec3(const Vec3& u)> map;
};

TetMesh structured_mesh(const Blocks& blocks);
QuadraticMesh structured_quadratic(const Blocks& blocks);

/// Box centred on the origin, sizes in m. `along`: cells on the longest side; the others follow, at least one.
Blocks bar_blocks(const Vec3& size, int along);
/// Hollow cylinder along z, centred. Radii are of the outer wall, m. `round` cells about the axis, `along` on it.
Blocks tube_blocks(double radius, double wall, double length, int round, int along);
/// Part of a hollow sphere below z = 0, open upwards: depth/radius of 1 is a half sphere. `across` (even): cells from
/// rim to rim.
Blocks bowl_blocks(double radius, double wall, double depth, int across);
/// Closed hollow box centred on the origin; size is of the outside, m. `along`: cells on the longest side between
/// walls.
Blocks crate_blocks(const Vec3& size, double wall, int along);

/// A stone of an arch round the z axis, which it stays away from by the radius of the arch's centre line, along x: its
/// joints lie in planes through the axis, its other faces are flat. Angle between the joints in radians. `across`:
/// cells over the thickness.
Blocks wedge_blocks(double radius, double thickness, double angle, double depth, int across);

/// What `text` names, as given on a command line: "tube:length=0.505,radius=0.0125,wall=0.001", "bar:", "plate:",
/// "bowl:", "crate:", "wedge:" likewise; every key has a default, and `cells=` refines. UserError for words that make
/// no sense.
bool names_structured_shape(const std::string& text);
Blocks structured_shape(const std::string& text);

}  // namespace pliant
