#include "pliant/fem/smoothing.hpp"

#include <algorithm>
#include <cstdint>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr int edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// Which edge each edge of a tet is, 6·tet + nth → edge; edges in the order of their lower, then of their higher node.
std::vector<unsigned> number_edges(const TetMesh& mesh, int& count) {
    const std::size_t tets = mesh.tets.size();
    std::vector<std::array<std::uint64_t, 2>> all(6 * tets);  // nodes, 6·tet + nth
    for (std::size_t t = 0; t < tets; ++t)
        for (int k = 0; k < 6; ++k) {
            const auto [low, high] = std::minmax(mesh.tets[t][edge_ends[k][0]], mesh.tets[t][edge_ends[k][1]]);
            all[6 * t + k] = {std::uint64_t(low) << 32 | unsigned(high), 6 * t + k};
        }
    std::sort(all.begin(), all.end());
    std::vector<unsigned> edge(6 * tets);
    count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0 && all[i][0] != all[i - 1][0]) ++count;
        edge[all[i][1]] = static_cast<unsigned>(count);
    }
    ++count;
    return edge;
}

void set_members(Smoothing& s, const TetMesh& mesh) {
    int edges = 0;
    const std::vector<unsigned> edge = number_edges(mesh, edges);
    s.tets = mesh.tet_count();
    s.edge_groups = (edges + 7) / 8;
    s.groups = s.edge_groups + (mesh.node_count() + 7) / 8;
    s.tet_domain.resize(s.tets), s.tet_member.resize(s.tets);
    s.member_begin.assign(s.domains() + 1, 0);
    for (int t = 0; t < s.tets; ++t) {
        for (int k = 0; k < 6; ++k) s.tet_domain[t][k] = edge[6L * t + k];
        for (int a = 0; a < 4; ++a) s.tet_domain[t][6 + a] = 8u * s.edge_groups + mesh.tets[t][a];
        for (unsigned d : s.tet_domain[t]) ++s.member_begin[d + 1];
    }
    for (int d = 0; d < s.domains(); ++d) s.member_begin[d + 1] += s.member_begin[d];
    std::vector<unsigned> next(s.member_begin.begin(), s.member_begin.end() - 1);
    s.member.resize(s.member_begin.back()), s.member_weight.assign(s.member.size(), 0);
    for (int t = 0; t < s.tets; ++t)
        for (int k = 0; k < Smoothing::per_tet; ++k) {
            const unsigned at = next[s.tet_domain[t][k]]++;
            s.member[at] = unsigned(t), s.tet_member[t][k] = at;
        }
}

void set_stencils(Smoothing& s, const TetMesh& mesh) {
    s.stencil_begin.assign(1, 0), s.stencil.clear();
    s.member_place.resize(s.member.size());
    for (int d = 0; d < s.domains(); ++d) {
        const auto first = static_cast<long>(s.stencil.size());
        for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
            for (int i : mesh.tets[s.member[m]]) s.stencil.push_back(i);
        std::sort(s.stencil.begin() + first, s.stencil.end());
        s.stencil.erase(std::unique(s.stencil.begin() + first, s.stencil.end()), s.stencil.end());
        CHECK(s.stencil.size() - first < 65536, d, s.stencil.size() - first);
        for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
            for (int a = 0; a < 4; ++a) {
                const auto at = std::lower_bound(s.stencil.begin() + first, s.stencil.end(), mesh.tets[s.member[m]][a]);
                s.member_place[m][a] = static_cast<unsigned short>(at - s.stencil.begin() - first);
            }
        s.stencil_begin.push_back(static_cast<unsigned>(s.stencil.size()));
    }
}

/// Where the block of a row and a column is; the columns of each row are sorted beforehand.
class SlotSearch {
public:
    explicit SlotSearch(const BlockSystem& system) : begin_(system.rows + 1, 0) {
        for (int row = 0; row < system.rows; ++row) {
            for (int slot = system.slice_begin[row / 8]; slot < system.slice_begin[row / 8 + 1]; ++slot)
                if (const int to = system.neighbour(slot, row % 8); to != row) columns_.push_back({to, slot});
            std::sort(columns_.begin() + static_cast<long>(begin_[row]), columns_.end());
            begin_[row + 1] = columns_.size();
        }
    }
    int operator()(int row, int to) const {
        const auto end = columns_.begin() + static_cast<long>(begin_[row + 1]);
        const auto at = std::lower_bound(columns_.begin() + static_cast<long>(begin_[row]), end, std::array{to, 0});
        CHECK(at != end && (*at)[0] == to, row, to);
        return (*at)[1];
    }

private:
    std::vector<std::size_t> begin_;
    std::vector<std::array<int, 2>> columns_;  ///< column, slot
};

void set_rows(Smoothing& s, const BlockSystem& system) {
    const SlotSearch find(system);
    // Domains of each row, in order.
    std::vector<std::vector<unsigned>> entries(system.rows);  // places in the stencils
    std::vector<unsigned> domain_of(s.stencil.size());
    for (int d = 0; d < s.domains(); ++d)
        for (unsigned e = s.stencil_begin[d]; e < s.stencil_begin[d + 1]; ++e) {
            domain_of[e] = unsigned(d);
            entries[system.row_of_node[s.stencil[e]]].push_back(e);
        }
    s.row_begin.assign(1, 0), s.row_domain.clear(), s.row_pair.clear();
    std::vector<int> slot_of(system.rows);
    for (int row = 0; row < system.rows; ++row) {
        const int first = system.slice_begin[row / 8], last = system.slice_begin[row / 8 + 1];
        CHECK(last - first < 65536, row, last - first);
        for (int slot = first; slot < last; ++slot)
            if (const int to = system.neighbour(slot, row % 8); to != row) slot_of[to] = slot - first;
        for (unsigned e : entries[row]) {
            const unsigned d = domain_of[e], begin = s.stencil_begin[d];
            s.row_domain.push_back({d, e, begin, static_cast<unsigned>(s.row_pair.size())});
            for (unsigned b = begin; b < s.stencil_begin[d + 1]; ++b)
                if (const int to = system.row_of_node[s.stencil[b]]; to > row)
                    s.row_pair.push_back(
                        {static_cast<unsigned short>(b - begin), static_cast<unsigned short>(slot_of[to])});
        }
        s.row_begin.push_back(static_cast<unsigned>(s.row_domain.size()));
    }
    s.row_domain.push_back({0, 0, 0, static_cast<unsigned>(s.row_pair.size())});
    s.twin.resize(8 * std::size_t(system.slots()));
    for (int slice = 0; slice < system.slices; ++slice)
        for (int slot = system.slice_begin[slice]; slot < system.slice_begin[slice + 1]; ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const int row = 8 * slice + lane, to = system.neighbour(slot, lane);
                const bool own = row >= system.rows || to >= row;
                s.twin[8L * slot + lane] = own ? 8u * slot + lane : 8u * find(to, row) + to % 8;
            }
}

}  // namespace

void set_domains(Smoothing& s, const TetMesh& mesh, const BlockSystem& system) {
    set_members(s, mesh);
    set_stencils(s, mesh);
    set_rows(s, system);
    const std::size_t domains = s.domains();
    s.slope.assign(4 * s.stencil.size(), 0.f);
    s.lambda.assign(domains, 0), s.mu.assign(domains, 0), s.volume.assign(domains, 0);
    s.F.assign(12 * std::size_t(s.tets), 0), s.rate.assign(12 * std::size_t(s.tets), 0);
    s.stress.assign(12 * domains, 0), s.tangent.assign(108 * domains, 0.f);
}

std::vector<std::vector<int>> smoothed_neighbours(const TetMesh& mesh) {
    const auto tidy = [](std::vector<int>& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    std::vector<std::vector<int>> near(mesh.rest.size()), wide(mesh.rest.size());
    for (const Tet& tet : mesh.tets)
        for (int i : tet) near[i].insert(near[i].end(), tet.begin(), tet.end());
    for (std::vector<int>& list : near) tidy(list);
    for (std::size_t i = 0; i < near.size(); ++i) {
        for (int n : near[i]) wide[i].insert(wide[i].end(), near[n].begin(), near[n].end());
        tidy(wide[i]);
        std::erase(wide[i], static_cast<int>(i));
    }
    return wide;
}

std::size_t memory_bytes(const Smoothing& s) {
    auto bytes = [](const auto&... vectors) { return ((vectors.capacity() * sizeof(vectors[0])) + ...); };
    return sizeof(s) + bytes(s.member_begin, s.member, s.member_weight, s.member_place, s.tet_member, s.tet_domain,
                             s.stencil_begin, s.stencil, s.slope, s.lambda, s.mu, s.volume, s.row_begin, s.row_domain,
                             s.row_pair, s.twin, s.F, s.rate, s.stress, s.tangent, s.plastic, s.mean);
}

}  // namespace pliant
