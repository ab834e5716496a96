#pragma once
// The vibration modes of a ModalSystem: K φ = λ M φ (Hauser, Shen & O'Brien 2003, section 3.1).

#include <cstddef>
#include <functional>
#include <string>

#include "pliant/core/threads.hpp"
#include "pliant/modal/modal_basis.hpp"
#include "pliant/modal/modal_system.hpp"

namespace pliant {

/// Which modes. Exactly one of the three: `count`, `below_hz`, or the band from_hz … to_hz.
struct ModeRequest {
    int count = 0;        ///< the lowest so many elastic modes
    double below_hz = 0;  ///< all below this frequency
    double from_hz = 0, to_hz = 0;
    /// Counts the eigenvalues below the last mode by a second factorisation, so that none can have been missed.
    bool verify = true;
    Damping damping;
};

/// Known before the long part begins.
struct ModeEstimate {
    int unknowns = 0;
    int modes = 0;       ///< 0: not known yet
    bool dense = false;  ///< small enough for a full matrix
    std::size_t factor_bytes = 0, basis_bytes = 0, work_bytes = 0;
    double factor_operations = 0;
    std::size_t bytes() const { return factor_bytes + basis_bytes + work_bytes; }
};

struct ModeReport {
    ModeEstimate estimate;
    double plan_s = 0, factor_s = 0, iterate_s = 0, verify_s = 0;
    int steps = 0, restarts = 0, basis = 0;
    double shift = 0;  ///< rad²/s²
    int factorisations = 0;
    std::vector<std::string> notes;  ///< what a user should know: parts, slivers, an accuracy that was not reached
};

/// Modes with residual ‖Kφ − λMφ‖ ≤ 1e-8 ‖λMφ‖. `on_estimate` is called before memory is taken; it may throw.
/// A UserError tells of more modes than there are degrees of freedom, or of a frequency below which there are none.
ModalBasis decompose(const ModalSystem& system, const ModeRequest& request, Threads& threads,
                     ModeReport* report = nullptr, const std::function<void(const ModeEstimate&)>& on_estimate = {});

/// Motions of the free nodes that strain nothing: columns are M-orthonormal, rows 3·nodes.
Eigen::MatrixXd rigid_motions(const ModalSystem& system, int* parts = nullptr);

}  // namespace pliant
