#pragma once
// Scripts of the simulator in Everts 2006 (listing 8.1) run as they are: its classes are defined in front of them, in
// terms of our verbs.

#include <optional>
#include <string>

namespace pliant::script {

/// The same script as a scene, line for line; none when it is not one of these.
std::optional<std::string> everts_scene(const std::string& text);

}  // namespace pliant::script
