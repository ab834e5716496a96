// One pass over the elements: rotation (warm-started Newton), stress at x + (dt+β)v, nodal forces, rotated gradients.

#include "pliant/fem/element_kernels.hpp"
#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

// Largest rotation (rad) that the last double step may still have to make: its own error is of second order in it.
constexpr double last_turn = 3e-6;
constexpr float float_turn = 3e-3f;

// How far H may be from singular, against the cube of its trace, before an element goes to the robust search. H has the
// sums of pairs of signed singular values as eigenvalues: it is singular where the nearest rotation is not unique.
constexpr double least_determinant = 1e-6;

template <class V>
struct Matrix {
    V m[9];  // row by row
    V& operator()(int i, int j) { return m[3 * i + j]; }
    const V& operator()(int i, int j) const { return m[3 * i + j]; }
};

template <class V>
inline Matrix<V> rotation_matrix(const V* q) {
    const V w = q[0], x = q[1], y = q[2], z = q[3];
    const V x2 = x + x, y2 = y + y, z2 = z + z;
    const V xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, yz = y * z2, zx = z * x2, wx = w * x2, wy = w * y2,
            wz = w * z2;
    return {{1 - (yy + zz), xy - wz, zx + wy, xy + wz, 1 - (xx + zz), yz - wx, zx - wy, yz + wx, 1 - (xx + yy)}};
}

// AᵀB
template <class V>
inline Matrix<V> transposed_times(const Matrix<V>& A, const Matrix<V>& B) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C(i, j) = A(0, i) * B(0, j) + A(1, i) * B(1, j) + A(2, i) * B(2, j);
    return C;
}

// One Newton step for max tr(RᵀF) over rotations: with A = RᵀF = exp([ω])S, the axial vector of A − Aᵀ is (tr S I − S)ω
// to first order. Steps longer than 1 rad are cut where `Limit` says so. Returns the squared length of ω; `sound` lanes
// have a positive definite Hessian, which at a stationary point means the one and only maximum. Other lanes are left
// where they are.
template <bool Limit, class V, class Mask>
inline V newton_step(V* q, const Matrix<V>& F, V least, Mask& sound) {
    const Matrix<V> R = rotation_matrix(q);
    const Matrix<V> A = transposed_times(R, F);
    const V gx = A(2, 1) - A(1, 2), gy = A(0, 2) - A(2, 0), gz = A(1, 0) - A(0, 1);
    const V a = A(1, 1) + A(2, 2), b = A(0, 0) + A(2, 2), c = A(0, 0) + A(1, 1);
    const V d = (A(0, 1) + A(1, 0)) * V(V{} - 0.5f), e = (A(1, 2) + A(2, 1)) * V(V{} - 0.5f),
            f = (A(0, 2) + A(2, 0)) * V(V{} - 0.5f);
    // H = [a d f; d b e; f e c]: adjugate and determinant.
    const V bc = b * c - e * e, ac = a * c - f * f, ab = a * b - d * d;
    const V de = f * e - d * c, df = d * e - f * b, ef = d * f - e * a;
    const V det = a * bc + d * de + f * df, trace = a + b + c;
    sound = (a > 0) & (ab > 0) & (det > least * trace * trace * trace);
    const V inverse = 1 / (sound ? det : V(V{} + 1));
    V ox = (bc * gx + de * gy + df * gz) * inverse, oy = (de * gx + ac * gy + ef * gz) * inverse,
      oz = (df * gx + ef * gy + ab * gz) * inverse;
    const V square = ox * ox + oy * oy + oz * oz;
    V half = V{} + 0.5f;
    if (Limit) half = square > 1 ? V(half / square) : half;
    // Chosen rather than multiplied by zero: lanes that are not sound may hold anything.
    ox = sound ? V(ox * half) : V{}, oy = sound ? V(oy * half) : V{}, oz = sound ? V(oz * half) : V{};
    const V w = q[0], x = q[1], y = q[2], z = q[3];
    q[0] = w - x * ox - y * oy - z * oz;
    q[1] = x + w * ox + y * oz - z * oy;
    q[2] = y + w * oy + z * ox - x * oz;
    q[3] = z + w * oz + x * oy - y * ox;
    return square;
}

// Scales a quaternion that is nearly of unit length: three terms of (1 + δ)^(−1/2). After a step of ω, δ is ω²/4 plus
// rounding; what long steps leave, the next one mends.
template <class V>
inline void normalise(V* q) {
    const V d = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
    const V scale = 1 + d * (d * 0.375f - 0.5f);
    for (int i = 0; i < 4; ++i) q[i] *= scale;
}

inline bool any(I8 mask) {
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int some = 0;
    for (int i = 0; i < 8; ++i) some |= mask[i];
    return some != 0;
#endif
}

// One bit per lane of a mask.
inline unsigned bits(DMask mask) {
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined(__AVX2__)
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#else
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)mask));
#endif
}

// Everything of a group that passes between its stages.
struct Group {
    alignas(64) double F[9][8];
    alignas(64) double R[9][8];
    alignas(64) float f[9][8];
    alignas(64) double q[4][8];
    alignas(64) double out[12][8];
    alignas(64) float line[16][8];
};

typedef double D2 __attribute__((vector_size(16)));
typedef D2 D2Loose __attribute__((may_alias, aligned(8)));

// Component c of `width` nodes, for c = 0, 1, 2: two loads a node and shuffles instead of three scalar loads.
inline void gather(const double* x, const int* node, D out[3]) {
    D2 xy[width], z[width / 2];
    for (int i = 0; i < width; ++i) xy[i] = *reinterpret_cast<const D2Loose*>(x + 3L * node[i]);
    for (int i = 0; i < width / 2; ++i) z[i] = D2{x[3L * node[2 * i] + 2], x[3L * node[2 * i + 1] + 2]};
#if defined(__AVX512F__)
    auto join = [](D2 a, D2 b, D2 c, D2 d) {
        const D4 lo = __builtin_shufflevector(a, b, 0, 1, 2, 3), hi = __builtin_shufflevector(c, d, 0, 1, 2, 3);
        return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
    };
    const D even = join(xy[0], xy[2], xy[4], xy[6]), odd = join(xy[1], xy[3], xy[5], xy[7]);
    out[0] = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    out[1] = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
    out[2] = join(z[0], z[1], z[2], z[3]);
#elif defined(__AVX2__)
    const D even = __builtin_shufflevector(xy[0], xy[2], 0, 1, 2, 3),
            odd = __builtin_shufflevector(xy[1], xy[3], 0, 1, 2, 3);
    out[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    out[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    out[2] = __builtin_shufflevector(z[0], z[1], 0, 1, 2, 3);
#else
    out[0] = __builtin_shufflevector(xy[0], xy[1], 0, 2);
    out[1] = __builtin_shufflevector(xy[0], xy[1], 1, 3);
    out[2] = z[0];
#endif
}

// The edges 1−0, 2−0, 3−0 of `width` tets: e[component][edge].
inline void edges(const double* x, const int* node, D e[3][3]) {
    D origin[3], other[3];
    gather(x, node, origin);
    for (int a = 0; a < 3; ++a) {
        gather(x, node + 8 * (a + 1), other);
        for (int c = 0; c < 3; ++c) e[c][a] = other[c] - origin[c];
    }
}

// F = Σ x_a ∇_aᵀ
inline void gradient_of(const D e[3][3], const double* gradient, Matrix<D>& F) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F(i, j) = e[i][0] * load(gradient + 8 * j) + e[i][1] * load(gradient + 8 * (3 + j)) +
                      e[i][2] * load(gradient + 8 * (6 + j));
}

void deformation(const ElementArgs& args, int group, Group& g) {
    for (int half = 0; half < 8; half += width) {
        D e[3][3];
        edges(args.x, args.node + 32L * group + half, e);
        Matrix<D> F;
        gradient_of(e, args.gradient + 72L * group + half, F);
        if (args.turn != 0) {
            Matrix<D> G;
            edges(args.v, args.node + 32L * group + half, e);
            gradient_of(e, args.gradient + 72L * group + half, G);
            for (int k = 0; k < 9; ++k) F.m[k] += args.turn * G.m[k];
        }
        for (int k = 0; k < 9; ++k) store(&g.F[k][half], F.m[k]);
    }
}

// Rotations of eight elements: Newton in float from the last step's, polished in double, the robust search for the
// rest.
void rotations(const ElementArgs& args, int group, Group& g) {
    float* state = args.rotation + 32L * group;
    // Where F leaves the range of float, no lane is sound and the double steps or the robust search decide.
    for (int half = 0; half < 8; half += width)
        for (int k = 0; k < 9; ++k) store(&g.f[k][half], load(&g.F[k][half]));
    F8 q[4];
    Matrix<F8> f;
    for (int i = 0; i < 4; ++i) q[i] = load8(state + 8 * i);
    for (int k = 0; k < 9; ++k) f.m[k] = load8(g.f[k]);
    for (int step = 0; step < 6; ++step) {
        I8 sound;
        const F8 square = newton_step<true>(q, f, all8(float(least_determinant)), sound);
        normalise(q);
        if (!any(sound & (square > float_turn * float_turn))) break;
    }
    unsigned robust = 0;
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        D p[4];
        for (int i = 0; i < 4; ++i)
            for (int lane = 0; lane < width; ++lane) p[i][lane] = q[i][half + lane];
        DMask open{};
        for (int step = 0; step < 4; ++step) {
            DMask sound;
            const D square = newton_step<false>(p, F, all(least_determinant), sound);
            normalise(p);
            open = ~sound | ~(square < last_turn * last_turn);
            if (!bits(open & sound)) break;
        }
        robust |= bits(open) << half;
        const Matrix<D> R = rotation_matrix(p);
        for (int k = 0; k < 9; ++k) store(&g.R[k][half], R.m[k]);
        for (int i = 0; i < 4; ++i) store(&g.q[i][half], p[i]);
    }
    for (int lane = 0; lane < 8; ++lane) {
        if (!(robust >> lane & 1)) continue;
        double F[9], p[4];
        for (int k = 0; k < 9; ++k) F[k] = g.F[k][lane];
        for (int i = 0; i < 4; ++i) p[i] = state[8 * i + lane];
        args.robust(F, p);
        const Matrix<double> R = rotation_matrix(p);
        for (int k = 0; k < 9; ++k) g.R[k][lane] = R.m[k];
        for (int i = 0; i < 4; ++i) g.q[i][lane] = p[i];
    }
    for (int i = 0; i < 4; ++i)
        for (int half = 0; half < 8; half += width) store(state + 8 * i + half, load(&g.q[i][half]));
}

inline void transpose(D4& a, D4& b, D4& c, D4& d) {
    const D4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const D4 ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab, cd, 2, 3, 6, 7), d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}
inline void transpose(F4& a, F4& b, F4& c, F4& d) {
    const F4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const F4 ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5), d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// Plastic strains of tets first … first + width − 1, from [tet][6] to lanes; behind `last` come copies of it.
inline void load_plastic(const double* strain, int first, int last, D p[6]) {
    const double* of[width];
    for (int lane = 0; lane < width; ++lane) of[lane] = strain + 6L * (first + lane < last ? first + lane : last);
#if defined(__AVX2__) && !defined(__AVX512F__)
    D4 row[4];
    D2 end[4];
    for (int lane = 0; lane < 4; ++lane) {
        row[lane] = *reinterpret_cast<const D4Loose*>(of[lane]);
        end[lane] = *reinterpret_cast<const D2Loose*>(of[lane] + 4);
    }
    transpose(row[0], row[1], row[2], row[3]);
    for (int k = 0; k < 4; ++k) p[k] = row[k];
    const D4 even = __builtin_shufflevector(end[0], end[2], 0, 1, 2, 3),
             odd = __builtin_shufflevector(end[1], end[3], 0, 1, 2, 3);
    p[4] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    p[5] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    for (int k = 0; k < 6; ++k)
        for (int lane = 0; lane < width; ++lane) p[k][lane] = of[lane][k];
#endif
}

inline D root(D v) {
#if defined(__AVX512F__)
    return (D)_mm512_maskz_sqrt_pd(0xff, (__m512d)v);
#elif defined(__AVX2__)
    return (D)_mm256_sqrt_pd((__m256d)v);
#else
    return (D)_mm_sqrt_pd((__m128d)v);
#endif
}

void forces(const ElementArgs& args, int group, Group& g) {
    const double* gradient = args.gradient + 72L * group;
    const double* lame = args.lame + 16L * group;
    const int* node = args.node + 32L * group;
    for (int half = 0; half < 8; half += width) {
        D e[3][3];
        edges(args.v, node + half, e);
        Matrix<D> G, R;
        gradient_of(e, gradient + half, G);
        for (int k = 0; k < 9; ++k) {
            G.m[k] = load(&g.F[k][half]) + (args.reach - args.turn) * G.m[k];
            R.m[k] = load(&g.R[k][half]);
        }
        const Matrix<D> A = transposed_times(R, G);
        // Strain in the rest frame, Müller & Gross 2004, eq. 13; without the plastic part, eq. 14.
        D xx = A(0, 0) - 1, yy = A(1, 1) - 1, zz = A(2, 2) - 1;
        D xy = 0.5 * (A(0, 1) + A(1, 0)), yz = 0.5 * (A(1, 2) + A(2, 1)), zx = 0.5 * (A(2, 0) + A(0, 2));
        if (args.plastic) {
            D p[6];
            load_plastic(args.plastic, 8 * group + half, args.tets - 1, p);
            xx -= p[0], yy -= p[1], zz -= p[2], xy -= p[3], yz -= p[4], zx -= p[5];
        }
        const D lambda = load(lame + half), mu = load(lame + 8 + half);
        const D pressure = lambda * (xx + yy + zz), twice = mu + mu;
        xx = pressure + twice * xx, yy = pressure + twice * yy, zz = pressure + twice * zz;
        xy *= twice, yz *= twice, zx *= twice;
        const D weight = root(args.dt * args.reach * mu);
        for (int i = 0; i < 3; ++i) {
            const D p0 = -args.dt * (R(i, 0) * xx + R(i, 1) * xy + R(i, 2) * zx);
            const D p1 = -args.dt * (R(i, 0) * xy + R(i, 1) * yy + R(i, 2) * yz);
            const D p2 = -args.dt * (R(i, 0) * zx + R(i, 1) * yz + R(i, 2) * zz);
            D force0{}, line0{};
            for (int a = 0; a < 3; ++a) {
                const D gx = load(gradient + 8 * (3 * a) + half), gy = load(gradient + 8 * (3 * a + 1) + half),
                        gz = load(gradient + 8 * (3 * a + 2) + half);
                const D force = p0 * gx + p1 * gy + p2 * gz, turned = R(i, 0) * gx + R(i, 1) * gy + R(i, 2) * gz;
                force0 -= force, line0 -= turned;
                store(&g.out[3 * (a + 1) + i][half], force);
                store(&g.line[4 * (a + 1) + i][half], weight * turned);
            }
            store(&g.out[i][half], force0);
            store(&g.line[i][half], weight * line0);
        }
        const D ratio = mu > 0 ? lambda / mu : D{};
        for (int a = 0; a < 4; ++a) store(&g.line[4 * a + 3][half], ratio);
    }
}

// From lanes to one run of 12 doubles and one line of 16 floats per tet.
void write_out(const ElementArgs& args, int group, const Group& g) {
    double* force = args.force + 96L * group;
    float* line = args.line + 128L * group;
    for (int half = 0; half < 8; half += 4) {
        for (int k = 0; k < 12; k += 4) {
            D4 t[4];
            for (int i = 0; i < 4; ++i) t[i] = load4(&g.out[k + i][half]);
            transpose(t[0], t[1], t[2], t[3]);
            for (int i = 0; i < 4; ++i) store4(force + 12 * (half + i) + k, t[i]);
        }
        for (int k = 0; k < 16; k += 4) {
            F4 t[4];
            for (int i = 0; i < 4; ++i) t[i] = load4(&g.line[k + i][half]);
            transpose(t[0], t[1], t[2], t[3]);
            for (int i = 0; i < 4; ++i) store4(line + 16 * (half + i) + k, t[i]);
        }
    }
}

// sym(RᵀF) − I, Müller & Gross 2004, eq. 13.
inline void total_strain(const Group& g, int half, D e[6]) {
    Matrix<D> F, R;
    for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]), R.m[k] = load(&g.R[k][half]);
    const Matrix<D> A = transposed_times(R, F);
    e[0] = A(0, 0) - 1, e[1] = A(1, 1) - 1, e[2] = A(2, 2) - 1;
    e[3] = 0.5 * (A(0, 1) + A(1, 0)), e[4] = 0.5 * (A(1, 2) + A(2, 1)), e[5] = 0.5 * (A(2, 0) + A(0, 2));
}

// Plastic strain follows the total strain at x. Most elements stay below
// their limit: the law itself is called for the others only.
void flow(const ElementArgs& args, int group, const Group& g) {
    alignas(64) double total[6][8], plastic[6][8];
    const int last = args.tets - 1 - 8 * group;  // lanes behind it are copies of it
    unsigned flowing = 0;
    for (int half = 0; half < 8; half += width) {
        D e[6], p[6];
        total_strain(g, half, e);
        load_plastic(args.plastic_before, 8 * group + half, args.tets - 1, p);
        D square{};
        for (int k = 0; k < 6; ++k) {
            const D elastic = e[k] - p[k];
            square += k < 3 ? elastic * elastic : 4 * elastic * elastic;
            store(&total[k][half], e[k]), store(&plastic[k][half], p[k]);
        }
        const DMask below = square <= load(args.flow_limit + 8L * group + half);
        flowing |= bits(~below) << half;
    }
    if (!flowing && !args.flow_differs[group]) return;
    double* after = args.plastic_after + 48L * group;
    for (int lane = 0; lane < 8 && lane <= last; ++lane) {
        double e[6], p[6];
        for (int k = 0; k < 6; ++k) e[k] = total[k][lane], p[k] = plastic[k][lane];
        if (flowing >> lane & 1) args.flow(args.flow_context, 8 * group + lane, e, p);
        for (int k = 0; k < 6; ++k) after[6 * lane + k] = p[k];
    }
    args.flow_differs[group] = flowing != 0;
}

void strains(const ElementArgs& args, int group, const Group& g) {
    double strain[6][8];
    for (int half = 0; half < 8; half += width) {
        D e[6];
        total_strain(g, half, e);
        for (int k = 0; k < 6; ++k)
            for (int lane = 0; lane < width; ++lane) strain[k][half + lane] = e[k][lane];
    }
    for (int lane = 0; lane < 8 && 8 * group + lane < args.tets; ++lane)
        for (int k = 0; k < 6; ++k) args.strain[6L * (8 * group + lane) + k] = strain[k][lane];
}

void elements(const ElementArgs& args, int begin, int end) {
    Group g;
    if (!args.corotational)
        for (int k = 0; k < 9; ++k)
            for (int lane = 0; lane < 8; ++lane) g.R[k][lane] = k % 4 == 0;
    for (int group = begin; group < end; ++group) {
        deformation(args, group, g);
        if (args.corotational) rotations(args, group, g);
        if (args.strain) {
            strains(args, group, g);
            continue;
        }
        if (args.flow) flow(args, group, g);
        forces(args, group, g);
        write_out(args, group, g);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const ElementKernel element_kernel;
const ElementKernel element_kernel = elements;
}  // namespace PLIANT_KERNEL

}  // namespace pliant
