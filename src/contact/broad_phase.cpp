// Which bodies come near each other and near which obstacles, and the trees for those that do.

#include <algorithm>
#include <numeric>

#include "pliant/contact/scratch.hpp"

namespace pliant {

namespace {

Vec3 moved(const SurfaceView& view, int vertex, double dt, const Vec3& kick) {
    return view.points[vertex] + dt * (view.velocities[vertex] + kick);
}

}  // namespace

// The obstacle's distance from the middle of the body's box promises free space round it.
bool in_reach(const Obstacle& o, const Box& box) {
    const Vec3 start = o.start.inverse() * box.center(), end = o.end.inverse() * box.center();
    const double reach = 0.5 * box.diagonal() + (end - start).norm();
    ObstaclePoint at;
    return o.shape->nearest(start, reach, at);
}

void forget_changed_bodies(ContactSolver::Scratch& s, std::span<const SurfaceView> views,
                           std::vector<ContactAnchor>& anchors) {
    s.bodies.resize(views.size());
    for (int i = 0; i < static_cast<int>(views.size()); ++i) {
        BodyCache& body = s.bodies[i];
        const SurfaceView& view = views[i];
        const bool same = body.known && body.revision == view.revision && body.points == view.points.size() &&
                          body.triangles == view.triangles.size();
        if (same) continue;
        if (body.known) std::erase_if(anchors, [i](const ContactAnchor& a) { return a.body == i || a.partner == i; });
        body = BodyCache{};
        body.known = true;
        body.revision = view.revision;
        body.points = view.points.size();
        body.triangles = view.triangles.size();
    }
}

void find_pairs(ContactSolver::Scratch& s, std::span<const SurfaceView> views, std::span<const Obstacle> obstacles,
                const ContactOptions& options, const std::function<bool(int, int)>& handles, double dt,
                const Vec3& kick, Threads& threads) {
    const std::size_t n = views.size();
    const auto may = [&](int view, int partner) { return !handles || handles(view, partner); };
    parallel_for(threads, n, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Box box;
            for (int v = 0; v < static_cast<int>(views[i].points.size()); ++v) {
                box.add(views[i].points[v]);
                box.add(moved(views[i], v, dt, kick));
            }
            BodyCache& body = s.bodies[i];
            body.swept = box.empty() ? box : box.grown((options.margin + options.offset) * views[i].spacing);
            body.obstacles.clear();
            body.partners.clear();
            body.paired = false;
            if (body.swept.empty()) continue;
            for (int o = 0; o < static_cast<int>(obstacles.size()); ++o)
                if (may(static_cast<int>(i), -1 - o) && in_reach(obstacles[o], body.swept)) body.obstacles.push_back(o);
        }
    });

    // Sweep along x.
    s.order.resize(n);
    std::iota(s.order.begin(), s.order.end(), 0);
    std::sort(s.order.begin(), s.order.end(), [&](int a, int b) {
        const double xa = s.bodies[a].swept.min.x(), xb = s.bodies[b].swept.min.x();
        return xa != xb ? xa < xb : a < b;
    });
    for (std::size_t i = 0; i < n; ++i) {
        BodyCache& a = s.bodies[s.order[i]];
        for (std::size_t j = i + 1; j < n && s.bodies[s.order[j]].swept.min.x() <= a.swept.max.x(); ++j) {
            BodyCache& b = s.bodies[s.order[j]];
            if (!a.swept.overlaps(b.swept) || !may(s.order[i], s.order[j])) continue;
            a.paired = b.paired = true;
            if (b.triangles > 0) a.partners.push_back(s.order[j]);
            if (a.triangles > 0) b.partners.push_back(s.order[i]);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!views[i].pieces_touch || s.bodies[i].swept.empty() || !may(static_cast<int>(i), static_cast<int>(i)))
            continue;
        s.bodies[i].paired = true;
        s.bodies[i].partners.push_back(static_cast<int>(i));  // its pieces
    }
    for (BodyCache& body : s.bodies) std::sort(body.partners.begin(), body.partners.end());
}

void fit_trees(ContactSolver::Scratch& s, std::span<const SurfaceView> views, double dt, const Vec3& kick,
               Threads& threads) {
    parallel_for(threads, views.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            BodyCache& body = s.bodies[i];
            const SurfaceView& view = views[i];
            // A body without triangles (loose points) meets others with its vertices only.
            if (!body.paired || view.triangles.empty()) continue;
            if (body.near.empty()) body.near = find_neighbours(view.points, view.triangles, view.seams);
            body.boxes.resize(view.triangles.size());
            body.ends.resize(view.points.size());
            for (std::size_t v = 0; v < view.points.size(); ++v)
                body.ends[v] = moved(view, static_cast<int>(v), dt, kick);
            body.occupancy.clear(body.swept);
            if (view.pieces_touch) body.pieces.clear(body.swept);
            for (std::size_t t = 0; t < view.triangles.size(); ++t) {
                Box box;
                for (int v : view.triangles[t]) {
                    box.add(view.points[v]);
                    box.add(body.ends[v]);
                }
                body.boxes[t] = box;
                body.occupancy.mark(box);
                if (view.pieces_touch) body.pieces.mark(box, view.piece[view.triangles[t][0]]);
            }
            if (body.tree.empty())
                body.tree = AabbTree(body.boxes);
            else
                body.tree.refit(body.boxes);
        }
    });
}

}  // namespace pliant
