// Model 1: the corners of the Voronoi faces, and the forces over them (Everts 2006, section 5.4).

#include "pliant/particle/float_lanes.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace {

// Corners that hang on so many particles. Arguments are copied first: what a loop stores could otherwise be the
// arguments themselves for all the compiler knows, and it would read them again each time round.
template <int particles>
inline void corners_of(const CornerArgs& args, int begin, int end) {
    const CornerArgs a = args;
    for (int c = begin; c < end; ++c) {
        const int* n = a.node + 8L * c;
        const F8 w = load8(a.weight + 8L * c);
        auto both = [&](int k) { return join(load4(a.near + n[k]), load4(a.near + n[k + 4])); };
        F8 p = __builtin_shufflevector(w, w, 0, 0, 0, 0, 4, 4, 4, 4) * both(0) +
               __builtin_shufflevector(w, w, 1, 1, 1, 1, 5, 5, 5, 5) * both(1);
        if constexpr (particles == 3) p += __builtin_shufflevector(w, w, 2, 2, 2, 2, 6, 6, 6, 6) * both(2);
        if constexpr (particles == 4)
            p += __builtin_shufflevector(w, w, 2, 2, 2, 2, 6, 6, 6, 6) * both(2) +
                 __builtin_shufflevector(w, w, 3, 3, 3, 3, 7, 7, 7, 7) * both(3);
        store8(a.corner + 8L * c, p);
    }
}

void corners(const CornerArgs& a, int begin, int end) {
    auto last = [&](int limit) { return end < limit ? end : limit; };
    auto first = [&](int limit) { return begin > limit ? begin : limit; };
    corners_of<2>(a, begin, last(a.two));
    corners_of<3>(a, first(a.two), last(a.three));
    corners_of<4>(a, first(a.three), end);
}

// δ/sin δ for s = 1 − cos δ: Σ 2^k (k!)²/(2k+1)! s^k; δ is half an angle of up to 90 degrees, the error below 1e-7.
inline F8 angle_over_sine(F8 s) {
    const F8 s2 = s * s, s4 = s2 * s2;
    const F8 low = (1.f / 3 * s + 1.f) + (2.f / 35 * s + 2.f / 15) * s2;
    const F8 high = (8.f / 693 * s + 8.f / 315) + (16.f / 6435 * s + 16.f / 3003) * s2;
    return low + (high + 128.f / 109395 * s4) * s4;
}

inline F8 next_axis(F8 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7); }

// Twice the area vectors of the faces of two lanes, z first: quadrilaterals about the first corner, each half the
// product of its diagonals, and a triangle where the number of corners is odd. It does not depend on the point it is
// about. Rows of four are as good as lanes for products, and need not be turned.
template <int fixed>
inline F8 doubled_areas(const float* corner, const int* column, int slots) {
    const int count = fixed > 0 ? fixed : slots;
    auto both = [&](int k) { return join(load4(corner + column[8 * k]), load4(corner + column[8 * k + 4])); };
    const F8 first = both(0);
    F8 before = both(1), area{};
    int k = 2;
    for (; k + 1 < count; k += 2) {
        const F8 middle = both(k) - first, now = both(k + 1), across = now - before;
        area = area + middle * next_axis(across) - next_axis(middle) * across;
        before = now;
    }
    if (k < count) {
        const F8 middle = both(k) - first, across = first - before;
        area = area + middle * next_axis(across) - next_axis(middle) * across;
    }
    return area;
}

template <int fixed>
inline F3 doubled_area(const float* corner, const int* column, int slots) {
    auto two = [&](int lane) { return doubled_areas<fixed>(corner, column + lane, slots); };
    const F3 turned = to_lanes(two(0), two(1), two(2), two(3));
    return {turned.y, turned.z, turned.x};
}

inline F3 doubled_area(const FaceArgs& a, int g) {
    const int slots = a.slot_begin[g + 1] - a.slot_begin[g];
    const int* column = a.column + 8L * a.slot_begin[g];
    switch (slots) {  // few numbers are common
        case 3: return doubled_area<3>(a.corner, column, slots);
        case 4: return doubled_area<4>(a.corner, column, slots);
        case 5: return doubled_area<5>(a.corner, column, slots);
        case 6: return doubled_area<6>(a.corner, column, slots);
        default: return doubled_area<0>(a.corner, column, slots);
    }
}

// In stages for a few groups at a time. The force of a face is one long chain of dependent numbers, and the processor
// sees only about one group ahead: cut in pieces, several are under way at once.
template <bool energy>
void faces(const FaceArgs& args, int begin, int end) {
    const FaceArgs a = args;
    constexpr int block = 8;
    F3 n[block], L[block];  // normal; difference of the particles against the rest distance
    F8 length[block], r[block], u[block], angle[block];
    for (int start = begin; start < end; start += block) {
        const int count = start + block < end ? block : end - start;
        for (int i = 0; i < count; ++i) n[i] = doubled_area(a, start + i);
        for (int i = 0; i < count; ++i) {
            const int* pair = a.pair + 16L * (start + i);
            L[i] = load8(a.constant + 32L * (start + i)) * differences(a.x, pair, pair + 8);
        }
        for (int i = 0; i < count; ++i) {
            const float* k = a.constant + 32L * (start + i);
            const F3 N = load8(k + 8) * n[i];  // against the rest area
            n[i] = rsqrt(dot(N, N)) * N;
            const F8 length2 = dot(L[i], L[i]);
            r[i] = rsqrt(length2), u[i] = dot(L[i], n[i]), length[i] = length2 * r[i];
        }
        for (int i = 0; i < count; ++i) {
            const F8 cosine = larger(u[i] * r[i], all8(-0.95f));  // sheared beyond recognition: keep the force finite
            const F8 c2 = 0.5f + 0.5f * cosine, r2 = rsqrt(c2);
            angle[i] = angle_over_sine(larger(1.f - c2 * r2, F8{})) * r2;
        }
        for (int i = 0; i < count; ++i) {
            const float* k = a.constant + 32L * (start + i);
            const F8 EA = load8(k + 16), GA = load8(k + 24), strain = length[i] - 1.f;
            if constexpr (energy) {  // ½ A d (E ε² + G γ²)
                const F3 across = (angle[i] * r[i]) * (L[i] - u[i] * n[i]);
                a.energy[start + i] = total(0.5f / load8(k) * (EA * strain * strain + GA * dot(across, across)));
            } else {
                const F8 elastic = EA * strain, shear = GA * angle[i] * r[i];
                store_rows<true>(a.force + 64L * (start + i), (elastic - shear * u[i]) * n[i] + shear * L[i]);
            }
        }
    }
}

}  // namespace

namespace PLIANT_KERNEL {
extern const FaceKernels face_table;
const FaceKernels face_table{corners, faces<false>, faces<true>};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
