#pragma once
// A scene come alive: the world built from its description, moved on frame by frame with the scene's callbacks.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/scene/scene_program.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// How well the steps of a run were solved, since it was built or resumed.
struct RunAccuracy {
    double worst_residual = 0;  ///< relative
    // Of explicit bodies of finite elements.
    int most_own_steps = 0;        ///< inside one step of the world
    double shortest_own_step = 0;  ///< s; 0: there are none
    int own_cuts = 0;              ///< how often they were halved because energy grew
    std::int64_t missed = 0;       ///< solves above their tolerance
    std::int64_t cut = 0;          ///< steps that were repeated in parts
    std::int64_t limited = 0;      ///< steps whose motion barriers held back
    std::int64_t newton = 0;       ///< iterations of Newton's method beyond the first of each step
    double energy_gain = 0;        ///< J that bodies gained beyond the work done on them
};

/// The world that a description asks for. Its `warnings` hold what a user should know (repairs, odd sizes); `say` is
/// told beforehand of what takes a while. UserError for what would take longer than the scene's patience, or more
/// memory than there is (scene/cost.hpp).
std::unique_ptr<World> build_world(const SceneDesc& desc, int threads,
                                   const std::function<void(const std::string&)>& say = {});

/// For each body of the scene, its number in the world (world/bodies.hpp): kinds are kept apart there.
std::vector<int> body_numbers(const SceneDesc& desc);

class Simulation {
public:
    /// threads: how many work together; 0: one per core.
    /// say: is told beforehand of what takes a while to build.
    Simulation(std::unique_ptr<SceneProgram> scene, int threads,
               const std::function<void(const std::string&)>& say = {});
    template <std::derived_from<SceneProgram> Program>
    Simulation(Program scene, int threads, const std::function<void(const std::string&)>& say = {})
        : Simulation(std::make_unique<Program>(std::move(scene)), threads, say) {}
    Simulation(SceneDesc desc, int threads) : Simulation(DescribedScene(std::move(desc)), threads) {}
    ~Simulation();

    World& world() { return *world_; }
    const World& world() const { return *world_; }
    const SceneDesc& desc() const { return scene_->desc(); }
    /// What a user should know, of building and of the steps so far, each thing once.
    const Warnings& warnings() const { return world_->warnings; }
    int frames() const { return frame_count(desc().world); }  ///< after the one that shows the start
    int frame() const { return frame_; }                      ///< reached so far

    const RunAccuracy& accuracy() const { return accuracy_; }

    /// The steps up to the next frame, with on_step before each; `each_step` gets the report and the wall time (s).
    void advance(const std::function<void(const StepReport&, double seconds)>& each_step = {});

    /// The present frame: on_frame is called and the measures are taken. Bodies are left out where nobody will look.
    Frame show(bool bodies = true);

    /// What is known about a body, whatever its kind; `body` is its place in desc().bodies.
    const BodyQuery& query(int body) const { return *queries_.at(static_cast<std::size_t>(body)); }

    std::vector<ExpectOutcome> outcomes() { return scene_->outcomes(); }

    // All that changes, for checkpoints.
    std::string save() const;
    void restore(std::string_view bytes);

private:
    /// UserError when a body has gone beyond what numbers can hold.
    void check_finite(bool elastic) const;

    std::unique_ptr<SceneProgram> scene_;
    std::unique_ptr<World> world_;
    std::vector<std::unique_ptr<BodyQuery>> queries_;
    int frame_ = 0;
    RunAccuracy accuracy_;
};

}  // namespace pliant
