#include "pliant/contact/barrier.hpp"

#include <cmath>

namespace pliant {

double Barrier::energy(double d) const {
    if (!(d < distance)) return 0;
    const double closed = distance - d;
    const double grown = distance * distance / d - d - 2 * distance * std::log(distance / d);
    return 2 * elastic * closed * closed * closed / (3 * distance) + 2 * inertia * distance * grown;
}

double Barrier::gap_under(double load) const {
    if (!(load > 0)) return distance;
    double low = 0, high = distance;
    for (int halving = 0; halving < 40; ++halving) {
        const double middle = 0.5 * (low + high);
        (force(middle) > load ? low : high) = middle;
    }
    return high;
}

}  // namespace pliant
