#include "pliant/body/cracking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "pliant/body/edit.hpp"
#include "pliant/body/fem_body.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

TetMesh uneven_box(int cells, std::uint64_t seed) {
    TetMesh mesh = bar_mesh(cells, cells, cells, {0, 0, 0}, {1, 1, 1});
    Rng rng(seed, 0);
    for (Vec3& p : mesh.rest)
        for (int k = 0; k < 3; ++k) {
            const double move = 0.2 * rng.uniform(-1, 1) / cells;
            if (p[k] > 1e-9 && p[k] < 1 - 1e-9) p[k] += move;
        }
    return mesh;
}

Vec3 some_direction(Rng& rng) {
    for (;;) {
        const Vec3 v(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
}

// What is seen stays closed after every cut, with two triangles at every edge, also where cracks meet in an edge whose
// nodes stay whole; what is no crack has the area of the box, what is one twice that of the cuts.
TEST(Cracking, TheBoundaryIsClosedAfterEveryCut) {
    TetMesh mesh = uneven_box(3, 5);
    std::vector<double> edge = mean_edges(mesh);
    MeshBoundary boundary(mesh);
    Threads threads(1);
    Rng rng(7, 1);
    double area = 0;
    long long middles = 0;
    for (int i = 0; i < 400; ++i) {
        CrackMesh cracks(mesh, mesh.rest, edge);
        const Opening o = cracks.cut(rng.below(cracks.node_count()), some_direction(rng));
        if (!o.opened) continue;
        area += o.area;
        const MeshEdit edit = cracks.edit();
        edge.assign(cracks.edges().begin(), cracks.edges().end());
        apply(mesh, edit);
        boundary.follow(mesh, edit, threads);
        const SurfaceFacts facts = inspect(boundary.surface());
        ASSERT_TRUE(facts.closed() && facts.oriented()) << i << ": " << facts.nonmanifold_edges << " edges of many";
        ASSERT_NEAR(facts.volume, 1, 1e-12) << i;
        middles += std::count(boundary.node().begin(), boundary.node().end(), -1);
        double outer = 0, inner = 0;
        for (std::size_t t = 0; t < boundary.surface().triangles.size(); ++t) {
            const Tri& tri = boundary.surface().triangles[t];
            const auto& p = boundary.surface().points;
            (boundary.crack()[t] ? inner : outer) += 0.5 * (p[tri[1]] - p[tri[0]]).cross(p[tri[2]] - p[tri[0]]).norm();
        }
        ASSERT_NEAR(outer, 6, 1e-12) << i;
        ASSERT_NEAR(inner, 2 * area, 1e-9) << i;
    }
    std::cout << boundary.piece_count() << " pieces, " << area << " m2 of cracks, " << middles
              << " vertices in the middle of edges seen on the way\n";
    EXPECT_GT(middles, 0) << "the case did not come up";
}

// Cuts alone change neither the elastic energy nor mass, momentum or plastic state, material by material.
TEST(Cracking, CutsAloneChangeNothingButTheMesh) {
    for (const char* law : {"corotational", "green"}) {
        FemBodyDesc desc;
        desc.mesh = uneven_box(3, 4);
        Rng rng(2, 2);
        for (int t = 0; t < desc.mesh.tet_count(); ++t)
            desc.material.push_back({1e5 * (1 + t % 3), 0.3, 1000.0 + 100 * (t % 4)});
        desc.solid.law = &material_laws().get(law);
        const bool additive = std::string(law) == "corotational";
        desc.plasticity = &plasticity_laws().get(additive ? "von_mises" : "finite_von_mises");
        desc.plastic = {{.yield = 0.01, .rate = 1, .max = 0.1}};
        desc.fracture = FractureDesc{.strength = {1e30}, .through_elements = true};
        Threads threads(1);
        FemBody body = make_fem_body(std::move(desc), threads);
        for (Vec3& x : body.x) x += 0.02 * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        for (Vec3& v : body.v) v = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        for (Strain6& p : body.plastic_strain)
            for (double& c : p) c = rng.uniform(-0.02, 0.02);
        const auto plastic_sum = [&] {
            double sum = 0;
            for (int t = 0; t < body.mesh.tet_count() && additive; ++t)
                sum += signed_volume(body.mesh.rest, body.mesh.tets[t]) * body.plastic_strain[t][3];
            return sum;
        };
        const double energy = elastic_energy(body), mass_before = mass(body), plastic = plastic_sum();
        const Vec3 push = momentum(body);
        const double moving = kinetic_energy(body);
        CrackMesh cracks(body.mesh, body.x, body.cracks->edge);
        for (int i = 0; i < 60; ++i) cracks.cut(rng.below(cracks.node_count()), some_direction(rng));
        apply_edit(body, cracks.edit(), threads);
        std::cout << law << ": " << pieces(body) << " pieces; elastic energy " << elastic_energy(body) / energy - 1
                  << ", mass " << mass(body) / mass_before - 1 << ", momentum "
                  << (momentum(body) - push).norm() / push.norm() << ", plastic strain " << plastic_sum() - plastic
                  << "; kinetic energy of the finer lumps " << kinetic_energy(body) / moving - 1 << "\n";
        EXPECT_NEAR(elastic_energy(body) / energy, 1, 1e-12);
        EXPECT_NEAR(mass(body) / mass_before, 1, 1e-12);
        EXPECT_LT((momentum(body) - push).norm() / push.norm(), 1e-12);
        EXPECT_NEAR(plastic_sum(), plastic, 1e-14);
    }
}

}  // namespace
}  // namespace pliant
