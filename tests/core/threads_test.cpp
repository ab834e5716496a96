#include "pliant/core/threads.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace pliant {
namespace {

const int counts[] = {1, 2, 7};

TEST(Threads, EveryMemberRunsOnce) {
    for (int count : counts) {
        Threads threads(count);
        EXPECT_EQ(threads.count(), count);
        for (int round = 0; round < 50; ++round) {
            std::vector<int> ran(count, 0);
            int members = 0;
            threads.run([&](int member, int of) {
                if (member == 0) members = of;
                ++ran[member];
            });
            EXPECT_TRUE(members == count || members == 1) << members;  // alone where the machine is busy
            for (int member = 0; member < count; ++member) EXPECT_EQ(ran[member], member < members);
        }
    }
}

TEST(Threads, ZeroMeansOnePerCore) {
    EXPECT_EQ(Threads(0).count(), std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

// Each member writes its place, all meet, each reads its neighbour's: a barrier that lets one through early shows.
TEST(Threads, BarrierHoldsEverybody) {
    for (int count : counts) {
        Threads threads(count);
        std::vector<int> value(count, -1);
        std::atomic<int> wrong{0};
        threads.run([&](int member, int of) {
            for (int round = 0; round < 60; ++round) {
                value[member] = round * of + member;
                threads.barrier();
                const int other = (member + 1) % of;
                if (value[other] != round * of + other) ++wrong;
                threads.barrier();
            }
        });
        EXPECT_EQ(wrong, 0);
    }
}

TEST(Threads, AnExceptionReachesTheCallerAndTheTeamStaysUsable) {
    for (int count : counts) {
        Threads threads(count);
        for (int last = 0; last < count; ++last) {
            int thrower = last;
            try {
                threads.run([&](int member, int of) {
                    if (of == 1) thrower = 0;
                    if (member == thrower) throw std::runtime_error("member " + std::to_string(member));
                });
                FAIL() << "nothing thrown";
            } catch (const std::runtime_error& e) {
                EXPECT_EQ(e.what(), "member " + std::to_string(thrower));
            }
            std::atomic<int> ran{0};
            std::atomic<int> members{0};
            threads.run([&](int, int of) { ++ran, members = of; });
            EXPECT_EQ(ran, members);
        }
        EXPECT_THROW(parallel_for(threads, 100, 7,
                                  [](std::size_t begin, std::size_t) {
                                      if (begin == 49) throw std::runtime_error("chunk");
                                  }),
                     std::runtime_error);
    }
}

// A member that does not get a core, played by one that sleeps: the caller stops waiting for it, and asks again later.
TEST(Threads, TheCallerWorksAloneWhileOthersKeepItWaiting) {
    using namespace std::chrono_literals;
    Threads threads(2);
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
    auto members = [&](std::chrono::milliseconds late) {
        int of = 0;
        threads.run([&](int member, int count) {
            if (member == 1) std::this_thread::sleep_for(late);
            threads.barrier();
            if (member == 0) of = count;
        });
        return of;
    };
    EXPECT_EQ(members(30ms), 2);
    EXPECT_EQ(members(0ms), 1);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(members(0ms), 2);
}

TEST(ParallelFor, CoversEveryItemOnceInTheSameChunks) {
    for (std::size_t n : {0, 1, 9, 10, 11, 1000}) {
        std::vector<std::pair<std::size_t, std::size_t>> first;
        for (int count : counts) {
            Threads threads(count);
            std::vector<int> seen(n, 0);
            std::vector<std::pair<std::size_t, std::size_t>> chunks((n + 9) / 10);
            parallel_for(threads, n, 10, [&](std::size_t begin, std::size_t end) {
                chunks[begin / 10] = {begin, end};
                for (std::size_t i = begin; i < end; ++i) ++seen[i];
            });
            for (int s : seen) EXPECT_EQ(s, 1);
            if (count == 1) first = chunks;
            EXPECT_EQ(chunks, first);
        }
    }
}

TEST(ParallelSum, SameBitsForAnyNumberOfThreads) {
    std::vector<double> v(12345);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(double(i)) * std::pow(10, double(i % 17) - 8);
    auto total = [&](int count) {
        Threads threads(count);
        return parallel_sum(threads, v.size(), 100, 0.0, [&](std::size_t begin, std::size_t end) {
            return std::accumulate(v.begin() + begin, v.begin() + end, 0.0);
        });
    };
    const double one = total(1);
    EXPECT_EQ(one, total(2));
    EXPECT_EQ(one, total(7));
    EXPECT_NEAR(one, std::accumulate(v.begin(), v.end(), 0.0), 1e-6);
}

}  // namespace
}  // namespace pliant
