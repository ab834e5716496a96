#pragma once
// A slot of a matrix packed to 16 bits: entries are whole numbers of 15 bits and a sign times a power of two of their
// block. Two share a word. The upper one is read with the lower one as its fraction, which saves masking and is allowed
// for when it is rounded.

namespace pliant {

struct alignas(32) PackedSlot {
    int pair[4][8];  ///< entries 0 and 1, 2 and 3, 4 and 5, 6 and 7, the even ones above
    int last[8];     ///< entry 8 above the exponent of the power of two, + 127
};

}  // namespace pliant
