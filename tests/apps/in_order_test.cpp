#include "in_order.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace pliant {
namespace {

TEST(InOrder, UsesThingsInOrderHoweverLongTheyTake) {
    for (int threads : {1, 2, 7}) {
        std::vector<int> used;
        in_order(
            40, threads,
            [](int i) {
                std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 5)));
                return 3 * i;
            },
            [&](int i, int thing) {
                EXPECT_EQ(thing, 3 * i);
                used.push_back(i);
            });
        ASSERT_EQ(used.size(), 40u);
        for (int i = 0; i < 40; ++i) EXPECT_EQ(used[static_cast<std::size_t>(i)], i);
    }
    in_order(
        0, 3, [](int i) { return i; }, [](int, int) { FAIL(); });
}

TEST(InOrder, ThrowsWhatFailedFirstAndStops) {
    int used = 0;
    try {
        in_order(
            1000, 3,
            [](int i) {
                if (i >= 5) throw std::runtime_error(std::to_string(i));
                return i;
            },
            [&](int, int) { ++used; });
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "5");
    }
    EXPECT_EQ(used, 5);
    EXPECT_THROW(in_order(
                     9, 2, [](int i) { return i; },
                     [](int i, int) {
                         if (i == 3) throw 1;
                     }),
                 int);
}

}  // namespace
}  // namespace pliant
