// One step of the world. Read from the bottom up: step() tries, advance() halves, attempt() names the stages.

#include <algorithm>
#include <numeric>

#include "pliant/core/text.hpp"
#include "pliant/solve/coupled_cg.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/edit_mesh.hpp"
#include "pliant/world/knobs.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/modal_step.hpp"

namespace pliant {

/// Bodies that may touch each other in this step, solved together.
struct Island {
    std::vector<int> bodies;
    std::vector<BlockSystem*> systems;
    std::vector<Coupling> rows;  ///< ends name systems by their place here
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
    CgScratch conjugate;
    std::vector<int> left_contacts;       ///< numbers of those that leap-frog bodies handle themselves
    std::vector<std::size_t> next_touch;  ///< per particle body
};

namespace {

constexpr int max_halvings = 6;
// Solves per step while contacts change: usually, and when some would still pull (an impact of a stiff body).
constexpr int enough_passes = 3, max_passes = 12;
constexpr int max_turns = 4;

// Velocities that bring the gripped nodes to where they belong at the end of the step.
void apply_grips(World& w, double end, double dt) {
    for_each_solved(w, [](auto& body) {
        std::fill(body.prescribed.begin(), body.prescribed.end(), 0);
        body.v_next = body.v;
    });
    for (const Grip& grip : w.grips) {
        if (grip.body >= solved_count(w) || !grip.when.holds(end) || grip.axis >= 0) continue;
        const Pose pose = grip.pose(end);
        visit_solved(w, grip.body, [&](auto& body) {
            for (int node : grip.nodes) {
                body.prescribed[node] = 1;
                body.v_next[node] = (pose * body.mesh.rest[node] - body.x[node]) / dt;
            }
        });
    }
}

// Leap-frog bodies hold an axis in every one of their own steps, the others by a row of the solve (hold_axes).
bool holds_axes(const FemBody&) { return false; }
bool holds_axes(const ParticleBody& body) { return !body.implicit; }

/// Kinds that can be held along one axis have a list of such nodes.
template <class Body>
concept AxisHeld = requires(Body& body) {
    body.axis_holds;
};

void apply_axis_grips(World& w, double end, double dt) {
    for_each_solved(w, [](auto& body) { body.axis_holds.clear(); });
    for (const Grip& grip : w.grips) {
        if (grip.body >= solved_count(w) || !grip.when.holds(end) || grip.axis < 0) continue;
        const Pose pose = grip.pose(end);
        visit_solved(w, grip.body, [&]<class Body>(Body& body) {
            if constexpr (AxisHeld<Body>)
                for (int node : grip.nodes)
                    body.axis_holds.push_back(
                        {node, grip.axis, ((pose * body.mesh.rest[node])[grip.axis] - body.x[node][grip.axis]) / dt});
        });
    }
}

void gather_forces(World& w, double end) {
    for_each_body(w, [&](auto& body) {
        const auto mass = node_mass(body);
        for (std::size_t i = 0; i < body.force.size(); ++i) body.force[i] = mass[i] * w.gravity;
    });
    for (const Pull& pull : w.pulls) {
        if (!pull.when.holds(end)) continue;
        const Vec3 force = pull.force(end);
        visit_body(w, pull.body, [&](auto& body) {
            const auto mass = node_mass(body);
            double total = 0;
            for (int node : pull.nodes) total += mass[node];
            for (int node : pull.nodes) body.force[node] += (mass[node] / total) * force;
        });
    }
}

// Temperatures at the end of the step, and the material numbers that belong to them.
void conduct_heat(World& w, double end, double dt) {
    std::vector<HotSpot>& spots = w.scratch->spots;
    spots.clear();
    for (const HeatSource& source : w.heat_sources)
        if (source.when.holds(end)) spots.push_back({source.at(end), source.radius, source.temperature, source.power});
    for_each_body(w, [&](auto& body) {
        if (!body.heat) return;
        StageTimer timer(w.times, "heat");
        conduct_heat(body, spots, dt, *w.threads);
    });
}

// Müller & Gross 2004, section 6: in one pass, plastic strain follows the strain at the start of the step, then come
// forces and matrix.
void assemble(World& w, double dt) {
    for_each_solved(w, [&](auto& body) { begin_step(body, dt, *w.threads, w.times); });
}

// How hard a node is to move in this step, kg; infinite where its motion is given.
double effective_mass(const World& w, int number, int node) {
    return visit_solved(w, number, [&](const auto& body) {
        const BlockSystem& a = system(body);
        return a.effective_mass(a.row_of_node[node]);
    });
}

// How hard a point that hangs on nodes is to move: 1/m = Σ weight²/m(node).
double effective_mass(const World& w, int number, const Point& point) {
    double inverse = 0;
    for (int k = 0; k < 4; ++k) inverse += point.weight[k] * point.weight[k] / effective_mass(w, number, point.node[k]);
    return inverse > 0 ? 1 / inverse : 0;
}

// Springs of hands, acting on where the point will be at the end of the step.
void pull_by_hand(World& w, double end, double dt) {
    std::vector<Coupling>& hands = w.scratch->hands;
    hands.clear();
    for (const Drag& drag : w.drags) {
        if (drag.body >= solved_count(w) || !drag.when.holds(end)) continue;
        Coupling row;
        for (int k = 0; k < 4; ++k) row.ends[row.count++] = {drag.body, drag.point.node[k], drag.point.weight[k]};
        const Vec3 point = visit_solved(w, drag.body, [&](const auto& body) { return drag.point.of(body.x); });
        const double m = effective_mass(w, drag.body, drag.point);
        const double k = drag.stiffness > 0 ? drag.stiffness : m / (dt * dt);
        row.S = dt * dt * k * Mat3::Identity();
        row.s = -dt * k * (point - drag.target(end));
        hands.push_back(row);
    }
}

// A node held along one axis: a row so stiff that what it gives way is a millionth of what the step would move it.
void hold_axes(World& w) {
    constexpr double stiffness = 1e6;
    int number = 0;
    for_each_solved(w, [&]<class Body>(const Body& body) {
        const int own = number++;
        if constexpr (AxisHeld<Body>) {
            if (holds_axes(body)) return;
            for (const AxisHold& hold : body.axis_holds) {
                if (body.prescribed[hold.particle]) continue;
                const double m = stiffness * effective_mass(w, own, hold.particle);
                Coupling row;
                row.ends[row.count++] = {own, hold.particle, 1.0};
                row.S(hold.axis, hold.axis) = m;
                row.s[hold.axis] = m * hold.velocity;
                w.scratch->hands.push_back(row);
            }
        }
    });
}

void detect_contacts(World& w, double end, double dt) {
    StageTimer timer(w.times, "contacts");
    StepScratch& scratch = *w.scratch;
    scratch.views.clear();
    for_each_solved(w, [&](auto& body) { scratch.views.push_back(surface_view(body)); });
    scratch.obstacles.clear();
    for (Prop& prop : w.props) {
        if (prop.motion) {
            prop.obstacle.start = prop.motion(w.time);
            prop.obstacle.end = prop.motion(end);
        }
        scratch.obstacles.push_back(prop.obstacle);
    }
    add_yielding_obstacles(w, dt, scratch.obstacles);
    w.contact.detect(scratch.views, scratch.obstacles, dt, *w.threads, w.gravity);
}

// Obstacles that do not yield stop leap-frog bodies in each of their own steps (particle/touch.hpp).
void leave_to_leap_frog(World& w, double dt) {
    StepScratch& s = *w.scratch;
    s.left_contacts.clear();
    for (ParticleBody& body : w.particles) body.touches.clear();
    const auto contacts = w.contact.contacts();
    for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
        const Contact& c = contacts[i];
        if (!c.on_obstacle() || s.obstacles[c.obstacle()].mobility) continue;
        if (c.body < static_cast<int>(w.fem.size())) continue;
        ParticleBody& body = w.particles[c.body - w.fem.size()];
        if (body.implicit) continue;
        // What starts inside comes out as other bodies do: a part of the depth in this step.
        const double inside = std::max(0.0, c.offset - c.distance);
        body.touches.push_back({.point = body.embedding.point(c.vertex, body.mesh.tets),
                                .normal = c.normal,
                                .level = c.normal.dot(body.points[c.vertex]) - c.distance + c.offset - inside,
                                .rise = (w.contact.options.recovery * inside - c.motion) / dt,
                                .drift = c.drift,
                                .friction = c.friction});
        w.contact.leave(i);
        s.left_contacts.push_back(i);
    }
}

// Groups bodies that a contact or a hand may connect in this step, in the order of their lowest member.
void find_islands(World& w) {
    StepScratch& s = *w.scratch;
    const int count = solved_count(w);
    s.root.resize(count);
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
    s.island_of.assign(count, -1);
    s.place.resize(count);
    for (int i = 0; i < count; ++i) {
        const SolveOptions options = visit_solved(w, i, [](const auto& body) { return body.solve; });
        const int root = find(i);
        if (root == i) {
            s.island_of[i] = static_cast<int>(s.island_count++);
            if (s.islands.size() < s.island_count) s.islands.emplace_back();
            Island& fresh = s.islands[s.island_of[i]];
            fresh.bodies.clear();
            fresh.systems.clear();
            fresh.options = {0, options.tolerance};
        }
        Island& island = s.islands[s.island_of[i] = s.island_of[root]];
        s.place[i] = static_cast<int>(island.bodies.size());
        island.bodies.push_back(i);
        island.systems.push_back(visit_solved(w, i, [](auto& body) { return &system(body); }));
        island.options.iterations = std::max(island.options.iterations, options.iterations);
        island.options.tolerance = std::min(island.options.tolerance, options.tolerance);
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
    const auto mass = [&](int body, int node) { return effective_mass(w, body, node); };
    for (int pass = 0; pass < enough_passes || (pass < max_passes && w.contact.unsettled()); ++pass) {
        for (std::size_t i = 0; i < s.island_count; ++i) s.islands[i].rows.clear();
        share_rows(s, w.contact.rows(mass));
        share_rows(s, s.hands);
        for (std::size_t i = 0; i < s.island_count; ++i) {
            StageTimer timer(w.times, "solve");
            const Island& island = s.islands[i];
            const CgOptions options{island.options.iterations, island.options.tolerance, best_kernel_level()};
            report.iterations +=
                solve_coupled(island.systems, island.rows, options, *w.threads, s.conjugate).iterations;
        }
        s.velocities.clear();
        for_each_solved(w, [&](auto& body) {
            finish_solve(body);
            s.velocities.push_back(body.v_next);
        });
        StageTimer timer(w.times, "contacts");
        if (!w.contact.update(s.velocities)) break;
    }
}

bool all_finite(const World& w) {
    bool finite = true;
    for_each_solved(w, [&](const auto& body) {
        for (const Vec3& v : body.v_next) finite = finite && v.allFinite();
    });
    return finite;
}

// How far the worst body has turned away from the rotations it was solved with; below 1 it does not matter.
double strayed(World& w, double dt) {
    double most = 0;
    for (const FemBody& body : w.fem) most = std::max(most, strayed(body, dt, *w.threads, w.times));
    return most;
}

// The paper freezes rotations at the start of a step. Where bodies are stiff and steps long, a turning body then grows,
// and the energy of that is out of proportion (docs/elasticity.md): solve again with the rotations of the end, as long
// as that brings the two closer together. A solve that does not is forgotten.
void turn_along(World& w, double dt, StepReport& report) {
    if (!all_finite(w)) return;
    double before = strayed(w, dt);
    for (int turn = 1; turn < max_turns && before > 1; ++turn) {
        for (FemBody& body : w.fem) turn_along(body, dt, *w.threads, w.times);
        w.contact.keep();
        solve_with_contacts(w, report);
        const double after = all_finite(w) ? strayed(w, dt) : before;
        if (!(after < before)) {
            for (FemBody& body : w.fem) body.v_next = body.v_kept;
            w.contact.give_back();
            return;
        }
        before = after;
    }
}

bool attempt(World& w, double dt, StepReport& report) {
    const double end = w.time + dt;
    apply_grips(w, end, dt);
    apply_axis_grips(w, end, dt);
    gather_forces(w, end);
    conduct_heat(w, end, dt);
    detect_contacts(w, end, dt);
    leave_to_leap_frog(w, dt);
    assemble(w, dt);
    for (const ParticleBody& body : w.particles)  // smaller steps of the world would not help: these have their own
        if (const int particle = runaway_particle(body, dt); particle >= 0) throw explosion(body, particle, dt, w.time);
    pull_by_hand(w, end, dt);
    hold_axes(w);
    find_islands(w);
    solve_with_contacts(w, report);
    turn_along(w, dt, report);
    return all_finite(w);
}

void record_impacts(World& w) {
    for (const ContactImpulse& hit : w.contact.impulses())
        if (hit.impact()) w.events.push_back({"impact", body_name(w, hit.body), w.time, hit.position, hit.impulse});
}

// Müller & Gross 2004, section 6: elements overloaded at the new positions crack, ready for the next step.
void break_body(World& w, int i, const StepReport& report) {
    FemBody& body = w.fem[i];
    StageTimer timer(w.times, "fracture");
    const std::size_t nodes_before = body.x.size();
    const std::uint64_t draw = (w.steps << max_halvings) + static_cast<std::uint64_t>(report.substeps);
    const std::optional<Broken> broken = break_apart(body, draw, *w.threads);
    if (!broken) return;
    for (const Crack& crack : broken->cracks)
        w.events.push_back({"crack", body.name, w.time, body.x[crack.node], crack.area});
    follow_edit(w, i, nodes_before, broken->edit, broken->edited);
}

void break_bodies(World& w, const StepReport& report) {
    for (int i = 0; i < static_cast<int>(w.fem.size()); ++i) {  // FEM bodies have the first numbers
        FemBody& body = w.fem[i];
        if (!body.fracture) continue;
        break_body(w, i, report);
        StageTimer timer(w.times, "update");
        update_surface(body, *w.threads);
    }
}

// Leap-frog bodies end their step; what stopped them then counts as a contact like any other.
void settle_leap_frog(World& w, double dt) {
    for (ParticleBody& body : w.particles) settle_step(body, dt, *w.threads);
    StepScratch& s = *w.scratch;
    std::vector<std::size_t>& next = s.next_touch;
    next.assign(w.particles.size(), 0);
    for (int i : s.left_contacts) {
        const Contact& contact = w.contact.contacts()[i];
        const std::size_t number = contact.body - w.fem.size();
        const ParticleBody& body = w.particles[number];
        const ParticleTouch& touch = body.touches[next[number]++];
        Vec3 way = Vec3::Zero();
        for (int k = 0; k < 4; ++k)
            way += touch.point.weight[k] * (body.x_trial[touch.point.node[k]] - body.x[touch.point.node[k]]);
        w.contact.settle(i, touch.impulse.dot(touch.normal), way / dt);
    }
}

void commit(World& w, double dt, StepReport& report) {
    {
        StageTimer timer(w.times, "update");
        settle_leap_frog(w, dt);
        w.contact.finish();
        return_impulses(w, dt);
        advance_modal(w, dt, std::span(w.scratch->obstacles).first(w.props.size()));
        w.time += dt;
        record_impacts(w);
        record_blows(w, dt);
        for_each_solved(w, [&](auto& body) { commit_step(body, dt, *w.threads); });
        for_each_body(w, [](auto& body) { std::swap(body.temperature, body.temperature_next); });
    }
    break_bodies(w, report);
    report.contacts = w.contact.stats().touching;
    ++report.substeps;
}

[[noreturn]] void give_up(const World& w) {
    for_each_solved(w, [&](const auto& body) {
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
    });
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
    make_turns(w, w.time + w.dt);
    advance(w, w.dt, 0, report);
    advance_rigid_bodies(w, static_cast<double>(w.steps) * w.dt, w.dt);
    ++w.steps;
    w.time = static_cast<double>(w.steps) * w.dt;  // no drift from adding up
    return report;
}

}  // namespace pliant
