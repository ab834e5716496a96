#pragma once
// The vibration modes of a body: frequencies, shapes and the masses they belong to. Made by modal/decompose.hpp,
// stored by io/modes_file.hpp, played by modal/oscillators.hpp and by the sound room.

#include <cstdint>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// Rayleigh damping: C = alpha·M + beta·K (Hauser et al. 2003, eq. 2, where they are α₂ and α₁).
struct Damping {
    double alpha = 0;  ///< 1/s. Too large: low modes creep back instead of swinging.
    double beta = 0;   ///< s. Too large: high modes creep. Metals about 1e-7, wood about 1e-5.
};

/// Elastic modes only: what the body does as a rigid one is counted in `rigid` and left to a rigid frame.
struct ModalBasis {
    std::vector<Vec3> rest;          ///< m
    std::vector<Tet> tets;           ///< over which shapes are linear; a quadratic element appears as eight
    std::vector<double> mass;        ///< lumped, kg per node
    std::vector<std::uint8_t> held;  ///< per node: 1 where all motion was taken out beforehand; empty: nowhere
    std::vector<double> lambda;      ///< eigenvalues, rad²/s², ascending
    Eigen::MatrixXd shape;           ///< 3·nodes × modes, x y z of a node in a row; φᵀ·M·φ = 1, unit 1/√kg
    int rigid = 0;                   ///< motions that cost no energy: six per free part
    int parts = 1;                   ///< of the mesh, joined by shared nodes
    double young = 0;                ///< Pa; of the first region where there are several
    double poisson = 0;
    double density = 0;  ///< kg/m³
    double alpha = 0;    ///< Damping::alpha, 1/s
    double beta = 0;     ///< Damping::beta, s
    /// Largest ‖Kφ − λMφ‖ / ‖λMφ‖ found when the modes were computed.
    double residual = 0;
    /// The count of eigenvalues below the last mode (Sturm) agreed with what was found: none is missing.
    bool complete = false;

    int node_count() const { return static_cast<int>(rest.size()); }
    int mode_count() const { return static_cast<int>(lambda.size()); }
    /// Displacement of a node in a mode of unit amplitude.
    Vec3 shape_at(int node, int mode) const { return shape.block<3, 1>(3 * node, mode); }
};

/// Re ω of eq. 6, 1/s, positive: amplitudes fall as exp(-decay·t).
double decay(const ModalBasis& basis, int mode);
/// |Im ω| / 2π of eq. 6: what is heard. 0 for a mode damped beyond swinging.
double frequency_hz(const ModalBasis& basis, int mode);
/// √λ / 2π, without damping.
double undamped_hz(const ModalBasis& basis, int mode);
/// Seconds until the amplitude has fallen by 60 dB; infinite without damping.
double t60(const ModalBasis& basis, int mode);

/// The basis of the same shape with another density (kg/m³), all stiffnesses times `stiffness_factor`, and other
/// damping, without a new decomposition (O'Brien, Shen & Gatchalian 2002, section 3.3).
ModalBasis rescaled(const ModalBasis& basis, double density, double stiffness_factor, const Damping& damping);

/// The first `count` modes only.
ModalBasis truncated(const ModalBasis& basis, int count);
/// The modes with these numbers, in this order.
ModalBasis selected(const ModalBasis& basis, const std::vector<int>& modes);

}  // namespace pliant
