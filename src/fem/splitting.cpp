// Nodes that split: what a solid gathers is mended in the rows round them. Rows of the unbroken mesh stay where they
// are, those of copies follow, so that whole slices stay as they are.

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

namespace {

void sort_nearly_sorted(std::vector<std::uint64_t>& row) {
    for (std::size_t k = 1; k < row.size(); ++k) {
        const std::uint64_t moved = row[k];
        std::size_t to = k;
        for (; to > 0 && row[to - 1] > moved; --to) row[to] = row[to - 1];
        row[to] = moved;
    }
}

}  // namespace

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

// Slices without touched rows are copied, others written anew. No row of an old slice gathers more than it did, so the
// list of pairs moves up in place.
void Solid::Parts::split_slices(const TetMesh& mesh, const Split& split) {
    const int before = split.before, old_slices = (before + 7) / 8;
    const std::vector<int> old_begin = std::move(system.slice_begin);
    std::vector<unsigned> old_pairs = std::move(pair_begin);
    old_pairs.push_back(12u * tets);
    const std::vector<unsigned short> old_count = std::move(pair_count);
    const AlignedVector<int> old_column = std::move(system.column);
    system.rows = nodes, system.slices = (nodes + 7) / 8;
    system.node_of_row.resize(8 * std::size_t(system.slices), -1), system.row_of_node.resize(nodes);
    for (int i = before; i < nodes; ++i) system.node_of_row[i] = i, system.row_of_node[i] = i;
    const std::size_t room = old_count.size() + 8 * 24 * std::size_t(system.slices - before / 8);
    system.slice_begin.assign(1, 0), system.slice_begin.reserve(system.slices + 1);
    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair_count.clear(), pair_count.reserve(room), system.column.clear(), system.column.reserve(room);

    const auto touched = [&](int row) { return row < before && split.touched[system.node_of_row[row]]; };
    std::size_t pairs = 0;
    const auto copy = [&](int s) {
        const long begin = 8L * old_begin[s], end = 8L * old_begin[s + 1];
        pair_begin.push_back(static_cast<unsigned>(pairs));
        if (old_pairs[s] != pairs)
            std::copy(pair.begin() + old_pairs[s], pair.begin() + old_pairs[s + 1], pair.begin() + pairs);
        pairs += old_pairs[s + 1] - old_pairs[s];
        system.column.insert(system.column.end(), old_column.begin() + begin, old_column.begin() + end);
        pair_count.insert(pair_count.end(), old_count.begin() + begin, old_count.begin() + end);
        system.slice_begin.push_back(system.slice_begin.back() + old_begin[s + 1] - old_begin[s]);
    };
    std::array<std::vector<std::uint64_t>, 8> rows;  // contributions to the rows of a slice
    const auto take_old = [&](int s) {
        const unsigned* next = pair.data() + old_pairs[s];
        for (long at = 8L * old_begin[s]; at < 8L * old_begin[s + 1]; ++at) {
            const int lane = at % 8, row = 8 * s + lane, count = old_count[at];
            if (touched(row)) {
                for (int k = 0; k < count; ++k) {
                    const Tet& tet = mesh.tets[next[k] >> 4];
                    if (tet[next[k] >> 2 & 3] == system.node_of_row[row])
                        rows[lane].push_back(std::uint64_t(tet[next[k] & 3]) << 32 | next[k]);
                }
            } else if (count > 0) {
                const auto neighbour = std::uint64_t(system.node_of_row[old_column[at]]) << 32;
                for (int k = 0; k < count; ++k) rows[lane].push_back(neighbour | next[k]);
            }
            next += count;
        }
    };
    const auto gather_new = [&](int row, std::vector<std::uint64_t>& out) {
        for (unsigned k = incident_begin[row]; k < incident_begin[row + 1]; ++k)
            for (unsigned b = 0; b < 4; ++b)
                if (b != incident[k] % 4)
                    out.push_back(std::uint64_t(mesh.tets[incident[k] / 4][b]) << 32 | (4 * incident[k] + b));
        std::sort(out.begin(), out.end());
    };
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
            if (touched(row)) sort_nearly_sorted(rows[lane]);  // only copies, which go to the end, are new
            sorted[lane] = rows[lane];
            longest = std::max(longest, neighbours(rows[lane]));
        }
        system.slice_begin.push_back(system.slice_begin.back() + longest);
        system.column.resize(8 * std::size_t(system.slots())), pair_count.resize(8 * std::size_t(system.slots()));
        pairs = write_slice(s, sorted, pairs);
    }
}

}  // namespace pliant
