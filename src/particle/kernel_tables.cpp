#include "pliant/core/error.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace v2 {
extern const FaceKernels face_table;
extern const SpringKernels spring_table;
extern const Model2Kernels model2_table;
extern const Model3Kernels model3_table;
extern const MoveKernels move_table;
}  // namespace v2
namespace v3 {
extern const FaceKernels face_table;
extern const SpringKernels spring_table;
extern const Model2Kernels model2_table;
extern const Model3Kernels model3_table;
extern const MoveKernels move_table;
}  // namespace v3
namespace v4 {
extern const FaceKernels face_table;
extern const SpringKernels spring_table;
extern const Model2Kernels model2_table;
extern const Model3Kernels model3_table;
extern const MoveKernels move_table;
}  // namespace v4

ParticleKernels particle_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v4:
            return {v4::face_table, v4::spring_table, v4::model2_table, v4::model3_table, v4::move_table};
        case KernelLevel::v3:
            return {v3::face_table, v3::spring_table, v3::model2_table, v3::model3_table, v3::move_table};
        case KernelLevel::v2: break;
    }
    return {v2::face_table, v2::spring_table, v2::model2_table, v2::model3_table, v2::move_table};
}

}  // namespace pliant
