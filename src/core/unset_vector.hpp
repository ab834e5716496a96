#pragma once
// Arrays that threads fill together.

#include <memory>
#include <utility>
#include <vector>

namespace pliant {

template <class T>
struct UnsetAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    /// Called for elements that nothing is said about.
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
};

/// A vector whose resize() leaves new numbers unset: their memory is first touched, which takes longer than all else,
/// by the threads that write them.
template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace pliant
