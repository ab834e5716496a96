#pragma once
// A mesh that is cut, without a body round it: what plan_cut() proposes is carried out.

#include "pliant/core/threads.hpp"
#include "pliant/cut/cut_plan.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

struct CutMesh {
    TetMesh mesh;
    CutSurface surface;
    CutRules rules;
    double volume;

    explicit CutMesh(TetMesh made, CutRules how = {})
        : mesh(std::move(made)), surface(mesh), rules(how), volume(total_volume(mesh.rest, mesh.tets)) {}

    CutPlan cut(const CutSheet& sheet) {
        Threads alone(1);
        CutPlan plan = plan_cut(mesh, surface, sheet, rules, alone);
        surface.set_contents(plan.changed, plan.added);
        if (plan.edit.empty()) return plan;
        apply(mesh, plan.edit);
        surface.follow(mesh, plan.edit, alone);
        return plan;
    }
    CutPlan cut(const SheetShape& shape) { return cut(sheet_on(shape, mesh.rest, cut_unit(mesh, mesh.rest))); }

    double share(int tet) const { return surface.content(tet) ? share_of(*surface.content(tet)) : 1; }
    /// Material of all copies, m³.
    double material() const {
        double sum = 0;
        for (int t = 0; t < mesh.tet_count(); ++t) sum += share(t) * signed_volume(mesh.rest, mesh.tets[t]);
        return sum;
    }
};

/// How many edges of triangles are not run along as often in one direction as in the other, by vertices.
inline int open_edges(const TriMesh& surface) {
    std::vector<std::array<int, 3>> edges;  // ends ascending, then the direction
    for (const Tri& t : surface.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
        }
    std::sort(edges.begin(), edges.end());
    int open = 0;
    for (std::size_t i = 0, j; i < edges.size(); i = j) {
        int sum = 0;
        for (j = i; j < edges.size() && edges[j][0] == edges[i][0] && edges[j][1] == edges[i][1]; ++j)
            sum += edges[j][2];
        open += sum != 0;
    }
    return open;
}

/// Enclosed by the surface at rest, m³.
inline double enclosed(const TriMesh& surface) {
    double sum = 0;
    for (const Tri& t : surface.triangles)
        sum += surface.points[t[0]].cross(surface.points[t[1]]).dot(surface.points[t[2]]) / 6;
    return sum;
}

}  // namespace pliant
