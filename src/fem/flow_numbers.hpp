#pragma once

namespace pliant {

/// Of the plastic flow of eight tets during a step, a lane each. See PlasticFlow in solid.hpp.
struct alignas(64) FlowNumbers {
    double limit[8];  ///< square of the norm of the elastic strain up to which nothing flows; below 0: always
    double yield[8];  ///< norm of the elastic strain where flow starts and, in laws that stop there, ends
    double share[8];  ///< of the elastic strain that becomes plastic; below 0: the law has to be called
    double max[8];    ///< largest norm of the plastic strain
};

}  // namespace pliant
