#include "pliant/core/error.hpp"
#include "pliant/fem/element_kernels.hpp"
#include "pliant/fem/law_args.hpp"
#include "pliant/fem/row_kernels.hpp"
#include "pliant/fem/shell_kernels.hpp"
#include "pliant/fem/smoothing_kernels.hpp"

namespace pliant {

using FindPass = LawPass (*)(int place);

namespace v2 {
extern const ElementKernel element_kernel;
extern const RowKernels row_table;
extern const FindPass find_pass;
extern const SmoothKernels smooth_table;
extern const ShellKernels shell_table;
}  // namespace v2
namespace v3 {
extern const ElementKernel element_kernel;
extern const RowKernels row_table;
extern const FindPass find_pass;
extern const SmoothKernels smooth_table;
extern const ShellKernels shell_table;
}  // namespace v3
namespace v4 {
extern const ElementKernel element_kernel;
extern const RowKernels row_table;
extern const FindPass find_pass;
extern const SmoothKernels smooth_table;
extern const ShellKernels shell_table;
}  // namespace v4

ElementKernel element_kernel(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::element_kernel;
        case KernelLevel::v3: return v3::element_kernel;
        case KernelLevel::v4: return v4::element_kernel;
    }
    return v2::element_kernel;
}

const RowKernels& row_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::row_table;
        case KernelLevel::v3: return v3::row_table;
        case KernelLevel::v4: return v4::row_table;
    }
    return v2::row_table;
}

const SmoothKernels& smooth_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::smooth_table;
        case KernelLevel::v3: return v3::smooth_table;
        case KernelLevel::v4: return v4::smooth_table;
    }
    return v2::smooth_table;
}

const ShellKernels& shell_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::shell_table;
        case KernelLevel::v3: return v3::shell_table;
        case KernelLevel::v4: return v4::shell_table;
    }
    return v2::shell_table;
}

LawPass law_pass(KernelLevel level, int place) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    const FindPass find = level == KernelLevel::v4   ? v4::find_pass
                          : level == KernelLevel::v3 ? v3::find_pass
                                                     : v2::find_pass;
    const LawPass pass = find(place);
    CHECK(pass != nullptr, place);
    return pass;
}

}  // namespace pliant
