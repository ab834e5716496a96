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
    F3 e[3];            // minus e_1, e_2, e_3
    F3 c0, c1, c2, c3;  // 6V times the cofactor times the gradients of the corners
    F8 volume;          // 6V det F
    const float* constant;

    TetState(const Model2Args& a, long g) : constant(a.constant + 128 * g) {
        edges_to_origin(a.x, a.row + 32 * g, e);
        c1 = cross(e[1], e[2]), c2 = cross(e[2], e[0]), c3 = cross(e[0], e[1]);
        c0 = F3{} - (c1 + c2 + c3);
        volume = F8{} - dot(e[0], c1);
    }
    F8 k(int n) const { return load8(constant + 8 * n); }
    /// Minus G V F g of corner 1, 2 or 3; for unit normals minus F g.
    F3 carried(int xx, int xy, int xz) const { return k(8 + xx) * e[0] + k(8 + xy) * e[1] + k(8 + xz) * e[2]; }
    F3 carried1() const { return carried(0, 1, 2); }
    F3 carried2() const { return carried(1, 3, 4); }
    F3 carried3() const { return carried(2, 4, 5); }
};

template <bool unit>
inline void force_group(const Model2Args& a, long g) {
    const TetState t(a, g);
    const F8 E = t.k(0), rest = t.k(1) * t.volume;  // (E − G)/24 det F
    F3 f0, f1, f2, f3;
    if constexpr (unit) {
        f1 = t.carried1(), f2 = t.carried2(), f3 = t.carried3();
        f0 = F3{} - (f1 + f2 + f3);
    }
    // Written out, because GCC keeps what a loop indexes in memory. What the sub-face exerts on its first corner:
    auto pair = [&](int n, const F3& ci, const F3& cj, const F3& fi, const F3& fj) {
        const F3 d = cj - ci;
        // ρ = rest area over cofactor area = 1/|N_g| with the cross product scaled to 1 at rest; N_d·N_g = J.
        const F8 inverse2 = t.k(2 + n);
        const F8 rho = rsqrt(inverse2 * dot(d, d));
        if constexpr (unit) {
            const F3 fd = fj - fi;
            const F8 nu = rsqrt(t.k(15) * inverse2 * dot(fd, fd));
            return (rho * (rest * rho * nu - E)) * d - (t.k(14) * nu) * fd;
        } else {
            return (rho * (rest * rho - E)) * d;
        }
    };
    F3 on1 = pair(0, t.c1, t.c0, f1, f0), on2 = pair(1, t.c2, t.c0, f2, f0), on3 = pair(2, t.c3, t.c0, f3, f0);
    const F3 on12 = pair(3, t.c1, t.c2, f1, f2);
    on1 = on1 + on12, on2 = on2 - on12;
    const F3 on13 = pair(4, t.c1, t.c3, f1, f3);
    on1 = on1 + on13, on3 = on3 - on13;
    const F3 on23 = pair(5, t.c2, t.c3, f2, f3);
    on2 = on2 + on23, on3 = on3 - on23;
    if constexpr (!unit)  // Σ_j G V/4 F (g_j − g_i) = −G V F g_i
        on1 = on1 + t.carried1(), on2 = on2 + t.carried2(), on3 = on3 + t.carried3();
    float* out = a.force + 128 * g;
    store_rows<false>(out + 32, on1), store_rows<false>(out + 64, on2), store_rows<false>(out + 96, on3);
    store_rows<false>(out, F3{} - (on1 + on2 + on3));
}

void forces(const Model2Args& args, int begin, int end) {
    const Model2Args a = args;
    for (long g = begin; g < end; ++g) a.unit_normal ? force_group<true>(a, g) : force_group<false>(a, g);
}

// ½ A d (E (N_d·N_g − 1)² + G |N_d − (N_d·N_g) N_g|²) of each sub-face; the difference of the two normals is taken as a
// vector, because that of their squares would lose half of the digits.
void energies(const Model2Args& args, int begin, int end) {
    const Model2Args a = args;
    for (long g = begin; g < end; ++g) {
        const TetState t(a, g);
        const float* weight = a.weight + 56 * g;
        const F8 inverse_volume = load8(weight + 48), J = t.volume * inverse_volume;
        const F8 E = 24.f * t.k(0), GV = 4.f * t.k(14), G = 6.f * GV * inverse_volume, sixV = 1.f / inverse_volume;
        const F3 f1 = t.carried1(), f2 = t.carried2(), f3 = t.carried3(), f0 = F3{} - (f1 + f2 + f3);
        F8 sum{};
        auto pair = [&](int n, const F3& ci, const F3& cj, const F3& fi, const F3& fj) {
            const F3 d = cj - ci, fd = fj - fi;
            const F8 inverse2 = t.k(2 + n), rho = rsqrt(inverse2 * dot(d, d));
            const F8 nu = a.unit_normal ? rsqrt(t.k(15) * inverse2 * dot(fd, fd)) : 1.f / larger(GV, all8(1e-30f));
            const F8 along = a.unit_normal ? J * rho * nu : J * rho;
            const F3 across = (sixV * nu) * fd + (along * rho) * d;  // over √inverse2
            sum += load8(weight + 8 * n) * (E * (along - 1.f) * (along - 1.f) + G * inverse2 * dot(across, across));
        };
        pair(0, t.c0, t.c1, f0, f1), pair(1, t.c0, t.c2, f0, f2), pair(2, t.c0, t.c3, f0, f3);
        pair(3, t.c1, t.c2, f1, f2), pair(4, t.c1, t.c3, f1, f3), pair(5, t.c2, t.c3, f2, f3);
        a.energy[g] = total(sum);
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const Model2Kernels model2_table;
const Model2Kernels model2_table{forces, energies};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
