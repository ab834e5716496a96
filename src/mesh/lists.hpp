#pragma once
// Lists of lists, and numbering by counting: keys are sorted into lists first, so that only short ones need comparing.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pliant/core/threads.hpp"

namespace pliant {

/// Lists of lists in one array: list i is items[begin[i]] … items[begin[i+1] − 1].
template <class T>
struct Lists {
    std::vector<int> begin{0};
    std::vector<T> items;

    int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// Sorts items into lists by key, keeping their order.
template <class T, class Key>
Lists<T> bucket(int lists, const std::vector<T>& items, Key&& key) {
    Lists<T> out;
    out.begin.assign(lists + 1, 0);
    for (const T& item : items) ++out.begin[key(item) + 1];
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    std::vector<int> at(out.begin.begin(), out.begin.end() - 1);
    out.items.resize(items.size());
    for (const T& item : items) out.items[at[key(item)]++] = item;
    return out;
}

inline constexpr std::size_t lists_at_once = 1024;

/// Keys in lists, each in ascending order. each(visit) calls visit(list, key) for all of them, twice the same.
template <class Each>
Lists<std::uint64_t> sorted_keys(int lists, Threads& threads, Each&& each) {
    Lists<std::uint64_t> out;
    out.begin.assign(lists + 1, 0);
    each([&](int list, std::uint64_t) { ++out.begin[list]; });
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.items.resize(out.begin.back());
    each([&](int list, std::uint64_t key) { out.items[--out.begin[list]] = key; });
    parallel_for(threads, lists, lists_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            std::sort(out.items.begin() + out.begin[i], out.items.begin() + out.begin[i + 1]);
    });
    return out;
}

constexpr std::uint64_t packed(int high, int low) {
    return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
}
constexpr int high_half(std::uint64_t key) { return static_cast<int>(key >> 32); }
constexpr int low_half(std::uint64_t key) { return static_cast<int>(static_cast<std::uint32_t>(key)); }

/// How many different high halves the keys of each list have, added up: where those of a list begin.
inline std::vector<int> first_of_lists(const Lists<std::uint64_t>& lists, Threads& threads) {
    std::vector<int> first(lists.count() + 1, 0);
    parallel_for(threads, lists.count(), lists_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t l = begin; l < end; ++l)
            for (int i = lists.begin[l]; i < lists.begin[l + 1]; ++i)
                first[l + 1] += i == lists.begin[l] || high_half(lists.items[i]) != high_half(lists.items[i - 1]);
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
}

}  // namespace pliant
