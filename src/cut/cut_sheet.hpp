#pragma once
// What a knife cuts, as functions on the nodes of a mesh. A sheet is made of patches: each lies where one function is
// zero, as far as others are not positive. Functions are whole numbers at the nodes and linear within elements, so that
// a plane cuts a body as it is now, deformed, and neighbours agree on every point of it.
//
// Two patches that meet are bounded by the difference of their functions: where both are zero it is zero, too, so that
// no gap is left between them, whatever was rounded.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

struct TetMesh;

/// A function of the nodes, or the difference of two, times a sign, less a distance.
struct SheetBound {
    int function = 0;
    int minus = -1;  ///< −1: none
    int sign = 1;
    std::int64_t less = 0;
};

struct SheetPatch {
    int function = 0;
    std::vector<SheetBound> within = {};   ///< it ends where one of them is positive
    std::optional<SheetBound> front = {};  ///< elements are cut once it is positive nowhere on what is cut of them
    bool carves = false;                   ///< what is where the function is negative, and within, is taken away
    std::int64_t half = 0;                 ///< half the thickness that a blade takes away
};

struct CutSheet {
    std::vector<std::vector<std::int64_t>> value;  ///< per function: one number per node
    std::vector<SheetPatch> patches;
};

/// Signed distance from it is a function.
struct SheetPlane {
    Vec3 point = Vec3::Zero();
    Vec3 normal{0, 1, 0};  ///< unit
};

/// A sheet in space.
struct SheetShape {
    std::vector<SheetPlane> planes;
    std::vector<SheetPatch> patches;
    std::vector<Vec3> path = {};  ///< of a blade: patch i is cut between its points i and i + 1
    double thickness = 0;         ///< of a blade, m
};

/// A blade drawn along a path, pointing along `direction`, which reaches `depth` from it; infinite: all the way.
struct Blade {
    std::vector<Vec3> path;  ///< two points at least, m
    Vec3 direction{0, -1, 0};
    double depth = 0;      ///< m
    double height = 0;     ///< that it reaches the other way, m
    double thickness = 0;  ///< of what it takes away, m
};

SheetShape plane_sheet(const Vec3& point, const Vec3& normal);
/// Corners of the path become edges of the sheet; those that turn by less than 2⁻¹² rad are left out, since where two
/// so nearly parallel planes meet says nothing. Throws UserError where the path has no length or runs along the blade.
SheetShape blade_sheet(const Blade& blade);

/// The unit of whole numbers for distances: 2⁻²⁶ of the longest edge of the mesh at x, m.
double cut_unit(const TetMesh& mesh, std::span<const Vec3> x);
/// Distances of the nodes as whole numbers. What is nearer than half a unit is on the plane.
std::vector<std::int64_t> whole_numbers(std::span<const double> distance, double unit);
std::vector<std::int64_t> distances(std::span<const Vec3> x, const SheetPlane& plane, double unit);
/// With the function that is zero where a blade has come after `length` m of its path, and the patches so far. The
/// function goes behind those of the shape, whose values at the nodes are `value`.
CutSheet sheet_so_far(const SheetShape& shape, const std::vector<std::vector<std::int64_t>>& value, double length,
                      std::span<const Vec3> x, double unit);
double length_of(std::span<const Vec3> path);
/// Patches with their thickness in units.
std::vector<SheetPatch> patches_on(const SheetShape& shape, double unit);
CutSheet sheet_on(const SheetShape& shape, std::span<const Vec3> x, double unit);

}  // namespace pliant
