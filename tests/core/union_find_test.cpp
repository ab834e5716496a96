#include "pliant/core/union_find.hpp"

#include <gtest/gtest.h>
#include <algorithm>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

TEST(UnionFind, SetsAreThoseOfABruteForceSearchAndNumberedByLowestMember) {
    Rng rng(3);
    for (int round = 0; round < 300; ++round) {
        const int n = 1 + static_cast<int>(rng.below(40)), links = static_cast<int>(rng.below(50));
        UnionFind sets(7);
        sets.reset(n);
        std::vector<int> label(n);
        for (int i = 0; i < n; ++i) label[i] = i;
        for (int k = 0; k < links; ++k) {
            const int a = static_cast<int>(rng.below(n)), b = static_cast<int>(rng.below(n));
            const int low = std::min(label[a], label[b]), high = std::max(label[a], label[b]);
            EXPECT_EQ(sets.join(a, b), low != high);
            for (int& l : label)
                if (l == high) l = low;
        }
        std::vector<int> number;
        const int count = sets.number(number);
        int expected = 0;
        std::vector<int> name(n, -1);
        for (int i = 0; i < n; ++i) {
            EXPECT_EQ(sets.find(i), label[i]);  // the lowest member
            if (label[i] == i) name[i] = expected++;
            EXPECT_EQ(number[i], name[label[i]]);
        }
        EXPECT_EQ(count, expected);
    }
}

}  // namespace
}  // namespace pliant
