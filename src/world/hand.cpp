#include "pliant/world/hand.hpp"

#include <Eigen/LU>

namespace pliant {

namespace {

/// One FEM body's part of a surface point.
struct Held {
    int body;
    const FemBody* fem;
    Tri corner;
};

std::optional<Held> find(const World& w, const SurfacePoint& point) {
    for (std::size_t b = 0; b < w.fem.size(); ++b) {
        const FemBody& body = w.fem[b];
        if (body.name != point.body) continue;
        if (point.triangle < 0 || point.triangle >= static_cast<int>(body.surface.triangles.size())) return {};
        return Held{static_cast<int>(b), &body, body.surface.triangles[point.triangle]};
    }
    return {};
}

Vec3 blend(const std::vector<Vec3>& points, const Tri& corner, const Vec3& weight) {
    return weight[0] * points[corner[0]] + weight[1] * points[corner[1]] + weight[2] * points[corner[2]];
}

/// Nodes within `radius` of a place, or the nearest one of the tet that carries the point.
std::vector<int> nodes_near(const FemBody& body, const Tet& tet, const Vec3& at, double radius) {
    std::vector<int> nodes;
    for (int i = 0; i < body.mesh.node_count(); ++i)
        if ((body.x[i] - at).squaredNorm() <= radius * radius) nodes.push_back(i);
    if (nodes.empty()) {
        int best = tet[0];
        for (int node : tet)
            if ((body.x[node] - at).squaredNorm() < (body.x[best] - at).squaredNorm()) best = node;
        nodes.push_back(best);
    }
    return nodes;
}

/// The tet that carries most of the point.
int carrier(const Held& held, const Vec3& weight) {
    int heaviest = 0;
    weight.maxCoeff(&heaviest);
    return held.fem->embedding.tet[held.corner[heaviest]];
}

}  // namespace

bool can_be_held(const World& w, const std::string& body) {
    for (const FemBody& fem : w.fem)
        if (fem.name == body) return true;
    return false;
}

std::optional<Vec3> position_of(const World& w, const SurfacePoint& point) {
    const auto held = find(w, point);
    if (!held) return {};
    return blend(held->fem->points, held->corner, point.weight);
}

std::optional<Vec3> start_of(const World& w, const SurfacePoint& point) {
    const auto held = find(w, point);
    if (!held) return {};
    return blend(held->fem->surface.points, held->corner, point.weight);
}

std::optional<Drag> spring_at(const World& w, const SurfacePoint& point) {
    const auto held = find(w, point);
    if (!held) return {};
    const FemBody& body = *held->fem;
    const int tet = carrier(*held, point.weight);
    const Tet& nodes = body.mesh.tets[tet];
    // Weights from the rest shape, which is never flat.
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = body.mesh.rest[nodes[a + 1]] - body.mesh.rest[nodes[0]];
    const Vec3 rest = blend(body.surface.points, held->corner, point.weight);
    const Vec3 s = edges.inverse() * (rest - body.mesh.rest[nodes[0]]);
    Drag drag;
    drag.body = held->body;
    drag.tet = tet;
    drag.weight = Vec4(1 - s.sum(), s[0], s[1], s[2]);
    return drag;
}

double feel_of(const World& w, const Drag& drag) {
    const FemBody& body = w.fem[drag.body];
    double inverse = 0;
    for (int k = 0; k < 4; ++k) {
        const int node = body.mesh.tets[drag.tet][k];
        // Before the first step there is no system yet: the mass alone then.
        const double mass = w.steps > 0 ? body.solid.effective_mass(node) : body.solid.mass()[node];
        inverse += drag.weight[k] * drag.weight[k] / mass;
    }
    return 1 / (inverse * w.dt * w.dt);
}

std::vector<Grip> pins_at(const World& w, const SurfacePoint& point, double radius) {
    std::vector<Grip> grips;
    const auto held = find(w, point);
    if (!held) return grips;
    const FemBody& body = *held->fem;
    const Vec3 at = blend(body.points, held->corner, point.weight);
    const Tet& tet = body.mesh.tets[carrier(*held, point.weight)];
    for (int node : nodes_near(body, tet, at, radius)) {
        const Pose here{Quat::Identity(), body.x[node] - body.mesh.rest[node]};
        grips.push_back({held->body, {node}, [here](double) { return here; }, {}});
    }
    return grips;
}

std::optional<Pull> push_at(const World& w, const SurfacePoint& point, double radius, const Vec3& newton) {
    const auto held = find(w, point);
    if (!held) return {};
    const FemBody& body = *held->fem;
    const Vec3 at = blend(body.points, held->corner, point.weight);
    const Tet& tet = body.mesh.tets[carrier(*held, point.weight)];
    return Pull{held->body, nodes_near(body, tet, at, radius), [newton](double) { return newton; }, {}};
}

}  // namespace pliant
