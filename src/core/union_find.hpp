#pragma once
// Which of a number of items hang together, found while links between them become known one by one. The name of a set
// is its lowest member, so names and numbers depend on the links alone and not on their order.

#include <numeric>
#include <utility>
#include <vector>

namespace pliant {

class UnionFind {
public:
    explicit UnionFind(int count = 0) { reset(count); }

    /// Every item by itself. Memory is kept, so that one object can serve many problems without allocating.
    void reset(int count) {
        parent_.resize(count);
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    int size() const { return static_cast<int>(parent_.size()); }

    /// The lowest member of the item's set. Paths are halved on the way, so a query costs nearly nothing on average.
    int find(int i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    bool same(int a, int b) { return find(a) == find(b); }

    /// Unites the sets of a and b. True if they were two.
    bool join(int a, int b) {
        a = find(a), b = find(b);
        if (a == b) return false;
        if (b < a) std::swap(a, b);
        parent_[b] = a;
        return true;
    }

    /// Puts the set named `child` under that named `parent`, whichever is lower, for those who keep something at the
    /// name. Names are then not the lowest members, and number() must not be used.
    void attach(int child, int parent) { parent_[child] = parent; }

    /// Numbers the sets from 0 in order of their lowest members, per item to `number`; returns how many there are.
    int number(std::vector<int>& number) const {
        number.resize(parent_.size());
        int count = 0;
        for (std::size_t i = 0; i < parent_.size(); ++i)  // parents come before their children
            number[i] = parent_[i] == static_cast<int>(i) ? count++ : number[parent_[i]];
        return count;
    }

private:
    std::vector<int> parent_;
};

}  // namespace pliant
