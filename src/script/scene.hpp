#pragma once
// A scene: Lua text, run once in a sandbox, that has become a SceneDesc; its callbacks stay alive for the run.
// Callbacks throw UserError with the line of the function.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/params.hpp"
#include "pliant/scene/scene_program.hpp"

namespace pliant {

struct SceneOptions {
    /// From --set key=value; texts that look like numbers or booleans become those.
    std::map<std::string, std::string> args;
    /// Folders that `load` may read from, besides the scene's own; searched in this order after it.
    std::vector<std::filesystem::path> model_paths;
    /// Reads a surface or a tet mesh; the path has been checked. What they throw is shown at the line of the load;
    /// `notes` receives what was changed on the way in, a sentence each.
    std::function<TriMesh(const std::filesystem::path&, std::vector<std::string>& notes)> read_surface;
    std::function<TetMesh(const std::filesystem::path&, std::vector<std::string>& notes)> read_tets;
    std::function<ParticleStructure(const std::filesystem::path&)> read_structure;
    std::function<PaintPicture(const std::filesystem::path&)> read_picture;
    /// Fills a surface with tets by TetGen, given its switches; empty: scenes cannot use it.
    std::function<TetMesh(const TriMesh&, const std::string& switches)> tetgen;
    std::function<void(const std::string& line)> print;  ///< where print goes; empty: nowhere
    std::size_t memory = std::size_t{256} << 20;         ///< bytes the script may use; below 1 MB nothing runs
    double load_seconds = 10;                            ///< for running the scene's text; meshes are read within it
    double call_seconds = 1;                             ///< for each call of a callback
};

class Scene final : public SceneProgram {
public:
    /// The file's folder becomes the first place `load` looks in. Throws UserError.
    static Scene load(const std::filesystem::path& file, const SceneOptions& options = {});
    /// `name` stands for the file in messages; without a folder, only model_paths can be read from.
    static Scene load_text(const std::string& text, const std::string& name, const SceneOptions& options = {},
                           const std::filesystem::path& folder = {});
    ~Scene() override;
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    const SceneDesc& desc() const override;
    /// Lets body:volume() and the like answer; before, they are an error.
    void connect(int body, const BodyQuery* query) override;

private:
    // The table `state` and the random numbers.
    void save_memory(ByteWriter& out) const override;
    void restore_memory(ByteReader& in) override;

    struct Parts;
    explicit Scene(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// Every verb's schema, in the order of the reference.
const std::vector<const Schema*>& scene_schemas();
/// The scene reference as a page.
std::string scene_reference_markdown();

}  // namespace pliant
