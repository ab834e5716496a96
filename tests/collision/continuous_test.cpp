#include "pliant/collision/continuous.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "collision/exact_impact.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

double largest_motion(const FourPoints& start, const FourPoints& end) {
    double motion = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) motion = std::max(motion, ((end[i] - end[j]) - (start[i] - start[j])).norm());
    return motion;
}

double distance_at(PairKind kind, const FourPoints& start, const FourPoints& end, double t) {
    FourPoints x;
    for (int i = 0; i < 4; ++i) x[i] = (start[i] - start[0]) + t * ((end[i] - end[0]) - (start[i] - start[0]));
    return std::sqrt(closest(kind, x).distance2);
}

/// Least distance during the motion: samples, then ever finer ones around the best.
double least_distance(PairKind kind, const FourPoints& start, const FourPoints& end) {
    double best = INFINITY, at = 0, low = 0, high = 1;
    for (int round = 0; round < 12; ++round) {
        constexpr int samples = 400;
        for (int k = 0; k <= samples; ++k) {
            const double t = low + (high - low) * k / samples, d = distance_at(kind, start, end, t);
            if (d < best) best = d, at = t;
        }
        const double width = 4 * (high - low) / samples;
        low = std::max(0.0, at - width), high = std::min(1.0, at + width);
    }
    return best;
}

struct Tally {
    long long queries = 0, hits = 0, misses = 0, missed = 0, late = 0, false_alarms = 0, clear_false_alarms = 0;
    long long started_apart = 0, early = 0;
    int most_iterations = 0;
    double worst_early = 0;

    void print(const char* name) const {
        std::printf(
            "%s: %lld queries, %lld hits: %lld missed, %lld late, %lld of %lld more than 1e-3 early (worst %.2g); "
            "%lld misses: %lld false alarms, %lld with a least distance above 1e-6 of the motion; at most %d axes\n",
            name, queries, hits, missed, late, early, started_apart, worst_early, misses, false_alarms,
            clear_false_alarms, most_iterations);
    }
    void expect_bars() const {
        EXPECT_EQ(missed, 0);
        EXPECT_EQ(late, 0);
        EXPECT_LE(clear_false_alarms, 0.01 * static_cast<double>(misses));
        EXPECT_LE(early, 0.01 * static_cast<double>(started_apart));
    }
    void note_false_alarm(PairKind kind, const FourPoints& start, const FourPoints& end) {
        ++false_alarms;
        if (least_distance(kind, start, end) > 1e-6 * largest_motion(start, end)) ++clear_false_alarms;
    }
    void note_early(double by) {
        ++started_apart;
        worst_early = std::max(worst_early, by);
        if (by > 1e-3) ++early;
    }
};

// ---------------------------------------------------------------------------------------------------------------------
// Random queries on a lattice, degenerate ones first, against the exact oracle.

using exact::Lattice;
using exact::Query;

Lattice random_lattice(Rng& rng, int bits) {
    const std::int64_t n = std::int64_t{1} << bits;
    Lattice p;
    for (auto& c : p) c = static_cast<std::int64_t>(rng.below(2 * n + 1)) - n;
    return p;
}
Lattice plus(const Lattice& a, const Lattice& b, std::int64_t s = 1) {
    return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

enum class Degeneracy {
    parallel,
    coplanar,
    touch_start,
    touch_end,
    touch_middle,
    no_size,
    no_motion,
    collinear,
    shared,
    none
};

/// A configuration that touches: the first feature's point on the second, in the middle, on an edge or at a corner.
std::array<Lattice, 4> touching(Rng& rng, PairKind kind, int bits) {
    std::array<Lattice, 4> x;
    if (kind == PairKind::vertex_face) {
        const Lattice p = random_lattice(rng, bits), e = random_lattice(rng, bits), f = random_lattice(rng, bits);
        const std::int64_t a = static_cast<std::int64_t>(rng.below(3)), b = static_cast<std::int64_t>(rng.below(3));
        x = {p, plus(plus(p, e, -a), f, -b), plus(plus(p, e, a == 0 ? 2 : 3 - a), f, -b),
             plus(plus(p, e, -a), f, 4 - b)};
    } else {
        const Lattice p = random_lattice(rng, bits), e = random_lattice(rng, bits), f = random_lattice(rng, bits);
        x = {plus(p, e, -static_cast<std::int64_t>(rng.below(3))), plus(p, e, static_cast<std::int64_t>(rng.below(3))),
             plus(p, f, -static_cast<std::int64_t>(rng.below(3))), plus(p, f, static_cast<std::int64_t>(rng.below(3)))};
    }
    return x;
}

Query random_query(Rng& rng) {
    constexpr int bit_choices[] = {1, 2, 3, 5, 8, 12, 16};
    const int bits = bit_choices[rng.below(std::size(bit_choices))];
    Query q;
    q.kind = rng.below(2) == 0 ? PairKind::vertex_face : PairKind::edge_edge;
    for (auto* x : {&q.start, &q.end})
        for (Lattice& p : *x) p = random_lattice(rng, bits);
    switch (static_cast<Degeneracy>(rng.below(12) % 10)) {
        case Degeneracy::parallel: {
            const Lattice e = random_lattice(rng, bits), f = rng.below(2) ? e : random_lattice(rng, bits);
            const auto s = static_cast<std::int64_t>(rng.below(5)) - 2;
            q.start[1] = plus(q.start[0], e), q.start[3] = plus(q.start[2], e, s);
            q.end[1] = plus(q.end[0], f), q.end[3] = plus(q.end[2], f, s);
            break;
        }
        case Degeneracy::coplanar:
            for (auto* x : {&q.start, &q.end})
                for (Lattice& p : *x) p[2] = p[0] + 2 * p[1];
            break;
        case Degeneracy::touch_start: q.start = touching(rng, q.kind, bits); break;
        case Degeneracy::touch_end: q.end = touching(rng, q.kind, bits); break;
        case Degeneracy::touch_middle: {  // at t = 1/2, start and end mirrored about it
            const auto m = touching(rng, q.kind, bits);
            for (int i = 0; i < 4; ++i) {
                const Lattice v = random_lattice(rng, bits);
                q.start[i] = plus(m[i], v), q.end[i] = plus(m[i], v, -1);
            }
            break;
        }
        case Degeneracy::no_size:
            q.start[3] = q.start[2], q.end[3] = q.end[2];
            if (rng.below(2)) q.start[1] = q.start[q.kind == PairKind::vertex_face ? 2 : 0];
            if (rng.below(2)) q.end[1] = q.end[q.kind == PairKind::vertex_face ? 2 : 0];
            break;
        case Degeneracy::no_motion:
            if (rng.below(2)) q.start = touching(rng, q.kind, bits);
            q.end = q.start;
            break;
        case Degeneracy::collinear:
            for (auto* x : {&q.start, &q.end}) {
                const Lattice e = random_lattice(rng, 1);
                for (Lattice& p : *x) p = {p[0] * e[0], p[0] * e[1], p[0] * e[2]};
            }
            break;
        case Degeneracy::shared: q.end[0] = q.end[2], q.start[1] = q.start[3]; break;
        case Degeneracy::none: break;
    }
    return q;
}

FourPoints placed(const std::array<Lattice, 4>& x, const Lattice& offset, int scale) {
    FourPoints y;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) y[i][k] = std::ldexp(static_cast<double>(x[i][k] + offset[k]), scale);
    return y;
}

void judge(std::uint64_t seed, Tally& tally) {
    Rng rng(seed, 21);
    const Query q = random_query(rng);
    // Far from the origin, at another scale, both moving along: exactly the same question.
    const int far = static_cast<int>(rng.below(3)) * 15, scale = static_cast<int>(rng.below(5)) * 200 - 400;
    const FourPoints start = placed(q.start, random_lattice(rng, far), scale),
                     end = placed(q.end, random_lattice(rng, far), scale);
    const Impact impact = first_impact(q.kind, start, end);
    ++tally.queries;
    tally.most_iterations = std::max(tally.most_iterations, impact.iterations);
    const auto truth = exact::meetings(q);
    if (truth.empty()) {
        ++tally.misses;
        if (impact.hit) {
            const Lattice origin{0, 0, 0};
            tally.note_false_alarm(q.kind, placed(q.start, origin, 0), placed(q.end, origin, 0));
        }
        return;
    }
    ++tally.hits;
    if (!impact.hit) {
        ++tally.missed;
        ADD_FAILURE() << "query " << seed << " is a hit";
        return;
    }
    double first = 1;
    for (const exact::Root& root : truth) {
        if (root.compare(exact::dyadic(impact.time)) > 0) {
            ++tally.late;
            ADD_FAILURE() << "query " << seed << ": " << impact.time << " is later than " << root.near;
        }
        first = std::min(first, root.near);
    }
    if (first > 0) tally.note_early(first - impact.time);  // first is right to 1e-6
}

TEST(Continuous, MissesNoneOfAHundredThousandLatticeQueries) {
    Tally tally;
    for (std::uint64_t seed = 0; seed < 100'000; ++seed) judge(seed, tally);
    tally.print("lattice");
    tally.expect_bars();
    EXPECT_GT(tally.hits, 20'000);
    EXPECT_GT(tally.misses, 20'000);
}

TEST(SoakContinuous, MissesNoneOfTenMillionLatticeQueries) {
    Tally tally;
    for (std::uint64_t seed = 1'000'000; seed < 11'000'000; ++seed) judge(seed, tally);
    tally.print("lattice");
    tally.expect_bars();
}

TEST(Continuous, OracleKnowsClosedForms) {
    // A vertex falls through a face at t = 1/3; another passes beside it; two edges cross at t = 1/4 and part again.
    Query q{PairKind::vertex_face,
            {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
            {{{1, 1, -2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}};
    auto found = exact::meetings(q);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].near, 1.0 / 3, 1e-6);
    EXPECT_EQ(found[0].compare(exact::dyadic(0.33333)), -1);
    EXPECT_EQ(found[0].compare(exact::dyadic(0.33334)), 1);
    q.start[0] = {3, 3, 1}, q.end[0] = {3, 3, -2};
    EXPECT_TRUE(exact::meetings(q).empty());
    q = {PairKind::edge_edge,
         {{{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}}},
         {{{-1, 0, 0}, {1, 0, 0}, {0, -1, -3}, {0, 1, -3}}}};
    found = exact::meetings(q);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].near, 0.25, 1e-6);
    // An edge sweeps over a vertex in the plane of both; volume is zero all the time.
    q = {PairKind::edge_edge,
         {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {1, 3, 0}}},
         {{{0, 0, 0}, {4, 0, 0}, {1, -1, 0}, {1, 3, 0}}}};
    found = exact::meetings(q);
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(found[0].near, 0.5, 1e-6);
}

// ---------------------------------------------------------------------------------------------------------------------
// A gap above zero.

TEST(Continuous, KeepsTheGapAndStopsWhereItIsReached) {
    Rng rng(7);
    int hits = 0;
    double worst_below = 0, worst_above = 0;
    for (int n = 0; n < 4000; ++n) {
        const auto point = [&] { return Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)); };
        FourPoints start, end;
        for (int i = 0; i < 4; ++i) start[i] = point(), end[i] = 0.5 * point() - start[i];
        const auto kind = n % 2 ? PairKind::vertex_face : PairKind::edge_edge;
        const double gap = std::pow(10, rng.uniform(-5, -0.5)), motion = largest_motion(start, end);
        const Impact impact = first_impact(kind, start, end, {.gap = gap});
        for (int k = 0; k <= 2000; ++k) {
            const double d = distance_at(kind, start, end, impact.time * k / 2000);
            if (impact.time > 0) worst_below = std::max(worst_below, (gap - d) / motion);
        }
        if (!impact.hit || impact.time == 0) continue;
        ++hits;
        worst_above = std::max(worst_above, (distance_at(kind, start, end, impact.time) - gap) / motion);
    }
    std::printf("gap: %d hits; below it by at most %.2g, stopped above it by at most %.2g of the motion\n", hits,
                worst_below, worst_above);
    EXPECT_GT(hits, 500);
    EXPECT_LE(worst_below, 1e-14);
    EXPECT_LE(worst_above, 1e-6);
}

TEST(Continuous, NothingButFiniteNumbersPasses) {
    FourPoints x{Vec3(0, 0, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, y = x;
    EXPECT_FALSE(first_impact(PairKind::vertex_face, x, y).hit);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {std::nan(""), infinity, -infinity}) {
        y[2][1] = bad;
        const Impact impact = first_impact(PairKind::vertex_face, x, y);
        EXPECT_TRUE(impact.hit);
        EXPECT_EQ(impact.time, 0);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Queries of others with exact answers, where PLIANT_CORPUS names the folder that has them.

struct Recorded {
    PairKind kind;
    bool truth;
    double time;  // NaN: not known
    FourPoints start, end;
};

std::vector<Recorded> read_recorded(const std::string& path) {
    std::vector<Recorded> queries;
    std::ifstream in(path);
    for (std::string line, word; std::getline(in, line);) {
        std::stringstream words(line);
        Recorded q;
        const auto next = [&] { return std::getline(words, word, ','), word; };
        q.kind = next() == "vf" ? PairKind::vertex_face : PairKind::edge_edge;
        q.truth = next() == "1";
        next();
        q.time = word.empty() ? std::nan("") : std::strtod(word.c_str(), nullptr);
        for (int i = 0; i < 24; ++i)
            (i < 12 ? q.start : q.end)[i % 12 / 3][i % 3] = std::strtod(next().c_str(), nullptr);
        queries.push_back(q);
    }
    return queries;
}

TEST(Continuous, MeetsTheBarsOnRecordedQueries) {
    const char* folder = std::getenv("PLIANT_CORPUS");
    if (!folder) GTEST_SKIP() << "PLIANT_CORPUS names no folder with recorded queries (ccd/*.csv)";
    for (const std::string name : {"erleben", "scenes"}) {
        const auto queries = read_recorded(std::string(folder) + "/ccd/" + name + ".csv");
        ASSERT_FALSE(queries.empty()) << folder;
        Tally tally;
        for (const Recorded& q : queries) {
            const Impact impact = first_impact(q.kind, q.start, q.end);
            ++tally.queries;
            tally.most_iterations = std::max(tally.most_iterations, impact.iterations);
            if (!q.truth) {
                ++tally.misses;
                if (impact.hit) tally.note_false_alarm(q.kind, q.start, q.end);
                continue;
            }
            ++tally.hits;
            if (!impact.hit) ++tally.missed;
            if (std::isnan(q.time)) continue;
            if (impact.time > q.time) ++tally.late;
            if (q.time > 0) tally.note_early(q.time - impact.time);
        }
        tally.print(name.c_str());
        tally.expect_bars();
        double best = INFINITY;
        int hits = 0;
        for (int round = 0; round < 5; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            for (const Recorded& q : queries) hits += first_impact(q.kind, q.start, q.end).hit;
            const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
            best = std::min(best, took.count() / static_cast<double>(queries.size()));
        }
        std::printf("%s: %.3f µs a query (%d hits)\n", name.c_str(), best, hits / 5);
    }
}

}  // namespace

}  // namespace pliant
