#pragma once
// Things that are made on several threads and used one after the other, as the pictures of a movie.

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace pliant {

/// Calls use(i, make(i)) for i from 0 to count − 1, in order and on this thread; make() runs on `threads` others, so
/// that nobody waits for one that takes long until there are twice as many things as threads. Throws what the first
/// call that fails, in the order of i, has thrown.
template <class Make, class Use>
void in_order(int count, int threads, Make&& make, Use&& use) {
    using Thing = decltype(make(0));
    struct Slot {
        std::optional<Thing> thing;
        std::exception_ptr failed;
        bool ready = false;
    };
    threads = std::clamp(threads, 1, std::max(1, count));
    std::vector<Slot> slots(static_cast<std::size_t>(2 * threads));
    std::mutex mutex;
    std::condition_variable made, used;
    int next = 0, done = 0;  // the next to be made, the next to be used
    bool stopped = false;
    const auto slot = [&](int i) -> Slot& { return slots[static_cast<std::size_t>(i) % slots.size()]; };
    const auto work = [&] {
        for (;;) {
            std::unique_lock lock(mutex);
            used.wait(lock, [&] { return stopped || next >= count || next < done + static_cast<int>(slots.size()); });
            if (stopped || next >= count) return;
            const int i = next++;
            lock.unlock();
            Slot result;
            try {
                result.thing.emplace(make(i));
            } catch (...) {
                result.failed = std::current_exception();
            }
            result.ready = true;
            lock.lock();
            slot(i) = std::move(result);
            made.notify_one();
        }
    };
    std::vector<std::jthread> team;
    for (int k = 0; k < threads; ++k) team.emplace_back(work);
    struct Stop {  // before the team is joined, whichever way this function is left
        std::mutex& mutex;
        std::condition_variable& used;
        bool& stopped;
        ~Stop() {
            const std::lock_guard lock(mutex);
            stopped = true;
            used.notify_all();
        }
    } stop{mutex, used, stopped};
    for (int i = 0; i < count; ++i) {
        std::unique_lock lock(mutex);
        made.wait(lock, [&] { return slot(i).ready; });
        Slot result = std::exchange(slot(i), {});
        done = i + 1;
        used.notify_all();
        lock.unlock();
        if (result.failed) std::rethrow_exception(result.failed);
        use(i, std::move(*result.thing));
    }
}

}  // namespace pliant
