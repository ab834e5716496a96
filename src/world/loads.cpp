#include "pliant/world/loads.hpp"

#include <algorithm>

#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

constexpr double hair_of_a_body = 1e-9;  // of its size: a point this near to a region counts as within it

/// Volume of material in an element, m³.
double material_volume(const FemBody& body, int t) {
    return body.solid.fill() * signed_volume(body.mesh.rest, body.mesh.tets[t]);
}
double material_volume(const ShellBody& body, int t) { return body.shell.options().thickness * body.shell.area(t); }
double material_volume(const DeformableBody& body, int t) { return signed_volume(body.mesh.rest, body.mesh.tets[t]); }

int element_corners(const ShellBody&) { return 3; }
int element_corners(const DeformableBody&) { return 4; }

/// A force on a vertex of the seen surface goes to the nodes that carry it, so that resultant and torque stay.
void push_vertex(DeformableBody& body, int vertex, const Vec3& force) {
    const Point point = body.embedding().point(static_cast<std::size_t>(vertex), body.mesh.tets);
    for (int k = 0; k < 4; ++k) body.force[point.node[k]] += point.weight[k] * force;
}

Vec3 area_vector(std::span<const Vec3> points, const Tri& t) {
    return 0.5 * (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
}

}  // namespace

void find_triangles(Region& region, const DeformableBody& body) {
    if (region.revision == body.mesh.revision) return;
    region.revision = body.mesh.revision;
    region.members.clear();
    const auto crack = body.seen->crack();
    const double hair = hair_of_a_body * bounds(body).diagonal();
    const auto within = [&](int v) {
        return !region.inside || region.inside->distance(body.surface().points[v]) <= hair;
    };
    std::vector<char> vertex(body.surface().points.size());
    for (std::size_t v = 0; v < vertex.size(); ++v) vertex[v] = within(static_cast<int>(v));
    for (std::size_t t = 0; t < body.surface().triangles.size(); ++t) {
        const Tri& corner = body.surface().triangles[t];
        if (t < crack.size() && crack[t]) continue;
        if (vertex[corner[0]] && vertex[corner[1]] && vertex[corner[2]]) region.members.push_back(static_cast<int>(t));
    }
}

void find_tets(Region& region, const DeformableBody& body) {
    if (region.revision == body.mesh.revision) return;
    region.revision = body.mesh.revision;
    region.members.clear();
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        Vec3 centre = Vec3::Zero();
        for (int i : body.mesh.tets[t]) centre += 0.25 * body.mesh.rest[i];
        if (!region.inside || region.inside->distance(centre) <= 0) region.members.push_back(t);
    }
}

void gather_loads(World& w, const StepContext& c) {
    for (SurfaceLoad& load : w.surface_loads) {
        if (!load.when.holds(c.end)) continue;
        const double pressure = load.pressure ? load.pressure(c.end) : 0;
        const Vec3 traction = load.traction ? load.traction(c.end) : Vec3(Vec3::Zero());
        visit_body(w, load.body, [&](auto& body) {
            find_triangles(load.on, body);
            const std::vector<Vec3>& points = load.pressure && load.following ? body.points : body.surface().points;
            for (int t : load.on.members) {
                const Tri& corner = body.surface().triangles[t];
                const Vec3 area = area_vector(points, corner);
                const Vec3 force = load.pressure ? Vec3(-pressure * area) : Vec3(area.norm() * traction);
                for (int v : corner) push_vertex(body, v, force / 3);
            }
        });
    }
    for (VolumeLoad& load : w.volume_loads) {
        if (!load.when.holds(c.end)) continue;
        const Vec3 force = load.force(c.end);
        visit_body(w, load.body, [&](auto& body) {
            find_tets(load.in, body);
            for (int t : load.in.members) {
                const Tet& tet = body.mesh.tets[t];
                const Vec3 share = material_volume(body, t) / element_corners(body) * force;
                for (int k = 0; k < element_corners(body); ++k) body.force[tet[k]] += share;
            }
        });
    }
}

}  // namespace pliant
