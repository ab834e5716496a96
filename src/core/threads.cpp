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
bool changes_soon(const std::atomic<T>& value, T old) {
    for (int i = 0; i < spin_rounds; ++i) {
        if (value.load(std::memory_order_acquire) != old) return true;
        relax();
    }
    return false;
}

template <class T>
void sleep_while(const std::atomic<T>& value, T old) {
    while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

// Loops are watched for this long before a verdict, and the caller works alone for these times after a bad one.
constexpr std::chrono::milliseconds watched(5), least_alone(50), most_alone(1600);

}  // namespace

template <class T>
void Threads::wait_while(const std::atomic<T>& value, T old) {
    if (spin_ && changes_soon(value, old)) return;
    const Clock::time_point start = Clock::now();
    sleep_while(value, old);
    asleep_ns_.fetch_add(std::chrono::nanoseconds(Clock::now() - start).count(), std::memory_order_relaxed);
}

// With a core for each, members hardly ever sleep within a loop. When they do so for half of the time, a member is
// waiting for its turn behind other programs, thousands of times longer than its work takes.
void Threads::judge(Clock::duration elapsed, Clock::time_point now) {
    together_ += elapsed;
    if (together_ < watched) return;
    const std::chrono::nanoseconds asleep(asleep_ns_.exchange(0, std::memory_order_relaxed));
    const bool starved = 4 * asleep > count_ * together_;
    together_ = {};
    if (!starved) {
        alone_for_ = least_alone;
        return;
    }
    alone_until_ = now + alone_for_;
    alone_for_ = std::min<Clock::duration>(2 * alone_for_, most_alone);
}

Threads::Threads(int count) : count_(count) {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (count_ <= 0) count_ = cores;
    spin_ = count_ <= cores;
    alone_for_ = least_alone;
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
        if (!spin_ || !changes_soon(generation_, seen)) sleep_while(generation_, seen);
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
    const Clock::time_point start = count_ > 1 ? Clock::now() : Clock::time_point{};
    if (count_ == 1 || start < alone_until_) {
        active_ = 1;
        return call(context, 0, 1);
    }
    active_ = count_;
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
        wait_while(unfinished_, left);
    const Clock::time_point now = Clock::now();
    if (spin_) judge(now - start, now);
    for (std::exception_ptr& failure : failures_)
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void Threads::barrier() {
    if (active_ == 1) return;
    const std::uint32_t generation = barrier_generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == count_ - 1) {
        arrived_.store(0, std::memory_order_relaxed);
        barrier_generation_.fetch_add(1, std::memory_order_release);
        barrier_generation_.notify_all();
    } else {
        wait_while(barrier_generation_, generation);
    }
}

}  // namespace pliant
