#include "pliant/mesh/skin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/mesh/skin_clip.hpp"
#include "pliant/mesh/skin_content.hpp"

namespace pliant {

namespace {

bool same(const Tet& a, const Tet& b) { return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0; }

}  // namespace

Skin::Skin(const TetMesh& rest_mesh, const TriMesh& surface)
    : mesh_(rest_mesh),
      original_(surface),
      original_embedding_(embed(rest_mesh, surface.points)),
      original_volume_(enclosed_volume(surface.points, surface.triangles)),
      surface_(surface),
      embedding_(original_embedding_),
      crack_(surface.triangles.size(), 0) {
    for (const Tri& t : surface.triangles) triangle_tet_.push_back(embedding_.tet[t[0]]);
    neighbour_ = tet_neighbours(mesh_.tets);
    tet_pieces_ = connected_pieces(neighbour_, tet_piece_);
    number_pieces();
    const SurfaceFacts facts = inspect(surface);
    if (!facts.closed() || !facts.oriented()) {
        watertight_ = false;
        remark_ =
            "the surface is not closed, so cracks are closed as far as its inside can be told and it is not watertight";
    }
}

Skin::~Skin() = default;
Skin::Skin(Skin&&) noexcept = default;
Skin& Skin::operator=(Skin&&) noexcept = default;

void Skin::prepare() {
    if (clip_) return;
    clip_ = std::make_unique<SkinClip>(clip_surface(mesh_, original_));
    separated_.assign(clip_->faces.size(), 0);
    cap_.resize(clip_->faces.size());
    filled_.assign(clip_->faces.size(), 0);
    part_.assign(clip_->star.items.size(), 0);
    parts_.assign(clip_->star.count(), 1);
    part_tet_.assign(clip_->star.items.size(), -1);
    links_ = mesh_.tets;
    star_place_.assign(mesh_.tets.size(), -1);
    for (int entity = 0; entity < clip_->star.count(); ++entity) divide_star(entity);
    frame_.reserve(mesh_.tets.size());
    for (const Tet& t : mesh_.tets) {
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = mesh_.rest[t[k + 1]] - mesh_.rest[t[0]];
        frame_.push_back({edges.inverse(), mesh_.rest[t[0]]});
        if (!frame_.back().inverse.allFinite()) frame_.back().inverse.setZero();
    }
    for (int v = 0; v < static_cast<int>(original_.points.size()); ++v) {
        const int tet = clip_->vertex_tet[v];
        if (tet < 0) continue;
        const Vec3 w = frame_[tet].inverse * (original_.points[v] - frame_[tet].origin);
        original_embedding_.tet[v] = tet;
        original_embedding_.weight[v] = {1 - w.sum(), w[0], w[1], w[2]};
    }
    in_pieces_.assign(clip_->triangles.size(), 0);
    edge_divided_.assign(clip_->surface_edge_points.count(), 0);
    if (watertight_ && !clip_->contained)
        remark_ =
            "a part of the surface lies outside the tet mesh and is cut off where the body breaks; use a mesh that "
            "contains it";
}

/// Tets round a face, edge or node hold together where they share intact faces that contain it; parts are numbered in
/// order of their lowest tet.
void Skin::divide_star(int entity) {
    const SkinClip& clip = *clip_;
    const int begin = clip.star.begin[entity], end = clip.star.begin[entity + 1];
    const int first_edge = clip.edge_entity(0), first_node = clip.node_entity(0);
    const auto contains = [&](int tet, int face) {  // does this face of the tet contain the entity?
        if (entity < first_edge) return clip.face_of[tet][face] == entity;
        if (entity < first_node) {
            for (int m = 0; m < 6; ++m)
                if (clip.edge_of[tet][m] == entity - first_edge)
                    return tet_edges[m][0] != face && tet_edges[m][1] != face;
            return false;
        }
        return mesh_.tets[tet][face] != entity - first_node;
    };
    for (int i = begin; i < end; ++i) part_[i] = -1, star_place_[clip.star.items[i]] = i;
    int parts = 0;
    std::vector<int>& stack = polygon_;
    for (int seed = begin; seed < end; ++seed) {
        if (part_[seed] >= 0) continue;
        part_[seed] = parts;
        part_tet_[begin + parts] = clip.star.items[seed];
        stack.assign(1, seed);
        while (!stack.empty()) {
            const int tet = clip.star.items[stack.back()];
            stack.pop_back();
            for (int f = 0; f < 4; ++f) {
                const int other = neighbour_[tet][f];
                if (other < 0 || !contains(tet, f)) continue;
                if (const int j = star_place_[other]; j >= 0 && part_[j] < 0) part_[j] = parts, stack.push_back(j);
            }
        }
        ++parts;
    }
    parts_[entity] = parts;
    for (int i = begin; i < end; ++i) star_place_[clip.star.items[i]] = -1;
}

std::vector<TetContent> Skin::contents() {
    prepare();
    return tet_contents(*clip_, mesh_);
}

bool Skin::update(const std::vector<Tet>& current) {
    CHECK(current.size() == mesh_.tets.size(), current.size(), mesh_.tets.size());
    if (!clip_) {
        if (current == mesh_.tets) return false;
        prepare();
    }
    std::vector<int> changed, touched;
    separate(current, changed, touched);
    if (!touched.empty()) {
        for (int entity : touched) divide_star(entity);
        if (!std::all_of(changed.begin(), changed.end(), [&](int f) { return joined_nearby(f); }))
            tet_pieces_ = connected_pieces(neighbour_, tet_piece_);
        draw();
        ++revision_;
    }
    number_vertices(current);  // even where no faces separated: a hinge may have come apart
    return !touched.empty();
}

/// Tells which faces have come apart or together: `changed`. `touched`: the faces, edges and nodes whose stars are
/// divided anew, ascending.
void Skin::separate(const std::vector<Tet>& current, std::vector<int>& changed, std::vector<int>& touched) {
    const SkinClip& clip = *clip_;
    for (int t = 0; t < static_cast<int>(current.size()); ++t) {
        if (same(current[t], links_[t])) continue;
        links_[t] = current[t];
        for (int f : clip.face_of[t]) {
            const SkinFace& face = clip.faces[f];
            if (face.tet[1] < 0) continue;
            const Tet &a = current[face.tet[0]], &b = current[face.tet[1]];
            bool apart = false;
            for (int k = 0; k < 3; ++k) apart |= a[face.from_first[k]] != b[face.from_second[k]];
            if (apart == static_cast<bool>(separated_[f])) continue;
            separated_[f] = apart;
            for (int s = 0; s < 2; ++s) neighbour_[face.tet[s]][face.local[s]] = apart ? -1 : face.tet[1 - s];
            changed.push_back(f), touched.push_back(f);
            for (int m = 0; m < 6; ++m)
                if (tet_edges[m][0] != face.local[0] && tet_edges[m][1] != face.local[0])
                    touched.push_back(clip.edge_entity(clip.edge_of[face.tet[0]][m]));
            for (int k : face.from_first) touched.push_back(clip.node_entity(mesh_.tets[face.tet[0]][k]));
        }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
}

/// Do the tets on either side of a face still hang together by faces, not far from it? Stars must be divided.
bool Skin::joined_nearby(int f) {
    const SkinFace& face = clip_->faces[f];
    if (!separated_[f]) return false;  // it joins what may have been apart
    for (int k : face.from_first) {
        const int entity = clip_->node_entity(mesh_.tets[face.tet[0]][k]);
        const auto part = [&](int tet) {
            const auto begin = clip_->star.items.begin() + clip_->star.begin[entity],
                       end = clip_->star.items.begin() + clip_->star.begin[entity + 1];
            return part_[std::lower_bound(begin, end, tet) - clip_->star.items.begin()];
        };
        if (part(face.tet[0]) == part(face.tet[1])) return true;
    }
    constexpr std::size_t near = 512;  // tets
    std::vector<int>& queue = polygon_;
    queue.assign(1, face.tet[0]), star_place_[face.tet[0]] = 0;
    bool found = false;
    for (std::size_t i = 0; i < queue.size() && queue.size() < near && !found; ++i)
        for (int t : neighbour_[queue[i]]) {
            found |= t == face.tet[1];
            if (t >= 0 && star_place_[t] < 0) star_place_[t] = 0, queue.push_back(t);
        }
    for (int t : queue) star_place_[t] = -1;
    return found;
}

void Skin::number_vertices(const std::vector<Tet>& current) {
    linked_ = linked_tets(current, tet_piece_);
    vertex_piece_.assign(embedding_.tet.size(), 0);
    for (std::size_t v = 0; !linked_.empty() && v < vertex_piece_.size(); ++v)
        vertex_piece_[v] = linked_[embedding_.tet[v]];
}

int Skin::vertex(int point, int entry) {
    const SkinClip::Point& p = clip_->points[point];
    if (p.entity < 0) return point;
    const int part = part_[entry];
    int& index = slot_vertex_[p.slot + part];
    if (index < 0) {
        const int tet = part_tet_[clip_->star.begin[p.entity] + part];
        const Vec3 w = frame_[tet].inverse * (p.x - frame_[tet].origin);
        index = static_cast<int>(surface_.points.size());
        used_slots_.push_back(p.slot + part);
        surface_.points.push_back(p.x);
        embedding_.tet.push_back(tet);
        embedding_.weight.push_back({1 - w.sum(), w[0], w[1], w[2]});
    }
    return index;
}

void Skin::add(const Tri& triangle, int tet, std::uint8_t crack) {
    surface_.triangles.push_back(triangle);
    triangle_tet_.push_back(tet);
    crack_.push_back(crack);
}

void Skin::draw() {
    SkinClip& clip = *clip_;
    const int faces = static_cast<int>(clip.faces.size());
    // Parts of a surface that stick out of the mesh are gone once it is cut; the mesh's boundary then closes it.
    const bool close_boundary = !clip.contained && clip.closed;
    open_.clear();
    for (int f = 0; f < faces; ++f)
        if (separated_[f] || (close_boundary && clip.faces[f].tet[1] < 0)) open_.push_back(f);
    for (int f : open_)
        if (!filled_[f]) cap_[f] = fill_face(clip, mesh_.rest, mesh_.tets, f), filled_[f] = 1;

    std::copy(clip.leaves_mesh.begin(), clip.leaves_mesh.end(), in_pieces_.begin());
    for (int f : open_)
        for (int i = clip.face_segments.begin[f]; i < clip.face_segments.begin[f + 1]; ++i)
            in_pieces_[clip.face_segments.items[i].triangle] = 1;
    std::fill(edge_divided_.begin(), edge_divided_.end(), 0);
    for (std::size_t t = 0; t < clip.triangles.size(); ++t)
        if (in_pieces_[t])
            for (int e : clip.surface_edge[t]) edge_divided_[e] = 1;

    for (int slot : used_slots_) slot_vertex_[slot] = -1;
    used_slots_.clear();
    slot_vertex_.resize(clip.slots, -1);
    // The points given come first and stay, from the first crack on with the tets that the clipping found.
    if (revision_ == 0) embedding_ = original_embedding_;
    surface_.points.resize(original_.points.size());
    embedding_.tet.resize(original_.points.size()), embedding_.weight.resize(original_.points.size());
    surface_.triangles.clear(), triangle_tet_.clear(), crack_.clear();
    for (int t = 0; t < clip.drawn_triangles; ++t) draw_triangle(t);
    for (int f : open_) draw_face(f);
    number_pieces();
    if (!clip.sound && watertight_) {
        watertight_ = false;
        remark_ =
            "the tet mesh has elements of no volume or overlaps itself, so the surface could not be closed everywhere";
    }
}

void Skin::draw_triangle(int t) {
    const SkinClip& clip = *clip_;
    if (in_pieces_[t]) {
        for (int i = clip.pieces.begin[t]; i < clip.pieces.begin[t + 1]; ++i) {
            const SkinClip::Piece& piece = clip.pieces.items[i];
            polygon_.clear();
            for (int k = 0; k < piece.corners; ++k) {
                const SkinClip::Corner& c = clip.corners[piece.first_corner + k];
                polygon_.push_back(vertex(c.point, c.entry));
            }
            for (int k = 1; k + 1 < piece.corners; ++k) add({polygon_[0], polygon_[k], polygon_[k + 1]}, piece.tet, 0);
        }
        return;
    }
    for (int e : clip.surface_edge[t])
        if (edge_divided_[e] && clip.surface_edge_points.begin[e] < clip.surface_edge_points.begin[e + 1])
            return draw_subdivided(t);
    add(clip.triangles[t], original_embedding_.tet[clip.triangles[t][0]], 0);
}

/// A triangle with vertices on its sides (side_[k] from corner k to k+1): a fan from the corner opposite to the fullest
/// side, whose first and last triangle take the vertices of the other two. No edge joins two vertices of one side.
void Skin::add_divided(const Tri& corner, int tet, std::uint8_t crack) {
    int base = 0;
    for (int k = 1; k < 3; ++k)
        if (side_[k].size() > side_[base].size()) base = k;
    if (side_[base].empty()) return add(corner, tet, crack);
    const int a = corner[base], b = corner[(base + 1) % 3], c = corner[(base + 2) % 3];
    const std::vector<int>& on_base = side_[base];
    for (std::size_t i = 0; i + 1 < on_base.size(); ++i) add({c, on_base[i], on_base[i + 1]}, tet, crack);
    const auto fan = [&](int apex, int from, const std::vector<int>& between, int to) {
        int previous = from;
        for (int v : between) add({apex, previous, v}, tet, crack), previous = v;
        add({apex, previous, to}, tet, crack);
    };
    fan(on_base.front(), c, side_[(base + 2) % 3], a);
    fan(on_base.back(), b, side_[(base + 1) % 3], c);
}

/// A whole triangle next to one in pieces takes over the vertices on their common edge.
void Skin::draw_subdivided(int t) {
    const SkinClip& clip = *clip_;
    for (int k = 0; k < 3; ++k) {
        const int e = clip.surface_edge[t][k];
        side_[k].clear();
        if (edge_divided_[e])
            for (int i = clip.surface_edge_points.begin[e]; i < clip.surface_edge_points.begin[e + 1]; ++i) {
                const int point = clip.surface_edge_points.items[i];
                // Every face this triangle meets is intact: any entry of the star will do.
                side_[k].push_back(vertex(point, clip.star.begin[clip.points[point].entity]));
            }
        if (!clip.forward[t][k]) std::reverse(side_[k].begin(), side_[k].end());
    }
    add_divided(clip.triangles[t], original_embedding_.tet[clip.triangles[t][0]], 0);
}

void Skin::draw_face(int f) {
    const SkinClip& clip = *clip_;
    for (int s = 0; s < 2; ++s) {
        const int tet = clip.faces[f].tet[s];
        if (tet < 0) continue;
        for (const CapTriangle& t : cap_[f]) {
            Tri out;
            for (int k = 0; k < 3; ++k) {
                // Seen from the second tet the triangle turns the other way: corners 2, 1, 0 and edges 1, 0, 2.
                const int corner = s == 0 ? k : 2 - k, edge = s == 0 ? k : (4 - k) % 3, middle = t.middle[edge];
                out[k] = vertex(t.point[corner], t.entry[s][corner]);
                side_[k].clear();
                if (middle >= 0 && parts_[clip.points[middle].entity] > 1)
                    side_[k].push_back(vertex(middle, t.middle_entry[s][edge]));
            }
            add_divided(out, tet, 1);
        }
    }
}

void Skin::number_pieces() {
    std::vector<int> number(tet_pieces_, -1);
    for (int tet : triangle_tet_) number[tet_piece_[tet]] = 0;
    piece_count_ = 0;
    for (int& n : number)
        if (n == 0) n = piece_count_++;
    piece_.resize(triangle_tet_.size());
    for (std::size_t i = 0; i < piece_.size(); ++i) piece_[i] = number[tet_piece_[triangle_tet_[i]]];
}

double Skin::volume_error() const {
    const double volume = enclosed_volume(surface_.points, surface_.triangles);
    return original_volume_ == 0 ? std::abs(volume) : std::abs(volume - original_volume_) / std::abs(original_volume_);
}

}  // namespace pliant
