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

// Eight rows of four to lanes, and back.
inline F3 to_lanes(const F4 (&row)[8]) {
    const F8 a = join(row[0], row[4]), b = join(row[1], row[5]), c = join(row[2], row[6]), d = join(row[3], row[7]);
    const F8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 abz = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 cdz = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return {__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
            __builtin_shufflevector(abz, cdz, 0, 1, 8, 9, 4, 5, 12, 13)};
}
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
    auto put = [&](int i, F8 r) {
        store4(out + 4 * i, __builtin_shufflevector(r, r, 0, 1, 2, 3));
        store4(out + 4 * i + 16, __builtin_shufflevector(r, r, 4, 5, 6, 7));
    };
    put(0, r04), put(1, r15), put(2, r26), put(3, r37);
}
// x(to) − x(from).
inline F3 differences(const double* x, const int* from, const int* to) {
    F4 row[8];
    for (int i = 0; i < 8; ++i) row[i] = narrow(load4(x + 4L * to[i]) - load4(x + 4L * from[i]));
    return to_lanes(row);
}
inline F3 gathered(const float* rows, const int* index) {
    F4 row[8];
    for (int i = 0; i < 8; ++i) row[i] = load4(rows + 4L * index[i]);
    return to_lanes(row);
}

void corners(const CornerArgs& a, int begin, int end) {
    const D4 origin = load4(a.x);  // near enough for floats
    for (int c = begin; c < end; ++c) {
        const int* n = a.node + 4L * c;
        const double* w = a.weight + 4L * c;
        const D4 p = w[0] * (load4(a.x + 4L * n[0]) - origin) + w[1] * (load4(a.x + 4L * n[1]) - origin) +
                     w[2] * (load4(a.x + 4L * n[2]) - origin) + w[3] * (load4(a.x + 4L * n[3]) - origin);
        store4(a.corner + 4L * c, narrow(p));
    }
}

// δ/sin δ for s = 1 − cos δ: Σ 2^k (k!)²/(2k+1)! s^k; δ is half an angle of up to 90 degrees, the error below 1e-7.
inline F8 angle_over_sine(F8 s) {
    F8 h = all8(128.f / 109395);
    h = h * s + 16.f / 6435;
    h = h * s + 16.f / 3003;
    h = h * s + 8.f / 693;
    h = h * s + 8.f / 315;
    h = h * s + 2.f / 35;
    h = h * s + 2.f / 15;
    h = h * s + 1.f / 3;
    return h * s + 1.f;
}

void faces(const FaceArgs& a, int begin, int end) {
    for (int g = begin; g < end; ++g) {
        const int* pair = a.pair + 16L * g;
        const float* k = a.constant + 32L * g;
        // Twice the area vector: a fan about the first corner. It does not depend on the point it is about.
        const int* column = a.column + 8L * a.slot_begin[g];
        const int* last = a.column + 8L * a.slot_begin[g + 1];
        const F3 first = gathered(a.corner, column);
        F3 before = gathered(a.corner, column + 8) - first, area{};
        for (column += 16; column < last; column += 8) {
            const F3 now = gathered(a.corner, column) - first;
            area = area + cross(before, now);
            before = now;
        }
        const F3 L = load8(k) * differences(a.x, pair, pair + 8);  // against the rest distance
        const F3 N = load8(k + 8) * area;                          // against the rest area
        const F3 n = rsqrt(dot(N, N)) * N;
        const F8 length2 = dot(L, L), r = rsqrt(length2);
        const F8 u = dot(L, n);
        const F8 cosine = larger(u * r, all8(-0.95f));  // sheared beyond recognition: keep the force finite
        const F8 c2 = 0.5f + 0.5f * cosine, r2 = rsqrt(c2);
        const F8 angle = angle_over_sine(larger(1.f - c2 * r2, F8{})) * r2;
        const F8 elastic = load8(k + 16) * (length2 * r - 1.f);
        const F8 shear = load8(k + 24) * angle * r;
        store_rows(a.force + 32L * g, elastic * n + shear * (L - u * n));
    }
}

void springs(const SpringArgs& a, int begin, int end) {
    for (int g = begin; g < end; ++g) {
        const float* k = a.constant + 16L * g;
        const F3 r = load8(k) * differences(a.x, a.pair + 16L * g, a.pair + 16L * g + 8);
        store_rows(a.force + 32L * g, (load8(k + 8) * (1.f - rsqrt(dot(r, r)))) * r);
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

struct GradientF {
    F3 c0, c1, c2;  // columns of F
};
inline F3 times(const GradientF& m, const F3& v) { return v.x * m.c0 + v.y * m.c1 + v.z * m.c2; }

template <bool unit>
inline void model2_group(const TetArgs& a, long g) {
    const int* node = a.node + 32 * g;
    F3 gradient[3];
    GradientF F{};
    for (int i = 0; i < 3; ++i) {
        const F3 d = differences(a.x, node, node + 8 * (i + 1));
        const float* e = a.gradient_float + 72 * g + 24 * i;
        gradient[i] = {load8(e), load8(e + 8), load8(e + 16)};
        F.c0 = F.c0 + gradient[i].x * d;
        F.c1 = F.c1 + gradient[i].y * d;
        F.c2 = F.c2 + gradient[i].z * d;
    }
    const GradientF C{cross(F.c1, F.c2), cross(F.c2, F.c0), cross(F.c0, F.c1)};
    const F8 J = dot(F.c0, C.c0);
    const float* k = a.constant_float + 64 * g;
    const F8 E = load8(k), G = load8(k + 8), rest = E - G;
    // Corners 0 … 3: cofactor and F times the gradients; the sub-face between i and j is V/4 (g_j − g_i).
    F3 c[4], f[4], force[4] = {};
    for (int i = 0; i < 3; ++i) c[i + 1] = times(C, gradient[i]), f[i + 1] = times(F, gradient[i]);
    c[0] = F3{} - (c[1] + c[2] + c[3]);
    f[0] = F3{} - (f[1] + f[2] + f[3]);
    constexpr int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int e = 0; e < 6; ++e) {
        const int i = edge[e][0], j = edge[e][1];
        const F3 d = c[j] - c[i];
        // ρ = rest area over cofactor area = 1/|N_g| with the cross product scaled to 1 at rest; N_d·N_g = J.
        const F8 inverse = load8(k + 16 + 8 * e);
        const F8 rho = rsqrt(inverse * inverse * dot(d, d));
        F3 pair;
        if constexpr (unit) {
            const F3 fd = f[j] - f[i];
            const F8 nu = rsqrt(inverse * inverse * dot(fd, fd));
            pair = (rho * (rest * J * rho * nu - E)) * d + (G * nu) * fd;
        } else {
            pair = (rho * (rest * J * rho - E)) * d;
        }
        force[i] = force[i] + pair, force[j] = force[j] - pair;
    }
    for (int i = 0; i < 4; ++i) {
        // Σ_j G V/4 F (g_j − g_i) = −G V F g_i.
        if constexpr (!unit) force[i] = force[i] - (4.f * G) * f[i];
        store_rows(a.force + 4 * (32 * g + 8 * i), force[i]);
    }
}

void model2(const TetArgs& a, int begin, int end) {
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
void dilations(const TetArgs& a, int begin, int end) {
    for (long g = begin; g < end; ++g)
        for (int half = 0; half < 8; half += width) {
            D3 gradient[3];
            const Gradient F = deformation(a, g, half, gradient);
            const Gradient R = follow_rotation(F, a.rotation + 32 * g + half);
            store(a.dilation + 8 * g + half, dot(R.c0, F.c0) + dot(R.c1, F.c1) + dot(R.c2, F.c2) - 3.0);
        }
}

void model3(const TetArgs& a, int begin, int end) {
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

inline D4 total(const GatherArgs& a, int i) {
    D4 sum{};
    const unsigned middle = a.begin[2 * i + 1], last = a.begin[2 * i + 2];
    for (unsigned e = a.begin[2 * i]; e < middle; ++e) sum += wide(load4(a.force + 4L * a.entry[e]));
    for (unsigned e = middle; e < last; ++e) sum -= wide(load4(a.force + 4L * a.entry[e]));
    return sum;
}

void gather(const GatherArgs& a, double* out, int begin, int end) {
    for (int i = begin; i < end; ++i) store4(out + 4L * i, total(a, i));
}

void move(const GatherArgs& a, const MoveArgs& m, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const D4 scale = load4(m.scale + 4L * i), zero{};
        D4 v = load4(m.v + 4L * i);
        v = (scale > 0.0 ? v : zero) + scale * total(a, i) + load4(m.push + 4L * i);
        store4(m.x + 4L * i, load4(m.x + 4L * i) + m.h * v);
        store4(m.v + 4L * i, m.damping * v);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const ParticleKernels particle_table;
const ParticleKernels particle_table{corners, faces, springs, model2, dilations, model3, gather, move};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
