#pragma once
// Numbers of a world that may be turned while it runs: what they are called, their units, and how far it is safe to go.

#include <string>
#include <vector>

#include "pliant/world/world.hpp"

namespace pliant {

struct Knob {
    std::string body;  ///< "" for the world's own
    std::string name;  ///< as a scene spells it: "young"
    std::string label;
    std::string unit;
    std::string doc;  ///< what happens when it is too large or too small
    double value = 0;
    double low = 0, high = 1;  ///< the safe range
    bool logarithmic = false;  ///< spans decades
};

/// All there are, in the order of the bodies.
std::vector<Knob> knobs(const World& w);

/// Sets one, kept within its range; regions of a body that are softer or denser than others stay so. False when there
/// is no such knob. Not part of the state that checkpoints carry.
bool turn(World& w, const std::string& body, const std::string& name, double value);

/// Does what is left of w.parameter_changes up to a time.
void apply_parameter_changes(World& w, double time);

}  // namespace pliant
