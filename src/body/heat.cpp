#include "pliant/body/heat.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr std::size_t heat_chunk = 2048;
constexpr double tolerance = 1e-10;  // of the right-hand side
constexpr int max_iterations = 1000;
constexpr double young_step = 0.01;  // relative

struct Entry {
    int row, column;
    double value;
};

/// ∫ (1 − s²/r²) over the ball of radius r.
double weighted_ball(double radius) { return 8 * std::numbers::pi / 15 * radius * radius * radius; }

}  // namespace

HeatFlow::HeatFlow(const TetMesh& mesh, std::span<const double> density, double skin_area, const HeatNumbers& numbers,
                   std::span<const double> share)
    : numbers_(numbers) {
    CHECK(density.size() == mesh.tets.size(), density.size(), mesh.tets.size());
    const std::size_t n = mesh.rest.size();
    capacity_.assign(n, 0), cooling_.assign(n, 0), volume_.assign(n, 0), diagonal_.assign(n, 0);
    std::vector<Entry> entries;
    entries.reserve(12 * mesh.tets.size());
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Tet& tet = mesh.tets[t];
        Mat3 edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        const double volume = edges.determinant() / 6 * (share.empty() ? 1 : share[t]);
        Vec3 gradient[4];
        for (int a = 0; a < 3; ++a) gradient[a + 1] = inverse.row(a);
        gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
        for (int a = 0; a < 4; ++a) {
            volume_[tet[a]] += 0.25 * volume;
            capacity_[tet[a]] += 0.25 * volume * density[t] * numbers.specific_heat;
            for (int b = 0; b < 4; ++b) {
                const double k = numbers.conductivity * volume * gradient[a].dot(gradient[b]);
                if (a == b)
                    diagonal_[tet[a]] += k;
                else
                    entries.push_back({tet[a], tet[b], k});
            }
            for (int b = a + 1; b < 4; ++b) spacing_ += (mesh.rest[tet[a]] - mesh.rest[tet[b]]).norm();
        }
    }
    spacing_ /= static_cast<double>(6 * mesh.tets.size());

    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    begin_.assign(n + 1, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool again = i > 0 && entries[i].row == entries[i - 1].row && entries[i].column == entries[i - 1].column;
        if (!again) {
            column_.push_back(entries[i].column);
            conduction_.push_back(0);
            ++begin_[entries[i].row + 1];
        }
        conduction_.back() += entries[i].value;
    }
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] += begin_[i];

    // The mesh's own boundary may be jagged (a lattice); the area that cools is that of the skin.
    const BoundarySurface boundary = boundary_surface(mesh);
    double area = 0;
    for (const Tri& t : boundary.surface.triangles) {
        const auto& p = boundary.surface.points;
        const double a = 0.5 * (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).norm();
        area += a;
        for (int corner : t) cooling_[boundary.node[corner]] += a / 3;
    }
    for (double& c : cooling_) c *= numbers.cooling * skin_area / area;
    for (auto* v : {&extra_, &rhs_, &r_, &z_, &p_, &q_}) v->assign(n, 0);
}

void HeatFlow::advance(std::span<const double> before, std::span<const Vec3> x, std::span<const HotSpot> spots,
                       double dt, std::span<double> after, Threads& threads) {
    const std::size_t n = capacity_.size();
    CHECK(before.size() == n && after.size() == n && x.size() == n && dt > 0, before.size(), after.size(), x.size(), n,
          dt);
    // Temperatures above the air's are what is solved for: then nothing to do means zeros everywhere.
    for (std::size_t i = 0; i < n; ++i) {
        after[i] = before[i] - numbers_.ambient;
        extra_[i] = capacity_[i] / dt + cooling_[i];
        rhs_[i] = capacity_[i] / dt * after[i];
    }
    for (const HotSpot& spot : spots) {
        const double warmth = spot.temperature - numbers_.ambient;
        if (warmth == 0 || !(spot.power > 0)) continue;
        const double radius = reach(spot.radius);
        double sum = 0;
        auto weight = [&](std::size_t i) {
            return volume_[i] * std::max(0.0, 1 - (x[i] - spot.at).squaredNorm() / (radius * radius));
        };
        for (std::size_t i = 0; i < n; ++i) sum += weight(i);
        if (!(sum > 0)) continue;
        const double exchange = spot.power / std::abs(warmth) / std::max(sum, weighted_ball(radius));
        for (std::size_t i = 0; i < n; ++i) {
            const double g = exchange * weight(i);
            extra_[i] += g;
            rhs_[i] += g * warmth;
        }
    }

    auto sum_of = [&](auto&& term) {
        return parallel_sum(threads, n, heat_chunk, 0.0, [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) sum += term(i);
            return sum;
        });
    };
    auto multiply = [&](const auto& v, std::vector<double>& out) {
        parallel_for(threads, n, heat_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                double sum = (extra_[i] + diagonal_[i]) * v[i];
                for (int k = begin_[i]; k < begin_[i + 1]; ++k) sum += conduction_[k] * v[column_[k]];
                out[i] = sum;
            }
        });
    };
    auto precondition = [&](std::size_t i) { return r_[i] / (extra_[i] + diagonal_[i]); };

    // Conjugate gradients from the temperatures before.
    multiply(after, q_);
    for (std::size_t i = 0; i < n; ++i) r_[i] = rhs_[i] - q_[i];
    const double size = sum_of([&](std::size_t i) { return rhs_[i] * rhs_[i] / (extra_[i] + diagonal_[i]); });
    double rz = sum_of([&](std::size_t i) { return r_[i] * precondition(i); });
    std::fill(p_.begin(), p_.end(), 0.0);
    double beta = 0;
    for (iterations_ = 0; iterations_ < max_iterations && rz > tolerance * tolerance * size; ++iterations_) {
        for (std::size_t i = 0; i < n; ++i) p_[i] = precondition(i) + beta * p_[i];
        multiply(p_, q_);
        const double alpha = rz / sum_of([&](std::size_t i) { return p_[i] * q_[i]; });
        for (std::size_t i = 0; i < n; ++i) after[i] += alpha * p_[i], r_[i] -= alpha * q_[i];
        const double next = sum_of([&](std::size_t i) { return r_[i] * precondition(i); });
        beta = next / rz;
        rz = next;
    }
    // What the solver left over in the sum is heat: an even shift gives it back, so that energy is kept to rounding.
    const double shift =
        sum_of([&](std::size_t i) { return r_[i]; }) / sum_of([&](std::size_t i) { return extra_[i]; });
    for (std::size_t i = 0; i < n; ++i) after[i] += shift + numbers_.ambient;
}

double HeatFlow::reach(double radius) const { return std::max(radius, 0.75 * spacing_); }

double HeatFlow::power_to_warm(double radius, double temperature, double seconds) const {
    double capacity = 0, volume = 0;
    for (std::size_t i = 0; i < capacity_.size(); ++i) capacity += capacity_[i], volume += volume_[i];
    return std::abs(temperature - numbers_.ambient) * capacity / volume * weighted_ball(reach(radius)) / seconds;
}

double HeatFlow::energy(std::span<const double> temperature) const {
    double sum = 0;
    for (std::size_t i = 0; i < capacity_.size(); ++i) sum += capacity_[i] * (temperature[i] - numbers_.ambient);
    return sum;
}

double element_temperature(std::span<const double> temperature, const Tet& tet) {
    return 0.25 * (temperature[tet[0]] + temperature[tet[1]] + temperature[tet[2]] + temperature[tet[3]]);
}

double Heat::softness(double temperature) const {
    const HeatRow row = table.at(temperature);
    return row.young ? *row.young / young : 1;
}

double Heat::stepped_softness(double temperature) const {
    return std::exp(young_step * std::round(std::log(softness(temperature)) / young_step));
}

double surface_area(const TriMesh& surface) {
    const std::vector<Vec3>& p = surface.points;
    double sum = 0;
    for (const Tri& t : surface.triangles) sum += (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).norm() / 2;
    return sum;
}

}  // namespace pliant
