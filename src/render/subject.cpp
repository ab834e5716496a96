#include "pliant/render/subject.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

namespace {

bool deformable(const BodyFrame& body) { return body.kind != "obstacle"; }

/// Boxes of all bodies, found once: bodies may have very many triangles.
struct Bounds {
    std::vector<Box> each;
    Box bodies;  ///< without obstacles

    explicit Bounds(const Frame& frame) {
        for (const BodyFrame& body : frame.bodies) {
            each.push_back(visible_bounds(body));
            if (deformable(body)) bodies.add(each.back());
        }
    }
};

bool is_floor_of(const BodyFrame& body, const Box& box, const Box& bodies) {
    if (deformable(body) || bodies.empty() || box.empty()) return false;
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

/// The bodies that are to be seen, by their number.
std::vector<std::size_t> subjects(const Frame& frame, const Bounds& bounds) {
    std::vector<std::size_t> list;
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
        const BodyFrame& body = frame.bodies[b];
        const Box& box = bounds.each[b];
        if (!deformable(body) && !bounds.bodies.empty())
            if (is_floor_of(body, box, bounds.bodies) || box.diagonal() > 1.5 * bounds.bodies.diagonal()) continue;
        list.push_back(b);
    }
    return list;
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
    return !deformable(body) && is_floor_of(body, visible_bounds(body), bodies);
}

Box subject_bounds(const Frame& frame) {
    Box box;
    const Bounds bounds(frame);
    for (std::size_t b : subjects(frame, bounds)) box.add(bounds.each[b]);
    return box;
}

std::vector<Box> subject_boxes(const Frame& frame) {
    constexpr int cells = 6;
    std::vector<Box> boxes;
    const Bounds bounds(frame);
    for (std::size_t b : subjects(frame, bounds)) {
        const BodyFrame* body = &frame.bodies[b];
        const Box& whole = bounds.each[b];
        if (whole.empty()) continue;
        const Vec3 scale = Vec3::Constant(cells).cwiseQuotient(whole.size().cwiseMax(1e-300));
        std::array<Box, cells * cells * cells> grid;
        for (const Tri& t : *body->triangles)
            for (int i : t) {
                if (i < 0 || std::size_t(i) >= body->points.size() || !body->points[i].allFinite()) continue;
                const Vec3 at = (body->points[i] - whole.min).cwiseProduct(scale);
                int cell[3];
                for (int k = 0; k < 3; ++k) cell[k] = std::clamp(int(std::min(at[k], double(cells))), 0, cells - 1);
                grid[(cell[0] * cells + cell[1]) * cells + cell[2]].add(body->points[i]);
            }
        for (const Box& box : grid)
            if (!box.empty()) boxes.push_back(box);
    }
    return boxes;
}

std::optional<Floor> floor_of(const Frame& frame) {
    const Bounds bounds(frame);
    std::optional<Floor> highest;
    for (std::size_t b = 0; b < frame.bodies.size(); ++b)
        if (is_floor_of(frame.bodies[b], bounds.each[b], bounds.bodies)) {
            const double top = bounds.each[b].max[1];
            if (!highest || top > highest->height) highest = Floor{top, true};
        }
    if (highest) return highest;
    // Large obstacles that are no floor (a ramp, a wall) still stand on it.
    Box all;
    for (const Box& box : bounds.each) all.add(box);
    if (all.empty()) return std::nullopt;
    return Floor{all.min[1], false};
}

}  // namespace pliant
