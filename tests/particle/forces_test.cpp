// The models' forces: vector loops against the formulas, closed forms, and what the thesis says of them.

#include "pliant/particle/particle_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <iostream>

#include "particle/dual_structure.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/particle/particle_parts.hpp"

namespace pliant::test {
namespace {

constexpr ParticleModel all_models[] = {ParticleModel::spring, ParticleModel::cmpm1, ParticleModel::cmpm2,
                                        ParticleModel::cmpm3};

std::vector<Vec3> shaken(const std::vector<Vec3>& rest, double by) {
    std::vector<Vec3> x = rest;
    unsigned random = 1;
    for (Vec3& p : x)
        for (int k = 0; k < 3; ++k) {
            random = random * 1664525u + 1013904223u;
            p[k] += by * (random / 4294967296.0 - 0.5);
        }
    return x;
}

std::vector<Vec3> mapped(const std::vector<Vec3>& rest, const Mat3& F) {
    std::vector<Vec3> x;
    for (const Vec3& p : rest) x.push_back(F * p);
    return x;
}

std::vector<Vec3> summed(const ParticleStructure& s, const std::vector<PairForce>& pairs) {
    std::vector<Vec3> f(s.size(), Vec3::Zero());
    for (const PairForce& p : pairs) f[p.a] += p.elastic + p.shear, f[p.b] -= p.elastic + p.shear;
    return f;
}

double largest(const std::vector<Vec3>& f) {
    double most = 0;
    for (const Vec3& v : f) most = std::max(most, v.norm());
    return most;
}

// Other moduli from tet to tet, and fibres.
std::vector<ParticleMaterial> uneven_material(std::size_t tets) {
    std::vector<ParticleMaterial> material(tets);
    for (std::size_t t = 0; t < tets; ++t) {
        material[t].young *= 1 + 0.01 * static_cast<double>(t % 7);
        material[t].fibre = {1, 1, 0};
        material[t].fibre_young = 1e6;
    }
    return material;
}

TEST(Forces, VectorLoopsGiveTheFormulas) {
    const ParticleStructure s = barycentric_structure(bar_mesh(4, 3, 3, {0, 0, 0}, {0.4, 0.3, 0.3}));
    const std::vector<ParticleMaterial> material = uneven_material(s.tets.size());
    const std::vector<Vec3> x = shaken(s.rest, 0.06);
    Threads one(1);
    for (ParticleModel model : all_models)
        for (DeformedNormal normal : {DeformedNormal::stretched, DeformedNormal::unit}) {
            const ParticleModelOptions options{model, normal, 0};
            const std::vector<Vec3> expected = summed(s, pair_forces(s, material, options, x));
            for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
                if (!kernel_level_available(level)) continue;
                ParticleForces forces(s, material, options);
                set_kernel_level(forces, level);
                std::vector<Vec3> f(s.size());
                forces.forces(x, f, one);
                double worst = 0;
                for (std::size_t i = 0; i < f.size(); ++i) worst = std::max(worst, (f[i] - expected[i]).norm());
                std::cout << "model " << int(model) << ", vector unit " << int(level) << ": error "
                          << worst / largest(expected) << "\n";
                EXPECT_LT(worst, 2e-6 * largest(expected));
            }
        }
}

TEST(Forces, OtherModuliGiveWhatANewBodyOfThemHas) {
    const ParticleStructure s = barycentric_structure(bar_mesh(4, 3, 3, {0, 0, 0}, {0.4, 0.3, 0.3}));
    const std::vector<ParticleMaterial> material(s.tets.size());
    std::vector<ParticleMaterial> softer = material;
    for (std::size_t t = 0; t < softer.size(); ++t) {
        const double ratio = t % 3 ? 1 : 0.1;
        softer[t].young *= ratio, softer[t].shear *= ratio;
    }
    const std::vector<Vec3> x = shaken(s.rest, 0.06);
    Threads one(1);
    for (ParticleModel model : all_models) {
        ParticleForces changed(s, material, {.model = model}), made(s, softer, {.model = model});
        std::vector<Vec3> before(s.size()), f(s.size()), expected(s.size());
        changed.forces(x, before, one);
        changed.set_material(s, softer);
        changed.forces(x, f, one), made.forces(x, expected, one);
        double worst = 0, moved = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            worst = std::max(worst, (f[i] - expected[i]).norm());
            moved = std::max(moved, (f[i] - before[i]).norm());
        }
        std::cout << "model " << int(model) << ": error " << worst / largest(expected) << "\n";
        EXPECT_LT(worst, 1e-6 * largest(expected));
        EXPECT_GT(moved, 0.1 * largest(before));
        changed.set_material(s, material);
        changed.forces(x, f, one);
        for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT((f[i] - before[i]).norm(), 1e-6 * largest(before));
    }
}

// The plain way: pair by pair in double precision.
double elastic_energy(const ParticleStructure& s, std::span<const ParticleMaterial> material,
                      const ParticleModelOptions& options, std::span<const Vec3> x) {
    double sum = 0;
    for (const PairForce& pair : pair_forces(s, material, options, x)) sum += pair.energy;
    return sum;
}

TEST(Forces, VectorLoopsGiveTheEnergies) {
    const ParticleStructure s = barycentric_structure(bar_mesh(4, 3, 3, {0, 0, 0}, {0.4, 0.3, 0.3}));
    const std::vector<ParticleMaterial> material = uneven_material(s.tets.size());
    EXPECT_NE(s.tets.size() % 8 + s.faces.size() % 8 + s.edges.size() % 8, 0u);  // there are groups to fill up
    for (double by : {0.06, 0.0006})
        for (ParticleModel model : all_models)
            for (DeformedNormal normal : {DeformedNormal::stretched, DeformedNormal::unit}) {
                const std::vector<Vec3> x = shaken(s.rest, by);
                const ParticleModelOptions options{model, normal, 0};
                const double expected = elastic_energy(s, material, options, x);
                for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
                    if (!kernel_level_available(level)) continue;
                    ParticleForces forces(s, material, options);
                    set_kernel_level(forces, level);
                    const double energy = forces.energy(x);
                    std::cout << "model " << int(model) << ", vector unit " << int(level) << ": " << energy
                              << " J, error " << std::abs(energy / expected - 1) << "\n";
                    EXPECT_NEAR(energy, expected, 1e-5 * expected);
                    EXPECT_EQ(energy, forces.energy(x));  // asking changes nothing
                }
            }
}

TEST(Forces, NoneAtRestTurnedOrMovedFarAway) {
    const ParticleStructure s = barycentric_structure(bar_mesh(3, 3, 2, {0, 0, 0}, {0.3, 0.3, 0.2}));
    const std::vector<ParticleMaterial> material(s.tets.size());
    const Mat3 turn = Eigen::AngleAxisd(2.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    Threads one(1);
    for (ParticleModel model : all_models) {
        ParticleForces forces(s, material, {.model = model});
        std::vector<Vec3> x = mapped(s.rest, turn), f(s.size());
        for (Vec3& p : x) p += Vec3(1000, -2000, 500);
        forces.forces(x, f, one);
        std::cout << "model " << int(model) << ": " << largest(f) << " N of " << 3e6 * 0.01 << "\n";
        // Model 1's barycentric faces do not stand square to their edges, so that it alone is stressed at rest.
        if (model == ParticleModel::cmpm1) {
            const ParticleStructure boxes = grid_structure(3, 3, 2, {0, 0, 0}, {0.3, 0.3, 0.2});
            ParticleForces square(boxes, std::vector<ParticleMaterial>(boxes.tets.size()), {.model = model});
            square.forces(x, f, one);
        }
        EXPECT_LT(largest(f), 2e-6 * 3e6 * 0.01);  // floats: a strain of 1e-6
    }
}

// Forces that are the slope of an energy have a symmetric stiffness. Those of models 1 and 2 have not, and can
// therefore do work round a closed way: a strained body may shake itself to pieces however small the steps are
// (docs/particles.md, "Known weaknesses"). Springs and model 3 cannot.
TEST(Forces, StiffnessIsSymmetricWhereThereIsAnEnergy) {
    const ParticleStructure s = grid_structure(2, 2, 2, {0, 0, 0}, {1, 1, 1});
    const std::vector<ParticleMaterial> material(s.tets.size());
    const auto size = static_cast<Eigen::Index>(3 * s.size());
    for (ParticleModel model : all_models)
        for (double squeeze : {1.0, 0.76}) {
            std::vector<Vec3> x = mapped(s.rest, Vec3(1, squeeze, 1).asDiagonal());
            Eigen::MatrixXd K(size, size);
            const double e = 1e-5;
            for (Eigen::Index column = 0; column < size; ++column) {
                double& at = x[column / 3][column % 3];
                at += e;
                const std::vector<Vec3> up = summed(s, pair_forces(s, material, {.model = model}, x));
                at -= 2 * e;
                const std::vector<Vec3> down = summed(s, pair_forces(s, material, {.model = model}, x));
                at += e;
                for (Eigen::Index row = 0; row < size; ++row)
                    K(row, column) = (down[row / 3] - up[row / 3])[row % 3] / (2 * e);
            }
            const double skew = (K - K.transpose()).norm() / K.norm();
            std::cout << "model " << int(model) << ", height " << squeeze << ": |K - K^T| = " << skew << " |K|\n";
            const bool has_energy = model == ParticleModel::spring || model == ParticleModel::cmpm3;
            if (has_energy) {
                EXPECT_LT(skew, 1e-6);
            } else {
                EXPECT_GT(skew, 0.02);
            }
        }
}

// A cell structure of axis-parallel boxes under stretch: every face across the pull carries E·A·ε, the others nothing.
TEST(Model1, StretchedGridCarriesHookesForce) {
    const ParticleStructure s = grid_structure(4, 4, 4, {0, 0, 0}, {1, 1, 1});
    const std::vector<ParticleMaterial> material(s.tets.size());
    const std::vector<Vec3> x = mapped(s.rest, Vec3(1, 1.16, 1).asDiagonal());
    const Flux flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm1}, x), x, 1, 0.6);
    std::cout << "elastic " << flux.elastic.transpose() << ", shear " << flux.shear.transpose() << "\n";
    EXPECT_NEAR(flux.elastic.y(), 4.8e5, 1e-6 * 4.8e5);  // section 9.3: A ε E
    EXPECT_NEAR(flux.shear.norm(), 0, 1e-3);
}

// Sheared: the face stays level while the line between particles leans over. Each face carries G·A·γ with γ the angle.
TEST(Model1, ShearedGridCarriesTheShearModulusTimesTheAngle) {
    const ParticleStructure s = grid_structure(4, 4, 4, {0, 0, 0}, {1, 1, 1});
    const std::vector<ParticleMaterial> material(s.tets.size());
    Mat3 F = Mat3::Identity();
    F(0, 1) = std::tan(0.57);
    const std::vector<Vec3> x = mapped(s.rest, F);
    const Flux flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm1}, x), x, 1, 0.6);
    std::cout << "elastic " << flux.elastic.transpose() << ", shear " << flux.shear.transpose() << "\n";
    EXPECT_NEAR(flux.shear.x(), 5.7e5, 1e-6 * 5.7e5);  // section 9.4: A γ G
}

/// The regular tet of section 7.5, its top moved; the elastic and shear forces on the top particle.
std::pair<Vec3, Vec3> on_top(const Vec3& shift, DeformedNormal normal) {
    TetMesh mesh;
    mesh.rest = {{0, 0, std::sqrt(2.0 / 3)},
                 {1 / std::sqrt(3.0), 0, 0},
                 {-0.5 / std::sqrt(3.0), -0.5, 0},
                 {-0.5 / std::sqrt(3.0), 0.5, 0}};
    mesh.tets = {{0, 1, 2, 3}};
    orient_tets(mesh);
    const ParticleStructure s = structure_of_tets(mesh);
    std::vector<Vec3> x = s.rest;
    x[0] += shift;
    Vec3 elastic = Vec3::Zero(), shear = Vec3::Zero();
    const std::vector<ParticleMaterial> material(1);
    for (const PairForce& p : pair_forces(s, material, {ParticleModel::cmpm2, normal, 0}, x)) {
        if (p.a == 0) elastic += p.elastic, shear += p.shear;
        if (p.b == 0) elastic -= p.elastic, shear -= p.shear;
    }
    return {elastic, shear};
}

// Figure 7.3: the elastic force in one tet, over the height of its top (a) and over a sideways motion (b), starts with
// slope zero. That is what the formulas give when the deformed normal is brought to unit length. As section 7.4 writes
// them (length kept) the slope is that of a strain, and chapter 9's linear fluxes come out.
TEST(Model2, ElasticForceOfOneTetHasNoSlopeAtTheOrigin) {
    const double d = 1e-4;
    for (const Vec3& direction : {Vec3(0, 0, 1), Vec3(1, 0, 0)}) {
        auto slope = [&](DeformedNormal normal, bool shear) {
            const auto up = on_top(d * direction, normal), down = on_top(-d * direction, normal);
            return ((shear ? up.second - down.second : up.first - down.first) / (2 * d)).norm();
        };
        const double unit = slope(DeformedNormal::unit, false), kept = slope(DeformedNormal::stretched, false);
        const double shear = slope(DeformedNormal::unit, true);
        std::cout << "direction " << direction.transpose() << ": elastic slope " << unit << " N/m with a unit normal, "
                  << kept << " as in section 7.4, shear slope " << shear << "\n";
        EXPECT_LT(unit, 1e-3 * shear);
        EXPECT_GT(kept, 0.1 * shear);
        // It is a parabola: twice as far is four times as much.
        const double one = on_top(0.01 * direction, DeformedNormal::unit).first.norm();
        const double two = on_top(0.02 * direction, DeformedNormal::unit).first.norm();
        EXPECT_NEAR(two / one, 4, 0.25);
    }
}

/// A cube whose inner particles are not on a grid: faces in all directions.
TetMesh irregular_cube(int n) {
    TetMesh mesh = bar_mesh(n, n, n, {0, 0, 0}, {1, 1, 1});
    const std::vector<Vec3> moved = shaken(mesh.rest, 0.35 / n);
    for (std::size_t i = 0; i < moved.size(); ++i)
        for (int k = 0; k < 3; ++k)
            if (mesh.rest[i][k] > 1e-9 && mesh.rest[i][k] < 1 - 1e-9) mesh.rest[i][k] = moved[i][k];
    return mesh;
}

// docs/particles.md: with faces in all directions alike, models 1 and 2 resist a stretch without contraction with
// 0.6 E + 0.8 G instead of a modulus of their own. Model 2 needs no cells, and its sub-faces are varied enough to see
// it.
TEST(Model2, ResponseOfManyTetsIsThatOfTheEffectiveModuli) {
    const ParticleStructure s = structure_of_tets(irregular_cube(6));
    const ParticleMaterial rubber;
    const std::vector<ParticleMaterial> material(s.tets.size(), rubber);
    const double e = 1e-4;
    double along = 0;
    for (int axis = 0; axis < 3; ++axis) {  // Kuhn's tets prefer a diagonal: the mean over the axes
        Vec3 stretch = Vec3::Ones();
        stretch[axis] += e;
        const std::vector<Vec3> x = mapped(s.rest, stretch.asDiagonal());
        const Flux flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm2}, x), x, axis, 0.51);
        along += (flux.elastic + flux.shear)[axis] / e / 3;
    }
    const EffectiveModuli moduli = effective_moduli(ParticleModel::cmpm2, rubber);
    const double expected = moduli.lambda + 2 * moduli.mu;
    std::cout << "uniaxial strain modulus " << along << " Pa, expected about " << expected << "\n";
    EXPECT_NEAR(expected, 0.6 * 3e6 + 0.8 * 1e6, 1);
    EXPECT_NEAR(along, expected, 0.12 * expected);
}

// Model 3: the traction through a plane is that of Hooke's law whatever the tets look like.
TEST(Model3, RightSlopeInStretchAndShear) {
    const ParticleStructure s = structure_of_tets(irregular_cube(4));
    ParticleMaterial rubber;
    rubber.poisson = 0.3;
    const std::vector<ParticleMaterial> material(s.tets.size(), rubber);
    const double e = 1e-5;
    // Uniaxial stress: stretched along y, contracted by Poisson's ratio.
    std::vector<Vec3> x = mapped(s.rest, Vec3(1 - 0.3 * e, 1 + e, 1 - 0.3 * e).asDiagonal());
    Flux flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm3}, x), x, 1, 0.47);
    std::cout << "Young's modulus " << (flux.elastic + flux.shear).y() / e << " Pa\n";
    EXPECT_NEAR((flux.elastic + flux.shear).y() / e, 3e6, 1e-3 * 3e6);
    Mat3 F = Mat3::Identity();
    F(0, 1) = e;
    x = mapped(s.rest, F);
    flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm3}, x), x, 1, 0.47);
    std::cout << "shear modulus " << (flux.elastic + flux.shear).x() / e << " Pa\n";
    EXPECT_NEAR((flux.elastic + flux.shear).x() / e, 3e6 / 2.6, 1e-3 * 3e6);
}

TEST(Model3, FibresStiffenOneDirectionAndOneRegion) {
    const ParticleStructure s = structure_of_tets(irregular_cube(4));
    ParticleMaterial muscle;
    muscle.poisson = 0.3, muscle.fibre = {0, 2, 0}, muscle.fibre_young = 5e6;
    const double e = 1e-5;
    auto modulus = [&](int axis, std::span<const ParticleMaterial> material) {
        Vec3 stretch = Vec3::Constant(1 - 0.3 * e);
        stretch[axis] = 1 + e;
        const std::vector<Vec3> x = mapped(s.rest, stretch.asDiagonal());
        const Flux flux = flux_through(pair_forces(s, material, {.model = ParticleModel::cmpm3}, x), x, axis, 0.47);
        return (flux.elastic + flux.shear)[axis] / e;
    };
    std::vector<ParticleMaterial> material(s.tets.size(), muscle);
    std::cout << "along the fibres " << modulus(1, material) << " Pa, across " << modulus(0, material) << "\n";
    EXPECT_NEAR(modulus(1, material), 8e6, 1e-3 * 8e6);  // E + E_f
    EXPECT_NEAR(modulus(0, material), 3e6, 1e-3 * 3e6);
}

// The force is the gradient of the energy that docs/particles.md writes down: work along a way equals its change.
TEST(Model3, WorkAlongAClosedWayIsZero) {
    const ParticleStructure s = structure_of_tets(irregular_cube(3));
    std::vector<ParticleMaterial> material(s.tets.size());
    for (ParticleMaterial& m : material) m.poisson = 0.4, m.fibre = {1, 0, 1}, m.fibre_young = 1e6;
    ParticleForces forces(s, material, {.model = ParticleModel::cmpm3});
    Threads one(1);
    const std::vector<Vec3> a = shaken(s.rest, 0.1), b = shaken(mapped(s.rest, Vec3(1.2, 0.9, 1).asDiagonal()), 0.05);
    double work = 0, passed = 0;
    std::vector<Vec3> x(s.size()), f(s.size());
    const std::vector<Vec3>* corner[4] = {&s.rest, &a, &b, &s.rest};
    constexpr int steps = 400;
    for (int side = 0; side < 3; ++side)
        for (int n = 0; n < steps; ++n) {
            const double t = (n + 0.5) / steps;
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = (1 - t) * (*corner[side])[i] + t * (*corner[side + 1])[i];
            forces.forces(x, f, one);
            double part = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                part += f[i].dot((*corner[side + 1])[i] - (*corner[side])[i]) / steps;
            work += part, passed += std::abs(part);
        }
    std::cout << "work round the way " << work << " J of " << passed << " J moved\n";
    EXPECT_LT(std::abs(work), 1e-5 * passed);
    // And half of the way: the energy is what was put in.
    double there = 0;
    for (int n = 0; n < steps; ++n) {
        const double t = (n + 0.5) / steps;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = (1 - t) * s.rest[i] + t * a[i];
        forces.forces(x, f, one);
        for (std::size_t i = 0; i < x.size(); ++i) there -= f[i].dot(a[i] - s.rest[i]) / steps;
    }
    const double energy = elastic_energy(s, material, {.model = ParticleModel::cmpm3}, a);
    std::cout << "work " << there << " J, energy " << energy << " J\n";
    EXPECT_NEAR(there, energy, 1e-4 * energy);
}

// Young's modulus is what uniaxial stress needs: across, the network does as it likes. From the energies of uniform
// strains follows the stiffness C of the network, from its inverse the modulus along any direction.
TEST(Springs, DerivedConstantsGiveYoungsModulus) {
    const ParticleStructure s = structure_of_tets(irregular_cube(6));
    const std::vector<ParticleMaterial> material(s.tets.size());
    using Vec6 = Eigen::Matrix<double, 6, 1>;
    using Mat6 = Eigen::Matrix<double, 6, 6>;
    auto energy = [&](const Vec6& strain) {  // of a strain in Mandel's notation, made small
        const double root = std::sqrt(0.5), e = 1e-4;
        Mat3 m;
        m << strain[0], root * strain[3], root * strain[5], root * strain[3], strain[1], root * strain[4],
            root * strain[5], root * strain[4], strain[2];
        const std::vector<Vec3> x = mapped(s.rest, Mat3::Identity() + e * m);
        return elastic_energy(s, material, {.model = ParticleModel::spring}, x) / (e * e);
    };
    Mat6 C;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            C(i, j) = 0.5 * (energy(Vec6::Unit(i) + Vec6::Unit(j)) - energy(Vec6::Unit(i) - Vec6::Unit(j)));
    const Mat6 compliance = C.inverse();
    double axes = 0, all = 0;
    for (int axis = 0; axis < 3; ++axis) axes += 1 / compliance(axis, axis) / 3;
    const int count = 200;  // directions spread evenly over the sphere
    for (int k = 0; k < count; ++k) {
        const double z = 1 - (2 * k + 1.0) / count, turn = 2.399963 * k, r = std::sqrt(1 - z * z);
        const Vec3 n(r * std::cos(turn), r * std::sin(turn), z);
        const double two = std::sqrt(2.0);
        Vec6 m;
        m << n[0] * n[0], n[1] * n[1], n[2] * n[2], two * n[0] * n[1], two * n[1] * n[2], two * n[2] * n[0];
        all += 1 / m.dot(compliance * m) / count;
    }
    std::cout << "Young's modulus of the network along the axes " << axes << " Pa, over all directions " << all
              << " Pa, with the strains across forced " << C(0, 0) - 0.25 * (C(0, 1) + C(0, 2)) << " Pa\n";
    EXPECT_NEAR(axes, 3e6, 0.1 * 3e6);
}

// Figure 2.1: the force of a tet of springs against its top grows less and less as it is pushed flat, and is gone
// there.
TEST(Springs, ATetCollapses) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0.8}, {0.6, 0, 0}, {-0.3, -0.5, 0}, {-0.3, 0.5, 0}};
    mesh.tets = {{0, 1, 2, 3}};
    orient_tets(mesh);
    const ParticleStructure s = structure_of_tets(mesh);
    const std::vector<ParticleMaterial> material(1);
    auto force = [&](double height) {
        std::vector<Vec3> x = s.rest;
        x[0].z() = height;
        Vec3 f = Vec3::Zero();
        for (const PairForce& p : pair_forces(s, material, {ParticleModel::spring, {}, 1000}, x))
            f += p.a == 0 ? p.elastic : p.b == 0 ? Vec3(-p.elastic) : Vec3(Vec3::Zero());
        return f.z();
    };
    EXPECT_GT(force(0.6), 0);
    EXPECT_LT(force(0.5) - force(0.6), force(0.7) - force(0.8));  // sub-linear
    EXPECT_NEAR(force(0.0), 0, 1e-9);
    EXPECT_LT(force(-0.1), 0);  // inside out it is pushed on
}

}  // namespace
}  // namespace pliant::test
