// Where modal bodies touch: vertices against obstacles, vertices against the surfaces of other bodies.

#include <algorithm>
#include <cmath>

#include "pliant/body/modal_contact.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {

namespace {

Vec3 world_vector(const Pose& pose, const Vec3& v) { return pose.rotation * v; }

void against_obstacle(const ModalBody& body, int number, const Obstacle& obstacle, int which, double dt,
                      std::vector<ModalTouch>& found) {
    const Pose back = obstacle.end.inverse(), before = obstacle.start;
    for (int i = 0; i < static_cast<int>(body.points.size()); ++i) {
        const Vec3& p = body.points[i];
        const double reach = 2 * dt * body.velocities[i].norm() + 0.1 * body.spacing;
        ObstaclePoint hit;
        if (!obstacle.shape->nearest(back * p, reach, hit) || hit.distance > reach) continue;
        ModalTouch t;
        t.body = number, t.vertex = i, t.partner = -1 - which;
        t.point = obstacle.end * hit.point;
        t.normal = world_vector(obstacle.end, hit.normal);
        t.drift = (t.point - before * hit.point) / dt;
        t.gap = hit.distance;
        t.friction = combined_friction(body.friction, obstacle.friction);
        t.approach = -t.normal.dot(body.velocities[i] - t.drift);
        found.push_back(t);
    }
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

void against_body(const ModalBody& body, int number, const ModalBody& other, int which, double dt,
                  std::vector<ModalTouch>& found) {
    Box box = bounds(other);
    const double speed = max_speed(body) + max_speed(other);
    box = box.grown(2 * dt * speed + 0.1 * other.spacing);
    for (int i = 0; i < static_cast<int>(body.points.size()); ++i) {
        const Vec3& p = body.points[i];
        if (!box.contains(p)) continue;
        const double reach = 2 * dt * (body.velocities[i] - other.velocity).norm() + 0.1 * body.spacing;
        const double deepest = 0.25 * other.mesh.bounds().diagonal();
        const Vec3 q = rest_place(other, p);
        const double look = std::max(reach, deepest);
        const auto nearest = other.rest_triangles.nearest(q, look * look, [&](int t) {
            const Tri& tri = other.surface.triangles[t];
            return distance2_to_triangle(q, other.surface.points[tri[0]], other.surface.points[tri[1]],
                                         other.surface.points[tri[2]]);
        });
        if (nearest.item < 0) continue;
        const Tri& tri = other.surface.triangles[nearest.item];
        const auto& r = other.surface.points;
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
        t.friction = combined_friction(body.friction, other.friction);
        t.approach = -t.normal.dot(body.velocities[i] - speed_there);
        found.push_back(t);
    }
}

// Of points that lie together only the deepest acts; a pair keeps a bounded number.
void cluster(const ModalBody& body, std::vector<ModalTouch>& found, std::vector<ModalTouch>& out) {
    if (body.contact.penalty) {
        for (const ModalTouch& t : found)
            if (t.gap < 0) out.push_back(t);
        return;
    }
    const double radius = body.contact.cluster > 0 ? body.contact.cluster : 0.06 * body.mesh.bounds().diagonal();
    std::stable_sort(found.begin(), found.end(), [](const ModalTouch& a, const ModalTouch& b) {
        return a.gap != b.gap ? a.gap < b.gap : a.vertex < b.vertex;
    });
    const std::size_t first = out.size();
    for (const ModalTouch& t : found) {
        if (out.size() - first == static_cast<std::size_t>(body.contact.most)) break;
        bool apart = true;
        for (std::size_t k = first; k < out.size() && apart; ++k)
            apart = (out[k].point - t.point).norm() > radius || out[k].normal.dot(t.normal) < 0.7;
        if (apart) out.push_back(t);
    }
}

}  // namespace

std::vector<ModalTouch> find_touches(std::span<const ModalBody> bodies, std::span<const Obstacle> obstacles, double dt,
                                     int* candidates) {
    std::vector<ModalTouch> out, pair;
    int count = 0;
    auto take = [&](const ModalBody& body) {
        count += static_cast<int>(pair.size());
        cluster(body, pair, out);
        pair.clear();
    };
    for (int a = 0; a < static_cast<int>(bodies.size()); ++a) {
        if (!bodies[a].collide) continue;
        for (int o = 0; o < static_cast<int>(obstacles.size()); ++o) {
            against_obstacle(bodies[a], a, obstacles[o], o, dt, pair);
            take(bodies[a]);
        }
        for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
            if (a == b || !bodies[b].collide) continue;
            against_body(bodies[a], a, bodies[b], b, dt, pair);
            take(bodies[a]);
        }
    }
    if (candidates) *candidates = count;
    return out;
}

}  // namespace pliant
