#include "pliant/fem/shell.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/plane_stress.hpp"

namespace pliant {

namespace {

using Mat32 = Eigen::Matrix<double, 3, 2>;

/// Triangles flatter than this share of their area at rest have no normal to speak of: it fades away below.
constexpr double least_area = 1e-3;

/// The corner of the edge element that is the k-th corner (a, b, third) of its triangle on a side.
int corner_of(int side, int k) { return k < 2 ? k : 2 + side; }

Mat32 deformation(std::span<const Vec3> x, const ShellEdge& e, int side) {
    Mat32 F = Mat32::Zero();
    for (int k = 0; k < 3; ++k) F += x[e.node[corner_of(side, k)]] * e.gradient[side][k].transpose();
    return F;
}

Eigen::Matrix2d mean_metric(std::span<const Vec3> x, const ShellEdge& e, Mat32 F[2]) {
    Eigen::Matrix2d C = Eigen::Matrix2d::Zero();
    for (int side = 0; side < e.sides(); ++side) {
        F[side] = deformation(x, e, side);
        C += e.share[side] * F[side].transpose() * F[side];
    }
    return C;
}

/// Angle between the normals of an edge's two triangles, positive where the surface is convex seen from its front.
double hinge_angle(std::span<const Vec3> x, const ShellEdge& e) {
    const Vec3 &a = x[e.node[0]], &b = x[e.node[1]], &c = x[e.node[2]], &d = x[e.node[3]];
    const Vec3 m = (b - a).cross(c - a), n = (a - b).cross(d - b);
    const double length = (b - a).norm();
    if (!(length > 0)) return 0;
    const double sine = m.cross(n).dot(b - a) / length, cosine = m.dot(n);
    return sine == 0 && cosine == 0 ? 0 : std::atan2(sine, cosine);
}

/// The same with its gradient (Bridson et al. 2003). Of a triangle that has no area left: none.
double hinge_angle(std::span<const Vec3> x, const ShellEdge& e, Vec3 gradient[4]) {
    const Vec3 &a = x[e.node[0]], &b = x[e.node[1]], &c = x[e.node[2]], &d = x[e.node[3]];
    const Vec3 edge = b - a, m = edge.cross(c - a), n = (a - b).cross(d - b);
    const double length = edge.norm(), mm = m.squaredNorm(), nn = n.squaredNorm();
    for (int k = 0; k < 4; ++k) gradient[k].setZero();
    // Heights over the edge below a thousandth of the edge: such a hinge could turn any way.
    const double least = std::pow(least_area * length * length, 2);
    if (!(length > 0) || !(mm > least) || !(nn > least)) return hinge_angle(x, e);
    const Vec3 u = m * (length / mm), w = n * (length / nn);
    const double tc = (c - a).dot(edge) / (length * length), td = (d - a).dot(edge) / (length * length);
    gradient[2] = -u, gradient[3] = -w;
    gradient[0] = (1 - tc) * u + (1 - td) * w;
    gradient[1] = tc * u + td * w;
    return hinge_angle(x, e);
}

/// The angle from `from` to `to`, in (−π, π]: hinges may pass the straight fold.
double turned(double to, double from) { return std::remainder(to - from, 2 * M_PI); }

/// Where the three slopes of a triangle come from: its normal, and the derivative of the surface across each edge.
struct Bent {
    Vec3 normal, across[3];
    double length;  ///< of the unnormalised normal, floored
    double slope[3];
};

Bent bent(std::span<const Vec3> x, const ShellBend& b) {
    Bent out;
    const Vec3 n = (x[b.node[1]] - x[b.node[0]]).cross(x[b.node[2]] - x[b.node[0]]);
    const double floor = least_area * 2 * b.area;
    out.length = std::sqrt(n.squaredNorm() + floor * floor);
    out.normal = n / out.length;
    const Vec3 origin = x[b.node[0]];  // weights add up to zero: differences lose less
    for (int i = 0; i < 3; ++i) {
        out.across[i] = b.kept[i];
        for (int j = 1; j < b.count; ++j) out.across[i] += b.weight[i][j] * (x[b.node[j]] - origin);
        out.slope[i] = out.normal.dot(out.across[i]);
    }
    return out;
}

double bending_modulus(const ElementMaterial& m, const ShellOptions& o) {
    const double whole = o.bending_stiffness > 0 ? o.bending_stiffness * (1 - m.poisson * m.poisson)
                                                 : m.young * std::pow(o.thickness, 3) / 12;
    return whole;  // D (1 − ν²): the coupling of ShellBend has the rest
}

}  // namespace

Shell::Shell(std::vector<Vec3> rest, std::vector<Tri> triangles, std::vector<ElementMaterial> material,
             ShellOptions options)
    : options_(std::move(options)),
      law_(options_.law ? options_.law : &material_laws().entries().front()),
      law_numbers_(options_.law_numbers.empty() ? law_->default_numbers() : options_.law_numbers),
      rest_(std::move(rest)),
      triangles_(std::move(triangles)) {
    CHECK(!triangles_.empty() && material.size() == triangles_.size(), triangles_.size(), material.size());
    CHECK(options_.thickness > 0 && (law_->isotropic || law_->hooke), options_.thickness, law_->name);
    edges_ = shell_edges(rest_, triangles_);
    std::vector<double> poisson;
    for (const ElementMaterial& m : material) poisson.push_back(m.poisson);
    if (options_.bending == Bending::smooth) {
        std::vector<char> clamped;
        if (options_.clamped)
            for (const ShellEdge& e : edges_)
                clamped.push_back(options_.clamped(rest_[e.node[0]]) && options_.clamped(rest_[e.node[1]]));
        bends_ = shell_bends(rest_, triangles_, edges_, poisson, clamped);
    }
    set_material(std::move(material));
    set_elements();
    set_rows();
}

void Shell::set_material(std::vector<ElementMaterial> material) {
    CHECK(material.size() == triangles_.size(), material.size(), triangles_.size());
    material_ = std::move(material);
    mass_.assign(rest_.size(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (int i : triangles_[t])
            mass_[i] += material_[t].density * options_.thickness * area(static_cast<int>(t)) / 3;
    edge_lame_.assign(edges_.size(), {});
    edge_stiffness_.assign(edges_.size(), 0);
    double stiffness = 0, total = 0, length = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const ShellEdge& edge = edges_[e];
        double bending = 0;
        for (int side = 0; side < edge.sides(); ++side) {
            const ElementMaterial& m = material_[edge.triangle[side]];
            const Lame own = lame(m.young, m.poisson);
            edge_lame_[e].lambda += edge.share[side] * own.lambda, edge_lame_[e].mu += edge.share[side] * own.mu;
            bending += edge.share[side] * bending_modulus(m, options_) / (1 - m.poisson * m.poisson);
        }
        // E = D l²/(A₀ + A₁) θ²: right for cylinders of any direction if edges of all directions are as frequent.
        if (edge.sides() == 2) edge_stiffness_[e] = bending * edge.length * edge.length / (3 * edge.area);
        const double modulus = (edge_lame_[e].lambda + 4 * edge_lame_[e].mu) * options_.thickness * edge.area;
        for (int side = 0; side < edge.sides(); ++side)
            for (const Vec2& g : edge.gradient[side]) stiffness += modulus * edge.share[side] * g.squaredNorm() / 3;
        length += edge.length;
    }
    bend_stiffness_.clear();
    for (const ElementMaterial& m : material_) bend_stiffness_.push_back(bending_modulus(m, options_));
    for (const ShellEdge& edge : edges_)  // ripples, in the order of shell_bends()
        if (edge.sides() == 2)
            bend_stiffness_.push_back(edge.share[0] * bend_stiffness_[edge.triangle[0]] +
                                      edge.share[1] * bend_stiffness_[edge.triangle[1]]);
    for (double m : mass_) total += m;
    stiffness_per_mass_ = stiffness / total;
    spacing_ = length / static_cast<double>(edges_.size());
    Box box;
    for (const Vec3& p : rest_) box.add(p);
    diameter_ = box.diagonal();
}

void Shell::set_damping(double mass_damping, double stiffness_damping) {
    options_.mass_damping = mass_damping, options_.stiffness_damping = stiffness_damping;
}

double Shell::area(int t) const {
    const Tri& tri = triangles_[t];
    return 0.5 * (rest_[tri[1]] - rest_[tri[0]]).cross(rest_[tri[2]] - rest_[tri[0]]).norm();
}

void Shell::set_elements() {
    edge_force_.assign(4 * edges_.size(), Vec3::Zero());
    edge_mode_.assign(4 * edge_modes * edges_.size(), Vec3::Zero());
    edge_tension_.assign(6 * edges_.size(), 0);
    bend_begin_.assign(1, 0);
    for (const ShellBend& b : bends_) bend_begin_.push_back(bend_begin_.back() + b.count);
    bend_force_.assign(bend_begin_.back(), Vec3::Zero());
    bend_mode_.assign(bend_modes * bend_begin_.back(), Vec3::Zero());
    angle_.assign(options_.bending == Bending::hinge ? edges_.size() : 0, 0);
    for (std::size_t e = 0; e < angle_.size(); ++e)
        if (edges_[e].sides() == 2) angle_[e] = hinge_angle(rest_, edges_[e]);
    slope_.resize(bends_.size());
    for (std::size_t t = 0; t < bends_.size(); ++t) {
        const Bent b = bent(rest_, bends_[t]);
        std::copy(b.slope, b.slope + 3, slope_[t].begin());
    }
}

double Shell::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const ShellEdge& edge = edges_[e];
        Mat32 F[2];
        const Eigen::Matrix2d C = mean_metric(x, edge, F);
        sum += options_.thickness * edge.area * plane_stress(*law_, law_numbers_.data(), edge_lame_[e], C).energy;
        if (!angle_.empty() && edge.sides() == 2)
            sum += edge_stiffness_[e] * std::pow(turned(hinge_angle(x, edge), hinge_rest_angle(e)), 2);
    }
    for (std::size_t t = 0; t < bends_.size(); ++t) {
        const Bent b = bent(x, bends_[t]);
        Vec3 change;
        for (int i = 0; i < 3; ++i)
            change[i] = b.slope[i] - slope_[t][i] - (3 * t + i < lasting_.size() ? lasting_[3 * t + i] : 0);
        sum += 0.5 * bends_[t].area * bend_stiffness_[t] * change.dot(bends_[t].coupling * change);
    }
    return sum;
}

void Shell::edge_element(std::span<const Vec3> x, int e, bool with_tangent) {
    const ShellEdge& edge = edges_[e];
    Mat32 F[2];
    const Eigen::Matrix2d C = mean_metric(x, edge, F);
    const PlaneStress law = plane_stress(*law_, law_numbers_.data(), edge_lame_[e], C);
    const double volume = options_.thickness * edge.area;
    Vec3* force = &edge_force_[4 * std::size_t(e)];
    for (int k = 0; k < 4; ++k) force[k].setZero();
    for (int side = 0; side < edge.sides(); ++side) {
        const Mat32 P = volume * edge.share[side] * F[side] * law.stress;
        for (int k = 0; k < 3; ++k) force[corner_of(side, k)] -= P * edge.gradient[side][k];
    }
    const bool hinge = !angle_.empty() && edge.sides() == 2;
    Vec3 turn[4];
    if (hinge) {
        const double bend = turned(hinge_angle(x, edge, turn), hinge_rest_angle(e));
        for (int k = 0; k < 4; ++k) force[k] -= 2 * edge_stiffness_[e] * bend * turn[k];
    }
    if (!with_tangent) return;

    // Modes: rows of √(V D) times the change of strain (xx, yy, 2xy) with each corner.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(law.tangent);
    const Eigen::Matrix3d root =
        (volume * eigen.eigenvalues().cwiseMax(0.0)).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
    Eigen::Matrix3d strain[4];  // per corner: strain by coordinate
    for (auto& s : strain) s.setZero();
    double tension[6] = {0, 0, 0, 0, 0, 0};
    // Tension stiffens, which is kept; pressure softens, which would make the matrix indefinite.
    const Eigen::Matrix2d tensile = positive_part(law.stress);
    for (int side = 0; side < edge.sides(); ++side)
        for (int k = 0; k < 3; ++k) {
            const Vec2& g = edge.gradient[side][k];
            Eigen::Matrix3d& s = strain[corner_of(side, k)];
            const double share = edge.share[side];
            s.row(0) += share * g[0] * F[side].col(0).transpose();
            s.row(1) += share * g[1] * F[side].col(1).transpose();
            s.row(2) += share * (g[0] * F[side].col(1) + g[1] * F[side].col(0)).transpose();
            for (int l = k + 1; l < 3; ++l)
                tension[pair_of[corner_of(side, k)][corner_of(side, l)]] +=
                    volume * share * g.dot(tensile * edge.gradient[side][l]);
        }
    Vec3* mode = &edge_mode_[4 * edge_modes * std::size_t(e)];
    const double spring = hinge ? std::sqrt(2 * edge_stiffness_[e]) : 0;
    for (int k = 0; k < 4; ++k) {
        const Eigen::Matrix3d m = root * strain[k];
        for (int i = 0; i < 3; ++i) mode[edge_modes * k + i] = m.row(i).transpose();
        mode[edge_modes * k + 3] = hinge ? Vec3(spring * turn[k]) : Vec3(Vec3::Zero());
    }
    std::copy(tension, tension + 6, &edge_tension_[6 * std::size_t(e)]);
}

void Shell::bend_element(std::span<const Vec3> x, int t, bool with_tangent) {
    const ShellBend& bend = bends_[t];
    const Bent b = bent(x, bend);
    Vec3 change;
    for (int i = 0; i < 3; ++i)
        change[i] = b.slope[i] - slope_[t][i] -
                    (3 * std::size_t(t) + i < lasting_.size() ? lasting_[3 * std::size_t(t) + i] : 0);
    const double factor = bend.area * bend_stiffness_[t];
    const Vec3 moment = factor * (bend.coupling * change);
    Vec3 gradient[3][ShellBend::most_nodes];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < bend.count; ++j) gradient[i][j] = bend.weight[i][j] * b.normal;
        const Vec3 q = (b.across[i] - b.slope[i] * b.normal) / b.length;
        for (int k = 0; k < 3; ++k) gradient[i][k] += (x[bend.node[(k + 1) % 3]] - x[bend.node[(k + 2) % 3]]).cross(q);
    }
    Vec3* force = &bend_force_[bend_begin_[t]];
    for (int j = 0; j < bend.count; ++j)
        force[j] = -(moment[0] * gradient[0][j] + moment[1] * gradient[1][j] + moment[2] * gradient[2][j]);
    if (!with_tangent) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(bend.coupling);
    const Eigen::Matrix3d root =
        (factor * eigen.eigenvalues().cwiseMax(0.0)).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
    Vec3* mode = &bend_mode_[bend_modes * bend_begin_[t]];
    for (int j = 0; j < bend.count; ++j)
        for (int m = 0; m < 3; ++m)
            mode[bend_modes * j + m] =
                root(m, 0) * gradient[0][j] + root(m, 1) * gradient[1][j] + root(m, 2) * gradient[2][j];
}

void Shell::elements(std::span<const Vec3> x, bool with_tangent, Threads& threads) {
    parallel_for(threads, edges_.size(), 128, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) edge_element(x, static_cast<int>(e), with_tangent);
    });
    parallel_for(threads, bends_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) bend_element(x, static_cast<int>(t), with_tangent);
    });
}

void Shell::forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads) {
    CHECK(x.size() == rest_.size() && out.size() == x.size(), x.size(), out.size());
    elements(x, false, threads);
    for (int row = 0; row < system_.rows; ++row) out[system_.node_of_row[row]] = gathered_force(row);
}

void Shell::crease(std::span<const Vec3> x, const ShellCreases& creases, Threads& threads) {
    lasting_.resize(angle_.empty() ? (bends_.empty() ? 0 : 3 * triangles_.size()) : angle_.size(), 0);
    // What exceeds the yield goes over; strain at the face is curvature times t/2.
    const auto flow = [&](double elastic, double per_strain, double& lasting) {
        const double yield = creases.yield * per_strain, most = creases.max * per_strain;
        if (std::abs(elastic) > yield)
            lasting = std::clamp(lasting + elastic - std::copysign(yield, elastic), -most, most);
    };
    const double face = 2 / options_.thickness;  // curvature per strain, 1/m
    parallel_for(threads, angle_.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e)
            if (edges_[e].sides() == 2)
                flow(turned(hinge_angle(x, edges_[e]), hinge_rest_angle(e)),
                     face * 2 * edges_[e].area / edges_[e].length, lasting_[e]);
    });
    parallel_for(threads, bends_.empty() ? 0 : triangles_.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Bent b = bent(x, bends_[t]);
            for (int i = 0; i < 3; ++i) {
                double& lasting = lasting_[3 * t + i];
                flow(b.slope[i] - slope_[t][i] - lasting, face, lasting);
            }
        }
    });
}

double Shell::membrane_stress(std::span<const Vec3> x, int t) const {
    const Tri& tri = triangles_[t];
    const double length = (rest_[tri[1]] - rest_[tri[0]]).norm();
    const Vec3 e1 = (rest_[tri[1]] - rest_[tri[0]]) / length, third = rest_[tri[2]] - rest_[tri[0]];
    const double s = third.dot(e1), h = (third - s * e1).norm();
    Mat32 F;
    F.col(0) = (x[tri[1]] - x[tri[0]]) / length;
    F.col(1) = (x[tri[2]] - x[tri[0]] - s * F.col(0)) / h;
    const Eigen::Matrix2d C = F.transpose() * F;
    const ElementMaterial& m = material_[t];
    const Eigen::Matrix2d S = plane_stress(*law_, law_numbers_.data(), lame(m.young, m.poisson), C).stress;
    return std::sqrt(std::max(0.0, S(0, 0) * S(0, 0) - S(0, 0) * S(1, 1) + S(1, 1) * S(1, 1) + 3 * S(0, 1) * S(0, 1)));
}

double Shell::bending_strain(std::span<const Vec3> x, int t) const {
    if (bends_.empty()) return 0;
    const Bent b = bent(x, bends_[t]);
    double most = 0;
    for (int i = 0; i < 3; ++i) most = std::max(most, std::abs(b.slope[i] - slope_[t][i]));
    return 0.5 * options_.thickness * most;
}

}  // namespace pliant
