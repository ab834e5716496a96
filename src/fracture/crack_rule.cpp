#include "pliant/fracture/crack_rule.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fracture/node_splitting.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

PrincipalStress largest_principal(const Stress6& s) {
    const Mat3 matrix = symmetric_matrix(s);
    if (!matrix.allFinite()) return {};
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(matrix);
    return {eigen.eigenvalues()[2], eigen.eigenvectors().col(2)};
}

namespace {

/// No principal stress is larger than the mean and √(2/3) of the norm of what deviates from it; a little more, so that
/// rounding does not count. In a bar that is pulled it is the bound.
struct PrincipalBound {
    double mean, square;  // of the deviation

    explicit PrincipalBound(const Stress6& s) : mean((s[0] + s[1] + s[2]) * (1.0 / 3)) {
        const double x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
        square = 2.0 / 3 * (x * x + y * y + z * z + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
        mean += 1e-9 * std::abs(mean);
    }
    double size() const { return mean + (1 + 1e-9) * std::sqrt(square); }
    /// For most elements: without a root. False where something is no number.
    bool is_below(double limit) const {
        const double left = limit - mean;
        return (left >= 0) & ((1 + 4e-9) * square <= left * left);
    }
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
std::array<int, 4> order_of_corners(const NodeSplitting& splitting, int tet, const CrackOptions& options) {
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
    constexpr std::size_t at_once = 2048;
    // Heaps, because only the first few are asked for.
    std::vector<std::vector<Overload>> found((tets + at_once - 1) / at_once);
    const auto look = [&](std::size_t begin, std::size_t end) {
        // First, without branches that nobody could foretell, those that are worth a root.
        std::array<int, at_once> worth;
        std::size_t count = 0;
        for (std::size_t t = begin; t < end; ++t) {
            worth[count] = static_cast<int>(t);
            count += !PrincipalBound(stress[t]).is_below(options.propagation * strength[t]);
        }
        if (count == 0) return;
        std::vector<Overload>& out = found[begin / at_once];
        out.reserve(count);
        for (int tet : std::span(worth).first(count)) {
            // What is no number comes first, and is sorted out then.
            const double ratio = PrincipalBound(stress[tet]).size() / bears(tet);
            if (!(ratio <= 1)) out.push_back({std::isnan(ratio) ? HUGE_VAL : ratio, tet, -1});
        }
        std::make_heap(out.begin(), out.end());
    };
    if (threads)
        parallel_for(*threads, tets, at_once, look);
    else
        for (std::size_t begin = 0; begin < tets; begin += at_once) look(begin, std::min(tets, begin + at_once));
    std::erase_if(found, [](const std::vector<Overload>& part) { return part.empty(); });
    if (found.empty()) return {};

    NodeStars stars;
    if (!known.star) {
        stars = node_stars(mesh);
        known.star = [&](int node) { return stars.of(node); };
    }
    std::vector<std::array<int, 4>> neighbours;
    if (known.neighbours.empty()) known.neighbours = neighbours = tet_neighbours(mesh.tets);
    std::vector<PrincipalStress> principal;
    const auto take_overload = [&]() -> std::optional<Overload> {
        for (;;) {
            std::vector<Overload>* first = nullptr;
            for (std::vector<Overload>& part : found)
                if (!part.empty() && (!first || first->front() < part.front())) first = &part;
            if (!first) return std::nullopt;
            std::pop_heap(first->begin(), first->end());
            const Overload last = first->back();
            first->pop_back();
            if (last.known >= 0) return last;
            // Its place among the others is found only now, because eigenvalues are dear.
            const PrincipalStress most = largest_principal(stress[last.tet]);
            if (!(most.size > bears(last.tet))) continue;
            first->push_back({most.size / bears(last.tet), last.tet, static_cast<int>(principal.size())});
            std::push_heap(first->begin(), first->end());
            principal.push_back(most);
        }
    };

    NodeSplitting splitting(mesh, crack_tip, known);
    std::vector<Crack> cracks;
    struct Attempt {
        int tet;
        PrincipalStress most;
    };
    // Several at a time, so that what they read can be asked for ahead. Where there are enough, threads plan them
    // together; the few plans that earlier ones of these spoil are made anew.
    constexpr std::size_t most_at_once = 32, worth_sharing = 16;
    std::vector<Attempt> attempts(most_at_once);
    std::vector<SplitPlan> plans(threads && threads->count() > 1 ? most_at_once : 1);
    std::vector<SplitScratch> scratch(threads ? threads->count() : 1);
    std::vector<int> nodes;
    const auto plan = [&](const Attempt& of, SplitScratch& with, SplitPlan& out) {
        splitting.plan(of.tet, order_of_corners(splitting, of.tet, options), of.most.direction, with, out);
    };
    while (static_cast<int>(cracks.size()) < options.splits) {
        const std::size_t most = std::min(attempts.size(), options.splits - cracks.size());
        std::size_t count = 0;
        while (count < most) {
            const std::optional<Overload> next = take_overload();
            if (!next) break;
            attempts[count].tet = next->tet, attempts[count].most = principal[next->known];
            ++count;
        }
        if (count == 0) break;
        nodes.clear();
        for (const Attempt& a : std::span(attempts).first(count))
            nodes.push_back(splitting.tet(a.tet)[order_of_corners(splitting, a.tet, options)[0]]);
        splitting.prefetch_stars(nodes);
        const bool shared = plans.size() > 1 && count >= worth_sharing;
        if (shared) {
            std::atomic<std::size_t> at{0};
            threads->run([&](int member, int) {
                for (std::size_t i = at++; i < count; i = at++) plan(attempts[i], scratch[member], plans[i]);
            });
        }
        splitting.forget_splits();
        for (std::size_t i = 0; i < count; ++i) {
            const Attempt& a = attempts[i];
            SplitPlan& made = plans[shared ? i : 0];
            if (!shared || made.order != order_of_corners(splitting, a.tet, options) || !splitting.is_good(made))
                plan(a, scratch.front(), made);
            if (made.node < 0) continue;
            if (options.least_piece > 0 && splitting.sets_crumb_free(made, options.least_piece)) continue;
            cracks.push_back({a.tet, made.node, a.most.size, a.most.direction, made.area});
            splitting.split(made);
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
