#pragma once
// A scene as a simulation runs it: its description, its callbacks and measures, and whether they turned out as
// expected. Descriptions made in C++ are a DescribedScene; those made by a script keep the script alive beside them.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/scene/scene_desc.hpp"

namespace pliant {

struct World;

/// How an expectation turned out.
struct ExpectOutcome {
    std::string description;
    bool passed = false;
    std::string message;  ///< what was found, for people
    Where where;
};

class SceneProgram {
public:
    virtual ~SceneProgram() = default;
    SceneProgram() = default;
    SceneProgram(SceneProgram&&) = default;
    SceneProgram& operator=(SceneProgram&&) = default;

    virtual const SceneDesc& desc() const = 0;
    /// From now on `query` answers questions about the body at this place of desc().bodies. The query must outlive its
    /// use; nullptr ends it.
    virtual void connect(int /*body*/, const BodyQuery* /*query*/) {}

    // The scene's callbacks, in the order they were given.
    void step(double t, double dt);
    void frame(double t, int index);
    /// Evaluates all measures, and notes them for the expectations about them. Energies are those of `world`; none: 0.
    std::map<std::string, double> measure(const World* world = nullptr);
    /// To be called once, at the end.
    std::vector<ExpectOutcome> outcomes();

    /// All that callbacks change and what the expectations have seen, for checkpoints.
    std::string save_state() const;
    void restore_state(std::string_view bytes);

private:
    /// What callbacks remember between calls; nothing unless a scene overrides both.
    virtual void save_memory(ByteWriter& /*out*/) const {}
    virtual void restore_memory(ByteReader& /*in*/) {}

    /// What one expectation about a measure has seen.
    struct Seen {
        double last = std::numeric_limits<double>::quiet_NaN();
        double lowest = forever, highest = -forever;
        std::uint8_t undefined = 0;  ///< a value was not a number
    };
    std::vector<Seen> seen_;  ///< one per expectation, from the first measure on
};

/// Throws UserError, with the nearest name, when an expectation is about a measure that the scene does not have.
void check_expectations(const SceneDesc& desc);

/// A scene that is its description and nothing else. Its functions must not keep state of their own where checkpoints
/// are wanted.
class DescribedScene final : public SceneProgram {
public:
    explicit DescribedScene(SceneDesc desc) : desc_(std::move(desc)) { check_expectations(desc_); }
    const SceneDesc& desc() const override { return desc_; }

private:
    SceneDesc desc_;
};

}  // namespace pliant
