// pliant convert: from one mesh format to another, and runs as pages.

#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "page_file.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/frame_write.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/sink_list.hpp"
#include "record.hpp"
#include "scene_files.hpp"

namespace pliant {

namespace {

std::string format_table() {
    std::string table;
    for (const MeshFormat& format : mesh_formats()) {
        std::string extensions;
        for (const std::string& extension : format.extensions)
            extensions += (extensions.empty() ? "" : " ") + extension;
        std::string row = "  " + format.title;
        row += std::string(row.size() < 18 ? 18 - row.size() : 1, ' ') + extensions;
        row += std::string(row.size() < 34 ? 34 - row.size() : 1, ' ');
        const bool both = format.writes_surface && format.writes_tets;
        table += row + (both ? "surfaces and tets" : format.writes_tets ? "tets" : "surfaces") + "\n";
    }
    return table;
}

bool writes(const std::string& path, bool MeshFormat::*can) {
    const std::string name = mesh_format_of(path, "");
    for (const MeshFormat& format : mesh_formats())
        if (format.name == name) return format.*can;
    return false;
}

/// All of a run for another program, or one of its frames as a surface: the bodies together, without obstacles.
int convert_run(const Args& args, const std::string& in, const std::string& out) {
    RunDirectory run(in);
    if (args.has("export")) {
        auto sinks = make_sinks(args.text("export"), out);
        for (auto& sink : sinks) sink->begin(run.info());
        for (int i = 0; i < run.frame_count(); ++i) {
            const Frame frame = run.load(i);
            for (auto& sink : sinks) sink->write(frame);
        }
        for (auto& sink : sinks) sink->finish();
        std::cout << out << ": " << grouped(run.frame_count()) << " frames\n";
        return 0;
    }
    int chosen = run.frame_count() - 1;
    if (args.has("frame")) {
        const long long wanted = args.integer("frame", 0);
        for (chosen = 0; chosen < run.frame_count() && run.frame_index(chosen) != wanted; ++chosen) {
        }
        if (chosen == run.frame_count())
            throw UserError("the run has no frame " + std::to_string(wanted), {},
                            "It has " + std::to_string(run.frame_count()) + ", up to number " +
                                std::to_string(run.frame_index(run.frame_count() - 1)));
    }
    const Frame frame = run.load(chosen);
    if (write_frame_bodies(out, frame)) {
        std::cout << out << ": frame " << frame.index << "\n";
        return 0;
    }
    TriMesh surface;
    for (const BodyFrame& body : frame.bodies) {
        if (body.kind == "obstacle" || !body.triangles) continue;
        const int offset = static_cast<int>(surface.points.size());
        surface.points.insert(surface.points.end(), body.points.begin(), body.points.end());
        for (const Tri& t : *body.triangles) surface.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
    write_surface(out, surface, {.ascii = args.has("ascii"), .gmsh_2 = args.has("gmsh2")});
    std::cout << out << ": frame " << frame.index << ", " << grouped(static_cast<long long>(surface.points.size()))
              << " points, " << grouped(static_cast<long long>(surface.triangles.size())) << " triangles\n";
    return 0;
}

bool names_page(const std::string& path) {
    const std::filesystem::path end = std::filesystem::path(path).extension();
    return end == ".html" || end == ".htm";
}

/// A page that plays a run; a scene is run first.
int convert_to_page(const Args& args, const std::string& in, const std::string& out) {
    for (const char* flag : {"export", "frame", "surface", "ascii", "gmsh2"})
        if (args.has(flag)) throw UsageError(std::string("--") + flag + " means nothing for a page that plays a run");
    const auto write = [&](const std::filesystem::path& run, const std::string& name) {
        const PageFile page = make_page(run, name);
        write_file_atomic(out, page.html);
        std::cout << out << ": " << grouped(page.frames) << " frames" << (page.sound ? " with sound" : "") << ", "
                  << short_number(static_cast<double>(page.html.size()) / 1e6) << " MB\n";
        return 0;
    };
    if (std::filesystem::is_directory(in)) {
        const std::filesystem::path folder = std::filesystem::path(in) / "";
        return write(in, folder.parent_path().filename().string());
    }
    RecordOrder order;
    order.scene = find_scene(in);
    const std::filesystem::path file = out;
    order.out = (file.has_parent_path() ? file.parent_path() : std::filesystem::path(".")) /
                (".pliant-convert-" + file.filename().string());
    order.options = scene_options(args.all("set"), args.all("models"));
    order.sound = true;
    const SceneRun recorded(order, false);
    return write(recorded.folder(), order.scene.stem().string());
}

int run_command_convert(const Args& args) {
    const std::string &in = args.words()[0], &out = args.words()[1];
    if (names_page(out)) return convert_to_page(args, in, out);
    if (args.has("set") || args.has("models"))
        throw UsageError("--set and --models are for scenes that become a page (.html)");
    if (std::filesystem::is_directory(in)) return convert_run(args, in, out);
    if (args.has("export") || args.has("frame"))
        throw UsageError("--export and --frame are for runs: give a run's folder");
    const bool can_tets = writes(out, &MeshFormat::writes_tets), can_surface = writes(out, &MeshFormat::writes_surface);
    const MeshWriting how{.ascii = args.has("ascii"), .gmsh_2 = args.has("gmsh2")};
    MeshFile file = read_mesh(in);
    for (const std::string& note : file.notes) std::cerr << in << ": " << note << "\n";
    const bool wants_surface = args.has("surface") || !can_tets;
    if (file.volume && !wants_surface) {
        write_tets(out, *file.volume, how);
        std::cout << out << ": " << grouped(file.volume->node_count()) << " nodes, "
                  << grouped(file.volume->tet_count()) << " tets\n";
        return 0;
    }
    if (!can_surface)
        throw UserError("cannot make tets of a surface by converting it", {in},
                        "To fill it with tets: pliant mesh " + in + " -o " + out);
    const bool boundary = file.volume.has_value();
    if (boundary) file.surface = boundary_surface(*file.volume).surface;
    write_surface(out, *file.surface, how);
    std::cout << out << ": " << grouped(static_cast<long long>(file.surface->points.size())) << " points, "
              << grouped(static_cast<long long>(file.surface->triangles.size())) << " triangles"
              << (boundary ? " (the boundary of the tets)" : "") << "\n";
    return 0;
}

}  // namespace

Command convert_command() {
    return {
        .name = "convert",
        .arguments = "IN OUT",
        .least_words = 2,
        .most_words = 2,
        .summary = "Writes a mesh file or a run in another format.",
        .about =
            "The formats follow from the names. A tet mesh written to a surface format becomes its boundary; a\n"
            "surface never becomes tets by itself: that is what 'pliant mesh' is for. IN may also be the folder of\n"
            "a run: OUT then is the surface of one of its frames, or with --export a folder for all of them. An OUT\n"
            "that ends in .html is a page that plays the run in any browser, with no server and no network: camera,\n"
            "time, fields, plots, and the sound of the run (its one .wav). IN may then be a scene too, which is run\n"
            "first.\n"
            "Known formats:\n" +
            format_table(),
        .flags = {{.name = "ascii",
                   .help = "Write text where the format has text and binary forms (PLY, STL, Gmsh, VTK)."},
                  {.name = "surface",
                   .help = "Write the boundary of a tet mesh, also where the format could hold the tets."},
                  {.name = "frame", .value = "N", .help = "Of a run: which frame; the last if not given."},
                  {.name = "export",
                   .value = "LIST",
                   .help = "Of a run: write all frames for other programs, as in pliant run --export."},
                  {.name = "gmsh2", .help = "Write Gmsh 2.2 instead of 4.1."},
                  {.name = "set",
                   .value = "KEY=VALUE",
                   .help = "Of a scene that becomes a page: given to it as args.KEY.",
                   .repeated = true},
                  {.name = "models",
                   .value = "DIR",
                   .help = "Of a scene that becomes a page: another folder that it may load meshes from.",
                   .repeated = true}},
        .examples = {{"pliant convert bunny.ply bunny.obj", "Binary PLY to OBJ."},
                     {"pliant convert out/cow anim --export usd", "A run for Blender."},
                     {"pliant convert out/cow cow.html", "A run as one file that plays in a browser."},
                     {"pliant convert part.msh part.vtu", "A Gmsh tet mesh for ParaView."}},
        .run = run_command_convert};
}

}  // namespace pliant
