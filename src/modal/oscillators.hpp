#pragma once
// Damped oscillators z″ + (α + βλ) z′ + λ z = g, one per mode, advanced by their analytic solution: any step size gives
// the same motion while g is constant over the step (Hauser, Shen & O'Brien 2003, eqs. 4 to 11).

#include <span>
#include <vector>

#include "pliant/modal/modal_basis.hpp"

namespace pliant {

/// What one step of length dt does to a mode: z⁺ = zz·z + zv·v + zg·g, v⁺ = vz·z + vv·v + vg·g.
struct ModeStep {
    double zz, zv, zg, vz, vv, vg;
};

/// Exact for any damping: swinging, critical and creeping.
ModeStep mode_step(double lambda, double damping, double dt);

struct Oscillators {
    std::vector<double> lambda;   ///< rad²/s²
    std::vector<double> damping;  ///< α + βλ, 1/s
    std::vector<double> z, v;     ///< the state: modal coordinates (√kg·m) and their rates

    double cached_dt = -1;  ///< the step that `steps` is for
    std::vector<ModeStep> steps;

    int count() const { return static_cast<int>(z.size()); }
};

Oscillators make_oscillators(const ModalBasis& basis);

/// Coefficients for this step size; computed when dt changes only.
const std::vector<ModeStep>& steps_for(Oscillators& o, double dt);

/// One step with modal forces g held constant; empty g: none.
void advance(Oscillators& o, double dt, std::span<const double> g = {});

/// A modal impulse (Wᵀ times an impulse, √kg·m/s) changes the rates at once.
void add_impulse(Oscillators& o, std::span<const double> impulse);

/// z″ at this moment under modal forces g (may be empty).
std::vector<double> acceleration(const Oscillators& o, std::span<const double> g = {});

/// Elastic plus kinetic, J.
double energy(const Oscillators& o);

/// z₀ = Wᵀ M d₀, v₀ = Wᵀ M ḋ₀: the oscillators that match displacements (m) and velocities (m/s) of all nodes as well
/// as the kept modes can.
void set_state(Oscillators& o, const ModalBasis& basis, std::span<const Vec3> displacement,
               std::span<const Vec3> velocity);

/// Which modes could ever be seen (section 3.2).
struct Observability {
    double max_force = 60000;        ///< N that may act; larger keeps more modes
    double min_displacement = 1e-4;  ///< m that can be seen; smaller keeps more modes
    double max_hz = 0;               ///< modes that swing faster are dropped, half the frame rate say; 0: no limit
    int most = 0;                    ///< at most so many; 0: no limit
};

/// Modes with ‖w‖²/λ ≥ min_displacement/max_force (largest node, so that the mesh's fineness does not matter) and a
/// frequency below the limit.
std::vector<int> observable_modes(const ModalBasis& basis, const Observability& limits);

}  // namespace pliant
