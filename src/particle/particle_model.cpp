#include "pliant/particle/particle_model.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/material/hooke.hpp"

namespace pliant {

ParticleStructure structure_of_tets(const TetMesh& mesh) {
    ParticleStructure s;
    s.rest = mesh.rest;
    s.tets = mesh.tets;
    s.volume.assign(s.rest.size(), 0);
    for (const Tet& tet : s.tets) {
        const double quarter = signed_volume(s.rest, tet) / 4;
        for (int node : tet) s.volume[node] += quarter;
        for (const auto& e : tet_edge)
            s.edges.push_back({std::min(tet[e[0]], tet[e[1]]), std::max(tet[e[0]], tet[e[1]])});
    }
    std::sort(s.edges.begin(), s.edges.end());
    s.edges.erase(std::unique(s.edges.begin(), s.edges.end()), s.edges.end());
    const BoundarySurface skin = boundary_surface(mesh);
    for (const Tri& t : skin.surface.triangles)
        s.boundary.push_back({skin.node[t[0]], skin.node[t[1]], skin.node[t[2]]});
    s.polygon_begin.assign(1, 0);
    return s;
}

void drop_straight_corners(ParticleStructure& s) {
    std::vector<int> begin(1, 0);
    std::vector<VoronoiCorner> kept;
    std::vector<VoronoiCorner> face;
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
        const auto corners = s.corners(f);
        face.assign(corners.begin(), corners.end());
        for (std::size_t k = 0; k < face.size() && face.size() > 3;) {
            const Vec3& c = face[k].rest;
            const Vec3 before = face[(k + face.size() - 1) % face.size()].rest - c;
            const Vec3 after = face[(k + 1) % face.size()].rest - c;
            if (before.cross(after).norm() <= 1e-7 * before.norm() * after.norm())
                face.erase(face.begin() + static_cast<std::ptrdiff_t>(k)), k = k > 0 ? k - 1 : 0;
            else
                ++k;
        }
        kept.insert(kept.end(), face.begin(), face.end());
        begin.push_back(static_cast<int>(kept.size()));
    }
    s.polygon = std::move(kept);
    s.polygon_begin = std::move(begin);
}

std::vector<double> spring_constants(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    std::vector<double> k(s.edges.size(), 0);
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const double stiffness = material[t].young * signed_volume(s.rest, s.tets[t]);
        for (const auto& e : tet_edge) {
            const int a = s.tets[t][e[0]], b = s.tets[t][e[1]];
            const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
            const auto found = std::lower_bound(s.edges.begin(), s.edges.end(), edge);
            CHECK(found != s.edges.end() && *found == edge, a, b);
            k[found - s.edges.begin()] += stiffness / (s.rest[a] - s.rest[b]).squaredNorm();
        }
    }
    return k;
}

EffectiveModuli effective_moduli(ParticleModel model, const ParticleMaterial& m) {
    switch (model) {
        case ParticleModel::spring: return {0.4 * m.young, 0.4 * m.young};
        case ParticleModel::cmpm1:
        case ParticleModel::cmpm2: return {0.2 * m.young - 0.4 * m.shear, 0.2 * m.young + 0.6 * m.shear};
        case ParticleModel::cmpm3: break;
    }
    const auto [lambda, mu] = lame(m.young, m.poisson);
    return {lambda, mu};
}

Flux flux_through(std::span<const PairForce> pairs, std::span<const Vec3> x, int axis, double at) {
    Flux flux;
    for (const PairForce& p : pairs) {
        const bool a_above = x[p.a][axis] > at, b_above = x[p.b][axis] > at;
        if (a_above == b_above) continue;
        const double sign = b_above ? 1 : -1;  // counted is what the upper particle does to the lower one
        flux.elastic += sign * p.elastic;
        flux.shear += sign * p.shear;
    }
    return flux;
}

}  // namespace pliant
