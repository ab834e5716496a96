#pragma once
// Which features of several surfaces may meet during a step. Each surface has trees of its own, so that what stays
// where it is costs nothing, what is far from everything is looked at only within itself, and that beside its mean
// motion.

#include <span>
#include <vector>

#include "pliant/collision/feature_pairs.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

/// How a surface takes part in a search.
struct SearchedSurface {
    bool moves = true;         ///< false: it stays for ever, and only what moves is looked for
    bool with_itself = false;  ///< pairs of its own features are wanted
    std::size_t triangles = 0;
};

struct SearchMotion {
    std::span<const Vec3> now, target;  ///< of all points, m
    /// The same as seen from surfaces that move along: the rigid motion of each since the last search is taken off.
    std::span<const Vec3> now_beside, target_beside;
    double gap = 0;  ///< pairs that come this near are wanted, m
    /// Per surface: points may leave their ways by so much, and pairs stay valid; among all surfaces, and within one. m
    std::span<const double> slack, slack_beside;
};

class ContactSearch {
public:
    ContactSearch() = default;
    ContactSearch(FeatureMesh mesh, std::vector<SearchedSurface> surfaces);

    const FeatureMesh& mesh() const { return mesh_; }
    bool empty() const { return mesh_.first_point.empty(); }

    /// The pairs found last still are all that may meet; among surfaces, and within one.
    bool still_valid(const SearchMotion& motion) const;
    bool still_valid_within(int surface, const SearchMotion& motion) const;

    /// wanted(a, b), a < b: surfaces that may touch each other. Pairs in an order that does not depend on threads.
    template <class Wanted>
    void find(const SearchMotion& motion, const Wanted& wanted, std::vector<FeaturePair>& out, Threads& threads) {
        fit_ways(motion, threads);
        pairs_.clear();
        const int count = static_cast<int>(surfaces_.size());
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b)
                if ((surfaces_[a].moves || surfaces_[b].moves) && swept_[a].overlaps(swept_[b]) && wanted(a, b))
                    pairs_.push_back({a, b});
        collect(out, threads);
    }
    /// Pairs of one surface's own features.
    void find_within(int surface, const SearchMotion& motion, std::vector<FeaturePair>& out, Threads& threads);

private:
    struct SurfacePair {
        int a, b;
    };
    void fit_ways(const SearchMotion& motion, Threads& threads);
    Box box_of_face(const std::vector<Box>& points, int f) const;
    std::span<const Box> faces_of(const std::vector<Box>& boxes, int surface) const;
    void run_jobs(std::vector<FeaturePair>& out, Threads& threads);
    void collect(std::vector<FeaturePair>& out, Threads& threads);
    void add_pairs_of(int f, int g, const std::vector<Box>& points, const std::vector<Box>& faces,
                      std::vector<FeaturePair>& out) const;

    FeatureMesh mesh_;
    std::vector<SearchedSurface> surfaces_;
    std::vector<int> first_face_;
    std::vector<Box> point_way_, face_way_;    // over the motion
    std::vector<Box> point_side_, face_side_;  // beside the drift of the surface
    std::vector<Box> swept_;                   // per surface
    std::vector<AabbTree> way_tree_, side_tree_;
    std::vector<char> fitted_;  // per surface: way_tree_ is up to date
    std::vector<SurfacePair> pairs_;
    struct Job {
        int pair;
        AabbTree::Branches branches;  // within a surface
        int begin, end;               // faces of the first surface
    };
    std::vector<Job> jobs_;
    std::vector<std::vector<FeaturePair>> found_;
    std::vector<AabbTree::Branches> shares_;
};

}  // namespace pliant
