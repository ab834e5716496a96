// The line search of contact by barriers. The law of each pair is convex in its gap, and the gaps are linear in the
// velocities as long as features keep their normals; so the energy of an island is convex along the line from one
// solution to the next, and where it is least costs a few sums over the pairs that push.

#include <array>
#include <cmath>

#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Σ (a − b)·c
double dot_of_difference(const AlignedVector<double>& a, const AlignedVector<double>& b,
                         const AlignedVector<double>& c) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * c[i];
    return sum;
}

/// The rate of an island's energy along the line from the last solution to this one, at both ends, J: inertia, elastic
/// forces and the rows that do not belong to barriers. It is linear in between.
std::array<double, 2> quadratic_rates(const LineSearch& line, const Island& island) {
    double from = 0, to = 0;
    for (std::size_t i = 0; i < island.systems.size(); ++i) {
        const BlockSystem& a = *island.systems[i];
        const LineSearch::Solution& before = line.before[island.bodies[i]];
        from -= dot_of_difference(a.v, before.v, before.r), to -= dot_of_difference(a.v, before.v, a.r);
    }
    for (std::size_t k = island.touch_rows; k < island.rows.size(); ++k) {
        const Coupling& row = island.rows[k];
        Vec3 u = Vec3::Zero(), before = Vec3::Zero();
        for (int e = 0; e < row.count; ++e) {
            const Coupling::End& end = row.ends[e];
            const BlockSystem& a = *island.systems[end.system];
            const int at = a.row_of_node[end.node];
            u += end.weight * a.at(a.v, at);
            before += end.weight * a.at(line.before[island.bodies[end.system]].v, at);
        }
        from += (row.S * before - row.s).dot(u - before), to += (row.S * u - row.s).dot(u - before);
    }
    return {from, to};
}

/// Where the rate along its line changes its sign, for each island that searches.
void halve(World& w, std::size_t count) {
    constexpr int halvings = 16;
    LineSearch& line = w.scratch->line;
    for (std::size_t i = 0; i < count; ++i) line.island[i].low = 0, line.island[i].high = 1;
    for (int n = 0; n < halvings; ++n) {
        for (std::size_t i = 0; i < count; ++i)
            if (line.island[i].searches) line.share[i] = 0.5 * (line.island[i].low + line.island[i].high);
        line.find_rates(w.touch, w.scratch->island_of);
        for (std::size_t i = 0; i < count; ++i)
            if (line.island[i].searches) (line.rate[i] > 0 ? line.island[i].high : line.island[i].low) = line.share[i];
    }
}

/// Goes back from the end of the line.
void go_to(World& w, const Island& island, double share) {
    LineSearch& line = w.scratch->line;
    for (std::size_t k = 0; k < island.systems.size(); ++k) {
        BlockSystem& a = *island.systems[k];
        const LineSearch::Solution& before = line.before[island.bodies[k]];
        for (std::size_t n = 0; n < a.v.size(); ++n) {
            a.v[n] = before.v[n] + share * (a.v[n] - before.v[n]);
            a.r[n] = before.r[n] + share * (a.r[n] - before.r[n]);
        }
        line.cut[island.bodies[k]] = 1;
        visit_solved(w, island.bodies[k], [&](auto& body) { finish_solve(body, *w.threads); });
    }
}

void save_solutions(StepScratch& s) {
    for (std::size_t i = 0; i < s.island_count; ++i) {
        const Island& island = s.islands[i];
        for (std::size_t k = 0; k < island.systems.size(); ++k) {
            LineSearch::Solution& before = s.line.before[island.bodies[k]];
            before.v = island.systems[k]->v, before.r = island.systems[k]->r;
        }
    }
}

}  // namespace

void LineSearch::find_rates(const SurfaceContact& touch, std::span<const int> island_of) {
    for (std::size_t i = 0; i < rate.size(); ++i) rate[i] = island[i].from + share[i] * (island[i].to - island[i].from);
    touch.add_rates(island_of, share, rate);
}

void search_lines(World& w, bool first) {
    // The part of the rate at the start that may be left at the end, with the other sign: a line need not be searched
    // to its very minimum.
    constexpr double enough = 0.5;
    StepScratch& s = *w.scratch;
    LineSearch& line = s.line;
    const std::size_t count = s.island_count;
    line.before.resize(static_cast<std::size_t>(solved_count(w)));
    line.cut.assign(line.before.size(), 0);
    if (!first) {
        w.touch.aim(s.velocities, *w.threads);
        line.island.assign(count, {}), line.rate.assign(count, 0), line.share.assign(count, 0);
        for (std::size_t i = 0; i < count; ++i) {
            LineSearch::Line& own = line.island[i];
            own.searches = s.islands[i].touch_rows > 0 && !s.islands[i].converged;
            if (!own.searches) continue;
            const auto [from, to] = quadratic_rates(line, s.islands[i]);
            own.from = from, own.to = to;
        }
        line.find_rates(w.touch, s.island_of);
        for (std::size_t i = 0; i < count; ++i) line.island[i].low = line.rate[i], line.share[i] = 1;
        line.find_rates(w.touch, s.island_of);
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
            LineSearch::Line& own = line.island[i];
            // Where the pairs have changed since the last solution, the line may lead uphill from the start.
            own.searches = own.searches && own.low < 0 && line.rate[i] > -enough * own.low;
            any = any || own.searches;
        }
        if (any) halve(w, count);
        for (std::size_t i = 0; i < count; ++i)
            if (line.island[i].searches) go_to(w, s.islands[i], line.island[i].low);
    }
    save_solutions(s);
}

}  // namespace pliant
