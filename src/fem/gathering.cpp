// Who gathers from whom: the sparsity of the system, and for each of its blocks the elements that contribute to it.

#include <algorithm>
#include <cstdint>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

void Solid::Parts::set_gathering(const TetMesh& mesh) {
    CHECK(tets < (1 << 28), tets);
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
    // Contributions to the blocks of one block row: (neighbour, 16·tet + 4·a + b), sorted.
    auto contributions = [&](int i, std::vector<std::uint64_t>& out) {
        out.clear();
        for (unsigned k = first[i]; k < first[i + 1]; ++k) {
            const unsigned tet = around[k] / 4, a = around[k] % 4;
            for (unsigned b = 0; b < 4; ++b)
                if (b != a) out.push_back(std::uint64_t(mesh.tets[tet][b]) << 32 | (16u * tet + 4u * a + b));
        }
        std::sort(out.begin(), out.end());
    };
    std::vector<std::uint64_t> list;
    std::vector<std::vector<int>> neighbours(nodes);
    for (int i = 0; i < nodes; ++i) {
        contributions(i, list);
        for (std::uint64_t entry : list)
            if (neighbours[i].empty() || neighbours[i].back() != int(entry >> 32))
                neighbours[i].push_back(int(entry >> 32));
    }
    system.set_pattern(neighbours);
    // Room for the element forces of a step in the same memory, and for a load that reads one number too far.
    const std::size_t shared = std::max<std::size_t>(system.block.size(), 192 * std::size_t(groups)) + 16;
    system.block = AlignedVector<float>(shared, 0.f);

    incident_begin.assign(1, 0), incident_begin.reserve(system.rows + 1);
    incident.clear(), incident.reserve(around.size());
    for (int row = 0; row < system.rows; ++row) {
        const int i = system.node_of_row[row];
        incident.insert(incident.end(), around.begin() + first[i], around.begin() + first[i + 1]);
        incident_begin.push_back(static_cast<unsigned>(incident.size()));
    }

    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair.clear(), pair.reserve(12 * std::size_t(tets) + 64);
    pair_count.assign(8 * std::size_t(system.slots()), 0);
    std::vector<std::uint64_t> lanes[8];
    for (int s = 0; s < system.slices; ++s) {
        pair_begin.push_back(static_cast<unsigned>(pair.size()));
        std::size_t next[8] = {};
        for (int lane = 0; lane < 8; ++lane) {
            lanes[lane].clear();
            if (8 * s + lane < system.rows) contributions(system.node_of_row[8 * s + lane], lanes[lane]);
        }
        for (int slot = system.slice_begin[s]; slot < system.slice_begin[s + 1]; ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const auto& l = lanes[lane];
                std::size_t& at = next[lane];
                const std::size_t begin = at;
                for (; at < l.size() && l[at] >> 32 == l[begin] >> 32; ++at) pair.push_back(unsigned(l[at]));
                CHECK(at - begin < 65536, at - begin);
                pair_count[8L * slot + lane] = static_cast<unsigned short>(at - begin);
            }
    }
    pair.resize(pair.size() + 64, 0);  // read ahead of use
}

}  // namespace pliant
