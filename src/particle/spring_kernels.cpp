// Springs (Everts 2006, chapter 2).

#include "pliant/particle/float_lanes.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace {

void springs(const SpringArgs& args, int begin, int end) {
    const SpringArgs a = args;
    for (int g = begin; g < end; ++g) {
        const float* k = a.constant + 16L * g;
        const F3 r = load8(k) * differences(a.x, a.pair + 16L * g, a.pair + 16L * g + 8);
        store_rows<true>(a.force + 64L * g, (load8(k + 8) * (1.f - rsqrt(dot(r, r)))) * r);
    }
}

void energies(const SpringArgs& args, int begin, int end) {
    const SpringArgs a = args;
    for (int g = begin; g < end; ++g) {
        const float* k = a.constant + 16L * g;
        const F3 r = load8(k) * differences(a.x, a.pair + 16L * g, a.pair + 16L * g + 8);
        const F8 length2 = dot(r, r), strain = length2 * rsqrt(length2) - 1.f;
        a.energy[g] = total(0.5f * load8(k + 8) / load8(k) * strain * strain);  // ½ K l² ε²
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const SpringKernels spring_table;
const SpringKernels spring_table{springs, energies};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
