#pragma once
// What a body sounds like: its audible modes, how strongly each is heard, and where a blow excites which.
//
// O'Brien, Shen & Gatchalian 2002, section 3.4. A mode obeys z̈ + (α + β·λ)·ż + λ·z = g with g = φ·force; an impulse J
// at a point of the surface starts z = (φ·J)/ω·exp(−d·t)·sin(ω·t) (their eq. 18 without its factor 2). What is heard of
// a mode is its surface velocity: ∫|n·φ| dA times ż, whose amplitude is the paper's "normal displacement over the
// surface, multiplied by the mode's frequency". The velocity rather than ω·z, which has the same amplitude and the same
// spectrum, because it is zero when a load rests on the body: no constant part is left to filter out.

#include <complex>
#include <span>
#include <vector>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/modal/modal_basis.hpp"
#include "pliant/sound/oscillator_bank.hpp"

namespace pliant {

struct HearingRange {
    double low = 20;      ///< Hz; modes below are left out (the paper's 20 … 20,000 Hz)
    double high = 20000;  ///< Hz; also never above half the sample rate
    int modes = 800;      ///< at most so many, the lowest; more cost time and are hardly heard
};

struct Voice {
    std::vector<Oscillator> oscillators;
    std::vector<double> loudness;  ///< ∫|n·φ| dA per mode, m²/√kg
    TriMesh surface;               ///< of the body at rest, m
    Eigen::MatrixXd shape;         ///< 3·surface points × modes, 1/√kg
    AabbTree tree;                 ///< over the triangles
    double mass = 0;               ///< kg
    double stiffness = 0;          ///< plane strain modulus E/(1 − ν²), Pa
    double radius = 0;             ///< of the ball of the same volume, m

    int size() const { return static_cast<int>(oscillators.size()); }
};

/// The voice of a body with these modes. Modes that are damped beyond swinging are not heard and left out.
Voice make_voice(const ModalBasis& basis, const HearingRange& range);

/// Gains (see OscillatorBank::push) of an impulse `impulse` (N·s) at `point`, both in the body's rest frame: shape
/// functions are taken at the nearest point of the surface. The sound, at `rate` samples per second, is in m³/s: volume
/// flow.
std::vector<std::complex<double>> strike_gains(const Voice& voice, const Vec3& point, const Vec3& impulse, double rate);

/// Time that two bodies touch in a blow after Hertz, s: 2.87·(m²/(R·E²·v))^(1/5), for a body of this mass, size and
/// stiffness against something hard. speed: at which they meet, m/s.
double hertz_contact_time(const Voice& voice, double speed);

/// A Gaussian pulse of unit sum, sampled at `rate`, as wide as a blow of `contact_time` seconds (σ a quarter of it),
/// cut at ±4σ. centre: of the pulse in samples after the first sample of the shape, at least 4σ.
struct Pulse {
    std::vector<double> shape;
    double centre = 0;  ///< samples from the first one
};
/// fraction: of a sample by which the centre lies behind a sample.
Pulse gaussian_pulse(double contact_time, double rate, double fraction = 0);

}  // namespace pliant
