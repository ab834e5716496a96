#pragma once
// The native form of a run on disk: frames/000123.frame, one file per frame, from which `pliant render`, `convert` and
// `studio` read it back. Triangles, tets, what the surface hangs on and what it was brought with change seldom and live
// beside the frames in files named by their own checksum (frames/0123456789abcdef.topology), written once each;
// everything else of a frame is in its file.
//
// Kept: positions to 2⁻²⁴ of the body's size (single precision about the body's centre), normals to 10⁻⁴, fields and
// everything else as they were.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pliant/world/frame.hpp"

namespace pliant {

/// Triangles (3 corners), tets (4), or what the vertices of a surface hang on (Point).
template <class Element>
using Topology = std::shared_ptr<const std::vector<Element>>;

/// The name of a topology file: a checksum of its content.
template <class Element>
std::uint64_t topology_digest(const std::vector<Element>& elements);
template <class Element>
std::string encode_topology(const std::vector<Element>& elements);
template <class Element>
std::vector<Element> decode_topology(std::string_view bytes, const std::string& name);

/// Which topology files a body of a frame refers to; 0: none.
struct TopologyNames {
    std::uint64_t triangles = 0, tets = 0, carriers = 0, attributes = 0;
};

/// What surfaces were brought with, in files of the same kind.
std::string encode_attributes(const SurfaceAttributes& attributes);
/// `picture_of`: finds the picture of a digest.
using PictureOf = std::function<std::shared_ptr<const PictureFile>(std::uint64_t digest)>;
SurfaceAttributes decode_attributes(std::string_view bytes, const std::string& name, const PictureOf& picture_of = {});
/// And the pictures that their materials name, once each.
std::string encode_picture(const PictureFile& picture);
PictureFile decode_picture(std::string_view bytes, const std::string& name);
/// Of what encode_attributes() and encode_picture() made.
std::uint64_t topology_digest(std::string_view encoded);

/// The bytes of a frame file. `names` has one entry per body.
std::string encode_frame(const Frame& frame, const RunInfo& info, const std::vector<TopologyNames>& names);

struct DecodedFrame {
    Frame frame;  ///< without what the names stand for
    RunInfo info;
    std::vector<TopologyNames> names;
};
/// Throws a UserError that names the file when the bytes are not a whole, undamaged frame.
DecodedFrame decode_frame(std::string_view bytes, const std::string& name);

/// A run on disk, to be looked at again. Frames may be missing at the end (a run that was stopped) or anywhere.
class RunDirectory {
public:
    /// `directory` is the run's or its frames/ folder. UserError when there is no frame in it.
    explicit RunDirectory(const std::filesystem::path& directory);

    const RunInfo& info() const { return info_; }
    int frame_count() const { return static_cast<int>(indices_.size()); }
    /// The index in the run of the i-th frame on disk.
    int frame_index(int i) const { return indices_.at(static_cast<std::size_t>(i)); }
    /// The i-th frame on disk. Safe to call from several threads. Frames share the topology they have in common.
    Frame load(int i);

private:
    template <class Element>
    Topology<Element> topology(std::uint64_t digest, std::map<std::uint64_t, Topology<Element>>& known);

    std::shared_ptr<const PictureFile> picture(std::uint64_t digest);

    std::filesystem::path directory_;
    std::vector<int> indices_;
    RunInfo info_;
    std::mutex mutex_;
    std::map<std::uint64_t, Topology<Tri>> triangles_;  ///< of the frame that was loaded last
    std::map<std::uint64_t, Topology<Tet>> tets_;
    std::map<std::uint64_t, Topology<Point>> carriers_;
    std::map<std::uint64_t, std::shared_ptr<const SurfaceAttributes>> attributes_;
    std::map<std::uint64_t, std::shared_ptr<const PictureFile>> pictures_;  ///< all so far
};

std::string topology_file_name(std::uint64_t digest);

}  // namespace pliant
