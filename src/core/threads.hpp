#pragma once
// Deterministic parallel loops. Work is cut into chunks that depend on the problem size alone, never on
// the number of threads, and sums are added chunk by chunk in order: every thread count gives the same bits.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace pliant {

/// A fixed team of threads. The calling thread is member 0. Not re-entrant: one loop at a time.
class Threads {
public:
    /// count: how many threads work together, at least 1; 0 means one per core.
    explicit Threads(int count = 1);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    int count() const { return count_; }

    /// Calls job(member, count()) once on every member and returns when all are done.
    template <class Job>
    void run(Job&& job) {
        using Plain = std::remove_reference_t<Job>;
        run_erased([](void* context, int member, int count) { (*static_cast<Plain*>(context))(member, count); },
                   const_cast<void*>(static_cast<const void*>(std::addressof(job))));
    }

    /// All members meet here; only valid inside run(). Costs well under a microsecond when every member has a core.
    void barrier();

private:
    using Call = void (*)(void*, int member, int count);
    void run_erased(Call call, void* context);
    void work(int member);

    int count_;
    bool spin_;  // false when there are more members than cores: then waiting members sleep at once
    Call call_ = nullptr;
    void* context_ = nullptr;
    std::vector<std::exception_ptr> failures_;
    std::vector<std::thread> workers_;
    alignas(64) std::atomic<std::uint32_t> generation_{0};
    alignas(64) std::atomic<int> unfinished_{0};
    alignas(64) std::atomic<int> arrived_{0};
    alignas(64) std::atomic<std::uint32_t> barrier_generation_{0};
    std::atomic<bool> stop_{false};
};

/// body(begin, end) over [0, n) in chunks of `chunk` items. Chunk boundaries do not depend on the thread count.
template <class Body>
void parallel_for(Threads& threads, std::size_t n, std::size_t chunk, Body&& body) {
    const std::size_t chunks = (n + chunk - 1) / chunk;
    auto one = [&](std::size_t c) { body(c * chunk, std::min(n, (c + 1) * chunk)); };
    if (threads.count() == 1 || chunks <= 1) {
        for (std::size_t c = 0; c < chunks; ++c) one(c);
        return;
    }
    std::atomic<std::size_t> next{0};
    threads.run([&](int, int) {
        for (std::size_t c = next.fetch_add(1, std::memory_order_relaxed); c < chunks;
             c = next.fetch_add(1, std::memory_order_relaxed))
            one(c);
    });
}

/// Sum over [0, n) of partial(begin, end) → T, chunk results added in order.
template <class T, class Partial>
T parallel_sum(Threads& threads, std::size_t n, std::size_t chunk, T zero, Partial&& partial) {
    const std::size_t chunks = (n + chunk - 1) / chunk;
    std::vector<T> parts(chunks, zero);
    parallel_for(threads, n, chunk,
                 [&](std::size_t begin, std::size_t end) { parts[begin / chunk] = partial(begin, end); });
    T sum = zero;
    for (const T& part : parts) sum += part;
    return sum;
}

}  // namespace pliant
