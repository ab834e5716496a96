#include "pliant/solve/coarse_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

typedef D DLoose __attribute__((may_alias, aligned(8)));
inline D load_loose(const double* p) { return *reinterpret_cast<const DLoose*>(p); }
inline void store_loose(double* p, D v) { *reinterpret_cast<DLoose*>(p) = v; }

inline D3 cross(const D3& a, const D3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A matrix by its columns; what is done below to one column after the other is a product with a matrix.
struct D33 {
    D3 x, y, z;
};
inline D3 less(const D3& a, const D3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
// K[d]×, whose columns are K(d × e): with d×x̂ = (0, dz, −dy) and so on.
inline D3 combine(D s, const D3& a, D t, const D3& b) {
    return {s * a.x - t * b.x, s * a.y - t * b.y, s * a.z - t * b.z};
}
inline D33 times_cross(const D33& k, const D3& d) {
    return {combine(d.z, k.y, d.y, k.z), combine(d.x, k.z, d.z, k.x), combine(d.y, k.x, d.x, k.y)};
}

void rows(const CoarseArgs& a, double* out, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        alignas(64) double lane[21][8];
        for (int half = 0; half < 8; half += width) {
            const D3 own = load_own_rows(a.place + 32L * s + 4 * half);
            const D m = load(a.inertia + 8L * s + half), zero{};
            D33 n{{m, zero, zero}, {zero, m, zero}, {zero, zero, m}}, h{};
            for (int slot = a.slice_begin[s]; slot < a.slice_begin[s + 1]; ++slot) {
                const float* k = a.block + 72L * slot + half;
                const D same = load(a.same + 8L * slot + half), other = 1 - same;
                D3 d = load_at(a.place, a.column + 8L * slot + half);
                d = {same * (d.x - own.x), same * (d.y - own.y), same * (d.z - own.z)};
                const D33 K{{load(k), load(k + 24), load(k + 48)},
                            {load(k + 8), load(k + 32), load(k + 56)},
                            {load(k + 16), load(k + 40), load(k + 64)}};
                const D33 turned = times_cross(K, d);
                for (auto part : {&D33::x, &D33::y, &D33::z})
                    for (auto c : {&D3::x, &D3::y, &D3::z}) {
                        n.*part.*c -= other * (K.*part.*c);
                        h.*part.*c += turned.*part.*c;
                    }
            }
            // Zᵀ(A Z) with A Z = [n, −n[x]× − h] and Zᵀ = [1; [x]×].
            const D33 nx = times_cross(n, own);
            const D3 rx = cross(own, n.x), ry = cross(own, n.y), rz = cross(own, n.z);
            const D33 r{{-nx.x.x - h.x.x, -nx.x.y - h.x.y, -nx.x.z - h.x.z},
                        {-nx.y.x - h.y.x, -nx.y.y - h.y.y, -nx.y.z - h.y.z},
                        {-nx.z.x - h.z.x, -nx.z.y - h.z.y, -nx.z.z - h.z.z}};
            const D3 ox = cross(own, r.x), oy = cross(own, r.y), oz = cross(own, r.z);
            const D entry[21] = {n.x.x, n.x.y, n.y.y, n.x.z, n.y.z, n.z.z, rx.x, ry.x, rz.x, ox.x, rx.y,
                                 ry.y,  rz.y,  ox.y,  oy.y,  rx.z,  ry.z,  rz.z, ox.z, oy.z, oz.z};
            for (int e = 0; e < 21; ++e) store(lane[e] + half, entry[e]);
        }
        const int* to = a.entry_of_row + 8L * s;
        for (int l = 0; l < 8; ++l) {
            if (to[l] < 0) continue;
            double* sum = out + 21L * to[l];
            for (int e = 0; e < 21; ++e) sum[e] += lane[e][l];
        }
    }
}

void edges(const CoarseArgs& a, const int* edge_block, const int* from, const int* to, double* out, int begin,
           int end) {
    D sums[36] = {};
    for (int g = begin; g < end; ++g) {
        alignas(64) float k[9][8];
        for (int l = 0; l < 8; ++l) {
            const int at = edge_block[8L * g + l];
            for (int e = 0; e < 9; ++e) k[e][l] = at < 0 ? 0.f : a.block[at + 8 * e];
        }
        for (int half = 0; half < 8; half += width) {
            const D3 x = load_at(a.place, from + 8L * g + half), y = load_at(a.place, to + 8L * g + half);
            const D33 K{{load(k[0] + half), load(k[3] + half), load(k[6] + half)},
                        {load(k[1] + half), load(k[4] + half), load(k[7] + half)},
                        {load(k[2] + half), load(k[5] + half), load(k[8] + half)}};
            const D33 ky = times_cross(K, y);
            const D3 zero{};
            const D3 column[6] = {K.x, K.y, K.z, less(zero, ky.x), less(zero, ky.y), less(zero, ky.z)};
            for (int c = 0; c < 6; ++c) {
                const D3 torque = cross(x, column[c]);
                sums[c] += column[c].x, sums[6 + c] += column[c].y, sums[12 + c] += column[c].z;
                sums[18 + c] += torque.x, sums[24 + c] += torque.y, sums[30 + c] += torque.z;
            }
        }
    }
    for (int e = 0; e < 36; ++e) out[e] = sum(sums[e]);
}

template <class Real>
void restrict_to(const CoarseArgs& a, const Real* r, double* out, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        alignas(64) double lane[6][8];
        for (int half = 0; half < 8; half += width) {
            const D3 x = load_own_rows(a.place + 32L * s + 4 * half);
            const Real* at = r + 24L * s + half;
            const D3 f{load(at), load(at + 8), load(at + 16)};
            const D3 torque = cross(x, f);
            store(lane[0] + half, f.x), store(lane[1] + half, f.y), store(lane[2] + half, f.z);
            store(lane[3] + half, torque.x), store(lane[4] + half, torque.y), store(lane[5] + half, torque.z);
        }
        const int* to = a.entry_of_row + 8L * s;
        for (int l = 0; l < 8; ++l) {
            if (to[l] < 0) continue;
            double* sum = out + 6L * to[l];
            for (int e = 0; e < 6; ++e) sum[e] += lane[e][l];
        }
    }
}

inline D4 shift_left(D4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }
inline D4 shift_right(D4 v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }

template <class Put>
void prolong_to(const CoarseArgs& a, const double* c, int begin, int end, const Put& put) {
    for (int row = 8 * begin; row < 8 * end; ++row) {
        if (a.entry_of_row[row] < 0) continue;
        const double* from = c + 8L * a.entry_of_row[row];
        const D4 w = load4(from + 4), x = load4(a.place + 4L * row);
        put(row, load4(from) + shift_left(w) * shift_right(x) - shift_right(w) * shift_left(x));
    }
}

void prolong(const CoarseArgs& a, const double* c, double* p, int begin, int end) {
    prolong_to(a, c, begin, end, [&](int row, D4 z) { store4(p + 4L * row, load4(p + 4L * row) + z); });
}

void prolong_single(const CoarseArgs& a, const double* c, float* p, int begin, int end) {
    prolong_to(a, c, begin, end, [&](int row, D4 z) {
        const F4 narrow{float(z[0]), float(z[1]), float(z[2]), 0.f};
        store4(p + 4L * row, load4(p + 4L * row) + narrow);
    });
}

// A pivot below this share of its diagonal entry belongs to a motion that is no other than those before: of a lump that
// is as thin as a line, say.
constexpr double least_pivot = 1e-11;

// s −= a·bᵀ for three rows of each, n numbers long.
void subtract_products(const double* a, int a_stride, const double* b, int b_stride, int n, double* s, int stride) {
    D sums[3][3] = {};
    int k = 0;
    for (; k + width <= n; k += width)
        for (int i = 0; i < 3; ++i) {
            const D left = load_loose(a + i * a_stride + k);
            for (int j = 0; j < 3; ++j) sums[i][j] += left * load_loose(b + j * b_stride + k);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double rest = sum(sums[i][j]);
            for (int l = k; l < n; ++l) rest += a[i * a_stride + l] * b[j * b_stride + l];
            s[i * stride + j] -= rest;
        }
}

void factor(const Envelope& m, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const int length = m.length(i);
        double diagonal[6];
        for (int r = 0; r < 6; ++r) diagonal[r] = m.block(i, i)[r * length + r];
        for (int j = m.first[i]; j <= i; ++j) {
            const int from = m.first[i] > m.first[j] ? m.first[i] : m.first[j], other = m.length(j);
            double* s = m.block(i, j);
            for (int r = 0; r < 6; r += 3)
                for (int c = 0; c < 6; c += 3)
                    subtract_products(m.block(i, from) + r * length, length, m.block(j, from) + c * other, other,
                                      6 * (j - from), s + r * length + c, length);
            if (j < i) {
                const double* l = m.block(j, j);
                for (int r = 0; r < 6; ++r)
                    for (int c = 0; c < 6; ++c) {
                        double left = s[r * length + c];
                        for (int k = 0; k < c; ++k) left -= s[r * length + k] * l[c * other + k];
                        s[r * length + c] = left * m.inverse[6 * j + c];
                    }
                continue;
            }
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c <= r; ++c) {
                    double left = s[r * length + c];
                    for (int k = 0; k < c; ++k) left -= s[r * length + k] * s[c * length + k];
                    if (c == r) m.inverse[6 * i + r] = left > least_pivot * diagonal[r] ? 1 / __builtin_sqrt(left) : 0;
                    s[r * length + c] = left * m.inverse[6 * i + c];
                }
        }
    }
}

void solve(const Envelope& m, double* x, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const int length = m.length(i), n = length - 6;
        double* from = x + 6L * m.first[i];
        for (int r = 0; r < 6; ++r) {
            const double* row = m.row(i) + r * length;
            D sums{};
            int k = 0;
            for (; k + width <= n; k += width) sums += load_loose(row + k) * load_loose(from + k);
            double left = from[n + r] - sum(sums);
            for (; k < n + r; ++k) left -= row[k] * from[k];
            from[n + r] = left * m.inverse[6 * i + r];
        }
    }
    for (int i = end - 1; i >= begin; --i) {
        const int length = m.length(i), n = length - 6;
        double* to = x + 6L * m.first[i];
        for (int r = 5; r >= 0; --r) {
            const double* row = m.row(i) + r * length;
            const double value = to[n + r] *= m.inverse[6 * i + r];
            for (int k = 0; k < r; ++k) to[n + k] -= value * row[n + k];
        }
        D y[6];
        for (int r = 0; r < 6; ++r) y[r] = all(to[n + r]);
        int k = 0;
        for (; k + width <= n; k += width) {
            D left = load_loose(to + k);
            for (int r = 0; r < 6; ++r) left -= y[r] * load_loose(m.row(i) + r * length + k);
            store_loose(to + k, left);
        }
        for (; k < n; ++k)
            for (int r = 0; r < 6; ++r) to[k] -= to[n + r] * m.row(i)[r * length + k];
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const CoarseKernels coarse_table;
const CoarseKernels coarse_table{rows,    edges,          restrict_to<double>, restrict_to<float>,
                                 prolong, prolong_single, factor,              solve};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
