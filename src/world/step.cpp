// One step of the world. Read from the bottom up: step() tries, advance() halves, attempt() names the stages.

#include <algorithm>
#include <numeric>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/text.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// Bodies that may touch each other in this step, solved together.
struct Island {
    std::vector<int> bodies;
    std::vector<Solid*> solids;
    std::vector<Coupling> rows;  ///< ends name solids by their place here
    SolveOptions options;
};

/// Memory that a step uses and the next one uses again.
struct StepScratch {
    std::vector<SurfaceView> views;
    std::vector<Obstacle> obstacles;
    std::vector<Coupling> hands;
    std::vector<HotSpot> spots;
    std::vector<std::span<const Vec3>> velocities;
    std::vector<int> root, place;  ///< per body: representative of its island; island and place in it
    std::vector<int> island_of;
    std::vector<Island> islands;
    std::size_t island_count = 0;
};

namespace {

constexpr int max_halvings = 6;
constexpr int max_passes = 3;

// Velocities that bring the gripped nodes to where they belong at the end of the step.
void apply_grips(World& w, double end, double dt) {
    for (FemBody& body : w.fem) {
        std::fill(body.prescribed.begin(), body.prescribed.end(), 0);
        body.v_next = body.v;
    }
    for (const Grip& grip : w.grips) {
        if (!grip.when.holds(end)) continue;
        FemBody& body = w.fem[grip.body];
        const Pose pose = grip.pose(end);
        for (int node : grip.nodes) {
            body.prescribed[node] = 1;
            body.v_next[node] = (pose * body.mesh.rest[node] - body.x[node]) / dt;
        }
    }
}

void gather_forces(World& w, double end) {
    for (FemBody& body : w.fem) {
        const auto mass = body.solid.mass();
        for (std::size_t i = 0; i < body.force.size(); ++i) body.force[i] = mass[i] * w.gravity;
    }
    for (const Pull& pull : w.pulls) {
        if (!pull.when.holds(end)) continue;
        FemBody& body = w.fem[pull.body];
        const auto mass = body.solid.mass();
        double total = 0;
        for (int node : pull.nodes) total += mass[node];
        const Vec3 force = pull.force(end);
        for (int node : pull.nodes) body.force[node] += (mass[node] / total) * force;
    }
}

// Temperatures at the end of the step, and the material numbers that belong to them.
void conduct_heat(World& w, double end, double dt) {
    std::vector<HotSpot>& spots = w.scratch->spots;
    spots.clear();
    for (const HeatSource& source : w.heat_sources)
        if (source.when.holds(end)) spots.push_back({source.at(end), source.radius, source.temperature, source.power});
    for (FemBody& body : w.fem) {
        if (!body.heat) continue;
        StageTimer timer(w.times, "heat");
        conduct_heat(body, spots, dt, *w.threads);
    }
}

// Müller & Gross 2004, section 6: plastic strain follows the strain at the start of the step, then forces and matrix.
void flow_plastically(World& w, double dt) {
    for (FemBody& body : w.fem) {
        if (body.plastic_strain.empty()) continue;
        StageTimer timer(w.times, "plasticity");
        flow_plastically(body, dt, *w.threads);
    }
}

void assemble(World& w, double dt) {
    for (FemBody& body : w.fem)
        body.solid.assemble(
            body.x, body.v_next,
            {.dt = dt, .force = body.force, .prescribed = body.prescribed, .plastic_strain = body.plastic_next},
            *w.threads, w.times);
}

// How hard a point that hangs on nodes is to move: 1/m = Σ weight²/m(node).
double effective_mass(const FemBody& body, const Tet& nodes, const Vec4& weight) {
    double inverse = 0;
    for (int k = 0; k < 4; ++k)
        if (!body.prescribed[nodes[k]]) inverse += weight[k] * weight[k] / body.solid.effective_mass(nodes[k]);
    return inverse > 0 ? 1 / inverse : 0;
}

// Springs of hands, acting on where the point will be at the end of the step.
void pull_by_hand(World& w, double end, double dt) {
    std::vector<Coupling>& hands = w.scratch->hands;
    hands.clear();
    for (const Drag& drag : w.drags) {
        if (!drag.when.holds(end)) continue;
        const FemBody& body = w.fem[drag.body];
        const Tet& nodes = body.mesh.tets[drag.tet];
        Coupling row;
        Vec3 point = Vec3::Zero();
        for (int k = 0; k < 4; ++k) {
            row.ends[row.count++] = {drag.body, nodes[k], drag.weight[k]};
            point += drag.weight[k] * body.x[nodes[k]];
        }
        const double m = effective_mass(body, nodes, drag.weight);
        const double k = drag.stiffness > 0 ? drag.stiffness : m / (dt * dt);
        row.S = dt * dt * k * Mat3::Identity();
        row.s = -dt * k * (point - drag.target(end));
        hands.push_back(row);
    }
}

void detect_contacts(World& w, double end, double dt) {
    StageTimer timer(w.times, "contacts");
    StepScratch& scratch = *w.scratch;
    scratch.views.clear();
    for (FemBody& body : w.fem) scratch.views.push_back(surface_view(body));
    scratch.obstacles.clear();
    for (Prop& prop : w.props) {
        if (prop.motion) {
            prop.obstacle.start = prop.motion(w.time);
            prop.obstacle.end = prop.motion(end);
        }
        scratch.obstacles.push_back(prop.obstacle);
    }
    w.contact.detect(scratch.views, scratch.obstacles, dt, *w.threads, w.gravity);
}

// Groups bodies that a contact or a hand may connect in this step, in the order of their lowest member.
void find_islands(World& w) {
    StepScratch& s = *w.scratch;
    s.root.resize(w.fem.size());
    std::iota(s.root.begin(), s.root.end(), 0);
    auto find = [&](int i) {
        while (s.root[i] != i) i = s.root[i] = s.root[s.root[i]];
        return i;
    };
    for (const Contact& contact : w.contact.contacts()) {
        if (contact.on_obstacle()) continue;
        const int a = find(contact.body), b = find(contact.partner);
        s.root[std::max(a, b)] = std::min(a, b);
    }
    s.island_count = 0;
    s.island_of.assign(w.fem.size(), -1);
    s.place.resize(w.fem.size());
    for (int i = 0; i < static_cast<int>(w.fem.size()); ++i) {
        const int root = find(i);
        if (root == i) {
            s.island_of[i] = static_cast<int>(s.island_count++);
            if (s.islands.size() < s.island_count) s.islands.emplace_back();
            Island& fresh = s.islands[s.island_of[i]];
            fresh.bodies.clear();
            fresh.solids.clear();
            fresh.options = {0, w.fem[i].solve.tolerance};
        }
        Island& island = s.islands[s.island_of[i] = s.island_of[root]];
        s.place[i] = static_cast<int>(island.bodies.size());
        island.bodies.push_back(i);
        island.solids.push_back(&w.fem[i].solid);
        island.options.iterations = std::max(island.options.iterations, w.fem[i].solve.iterations);
        island.options.tolerance = std::min(island.options.tolerance, w.fem[i].solve.tolerance);
    }
}

void share_rows(StepScratch& s, std::span<const Coupling> rows) {
    for (const Coupling& row : rows) {
        Island& island = s.islands[s.island_of[row.ends[0].system]];
        Coupling& local = island.rows.emplace_back(row);
        for (int e = 0; e < row.count; ++e) local.ends[e].system = s.place[row.ends[e].system];
    }
}

// Semi-smooth Newton on the contacts: solve with the rows that push, see which do, solve again from there.
void solve_with_contacts(World& w, StepReport& report) {
    StepScratch& s = *w.scratch;
    const auto node_mass = [&](int body, int node) {
        return w.fem[body].prescribed[node] ? std::numeric_limits<double>::infinity()
                                            : w.fem[body].solid.effective_mass(node);
    };
    for (int pass = 0; pass < max_passes; ++pass) {
        for (std::size_t i = 0; i < s.island_count; ++i) s.islands[i].rows.clear();
        share_rows(s, w.contact.rows(node_mass));
        share_rows(s, s.hands);
        for (std::size_t i = 0; i < s.island_count; ++i) {
            const Island& island = s.islands[i];
            report.iterations += solve(island.solids, island.rows, island.options, *w.threads, w.times).iterations;
        }
        s.velocities.clear();
        for (FemBody& body : w.fem) {
            body.solid.velocity(body.v_next);
            s.velocities.push_back(body.v_next);
        }
        StageTimer timer(w.times, "contacts");
        if (!w.contact.update(s.velocities)) break;
    }
}

bool all_finite(const World& w) {
    for (const FemBody& body : w.fem)
        for (const Vec3& v : body.v_next)
            if (!v.allFinite()) return false;
    return true;
}

bool attempt(World& w, double dt, StepReport& report) {
    const double end = w.time + dt;
    apply_grips(w, end, dt);
    gather_forces(w, end);
    conduct_heat(w, end, dt);
    flow_plastically(w, dt);
    assemble(w, dt);
    pull_by_hand(w, end, dt);
    detect_contacts(w, end, dt);
    find_islands(w);
    solve_with_contacts(w, report);
    return all_finite(w);
}

void record_impacts(World& w) {
    for (const ContactImpulse& hit : w.contact.impulses())
        if (hit.impact()) w.events.push_back({"impact", w.fem[hit.body].name, w.time, hit.position, hit.impulse});
}

void commit(World& w, double dt, StepReport& report) {
    StageTimer timer(w.times, "update");
    w.contact.finish();
    w.time += dt;
    record_impacts(w);
    for (FemBody& body : w.fem) {
        std::swap(body.v, body.v_next);
        std::swap(body.plastic_strain, body.plastic_next);
        std::swap(body.temperature, body.temperature_next);
        parallel_for(*w.threads, body.x.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) body.x[i] += dt * body.v[i];
        });
        update_surface(body, *w.threads);
    }
    report.contacts = w.contact.stats().touching;
    ++report.substeps;
}

[[noreturn]] void give_up(const World& w) {
    for (const FemBody& body : w.fem)
        for (std::size_t i = 0; i < body.v_next.size(); ++i) {
            if (body.v_next[i].allFinite()) continue;
            int element = 0;
            while (std::find(body.mesh.tets[element].begin(), body.mesh.tets[element].end(), static_cast<int>(i)) ==
                   body.mesh.tets[element].end())
                ++element;
            throw UserError("body '" + body.name + "' left the range of numbers at t = " + short_number(w.time) +
                                " s (node " + std::to_string(i) + ", element " + std::to_string(element) +
                                "), and smaller steps did not help",
                            {}, "Look for a force, a speed or a stiffness that is out of proportion there.");
        }
    CHECK(false, w.time);
    throw;
}

void advance(World& w, double dt, int halvings, StepReport& report) {
    if (attempt(w, dt, report)) return commit(w, dt, report);
    if (halvings == max_halvings) give_up(w);
    advance(w, dt / 2, halvings + 1, report);
    advance(w, dt / 2, halvings + 1, report);
}

}  // namespace

World::World(int thread_count)
    : threads(std::make_unique<Threads>(thread_count)), scratch(std::make_unique<StepScratch>()) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport step(World& w) {
    StepReport report;
    advance(w, w.dt, 0, report);
    ++w.steps;
    w.time = static_cast<double>(w.steps) * w.dt;  // no drift from adding up
    return report;
}

}  // namespace pliant
