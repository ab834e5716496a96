#include "pliant/meshing/surface_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/meshing/surface_probe.hpp"

namespace pliant {

namespace {

// Lattice nodes have doubled integer coordinates: cube corners even, cube centres odd. A cube is named by its centre.
struct Node {
    int x, y, z;
};
using Key = std::uint64_t;
constexpr int coordinate_bits = 20;

Key key_of(const Node& n) {
    return static_cast<Key>(n.x) << (2 * coordinate_bits) | static_cast<Key>(n.y) << coordinate_bits |
           static_cast<Key>(n.z);
}

struct Lattice {
    Vec3 origin;
    double half_cell;
    Vec3 at(const Node& n) const { return origin + half_cell * Vec3(n.x, n.y, n.z); }
};

/// Cubes whose centre is within one cell of the surface: every tet that the surface enters has its two cubes there.
void collect_cubes(const Shape& shape, const Lattice& lattice, const Node& low, int extent, std::vector<Node>& out) {
    // A block of extent³ cubes from `low` (its lowest corner, even coordinates).
    const double half = lattice.half_cell * extent;
    const Node middle{low.x + extent, low.y + extent, low.z + extent};
    const double reach = extent == 1 ? 2 * lattice.half_cell : std::sqrt(3.0) * half + 2 * lattice.half_cell;
    if (std::abs(shape.distance(lattice.at(middle))) > reach * (1 + 1e-9)) return;
    if (extent == 1) {
        out.push_back(middle);
        return;
    }
    for (int child = 0; child < 8; ++child)
        collect_cubes(
            shape, lattice,
            {low.x + (child & 1 ? extent : 0), low.y + (child & 2 ? extent : 0), low.z + (child & 4 ? extent : 0)},
            extent / 2, out);
}

/// A numbered set of keys; numbers follow the order of first mention.
template <class K, class Hash = std::hash<K>>
class Numbering {
public:
    int operator()(const K& key, bool& fresh) {
        const auto [it, added] = index_.try_emplace(key, static_cast<int>(index_.size()));
        fresh = added;
        return it->second;
    }

private:
    std::unordered_map<K, int, Hash> index_;
};

/// Root of the distance between an inner and an outer point (Illinois variant of the false position).
Vec3 crossing_point(const Shape& shape, Vec3 inner, double d_inner, Vec3 outer, double d_outer, double tolerance) {
    int side = 0;
    for (int iteration = 0; iteration < 60; ++iteration) {
        const double s = d_inner / (d_inner - d_outer);
        const Vec3 p = inner + std::clamp(s, 0.0, 1.0) * (outer - inner);
        const double d = shape.distance(p);
        if (std::abs(d) <= tolerance) return p;
        if (d < 0) {
            inner = p, d_inner = d;
            if (side == -1) d_outer *= 0.5;
            side = -1;
        } else {
            outer = p, d_outer = d;
            if (side == 1) d_inner *= 0.5;
            side = 1;
        }
    }
    return 0.5 * (inner + outer);
}

/// A tet's vertex: on the crease inside the tet if there is one, else the projected mean of the crossings.
Vec3 tet_vertex(const SurfaceProbe& probe, const std::array<Vec3, 4>& corner, std::span<const Vec3> crossings,
                std::span<const Vec3> normals, double cell) {
    Vec3 mean = Vec3::Zero();
    for (const Vec3& q : crossings) mean += q / static_cast<double>(crossings.size());
    Vec3 smooth = mean;
    if (!probe.project(smooth, 0.5 * cell))
        smooth = *std::min_element(crossings.begin(), crossings.end(), [&](const Vec3& a, const Vec3& b) {
            return (a - mean).squaredNorm() < (b - mean).squaredNorm();
        });

    double spread = 1;
    for (std::size_t i = 0; i < normals.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) spread = std::min(spread, normals[i].dot(normals[j]));
    const Vec3 own_normal = probe.gradient(smooth).normalized();
    if (own_normal.allFinite())
        for (const Vec3& n : normals) spread = std::min(spread, n.dot(own_normal));
    if (spread > 0.94) return smooth;  // 20 degrees

    std::array<Vec3, 4> toward;
    toward.fill(Vec3::Zero());
    std::size_t count = 0;
    for (const Vec3& q : crossings) {
        const Vec3 d = q - smooth;
        if (d.norm() > 1e-3 * cell) toward[count++] = d.normalized();
    }
    Vec3 sharp = smooth;
    int rank = probe.to_crease(sharp, std::span(toward.data(), count), 0.25 * cell);
    if (rank < 2) {
        sharp = smooth;
        rank = probe.to_crease(sharp, 0.3 * cell);
    }
    if (rank < 2) return smooth;
    // Barycentric coordinates; a little outside is allowed, so that the chain of tets along a crease has no gaps.
    Mat3 m;
    m << corner[1] - corner[0], corner[2] - corner[0], corner[3] - corner[0];
    const Vec3 w = m.inverse() * (sharp - corner[0]);
    return std::min(w.minCoeff(), 1 - w.sum()) > -0.2 ? sharp : smooth;
}

/// Which tets and edges of a lattice the surface crosses.
struct CrossedEdge {
    int inner, outer;
    Vec3 point, normal;
};
struct Cut {
    Lattice lattice;
    std::vector<Node> nodes;
    std::vector<double> value;             // distance at the nodes
    std::vector<std::array<int, 4>> tets;  // crossed ones only
    std::vector<CrossedEdge> crossings;
    std::vector<std::array<int, 6>> tet_crossings;  // per pair of corners, -1 when not crossed

    Vec3 place(int node) const { return lattice.at(nodes[node]); }
    std::array<Vec3, 4> corners(std::size_t tet) const {
        std::array<Vec3, 4> out;
        for (int k = 0; k < 4; ++k) out[k] = place(tets[tet][k]);
        return out;
    }

    /// Euler characteristic of the surface: its vertices are the crossings, its faces the tets, its edges their sides.
    long long characteristic() const {
        long long sides = 0;
        for (const auto& six : tet_crossings)
            sides += std::count_if(six.begin(), six.end(), [](int c) { return c >= 0; });
        return static_cast<long long>(crossings.size()) - sides / 2 + static_cast<long long>(tets.size());
    }

    /// Genus, summed over the pieces of the surface.
    long long handles() const {
        UnionFind parts(static_cast<int>(crossings.size()));
        long long pieces = static_cast<long long>(crossings.size());
        for (const auto& six : tet_crossings) {
            int first = -1;
            for (int c : six) {
                if (c < 0) continue;
                if (first < 0) first = c;
                pieces -= parts.join(first, c);
            }
        }
        return pieces - characteristic() / 2;
    }
};

Cut cut_lattice(const Shape& shape, double cell, int place, Threads& threads) {
    Cut cut;
    const Box bounds = shape.bounds();
    if (bounds.empty()) throw UserError("the shape is empty, so it has no surface");
    // Off-centre by odd fractions of a cell: faces of the shape rarely coincide with planes of nodes.
    const Vec3 places[] = {{1.37, 1.41, 1.33}, {1.12, 1.23, 1.55}, {1.53, 1.07, 1.19}, {1.27, 1.59, 1.08}};
    cut.lattice = {bounds.min - cell * places[place % 4], 0.5 * cell};
    const Lattice& lattice = cut.lattice;
    const double across = (bounds.max - lattice.origin).maxCoeff() / cell + 1.6;
    if (across > 2000)
        throw UserError("a surface with triangles this small would need more than 2000 cells across the shape", {},
                        "Ask for a longer edge");
    int extent = 1;
    while (extent < across) extent *= 2;
    std::vector<Node> cubes;
    collect_cubes(shape, lattice, {0, 0, 0}, extent, cubes);

    // All nodes of the cubes' tets, and their distances.
    Numbering<Key> number_node;
    std::vector<Node>& nodes = cut.nodes;
    auto node_index = [&](const Node& n) {
        bool fresh = false;
        const int i = number_node(key_of(n), fresh);
        if (fresh) nodes.push_back(n);
        return i;
    };
    // Tets between a cube and its neighbours in +x, +y, +z: the two centres and an edge of the shared square.
    std::vector<std::array<int, 4>>& tets = cut.tets;
    tets.reserve(12 * cubes.size());
    for (const Node& c : cubes) {
        if (c.x < 0 || c.y < 0 || c.z < 0) continue;
        const int centre = node_index(c);
        for (int axis = 0; axis < 3; ++axis) {
            auto moved = [&](int along, int u, int v) {
                std::array<int, 3> d{};
                d[axis] = along, d[(axis + 1) % 3] = u, d[(axis + 2) % 3] = v;
                return node_index({c.x + d[0], c.y + d[1], c.z + d[2]});
            };
            const int other = moved(2, 0, 0);
            const std::array<int, 4> square{moved(1, -1, -1), moved(1, 1, -1), moved(1, 1, 1), moved(1, -1, 1)};
            for (int k = 0; k < 4; ++k) tets.push_back({centre, other, square[k], square[(k + 1) % 4]});
        }
    }
    std::vector<double>& value = cut.value;
    value.resize(nodes.size());
    parallel_for(threads, nodes.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) value[i] = shape.distance(lattice.at(nodes[i]));
    });
    std::erase_if(tets, [&](const std::array<int, 4>& t) {
        int inner = 0;
        for (int n : t) inner += value[n] < 0;
        return inner == 0 || inner == 4;
    });

    // Crossed lattice edges, inner node first.
    std::vector<CrossedEdge>& crossings = cut.crossings;
    std::vector<std::array<int, 6>>& tet_crossings = cut.tet_crossings;
    tet_crossings.resize(tets.size());
    constexpr int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    {
        Numbering<Key> number_edge;
        for (std::size_t t = 0; t < tets.size(); ++t)
            for (int e = 0; e < 6; ++e) {
                int a = tets[t][pair[e][0]], b = tets[t][pair[e][1]];
                tet_crossings[t][e] = -1;
                if ((value[a] < 0) == (value[b] < 0)) continue;
                if (value[a] >= 0) std::swap(a, b);
                bool fresh = false;
                tet_crossings[t][e] = number_edge(static_cast<Key>(a) << 32 | static_cast<Key>(b), fresh);
                if (fresh) crossings.push_back({a, b, Vec3::Zero(), Vec3::Zero()});
            }
    }
    return cut;
}

/// A lattice may bore tunnels into a thin wall, or bridge a narrow cleft (the inside of a V, at any resolution), but
/// another one would do so elsewhere, and a true handle shows in all of them. So lattices in different places and of
/// two sizes are tried, and ever finer ones while they disagree; the one with the fewest handles is taken, the
/// coarsest of several. On return `cell` is what was used.
Cut best_cut(const Shape& shape, double& cell, Threads& threads) {
    Cut best;
    double best_cell = cell;
    for (int level = 0; level < 4; ++level) {
        const double fine = cell * std::pow(0.7, level);
        if (level > 0 && shape.bounds().diagonal() > 800 * fine) break;
        Cut one = cut_lattice(shape, fine, 2 * level, threads);
        Cut other = cut_lattice(shape, fine, 2 * level + 1, threads);
        const bool agree = one.characteristic() == other.characteristic();
        for (Cut* cut : {&one, &other}) {
            const long long gain = best.handles() - cut->handles();
            // As many handles but another number of pieces: the finer lattice knows better what hangs together.
            const bool better = gain > 0 || (gain == 0 && best.characteristic() != cut->characteristic());
            if (best.tets.empty() || (better && !cut->tets.empty())) best = std::move(*cut), best_cell = fine;
        }
        if (level > 0 && agree) break;
    }
    cell = best_cell;
    return best;
}

/// Vertices: first the crossings, then one per tet.
std::vector<Vec3> surface_points(const Shape& shape, Cut& cut, double cell, Threads& threads) {
    const double size = shape.bounds().diagonal();
    const SurfaceProbe probe(shape, cell, size);
    const auto& value = cut.value;
    const auto& tets = cut.tets;
    auto& crossings = cut.crossings;
    parallel_for(threads, crossings.size(), 128, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            CrossedEdge& c = crossings[i];
            c.point = crossing_point(shape, cut.place(c.inner), value[c.inner], cut.place(c.outer), value[c.outer],
                                     1e-13 * size);
            c.normal = probe.gradient(c.point).normalized();
            if (!c.normal.allFinite()) c.normal = (cut.place(c.outer) - cut.place(c.inner)).normalized();
        }
    });

    const int first_tet = static_cast<int>(crossings.size());
    std::vector<Vec3> places(crossings.size() + tets.size());
    for (std::size_t i = 0; i < crossings.size(); ++i) places[i] = crossings[i].point;
    parallel_for(threads, tets.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            std::array<Vec3, 4> points, normals;
            std::size_t count = 0;
            for (int c : cut.tet_crossings[t])
                if (c >= 0) points[count] = crossings[c].point, normals[count++] = crossings[c].normal;
            places[first_tet + t] = tet_vertex(probe, cut.corners(t), std::span(points.data(), count),
                                               std::span(normals.data(), count), cell);
        }
    });

    return places;
}

/// Where the surface crosses the triangle between two tets, it joins their vertices and those of the two crossed
/// edges: two triangles. Faces are matched by their three nodes.
std::vector<Tri> surface_triangles(const Cut& cut) {
    const auto& tets = cut.tets;
    const auto& crossings = cut.crossings;
    const auto& tet_crossings = cut.tet_crossings;
    const int first_tet = static_cast<int>(crossings.size());
    std::vector<Tri> triangles;
    struct FaceHash {
        std::size_t operator()(const std::array<int, 3>& f) const {
            std::uint64_t h = 0;
            for (int n : f) h = (h ^ static_cast<std::uint32_t>(n)) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29;
            return h;
        }
    };
    Numbering<std::array<int, 3>, FaceHash> number_face;
    std::vector<int> first_tet_of_face;
    // pairs_of[k]: the pairs of corners in the face opposite corner k.
    constexpr int pairs_of[4][3] = {{3, 4, 5}, {1, 2, 5}, {0, 2, 4}, {0, 1, 3}};
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (int k = 0; k < 4; ++k) {
            std::array<int, 2> crossed;
            int count = 0;
            for (int e : pairs_of[k])
                if (tet_crossings[t][e] >= 0 && count < 2) crossed[count++] = tet_crossings[t][e];
            if (count < 2) continue;
            std::array<int, 3> face{tets[t][(k + 1) % 4], tets[t][(k + 2) % 4], tets[t][(k + 3) % 4]};
            std::sort(face.begin(), face.end());
            bool fresh = false;
            const int f = number_face(face, fresh);
            if (fresh) {
                first_tet_of_face.push_back(static_cast<int>(t));
                continue;
            }
            const int other = first_tet_of_face[f];
            CHECK(other >= 0, f);
            first_tet_of_face[f] = -1;
            const auto c0 = cut.corners(other), c1 = cut.corners(t);
            const Vec3 m0 = 0.25 * (c0[0] + c0[1] + c0[2] + c0[3]), m1 = 0.25 * (c1[0] + c1[1] + c1[2] + c1[3]);
            for (int c : crossed) {
                // Seen along the lattice edge from outside, the tets around it run counter-clockwise.
                const Vec3 in = cut.place(crossings[c].inner), outward = cut.place(crossings[c].outer) - in;
                const bool forward = (m0 - in).cross(m1 - in).dot(outward) > 0;
                const int v0 = first_tet + other, v1 = first_tet + static_cast<int>(t);
                triangles.push_back(forward ? Tri{c, v0, v1} : Tri{c, v1, v0});
            }
        }
    return triangles;
}

}  // namespace

double cubes_near_surface(const Shape& shape, double cell) {
    const Box bounds = shape.bounds();
    if (bounds.empty()) return 0;
    const Lattice lattice{bounds.min - Vec3::Constant(1.3 * cell), 0.5 * cell};
    int extent = 1;
    while (extent < (bounds.max - lattice.origin).maxCoeff() / cell + 1.6) extent *= 2;
    std::vector<Node> cubes;
    collect_cubes(shape, lattice, {0, 0, 0}, extent, cubes);
    return static_cast<double>(cubes.size());
}

FirstSurface first_surface(const Shape& shape, double cell, Threads& threads) {
    FirstSurface out;
    Cut cut = best_cut(shape, cell, threads);
    if (cut.tets.empty())
        throw UserError("no part of the shape is as thick as the triangles asked for, or it is empty", {},
                        "Ask for a shorter edge");
    out.cell = cell;
    out.mesh.points = surface_points(shape, cut, cell, threads);
    out.mesh.triangles = surface_triangles(cut);
    out.sharpest = 1;
    for (const auto& six : cut.tet_crossings)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < i; ++j)
                if (six[i] >= 0 && six[j] >= 0)
                    out.sharpest =
                        std::min(out.sharpest, cut.crossings[six[i]].normal.dot(cut.crossings[six[j]].normal));
    return out;
}

}  // namespace pliant
