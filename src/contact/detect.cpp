// Finding contacts: boxes of bodies first, then vertices against obstacles and against triangles of other bodies.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/contact/contact.hpp"
#include "pliant/contact/scratch.hpp"
#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr std::size_t chunk_vertices = 128;
constexpr double never = std::numeric_limits<double>::infinity();

// Depth up to which a vertex is looked for inside another body, over the spacing. What touched in the previous step
// is followed deeper.
constexpr double search_depth = 0.5;
// A vertex meets only triangles that face it: cosine between its normal and theirs below this. It keeps the normals of
// thin bodies from flipping, since the far side of a plate faces the same way as the vertex that came through it.
constexpr double facing = 0.3;

double gentle(double depth, double knee) { return depth > knee ? knee * (1 + std::log(depth / knee)) : depth; }

// One vertex during the step.
struct MovingVertex {
    int body, vertex;
    Vec3 start, end, velocity;
    Box swept;
    const ContactAnchor* anchor;  // first of this vertex' anchors
    const ContactAnchor* anchors_end;

    const ContactAnchor* anchor_of(int partner, int slot) const {
        for (const ContactAnchor* a = anchor; a != anchors_end && a->body == body && a->vertex == vertex; ++a)
            if (a->partner == partner && a->slot == slot) return a;
        return nullptr;
    }
    double followed_depth(int partner) const {
        const ContactAnchor* a = anchor_of(partner, 0);
        return a ? 1.5 * std::max(0.0, a->depth) : 0.0;
    }
};

struct Detection {
    const ContactOptions& options;
    std::span<const SurfaceView> views;
    std::span<const Obstacle> obstacles;
    const std::vector<IntoObstacle>& into;
    const std::vector<BodyCache>& bodies;
    double dt;
    Vec3 kick;  // velocity that gravity adds in the step

    // Fills in what all contacts share and keeps what friction remembers.
    void add(const MovingVertex& m, Contact& c, double spacing, std::vector<Contact>& out) const {
        if (!(c.normal.squaredNorm() > 0.5) || !std::isfinite(c.distance)) return;
        c.body = m.body, c.vertex = m.vertex;
        c.offset = options.offset * spacing;
        const ContactAnchor* a = m.anchor_of(c.partner, c.slot);
        // What begins nearer than the offset keeps that gap for now: brought to the offset at once it would be thrown.
        const double near = std::clamp(c.distance, 0.0, c.offset);
        c.integral_offset = a ? a->integral_offset : c.between_pieces() ? 0.0 : near - c.offset;
        // Two sides of a crack begin in touch: kept at a distance they would burst what is left between them.
        const double g = c.distance - (c.between_pieces() ? 0 : c.offset) - c.integral_offset;
        c.base_separation = (g >= 0 ? g : -options.recovery * gentle(-g, options.gentle_depth * spacing)) + c.motion;
        // The first guess goes without gravity: what stands or slides feels it already, and a vertex just above the
        // surface that were pulled to it by mistake would falsify the forces of its neighbours.
        if (c.on_obstacle()) c.velocity -= kick;
        c.end_separation = c.base_separation + dt * c.normal.dot(c.velocity);
        c.approach = std::max(0.0, -c.normal.dot(c.velocity) - c.motion / dt);
        c.stiffness = c.tangent_stiffness = c.force = c.augmented_depth = c.trial_length = c.length_growth = 0;
        c.active = c.solved = c.sliding = c.handled_by_body = false;
        c.tangent_elongation.setZero();
        c.fresh = !a || c.approach * dt > 0.5 * c.offset;
        if (a) {
            c.tangent_elongation = Vec3(a->tangent_elongation[0], a->tangent_elongation[1], a->tangent_elongation[2]);
            c.tangent_elongation -= c.normal * c.normal.dot(c.tangent_elongation);
            c.force = a->force, c.trial_length = a->trial_length, c.length_growth = a->length_growth;
        }
        out.push_back(c);
    }

    void against_obstacle(const MovingVertex& m, int index, std::vector<Contact>& out) const;
    void against_body(const MovingVertex& m, int other, std::vector<Contact>& out) const;
};

// The surface point nearest to the vertex, or, when that is far, the one it would run into: followed through the free
// space that distances promise (sphere tracing), so that nothing is hit which the vertex only passes by.
void Detection::against_obstacle(const MovingVertex& m, int index, std::vector<Contact>& out) const {
    const Obstacle& o = obstacles[index];
    const double spacing = views[m.body].spacing;
    const double near = (options.margin + options.offset) * spacing;
    // In the obstacle's own frame, where it does not move.
    const Vec3 p0 = IntoObstacle::apply(into[index].start, m.start), p1 = IntoObstacle::apply(into[index].end, m.end);
    const Vec3 way = p1 - p0;
    const double path = way.norm();
    const double reach = std::max({near + path, search_depth * spacing, m.followed_depth(-1 - index)});
    ObstaclePoint hit;
    if (!o.shape->nearest(p0, reach, hit)) return;

    auto contact_at = [&](const ObstaclePoint& at, int slot) {
        Contact c;
        c.partner = -1 - index, c.slot = slot, c.triangle = -1;
        c.weight.setZero();
        c.normal = o.end.rotation * at.normal;
        c.point = o.start * at.point;
        const Vec3 end_point = o.end * at.point;
        c.drift = (end_point - c.point) / dt;
        c.distance = at.normal.dot(p0 - at.point);
        c.motion = c.normal.dot(m.start - end_point) - c.distance;
        c.velocity = m.velocity;
        c.friction = combined_friction(views[m.body].friction, o.friction);
        add(m, c, spacing, out);
    };

    if (hit.distance > near) {
        if (!(hit.distance <= near + path)) return;
        double travelled = 0;
        for (int i = 0; hit.distance > near; ++i) {
            travelled += std::max(hit.distance - 0.5 * near, 0.25 * near);
            if (i == 64 || travelled >= path) return;
            if (!o.shape->nearest(p0 + (travelled / path) * way, near + path - travelled, hit)) return;
        }
        contact_at(hit, 0);
        return;
    }
    contact_at(hit, 0);
    if (o.shape->convex() || path < 0.5 * near) return;
    // In a corner: stopped by the first plane, the vertex may still run into another.
    const double below = std::max(0.0, hit.normal.dot(hit.point - p1));
    const Vec3 stopped = p1 + below * hit.normal;
    ObstaclePoint second;
    if (o.shape->nearest(stopped, near + path, second) && second.distance < near &&
        second.normal.dot(hit.normal) < 0.9 && second.normal.dot(p0 - second.point) > -near)
        contact_at(second, 1);
}

// The triangle of another body, or of another piece of its own, that the vertex is nearest to, or the first one it
// would cross.
void Detection::against_body(const MovingVertex& m, int other, std::vector<Contact>& out) const {
    const SurfaceView &a = views[m.body], &b = views[other];
    const Neighbourhood& b_near = bodies[other].near;
    const double spacing = std::min(a.spacing, b.spacing);
    const double near = (options.margin + options.offset) * spacing;
    const ContactAnchor* anchor = m.anchor_of(other, 0);
    // Pieces of one body begin in touch and may be caught in each other: what is deeper than a triangle is let go.
    const bool piece = other == m.body;
    const double depth = search_depth * std::max(a.spacing, b.spacing);
    const double radius =
        std::max({near, depth, piece ? std::min(m.followed_depth(other), a.spacing) : m.followed_depth(other)});
    const Box query = m.swept.grown(radius);
    if (piece ? !bodies[other].pieces.other(query, a.piece[m.vertex]) : !bodies[other].occupancy.any(query)) return;
    Vec3 own_normal = Vec3::Zero();  // looked up when the first triangle is near
    double own_length = -1;

    struct Found {
        int triangle = -1;
        double distance2 = never;
        ClosestOnTriangle at{Vec3::Zero(), Vec3::Zero(), never, TriangleFeature::face};
        // Lower triangle on ties: the order of the visit must not matter.
        void offer(int t, const ClosestOnTriangle& c) {
            if (c.distance2 < distance2 || (c.distance2 == distance2 && t < triangle))
                triangle = t, distance2 = c.distance2, at = c;
        }
    };
    Found any, faced;
    int crossed = -1;
    double crossed_time = never;
    Vec3 crossed_weight = Vec3::Zero();
    bodies[other].tree.overlapping(query, [&](int t) {
        if (piece && a.piece[b.triangles[t][0]] == a.piece[m.vertex]) return;
        if (own_length < 0) {
            const Neighbourhood& own = bodies[m.body].near;
            if (!own.empty()) own_normal = vertex_normal(own, a.points, a.triangles, m.vertex);
            own_length = own_normal.norm();
        }
        const Tri& tri = b.triangles[t];
        const Vec3 &A = b.points[tri[0]], &B = b.points[tri[1]], &C = b.points[tri[2]];
        const ClosestOnTriangle close = closest_on_triangle(m.start, A, B, C);
        any.offer(t, close);
        const Vec3 n = (B - A).cross(C - A);
        const double length = n.norm();
        if (!(length > 0)) return;
        if (own_length > 0 && n.dot(own_normal) > facing * length * own_length) return;
        faced.offer(t, close);
        const std::vector<Vec3>& ends = bodies[other].ends;
        const Vec3 &A1 = ends[tri[0]], &B1 = ends[tri[1]], &C1 = ends[tri[2]];
        const double height = n.dot(m.start - A) / length;
        if (!(height >= 0)) return;
        const Vec3 n1 = (B1 - A1).cross(C1 - A1);
        const double end_height = n1.dot(m.end - A1) / n1.norm();
        if (!(end_height < 0)) return;
        const double time = height / (height - end_height);
        if (time > crossed_time || (time == crossed_time && t > crossed)) return;
        const ClosestOnTriangle then = closest_on_triangle(m.start + time * (m.end - m.start), A + time * (A1 - A),
                                                           B + time * (B1 - B), C + time * (C1 - C));
        if (then.distance2 > near * near) return;
        crossed = t, crossed_time = time, crossed_weight = then.weight;
    });
    if (faced.triangle < 0) return;

    auto contact_at = [&](int triangle, const Vec3& weight, const Vec3& normal) {
        const Tri& tri = b.triangles[triangle];
        Contact c;
        c.partner = other, c.slot = 0, c.triangle = triangle;
        c.weight = weight;
        c.normal = normal;
        c.point = weight[0] * b.points[tri[0]] + weight[1] * b.points[tri[1]] + weight[2] * b.points[tri[2]];
        c.drift.setZero();
        c.distance = normal.dot(m.start - c.point);
        c.motion = 0;
        c.velocity = m.velocity - weight[0] * b.velocities[tri[0]] - weight[1] * b.velocities[tri[1]] -
                     weight[2] * b.velocities[tri[2]] - kick;
        c.friction = combined_friction(a.friction, b.friction);
        add(m, c, spacing, out);
    };

    Vec3 near_normal = Vec3::Zero();
    const Vec3 way = m.start - faced.at.point;
    const double distance = std::sqrt(faced.distance2);
    if (distance <= radius) {
        const Vec3 side = pseudonormal(b_near, b.points, b.triangles, faced.triangle, faced.at.feature);
        const bool behind = way.dot(side) < 0;
        bool inside = behind;
        if (behind) {
            // Behind a facing triangle and yet outside: below the whole body, or beside it.
            const Vec3 any_side = pseudonormal(b_near, b.points, b.triangles, any.triangle, any.at.feature);
            inside = (m.start - any.at.point).dot(any_side) < 0;
            // What touched before and is right below the face came through; it is not let go on the other side.
            const Vec3 n = area_normal(b.points, b.triangles[faced.triangle]);
            if (!inside && anchor) inside = -way.dot(n) > 0.95 * distance * n.norm();
        }
        if (inside || (!behind && distance <= near)) {
            const bool lost = !(distance > 1e-9 * spacing);
            near_normal = lost ? Vec3(side.stableNormalized()) : Vec3(way / (behind ? -distance : distance));
        }
    }
    const bool stands = near_normal.squaredNorm() > 0.5;
    if (crossed >= 0) {
        const Vec3 n = area_normal(b.points, b.triangles[crossed]).stableNormalized();
        if (!stands || (way.dot(near_normal) > 0 && n.dot(near_normal) < 0.7)) {
            contact_at(crossed, crossed_weight, n);
            return;
        }
    }
    if (stands) contact_at(faced.triangle, faced.at.weight, near_normal);
}

// Of all that the body comes near, what this stretch of its vertices does.
bool narrow_down(const DetectJob& job, JobResult& result, const std::vector<BodyCache>& bodies,
                 std::span<const SurfaceView> views, std::span<const Obstacle> obstacles, const ContactOptions& options,
                 double dt, const Vec3& kick) {
    const SurfaceView& view = views[job.body];
    Box box;
    for (std::size_t v = job.begin; v < job.end; ++v) {
        box.add(view.points[v]);
        box.add(view.points[v] + dt * (view.velocities[v] + kick));
    }
    box = box.grown((options.margin + options.offset) * view.spacing);
    result.obstacles.clear();
    result.partners.clear();
    for (int o : bodies[job.body].obstacles)
        if (in_reach(obstacles[o], box)) result.obstacles.push_back(o);
    for (int other : bodies[job.body].partners)
        if (box.overlaps(bodies[other].swept)) result.partners.push_back(other);
    return !result.obstacles.empty() || !result.partners.empty();
}

}  // namespace

double combined_friction(double a, double b) {
    if (a >= 0 && b >= 0) return std::sqrt(a * b);
    return std::max({a, b, 0.0});
}

ContactSolver::ContactSolver() : scratch_(std::make_unique<Scratch>()) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

void ContactSolver::reset() {
    *scratch_ = Scratch{};
    anchors_.clear();
    contacts_.clear();
    rows_.clear();
}

void ContactSolver::renumber(int body, std::span<const int> vertex) {
    std::erase_if(anchors_, [&](const ContactAnchor& a) {
        return a.body == body && (a.vertex >= static_cast<int>(vertex.size()) || vertex[a.vertex] < 0);
    });
    for (ContactAnchor& a : anchors_)
        if (a.body == body) a.vertex = vertex[a.vertex];
    const auto key = [](const ContactAnchor& a) { return std::array{a.body, a.vertex, a.partner, a.slot}; };
    std::sort(anchors_.begin(), anchors_.end(),
              [&](const ContactAnchor& a, const ContactAnchor& b) { return key(a) < key(b); });
    if (body < static_cast<int>(scratch_->bodies.size())) scratch_->bodies[body] = BodyCache{};
}

void ContactSolver::detect(std::span<const SurfaceView> views, std::span<const Obstacle> obstacles, double dt,
                           Threads& threads, const Vec3& gravity) {
    CHECK(dt > 0, dt);
    Scratch& s = *scratch_;
    dt_ = dt;
    stiff_ = false;
    s.views.assign(views.begin(), views.end());
    s.obstacles.assign(obstacles.begin(), obstacles.end());
    const Vec3 kick = dt * gravity;
    forget_changed_bodies(s, views, anchors_);
    find_pairs(s, views, obstacles, options, handles, dt, kick, threads);
    fit_trees(s, views, dt, kick, threads);

    s.jobs.clear();
    for (int i = 0; i < static_cast<int>(views.size()); ++i) {
        const BodyCache& body = s.bodies[i];
        if (body.obstacles.empty() && body.partners.empty()) continue;
        for (std::size_t begin = 0; begin < views[i].points.size(); begin += chunk_vertices)
            s.jobs.push_back({i, begin, std::min(views[i].points.size(), begin + chunk_vertices)});
    }
    if (s.found.size() < s.jobs.size()) s.found.resize(s.jobs.size());

    s.into.clear();
    for (const Obstacle& o : obstacles) s.into.push_back({o.start.inverse(), o.end.inverse()});
    const Detection detection{options, views, obstacles, s.into, s.bodies, dt, kick};
    parallel_for(threads, s.jobs.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
            const DetectJob& job = s.jobs[j];
            const SurfaceView& view = views[job.body];
            JobResult& result = s.found[j];
            std::vector<Contact>& out = result.contacts;
            out.clear();
            if (!narrow_down(job, result, s.bodies, views, obstacles, options, dt, kick)) continue;
            const ContactAnchor *anchor = anchors_.data(), *anchors_end = anchors_.data() + anchors_.size();
            anchor = std::partition_point(anchor, anchors_end, [&](const ContactAnchor& a) {
                return a.body != job.body ? a.body < job.body : a.vertex < static_cast<int>(job.begin);
            });
            for (std::size_t v = job.begin; v < job.end; ++v) {
                MovingVertex m{
                    job.body, static_cast<int>(v), view.points[v], Vec3::Zero(), view.velocities[v] + kick, Box{},
                    nullptr,  anchors_end};
                m.end = m.start + dt * m.velocity;
                m.swept.add(m.start);
                m.swept.add(m.end);
                while (anchor != anchors_end && anchor->body == m.body && anchor->vertex < m.vertex) ++anchor;
                m.anchor = anchor;
                for (int o : result.obstacles) detection.against_obstacle(m, o, out);
                for (int other : result.partners)
                    if (s.bodies[other].swept.overlaps(m.swept)) detection.against_body(m, other, out);
            }
        }
    });
    contacts_.clear();
    for (std::size_t j = 0; j < s.jobs.size(); ++j)
        contacts_.insert(contacts_.end(), s.found[j].contacts.begin(), s.found[j].contacts.end());
}

}  // namespace pliant
