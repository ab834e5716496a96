#pragma once
// Points of a modal body that are told how to move (Hauser, Shen & O'Brien 2003, section 3.4.1): forces at one set of
// places that bring another set where it should be, by a pseudo-inverse.

#include <Eigen/Core>

#include "pliant/modal/oscillators.hpp"

namespace pliant {

/// Places and directions on a body: row r moves by row r of `shape` times the generalised coordinates.
struct ModalRows {
    Eigen::MatrixXd shape;  ///< rows × coordinates
};

/// Three rows (x, y, z) per node.
ModalRows rows_of_nodes(const ModalBasis& basis, std::span<const int> nodes);

/// f with (Ψ · diag(response) · Φᵀ) f = wanted, in the sense of the pseudo-inverse: as near as can be, with the least
/// force. The rank is that of the modes, so the singular values are those of a small matrix even for many points.
/// `cut`: singular values below this part of the largest count as zero. Too small: huge forces for a hair of accuracy.
Eigen::VectorXd solve_rows(const Eigen::MatrixXd& constrained, const Eigen::MatrixXd& forced,
                           const Eigen::VectorXd& response, const Eigen::VectorXd& wanted, double cut = 1e-10);

/// Eq. 13: forces (N) at `forced` that give the accelerations (m/s²) at `constrained`; g: other modal forces.
Eigen::VectorXd force_for_acceleration(const Oscillators& o, const ModalRows& constrained, const ModalRows& forced,
                                       const Eigen::VectorXd& wanted, std::span<const double> g = {});
/// Eq. 14: impulses (N·s) that give the velocities (m/s) now.
Eigen::VectorXd impulse_for_velocity(const Oscillators& o, const ModalRows& constrained, const ModalRows& forced,
                                     const Eigen::VectorXd& wanted);
/// Eq. 15 with S derived for a force held over the step: forces (N) that bring the displacements (m) about at the end.
Eigen::VectorXd force_for_position(Oscillators& o, double dt, const ModalRows& constrained, const ModalRows& forced,
                                   const Eigen::VectorXd& wanted, std::span<const double> g = {});

/// Φᵀ f as modal forces.
std::vector<double> modal_force(const ModalRows& forced, const Eigen::VectorXd& f);

}  // namespace pliant
