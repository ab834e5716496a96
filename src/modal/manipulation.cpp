#include "pliant/modal/manipulation.hpp"

#include "pliant/core/error.hpp"
#include "pliant/solve/dense.hpp"

namespace pliant {

namespace {

// A = Q·R with few columns; a wide matrix is its own R.
struct Thin {
    Eigen::MatrixXd q, r;
    bool identity;
};

Thin thin(const Eigen::MatrixXd& a) {
    if (a.rows() <= a.cols()) return {{}, a, true};
    Thin out{{}, {}, false};
    thin_qr(a, out.q, out.r);
    return out;
}

Eigen::VectorXd as_vector(const std::vector<double>& v) {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), v.size());
}

}  // namespace

ModalRows rows_of_nodes(const ModalBasis& basis, std::span<const int> nodes) {
    ModalRows rows;
    rows.shape.resize(static_cast<Eigen::Index>(3 * nodes.size()), basis.mode_count());
    for (std::size_t k = 0; k < nodes.size(); ++k)
        rows.shape.middleRows(static_cast<Eigen::Index>(3 * k), 3) = basis.shape.middleRows(3 * nodes[k], 3);
    return rows;
}

Eigen::VectorXd solve_rows(const Eigen::MatrixXd& constrained, const Eigen::MatrixXd& forced,
                           const Eigen::VectorXd& response, const Eigen::VectorXd& wanted, double cut) {
    CHECK(constrained.cols() == forced.cols() && constrained.cols() == response.size(), constrained.cols(),
          forced.cols());
    CHECK(wanted.size() == constrained.rows(), wanted.size(), constrained.rows());
    const Thin a = thin(constrained), b = thin(forced);
    const Eigen::MatrixXd core = a.r * response.asDiagonal() * b.r.transpose();
    const Eigen::VectorXd right = a.identity ? wanted : Eigen::VectorXd(a.q.transpose() * wanted);
    const Eigen::VectorXd f = pseudo_solve(core, right, cut);
    return b.identity ? f : Eigen::VectorXd(b.q * f);
}

Eigen::VectorXd force_for_acceleration(const Oscillators& o, const ModalRows& constrained, const ModalRows& forced,
                                       const Eigen::VectorXd& wanted, std::span<const double> g) {
    const Eigen::VectorXd missing = wanted - constrained.shape * as_vector(acceleration(o, g));
    return solve_rows(constrained.shape, forced.shape, Eigen::VectorXd::Ones(o.count()), missing);
}

Eigen::VectorXd impulse_for_velocity(const Oscillators& o, const ModalRows& constrained, const ModalRows& forced,
                                     const Eigen::VectorXd& wanted) {
    const Eigen::VectorXd missing = wanted - constrained.shape * as_vector(o.v);
    return solve_rows(constrained.shape, forced.shape, Eigen::VectorXd::Ones(o.count()), missing);
}

Eigen::VectorXd force_for_position(Oscillators& o, double dt, const ModalRows& constrained, const ModalRows& forced,
                                   const Eigen::VectorXd& wanted, std::span<const double> g) {
    const std::vector<ModeStep>& steps = steps_for(o, dt);
    Eigen::VectorXd free(o.count()), response(o.count());
    for (int i = 0; i < o.count(); ++i) {
        free[i] = steps[i].zz * o.z[i] + steps[i].zv * o.v[i] + steps[i].zg * (g.empty() ? 0.0 : g[i]);
        response[i] = steps[i].zg;
    }
    return solve_rows(constrained.shape, forced.shape, response, wanted - constrained.shape * free);
}

std::vector<double> modal_force(const ModalRows& forced, const Eigen::VectorXd& f) {
    const Eigen::VectorXd g = forced.shape.transpose() * f;
    return {g.data(), g.data() + g.size()};
}

}  // namespace pliant
