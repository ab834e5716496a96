#pragma once
// What a surface was brought with besides its shape: texture coordinates, colours, normals with their hard edges,
// polygons larger than triangles, and materials. All of it belongs to corners of triangles (3 · triangle + corner),
// to triangles, or to polygons made of triangles that follow each other. A vector is empty where nothing was brought.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class ByteReader;
class ByteWriter;
class Shape;

/// A picture file as it was brought. It is carried along, never looked into.
struct PictureFile {
    std::string name;  ///< without folders
    std::string bytes;
    bool operator==(const PictureFile&) const = default;
};

/// A slot that triangles name. Looks are for pictures; how the body behaves is no business of it.
struct SurfaceMaterial {
    using Picture = std::shared_ptr<const PictureFile>;  ///< laid on by texture coordinates; null: none

    std::string name;
    std::array<float, 3> color{0.8F, 0.8F, 0.8F};  ///< linear RGB; a texture is multiplied by it
    bool has_color = false;                        ///< false: the name alone was brought
    Picture texture = {};                          ///< of the colour

    // As glTF 2.0 has them (section 3.9): 0 a mirror … 1 chalk, 0 paint … 1 metal; nothing: not said.
    std::optional<float> roughness = {}, metallic = {};
    Picture roughness_map = {};  ///< its green channel is multiplied by the roughness
    Picture metallic_map = {};   ///< its blue channel is multiplied by metallic
    /// Normals in the frame of the texture coordinates: red along u, green along v, blue out of the surface.
    Picture normal_map = {};
    float normal_strength = 1;  ///< red and green are multiplied by it

    bool operator==(const SurfaceMaterial& other) const;
};

/// What faces look like that cracks and cuts open in a part of the body.
struct InsideLook {
    std::shared_ptr<const Shape> within = {};  ///< the part, at rest; null: all of the body
    int material = 0;                          ///< in SurfaceAttributes::materials
    bool operator==(const InsideLook&) const = default;
};

/// All pictures of a material, in one order everywhere; `Material` is const or not.
template <class Material>
auto pictures_of(Material& material) {
    return std::array{&material.texture, &material.roughness_map, &material.metallic_map, &material.normal_map};
}

struct SurfaceAttributes {
    // Per corner.
    std::vector<std::array<float, 2>> uv;     ///< (0, 0) is the lower left of the picture
    std::vector<std::array<float, 4>> color;  ///< linear RGB and opacity, 0 … 1
    /// The brought normal in the frame of its triangle (triangle_frame), so that it turns with it, and which corners
    /// share it: those of the same number lie at one point and are smooth together; between others is a hard edge.
    std::vector<std::array<float, 3>> local_normal;
    std::vector<int> shading;  ///< from 0, no number left out; as many entries as local_normal

    // Polygons: corners in order, polygon after polygon. One of n corners is made of the next n − 2 triangles. Empty:
    // every triangle is a polygon.
    std::vector<int> polygon_corner;
    std::vector<int> polygon_size;

    // Per triangle.
    std::vector<int> material;  ///< in materials
    std::vector<SurfaceMaterial> materials;
    /// Of the faces that open; the last one whose part holds the place counts. Empty: they get a slot of their own.
    std::vector<InsideLook> inside;
    bool scene_looks = false;  ///< the scene says what the materials look like: they come before the body's colour

    bool empty() const {
        return uv.empty() && color.empty() && local_normal.empty() && polygon_size.empty() && material.empty();
    }
    bool operator==(const SurfaceAttributes&) const = default;
};

/// Columns: along the first side, across it in the plane, and the unit normal; all zero for a triangle of no area.
Mat3 triangle_frame(const Vec3& a, const Vec3& b, const Vec3& c);

/// Sets local_normal and shading from a normal per corner of the surface where it is now (any length; a zero stands for
/// the normal of the triangle). Corners at one point share a normal when theirs differ by less than 10⁻⁴ in every
/// coordinate, which is how finely files tell.
void set_corner_normals(SurfaceAttributes& attributes, std::span<const Vec3> points, std::span<const Tri> triangles,
                        std::span<const Vec3> normals);

/// The normals of a surface that has moved, unit length, one per corner: what each triangle makes of its own, weighed
/// by area and shared within a shading number. On the surface that they were set from they are what was given.
std::vector<Vec3> moved_corner_normals(const SurfaceAttributes& attributes, std::span<const Vec3> points,
                                       std::span<const Tri> triangles);

/// visit(first triangle, corners) for every polygon in order; `attributes` may be null, triangles then are polygons.
template <class Visit>
void for_each_polygon(const SurfaceAttributes* attributes, std::size_t triangles, Visit&& visit) {
    if (attributes && !attributes->polygon_size.empty()) {
        const int* corner = attributes->polygon_corner.data();
        int first = 0;
        for (int n : attributes->polygon_size) {
            visit(first, std::span<const int>(corner, static_cast<std::size_t>(n)));
            corner += n, first += n - 2;
        }
        return;
    }
    for (int t = 0; t < static_cast<int>(triangles); ++t) {
        const std::array<int, 3> corner{3 * t, 3 * t + 1, 3 * t + 2};
        visit(t, std::span<const int>(corner));
    }
}

/// What is wrong with attributes for a surface of so many triangles, or "": lengths and numbers out of range.
std::string attribute_fault(const SurfaceAttributes& attributes, std::size_t triangles);

/// Everything but the materials, as files and checkpoints have it.
void save_arrays(const SurfaceAttributes& attributes, ByteWriter& out);
void load_arrays(SurfaceAttributes& attributes, ByteReader& in);

/// sRGB (IEC 61966-2-1) to linear and back, both 0 … 1.
double linear_of_srgb(double value);
double srgb_of_linear(double value);

}  // namespace pliant
