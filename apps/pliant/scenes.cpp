// pliant scenes: what there is to run, and the reference of what a scene can say.

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "pliant/script/scene.hpp"
#include "scene_files.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

int list_scenes(const Args& args) {
    if (args.has("reference")) {
        std::fputs(scene_reference_markdown().c_str(), stdout);
        return 0;
    }
    const fs::path folder = shipped_scenes();
    if (folder.empty()) {
        std::puts("No scenes are installed beside the program.");
        return 1;
    }
    for (const fs::path& scene : scenes_below(folder))
        std::printf("%-32s %s\n", scene.lexically_relative(folder).replace_extension().string().c_str(),
                    wrapped(first_sentence(scene), 33, 87).c_str());
    return 0;
}

}  // namespace

Command scenes_command() {
    return {.name = "scenes",
            .arguments = "",
            .least_words = 0,
            .most_words = 0,
            .summary = "Lists the shipped scenes, or prints the scene reference.",
            .about = "Each can be run by its name: pliant run NAME.",
            .flags = {{.name = "reference",
                       .help = "Prints every verb a scene can use, with units, defaults and ranges, as Markdown."}},
            .examples = {{"pliant scenes", "What there is."}, {"pliant scenes --reference", "What a scene can say."}},
            .run = list_scenes};
}

}  // namespace pliant
