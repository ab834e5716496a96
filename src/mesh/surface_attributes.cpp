#include "pliant/mesh/surface_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"

namespace pliant {

bool SurfaceMaterial::operator==(const SurfaceMaterial& other) const {
    const auto ours = pictures_of(*this), theirs = pictures_of(other);
    const bool same_pictures = std::equal(ours.begin(), ours.end(), theirs.begin(), [](const auto* a, const auto* b) {
        return *a == *b || (*a && *b && **a == **b);
    });
    return same_pictures && name == other.name && color == other.color && has_color == other.has_color &&
           roughness == other.roughness && metallic == other.metallic && normal_strength == other.normal_strength;
}

Mat3 triangle_frame(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 side = b - a, across = side.cross(c - a);
    const double length = side.norm(), area = across.norm();
    if (!(length > 0) || !(area > 0)) return Mat3::Zero();
    Mat3 frame;
    frame.col(0) = side / length;
    frame.col(2) = across / area;
    frame.col(1) = frame.col(2).cross(frame.col(0));
    return frame;
}

void set_corner_normals(SurfaceAttributes& attributes, std::span<const Vec3> points, std::span<const Tri> triangles,
                        std::span<const Vec3> normals) {
    const std::size_t corners = 3 * triangles.size();
    CHECK(normals.size() == corners, normals.size(), corners);
    attributes.local_normal.resize(corners);
    std::vector<Vec3> unit(corners);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Tri& tri = triangles[t];
        const Mat3 frame = triangle_frame(points[tri[0]], points[tri[1]], points[tri[2]]);
        for (std::size_t k = 0; k < 3; ++k) {
            const double length = normals[3 * t + k].norm();
            Vec3& n = unit[3 * t + k];
            n = length > 0 && std::isfinite(length) ? Vec3(normals[3 * t + k] / length) : Vec3(frame.col(2));
            const Vec3 local = frame.transpose() * n;
            for (std::size_t i = 0; i < 3; ++i)
                attributes.local_normal[3 * t + k][i] = static_cast<float>(local[static_cast<Eigen::Index>(i)]);
        }
    }
    // Corners by point, in order; each joins the first of its point that has the same normal.
    std::vector<int> begin(points.size() + 1, 0), by_point(corners);
    for (const Tri& tri : triangles)
        for (int v : tri) ++begin[static_cast<std::size_t>(v) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> at(begin.begin(), begin.end() - 1);
    for (std::size_t c = 0; c < corners; ++c)
        by_point[static_cast<std::size_t>(at[static_cast<std::size_t>(triangles[c / 3][c % 3])]++)] =
            static_cast<int>(c);
    constexpr double same = 1e-4;
    constexpr std::size_t most_normals = 64;  // at one point that are looked through; beyond it none are shared
    std::vector<int> first(corners), normals_here;
    for (std::size_t p = 0; p < points.size(); ++p) {
        normals_here.clear();
        for (int i = begin[p]; i < begin[p + 1]; ++i) {
            const int c = by_point[i];
            const auto found = std::find_if(normals_here.begin(), normals_here.end(), [&](int other) {
                return (unit[other] - unit[c]).cwiseAbs().maxCoeff() < same;
            });
            first[c] = found != normals_here.end() ? *found : c;
            if (found == normals_here.end() && normals_here.size() < most_normals) normals_here.push_back(c);
        }
    }
    // Numbers in the order of corners: the first corner of a set comes before the others.
    attributes.shading.resize(corners);
    int count = 0;
    for (std::size_t c = 0; c < corners; ++c)
        attributes.shading[c] = first[c] == static_cast<int>(c) ? count++ : attributes.shading[first[c]];
}

std::vector<Vec3> moved_corner_normals(const SurfaceAttributes& attributes, std::span<const Vec3> points,
                                       std::span<const Tri> triangles) {
    const std::size_t corners = 3 * triangles.size();
    CHECK(attributes.shading.size() == corners && attributes.local_normal.size() == corners, corners);
    std::vector<Vec3> sum;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Vec3 &a = points[triangles[t][0]], &b = points[triangles[t][1]], &c = points[triangles[t][2]];
        const Mat3 frame = (b - a).cross(c - a).norm() * triangle_frame(a, b, c);
        for (std::size_t k = 3 * t; k < 3 * t + 3; ++k) {
            const auto shading = static_cast<std::size_t>(attributes.shading[k]);
            if (shading >= sum.size()) sum.resize(shading + 1, Vec3::Zero());
            const auto& n = attributes.local_normal[k];
            sum[shading] += frame * Vec3(n[0], n[1], n[2]);
        }
    }
    for (Vec3& n : sum) {
        const double length = n.norm();
        if (length > 0) n /= length;
    }
    std::vector<Vec3> normals(corners);
    for (std::size_t c = 0; c < corners; ++c) normals[c] = sum[static_cast<std::size_t>(attributes.shading[c])];
    return normals;
}

std::string attribute_fault(const SurfaceAttributes& a, std::size_t triangles) {
    const std::size_t corners = 3 * triangles;
    const auto wrong = [](std::size_t have, std::size_t want) { return have != 0 && have != want; };
    if (wrong(a.uv.size(), corners)) return "too few texture coordinates";
    if (wrong(a.color.size(), corners)) return "too few colours";
    if (wrong(a.local_normal.size(), corners) || a.shading.size() != a.local_normal.size()) return "too few normals";
    if (wrong(a.material.size(), triangles)) return "too few materials";
    for (int s : a.shading)
        if (s < 0 || static_cast<std::size_t>(s) >= corners) return "a normal that is not there";
    for (int m : a.material)
        if (m < 0 || static_cast<std::size_t>(m) >= a.materials.size()) return "a material that is not there";
    if (a.polygon_size.empty()) return a.polygon_corner.empty() ? "" : "corners of no polygon";
    std::size_t corner = 0, triangle = 0;
    for (int n : a.polygon_size) {
        if (n < 3 || static_cast<std::size_t>(n) > a.polygon_corner.size() - corner) return "a polygon of no corners";
        const std::size_t last = triangle + static_cast<std::size_t>(n) - 2;
        for (int k = 0; k < n; ++k, ++corner) {
            const int c = a.polygon_corner[corner];
            if (c < 0 || static_cast<std::size_t>(c) < 3 * triangle || static_cast<std::size_t>(c) >= 3 * last)
                return "a polygon with a corner of another";
        }
        triangle = last;
    }
    if (triangle != triangles || corner != a.polygon_corner.size()) return "too few polygons";
    return "";
}

void save_arrays(const SurfaceAttributes& attributes, ByteWriter& out) {
    out.vector(attributes.uv);
    out.vector(attributes.color);
    out.vector(attributes.local_normal);
    for (const auto* list :
         {&attributes.shading, &attributes.polygon_corner, &attributes.polygon_size, &attributes.material})
        out.vector(*list);
}

void load_arrays(SurfaceAttributes& attributes, ByteReader& in) {
    in.vector(attributes.uv);
    in.vector(attributes.color);
    in.vector(attributes.local_normal);
    for (auto* list : {&attributes.shading, &attributes.polygon_corner, &attributes.polygon_size, &attributes.material})
        in.vector(*list);
}

double linear_of_srgb(double value) {
    const double x = std::clamp(value, 0.0, 1.0);
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

double srgb_of_linear(double value) {
    const double x = std::clamp(value, 0.0, 1.0);
    return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

}  // namespace pliant
