#include "pliant/solve/kernel_level.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "pliant/core/error.hpp"
#include "pliant/solve/coarse_kernels.hpp"
#include "pliant/solve/dense_kernels.hpp"
#include "pliant/solve/multigrid_kernels.hpp"
#include "pliant/solve/single_kernels.hpp"
#include "pliant/solve/solve_kernels.hpp"

namespace pliant {

namespace v2 {
extern const CoarseKernels coarse_table;
extern const DenseKernels dense_table;
extern const SingleKernels single_table;
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v2
namespace v3 {
extern const CoarseKernels coarse_table;
extern const DenseKernels dense_table;
extern const SingleKernels single_table;
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v3
namespace v4 {
extern const CoarseKernels coarse_table;
extern const DenseKernels dense_table;
extern const SingleKernels single_table;
extern const SolveKernels solve_table;
extern const MultigridKernels multigrid_table;
}  // namespace v4

namespace {

#ifdef __clang__
// Clang 14 does not know the levels by name. Every processor with these has the rest of its level, too.
bool supports_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma");
}
bool supports_v4() {
    return supports_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
bool supports_v3() { return __builtin_cpu_supports("x86-64-v3") != 0; }
bool supports_v4() { return __builtin_cpu_supports("x86-64-v4") != 0; }
#endif

}  // namespace

bool kernel_level_available(KernelLevel level) {
    switch (level) {
        case KernelLevel::v2: return true;
        case KernelLevel::v3: return supports_v3();
        case KernelLevel::v4: return supports_v4();
    }
    return false;
}

KernelLevel best_kernel_level() {
    static const KernelLevel best = [] {
        // For tests of whole programs: no better than this one.
        const char* asked = std::getenv("PLIANT_KERNELS");
        const std::string_view most = asked ? asked : "v4";
        if (most != "v2" && most != "v3" && most != "v4")
            throw UserError("the environment variable PLIANT_KERNELS is '" + std::string(most) + "'", {},
                            "Use v2, v3 or v4, or leave it away for the best that the machine has");
        for (const KernelLevel level : {KernelLevel::v4, KernelLevel::v3})
            if (kernel_level_available(level) && static_cast<int>(level) + 2 <= most[1] - '0') return level;
        return KernelLevel::v2;
    }();
    return best;
}

namespace {

template <class Table>
const Table& table_for(KernelLevel level, const Table& second, const Table& third, const Table& fourth) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    return level == KernelLevel::v4 ? fourth : level == KernelLevel::v3 ? third : second;
}

}  // namespace

const CoarseKernels& coarse_kernels(KernelLevel level) {
    return table_for(level, v2::coarse_table, v3::coarse_table, v4::coarse_table);
}

const DenseKernels& dense_kernels(KernelLevel level) {
    return table_for(level, v2::dense_table, v3::dense_table, v4::dense_table);
}

const SingleKernels& single_kernels(KernelLevel level) {
    return table_for(level, v2::single_table, v3::single_table, v4::single_table);
}

const SolveKernels& solve_kernels(KernelLevel level) {
    return table_for(level, v2::solve_table, v3::solve_table, v4::solve_table);
}

const MultigridKernels& multigrid_kernels(KernelLevel level) {
    return table_for(level, v2::multigrid_table, v3::multigrid_table, v4::multigrid_table);
}

}  // namespace pliant
