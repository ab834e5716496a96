// CutDesc → CutStroke.

#include <cmath>
#include <limits>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/geometry/closest_point.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

SheetShape sheet_of(const CutDesc& cut) {
    if (cut.point) return plane_sheet(*cut.point, cut.normal);
    return blade_sheet({.path = cut.path,
                        .direction = cut.direction,
                        .depth = cut.depth,
                        .height = cut.height,
                        .thickness = cut.thickness});
}

/// Signed distance from a closed mesh, negative inside.
class MeshDistance {
public:
    explicit MeshDistance(std::shared_ptr<const TriMesh> mesh)
        : mesh_(std::move(mesh)), winding_(mesh_->points, mesh_->triangles) {
        std::vector<Box> boxes(mesh_->triangles.size());
        for (std::size_t t = 0; t < boxes.size(); ++t)
            for (int v : mesh_->triangles[t]) boxes[t].add(mesh_->points[v]);
        tree_ = AabbTree(boxes);
    }
    double operator()(const Vec3& p) const {
        const auto nearest = tree_.nearest(p, std::numeric_limits<double>::infinity(), [&](int t) {
            const Tri& tri = mesh_->triangles[t];
            return distance2_to_triangle(p, mesh_->points[tri[0]], mesh_->points[tri[1]], mesh_->points[tri[2]]);
        });
        return (winding_(p) > 0.5 ? -1 : 1) * std::sqrt(nearest.distance2);
    }

private:
    std::shared_ptr<const TriMesh> mesh_;
    WindingNumber winding_;
    AabbTree tree_;
};

std::function<double(const Vec3&)> distance_of(const CutDesc& cut) {
    if (cut.along) return [shape = cut.along](const Vec3& p) { return shape->distance(p); };
    const SurfaceFacts facts = inspect(*cut.along_mesh->mesh);
    if (!facts.closed())
        throw UserError("a cutter must be closed, and '" + cut.along_mesh->file + "' is not", cut.where,
                        "Close its holes, or cut by a blade or a plane");
    return [distance = std::make_shared<const MeshDistance>(cut.along_mesh->mesh)](const Vec3& p) {
        return (*distance)(p);
    };
}

}  // namespace

void add_cuts(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    for (const CutDesc& cut : desc.cuts) {
        if (desc.bodies[static_cast<std::size_t>(cut.body)].kind != "fem")
            throw UserError("only bodies of finite elements can be cut", cut.where, "Use a fem_body");
        CutStroke stroke{.body = number[cut.body],
                         .sheet = {},
                         .carves = cut.carves,
                         .at = cut.at,
                         .duration = cut.duration,
                         .when = cut.when,
                         .where = cut.where};
        if (cut.along || cut.along_mesh)
            stroke.distance = distance_of(cut);
        else
            stroke.sheet = at_line(cut.where, [&] { return sheet_of(cut); });
        w.strokes.push_back(std::move(stroke));
    }
}

}  // namespace pliant
