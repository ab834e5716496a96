#include <algorithm>
#include <numeric>

#include "pliant/io/file.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/structure_file.hpp"
#include "pliant/meshing/voronoi.hpp"

namespace pliant {

namespace {

/// Corners in one place are one Voronoi vertex: per corner its number, and the corner each vertex is taken from.
void number_vertices(const std::vector<VoronoiCorner>& corners, const std::vector<int>& used, std::vector<int>& number,
                     std::vector<int>& from) {
    std::vector<int> order = used;
    auto less = [&](int i, int j) {
        const Vec3 &p = corners[static_cast<std::size_t>(i)].rest, &q = corners[static_cast<std::size_t>(j)].rest;
        return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
    };
    std::ranges::stable_sort(order, less);
    std::vector<int> first(corners.size(), -1);  // corner in the same place with the lowest number
    for (std::size_t i = 0; i < order.size(); ++i)
        first[static_cast<std::size_t>(order[i])] =
            i > 0 && !less(order[i - 1], order[i]) ? first[static_cast<std::size_t>(order[i - 1])] : order[i];
    number.assign(corners.size(), -1);
    for (int c : used) {
        int& n = number[static_cast<std::size_t>(first[static_cast<std::size_t>(c)])];
        if (n < 0) n = static_cast<int>(from.size()), from.push_back(first[static_cast<std::size_t>(c)]);
        number[static_cast<std::size_t>(c)] = n;
    }
}

void heading(TextBuilder& out, const char* name, std::size_t count) {
    out.text(name).text("\n").integer(static_cast<long long>(count)).text("\n");
}

template <class Items>
void line(TextBuilder& out, const Items& items) {
    const char* gap = "";
    for (int i : items) out.text(gap).integer(i), gap = " ";
    out.text("\n");
}

}  // namespace

std::string format_structure(const ParticleStructure& s) {
    // Ridges are the faces between particles; the format knows no others.
    std::vector<std::size_t> ridges;
    std::vector<int> used;
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
        if (s.faces[f].b < 0 || s.corners(f).size() < 3) continue;
        ridges.push_back(f);
        for (int c = s.polygon_begin[f]; c < s.polygon_begin[f + 1]; ++c) used.push_back(c);
    }
    std::vector<int> number, from;
    number_vertices(s.polygon, used, number, from);

    TextBuilder out(s.size() * 120 + s.tets.size() * 60 + from.size() * 80 + used.size() * 8);
    heading(out, "particles", s.size());
    for (const Vec3& p : s.rest) out.vector(p).text("\n");
    heading(out, "tetrahedra", s.tets.size());
    for (const Tet& t : s.tets) line(out, t);
    heading(out, "neighbors", s.tets.size());
    for (const auto& n : tet_neighbours(s.tets)) line(out, n);
    heading(out, "faces", s.boundary.size());
    for (const Tri& t : s.boundary) line(out, t);
    heading(out, "voronoivertices", from.size());
    for (int c : from) out.vector(s.polygon[static_cast<std::size_t>(c)].rest).text("\n");
    heading(out, "dependencies", from.size());
    for (int c : from) line(out, s.tets[static_cast<std::size_t>(s.polygon[static_cast<std::size_t>(c)].tet)]);
    heading(out, "voronoiridges", ridges.size());
    std::vector<std::vector<int>> cells(s.size());
    for (std::size_t r = 0; r < ridges.size(); ++r) {
        const VoronoiFace& face = s.faces[ridges[r]];
        cells[static_cast<std::size_t>(face.a)].push_back(static_cast<int>(r));
        cells[static_cast<std::size_t>(face.b)].push_back(static_cast<int>(r));
        const int begin = s.polygon_begin[ridges[r]], end = s.polygon_begin[ridges[r] + 1];
        out.integer(face.a).text(" ").integer(face.b).text(" ").integer(end - begin);
        for (int c = begin; c < end; ++c) out.text(" ").integer(number[static_cast<std::size_t>(c)]);
        out.text("\n");
    }
    heading(out, "voronoicells", s.size());
    for (const std::vector<int>& cell : cells) {
        out.integer(static_cast<long long>(cell.size()));
        for (int r : cell) out.text(" ").integer(r);
        out.text("\n");
    }
    return out.take();
}

std::string format_str(const TetMesh& mesh) {
    Threads threads(0);
    return format_structure(particle_structure(mesh, threads));
}

void write_structure(const std::string& path, const ParticleStructure& structure) {
    write_file_atomic(path, format_structure(structure));
}

}  // namespace pliant
