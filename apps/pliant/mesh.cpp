// pliant mesh: fills a surface with tetrahedra.

#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/tetgen_process.hpp"
#include "pliant/meshing/conforming.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/voronoi.hpp"
#include "progress.hpp"

namespace pliant {

namespace {

/// The most memory this process has had, in MB; 0 where the system does not say.
double peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
    return 0;
}

LatticeOptions lattice_options(const Args& args) {
    if (args.has("cell") && args.has("tets")) throw UsageError("give --cell or --tets, not both.");
    if (args.has("switches") && args.text("method") != "tetgen")
        throw UsageError("--switches are for --method tetgen.");
    LatticeOptions options;
    if (args.has("cell")) {
        options.cell = args.number("cell");
        if (!(options.cell > 0)) throw UsageError("--cell must be above zero.");
    } else {
        options.tets = args.integer("tets", 1, lattice_tet_limit);
    }
    return options;
}

/// What any method makes; `cell` is 0 where there is none.
struct Made {
    TetMesh mesh;
    double cell = 0, seconds = 0;
    std::vector<std::string> notes;
};

Made make(const std::string& method, const TriMesh& surface, const LatticeOptions& options, const std::string& switches,
          Threads& threads) {
    if (method == "tetgen") {
        Made made;
        const double start = seconds_now();
        made.mesh = tetgen(surface, {.switches = switches}, &made.notes);
        made.seconds = seconds_now() - start;
        return made;
    }
    LatticeResult result =
        method == "conforming" ? conforming(surface, options, threads) : lattice(surface, options, threads);
    return {std::move(result.mesh), result.cell, result.seconds, std::move(result.repairs)};
}

std::string report_text(const std::string& in, const std::string& out, const std::string& method, const Made& result,
                        const std::vector<std::string>& repairs, double total_seconds, int threads) {
    const double tets = static_cast<double>(result.mesh.tets.size());
    JsonWriter json;
    json.begin_object();
    json.entry("input", in);
    json.entry("output", out);
    json.entry("method", method);
    json.entry("threads", threads);
    json.entry("tets", result.mesh.tets.size());
    json.entry("nodes", result.mesh.rest.size());
    if (result.cell > 0) json.entry("cell", result.cell);
    json.entry(method + "_s", result.seconds);
    json.entry("total_s", total_seconds);
    json.entry("tets_per_s", result.seconds > 0 ? tets / result.seconds : 0.0);
    json.entry("peak_mb", peak_megabytes());
    json.key("repairs");
    json.begin_array();
    for (const std::string& repair : repairs) json.value(repair);
    json.end_array();
    json.end_object();
    return json.take();
}

int run_command_mesh(const Args& args) {
    const double start = seconds_now();
    const std::string& in = args.words()[0];
    const std::string out = args.text("out");
    if (out.empty()) throw UsageError("'pliant mesh' needs to know where to write: -o OUT.");
    const std::string method = args.text("method");
    if (method != "lattice" && method != "conforming" && method != "tetgen")
        throw UsageError("there is no method '" + method + "'. Known: lattice, conforming, tetgen.");
    // Before any work: a name we could not write to in the end.
    bool tets = false;
    for (const MeshFormat& format : mesh_formats())
        tets |= format.name == mesh_format_of(out, "") && format.writes_tets;
    if (!tets)
        throw UserError("a file of this kind cannot hold tets", {out},
                        "Name the output .vtu, .msh, .mesh, .vtk, .veg, .ele or .str");
    const LatticeOptions options = lattice_options(args);
    Threads threads(static_cast<int>(args.integer("threads", 0, 256)));

    std::vector<std::string> repairs;
    const TriMesh surface = read_surface(in, &repairs);
    Made result;
    try {
        result = make(method, surface, options, args.text("switches"), threads);
    } catch (const UserError& error) {
        throw error.where().known() ? error : UserError(error.message(), {in}, error.remedy());
    }
    repairs.insert(repairs.end(), result.notes.begin(), result.notes.end());
    write_tets(out, result.mesh);
    if (args.has("cells")) write_surface(args.text("cells"), cell_surfaces(particle_structure(result.mesh, threads)));
    const double total = seconds_now() - start;
    if (args.has("report"))
        write_file_atomic(args.text("report"), report_text(in, out, method, result, repairs, total, threads.count()));
    if (args.has("quiet")) return 0;
    for (const std::string& repair : repairs) std::cerr << in << ": " << repair << "\n";
    std::cout << out << ": " << grouped(result.mesh.tet_count()) << " tets, " << grouped(result.mesh.node_count())
              << " nodes, " << (result.cell > 0 ? "cell " + short_number(result.cell) + " m, " : "")
              << duration_text(total) << "\n";
    return 0;
}

}  // namespace

Command mesh_command() {
    return {
        .name = "mesh",
        .arguments = "IN -o OUT",
        .least_words = 1,
        .most_words = 1,
        .summary = "Fills a surface with tetrahedra.",
        .about =
            "IN is any mesh file ('pliant convert --help' lists the formats); holes, duplicate points, flipped\n"
            "triangles and soups are tolerated and reported. The lattice method takes the tets of a body-centred\n"
            "cubic lattice that touch the body: all of the same good shape, enclosing the surface. The conforming\n"
            "method warps and cuts that lattice, so that the mesh ends on the surface. The tetgen method runs\n"
            "TetGen, a separate program under the AGPL that must be installed; the surface must be closed.\n"
            "An output .str also gets the bounded Voronoi cells of the nodes, for particle models.",
        .flags = {{.name = "out",
                   .letter = 'o',
                   .value = "OUT",
                   .help = "File to write: .vtu .msh .mesh .vtk .veg .ele .str."},
                  {.name = "method",
                   .value = "NAME",
                   .fallback = "lattice",
                   .help = "One of lattice, conforming and tetgen."},
                  {.name = "switches",
                   .value = "S",
                   .fallback = "pq",
                   .help = "TetGen's own: q shape, a0.01 largest tet in m³, Y keeps the surface's triangles."},
                  {.name = "cell",
                   .value = "H",
                   .unit = "m",
                   .help = "Edge of the lattice's cubes; halving it gives eight times the tets."},
                  {.name = "tets",
                   .value = "N",
                   .fallback = "20000",
                   .help = "About how many tets to make; the other way to say --cell."},
                  {.name = "cells",
                   .value = "FILE",
                   .help = "Also write the nodes' bounded Voronoi cells, a little shrunk, as a surface to look at."},
                  {.name = "threads",
                   .value = "N",
                   .fallback = "0",
                   .help = "Threads to use; 0 means one per core. The mesh is the same for any number."},
                  {.name = "report", .value = "R.json", .help = "Write counts, times, memory and repairs as JSON."},
                  {.name = "quiet", .letter = 'q', .help = "Print nothing but errors."}},
        .examples = {{"pliant mesh bunny.obj -o bunny.vtu --tets 20000", "About 20,000 tets, to look at in ParaView."},
                     {"pliant mesh beam.stl -o beam.str --method tetgen --switches pqa0.01",
                      "A structure for particle models, tets of at most 0.01 m³."},
                     {"pliant mesh cow.obj -o cow.msh --cell 0.05 --report m.json", "Cubes of 5 cm, with a report."}},
        .run = run_command_mesh};
}

}  // namespace pliant
