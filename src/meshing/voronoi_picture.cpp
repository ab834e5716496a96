#include "pliant/meshing/voronoi.hpp"

namespace pliant {

namespace {

/// The loops of a face; bridges between them are left out.
std::vector<std::vector<Vec3>> loops_of(std::span<const VoronoiCorner> corners) {
    std::vector<std::vector<Vec3>> loops;
    for (std::size_t i = 0; i < corners.size();) {
        std::vector<Vec3> loop{corners[i].rest};
        std::size_t j = i + 1;
        while (j < corners.size() && corners[j].rest != loop[0]) loop.push_back(corners[j++].rest);
        if (loop.size() > 2) loops.push_back(std::move(loop));
        i = j + 1;
        // From the third loop on, a bridge leads through the first corner of all.
        if (loops.size() > 1 && i < corners.size() && corners[i].rest == corners[0].rest) ++i;
    }
    return loops;
}

}  // namespace

TriMesh cell_surfaces(const ParticleStructure& structure, double shrink) {
    TriMesh mesh;
    for (std::size_t f = 0; f < structure.faces.size(); ++f) {
        const VoronoiFace& face = structure.faces[f];
        for (const std::vector<Vec3>& loop : loops_of(structure.corners(f))) {
            Vec3 middle = Vec3::Zero();
            for (const Vec3& p : loop) middle += p / static_cast<double>(loop.size());
            for (const int side : {face.a, face.b}) {
                if (side < 0) continue;
                const Vec3& home = structure.rest[side];
                const int first = static_cast<int>(mesh.points.size()), n = static_cast<int>(loop.size());
                for (const Vec3& p : loop) mesh.points.push_back(home + shrink * (p - home));
                mesh.points.push_back(home + shrink * (middle - home));
                for (int i = 0; i < n; ++i) {
                    Tri t{first + i, first + (i + 1) % n, first + n};
                    if (side == face.b) std::swap(t[0], t[1]);
                    mesh.triangles.push_back(t);
                }
            }
        }
    }
    return mesh;
}

}  // namespace pliant
