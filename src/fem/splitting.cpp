// Nodes that split: what a solid gathers is mended in the rows round them. Rows of the unbroken mesh stay where they
// are, those of copies follow, so that whole slices stay as they are.

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

struct Solid::Parts::Split {
    int before;                 // nodes
    std::vector<int> tets;      // that were relinked, ascending
    std::vector<char> smaller;  // per node: lost tets to its copies
    std::vector<char> touched;  // per node: has other neighbours than before
};

std::optional<std::vector<int>> Solid::Parts::split_gathering(const TetMesh& mesh) {
    Split split{.before = system.rows, .tets = {}, .smaller = {}, .touched = {}};
    for (int t = 0; t < tets; ++t)
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a];
            if (now == corner_node(t, a)) continue;
            if (now < split.before) return std::nullopt;  // back to an earlier state
            if (split.tets.empty() || split.tets.back() != t) split.tets.push_back(t);
        }
    nodes = mesh.node_count();
    split.smaller.assign(nodes, 0), split.touched.assign(nodes, 0);
    for (int t : split.tets)
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a], was = corner_node(t, a);
            split.touched[was] = 1;
            if (now != was) split.smaller[was] = 1;
            set_corner_node(t, a, now);
        }
    for (int lane = tets; lane < 8 * groups; ++lane)
        for (int a = 0; a < 4; ++a) set_corner_node(lane, a, mesh.tets.back()[a]);
    split_stars(mesh, split);
    split_slices(mesh, split);
    system.size_arrays(element_forces());
    std::vector<int> changed;
    for (int i = 0; i < nodes; ++i)
        if (split.smaller[i] || i >= split.before) changed.push_back(i);
    return changed;
}

// Stars that shrink move up, those of copies come after.
void Solid::Parts::split_stars(const TetMesh& mesh, const Split& split) {
    unsigned at = 0, begin = 0;
    for (int row = 0; row < split.before; ++row) {
        const unsigned end = incident_begin[row + 1];
        const int i = system.node_of_row[row];
        for (unsigned k = begin; k < end; ++k)
            if (!split.smaller[i] || mesh.tets[incident[k] / 4][incident[k] % 4] == i) incident[at++] = incident[k];
        incident_begin[row + 1] = at, begin = end;
    }
    std::vector<unsigned> next(nodes - split.before + 1, 0);  // where the next tet of each copy goes
    for (int t : split.tets)
        for (int i : mesh.tets[t])
            if (i >= split.before) ++next[i - split.before + 1];
    next[0] = at;
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1], incident_begin.push_back(next[i]);
    CHECK(next.back() == incident.size(), next.back(), incident.size());
    for (int t : split.tets)
        for (int a = 0; a < 4; ++a)
            if (const int i = mesh.tets[t][a]; i >= split.before) incident[next[i - split.before]++] = 4u * t + a;
}

// Slices without touched rows are copied, others written anew.
void Solid::Parts::split_slices(const TetMesh& mesh, const Split& split) {
    const int before = split.before, old_slices = (before + 7) / 8;
    const std::vector<int> old_begin = std::move(system.slice_begin);
    const std::vector<unsigned> old_pair = std::move(pair);
    std::vector<unsigned> old_pairs = std::move(pair_begin);
    old_pairs.push_back(static_cast<unsigned>(old_pair.size()));
    const std::vector<unsigned short> old_steps = std::move(pair_steps);
    const AlignedVector<int> old_column = std::move(system.column);
    system.rows = nodes, system.slices = (nodes + 7) / 8;
    system.node_of_row.resize(8 * std::size_t(system.slices), -1), system.row_of_node.resize(nodes);
    for (int i = before; i < nodes; ++i) system.node_of_row[i] = i, system.row_of_node[i] = i;
    const std::size_t room = old_steps.size() + 24 * std::size_t(system.slices - before / 8);
    system.slice_begin.assign(1, 0), system.slice_begin.reserve(system.slices + 1);
    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair.clear(), pair.reserve(old_pair.size() + old_pair.size() / 32), pair_steps.clear(), pair_steps.reserve(room);
    system.column.clear(), system.column.reserve(8 * room);

    const auto touched = [&](int row) { return row < before && split.touched[system.node_of_row[row]]; };
    const auto copy = [&](int s) {
        const int begin = old_begin[s], end = old_begin[s + 1];
        pair_begin.push_back(static_cast<unsigned>(pair.size()));
        pair.insert(pair.end(), old_pair.begin() + old_pairs[s], old_pair.begin() + old_pairs[s + 1]);
        system.column.insert(system.column.end(), old_column.begin() + 8L * begin, old_column.begin() + 8L * end);
        pair_steps.insert(pair_steps.end(), old_steps.begin() + begin, old_steps.begin() + end);
        system.slice_begin.push_back(system.slice_begin.back() + end - begin);
    };
    std::array<std::vector<std::uint64_t>, 8> rows;  // contributions to the rows of a slice
    const auto take_old = [&](int s) {
        const unsigned* next = old_pair.data() + old_pairs[s];
        for (int slot = old_begin[s]; slot < old_begin[s + 1]; next += 8 * old_steps[slot], ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const int row = 8 * s + lane;
                if (row >= before) continue;
                const bool changed = touched(row);
                const auto neighbour = std::uint64_t(system.node_of_row[old_column[8L * slot + lane] / 4]) << 32;
                for (int k = 0; k < old_steps[slot]; ++k) {
                    const unsigned p = next[8 * k + lane];
                    if (p == no_pair()) break;
                    const Tet& tet = mesh.tets[p >> 4];
                    if (!changed)
                        rows[lane].push_back(neighbour | p);
                    else if (tet[p >> 2 & 3] == system.node_of_row[row])
                        rows[lane].push_back(std::uint64_t(tet[p & 3]) << 32 | p);
                }
            }
    };
    const auto gather_new = [&](int row, std::vector<std::uint64_t>& out) {
        for (unsigned k = incident_begin[row]; k < incident_begin[row + 1]; ++k)
            for (unsigned b = 0; b < 4; ++b)
                if (b != incident[k] % 4)
                    out.push_back(std::uint64_t(mesh.tets[incident[k] / 4][b]) << 32 | (4 * incident[k] + b));
        std::sort(out.begin(), out.end());
    };
    SliceRuns runs;
    for (int s = 0; s < system.slices; ++s) {
        bool whole = s < before / 8;
        for (int row = 8 * s; whole && row < 8 * s + 8; ++row) whole = !touched(row);
        if (whole) {
            copy(s);
            continue;
        }
        for (auto& row : rows) row.clear();
        if (s < old_slices) take_old(s);
        SliceRows sorted;
        int longest = 0;
        for (int lane = 0; lane < 8 && 8 * s + lane < nodes; ++lane) {
            const int row = 8 * s + lane;
            if (row >= before) gather_new(row, rows[lane]);
            if (touched(row)) std::sort(rows[lane].begin(), rows[lane].end());
            sorted[lane] = rows[lane];
            longest = std::max(longest, neighbours(rows[lane]));
        }
        system.slice_begin.push_back(system.slice_begin.back() + longest);
        system.column.resize(8 * std::size_t(system.slots())), pair_steps.resize(system.slots());
        write_slice(s, sorted, runs);
    }
}

}  // namespace pliant
