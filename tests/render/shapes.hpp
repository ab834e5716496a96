#pragma once
// Small bodies with known outlines.

#include <cmath>
#include <memory>
#include <numbers>

#include "pliant/world/frame.hpp"

namespace pliant::test {

inline BodyFrame body(std::vector<Vec3> points, std::vector<Tri> triangles, const std::string& kind = "fem") {
    BodyFrame b;
    b.name = kind;
    b.kind = kind;
    b.points = std::move(points);
    b.triangles = std::make_shared<const std::vector<Tri>>(std::move(triangles));
    return b;
}

inline BodyFrame sphere(const Vec3& center, double radius, int rings = 32, const std::string& kind = "fem") {
    std::vector<Vec3> points;
    std::vector<Tri> triangles;
    const int around = 2 * rings;
    for (int i = 0; i <= rings; ++i)
        for (int j = 0; j < around; ++j) {
            const double a = std::numbers::pi * i / rings, b = std::numbers::pi * j / rings;
            points.push_back(center +
                             radius * Vec3(std::sin(a) * std::cos(b), std::cos(a), -std::sin(a) * std::sin(b)));
        }
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < around; ++j) {
            const int a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
            triangles.push_back({a, c, b});  // one of each pair at the poles has no area, as real meshes do
            triangles.push_back({b, c, d});
        }
    BodyFrame s = body(points, triangles, kind);
    s.color = Vec3(1, 1, 1);
    return s;
}

inline BodyFrame box(const Vec3& low, const Vec3& high, const std::string& kind = "fem") {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i)
        points.push_back(Vec3((i & 1 ? high : low)[0], (i & 2 ? high : low)[1], (i & 4 ? high : low)[2]));
    return body(points,
                {{0, 2, 1},
                 {1, 2, 3},
                 {4, 5, 6},
                 {5, 7, 6},
                 {0, 1, 4},
                 {1, 5, 4},
                 {2, 6, 3},
                 {3, 6, 7},
                 {0, 4, 2},
                 {2, 4, 6},
                 {1, 3, 5},
                 {3, 7, 5}},
                kind);
}

inline Frame frame_of(std::vector<BodyFrame> bodies) {
    Frame frame;
    frame.bodies = std::move(bodies);
    return frame;
}

}  // namespace pliant::test
