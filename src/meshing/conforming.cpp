#include "pliant/meshing/conforming.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/meshing/lattice_surface.hpp"

namespace pliant {

namespace {

// How near a crossing may come to a node before the node is warped onto it, as a fraction of the edge: the values for
// which Labelle & Shewchuk prove dihedral angles between 10.7° and 164.8°.
constexpr double near_on_long = 0.24999, near_on_short = 0.41189;

struct Edge {
    int a, b;        // nodes, a < b
    double at = -1;  // crossing, as a fraction from a to b; negative: none
    int point = -1;  // node of the result made there
};

class Stuffing {
public:
    /// Lengths in the units of the winding number's surface.
    Stuffing(TetMesh& mesh, double cell, const WindingNumber& winding, Threads& threads)
        : mesh_(mesh), cell_(cell), winding_(winding) {
        sides(threads);
        find_edges();
        cross(threads);
        warp();
    }
    TetMesh cut();

private:
    bool inside(const Vec3& p) const { return winding_(p) > 0.5; }
    void sides(Threads& threads) {
        side_.resize(mesh_.rest.size());
        parallel_for(threads, side_.size(), 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) side_[i] = inside(mesh_.rest[i]) ? 1 : -1;
        });
    }
    void find_edges();
    void cross(Threads& threads);
    void warp();
    int edge_of(int a, int b) const;
    int crossing(int a, int b);
    void fill(const Tet& tet);
    void add(int a, int b, int c, int d);

    TetMesh& mesh_;
    double cell_;
    const WindingNumber& winding_;
    std::vector<signed char> side_;  // per node: 1 inside, -1 outside, 0 on the surface
    std::vector<Edge> edges_;        // by (a, b)
    std::vector<int> first_;         // per node, its first edge as a
    std::vector<Tet> out_;
};

void Stuffing::find_edges() {
    for (const Tet& t : mesh_.tets)
        for (const auto& [i, j] : tet_edges) edges_.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
    auto key = [](const Edge& e) { return std::pair(e.a, e.b); };
    std::ranges::sort(edges_, {}, key);
    auto same = [&](const Edge& e, const Edge& f) { return key(e) == key(f); };
    edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
    first_.assign(mesh_.rest.size() + 1, 0);
    for (const Edge& e : edges_) ++first_[e.a + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

int Stuffing::edge_of(int a, int b) const {
    if (a > b) std::swap(a, b);
    int e = first_[a];
    while (edges_[e].b != b) ++e;
    return e;
}

/// Where the inside ends on each edge that has one end inside: halved thirty times, to 1e-9 of the edge.
void Stuffing::cross(Threads& threads) {
    parallel_for(threads, edges_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Edge& e = edges_[i];
            if (side_[e.a] == side_[e.b]) continue;
            double in = side_[e.a] > 0 ? 0 : 1, out = 1 - in;
            const Vec3 a = mesh_.rest[e.a], along = mesh_.rest[e.b] - a;
            for (int round = 0; round < 30; ++round) {
                const double middle = 0.5 * (in + out);
                (inside(a + middle * along) ? in : out) = middle;
            }
            e.at = 0.5 * (in + out);
        }
    });
}

/// A node with a crossing close by moves onto the closest; its edges are no longer crossed. In the order of the nodes.
void Stuffing::warp() {
    std::vector<std::vector<int>> around(mesh_.rest.size());
    for (std::size_t i = 0; i < edges_.size(); ++i)
        if (edges_[i].at >= 0)
            around[edges_[i].a].push_back(static_cast<int>(i)), around[edges_[i].b].push_back(static_cast<int>(i));
    // Lengths tell the two kinds of edges apart: cell and √3/2 cell.
    const std::vector<Vec3> rest = mesh_.rest;
    for (std::size_t n = 0; n < rest.size(); ++n) {
        double closest = 0;
        Vec3 to = rest[n];
        bool found = false;
        for (int i : around[n]) {
            const Edge& e = edges_[i];
            if (e.at < 0) continue;
            const Vec3 along = rest[e.b] - rest[e.a];
            const double length = along.norm(), part = e.a == static_cast<int>(n) ? e.at : 1 - e.at;
            if (part > (length > 0.93 * cell_ ? near_on_long : near_on_short)) continue;
            if (!found || part * length < closest) found = true, closest = part * length, to = rest[e.a] + e.at * along;
        }
        if (!found) continue;
        mesh_.rest[n] = to;
        side_[n] = 0;
        for (int i : around[n]) edges_[i].at = -1;
    }
}

int Stuffing::crossing(int a, int b) {
    Edge& e = edges_[edge_of(a, b)];
    if (e.point < 0) {
        e.point = static_cast<int>(mesh_.rest.size());
        // The ends of a crossed edge were not warped, so it still is the edge that was halved.
        const Vec3 p = mesh_.rest[e.a] + e.at * (mesh_.rest[e.b] - mesh_.rest[e.a]);
        mesh_.rest.push_back(p);
    }
    return e.point;
}

void Stuffing::add(int a, int b, int c, int d) {
    Tet tet{a, b, c, d};
    if (signed_volume(mesh_.rest, tet) < 0) std::swap(tet[2], tet[3]);
    out_.push_back(tet);
}

/// What is left of one tet. Sides of four corners that neighbours share are cut from the inside node with the lower
/// number, so that both cut alike; an order of numbers has no cycle, so the prism can always be cut.
void Stuffing::fill(const Tet& tet) {
    std::array<int, 4> in{}, out{}, on{};
    int ins = 0, outs = 0, ons = 0;
    for (int n : tet) (side_[n] > 0 ? in[ins++] : side_[n] < 0 ? out[outs++] : on[ons++]) = n;
    if (ins == 0) return;
    for (int i = 1; i < ins; ++i)
        for (int j = i; j > 0 && in[j] < in[j - 1]; --j) std::swap(in[j], in[j - 1]);
    if (outs == 0) return add(tet[0], tet[1], tet[2], tet[3]);
    if (ins == 1) {
        std::array<int, 3> far{};
        for (int i = 0; i < outs; ++i) far[i] = crossing(in[0], out[i]);
        for (int i = 0; i < ons; ++i) far[outs + i] = on[i];
        return add(in[0], far[0], far[1], far[2]);
    }
    const int a = in[0], b = in[1];
    if (ins == 3) {
        const int c = in[2], ad = crossing(a, out[0]), bd = crossing(b, out[0]), cd = crossing(c, out[0]);
        add(a, b, c, cd), add(a, b, cd, bd), add(a, bd, cd, ad);
        return;
    }
    if (outs == 1) {  // and one on the surface
        const int ac = crossing(a, out[0]), bc = crossing(b, out[0]);
        add(a, b, bc, on[0]), add(a, bc, ac, on[0]);
        return;
    }
    const int ac = crossing(a, out[0]), ad = crossing(a, out[1]), bc = crossing(b, out[0]), bd = crossing(b, out[1]);
    add(a, b, bc, bd);
    // The fourth side lies on the surface and is nobody else's: along its shorter diagonal.
    const std::vector<Vec3>& x = mesh_.rest;
    if ((x[ac] - x[bd]).squaredNorm() <= (x[ad] - x[bc]).squaredNorm())
        add(a, ac, bc, bd), add(a, ac, bd, ad);
    else
        add(a, ac, bc, ad), add(a, ad, bc, bd);
}

TetMesh Stuffing::cut() {
    const std::vector<Tet> tets = std::move(mesh_.tets);
    for (const Tet& t : tets) fill(t);
    // Only what is used, in the order of use.
    TetMesh result;
    std::vector<int> index(mesh_.rest.size(), -1);
    for (Tet& t : out_) {
        for (int& n : t) {
            if (index[n] < 0) index[n] = result.node_count(), result.rest.push_back(mesh_.rest[n]);
            n = index[n];
        }
        if (signed_volume(result.rest, t) > 0) result.tets.push_back(t);
    }
    return result;
}

}  // namespace

LatticeResult conforming(const TriMesh& surface, const LatticeOptions& options, Threads& threads) {
    const double start = seconds_now();
    LatticeResult result = lattice(surface, options, threads);
    // The surface as the lattice saw it: holes closed, parts that were inside out turned, in units of its own.
    LatticeSurface seen = prepare_surface(surface, threads);
    seen.triangles.insert(seen.triangles.end(), seen.caps.begin(), seen.caps.end());
    const WindingNumber winding(seen.points, seen.triangles);
    for (Vec3& p : result.mesh.rest) p = p / seen.unit - seen.center;
    TetMesh mesh = Stuffing(result.mesh, result.cell / seen.unit, winding, threads).cut();
    if (mesh.tets.empty())
        throw UserError("no node of a lattice with a cell of " + std::to_string(result.cell) + " m lies inside", {},
                        "Choose a smaller cell, or close the surface");
    result.fill = std::abs(seen.volume) / total_volume(mesh.rest, mesh.tets);
    for (Vec3& p : mesh.rest) p = (p + seen.center) * seen.unit;
    result.mesh = std::move(mesh);
    result.seconds = seconds_now() - start;
    return result;
}

}  // namespace pliant
