#include "pliant/surface/skin_pieces.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

void TetPieces::find(TetNeighbours neighbours) {
    const int count = connected_pieces(neighbours, of_);
    size_.assign(count, 0), lowest_.assign(count, -1);
    for (int t = 0; t < static_cast<int>(of_.size()); ++t)
        if (size_[of_[t]]++ == 0) lowest_[of_[t]] = t;
    place_.resize(count);
    std::iota(place_.begin(), place_.end(), 0);
    region_of_.assign(of_.size(), -1);
    moved_.clear();
    found_anew_ = true;
}

int TetPieces::join(int a, int b) {
    if (regions_[a].tets.size() < regions_[b].tets.size()) std::swap(a, b);
    Region &into = regions_[a], &from = regions_[b];
    into.tets.insert(into.tets.end(), from.tets.begin(), from.tets.end());
    into.next.insert(into.next.end(), from.next.begin() + static_cast<std::ptrdiff_t>(from.first), from.next.end());
    from.tets.clear(), from.next.clear(), from.first = 0;
    joined_.attach(b, a);
    return a;
}

void TetPieces::part(TetNeighbours neighbours, std::span<const std::array<int, 2>> parted) {
    moved_.clear();
    found_anew_ = false;
    if (parted.empty()) return;
    if (!grow(neighbours, parted)) return find(neighbours);
    // Regions that were explored to their ends are pieces; whoever is left of the old one keeps its number.
    bool changed = false;
    for (int r = 0; r < region_count_; ++r) {
        const Region& region = regions_[r];
        for (int t : region.tets) region_of_[t] = -1;
        for (int t : region.next) region_of_[t] = -1;  // those explored too, again
        if (joined_.find(r) != r || !region.whole()) continue;
        const int old = of_[region.tets.front()], size = static_cast<int>(region.tets.size());
        if (size == size_[old]) continue;
        const int piece = count();
        for (int t : region.tets) of_[t] = piece;
        size_[old] -= size, size_.push_back(size);
        lowest_.push_back(*std::min_element(region.tets.begin(), region.tets.end()));
        while (of_[lowest_[old]] != old) ++lowest_[old];
        moved_.insert(moved_.end(), region.tets.begin(), region.tets.end());
        changed = true;
    }
    if (changed) number();
}

/// Regions grow from both sides of every parted face, until of any two that face each other one is explored to its
/// end, and of all that are round a group of such pieces only one is left. False where this takes too long.
bool TetPieces::grow(TetNeighbours neighbours, std::span<const std::array<int, 2>> parted) {
    region_count_ = 0;
    for (const auto& sides : parted)
        for (int t : sides) {
            if (region_of_[t] >= 0) continue;
            if (static_cast<int>(regions_.size()) == region_count_) regions_.emplace_back();
            regions_[region_count_].tets.clear();
            regions_[region_count_].next.assign(1, t), regions_[region_count_].first = 0;
            region_of_[t] = region_count_++;
        }
    joined_.reset(region_count_);
    const auto root = [&](int region) { return joined_.find(region); };
    std::size_t explored = 0;
    for (std::size_t steps = 16;; steps *= 2) {
        cluster_.reset(region_count_), outside_.assign(region_count_, -1), active_.assign(region_count_, 0);
        for (const auto& [p, q] : parted) {
            const int a = root(region_of_[p]), b = root(region_of_[q]);
            if (a != b && regions_[a].whole() && regions_[b].whole()) cluster_.join(a, b);
        }
        bool done = true;
        for (const auto& [p, q] : parted) {
            int a = root(region_of_[p]), b = root(region_of_[q]);
            if (a == b || (regions_[a].whole() && regions_[b].whole())) continue;
            if (regions_[b].whole()) std::swap(a, b);
            if (regions_[a].whole()) {
                int& other = outside_[cluster_.find(a)];
                if (other < 0) other = b;
                if (other == b) continue;
                a = other;
            }
            active_[a] = active_[b] = 1, done = false;
        }
        if (done) return true;
        for (int r = 0; r < region_count_; ++r) {
            if (!active_[r]) continue;
            int at = root(r);
            for (std::size_t k = 0; k < steps && !regions_[at].whole(); ++k, ++explored) {
                const int t = regions_[at].next[regions_[at].first++];
                regions_[at].tets.push_back(t);
                for (int n : neighbours[t]) {
                    if (n < 0) continue;
                    if (region_of_[n] < 0)
                        region_of_[n] = at, regions_[at].next.push_back(n);
                    else if (const int other = root(region_of_[n]); other != at)
                        at = join(at, other);
                }
            }
        }
        if (explored > of_.size() / 4) return false;
    }
}

void TetPieces::number() {
    order_.resize(count()), place_.resize(count());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return lowest_[a] < lowest_[b]; });
    for (int i = 0; i < count(); ++i) place_[order_[i]] = i;
}

namespace {

/// Calls with the present number of a node at each tet round it.
template <class Visit>
void for_each_copy(const SkinClip& clip, const std::vector<Tet>& rest, const std::vector<Tet>& current, int node,
                   Visit&& visit) {
    const int entity = clip.node_entity(node);
    for (int i = clip.star.begin[entity]; i < clip.star.begin[entity + 1]; ++i) {
        const int t = clip.star.items[i];
        int k = 0;
        while (rest[t][k] != node) ++k;
        visit(t, current[t][k]);
    }
}

}  // namespace

void TetHinges::look(const SkinClip& clip, const std::vector<Tet>& rest, const std::vector<Tet>& current,
                     std::span<const int> piece, int node) {
    shared_.clear();
    char hinge = 0;
    for_each_copy(clip, rest, current, node, [&](int t, int copy) {
        const auto known = std::find_if(shared_.begin(), shared_.end(), [&](const auto& s) { return s[0] == copy; });
        if (known == shared_.end())
            shared_.push_back({copy, piece[t]});
        else if ((*known)[1] != piece[t])
            hinge = 1;
    });
    hinges_ += hinge - hinge_[node];
    hinge_[node] = hinge;
}

bool TetHinges::link(const SkinClip& clip, const std::vector<Tet>& rest, const std::vector<Tet>& current,
                     const TetPieces& pieces, std::vector<int>& set) {
    const std::span<const int> piece = pieces.of(), place = pieces.place();
    int count = pieces.count();
    set.assign(place.begin(), place.end());
    if (hinges_ > 0) {  // by place, so that roots are the lowest
        sets_.reset(count);
        for (int node = 0; node < static_cast<int>(hinge_.size()); ++node) {
            if (!hinge_[node]) continue;
            shared_.clear();
            for_each_copy(clip, rest, current, node, [&](int t, int copy) {
                const auto known =
                    std::find_if(shared_.begin(), shared_.end(), [&](const auto& s) { return s[0] == copy; });
                if (known == shared_.end())
                    shared_.push_back({copy, place[piece[t]]});
                else
                    sets_.join((*known)[1], place[piece[t]]);
            });
        }
        count = sets_.number(number_);
        for (int& n : set) n = number_[n];
    }
    return count > 1;
}

}  // namespace pliant
