#pragma once
// What the legacy and the XML files of VTK share: cell types, and which cell arrays count as region numbers.

#include <span>
#include <string_view>
#include <vector>

#include "pliant/io/mesh_polygons.hpp"

namespace pliant {

/// Adds one cell of a VTK type to the soup. Corners are already checked to be in range. False: a type that must not
/// have so few corners.
bool add_vtk_cell(CellSoup& soup, long long type, std::span<const int> corners, int region);

/// How well an array's name fits for region numbers; 0: not at all.
int region_name_rank(std::string_view name);

/// Whole numbers of the size of an int, or 0.
int region_from(double value);

}  // namespace pliant
