// Replaces the allocation functions of this test program by counting ones: malloc and its kin themselves, which new and
// Eigen's matrices both end in. Sanitizers of addresses and threads have replacements of their own, and a hook to count
// at. In a file of its own, so that the compiler does not see through them.

#include "fem/allocation_count.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}  // namespace

// GCC and Clang say in different words that a sanitizer is at work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#ifndef SANITIZED

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
    ++allocations;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    ++allocations;
    return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
    ++allocations;
    return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t align, std::size_t size) {
    ++allocations;
    return __libc_memalign(align, size);
}
}

#else

extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) { ++allocations; }

#endif

namespace pliant {

long allocation_count() { return allocations; }

}  // namespace pliant
