// One pass over the elements: rotation (warm-started Newton), stress at x + (dt+β)v, nodal forces, rotated gradients.

#include "pliant/fem/element_kernels.hpp"
#include "pliant/fem/newton_rotation.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

// Largest rotation (rad) that the last double step may still have to make: its own error is of third order in it.
constexpr double last_turn = 1e-5;
// And the largest after which a step in float leaves about that much, or what floats can tell.
constexpr float float_turn = 2e-2f;
// Of |q|² over 1, for which to_unit() is exact in double.
constexpr double largest_excess = 1e-5;

inline bool any(I8 mask) {
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#else
    int some = 0;
    for (int i = 0; i < 8; ++i) some |= mask[i];
    return some != 0;
#endif
}

inline bool any(const Two<I8>& mask) { return any(mask.a | mask.b); }

// One bit per lane of a mask.
inline unsigned bits(Mask<D> mask) {
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined(__AVX2__)
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#else
    return static_cast<unsigned>(_mm_movemask_pd((__m128d)mask));
#endif
}

template <class V>
inline unsigned bits(const Two<V>& mask) {
    return bits(mask.a) | bits(mask.b) << sizeof(mask.a) / sizeof(double);
}

// Everything of a group that passes between its stages.
struct Group {
    alignas(64) double F[9][8];      // at x + turn·v
    alignas(64) double ahead[9][8];  // at x + reach·v
    alignas(64) double R[9][8];
    alignas(64) double plastic[6][8];  // after flow()
    alignas(64) double out[12][8];
    alignas(64) double line[13][8];  // √μ R∇ of the four corners, λ/μ
};

typedef double D2 __attribute__((vector_size(16)));
typedef D2 D2Loose __attribute__((may_alias, aligned(8)));

// The edges from corner 0 to the others of `width` tets, in a field of three numbers per node.
struct Edges {
    D3 e1, e2, e3;
};
#if defined(__AVX2__)
// Three numbers in one load, subtracted, then turned into lanes.
inline D4 three(const double* p) { return (D4)_mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0)); }
inline Edges edges(const double* x, const int* node) {
    // The i-th of a corner; where a register holds two rows, with the one four further on.
    const auto at = [&](int corner, int i) {
        const int* of = node + 8 * corner + i;
#if defined(__AVX512F__)
        return pair(three(x + 3L * of[0]), three(x + 3L * of[4]));
#else
        return three(x + 3L * of[0]);
#endif
    };
    const D o0 = at(0, 0), o1 = at(0, 1), o2 = at(0, 2), o3 = at(0, 3);
    const auto edge = [&](int to) {
        const D a = at(to, 0) - o0, b = at(to, 1) - o1, c = at(to, 2) - o2, d = at(to, 3) - o3;
        return to_lanes(a, b, c, d);
    };
    return {edge(1), edge(2), edge(3)};
}
#else
inline Edges edges(const double* x, const int* node) {
    const auto edge = [&](int to) -> D3 {
        const double *o0 = x + 3L * node[0], *o1 = x + 3L * node[1];
        const double *p0 = x + 3L * node[8 * to], *p1 = x + 3L * node[8 * to + 1];
        return {D{p0[0] - o0[0], p1[0] - o1[0]}, D{p0[1] - o0[1], p1[1] - o1[1]}, D{p0[2] - o0[2], p1[2] - o1[2]}};
    };
    return {edge(1), edge(2), edge(3)};
}
#endif

// F = Σ x_a ∇_aᵀ
inline Matrix<D> gradient_of(const Edges& e, const double* gradient) {
    Matrix<D> F;
    for (int j = 0; j < 3; ++j) {
        const D g1 = load(gradient + 8 * j), g2 = load(gradient + 8 * (3 + j)), g3 = load(gradient + 8 * (6 + j));
        F(0, j) = e.e1.x * g1 + e.e2.x * g2 + e.e3.x * g3;
        F(1, j) = e.e1.y * g1 + e.e2.y * g2 + e.e3.y * g3;
        F(2, j) = e.e1.z * g1 + e.e2.z * g2 + e.e3.z * g3;
    }
    return F;
}

inline __attribute__((always_inline)) void deformation(const ElementArgs& args, int group, Group& g) {
    const D reach = all(args.reach), turn = all(args.turn);
    for (int half = 0; half < 8; half += width) {
        const int* node = args.node + 32L * group + half;
        const double* gradient = args.gradient + 72L * group + half;
        Matrix<D> F = gradient_of(edges(args.x, node), gradient);
        if (args.v) {
            const Matrix<D> G = gradient_of(edges(args.v, node), gradient);
            for (int k = 0; k < 9; ++k) {
                store(&g.ahead[k][half], F.m[k] + reach * G.m[k]);
                F.m[k] += turn * G.m[k];
            }
        }
        for (int k = 0; k < 9; ++k) store(&g.F[k][half], F.m[k]);
    }
}

// All eight lanes of a group.
#if defined(__AVX512F__)
typedef D D8;
inline D8 load_group(const double* p) { return load(p); }
inline D8 load_group(const float* p) { return load(p); }
inline void store_group(double* p, D8 v) { store(p, v); }
inline void store_group(float* p, D8 v) { store(p, v); }
#elif defined(__AVX2__)
typedef Two<D> D8;
inline D8 load_group(const double* p) { return {load(p), load(p + 4)}; }
inline D8 load_group(const float* p) { return {load(p), load(p + 4)}; }
inline void store_group(double* p, D8 v) { store(p, v.a), store(p + 4, v.b); }
inline void store_group(float* p, D8 v) { store(p, v.a), store(p + 4, v.b); }
#else
typedef Two<Two<D>> D8;
inline D8 load_group(const double* p) { return {{load(p), load(p + 2)}, {load(p + 4), load(p + 6)}}; }
inline D8 load_group(const float* p) { return {{load(p), load(p + 2)}, {load(p + 4), load(p + 6)}}; }
template <class Number>
inline void store_group(Number* p, D8 v) {
    store(p, v.a.a), store(p + 2, v.a.b), store(p + 4, v.b.a), store(p + 6, v.b.b);
}
#endif

// Eight doubles as floats. Joined in registers: a load that spans two stores would wait for both.
inline F8 narrow(const double* p) {
#if defined(__AVX512F__)
    return (F8)_mm512_maskz_cvtpd_ps(0xff, (__m512d)load(p));
#elif defined(__AVX2__)
    return (F8)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)load(p + 4)), _mm256_cvtpd_ps((__m256d)load(p)));
#else
    F8 f;
    for (int i = 0; i < 8; ++i) f[i] = float(p[i]);
    return f;
#endif
}

// Newton in float from the last step's rotations. Lanes that have come near stay, so that no lane depends on others.
// Where F leaves the range of float, no lane is sound and what follows decides.
template <class V>
inline void approach(V* q, const Matrix<V>& F) {
    Mask<V> far;
    for (int step = 0; step < 6; ++step) {
        const Turn<V> by = newton_turn(rotation_matrix(q), F);
        V next[4] = {q[0], q[1], q[2], q[3]}, x = by.x, y = by.y, z = by.z, square = by.square;
        if (any(square > filled<V>(1))) {  // no further than 1 rad
            const V cut = choose(square > filled<V>(1), filled<V>(1) / square, filled<V>(1));
            x = x * cut, y = y * cut, z = z * cut, square = square * cut * cut;
        }
        turn<V>(next, x, y, z, turn_scale<V>(square, excess(q)));
        for (int i = 0; i < 4; ++i) q[i] = step > 0 ? choose(far, next[i], q[i]) : next[i];
        const Mask<V> further = square > filled<V>(float_turn * float_turn);
        far = step > 0 ? far & further : further;
        if (!any(far)) break;
    }
}

// Lanes that refine() left open: Newton in double, the robust search where that fails.
void finish_rotations(const ElementArgs& args, int group, Group& g, const float (*start)[8], unsigned open) {
    float* state = args.rotation + 32L * group;
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.F[k][half]);
        D p[4];
        for (int i = 0; i < 4; ++i) p[i] = load(start[i] + half);
        Mask<D> far{};
        for (int step = 0; step < 4; ++step) {
            const Turn<D> by = newton_turn(rotation_matrix(p), F);
            turn<D>(p, by.x, by.y, by.z, turn_scale<D>(by.square, excess(p)));
            far = ~by.sound | ~(by.square < last_turn * last_turn);
            if (!bits(far & by.sound)) break;
        }
        const D scale = to_unit(excess(p));
        for (D& e : p) e *= scale;
        for (int lane = 0; lane < width; ++lane) {
            if (!(open >> (half + lane) & 1)) continue;
            double f[9], quaternion[4];
            for (int k = 0; k < 9; ++k) f[k] = F.m[k][lane];
            for (int i = 0; i < 4; ++i) quaternion[i] = far[lane] ? start[i][half + lane] : p[i][lane];
            if (far[lane]) args.robust(f, quaternion);
            const Matrix<double> R = rotation_matrix(quaternion);
            for (int k = 0; k < 9; ++k) g.R[k][half + lane] = R.m[k];
            for (int i = 0; i < 4; ++i) state[8 * i + half + lane] = float(quaternion[i]);
        }
    }
}

// The last step in double.
void refine(const ElementArgs& args, int group, Group& g) {
    float* state = args.rotation + 32L * group;
    D8 q[4];
    for (int i = 0; i < 4; ++i) q[i] = load_group(state + 8 * i);
    const D8 over = excess(q), scale = to_unit(over);
    for (int i = 0; i < 4; ++i) q[i] = q[i] * scale;
    Matrix<D8> F;
    for (int k = 0; k < 9; ++k) F.m[k] = load_group(g.F[k]);
    const Turn<D8> by = newton_turn(rotation_matrix(q), F);
    turn<D8>(q, by.x, by.y, by.z, filled<D8>(1) - filled<D8>(0.125) * by.square);
    const Matrix<D8> R = rotation_matrix(q);
    for (int k = 0; k < 9; ++k) store_group(g.R[k], R.m[k]);
    const unsigned done = bits(by.sound & (filled<D8>(last_turn * last_turn) > by.square) &
                               (filled<D8>(largest_excess * largest_excess) > over * over));
    float start[4][8];
    for (int i = 0; done != 255 && i < 4; ++i)
        for (int lane = 0; lane < 8; ++lane) start[i][lane] = state[8 * i + lane];
    for (int i = 0; i < 4; ++i) store_group(state + 8 * i, q[i]);
    if (done != 255) finish_rotations(args, group, g, start, ~done & 255);
}

// Rotations of two groups.
inline __attribute__((always_inline)) void rotations(const ElementArgs& args, int group, Group* g, int count) {
    float* state[2] = {args.rotation + 32L * group, args.rotation + 32L * (group + count - 1)};
    Matrix<Two<F8>> F;
    Two<F8> q[4];
    for (int k = 0; k < 9; ++k) F.m[k] = {narrow(g[0].F[k]), narrow(g[count - 1].F[k])};
    for (int i = 0; i < 4; ++i) q[i] = {load8(state[0] + 8 * i), load8(state[1] + 8 * i)};
    approach(q, F);
    for (int i = 0; i < 4; ++i) store8(state[0] + 8 * i, q[i].a), store8(state[1] + 8 * i, q[i].b);
    for (int k = 0; k < count; ++k) refine(args, group + k, g[k]);
}

inline void transpose(D4& a, D4& b, D4& c, D4& d) {
    const D4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const D4 ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab, cd, 2, 3, 6, 7), d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

#if defined(__AVX2__)
// Six numbers from each of four places, in lanes.
inline void four_strains(const double* const* of, D4 p[6]) {
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
}
#endif

// Plastic strains of tets first … first + width − 1, from [tet][6] to lanes; behind `last` come copies of it.
inline void load_plastic(const double* strain, int first, int last, D p[6]) {
    const double* of[width];
    for (int lane = 0; lane < width; ++lane) of[lane] = strain + 6L * (first + lane < last ? first + lane : last);
#if defined(__AVX512F__)
    D4 low[6], high[6];
    four_strains(of, low), four_strains(of + 4, high);
    for (int k = 0; k < 6; ++k) p[k] = pair(low[k], high[k]);
#elif defined(__AVX2__)
    four_strains(of, p);
#else
    for (int k = 0; k < 6; ++k) {
        D entry{};
        for (int lane = 0; lane < width; ++lane) entry[lane] = of[lane][k];
        p[k] = entry;
    }
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
    const D minus_dt = all(-args.dt), scale = all(args.dt * args.reach);
    const double* lambda_from = args.lambda ? args.lambda : args.mu;
    const D ratio_of = all(args.lambda ? 1 : args.ratio);
    for (int half = 0; half < 8; half += width) {
        Matrix<D> F, R;
        for (int k = 0; k < 9; ++k) F.m[k] = load(&g.ahead[k][half]), R.m[k] = load(&g.R[k][half]);
        const Matrix<D> A = transposed_times(R, F);
        // Strain in the rest frame, Müller & Gross 2004, eq. 13; without the plastic part, eq. 14.
        D e[6], s[6];
        small_strain(A, e);
        if (args.plastic) {
            D p[6];
            if (args.flow)
                for (int k = 0; k < 6; ++k) p[k] = load(&g.plastic[k][half]);
            else
                load_plastic(args.plastic, 8 * group + half, args.tets - 1, p);
            for (int k = 0; k < 6; ++k) e[k] -= p[k];
        }
        const D mu = load(args.mu + 8L * group + half);
        const D lambda = ratio_of * load(lambda_from + 8L * group + half);
        hooke_stress<D>(minus_dt * lambda, minus_dt * mu, e, s);
        const D weight = root(scale * mu), ratio = mu > 0 ? lambda / mu : D{};
        for (int i = 0; i < 3; ++i) {
            const D r0 = R(i, 0), r1 = R(i, 1), r2 = R(i, 2), w0 = weight * r0, w1 = weight * r1, w2 = weight * r2;
            const D p0 = r0 * s[0] + r1 * s[3] + r2 * s[5], p1 = r0 * s[3] + r1 * s[1] + r2 * s[4],
                    p2 = r0 * s[5] + r1 * s[4] + r2 * s[2];
            D force0{}, line0{};
            for (int a = 0; a < 3; ++a) {
                const D gx = load(gradient + 8 * (3 * a) + half), gy = load(gradient + 8 * (3 * a + 1) + half),
                        gz = load(gradient + 8 * (3 * a + 2) + half);
                const D force = p0 * gx + p1 * gy + p2 * gz, turned = w0 * gx + w1 * gy + w2 * gz;
                force0 -= force, line0 -= turned;
                store(&g.out[3 * (a + 1) + i][half], force);
                store(&g.line[3 * (a + 1) + i][half], turned);
            }
            store(&g.out[i][half], force0);
            store(&g.line[i][half], line0);
        }
        store(&g.line[12][half], ratio);
    }
}

// From lanes to one run of 12 doubles and one line of 16 floats per tet.
void write_out(const ElementArgs& args, int group, const Group& g) {
    double* force = args.force + 96L * group;
    float* line = args.line + 128L * group;
    for (int half = 0; half < 8; half += 4)
        for (int k = 0; k < 12; k += 4) {
            D4 t[4];
            for (int i = 0; i < 4; ++i) t[i] = load4(&g.out[k + i][half]);
            transpose(t[0], t[1], t[2], t[3]);
            for (int i = 0; i < 4; ++i) store4(force + 12 * (half + i) + k, t[i]);
        }
    const F8 ratio = narrow(g.line[12]);
    for (int corner = 0; corner < 4; ++corner) {
        const double(*in)[8] = g.line + 3 * corner;
        F8 t[4] = {narrow(in[0]), narrow(in[1]), narrow(in[2]), ratio};
        transpose(t[0], t[1], t[2], t[3]);
        for (int i = 0; i < 4; ++i) {
            store4(line + 16 * i + 4 * corner, __builtin_shufflevector(t[i], t[i], 0, 1, 2, 3));
            store4(line + 16 * (i + 4) + 4 * corner, __builtin_shufflevector(t[i], t[i], 4, 5, 6, 7));
        }
    }
}

// sym(RᵀF) − I, Müller & Gross 2004, eq. 13.
inline void total_strain(const double (*of)[8], const double (*rotation)[8], int half, D e[6]) {
    Matrix<D> F, R;
    for (int k = 0; k < 9; ++k) F.m[k] = load(&of[k][half]), R.m[k] = load(&rotation[k][half]);
    small_strain(transposed_times(R, F), e);
}

inline double sum_of_lanes(D v) {
    double sum = 0;
    for (int lane = 0; lane < width; ++lane) sum += v[lane];
    return sum;
}

// Stress times strain.
inline D contract(const D s[6], const D e[6]) {
    return s[0] * e[0] + s[1] * e[1] + s[2] * e[2] + 2 * (s[3] * e[3] + s[4] * e[4] + s[5] * e[5]);
}

// In lanes; I without rotations.
inline Matrix<D> assembled_rotation(const ElementArgs& args, int group, int half) {
    Matrix<D> R;
    for (int k = 0; k < 9; ++k) R.m[k] = all(k % 4 == 0);
    if (!args.corotational) return R;
    D q[4];
    for (int i = 0; i < 4; ++i) q[i] = load(args.assembled + 32L * group + 8 * i + half);
    const D scale = to_unit(excess(q));
    for (D& e : q) e *= scale;
    return rotation_matrix(q);
}

// sym(RᵀG) of a gradient of velocities.
inline void strain_rate(const Matrix<D>& R, const Matrix<D>& G, D rate[6]) {
    small_strain(transposed_times(R, G), rate);
    for (int k = 0; k < 3; ++k) rate[k] += 1;
}

inline bool any_given(const ElementArgs& args, int group) {
    char any = 0;
    for (int i = 0; args.given && i < 32; ++i) any |= args.prescribed[args.node[32L * group + i]];
    return any != 0;
}

// Of the elastic strain at x + turn·v, and what moves against the stress that the solve knows there. Lanes without a
// tet have no moduli.
template <bool with_power>
void energies(const ElementArgs& args, int group, const Group& g) {
    double sum = 0;
    GroupPower power;
    const bool given_too = with_power && any_given(args, group);
    for (int half = 0; half < 8; half += width) {
        const D mu = load(args.mu + 8L * group + half);
        const D lambda = args.lambda ? load(args.lambda + 8L * group + half) : args.ratio * mu;
        D e[6];
        D p[6] = {};
        total_strain(g.F, g.R, half, e);
        if (args.plastic) {
            if (args.flow)
                for (int k = 0; k < 6; ++k) p[k] = load(&g.plastic[k][half]);
            else
                load_plastic(args.plastic, 8 * group + half, args.tets - 1, p);
            for (int k = 0; k < 6; ++k) e[k] -= p[k];
        }
        sum += sum_of_lanes(hooke_energy<D>(lambda, mu, e));
        if (!with_power) continue;
        const Matrix<D> R = assembled_rotation(args, group, half);
        Matrix<D> F, G;
        for (int k = 0; k < 9; ++k) {
            F.m[k] = load(&g.F[k][half]);
            G.m[k] = (F.m[k] - load(&g.ahead[k][half])) / args.turn;
        }
        D rate[6], stress[6], stress_rate[6];
        const Matrix<D> A = transposed_times(R, F);
        const D turn[3] = {A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)};
        const D angle = 0.25 * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
        for (int lane = 0; lane < width; ++lane)
            if (angle[lane] > power.turned) power.turned = angle[lane];
        small_strain(A, e);
        for (int k = 0; k < 6; ++k) e[k] -= p[k];
        strain_rate(R, G, rate);
        hooke_stress<D>(lambda, mu, e, stress), hooke_stress<D>(lambda, mu, rate, stress_rate);
        power.all += sum_of_lanes(contract(stress, rate)), power.rate += sum_of_lanes(contract(stress_rate, rate));
        if (!given_too) continue;
        D given[6];
        strain_rate(R,
                    gradient_of(edges(args.given, args.node + 32L * group + half), args.gradient + 72L * group + half),
                    given);
        power.given += sum_of_lanes(contract(stress, given));
        power.given_rate += sum_of_lanes(contract(stress_rate, given));
    }
    args.energy[group] = sum;
    if (with_power) args.power[group] = power;
}

// From lanes to [tet][6], as far as there are tets.
void store_plastic(const Group& g, double* out, int tets) {
    if (tets < 8) {
        for (int lane = 0; lane < tets; ++lane)
            for (int k = 0; k < 6; ++k) out[6 * lane + k] = g.plastic[k][lane];
        return;
    }
    for (int half = 0; half < 8; half += 4) {
        D4 t[4];
        for (int k = 0; k < 4; ++k) t[k] = load4(&g.plastic[k][half]);
        const D4 yz = load4(&g.plastic[4][half]), zx = load4(&g.plastic[5][half]);
        transpose(t[0], t[1], t[2], t[3]);
        const D4 even = __builtin_shufflevector(yz, zx, 0, 4, 2, 6), odd = __builtin_shufflevector(yz, zx, 1, 5, 3, 7);
        const D2 end[4] = {__builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
                           __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
        for (int lane = 0; lane < 4; ++lane) {
            double* row = out + 6 * (half + lane);
            *reinterpret_cast<D4Loose*>(row) = t[lane];
            *reinterpret_cast<D2Loose*>(row + 4) = end[lane];
        }
    }
}

// ‖ε‖² of Müller & Gross 2004, section 3: with engineering shear.
inline D square_norm(const D e[6]) {
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 4 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
}

// Plastic strain follows the total strain at x, see PlasticFlow.
void flow(const ElementArgs& args, int group, Group& g) {
    const FlowNumbers& numbers = args.flow_numbers[args.flow_numbers_differ ? group : 0];
    alignas(64) double total[6][8];
    unsigned flowing = 0;
    for (int half = 0; half < 8; half += width) {
        D e[6], p[6], elastic[6];
        total_strain(g.F, g.R, half, e);
        load_plastic(args.plastic, 8 * group + half, args.tets - 1, p);
        for (int k = 0; k < 6; ++k) {
            elastic[k] = e[k] - p[k];
            store(&total[k][half], e[k]), store(&g.plastic[k][half], p[k]);
        }
        flowing |= bits(~(square_norm(elastic) <= load(numbers.limit + half))) << half;
    }
    if (!flowing) return;
    const int tets = args.tets - 8 * group;  // lanes behind them are copies of the last
    unsigned asking = 0;
    for (int half = 0; half < 8; half += width) {
        D p[6], elastic[6];
        for (int k = 0; k < 6; ++k) p[k] = load(&g.plastic[k][half]), elastic[k] = load(&total[k][half]) - p[k];
        const D share = load(numbers.share + half), yield = load(numbers.yield + half);
        asking |= bits(share < 0) << half;
        const D size = root(square_norm(elastic)), to_yield = args.flow_stops ? 1 - yield / size : all(1);
        const Mask<D> flows = (size > yield) & (size < __builtin_inf()) & (share > 0);
        const D flown = flows ? (share < to_yield ? share : to_yield) : D{};
        for (int k = 0; k < 6; ++k) p[k] += flown * elastic[k];
        const D most = load(numbers.max + half), square = square_norm(p);
        const Mask<D> over = flows & (square > most * most);
        if (bits(over)) {
            const D scale = over ? most / root(square) : all(1);
            for (int k = 0; k < 6; ++k) p[k] *= scale;
        }
        for (int k = 0; k < 6; ++k) store(&g.plastic[k][half], p[k]);
    }
    for (int lane = 0; lane < 8 && lane < tets; ++lane) {
        if (!(flowing & asking & 1u << lane)) continue;
        double e[6], p[6];
        for (int k = 0; k < 6; ++k) e[k] = total[k][lane], p[k] = g.plastic[k][lane];
        args.flow(args.flow_context, 8 * group + lane, e, p);
        for (int k = 0; k < 6; ++k) g.plastic[k][lane] = p[k];
    }
    store_plastic(g, args.flowing + 48L * group, tets);
}

void strains(const ElementArgs& args, int group, const Group& g) {
    double strain[6][8];
    for (int half = 0; half < 8; half += width) {
        D e[6];
        total_strain(g.F, g.R, half, e);
        for (int k = 0; k < 6; ++k)
            for (int lane = 0; lane < width; ++lane) strain[k][half + lane] = e[k][lane];
    }
    for (int lane = 0; lane < 8 && 8 * group + lane < args.tets; ++lane)
        for (int k = 0; k < 6; ++k) args.strain[6L * (8 * group + lane) + k] = strain[k][lane];
}

// cos(acos(r)/3) for r in [-1, 1], to 4e-9: analytic in s = cos(acos(r)/2), of which this is the Chebyshev fit.
inline D third_of_the_angle(D r) {
    constexpr double fit[9] = {0.5000000033,  0.5773497198,   -0.1110956833,  0.053288656,     -0.03196129546,
                               0.01967571821, -0.01032549308, 0.003707686479, -0.0006393143678};
    const D s = root(0.5 * (1 + r)), s2 = s * s, s4 = s2 * s2;
    const auto pair = [&](int k) { return fit[k] + fit[k + 1] * s; };  // all of them at once: no long chain
    return (pair(0) + pair(2) * s2) + s4 * ((pair(4) + pair(6) * s2) + fit[8] * s4);
}

// The largest principal stress is positive where the material is pulled apart: what breaks brittle things. It is the
// greatest root of the characteristic equation of the symmetric stress, by its trigonometric solution, as exact as the
// float it becomes.
void measure_stress(const ElementArgs& args, int group, const Group& g) {
    for (int half = 0; half < 8; half += width) {
        D e[6], s[6], p[6];
        total_strain(g.F, g.R, half, e);
        if (args.plastic) {
            load_plastic(args.plastic, 8 * group + half, args.tets - 1, p);
            for (int k = 0; k < 6; ++k) e[k] -= p[k];
        }
        const double* moduli = args.moduli + 16L * group + half;
        hooke_stress<D>(load(moduli), load(moduli + 8), e, s);
        const D xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
        const D shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
        const D von_mises = root(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear);
        const D mean = (s[0] + s[1] + s[2]) / 3, third = von_mises / 3;  // √(tr(dev²)/6)
        const D a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
        const D determinant =
            a * (b * c - s[4] * s[4]) - s[3] * (s[3] * c - s[4] * s[5]) + s[5] * (s[3] * s[4] - b * s[5]);
        D r = determinant / (2 * third * third * third);
        r = r < 1 ? r : all(1), r = r > -1 ? r : all(-1);
        const D principal = third > 0 ? mean + 2 * third * third_of_the_angle(r) : mean;
        store(args.von_mises + 8L * group + half, von_mises);
        store(args.principal + 8L * group + half, principal);
    }
}

// Rotations of the groups [begin, end), two at a time, and what is to be done with each. A loop for each kind of job,
// with all its stages in one function: what most passes do without would take their registers.
template <class Job>
inline void each_group(const ElementArgs& args, int begin, int end, const Job& job) {
    Group g[2];
    if (!args.corotational)
        for (int k = 0; k < 9; ++k)
            for (int lane = 0; lane < 8; ++lane) g[0].R[k][lane] = g[1].R[k][lane] = k % 4 == 0;
    for (int group = begin; group < end; group += 2) {
        const int count = end - group < 2 ? 1 : 2;
        for (int k = 0; k < count; ++k) deformation(args, group + k, g[k]);
        if (args.corotational) rotations(args, group, g, count);
        for (int k = 0; k < count; ++k) job(group + k, g[k]);
    }
}

void elements(const ElementArgs& args, int begin, int end) {
    if (args.strain) return each_group(args, begin, end, [&](int group, Group& g) { strains(args, group, g); });
    if (args.von_mises)
        return each_group(args, begin, end, [&](int group, Group& g) { measure_stress(args, group, g); });
    if (args.power) return each_group(args, begin, end, [&](int group, Group& g) { energies<true>(args, group, g); });
    if (!args.force) return each_group(args, begin, end, [&](int group, Group& g) { energies<false>(args, group, g); });
    const auto act = [&](int group, Group& g) {
        forces(args, group, g), write_out(args, group, g), energies<false>(args, group, g);
    };
    if (args.flow)
        return each_group(args, begin, end, [&](int group, Group& g) { flow(args, group, g), act(group, g); });
    each_group(args, begin, end, act);
}

}  // namespace

namespace PLIANT_KERNEL {
extern const ElementKernel element_kernel;
const ElementKernel element_kernel = elements;
}  // namespace PLIANT_KERNEL

}  // namespace pliant
