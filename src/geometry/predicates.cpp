#include "pliant/geometry/predicates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace pliant {

namespace {

// A number as an unevaluated sum of doubles that do not overlap, smallest first, without zeros
// (Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates").
template <int Capacity>
struct Expansion {
    std::array<double, Capacity> term;
    int size = 0;

    void push(double x) {
        if (x != 0) term[size++] = x;
    }
    double value() const {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += term[i];
        return sum;
    }
};

/// x + y == sum + error, exactly.
void two_sum(double x, double y, double& sum, double& error) {
    sum = x + y;
    const double y_part = sum - x, x_part = sum - y_part;
    error = (x - x_part) + (y - y_part);
}

/// x · y == product + error, exactly (Dekker's splitting: no fused multiply-add on older machines).
void two_product(double x, double y, double& product, double& error) {
    constexpr double splitter = 134217729.0;  // 2²⁷ + 1
    product = x * y;
    const double cx = splitter * x, cy = splitter * y;
    const double xh = cx - (cx - x), xl = x - xh, yh = cy - (cy - y), yl = y - yh;
    error = xl * yl - (((product - xh * yh) - xl * yh) - xh * yl);
}

template <int A, int B>
Expansion<A + B> sum(const Expansion<A>& a, const Expansion<B>& b) {
    // Terms merged by size, then swept once: Shewchuk's fast expansion sum.
    std::array<double, A + B> merged;
    std::merge(a.term.begin(), a.term.begin() + a.size, b.term.begin(), b.term.begin() + b.size, merged.begin(),
               [](double x, double y) { return std::abs(x) < std::abs(y); });
    Expansion<A + B> out;
    const int n = a.size + b.size;
    if (n == 0) return out;
    double q = merged[0], error;
    for (int i = 1; i < n; ++i) {
        two_sum(q, merged[i], q, error);
        out.push(error);
    }
    out.push(q);
    return out;
}

template <int A>
Expansion<2 * A> scaled(const Expansion<A>& a, double s) {
    Expansion<2 * A> out;
    if (a.size == 0 || s == 0) return out;
    double q, error;
    two_product(a.term[0], s, q, error);
    out.push(error);
    for (int i = 1; i < a.size; ++i) {
        double high, low;
        two_product(a.term[i], s, high, low);
        two_sum(q, low, q, error);
        out.push(error);
        two_sum(high, q, q, error);
        out.push(error);
    }
    out.push(q);
    return out;
}

template <int A>
Expansion<A> negated(Expansion<A> a) {
    for (int i = 0; i < a.size; ++i) a.term[i] = -a.term[i];
    return a;
}

/// ax·by − bx·ay.
Expansion<4> cross(double ax, double ay, double bx, double by) {
    Expansion<2> left, right;
    double high, low;
    two_product(ax, by, high, low);
    left.push(low), left.push(high);
    two_product(bx, ay, high, low);
    right.push(-low), right.push(-high);
    return sum(left, right);
}

double orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Expansion<4> ab = cross(a[0], a[1], b[0], b[1]), bc = cross(b[0], b[1], c[0], c[1]),
                       cd = cross(c[0], c[1], d[0], d[1]), da = cross(d[0], d[1], a[0], a[1]),
                       ac = cross(a[0], a[1], c[0], c[1]), bd = cross(b[0], b[1], d[0], d[1]);
    // Three-point minors [x y 1]; the determinant is expanded along z.
    const Expansion<12> abc = sum(sum(ab, bc), negated(ac)), bcd = sum(sum(bc, cd), negated(bd)),
                        cda = sum(sum(cd, da), ac), dab = sum(sum(da, ab), bd);
    const auto first = sum(scaled(bcd, -a[2]), scaled(cda, b[2]));
    const auto second = sum(scaled(dab, -c[2]), scaled(abc, d[2]));
    return sum(first, second).value();
}

double orient2d_exact(const Vec3& a, const Vec3& b, const Vec3& c, int u, int v) {
    return sum(sum(cross(a[u], a[v], b[u], b[v]), cross(b[u], b[v], c[u], c[v])), cross(c[u], c[v], a[u], a[v]))
        .value();
}

int sign(double x) { return (x > 0) - (x < 0); }

// The determinant of the rows (x, y, z, 1) with an infinitesimal added to each of the twelve coordinates is a
// polynomial. Its terms, from the largest: `rows` and `columns` of the infinitesimals in the term are struck out, and
// the coefficient is the minor of what is left, with the sign of the expansion.
struct Term {
    int magnitude = 0;  // bit k set: the k-th largest infinitesimal is a factor; a smaller number is a larger term
    int factors = 0;
    std::array<int, 4> rows{};     // rows left, ascending
    std::array<int, 2> columns{};  // coordinate columns left, ascending
    int sign = 1;
};

constexpr int bit_of(int row, int column) { return 1 << (3 * row + column); }

constexpr std::array<Term, 73> make_terms() {
    std::array<Term, 73> terms{};
    int count = 0;
    // choice[column] is the row struck out with that column, or 4 for none.
    for (int x = 0; x <= 4; ++x)
        for (int y = 0; y <= 4; ++y)
            for (int z = 0; z <= 4; ++z) {
                if ((x < 4 && (x == y || x == z)) || (y < 4 && y == z)) continue;
                const int choice[3] = {x, y, z};
                Term term;
                int kept_columns = 0, permutation[4] = {}, used = 0;
                for (int c = 0; c < 3; ++c)
                    if (choice[c] < 4) {
                        term.magnitude |= bit_of(choice[c], c);
                        used |= 1 << choice[c];
                        ++term.factors;
                    } else {
                        if (kept_columns < 2) term.columns[kept_columns] = c;
                        ++kept_columns;
                    }
                int kept_rows = 0;
                for (int r = 0; r < 4; ++r)
                    if (!(used >> r & 1)) term.rows[kept_rows++] = r;
                // Sign of the term: that of the permutation column → row, kept rows in order along kept columns.
                int next = 0;
                for (int c = 0; c < 4; ++c) permutation[c] = c < 3 && choice[c] < 4 ? choice[c] : term.rows[next++];
                for (int i = 0; i < 4; ++i)
                    for (int j = i + 1; j < 4; ++j)
                        if (permutation[i] > permutation[j]) term.sign = -term.sign;
                terms[count++] = term;
            }
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && terms[j].magnitude < terms[j - 1].magnitude; --j) {
            const Term swap = terms[j];
            terms[j] = terms[j - 1], terms[j - 1] = swap;
        }
    return terms;
}

constexpr std::array<Term, 73> perturbation_terms = make_terms();

/// Sign of det[x y z 1] for points of ascending rank whose unperturbed determinant is zero.
int perturbed_sign(const std::array<RankedPoint, 4>& q) {
    for (const Term& term : perturbation_terms) {
        if (term.factors == 0) continue;
        const Vec3 &a = *q[term.rows[0]].p, &b = *q[term.rows[1]].p, &c = *q[term.rows[2]].p;
        int minor = 1;
        if (term.factors == 1)
            minor = sign(orient2d(a, b, c, term.columns[0], term.columns[1]));
        else if (term.factors == 2)
            minor = (a[term.columns[0]] > b[term.columns[0]]) - (a[term.columns[0]] < b[term.columns[0]]);
        if (minor != 0) return minor * term.sign;
    }
    return 1;  // not reached: the last terms are constants
}

}  // namespace

double orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
    const double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
    const double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
    const double bxcy = bx * cy, cxby = cx * by, cxay = cx * ay, axcy = ax * cy, axby = ax * by, bxay = bx * ay;
    const double det = az * (bxcy - cxby) + bz * (cxay - axcy) + cz * (axby - bxay);
    const double permanent = std::abs(az) * (std::abs(bxcy) + std::abs(cxby)) +
                             std::abs(bz) * (std::abs(cxay) + std::abs(axcy)) +
                             std::abs(cz) * (std::abs(axby) + std::abs(bxay));
    constexpr double epsilon = 0x1.0p-53;
    // Shewchuk's bound for this order of operations; the sign of the rows a−d, b−d, c−d is opposite to ours.
    if (std::abs(det) > (7 + 56 * epsilon) * epsilon * permanent) return -det;
    return orient3d_exact(a, b, c, d);
}

double orient2d(const Vec3& a, const Vec3& b, const Vec3& c, int u, int v) {
    const double left = (a[u] - c[u]) * (b[v] - c[v]), right = (a[v] - c[v]) * (b[u] - c[u]), det = left - right;
    constexpr double epsilon = 0x1.0p-53;
    if (std::abs(det) > (3 + 16 * epsilon) * epsilon * (std::abs(left) + std::abs(right))) return det;
    return orient2d_exact(a, b, c, u, v);
}

int side(const RankedPoint& a, const RankedPoint& b, const RankedPoint& c, const RankedPoint& d) {
    const double exact = orient3d(*a.p, *b.p, *c.p, *d.p);
    if (exact != 0) return sign(exact);
    std::array<RankedPoint, 4> q{a, b, c, d};
    int turn = 1;
    for (int i = 1; i < 4; ++i)
        for (int j = i; j > 0 && q[j].rank < q[j - 1].rank; --j) std::swap(q[j], q[j - 1]), turn = -turn;
    // orient3d is minus the determinant of the rows (x, y, z, 1).
    return -turn * perturbed_sign(q);
}

RankedPlane::RankedPlane(const RankedPoint& first, const RankedPoint& second, const RankedPoint& third)
    : a(first), b(second), c(third) {
    const Vec3 u = *b.p - *a.p, v = *c.p - *a.p;
    normal = u.cross(v);
    // Every product of a component of u, v and d−a is within a few roundings; eight at most, and much to spare.
    constexpr double roundings = 64 * 0x1.0p-53;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        doubt[k] = roundings * (std::abs(u[i] * v[j]) + std::abs(u[j] * v[i]));
    }
}

}  // namespace pliant
