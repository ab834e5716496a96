#pragma once
// Places that are known some time before they are read. What breaks is scattered over a body, and memory answers many
// questions in the time of one: asking for all of them first spares most of the waiting.

namespace pliant {

/// Asks for an item, which may lie across two lines of the cache; there is no harm if it is never read.
template <class T>
void prefetch(const T& item) {
    __builtin_prefetch(&item);
    if constexpr (sizeof(T) > 8) __builtin_prefetch(reinterpret_cast<const char*>(&item) + (sizeof(T) - 1));
    asm volatile("");  // without it GCC takes a function that only prefetches for one that does nothing
}

}  // namespace pliant
