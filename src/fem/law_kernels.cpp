// The pass of law_pass.hpp for every law of the list.

#include "pliant/fem/law_pass.hpp"
#include "pliant/material/law_list.hpp"

namespace pliant {

namespace {

template <class... Laws>
constexpr LawPass pass_of(LawList<Laws...>, int place) {
    constexpr LawPass all[] = {element_pass<Laws>...};
    return place >= 0 && place < int(sizeof...(Laws)) ? all[place] : nullptr;
}

LawPass pass_at(int place) { return pass_of(AllLaws{}, place); }

}  // namespace

namespace PLIANT_KERNEL {
extern LawPass (*const find_pass)(int place);
LawPass (*const find_pass)(int place) = pass_at;
}  // namespace PLIANT_KERNEL

}  // namespace pliant
