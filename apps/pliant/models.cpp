// pliant models: fetches classic meshes from Debian's and npm's package archives for those who want them.

#include "models_fetch.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

struct Model {
    const char* name;
    const char* what;
    const char* source;
    const char* licence;
    TriMesh (*fetch)(const fs::path& scratch);
};

const std::vector<Model>& models() {
    static const std::vector<Model> list{
        {"bunny", "Stanford bunny, coarse: 3,674 triangles, closed", "npm package bunny",
         "public domain, says the package", fetch_bunny},
        {"bunny-full", "Stanford bunny, fine: 69,666 triangles, closed", "Debian package glmark2-data",
         "Stanford 3D Scanning Repository; see the package's copyright file", fetch_bunny_full},
        {"armadillo", "Stanford armadillo: 52,000 triangles, closed", "Debian package libcgal-demo",
         "Stanford 3D Scanning Repository; see the package's copyright file", fetch_armadillo},
    };
    return list;
}

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Model& model : models()) names.push_back(model.name);
    return names;
}

void list_models() {
    for (const Model& model : models())
        std::cout << model.name << "\n    " << model.what << "\n    from: " << model.source
                  << "\n    licence: " << model.licence << "\n";
    std::cout << "\nFetch with: pliant models NAME…\n";
}

int run_command_models(const Args& args) {
    if (args.words().empty()) {
        list_models();
        return 0;
    }
    std::vector<const Model*> wanted;
    for (const std::string& name : args.words()) {
        const auto& all = models();
        const auto found = std::find_if(all.begin(), all.end(), [&](const Model& m) { return name == m.name; });
        if (found == all.end()) {
            const std::string guess = did_you_mean(name, model_names());
            throw UsageError("there is no model '" + name + "'. " + (guess.empty() ? "" : guess + " ") +
                             "'pliant models' lists them.");
        }
        wanted.push_back(&*found);
    }
    const std::string folder = args.text("out");
    ensure_directory(folder);
    for (const Model* model : wanted) {
        if (!args.has("quiet")) std::cerr << "fetching " << model->name << " from the " << model->source << " …\n";
        const ScratchFolder scratch;
        const TriMesh mesh = model->fetch(scratch.path());
        const std::string path = (fs::path(folder) / (std::string(model->name) + ".obj")).string();
        write_surface(path, mesh);
        if (!args.has("quiet"))
            std::cout << path << ": " << grouped(static_cast<long long>(mesh.triangles.size())) << " triangles\n";
    }
    return 0;
}

}  // namespace

Command models_command() {
    return {.name = "models",
            .arguments = "[NAME…]",
            .least_words = 0,
            .most_words = 16,
            .summary = "Fetches classic meshes: bunny, bunny-full, armadillo.",
            .about =
                "Without a name: lists the models with source and licence. With names: fetches the packages that hold\n"
                "them, takes the mesh out and writes it as OBJ. Nothing is installed. Nothing in Pliant needs these.",
            .flags = {{.name = "out",
                       .letter = 'o',
                       .value = "DIR",
                       .fallback = "models",
                       .help = "Folder to write to; made if missing."},
                      {.name = "quiet", .letter = 'q', .help = "Print nothing but errors."}},
            .examples = {{"pliant models", "What there is, from where, under which licence."},
                         {"pliant models bunny armadillo", "Fetch two of them into ./models."}},
            .run = run_command_models};
}

}  // namespace pliant
