#include "pliant/solve/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pliant {
namespace {

TEST(AlignedVector, StartsOnACacheLineAndWhenLargeOnAPage) {
    for (std::size_t size : {1u, 1000u, (2u << 20) - 1, 2u << 20, 5u << 20}) {
        AlignedVector<char> array(size, 'a');
        array.resize(size + size / 3, 'b');
        const std::size_t whole = array.capacity() < 2 << 20 ? 64 : 2 << 20;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % whole, 0u) << size;
        EXPECT_EQ(array[size - 1], 'a');
        EXPECT_EQ(array.back(), size < 3 ? 'a' : 'b');
    }
}

}  // namespace
}  // namespace pliant
