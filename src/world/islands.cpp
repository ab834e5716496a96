// Islands: bodies that contacts may connect are solved together.

#include <algorithm>
#include <numeric>

#include "pliant/body/step_energy.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// The representative of a body's island; paths are halved on the way.
int find_root(std::vector<int>& root, int body) {
    while (root[body] != body) body = root[body] = root[root[body]];
    return body;
}

Island& new_island(StepScratch& s) {
    if (s.islands.size() == s.island_count) s.islands.emplace_back();
    Island& island = s.islands[s.island_count++];
    island.bodies.clear();
    island.systems.clear();
    island.converged = false;
    return island;
}

/// Stiff bodies that turn ahead make do with one solve; what it leaves over then counts.
void be_exact_where_stiff(const World& w, Island& island) {
    if (island.options.iterations > 0 || island.options.tolerance > 0) return;
    for (const int i : island.bodies)
        if (i < static_cast<int>(w.fem.size()) && obeys_energy_law(w.fem[i]) && turns_ahead(w.fem[i], w.dt))
            island.options.tolerance = 0.1 * CgOptions::usual_tolerance;
}

}  // namespace

void find_islands(World& w) {
    StepScratch& s = *w.scratch;
    const int count = solved_count(w);
    s.root.resize(count);
    std::iota(s.root.begin(), s.root.end(), 0);
    for (const Contact& contact : w.contact.contacts()) {
        if (contact.on_obstacle()) continue;
        const int a = find_root(s.root, contact.body), b = find_root(s.root, contact.partner);
        s.root[std::max(a, b)] = std::min(a, b);
    }
    for (const auto& [i, j] : w.touch.links()) {
        const int a = find_root(s.root, i), b = find_root(s.root, j);
        s.root[std::max(a, b)] = std::min(a, b);
    }
    s.island_count = 0;
    s.island_of.assign(count, -1);
    s.place.resize(count);
    for (int i = 0; i < count; ++i) {
        const SolveOptions options = visit_solved(w, i, [](const auto& body) { return body.solve; });
        const int root = find_root(s.root, i);
        if (root == i) {
            s.island_of[i] = static_cast<int>(s.island_count);
            new_island(s).options = {0, options.tolerance};
        }
        Island& island = s.islands[s.island_of[i] = s.island_of[root]];
        s.place[i] = static_cast<int>(island.bodies.size());
        island.bodies.push_back(i);
        island.systems.push_back(visit_solved(w, i, [](auto& body) { return &system(body); }));
        island.options.iterations = std::max(island.options.iterations, options.iterations);
        island.options.tolerance = std::min(island.options.tolerance, options.tolerance);
    }
    for (std::size_t i = 0; i < s.island_count && !w.barriers; ++i) be_exact_where_stiff(w, s.islands[i]);
}

void distribute_rows(StepScratch& s, std::span<const Coupling> rows) {
    for (const Coupling& row : rows) {
        Island& island = s.islands[s.island_of[row.ends[0].system]];
        Coupling& local = island.rows.emplace_back(row);
        for (int e = 0; e < row.count; ++e) local.ends[e].system = s.place[row.ends[e].system];
    }
}

}  // namespace pliant
