#pragma once
// Deterministic parallel loops. Work is cut into chunks that depend on the problem size alone, never on
// the number of threads, and sums are added chunk by chunk in order: every thread count gives the same bits.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace pliant {

/// A fixed team of threads. The calling thread is member 0. Not re-entrant: one loop at a time.
/// Where other programs keep the cores busy, members would mostly wait for one another; the caller then works alone
/// for a while, and tries again. Nobody sees it in the results: they are the same for any number of members.
class Threads {
public:
    /// count: how many threads work together, at least 1; 0 means one per core.
    explicit Threads(int count = 1);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    int count() const { return count_; }

    /// Calls job(member, members) once on every member and returns when all are done; members is count(), or 1 while
    /// the machine is busy.
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
    using Clock = std::chrono::steady_clock;
    void run_erased(Call call, void* context);
    void work(int member);
    template <class T>
    void wait_while(const std::atomic<T>& value, T old);
    void judge(Clock::duration elapsed, Clock::time_point now);

    int count_;
    bool spin_;  // false when there are more members than cores: then waiting members sleep at once, and all take part
    int active_ = 1;  // members of the loop that runs
    Clock::time_point alone_until_{};
    Clock::duration alone_for_{};             // how long the caller works alone the next time
    Clock::duration together_{};              // time in loops since the last verdict
    std::atomic<std::int64_t> asleep_ns_{0};  // by members in these loops, waiting for others
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
