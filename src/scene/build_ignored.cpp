// Who passes through whom.

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// As World::ignored numbers it.
int number_of_obstacle(const World& w, const std::string& name, const Where& where) {
    for (std::size_t i = 0; i < w.props.size(); ++i)
        if (w.props[i].name == name) return -1 - static_cast<int>(i);
    std::string known;
    for (const Prop& prop : w.props) known += (known.empty() ? "" : ", ") + prop.name;
    throw UserError("there is no obstacle '" + name + "'", where,
                    known.empty() ? "The scene has none" : "The scene has " + known);
}

}  // namespace

void add_ignored(World& w, const SceneDesc& desc) {
    const std::vector<int> numbers = body_numbers(desc);
    for (const IgnoreDesc& ignored : desc.ignored) {
        std::vector<int> members;
        for (int body : ignored.bodies) {
            members.push_back(numbers[static_cast<std::size_t>(body)]);
            if (members.back() >= solved_count(w))
                throw UserError("ignore is for fem, particle and shell bodies and obstacles, and '" +
                                    desc.bodies[static_cast<std::size_t>(body)].name + "' is a " +
                                    desc.bodies[static_cast<std::size_t>(body)].kind + " body",
                                ignored.where, "Leave it out; rigid bodies that a joint connects ignore each other");
        }
        for (const std::string& name : ignored.obstacles) members.push_back(number_of_obstacle(w, name, ignored.where));
        if (members.size() == 1) members.push_back(members[0]);
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t j = i + 1; j < members.size(); ++j)
                w.ignored.push_back({std::min(members[i], members[j]), std::max(members[i], members[j])});
    }
    std::sort(w.ignored.begin(), w.ignored.end());
}

}  // namespace pliant
