#include "pliant/world/hand.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "pliant/solve/block_system.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// A surface point found in its body, whatever the kind.
struct Found {
    int body;
    Vec3 now;  ///< m
    Point point;
};

Vec3 blend(std::span<const Vec3> points, const Tri& corner, const Vec3& weight) {
    return weight[0] * points[corner[0]] + weight[1] * points[corner[1]] + weight[2] * points[corner[2]];
}

/// A place at rest as a point of a tet, by the rest shape, which is never flat.
Point point_in(const TetMesh& mesh, int tet, const Vec3& at) {
    const Tet& nodes = mesh.tets[tet];
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[nodes[a + 1]] - mesh.rest[nodes[0]];
    const Vec3 s = edges.inverse() * (at - mesh.rest[nodes[0]]);
    return {nodes, {1 - s.sum(), s[0], s[1], s[2]}, tet};
}

template <class Body>
std::optional<Found> found_in(const Body& body, int number, const SurfacePoint& point) {
    const SurfaceView view = surface_view(body);
    if (point.triangle < 0 || point.triangle >= static_cast<int>(view.triangles.size())) return {};
    const Tri& corner = view.triangles[static_cast<std::size_t>(point.triangle)];
    int heaviest = 0;
    point.weight.maxCoeff(&heaviest);
    const Vec3 start = blend(body.surface().points, corner, point.weight);
    const int nearest = view.point(corner[heaviest]).element;
    Found found{number, blend(view.points, corner, point.weight), point_in(body.mesh, nearest, start)};
    // The point may be in a neighbour of the tet that carries the nearest vertex. There the hand acts on what
    // is touched, and a scene that names the point finds the same tet. Tets of other pieces share no node with
    // it.
    const Tet around = body.mesh.tets[nearest];
    const auto touches = [&](const Tet& tet) {
        return std::any_of(tet.begin(), tet.end(),
                           [&](int node) { return std::find(around.begin(), around.end(), node) != around.end(); });
    };
    for (int t = 0; t < static_cast<int>(body.mesh.tets.size()); ++t) {
        if (!touches(body.mesh.tets[t])) continue;
        if (const Point other = point_in(body.mesh, t, start);
            other.weight.minCoeff() > found.point.weight.minCoeff() + 1e-9)
            found.point = other;
    }
    return found;
}

/// Both faces of a shell and its rim are seen: the first triangles are the front, as many again the back.
std::optional<Found> found_in(const ShellBody& body, int number, const SurfacePoint& point) {
    const int middle = static_cast<int>(body.surface().triangles.size());
    if (point.triangle < 0 || point.triangle >= 2 * middle) return {};
    const Tri& corner = body.surface().triangles[static_cast<std::size_t>(point.triangle % middle)];
    Vec3 weight = point.weight;
    if (point.triangle >= middle) std::swap(weight[1], weight[2]);
    return Found{number, blend(body.points, corner, weight),
                 nearest_point(body, blend(body.surface().points, corner, weight))};
}

std::optional<Found> find(const World& w, const SurfacePoint& point) {
    for (int number = 0; number < body_count(w); ++number)
        if (body_name(w, number) == point.body)
            return visit_body(w, number, [&](const auto& body) { return found_in(body, number, point); });
    return {};
}

/// Nodes within `radius` of the point, or the nearest one of the tet that carries it.
template <class Body>
std::vector<int> nodes_near(const Body& body, const Found& found, double radius) {
    std::vector<int> nodes;
    for (int i = 0; i < static_cast<int>(body.x.size()); ++i)
        if ((body.x[i] - found.now).squaredNorm() <= radius * radius) nodes.push_back(i);
    if (!nodes.empty()) return nodes;
    int best = found.point.node[0];
    for (int node : found.point.node)
        if ((body.x[node] - found.now).squaredNorm() < (body.x[best] - found.now).squaredNorm()) best = node;
    return {best};
}

}  // namespace

bool can_be_held(const World& w, const std::string& body) {
    for (int number = 0; number < body_count(w); ++number)
        if (body_name(w, number) == body) return true;
    return false;
}

std::optional<Vec3> position_of(const World& w, const SurfacePoint& point) {
    const auto found = find(w, point);
    return found ? std::optional(found->now) : std::nullopt;
}

std::optional<Drag> spring_at(const World& w, const SurfacePoint& point) {
    const auto found = find(w, point);
    if (!found) return {};
    Drag drag;
    drag.body = found->body;
    drag.point = found->point;
    return drag;
}

Vec3 position_of(const World& w, const Drag& drag) {
    return visit_body(w, drag.body, [&](const auto& body) { return drag.point.of(body.x); });
}

double grip_stiffness(const World& w, const Drag& drag) {
    return visit_body(w, drag.body, [&](const auto& body) {
        double inverse = 0;
        for (int k = 0; k < 4; ++k) {
            // Before the first step there is no system yet: a fair share of the mass then.
            double m = mass(body) / static_cast<double>(body.x.size());
            if constexpr (requires { system(body); })  // modal bodies have none
                if (w.steps > 0) {
                    const BlockSystem& a = system(body);
                    m = a.effective_mass(a.row_of_node[drag.point.node[k]]);
                }
            inverse += drag.point.weight[k] * drag.point.weight[k] / m;
        }
        return 1 / (inverse * w.dt * w.dt);
    });
}

std::vector<Grip> pins_at(const World& w, const SurfacePoint& point, double radius, std::shared_ptr<const Vec3> moved) {
    std::vector<Grip> grips;
    const auto found = find(w, point);
    if (!found) return grips;
    visit_body(w, found->body, [&](const auto& body) {
        std::vector<int> nodes = nodes_near(body, *found, radius);
        if (moved)
            for (int node : found->point.node)
                if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
        for (int node : nodes) {
            const Vec3 here = body.x[node] - body.mesh.rest[node];
            const auto pose = [here, moved](double) {
                return Pose{Quat::Identity(), moved ? Vec3(here + *moved) : here};
            };
            grips.push_back({found->body, {node}, pose, {}});
        }
    });
    return grips;
}

std::optional<Pull> push_at(const World& w, const SurfacePoint& point, double radius, const Vec3& newton) {
    const auto found = find(w, point);
    if (!found) return {};
    return visit_body(w, found->body, [&](const auto& body) {
        return std::optional(
            Pull{found->body, nodes_near(body, *found, radius), [newton](double) { return newton; }, {}});
    });
}

HeatDesc plain_heat() { return {{}, {{{40, 1.0, {}, {}}, {80, 0.03, {}, {}}}}, 1}; }

std::optional<int> deforming_body(const World& w, const std::string& name) {
    for (int number = 0; number < body_count(w); ++number)
        if (body_name(w, number) == name) return number;
    return {};
}

bool warm_up(World& w, int number) {
    return visit_body(w, number, [](auto& body) {
        if (body.heat) return false;
        add_heat(body, plain_heat());
        return true;
    });
}

double power_to_warm(const World& w, int number, double radius, double temperature, double seconds) {
    return visit_body(w, number, [&](const auto& body) {
        CHECK(body.heat, body.name);
        return body.heat->flow.power_to_warm(radius, temperature, seconds);
    });
}

}  // namespace pliant
