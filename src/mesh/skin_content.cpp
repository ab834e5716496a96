#include "pliant/mesh/skin_content.hpp"

#include <Eigen/LU>

namespace pliant {

namespace {

/// Volume and first moment of a solid, from the triangles of its boundary (divergence theorem), about `origin`.
struct Moments {
    Vec3 origin = Vec3::Zero();
    double volume = 0;
    Vec3 first = Vec3::Zero();

    /// Counter-clockwise seen from outside; `side` −1 turns it round.
    void add(const Vec3& a, const Vec3& b, const Vec3& c, double side) {
        const Vec3 p = a - origin, q = b - origin, r = c - origin;
        const double part = side * p.dot(q.cross(r)) / 6;
        volume += part;
        first += part / 4 * (p + q + r);
    }
};

}  // namespace

std::vector<TetContent> tet_contents(const SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    const std::size_t tets = mesh.tets.size();
    std::vector<Moments> moments(tets);
    std::vector<TetContent> contents(tets);
    // Every member goes through all pieces and faces, in their order, for its share of the tets.
    threads.run([&](int member, int members) {
        const int begin = static_cast<int>(tets * member / members),
                  end = static_cast<int>(tets * (member + 1) / members);
        const auto is_mine = [&](int t) { return t >= begin && t < end; };
        for (int t = begin; t < end; ++t)
            for (int node : mesh.tets[t]) moments[t].origin += mesh.rest[node] / 4;

        for (const SkinClip::Piece& piece : clip.pieces.items) {
            if (!is_mine(piece.tet)) continue;
            const SkinClip::Corner* corner = &clip.corners[piece.first_corner];
            for (int k = 2; k < piece.corners; ++k)
                moments[piece.tet].add(clip.points[corner[0].point].x, clip.points[corner[k - 1].point].x,
                                       clip.points[corner[k].point].x, 1);
        }
        // The inside part of a face is as flat as the face: a fan of signed triangles from any point of its plane will
        // do.
        for (std::size_t f = 0; f < clip.faces.size(); ++f) {
            const SkinFace& face = clip.faces[f];
            if (!is_mine(face.tet[0]) && !is_mine(face.tet[1])) continue;
            const Vec3& base = mesh.rest[mesh.tets[face.tet[0]][face.from_first[0]]];
            for (const auto& [from, to] : face_outline(clip, mesh.tets, static_cast<int>(f)).links)
                for (int side = 0; side < 2; ++side)
                    if (is_mine(face.tet[side]))
                        moments[face.tet[side]].add(base, clip.points[from].x, clip.points[to].x, side == 0 ? 1 : -1);
        }

        for (int t = begin; t < end; ++t) {
            const Tet& tet = mesh.tets[t];
            const double volume = moments[t].volume;
            if (!(volume > 1e-9 * signed_volume(mesh.rest, tet))) continue;
            Mat3 edges;
            for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
            const Vec3 center = moments[t].origin + moments[t].first / volume;
            const Vec3 weight = edges.inverse() * (center - mesh.rest[tet[0]]);
            contents[t] = {volume, {1 - weight.sum(), weight[0], weight[1], weight[2]}};
        }
    });
    return contents;
}

}  // namespace pliant
