#include "pliant/fracture/crack_rule.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

PrincipalStress largest_principal(const Stress6& s) {
    Mat3 matrix;
    matrix << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
    if (!matrix.allFinite()) return {};
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(matrix);
    return {eigen.eigenvalues()[2], eigen.eigenvectors().col(2)};
}

namespace {

/// No principal stress is larger than the mean and √(2/3) of the norm of what deviates from it; a little more, so that
/// rounding does not count. In a bar that is pulled it is the bound.
double principal_bound(const Stress6& s) {
    const double mean = (s[0] + s[1] + s[2]) * (1.0 / 3);
    const double x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
    const double squares = x * x + y * y + z * z + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
    const double deviation = std::sqrt(2.0 / 3 * squares);
    return mean + deviation + 1e-9 * (std::abs(mean) + deviation);
}

/// The mesh while nodes are being split.
class Splitting {
public:
    Splitting(const TetMesh& mesh, std::span<const char> crack_tip, const KnownLinks& known)
        : mesh_(mesh), known_(known), cut_(mesh.tets.size(), 0), place_(mesh.tets.size()) {
        tip_.assign(crack_tip.begin(), crack_tip.end());
        tip_.resize(mesh.rest.size(), 0);
        own_star_.assign(mesh.rest.size(), -1);
        own_nodes_.assign(mesh.tets.size(), -1);
    }

    bool is_tip(int node) const { return tip_[node] != 0; }
    const Tet& tet(int t) const { return own_nodes_[t] < 0 ? mesh_.tets[t] : relinked_[own_nodes_[t]].nodes; }

    /// Splits a node by the plane through it: the area that comes apart, or nothing when all that hangs on the node
    /// lies on one side.
    std::optional<double> split(int node, const Vec3& normal) {
        const Vec3 at = rest(node);
        side_.clear();
        for (unsigned corner : star(node)) {
            Vec3 center = Vec3::Zero();  // copies are where their parents were
            for (int n : mesh_.tets[corner / 4]) center += 0.25 * (mesh_.rest[n] - at);
            side_.push_back(normal.dot(center) >= 0);
        }
        parted_here_.clear(), ends_.clear(), cuts_here_.clear();
        if (std::find(side_.begin(), side_.end(), !side_.front()) != side_.end()) find_groups(node);
        if (parted_here_.empty()) return std::nullopt;
        double area = 0;
        for (std::size_t i = 0; i < ends_.size(); i += 2)
            area += 0.5 * (rest(ends_[i]) - at).cross(rest(ends_[i + 1]) - at).norm();
        tip_[node] = 0;
        part(node);
        parted_.insert(parted_.end(), parted_here_.begin(), parted_here_.end());
        for (const auto& [t, face] : cuts_here_) cut_[t] |= static_cast<unsigned char>(1 << face);
        // Where the new crack ends, no two tets may hang together by less than a face.
        std::sort(ends_.begin(), ends_.end());
        ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
        for (int end :
             ends_)  // all at once: they are far from each other in memory, and waiting for them is most of it
            for (unsigned corner : star(end)) __builtin_prefetch(&known_.neighbours[corner / 4]);
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            const int end = ends_[i];
            side_.assign(star(end).size(), 0);
            const bool through = find_groups(end) > 1;
            tip_[end] = !through;
            if (through) part(end);
        }
        return area;
    }

    CrackProposal proposal(std::vector<Crack> cracks) && {
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

private:
    /// The tets round a node, ascending: 4·tet + corner.
    std::span<const unsigned> star(int node) const {
        if (own_star_[node] < 0) return known_.star(node);
        const auto [begin, size] = stars_[own_star_[node]];
        return std::span(corners_).subspan(begin, size);
    }

    const Vec3& rest(int node) const {
        const int old = mesh_.node_count();
        return mesh_.rest[node < old ? node : parents_[node - old]];
    }

    /// Which face of a tet has these three corners: the one opposite to the fourth.
    int face_of(int t, int a, int b, int c) const {
        const Tet& nodes = tet(t);
        int face = 0;
        while (nodes[face] == a || nodes[face] == b || nodes[face] == c) ++face;
        return face;
    }

    /// Fills group_: the face-connected groups of the tets round a node that lie on the same side_, numbered by their
    /// lowest tet; returns how many. Pairs that share a face across the sides are added to parted_here_, the other two
    /// nodes of those faces to ends_, the faces themselves to cuts_here_.
    int find_groups(int node) {
        const std::span<const unsigned> around = star(node);
        const int count = static_cast<int>(around.size());
        CHECK(count < 65536, count);
        for (int i = 0; i < count; ++i) place_[around[i] / 4] = static_cast<std::uint16_t>(i);
        // Across the three faces of each tet that hold the node there is another of these tets, or `count`: none.
        beside_.resize(3 * around.size());
        for (int i = 0; i < count; ++i) {
            const int t = static_cast<int>(around[i] / 4);
            const unsigned corner = around[i] % 4;
            for (unsigned k = 1; k < 4; ++k) {
                const unsigned face = (corner + (k > 1 ? k - 1 : 3)) % 4;
                const int other = cut_[t] >> face & 1 ? -1 : known_.neighbours[t][face];
                int j = other < 0 ? count : place_[other];
                if (j < count && side_[i] != side_[j]) {
                    if (j < i) {
                        const int from = tet(t)[(corner + k) % 4], to = tet(t)[(corner + (k < 3 ? k + 1 : 1)) % 4];
                        parted_here_.push_back({other, t});
                        ends_.push_back(std::min(from, to)), ends_.push_back(std::max(from, to));
                        cuts_here_.push_back({t, static_cast<int>(face)});
                        cuts_here_.push_back({other, face_of(other, node, from, to)});
                    }
                    j = count;
                }
                beside_[3 * i + k - 1] = j;
            }
        }
        int groups = 0;
        group_.assign(count + 1, -1);
        group_[count] = 0;
        stack_.resize(count + 1);
        for (int seed = 0; seed < count; ++seed) {
            if (group_[seed] >= 0) continue;
            group_[seed] = groups;
            int waiting = 0;
            stack_[waiting++] = seed;
            while (waiting > 0) {
                const int* beside = &beside_[3 * stack_[--waiting]];
                for (int k = 0; k < 3; ++k) {  // without branches: nobody could foretell them
                    const int j = beside[k], fresh = group_[j] < 0;
                    stack_[waiting] = j, waiting += fresh;
                    group_[j] = fresh ? groups : group_[j];
                }
            }
            ++groups;
        }
        group_.pop_back();
        return groups;
    }

    /// Group 0 keeps the node, every other one gets a copy.
    void part(int node) {
        const int count = 1 + *std::max_element(group_.begin(), group_.end());
        const int first = static_cast<int>(tip_.size());
        before_.assign(star(node).begin(), star(node).end());
        tip_.resize(tip_.size() + count - 1, 0);
        const int origin = node < mesh_.node_count() ? node : parents_[node - mesh_.node_count()];
        parents_.insert(parents_.end(), count - 1, origin);
        own_star_.resize(tip_.size());
        for (int g = 0; g < count; ++g) {
            const int mine = g == 0 ? node : first + g - 1;
            const std::size_t begin = corners_.size();
            for (std::size_t i = 0; i < before_.size(); ++i) {
                if (group_[i] != g) continue;
                corners_.push_back(before_[i]);
                if (g == 0) continue;
                const int t = static_cast<int>(before_[i] / 4);
                if (own_nodes_[t] < 0) {
                    own_nodes_[t] = static_cast<int>(relinked_.size());
                    relinked_.push_back({t, mesh_.tets[t]});
                }
                relinked_[own_nodes_[t]].nodes[before_[i] % 4] = mine;
            }
            own_star_[mine] = static_cast<int>(stars_.size());
            stars_.push_back({begin, corners_.size() - begin});
        }
    }

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

    // Scratch of one split.
    std::vector<std::uint16_t> place_;  // per tet, if it is in the star: where
    std::vector<char> side_;            // per tet of the star: on which side of the plane
    std::vector<int> beside_, group_, stack_, ends_;
    std::vector<unsigned> before_;
    std::vector<std::array<int, 2>> parted_here_, cuts_here_;
};

struct NodeStars {
    std::vector<unsigned> begin, corner;  // corner: 4·tet + a
    std::span<const unsigned> of(int node) const {
        return std::span(corner).subspan(begin[node], begin[node + 1] - begin[node]);
    }
};

NodeStars node_stars(const TetMesh& mesh) {
    NodeStars stars{std::vector<unsigned>(mesh.rest.size() + 1, 0), std::vector<unsigned>(4 * mesh.tets.size())};
    for (const Tet& tet : mesh.tets)
        for (int node : tet) ++stars.begin[node + 1];
    for (std::size_t i = 0; i < mesh.rest.size(); ++i) stars.begin[i + 1] += stars.begin[i];
    std::vector<unsigned> next(stars.begin.begin(), stars.begin.end() - 1);
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int a = 0; a < 4; ++a) stars.corner[next[mesh.tets[t][a]]++] = 4u * t + a;
    return stars;
}

/// The corners of an element in the order in which they are tried: crack tips before others, else by chance.
std::array<int, 4> order_of_corners(const Splitting& splitting, int tet, const CrackOptions& options) {
    std::array<int, 4> order{0, 1, 2, 3};
    Rng rng(options.seed, options.step * 0x100000001b3ULL + static_cast<std::uint64_t>(tet));
    for (int k = 3; k > 0; --k) std::swap(order[k], order[rng.below(k + 1)]);
    std::stable_partition(order.begin(), order.end(), [&](int k) { return splitting.is_tip(splitting.tet(tet)[k]); });
    return order;
}

}  // namespace

CrackProposal propose_cracks(const TetMesh& mesh, std::span<const Stress6> stress, std::span<const double> strength,
                             std::span<const char> crack_tip, const CrackOptions& options, KnownLinks known,
                             Threads* threads) {
    const std::size_t tets = mesh.tets.size();
    CHECK(stress.size() == tets && strength.size() == tets, stress.size(), strength.size(), tets);
    CHECK(crack_tip.empty() || crack_tip.size() == mesh.rest.size(), crack_tip.size(), mesh.rest.size());
    struct Overload {
        double ratio;  // of the largest principal stress to what the tet bears, or a bound of it
        int tet;
        int known;  // −1 where it is a bound, else which of `principal` is the stress
        bool operator<(const Overload& b) const { return ratio != b.ratio ? ratio < b.ratio : tet > b.tet; }
    };
    const auto bears = [&](int t) {
        const bool tip =
            options.propagation < 1 && !crack_tip.empty() &&
            std::any_of(mesh.tets[t].begin(), mesh.tets[t].end(), [&](int node) { return crack_tip[node] != 0; });
        return tip ? options.propagation * strength[t] : strength[t];
    };
    constexpr std::size_t at_once = 4096;
    std::vector<std::vector<Overload>> found((tets + at_once - 1) / at_once);
    const auto look = [&](std::size_t begin, std::size_t end) {
        std::vector<Overload>& out = found[begin / at_once];
        for (std::size_t t = begin; t < end; ++t) {
            const double bound = principal_bound(stress[t]);
            if (bound <= options.propagation * strength[t]) continue;
            const int tet = static_cast<int>(t);
            // What is no number comes first, and is sorted out then.
            const double ratio = bound / bears(tet);
            if (!(ratio <= 1)) out.push_back({std::isnan(ratio) ? HUGE_VAL : ratio, tet, -1});
        }
    };
    if (threads)
        parallel_for(*threads, tets, at_once, look);
    else
        for (std::size_t begin = 0; begin < tets; begin += at_once) look(begin, std::min(tets, begin + at_once));
    std::vector<Overload> overloads;
    for (const std::vector<Overload>& part : found) overloads.insert(overloads.end(), part.begin(), part.end());
    if (overloads.empty()) return {};
    std::make_heap(overloads.begin(), overloads.end());  // only the first few are asked for

    NodeStars stars;
    if (!known.star) {
        stars = node_stars(mesh);
        known.star = [&](int node) { return stars.of(node); };
    }
    std::vector<std::array<int, 4>> neighbours;
    if (known.neighbours.empty()) known.neighbours = neighbours = tet_neighbours(mesh.tets);
    Splitting splitting(mesh, crack_tip, known);
    std::vector<Crack> cracks;
    std::vector<PrincipalStress> principal;
    while (!overloads.empty() && static_cast<int>(cracks.size()) < options.splits) {
        std::pop_heap(overloads.begin(), overloads.end());
        const auto [ratio, tet, stress_known] = overloads.back();
        overloads.pop_back();
        if (stress_known < 0) {  // its place among the others is found only now, because eigenvalues are dear
            const PrincipalStress found_now = largest_principal(stress[tet]);
            if (!(found_now.size > bears(tet))) continue;
            overloads.push_back({found_now.size / bears(tet), tet, static_cast<int>(principal.size())});
            std::push_heap(overloads.begin(), overloads.end());
            principal.push_back(found_now);
            continue;
        }
        const PrincipalStress& most = principal[stress_known];
        for (int corner : order_of_corners(splitting, tet, options)) {
            const int node = splitting.tet(tet)[corner];
            const std::optional<double> area = splitting.split(node, most.direction);
            if (!area) continue;
            cracks.push_back({tet, node, most.size, most.direction, *area});
            break;
        }
    }
    if (cracks.empty()) return {};
    return std::move(splitting).proposal(std::move(cracks));
}

MeshEdit mesh_edit(const TetMesh& mesh, const CrackProposal& proposal) {
    MeshEdit edit;
    for (int parent : proposal.parents) edit.new_nodes.push_back({{{parent, 1.0}}});
    for (const Relink& link : proposal.relinks) {
        if (edit.relinked.empty() || edit.relinked.back().tet != link.tet)
            edit.relinked.push_back({link.tet, mesh.tets[link.tet]});
        Tet& nodes = edit.relinked.back().nodes;
        std::replace(nodes.begin(), nodes.end(), link.old_node, link.new_node);
    }
    return edit;
}

void apply(TetMesh& mesh, const CrackProposal& proposal) {
    for (int parent : proposal.parents) mesh.rest.push_back(mesh.rest[parent]);
    for (const Relink& link : proposal.relinks)
        std::replace(mesh.tets[link.tet].begin(), mesh.tets[link.tet].end(), link.old_node, link.new_node);
    if (!proposal.empty()) ++mesh.revision;
}

std::vector<double> flawed_strength(std::span<const double> strength, double noise, std::uint64_t seed) {
    CHECK(noise >= 0 && noise < 1, noise);
    std::vector<double> flawed(strength.begin(), strength.end());
    for (std::size_t t = 0; t < flawed.size(); ++t) flawed[t] *= 1 + noise * Rng(seed, t + 1).uniform(-1, 1);
    return flawed;
}

}  // namespace pliant
