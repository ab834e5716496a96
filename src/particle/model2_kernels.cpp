// Model 2: six sub-faces in each tet (Everts 2006, section 7.4).

#include "pliant/particle/float_lanes.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace {

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
// its cofactor is needed. The sub-face between corners i and j is V/4 (g_j − g_i).
struct TetState {
    F3 e[3];        // minus e_1, e_2, e_3
    F3 c1, c2, c3;  // 6V times the cofactor times the gradients of corners 1, 2, 3; that of corner 0 is minus their sum
    F8 rest;        // (E − G)/24 det F
    F8 elastic[6];  // what each sub-face exerts on its first corner is this times c_j − c_i
    F8 shear[6];    // unit normals: plus this times minus F (g_j − g_i)
};

inline F3 minus_sum(const F3& a, const F3& b, const F3& c) { return F3{} - (a + b + c); }

inline void set_cofactors(TetState& t) {
    t.c1 = cross(t.e[1], t.e[2]), t.c2 = cross(t.e[2], t.e[0]), t.c3 = cross(t.e[0], t.e[1]);
}

// 6V det F.
inline F8 six_volumes(const TetState& t) { return F8{} - dot(t.e[0], t.c1); }

// Minus G V F g of corners 1, 2, 3; for unit normals minus F g.
struct Carried {
    F3 f1, f2, f3;
};
inline Carried carried(const TetState& t, const float* constant) {
    auto sum = [&](int xx, int xy, int xz) {
        auto k = [&](int n) { return load8(constant + 8 * (8 + n)); };
        return k(xx) * t.e[0] + k(xy) * t.e[1] + k(xz) * t.e[2];
    };
    return {sum(0, 1, 2), sum(1, 3, 4), sum(2, 4, 5)};
}

// Squares of what the sub-faces have become: |N_g|² with the cofactor scaled to 1 at rest, and |N_d|² for unit normals.
template <bool unit>
inline void set_squares(TetState& t, const float* constant) {
    auto k = [&](int n) { return load8(constant + 8 * n); };
    set_cofactors(t);
    const F3 c1 = t.c1, c2 = t.c2, c3 = t.c3, sum = c1 + c2 + c3;  // of corner 0 minus this
    t.rest = k(1) * six_volumes(t);
    auto square = [&](const F3& d) { return dot(d, d); };
    t.elastic[0] = k(2) * square(sum + c1), t.elastic[1] = k(3) * square(sum + c2);
    t.elastic[2] = k(4) * square(sum + c3), t.elastic[3] = k(5) * square(c2 - c1);
    t.elastic[4] = k(6) * square(c3 - c1), t.elastic[5] = k(7) * square(c3 - c2);
    if constexpr (!unit) return;
    const Carried f = carried(t, constant);
    const F3 all = f.f1 + f.f2 + f.f3;
    const F8 scale = k(15);
    t.shear[0] = scale * k(2) * square(all + f.f1), t.shear[1] = scale * k(3) * square(all + f.f2);
    t.shear[2] = scale * k(4) * square(all + f.f3), t.shear[3] = scale * k(5) * square(f.f2 - f.f1);
    t.shear[4] = scale * k(6) * square(f.f3 - f.f1), t.shear[5] = scale * k(7) * square(f.f3 - f.f2);
}

// ρ = 1/|N_g|, ν = 1/|N_d| or 1; N_d·N_g = J ρ ν.
template <bool unit>
inline void set_strengths(TetState& t, const float* constant) {
    const F8 E = load8(constant), GV = load8(constant + 8 * 14), rest = t.rest;
    auto set = [&](F8& elastic, F8& shear) {
        const F8 rho = rsqrt(elastic);
        if constexpr (unit) {
            const F8 nu = rsqrt(shear);
            elastic = rho * (rest * rho * nu - E), shear = F8{} - GV * nu;
        } else {
            elastic = rho * (rest * rho - E);
        }
    };
    for (int n = 0; n < 6; ++n) set(t.elastic[n], t.shear[n]);
}

// Forces on corners 1, 2, 3: Σ_j s_ij (c_j − c_i) with c_0 = −(c_1 + c_2 + c_3), plus what `on` holds already.
inline void add_sub_faces(Carried& on, const F8 (&s)[6], const F3& c1, const F3& c2, const F3& c3) {
    const F8 s10 = s[0], s20 = s[1], s30 = s[2], s12 = s[3], s13 = s[4], s23 = s[5];
    on.f1 = on.f1 - (2.f * s10 + s12 + s13) * c1 + (s12 - s10) * c2 + (s13 - s10) * c3;
    on.f2 = on.f2 + (s12 - s20) * c1 - (2.f * s20 + s12 + s23) * c2 + (s23 - s20) * c3;
    on.f3 = on.f3 + (s13 - s30) * c1 + (s23 - s30) * c2 - (2.f * s30 + s13 + s23) * c3;
}

// In stages for a few groups at a time, as in face_kernels.cpp.
template <bool unit>
void force_groups(const Model2Args& a, int begin, int end) {
    constexpr int block = 4;
    TetState t[block];
    for (int start = begin; start < end; start += block) {
        const int count = start + block < end ? block : end - start;
        for (int i = 0; i < count; ++i) edges_to_origin(a.x, a.row + 32L * (start + i), t[i].e);
        for (int i = 0; i < count; ++i) set_squares<unit>(t[i], a.constant + 128L * (start + i));
        for (int i = 0; i < count; ++i) set_strengths<unit>(t[i], a.constant + 128L * (start + i));
        for (int i = 0; i < count; ++i) {
            // Σ_j G V/4 F (g_j − g_i) = −G V F g_i
            const Carried f = carried(t[i], a.constant + 128L * (start + i));
            Carried on = f;
            if constexpr (unit) on = Carried{}, add_sub_faces(on, t[i].shear, f.f1, f.f2, f.f3);
            add_sub_faces(on, t[i].elastic, t[i].c1, t[i].c2, t[i].c3);
            float* out = a.force + 128L * (start + i);
            store_rows<false>(out + 32, on.f1), store_rows<false>(out + 64, on.f2), store_rows<false>(out + 96, on.f3);
            store_rows<false>(out, minus_sum(on.f1, on.f2, on.f3));
        }
    }
}

void forces(const Model2Args& args, int begin, int end) {
    const Model2Args a = args;
    a.unit_normal ? force_groups<true>(a, begin, end) : force_groups<false>(a, begin, end);
}

// ½ A d (E (N_d·N_g − 1)² + G |N_d − (N_d·N_g) N_g|²) of each sub-face; the difference of the two normals is taken as a
// vector, because that of their squares would lose half of the digits.
void energies(const Model2Args& args, int begin, int end) {
    const Model2Args a = args;
    TetState t;
    for (long g = begin; g < end; ++g) {
        const float *constant = a.constant + 128 * g, *weight = a.weight + 56 * g;
        auto k = [&](int n) { return load8(constant + 8 * n); };
        edges_to_origin(a.x, a.row + 32 * g, t.e);
        set_cofactors(t);
        const Carried f = carried(t, constant);
        const F3 c0 = minus_sum(t.c1, t.c2, t.c3), f0 = minus_sum(f.f1, f.f2, f.f3);
        const F8 inverse_volume = load8(weight + 48), J = six_volumes(t) * inverse_volume;
        const F8 E = 24.f * k(0), GV = 4.f * k(14), G = 6.f * GV * inverse_volume, sixV = 1.f / inverse_volume;
        F8 sum{};
        auto pair = [&](int n, const F3& ci, const F3& cj, const F3& fi, const F3& fj) {
            const F3 d = cj - ci, fd = fj - fi;
            const F8 inverse2 = k(2 + n), rho = rsqrt(inverse2 * dot(d, d));
            const F8 nu = a.unit_normal ? rsqrt(k(15) * inverse2 * dot(fd, fd)) : 1.f / larger(GV, all8(1e-30f));
            const F8 along = a.unit_normal ? J * rho * nu : J * rho;
            const F3 across = (sixV * nu) * fd + (along * rho) * d;  // over √inverse2
            sum += load8(weight + 8 * n) * (E * (along - 1.f) * (along - 1.f) + G * inverse2 * dot(across, across));
        };
        pair(0, c0, t.c1, f0, f.f1), pair(1, c0, t.c2, f0, f.f2), pair(2, c0, t.c3, f0, f.f3);
        pair(3, t.c1, t.c2, f.f1, f.f2), pair(4, t.c1, t.c3, f.f1, f.f3), pair(5, t.c2, t.c3, f.f2, f.f3);
        a.energy[g] = total(sum);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const Model2Kernels model2_table;
const Model2Kernels model2_table{forces, energies};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
