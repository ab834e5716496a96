#pragma once
// What hands do to the running world, and the Lua lines that do it again.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pliant/world/hand.hpp"

namespace pliant {

/// Used on the simulation's thread only. The world's own drags, grips, pulls and heat sources come first in its lists;
/// the hand's are behind them and are put back after every change.
class StudioHand {
public:
    /// A spot that is held. Nodes of a body that breaks are split: the copies are held like the node they come from.
    struct Pinned {
        SurfacePoint point;
        Vec3 at;  ///< m
        double radius;
        std::vector<Grip> grips;
    };

    /// A new world: the hand lets go and forgets.
    void attach(World* world);

    // Each returns false when there is nothing to take hold of.
    /// Pulls the point to `target` on a spring; 0: as stiff as the body feels there.
    bool grab(const SurfacePoint& point, const Vec3& target, double stiffness);
    /// Holds the spot of `radius` round the point fast and carries it along, whatever force that takes. Of a modal body
    /// it is the point alone.
    bool hold(const SurfacePoint& point, const Vec3& target, double radius);
    void move_to(const Vec3& target);  ///< of what is in the hand, or where the heat is
    void set_stiffness(double newton_per_meter);
    void let_go();
    bool pin(const SurfacePoint& point, double radius);
    bool unpin(const SurfacePoint& point, double radius);
    void unpin_all();
    bool push(const SurfacePoint& point, double radius, const Vec3& newton);
    /// What came of warming: a body without heat was given some.
    enum class Warming { refused, begun, going };
    /// Warms what is round a place, which is on a body; 0 W: as much as that body needs to follow within a second.
    Warming heat(const std::string& body, const Vec3& at, double radius, double temperature, double power);
    void stop_heat();

    /// To be called after every step.
    void note_time();
    /// Time was set back: what was done later never happened, and what was held then is held again.
    void go_back(double time, std::vector<Pinned> pinned);

    std::optional<Vec3> held_point() const;  ///< where the point in the hand is now
    Vec3 target() const { return *target_; }
    double stiffness() const { return stiffness_; }
    const std::vector<Pinned>& pinned() const { return pinned_; }

    /// A knob was turned: for the record.
    void note_knob(const std::string& body, const std::string& name, double value);

    /// What was done so far, as lines for the end of the scene.
    std::string lua() const;

private:
    void put_back();
    /// What a grab and a hold have in common. False: there is nothing here.
    bool take(const SurfacePoint& point, const Vec3& target, double stiffness);
    bool free_if(const std::function<bool(const Pinned&)>& chosen);

    /// A node of a spot that was touched, as a scene names it.
    struct SpotNode {
        Vec3 start;  ///< where it was at time 0, m
        Vec3 moved;  ///< how far from there it was when it was touched, m
    };
    /// One thing done, for the record.
    struct Deed {
        enum class Kind { drag, lead, hold, pin, push, heat, knob };  ///< lead: a hold of a modal body
        Kind kind;
        std::string body;
        Vec3 start = Vec3::Zero();   ///< of the point, at time 0
        double from = 0, till = -1;  ///< s; till below from: not ended yet
        double number = 0;           ///< N/m, or a knob's value
        double radius = 0, temperature = 0;
        std::string name = {};
        std::vector<std::pair<double, Vec3>> path = {};  ///< end of a step, and what held in it: a place, way or force
        std::vector<SpotNode> spot = {};                 ///< of a hold, pin or push
    };
    std::vector<SpotNode> spot_of(int body, const std::vector<int>& nodes) const;
    std::vector<SpotNode> spot_of(const std::vector<Grip>& grips) const;

    World* world_ = nullptr;
    std::size_t own_drags_ = 0, own_grips_ = 0, own_pulls_ = 0, own_heat_ = 0;
    std::shared_ptr<Vec3> target_ = std::make_shared<Vec3>(Vec3::Zero());
    std::shared_ptr<Vec3> heat_at_ = std::make_shared<Vec3>(Vec3::Zero());
    double stiffness_ = 0;
    std::optional<Drag> drag_;                                              ///< what is in the hand
    std::vector<Grip> hold_;                                                ///< instead of the spring, if any
    std::shared_ptr<Vec3> carried_ = std::make_shared<Vec3>(Vec3::Zero());  ///< how far the held spot has come
    Vec3 held_from_ = Vec3::Zero();                                         ///< where the point was when it was taken
    std::optional<Pull> pull_;
    int push_steps_ = 0;
    std::optional<HeatSource> heat_;
    std::vector<Pinned> pinned_;
    std::vector<Deed> deeds_;
    std::vector<std::string> warmed_;  ///< bodies that were given heat, which stays theirs
    int open_drag_ = -1, open_heat_ = -1;
};

}  // namespace pliant
