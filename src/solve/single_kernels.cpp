#include "pliant/solve/single_kernels.hpp"

#include "pliant/solve/lanes.hpp"
#include "pliant/solve/packing.hpp"

namespace pliant {

namespace {

// Fetching a matrix that comes from memory this far ahead keeps the memory busy while the gathers wait.
constexpr int fetch_ahead = 4096;  // bytes

inline F83 preconditioned(const float* c, const F83& r) {
    const F8 xx = load8(c), yy = load8(c + 8), zz = load8(c + 16), xy = load8(c + 24), yz = load8(c + 32),
             zx = load8(c + 40);
    return {xx * r.x + xy * r.y + zx * r.z, xy * r.x + yy * r.y + yz * r.z, zx * r.x + yz * r.y + zz * r.z};
}

inline F8 dot(const F83& a, const F83& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

inline F83 load_lanes(const float* p) { return {load8(p), load8(p + 8), load8(p + 16)}; }
inline void store_lanes(float* p, const F83& v) { store8(p, v.x), store8(p + 8, v.y), store8(p + 16, v.z); }

// A sum of floats in doubles, lane by lane.
struct Sum {
    D part[8 / width] = {};
    void add(F8 v) {
        for (int i = 0; i < 8 / width; ++i) part[i] += widen(v, i);
    }
    double total() const {
        D all = part[0];
        for (int i = 1; i < 8 / width; ++i) all += part[i];
        return sum(all);
    }
};

double measure(const double* r, const float* preconditioner, const double* inertia, double& softest, int begin,
               int end) {
    D dot{}, least = all(softest);
    for (int s = begin; s < end; ++s)
        for (int half = 0; half < 8; half += width) {
            const long at = 24L * s + half;
            const float* c = preconditioner + 48L * s + half;
            const D x = load(r + at), y = load(r + at + 8), z = load(r + at + 16), m = load(inertia + 8L * s + half);
            const D xx = load(c), yy = load(c + 8), zz = load(c + 16), xy = load(c + 24), yz = load(c + 32),
                    zx = load(c + 40);
            dot += x * (xx * x + xy * y + zx * z) + y * (xy * x + yy * y + yz * z) + z * (zx * x + yz * y + zz * z);
            for (int i = 0; i < 3; ++i) {
                const D inverse = i == 0 ? xx : i == 1 ? yy : zz, soft = m * inverse;
                least = ((inverse > 0) & (soft < least)) ? soft : least;
            }
        }
    for (int i = 0; i < width; ++i) softest = least[i] < softest ? least[i] : softest;
    return sum(dot);
}

double start(double scale, const double* r, const float* preconditioner, float* s, float* q, float* d, int begin,
             int end) {
    Sum sum;
    for (int slice = begin; slice < end; ++slice) {
        const double* from = r + 24L * slice;
        const F83 left{narrow(from, scale), narrow(from + 8, scale), narrow(from + 16, scale)};
        const F83 z = preconditioned(preconditioner + 48L * slice, left);
        store_lanes(s + 24L * slice, left), store_lanes(q + 24L * slice, z);
        for (int k = 0; k < 32; k += 8) store8(d + 32L * slice + k, F8{});
        sum.add(dot(left, z));
    }
    return sum.total();
}

void turn(double turn_by, const float* q, float* p, int begin, int end) {
    for (int slice = begin; slice < end; ++slice)
        turn_rows(p + 32L * slice, float(turn_by), load_lanes(q + 24L * slice));
}

// How a product reads the blocks of a slot.
struct Floats {
    static constexpr bool ahead = false;
    const float* block;
    struct Slot {
        const float* k;
        F8 entry(int i) const { return load8(k + 8 * i); }
        F83 scaled(const F83& d) const { return d; }
    };
    Slot operator()(int slot) const { return {block + 72L * slot}; }
};

struct Packed {
    static constexpr bool ahead = true;
    const PackedSlot* block;
    struct Slot {
        const PackedSlot* k;
        F8 entry(int i) const {
            const I8 word = load8(i < 8 ? k->pair[i / 2] : k->last);
            return floats(i % 2 == 0 ? word : word << 16);
        }
        F83 scaled(const F83& d) const {
            const F8 power = (F8)(load8(k->last) << 23);
            return {d.x * power, d.y * power, d.z * power};
        }
    };
    Slot operator()(int slot) const { return {block + slot}; }
};

// Where the rows are that a slot is multiplied with: columns from the first row, or from the slice's own.
inline const float* origin(const float* p, int, const int*) { return p; }
inline const float* origin(const float* p, int slice, const short*) { return p + 32L * slice; }

template <class Blocks, class Column>
inline double product_with(const Blocks& blocks, const int* slice_begin, const Column* column, const double* inertia,
                           const float* p, float* q, int begin, int end) {
    Sum sum;
    for (int s = begin; s < end; ++s) {
        const F83 own = load_own_rows(p + 32L * s);
        const F8 m = narrow(inertia + 8L * s, 1);
        F83 y{m * own.x, m * own.y, m * own.z};
        for (int slot = slice_begin[s]; slot < slice_begin[s + 1]; ++slot) {
            const auto k = blocks(slot);
            if (Blocks::ahead) {
                const char* line = reinterpret_cast<const char*>(k.k) + fetch_ahead;
                __builtin_prefetch(line), __builtin_prefetch(line + 64), __builtin_prefetch(line + 128);
            }
            F83 d = load_at(origin(p, s, column), column + 8L * slot);
            d.x -= own.x, d.y -= own.y, d.z -= own.z;
            d = k.scaled(d);
            y.x += k.entry(0) * d.x + k.entry(1) * d.y + k.entry(2) * d.z;
            y.y += k.entry(3) * d.x + k.entry(4) * d.y + k.entry(5) * d.z;
            y.z += k.entry(6) * d.x + k.entry(7) * d.y + k.entry(8) * d.z;
        }
        store_lanes(q + 24L * s, y);
        sum.add(dot(y, own));
    }
    return sum.total();
}

double product(const int* slice_begin, const int* column, const float* block, const double* inertia, const float* p,
               float* q, int begin, int end) {
    return product_with(Floats{block}, slice_begin, column, inertia, p, q, begin, end);
}

double packed_product(const int* slice_begin, const int* column, const short* near, const PackedSlot* block,
                      const double* inertia, const float* p, float* q, int begin, int end) {
    return near ? product_with(Packed{block}, slice_begin, near, inertia, p, q, begin, end)
                : product_with(Packed{block}, slice_begin, column, inertia, p, q, begin, end);
}

double advance(double step, const float* p, const float* preconditioner, float* q, float* d, float* s, int begin,
               int end) {
    Sum sum;
    const F8 a = all8(float(step));
    for (int slice = begin; slice < end; ++slice) {
        for (long k = 32L * slice; k < 32L * slice + 32; k += 8) store8(d + k, load8(d + k) + a * load8(p + k));
        F83 left = load_lanes(s + 24L * slice);
        const F83 by = load_lanes(q + 24L * slice);
        left.x -= a * by.x, left.y -= a * by.y, left.z -= a * by.z;
        const F83 z = preconditioned(preconditioner + 48L * slice, left);
        store_lanes(s + 24L * slice, left), store_lanes(q + 24L * slice, z);
        sum.add(dot(left, z));
    }
    return sum.total();
}

void pack(const float* block, PackedSlot* packed, int begin, int end) {
    for (int slot = begin; slot < end; ++slot) pack_slot(block + 72L * slot, packed[slot]);
}

void land(double scale, const float* d, double* v, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        const F83 by = load_own_rows(d + 32L * s);
        for (int i = 0; i < 8 / width; ++i) {
            double* to = v + 24L * s + width * i;
            store(to, load(to) + scale * widen(by.x, i));
            store(to + 8, load(to + 8) + scale * widen(by.y, i));
            store(to + 16, load(to + 16) + scale * widen(by.z, i));
        }
    }
}

void subtract(const int* slice_begin, const int* column, const float* block, const double* inertia, double scale,
              const float* d, double* r, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        const F83 mine = load_own_rows(d + 32L * s);
        for (int i = 0; i < 8 / width; ++i) {
            const D3 own{widen(mine.x, i), widen(mine.y, i), widen(mine.z, i)};
            const D m = load(inertia + 8L * s + width * i);
            D3 y{m * own.x, m * own.y, m * own.z};
            for (int slot = slice_begin[s]; slot < slice_begin[s + 1]; ++slot) {
                const float* k = block + 72L * slot + width * i;
                const F83 other = load_at(d, column + 8L * slot);
                const D x = widen(other.x, i) - own.x, yy = widen(other.y, i) - own.y, z = widen(other.z, i) - own.z;
                y.x += load(k) * x + load(k + 8) * yy + load(k + 16) * z;
                y.y += load(k + 24) * x + load(k + 32) * yy + load(k + 40) * z;
                y.z += load(k + 48) * x + load(k + 56) * yy + load(k + 64) * z;
            }
            double* to = r + 24L * s + width * i;
            store(to, load(to) - scale * y.x);
            store(to + 8, load(to + 8) - scale * y.y);
            store(to + 16, load(to + 16) - scale * y.z);
        }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const SingleKernels single_table;
const SingleKernels single_table{measure, start, turn, product, packed_product, advance, pack, land, subtract};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
