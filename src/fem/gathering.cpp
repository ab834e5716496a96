// Who gathers from whom: the sparsity of the system, and for each of its blocks the elements that contribute to it.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

namespace {

// Contributions to a block row are numbers neighbour·2³² + 16·tet + 4·a + b, ascending.
int neighbours(std::span<const std::uint64_t> row) {
    int count = 0;
    for (std::size_t k = 0; k < row.size(); ++k) count += k == 0 || row[k] >> 32 != row[k - 1] >> 32;
    return count;
}

void sort_nearly_sorted(std::vector<std::uint64_t>& row) {
    for (std::size_t k = 1; k < row.size(); ++k) {
        const std::uint64_t moved = row[k];
        std::size_t to = k;
        for (; to > 0 && row[to - 1] > moved; --to) row[to] = row[to - 1];
        row[to] = moved;
    }
}

constexpr int pairs_read_ahead = 64;

}  // namespace

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
    std::vector<int> length(nodes);
    const auto row = [&](int i) {
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

    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair.assign(12 * std::size_t(tets) + pairs_read_ahead, 0);
    pair_count.assign(8 * std::size_t(system.slots()), 0);
    std::size_t pairs = 0;
    for (int s = 0; s < system.slices; ++s) {
        SliceRows rows;
        for (int lane = 0; lane < 8; ++lane)
            if (8 * s + lane < system.rows) rows[lane] = row(system.node_of_row[8 * s + lane]);
        pairs = write_slice(s, rows, pairs);
    }
}

std::size_t Solid::Parts::write_slice(int s, const SliceRows& rows, std::size_t pairs) {
    pair_begin.push_back(static_cast<unsigned>(pairs));
    std::array<std::size_t, 8> next{};
    for (int slot = system.slice_begin[s]; slot < system.slice_begin[s + 1]; ++slot)
        for (int lane = 0; lane < 8; ++lane) {
            const std::span<const std::uint64_t> row = rows[lane];
            std::size_t& at = next[lane];
            const std::size_t begin = at;
            for (; at < row.size() && row[at] >> 32 == row[begin] >> 32; ++at) pair[pairs++] = unsigned(row[at]);
            CHECK(at - begin < 65536, at - begin);
            pair_count[8L * slot + lane] = static_cast<unsigned short>(at - begin);
            system.column[8L * slot + lane] = at > begin ? system.row_of_node[row[begin] >> 32] : 8 * s + lane;
        }
    return pairs;
}

void Solid::Parts::add_contributions(const TetMesh& mesh, int row, std::vector<std::uint64_t>& out) const {
    for (unsigned k = incident_begin[row]; k < incident_begin[row + 1]; ++k)
        for (unsigned b = 0; b < 4; ++b)
            if (b != incident[k] % 4)
                out.push_back(std::uint64_t(mesh.tets[incident[k] / 4][b]) << 32 | (4 * incident[k] + b));
    std::sort(out.begin(), out.end());
}

std::optional<std::vector<int>> Solid::Parts::split_gathering(const TetMesh& mesh) {
    const int before = system.rows;
    std::vector<int> relinked;
    for (int t = 0; t < tets; ++t)
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a], was = corner_node(t, a);
            if (now == was) continue;
            if (now < before) return std::nullopt;  // back to an earlier state
            if (relinked.empty() || relinked.back() != t) relinked.push_back(t);
        }
    nodes = mesh.node_count();
    // Nodes that lost tets to their copies, and nodes whose neighbours are others now.
    std::vector<char> split(nodes, 0), touched(nodes, 0);
    std::vector<unsigned> copies(nodes - before + 1, 0);  // first tet of each copy's star, then
    for (int t : relinked)
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a], was = corner_node(t, a);
            touched[was] = 1;
            if (now != was) split[was] = 1, ++copies[now - before + 1];
            set_corner_node(t, a, now);
        }
    for (int lane = tets; lane < 8 * groups; ++lane)
        for (int a = 0; a < 4; ++a) set_corner_node(lane, a, mesh.tets.back()[a]);
    for (std::size_t i = 1; i < copies.size(); ++i) copies[i] += copies[i - 1];

    // Stars: those that shrink move up, those of copies come after.
    unsigned at = 0, begin = 0;
    for (int row = 0; row < before; ++row) {
        const unsigned end = incident_begin[row + 1];
        const int i = system.node_of_row[row];
        for (unsigned k = begin; k < end; ++k)
            if (!split[i] || mesh.tets[incident[k] / 4][incident[k] % 4] == i) incident[at++] = incident[k];
        incident_begin[row + 1] = at, begin = end;
    }
    CHECK(at + copies.back() == incident.size(), at, copies.back(), incident.size());
    for (std::size_t i = 1; i < copies.size(); ++i) incident_begin.push_back(at + copies[i]);
    for (int t : relinked)
        for (int a = 0; a < 4; ++a)
            if (const int i = mesh.tets[t][a]; i >= before) incident[at + copies[i - before]++] = 4u * t + a;

    // Slices: whole ones are copied, others written anew. No row of an old slice gathers more than it did, so the list
    // of pairs moves up in place.
    const std::vector<int> old_begin = std::move(system.slice_begin);
    const std::vector<unsigned> old_pair_begin = std::move(pair_begin);
    const std::vector<unsigned short> old_count = std::move(pair_count);
    const AlignedVector<int> old_column = std::move(system.column);
    system.rows = nodes, system.slices = (nodes + 7) / 8;
    system.node_of_row.resize(8 * std::size_t(system.slices), -1), system.row_of_node.resize(nodes);
    for (int i = before; i < nodes; ++i) system.node_of_row[i] = i, system.row_of_node[i] = i;
    const std::size_t room = old_count.size() + 8 * 24 * std::size_t(system.slices - before / 8);
    system.slice_begin.assign(1, 0), system.slice_begin.reserve(system.slices + 1);
    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair_count.clear(), pair_count.reserve(room), system.column.clear(), system.column.reserve(room);
    std::size_t pairs = 0;
    std::array<std::vector<std::uint64_t>, 8> keys;
    for (int s = 0; s < system.slices; ++s) {
        const int old_slots = 8 * s < before ? old_begin[s + 1] - old_begin[s] : 0;
        const unsigned from = 8 * s < before ? old_pair_begin[s] : 0;
        bool whole = s < before / 8;
        for (int row = 8 * s; whole && row < 8 * s + 8; ++row) whole = !touched[system.node_of_row[row]];
        if (whole) {
            const long slot = 8L * old_begin[s], slots_end = 8L * old_begin[s + 1];
            const unsigned to = s + 1 < static_cast<int>(old_pair_begin.size()) ? old_pair_begin[s + 1] : 12u * tets;
            pair_begin.push_back(static_cast<unsigned>(pairs));
            if (from != pairs) std::copy(pair.begin() + from, pair.begin() + to, pair.begin() + pairs);
            pairs += to - from;
            system.column.insert(system.column.end(), old_column.begin() + slot, old_column.begin() + slots_end);
            pair_count.insert(pair_count.end(), old_count.begin() + slot, old_count.begin() + slots_end);
            system.slice_begin.push_back(system.slice_begin.back() + old_slots);
            continue;
        }
        SliceRows rows;
        for (auto& row : keys) row.clear();
        const unsigned* next = pair.data() + from;
        for (int slot = 0; slot < old_slots; ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const int row = 8 * s + lane, count = old_count[8L * (old_begin[s] + slot) + lane];
                if (row < before && touched[system.node_of_row[row]]) {
                    const int i = system.node_of_row[row];
                    for (int k = 0; k < count; ++k) {
                        const Tet& tet = mesh.tets[next[k] >> 4];
                        if (tet[next[k] >> 2 & 3] == i)
                            keys[lane].push_back(std::uint64_t(tet[next[k] & 3]) << 32 | next[k]);
                    }
                } else if (count > 0) {
                    const int neighbour = system.node_of_row[old_column[8L * (old_begin[s] + slot) + lane]];
                    for (int k = 0; k < count; ++k) keys[lane].push_back(std::uint64_t(neighbour) << 32 | next[k]);
                }
                next += count;
            }
        int longest = 0;
        for (int lane = 0; lane < 8 && 8 * s + lane < nodes; ++lane) {
            const int row = 8 * s + lane;
            if (row >= before)
                add_contributions(mesh, row, keys[lane]);
            else if (touched[system.node_of_row[row]])
                sort_nearly_sorted(keys[lane]);  // only copies, which go to the end, are new
            rows[lane] = keys[lane];
            longest = std::max(longest, neighbours(keys[lane]));
        }
        system.slice_begin.push_back(system.slice_begin.back() + longest);
        system.column.resize(8 * std::size_t(system.slots())), pair_count.resize(8 * std::size_t(system.slots()));
        pairs = write_slice(s, rows, pairs);
    }
    system.size_arrays(element_forces());
    std::vector<int> changed;
    for (int i = 0; i < nodes; ++i)
        if (split[i] || i >= before) changed.push_back(i);
    return changed;
}

void Solid::Parts::set_parts(std::span<const int> part_of_tet) {
    const int count = part_of_tet.empty() ? 1 : 1 + *std::max_element(part_of_tet.begin(), part_of_tet.end());
    system.part.clear(), system.part_momentum.assign(count, Vec3::Zero()), system.part_pinned.assign(count, 0);
    if (count == 1) return;
    system.part.resize(system.rows);
    for (int row = 0; row < system.rows; ++row) system.part[row] = part_of_tet[incident[incident_begin[row]] / 4];
}

}  // namespace pliant
