#pragma once
// Sums over nodes that have a mass: what every body made of nodes is asked for.

#include <algorithm>
#include <cmath>
#include <span>

#include "pliant/core/types.hpp"

namespace pliant {

inline double total_mass(std::span<const double> mass) {
    double sum = 0;
    for (double m : mass) sum += m;
    return sum;
}

inline Vec3 center_of_mass(std::span<const double> mass, std::span<const Vec3> x) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) sum += mass[i] * x[i];
    return sum / total_mass(mass);
}

inline Vec3 momentum(std::span<const double> mass, std::span<const Vec3> v) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i) sum += mass[i] * v[i];
    return sum;
}

inline double kinetic_energy(std::span<const double> mass, std::span<const Vec3> v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += 0.5 * mass[i] * v[i].squaredNorm();
    return sum;
}

inline double max_speed(std::span<const Vec3> v) {
    double most = 0;
    for (const Vec3& one : v) most = std::max(most, one.squaredNorm());
    return std::sqrt(most);
}

}  // namespace pliant
