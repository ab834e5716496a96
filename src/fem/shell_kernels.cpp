#include "pliant/fem/shell_kernels.hpp"

#include "pliant/core/lane_math.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/solve/lanes.hpp"

namespace pliant {

namespace {

inline D3 operator+(const D3& a, const D3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline D3 operator-(const D3& a, const D3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline D3 operator*(const D& s, const D3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline D dot(const D3& a, const D3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline D3 cross(const D3& a, const D3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline D positive(const D& a) { return choose(a > D{}, a, D{}); }
inline D at_least(const D& least, const D& a) { return choose(a > least, a, least); }
inline D3 load3(const double* p) { return {load(p), load(p + 8), load(p + 16)}; }

// A symmetric 2×2 matrix by its mean, and half the difference of its diagonal and its other entry as a vector.
struct Planar {
    D xx, yy, xy;
};

// The same with negative eigenvalues made zero.
inline Planar positive_part(const Planar& m) {
    const D mean = all(0.5) * (m.xx + m.yy), half = all(0.5) * (m.xx - m.yy);
    const D radius = square_root(half * half + m.xy * m.xy);
    const D first = positive(mean + radius), second = positive(mean - radius);
    const D middle = all(0.5) * (first + second);
    const D turn = choose(radius > D{}, all(0.5) * (first - second) / radius, D{});
    return {middle + turn * half, middle - turn * half, turn * m.xy};
}

// ψ of the principal stretches with its derivatives (plane_stress.hpp).
struct Principal {
    D energy, p[2], h00, h01, h11, shear;
};

inline Principal hooke_principal(const D& lambda, const D& mu, const D s[2]) {
    const D plane = all(2) * lambda * mu / (lambda + all(2) * mu);
    const D strain[6] = {s[0] - all(1), s[1] - all(1), D{}, D{}, D{}, D{}};
    D stress[6];
    hooke_stress<D>(plane, mu, strain, stress);
    const D stiff = all(2) * mu + plane;
    return {hooke_energy<D>(plane, mu, strain), {stress[0], stress[1]}, stiff, plane, stiff, all(2) * mu};
}

inline Principal other_principal(const ShellEdgeArgs& args, int first, const D s[2]) {
    Principal w{};
    for (int lane = 0; lane < width; ++lane) {
        const int edge = first + lane < args.edges ? first + lane : args.edges - 1;
        const double stretch[2] = {s[0][lane], s[1][lane]};
        double out[7];
        args.principal(args.context, edge, stretch, out);
        w.energy[lane] = out[0], w.p[0][lane] = out[1], w.p[1][lane] = out[2];
        w.h00[lane] = out[3], w.h01[lane] = out[4], w.h11[lane] = out[5], w.shear[lane] = out[6];
    }
    return w;
}

// Strains xx, yy and 2xy by the coordinates of a corner.
struct Strain {
    D3 row[3];
};

// Stress and tangent of an edge's mean metric, Pa, and how its stress stiffens.
struct EdgeLaw {
    Planar stress, tension;
    D T[3][3];
    D energy;
};

inline EdgeLaw edge_law(const ShellEdgeArgs& args, int group, int half, const Planar& C) {
    const double* moduli = args.moduli + 24L * group + half;
    const D mean = all(0.5) * (C.xx + C.yy), away = all(0.5) * (C.xx - C.yy);
    const D radius = square_root(away * away + C.xy * C.xy);
    // Of twice the angle of the first principal direction.
    const auto turns = radius > D{};
    const D cosine = choose(turns, away / radius, all(1)), sine = choose(turns, C.xy / radius, D{});
    const D least = all(args.least_stretch);
    const D s[2] = {at_least(least, square_root(positive(mean + radius))),
                    at_least(least, square_root(positive(mean - radius)))};
    const Principal w = args.principal ? other_principal(args, 8 * group + half, s)
                                       : hooke_principal(load(moduli + 8), load(moduli + 16), s);
    const D S[2] = {w.p[0] / s[0], w.p[1] / s[1]};
    const auto turned = [&](const D& first, const D& second) -> Planar {
        const D middle = all(0.5) * (first + second), part = all(0.5) * (first - second);
        return {middle + part * cosine, middle - part * cosine, part * sine};
    };
    EdgeLaw law;
    law.energy = w.energy;
    law.stress = turned(S[0], S[1]);
    law.tension = turned(positive(S[0]), positive(S[1]));
    const Planar stiff =
        positive_part({(w.h00 - S[0]) / (s[0] * s[0]), (w.h11 - S[1]) / (s[1] * s[1]), w.h01 / (s[0] * s[1])});
    const D shear = positive((w.shear - S[1]) / (s[0] * (s[0] + s[1])));
    const D cc = all(0.5) * (all(1) + cosine), ss = all(0.5) * (all(1) - cosine), cs = all(0.5) * sine;
    const D turn[3][3] = {{cc, ss, cs}, {ss, cc, -cs}, {-all(2) * cs, all(2) * cs, cosine}};
    for (int j = 0; j < 3; ++j) {
        const D d[3] = {stiff.xx * turn[0][j] + stiff.xy * turn[1][j], stiff.xy * turn[0][j] + stiff.yy * turn[1][j],
                        shear * turn[2][j]};
        for (int i = 0; i <= j; ++i)
            law.T[i][j] = law.T[j][i] = turn[0][i] * d[0] + turn[1][i] * d[1] + turn[2][i] * d[2];
    }
    return law;
}

inline void edge_half(const ShellEdgeArgs& args, int group, int half) {
    const int* node = args.node + 32L * group + half;
    const double* shape = args.shape + 56L * group + half;
    const D3 a = load_at(args.x, node), b = load_at(args.x, node + 8) - a;
    const D3 third[2] = {load_at(args.x, node + 16) - a, load_at(args.x, node + 24) - a};
    const D inverse = load(shape);
    const D gb[2] = {load(shape + 8), load(shape + 16)}, gc[2] = {load(shape + 24), load(shape + 32)};
    const D share[2] = {load(shape + 40), load(shape + 48)};
    const D volume = load(args.moduli + 24L * group + half);
    const D3 along = inverse * b;
    D3 across[2];
    Planar C{dot(along, along), D{}, D{}};
    for (int side = 0; side < 2; ++side) {
        across[side] = gb[side] * b + gc[side] * third[side];
        C.yy += share[side] * dot(across[side], across[side]);
        C.xy += share[side] * dot(along, across[side]);
    }
    const EdgeLaw law = edge_law(args, group, half, C);
    store(args.energy + 8L * group + half, volume * law.energy);

    const bool hinge = args.hinge_force != nullptr;
    D3 force[4] = {};
    for (int side = 0; side < 2; ++side) {
        const D w = -volume * share[side];
        const D3 first = w * (law.stress.xx * along + law.stress.xy * across[side]);
        const D3 second = w * (law.stress.xy * along + law.stress.yy * across[side]);
        force[2 + side] = gc[side] * second;
        force[1] = force[1] + inverse * first + gb[side] * second;
    }
    force[0] = D3{} - force[1] - force[2] - force[3];
    for (int k = 0; k < 4; ++k) {
        if (hinge) force[k] = force[k] + load3(args.hinge_force + 96L * group + 24 * k + half);
        store_rows(args.force + 128L * group + 32 * k + 4 * half, force[k]);
    }
    if (!args.block) return;

    Strain strain[4] = {}, stress[4];
    strain[1].row[0] = inverse * along;
    for (int side = 0; side < 2; ++side) {
        const D b_across = share[side] * gb[side], c_across = share[side] * gc[side];
        strain[1].row[1] = strain[1].row[1] + b_across * across[side];
        strain[1].row[2] = strain[1].row[2] + share[side] * inverse * across[side] + b_across * along;
        strain[2 + side].row[1] = c_across * across[side];
        strain[2 + side].row[2] = c_across * along;
    }
    for (int r = 0; r < 3; ++r) strain[0].row[r] = D3{} - strain[1].row[r] - strain[2].row[r] - strain[3].row[r];
    for (int k = 0; k < 4; ++k)
        for (int r = 0; r < 3; ++r)
            stress[k].row[r] = volume * (law.T[r][0] * strain[k].row[0] + law.T[r][1] * strain[k].row[1] +
                                         law.T[r][2] * strain[k].row[2]);
    // What tension adds to pairs, from the sides that hold both.
    D tension[6] = {};
    for (int side = 0; side < 2; ++side) {
        const D w = volume * share[side];
        // Stress times the gradients of b and of the third corner.
        const D bx = w * (law.tension.xx * inverse + law.tension.xy * gb[side]);
        const D by = w * (law.tension.xy * inverse + law.tension.yy * gb[side]);
        const D cx = w * law.tension.xy * gc[side], cy = w * law.tension.yy * gc[side];
        const D bb = inverse * bx + gb[side] * by, bc = inverse * cx + gb[side] * cy, cc = gc[side] * cy;
        tension[0] += -bb - bc;
        tension[1 + side] = -bc - cc;
        tension[3 + side] = bc;
    }
    int pair = 0;
    for (int j = 0; j < 4; ++j)
        for (int k = j + 1; k < 4; ++k, ++pair) {
            double* block = args.block + 432L * group + 72 * pair + half;
            D sum[9] = {};
            for (int r = 0; r < 3; ++r) {
                const D3 &u = strain[j].row[r], &w = stress[k].row[r];
                sum[0] += u.x * w.x, sum[1] += u.x * w.y, sum[2] += u.x * w.z;
                sum[3] += u.y * w.x, sum[4] += u.y * w.y, sum[5] += u.y * w.z;
                sum[6] += u.z * w.x, sum[7] += u.z * w.y, sum[8] += u.z * w.z;
            }
            if (hinge) {
                const D3 u = load3(args.hinge_mode + 96L * group + 24 * j + half),
                         w = load3(args.hinge_mode + 96L * group + 24 * k + half);
                sum[0] += u.x * w.x, sum[1] += u.x * w.y, sum[2] += u.x * w.z;
                sum[3] += u.y * w.x, sum[4] += u.y * w.y, sum[5] += u.y * w.z;
                sum[6] += u.z * w.x, sum[7] += u.z * w.y, sum[8] += u.z * w.z;
            }
            for (int i = 0; i < 9; i += 4) sum[i] += tension[pair];
            for (int i = 0; i < 9; ++i) store(block + 8 * i, sum[i]);
        }
}

void edges(const ShellEdgeArgs& args, int begin, int end) {
    for (int group = begin; group < end; ++group)
        for (int half = 0; half < 8; half += width) edge_half(args, group, half);
}

// Slopes are n·g_i with g_i = kept + Σ w x. Their derivatives are w n, and for the corners of the triangle, on which n
// depends, e × q with q = (g − (n·g) n)/|N|, N the unnormalised normal: the latter lies along the normal, but for what
// the floor under |N| leaves in the plane of a crushed triangle. Forces have all of it, the tangent what is along n.
template <int nodes>
inline void bend_half(const ShellBendArgs& args, int group, int half) {
    const int* node = args.node + 8L * nodes * group + half;
    const double* weight = args.weight + 24L * nodes * group + half;
    const D3 x0 = load_at(args.x, node), x1 = load_at(args.x, node + 8), x2 = load_at(args.x, node + 16);
    const D3 N = cross(x1 - x0, x2 - x0);
    const D square = dot(N, N), floor = load(args.floor + 8L * group + half);
    const D inverse = all(1) / square_root(square + floor * floor);
    const D3 n = inverse * N;
    D3 g[3] = {};
    if (args.kept)
        for (int i = 0; i < 3; ++i) g[i] = load3(args.kept + 72L * group + 24 * i + half);
    for (int j = 1; j < nodes; ++j) {
        const D3 d = (j == 1 ? x1 : j == 2 ? x2 : load_at(args.x, node + 8 * j)) - x0;
        for (int i = 0; i < 3; ++i) g[i] = g[i] + load(weight + 8 * (nodes * i + j)) * d;
    }
    D change[3];
    D3 q[3];
    for (int i = 0; i < 3; ++i) {
        const D slope = dot(n, g[i]);
        change[i] = slope - load(args.slope + 24L * group + 8 * i + half);
        q[i] = inverse * (g[i] - slope * n);
    }
    D C[6];
    for (int k = 0; k < 6; ++k) C[k] = load(args.coupling + 48L * group + 8 * k + half);
    const auto coupled = [&](const D& a, const D& b, const D& c, D out[3]) {
        out[0] = C[0] * a + C[3] * b + C[5] * c;
        out[1] = C[3] * a + C[1] * b + C[4] * c;
        out[2] = C[5] * a + C[4] * b + C[2] * c;
    };
    D moment[3];
    coupled(change[0], change[1], change[2], moment);
    store(args.energy + 8L * group + half,
          all(0.5) * (change[0] * moment[0] + change[1] * moment[1] + change[2] * moment[2]));
    store_rows(args.normal + 32L * group + 4 * half, n);
    for (int j = 0; j < nodes; ++j) {
        D sum{};
        for (int i = 0; i < 3; ++i) sum -= moment[i] * load(weight + 8 * (nodes * i + j));
        store(args.share + 8L * nodes * group + 8 * j + half, sum);
    }
    const D3 Q = moment[0] * q[0] + moment[1] * q[1] + moment[2] * q[2];
    const D3 edge[3] = {x1 - x2, x2 - x0, x0 - x1};
    for (int k = 0; k < 3; ++k) store_rows(args.corner + 96L * group + 32 * k + 4 * half, cross(Q, edge[k]));
    if (!args.pair) return;

    const D length = square_root(square), unit = choose(length > D{}, all(1) / length, D{}), size = length * inverse;
    const D3 m = unit * N;
    D slope[3][nodes], stiff[3][nodes];
    for (int j = 0; j < nodes; ++j) {
        for (int i = 0; i < 3; ++i) {
            slope[i][j] = size * load(weight + 8 * (nodes * i + j));
            if (j < 3) slope[i][j] += dot(m, cross(edge[j], q[i]));
        }
        D of[3];
        coupled(slope[0][j], slope[1][j], slope[2][j], of);
        for (int i = 0; i < 3; ++i) stiff[i][j] = of[i];
    }
    double* pair = args.pair + 8L * shell_pairs(nodes) * group + half;
    for (int j = 0; j < nodes; ++j)
        for (int k = j + 1; k < nodes; ++k, pair += 8)
            store(pair, slope[0][j] * stiff[0][k] + slope[1][j] * stiff[1][k] + slope[2][j] * stiff[2][k]);
    const D products[6] = {m.x * m.x, m.y * m.y, m.z * m.z, m.x * m.y, m.y * m.z, m.z * m.x};
    for (int lane = 0; lane < width; ++lane)
        for (int k = 0; k < 6; ++k) args.square[8 * (8L * group + half + lane) + k] = products[k][lane];
}

template <int nodes>
void bends(const ShellBendArgs& args, int begin, int end) {
    for (int group = begin; group < end; ++group)
        for (int half = 0; half < 8; half += width) bend_half<nodes>(args, group, half);
}

void blocks(const ShellRowArgs& args, int begin, int end) {
    constexpr int order[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};  // of the entries of a block in a product of normals
    for (int p = begin; p < end; ++p) {
        const ShellPair &before = args.pair[p], &here = args.pair[p + 1];
        alignas(64) double bend[8];
        D4 low{}, high{};
        for (unsigned k = before.bend_end; k < here.bend_end; ++k) {
            const D4 by = D4{} + args.bend_pair[args.along[k].at];
            const double* square = args.square + 8L * args.along[k].element;
            low += by * load4(square), high += by * load4(square + 4);
        }
        store4(bend, low), store4(bend + 4, high);
        double block[9];
        for (int i = 0; i < 9; ++i) block[i] = bend[order[i]];
        for (unsigned k = before.edge_end; k < here.edge_end; ++k) {
            const double* from = args.edge_block + (args.from_edge[k] >> 1);
            if (args.from_edge[k] & 1)
                for (int i = 0; i < 9; ++i) block[i] += from[8 * (3 * (i % 3) + i / 3)];
            else
                for (int i = 0; i < 9; ++i) block[i] += from[8 * i];
        }
        float *to = args.block + here.to, *transposed = args.block + here.transposed;
        for (int i = 0; i < 9; ++i) {
            const float entry = static_cast<float>(args.scale * block[i]);
            to[8 * i] = entry, transposed[8 * (3 * (i % 3) + i / 3)] = entry;
        }
    }
}

inline D4 force_on(const ShellRowArgs& args, int row) {
    D4 sum{};
    for (unsigned k = args.force_end[row]; k < args.force_end[row + 1]; ++k)
        sum += load4(args.force + args.force_from[k]);
    for (unsigned k = args.share_end[row]; k < args.share_end[row + 1]; ++k)
        sum += args.share[args.share_from[k].at] * load4(args.normal + 4L * args.share_from[k].element);
    return sum;
}

void forces(const ShellRowArgs& args, double* out, int begin, int end) {
    for (int row = begin; row < end; ++row) {
        const D4 sum = force_on(args, row);
        for (int c = 0; c < 3; ++c) out[3L * args.node_of_row[row] + c] = sum[c];
    }
}

void rows(const ShellRowArgs& args, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        alignas(64) double r[3][8] = {};
        for (int lane = 0; lane < 8 && 8 * s + lane < args.rows; ++lane) {
            const int row = 8 * s + lane;
            const long node = args.node_of_row[row];
            const D4 elastic = force_on(args, row);
            const double drag = args.dt * args.mass_damping * args.mass[node];
            for (int c = 0; c < 3; ++c)
                r[c][lane] = args.dt * (elastic[c] + args.external[3 * node + c]) - drag * args.v[4L * row + c];
        }
        for (int half = 0; half < 8; half += width) {
            const D3 own = load_at(args.v + 4L * (8 * s + half), own_rows);
            D3 sum{}, trace{};
            for (int slot = args.slice_begin[s]; slot < args.slice_begin[s + 1]; ++slot) {
                const D3 d = load_at(args.v, args.column + 8L * slot + half) - own;
                D k[9];
                for (int i = 0; i < 9; ++i) k[i] = load(args.block + 72L * slot + 8 * i + half);
                sum.x += k[0] * d.x + k[1] * d.y + k[2] * d.z;
                sum.y += k[3] * d.x + k[4] * d.y + k[5] * d.z;
                sum.z += k[6] * d.x + k[7] * d.y + k[8] * d.z;
                trace.x += k[0], trace.y += k[4], trace.z += k[8];
            }
            const D ahead = all(args.ahead);
            const D residual[3] = {load(&r[0][half]) - ahead * sum.x, load(&r[1][half]) - ahead * sum.y,
                                   load(&r[2][half]) - ahead * sum.z};
            const D speed[3] = {own.x, own.y, own.z}, less[3] = {trace.x, trace.y, trace.z};
            D free{};  // Jacobi: the inverse diagonal, zero in rows that are prescribed or not there
            for (int lane = 0; lane < width; ++lane) {
                const int row = 8 * s + half + lane;
                free[lane] = row < args.rows && !args.prescribed[row];
            }
            const D inertia = load(args.inertia + 8L * s + half);
            float* inverse = args.preconditioner + 48L * s + half;
            for (int c = 0; c < 3; ++c) {
                store(args.out_v + 24L * s + 8 * c + half, speed[c]);
                store(args.out_r + 24L * s + 8 * c + half, residual[c]);
                const D diagonal = inertia - less[c];
                store(inverse + 8 * c, choose(diagonal > D{}, free / diagonal, D{}));
                store(inverse + 24 + 8 * c, D{});
            }
        }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const ShellKernels shell_table;
const ShellKernels shell_table{edges, bends<12>, bends<8>, blocks, forces, rows};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
