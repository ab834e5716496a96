// Nodes that split: what a solid gathers is mended in the rows round them. Rows of the unbroken mesh stay where they
// are, those of copies follow, so that rows whose neighbours stay are copied as they are. Slices are mended in two
// rounds, each shared by all threads: what the changed rows hold now and how long every slice gets, then everything to
// its place.

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/prefetch.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {

namespace {

constexpr std::size_t slices_at_once = 32;
constexpr unsigned spare_pairs = 64;  // per slice; a split round one makes its pairs some more

/// A bit for every row of a slice that is marked.
unsigned marked_lanes(const std::vector<char>& row_changed, std::size_t slice) {
    std::uint64_t bytes;
    std::memcpy(&bytes, row_changed.data() + 8 * slice, 8);
    unsigned lanes = 0;
    if (bytes != 0)
        for (int lane = 0; lane < 8; ++lane) lanes |= unsigned(row_changed[8 * slice + lane] != 0) << lane;
    return lanes;
}

/// Another size, with room for more of the same: what broke once breaks again. What it held is not kept.
template <class Vector>
void resize_with_room(Vector& vector, std::size_t size) {
    if (size > vector.capacity()) {
        vector = {};
        vector.reserve(size + size / 16);
    }
    vector.resize(size);
}

}  // namespace

bool Solid::Parts::split_gathering(const TetMesh& mesh, std::span<const int> relinked, Threads& threads) {
    SplitUpdate& m = split_update;
    const int before = system.rows;
    m.tets.clear();
    for (int t : relinked) {
        bool other = false;
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a];
            if (now == corner_node(t, a)) continue;
            if (now < before) return false;  // back to an earlier state
            other = true;
        }
        if (other) m.tets.push_back(t);
    }
    nodes = mesh.node_count();
    system.rows = nodes, system.slices = (nodes + 7) / 8;
    system.node_of_row.resize(system.padded(), -1), system.row_of_node.resize(nodes);
    for (int i = before; i < nodes; ++i) system.node_of_row[i] = i, system.row_of_node[i] = i;

    m.smaller.resize(nodes, 0), m.row_changed.assign(system.padded(), 0), m.resized.clear();
    std::fill(m.row_changed.begin() + before, m.row_changed.begin() + nodes, 1);
    m.is_relinked.assign(8 * groups / 64 + 1, 0);
    for (int t : m.tets) m.is_relinked[t / 64] |= std::uint64_t{1} << t % 64;
    for (int t : m.tets)
        for (int a = 0; a < 4; ++a) {
            const int now = mesh.tets[t][a], was = corner_node(t, a);
            m.row_changed[system.row_of_node[was]] = 1;
            if (now != was && !std::exchange(m.smaller[was], 1)) m.resized.push_back(was);
            set_corner_node(t, a, now);
        }
    for (int lane = tets; lane < 8 * groups; ++lane)
        for (int a = 0; a < 4; ++a) set_corner_node(lane, a, mesh.tets.back()[a]);
    split_stars(mesh, before);
    split_slices(mesh, before, threads);
    system.size_arrays(element_forces());
    for (int i : m.resized) m.smaller[i] = 0;
    for (int i = before; i < nodes; ++i) m.resized.push_back(i);
    return true;
}

// Stars that shrink move up, those of copies come after.
void Solid::Parts::split_stars(const TetMesh& mesh, int before) {
    std::vector<int>& smaller = split_update.smaller_rows;
    smaller.clear();
    for (int i : split_update.resized) smaller.push_back(system.row_of_node[i]);
    std::sort(smaller.begin(), smaller.end());
    unsigned at = 0, from = 0;  // all up to `from` are moved, to places before `at`
    int done = 0;               // the row that begins there
    const auto move_until = [&](int row) {
        const unsigned end = row == done ? from : incident_begin[row], up = from - at;
        if (up > 0) std::copy(incident.begin() + from, incident.begin() + end, incident.begin() + at);
        for (int r = done + 1; r <= row; ++r) incident_begin[r] -= up;
        at += end - from, from = end, done = row;
    };
    for (int row : smaller) {
        move_until(row);
        const unsigned end = incident_begin[row + 1];
        for (const int i = system.node_of_row[row]; from < end; ++from)
            if (mesh.tets[incident[from] / 4][incident[from] % 4] == i) incident[at++] = incident[from];
        incident_begin[row + 1] = at, done = row + 1;
    }
    move_until(before);
    std::vector<unsigned> next(nodes - before + 1, 0);  // where the next tet of each copy goes
    for (int t : split_update.tets)
        for (int i : mesh.tets[t])
            if (i >= before) ++next[i - before + 1];
    next[0] = at;
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1], incident_begin.push_back(next[i]);
    CHECK(next.back() == incident.size(), next.back(), incident.size());
    for (int t : split_update.tets)
        for (int a = 0; a < 4; ++a)
            if (const int i = mesh.tets[t][a]; i >= before) incident[next[i - before]++] = 4u * t + a;
}

void Solid::Parts::split_slices(const TetMesh& mesh, int before, Threads& threads) {
    SplitUpdate& m = split_update;
    m.old_slices = (before + 7) / 8;
    std::swap(pair_steps, m.pair_steps);
    std::swap(system.column, m.column), std::swap(system.slice_begin, m.slice_begin);

    const std::size_t slices = system.slices;
    pair_begin.resize(slices, 0), system.slice_begin.resize(slices + 1);
    m.chunks.resize((slices + slices_at_once - 1) / slices_at_once);
    parallel_for(threads, slices, slices_at_once, [&](std::size_t begin, std::size_t end) {
        SplitUpdate::Chunk& chunk = m.chunks[begin / slices_at_once];
        chunk.slices.clear(), chunk.rows.clear(), chunk.runs.clear(), chunk.pairs.clear(), chunk.steps.clear();
        for (std::size_t i = begin; i < std::min<std::size_t>(end, m.old_slices); ++i)
            if (marked_lanes(m.row_changed, i) != 0)
                for (unsigned k = 0, all = pairs_before(static_cast<int>(i)); k < all; k += 16)
                    prefetch(pair[pair_begin[i] + k]);
        for (std::size_t i = begin; i < end; ++i) {
            const int s = static_cast<int>(i);
            int& slots = system.slice_begin[s + 1];  // of this slice for now
            const unsigned lanes = marked_lanes(m.row_changed, i);
            if (lanes == 0) {
                slots = m.slice_begin[s + 1] - m.slice_begin[s];
                continue;
            }
            const std::size_t first_row = chunk.rows.size(), first_step = chunk.steps.size();
            for (int lane = 0; lane < 8; ++lane)
                if (lanes >> lane & 1) list_runs(mesh, 8 * s + lane, before, chunk);
            count_steps(s, lanes, chunk);
            slots = static_cast<int>(chunk.steps.size() - first_step);
            chunk.slices.push_back({.slice = s,
                                    .lanes = lanes,
                                    .had = pairs_before(s),
                                    .pairs = 8 * std::accumulate(chunk.steps.begin() + static_cast<long>(first_step),
                                                                 chunk.steps.end(), 0u),
                                    .first_row = static_cast<int>(first_row),
                                    .first_step = static_cast<int>(first_step)});
        }
    });
    system.slice_begin[0] = 0;
    std::partial_sum(system.slice_begin.begin(), system.slice_begin.end(), system.slice_begin.begin());
    make_room(threads);
    resize_with_room(pair_steps, system.slots());
    resize_with_room(system.column, 8 * std::size_t(system.slots()));
    parallel_for(threads, slices, slices_at_once, [&](std::size_t begin, std::size_t end) {
        SplitUpdate::Chunk& chunk = m.chunks[begin / slices_at_once];
        const auto copy = [&](std::size_t first, std::size_t last) {
            if (first == last) return;
            const long from = m.slice_begin[first], to = m.slice_begin[last], at = system.slice_begin[first];
            std::copy(m.pair_steps.begin() + from, m.pair_steps.begin() + to, pair_steps.begin() + at);
            std::copy(m.column.begin() + 8 * from, m.column.begin() + 8 * to, system.column.begin() + 8 * at);
        };
        std::size_t next = begin;
        for (const SplitUpdate::Slice& mended : chunk.slices) {
            copy(next, mended.slice);
            write_slice(mended, chunk);
            next = mended.slice + 1;
        }
        copy(next, end);
    });
}

unsigned Solid::Parts::pairs_before(int s) const {
    if (s >= split_update.old_slices) return 0;
    const auto first = split_update.pair_steps.begin();
    return 8 * std::accumulate(first + split_update.slice_begin[s], first + split_update.slice_begin[s + 1], 0u);
}

// A slice whose pairs have outgrown their place gets one behind all others: moving every one would be most of a split's
// work. When no room is left they are put in order again, each with some to spare, and the places left behind are gone.
void Solid::Parts::make_room(Threads& threads) {
    SplitUpdate& m = split_update;
    if (pair_room.empty())
        for (int s = 0; s < m.old_slices; ++s) pair_room.push_back(pairs_before(s));
    pair_room.resize(system.slices, 0);
    const auto outgrown = [&](const SplitUpdate::Slice& mended) { return mended.pairs > pair_room[mended.slice]; };
    std::size_t more = 0;
    for (const SplitUpdate::Chunk& chunk : m.chunks)
        for (const SplitUpdate::Slice& mended : chunk.slices) more += outgrown(mended) ? mended.pairs + spare_pairs : 0;
    if (pair.size() + more > pair.capacity()) {
        std::vector<unsigned> begin(m.old_slices + 1, 0);
        for (int s = 0; s < m.old_slices; ++s) {
            pair_room[s] = pairs_before(s) + spare_pairs;
            begin[s + 1] = begin[s] + pair_room[s];
        }
        AlignedVector<unsigned> spread;
        spread.reserve(begin.back() + more + begin.back() / 8);
        spread.resize(begin.back());
        parallel_for(threads, m.old_slices, slices_at_once, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s)
                std::copy_n(pair.begin() + pair_begin[s], pair_room[s] - spare_pairs, spread.begin() + begin[s]);
        });
        pair = std::move(spread);
        std::copy_n(begin.begin(), m.old_slices, pair_begin.begin());
    }
    auto end = static_cast<unsigned>(pair.size());
    for (SplitUpdate::Chunk& chunk : m.chunks)
        for (SplitUpdate::Slice& mended : chunk.slices) {
            mended.from = pair_begin[mended.slice];
            if (!outgrown(mended)) continue;
            pair_begin[mended.slice] = end, pair_room[mended.slice] = mended.pairs + spare_pairs;
            end += pair_room[mended.slice];
        }
    pair.resize(end);
}

// What contributes to a row that lost tets, or has copies instead of nodes in some of them, or is new.
void Solid::Parts::list_runs(const TetMesh& mesh, int row, int before, SplitUpdate::Chunk& chunk) const {
    const std::size_t first = chunk.runs.size();
    std::vector<std::uint64_t>& found = chunk.found;  // neighbour·2³² + pair
    found.clear();
    if (row >= before) {
        for (unsigned k = incident_begin[row]; k < incident_begin[row + 1]; ++k)
            for (unsigned b = 0; b < 4; ++b)
                if (b != incident[k] % 4)
                    found.push_back(std::uint64_t(mesh.tets[incident[k] / 4][b]) << 32 | (4 * incident[k] + b));
    } else {
        const int s = row / 8, lane = row % 8, mine = system.node_of_row[row];
        const unsigned* next = pair.data() + pair_begin[s] + lane;
        std::size_t stay = chunk.pairs.size(), moved = 0;
        const std::size_t most = pairs_before(s) / 8;
        chunk.pairs.resize(stay + most), found.resize(most);
        for (int slot = split_update.slice_begin[s]; slot < split_update.slice_begin[s + 1]; ++slot) {
            const int column = split_update.column[8L * slot + lane], neighbour = system.node_of_row[column / 4];
            const std::size_t from = stay;
            for (const unsigned* end = next + 8 * split_update.pair_steps[slot]; next != end; next += 8) {
                const unsigned p = *next;
                chunk.pairs[stay] = p;
                if (!(split_update.is_relinked[p >> 10] >> (p >> 4 & 63) & 1)) {
                    stay += p != no_pair();
                    continue;
                }
                // The owner is only known after all splits are done: no branch would be predicted well.
                const Tet& tet = mesh.tets[p >> 4];
                const int to = tet[p & 3];
                const bool is_mine = tet[p >> 2 & 3] == mine;
                found[moved] = std::uint64_t(to) << 32 | p;
                stay += is_mine & (to == neighbour), moved += is_mine & (to != neighbour);
            }
            if (stay > from)
                chunk.runs.push_back({neighbour, column, static_cast<int>(stay - from), static_cast<int>(from)});
        }
        chunk.pairs.resize(stay), found.resize(moved);
    }
    std::sort(found.begin(), found.end());
    for (std::size_t k = 0; k < found.size(); ++k) {
        const int neighbour = static_cast<int>(found[k] >> 32);
        if (k == 0 || found[k - 1] >> 32 != found[k] >> 32)
            chunk.runs.push_back(
                {neighbour, 4 * system.row_of_node[neighbour], 0, static_cast<int>(chunk.pairs.size())});
        chunk.pairs.push_back(unsigned(found[k])), ++chunk.runs.back().count;
    }
    // As write_slice() has them: longer ones first, then in order of neighbours. Mostly they are.
    const auto comes_before = [](const SplitUpdate::Run& a, const SplitUpdate::Run& b) {
        return a.count != b.count ? a.count > b.count : a.neighbour < b.neighbour;
    };
    for (std::size_t k = first + 1; k < chunk.runs.size(); ++k) {
        const SplitUpdate::Run moved = chunk.runs[k];
        std::size_t to = k;
        for (; to > first && comes_before(moved, chunk.runs[to - 1]); --to) chunk.runs[to] = chunk.runs[to - 1];
        chunk.runs[to] = moved;
    }
    chunk.rows.push_back({static_cast<int>(first), static_cast<int>(chunk.runs.size())});
}

// How many steps each slot of a mended slice takes, by the rows that were there and stay (`lanes` are the others) and
// by those just listed. Runs get shorter along every row: the first slot without any is the end.
void Solid::Parts::count_steps(int s, unsigned lanes, SplitUpdate::Chunk& chunk) const {
    const SplitUpdate& m = split_update;
    const auto* listed = chunk.rows.data() + chunk.rows.size() - std::popcount(lanes);
    const bool was_there = s < m.old_slices;
    int slot = was_there ? m.slice_begin[s] : 0;
    const int end = was_there ? m.slice_begin[s + 1] : 0;
    const unsigned* next = pair.data() + (was_there ? pair_begin[s] : 0);
    for (int nth = 0;; ++nth, ++slot) {
        int steps = 0;
        if (slot < end) {
            const auto stays = [&](int k) {
                bool any = false;
                for (int lane = 0; lane < 8; ++lane) any |= !(lanes >> lane & 1) && next[8 * k + lane] != no_pair();
                return any;
            };
            steps = m.pair_steps[slot];
            const int all = steps;
            while (steps > 0 && !stays(steps - 1)) --steps;
            next += 8 * all;
        }
        for (int i = 0; i < std::popcount(lanes); ++i)
            if (const auto [first, last] = listed[i]; first + nth < last)
                steps = std::max(steps, chunk.runs[first + nth].count);
        if (steps == 0) return;
        CHECK(steps < 65536, steps);
        chunk.steps.push_back(static_cast<unsigned short>(steps));
    }
}

// The rows that stay are copied together with what the others held, which is then written over. Up to the first slot
// that gets longer or shorter they are where they should be, unless the slice has another place now.
void Solid::Parts::write_slice(const SplitUpdate::Slice& mended, SplitUpdate::Chunk& chunk) {
    const SplitUpdate& m = split_update;
    const int s = mended.slice;
    const bool was_there = s < m.old_slices;
    int old = was_there ? m.slice_begin[s] : 0;
    const int old_end = was_there ? m.slice_begin[s + 1] : 0;
    const unsigned* next = pair.data() + mended.from;
    unsigned* out = pair.data() + pair_begin[s];
    bool in_place = next == out;
    for (int slot = system.slice_begin[s], nth = 0; slot < system.slice_begin[s + 1]; ++slot, ++nth, ++old) {
        const int steps = chunk.steps[mended.first_step + nth], had = old < old_end ? m.pair_steps[old] : 0;
        const int copied = std::min(steps, had);
        pair_steps[slot] = static_cast<unsigned short>(steps);
        if (in_place && steps != had) {
            chunk.before.assign(next, static_cast<const unsigned*>(pair.data()) + mended.from + mended.had);
            next = chunk.before.data();
            in_place = false;
        }
        if (!in_place) {
            std::copy_n(next, 8 * copied, out);
            std::fill(out + 8 * copied, out + 8 * steps, no_pair());
        }
        int* column = system.column.data() + 8L * slot;
        for (int lane = 0; lane < 8; ++lane) column[lane] = 4 * (8 * s + lane);
        if (old < old_end) std::copy_n(m.column.begin() + 8L * old, 8, column);
        int row = mended.first_row;
        for (int lane = 0; lane < 8; ++lane) {
            if (!(mended.lanes >> lane & 1)) continue;
            const auto [first, last] = chunk.rows[row++];
            const SplitUpdate::Run run =
                first + nth < last ? chunk.runs[first + nth] : SplitUpdate::Run{-1, 4 * (8 * s + lane), 0, 0};
            column[lane] = run.column;
            for (int k = 0; k < steps; ++k) out[8 * k + lane] = k < run.count ? chunk.pairs[run.from + k] : no_pair();
        }
        next += 8 * had, out += 8 * steps;
    }
}

}  // namespace pliant
