#pragma once
// Arrays that start on a cache line, as the vector kernels want them.

#include <cstddef>
#include <vector>

namespace pliant {

/// Memory that starts on a cache line. From 2 MB on, the system is asked for pages of that size: looking up the
/// addresses of small ones takes a tenth of a large body's step.
void* allocate_array(std::size_t bytes);
void free_array(void* array, std::size_t bytes);

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_array(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { free_array(p, n * sizeof(T)); }
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
