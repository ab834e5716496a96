// The list of integrators: a new one is a file with its definition and a line in each of the two lists here.

#include <algorithm>

#include "pliant/body/integrator.hpp"

namespace pliant {

extern const Integrator implicit_euler_integrator;
extern const Integrator bdf2_integrator;
extern const Integrator newmark_integrator;
extern const Integrator symplectic_euler_integrator;
extern const Integrator taylor2_integrator;

std::span<const Integrator* const> integrators() {
    static constexpr const Integrator* list[] = {
        &implicit_euler_integrator,    // two_step.cpp
        &bdf2_integrator,              // two_step.cpp
        &newmark_integrator,           // newmark.cpp
        &symplectic_euler_integrator,  // symplectic_euler.cpp
        &taylor2_integrator,           // taylor2.cpp
    };
    return list;
}

const Integrator* find_integrator(std::string_view name) {
    const auto all = integrators();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Integrator* i) { return i->name == name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace pliant
