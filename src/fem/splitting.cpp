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
    std::swap(pair, pair_before), std::swap(system.column, column_before);
    const std::vector<unsigned>& old_pair = pair_before;
    std::vector<unsigned> old_pairs = std::move(pair_begin);
    old_pairs.push_back(static_cast<unsigned>(old_pair.size()));
    const std::vector<unsigned short> old_steps = std::move(pair_steps);
    const AlignedVector<int>& old_column = column_before;
    system.rows = nodes, system.slices = (nodes + 7) / 8;
    system.node_of_row.resize(8 * std::size_t(system.slices), -1), system.row_of_node.resize(nodes);
    for (int i = before; i < nodes; ++i) system.node_of_row[i] = i, system.row_of_node[i] = i;
    const std::size_t room = old_steps.size() + 24 * std::size_t(system.slices - before / 8);
    system.slice_begin.assign(1, 0), system.slice_begin.reserve(system.slices + 1);
    pair_begin.clear(), pair_begin.reserve(system.slices);
    pair.clear(), pair.reserve(old_pair.size() + old_pair.size() / 16), pair_steps.clear(), pair_steps.reserve(room);
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
    /// The contributions to one block.
    struct Run {
        int neighbour, column, count;
        const unsigned* first;
        int from, stride;  // from: where in `pairs`, before `first` is known
    };
    std::array<std::vector<Run>, 8> runs;
    std::array<std::vector<unsigned>, 8> pairs;  // of rows that are others than before
    std::vector<std::uint64_t> found;            // neighbour·2³² + pair
    const auto add_found = [&](int lane) {
        std::sort(found.begin(), found.end());
        for (std::size_t k = 0; k < found.size(); ++k) {
            const int neighbour = static_cast<int>(found[k] >> 32);
            if (k == 0 || found[k - 1] >> 32 != found[k] >> 32)
                runs[lane].push_back({neighbour, 4 * system.row_of_node[neighbour], 0, nullptr,
                                      static_cast<int>(pairs[lane].size()), 1});
            pairs[lane].push_back(unsigned(found[k])), ++runs[lane].back().count;
        }
        // As write_slice() has them: longer ones first, then in order of neighbours. Mostly they are.
        std::vector<Run>& mine = runs[lane];
        for (std::size_t k = 1; k < mine.size(); ++k) {
            const Run moved = mine[k];
            std::size_t to = k;
            for (; to > 0 &&
                   std::pair(-mine[to - 1].count, mine[to - 1].neighbour) > std::pair(-moved.count, moved.neighbour);
                 --to)
                mine[to] = mine[to - 1];
            mine[to] = moved;
        }
        for (Run& run : mine) run.first = pairs[lane].data() + run.from;
    };
    // A row that stays as it is keeps its runs where they are; one that is touched loses tets, or has copies instead of
    // nodes in some of them.
    const auto take_old = [&](int s) {
        const unsigned* next = old_pair.data() + old_pairs[s];
        for (int slot = old_begin[s]; slot < old_begin[s + 1]; next += 8 * old_steps[slot], ++slot)
            for (int lane = 0; lane < 8 && 8 * s + lane < before; ++lane) {
                if (touched(8 * s + lane)) continue;
                int count = 0;
                while (count < old_steps[slot] && next[8 * count + lane] != no_pair()) ++count;
                if (count > 0) runs[lane].push_back({-1, old_column[8L * slot + lane], count, next + lane, 0, 8});
            }
    };
    const auto take_touched = [&](int s, int lane) {
        const int mine = system.node_of_row[8 * s + lane];
        const unsigned* next = old_pair.data() + old_pairs[s] + lane;
        for (int slot = old_begin[s]; slot < old_begin[s + 1]; next += 8 * old_steps[slot], ++slot) {
            const int column = old_column[8L * slot + lane], neighbour = system.node_of_row[column / 4];
            const int from = static_cast<int>(pairs[lane].size());
            for (int k = 0; k < old_steps[slot] && next[8 * k] != no_pair(); ++k) {
                const unsigned p = next[8 * k];
                const Tet& tet = mesh.tets[p >> 4];
                if (tet[p >> 2 & 3] != mine) continue;
                if (const int to = tet[p & 3]; to == neighbour)
                    pairs[lane].push_back(p);
                else
                    found.push_back(std::uint64_t(to) << 32 | p);
            }
            if (const int count = static_cast<int>(pairs[lane].size()) - from; count > 0)
                runs[lane].push_back({neighbour, column, count, nullptr, from, 1});
        }
    };
    const auto gather_new = [&](int row) {
        for (unsigned k = incident_begin[row]; k < incident_begin[row + 1]; ++k)
            for (unsigned b = 0; b < 4; ++b)
                if (b != incident[k] % 4)
                    found.push_back(std::uint64_t(mesh.tets[incident[k] / 4][b]) << 32 | (4 * incident[k] + b));
    };
    for (int s = 0; s < system.slices; ++s) {
        bool whole = s < before / 8;
        for (int row = 8 * s; whole && row < 8 * s + 8; ++row) whole = !touched(row);
        if (whole) {
            copy(s);
            continue;
        }
        for (int lane = 0; lane < 8; ++lane) runs[lane].clear(), pairs[lane].clear();
        if (s < old_slices) take_old(s);
        std::size_t longest = 0;
        for (int lane = 0; lane < 8 && 8 * s + lane < nodes; ++lane) {
            const int row = 8 * s + lane;
            found.clear();
            if (row >= before) gather_new(row), add_found(lane);
            if (touched(row)) take_touched(s, lane), add_found(lane);
            longest = std::max(longest, runs[lane].size());
        }
        system.slice_begin.push_back(system.slice_begin.back() + static_cast<int>(longest));
        pair_begin.push_back(static_cast<unsigned>(pair.size()));
        for (std::size_t nth = 0; nth < longest; ++nth) {
            int steps = 0;
            for (const std::vector<Run>& mine : runs)
                if (nth < mine.size()) steps = std::max(steps, mine[nth].count);
            CHECK(steps < 65536, steps);
            pair_steps.push_back(static_cast<unsigned short>(steps));
            const std::size_t at = pair.size();
            pair.resize(at + 8 * std::size_t(steps), no_pair());
            for (int lane = 0; lane < 8; ++lane) {
                const bool there = nth < runs[lane].size();
                system.column.push_back(there ? runs[lane][nth].column : 4 * (8 * s + lane));
                if (!there) continue;
                const Run& run = runs[lane][nth];
                for (int k = 0; k < run.count; ++k) pair[at + 8 * std::size_t(k) + lane] = run.first[run.stride * k];
            }
        }
    }
}

}  // namespace pliant
