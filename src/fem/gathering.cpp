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
    // Contributions to the blocks of a block row: (neighbour, 16·tet + 4·a + b), three per tet round the node. Going
    // through the neighbours in order leaves every row sorted, without sorting: fracture does this between two steps.
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
    std::vector<std::vector<int>> neighbours(nodes);
    for (int i = 0; i < nodes; ++i) {
        int count = 0, last = -1;
        for (unsigned k = 3 * first[i]; k < 3 * first[i + 1]; ++k) {
            count += int(contribution[k] >> 32) != last;
            last = int(contribution[k] >> 32);
        }
        neighbours[i].reserve(count);
        for (unsigned k = 3 * first[i]; k < 3 * first[i + 1]; ++k)
            if (neighbours[i].empty() || neighbours[i].back() != int(contribution[k] >> 32))
                neighbours[i].push_back(int(contribution[k] >> 32));
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
    for (int s = 0; s < system.slices; ++s) {
        pair_begin.push_back(static_cast<unsigned>(pair.size()));
        unsigned next[8] = {}, end[8] = {};
        for (int lane = 0; lane < 8; ++lane) {
            if (8 * s + lane >= system.rows) continue;
            const int i = system.node_of_row[8 * s + lane];
            next[lane] = 3 * first[i], end[lane] = 3 * first[i + 1];
        }
        for (int slot = system.slice_begin[s]; slot < system.slice_begin[s + 1]; ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                unsigned& at = next[lane];
                const unsigned begin = at;
                for (; at < end[lane] && contribution[at] >> 32 == contribution[begin] >> 32; ++at)
                    pair.push_back(unsigned(contribution[at]));
                CHECK(at - begin < 65536, at - begin);
                pair_count[8L * slot + lane] = static_cast<unsigned short>(at - begin);
            }
    }
    pair.resize(pair.size() + 64, 0);  // read ahead of use
    set_parts(mesh);
}

// Which rows hang together, in order of the lowest node.
void Solid::Parts::set_parts(const TetMesh& mesh) {
    std::vector<int> root(nodes);
    for (int i = 0; i < nodes; ++i) root[i] = i;
    const auto find = [&](int i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (const Tet& tet : mesh.tets)
        for (int a = 1; a < 4; ++a) {
            const int i = find(tet[0]), j = find(tet[a]);
            root[std::max(i, j)] = std::min(i, j);
        }
    std::vector<int> number(nodes, -1);
    int count = 0;
    for (int i = 0; i < nodes; ++i)
        if (root[i] == i) number[i] = count++;
    system.part.clear(), system.part_momentum.assign(count, Vec3::Zero()), system.part_pinned.assign(count, 0);
    if (count == 1) return;
    system.part.resize(system.rows);
    for (int row = 0; row < system.rows; ++row) system.part[row] = number[find(system.node_of_row[row])];
}

}  // namespace pliant
