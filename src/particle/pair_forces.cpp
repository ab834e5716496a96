// The models as the thesis writes them, one face at a time. Each model hands its pairs to `out` as it finds them, so
// that a sum over them needs no list.

#include <Eigen/LU>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/particle/particle_model.hpp"

namespace pliant {

namespace {

using Materials = std::span<const ParticleMaterial>;

// Chapter 2: F_i = −K (|r| − l)/|r| r with r = r_i − r_j.
template <class Sink>
void springs(const ParticleStructure& s, Materials material, const ParticleModelOptions& options,
             std::span<const Vec3> x, Sink&& out) {
    const std::vector<double> k =
        options.stiffness > 0 ? std::vector<double>(s.edges.size(), options.stiffness) : spring_constants(s, material);
    for (std::size_t e = 0; e < s.edges.size(); ++e) {
        const auto [a, b] = s.edges[e];
        const double length = (s.rest[b] - s.rest[a]).norm();
        const Vec3 r = x[b] - x[a];
        const double now = r.norm();
        out(PairForce{a, b, now > 0 ? Vec3(k[e] * (now - length) / now * r) : Vec3(Vec3::Zero()), Vec3::Zero(),
                      0.5 * k[e] * (now - length) * (now - length)});
    }
}

// Section 5.4.
template <class Sink>
void model1(const ParticleStructure& s, Materials material, std::span<const Vec3> x, Sink&& out) {
    const std::vector<ParticleMaterial> local = particle_materials(s, material);
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
        const VoronoiFace& face = s.faces[f];
        if (face.b < 0) continue;
        const auto corners = s.corners(f);
        auto moved = [&](const VoronoiCorner& c) {
            Vec3 p = Vec3::Zero();
            for (int k = 0; k < 4; ++k) p += c.weight[k] * x[s.tets[c.tet][k]];
            return p;
        };
        const Vec3 L = x[face.b] - x[face.a], middle = 0.5 * (x[face.a] + x[face.b]);
        Vec3 N = Vec3::Zero();  // the fan of triangles about the middle
        Vec3 before = moved(corners.back()) - middle;
        for (const VoronoiCorner& corner : corners) {
            const Vec3 now = moved(corner) - middle;
            N += 0.5 * before.cross(now);
            before = now;
        }
        const double area = face.area.norm();
        const double E = 0.5 * (local[face.a].young + local[face.b].young);
        const double G = 0.5 * (local[face.a].shear + local[face.b].shear);
        const double rest = (s.rest[face.b] - s.rest[face.a]).norm(), length = L.norm();
        const Vec3 n = N.normalized();
        const Vec3 across = L - L.dot(n) * n;
        const double angle = std::atan2(across.norm(), L.dot(n));
        const double strain = (length - rest) / rest;
        PairForce pair{face.a, face.b, strain * area * E * n, Vec3::Zero(),
                       0.5 * area * rest * (E * strain * strain + G * angle * angle)};
        if (across.norm() > 0) pair.shear = angle * area * G * across.normalized();
        out(pair);
    }
}

struct TetShape {
    Mat3 F;            // deformation gradient
    Vec3 gradient[4];  // of the linear functions, at rest
    double volume;     // at rest
    TetShape(const ParticleStructure& s, std::span<const Vec3> x, const Tet& t) {
        Mat3 rest, now;
        for (int k = 0; k < 3; ++k) {
            rest.col(k) = s.rest[t[k + 1]] - s.rest[t[0]];
            now.col(k) = x[t[k + 1]] - x[t[0]];
        }
        const Mat3 inverse = rest.inverse();
        F = now * inverse;
        volume = rest.determinant() / 6;
        for (int k = 0; k < 3; ++k) gradient[k + 1] = inverse.row(k).transpose();
        gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    }
    /// Area vector of the sub-face between two corners, from the first to the second, m². With m the middle of the
    /// edge and p, q the other corners it is (p − m)×(q − m)/12, which is this.
    Vec3 area(int i, int j) const { return volume / 4 * (gradient[j] - gradient[i]); }
};

// Section 7.4. N_d is the material normal, carried along; N_g the normal of the face as it stands now.
template <class Sink>
void model2(const ParticleStructure& s, Materials material, DeformedNormal which, std::span<const Vec3> x, Sink&& out) {
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const Tet& tet = s.tets[t];
        const TetShape shape(s, x, tet);
        for (const auto& e : tet_edge) {
            const Vec3 area = shape.area(e[0], e[1]);
            const Vec3 m = 0.5 * (x[tet[e[0]]] + x[tet[e[1]]]);
            int others[2] = {0, 0}, count = 0;
            for (int c = 0; c < 4; ++c)
                if (c != e[0] && c != e[1]) others[count++] = c;
            Vec3 N_g = (x[tet[others[0]]] - m).cross(x[tet[others[1]]] - m);
            const Vec3 rest_m = 0.5 * (s.rest[tet[e[0]]] + s.rest[tet[e[1]]]);
            const Vec3 rest_N = (s.rest[tet[others[0]]] - rest_m).cross(s.rest[tet[others[1]]] - rest_m);
            if (rest_N.dot(area) < 0) N_g = -N_g;
            N_g.normalize();
            Vec3 N_d = shape.F * area.normalized();
            if (which == DeformedNormal::unit) N_d.normalize();
            const double along = N_d.dot(N_g);
            const double E = material[t].young, G = material[t].shear;
            const Vec3 across = N_d - along * N_g;
            const double distance = (s.rest[tet[e[0]]] - s.rest[tet[e[1]]]).norm();
            out(PairForce{tet[e[0]], tet[e[1]], area.norm() * E * (along - 1) * N_g, area.norm() * G * across,
                          0.5 * area.norm() * distance * (E * (along - 1) * (along - 1) + G * across.squaredNorm())});
        }
    }
}

// docs/particles.md, "Model 3": traction P·area over the same sub-faces, split along the face's present normal.
template <class Sink>
void model3(const ParticleStructure& s, Materials material, std::span<const Vec3> x, Sink&& out) {
    // Of each particle's cell, a quarter of each tet at it: volume at rest, mean dilation and mean λ.
    std::vector<double> cell(s.rest.size(), 0), dilation(s.rest.size(), 0), lambda(s.rest.size(), 0);
    std::vector<Mat3> rotation(s.tets.size());
    Quat turn = Quat::Identity();  // of the tet before, which is mostly near
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const TetShape shape(s, x, s.tets[t]);
        turn = tracked_rotation(shape.F, turn);
        const Mat3& R = rotation[t] = turn.toRotationMatrix();
        for (int node : s.tets[t]) {
            cell[node] += shape.volume / 4;
            dilation[node] += shape.volume / 4 * ((R.transpose() * shape.F).trace() - 3);
            lambda[node] += shape.volume / 4 * effective_moduli(ParticleModel::cmpm3, material[t]).lambda;
        }
    }
    for (std::size_t i = 0; i < cell.size(); ++i) dilation[i] /= cell[i], lambda[i] /= cell[i];
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const Tet& tet = s.tets[t];
        const TetShape shape(s, x, tet);
        const Mat3& R = rotation[t];
        const EffectiveModuli moduli = effective_moduli(ParticleModel::cmpm3, material[t]);
        double pressure = 0;
        for (int node : tet) pressure += 0.25 * lambda[node] * dilation[node];
        Mat3 cofactor;
        cofactor.col(0) = shape.F.col(1).cross(shape.F.col(2));
        cofactor.col(1) = shape.F.col(2).cross(shape.F.col(0));
        cofactor.col(2) = shape.F.col(0).cross(shape.F.col(1));
        Mat3 P = 2 * moduli.mu * (shape.F - R) + pressure * R;
        double energy = moduli.mu * (shape.F - R).squaredNorm();
        if (material[t].fibre_young > 0) {
            const Vec3 a = material[t].fibre.normalized(), now = shape.F * a;
            if (now.norm() > 0) P += material[t].fibre_young * (1 - 1 / now.norm()) * now * a.transpose();
            energy += 0.5 * material[t].fibre_young * (now.norm() - 1) * (now.norm() - 1);
        }
        energy *= shape.volume;
        for (int node : tet)  // its share of the cells' energy
            energy += shape.volume / 4 * 0.5 * lambda[node] * dilation[node] * dilation[node];
        for (const auto& e : tet_edge) {
            const Vec3 area = shape.area(e[0], e[1]), traction = P * area;
            const Vec3 n = (cofactor * area).normalized();
            const Vec3 elastic = traction.dot(n) * n;
            out(PairForce{tet[e[0]], tet[e[1]], elastic, traction - elastic, energy / 6});
        }
    }
}

}  // namespace

std::vector<ParticleMaterial> particle_materials(const ParticleStructure& s, Materials material) {
    std::vector<ParticleMaterial> local(s.rest.size());
    std::vector<double> weight(s.rest.size(), 0);
    for (ParticleMaterial& m : local) m.young = m.shear = m.density = 0;
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const double volume = signed_volume(s.rest, s.tets[t]);
        for (int node : s.tets[t]) {
            weight[node] += volume;
            local[node].young += volume * material[t].young;
            local[node].shear += volume * material[t].shear;
            local[node].density += volume * material[t].density;
        }
    }
    for (std::size_t i = 0; i < local.size(); ++i) {
        CHECK(weight[i] > 0, i);
        local[i].young /= weight[i], local[i].shear /= weight[i], local[i].density /= weight[i];
    }
    return local;
}

namespace {

template <class Sink>
void for_each_pair(const ParticleStructure& structure, Materials material, const ParticleModelOptions& options,
                   std::span<const Vec3> x, Sink&& out) {
    CHECK(material.size() == structure.tets.size(), material.size(), structure.tets.size());
    CHECK(x.size() == structure.size(), x.size(), structure.size());
    switch (options.model) {
        case ParticleModel::spring: return springs(structure, material, options, x, out);
        case ParticleModel::cmpm1: return model1(structure, material, x, out);
        case ParticleModel::cmpm2: return model2(structure, material, options.normal, x, out);
        case ParticleModel::cmpm3: return model3(structure, material, x, out);
    }
}

}  // namespace

std::vector<PairForce> pair_forces(const ParticleStructure& structure, Materials material,
                                   const ParticleModelOptions& options, std::span<const Vec3> x) {
    std::vector<PairForce> pairs;
    for_each_pair(structure, material, options, x, [&](const PairForce& pair) { pairs.push_back(pair); });
    return pairs;
}

}  // namespace pliant
