#pragma once
// A binary glTF 2.0 file while it is made. The arrays of one that goes to disk are in a file of their own until the
// end, so that runs larger than the memory can be written.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/surface_attributes.hpp"

namespace pliant {

class GlbFile {
public:
    using Json = nlohmann::json;
    using Float3 = std::array<float, 3>;

    /// `path`: where save() will put the file; nothing is left behind without it. Empty: it stays in memory, for
    /// take().
    explicit GlbFile(std::filesystem::path path = {});
    ~GlbFile();
    GlbFile(const GlbFile&) = delete;
    GlbFile& operator=(const GlbFile&) = delete;

    /// Adds to the list `name` of the file and returns the entry's number.
    int add(const char* name, Json entry);
    Json& entry(const char* name, int number) { return root_[name][static_cast<std::size_t>(number)]; }
    bool has(const char* name) const { return root_.contains(name); }

    /// Accessors, by number. `vertices`: attributes of vertices, which also get bounds where the format wants them.
    int floats(std::span<const float> values, int components, bool vertices, bool bounds = false);
    int vectors(std::span<const Float3> values, bool bounds);
    int indices(std::span<const std::uint32_t> values, std::size_t vertices);
    /// Differences of a morph target: zeros are left out where that is shorter.
    int differences(std::span<const Float3> values, bool bounds);

    /// A texture of a picture; made once for each picture.
    int texture(const std::shared_ptr<const PictureFile>& picture, const std::string& media_type);

    /// Written whole or not at all. UserError above 4 GiB, which the format cannot hold.
    void save();
    std::string take();

private:
    /// Header and JSON; the arrays follow.
    std::string head();
    int view(const void* data, std::size_t size, int target);
    int accessor(int view, int type, const char* kind, std::size_t count);

    std::filesystem::path path_, arrays_path_;
    std::ofstream arrays_;
    std::string arrays_here_;  // without a path
    std::uint64_t size_ = 0;
    std::vector<std::pair<std::shared_ptr<const PictureFile>, int>> textures_;
    Json root_;
};

}  // namespace pliant
