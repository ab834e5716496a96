#include "pliant/world/intersections.hpp"

#include <algorithm>

#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

std::vector<Vec3> placed_points(const Pose& pose, const std::vector<Vec3>& points) {
    std::vector<Vec3> placed(points.size());
    std::transform(points.begin(), points.end(), placed.begin(), [&](const Vec3& p) { return pose * p; });
    return placed;
}

}  // namespace

Intersections find_intersections(const World& w) {
    Intersections found;
    std::vector<CheckedSurface> surfaces;
    std::vector<std::vector<Vec3>> placed;  // of what moves as a whole
    placed.reserve(w.rigid.bodies.size() + w.props.size());
    const auto add = [&](const std::string& name, std::uint64_t revision, const CheckedSurface& surface) {
        found.names.push_back(name), found.revisions.push_back(revision), surfaces.push_back(surface);
    };
    for_each_body(w, [&](const auto& body) {
        const SurfaceView view = surface_view(body);
        add(body.name, view.revision,
            {view.points, body.collide ? view.triangles : std::span<const Tri>{},
             /*with_itself=*/!ignores(w, static_cast<int>(surfaces.size()), static_cast<int>(surfaces.size()))});
    });
    for (const RigidBody& body : w.rigid.bodies) {
        placed.push_back(placed_points(pose_of(body), body.surface.points));
        add(body.name, 0, {placed.back(), body.surface.triangles, /*with_itself=*/false});
    }
    const int first_obstacle = static_cast<int>(surfaces.size());
    for (const Prop& prop : w.props) {
        placed.push_back(placed_points(prop.obstacle.end, prop.surface.points));
        add(prop.name, 0, {placed.back(), prop.surface.triangles, /*with_itself=*/false});
    }
    const auto number = [&](int i) { return i < first_obstacle ? i : first_obstacle - 1 - i; };
    found.crossings = count_crossings(surfaces, *w.threads, [&](int i, int j) {
        return (i >= first_obstacle && j >= first_obstacle) || ignores(w, number(i), number(j));
    });
    return found;
}

std::int64_t crossed_before(const Intersections& start, const Intersections& now) {
    const auto whole = [&](int s) { return start.revisions[s] == now.revisions[s]; };
    return std::count_if(now.crossings.pairs.begin(), now.crossings.pairs.end(), [&](const CrossingPair& c) {
        return whole(c.surface_a) && whole(c.surface_b) &&
               std::binary_search(start.crossings.pairs.begin(), start.crossings.pairs.end(), c);
    });
}

}  // namespace pliant
