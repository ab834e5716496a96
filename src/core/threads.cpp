#include "pliant/core/threads.hpp"

#include <algorithm>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pliant {

namespace {

// About 20 µs of spinning before a waiting member asks the system to put it to sleep: longer than the gaps
// between the loops of one step, shorter than anybody notices on an idle machine.
constexpr int spin_rounds = 4000;

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

template <class T>
void wait_while(const std::atomic<T>& value, T old, bool spin) {
    for (int i = 0; spin && i < spin_rounds; ++i) {
        if (value.load(std::memory_order_acquire) != old) return;
        relax();
    }
    while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

Threads::Threads(int count) : count_(count) {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (count_ <= 0) count_ = cores;
    spin_ = count_ <= cores;
    failures_.resize(count_);
    for (int member = 1; member < count_; ++member) workers_.emplace_back([this, member] { work(member); });
}

Threads::~Threads() {
    stop_.store(true, std::memory_order_release);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Threads::work(int member) {
    std::uint32_t seen = 0;
    for (;;) {
        wait_while(generation_, seen, spin_);
        seen = generation_.load(std::memory_order_acquire);
        if (stop_.load(std::memory_order_acquire)) return;
        try {
            call_(context_, member, count_);
        } catch (...) {
            failures_[member] = std::current_exception();
        }
        if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
    }
}

void Threads::run_erased(Call call, void* context) {
    if (count_ == 1) return call(context, 0, 1);
    call_ = call;
    context_ = context;
    unfinished_.store(count_ - 1, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    try {
        call(context, 0, count_);
    } catch (...) {
        failures_[0] = std::current_exception();
    }
    for (int left = unfinished_.load(std::memory_order_acquire); left != 0;
         left = unfinished_.load(std::memory_order_acquire))
        wait_while(unfinished_, left, spin_);
    for (std::exception_ptr& failure : failures_)
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void Threads::barrier() {
    if (count_ == 1) return;
    const std::uint32_t generation = barrier_generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == count_ - 1) {
        arrived_.store(0, std::memory_order_relaxed);
        barrier_generation_.fetch_add(1, std::memory_order_release);
        barrier_generation_.notify_all();
    } else {
        wait_while(barrier_generation_, generation, spin_);
    }
}

}  // namespace pliant
