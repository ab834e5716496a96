#pragma once
// The textures that bodies were brought with, decoded for rays to look at.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pliant/mesh/surface_attributes.hpp"
#include "pliant/render/float3.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// Decodes each picture once, for all frames of a movie. Safe to use from several threads.
class BroughtPictures {
public:
    /// Null where it is neither PNG nor JPEG.
    std::shared_ptr<const Image> decoded(const std::shared_ptr<const PictureFile>& file);

    /// A sentence for each picture that could not be read.
    std::vector<std::string> unreadable();

private:
    std::mutex mutex_;
    std::vector<std::string> unreadable_;
    std::map<std::shared_ptr<const PictureFile>, std::shared_ptr<const Image>> known_;
};

/// The linear colour at texture coordinates, blended between the four pixels round it; outside of 0 … 1 it repeats.
Vec3f picture_color(const Image& picture, float u, float v);
/// The same of a picture whose bytes are plain numbers from 0 to 1, as those of normals and roughness are.
Vec3f picture_numbers(const Image& picture, float u, float v);

}  // namespace pliant
