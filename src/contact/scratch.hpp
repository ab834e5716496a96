#pragma once
// What the contact solver keeps between steps to be quick, none of it state: trees, neighbourhoods, buffers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "pliant/contact/contact.hpp"
#include "pliant/contact/neighbourhood.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

/// A coarse picture of where a body's surface is: 16³ cells over its box. One look at it spares most vertices the walk
/// down the tree.
class Occupancy {
public:
    void clear(const Box& box) {
        low_ = box.min;
        scale_ = (16.0 / box.size().array().max(1e-300)).matrix();
        rows_.fill(0);
    }
    void mark(const Box& box) {
        const Range r = range(box);
        for (int z = r.low[2]; z <= r.high[2]; ++z)
            for (int y = r.low[1]; y <= r.high[1]; ++y) rows_[16 * z + y] |= r.mask();
    }
    bool any(const Box& box) const {
        const Range r = range(box);
        for (int z = r.low[2]; z <= r.high[2]; ++z)
            for (int y = r.low[1]; y <= r.high[1]; ++y)
                if (rows_[16 * z + y] & r.mask()) return true;
        return false;
    }

private:
    struct Range {
        int low[3], high[3];
        std::uint16_t mask() const { return static_cast<std::uint16_t>((2u << high[0]) - (1u << low[0])); }
    };
    // Places outside fall into the outermost cells; what is not a number into the first.
    Range range(const Box& box) const {
        Range r;
        for (int k = 0; k < 3; ++k) {
            r.low[k] = cell((box.min[k] - low_[k]) * scale_[k]);
            r.high[k] = cell((box.max[k] - low_[k]) * scale_[k]);
        }
        return r;
    }
    static int cell(double place) { return place >= 1 ? static_cast<int>(std::min(place, 15.0)) : 0; }

    Vec3 low_ = Vec3::Zero(), scale_ = Vec3::Zero();
    std::array<std::uint16_t, 256> rows_{};
};

/// Which piece of a broken body is where: 32³ cells over its box. Most vertices see from it that no other piece is
/// near.
class PieceMap {
public:
    void clear(const Box& box) {
        low_ = box.min;
        scale_ = (cells / box.size().array().max(1e-300)).matrix();
        piece_.assign(std::size_t(cells) * cells * cells, none);
    }
    void mark(const Box& box, int piece) {
        visit(*this, box, [&](int& cell) {
            cell = cell == none || cell == piece ? piece : several;
            return false;
        });
    }
    bool other(const Box& box, int own) const {
        return visit(*this, box, [&](int cell) { return cell != none && cell != own; });
    }

private:
    static constexpr int cells = 32, none = -2, several = -3;

    template <class Map, class Visit>
    static bool visit(Map& map, const Box& box, Visit&& at) {
        int low[3], high[3];
        for (int k = 0; k < 3; ++k)
            low[k] = cell((box.min[k] - map.low_[k]) * map.scale_[k]),
            high[k] = cell((box.max[k] - map.low_[k]) * map.scale_[k]);
        for (int z = low[2]; z <= high[2]; ++z)
            for (int y = low[1]; y <= high[1]; ++y)
                for (int x = low[0]; x <= high[0]; ++x)
                    if (at(map.piece_[(std::size_t(z) * cells + y) * cells + x])) return true;
        return false;
    }
    // Places outside fall into the outermost cells; what is not a number into the first.
    static int cell(double place) { return place >= 1 ? static_cast<int>(std::min(place, cells - 1.0)) : 0; }

    Vec3 low_ = Vec3::Zero(), scale_ = Vec3::Zero();
    std::vector<int> piece_;
};

struct BodyCache {
    std::uint64_t revision = 0;
    std::size_t points = 0, triangles = 0;
    bool known = false;

    Neighbourhood near;  ///< made when the body first comes near another
    AabbTree tree;       ///< over triangles swept through the step
    std::vector<Box> boxes;
    std::vector<Vec3> ends;  ///< predicted places of the vertices
    Occupancy occupancy;
    PieceMap pieces;  ///< of a broken body

    Box swept;  ///< of the step, grown by the search distance
    std::vector<int> obstacles, partners;
    bool paired = false;  ///< near another body
};

struct DetectJob {
    int body;
    std::size_t begin, end;
};

/// What a job found, and what its vertices can reach at all. Kept from step to step so that nothing is allocated.
struct JobResult {
    std::vector<Contact> contacts;
    std::vector<int> obstacles, partners;
};

/// Into an obstacle's own frame, where it does not move, from the world at the start and at the end of the step.
struct IntoObstacle {
    Pose start, end;

    /// Most obstacles stand as they were built; turning every vertex by nothing took a tenth of a step.
    static Vec3 apply(const Pose& pose, const Vec3& p) {
        const bool turned = pose.rotation.w() != 1 || !pose.rotation.vec().isZero(0);
        return turned ? Vec3(pose * p) : Vec3(p + pose.translation);
    }
};

struct ContactSolver::Scratch {
    std::vector<SurfaceView> views;
    std::vector<Obstacle> obstacles;
    std::vector<IntoObstacle> into;  ///< per obstacle
    std::vector<BodyCache> bodies;
    std::vector<int> order;
    std::vector<DetectJob> jobs;
    std::vector<JobResult> found;  ///< per job
};

/// Whether the obstacle may be met by something that stays in the box during the step.
bool in_reach(const Obstacle& obstacle, const Box& box);

/// Drops caches and anchors of bodies whose surface was edited.
void forget_changed_bodies(ContactSolver::Scratch& s, std::span<const SurfaceView> views,
                           std::vector<ContactAnchor>& anchors);

/// Boxes of the bodies' motion, and from them who comes near whom.
void find_pairs(ContactSolver::Scratch& s, std::span<const SurfaceView> views, std::span<const Obstacle> obstacles,
                const ContactOptions& options, const std::function<bool(int, int)>& handles, double dt,
                const Vec3& kick, Threads& threads);

/// Trees of the bodies that have partners.
void fit_trees(ContactSolver::Scratch& s, std::span<const SurfaceView> views, double dt, const Vec3& kick,
               Threads& threads);

}  // namespace pliant
