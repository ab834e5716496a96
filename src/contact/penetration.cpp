#include "pliant/contact/penetration.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/geometry/closest_point.hpp"
#include "pliant/geometry/winding_number.hpp"

namespace pliant {

namespace {

struct MeasuredBody {
    Box box;
    AabbTree tree;
    WindingNumber winding;
};

// 0 when outside. The winding number decides: the side of the nearest triangle says nothing where a crushed surface is
// folded over itself.
double depth_in(const MeasuredBody& body, const SurfaceView& view, const Vec3& p) {
    if (!body.box.contains(p) || body.winding.empty() || body.winding(p) < 0.5) return 0;
    auto corner = [&](int t, int k) -> const Vec3& { return view.points[view.triangles[t][k]]; };
    const auto found = body.tree.nearest(p, std::numeric_limits<double>::infinity(), [&](int t) {
        return distance2_to_triangle(p, corner(t, 0), corner(t, 1), corner(t, 2));
    });
    return found.item < 0 ? 0.0 : std::sqrt(found.distance2);
}

}  // namespace

Penetration measure_penetration(std::span<const SurfaceView> views, std::span<const Obstacle> obstacles,
                                Threads& threads, const std::function<bool(int view, int partner)>& ignored) {
    const auto counts = [&](int view, int other) { return !ignored || !ignored(view, other); };
    std::vector<MeasuredBody> bodies(views.size());
    parallel_for(threads, views.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const SurfaceView& view = views[i];
            for (const Vec3& p : view.points) bodies[i].box.add(p);
            if (view.triangles.empty() || views.size() < 2) continue;  // nobody to be inside of
            std::vector<Box> boxes(view.triangles.size());
            for (std::size_t t = 0; t < boxes.size(); ++t)
                for (int v : view.triangles[t]) boxes[t].add(view.points[v]);
            bodies[i].tree = AabbTree(boxes);
            bodies[i].winding = WindingNumber(view.points, view.triangles);
        }
    });

    Penetration worst;
    long long inside = 0, total = 0;
    std::vector<double> depth;
    std::vector<int> partner;
    for (int i = 0; i < static_cast<int>(views.size()); ++i) {
        const SurfaceView& view = views[i];
        depth.assign(view.points.size(), 0.0);
        partner.assign(view.points.size(), 0);
        parallel_for(threads, view.points.size(), 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
                auto offer = [&](double d, int who) {
                    if (d > depth[v]) depth[v] = d, partner[v] = who;
                };
                for (int o = 0; o < static_cast<int>(obstacles.size()); ++o) {
                    if (!counts(i, -1 - o)) continue;
                    const Vec3 p = obstacles[o].end.inverse() * view.points[v];
                    ObstaclePoint at;
                    // A sheet has no inside to be lost in: only what is just behind it counts.
                    if (obstacles[o].shape->nearest(p, obstacles[o].shape->solid() ? 1e300 : view.spacing, at))
                        offer(-at.distance, -1 - o);
                }
                for (int b = 0; b < static_cast<int>(views.size()); ++b)
                    if (b != i && counts(i, b)) offer(depth_in(bodies[b], views[b], view.points[v]), b);
            }
        });
        for (std::size_t v = 0; v < depth.size(); ++v) {
            ++total;
            if (!(depth[v] > 0)) continue;
            ++inside;
            if (depth[v] > worst.max_depth)
                worst.max_depth = depth[v], worst.body = i, worst.vertex = static_cast<int>(v),
                worst.partner = partner[v];
        }
    }
    worst.fraction = total > 0 ? static_cast<double>(inside) / static_cast<double>(total) : 0;
    return worst;
}

}  // namespace pliant
