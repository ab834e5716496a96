#pragma once
// What a page shows of what bodies were brought with: texture coordinates, colours and materials, told with the
// triangles, and the pictures of the materials, each told once under a number.

#include <utility>
#include <vector>

#include "pliant/mesh/surface_attributes.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

class JsonWriter;

/// Numbers for pictures, in the order in which they are asked for. Holding on to them makes sure that another one
/// cannot have the same address.
class PagePictures {
public:
    int number(const SurfaceMaterial::Picture& picture);
    const std::vector<SurfaceMaterial::Picture>& all() const { return pictures_; }

private:
    std::vector<SurfaceMaterial::Picture> pictures_;
};

/// Null where nothing was brought that is seen in colour. What the scene says of a body's looks comes first, as in
/// pictures.
const SurfaceAttributes* shown_attributes(const SurfaceAttributes* brought, const Vec3& body_color);

/// "materials": [{"name": …, "color": [r, g, b], "roughness": …, "texture": 0}, …]; what is not known is left out.
void write_materials(JsonWriter& json, const SurfaceAttributes& attributes, PagePictures& pictures);

/// Per corner of each triangle: u, v; and red, green, blue, linear, unless the scene says how the body looks.
std::vector<float> corner_uv(const SurfaceAttributes& attributes);
std::vector<float> corner_colors(const SurfaceAttributes& attributes);

}  // namespace pliant
