#include "pliant/particle/force_kernels.hpp"

#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

inline D3 operator+(const D3& a, const D3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline D3 operator-(const D3& a, const D3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline D3 operator*(D s, const D3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline D dot(const D3& a, const D3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline D3 cross(const D3& a, const D3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline D larger(D a, D b) { return a > b ? a : b; }
inline D smaller(D a, D b) { return a < b ? a : b; }

// 1/√v for v about 1: an estimate and two Newton steps, 1e-13. Numbers below 1e-30 are taken for it.
inline D rsqrt(D v) {
    v = larger(v, all(1e-30));
#if defined(__AVX512F__)
    D y = (D)_mm512_maskz_rsqrt14_pd(0xff, (__m512d)v);
#elif defined(__AVX2__)
    D y = (D)_mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps((__m256d)v)));
#else
    D y = (D)_mm_div_pd(_mm_set1_pd(1), _mm_sqrt_pd((__m128d)v));
#endif
    const D half = 0.5 * v;
    y = y * (1.5 - half * y * y);
    y = y * (1.5 - half * y * y);
    return y;
}

// Lanes of a vector to rows of four floats.
inline void store_float_rows(float* out, const D3& f) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    // Transpose in double, then round: three shuffles and four conversions.
    const D zero{};
    const D xy = __builtin_shufflevector(f.x, f.y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(f.x, f.y, 1, 5, 3, 7);
    const D z0 = __builtin_shufflevector(f.z, zero, 0, 4, 2, 6), z1 = __builtin_shufflevector(f.z, zero, 1, 5, 3, 7);
    store(out, __builtin_shufflevector(xy, z0, 0, 1, 4, 5));
    store(out + 4, __builtin_shufflevector(xy1, z1, 0, 1, 4, 5));
    store(out + 8, __builtin_shufflevector(xy, z0, 2, 3, 6, 7));
    store(out + 12, __builtin_shufflevector(xy1, z1, 2, 3, 6, 7));
#else
    for (int i = 0; i < width; ++i) {
        out[4 * i] = float(f.x[i]), out[4 * i + 1] = float(f.y[i]), out[4 * i + 2] = float(f.z[i]);
        out[4 * i + 3] = 0;
    }
#endif
}

// Eight lanes of floats. Differences of positions are taken in double and then rounded, so that a strain is good to
// 1e-7 wherever the body is.
struct F3 {
    F8 x, y, z;
};
inline F3 operator+(const F3& a, const F3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline F3 operator-(const F3& a, const F3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline F3 operator*(F8 s, const F3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline F8 dot(const F3& a, const F3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline F3 cross(const F3& a, const F3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline F8 larger(F8 a, F8 b) { return a > b ? a : b; }

#if defined(__AVX2__)
inline F4 narrow(D4 v) { return (F4)_mm256_cvtpd_ps((__m256d)v); }
inline D4 wide(F4 v) { return (D4)_mm256_cvtps_pd((__m128)v); }  // GCC 12 splits __builtin_convertvector into halves
inline F8 estimate(F8 v) { return (F8)_mm256_rsqrt_ps((__m256)v); }
inline F8 join(F4 a, F4 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
#else
inline F4 narrow(D4 v) { return F4{float(v[0]), float(v[1]), float(v[2]), float(v[3])}; }
inline D4 wide(F4 v) { return D4{v[0], v[1], v[2], v[3]}; }
inline F8 join(F4 a, F4 b) { return F8{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]}; }
inline F8 estimate(F8 v) {
    return join((F4)_mm_rsqrt_ps((__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3)),
                (F4)_mm_rsqrt_ps((__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7)));
}
#endif

// 1/√v for v about 1, to 3e-7.
inline F8 rsqrt(F8 v) {
    v = larger(v, all8(1e-30f));
    const F8 y = estimate(v);
    return y * (1.5f - 0.5f * v * y * y);
}

// Eight rows of four to lanes, and back. Rows come in pairs: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
inline F3 to_lanes(F8 a, F8 b, F8 c, F8 d) {
    const F8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 abz = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 cdz = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(abz, cdz, 0, 1, 8, 9, 4, 5, 12, 13)};
}
inline void store_rows(float* out, F8 r04, F8 r15, F8 r26, F8 r37) {
    auto put = [&](int i, F8 r) {
        store4(out + 4 * i, __builtin_shufflevector(r, r, 0, 1, 2, 3));
        store4(out + 4 * i + 16, __builtin_shufflevector(r, r, 4, 5, 6, 7));
    };
    put(0, r04), put(1, r15), put(2, r26), put(3, r37);
}
template <bool opposite>
inline void store_rows(float* out, const F3& f) {
    const F8 zero{};
    const F8 xy = __builtin_shufflevector(f.x, f.y, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 xy2 = __builtin_shufflevector(f.x, f.y, 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 z = __builtin_shufflevector(f.z, zero, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 z2 = __builtin_shufflevector(f.z, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 r04 = __builtin_shufflevector(xy, z, 0, 1, 8, 9, 4, 5, 12, 13);
    const F8 r15 = __builtin_shufflevector(xy, z, 2, 3, 10, 11, 6, 7, 14, 15);
    const F8 r26 = __builtin_shufflevector(xy2, z2, 0, 1, 8, 9, 4, 5, 12, 13);
    const F8 r37 = __builtin_shufflevector(xy2, z2, 2, 3, 10, 11, 6, 7, 14, 15);
    store_rows(out, r04, r15, r26, r37);
    if constexpr (opposite) store_rows(out + 32, -r04, -r15, -r26, -r37);
}
// x(to) − x(from).
inline F3 differences(const double* x, const int* from, const int* to) {
    auto row = [&](int i) { return narrow(load4(x + to[i]) - load4(x + from[i])); };
    return to_lanes(join(row(0), row(4)), join(row(1), row(5)), join(row(2), row(6)), join(row(3), row(7)));
}
inline F3 gathered(const float* rows, const int* start) {
    auto both = [&](int i) { return join(load4(rows + start[i]), load4(rows + start[i + 4])); };
    return to_lanes(both(0), both(1), both(2), both(3));
}

// Arguments are copied first: what a loop stores could otherwise be the arguments themselves for all the compiler
// knows, and it would read them again each time round.
void corners(const CornerArgs& args, int begin, int end) {
    const CornerArgs a = args;
    for (int c = begin; c < end; ++c) {
        const int* n = a.node + 4L * c;
        const F4 w = load4(a.weight + 4L * c);
        const F4 p = __builtin_shufflevector(w, w, 0, 0, 0, 0) * load4(a.near + n[0]) +
                     __builtin_shufflevector(w, w, 1, 1, 1, 1) * load4(a.near + n[1]);
        const F4 q = __builtin_shufflevector(w, w, 2, 2, 2, 2) * load4(a.near + n[2]) +
                     __builtin_shufflevector(w, w, 3, 3, 3, 3) * load4(a.near + n[3]);
        store4(a.corner + 4L * c, p + q);
    }
}

// δ/sin δ for s = 1 − cos δ: Σ 2^k (k!)²/(2k+1)! s^k; δ is half an angle of up to 90 degrees, the error below 1e-7.
inline F8 angle_over_sine(F8 s) {
    const F8 s2 = s * s, s4 = s2 * s2;
    const F8 low = (1.f / 3 * s + 1.f) + (2.f / 35 * s + 2.f / 15) * s2;
    const F8 high = (8.f / 693 * s + 8.f / 315) + (16.f / 6435 * s + 16.f / 3003) * s2;
    return low + (high + 128.f / 109395 * s4) * s4;
}

// Twice the area vector: quadrilaterals about the first corner, each half the product of its diagonals. It does not
// depend on the point it is about.
inline F3 doubled_area(const FaceArgs& a, int g) {
    const int* column = a.column + 8L * a.slot_begin[g];
    const int* last = a.column + 8L * a.slot_begin[g + 1];
    const F3 first = gathered(a.corner, column);
    F3 before = gathered(a.corner, column + 8), area{};
    for (column += 16; column < last; column += 16) {
        const F3 middle = gathered(a.corner, column) - first, now = gathered(a.corner, column + 8);
        const F3 across = now - before;
        area = {area.x + middle.y * across.z - middle.z * across.y, area.y + middle.z * across.x - middle.x * across.z,
                area.z + middle.x * across.y - middle.y * across.x};
        before = now;
    }
    return area;
}

// In stages for a few groups at a time. The force of a face is one long chain of dependent numbers, and the processor
// sees only about one group ahead: cut in pieces, several are under way at once.
void faces(const FaceArgs& args, int begin, int end) {
    const FaceArgs a = args;
    constexpr int block = 8;
    F3 n[block], L[block];  // normal; difference of the particles against the rest distance
    F8 length2[block], r[block], u[block], angle[block];
    for (int start = begin; start < end; start += block) {
        const int count = start + block < end ? block : end - start;
        for (int i = 0; i < count; ++i) n[i] = doubled_area(a, start + i);
        for (int i = 0; i < count; ++i) {
            const int* pair = a.pair + 16L * (start + i);
            const float* k = a.constant + 32L * (start + i);
            L[i] = load8(k) * differences(a.x, pair, pair + 8);
            const F3 N = load8(k + 8) * n[i];  // against the rest area
            n[i] = rsqrt(dot(N, N)) * N;
            length2[i] = dot(L[i], L[i]), r[i] = rsqrt(length2[i]), u[i] = dot(L[i], n[i]);
        }
        for (int i = 0; i < count; ++i) {
            const F8 cosine = larger(u[i] * r[i], all8(-0.95f));  // sheared beyond recognition: keep the force finite
            const F8 c2 = 0.5f + 0.5f * cosine, r2 = rsqrt(c2);
            angle[i] = angle_over_sine(larger(1.f - c2 * r2, F8{})) * r2;
        }
        for (int i = 0; i < count; ++i) {
            const float* k = a.constant + 32L * (start + i);
            const F8 elastic = load8(k + 16) * (length2[i] * r[i] - 1.f);
            const F8 shear = load8(k + 24) * angle[i] * r[i];
            store_rows<true>(a.force + 64L * (start + i), (elastic - shear * u[i]) * n[i] + shear * L[i]);
        }
    }
}

void springs(const SpringArgs& args, int begin, int end) {
    const SpringArgs a = args;
    for (int g = begin; g < end; ++g) {
        const float* k = a.constant + 16L * g;
        const F3 r = load8(k) * differences(a.x, a.pair + 16L * g, a.pair + 16L * g + 8);
        store_rows<true>(a.force + 64L * g, (load8(k + 8) * (1.f - rsqrt(dot(r, r)))) * r);
    }
}

struct Gradient {
    D3 c0, c1, c2;  // columns of F
};

inline Gradient deformation(const TetArgs& a, long g, int half, D3 (&gradient)[3]) {
    const int* node = a.node + 32 * g + half;
    const D3 origin = load_rows(a.x, node);
    Gradient F{};
    for (int k = 0; k < 3; ++k) {
        const D3 d = load_rows(a.x, node + 8 * (k + 1)) - origin;
        const double* e = a.gradient + 72 * g + 24 * k + half;
        gradient[k] = {load(e), load(e + 8), load(e + 16)};
        F.c0 = F.c0 + gradient[k].x * d;
        F.c1 = F.c1 + gradient[k].y * d;
        F.c2 = F.c2 + gradient[k].z * d;
    }
    return F;
}

inline D3 times(const Gradient& m, const D3& v) { return v.x * m.c0 + v.y * m.c1 + v.z * m.c2; }

// Differences from corner 0 to the others, negative, of eight tets.
inline void edges_to_origin(const double* x, const int* row, F3 (&e)[3]) {
    F8 half[3][4];  // rows i and i + 4
    for (int i = 0; i < 4; ++i) {
        const D4 a = load4(x + row[i]), b = load4(x + row[i + 4]);
        for (int k = 0; k < 3; ++k) {
            const int* to = row + 8 * (k + 1) + i;
            half[k][i] = join(narrow(a - load4(x + to[0])), narrow(b - load4(x + to[4])));
        }
    }
    for (int k = 0; k < 3; ++k) e[k] = to_lanes(half[k][0], half[k][1], half[k][2], half[k][3]);
}

// With the edges e_k = x_k − x_0 of the tet as it stands and the gradients g_k of its linear functions at rest,
// 6V cof(F) g_1 = e_2 × e_3 and so on round, 6V det F = e_1·(e_2 × e_3), and F g_k = Σ_j (g_k·g_j) e_j: neither F nor
// its cofactor is needed.
template <bool unit>
inline void model2_group(const TetArgs& a, long g) {
    F3 e[3];
    edges_to_origin(a.x, a.row + 32 * g, e);
    const float* k = a.constant_float + 128 * g;
    auto constant = [&](int n) { return load8(k + 8 * n); };
    // 6V times the cofactor times the gradients of corners 0 … 3; the sub-face between i and j is V/4 (g_j − g_i).
    const F3 c1 = cross(e[1], e[2]), c2 = cross(e[2], e[0]), c3 = cross(e[0], e[1]);
    const F3 c0 = F3{} - (c1 + c2 + c3);
    const F8 E = constant(0), rest = constant(1) * (F8{} - dot(e[0], c1));  // (E − G)/24 det F
    // Minus V G F g_k, or for unit normals minus F g_k.
    auto carried = [&](int xx, int xy, int xz) {
        return constant(8 + xx) * e[0] + constant(8 + xy) * e[1] + constant(8 + xz) * e[2];
    };
    F3 f0, f1, f2, f3;
    if constexpr (unit) {
        f1 = carried(0, 1, 2), f2 = carried(1, 3, 4), f3 = carried(2, 4, 5);
        f0 = F3{} - (f1 + f2 + f3);
    }
    // Written out, because GCC keeps what a loop indexes in memory. What the sub-face exerts on its first corner:
    auto pair = [&](int n, const F3& ci, const F3& cj, const F3& fi, const F3& fj) {
        const F3 d = cj - ci;
        // ρ = rest area over cofactor area = 1/|N_g| with the cross product scaled to 1 at rest; N_d·N_g = J.
        const F8 inverse2 = constant(2 + n);
        const F8 rho = rsqrt(inverse2 * dot(d, d));
        if constexpr (unit) {
            const F3 fd = fj - fi;
            const F8 nu = rsqrt(constant(15) * inverse2 * dot(fd, fd));
            return (rho * (rest * rho * nu - E)) * d - (constant(14) * nu) * fd;
        } else {
            return (rho * (rest * rho - E)) * d;
        }
    };
    F3 on1 = pair(0, c1, c0, f1, f0), on2 = pair(1, c2, c0, f2, f0), on3 = pair(2, c3, c0, f3, f0);
    const F3 on12 = pair(3, c1, c2, f1, f2);
    on1 = on1 + on12, on2 = on2 - on12;
    const F3 on13 = pair(4, c1, c3, f1, f3);
    on1 = on1 + on13, on3 = on3 - on13;
    const F3 on23 = pair(5, c2, c3, f2, f3);
    on2 = on2 + on23, on3 = on3 - on23;
    if constexpr (!unit)  // Σ_j G V/4 F (g_j − g_i) = −G V F g_i
        on1 = on1 + carried(0, 1, 2), on2 = on2 + carried(1, 3, 4), on3 = on3 + carried(2, 4, 5);
    float* out = a.force + 128 * g;
    store_rows<false>(out + 32, on1), store_rows<false>(out + 64, on2), store_rows<false>(out + 96, on3);
    store_rows<false>(out, F3{} - (on1 + on2 + on3));
}

void model2(const TetArgs& args, int begin, int end) {
    const TetArgs a = args;
    for (long g = begin; g < end; ++g) a.unit_normal ? model2_group<true>(a, g) : model2_group<false>(a, g);
}

inline Gradient rotation_of(D w, D x, D y, D z) {
    const D xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, zx = z * x, wx = w * x, wy = w * y, wz = w * z;
    return {{1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (zx - wy)},
            {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)},
            {2.0 * (zx + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)}};
}

inline bool any(DMask m) {
    long long found = 0;
    for (int i = 0; i < width; ++i) found |= m[i];
    return found != 0;
}

// Newton's method for the rotation that maximises tr(RᵀF), from where it was in the last step. Where the second
// derivative is not definite (folded tets) a gradient step is taken instead, which climbs from anywhere.
inline Gradient follow_rotation(const Gradient& F, double* q) {
    D w = load(q), x = load(q + 8), y = load(q + 16), z = load(q + 24);
    Gradient R = rotation_of(w, x, y, z);
    for (int round = 0; round < 30; ++round) {
        // In the present frame S = F Rᵀ; the turn ω solves (tr S − sym S) ω = axial.
        const D3 axial = cross(R.c0, F.c0) + cross(R.c1, F.c1) + cross(R.c2, F.c2);
        const D3 s0 = R.c0.x * F.c0 + R.c1.x * F.c1 + R.c2.x * F.c2;
        const D3 s1 = R.c0.y * F.c0 + R.c1.y * F.c1 + R.c2.y * F.c2;
        const D3 s2 = R.c0.z * F.c0 + R.c1.z * F.c1 + R.c2.z * F.c2;
        const D trace = s0.x + s1.y + s2.z;
        const D xy = -0.5 * (s0.y + s1.x), yz = -0.5 * (s1.z + s2.y), zx = -0.5 * (s2.x + s0.z);
        const D xx = trace - s0.x, yy = trace - s1.y, zz = trace - s2.z;
        const D3 k0{yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx};
        const D3 k1{k0.y, xx * zz - zx * zx, xy * zx - xx * yz};
        const D3 k2{k0.z, k1.z, xx * yy - xy * xy};
        const D determinant = xx * k0.x + xy * k0.y + zx * k0.z;
        const D size = dot(F.c0, F.c0) + dot(F.c1, F.c1) + dot(F.c2, F.c2) + 1e-30;
        const D length = size * rsqrt(size);
        const DMask good = (xx > 0.0) & (k2.z > 0.0) & (determinant > 1e-6 * length * length * length);
        const D scale = 1.0 / (good ? determinant : 2.0 * length);
        D3 turn = axial.x * k0 + axial.y * k1 + axial.z * k2;
        turn = {good ? turn.x : axial.x, good ? turn.y : axial.y, good ? turn.z : axial.z};
        turn = scale * turn;
        const D turn2 = dot(turn, turn);
        const D shrink = smaller(all(1.0), rsqrt(turn2 + 1e-30));  // at most one radian
        turn = (0.5 * shrink) * turn;
        const D nw = w - turn.x * x - turn.y * y - turn.z * z;
        const D nx = x + turn.x * w + turn.y * z - turn.z * y;
        const D ny = y + turn.y * w + turn.z * x - turn.x * z;
        const D nz = z + turn.z * w + turn.x * y - turn.y * x;
        const D unit = rsqrt(nw * nw + nx * nx + ny * ny + nz * nz);
        w = unit * nw, x = unit * nx, y = unit * ny, z = unit * nz;
        R = rotation_of(w, x, y, z);
        if (!any(turn2 > 1e-14)) break;
    }
    store(q, w), store(q + 8, x), store(q + 16, y), store(q + 24, z);
    return R;
}

// Rotations, and the trace of the strain: sums of columns of RᵀF − I.
void dilations(const TetArgs& args, int begin, int end) {
    const TetArgs a = args;
    for (long g = begin; g < end; ++g)
        for (int half = 0; half < 8; half += width) {
            D3 gradient[3];
            const Gradient F = deformation(a, g, half, gradient);
            const Gradient R = follow_rotation(F, a.rotation + 32 * g + half);
            const D trace = dot(R.c0, F.c0) + dot(R.c1, F.c1) + dot(R.c2, F.c2) - 3.0;
            store(a.dilation + 8 * g + half, load(a.constant + 48 * g + 8 + half) * trace);
        }
}

void model3(const TetArgs& args, int begin, int end) {
    const TetArgs a = args;
    for (long g = begin; g < end; ++g)
        for (int half = 0; half < 8; half += width) {
            D3 gradient[3];
            const Gradient F = deformation(a, g, half, gradient);
            const double* q = a.rotation + 32 * g + half;
            const Gradient R = rotation_of(load(q), load(q + 8), load(q + 16), load(q + 24));
            const double* k = a.constant + 48 * g + half;
            D pressure{};
            for (int corner = 0; corner < 4; ++corner)
                for (int i = 0; i < width; ++i) pressure[i] += a.pressure[a.node[32 * g + 8 * corner + half + i]];
            pressure *= 0.25 * load(k + 8);
            const D shear = load(k), fibre = load(k + 16);
            const D3 along{load(k + 24), load(k + 32), load(k + 40)};
            const D3 now = times(F, along);
            const D stretch = fibre * (1.0 - rsqrt(dot(now, now)));
            // V P = 2μV (F − R) + p V R + E_f V (1 − 1/|Fa|) Fa aᵀ
            const Gradient P{shear * (F.c0 - R.c0) + pressure * R.c0 + (stretch * along.x) * now,
                             shear * (F.c1 - R.c1) + pressure * R.c1 + (stretch * along.y) * now,
                             shear * (F.c2 - R.c2) + pressure * R.c2 + (stretch * along.z) * now};
            D3 sum{};
            for (int i = 0; i < 3; ++i) {
                const D3 f = all(-1.0) * times(P, gradient[i]);
                sum = sum - f;
                store_float_rows(a.force + 4 * (32 * g + 8 * (i + 1) + half), f);
            }
            store_float_rows(a.force + 4 * (32 * g + half), sum);
        }
}

inline D4 total(const GatherArgs& a, int place) {
    D4 even{}, odd{};
    const unsigned last = a.begin[place + 1];
    unsigned e = a.begin[place];
    for (; e + 1 < last; e += 2) {
        even += wide(load4(a.force + a.entry[e]));
        odd += wide(load4(a.force + a.entry[e + 1]));
    }
    if (e < last) even += wide(load4(a.force + a.entry[e]));
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
extern const ParticleKernels particle_table;
const ParticleKernels particle_table{corners, faces, springs, model2, dilations, model3, gather, move};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
