#include "pliant/solve/lanes.hpp"
#include "pliant/solve/solve_kernels.hpp"

namespace pliant {

namespace {

// Fetching the matrix this far ahead keeps the memory busy while the gathers wait.
constexpr int ahead = 4096 / 4;  // floats

double product(const int* slice_begin, const int* column, const float* block, const double* inertia, const double* p,
               double* q, int begin, int end) {
    D dot{};
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const D3 own = load_own_rows(p + 32L * s + 4 * half);
            const D m = load(inertia + 8L * s + half);
            D3 y{m * own.x, m * own.y, m * own.z};
            for (int slot = slice_begin[s]; slot < slice_begin[s + 1]; ++slot) {
                const float* k = block + 72L * slot + half;
                if (half == 0)
                    for (int line = 0; line < 80; line += 16) __builtin_prefetch(k + ahead + line);
                D3 d = load_at(p, column + 8L * slot + half);
                d.x -= own.x, d.y -= own.y, d.z -= own.z;
                y.x += load(k) * d.x + load(k + 8) * d.y + load(k + 16) * d.z;
                y.y += load(k + 24) * d.x + load(k + 32) * d.y + load(k + 40) * d.z;
                y.z += load(k + 48) * d.x + load(k + 56) * d.y + load(k + 64) * d.z;
            }
            double* out = q + 24L * s + half;
            store(out, y.x), store(out + 8, y.y), store(out + 16, y.z);
            dot += y.x * own.x + y.y * own.y + y.z * own.z;
        }
    return sum(dot);
}

inline D3 preconditioned(const float* c, const D3& r) {
    const D xx = load(c), yy = load(c + 8), zz = load(c + 16), xy = load(c + 24), yz = load(c + 32), zx = load(c + 40);
    return {xx * r.x + xy * r.y + zx * r.z, xy * r.x + yy * r.y + yz * r.z, zx * r.x + yz * r.y + zz * r.z};
}

double advance(double step, const double* p, const double* q, const float* preconditioner, double* x, double* r,
               int begin, int end) {
    D dot{};
    const D a = all(step);
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const D3 d = load_own_rows(p + 32L * s + 4 * half);
            const long at = 24L * s + half;
            store(x + at, load(x + at) + a * d.x);
            store(x + at + 8, load(x + at + 8) + a * d.y);
            store(x + at + 16, load(x + at + 16) + a * d.z);
            const D3 left{load(r + at) - a * load(q + at), load(r + at + 8) - a * load(q + at + 8),
                          load(r + at + 16) - a * load(q + at + 16)};
            store(r + at, left.x), store(r + at + 8, left.y), store(r + at + 16, left.z);
            const D3 z = preconditioned(preconditioner + 48L * s + half, left);
            dot += z.x * left.x + z.y * left.y + z.z * left.z;
        }
    return sum(dot);
}

double turn(double turn_by, const double* r, const float* preconditioner, double* p, int begin, int end) {
    D dot{};
    const D b = all(turn_by);
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const long at = 24L * s + half;
            const D3 left{load(r + at), load(r + at + 8), load(r + at + 16)};
            D3 z = preconditioned(preconditioner + 48L * s + half, left);
            dot += z.x * left.x + z.y * left.y + z.z * left.z;
            double* out = p + 32L * s + 4 * half;
            if (turn_by != 0) {
                const D3 old = load_own_rows(out);
                z.x += b * old.x, z.y += b * old.y, z.z += b * old.z;
            }
            store_rows(out, z);
        }
    return sum(dot);
}

}  // namespace

namespace PLIANT_KERNEL {
extern const SolveKernels solve_table;
const SolveKernels solve_table{product, advance, turn};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
