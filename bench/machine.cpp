// What the machine can do at best: bandwidth of a triad, fused multiply-adds a second.

#include <algorithm>
#include <vector>

#include "bench/bench.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/timer.hpp"

namespace pliant::bench {

namespace {

[[gnu::target("avx2"), gnu::optimize("O3")]] void triad_wide(double* __restrict a, const double* __restrict b,
                                                             const double* __restrict c, double s, long n) {
    for (long i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}
void triad_plain(double* a, const double* b, const double* c, double s, long n) {
    for (long i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

// Twelve independent sums hide the latency of the unit.
constexpr int sums = 12;
[[gnu::target("avx512f,fma")]] double multiply_add_512(long rounds) {
    typedef double V __attribute__((vector_size(64)));
    V a[sums];
#pragma GCC unroll 12
    for (int k = 0; k < sums; ++k) a[k] = V{} + 0.1 * k;
    for (long i = 0; i < rounds; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) a[k] = a[k] * 0.999999 + 1e-6;
    double sum = 0;
#pragma GCC unroll 12
    for (int k = 0; k < sums; ++k) sum += a[k][0];
    return sum;
}
[[gnu::target("avx2,fma")]] double multiply_add_256(long rounds) {
    typedef double V __attribute__((vector_size(32)));
    V a[sums];
#pragma GCC unroll 12
    for (int k = 0; k < sums; ++k) a[k] = V{} + 0.1 * k;
    for (long i = 0; i < rounds; ++i)
#pragma GCC unroll 12
        for (int k = 0; k < sums; ++k) a[k] = a[k] * 0.999999 + 1e-6;
    double sum = 0;
#pragma GCC unroll 12
    for (int k = 0; k < sums; ++k) sum += a[k][0];
    return sum;
}

}  // namespace

double triad_bytes_per_second(double megabytes, int thread_count) {
    const long n = std::max(1000L, static_cast<long>(megabytes * 1e6 / 24));
    std::vector<double> a(n, 1), b(n, 2), c(n, 3);
    const bool wide = __builtin_cpu_supports("avx2");
    const int passes = static_cast<int>(std::clamp(5'000'000L / n, 1L, 2000L));
    Threads threads(thread_count);
    double best = 1e300;
    for (int k = 0; k < 8; ++k) {
        const double begin = seconds_now();
        threads.run([&](int member, int count) {
            const long from = n * member / count, to = n * (member + 1) / count;
            for (int p = 0; p < passes; ++p)
                (wide ? triad_wide : triad_plain)(a.data() + from, b.data() + from, c.data() + from, 1e-9 * p,
                                                  to - from);
        });
        best = std::min(best, (seconds_now() - begin) / passes);
    }
    return 24.0 * n / best;
}

double flops_per_second(int thread_count) {
    const bool wide = __builtin_cpu_supports("avx512f"),
               some = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!some) return 0;
    Threads threads(thread_count);
    constexpr long rounds = 1'000'000;
    double best = 1e300;
    std::vector<double> sink(threads.count());
    for (int k = 0; k < 5; ++k) {
        const double begin = seconds_now();
        threads.run(
            [&](int member, int) { sink[member] = wide ? multiply_add_512(rounds) : multiply_add_256(rounds); });
        best = std::min(best, seconds_now() - begin);
    }
    return 2.0 * sums * (wide ? 8 : 4) * rounds * threads.count() / best;
}

}  // namespace pliant::bench
