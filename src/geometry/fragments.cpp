#include "pliant/geometry/fragments.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"

namespace pliant {

void Fragments::clear() {
    pieces_ = 0;
    facets_.clear();
}

int Fragments::number(std::vector<int>& fragment) {
    std::sort(facets_.begin(), facets_.end());
    UnionFind sets(pieces_);
    for (std::size_t i = 0; i < facets_.size(); ++i) {
        CHECK(facets_[i].piece >= 0 && facets_[i].piece < pieces_, facets_[i].piece, pieces_);
        if (i > 0 && facets_[i].name == facets_[i - 1].name) sets.join(facets_[i - 1].piece, facets_[i].piece);
    }
    return sets.number(fragment);
}

}  // namespace pliant
