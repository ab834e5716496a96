#include "pliant/render/subject.hpp"

#include <algorithm>

namespace pliant {

namespace {

bool deformable(const BodyFrame& body) { return body.kind != "obstacle"; }

Box bodies_bounds(const Frame& frame) {
    Box box;
    for (const BodyFrame& body : frame.bodies)
        if (deformable(body)) box.add(visible_bounds(body));
    return box;
}

}  // namespace

Box visible_bounds(const BodyFrame& body) {
    Box box;
    if (!body.triangles) return box;
    for (const Tri& t : *body.triangles)
        for (int i : t)
            if (i >= 0 && std::size_t(i) < body.points.size() && body.points[i].allFinite()) box.add(body.points[i]);
    return box;
}

bool is_floor(const BodyFrame& body, const Box& bodies) {
    if (deformable(body) || bodies.empty()) return false;
    const Box box = visible_bounds(body);
    if (box.empty()) return false;
    const double wide = 2.5 * std::max({bodies.size()[0], bodies.size()[2], 0.5 * bodies.size()[1]});
    if (box.size()[0] < wide || box.size()[2] < wide) return false;
    // Level: every part that faces up lies at the top.
    const double slack = 1e-6 * box.diagonal();
    for (const Tri& t : *body.triangles) {
        const Vec3 &a = body.points[t[0]], &b = body.points[t[1]], &c = body.points[t[2]];
        if (!(std::abs((b - a).cross(c - a)[1]) > 1e-6 * (b - a).cross(c - a).norm())) continue;
        const double top = std::max({a[1], b[1], c[1]}), bottom = std::min({a[1], b[1], c[1]});
        if (top - bottom > slack) return false;
        if (top < box.max[1] - slack && bottom > box.min[1] + slack) return false;
    }
    return true;
}

Box subject_bounds(const Frame& frame) {
    const Box bodies = bodies_bounds(frame);
    Box box = bodies;
    for (const BodyFrame& body : frame.bodies) {
        if (deformable(body) || is_floor(body, bodies)) continue;
        const Box b = visible_bounds(body);
        if (bodies.empty() || (!b.empty() && b.diagonal() <= 1.5 * bodies.diagonal())) box.add(b);
    }
    return box;
}

std::optional<Floor> floor_of(const Frame& frame) {
    const Box bodies = bodies_bounds(frame);
    std::optional<Floor> highest;
    for (const BodyFrame& body : frame.bodies)
        if (is_floor(body, bodies)) {
            const double top = visible_bounds(body).max[1];
            if (!highest || top > highest->height) highest = Floor{top, true};
        }
    if (highest) return highest;
    // Large obstacles that are no floor (a ramp, a wall) still stand on it.
    Box all;
    for (const BodyFrame& body : frame.bodies) all.add(visible_bounds(body));
    if (all.empty()) return std::nullopt;
    return Floor{all.min[1], false};
}

}  // namespace pliant
