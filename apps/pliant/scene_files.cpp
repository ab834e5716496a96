#include "scene_files.hpp"

#include <cstdio>

#include <algorithm>

#include "options.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/structure_file.hpp"
#include "pliant/io/tetgen_process.hpp"
#ifdef PLIANT_WITH_RENDER
#include "pliant/render/png.hpp"
#endif

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

std::string first_sentence(const fs::path& scene) {
    const std::string text = read_file(scene.string(), 1 << 20);
    std::string words;
    for (std::size_t at = 0; text.compare(at, 2, "--") == 0;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line.erase(0, std::min(line.size(), line.find_first_not_of("- ")));
        if (line.empty()) break;
        words += (words.empty() ? "" : " ") + line;
        at = std::min(end + 1, text.size());
    }
    // It ends with a full stop before a capital letter, outside of brackets: "Hauser, Shen & O'Brien, fig. 1" has
    // others.
    int depth = 0;
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
        depth += (words[i] == '(') - (words[i] == ')');
        if (depth <= 0 && words[i] == '.' && words[i + 1] == ' ' && words[i + 2] >= 'A' && words[i + 2] <= 'Z')
            return words.substr(0, i + 1);
    }
    return words;
}

std::vector<fs::path> model_folders(const std::vector<std::string>& given) {
    std::vector<fs::path> folders(given.begin(), given.end());
    folders.emplace_back("models");
    return folders;
}

void connect_files(SceneOptions& options) {
    options.read_surface = [](const std::filesystem::path& path, std::vector<std::string>& notes) {
        return read_surface(path.string(), &notes);
    };
    options.read_tets = [](const std::filesystem::path& path, std::vector<std::string>& notes) {
        return read_tets(path.string(), &notes);
    };
    options.read_structure = [](const std::filesystem::path& path) {
        Threads threads(0);
        return read_structure(path.string(), threads);
    };
#ifdef PLIANT_WITH_RENDER
    options.read_picture = [](const std::filesystem::path& path) {
        Image image = read_png(read_file(path.string()));
        return PaintPicture{image.width, image.height, std::move(image.rgb)};
    };
#endif
    options.tetgen = [](const TriMesh& surface, const std::string& switches) {
        return tetgen(surface, {.switches = switches});
    };
}

RunInfo run_info(const SceneDesc& desc, const std::filesystem::path& scene, int frames) {
    RunInfo info{.scene = scene.string(), .fps = desc.world.fps, .frames = frames};
    if (desc.camera) info.camera = {desc.camera->eye, desc.camera->target, desc.camera->fov};
    for (const PlaneDesc& plane : desc.planes) {
        if (info.ground || !(plane.normal.y() > 1 - 1e-12)) continue;
        info.ground = RunInfo::Ground{.height = plane.point.y()};
        if (plane.color) info.ground->color = *plane.color;
    }
    return info;
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
