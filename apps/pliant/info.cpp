// pliant info: what a mesh file holds, for people or, with --json, for programs.

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>

#include "commands.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/structure_file.hpp"

namespace pliant {

namespace {

constexpr int bins = 10;  // of the quality histogram, from 0 to 1

struct TetFacts {
    double volume = 0, smallest = 0, largest = 0;
    double worst = 0, mean = 0;
    long long inverted = 0, flat = 0;
    int pieces = 0;
    std::array<long long, bins> histogram{};
    std::map<int, long long> regions;
};

TetFacts tet_facts(const TetMesh& mesh) {
    TetFacts facts;
    const std::vector<double> quality = tet_quality(mesh.rest, mesh.tets);
    facts.volume = total_volume(mesh.rest, mesh.tets);
    facts.pieces = connected_pieces(mesh.tets);
    facts.worst = quality.empty() ? 0 : *std::min_element(quality.begin(), quality.end());
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const double volume = signed_volume(mesh.rest, mesh.tets[t]);
        facts.smallest = t == 0 ? volume : std::min(facts.smallest, volume);
        facts.largest = t == 0 ? volume : std::max(facts.largest, volume);
        facts.inverted += quality[t] < 0;
        facts.flat += quality[t] == 0;
        facts.mean += quality[t] / static_cast<double>(quality.size());
        ++facts.histogram[static_cast<std::size_t>(std::clamp(static_cast<int>(quality[t] * bins), 0, bins - 1))];
        if (!mesh.region.empty()) ++facts.regions[mesh.region[t]];
    }
    return facts;
}

void line(const char* name, const std::string& value) {
    std::cout << "  " << name << std::string(std::max<std::size_t>(1, 18 - std::string(name).size()), ' ') << value
              << "\n";
}

std::string vector_text(const Vec3& v) {
    return short_number(v.x()) + " " + short_number(v.y()) + " " + short_number(v.z());
}

void print_bounds(const Box& box) {
    line("bounds", "(" + vector_text(box.min) + ") … (" + vector_text(box.max) + ") m");
    line("size", vector_text(box.size()) + " m");
}

void print_surface(const TriMesh& mesh, const SurfaceFacts& facts) {
    line("points", grouped(static_cast<long long>(mesh.points.size())));
    line("triangles", grouped(static_cast<long long>(mesh.triangles.size())));
    print_bounds(mesh.bounds());
    line("area", short_number(facts.area) + " m²");
    line("volume",
         short_number(facts.volume) + " m³" + (facts.closed() ? "" : " (of an open surface: a rough figure)"));
    line("closed", facts.closed() ? "yes" : "no, " + grouped(facts.boundary_edges) + " boundary edges");
    line("manifold",
         facts.manifold() ? "yes" : "no, " + grouped(facts.nonmanifold_edges) + " edges with three or more triangles");
    std::string turn = "consistent";
    if (!facts.oriented())
        turn = "mixed, " + grouped(facts.misoriented_edges) + " edges between triangles that face opposite ways";
    else if (facts.closed())
        turn += facts.volume < 0 ? ", inside out" : ", outward";
    line("orientation", turn);
    line("components", grouped(facts.components));
    if (facts.duplicate_points > 0)
        line("duplicates", grouped(facts.duplicate_points) + " points at the place of another");
    if (facts.unused_points > 0) line("unused", grouped(facts.unused_points) + " points");
    if (facts.degenerate_triangles > 0)
        line("degenerate", grouped(facts.degenerate_triangles) + " triangles without area");
}

void print_histogram(const TetFacts& facts) {
    const long long most = std::max(1LL, *std::max_element(facts.histogram.begin(), facts.histogram.end()));
    long long all = 0;
    for (long long count : facts.histogram) all += count;
    std::cout << "  quality (1: regular, 0: flat)\n";
    for (int b = 0; b < bins; ++b) {
        const long long count = facts.histogram[static_cast<std::size_t>(b)];
        // A bin with anything in it shows at least a sliver.
        const int eighths = count == 0 ? 0
                                       : std::max(1, static_cast<int>(std::lround(320.0 * static_cast<double>(count) /
                                                                                  static_cast<double>(most))));
        std::string bar;
        for (int k = 0; k < eighths / 8; ++k) bar += "█";
        constexpr const char* part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
        bar += part[eighths % 8];
        char head[64];
        std::snprintf(head, sizeof head, "    %.1f–%.1f  %6.2f %%  ", b / static_cast<double>(bins),
                      (b + 1) / static_cast<double>(bins),
                      100.0 * static_cast<double>(count) / static_cast<double>(std::max(1LL, all)));
        std::cout << head << bar << "\n";
    }
}

void print_volume(const TetMesh& mesh, const TetFacts& facts, const SurfaceFacts& skin) {
    line("nodes", grouped(mesh.node_count()));
    line("tets", grouped(mesh.tet_count()));
    print_bounds(mesh.bounds());
    line("volume", short_number(facts.volume) + " m³, each tet " + short_number(facts.smallest) + " … " +
                       short_number(facts.largest));
    line("surface", short_number(skin.area) + " m², " +
                        (skin.closed() ? "closed" : grouped(skin.nonmanifold_edges) + " non-manifold edges"));
    line("pieces", grouped(facts.pieces));
    for (const auto& [region, count] : facts.regions)
        line(("region " + std::to_string(region)).c_str(), grouped(count) + " tets");
    line("worst quality", short_number(facts.worst) + ", mean " + short_number(facts.mean));
    if (facts.inverted > 0) line("inverted", grouped(facts.inverted) + " tets");
    if (facts.flat > 0) line("flat", grouped(facts.flat) + " tets");
    print_histogram(facts);
}

void json_vector(JsonWriter& json, const char* key, const Vec3& v) {
    json.key(key);
    json.begin_line();
    json.begin_array();
    for (int k = 0; k < 3; ++k) json.value(v[k]);
    json.end_array();
    json.end_line();
}

void json_surface(JsonWriter& json, const SurfaceFacts& facts) {
    json.entry("area", facts.area);
    json.entry("closed", facts.closed());
    json.entry("manifold", facts.manifold());
    json.entry("oriented", facts.oriented());
    json.entry("components", facts.components);
    json.entry("boundary_edges", facts.boundary_edges);
    json.entry("nonmanifold_edges", facts.nonmanifold_edges);
    json.entry("misoriented_edges", facts.misoriented_edges);
    json.entry("degenerate_triangles", facts.degenerate_triangles);
    json.entry("duplicate_points", facts.duplicate_points);
    json.entry("unused_points", facts.unused_points);
}

void json_volume(JsonWriter& json, const TetFacts& facts) {
    json.entry("pieces", facts.pieces);
    json.entry("inverted", facts.inverted);
    json.entry("flat", facts.flat);
    json.entry("quality_min", facts.worst);
    json.entry("quality_mean", facts.mean);
    json.key("quality_histogram");
    json.begin_line();
    json.begin_array();
    for (long long count : facts.histogram) json.value(count);
    json.end_array();
    json.end_line();
    json.key("regions");
    json.begin_object();
    for (const auto& [region, count] : facts.regions) json.entry(std::to_string(region), count);
    json.end_object();
}

std::string json_text(const std::string& path, const MeshFile& file, const SurfaceFacts& skin, const TetFacts& tets) {
    JsonWriter json;
    json.begin_object();
    json.entry("file", path);
    json.entry("format", file.format);
    json.entry("kind", file.volume ? "tets" : "surface");
    json.entry("nodes", file.volume ? file.volume->rest.size() : file.surface->points.size());
    if (file.volume)
        json.entry("tets", file.volume->tets.size());
    else
        json.entry("triangles", file.surface->triangles.size());
    const Box box = file.volume ? file.volume->bounds() : file.surface->bounds();
    json_vector(json, "min", box.min);
    json_vector(json, "max", box.max);
    json.entry("volume", file.volume ? tets.volume : skin.volume);
    json_surface(json, skin);
    if (file.volume) json_volume(json, tets);
    if (file.structure) {
        json.entry("voronoi_vertices", file.structure->vertices.size());
        json.entry("voronoi_ridges", file.structure->ridges.size());
    }
    json.key("notes");
    json.begin_array();
    for (const std::string& note : file.notes) json.value(note);
    json.end_array();
    json.end_object();
    return json.take();
}

int run_command_info(const Args& args) {
    const std::string& path = args.words()[0];
    const MeshFile file = read_mesh(path);
    const SurfaceFacts skin = inspect(file.volume ? boundary_surface(*file.volume).surface : *file.surface);
    const TetFacts tets = file.volume ? tet_facts(*file.volume) : TetFacts{};
    if (args.has("json")) {
        std::cout << json_text(path, file, skin, tets);
        return 0;
    }
    std::cout << path << ": " << (file.volume ? "tet mesh" : "surface") << ", " << file.format << "\n";
    if (file.volume)
        print_volume(*file.volume, tets, skin);
    else
        print_surface(*file.surface, skin);
    if (file.structure) {
        line("Voronoi vertices", grouped(static_cast<long long>(file.structure->vertices.size())));
        line("Voronoi ridges", grouped(static_cast<long long>(file.structure->ridges.size())));
    }
    for (const std::string& note : file.notes) line("note", note);
    return 0;
}

}  // namespace

Command info_command() {
    return {.name = "info",
            .arguments = "FILE",
            .least_words = 1,
            .most_words = 1,
            .summary = "Tells what a mesh file holds: counts, size, holes, quality.",
            .about =
                "Prints counts, bounds, area and volume; for a surface whether it is closed, manifold and turned one\n"
                "way; for a tet mesh its regions and a histogram of element quality. Lengths are taken as metres.",
            .flags = {{.name = "json", .help = "Print one JSON object instead of text."}},
            .examples = {{"pliant info bunny.obj", "Is it closed, how large is it?"},
                         {"pliant info bunny.vtu --json", "The same for a program."}},
            .run = run_command_info};
}

}  // namespace pliant
