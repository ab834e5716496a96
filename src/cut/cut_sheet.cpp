#include "pliant/cut/cut_sheet.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/geometry/tet_edges.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

namespace {

/// Directions of a path across the blade, with corners that do not turn left out.
std::vector<Vec3> corners_of(const Blade& blade, const Vec3& down) {
    constexpr double straight = 1.0 / 4096;  // rad
    std::vector<Vec3> out;
    for (const Vec3& p : blade.path) {
        if (!out.empty() && (p - out.back()).cross(down).norm() <= straight * (p - out.back()).norm()) {
            if (p == out.back()) continue;
            throw UserError("a path runs along its own blade", {}, "Point the blade across the path");
        }
        if (out.size() >= 2) {
            const Vec3 before = (out.back() - out[out.size() - 2]).cross(down).normalized();
            const Vec3 after = (p - out.back()).cross(down).normalized();
            if (before.dot(after) > 0 && before.cross(after).norm() < straight) out.pop_back();
        }
        out.push_back(p);
    }
    if (out.size() < 2)
        throw UserError("a blade's path has no length", {}, "Give two points at least, at different places");
    return out;
}

}  // namespace

SheetShape plane_sheet(const Vec3& point, const Vec3& normal) {
    return {{{point, normal.normalized()}}, {{.function = 0}}};
}

SheetShape blade_sheet(const Blade& blade) {
    if (!(blade.direction.norm() > 0) || !(blade.depth > 0))
        throw UserError("a blade has no depth", {}, "Give a direction of some length, and a depth above 0");
    const Vec3 down = blade.direction.normalized();
    const std::vector<Vec3> path = corners_of(blade, down);
    const int segments = static_cast<int>(path.size()) - 1;
    SheetShape sheet;
    std::vector<Vec3> along;
    for (int i = 0; i < segments; ++i) {
        along.push_back((path[i + 1] - path[i]).normalized());
        sheet.planes.push_back({path[i], along[i].cross(down).normalized()});
    }
    const auto bound = [&](const Vec3& point, const Vec3& outward) {
        sheet.planes.push_back({point, outward});
        return SheetBound{.function = static_cast<int>(sheet.planes.size()) - 1};
    };
    // Segment i ends where its plane meets the next one. Its own side of that is where it comes from.
    const auto joint = [&](int i, int other, const Vec3& inside) {
        const SheetPlane& plane = sheet.planes[other];
        const double there = -(inside - plane.point).dot(plane.normal);  // its own function is zero there
        return SheetBound{.function = i, .minus = other, .sign = there > 0 ? -1 : 1};
    };
    for (int i = 0; i < segments; ++i) {
        SheetPatch patch{.function = i};
        const Vec3 across = (down - down.dot(along[i]) * along[i]).normalized();
        const double depth = blade.depth * across.dot(down);
        patch.within.push_back(bound(path[i] - blade.height * across.dot(down) * across, -across));
        if (std::isfinite(depth)) patch.within.push_back(bound(path[i] + depth * across, across));
        patch.within.push_back(i == 0 ? bound(path[0], -along[0]) : joint(i, i - 1, path[i + 1]));
        patch.within.push_back(i + 1 == segments ? bound(path[i + 1], along[i]) : joint(i, i + 1, path[i]));
        sheet.patches.push_back(std::move(patch));
    }
    sheet.path = path, sheet.thickness = blade.thickness;
    return sheet;
}

double cut_unit(const TetMesh& mesh, std::span<const Vec3> x) {
    double longest = 0;
    for (const Tet& tet : mesh.tets)
        for (const auto& [a, b] : tet_edges) longest = std::max(longest, (x[tet[a]] - x[tet[b]]).squaredNorm());
    return std::ldexp(std::sqrt(longest), -26);
}

std::vector<std::int64_t> whole_numbers(std::span<const double> distance, double unit) {
    constexpr double far = 1e15;  // beyond what any element near the cut reaches
    std::vector<std::int64_t> out;
    out.reserve(distance.size());
    for (double d : distance) out.push_back(std::llround(std::clamp(d / unit, -far, far)));
    return out;
}

std::vector<std::int64_t> distances(std::span<const Vec3> x, const SheetPlane& plane, double unit) {
    std::vector<double> distance;
    distance.reserve(x.size());
    for (const Vec3& p : x) distance.push_back((p - plane.point).dot(plane.normal));
    return whole_numbers(distance, unit);
}

double length_of(std::span<const Vec3> path) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) sum += (path[i + 1] - path[i]).norm();
    return sum;
}

CutSheet sheet_so_far(const SheetShape& shape, const std::vector<std::vector<std::int64_t>>& value, double length,
                      std::span<const Vec3> x, double unit) {
    CutSheet sheet{.value = value, .patches = {}};
    const std::vector<SheetPatch> patches = patches_on(shape, unit);
    for (std::size_t i = 0; i < shape.patches.size(); ++i) {
        const Vec3 step = shape.path[i + 1] - shape.path[i];
        if (length <= 0) break;
        sheet.patches.push_back(patches[i]);
        if (length < step.norm()) {
            const SheetPlane front{shape.path[i] + length * step.normalized(), step.normalized()};
            sheet.patches.back().front = SheetBound{.function = static_cast<int>(sheet.value.size())};
            sheet.value.push_back(distances(x, front, unit));
        }
        length -= step.norm();
    }
    return sheet;
}

std::vector<SheetPatch> patches_on(const SheetShape& shape, double unit) {
    std::vector<SheetPatch> patches = shape.patches;
    for (SheetPatch& patch : patches) patch.half = std::llround(0.5 * shape.thickness / unit);
    return patches;
}

CutSheet sheet_on(const SheetShape& shape, std::span<const Vec3> x, double unit) {
    CutSheet sheet;
    for (const SheetPlane& plane : shape.planes) sheet.value.push_back(distances(x, plane, unit));
    sheet.patches = patches_on(shape, unit);
    return sheet;
}

}  // namespace pliant
