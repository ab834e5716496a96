#include "pliant/solve/kernel_level.hpp"

#include "pliant/core/error.hpp"
#include "pliant/solve/multigrid_kernels.hpp"
#include "pliant/solve/solve_kernels.hpp"

namespace pliant {

namespace v2 {
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v2
namespace v3 {
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v3
namespace v4 {
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v4

bool kernel_level_available(KernelLevel level) {
    switch (level) {
        case KernelLevel::v2: return true;
        case KernelLevel::v3: return __builtin_cpu_supports("x86-64-v3") != 0;
        case KernelLevel::v4: return __builtin_cpu_supports("x86-64-v4") != 0;
    }
    return false;
}

KernelLevel best_kernel_level() {
    if (kernel_level_available(KernelLevel::v4)) return KernelLevel::v4;
    return kernel_level_available(KernelLevel::v3) ? KernelLevel::v3 : KernelLevel::v2;
}

const SolveKernels& solve_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::solve_table;
        case KernelLevel::v3: return v3::solve_table;
        case KernelLevel::v4: return v4::solve_table;
    }
    return v2::solve_table;
}

const MultigridKernels& multigrid_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::multigrid_table;
        case KernelLevel::v3: return v3::multigrid_table;
        case KernelLevel::v4: return v4::multigrid_table;
    }
    return v2::multigrid_table;
}

}  // namespace pliant
