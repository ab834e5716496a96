#pragma once
// What every shape asks of its sizes, in one wording.

#include <cmath>
#include <string>

#include "pliant/core/error.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

inline std::string shape_number(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

/// A size must be a positive finite length; `what` reads like "the radius of a sphere".
inline void require_positive(double value, const std::string& what) {
    if (!(value > 0) || !std::isfinite(value))
        throw UserError(what + " must be a positive number of metres, but is " + shape_number(value));
}

inline void require_finite(const Vec3& p, const std::string& what) {
    if (!p.allFinite()) throw UserError(what + " must have finite coordinates");
}

}  // namespace pliant
