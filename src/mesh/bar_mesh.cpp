#include "pliant/mesh/bar_mesh.hpp"

#include "pliant/core/error.hpp"

namespace pliant {

TetMesh bar_mesh(int nx, int ny, int nz, const Vec3& min, const Vec3& max) {
    CHECK(nx > 0 && ny > 0 && nz > 0, nx, ny, nz);
    CHECK((min.array() < max.array()).all(), min.transpose(), max.transpose());
    TetMesh mesh;
    const Vec3 cell = (max - min).cwiseQuotient(Vec3(nx, ny, nz));
    for (int i = 0; i <= nx; ++i)
        for (int j = 0; j <= ny; ++j)
            for (int k = 0; k <= nz; ++k) mesh.rest.push_back(min + cell.cwiseProduct(Vec3(i, j, k)));

    // Each tet walks from the low corner to the high one along the three axes in one of the six orders; odd orders
    // come out left-handed and are turned round.
    constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int stride[3] = {(ny + 1) * (nz + 1), nz + 1, 1};
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k) {
                const int corner = i * stride[0] + j * stride[1] + k;
                for (int o = 0; o < 6; ++o) {
                    Tet tet{corner, 0, 0, 0};
                    for (int a = 0; a < 3; ++a) tet[a + 1] = tet[a] + stride[orders[o][a]];
                    if (o >= 3) std::swap(tet[1], tet[2]);
                    mesh.tets.push_back(tet);
                }
            }
    return mesh;
}

}  // namespace pliant
