#include "pliant/solve/aligned.hpp"

#include <sys/mman.h>

#include <new>

namespace pliant {

namespace {

constexpr std::size_t large_page = 2 << 20;

std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes < large_page ? 64 : large_page}; }

}  // namespace

void* allocate_array(std::size_t bytes) {
    void* array = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
    // Whole pages only: what is left over would take memory that nobody uses.
    if (bytes >= large_page) madvise(array, bytes / large_page * large_page, MADV_HUGEPAGE);
#endif
    return array;
}

void free_array(void* array, std::size_t bytes) { ::operator delete(array, alignment(bytes)); }

}  // namespace pliant
