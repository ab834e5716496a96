#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/structure_file.hpp"
#include "pliant/io/text_reader.hpp"
#include "pliant/meshing/voronoi.hpp"

namespace pliant {

namespace {

struct BlockKind {
    const char* name;
    const char* count;  // what messages call the number of items
    std::size_t bytes;  // the shortest item
};

enum Block { particles, tetrahedra, neighbors, faces, voronoivertices, dependencies, voronoiridges, voronoicells };
constexpr std::array<BlockKind, 8> kinds{{{"particles", "the number of particles", 6},
                                          {"tetrahedra", "the number of tetrahedra", 8},
                                          {"neighbors", "the number of neighbors", 8},
                                          {"faces", "the number of faces", 6},
                                          {"voronoivertices", "the number of Voronoi vertices", 6},
                                          {"dependencies", "the number of dependencies", 8},
                                          {"voronoiridges", "the number of Voronoi ridges", 10},
                                          {"voronoicells", "the number of Voronoi cells", 2}}};

class StructureReader {
public:
    StructureReader(std::string_view bytes, const std::string& name) : in_(bytes, name, '#') {}

    StructureFile read() {
        find_blocks();
        read_points(particles, file_.mesh.rest, "a particle's coordinate");
        read_tets();
        read_neighbors();
        read_faces();
        read_points(voronoivertices, file_.vertices, "a Voronoi vertex' coordinate");
        read_dependencies();
        read_ridges();
        read_cells();
        return std::move(file_);
    }

private:
    struct Place {
        std::size_t count, items;  // items: where the first begins
        std::size_t number;        // where the count stands
    };

    /// Where the blocks are, and that each has as many lines as it says.
    void find_blocks() {
        while (!in_.at_end()) {
            const std::string word(in_.word().substr(0, 64));
            const auto kind = std::ranges::find_if(kinds, [&](const BlockKind& k) { return same_word(k.name, word); });
            if (kind == kinds.end())
                in_.fail("expected the name of a block such as particles, found " + in_quotes(word),
                         last_ ? std::string("The count of the block ") + last_ + " above may be too small" : "");
            std::optional<Place>& place = places_[static_cast<std::size_t>(kind - kinds.begin())];
            if (place) in_.fail(std::string("there are two blocks ") + kind->name);
            last_ = kind->name;
            const std::size_t count = in_.count(kind->count, kind->bytes);
            place = Place{count, 0, in_.last_start()};
            end_line();
            place->items = in_.position();
            for (std::size_t i = 0; i < count; ++i) {
                const std::string_view next = in_.peek();
                if (next.empty() || starts_word(next))
                    in_.fail_at(place->number, std::string(kind->count) + " is " + std::to_string(count) +
                                                   ", but only " + std::to_string(i) + " follow");
                in_.skip_line();
            }
        }
        for (std::size_t k = 0; k < kinds.size(); ++k)
            if (!places_[k])
                throw UserError(std::string("the block ") + kinds[k].name + " is missing", {in_.name()},
                                "A structure has eight blocks: make it again with pliant mesh");
    }
    static bool starts_word(std::string_view word) {
        const char c = word[0];
        return (c >= 'A' && c <= 'Z' && c != 'I' && c != 'N') || (c >= 'a' && c <= 'z' && c != 'i' && c != 'n') ||
               same_word(word, "neighbors");  // nan and inf are numbers, if bad ones
    }

    /// The start of a block's items; `same_as` is the count it must have.
    std::size_t enter(Block block, std::optional<std::size_t> same_as = {}, const char* of = "") {
        const Place& place = *places_[block];
        if (same_as && place.count != *same_as)
            in_.fail_at(place.number, std::string(kinds[block].count) + " is " + std::to_string(place.count) +
                                          ", but there are " + std::to_string(*same_as) + " " + of);
        in_.seek(place.items);
        return place.count;
    }
    void end_line() {
        if (in_.at_line_end()) return;
        const std::string_view more = in_.word_on_line();
        in_.fail("the line goes on with " + in_quotes(more) + " where it should end");
    }
    void need_more(const char* what) {
        // A number missing at the end of a line must not be taken from the next.
        if (in_.at_line_end() && !first_of_line_) in_.fail(std::string("the line ends where ") + what + " should be");
        first_of_line_ = false;
    }
    int index(const char* what, std::size_t size, long long least = 0) {
        need_more(what);
        return static_cast<int>(in_.integer(what, least, static_cast<long long>(size) - 1));
    }
    void begin_item() { first_of_line_ = true; }

    void read_points(Block block, std::vector<Vec3>& points, const char* what) {
        points.resize(enter(block));
        for (Vec3& p : points) {
            begin_item();
            for (int k = 0; k < 3; ++k) need_more(what), p[k] = in_.number(what);
            end_line();
        }
    }

    static Tet sorted(Tet t) {
        std::ranges::sort(t);
        return t;
    }

    void read_tets() {
        TetMesh& mesh = file_.mesh;
        mesh.tets.resize(enter(tetrahedra));
        if (mesh.tets.empty()) in_.fail_at(places_[tetrahedra]->number, "there are no tetrahedra");
        std::vector<char> used(mesh.rest.size(), 0);
        for (Tet& t : mesh.tets) {
            begin_item();
            for (int& p : t) used[static_cast<std::size_t>(p = index("a particle of a tet", mesh.rest.size()))] = 1;
            end_line();
            const Tet s = sorted(t);
            if (s[0] == s[1] || s[1] == s[2] || s[2] == s[3]) in_.fail("a tet names the same particle twice");
            const double volume = signed_volume(mesh.rest, t);
            if (!(std::abs(volume) > 0)) in_.fail("a tet is flat", "Mesh the body again");
            if (volume < 0) std::swap(t[2], t[3]);
        }
        for (std::size_t i = 0; i < used.size(); ++i)
            if (!used[i])
                in_.fail_at(places_[tetrahedra]->number, "particle " + std::to_string(i) + " belongs to no tet");
        for (std::size_t i = 0; i < mesh.tets.size(); ++i)
            by_nodes_.emplace_back(sorted(mesh.tets[i]), static_cast<int>(i));
        std::ranges::sort(by_nodes_);
        for (std::size_t i = 0; i + 1 < by_nodes_.size(); ++i)
            if (by_nodes_[i].first == by_nodes_[i + 1].first)
                in_.fail_at(places_[tetrahedra]->number, "tets " + std::to_string(by_nodes_[i].second) + " and " +
                                                             std::to_string(by_nodes_[i + 1].second) +
                                                             " have the same particles");
    }
    /// The tet with these particles, or -1.
    int tet_of(const Tet& nodes) const {
        const auto at = std::ranges::lower_bound(by_nodes_, std::pair(sorted(nodes), -1));
        return at != by_nodes_.end() && at->first == sorted(nodes) ? at->second : -1;
    }

    void read_neighbors() {
        const std::size_t count = enter(neighbors, file_.mesh.tets.size(), "tetrahedra");
        std::vector<std::array<int, 4>> expected = tet_neighbours(file_.mesh.tets);
        for (std::size_t i = 0; i < count; ++i) {
            begin_item();
            Tet given;
            for (int& t : given) t = index("a neighbor", count, -1);
            end_line();
            // Which of the four stands for which side is not said, so any order will do.
            if (sorted(given) != sorted(expected[i]))
                in_.fail("tet " + std::to_string(i) + " has other neighbors than the tetrahedra say");
        }
    }

    void read_faces() {
        file_.faces.resize(enter(faces));
        std::vector<Tri> known;
        for (const Tet& t : file_.mesh.tets)
            for (const auto& f : tet_faces) {
                Tri face{t[f[0]], t[f[1]], t[f[2]]};
                std::ranges::sort(face);
                known.push_back(face);
            }
        std::ranges::sort(known);
        for (Tri& f : file_.faces) {
            begin_item();
            for (int& p : f) p = index("a particle of a face", file_.mesh.rest.size());
            end_line();
            Tri nodes = f;
            std::ranges::sort(nodes);
            if (!std::ranges::binary_search(known, nodes)) in_.fail("a face belongs to no tet");
        }
    }

    void read_dependencies() {
        file_.vertex_tet.resize(enter(dependencies, file_.vertices.size(), "Voronoi vertices"));
        for (int& tet : file_.vertex_tet) {
            begin_item();
            Tet nodes;
            for (int& p : nodes) p = index("a particle that a Voronoi vertex depends on", file_.mesh.rest.size());
            end_line();
            tet = tet_of(nodes);
            if (tet < 0) in_.fail("a Voronoi vertex depends on four particles that are no tet");
        }
    }

    void read_ridges() {
        file_.ridges.resize(enter(voronoiridges));
        for (VoronoiRidge& r : file_.ridges) {
            begin_item();
            r.a = index("a particle of a ridge", file_.mesh.rest.size());
            r.b = index("a particle of a ridge", file_.mesh.rest.size());
            if (r.a == r.b) in_.fail("a ridge has particle " + std::to_string(r.a) + " on both sides");
            need_more("the number of a ridge's vertices");
            const long long n = in_.integer("the number of a ridge's vertices", 3);
            in_.expect_room(static_cast<std::uint64_t>(n), 2, "the number of a ridge's vertices");
            r.count = static_cast<int>(n);
            r.first = static_cast<int>(file_.ridge_vertices.size());
            if (file_.ridge_vertices.size() + static_cast<std::size_t>(n) >
                static_cast<std::size_t>(std::numeric_limits<int>::max()))
                in_.fail("the ridges have too many vertices");
            for (int k = 0; k < r.count; ++k)
                file_.ridge_vertices.push_back(index("a Voronoi vertex of a ridge", file_.vertices.size()));
            end_line();
        }
    }

    void read_cells() {
        const std::size_t count = enter(voronoicells, file_.mesh.rest.size(), "particles");
        std::vector<char> listed(2 * file_.ridges.size(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            begin_item();
            need_more("the number of a cell's ridges");
            const long long n = in_.integer("the number of a cell's ridges", 0);
            in_.expect_room(static_cast<std::uint64_t>(n), 2, "the number of a cell's ridges");
            for (long long k = 0; k < n; ++k) {
                const int ridge = index("a ridge of a cell", file_.ridges.size());
                const VoronoiRidge& r = file_.ridges[static_cast<std::size_t>(ridge)];
                const int self = static_cast<int>(i);
                if (r.a != self && r.b != self)
                    in_.fail("cell " + std::to_string(i) + " lists ridge " + std::to_string(ridge) +
                             ", which lies between particles " + std::to_string(r.a) + " and " + std::to_string(r.b));
                char& seen = listed[2 * static_cast<std::size_t>(ridge) + (r.b == self ? 1 : 0)];
                if (seen) in_.fail("cell " + std::to_string(i) + " lists ridge " + std::to_string(ridge) + " twice");
                seen = 1;
            }
            end_line();
        }
        for (std::size_t r = 0; r < listed.size(); ++r)
            if (!listed[r])
                in_.fail_at(places_[voronoicells]->number,
                            "cell " + std::to_string(r % 2 ? file_.ridges[r / 2].b : file_.ridges[r / 2].a) +
                                " does not list its ridge " + std::to_string(r / 2));
    }

    TextReader in_;
    StructureFile file_;
    std::array<std::optional<Place>, 8> places_;
    const char* last_ = nullptr;
    bool first_of_line_ = true;
    std::vector<std::pair<Tet, int>> by_nodes_;
};

VoronoiCorner corner_of(const StructureFile& file, int vertex) {
    VoronoiCorner corner;
    corner.rest = file.vertices[static_cast<std::size_t>(vertex)];
    corner.tet = file.vertex_tet[static_cast<std::size_t>(vertex)];
    const Tet& t = file.mesh.tets[static_cast<std::size_t>(corner.tet)];
    const std::vector<Vec3>& x = file.mesh.rest;
    const double all = signed_volume(x, t);
    corner.weight[1] = signed_volume(x[t[0]], corner.rest, x[t[2]], x[t[3]]) / all;
    corner.weight[2] = signed_volume(x[t[0]], x[t[1]], corner.rest, x[t[3]]) / all;
    corner.weight[3] = signed_volume(x[t[0]], x[t[1]], x[t[2]], corner.rest) / all;
    corner.weight[0] = 1 - corner.weight[1] - corner.weight[2] - corner.weight[3];
    return corner;
}

/// The loop of a ridge, seen from its higher particle; its area vector and centroid.
struct Turned {
    std::vector<VoronoiCorner> loop;
    Vec3 area = Vec3::Zero(), centre = Vec3::Zero();
};

Turned turned(const StructureFile& file, const VoronoiRidge& ridge) {
    Turned t;
    for (int v : file.corners(ridge)) t.loop.push_back(corner_of(file, v));
    const Vec3 first = t.loop[0].rest;
    for (std::size_t i = 1; i + 1 < t.loop.size(); ++i)
        t.area += 0.5 * (t.loop[i].rest - first).cross(t.loop[i + 1].rest - first);
    Vec3 moment = Vec3::Zero();
    for (std::size_t i = 1; i + 1 < t.loop.size(); ++i) {
        const Vec3 u = t.loop[i].rest - first, v = t.loop[i + 1].rest - first;
        moment += u.cross(v).dot(t.area) / 6 * (u + v);
    }
    const double size2 = t.area.squaredNorm();
    t.centre = size2 > 0 ? Vec3(first + moment / size2) : first;
    const std::vector<Vec3>& x = file.mesh.rest;
    const int low = std::min(ridge.a, ridge.b), high = std::max(ridge.a, ridge.b);
    if (t.area.dot(x[high] - x[low]) < 0) std::ranges::reverse(t.loop), t.area = -t.area;
    return t;
}

}  // namespace

StructureFile parse_structure(std::string_view bytes, const std::string& name) {
    return StructureReader(bytes, name).read();
}

MeshFile parse_str(const MeshSource& source) {
    MeshFile result;
    auto structure = std::make_shared<StructureFile>(parse_structure(source.bytes, source.name));
    result.format = "str";
    result.volume = structure->mesh;
    result.structure = std::move(structure);
    return result;
}

ParticleStructure structure_of(const StructureFile& file, Threads& threads) {
    ParticleStructure structure = structure_without_cells(file.mesh);
    BoundedVoronoi cells = bounded_voronoi(file.mesh, file.mesh.rest, threads);
    structure.volume = std::move(cells.volume);
    std::vector<int> order(file.ridges.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    auto pair = [&](int r) {
        const VoronoiRidge& ridge = file.ridges[static_cast<std::size_t>(r)];
        return std::pair(std::min(ridge.a, ridge.b), std::max(ridge.a, ridge.b));
    };
    std::ranges::stable_sort(order, [&](int r, int s) { return pair(r) < pair(s); });

    auto finish_face = [&](const VoronoiFace& face) {
        structure.faces.push_back(face);
        structure.polygon_begin.push_back(static_cast<int>(structure.polygon.size()));
    };
    std::size_t at = 0, surface = 0;
    for (int a = 0; a < static_cast<int>(structure.size()); ++a) {
        for (; surface < cells.faces.size() && cells.faces[surface].a <= a; ++surface) {
            if (cells.faces[surface].b >= 0) continue;
            structure.polygon.insert(structure.polygon.end(), cells.polygon.begin() + cells.polygon_begin[surface],
                                     cells.polygon.begin() + cells.polygon_begin[surface + 1]);
            finish_face(cells.faces[surface]);
        }
        while (at < order.size() && pair(order[at]).first == a) {
            VoronoiFace face{a, pair(order[at]).second, Vec3::Zero(), Vec3::Zero()};
            const std::size_t begin = structure.polygon.size(), first = at;
            double size = 0;
            for (; at < order.size() && pair(order[at]) == std::pair(face.a, face.b); ++at) {
                const Turned t = turned(file, file.ridges[static_cast<std::size_t>(order[at])]);
                const double s = t.area.norm();
                size += s;
                face.area += t.area;
                face.centre = size > 0 ? Vec3(face.centre + s / size * (t.centre - face.centre)) : t.centre;
                // Several ridges: loops with bridges from the first corner of the first and back.
                if (at > first + 1) structure.polygon.push_back(structure.polygon[begin]);
                if (at == first + 1) structure.polygon.push_back(structure.polygon[begin]);
                structure.polygon.insert(structure.polygon.end(), t.loop.begin(), t.loop.end());
                if (at > first) structure.polygon.push_back(t.loop[0]);
            }
            finish_face(face);
        }
    }
    return structure;
}

ParticleStructure read_structure(const std::string& path, Threads& threads) {
    const std::string bytes = read_file(path);
    if (bytes.empty()) throw UserError("the file is empty", {path}, "Get it again");
    return structure_of(parse_structure(bytes, path), threads);
}

}  // namespace pliant
