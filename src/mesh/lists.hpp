#pragma once
// Lists of lists, and numbering by counting: keys are sorted into lists first, so that only short ones need comparing.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/core/unset_vector.hpp"

namespace pliant {

/// Lists of lists in one array: list i is items[begin[i]] … items[begin[i+1] − 1].
template <class T>
struct Lists {
    std::vector<int> begin{0};
    UnsetVector<T> items;

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

/// The numbers 0 … count − 1 sorted into lists by key(number), each ascending.
template <class Key>
Lists<int> numbers_by(int lists, int count, Key&& key) {
    Lists<int> out;
    out.begin.assign(lists + 1, 0);
    for (int i = 0; i < count; ++i) ++out.begin[key(i)];
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.items.resize(count);
    for (int i = count; i-- > 0;) out.items[--out.begin[key(i)]] = i;
    return out;
}

/// Corners of cells (triangles, tets) round every node, ascending: the cell's number times how many it has, plus which.
template <std::size_t Corners>
Lists<int> corners_round_nodes(int nodes, const std::vector<std::array<int, Corners>>& cells) {
    return numbers_by(nodes, static_cast<int>(Corners * cells.size()),
                      [&](int i) { return cells[i / Corners][i % Corners]; });
}

inline constexpr std::size_t lists_at_once = 1024;

/// each(list, visit) calls visit(item) for the items of a list.
template <class T, class Each>
Lists<T> make_lists(int lists, Threads& threads, Each&& each) {
    Lists<T> out;
    out.begin.assign(lists + 1, 0);
    std::vector<std::vector<T>> found((lists + lists_at_once - 1) / lists_at_once);
    parallel_for(threads, lists, lists_at_once, [&](std::size_t begin, std::size_t end) {
        std::vector<T>& items = found[begin / lists_at_once];
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t before = items.size();
            each(static_cast<int>(i), [&](const T& item) { items.push_back(item); });
            out.begin[i + 1] = static_cast<int>(items.size() - before);
        }
    });
    std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
    out.items.resize(out.begin.back());
    parallel_for(threads, found.size(), 1, [&](std::size_t chunk, std::size_t) {
        std::copy(found[chunk].begin(), found[chunk].end(), out.items.begin() + out.begin[chunk * lists_at_once]);
    });
    return out;
}

/// Keys in lists, each in ascending order.
template <class Each>
Lists<std::uint64_t> sorted_keys(int lists, Threads& threads, Each&& each) {
    Lists<std::uint64_t> out = make_lists<std::uint64_t>(lists, threads, each);
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
