#pragma once
// The picture files that materials name: found beside a mesh, and put beside what is exported.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pliant/io/mesh_formats.hpp"

namespace pliant {

/// The picture that a mesh file names by a path, as other systems write it: where the path leads, or beside the mesh
/// under the same name. Null, and a note, where it is not.
std::shared_ptr<const PictureFile> brought_picture(const MeshSource& source, std::string path,
                                                   std::vector<std::string>& notes);

/// "image/png" or "image/jpeg" by the first bytes, the two that glTF knows; "" for all others.
std::string media_type(std::string_view bytes);

/// Whether a PNG or JPEG says that it has colours; one of another kind is taken to have them.
bool has_colors(std::string_view bytes);

/// Pictures beside exported files, in a folder `textures`.
class TextureFolder {
public:
    /// `directory`: of the files that refer to them.
    explicit TextureFolder(std::filesystem::path directory) : directory_(std::move(directory)) {}

    /// The picture's path as those files have it, "textures/oak.png"; "" for null. Written when first asked for.
    /// Pictures of one name and different contents get numbers, in the order in which they are asked for.
    std::string place(const std::shared_ptr<const PictureFile>& picture);

private:
    std::filesystem::path directory_;
    std::map<std::string, std::shared_ptr<const PictureFile>> placed_;  // by path
};

}  // namespace pliant
