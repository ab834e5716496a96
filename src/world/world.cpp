#include "pliant/world/world.hpp"

#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

World::World(int thread_count)
    : threads(std::make_unique<Threads>(thread_count)), scratch(std::make_unique<StepScratch>()) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

namespace {

/// A body was inserted at this number: those that had it or a higher one have one more now.
void make_room(World& w, int number) {
    const auto shift = [&](auto& list) {
        for (auto& one : list)
            if (one.body >= number) ++one.body;
    };
    for (auto& pair : w.ignored)
        for (int& one : pair)
            if (one >= number) ++one;
    shift(w.grips), shift(w.pulls), shift(w.drags), shift(w.surface_loads), shift(w.volume_loads);
    if (number < static_cast<int>(w.recorded.size())) w.recorded.insert(w.recorded.begin() + number, 0);
    w.contact.reset();
    w.touch.reset();
    w.modal_solver.set_anchors({});
    w.shown.clear();
}

}  // namespace

int add_body(World& w, FemBody body) {
    const int number = static_cast<int>(w.fem.size());
    w.fem.push_back(std::move(body));
    make_room(w, number);
    return number;
}

int add_body(World& w, ParticleBody body) {
    const int number = static_cast<int>(w.fem.size() + w.particles.size());
    w.particles.push_back(std::move(body));
    make_room(w, number);
    return number;
}

int add_body(World& w, ShellBody body) {
    const int number = solved_count(w);
    w.shells.push_back(std::move(body));
    make_room(w, number);
    return number;
}

int add_body(World& w, ModalBody body) {
    const int number = body_count(w), place = static_cast<int>(w.modal.size());
    w.modal.push_back(std::move(body));
    make_room(w, number);
    for (ModalJoint& joint : w.modal_joints)  // rigid bodies are numbered after the modal ones there
        if (joint.b >= place) ++joint.b;
    return number;
}

int add_body(World& w, RigidBody body) {
    w.rigid.bodies.push_back(std::move(body));
    w.shown.clear();
    return body_count(w) + static_cast<int>(w.rigid.bodies.size()) - 1;
}

bool ignores(const World& w, int a, int b) {
    return std::binary_search(w.ignored.begin(), w.ignored.end(), std::array{std::min(a, b), std::max(a, b)});
}

void record_contacts(World& w, int body) {
    const auto place = static_cast<std::size_t>(body);
    if (w.recorded.size() <= place) w.recorded.resize(place + 1, 0);
    w.recorded[place] = 1;
}

}  // namespace pliant
