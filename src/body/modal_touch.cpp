// Where modal bodies touch: vertices against obstacles and rigid bodies, vertices against the surfaces of modal bodies.

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/body/modal_contact_bodies.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {

namespace {

// Vertices against a shape. drift(p): how the shape's surface moves there. `ahead`: the pose is that at the end of the
// step, so that its motion is in it.
template <class Drift>
void against_shape(const ContactBody& m, int number, const ObstacleShape& shape, const Pose& pose, bool ahead,
                   int partner, double friction, double dt, Drift&& drift, std::vector<ModalTouch>& found) {
    const Pose back = pose.inverse();
    const std::span<const Vec3> points = m.points(), velocities = m.velocities();
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
        const Vec3& p = points[static_cast<std::size_t>(i)];
        const Vec3& v = velocities[static_cast<std::size_t>(i)];
        const double reach = 2 * dt * (ahead ? v.norm() : (v - drift(p)).norm()) + 0.1 * m.spacing;
        ObstaclePoint hit;
        if (!shape.nearest(back * p, reach, hit) || hit.distance > reach) continue;
        ModalTouch t;
        t.body = number, t.vertex = i, t.partner = partner;
        t.point = pose * hit.point;
        t.normal = pose.rotation * hit.normal;
        t.drift = drift(t.point);
        t.gap = hit.distance;
        t.friction = combined_friction(m.friction, friction);
        t.approach = -t.normal.dot(v - t.drift);
        found.push_back(t);
    }
}

void against_obstacle(const ContactBody& m, int number, const Obstacle& o, int which, double dt,
                      std::vector<ModalTouch>& found) {
    const Pose to_start = o.start * o.end.inverse();
    against_shape(
        m, number, *o.shape, o.end, true, -1 - which, o.friction, dt,
        [&](const Vec3& p) -> Vec3 { return (p - to_start * p) / dt; }, found);
}

// The drift serves detection; the rows know the rigid body itself.
void against_rigid(const ContactBody& m, int number, const ContactBody& other, int which, double dt,
                   std::vector<ModalTouch>& found) {
    const std::size_t first = found.size();
    against_shape(
        m, number, *other.form, other.pose, false, which, other.friction, dt,
        [&](const Vec3& p) -> Vec3 { return other.v + other.spin.cross(p - other.x); }, found);
    for (std::size_t i = first; i < found.size(); ++i) found[i].drift.setZero();
}

// The place at rest of a world point that moves with the body: the displacement there is taken back, three times over.
Vec3 rest_place(const ModalBody& body, const Vec3& p) {
    const Vec3 local = body.frame.rotation.conjugate() * (p - body.frame.translation) + body.centre;
    Vec3 q = local;
    for (int round = 0; round < 3; ++round) {
        Vec3 moved = Vec3::Zero();
        int best = -1;
        double outside = std::numeric_limits<double>::infinity();
        Vec4 weight;
        const Box near{q - Vec3::Constant(body.spacing), q + Vec3::Constant(body.spacing)};
        body.rest_tets.overlapping(near, [&](int t) {
            const Tet& tet = body.mesh.tets[t];
            const auto& x = body.mesh.rest;
            Mat3 edges;
            for (int k = 0; k < 3; ++k) edges.col(k) = x[tet[k + 1]] - x[tet[0]];
            const Vec3 w = edges.inverse() * (q - x[tet[0]]);
            const Vec4 full(1 - w.sum(), w[0], w[1], w[2]);
            const double over = -std::min(0.0, full.minCoeff());
            if (over < outside) outside = over, best = t, weight = full;
        });
        if (best < 0) break;
        weight = weight.cwiseMax(0);
        weight /= weight.sum();
        for (int k = 0; k < 4; ++k) {
            const int node = body.mesh.tets[best][k];
            for (int m = 0; m < body.basis.mode_count(); ++m)
                moved += weight[k] * body.oscillators.z[m] * body.basis.shape_at(node, m);
        }
        q = local - moved;
    }
    return q;
}

void against_modal(const ContactBody& m, int number, const ContactBody& mate, int which, double dt,
                   std::vector<ModalTouch>& found) {
    const ModalBody& other = *mate.modal;
    const Box box = mate.box.grown(2 * dt * (m.fastest + mate.fastest) + 0.1 * other.spacing);
    const double deepest = 0.25 * other.mesh.bounds().diagonal();
    const std::span<const Vec3> points = m.points(), velocities = m.velocities();
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
        const Vec3& p = points[static_cast<std::size_t>(i)];
        const Vec3& v = velocities[static_cast<std::size_t>(i)];
        if (!box.contains(p)) continue;
        const double reach = 2 * dt * (v - other.velocity).norm() + 0.1 * m.spacing;
        const Vec3 q = rest_place(other, p);
        const double look = std::max(reach, deepest);
        const auto nearest = other.rest_triangles.nearest(q, look * look, [&](int t) {
            const Tri& tri = other.surface().triangles[t];
            return distance2_to_triangle(q, other.surface().points[tri[0]], other.surface().points[tri[1]],
                                         other.surface().points[tri[2]]);
        });
        if (nearest.item < 0) continue;
        const Tri& tri = other.surface().triangles[nearest.item];
        const auto& r = other.surface().points;
        const ClosestOnTriangle at = closest_on_triangle(q, r[tri[0]], r[tri[1]], r[tri[2]]);
        const bool inside = (q - at.point).dot((r[tri[1]] - r[tri[0]]).cross(r[tri[2]] - r[tri[0]])) < 0;
        const double distance = std::sqrt(at.distance2);
        if (!inside && distance > reach) continue;
        const auto& x = other.points;
        const Vec3 normal = (x[tri[1]] - x[tri[0]]).cross(x[tri[2]] - x[tri[0]]);
        if (!(normal.norm() > 0)) continue;
        ModalTouch t;
        t.body = number, t.vertex = i, t.partner = which, t.on = tri, t.weight = at.weight;
        t.normal = normal.normalized();
        Vec3 speed_there = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
            t.point += at.weight[k] * x[tri[k]], speed_there += at.weight[k] * other.velocities[tri[k]];
        t.gap = inside ? -distance : distance;
        t.friction = combined_friction(m.friction, other.friction);
        t.approach = -t.normal.dot(v - speed_there);
        found.push_back(t);
    }
}

struct Clustering {
    double radius;  // m
    std::size_t most;
};

// Of points that lie together only the deepest acts; a pair keeps a bounded number.
void cluster(const Clustering& how, std::vector<ModalTouch>& found, std::vector<ModalTouch>& out) {
    std::sort(found.begin(), found.end(), [](const ModalTouch& a, const ModalTouch& b) {
        return a.gap != b.gap ? a.gap < b.gap : a.body != b.body ? a.body < b.body : a.vertex < b.vertex;
    });
    const std::size_t first = out.size();
    for (const ModalTouch& t : found) {
        if (out.size() - first == how.most) break;
        bool apart = true;
        for (std::size_t k = first; k < out.size() && apart; ++k)
            apart = (out[k].point - t.point).norm() > how.radius ||
                    (out[k].body == t.body ? 1 : -1) * out[k].normal.dot(t.normal) < 0.7;
        if (apart) out.push_back(t);
    }
}

// A vertex touches with the side it faces: one that has sunk in a little behind an edge would otherwise be stopped by
// the edge as if it were a wall.
void keep_facing(std::span<const ContactBody> contact_bodies, std::vector<ModalTouch>& pair) {
    std::erase_if(pair, [&](const ModalTouch& t) {
        const Vec3 n = contact_bodies[static_cast<std::size_t>(t.body)].normal(t.vertex);
        return n.squaredNorm() > 0 && n.dot(t.normal) > -0.15;
    });
}

// What carries a rigid body that a modal one touches, so that it does not seem to float. Rigid bodies that no modal one
// touches are taken for obstacles that move as they do. Bullet keeps surfaces apart by a margin: within twice of it
// they touch.
void find_supports(std::span<ContactBody> contact_bodies, int modal_count, int number,
                   std::span<const Obstacle> obstacles, double dt, std::vector<ModalTouch>& touches,
                   std::vector<ModalTouch>& pair) {
    ContactBody& m = contact_bodies[static_cast<std::size_t>(number)];
    auto take = [&](double margin) {
        m.carried = m.carried || !pair.empty();
        for (ModalTouch& t : pair) t.support = true, t.gap = std::max(0.0, t.gap - 2 * margin);
        cluster({0.1 * m.radius, 8}, pair, touches);
        pair.clear();
    };
    for (int o = 0; o < static_cast<int>(obstacles.size()); ++o) {
        against_obstacle(m, number, obstacles[static_cast<std::size_t>(o)], o, dt, pair);
        take(m.margin);
    }
    for (int b = modal_count; b < static_cast<int>(contact_bodies.size()); ++b) {
        const ContactBody& other = contact_bodies[static_cast<std::size_t>(b)];
        if (b == number || !other.present || !m.box.grown(0.1 * m.radius).overlaps(other.box)) continue;
        if (other.touched && b < number) continue;  // the pair has had its turn
        against_rigid(m, number, other, b, dt, pair);
        against_rigid(other, b, m, number, dt, pair);
        keep_facing(contact_bodies, pair);
        if (!other.touched)
            for (ModalTouch& t : pair) {
                if (t.body == b) t.body = number, t.normal = -t.normal;
                t.partner = -1, t.drift = other.v + other.spin.cross(t.point - other.x);
            }
        take(m.margin + other.margin);
    }
}

}  // namespace

int find_touches(std::span<ContactBody> contact_bodies, int modal_count, std::span<const Obstacle> obstacles, double dt,
                 std::vector<ModalTouch>& touches, std::vector<ModalTouch>& pair) {
    touches.clear(), pair.clear();
    int count = 0;
    const int all = static_cast<int>(contact_bodies.size());
    for (ContactBody& m : contact_bodies) m.touched = m.joined;
    for (int a = 0; a < modal_count; ++a) {
        ContactBody& m = contact_bodies[static_cast<std::size_t>(a)];
        const ModalBody& body = *m.modal;
        if (!body.collide) continue;
        const double size = body.mesh.bounds().diagonal();
        const Clustering how{body.contact.cluster > 0 ? body.contact.cluster : 0.06 * size,
                             static_cast<std::size_t>(body.contact.most)};
        auto take = [&] {
            count += static_cast<int>(pair.size());
            if (body.contact.penalty)
                std::copy_if(pair.begin(), pair.end(), std::back_inserter(touches),
                             [](const ModalTouch& t) { return t.gap < 0; });
            else
                cluster(how, pair, touches);
            pair.clear();
        };
        for (int o = 0; o < static_cast<int>(obstacles.size()); ++o) {
            against_obstacle(m, a, obstacles[static_cast<std::size_t>(o)], o, dt, pair);
            take();
        }
        for (int b = 0; b < all; ++b) {
            ContactBody& other = contact_bodies[static_cast<std::size_t>(b)];
            if (a == b || !other.near || (other.modal && !other.modal->collide)) continue;
            const double reach = 2 * dt * (m.fastest + other.fastest) + 0.1 * std::max(m.spacing, other.spacing);
            if (!m.box.grown(reach).overlaps(other.box)) continue;
            if (other.modal) {
                against_modal(m, a, other, b, dt, pair);
            } else {
                against_rigid(m, a, other, b, dt, pair);
                against_modal(other, b, m, a, dt, pair);
                keep_facing(contact_bodies, pair);
            }
            const std::size_t before = touches.size();
            take();
            if (other.rigid && touches.size() > before) other.touched = true;
        }
    }
    for (int b = modal_count; b < all; ++b)
        if (contact_bodies[static_cast<std::size_t>(b)].touched && contact_bodies[static_cast<std::size_t>(b)].movable)
            find_supports(contact_bodies, modal_count, b, obstacles, dt, touches, pair);
    return count;
}

}  // namespace pliant
