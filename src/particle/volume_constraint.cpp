#include "pliant/particle/volume_constraint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

namespace {

Vec3 row(const double* rows, int i) { return {rows[4L * i], rows[4L * i + 1], rows[4L * i + 2]}; }

// Gradients of a tet's volume with respect to its corners, m²: a third of the opposite face's area vector.
void volume_gradient(const double* x, const Tet& t, Vec3 (&g)[4]) {
    const Vec3 o = row(x, t[0]), a = row(x, t[1]) - o, b = row(x, t[2]) - o, c = row(x, t[3]) - o;
    g[1] = b.cross(c) / 6, g[2] = c.cross(a) / 6, g[3] = a.cross(b) / 6;
    g[0] = -(g[1] + g[2] + g[3]);
}

}  // namespace

VolumeConstraint::VolumeConstraint(std::span<const Vec3> rest, std::span<const Tet> tets, std::span<const Tri> boundary,
                                   const VolumeConstraintOptions& options)
    : options_(options),
      particles_(static_cast<int>(rest.size())),
      tets_(tets.begin(), tets.end()),
      boundary_(boundary.begin(), boundary.end()) {
    CHECK(!tets_.empty() && !boundary_.empty(), tets_.size(), boundary_.size());
    const bool local = options.kind != KeepsVolume::total;
    auto list = [&](auto& elements, int corners, std::vector<unsigned>& begin, std::vector<unsigned>& entry) {
        begin.assign(particles_ + 1, 0);
        for (const auto& e : elements)
            for (int node : e) ++begin[node + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        entry.resize(begin.back());
        std::vector<unsigned> next(begin.begin(), begin.end() - 1);
        for (std::size_t e = 0; e < elements.size(); ++e)
            for (int k = 0; k < corners; ++k) entry[next[elements[e][k]]++] = static_cast<unsigned>(corners * e + k);
    };
    list(tets_, 4, begin_, incident_);
    list(boundary_, 3, face_begin_, faces_);
    const std::size_t rows = 4 * rest.size();
    B_.assign(local ? 16 * tets_.size() : rows, 0);
    weight_.assign(rows, 1), shift_.assign(rows, 0);
    before_.assign(rows, 0), after_.assign(rows, 0), speed_.assign(rows, 0);
    per_tet_.assign(tets_.size(), 0);
    for (int i = 0; i < particles_; ++i)
        for (int k = 0; k < 3; ++k) before_[4L * i + k] = rest[i][k];
    for (const Tet& t : tets_) rest_total_ += signed_volume(rest[t[0]], rest[t[1]], rest[t[2]], rest[t[3]]);
    current(before_.data(), rest_);
    for (double v : rest_) CHECK(v > 0, v);
    lambda_.assign(constraints(), 0);
}

int VolumeConstraint::constraints() const {
    if (options_.kind == KeepsVolume::total) return 1;
    return options_.kind == KeepsVolume::elements ? static_cast<int>(tets_.size()) : particles_;
}

void VolumeConstraint::sum_to_constraints(const std::vector<double>& per_tet, std::vector<double>& out) const {
    if (options_.kind == KeepsVolume::elements) {
        out = per_tet;
        return;
    }
    out.assign(particles_, 0);
    for (int i = 0; i < particles_; ++i)
        for (unsigned e = begin_[i]; e < begin_[i + 1]; ++e) out[i] += 0.25 * per_tet[incident_[e] / 4];
}

void VolumeConstraint::current(const double* x, std::vector<double>& out) const {
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        const Tet& c = tets_[t];
        per_tet_[t] = signed_volume(row(x, c[0]), row(x, c[1]), row(x, c[2]), row(x, c[3]));
    }
    if (options_.kind == KeepsVolume::total)
        out.assign(1, std::accumulate(per_tet_.begin(), per_tet_.end(), 0.0));
    else
        sum_to_constraints(per_tet_, out);
}

double VolumeConstraint::volume(std::span<const Vec3> x) const {
    double sum = 0;
    for (const Tet& t : tets_) sum += signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
    return sum;
}

// Table 3.1, with coordinates from a corner of the body so that no digits are lost far from the origin.
void VolumeConstraint::gradients(const double* x) {
    if (options_.kind == KeepsVolume::total) {
        const Vec3 o = row(x, boundary_[0][0]);
        for (int i = 0; i < particles_; ++i) {
            Vec3 g = Vec3::Zero();
            for (unsigned e = face_begin_[i]; e < face_begin_[i + 1]; ++e) {
                const Tri& t = boundary_[faces_[e] / 3];
                const unsigned k = faces_[e] % 3;
                g += (row(x, t[(k + 1) % 3]) - o).cross(row(x, t[(k + 2) % 3]) - o) / 6;
            }
            for (int k = 0; k < 3; ++k) B_[4L * i + k] = g[k];
        }
        return;
    }
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        Vec3 g[4];
        volume_gradient(x, tets_[t], g);
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k) B_[16 * t + 4 * c + k] = g[c][k];
    }
    // The diagonal of B W Bᵀ: what conjugate gradients are preconditioned with.
    if (options_.kind == KeepsVolume::elements) {
        diagonal_.assign(tets_.size(), 0);
        for (std::size_t t = 0; t < tets_.size(); ++t)
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 3; ++k) {
                    const double b = B_[16 * t + 4 * c + k];
                    diagonal_[t] += b * b * weight_[4L * tets_[t][c] + k];
                }
    } else {
        // A particle's own gradient cancels inside the body; its tets' rows bound the diagonal well enough.
        for (std::size_t t = 0; t < tets_.size(); ++t) {
            per_tet_[t] = 0;
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 3; ++k) {
                    const double b = B_[16 * t + 4 * c + k];
                    per_tet_[t] += b * b * weight_[4L * tets_[t][c] + k];
                }
        }
        sum_to_constraints(per_tet_, diagonal_);
    }
    double most = 0;
    for (double d : diagonal_) most = std::max(most, d);
    for (double& d : diagonal_) d = std::max(d, 1e-12 * most);
}

void VolumeConstraint::times(const double* x, std::vector<double>& out) const {
    if (options_.kind == KeepsVolume::total) {
        const Vec3 o = row(x, boundary_[0][0]);  // B of a translation is zero
        double sum = 0;
        for (int i = 0; i < particles_; ++i) sum += row(B_.data(), i).dot(row(x, i) - o);
        out.assign(1, sum);
        return;
    }
    for (std::size_t t = 0; t < tets_.size(); ++t) {
        const Vec3 o = row(x, tets_[t][0]);
        double sum = 0;
        for (int c = 1; c < 4; ++c) sum += row(B_.data() + 16 * t, c).dot(row(x, tets_[t][c]) - o);
        per_tet_[t] = sum;
    }
    sum_to_constraints(per_tet_, out);
}

void VolumeConstraint::transposed(const std::vector<double>& lambda) {
    if (options_.kind == KeepsVolume::total) {
        for (std::size_t i = 0; i < shift_.size(); ++i) shift_[i] = weight_[i] * B_[i] * lambda[0];
        return;
    }
    if (options_.kind == KeepsVolume::particles) {
        for (std::size_t t = 0; t < tets_.size(); ++t) {
            per_tet_[t] = 0;
            for (int node : tets_[t]) per_tet_[t] += 0.25 * lambda[node];
        }
    } else {
        per_tet_ = lambda;
    }
    for (int i = 0; i < particles_; ++i) {
        Vec3 sum = Vec3::Zero();
        for (unsigned e = begin_[i]; e < begin_[i + 1]; ++e)
            sum += per_tet_[incident_[e] / 4] * row(B_.data(), static_cast<int>(incident_[e]));
        for (int k = 0; k < 3; ++k) shift_[4L * i + k] = weight_[4L * i + k] * sum[k];
    }
}

void VolumeConstraint::solve(const std::vector<double>& rhs) {
    iterations_ = 0;
    if (options_.kind == KeepsVolume::total) {
        double sum = 0;
        for (std::size_t i = 0; i < weight_.size(); ++i) sum += B_[i] * B_[i] * weight_[i];
        lambda_[0] = sum > 0 ? rhs[0] / sum : 0;
        return;
    }
    // B W Bᵀ is singular where constraints outnumber the freedoms; a little of its diagonal is added, so that the
    // part of the right-hand side that nothing can satisfy does not run away.
    const std::size_t n = rhs.size();
    auto apply_matrix = [&](const std::vector<double>& in, std::vector<double>& out) {
        transposed(in);
        times(shift_.data(), out);
        for (std::size_t i = 0; i < n; ++i) out[i] += 1e-3 * diagonal_[i] * in[i];
    };
    // Chains of zero elements cost nothing: the last step's λ is no better a start than zero for a correction.
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    residual_ = rhs;
    search_.resize(n), direction_.resize(n);
    double rz = 0;
    for (std::size_t i = 0; i < n; ++i) direction_[i] = residual_[i] / diagonal_[i], rz += residual_[i] * direction_[i];
    const double enough = options_.tolerance * options_.tolerance * rz;
    while (iterations_ < options_.iterations && rz > enough) {
        apply_matrix(direction_, product_);
        double pq = 0;
        for (std::size_t i = 0; i < n; ++i) pq += direction_[i] * product_[i];
        if (!(pq > 0) || !std::isfinite(pq)) break;
        const double step = rz / pq;
        double next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            lambda_[i] += step * direction_[i];
            residual_[i] -= step * product_[i];
            next += residual_[i] * residual_[i] / diagonal_[i];
        }
        for (std::size_t i = 0; i < n; ++i) direction_[i] = residual_[i] / diagonal_[i] + next / rz * direction_[i];
        rz = next;
        ++iterations_;
    }
}

void VolumeConstraint::begin(std::span<const double> weight) {
    CHECK(weight.size() == weight_.size(), weight.size(), weight_.size());
    std::copy(weight.begin(), weight.end(), weight_.begin());
    for (int i = 0; i < particles_; ++i) weight_[4L * i + 3] = 0;
}

void VolumeConstraint::linearise(std::span<const double> x) { gradients(x.data()); }

void VolumeConstraint::correct(std::span<double> x, std::span<double> v, double h) {
    times(x.data(), value_);
    for (std::size_t c = 0; c < value_.size(); ++c) value_[c] = options_.gamma * (value_[c] - 3 * rest_[c]);
    auto move = [&] {
        solve(value_);
        transposed(lambda_);
        for (std::size_t i = 0; i < shift_.size(); ++i) x[i] -= shift_[i], v[i] -= shift_[i] / h;
    };
    move();
    for (int round = 0; round < options_.newton; ++round) {
        gradients(x.data());
        times(x.data(), value_);  // three times the volume: it is of third degree, and B belongs to the same x
        for (std::size_t c = 0; c < value_.size(); ++c) value_[c] = value_[c] / 3 - rest_[c];
        move();
    }
}

void VolumeConstraint::apply(std::span<const Vec3> before, std::span<const double> mass,
                             std::span<const char> prescribed, std::span<const AxisHold> holds, double dt,
                             std::span<Vec3> x, std::span<Vec3> v) {
    for (int i = 0; i < particles_; ++i)
        for (int k = 0; k < 3; ++k) {
            before_[4L * i + k] = before[i][k], after_[4L * i + k] = x[i][k], speed_[4L * i + k] = v[i][k];
            weight_[4L * i + k] = !prescribed.empty() && prescribed[i] ? 0 : 1 / mass[i];
        }
    for (int i = 0; i < particles_; ++i) weight_[4L * i + 3] = 0;
    for (const AxisHold& hold : holds) weight_[4L * hold.particle + hold.axis] = 0;
    linearise(before_);
    correct(after_, speed_, dt);
    for (int i = 0; i < particles_; ++i) x[i] = row(after_.data(), i), v[i] = row(speed_.data(), i);
}

}  // namespace pliant
