#include "pliant/surface/skin.hpp"

#include <cmath>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/core/prefetch.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/surface/skin_content.hpp"
#include "pliant/surface/skin_state.hpp"

namespace pliant {

namespace {

bool same(const Tet& a, const Tet& b) { return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0; }

}  // namespace

SkinState::SkinState(const TetMesh& rest_mesh, const TriMesh& surface, const SurfaceFacts& surface_facts,
                     Embedding embedding)
    : mesh(rest_mesh),
      original(surface),
      original_embedding(std::move(embedding)),
      facts(surface_facts),
      given(static_cast<int>(surface.points.size())) {
    drawn.surface = surface, drawn.embedding = original_embedding;
    drawn.crack.assign(surface.triangles.size(), 0);
    drawn.tet.reserve(surface.triangles.size());
    for (const Tri& t : surface.triangles) drawn.tet.push_back(original_embedding.tet[t[0]]);
    neighbour = tet_neighbours(mesh.tets);
    pieces.find(neighbour);
    if (!facts.closed() || !facts.oriented()) {
        watertight = false;
        remark =
            "the surface is not closed, so cracks are closed as far as its inside can be told and it is not watertight";
    }
}

void SkinState::prepare(Threads& threads) {
    if (clip) return;
    const bool slit = !clip_nodes.empty();
    clip = std::make_unique<SkinClip>(clip_surface(mesh, original, neighbour, threads, slit ? &clip_nodes : nullptr));
    const int faces = static_cast<int>(clip->faces.size());
    close_boundary = !clip->contained && (clip->closed || slit);
    separated.assign(faces, 0);
    cap.resize(faces);
    filled.assign(faces, 0);
    part.assign(clip->star.items.size(), 0);
    parts.assign(clip->star.count(), 1);
    part_tet.assign(clip->star.items.size(), -1);
    links = mesh.tets;
    parallel_for(threads, clip->star.count(), 4096, [&](std::size_t first, std::size_t last) {
        UnionFind joined;
        for (std::size_t entity = first; entity < last; ++entity) divide_star(static_cast<int>(entity), joined);
    });
    frame.resize(mesh.tets.size());
    parallel_for(threads, frame.size(), 2048, [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            const Tet& t = mesh.tets[n];
            Mat3 edges;
            for (int k = 0; k < 3; ++k) edges.col(k) = mesh.rest[t[k + 1]] - mesh.rest[t[0]];
            frame[n] = {edges.inverse(), mesh.rest[t[0]]};
            if (!frame[n].inverse.allFinite()) frame[n].inverse.setZero();
        }
    });
    parallel_for(threads, given, 2048, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
            const int tet = clip->vertex_tet[v];
            if (tet < 0) continue;
            const Vec3 w = frame[tet].inverse * (original.points[v] - frame[tet].origin);
            original_embedding.tet[v] = tet;
            original_embedding.weight[v] = {1 - w.sum(), w[0], w[1], w[2]};
        }
    });
    start_drawing();
    touched.resize(clip->star.count());
    found_pieces = true;  // a body may be in several before anything breaks
    link_pieces(mesh.tets);
    if (slit) {
        draw_slits(threads);
    } else if (watertight && !clip->contained) {
        remark =
            "a part of the surface lies outside the tet mesh and is cut off where the body breaks; use a mesh that "
            "contains it";
    }
}

/// Tets round a face, edge or node hold together where they share intact faces that contain it; parts are numbered in
/// order of their lowest tet.
bool SkinState::divide_star(int entity, UnionFind& joined) {
    const int from = clip->star.begin[entity], end = clip->star.begin[entity + 1];
    const int* items = clip->star.items.data();
    if (entity < clip->edge_entity(0)) {
        const int is = 1 + (separated[entity] != 0), was = parts[entity];
        parts[entity] = is;
        part_tet[from] = items[from];
        if (end - from > 1)
            part[from + 1] = static_cast<std::uint16_t>(is - 1), part_tet[from + 1] = is > 1 ? items[from + 1] : -1;
        return is != was;
    }
    // Entries are joined with lower ones of their parts; `joined` counts from the first.
    const int size = end - from;
    joined.reset(size);
    for (int k = clip->star_faces.begin[entity]; k < clip->star_faces.begin[entity + 1]; ++k) {
        const auto& [face, first, second] = clip->star_faces.items[k];
        if (!separated[face]) joined.join(first, second);
    }
    int count = 0;
    bool same_as_before = true;
    for (int i = 0; i < size; ++i) {
        const int root = joined.find(i);
        const auto is = static_cast<std::uint16_t>(root == i ? count : part[from + root]);
        if (root == i) part_tet[from + count++] = items[from + i];
        same_as_before &= part[from + i] == is;
        part[from + i] = is;
    }
    parts[entity] = count;
    return !same_as_before;
}

bool SkinState::update(const std::vector<Tet>& current, std::span<const int> relinked, Threads& threads) {
    CHECK(current.size() == mesh.tets.size(), current.size(), mesh.tets.size());
    if (!clip) prepare(threads);
    separate(current, relinked, threads);
    found_pieces = false;
    if (changed.empty()) {
        link_pieces(current);  // a hinge may have come apart
        return false;
    }
    divide_stars(threads);
    find_dirty();
    draw_dirty(threads, [&] { part_pieces(), link_pieces(current); });
    place(threads);
    pieces_numbered = false;
    ++revision;
    return true;
}

void SkinState::draw_slits(Threads& threads) {
    changed.clear();
    find_dirty();
    draw_dirty(threads, [] {});
    place(threads);
    pieces_numbered = false;
    ++revision;
}

void SkinState::separate(const std::vector<Tet>& current, std::span<const int> tets, Threads& threads) {
    constexpr std::size_t at_once = 256;
    found_links.resize((tets.size() + at_once - 1) / at_once);
    parallel_for(threads, tets.size(), at_once, [&](std::size_t first, std::size_t last) {
        Links& found = found_links[first / at_once];
        found.tets.clear(), found.split.clear(), found.faces.clear();
        prefetch_faces(current, tets.subspan(first, last - first));
        for (std::size_t i = first; i < last; ++i) {
            const int t = tets[i];
            if (same(current[t], links[t])) continue;
            found.tets.push_back(t);
            for (int k = 0; k < 4; ++k)
                if (current[t][k] != links[t][k]) found.split.push_back(mesh.tets[t][k]);
            for (int f : clip->face_of[t]) {
                const SkinFace& face = clip->faces[f];
                if (face.tet[1] < 0) continue;
                const Tet &a = current[face.tet[0]], &b = current[face.tet[1]];
                bool apart = false;
                for (int k = 0; k < 3; ++k) apart |= a[face.from_first[k]] != b[face.from_second[k]];
                if (apart != static_cast<bool>(separated[f])) found.faces.push_back({f, clip->entities_of(mesh, f)});
            }
        }
    });
    changed.clear(), split.clear(), touched.clear();
    for (const Links& found : found_links) {
        for (int t : found.tets) links[t] = current[t];
        split.insert(split.end(), found.split.begin(), found.split.end());
        for (const auto& [f, entities] : found.faces) {
            if (touched.contains(f)) continue;
            separated[f] = !separated[f];
            const SkinFace& face = clip->faces[f];
            for (int s = 0; s < 2; ++s) neighbour[face.tet[s]][face.local[s]] = separated[f] ? -1 : face.tet[1 - s];
            changed.push_back(f), touched.insert(f);
            for (int entity : entities) {
                touched.insert(entity);
                prefetch(clip->star_faces.begin[entity]), prefetch(clip->star.begin[entity]);  // for divide_stars()
            }
        }
    }
}

void SkinState::divide_stars(Threads& threads) {
    const int first_edge = clip->edge_entity(0), first_node = clip->node_entity(0);
    stars.clear();
    touched.for_each([&](int entity) { stars.push_back(entity); });
    constexpr std::size_t at_once = 128;
    marks.resize((stars.size() + at_once - 1) / at_once);
    parallel_for(threads, stars.size(), at_once, [&](std::size_t first, std::size_t last) {
        Marks& mark = marks[first / at_once];
        mark.triangles.clear(), mark.faces.clear();
        prefetch_stars(std::span(stars).subspan(first, last - first));
        for (std::size_t k = first; k < last; ++k) {
            const int entity = stars[k];
            if (!divide_star(entity, mark.joined)) continue;
            if (entity < first_edge) continue;  // what lies in faces that come apart is dirty anyway
            if (const int edge = entity - first_edge; entity < first_node)
                mark.triangles.insert(mark.triangles.end(), clip->pierced.items.begin() + clip->pierced.begin[edge],
                                      clip->pierced.items.begin() + clip->pierced.begin[edge + 1]);
            for (int i = clip->star_faces.begin[entity]; i < clip->star_faces.begin[entity + 1]; ++i)
                if (const int face = clip->star_faces.items[i].face; is_open(face)) mark.faces.push_back(face);
        }
    });
    for (const Marks& mark : marks) {
        for (int t : mark.triangles) dirty.insert(t);
        for (int f : mark.faces) dirty_face.insert(f);
    }
}

int SkinState::part_of(int entity, int tet) const {
    if (parts[entity] == 1) return 0;
    const auto first = clip->star.items.begin();
    const auto from = first + clip->star.begin[entity], to = first + clip->star.begin[entity + 1];
    return part[std::lower_bound(from, to, tet) - first];
}

/// Do the tets on either side of a face still hang together by faces round one of its nodes? Stars must be divided.
bool SkinState::joined_at_node(int f) const {
    const SkinFace& face = clip->faces[f];
    for (int k = 0; k < 3; ++k) {
        const int from = clip->star.begin[clip->node_entity(mesh.tets[face.tet[0]][face.from_first[k]])];
        if (part[from + face.place[3 + k][0]] == part[from + face.place[3 + k][1]]) return true;
    }
    return false;
}

void SkinState::part_pieces() {
    parted.clear();
    for (int f : changed) {
        if (!separated[f]) {  // it joins what may have been apart
            pieces.find(neighbour);
            found_pieces = true;
            return;
        }
        if (!joined_at_node(f)) parted.push_back(clip->faces[f].tet);
    }
    pieces.part(neighbour, parted);
    found_pieces = !parted.empty();
}

void SkinState::number_pieces() {
    if (pieces_numbered) return;
    pieces_numbered = true;
    const std::span<const int> of = pieces.of(), place_of = pieces.place();
    piece_number.assign(pieces.count(), -1);  // those that carry no surface are passed over
    piece.resize(drawn.tet.size());
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = place_of[of[drawn.tet[i]]], piece_number[piece[i]] = 0;
    piece_count = 0;
    for (int& n : piece_number)
        if (n == 0) n = piece_count++;
    for (int& p : piece) p = piece_number[p];
}

void SkinState::number_vertices() {
    if (vertices_numbered) return;
    vertices_numbered = true;
    vertex_piece.resize(drawn.embedding.size());
    for (std::size_t v = 0; v < vertex_piece.size(); ++v)
        vertex_piece[v] = linked.empty() ? 0 : linked[drawn.embedding.tet[v]];
}

void SkinState::link_pieces(const std::vector<Tet>& current) {
    const auto look = [&](int node) { hinges.look(*clip, mesh.tets, current, pieces.of(), node); };
    if (found_pieces && pieces.found_anew()) {
        hinges.start(clip->node_count);
        for (int node = 0; pieces.count() > 1 && node < clip->node_count; ++node) look(node);
    } else if (pieces.count() > 1) {
        std::sort(split.begin(), split.end());
        split.erase(std::unique(split.begin(), split.end()), split.end());
        prefetch_nodes(current, split);
        for (int node : split) look(node);
        if (found_pieces)
            for (int t : pieces.moved())
                for (int node : mesh.tets[t]) look(node);
    }
    const bool several = hinges.link(*clip, mesh.tets, current, pieces, linked_number);
    const std::span<const int> of = pieces.of();
    linked.resize(several ? of.size() : 0);
    for (std::size_t t = 0; t < linked.size(); ++t) linked[t] = linked_number[of[t]];
    vertices_numbered = false;
}

Skin::Skin(const TetMesh& rest_mesh, const TriMesh& surface)
    : Skin(rest_mesh, surface, inspect(surface), embed(rest_mesh, surface.points)) {}
Skin::Skin(const TetMesh& rest_mesh, const TriMesh& surface, const SurfaceFacts& facts, Embedding embedding)
    : state_(std::make_unique<SkinState>(rest_mesh, surface, facts, std::move(embedding))) {}
Skin::Skin(std::unique_ptr<SkinState> state) : state_(std::move(state)) {}
Skin::~Skin() = default;
Skin::Skin(Skin&&) noexcept = default;
Skin& Skin::operator=(Skin&&) noexcept = default;

void Skin::prepare(Threads& threads) { state_->prepare(threads); }
std::vector<TetContent> Skin::contents(Threads& threads) {
    state_->prepare(threads);
    return tet_contents(*state_->clip, state_->mesh, threads);
}
bool Skin::update(const std::vector<Tet>& current) {
    if (!state_->clip && current == state_->mesh.tets) return false;
    std::vector<int> all(current.size());
    std::iota(all.begin(), all.end(), 0);
    Threads alone(1);
    return update(current, all, alone);
}
bool Skin::update(const std::vector<Tet>& current, std::span<const int> relinked, Threads& threads) {
    return state_->update(current, relinked, threads);
}
const TriMesh& Skin::surface() const { return state_->drawn.surface; }
std::size_t Skin::given_points() const { return static_cast<std::size_t>(state_->given); }
const TriMesh& Skin::given_surface() const { return state_->original; }
const Embedding& Skin::embedding() const { return state_->drawn.embedding; }
std::span<const std::uint8_t> Skin::crack() const { return state_->drawn.crack; }
std::vector<int> Skin::source() const {
    const SkinState& s = *state_;
    std::vector<int> source(s.drawn.surface.triangles.size(), -1);
    if (!s.clip || s.revision == 0) {
        std::iota(source.begin(), source.end(), 0);
        return source;
    }
    int t = 0;  // among those that the clip has: triangles with a repeated corner are left out of it
    for (std::size_t given = 0; given < s.original.triangles.size(); ++given) {
        const Tri& tri = s.original.triangles[given];
        if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) continue;
        for (int i = s.begin[t]; i < s.begin[t + 1]; ++i) source[i] = static_cast<int>(given);
        ++t;
    }
    return source;
}
std::span<const int> Skin::piece() const {
    state_->number_pieces();
    return state_->piece;
}
std::span<const int> Skin::vertex_piece() const {
    state_->number_vertices();
    return state_->vertex_piece;
}
std::span<const int> Skin::tet_linked() const { return state_->linked; }
std::span<const std::array<int, 4>> Skin::neighbours() const { return state_->neighbour; }
int Skin::piece_count() const {
    state_->number_pieces();
    return state_->piece_count;
}
bool Skin::watertight() const { return state_->watertight; }
const std::string& Skin::remark() const { return state_->remark; }
std::uint64_t Skin::revision() const { return state_->revision; }
const TriMesh& Skin::surface_before() const { return state_->before.surface; }
const Embedding& Skin::embedding_before() const { return state_->before.embedding; }

double Skin::volume_error() const {
    const TriMesh& surface = state_->drawn.surface;
    const double volume = enclosed_volume(surface.points, surface.triangles), given = state_->facts.volume;
    return given == 0 ? std::abs(volume) : std::abs(volume - given) / std::abs(given);
}

}  // namespace pliant
