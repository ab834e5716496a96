// Detection for many moving triangles: what a step of contact must find before it can respond.

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/bench.hpp"
#include "pliant/collision/continuous.hpp"
#include "pliant/collision/crossings.hpp"
#include "pliant/collision/feature_pairs.hpp"

namespace pliant::bench {

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Two wavy sheets of n × n cells, 1 m wide, that slide over each other at two thirds of an edge and press a tenth of
/// it together: everywhere near, as in cloth or in a pile.
struct Sheets {
    std::vector<Vec3> start, end;
    std::vector<Tri> triangles;  // of one sheet

    explicit Sheets(int n) {
        const double edge = 1.0 / n;
        for (int sheet = 0; sheet < 2; ++sheet)
            for (int i = 0; i <= n; ++i)
                for (int j = 0; j <= n; ++j) {
                    const double x = edge * i, z = edge * j;
                    const double y = 0.02 * std::sin(15 * x) * std::cos(13 * z) + 0.67 * edge * sheet;
                    start.emplace_back(x, y, z);
                    const double side = sheet == 0 ? 1 : -1;
                    end.push_back(start.back() + side * edge * Vec3(0.15, 0.05, 0.1 * std::sin(40 * x)));
                }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const int a = i * (n + 1) + j, b = a + n + 1;
                triangles.push_back({a, a + 1, b}), triangles.push_back({a + 1, b + 1, b});
            }
    }
};

}  // namespace

void run_contact(const Options& options, std::vector<Row>& rows) {
    for (const int n : {35, 112, 354}) {
        const Sheets sheets(n);
        const int points = static_cast<int>(sheets.start.size()) / 2;
        const std::span<const Tri> triangles[] = {sheets.triangles, sheets.triangles};
        const int counts[] = {points, points};
        for (const int count : options.threads) {
            Threads threads(count);
            FeaturePairFinder finder(make_feature_mesh(triangles, counts));
            double find_ms = INFINITY, impact_ms = INFINITY, check_ms = INFINITY;
            std::size_t pairs = 0;
            std::vector<Vec3> end = sheets.end;
            finder.find(sheets.start, end, {}, threads);  // builds the tree
            for (int round = 0; round < 5; ++round) {
                auto begin = Clock::now();
                const auto found = finder.find(sheets.start, end, {}, threads);
                find_ms = std::min(find_ms, ms_since(begin));
                pairs = found.size();
                begin = Clock::now();
                parallel_sum(threads, found.size(), 4096, 0LL, [&](std::size_t i, std::size_t last) {
                    long long hits = 0;
                    for (; i < last; ++i) {
                        const auto p = points_of(finder.mesh(), found[i]);
                        FourPoints x, y;
                        for (int k = 0; k < 4; ++k) x[k] = sheets.start[p[k]], y[k] = end[p[k]];
                        hits += first_impact(found[i].kind, x, y).hit;
                    }
                    return hits;
                });
                impact_ms = std::min(impact_ms, ms_since(begin));
                begin = Clock::now();
                const CheckedSurface surfaces[] = {{std::span(sheets.start).first(points), sheets.triangles},
                                                   {std::span(sheets.start).subspan(points), sheets.triangles}};
                count_crossings(surfaces, threads);
                check_ms = std::min(check_ms, ms_since(begin));
            }
            rows.push_back(
                {.name = "detection",
                 .tets = 2 * static_cast<int>(sheets.triangles.size()),
                 .threads = count,
                 .ms = find_ms + impact_ms,
                 .stages = {{"pairs", find_ms},
                            {"impacts", impact_ms},
                            {"µs a pair", 1e3 * impact_ms * count / std::max<double>(1, static_cast<double>(pairs))},
                            {"exact check", check_ms}}});
        }
    }
}

}  // namespace pliant::bench
