#include "pliant/sound/voice.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/closest_point.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

namespace {

using std::numbers::pi;

std::vector<int> audible_modes(const ModalBasis& basis, const HearingRange& range) {
    std::vector<int> modes;
    for (int i = 0; i < basis.mode_count() && static_cast<int>(modes.size()) < range.modes; ++i) {
        const double f = frequency_hz(basis, i);  // 0 when it does not swing
        if (f >= range.low && f <= range.high) modes.push_back(i);
    }
    return modes;
}

/// ∫|n·φ| dA of one mode, φ linear on each triangle: three points per triangle.
double normal_displacement(const TriMesh& surface, const Eigen::MatrixXd& shape, int mode) {
    double sum = 0;
    for (const Tri& t : surface.triangles) {
        const Vec3 &a = surface.points[t[0]], &b = surface.points[t[1]], &c = surface.points[t[2]];
        const Vec3 area = 0.5 * (b - a).cross(c - a);
        double corner[3];
        for (int k = 0; k < 3; ++k) corner[k] = area.dot(shape.block<3, 1>(3 * t[k], mode));
        // The midpoints of the edges: exact for the products of linear functions, good for their modulus.
        for (int k = 0; k < 3; ++k) sum += std::abs(corner[k] + corner[(k + 1) % 3]) / 6;
    }
    return sum;
}

/// The phasor of ż after a unit impulse, exp(−d·t)·(cos ω·t − d/ω·sin ω·t), which is −d/ω + i. Its samples would add up
/// to half the first one instead of nothing (the trapezoidal rule at a jump), and a resting load would be heard as a
/// constant; so the same phasor is taken up to half a sample later, where its samples add up to exactly nothing:
/// Im(p/(1 − r)) = 0.
std::complex<double> velocity_phasor(const Oscillator& o, double rate) {
    const std::complex<double> r = std::polar(std::exp(-o.decay / rate), o.frequency / rate);
    const std::complex<double> sum = 1.0 / (1.0 - r);
    return -std::hypot(1, o.decay / o.frequency) * std::conj(sum) / std::abs(sum);
}

}  // namespace

Voice make_voice(const ModalBasis& basis, const HearingRange& range) {
    Voice voice;
    TetMesh mesh;
    mesh.rest = basis.rest, mesh.tets = basis.tets;
    BoundarySurface boundary = boundary_surface(mesh);
    voice.surface = std::move(boundary.surface);
    const std::vector<int> modes = audible_modes(basis, range);
    voice.shape.resize(3 * static_cast<Eigen::Index>(boundary.node.size()), static_cast<Eigen::Index>(modes.size()));
    for (std::size_t m = 0; m < modes.size(); ++m) {
        for (std::size_t p = 0; p < boundary.node.size(); ++p)
            voice.shape.block<3, 1>(3 * static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(m)) =
                basis.shape_at(boundary.node[p], modes[m]);
        voice.oscillators.push_back({2 * pi * frequency_hz(basis, modes[m]), decay(basis, modes[m])});
        voice.loudness.push_back(normal_displacement(voice.surface, voice.shape, static_cast<int>(m)));
    }
    std::vector<Box> boxes(voice.surface.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (int p : voice.surface.triangles[t]) boxes[t].add(voice.surface.points[p]);
    voice.tree = AabbTree(boxes);
    for (double m : basis.mass) voice.mass += m;
    voice.stiffness = basis.young / (1 - basis.poisson * basis.poisson);
    voice.radius = std::cbrt(3 * std::abs(total_volume(basis.rest, basis.tets)) / (4 * pi));
    return voice;
}

std::vector<std::complex<double>> strike_gains(const Voice& voice, const Vec3& point, const Vec3& impulse,
                                               double rate) {
    const auto corner = [&](int triangle, int k) -> const Vec3& {
        return voice.surface.points[voice.surface.triangles[triangle][k]];
    };
    const auto found = voice.tree.nearest(point, std::numeric_limits<double>::infinity(), [&](int t) {
        return distance2_to_triangle(point, corner(t, 0), corner(t, 1), corner(t, 2));
    });
    std::vector<std::complex<double>> gains(voice.oscillators.size());
    if (found.item < 0) return gains;
    const Tri& triangle = voice.surface.triangles[found.item];
    const Vec3 weight =
        closest_on_triangle(point, corner(found.item, 0), corner(found.item, 1), corner(found.item, 2)).weight;
    for (std::size_t i = 0; i < gains.size(); ++i) {
        Vec3 phi = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
            phi += weight[k] * voice.shape.block<3, 1>(3 * triangle[k], static_cast<Eigen::Index>(i));
        gains[i] = voice.loudness[i] * phi.dot(impulse) * velocity_phasor(voice.oscillators[i], rate);
    }
    return gains;
}

double hertz_contact_time(const Voice& voice, double speed) {
    const double v = std::max(speed, 1e-3);  // slower than 1 mm/s nothing is heard, and the time hardly changes
    if (!(voice.stiffness > 0) || !(voice.radius > 0)) return 5e-4;
    return 2.87 * std::pow(voice.mass * voice.mass / (voice.radius * voice.stiffness * voice.stiffness * v), 0.2);
}

Pulse gaussian_pulse(double contact_time, double rate, double fraction) {
    const double sigma = std::max(0.25 * contact_time * rate, 0.25);  // samples; narrower, it is a single sample
    const int reach = static_cast<int>(std::ceil(4 * sigma));
    Pulse pulse;
    pulse.centre = reach + fraction;
    double sum = 0;
    for (int n = 0; n <= 2 * reach + 1; ++n) {
        const double u = (n - pulse.centre) / sigma;
        sum += pulse.shape.emplace_back(std::exp(-0.5 * u * u));
    }
    for (double& s : pulse.shape) s /= sum;
    return pulse;
}

}  // namespace pliant
