#include "pliant/modal/oscillators.hpp"

#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

// Response to a unit force from rest, z(dt), by its Taylor series: where the closed form would lose digits.
double force_series(double lambda, double c, double dt) {
    double older = 0, old = 0, derivative = 1, power = dt * dt / 2, sum = 0;
    for (int k = 2; k < 20; ++k) {
        sum += derivative * power;
        older = old, old = derivative;
        derivative = -c * old - lambda * older;
        power *= dt / (k + 1);
    }
    return sum;
}

}  // namespace

ModeStep mode_step(double lambda, double c, double dt) {
    CHECK(lambda >= 0 && c >= 0 && dt >= 0, lambda, c, dt);
    const double s = c / 2, gap = lambda - s * s;
    double even, odd;  // e^{-s dt}·cos(w dt) and e^{-s dt}·sin(w dt)/w, or their hyperbolic kin
    const double w = std::sqrt(std::abs(gap)), angle = w * dt;
    if (angle < 1e-4) {  // near critical damping (eq. 7), or a very short step
        const double x = gap * dt * dt, e = std::exp(-s * dt);
        even = e * (1 - x / 2 + x * x / 24), odd = e * dt * (1 - x / 6 + x * x / 120);
    } else if (gap > 0) {
        const double e = std::exp(-s * dt);
        even = e * std::cos(angle), odd = e * std::sin(angle) / w;
    } else {  // both exponents are negative: nothing overflows
        const double slow = std::exp(-lambda / (s + w) * dt), fast = std::exp(-(s + w) * dt);
        even = 0.5 * (slow + fast), odd = 0.5 * (slow - fast) / w;
    }
    ModeStep m;
    m.zz = even + s * odd;
    m.zv = odd;
    m.vz = -lambda * odd;
    m.vv = even - s * odd;
    m.vg = odd;
    m.zg = lambda * dt * dt < 0.1 && c * dt < 0.1 ? force_series(lambda, c, dt) : (1 - m.zz) / lambda;
    return m;
}

Oscillators make_oscillators(const ModalBasis& basis) {
    Oscillators o;
    o.lambda = basis.lambda;
    for (double l : basis.lambda) o.damping.push_back(basis.alpha + basis.beta * l);
    o.z.assign(basis.lambda.size(), 0);
    o.v.assign(basis.lambda.size(), 0);
    return o;
}

const std::vector<ModeStep>& steps_for(Oscillators& o, double dt) {
    if (o.cached_dt != dt) {
        o.steps.resize(o.lambda.size());
        for (std::size_t i = 0; i < o.lambda.size(); ++i) o.steps[i] = mode_step(o.lambda[i], o.damping[i], dt);
        o.cached_dt = dt;
    }
    return o.steps;
}

void advance(Oscillators& o, double dt, std::span<const double> g) {
    const std::vector<ModeStep>& steps = steps_for(o, dt);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ModeStep& m = steps[i];
        const double z = o.z[i], v = o.v[i], force = g.empty() ? 0.0 : g[i];
        o.z[i] = m.zz * z + m.zv * v + m.zg * force;
        o.v[i] = m.vz * z + m.vv * v + m.vg * force;
    }
}

void add_impulse(Oscillators& o, std::span<const double> impulse) {
    CHECK(impulse.size() == o.v.size(), impulse.size(), o.v.size());
    for (std::size_t i = 0; i < o.v.size(); ++i) o.v[i] += impulse[i];
}

std::vector<double> acceleration(const Oscillators& o, std::span<const double> g) {
    std::vector<double> a(o.z.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = (g.empty() ? 0.0 : g[i]) - o.lambda[i] * o.z[i] - o.damping[i] * o.v[i];
    return a;
}

double energy(const Oscillators& o) {
    double sum = 0;
    for (std::size_t i = 0; i < o.z.size(); ++i) sum += 0.5 * (o.v[i] * o.v[i] + o.lambda[i] * o.z[i] * o.z[i]);
    return sum;
}

void set_state(Oscillators& o, const ModalBasis& basis, std::span<const Vec3> displacement,
               std::span<const Vec3> velocity) {
    CHECK(displacement.size() == basis.rest.size() && velocity.size() == basis.rest.size(), displacement.size());
    for (int m = 0; m < basis.mode_count(); ++m) {
        double z = 0, v = 0;
        for (int i = 0; i < basis.node_count(); ++i) {
            const Vec3 w = basis.mass[i] * basis.shape_at(i, m);
            z += w.dot(displacement[i]), v += w.dot(velocity[i]);
        }
        o.z[m] = z, o.v[m] = v;
    }
}

std::vector<int> observable_modes(const ModalBasis& basis, const Observability& limits) {
    std::vector<int> kept;
    for (int m = 0; m < basis.mode_count(); ++m) {
        if (limits.most > 0 && static_cast<int>(kept.size()) == limits.most) break;
        if (limits.max_hz > 0 && frequency_hz(basis, m) > limits.max_hz) continue;
        double largest = 0;
        for (int i = 0; i < basis.node_count(); ++i) largest = std::max(largest, basis.shape_at(i, m).squaredNorm());
        if (largest / basis.lambda[m] * limits.max_force >= limits.min_displacement) kept.push_back(m);
    }
    return kept;
}

}  // namespace pliant
