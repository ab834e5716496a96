// Every elastic law through the pass over the elements, the rows and the step: found by the list, none is named here.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <iostream>

#include "fem/scene.hpp"
#include "pliant/fem/law_pass.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/law_entry.hpp"
#include "pliant/material/material.hpp"

namespace pliant {
namespace {

struct LawBody {
    LawBody(TetMesh m, const SolidOptions& options, std::uint64_t seed = 5)
        : mesh(std::move(m)), material(random_material(mesh, seed)), solid(mesh, material, options) {}
    TetMesh mesh;
    std::vector<ElementMaterial> material;
    Solid solid;
};

TetMesh law_mesh(std::uint64_t seed) { return crumpled(bar_mesh(4, 3, 2, Vec3::Zero(), Vec3(2, 1.5, 1)), 0.2, seed); }

/// A·u of the assembled system, without the mass.
std::vector<Vec3> stiffness_times(const Solid& solid, const std::vector<Vec3>& u) {
    const BlockSystem& a = solid.system();
    std::vector<Vec3> out(u.size(), Vec3::Zero());
    for (int row = 0; row < a.rows; ++row)
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot) {
            const int to = a.neighbour(slot, row % 8);
            if (to == row) continue;
            Mat3 K;
            for (int e = 0; e < 9; ++e) K(e / 3, e % 3) = a.block[72L * slot + 8 * e + row % 8];
            const int i = a.node_of_row[row];
            out[i] += K * (u[a.node_of_row[to]] - u[i]);
        }
    return out;
}

// Forces of a step are those of the plain law at x + dt·v, and the matrix is dt(dt + β) times its positive tangent.
TEST(ElasticLaws, PassAgreesWithThePlainLaw) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4})
        for (const MaterialLaw& law : material_laws().entries()) {
            if (!kernel_level_available(level) || law.hooke) continue;
            LawBody b(law_mesh(11), {.law = &law, .stiffness_damping = 0.03});
            set_kernel_level(b.solid, level);
            const std::vector<Vec3> x = deformed(b.mesh, 0.2, 3), v = random_vectors(x.size(), 3, 4),
                                    none(x.size(), Vec3::Zero()), u = random_vectors(x.size(), 1, 9);
            const double dt = 0.02;
            Threads threads(2);
            StageTimes times;
            b.solid.assemble(x, v, {.dt = dt, .force = none, .prescribed = {}}, threads, times);
            const std::vector<double> numbers = law.default_numbers();
            std::vector<Vec3> force(x.size(), Vec3::Zero()), product(x.size(), Vec3::Zero());
            for (int t = 0; t < b.mesh.tet_count(); ++t) {
                Mat3 edges;
                const Tet& tet = b.mesh.tets[t];
                for (int a = 0; a < 3; ++a) edges.col(a) = b.mesh.rest[tet[a + 1]] - b.mesh.rest[tet[0]];
                const Mat3 inverse = edges.inverse();
                const double volume = edges.determinant() / 6;
                const auto gradient = [&](const std::vector<Vec3>& field) {
                    Mat3 spread;
                    for (int a = 0; a < 3; ++a) spread.col(a) = field[tet[a + 1]] - field[tet[0]];
                    return Mat3(spread * inverse);
                };
                const Mat3 G = gradient(v), F = gradient(x) + dt * G, H = gradient(u);
                const Lame m = lame(b.material[t].young, b.material[t].poisson);
                const Tangent C = law.projected_tangent(m, numbers.data(), F);
                using Vec9 = Eigen::Matrix<double, 9, 1>;
                const Vec9 damped = C * Eigen::Map<const Vec9>(G.data()), turned = C * Eigen::Map<const Vec9>(H.data());
                const Mat3 P = law.stress(m, numbers.data(), F) + 0.03 * Eigen::Map<const Mat3>(damped.data());
                for (int a = 0; a < 4; ++a) {
                    const Vec3 g = a > 0 ? Vec3(inverse.row(a - 1)) : Vec3(-inverse.colwise().sum().transpose());
                    force[tet[a]] -= dt * volume * (P * g);
                    product[tet[a]] += dt * (dt + 0.03) * volume * (Eigen::Map<const Mat3>(turned.data()) * g);
                }
            }
            const std::vector<Vec3> found = stiffness_times(b.solid, u);
            double force_error = 0, force_size = 0, product_error = 0, product_size = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const Vec3 r = b.solid.system().at(b.solid.system().r, b.solid.system().row_of_node[i]);
                force_error = std::max(force_error, (r - force[i]).norm()),
                force_size = std::max(force_size, force[i].norm());
                product_error = std::max(product_error, (found[i] - product[i]).norm());
                product_size = std::max(product_size, product[i].norm());
            }
            std::cout << "x86-64-v" << 2 + int(level) << ", " << law.name << ": forces differ by "
                      << force_error / force_size << ", the matrix by " << product_error / product_size << "\n";
            EXPECT_LT(force_error, 1e-6 * force_size) << law.name;  // the damping is found in floats
            EXPECT_LT(product_error, 1e-5 * product_size) << law.name;
        }
}

TEST(ElasticLaws, PatchTestAndForcesThatSumToZero) {
    for (const MaterialLaw& law : material_laws().entries()) {
        double worst = 0, sum = 0;
        for (int k = 0; k < 5; ++k) {
            TetMesh mesh = law_mesh(20 + k);
            Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e5, 0.3, 1000}), {.law = &law});
            Mat3 F = Mat3::Identity();
            for (int e = 0; e < 9; ++e) F(e) += 0.2 * random_vectors(9, 1, 40 + k)[e][0];
            std::vector<Vec3> x, out(mesh.rest.size());
            for (const Vec3& p : mesh.rest) x.push_back(F * p);
            solid.internal_force(x, out);
            const TetMesh even = bar_mesh(4, 3, 2, Vec3::Zero(), Vec3(2, 1.5, 1));
            const Box box = even.bounds();
            std::vector<char> outside(x.size(), 0);
            for (std::size_t i = 0; i < x.size(); ++i)
                for (int c = 0; c < 3; ++c)
                    outside[i] |= even.rest[i][c] == box.min[c] || even.rest[i][c] == box.max[c];
            double size = 0;
            Vec3 total = Vec3::Zero();
            for (std::size_t i = 0; i < x.size(); ++i) size = std::max(size, out[i].norm()), total += out[i];
            for (std::size_t i = 0; i < x.size(); ++i)
                if (!outside[i]) worst = std::max(worst, out[i].norm() / size);
            sum = std::max(sum, total.norm() / size);
        }
        std::cout << law.name << ": forces inside a homogeneous body " << worst << ", their sum " << sum << "\n";
        EXPECT_LT(worst, 1e-10) << law.name;
        EXPECT_LT(sum, 1e-10) << law.name;
    }
}

// Collapsed, mirrored and random starts: never a number that is not finite. From random places within the body's size,
// laws whose energy grows with the fourth power of the stretches at most come back. That of neo_hookean grows with the
// sixth, and one Newton iteration a step without line search overshoots ever further: docs/elasticity.md says so.
TEST(ElasticLaws, TortureStartsStayFinite) {
    for (const MaterialLaw& law : material_laws().entries())
        for (double dt : {1e-4, 1e-2, 1.0})
            for (int start = 0; start < 4; ++start) {
                LawBody b(law_mesh(7), {.law = &law});
                std::vector<Vec3> x = b.mesh.rest, v(x.size(), Vec3::Zero());
                const std::vector<Vec3> none = v, noise = random_vectors(x.size(), 1, 3);
                for (std::size_t i = 0; i < x.size(); ++i)
                    x[i] = start == 0   ? Vec3(1e-9 * noise[i])
                           : start == 1 ? Vec3(-x[i].x(), x[i].y(), x[i].z())
                                        : Vec3((start == 2 ? 100 : 1) * noise[i]);
                Threads threads(1);
                StageTimes times;
                Solid* one = &b.solid;
                bool finite = true;
                const double before = b.solid.elastic_energy(x);
                for (int step = 0; step < 60; ++step) {
                    b.solid.assemble(x, v, {.dt = dt, .force = none, .prescribed = {}}, threads, times);
                    solve({&one, 1}, {}, {.iterations = 50}, threads, times);
                    b.solid.velocity(v);
                    for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i], finite &= x[i].allFinite();
                }
                EXPECT_TRUE(finite) << law.name << ", dt " << dt << ", start " << start;
                EXPECT_TRUE(std::isfinite(b.solid.elastic_energy(x)));
                const double after = b.solid.elastic_energy(x);
                if (start >= 2)
                    std::cout << law.name << ", dt " << dt << ", random start x " << (start == 2 ? 100 : 1)
                              << ": energy " << before << " J, then " << after << " J\n";
                if (law.resists_inversion && law.name != "neo_hookean" && start == 3) {
                    EXPECT_LT(after, before) << law.name << ", dt " << dt;
                }
            }
}

/// A law of one file, which is in no list: a cubic resistance to stretch, ψ = μ/2 Σ (s² − 1)² with no Poisson effect.
struct Quartic {
    static constexpr LawFacts facts{.name = "quartic",
                                    .doc = "for a test",
                                    .objective = true,
                                    .resists_inversion = false,
                                    .isotropic = true,
                                    .hooke = false,
                                    .keys = nullptr,
                                    .key_count = 0};
    template <class V>
    static V energy(const LawNumbers<V>& n, const Matrix<V>& F) {
        Matrix<V> E = transposed_times(F, F);
        for (int i = 0; i < 3; ++i) E(i, i) = E(i, i) - filled<V>(1);
        return filled<V>(0.5) * n.mu * inner(E, E);
    }
    template <class V>
    static Matrix<V> stress(const LawNumbers<V>& n, const Matrix<V>& F) {
        Matrix<V> E = transposed_times(F, F);
        for (int i = 0; i < 3; ++i) E(i, i) = E(i, i) - filled<V>(1);
        for (int k = 0; k < 9; ++k) E.m[k] = filled<V>(2) * n.mu * E.m[k];
        return times(F, E);
    }
    template <class V>
    static StretchTangent<V> tangent(const LawNumbers<V>& n, const V s[3]) {
        const V twice = filled<V>(2) * n.mu, zero = filled<V>(0), one = filled<V>(1);
        StretchTangent<V> K{{{zero, zero, zero, zero, zero, zero}}, {}, {}};
        for (int i = 0; i < 3; ++i) {
            const V a = s[i], b = s[(i + 1) % 3];
            K.scaling.e[i] = twice * (filled<V>(3) * a * a - one);
            K.equal[i] = twice * (a * a + a * b + b * b - one);
            K.opposite[i] = twice * (a * a - a * b + b * b - one);
        }
        return K;
    }
};

TEST(ElasticLaws, OneOfYourOwnIsOneStructAndOneLine) {
    const MaterialLaw law = law_entry<Quartic>();
    const TetMesh mesh = bar_mesh(6, 2, 2, Vec3::Zero(), Vec3(3, 1, 1));
    Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e5, 0.3, 1000}),
                {.law = &law, .pass = element_pass<Quartic>});
    // Pulled along x by s at one end while the other is held: ψ = μ/2 (s² − 1)² per volume, and nothing else moves.
    std::vector<Vec3> x = mesh.rest, v(x.size(), Vec3::Zero()), none = v;
    for (Vec3& p : x) p.x() *= 1.2;
    std::vector<char> held(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) held[i] = mesh.rest[i].x() == 0 || mesh.rest[i].x() == 3;
    Threads threads(1);
    StageTimes times;
    Solid* one = &solid;
    for (int step = 0; step < 50; ++step) {
        solid.assemble(x, v, {.dt = 0.01, .force = none, .prescribed = held}, threads, times);
        solve({&one, 1}, {}, {.iterations = 200, .tolerance = 1e-10}, threads, times);
        solid.velocity(v);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * v[i];
    }
    double moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        moved = std::max(moved, (x[i] - Vec3(1.2 * mesh.rest[i].x(), mesh.rest[i].y(), mesh.rest[i].z())).norm());
    EXPECT_LT(moved, 1e-6);
    const double mu = lame(1e5, 0.3).mu, expected = 3 * 0.5 * mu * std::pow(1.2 * 1.2 - 1, 2);
    EXPECT_NEAR(solid.elastic_energy(x), expected, 1e-6 * expected);
}

TEST(ElasticLaws, StiffBodiesConvergeWithMultigrid) {
    for (const MaterialLaw& law : material_laws().entries()) {
        const TetMesh mesh = bar_mesh(16, 8, 8, Vec3::Zero(), Vec3(2, 1, 1));
        Solid solid(mesh, std::vector<ElementMaterial>(mesh.tets.size(), {1e8, 0.33, 1000}), {.law = &law});
        std::vector<Vec3> x = mesh.rest, v(x.size(), Vec3::Zero()), force(x.size());
        std::vector<char> held(x.size(), 0);
        for (std::size_t i = 0; i < x.size(); ++i)
            held[i] = x[i].x() == 0, force[i] = Vec3(0, -9.81 * solid.mass()[i], 0);
        Threads threads(2);
        StageTimes times;
        Solid* one = &solid;
        const SolveOptions options{.iterations = 500, .tolerance = 1e-6, .preconditioner = Preconditioner::multigrid};
        int most = 0;
        for (int step = 0; step < 20; ++step) {
            solid.assemble(x, v, {.dt = 0.01, .force = force, .prescribed = held, .solve = options}, threads, times);
            most = std::max(most, solve({&one, 1}, {}, options, threads, times).iterations);
            solid.velocity(v);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * v[i];
        }
        std::cout << law.name << ": " << most << " iterations with multigrid\n";
        EXPECT_LT(most, 60) << law.name;
    }
}

}  // namespace
}  // namespace pliant
