#include "pliant/solve/cg_rows.hpp"

#include <algorithm>

namespace pliant {

void flatten_couplings(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& s) {
    s.ends.clear(), s.touching.clear(), s.touch.clear();
    s.end_begin.assign(1, 0);
    s.impulse.resize(couplings.size());
    for (std::size_t c = 0; c < couplings.size(); ++c) {
        for (int e = 0; e < couplings[c].count; ++e) {
            const Coupling::End& end = couplings[c].ends[e];
            BlockSystem* system = systems[end.system];
            const int row = system->row_of_node[end.node];
            s.ends.push_back({system, end.system, row, end.weight});
            s.touching.push_back({end.system, row, static_cast<int>(c), end.weight});
        }
        s.end_begin.push_back(static_cast<int>(s.ends.size()));
    }
    // By row, couplings in their order: each row sums its impulses alone, the same for any number of threads.
    std::sort(s.touching.begin(), s.touching.end(), [](const CgScratch::Touching& a, const CgScratch::Touching& b) {
        if (a.system != b.system) return a.system < b.system;
        if (a.row != b.row) return a.row < b.row;
        if (a.coupling != b.coupling) return a.coupling < b.coupling;
        return a.weight < b.weight;
    });
    for (int i = 0; i < static_cast<int>(s.touching.size()); ++i) {
        const CgScratch::Touching& t = s.touching[i];
        if (s.touch.empty() || s.touch.back().system != t.system || s.touch.back().row != t.row)
            s.touch.push_back({t.system, t.row, i, i});
        s.touch.back().end = i + 1;
    }
}

void cut_chunks(std::span<BlockSystem* const> systems, CgScratch& s) {
    int total = 0;
    for (const BlockSystem* system : systems) total += system->slices;
    const int size = std::clamp(total / 64, 4, 64);
    s.chunks.clear();
    int touch = 0;
    for (int index = 0; index < static_cast<int>(systems.size()); ++index)
        for (int begin = 0; begin < systems[index]->slices; begin += size) {
            CgScratch::Chunk chunk{systems[index], begin, std::min(systems[index]->slices, begin + size),
                                   touch,          touch, index};
            while (touch < static_cast<int>(s.touch.size()) && s.touch[touch].system == index &&
                   s.touch[touch].row < 8 * chunk.end)
                ++touch;
            chunk.touch_end = touch;
            s.chunks.push_back(chunk);
        }
    s.partial_pq.assign(s.chunks.size(), 0), s.partial_rz.assign(s.chunks.size(), 0);
}

void take_impulses(std::span<const Coupling> couplings, CgScratch& s) {
    for (std::size_t c = 0; c < couplings.size(); ++c) {
        Vec3 u = Vec3::Zero();
        for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e)
            u += s.ends[e].weight * s.ends[e].system->at(s.ends[e].system->v, s.ends[e].row);
        s.impulse[c] = couplings[c].s - couplings[c].S * u;
    }
}

void add_impulses(std::span<BlockSystem* const> systems, double sign, const CgScratch& s) {
    for (const CgScratch::Touch& touch : s.touch)
        for (int i = touch.begin; i < touch.end; ++i)
            systems[touch.system]->add(systems[touch.system]->r, touch.row,
                                       sign * s.touching[i].weight * s.impulse[s.touching[i].coupling]);
}

}  // namespace pliant
