#include "pliant/fracture/crack_rule.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {

PrincipalStress largest_principal(const Stress6& s) {
    Mat3 matrix;
    matrix << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
    if (!matrix.allFinite()) return {};
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(matrix);
    return {eigen.eigenvalues()[2], eigen.eigenvectors().col(2)};
}

namespace {

/// The mesh while nodes are being split.
class Splitting {
public:
    Splitting(const TetMesh& mesh, std::span<const char> crack_tip) : mesh_(mesh), tets_(mesh.tets) {
        first_.assign(mesh.rest.size() + 1, 0);
        around_.resize(4 * mesh.tets.size());
        for (const Tet& tet : mesh.tets)
            for (int node : tet) ++first_[node + 1];
        for (std::size_t i = 0; i < mesh.rest.size(); ++i) first_[i + 1] += first_[i];
        std::vector<int> next(first_.begin(), first_.end() - 1);
        for (int t = 0; t < mesh.tet_count(); ++t)
            for (int node : mesh.tets[t]) around_[next[node]++] = t;
        tip_.assign(crack_tip.begin(), crack_tip.end());
        tip_.resize(mesh.rest.size(), 0);
    }

    bool is_tip(int node) const { return tip_[node] != 0; }
    const Tet& tet(int t) const { return tets_[t]; }

    /// Splits a node by the plane through it: the area that comes apart, or nothing when all that hangs on the node
    /// lies on one side.
    std::optional<double> split(int node, const Vec3& normal) {
        const Vec3 at = rest(node);
        std::vector<char> side;
        for (int t : star(node)) {
            Vec3 center = Vec3::Zero();
            for (int n : tets_[t]) center += 0.25 * (rest(n) - at);
            side.push_back(normal.dot(center) >= 0);
        }
        std::vector<std::array<int, 2>> parted;
        std::vector<int> ends;
        const std::vector<int> group = groups(node, side, &parted, &ends);
        if (parted.empty()) return std::nullopt;
        double area = 0;
        for (std::size_t i = 0; i < ends.size(); i += 2)
            area += 0.5 * (rest(ends[i]) - at).cross(rest(ends[i + 1]) - at).norm();
        tip_[node] = 0;
        part(node, group);
        parted_.insert(parted_.end(), parted.begin(), parted.end());
        // Where the new crack ends, no two tets may hang together by less than a face.
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        for (int end : ends) {
            const std::vector<int> around = groups(end, std::vector<char>(star(end).size(), 0), nullptr, nullptr);
            const bool through = *std::max_element(around.begin(), around.end()) > 0;
            tip_[end] = !through;
            if (through) part(end, around);
        }
        return area;
    }

    CrackProposal proposal(std::vector<Crack> cracks) && {
        CrackProposal p;
        for (int t = 0; t < mesh_.tet_count(); ++t)
            for (int a = 0; a < 4; ++a)
                if (tets_[t][a] != mesh_.tets[t][a]) p.relinks.push_back({t, mesh_.tets[t][a], tets_[t][a]});
        p.parents = std::move(parents_);
        p.parted = std::move(parted_);
        p.crack_tip = std::move(tip_);
        p.cracks = std::move(cracks);
        return p;
    }

private:
    /// The tets round a node, ascending.
    std::span<const int> star(int node) const {
        if (const auto changed = changed_star_.find(node); changed != changed_star_.end()) return changed->second;
        return std::span(around_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

    const Vec3& rest(int node) const {
        const int old = mesh_.node_count();
        return mesh_.rest[node < old ? node : parents_[node - old]];
    }

    /// Face-connected groups of the tets round a node that lie on the same side, numbered by their lowest tet. `parted`
    /// and `ends`: pairs that share a face across the sides, and the other two nodes of those faces.
    std::vector<int> groups(int node, const std::vector<char>& side, std::vector<std::array<int, 2>>* parted,
                            std::vector<int>* ends) const {
        const std::span<const int> star = this->star(node);
        std::vector<int> root(star.size());
        std::iota(root.begin(), root.end(), 0);
        auto find = [&](int i) {
            while (root[i] != i) i = root[i] = root[root[i]];
            return i;
        };
        std::map<std::array<int, 2>, int> first;  // face as its two other nodes → the tet of the star that had it
        for (int i = 0; i < static_cast<int>(star.size()); ++i) {
            std::array<int, 3> others;
            int count = 0;
            for (int n : tets_[star[i]])
                if (n != node) others[count++] = n;
            for (int k = 0; k < 3; ++k) {
                std::array<int, 2> face{others[k], others[(k + 1) % 3]};
                if (face[0] > face[1]) std::swap(face[0], face[1]);
                const auto [known, fresh] = first.try_emplace(face, i);
                if (fresh) continue;
                const int j = known->second;
                if (side[i] == side[j]) {
                    const int a = find(i), b = find(j);
                    root[std::max(a, b)] = std::min(a, b);
                } else if (parted) {
                    parted->push_back({star[j], star[i]});
                    ends->insert(ends->end(), face.begin(), face.end());
                }
            }
        }
        std::vector<int> number(star.size(), -1), group;
        int count = 0;
        for (int i = 0; i < static_cast<int>(star.size()); ++i) {
            const int r = find(i);
            if (number[r] < 0) number[r] = count++;
            group.push_back(number[r]);
        }
        return group;
    }

    /// Group 0 keeps the node, every other one gets a copy.
    void part(int node, const std::vector<int>& group) {
        const int count = 1 + *std::max_element(group.begin(), group.end());
        const int first = static_cast<int>(tip_.size());
        const std::span<const int> whole = star(node);
        const std::vector<int> before(whole.begin(), whole.end());
        tip_.resize(tip_.size() + count - 1, 0);
        const int origin = node < mesh_.node_count() ? node : parents_[node - mesh_.node_count()];
        parents_.insert(parents_.end(), count - 1, origin);
        changed_star_[node].clear();
        for (std::size_t i = 0; i < before.size(); ++i) {
            const int mine = group[i] == 0 ? node : first + group[i] - 1;
            changed_star_[mine].push_back(before[i]);
            std::replace(tets_[before[i]].begin(), tets_[before[i]].end(), node, mine);
        }
    }

    const TetMesh& mesh_;
    std::vector<Tet> tets_;
    std::vector<int> first_, around_;               // tets round each node of the mesh, ascending
    std::map<int, std::vector<int>> changed_star_;  // those of nodes that were split, and of their copies
    std::vector<char> tip_;
    std::vector<int> parents_;
    std::vector<std::array<int, 2>> parted_;
};

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
                             std::span<const char> crack_tip, const CrackOptions& options) {
    const std::size_t tets = mesh.tets.size();
    CHECK(stress.size() == tets && strength.size() == tets, stress.size(), strength.size(), tets);
    CHECK(crack_tip.empty() || crack_tip.size() == mesh.rest.size(), crack_tip.size(), mesh.rest.size());
    struct Overload {
        double ratio;
        int tet;
        bool operator<(const Overload& b) const { return ratio != b.ratio ? ratio < b.ratio : tet > b.tet; }
    };
    std::vector<Overload> overloads;
    for (std::size_t t = 0; t < tets; ++t) {
        const Stress6& s = stress[t];  // no eigenvalue is larger than the Frobenius norm
        const double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]);
        const bool tip = !crack_tip.empty() && std::any_of(mesh.tets[t].begin(), mesh.tets[t].end(),
                                                           [&](int node) { return crack_tip[node] != 0; });
        const double bears = tip ? options.propagation * strength[t] : strength[t];
        if (!(squares > bears * bears)) continue;
        const double most = largest_principal(s).size;
        if (most > bears) overloads.push_back({most / bears, static_cast<int>(t)});
    }
    if (overloads.empty()) return {};
    std::make_heap(overloads.begin(), overloads.end());  // only the first few are asked for

    Splitting splitting(mesh, crack_tip);
    std::vector<Crack> cracks;
    for (auto end = overloads.end(); end != overloads.begin() && static_cast<int>(cracks.size()) < options.splits;) {
        std::pop_heap(overloads.begin(), end--);
        const PrincipalStress most = largest_principal(stress[end->tet]);
        for (int corner : order_of_corners(splitting, end->tet, options)) {
            const int node = splitting.tet(end->tet)[corner];
            const std::optional<double> area = splitting.split(node, most.direction);
            if (!area) continue;
            cracks.push_back({end->tet, node, most.size, most.direction, *area});
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
