#include "pliant/core/error.hpp"
#include "pliant/particle/force_kernels.hpp"

namespace pliant {

namespace v2 {
extern const ParticleKernels particle_table;
}
namespace v3 {
extern const ParticleKernels particle_table;
}
namespace v4 {
extern const ParticleKernels particle_table;
}

const ParticleKernels& particle_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::particle_table;
        case KernelLevel::v3: return v3::particle_table;
        case KernelLevel::v4: return v4::particle_table;
    }
    return v2::particle_table;
}

}  // namespace pliant
