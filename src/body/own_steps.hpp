#pragma once
// What a body of finite elements holds when it takes explicit steps of its own inside the step of the world
// (body/explicit_step.hpp).

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/particle/touch.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

struct OwnSteps {
    double longest = 0;  ///< given by the user, s; 0: what is stable by the speed of waves

    std::vector<int> halvings;  ///< one number: the steps are 1/2ⁿ of that, because energy grew: state

    std::vector<ParticleTouch> touches;        ///< obstacles it may meet in this step; set before begin_step()
    std::vector<Vec3> x_trial, v_trial, mean;  ///< the end of the step; mean velocity without other bodies
    std::vector<Vec3> x_start;                 ///< before one of its steps, for touches
    std::vector<Vec3> free;                    ///< per node and axis: 0 where the motion is given, else 1
    std::vector<double> yields;                ///< [node][3] h/m or 0, for touches
    std::vector<char> touched;                 ///< per node, for touches
    std::vector<std::array<double, 6>> plastic_start;
    std::vector<std::vector<Vec3>> memory;  ///< Substep::array, of a step and of a look at the energy
    std::vector<double> sums;
    BlockSystem masses;  ///< what other bodies and hands act on
    std::uint64_t masses_revision = ~std::uint64_t{0};

    int steps = 0;    ///< in the last step of the world
    double step = 0;  ///< their length, s
    int cuts = 0;     ///< how often they were halved in it
};

}  // namespace pliant
