#include "scene_files.hpp"

#include <cstdio>

#include <algorithm>

#include "options.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/structure_file.hpp"
#include "pliant/io/tetgen_process.hpp"

namespace pliant {

namespace fs = std::filesystem;

fs::path shipped_scenes() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    for (const char* place : {"../../scenes", "../share/pliant/scenes"}) {
        const fs::path folder = fs::weakly_canonical(program.parent_path() / place, failed);
        if (!failed && fs::is_directory(folder, failed)) return folder;
    }
    return {};
}

std::vector<fs::path> scenes_below(const fs::path& folder) {
    std::vector<fs::path> scenes;
    std::error_code failed;
    for (const auto& entry : fs::recursive_directory_iterator(folder, failed))
        if (entry.path().extension() == ".lua" && entry.path().parent_path().filename() != "parts")
            scenes.push_back(entry.path());
    std::sort(scenes.begin(), scenes.end());
    return scenes;
}

fs::path find_scene(const std::string& name) {
    std::error_code failed;
    if (fs::is_regular_file(name, failed)) return name;
    const fs::path folder = shipped_scenes();
    std::vector<std::string> names;
    if (!folder.empty()) {
        for (const fs::path& candidate : {folder / name, folder / (name + ".lua")})
            if (fs::is_regular_file(candidate, failed)) return candidate;
        for (const fs::path& scene : scenes_below(folder))
            names.push_back(scene.lexically_relative(folder).replace_extension().string());
    }
    const std::string guess = did_you_mean(fs::path(name).stem().string(), names);
    throw UserError("there is no scene '" + name + "'", {},
                    guess.empty() ? "`pliant scenes` lists the shipped ones" : guess);
}

std::vector<fs::path> model_folders(const std::vector<std::string>& given) {
    std::vector<fs::path> folders(given.begin(), given.end());
    folders.emplace_back("models");
    return folders;
}

void connect_files(SceneOptions& options) {
    options.read_surface = [](const std::filesystem::path& path) { return read_surface(path.string()); };
    options.read_tets = [](const std::filesystem::path& path) { return read_tets(path.string()); };
    options.read_structure = [](const std::filesystem::path& path) {
        Threads threads(0);
        return read_structure(path.string(), threads);
    };
    options.tetgen = [](const TriMesh& surface, const std::string& switches) {
        return tetgen(surface, {.switches = switches});
    };
}

SceneOptions scene_options(const std::vector<std::string>& set, const std::vector<std::string>& models) {
    SceneOptions options;
    for (const std::string& text : set) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) throw UsageError("--set wants key=value, not '" + text + "'");
        options.args[text.substr(0, equals)] = text.substr(equals + 1);
    }
    options.model_paths = model_folders(models);
    connect_files(options);
    options.print = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return options;
}

}  // namespace pliant
