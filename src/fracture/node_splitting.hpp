#pragma once
// A mesh while nodes of it are being split, one after the other; for the crack rule. What a split comes to is planned
// first, which changes nothing and takes nearly all of the time, so that several may be planned at once.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/fracture/crack_rule.hpp"

namespace pliant {

/// The split of one node, and what follows from it.
struct SplitPlan {
    int node = -1;    ///< −1: nothing comes apart
    double area = 0;  ///< of the faces that do, at rest, m²
    std::array<int, 4> order{};
    /// Stars that are divided, or looked at and found whole: the node's own, then those of the crack's ends.
    struct Star {
        int node, groups;
    };
    std::vector<Star> stars;
    std::vector<int> group;                  ///< per tet of each of them in turn
    std::vector<std::array<int, 2>> parted;  ///< pairs of tets
    std::vector<std::array<int, 2>> cuts;    ///< tet and face, both sides of each
    std::vector<int> looked_at;              ///< all nodes whose stars the plan depends on
};

/// What one thread needs for planning.
struct SplitScratch {
    std::vector<std::uint16_t> place;  ///< per tet, if it is in the star: where
    std::vector<char> side;            ///< per tet of the star: on which side of the plane
    std::vector<int> beside, group, stack, ends;
};

class NodeSplitting {
public:
    NodeSplitting(const TetMesh& mesh, std::span<const char> crack_tip, const KnownLinks& known);

    bool is_tip(int node) const { return tip_[node] != 0; }
    /// Its nodes as they are now.
    const Tet& tet(int t) const { return own_nodes_[t] < 0 ? mesh_.tets[t] : relinked_[own_nodes_[t]].nodes; }

    /// Asks for what plans for these nodes will read.
    void prefetch_stars(std::span<const int> nodes) const;
    /// Splits the first corner of a tet, in the given order, at which the plane with this normal parts anything.
    void plan(int t, const std::array<int, 4>& order, const Vec3& normal, SplitScratch& scratch, SplitPlan& out) const;
    /// Plans made before do not know about splits since then, and are good only if they had nothing to do with them.
    void forget_splits();
    bool is_good(const SplitPlan& plan) const;
    void split(const SplitPlan& plan);
    /// Whether a piece of less material than this (m³ at rest) would come off.
    bool sets_crumb_free(const SplitPlan& plan, double least_piece);

    CrackProposal proposal(std::vector<Crack> cracks) &&;

private:
    std::span<const unsigned> star(int node) const;
    const Vec3& rest(int node) const;
    int face_of(int t, int a, int b, int c) const;
    int find_groups(int node, bool by_side, SplitScratch& scratch, SplitPlan& out) const;
    void part(int node, std::span<const int> group, int groups);
    void mark(int t);

    const TetMesh& mesh_;
    const KnownLinks& known_;
    // Tets that got other nodes: per tet which of relinked_ it is, or −1.
    struct Relinked {
        int tet;
        Tet nodes;
    };
    std::vector<int> own_nodes_;
    std::vector<Relinked> relinked_;
    // Stars of nodes that were split, and of their copies: per node which of stars_ it has now, or −1; corners_ holds
    // those of all.
    std::vector<int> own_star_;
    std::vector<std::array<std::size_t, 2>> stars_;  // begin, size
    std::vector<unsigned> corners_;
    std::vector<unsigned char> cut_;  // per tet: a bit for each face that came apart
    std::vector<char> tip_;
    std::vector<int> parents_;
    std::vector<std::array<int, 2>> parted_;
    std::vector<unsigned> before_;
    std::vector<int> reached_;    // tets of a piece, in the order in which they were found
    std::vector<char> in_reach_;  // per tet
    // Since the last forget_splits(): tets with other nodes or faces, nodes that were split.
    std::vector<char> tet_changed_, node_changed_;
    std::vector<int> changed_tets_, changed_nodes_;
};

}  // namespace pliant
