// pliant modes: vibration modes of a mesh or a shape, as a table and as a file.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "commands.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/modes_file.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/structured.hpp"
#include "pliant/modal/decompose.hpp"

namespace pliant {

namespace {

bool is_modes_file(const std::string& path) { return path.size() > 6 && path.substr(path.size() - 6) == ".modes"; }

double positive(const Args& args, const std::string& flag) {
    const double v = args.number(flag);
    if (!(v > 0)) throw UsageError("--" + flag + " must be above zero.");
    return v;
}

struct Matter {
    ElasticNumbers numbers;
    Damping damping;
};

Matter matter_from(const Args& args) {
    const MaterialPreset& preset = material_presets().get(args.text("material"), {});
    Matter m{{preset.young, preset.poisson, preset.density}, {preset.mass_damping, preset.stiffness_damping}};
    if (args.has("young")) m.numbers.young = positive(args, "young");
    if (args.has("poisson")) m.numbers.poisson = args.number("poisson");
    if (args.has("density")) m.numbers.density = positive(args, "density");
    if (args.has("alpha")) m.damping.alpha = args.number("alpha");
    if (args.has("beta")) m.damping.beta = args.number("beta");
    if (!(m.numbers.poisson > -1 && m.numbers.poisson < 0.5)) throw UsageError("--poisson must be between -1 and 0.5.");
    if (!(m.damping.alpha >= 0 && m.damping.beta >= 0)) throw UsageError("damping must not be negative.");
    return m;
}

ModeRequest request_from(const Args& args, const Damping& damping) {
    ModeRequest request;
    request.damping = damping;
    request.verify = !args.has("no-count");
    const std::string band = args.text("band");
    if (args.has("modes") + args.has("below") + args.has("band") > 1)
        throw UsageError("give one of -n, --below and --band.");
    if (args.has("below")) {
        request.below_hz = positive(args, "below");
    } else if (!band.empty()) {
        char colon = 0;
        std::istringstream in(band);
        if (!(in >> request.from_hz >> colon >> request.to_hz) || colon != ':' || !(request.from_hz >= 0) ||
            !(request.to_hz > request.from_hz))
            throw UsageError("--band is FROM:TO in Hz, such as 20:20000.");
    } else {
        request.count = static_cast<int>(args.integer("modes", 1));
    }
    return request;
}

ModalSystem system_from(const Args& args, const ElasticNumbers& numbers, Threads& threads) {
    const std::string& in = args.words()[0];
    const std::string order = args.text("order"), mass = args.text("mass");
    if (order != "1" && order != "2" && order != "auto") throw UsageError("--order is 1, 2 or auto.");
    if (mass != "lumped" && mass != "consistent") throw UsageError("--mass is lumped or consistent.");
    const MassKind kind = mass == "lumped" ? MassKind::lumped : MassKind::consistent;
    const std::span<const ElasticNumbers> one(&numbers, 1);
    if (names_structured_shape(in) && !std::filesystem::exists(in)) {
        const Blocks blocks = structured_shape(in);
        // Thin walls of linear tets lock: shapes are quadratic unless asked otherwise.
        if (order == "1") return assemble_modal(structured_mesh(blocks), one, kind);
        return assemble_modal(structured_quadratic(blocks), one);
    }
    if (in.find(':') != std::string::npos && !std::filesystem::exists(in))
        throw UserError(
            "'" + in + "' is neither a file nor a shape", {},
            "Shapes are bar, plate, tube, bowl and crate, for instance tube:length=0.5,radius=0.01,wall=0.001");
    MeshFile file = read_mesh(in);
    TetMesh mesh;
    if (file.volume) {
        mesh = std::move(*file.volume);
        orient_tets(mesh);
    } else {
        LatticeOptions options;
        if (args.has("cell"))
            options.cell = positive(args, "cell");
        else
            options.tets = args.integer("tets", 1, lattice_tet_limit);
        mesh = lattice(file.surface.value(), options, threads).mesh;
        if (!args.has("quiet"))
            std::cerr << in << " is a surface: filled with " << grouped(mesh.tet_count()) << " lattice tets\n";
    }
    // Nodes that no tet uses have no mass.
    std::vector<int> number(mesh.rest.size(), -1);
    std::vector<Vec3> used;
    for (Tet& t : mesh.tets)
        for (int& i : t) {
            if (number[i] < 0) number[i] = static_cast<int>(used.size()), used.push_back(mesh.rest[i]);
            i = number[i];
        }
    mesh.rest = std::move(used);
    if (order == "2") return assemble_modal(quadratic_mesh(mesh), one);
    return assemble_modal(mesh, one, kind);
}

/// "x<0.01" or "z>0.2", several with commas between: the nodes of any of these half spaces are held.
void hold_nodes(const Args& args, ModalSystem& system) {
    std::vector<int> nodes;
    std::istringstream list(args.text("hold"));
    for (std::string item; std::getline(list, item, ',');) {
        std::istringstream in(item);
        char axis = 0, sign = 0;
        double at = 0;
        if (!(in >> axis >> sign >> at) || !in.eof() || axis < 'x' || axis > 'z' || (sign != '<' && sign != '>'))
            throw UsageError("--hold is an axis, < or >, and a coordinate in metres, such as 'x<0.01'; not '" + item +
                             "'.");
        const std::size_t before = nodes.size();
        for (int i = 0; i < system.nodes(); ++i) {
            const double coordinate = system.rest[static_cast<std::size_t>(i)][axis - 'x'];
            if (sign == '<' ? coordinate < at : coordinate > at) nodes.push_back(i);
        }
        if (nodes.size() == before)
            throw UserError("--hold: no node has " + item, {}, "`pliant info` tells the bounds of a mesh");
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (static_cast<int>(nodes.size()) == system.nodes())
        throw UserError("--hold: that is every node", {}, "Hold fewer");
    fix_nodes(system, nodes);
}

void print_table(const ModalBasis& basis, std::size_t most) {
    std::cout << " mode   frequency Hz    decay 1/s        T60 s\n" << std::fixed;
    for (int i = 0; i < basis.mode_count() && static_cast<std::size_t>(i) < most; ++i)
        std::cout << std::setw(5) << i + 1 << std::setw(15) << std::setprecision(3) << frequency_hz(basis, i)
                  << std::setw(13) << std::setprecision(3) << decay(basis, i) << std::setw(13) << std::setprecision(3)
                  << t60(basis, i) << "\n";
    if (static_cast<std::size_t>(basis.mode_count()) > most)
        std::cout << "  ... " << basis.mode_count() - most << " more; --all prints them\n";
    std::cout << std::defaultfloat;
}

std::string report_text(const std::string& in, const ModalBasis& basis, const ModeReport& report) {
    JsonWriter json;
    json.begin_object();
    json.entry("input", in);
    json.entry("nodes", basis.rest.size());
    json.entry("unknowns", static_cast<std::size_t>(report.estimate.unknowns));
    json.entry("modes", basis.lambda.size());
    json.entry("rigid", static_cast<std::size_t>(basis.rigid));
    json.entry("parts", static_cast<std::size_t>(basis.parts));
    json.entry("residual", basis.residual);
    json.entry("complete", basis.complete ? "yes" : "not counted");
    json.entry("plan_s", report.plan_s);
    json.entry("factor_s", report.factor_s);
    json.entry("iterate_s", report.iterate_s);
    json.entry("verify_s", report.verify_s);
    json.entry("memory_mb", static_cast<double>(report.estimate.bytes()) / 1e6);
    json.key("frequency_hz");
    json.begin_array();
    for (int i = 0; i < basis.mode_count(); ++i) json.value(frequency_hz(basis, i));
    json.end_array();
    json.key("notes");
    json.begin_array();
    for (const std::string& note : report.notes) json.value(note);
    json.end_array();
    json.end_object();
    return json.take();
}

// Before minutes of work: that the result can be put where it is wanted.
void check_writable(const std::string& path) {
    if (path.empty()) return;
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw UserError("the folder " + folder.string() + " does not exist", {path}, "Make it, or write elsewhere.");
    if (std::filesystem::is_directory(path)) throw UserError("this is a folder", {path}, "Name a file in it.");
    if (access(folder.c_str(), W_OK) != 0)
        throw UserError("the folder " + folder.string() + " cannot be written to", {path}, "Write elsewhere.");
}

int run_command_modes(const Args& args) {
    const std::string& in = args.words()[0];
    const std::string out = args.text("out");
    const bool quiet = args.has("quiet");
    check_writable(out);
    check_writable(args.text("report"));
    const std::size_t rows = args.has("all") ? std::size_t(-1) : 20;
    if (is_modes_file(in)) {  // no new decomposition
        ModalBasis basis = read_modes(in);
        const double density = args.has("density") ? positive(args, "density") : basis.density;
        const double factor = args.has("young") ? positive(args, "young") / basis.young : 1;
        const Damping damping{args.has("alpha") ? args.number("alpha") : basis.alpha,
                              args.has("beta") ? args.number("beta") : basis.beta};
        if (args.has("hold")) throw UsageError("supports change the modes: compute them anew from the mesh.");
        if (args.has("poisson") || args.has("material"))
            throw UsageError(
                "another Poisson's ratio changes the shapes of the modes: compute them anew from the mesh.");
        basis = rescaled(basis, density, factor, damping);
        if (!quiet) print_table(basis, rows);
        if (!out.empty()) write_modes(out, basis);
        return 0;
    }
    const Matter matter = matter_from(args);
    const ModeRequest request = request_from(args, matter.damping);
    Threads threads(static_cast<int>(args.integer("threads", 0, 256)));
    ModalSystem system = system_from(args, matter.numbers, threads);
    if (args.has("hold")) hold_nodes(args, system);
    ModeReport report;
    const double limit = args.has("memory") ? positive(args, "memory") * 1e6 : 0;
    const ModalBasis basis = decompose(system, request, threads, &report, [&](const ModeEstimate& e) {
        if (!quiet)
            std::cerr << grouped(e.unknowns) << " unknowns; needs about "
                      << grouped(static_cast<long long>(e.bytes() / 1e6)) << " MB" << (e.dense ? " (full matrix)" : "")
                      << "\n";
        if (limit > 0 && static_cast<double>(e.bytes()) > limit)
            throw UserError("this takes about " + grouped(static_cast<long long>(e.bytes() / 1e6)) +
                                " MB, more than --memory allows",
                            {}, "Ask for fewer modes or use a coarser mesh.");
    });
    if (!out.empty()) write_modes(out, basis);
    if (args.has("report")) write_file_atomic(args.text("report"), report_text(in, basis, report));
    if (quiet) return 0;
    for (const std::string& note : report.notes) std::cerr << in << ": " << note << "\n";
    print_table(basis, rows);
    std::cout << basis.mode_count() << " modes, " << basis.rigid << " rigid motions set apart, residual "
              << short_number(basis.residual)
              << (basis.complete ? ", none missing by count of eigenvalues" : ", not counted") << "\n";
    return 0;
}

}  // namespace

Command modes_command() {
    return {
        .name = "modes",
        .arguments = "MESH|SHAPE",
        .least_words = 1,
        .most_words = 1,
        .summary = "Finds vibration modes: frequencies, decay, shapes.",
        .about =
            "MESH is a file of tets, a surface (it is filled with lattice tets), or a .modes file, which is rescaled\n"
            "to another --density, --young, --alpha, --beta without new work. SHAPE is one of\n"
            "  bar:length=,width=,height=   plate:length=,width=,height=   tube:length=,radius=,wall=\n"
            "  bowl:radius=,wall=,depth=    crate:length=,width=,height=,wall=   each with cells=\n"
            "  wedge:radius=,thickness=,angle=,depth=   all in metres, the angle in degrees\n"
            "Rigid motions are set apart, and a count of eigenvalues proves that no mode is missing.",
        .flags =
            {{.name = "modes", .letter = 'n', .value = "N", .fallback = "20", .help = "The lowest N elastic modes."},
             {.name = "below", .value = "F", .unit = "Hz", .help = "All modes below a frequency instead."},
             {.name = "band", .value = "F:G", .unit = "Hz", .help = "All modes between two frequencies instead."},
             {.name = "material", .value = "NAME", .fallback = "aluminium", .help = "A named material."},
             {.name = "young", .value = "E", .unit = "Pa", .help = "Young's modulus, if not the material's."},
             {.name = "poisson", .value = "NU", .help = "Poisson's ratio, if not the material's."},
             {.name = "density", .value = "RHO", .unit = "kg/m³", .help = "Density, if not the material's."},
             {.name = "alpha", .value = "A", .unit = "1/s", .help = "Damping by mass, if not the material's."},
             {.name = "beta", .value = "B", .unit = "s", .help = "Damping by stiffness, if not the material's."},
             {.name = "order",
              .value = "P",
              .fallback = "auto",
              .help =
                  "Order of the elements: 1 is linear, 2 quadratic, auto quadratic for shapes and linear for files."},
             {.name = "mass", .value = "KIND", .fallback = "lumped", .help = "Of linear elements: lumped, consistent."},
             {.name = "hold",
              .value = "X<0.01",
              .help =
                  "Supports: nodes with a coordinate below or above a number (m) do not move. Several with commas."},
             {.name = "cell", .value = "H", .unit = "m", .help = "Lattice cell for surfaces."},
             {.name = "tets", .value = "N", .fallback = "20000", .help = "Lattice tets for surfaces."},
             {.name = "out", .letter = 'o', .value = "FILE.modes", .help = "Store the modes."},
             {.name = "report", .value = "R.json", .help = "Write frequencies, times and memory as JSON."},
             {.name = "memory", .value = "MB", .unit = "MB", .help = "Stop before the work if it would take more."},
             {.name = "no-count", .help = "Skip the count of eigenvalues: half the factorisation time."},
             {.name = "all", .help = "Print every mode."},
             {.name = "threads", .value = "N", .fallback = "0", .help = "Threads; 0 means one per core."},
             {.name = "quiet", .letter = 'q', .help = "Print nothing but errors."}},
        .examples = {{"pliant modes tube:length=0.505,radius=0.0125,wall=0.001 -n 10",
                      "A wind chime that rings at 587 Hz."},
                     {"pliant modes bar:length=0.3 --hold 'x<-0.149' -n 4", "A cantilever."},
                     {"pliant modes bunny.vtu -n 200 --material porcelain -o bunny.modes", "Modes to make it ring."},
                     {"pliant modes bunny.modes --density 700 --young 1e10 -o wood.modes",
                      "The same in wood, at once."}},
        .run = run_command_modes};
}

}  // namespace pliant
