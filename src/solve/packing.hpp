#pragma once
// For kernel files, like lanes.hpp: blocks of floats to PackedSlot.

#include "pliant/solve/lanes.hpp"
#include "pliant/solve/packed_slot.hpp"

namespace pliant {
namespace {

/// `block`: [9][8] floats of a slot.
inline void pack_slot(const float* block, PackedSlot& packed) {
    F8 largest{};
    for (int e = 0; e < 9; ++e) largest = larger((F8)((I8)load8(block + 8 * e) & 0x7fffffff), largest);
    // The largest becomes 2³⁰ to 2³¹, less what rounding may add. Blocks too small for that are read as zero, with the
    // power of two that has no exponent.
    const I8 exponent = larger(((I8)(largest * 1.0001f) >> 23) - 30, I8{});
    const F8 inverse = (F8)((254 - exponent) << 23);
    for (int e = 0; e < 9; e += 2) {
        const I8 upper = whole(load8(block + 8 * e) * inverse);
        const I8 lower = e < 8 ? (whole(load8(block + 8 * e + 8) * inverse) + 0x8000) >> 16 & 0xffff : exponent;
        store8(e < 8 ? packed.pair[e / 2] : packed.last, ((upper - lower + 0x8000) & ~0xffff) | lower);
    }
}

}  // namespace
}  // namespace pliant
