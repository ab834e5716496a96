#include "pliant/solve/coarse_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

// The sum of all lanes, halves first: several of them go on at the same time.
inline double halved_sum(D v) {
#if defined(__AVX512F__)
    const D4 four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return (four[0] + four[2]) + (four[1] + four[3]);
#elif defined(__AVX2__)
    return (v[0] + v[2]) + (v[1] + v[3]);
#else
    return v[0] + v[1];
#endif
}

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

inline D4 shift_left(D4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }
inline D4 shift_right(D4 v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }

// ω × x, or the torque x × f with the two exchanged.
inline D4 cross(D4 a, D4 b) { return shift_left(a) * shift_right(b) - shift_right(a) * shift_left(b); }

template <class Real>
void restrict_to(const CoarseArgs& a, const Real* r, double* out, int begin, int end) {
    // Rows of one entry often follow each other: their sums stay in registers.
    int open = -1;
    D4 force{}, torque{};
    const auto close = [&] {
        if (open >= 0) store4(out + 8L * open, force), store4(out + 8L * open + 4, torque);
    };
    for (int row = 8 * begin; row < 8 * end; ++row) {
        const int entry = a.entry_of_row[row];
        if (entry < 0) continue;
        if (entry != open) {
            close();
            open = entry, force = load4(out + 8L * entry), torque = load4(out + 8L * entry + 4);
        }
        const Real* at = r + 24L * (row / 8) + row % 8;
        const D4 f{double(at[0]), double(at[8]), double(at[16]), 0};
        force += f, torque += cross(load4(a.place + 4L * row), f);
    }
    close();
}

template <class Put>
void prolong_to(const CoarseArgs& a, const double* c, int begin, int end, const Put& put) {
    for (int row = 8 * begin; row < 8 * end; ++row) {
        if (a.entry_of_row[row] < 0) continue;
        const double* from = c + 8L * a.entry_of_row[row];
        put(row, load4(from) + cross(load4(from + 4), load4(a.place + 4L * row)));
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
inline void subtract_products(const double* a, int a_stride, const double* b, int b_stride, int n, double* s,
                              int stride) {
    D sums[3][3] = {};
    for (int k = 0; k < n; k += width)
        for (int i = 0; i < 3; ++i) {
            const D left = load(a + i * a_stride + k);
            for (int j = 0; j < 3; ++j) sums[i][j] += left * load(b + j * b_stride + k);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) s[i * stride + j] -= halved_sum(sums[i][j]);
}

// Cholesky's factor of a 6×6 block, inverted in its place.
void invert_factor(double* s, int stride, const double* diagonal) {
    double l[6][6] = {}, inverse[6][6] = {};
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c <= r; ++c) {
            double left = s[r * stride + c];
            for (int k = 0; k < c; ++k) left -= l[r][k] * l[c][k];
            if (c < r)
                l[r][c] = left * inverse[c][c];
            else if (left > least_pivot * diagonal[r])  // else its row of the inverse is zero
                inverse[r][r] = 1 / __builtin_sqrt(left);
        }
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < r; ++c) {
            double sum = 0;
            for (int k = c; k < r; ++k) sum += l[r][k] * inverse[k][c];
            inverse[r][c] = -sum * inverse[r][r];
        }
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) s[r * stride + c] = inverse[r][c];
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
                                      8 * (j - from), s + r * length + c, length);
            if (j < i) {
                const double* inverse = m.block(j, j);
                for (int r = 0; r < 6; ++r) {
                    double left[6];
                    for (int c = 0; c < 6; ++c) left[c] = s[r * length + c];
                    for (int c = 0; c < 6; ++c) {
                        double sum = 0;
                        for (int k = 0; k <= c; ++k) sum += left[k] * inverse[c * other + k];
                        s[r * length + c] = sum;
                    }
                }
            } else {
                invert_factor(s, length, diagonal);
            }
        }
    }
}

void solve(const Envelope& m, double* x, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const int length = m.length(i), n = length - 8;
        double *from = x + 8L * m.first[i], *own = x + 8L * i;
        const double* row = m.row(i);
        D sums[6] = {};
        for (int k = 0; k < n; k += width)
            for (int r = 0; r < 6; ++r) sums[r] += load(row + r * length + k) * load(from + k);
        alignas(64) double left[8] = {};
        for (int r = 0; r < 6; ++r) left[r] = own[r] - halved_sum(sums[r]);
        for (int r = 0; r < 6; ++r) {
            D sum{};
            for (int k = 0; k < 8; k += width) sum += load(row + r * length + n + k) * load(left + k);
            own[r] = halved_sum(sum);
        }
    }
    for (int i = end - 1; i >= begin; --i) {
        const int length = m.length(i), n = length - 8;
        double *to = x + 8L * m.first[i], *own = x + 8L * i;
        const double* row = m.row(i);
        D y[6];
        for (int r = 0; r < 6; ++r) y[r] = all(own[r]);
        for (int k = 0; k < 8; k += width) {
            D left{};
            for (int r = 0; r < 6; ++r) left += y[r] * load(row + r * length + n + k);
            store(own + k, left);
        }
        for (int r = 0; r < 6; ++r) y[r] = all(own[r]);
        for (int k = 0; k < n; k += width) {
            D left = load(to + k);
            for (int r = 0; r < 6; ++r) left -= y[r] * load(row + r * length + k);
            store(to + k, left);
        }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const CoarseKernels coarse_table;
const CoarseKernels coarse_table{rows,   edges, restrict_to<double>, restrict_to<float>, prolong, prolong_single,
                                 factor, solve};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
