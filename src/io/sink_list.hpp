#pragma once
// The exporters by name, as `pliant run --export` takes them.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/registry.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

struct SinkKind {
    std::string name;
    std::string doc;  ///< one line for --help: what it writes, and where
    std::unique_ptr<FrameSink> (*make)(const std::filesystem::path& directory);
};

const Registry<SinkKind>& sink_kinds();

/// One sink per name of a comma-separated list such as "vtu,usd,csv"; repeated names count once, an empty list gives
/// none. Nothing is created on disk before begin(). Throws a UserError with the nearest name for an unknown one.
///
/// A sink finds out by itself whether it continues a run: what is on disk before the first frame it is given stays and
/// becomes part of the result, what is there at or after that frame is replaced.
std::vector<std::unique_ptr<FrameSink>> make_sinks(std::string_view names, const std::filesystem::path& directory);

std::unique_ptr<FrameSink> make_frames_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_vtu_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_usd_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_obj_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_ply_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_gltf_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& directory);
std::unique_ptr<FrameSink> make_csv_sink(const std::filesystem::path& directory);

}  // namespace pliant
