#include "pliant/surface/skin_content.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "pliant/geometry/moments.hpp"

namespace pliant {

std::vector<TetContent> tet_contents(const SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    std::vector<TetContent> contents(mesh.tets.size());
    parallel_for(threads, contents.size(), 1024, [&](std::size_t begin, std::size_t end) {
        FaceOutline outline;
        for (std::size_t t = begin; t < end; ++t) {
            const Tet& tet = mesh.tets[t];
            Moments moments;
            for (int node : tet) moments.origin += mesh.rest[node] / 4;
            for (int n = clip.tet_pieces.begin[t]; n < clip.tet_pieces.begin[t + 1]; ++n) {
                const SkinClip::Piece& piece = clip.pieces.items[clip.tet_pieces.items[n]];
                const SkinClip::Corner* corner = &clip.corners[piece.first_corner];
                for (int k = 2; k < piece.corners; ++k)
                    moments.add(clip.points[corner[0].point].x, clip.points[corner[k - 1].point].x,
                                clip.points[corner[k].point].x, 1);
            }
            // The inside part of a face is as flat as the face: a fan of signed triangles from any point of its plane
            // will do.
            std::array<int, 4> faces = clip.face_of[t];
            std::sort(faces.begin(), faces.end());
            for (int f : faces) {
                const SkinFace& face = clip.faces[f];
                const Vec3& base = mesh.rest[mesh.tets[face.tet[0]][face.from_first[0]]];
                find_outline(clip, mesh.tets, f, outline);
                for (const auto& [from, to] : outline.links)
                    moments.add(base, clip.points[from].x, clip.points[to].x,
                                face.tet[0] == static_cast<int>(t) ? 1 : -1);
            }

            if (!(moments.volume > 1e-9 * signed_volume(mesh.rest, tet))) continue;
            Mat3 edges;
            for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
            const Vec3 center = moments.centroid();
            const Vec3 weight = edges.inverse() * (center - mesh.rest[tet[0]]);
            contents[t] = {moments.volume, {1 - weight.sum(), weight[0], weight[1], weight[2]}};
        }
    });
    return contents;
}

}  // namespace pliant
