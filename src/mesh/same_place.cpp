#include "pliant/mesh/same_place.hpp"

#include <bit>
#include <cstdint>

namespace pliant {

std::vector<int> first_at_same_place(const std::vector<Vec3>& points) {
    std::vector<int> first(points.size());
    std::vector<int> table(std::bit_ceil(2 * points.size() + 1), -1);
    const std::size_t mask = table.size() - 1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::uint64_t h = 0;
        for (int k = 0; k < 3; ++k)
            h = (std::rotl(h, 23) ^ std::bit_cast<std::uint64_t>(points[i][k] + 0.0)) * 0x9e3779b97f4a7c15ULL;
        std::size_t slot = (h >> 32) & mask;
        while (table[slot] >= 0 && points[table[slot]] != points[i]) slot = (slot + 1) & mask;
        if (table[slot] < 0) table[slot] = static_cast<int>(i);
        first[i] = table[slot];
    }
    return first;
}

}  // namespace pliant
