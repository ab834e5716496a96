// The page's files, read once at the start: what is not in this table cannot be asked for.

#include "pliant/io/file.hpp"
#include "studio_session.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

/// Beside the program's sources, or in share/pliant of an installation.
fs::path web_folder() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    for (const char* place : {"../../web", "../share/pliant/web"}) {
        const fs::path folder = fs::weakly_canonical(program.parent_path() / place, failed);
        if (fs::is_regular_file(folder / "index.html", failed)) return folder;
    }
    throw UserError("the studio's page is not installed beside the program", {},
                    "Build it from its sources with make build, or install it with cmake --install");
}

std::string type_of(const fs::path& file) {
    const std::string end = file.extension().string();
    if (end == ".html") return "text/html; charset=utf-8";
    if (end == ".js") return "text/javascript; charset=utf-8";
    if (end == ".css") return "text/css; charset=utf-8";
    if (end == ".svg") return "image/svg+xml";
    if (end == ".jpg") return "image/jpeg";
    return "";
}

/// The libraries that npm fetched: where they are below node_modules, and what the page calls them.
constexpr std::pair<const char*, const char*> libraries[] = {
    {"three/build/three.module.js", "vendor/three.module.js"},
    {"three/build/three.core.js", "vendor/three.core.js"},
    {"uplot/dist/uPlot.esm.js", "vendor/uplot.js"},
    {"uplot/dist/uPlot.min.css", "vendor/uplot.css"},
};

}  // namespace

std::map<std::string, Asset> studio_assets() {
    std::map<std::string, Asset> assets;
    const fs::path folder = web_folder();
    const auto add = [&](const std::string& path, const fs::path& file) {
        assets[path] = {type_of(file), std::make_shared<const std::string>(read_file(file.string(), 1 << 24))};
    };
    for (const fs::path& place : {folder, folder / "thumbs"}) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(place, failed))
            if (entry.is_regular_file() && !type_of(entry.path()).empty())
                add(entry.path().lexically_relative(folder).string(), entry.path());
    }
    for (const auto& [file, path] : libraries) {
        const fs::path installed = folder / path, fetched = folder / "node_modules" / file;
        if (fs::is_regular_file(installed))
            add(path, installed);
        else if (fs::is_regular_file(fetched))
            add(path, fetched);
        else
            throw UserError(
                "the studio's page needs three.js and uPlot, which are not there", {},
                fs::is_regular_file(folder / "package.json")
                    ? "Fetch them with npm ci in " + folder.string() + " (Debian package npm), or run make build"
                    : "Fetch them with npm ci in the folder web of the sources (Debian package npm), then "
                      "install again");
    }
    return assets;
}

}  // namespace pliant
