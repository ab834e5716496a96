#pragma once
// The hot loops are compiled for three vector units (x86-64-v2, -v3, -v4); the machine decides which set runs.

namespace pliant {

enum class KernelLevel {
    v2,  ///< SSE4.2: any x86-64 of the last fifteen years
    v3,  ///< AVX2 and FMA
    v4,  ///< AVX-512
};

bool kernel_level_available(KernelLevel level);
KernelLevel best_kernel_level();

}  // namespace pliant
