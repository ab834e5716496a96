#include "pliant/core/error.hpp"
#include "pliant/solve/dense_kernels.hpp"

namespace pliant {

namespace v2 {
extern const DenseKernels dense_table;
}
namespace v3 {
extern const DenseKernels dense_table;
}
namespace v4 {
extern const DenseKernels dense_table;
}

const DenseKernels& dense_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::dense_table;
        case KernelLevel::v3: return v3::dense_table;
        case KernelLevel::v4: return v4::dense_table;
    }
    return v2::dense_table;
}

}  // namespace pliant
