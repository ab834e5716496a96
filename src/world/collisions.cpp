// Finding who may touch whom in a substep, and the contacts that bodies handle in steps of their own.

#include "pliant/body/explicit_step.hpp"
#include "pliant/body/leap_frog.hpp"
#include "pliant/core/text.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/intersections.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Distance that surfaces keep, over the mean edge of the finer one: small enough to be hardly seen, large enough for
/// Newton's method to come to terms within it.
constexpr double contact_distance = 0.02;

void place_obstacles(World& w, const StepContext& c) {
    std::vector<Obstacle>& obstacles = w.scratch->obstacles;
    obstacles.clear();
    for (Prop& prop : w.props) {
        if (prop.motion) {
            prop.obstacle.start = prop.motion(w.time);
            prop.obstacle.end = prop.motion(c.end);
        }
        obstacles.push_back(prop.obstacle);
    }
    add_yielding_obstacles(w, c.dt, obstacles);
}

void exclude_own_contacts(World& w, const StepContext& c) {
    std::vector<int>& own = w.scratch->own_contacts;
    own.clear();
    for (FemBody& body : w.fem) touches(body).clear();
    for (ParticleBody& body : w.particles) touches(body).clear();
    const auto contacts = w.contact.contacts();
    for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
        const Contact& contact = contacts[i];
        if (!contact.on_obstacle() || w.scratch->obstacles[contact.obstacle()].mobility) continue;
        visit_solved(w, contact.body, [&](auto& body) {
            if constexpr (requires { touches(body); }) {
                if (!steps_itself(body)) return;
                touches(body).push_back(touch_of(body, contact, w.contact.options.recovery, c.dt));
                w.contact.exclude(i);
                own.push_back(i);
            }
        });
    }
}

/// Props are planes or triangles; what has neither is left to the other solver.
bool has_surface(const Prop& prop) { return prop.obstacle.shape->plane() || !prop.surface.triangles.empty(); }

void add_surface(World& w, int number, const SurfaceView& view, const std::vector<Vec3>& rest, double distance,
                 const BlockSystem& a) {
    StepScratch& s = *w.scratch;
    std::vector<int>& part = s.node_part[number];
    part.clear();
    if (!a.part.empty()) {
        part.resize(a.row_of_node.size());
        for (std::size_t i = 0; i < part.size(); ++i) part[i] = a.part[a.row_of_node[i]];
    }
    s.surfaces.push_back({.points = view.points,
                          .velocities = view.velocities,
                          .triangles = view.triangles,
                          .rest = rest,
                          .embedding = view.embedding,
                          .tets = view.tets,
                          .part = part,
                          .system = number,
                          .owner = number,
                          .distance = distance,
                          .friction = view.friction,
                          .revision = view.revision});
}

/// Static props keep the places they had; moving ones start where they are and end where their motion leads.
void add_prop(World& w, int index) {
    StepScratch& s = *w.scratch;
    const Prop& prop = w.props[index];
    const int owner = -1 - index;
    if (const auto plane = prop.obstacle.shape->plane()) {
        s.planes.push_back({prop.obstacle.start * plane->point, prop.obstacle.start.rotation * plane->normal, owner,
                            prop.obstacle.friction});
        return;
    }
    if (!has_surface(prop)) return;
    const auto place = [&](const Pose& pose, std::vector<Vec3>& out) {
        out.resize(prop.surface.points.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = pose * prop.surface.points[i];
    };
    std::vector<Vec3>&start = s.prop_start[index], &end = s.prop_end[index];
    place(prop.obstacle.start, start);
    if (prop.motion) place(prop.obstacle.end, end);
    s.surfaces.push_back({.points = start,
                          .velocities = {},
                          .triangles = prop.surface.triangles,
                          .end = prop.motion ? std::span<const Vec3>(end) : std::span<const Vec3>(),
                          .owner = owner,
                          .friction = prop.obstacle.friction});
}

/// Scenes that begin with bodies in each other are told so: barriers keep apart what is apart.
void warn_of_overlaps(World& w) {
    const auto warn = [&](const std::string& a, const std::string& b, const char* how) {
        w.warnings.once("overlap", -1, [&]() -> Warning {
            return {"'" + a + "' and '" + b + "' " + how + " at t = " + short_number(w.time) +
                        " s, and barriers do not act where they do until they have parted",
                    "Leave a small gap between them at the start"};
        });
    };
    if (w.steps == 0) {
        const Intersections found = find_intersections(w);
        if (!found.crossings.pairs.empty())
            warn(found.names[found.crossings.pairs[0].surface_a], found.names[found.crossings.pairs[0].surface_b],
                 "cross");
    }
    const auto [a, b] = w.touch.stats().touched_before;
    const auto name = [&](int owner) { return owner < 0 ? w.props[-1 - owner].name : body_name(w, owner); };
    if (a != b) warn(name(a), name(b), "touch");
}

void find_touches(World& w, const StepContext& c) {
    StepScratch& s = *w.scratch;
    s.surfaces.clear(), s.planes.clear();
    s.node_part.resize(static_cast<std::size_t>(solved_count(w)));
    s.prop_start.resize(w.props.size()), s.prop_end.resize(w.props.size());
    int number = 0;
    for_each_solved(w, [&](const auto& body) {
        if (w.barriers && body.collide && !steps_itself(body))
            add_surface(w, number, s.views[number], body.surface().points,
                        body.contact_distance.value_or(contact_distance * s.views[number].spacing), system(body));
        ++number;
    });
    for (int i = 0; w.barriers && i < static_cast<int>(w.props.size()); ++i) add_prop(w, i);
    w.touch.excluded = {};
    if (!w.ignored.empty()) w.touch.excluded = [&w](int a, int b) { return ignores(w, a, b); };
    w.touch.begin(s.surfaces, s.planes, c.dt, w.dt, *w.threads);
    if (w.barriers) warn_of_overlaps(w);
}

/// Springs leave alone what passes through each other and, where there are barriers, all but leap-frog bodies,
/// obstacles that yield, and props that are seen as nothing.
void share_work(World& w) {
    w.contact.handles = {};
    if (!w.barriers) {
        if (!w.ignored.empty()) w.contact.handles = [&w](int view, int partner) { return !ignores(w, view, partner); };
        return;
    }
    std::vector<char> leaps;
    for_each_solved(w, [&](const auto& body) { leaps.push_back(steps_itself(body)); });
    std::vector<char> others;
    for (std::size_t o = 0; o < w.scratch->obstacles.size(); ++o)
        others.push_back(o >= w.props.size() || !has_surface(w.props[o]));
    w.contact.handles = [&w, leaps = std::move(leaps), others = std::move(others)](int view, int partner) {
        return (leaps[view] || (partner < 0 ? others[-1 - partner] : leaps[partner])) && !ignores(w, view, partner);
    };
}

}  // namespace

void find_collisions(World& w, const StepContext& c) {
    {
        StageTimer timer(w.times, "contacts");
        StepScratch& scratch = *w.scratch;
        scratch.views.clear();
        for_each_solved(w, [&](auto& body) { scratch.views.push_back(surface_view(body)); });
        place_obstacles(w, c);
        find_touches(w, c);
        share_work(w);
        w.contact.detect(scratch.views, scratch.obstacles, c.dt, *w.threads, w.gravity);
    }
    exclude_own_contacts(w, c);
}

void finish_own_contacts(World& w, const StepContext& c) {
    for_each_solved(w, [&](auto& body) {
        if constexpr (requires { touches(body); })
            if (steps_itself(body)) finish_own_steps(body, c.dt, *w.threads);
    });
    StepScratch& scratch = *w.scratch;
    scratch.next_touch.assign(static_cast<std::size_t>(solved_count(w)), 0);
    for (int i : scratch.own_contacts) {
        const int number = w.contact.contacts()[i].body;
        visit_solved(w, number, [&](auto& body) {
            if constexpr (requires { touches(body); }) {
                const ParticleTouch& touch = touches(body)[scratch.next_touch[number]++];
                w.contact.finish_excluded(i, touch.impulse.dot(touch.normal),
                                          mean_velocity(body.x, trial_positions(body), touch, c.dt));
            }
        });
    }
}

}  // namespace pliant
