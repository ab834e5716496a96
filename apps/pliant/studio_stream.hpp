#pragma once
// A frame as bytes for the studio's page. Connectivity goes out when its revision changes, positions as float32 about
// the middle of each body (of bodies of many points as 16 bits within its box), a field only when the page shows one.
//
// Layout: "PLNT", the length of a JSON header (u32), the header, blanks up to a multiple of 4, then arrays that the
// header names by [byte offset after the header, number of items]. Little-endian, as browsers on such machines read it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "page_looks.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

class JsonWriter;

/// A message of this type as JSON on one line; `fill` adds its entries.
std::string message_text(std::string_view type, const std::function<void(JsonWriter&)>& fill);
/// What was written, without the line's end.
std::string line_of(JsonWriter& json);

/// "name": [x, y, z]
void write_vector(JsonWriter& json, std::string_view name, const Vec3& v);

/// The Voronoi cells of a body of particles, as they hang on its tets (Everts 2006, chapter 6).
struct CellShapes {
    std::size_t body = 0;           ///< its place in the frame
    std::vector<int> tet;           ///< per corner
    std::vector<float> weight;      ///< four per corner
    std::vector<int> begin;         ///< of each face's corners; one more than there are faces
    std::vector<int> inner, outer;  ///< per face: the particles on both sides; -1 outside
};

/// What there is to see at one moment; never changed once published.
struct Picture {
    std::uint64_t serial = 0;  ///< goes up with every picture
    std::uint64_t epoch = 0;   ///< goes up when another scene, or the same one anew, is shown
    std::uint64_t branch = 0;  ///< goes up when time was set back: revisions may repeat with other connectivity
    std::shared_ptr<const Frame> frame;
    std::string info;  ///< JSON: time line, numbers, warnings
    std::shared_ptr<const std::vector<CellShapes>> cells;
    std::vector<float> contacts;  ///< x y z, then the force on the body (N), per contact
};

/// What one page wants to see, and what it has already.
struct PageView {
    std::string field;      ///< "" for the bodies' own colours
    bool inside = false;    ///< nodes and tets too
    bool contacts = false;  ///< contact points and forces
    bool cells = false;     ///< Voronoi cells
    // What it has.
    std::uint64_t serial = 0, epoch = 0, branch = 0;
    std::shared_ptr<const Frame> last;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> revisions;  ///< per body: of triangles, of tets; +1, 0 is none
    std::uint64_t cells_epoch = 0;                                   ///< that it has the cells of
    PagePictures pictures;                                           ///< of materials, in this epoch
    bool changed = true;                                             ///< wants something else since the last picture
};

/// The message with a picture, as far as the page does not have it already.
std::string write_picture(const Picture& picture, PageView& view);

}  // namespace pliant
