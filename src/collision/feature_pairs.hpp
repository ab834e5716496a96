#pragma once
// Which vertices and faces, and which edges and edges, may meet during a step: candidates for continuous detection,
// between bodies and within each, in an order that does not depend on threads.
//
// One box tree over the faces, with boxes over the whole motion. Every vertex and every edge belongs to one of its
// faces, so that each pair of features comes from one pair of faces and is found once.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pliant/collision/distance.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

/// The surfaces of all bodies in one numbering of points; made once per revision.
struct FeatureMesh {
    std::vector<Tri> faces;
    std::vector<std::array<int, 2>> edges;  ///< each once, ascending
    std::vector<int> body;                  ///< per point
    std::vector<int> first_point;           ///< per body, and the number of all points at the end

    /// Per face: its corners and sides (bits 0 to 2: corner k, and bits 3 to 5: side k to k + 1) that belong to it.
    std::vector<std::uint8_t> owns;
    std::vector<std::array<int, 3>> sides;  ///< per face: its edges
};

/// triangles[b] are those of body b, in its own numbering of point_counts[b] points.
FeatureMesh make_feature_mesh(std::span<const std::span<const Tri>> triangles, std::span<const int> point_counts);

struct FeaturePair {
    PairKind kind;
    int a, b;  ///< vertex and face, or two edges with a < b

    auto operator<=>(const FeaturePair&) const = default;
};

/// The four points of a pair, in the order that first_impact() wants.
std::array<int, 4> points_of(const FeatureMesh& mesh, const FeaturePair& pair);

struct FeaturePairOptions {
    double gap = 0;  ///< m: pairs that come this near are wanted
    double slack =
        0;  ///< m: found pairs stay valid while no point leaves its box by more; larger: more pairs, found less often
    bool within_bodies = true;                    ///< pairs of one body's features, too; those that share a point never
    std::function<bool(int, int)> excluded = {};  ///< pairs of bodies that do not count
    std::size_t max_pairs =
        50'000'000;  ///< bounds memory, 12 bytes each; more is an error that says so, never a shorter list
};

class FeaturePairFinder {
public:
    explicit FeaturePairFinder(FeatureMesh mesh);

    const FeatureMesh& mesh() const { return mesh_; }

    /// Ascending, valid until the next call. start, end: positions of all points at both ends of the step, m.
    std::span<const FeaturePair> find(std::span<const Vec3> start, std::span<const Vec3> end,
                                      const FeaturePairOptions& options, Threads& threads);

    /// True when the last find() used the pairs of an earlier one.
    bool reused() const { return reused_; }

private:
    struct Search;
    bool still_inside(std::span<const Vec3> start, std::span<const Vec3> end, double gap, Threads& threads) const;
    void refit(std::span<const Vec3> start, std::span<const Vec3> end, double margin, Threads& threads);

    void sort_parts(std::size_t total, Threads& threads);

    FeatureMesh mesh_;
    std::vector<Box> point_boxes_, face_boxes_;  // over the motion, grown by half of gap and slack
    AabbTree tree_;
    std::vector<AabbTree::Branches> shares_;       // of the work
    std::vector<std::vector<FeaturePair>> parts_;  // what each share found
    std::vector<std::uint32_t> place_;             // per vertex and edge: where its pairs go
    std::vector<FeaturePair> pairs_;
    double gap_ = -1, slack_ = -1;  // of the last search; negative: none
    bool reused_ = false;
};

}  // namespace pliant
