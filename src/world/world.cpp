#include "pliant/world/world.hpp"

#include "pliant/world/step_stages.hpp"

namespace pliant {

World::World(int thread_count)
    : threads(std::make_unique<Threads>(thread_count)), scratch(std::make_unique<StepScratch>()) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

}  // namespace pliant
