// Model 3: corotated Hooke in each tet, pressure of the particles (docs/particles.md, "Model 3").

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

struct Gradient {
    D3 c0, c1, c2;  // columns of F
};

inline D3 load_nodes(const double* x, const int* node) {
    int at[width];
    for (int i = 0; i < width; ++i) at[i] = 4 * node[i];
    return load_at(x, at);
}

inline Gradient deformation(const Model3Args& a, long g, int half, D3 (&gradient)[3]) {
    const int* node = a.node + 32 * g + half;
    const D3 origin = load_nodes(a.x, node);
    Gradient F{};
    for (int k = 0; k < 3; ++k) {
        const D3 d = load_nodes(a.x, node + 8 * (k + 1)) - origin;
        const double* e = a.gradient + 72 * g + 24 * k + half;
        gradient[k] = {load(e), load(e + 8), load(e + 16)};
        F.c0 = F.c0 + gradient[k].x * d;
        F.c1 = F.c1 + gradient[k].y * d;
        F.c2 = F.c2 + gradient[k].z * d;
    }
    return F;
}

inline D3 times(const Gradient& m, const D3& v) { return v.x * m.c0 + v.y * m.c1 + v.z * m.c2; }

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
void dilations(const Model3Args& args, int begin, int end) {
    const Model3Args a = args;
    for (long g = begin; g < end; ++g)
        for (int half = 0; half < 8; half += width) {
            D3 gradient[3];
            const Gradient F = deformation(a, g, half, gradient);
            const Gradient R = follow_rotation(F, a.rotation + 32 * g + half);
            const D trace = dot(R.c0, F.c0) + dot(R.c1, F.c1) + dot(R.c2, F.c2) - 3.0;
            store(a.dilation + 8 * g + half, load(a.constant + 48 * g + 8 + half) * trace);
        }
}

void forces(const Model3Args& args, int begin, int end) {
    const Model3Args a = args;
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

// V (μ |F − R|² + ½ E_f (|F a| − 1)²).
void energies(const Model3Args& args, int begin, int end) {
    const Model3Args a = args;
    for (long g = begin; g < end; ++g) {
        D energy{};
        for (int half = 0; half < 8; half += width) {
            D3 gradient[3];
            const Gradient F = deformation(a, g, half, gradient);
            const double* q = a.rotation + 32 * g + half;
            const Gradient R = rotation_of(load(q), load(q + 8), load(q + 16), load(q + 24));
            const double* k = a.constant + 48 * g + half;
            const D3 d0 = F.c0 - R.c0, d1 = F.c1 - R.c1, d2 = F.c2 - R.c2;
            const D3 now = times(F, {load(k + 24), load(k + 32), load(k + 40)});
            const D length2 = dot(now, now), stretch = length2 * rsqrt(length2) - 1.0;
            energy +=
                0.5 * load(k) * (dot(d0, d0) + dot(d1, d1) + dot(d2, d2)) + 0.5 * load(k + 16) * stretch * stretch;
        }
        a.energy[g] = sum(energy);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const Model3Kernels model3_table;
const Model3Kernels model3_table{dilations, forces, energies};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
