// Who gathers from whom: the sparsity of the system, and for each of its blocks the elements that contribute to it.

#include <algorithm>
#include <cstdint>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

namespace {

// In a contribution: the neighbour is one of a smoothed element, and no tet holds both nodes.
constexpr unsigned no_tet = 0xffffffffu;

}  // namespace

int neighbours(std::span<const std::uint64_t> row) {
    int count = 0;
    for (std::size_t k = 0; k < row.size(); ++k) count += k == 0 || row[k] >> 32 != row[k - 1] >> 32;
    return count;
}

void Solid::Parts::set_gathering(const TetMesh& mesh) {
    CHECK(tets < (1 << 28) - 8, tets);
    // Tets round each node, as 4·tet + corner, in the order of the tets.
    std::vector<unsigned> first(nodes + 1, 0), around(4 * std::size_t(tets));
    for (const Tet& tet : mesh.tets)
        for (int i : tet) ++first[i + 1];
    for (int i = 0; i < nodes; ++i) first[i + 1] += first[i];
    {
        std::vector<unsigned> next(first.begin(), first.end() - 1);
        for (int t = 0; t < tets; ++t)
            for (int a = 0; a < 4; ++a) around[next[mesh.tets[t][a]]++] = 4u * t + a;
    }
    // Contributions to the blocks of a block row: (neighbour, 16·tet + 4·a + b), three per tet round the node. Going
    // through the neighbours in order leaves every row sorted, without sorting: large bodies are made quickly.
    std::vector<std::uint64_t> contribution(12 * std::size_t(tets));
    {
        std::vector<unsigned> next(first.begin(), first.end() - 1);
        for (unsigned& n : next) n *= 3;
        for (int j = 0; j < nodes; ++j)
            for (unsigned k = first[j]; k < first[j + 1]; ++k) {
                const unsigned tet = around[k] / 4, b = around[k] % 4;
                for (unsigned a = 0; a < 4; ++a)
                    if (a != b)
                        contribution[next[mesh.tets[tet][a]]++] = std::uint64_t(j) << 32 | (16u * tet + 4u * a + b);
            }
    }
    std::vector<int> length(nodes);
    std::vector<std::vector<std::uint64_t>> wide;  // of smoothed elements: with the neighbours that no tet links
    if (options.element == Element::smoothed) {
        const std::vector<std::vector<int>> near = smoothed_neighbours(mesh);
        wide.resize(nodes);
        for (int i = 0; i < nodes; ++i) {
            const auto own = std::span(contribution).subspan(3 * first[i], 3 * (first[i + 1] - first[i]));
            std::size_t next = 0;
            for (int j : near[i]) {
                const std::size_t before = next;
                for (; next < own.size() && own[next] >> 32 == std::uint64_t(j); ++next) wide[i].push_back(own[next]);
                if (next == before) wide[i].push_back(std::uint64_t(j) << 32 | no_tet);
            }
        }
    }
    const auto row = [&](int i) -> std::span<const std::uint64_t> {
        if (!wide.empty()) return wide[i];
        return std::span(contribution).subspan(3 * first[i], 3 * (first[i + 1] - first[i]));
    };
    for (int i = 0; i < nodes; ++i) length[i] = neighbours(row(i));
    // Rows stay where they are once a solid is made, so that pieces can be told from each other without moving what is
    // whole: copies of nodes come after all others.
    std::vector<int> order(system.node_of_row.begin(), system.node_of_row.begin() + unbroken);
    for (int i = unbroken; unbroken && i < nodes; ++i) order.push_back(i);
    system.set_rows(length, order, element_forces());
    if (!unbroken) unbroken = nodes;

    incident_begin.assign(1, 0), incident_begin.reserve(system.rows + 1);
    incident.clear(), incident.reserve(around.size());
    for (int r = 0; r < system.rows; ++r) {
        const int i = system.node_of_row[r];
        incident.insert(incident.end(), around.begin() + first[i], around.begin() + first[i + 1]);
        incident_begin.push_back(static_cast<unsigned>(incident.size()));
    }

    pair_begin.clear(), pair_begin.reserve(system.slices), pair_room.clear();
    pair.clear(), pair.reserve(12 * std::size_t(tets) + tets / 4);
    pair_steps.assign(system.slots(), 0);
    SliceRuns runs;
    for (int s = 0; s < system.slices; ++s) {
        SliceRows rows;
        for (int lane = 0; lane < 8; ++lane)
            if (8 * s + lane < system.rows) rows[lane] = row(system.node_of_row[8 * s + lane]);
        write_slice(s, rows, runs);
    }
    pair.shrink_to_fit();
    set_smoothing(mesh);
}

void Solid::Parts::write_slice(int s, const SliceRows& rows, SliceRuns& runs) {
    for (int lane = 0; lane < 8; ++lane) {
        const std::span<const std::uint64_t> row = rows[lane];
        std::vector<SliceRun>& mine = runs[lane];
        mine.clear();
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k == 0 || row[k] >> 32 != row[k - 1] >> 32) mine.push_back({&row[k], 0});
            mine.back().count += unsigned(row[k]) != no_tet;
        }
        std::stable_sort(mine.begin(), mine.end(),
                         [](const SliceRun& a, const SliceRun& b) { return a.count > b.count; });
    }
    pair_begin.push_back(static_cast<unsigned>(pair.size()));
    for (int slot = system.slice_begin[s]; slot < system.slice_begin[s + 1]; ++slot) {
        const std::size_t nth = slot - system.slice_begin[s], at = pair.size();
        int steps = 0;
        for (const std::vector<SliceRun>& mine : runs)
            if (nth < mine.size()) steps = std::max(steps, mine[nth].count);
        CHECK(steps < 65536, steps);
        pair_steps[slot] = static_cast<unsigned short>(steps);
        pair.resize(at + 8 * std::size_t(steps), no_pair());
        for (int lane = 0; lane < 8; ++lane) {
            const bool there = nth < runs[lane].size();
            const SliceRun run = there ? runs[lane][nth] : SliceRun{};
            for (int k = 0; k < run.count; ++k) pair[at + 8 * std::size_t(k) + lane] = unsigned(run.first[k]);
            system.column[8L * slot + lane] = 4 * (there ? system.row_of_node[*run.first >> 32] : 8 * s + lane);
        }
    }
}

void Solid::Parts::set_chunks() {
    const std::size_t known = chunks.size();
    chunks.resize((system.slices + chunk_slices - 1) / chunk_slices);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const int begin = static_cast<int>(c) * 8 * chunk_slices, end = std::min(begin + 8 * chunk_slices, system.rows);
        if (c < known && end <= unbroken) continue;  // they gather from no more than they did
        chunks[c].first = 0, chunks[c].last = groups - 1;
        if (end > unbroken) continue;  // copies of nodes are from anywhere
        const auto [least, most] =
            std::minmax_element(incident.begin() + incident_begin[begin], incident.begin() + incident_begin[end]);
        if (least != incident.begin() + incident_begin[end])
            chunks[c].first = static_cast<int>(*least / 32), chunks[c].last = static_cast<int>(*most / 32);
    }
}

void Solid::Parts::set_parts(std::span<const int> part_of_tet, Threads& threads) {
    system.part.resize(part_of_tet.empty() ? 0 : system.rows);
    constexpr std::size_t at_once = 4096;
    std::vector<int> highest((system.part.size() + at_once - 1) / at_once, 0);
    parallel_for(threads, system.part.size(), at_once, [&](std::size_t begin, std::size_t end) {
        int& most = highest[begin / at_once];
        for (std::size_t row = begin; row < end; ++row) {
            const bool in_a_tet = incident_begin[row] < incident_begin[row + 1];
            system.part[row] = in_a_tet ? part_of_tet[incident[incident_begin[row]] / 4] : 0;
            most = std::max(most, system.part[row]);
        }
    });
    const int count = highest.empty() ? 1 : 1 + *std::max_element(highest.begin(), highest.end());
    system.part_momentum.assign(count, Vec3::Zero()), system.part_pinned.assign(count, 0);
    if (count == 1) system.part.clear();
}

}  // namespace pliant
