// Element forces summed by particle, and a leap-frog step with the sums.

#include "pliant/particle/float_lanes.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace {

inline D4 total(const GatherArgs& a, int place) {
    const unsigned begin = a.begin[place], count = a.begin[place + 1] - begin;
    const int *e = a.entry + begin, *fours = e + (count & ~3u), *last = e + count;
    D4 even{}, odd{};
    for (; e != fours; e += 4) {
        even += wide(load4(a.force + e[0])), odd += wide(load4(a.force + e[1]));
        even += wide(load4(a.force + e[2])), odd += wide(load4(a.force + e[3]));
    }
    for (; e != last; ++e) even += wide(load4(a.force + e[0]));
    return even + odd;
}

void gather(const GatherArgs& args, double* out, int begin, int end) {
    const GatherArgs a = args;
    for (int i = begin; i < end; ++i) store4(out + 4L * a.order[i], total(a, i));
}

void move(const GatherArgs& forces, const MoveArgs& args, int begin, int end) {
    const GatherArgs a = forces;
    const MoveArgs m = args;
    const D4 origin = load4(m.origin);
    for (int i = begin; i < end; ++i) {
        const long row = 4L * a.order[i];
        const D4 scale = load4(m.scale + row), zero{};
        D4 v = load4(m.v + row);
        v = (scale > 0.0 ? v : zero) + scale * total(a, i) + load4(m.push + row);
        const D4 x = load4(m.x + row) + m.h * v;
        store4(m.x + row, x);
        if (m.near) store4(m.near + row, narrow(x - origin));
        store4(m.v + row, m.damping * v);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const MoveKernels move_table;
const MoveKernels move_table{gather, move};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
