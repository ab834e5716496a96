#pragma once
// The threads that work on one system: all of them, or the caller alone when the system is small.

#include <cstddef>

#include "pliant/core/threads.hpp"

namespace pliant {

struct Team {
    Threads* threads = nullptr;  ///< null: alone
    int member = 0, count = 1;

    void barrier() const {
        if (threads) threads->barrier();
    }
    // This member's share of n items.
    int begin(std::size_t n) const { return static_cast<int>(n * member / count); }
    int end(std::size_t n) const { return static_cast<int>(n * (member + 1) / count); }
};

/// Below this many slices of eight rows, a second thread costs more in waiting than it saves: in a pass over the
/// elements or rows, and in conjugate gradients, whose threads wait for each other three times in an iteration.
inline constexpr int slices_worth_sharing = 30, slices_worth_solving_together = 60;

/// job(team) on every member that is worth waking.
template <class Job>
void run_team(Threads& threads, int slices, Job&& job, int enough = slices_worth_sharing) {
    if (threads.count() == 1 || slices < enough) return job(Team{});
    threads.run([&](int member, int count) { job(Team{&threads, member, count}); });
}

}  // namespace pliant
