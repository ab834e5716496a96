#pragma once
// Which features of several surfaces may meet while they move from where they are to where they want to be.
//
// Surfaces are cut into patches. Those of different surfaces, or of pieces that move apart from each other, are found
// by boxes over their ways. Within one piece everything is seen from the piece as it moves along, and neighbouring
// patches are left out where strain alone shows that nothing of theirs can touch (surface_patches.hpp). Nothing is
// remembered from one search to the next but memory: the result depends on the positions alone.

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

struct SearchMotion {
    std::span<const Vec3> now, target;  ///< of all points, m
    double gap = 0;                     ///< pairs that come this near are wanted, m
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

    /// wanted(a, b), a ≤ b: surfaces that may touch each other, or themselves. Pairs in an order that does not depend
    /// on threads.
    template <class Wanted>
    void find(const SearchMotion& motion, const Wanted& wanted, std::vector<FeaturePair>& out, Threads& threads) {
        fit_boxes(motion, threads);
        jobs_.clear();
        const int count = static_cast<int>(surfaces_.size());
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b)
                if ((surfaces_[a].moves || surfaces_[b].moves) && swept_[a].overlaps(swept_[b]) && wanted(a, b))
                    pair_up(a, b, threads);
        for (int a = 0; a < count; ++a)
            if (surfaces_[a].with_itself && wanted(a, a)) pair_up_within(a, motion, threads);
        run_jobs(motion, out, threads);
    }

private:
    /// Boxes over the motion, in space or as seen from the piece that moves along.
    struct Frame {
        std::vector<Box> point, face, patch;
        std::vector<AabbTree> tree;  // per surface, over its patches
        std::vector<char> fitted;    // per surface
    };
    struct Job {
        int a, b;  // patches, in the numbering of all surfaces
        bool beside;
    };
    void find_motions(const SearchMotion& motion, Threads& threads);
    void fit_boxes(const SearchMotion& motion, Threads& threads);
    void fit_faces(Frame& frame, int surface, Threads& threads);
    AabbTree& tree_of(Frame& frame, int surface, Threads& threads);
    void pair_up(int a, int b, Threads& threads);
    void pair_up_within(int surface, const SearchMotion& motion, Threads& threads);
    void run_jobs(const SearchMotion& motion, std::vector<FeaturePair>& out, Threads& threads);
    void look_at(const Job& job, const SearchMotion& motion, std::vector<FeaturePair>& out) const;
    std::span<const int> faces_of(int patch) const;
    bool part_ways(const FeaturePair& pair, const SearchMotion& motion, bool beside) const;

    FeatureMesh mesh_;
    std::vector<SearchedSurface> surfaces_;
    std::vector<SurfacePatches> patches_;        // per surface
    std::vector<int> first_face_, first_patch_;  // per surface
    std::vector<int> part_;                      // per point
    std::vector<int> part_of_patch_, surface_of_patch_;
    std::vector<std::array<int, 2>> parts_of_;  // per surface: its range of parts
    std::vector<RigidMotion> motion_;           // per part
    std::vector<double> reach_;                 // per part: distance beside it below which its features count, m
    std::vector<Vec3> side_;                    // per point: target as seen from the part that moves along, m
    Frame space_, beside_;
    std::vector<Box> swept_;  // per surface
    std::vector<Job> jobs_;
    std::vector<std::vector<FeaturePair>> found_;
    std::vector<SurfacePatches::Fit> fit_;
};

}  // namespace pliant
