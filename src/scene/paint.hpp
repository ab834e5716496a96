#pragma once
// Material numbers painted on a surface, as colours of its corners or in a picture that is laid on it.

#include <array>
#include <memory>
#include <vector>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/scene/scene_desc.hpp"

namespace pliant {

/// A surface that places inside it can ask: each has the colour of the point of the surface that is nearest.
class PaintedSurface {
public:
    explicit PaintedSurface(std::shared_ptr<const TriMesh> surface);
    /// Linear red, green, blue, opacity: of the corners, or of a picture.
    std::array<double, 4> color_at(const Vec3& place, const PaintPicture* picture) const;

private:
    std::shared_ptr<const TriMesh> surface_;
    AabbTree tree_;
};

/// The linear colour at texture coordinates, blended between the four pixels round it; outside of 0 … 1 it repeats.
std::array<double, 4> picture_color(const PaintPicture& picture, double u, double v);

/// The number that a colour stands for.
double painted_number(const PaintDesc& paint, const std::array<double, 4>& color);

/// Sets what the paint of a material says, per tet, by the places of their centres. Temperatures are not among it.
void add_paint(const MaterialDesc& desc, const TetMesh& mesh, std::vector<MaterialNumbers>& numbers);
bool paints_numbers(const MaterialDesc& desc);
/// Temperatures at the start, °C, at places in the body's own coordinates; empty where none are painted.
std::vector<double> painted_temperatures(const MaterialDesc& desc, const std::vector<Vec3>& places);

}  // namespace pliant
