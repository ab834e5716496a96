#pragma once
// Which features of several surfaces may meet while they move from where they are to where they want to be.
//
// What belongs to one piece is seen from the piece: its way is a rigid motion, and straight lines in the frame that
// moves along. However it turns, features keep their distance unless it deforms. Features of different pieces go
// straight in space.
//
// Surfaces are cut into patches. Those of different pieces are found by boxes over their ways, those of one piece in
// the frame that moves along, where neighbouring patches are left out if strain alone shows that nothing of theirs can
// touch (surface_patches.hpp). Nothing is remembered from one search to the next but memory: the result depends on the
// positions alone.

#include <span>
#include <vector>

#include "pliant/collision/feature_pairs.hpp"
#include "pliant/contact/surface_patches.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

/// How a surface takes part in a search.
struct SearchedSurface {
    bool moves = true;         ///< false: it stays for ever, and only what moves is looked for
    bool with_itself = false;  ///< pairs of its own features are wanted
    std::size_t triangles = 0;
    double least = 0;  ///< features that are no farther apart at rest belong together, m
};

/// How a piece moves as a whole: target ≈ rotation · (now − from) + to.
struct RigidMotion {
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    Quat rotation = Quat::Identity();

    /// Where a point of the target is seen from the piece that has moved along.
    Vec3 back(const Vec3& x) const { return from + rotation.conjugate() * (x - to); }
};

class ContactSearch {
public:
    ContactSearch() = default;
    /// shape: all points at rest, or where they are for surfaces without; part: the piece of each point, −1 for what
    /// stays. Pieces move by shares of their own.
    ContactSearch(FeatureMesh mesh, std::vector<SearchedSurface> surfaces, std::span<const Vec3> shape,
                  std::span<const int> part, Threads& threads);

    const FeatureMesh& mesh() const { return mesh_; }
    bool empty() const { return mesh_.first_point.empty(); }
    int first_face(int surface) const { return first_face_[surface]; }
    /// The pieces that it was made for.
    const std::vector<int>& parts() const { return part_; }

    /// The way on which the next searches look: all points now and at its end, which must stay where they are in
    /// memory. `straight`: pieces do not turn on it, all goes straight in space.
    void follow(std::span<const Vec3> now, std::span<const Vec3> target, Threads& threads, bool straight = false);
    /// Ends of that way: of points of surfaces that may touch themselves as seen from their pieces, others as they are.
    std::span<const Vec3> side() const { return side_; }
    /// Per piece; those that do not touch themselves do not move.
    std::span<const RigidMotion> motions() const { return motion_; }

    /// Pairs of one piece that come as near as `gap`, m, and pairs of different ones, on all ways whose points stay
    /// within `slack`, m, of this one. Places of one piece may come nearer, to half of their distance at rest.
    /// wanted(a, b), a ≤ b: surfaces that may touch each other, or themselves. Pairs in an order that does not depend
    /// on threads.
    template <class Wanted>
    void find_within(double gap, double slack, const Wanted& wanted, std::vector<FeaturePair>& out, Threads& threads) {
        gap_ = gap + 2 * slack;
        jobs_.clear();
        for (int a = 0; a < static_cast<int>(surfaces_.size()); ++a)
            if (surfaces_[a].with_itself && wanted(a, a)) {
                fit_boxes(beside_, a, side_, threads);
                pair_up_within(a, slack, threads);
            }
        run_jobs(out, threads);
    }
    template <class Wanted>
    void find_between(double gap, double slack, const Wanted& wanted, std::vector<FeaturePair>& out, Threads& threads) {
        gap_ = gap + 2 * slack;
        jobs_.clear();
        const int count = static_cast<int>(surfaces_.size());
        for (int a = 0; a < count; ++a)
            if (surfaces_[a].moves || space_.tree[a].empty()) fit_boxes(space_, a, target_, threads);
        for (int a = 0; a < count; ++a) {
            if (surfaces_[a].with_itself && wanted(a, a)) pair_up_pieces(a, threads);
            for (int b = a + 1; b < count; ++b)
                if ((surfaces_[a].moves || surfaces_[b].moves) && swept_[a].overlaps(swept_[b]) && wanted(a, b))
                    pair_up(a, b, threads);
        }
        run_jobs(out, threads);
    }

private:
    /// Boxes over the ways, in space or as seen from the piece that moves along.
    struct Frame {
        std::vector<Box> point, face, patch;
        std::vector<AabbTree> tree;  // per surface, over its patches
        std::vector<char> fitted;    // per surface
    };
    struct Job {
        int a, b;  // patches, in the numbering of all surfaces
        bool beside;
    };
    void fit_boxes(Frame& frame, int surface, std::span<const Vec3> end, Threads& threads);
    AabbTree& tree_of(Frame& frame, int surface, Threads& threads);
    void pair_up(int a, int b, Threads& threads);
    void pair_up_pieces(int surface, Threads& threads);
    void pair_up_within(int surface, double slack, Threads& threads);
    void run_jobs(std::vector<FeaturePair>& out, Threads& threads);
    void look_at(const Job& job, std::vector<FeaturePair>& out) const;
    std::span<const int> faces_of(int patch) const;
    bool part_ways(const FeaturePair& pair, bool beside) const;

    FeatureMesh mesh_;
    std::vector<SearchedSurface> surfaces_;
    std::vector<SurfacePatches> patches_;        // per surface
    std::vector<int> first_face_, first_patch_;  // per surface
    std::vector<int> part_;                      // per point
    std::vector<int> part_of_patch_, surface_of_patch_;
    std::vector<std::array<int, 2>> parts_of_;  // per surface: its range of parts
    std::vector<RigidMotion> motion_;           // per part
    std::span<const Vec3> now_, target_;        // per point, m
    std::vector<Vec3> side_;                    // per point: target as seen from the part that moves along, m
    double gap_ = 0;                            // m: that is looked for, with the slack of both features
    Frame space_, beside_;
    std::vector<Box> swept_;  // per surface
    std::vector<Job> jobs_;
    std::vector<std::vector<FeaturePair>> found_;
    std::vector<SurfacePatches::Fit> fit_;
};

}  // namespace pliant
