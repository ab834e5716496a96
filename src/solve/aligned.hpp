#pragma once
// Arrays that start on a cache line, as the vector kernels want them.

#include <cstddef>
#include <new>
#include <vector>

namespace pliant {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    template <class U>
    bool operator==(const CacheLineAllocator<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

/// Empties a vector and gives its memory back; assigning {} would keep it.
template <class Vector>
void release(Vector& vector) {
    Vector().swap(vector);
}

}  // namespace pliant
