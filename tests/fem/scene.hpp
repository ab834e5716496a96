#pragma once
// Meshes, materials and motions for the tests of this room.

#include <vector>

#include "pliant/core/rng.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {

inline std::vector<Vec3> random_vectors(std::size_t n, double size, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<Vec3> out(n);
    for (Vec3& v : out)
        for (int c = 0; c < 3; ++c) v[c] = rng.uniform(-size, size);
    return out;
}

/// Moves the nodes by up to `amount` of the cell size (bars with cubes of about 0.5), as far as no tet turns over.
inline TetMesh crumpled(TetMesh mesh, double amount, std::uint64_t seed) {
    const auto offset = random_vectors(mesh.rest.size(), 0.5 * amount, seed);
    for (std::size_t i = 0; i < mesh.rest.size(); ++i) {
        const Vec3 before = mesh.rest[i];
        mesh.rest[i] += offset[i];
        for (const Tet& t : mesh.tets)
            if (std::find(t.begin(), t.end(), int(i)) != t.end() && signed_volume(mesh.rest, t) < 1e-3) {
                mesh.rest[i] = before;
                break;
            }
    }
    return mesh;
}

inline std::vector<ElementMaterial> random_material(const TetMesh& mesh, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<ElementMaterial> out(mesh.tets.size());
    for (ElementMaterial& m : out) m = {rng.uniform(5e4, 2e5), rng.uniform(0, 0.45), rng.uniform(500, 1500)};
    return out;
}

inline Mat3 random_rotation(std::uint64_t seed) {
    const auto c = random_vectors(3, 1, seed);
    Mat3 M;
    M << c[0], c[1], c[2];
    return closest_rotation(M).toRotationMatrix();
}

/// Bent, twisted and shaken positions.
inline std::vector<Vec3> deformed(const TetMesh& mesh, double shake, std::uint64_t seed) {
    std::vector<Vec3> x = mesh.rest;
    const auto noise = random_vectors(x.size(), shake, seed);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double angle = 0.8 * mesh.rest[i].x();
        x[i] = Eigen::AngleAxisd(angle, Vec3(1, 0.3, 0.2).normalized()) * x[i] + noise[i];
    }
    return x;
}

}  // namespace pliant
