#include "pliant/modal/modal_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/material/hooke.hpp"

namespace pliant {

namespace {

[[noreturn]] void flat(std::size_t tet) {
    throw UserError("tet " + std::to_string(tet) + " has no volume, so the mesh has no modes", {},
                    "Mesh the shape anew, for instance with `pliant mesh`, or remove the sliver.");
}

template <std::size_t N>
NodePattern pattern_of(const std::vector<std::array<int, N>>& elements, int nodes) {
    std::vector<std::vector<int>> near(nodes);
    for (const auto& element : elements)
        for (int i : element) near[i].insert(near[i].end(), element.begin(), element.end());
    NodePattern pattern;
    pattern.begin.push_back(0);
    for (auto& row : near) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        pattern.column.insert(pattern.column.end(), row.begin(), row.end());
        pattern.begin.push_back(static_cast<int>(pattern.column.size()));
        row = {};
    }
    return pattern;
}

void check_numbers(std::span<const ElasticNumbers> numbers, std::size_t elements) {
    CHECK(numbers.size() == 1 || numbers.size() == elements, numbers.size(), elements);
    for (const ElasticNumbers& e : numbers)
        CHECK(e.young > 0 && e.density > 0 && e.poisson > -1 && e.poisson < 0.5, e.young, e.density, e.poisson);
}

// Eq. 12 without its factor ½, which O'Brien and Hodgins' strain carries instead: k_ij = volume·(λ gi gjᵀ + μ gj giᵀ +
// μ gi·gj I), with g the gradients of the shape functions.
void add_stiffness(const Lame& m, double volume, const Vec3& gi, const Vec3& gj, double* block) {
    const double dot = m.mu * gi.dot(gj);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            block[3 * a + b] += volume * (m.lambda * gi[a] * gj[b] + m.mu * gi[b] * gj[a] + (a == b ? dot : 0));
}

void lump(ModalSystem& s, std::span<const ElasticNumbers> numbers, std::size_t per_element) {
    s.node_mass.assign(s.rest.size(), 0);
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const double density = numbers[numbers.size() == 1 ? 0 : t / per_element].density;
        const double m = density * signed_volume(s.rest, s.tets[t]) / 4;
        for (int node : s.tets[t]) s.node_mass[node] += m;
    }
}

// Points of the unit tet with weights that sum to 1/6: Gauss points of a cube, collapsed (Duffy); n = 4 is exact to
// degree five, more than the mass of curved elements asks for.
struct Point {
    Vec3 at;
    double weight;
};

std::vector<Point> collapsed_gauss() {
    constexpr std::array<double, 4> x{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
    constexpr std::array<double, 4> w{0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
    std::vector<Point> points;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k) {
                const double a = 0.5 + 0.5 * x[i], b = 0.5 + 0.5 * x[j], c = 0.5 + 0.5 * x[k];
                const Vec3 at(a, b * (1 - a), c * (1 - a) * (1 - b));
                points.push_back({at, w[i] * w[j] * w[k] / 8 * (1 - a) * (1 - a) * (1 - b)});
            }
    return points;
}

std::vector<Point> four_points() {
    const double a = (5 - std::sqrt(5.0)) / 20, b = 1 - 3 * a;
    return {{{a, a, a}, 1.0 / 24}, {{b, a, a}, 1.0 / 24}, {{a, b, a}, 1.0 / 24}, {{a, a, b}, 1.0 / 24}};
}

// Values and gradients (in the unit tet) of the ten shape functions.
void quadratic_shape(const Vec3& at, std::array<double, 10>& value, std::array<Vec3, 10>& gradient) {
    const std::array<double, 4> l{1 - at.sum(), at[0], at[1], at[2]};
    const std::array<Vec3, 4> g{Vec3(-1, -1, -1), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    for (int i = 0; i < 4; ++i) value[i] = l[i] * (2 * l[i] - 1), gradient[i] = (4 * l[i] - 1) * g[i];
    for (int e = 0; e < 6; ++e) {
        const auto [i, j] = tet_edges[e];
        value[4 + e] = 4 * l[i] * l[j];
        gradient[4 + e] = 4 * (l[i] * g[j] + l[j] * g[i]);
    }
}

}  // namespace

int ModalSystem::unknowns() const {
    return 3 * nodes() - static_cast<int>(std::count(fixed.begin(), fixed.end(), std::uint8_t{1}));
}

ModalSystem assemble_modal(const TetMesh& mesh, std::span<const ElasticNumbers> numbers, MassKind mass) {
    check_numbers(numbers, mesh.tets.size());
    ModalSystem s;
    s.rest = mesh.rest;
    s.tets = mesh.tets;
    s.first = numbers[0];
    s.lumped = mass == MassKind::lumped;
    s.stiffness.pattern = pattern_of(mesh.tets, mesh.node_count());
    const NodePattern& pattern = s.stiffness.pattern;
    s.stiffness.block.assign(9 * pattern.column.size(), 0);
    s.mass.assign(pattern.column.size(), 0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const ElasticNumbers& e = numbers[numbers.size() == 1 ? 0 : t];
        const Lame m = lame(e.young, e.poisson);
        const Tet& tet = mesh.tets[t];
        Mat3 edges;
        double longest = 0;
        for (int k = 0; k < 3; ++k) {
            edges.col(k) = mesh.rest[tet[k + 1]] - mesh.rest[tet[0]];
            longest = std::max(longest, edges.col(k).norm());
        }
        const double six = edges.determinant();
        if (!(six > 1e-14 * longest * longest * longest)) flat(t);
        const Mat3 inverse = edges.inverse();
        std::array<Vec3, 4> g;
        g[0].setZero();
        for (int k = 0; k < 3; ++k) g[k + 1] = inverse.row(k), g[0] -= g[k + 1];
        const double volume = six / 6, whole = e.density * volume;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                const int at = pattern.find(tet[i], tet[j]);
                add_stiffness(m, volume, g[i], g[j], s.stiffness.block.data() + 9L * at);
                if (!s.lumped) s.mass[at] += whole * (i == j ? 0.1 : 0.05);
                if (s.lumped && i == j) s.mass[at] += whole / 4;
            }
    }
    lump(s, numbers, 1);
    return s;
}

ModalSystem assemble_modal(const QuadraticMesh& mesh, std::span<const ElasticNumbers> numbers) {
    check_numbers(numbers, mesh.tets.size());
    ModalSystem s;
    TetMesh pieces = linear_pieces(mesh);
    s.rest = mesh.rest;
    s.tets = std::move(pieces.tets);
    s.first = numbers[0];
    s.stiffness.pattern = pattern_of(mesh.tets, mesh.node_count());
    const NodePattern& pattern = s.stiffness.pattern;
    s.stiffness.block.assign(9 * pattern.column.size(), 0);
    s.mass.assign(pattern.column.size(), 0);
    const std::vector<Point> for_mass = collapsed_gauss(), for_stiffness = four_points();
    std::array<double, 10> value;
    std::array<Vec3, 10> reference, g;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const ElasticNumbers& e = numbers[numbers.size() == 1 ? 0 : t];
        const Lame m = lame(e.young, e.poisson);
        const Tet10& tet = mesh.tets[t];
        std::array<std::array<int, 10>, 10> at;
        for (int i = 0; i < 10; ++i)
            for (int j = 0; j < 10; ++j) at[i][j] = pattern.find(tet[i], tet[j]);
        double longest = 0;
        for (int k = 1; k < 4; ++k) longest = std::max(longest, (mesh.rest[tet[k]] - mesh.rest[tet[0]]).norm());
        auto jacobian = [&](const Point& p) {
            quadratic_shape(p.at, value, reference);
            Mat3 f = Mat3::Zero();
            for (int i = 0; i < 10; ++i) f += mesh.rest[tet[i]] * reference[i].transpose();
            if (!(f.determinant() > 1e-14 * longest * longest * longest)) flat(t);
            return f;
        };
        for (const Point& p : for_stiffness) {
            const Mat3 f = jacobian(p), back = f.inverse().transpose();
            const double volume = p.weight * f.determinant();
            for (int i = 0; i < 10; ++i) g[i] = back * reference[i];
            for (int i = 0; i < 10; ++i)
                for (int j = 0; j < 10; ++j)
                    add_stiffness(m, volume, g[i], g[j], s.stiffness.block.data() + 9L * at[i][j]);
        }
        for (const Point& p : for_mass) {
            const double dm = p.weight * jacobian(p).determinant() * e.density;
            for (int i = 0; i < 10; ++i)
                for (int j = 0; j < 10; ++j) s.mass[at[i][j]] += dm * value[i] * value[j];
        }
    }
    lump(s, numbers, 8);
    return s;
}

void fix_nodes(ModalSystem& system, std::span<const int> nodes) {
    if (nodes.empty()) return;
    if (system.fixed.empty()) system.fixed.assign(3 * system.rest.size(), 0);
    for (int node : nodes) {
        CHECK(node >= 0 && node < system.nodes(), node, system.nodes());
        for (int axis = 0; axis < 3; ++axis) system.fixed[3 * node + axis] = 1;
    }
}

void multiply_mass(const ModalSystem& system, const MultiVector& x, MultiVector& y, Threads& threads) {
    const int width = x.width;
    if (y.rows != x.rows || y.width != width) y.resize(x.rows, width);
    const NodePattern& pattern = system.stiffness.pattern;
    parallel_for(threads, system.rest.size(), 256, [&](std::size_t from, std::size_t till) {
        for (std::size_t i = from; i < till; ++i) {
            const int node = static_cast<int>(i), three = 3 * width;
            double* out = y.row(3 * node);
            std::fill(out, out + three, 0.0);
            for (int e = pattern.begin[i]; e < pattern.begin[i + 1]; ++e) {
                const double m = system.mass[e];
                if (m == 0) continue;
                const double* in = x.row(3 * pattern.column[e]);
                for (int c = 0; c < three; ++c) out[c] += m * in[c];
            }
            if (system.fixed.empty()) continue;
            for (int a = 0; a < 3; ++a)
                if (system.fixed[3 * i + a]) std::fill(out + a * width, out + (a + 1) * width, 0.0);
        }
    });
}

NodeMatrix shifted(const ModalSystem& system, double shift) {
    NodeMatrix a = system.stiffness;
    for (std::size_t e = 0; e < system.mass.size(); ++e)
        for (int k = 0; k < 3; ++k) a.block[9 * e + 4 * k] -= shift * system.mass[e];
    return a;
}

double weyl_guess(const ModalSystem& system, double wanted) {
    const ElasticNumbers& m = system.first;
    const double slow = std::sqrt(m.young / (2 * (1 + m.poisson)) / m.density), pi = std::numbers::pi;
    const double fast = slow * std::sqrt(2 * (1 - m.poisson) / (1 - 2 * m.poisson));
    TetMesh mesh;
    mesh.rest = system.rest, mesh.tets = system.tets;
    const TriMesh skin = boundary_surface(mesh).surface;
    double surface = 0;
    for (const Tri& t : skin.triangles)
        surface += 0.5 * (skin.points[t[1]] - skin.points[t[0]]).cross(skin.points[t[2]] - skin.points[t[0]]).norm();
    const double cubic = std::abs(total_volume(system.rest, system.tets)) / (6 * pi * pi) *
                         (2 / std::pow(slow, 3) + 1 / std::pow(fast, 3));
    const double square = surface / (16 * pi) * (2 / (slow * slow) + 1 / (fast * fast));
    double low = 0, high = std::cbrt(wanted / cubic);  // of ω: the surface only adds
    for (int i = 0; i < 40; ++i) {
        const double w = 0.5 * (low + high);
        (w * w * (square + w * cubic) < wanted ? low : high) = w;
    }
    return high * high;
}

}  // namespace pliant
