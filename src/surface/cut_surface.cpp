#include "pliant/surface/cut_surface.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

namespace {

using Site = CutSurface::Site;

struct SiteHash {
    std::size_t operator()(const Site& site) const {
        std::uint64_t h = 0xcbf29ce484222325u;
        const auto mix = [&](std::uint64_t v) { h = (h ^ v) * 0x100000001b3u, h ^= h >> 29; };
        for (int n : site.node) mix(static_cast<std::uint32_t>(n));
        for (Int128 c : site.at) mix(static_cast<std::uint64_t>(c)), mix(static_cast<std::uint64_t>(c >> 64));
        return static_cast<std::size_t>(h);
    }
};

Site site_of(const Tet& tet, const CutPoint& point) {
    Site site;
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (point[k] == 0) continue;
        int i = count++;
        for (; i > 0 && site.node[i - 1] > tet[k]; --i) site.node[i] = site.node[i - 1], site.at[i] = site.at[i - 1];
        site.node[i] = tet[k], site.at[i] = point[k];
    }
    return site;
}

/// The place in a tet that has its nodes.
CutPoint point_in(const Tet& tet, const Site& site) {
    CutPoint point{};
    for (int i = 0; i < 4 && site.node[i] >= 0; ++i)
        point[std::find(tet.begin(), tet.end(), site.node[i]) - tet.begin()] = site.at[i];
    return point;
}

/// The nodes that the inner points of a segment hang on, ascending.
Tet support_of(const Site& a, const Site& b) {
    Tet out{-1, -1, -1, -1};
    const auto end = [](const Site& s) { return std::find(s.node.begin(), s.node.end(), -1); };
    std::set_union(a.node.begin(), end(a), b.node.begin(), end(b), out.begin());
    return out;
}

struct Polygon {
    int tet = 0;
    bool crack = false;
    CutPlane plane{};
    std::vector<int> corner;      // vertices
    std::vector<CutPlane> along;  // per edge from corner i to i + 1
};

/// Compares a/b with c/d, none negative, by their continued fractions: nothing is larger than what is given.
int compare_ratios(Int128 a, Int128 b, Int128 c, Int128 d) {
    for (int sign = 1;; sign = -sign) {
        const Int128 whole = a / b, other = c / d;
        if (whole != other) return whole < other ? -sign : sign;
        a -= whole * b, c -= other * d;
        if (a == 0 || c == 0) return a == c ? 0 : a == 0 ? -sign : sign;
        std::swap(a, b), std::swap(c, d);
    }
}

/// Order along a line, by the first barycentric coordinate that changes along it: the same for all who ask.
struct AlongLine {
    bool operator()(const Site& a, const Site& b) const {
        const auto at = [](const Site& s, int node) {
            for (int i = 0; i < 4; ++i)
                if (s.node[i] == node) return s.at[i];
            return Int128{0};
        };
        const auto sum = [](const Site& s) { return s.at[0] + s.at[1] + s.at[2] + s.at[3]; };
        for (int node : support_of(a, b)) {
            if (node < 0) break;
            if (const int order = compare_ratios(at(a, node), sum(a), at(b, node), sum(b))) return order < 0;
        }
        return false;
    }
};

/// What is left of a convex polygon after others of its plane are taken off, in convex parts.
std::vector<FacetOutline> difference(const CutPlane& plane, FacetOutline from, std::span<const FacetOutline> off) {
    std::vector<FacetOutline> left{std::move(from)};
    for (const FacetOutline& other : off) {
        std::vector<FacetOutline> next;
        for (FacetOutline& part : left) {
            if (!overlap(plane, part, other)) {
                next.push_back(std::move(part));
                continue;
            }
            for (const CutPlane& edge : other.along) {
                FacetOutline beyond = part;
                if (clip(beyond, plane, edge, -inner_side(other, edge))) next.push_back(std::move(beyond));
                clip(part, plane, edge, inner_side(other, edge));
            }
        }
        left = std::move(next);
    }
    return left;
}

/// Collects the polygons of a cut body and makes triangles of them.
class Drawing {
public:
    Drawing(const TetMesh& mesh, std::span<const CutSurface::Content> content) : mesh_(mesh), content_(content) {
        for (int t = 0; t < mesh.tet_count(); ++t) {
            if (!content[t]) continue;
            for (const CutCell& cell : content[t]->cells)
                for (const CutFacet& facet : cell.facets)
                    if (facet.cut && facet.plane < 4) cut_faces_[face_key(t, facet.plane)].push_back({t, &facet});
        }
    }

    void add_whole_face(int t, int f) {
        Polygon polygon{.tet = t, .crack = false, .plane = unit(f), .corner = {}, .along = {}};
        for (int i = 0; i < 3; ++i) {
            CutPoint node{};
            node[tet_faces[f][i]] = 1;
            polygon.corner.push_back(vertex(t, node));
            polygon.along.push_back(unit(tet_faces[f][(i + 2) % 3]));
        }
        polygons_.push_back(std::move(polygon));
    }

    void add_element(int t, unsigned outer) {
        const CutElement& element = *content_[t];
        for (const CutCell& cell : element.cells)
            for (const CutFacet& facet : cell.facets) {
                const bool outside = facet.plane < 4 && (outer >> facet.plane & 1u);
                if (outside)
                    add_polygon(t, facet.plane, false, outline_of(element, facet));
                else if (facet.cut)
                    add_cut(t, cell, facet);
            }
    }

    TriMesh surface;
    Embedding embedding;
    std::vector<Site> site;
    std::vector<std::uint8_t> crack;
    std::vector<int> tet;  // per triangle

    void make_triangles() {
        std::map<Tet, std::vector<int>> on;  // by what they hang on: places within edges, faces and tets
        for (std::size_t v = 0; v < site.size(); ++v)
            if (site[v].node[1] >= 0) on[site[v].node].push_back(static_cast<int>(v));
        std::vector<int> ring;
        std::vector<char> corner;  // per vertex of the ring: a corner of the polygon, no point of an edge of it
        for (const Polygon& polygon : polygons_) {
            ring.clear(), corner.clear();
            const std::size_t count = polygon.corner.size();
            for (std::size_t i = 0; i < count; ++i) {
                const int a = polygon.corner[i], b = polygon.corner[(i + 1) % count];
                ring.push_back(a), corner.push_back(1);
                const auto sites = on.find(support_of(site[a], site[b]));
                if (sites == on.end()) continue;
                const std::size_t first = ring.size();
                const bool forward = AlongLine{}(site[a], site[b]);
                const Site& low = site[forward ? a : b];
                const Site& high = site[forward ? b : a];
                for (int v : sites->second) {
                    if (v == a || v == b) continue;
                    const CutPoint p = point_in(mesh_.tets[polygon.tet], site[v]);
                    if (side_of(polygon.plane, p) != 0 || side_of(polygon.along[i], p) != 0) continue;
                    if (AlongLine{}(low, site[v]) && AlongLine{}(site[v], high)) ring.push_back(v), corner.push_back(0);
                }
                std::sort(ring.begin() + first, ring.end(), [&](int p, int q) {
                    return forward ? AlongLine{}(site[p], site[q]) : AlongLine{}(site[q], site[p]);
                });
            }
            fill(polygon, ring, corner);
        }
    }

private:
    struct CutFace {
        int tet;
        const CutFacet* facet;
    };

    static CutPlane unit(int k) {
        CutPlane plane{};
        plane[k] = 1;
        return plane;
    }
    Tri face_key(int t, int f) const {
        Tri key;
        for (int i = 0; i < 3; ++i) key[i] = mesh_.tets[t][tet_faces[f][i]];
        std::sort(key.begin(), key.end());
        return key;
    }

    int add_vertex(int t, const Site& at, const Vec4& weight) {
        site.push_back(at);
        Vec3 place = Vec3::Zero();
        for (int k = 0; k < 4; ++k) place += weight[k] * mesh_.rest[mesh_.tets[t][k]];
        surface.points.push_back(place);
        embedding.tet.push_back(t), embedding.weight.push_back(weight);
        return static_cast<int>(site.size()) - 1;
    }
    int vertex(int t, const CutPoint& point) {
        const Site at = site_of(mesh_.tets[t], point);
        const auto [found, is_new] = number_.try_emplace(at, static_cast<int>(site.size()));
        if (is_new) add_vertex(t, at, weights_of(point));
        return found->second;
    }

    void add_polygon(int t, int plane, bool is_crack, const FacetOutline& outline) {
        Polygon polygon{.tet = t, .crack = is_crack, .plane = plane_of(*content_[t], plane), .corner = {}, .along = {}};
        for (const CutPoint& p : outline.corner) polygon.corner.push_back(vertex(t, p));
        polygon.along = outline.along;
        polygons_.push_back(std::move(polygon));
    }

    /// Both sides of a cut hang on the same nodes where they are in one tet, or in two that share a face: these cannot
    /// part, and nothing is drawn.
    void add_cut(int t, const CutCell& cell, const CutFacet& facet) {
        const CutElement& element = *content_[t];
        std::vector<FacetOutline> inseparable;
        for (const CutCell& other : element.cells)
            for (const CutFacet& beyond : other.facets)
                if (&other != &cell && beyond.plane == facet.plane && facet.plane >= 4)
                    inseparable.push_back(outline_of(element, beyond));
        if (facet.plane < 4)
            for (const CutFace& beyond : cut_faces_.at(face_key(t, facet.plane))) {
                const Tet& its = mesh_.tets[beyond.tet];
                const int apex = its[beyond.facet->plane];
                if (mesh_.rest[apex] == mesh_.rest[mesh_.tets[t][facet.plane]]) continue;  // a copy of the same tet
                std::array<int, 4> place;
                for (int k = 0; k < 4; ++k) {
                    const auto at = std::find(mesh_.tets[t].begin(), mesh_.tets[t].end(), its[k]);
                    place[k] = k == beyond.facet->plane ? -1 : static_cast<int>(at - mesh_.tets[t].begin());
                }
                inseparable.push_back(outline_of(*content_[beyond.tet], *beyond.facet, place, facet.plane));
            }
        for (const FacetOutline& part :
             difference(plane_of(element, facet.plane), outline_of(element, facet), inseparable))
            add_polygon(t, facet.plane, true, part);
    }

    void add_triangle(const Polygon& polygon, int a, int b, int c) {
        surface.triangles.push_back({a, b, c});
        crack.push_back(polygon.crack), tet.push_back(polygon.tet);
    }

    /// A fan from a corner whose edges have no points of others within them, or else from a vertex in the middle: no
    /// triangle is flat.
    void fill(const Polygon& polygon, const std::vector<int>& ring, const std::vector<char>& corner) {
        const std::size_t count = ring.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (!corner[i] || !corner[(i + 1) % count] || !corner[(i + count - 1) % count]) continue;
            for (std::size_t k = 1; k + 1 < count; ++k)
                add_triangle(polygon, ring[i], ring[(i + k) % count], ring[(i + k + 1) % count]);
            return;
        }
        Vec4 middle = Vec4::Zero();
        for (int v : polygon.corner)
            middle +=
                weights_of(point_in(mesh_.tets[polygon.tet], site[v])) / static_cast<double>(polygon.corner.size());
        const int centre = add_vertex(polygon.tet, {}, middle);
        for (std::size_t i = 0; i < count; ++i) add_triangle(polygon, centre, ring[i], ring[(i + 1) % count]);
    }

    const TetMesh& mesh_;
    std::span<const CutSurface::Content> content_;
    std::vector<Polygon> polygons_;
    std::unordered_map<Site, int, SiteHash> number_;
    std::map<Tri, std::vector<CutFace>> cut_faces_;
};

}  // namespace

CutSurface::CutSurface(const TetMesh& mesh)
    : outer_(mesh.tets.size()), parent_(mesh.tets.size()), content_(mesh.tets.size()) {
    const auto neighbours = tet_neighbours(mesh.tets);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (int f = 0; f < 4; ++f) outer_[t] |= static_cast<std::uint8_t>((neighbours[t][f] < 0 ? 1 : 0) << f);
    std::iota(parent_.begin(), parent_.end(), 0);
    draw(mesh);
}

void CutSurface::set_contents(const std::vector<std::pair<int, Content>>& changed, std::vector<Content> added) {
    for (const auto& [tet, content] : changed) content_[tet] = content;
    added_ = std::move(added);
}

void CutSurface::draw(const TetMesh& mesh) {
    Drawing drawing(mesh, content_);
    for (int t = 0; t < mesh.tet_count(); ++t) {
        const unsigned outer = outer_[parent_[t]];
        if (content_[t]) {
            drawing.add_element(t, outer);
            continue;
        }
        for (int f = 0; f < 4; ++f)
            if (outer >> f & 1u) drawing.add_whole_face(t, f);
    }
    drawing.make_triangles();
    surface_ = std::move(drawing.surface);
    embedding_ = std::move(drawing.embedding);
    site_ = std::move(drawing.site);
    crack_ = std::move(drawing.crack);
    const std::vector<int> linked = linked_tets(mesh.tets);
    const auto piece_of = [&](int tet) { return linked.empty() ? 0 : linked[tet]; };
    piece_count_ = linked.empty() ? 1 : 1 + *std::max_element(linked.begin(), linked.end());
    piece_.clear(), vertex_piece_.clear();
    for (int t : drawing.tet) piece_.push_back(piece_of(t));
    for (int t : embedding_.tet) vertex_piece_.push_back(piece_of(t));
}

bool CutSurface::follow(const TetMesh& mesh, const MeshEdit& edit, Threads&) {
    if (edit.empty()) return false;
    follow_tets(parent_, edit);
    follow_tets(content_, edit);
    CHECK(added_.empty() || added_.size() == edit.new_tets.size(), added_.size(), edit.new_tets.size());
    std::move(added_.begin(), added_.end(), content_.end() - static_cast<std::ptrdiff_t>(added_.size()));
    added_.clear();

    const std::vector<Site> before = std::move(site_);
    draw(mesh);
    ++revision_;
    const std::size_t nodes_before = mesh.rest.size() - edit.new_nodes.size() + edit.removed_nodes.size();
    const std::vector<int> number = numbers_after_removal(nodes_before, edit.removed_nodes);
    std::unordered_map<Site, int, SiteHash> vertex;
    for (std::size_t v = 0; v < site_.size(); ++v) vertex.try_emplace(site_[v], static_cast<int>(v));
    vertices_after_.clear();
    for (Site site : before) {
        bool there = site.node[0] >= 0;
        for (int i = 0; i < 4 && site.node[i] >= 0; ++i) {
            site.node[i] = number[site.node[i]];
            there = there && site.node[i] >= 0;
        }
        const auto now = there ? vertex.find(site) : vertex.end();
        vertices_after_.push_back(now == vertex.end() ? -1 : now->second);
    }
    return true;
}

void CutSurface::save(ByteWriter& out) const {
    out.vector(parent_);
    std::vector<int> cut;
    for (std::size_t t = 0; t < content_.size(); ++t)
        if (content_[t]) cut.push_back(static_cast<int>(t));
    out.vector(cut);
    for (int t : cut) pliant::save(out, *content_[t]);
}

bool CutSurface::load(ByteReader& in, const TetMesh& mesh, std::span<const int>, Threads&) {
    auto parent = in.vector<int>();
    const int parents = static_cast<int>(outer_.size());
    if (parent.size() != mesh.tets.size() ||
        std::any_of(parent.begin(), parent.end(), [&](int p) { return p < 0 || p >= parents; }))
        return false;
    std::vector<Content> content(parent.size());
    for (int t : in.vector<int>()) {
        CutElement element;
        if (t < 0 || t >= mesh.tet_count() || !pliant::load(in, element)) return false;
        content[t] = std::make_shared<const CutElement>(std::move(element));
    }
    parent_ = std::move(parent), content_ = std::move(content);
    draw(mesh);
    ++revision_;
    return true;
}

void CutSurface::hash(Hash& hash) const {
    ByteWriter bytes;
    save(bytes);
    hash.text(bytes.bytes());
}

}  // namespace pliant
