#include "pliant/fracture/node_splitting.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/core/prefetch.hpp"

namespace pliant {

NodeSplitting::NodeSplitting(const TetMesh& mesh, std::span<const char> crack_tip, const KnownLinks& known)
    : mesh_(mesh),
      known_(known),
      own_nodes_(mesh.tets.size(), -1),
      own_star_(mesh.rest.size(), -1),
      cut_(mesh.tets.size(), 0),
      tip_(crack_tip.begin(), crack_tip.end()),
      tet_changed_(mesh.tets.size(), 0),
      node_changed_(mesh.rest.size(), 0) {
    tip_.resize(mesh.rest.size(), 0);
}

/// The tets round a node, ascending: 4·tet + corner.
std::span<const unsigned> NodeSplitting::star(int node) const {
    if (own_star_[node] < 0) return known_.star(node);
    const auto [begin, size] = stars_[own_star_[node]];
    return std::span(corners_).subspan(begin, size);
}

const Vec3& NodeSplitting::rest(int node) const {
    const int old = mesh_.node_count();
    return mesh_.rest[node < old ? node : parents_[node - old]];
}

/// Which face of a tet has these three corners: the one opposite to the fourth.
int NodeSplitting::face_of(int t, int a, int b, int c) const {
    const Tet& nodes = tet(t);
    int face = 0;
    while (nodes[face] == a || nodes[face] == b || nodes[face] == c) ++face;
    return face;
}

void NodeSplitting::prefetch_stars(std::span<const int> nodes) const {
    for (int node : nodes)
        for (std::span<const unsigned> around = star(node); !around.empty();) {
            prefetch(around.front());
            around = around.subspan(std::min<std::size_t>(16, around.size()));
        }
    for (int node : nodes)
        for (unsigned of : star(node)) prefetch(mesh_.tets[of / 4]), prefetch(known_.neighbours[of / 4]);
    for (int node : nodes)
        for (unsigned of : star(node))
            for (int n : mesh_.tets[of / 4]) prefetch(mesh_.rest[n]);
}

void NodeSplitting::plan(int t, const std::array<int, 4>& order, const Vec3& normal, SplitScratch& scratch,
                         SplitPlan& out) const {
    scratch.place.resize(mesh_.tets.size());
    out.node = -1, out.order = order;
    out.stars.clear(), out.group.clear(), out.parted.clear(), out.cuts.clear(), out.looked_at.clear();
    for (int corner : order) {
        const int node = tet(t)[corner];
        const Vec3 at = rest(node);
        out.looked_at.push_back(node);
        scratch.side.clear(), scratch.ends.clear();
        for (unsigned of : star(node)) {
            Vec3 center = Vec3::Zero();  // copies are where their parents were
            for (int n : mesh_.tets[of / 4]) center += 0.25 * (mesh_.rest[n] - at);
            scratch.side.push_back(normal.dot(center) >= 0);
        }
        if (std::find(scratch.side.begin(), scratch.side.end(), !scratch.side.front()) == scratch.side.end()) continue;
        const int groups = find_groups(node, true, scratch, out);
        if (out.parted.empty()) continue;
        out.node = node, out.area = 0;
        std::vector<int>& ends = scratch.ends;
        for (std::size_t i = 0; i < ends.size(); i += 2)
            out.area += 0.5 * (rest(ends[i]) - at).cross(rest(ends[i + 1]) - at).norm();
        const auto keep = [&](int of, int count) {
            out.stars.push_back({of, count});
            out.group.insert(out.group.end(), scratch.group.begin(), scratch.group.end());
        };
        keep(node, groups);
        // Where the new crack ends, no two tets may hang together by less than a face.
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        for (int end : ends)  // all at once: they are far from each other in memory, and waiting for them is most of it
            for (unsigned of : star(end)) prefetch(known_.neighbours[of / 4]);
        for (int end : ends) {
            out.looked_at.push_back(end);
            keep(end, find_groups(end, false, scratch, out));
        }
        return;
    }
}

/// Fills scratch.group: the face-connected groups of the tets round a node, numbered by their lowest tet; returns how
/// many. `by_side`: only those on the same scratch.side are together; pairs that share a face across the sides are
/// added to out.parted, their faces to out.cuts, the other two nodes of those to scratch.ends. Otherwise out.cuts count
/// as done.
int NodeSplitting::find_groups(int node, bool by_side, SplitScratch& scratch, SplitPlan& out) const {
    auto& [place, side, beside, group, stack, ends] = scratch;
    const std::span<const unsigned> around = star(node);
    const int count = static_cast<int>(around.size());
    CHECK(count < 65536, count);
    for (int i = 0; i < count; ++i) place[around[i] / 4] = static_cast<std::uint16_t>(i);
    // Across the three faces of each tet that hold the node there is another of these tets, or `count`: none.
    beside.resize(3 * around.size());
    for (int i = 0; i < count; ++i) {
        const int t = static_cast<int>(around[i] / 4);
        const unsigned corner = around[i] % 4, cuts = cut_[t];
        const std::array<int, 4>& across = known_.neighbours[t];
        for (unsigned k = 0; k < 3; ++k) {
            const unsigned face = (corner + (k > 0 ? k : 3)) % 4;
            const int other = across[face] | -static_cast<int>(cuts >> face & 1);  // −1 where it was cut
            int j = other < 0 ? count : place[other];
            if (by_side && j < count && side[i] != side[j]) {
                if (j < i) {
                    const int from = tet(t)[(corner + 1 + k) % 4], to = tet(t)[(corner + 1 + (k + 1) % 3) % 4];
                    out.parted.push_back({other, t});
                    ends.push_back(std::min(from, to)), ends.push_back(std::max(from, to));
                    out.cuts.push_back({t, static_cast<int>(face)});
                    out.cuts.push_back({other, face_of(other, node, from, to)});
                }
                j = count;
            }
            beside[3 * i + k] = j;
        }
    }
    if (!by_side)
        for (const auto& [t, face] : out.cuts) {
            const int i = place[t];
            if (i >= count || static_cast<int>(around[i] / 4) != t) continue;
            const unsigned k = (face - around[i]) % 4;  // faces from the corner on; 0 does not hold the node
            if (k > 0) beside[3 * i + k % 3] = count;
        }
    int groups = 0;
    group.assign(count + 1, -1);
    group[count] = 0;
    stack.resize(count + 1);
    for (int seed = 0; seed < count; ++seed) {
        if (group[seed] >= 0) continue;
        group[seed] = groups;
        int waiting = 0;
        stack[waiting++] = seed;
        while (waiting > 0) {
            const int* next = &beside[3 * stack[--waiting]];
            for (int k = 0; k < 3; ++k) {  // without branches: nobody could foretell them
                const int j = next[k], fresh = group[j] < 0;
                stack[waiting] = j, waiting += fresh;
                group[j] = fresh ? groups : group[j];
            }
        }
        ++groups;
    }
    group.pop_back();
    return groups;
}

void NodeSplitting::forget_splits() {
    for (int t : changed_tets_) tet_changed_[t] = 0;
    for (int n : changed_nodes_) node_changed_[n] = 0;
    changed_tets_.clear(), changed_nodes_.clear();
}

bool NodeSplitting::is_good(const SplitPlan& plan) const {
    for (int node : plan.looked_at) {
        if (node_changed_[node]) return false;
        for (unsigned corner : star(node))
            if (tet_changed_[corner / 4]) return false;
    }
    return true;
}

void NodeSplitting::mark(int t) {
    if (tet_changed_[t]) return;
    tet_changed_[t] = 1, changed_tets_.push_back(t);
}

void NodeSplitting::split(const SplitPlan& plan) {
    for (const auto& [t, face] : plan.cuts) cut_[t] |= static_cast<unsigned char>(1 << face), mark(t);
    parted_.insert(parted_.end(), plan.parted.begin(), plan.parted.end());
    std::size_t at = 0;
    for (const auto& [node, groups] : plan.stars) {
        const std::size_t size = star(node).size();
        tip_[node] = node != plan.node && groups == 1;  // a crack ends here
        if (groups > 1) part(node, std::span(plan.group).subspan(at, size), groups);
        at += size;
    }
}

bool NodeSplitting::sets_crumb_free(const SplitPlan& plan, double least_piece) {
    in_reach_.resize(mesh_.tets.size(), 0);
    const auto parted_now = [&](int t, int face) {
        return std::find(plan.cuts.begin(), plan.cuts.end(), std::array<int, 2>{t, face}) != plan.cuts.end();
    };
    /// Whether there is enough material on this side, by way of faces that hold.
    const auto enough_round = [&](int from) {
        reached_.assign(1, from), in_reach_[from] = 1;
        double material = 0;
        for (std::size_t i = 0; i < reached_.size() && material < least_piece; ++i) {
            const int t = reached_[i];
            material += signed_volume(mesh_.rest, mesh_.tets[t]) * (known_.share.empty() ? 1 : known_.share[t]);
            for (int face = 0; face < 4; ++face) {
                const int other = known_.neighbours[t][face];
                if (other < 0 || in_reach_[other] || (cut_[t] >> face & 1) || parted_now(t, face)) continue;
                reached_.push_back(other), in_reach_[other] = 1;
            }
        }
        for (int t : reached_) in_reach_[t] = 0;
        return material >= least_piece;
    };
    return !std::all_of(plan.cuts.begin(), plan.cuts.end(), [&](const auto& cut) { return enough_round(cut[0]); });
}

/// Group 0 keeps the node, every other one gets a copy.
void NodeSplitting::part(int node, std::span<const int> group, int groups) {
    const int first = static_cast<int>(tip_.size());
    before_.assign(star(node).begin(), star(node).end());
    const int origin = node < mesh_.node_count() ? node : parents_[node - mesh_.node_count()];
    parents_.insert(parents_.end(), groups - 1, origin);
    tip_.resize(tip_.size() + groups - 1, 0);
    own_star_.resize(tip_.size()), node_changed_.resize(tip_.size(), 0);
    if (!node_changed_[node]) node_changed_[node] = 1, changed_nodes_.push_back(node);
    for (int g = 0; g < groups; ++g) {
        const int mine = g == 0 ? node : first + g - 1;
        const std::size_t begin = corners_.size();
        for (std::size_t i = 0; i < before_.size(); ++i) {
            if (group[i] != g) continue;
            corners_.push_back(before_[i]);
            if (g == 0) continue;
            const int t = static_cast<int>(before_[i] / 4);
            if (own_nodes_[t] < 0) {
                own_nodes_[t] = static_cast<int>(relinked_.size());
                relinked_.push_back({t, mesh_.tets[t]});
            }
            relinked_[own_nodes_[t]].nodes[before_[i] % 4] = mine;
            mark(t);
        }
        own_star_[mine] = static_cast<int>(stars_.size());
        stars_.push_back({begin, corners_.size() - begin});
    }
}

CrackProposal NodeSplitting::proposal(std::vector<Crack> cracks) && {
    CrackProposal p;
    std::sort(relinked_.begin(), relinked_.end(), [](const auto& a, const auto& b) { return a.tet < b.tet; });
    for (const auto& [t, nodes] : relinked_)
        for (int a = 0; a < 4; ++a)
            if (nodes[a] != mesh_.tets[t][a]) p.relinks.push_back({t, mesh_.tets[t][a], nodes[a]});
    p.parents = std::move(parents_);
    p.parted = std::move(parted_);
    p.crack_tip = std::move(tip_);
    p.cracks = std::move(cracks);
    return p;
}

}  // namespace pliant
