#include "pliant/fem/shell.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/plane_stress.hpp"
#include "pliant/fem/shell_shape.hpp"

namespace pliant {

namespace {

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
    set_elements();
    set_material(std::move(material));
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
    set_stiffness();
}

void Shell::set_damping(double mass_damping, double stiffness_damping) {
    options_.mass_damping = mass_damping, options_.stiffness_damping = stiffness_damping;
}

double Shell::area(int t) const {
    const Tri& tri = triangles_[t];
    return 0.5 * (rest_[tri[1]] - rest_[tri[0]]).cross(rest_[tri[2]] - rest_[tri[0]]).norm();
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
