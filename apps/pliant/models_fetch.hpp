#pragma once
// Getting a mesh out of a package: child programs run without a shell, in a scratch folder that is removed after.

#include <filesystem>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// A new folder below the system's temporary one, removed with all it holds when this object goes.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// Each throws a UserError that names the missing program or package.
TriMesh fetch_bunny(const std::filesystem::path& scratch);
TriMesh fetch_bunny_full(const std::filesystem::path& scratch);
TriMesh fetch_armadillo(const std::filesystem::path& scratch);

}  // namespace pliant
