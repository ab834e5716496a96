#include "pliant/surface/skin_attributes.hpp"

#include <algorithm>

namespace pliant {

namespace {

/// Barycentric weights of the point in the plane of the triangle that is nearest to p; of the nearest corner where the
/// triangle has no area.
Vec3 weights_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 u = b - a, v = c - a, normal = u.cross(v), from_a = p - a;
    const double area2 = normal.squaredNorm();
    if (area2 > 0) {
        const double wb = from_a.cross(v).dot(normal) / area2, wc = u.cross(from_a).dot(normal) / area2;
        if (std::isfinite(wb) && std::isfinite(wc)) return {1 - wb - wc, wb, wc};
    }
    const Vec3 distance(from_a.squaredNorm(), (p - b).squaredNorm(), (p - c).squaredNorm());
    Vec3 weight = Vec3::Zero();
    int nearest = 0;
    distance.minCoeff(&nearest);
    weight[nearest] = 1;
    return weight;
}

template <std::size_t N>
std::array<float, N> blended(const std::vector<std::array<float, N>>& corner, std::size_t first, const Vec3& weight) {
    std::array<float, N> out{};
    for (std::size_t i = 0; i < N; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += weight[static_cast<Eigen::Index>(k)] * corner[first + k][i];
        out[i] = static_cast<float>(sum);
    }
    return out;
}

/// Where crack faces are seen from: along the axis that they face most, in units of the body's longest side.
struct CrackProjection {
    Vec3 origin;
    double size;

    explicit CrackProjection(const Box& box)
        : origin(box.empty() ? Vec3(Vec3::Zero()) : box.min), size(box.empty() ? 0 : box.size().maxCoeff()) {}
    std::array<float, 2> uv(const Vec3& p, int axis) const {
        const Vec3 q = size > 0 ? Vec3((p - origin) / size) : Vec3(Vec3::Zero());
        return {static_cast<float>(q[(axis + 1) % 3]), static_cast<float>(q[(axis + 2) % 3])};
    }
};

class SkinAttributes {
public:
    SkinAttributes(const Skin& skin, const SurfaceAttributes& given)
        : given_(given),
          from_(skin.given_surface()),
          to_(skin.surface()),
          source_(skin.source()),
          crack_(from_.bounds()),
          crack_slot_(static_cast<int>(given.materials.size())) {}

    SurfaceAttributes make() {
        const std::size_t triangles = to_.triangles.size();
        if (!given_.uv.empty()) out_.uv.reserve(3 * triangles);
        if (!given_.color.empty()) out_.color.reserve(3 * triangles);
        if (!given_.local_normal.empty()) rest_normal_ = moved_corner_normals(given_, from_.points, from_.triangles);
        for (std::size_t t = 0; t < triangles; ++t) source_[t] < 0 ? add_crack(t) : add_part(t, source_[t]);
        if (!rest_normal_.empty()) set_corner_normals(out_, to_.points, to_.triangles, normal_);
        if (!given_.material.empty()) add_slots();
        if (!given_.polygon_size.empty()) add_polygons();
        return std::move(out_);
    }

private:
    void add_part(std::size_t t, int source) {
        const Tri& of = from_.triangles[static_cast<std::size_t>(source)];
        const std::size_t first = 3 * static_cast<std::size_t>(source);
        for (int v : to_.triangles[t]) {
            Vec3 weight = Vec3::Zero();
            const auto same = std::find(of.begin(), of.end(), v);  // the given points keep their numbers
            if (same != of.end())
                weight[same - of.begin()] = 1;
            else
                weight =
                    weights_in_triangle(to_.points[v], from_.points[of[0]], from_.points[of[1]], from_.points[of[2]]);
            if (!given_.uv.empty()) out_.uv.push_back(blended(given_.uv, first, weight));
            if (!given_.color.empty()) out_.color.push_back(blended(given_.color, first, weight));
            if (!rest_normal_.empty())
                normal_.push_back(weight[0] * rest_normal_[first] + weight[1] * rest_normal_[first + 1] +
                                  weight[2] * rest_normal_[first + 2]);
        }
        if (!given_.material.empty()) out_.material.push_back(given_.material[static_cast<std::size_t>(source)]);
    }

    void add_crack(std::size_t t) {
        const Tri& tri = to_.triangles[t];
        const Vec3 &a = to_.points[tri[0]], &b = to_.points[tri[1]], &c = to_.points[tri[2]];
        int axis = 0;
        (b - a).cross(c - a).cwiseAbs().maxCoeff(&axis);
        for (int v : tri) {
            if (!given_.uv.empty()) out_.uv.push_back(crack_.uv(to_.points[v], axis));
            if (!given_.color.empty()) out_.color.push_back({1, 1, 1, 1});
            if (!rest_normal_.empty()) normal_.push_back(Vec3::Zero());  // that of the triangle
        }
        if (!given_.material.empty()) out_.material.push_back(crack_slot_);
    }

    void add_slots() {
        out_.materials = given_.materials;
        std::string name = inside_material;
        const auto taken = [&](const std::string& wanted) {
            return std::any_of(out_.materials.begin(), out_.materials.end(),
                               [&](const SurfaceMaterial& m) { return m.name == wanted; });
        };
        for (int n = 2; taken(name); ++n) name = inside_material + std::to_string(n);
        out_.materials.push_back({.name = name});
    }

    /// Triangles are drawn in the order of those they are parts of, so that the triangles of a polygon follow each
    /// other.
    void add_polygons() {
        int at = 0;
        const int triangles = static_cast<int>(to_.triangles.size());
        const auto add_triangle = [&](int t) {
            out_.polygon_corner.insert(out_.polygon_corner.end(), {3 * t, 3 * t + 1, 3 * t + 2});
            out_.polygon_size.push_back(3);
        };
        for_each_polygon(&given_, from_.triangles.size(), [&](int first, std::span<const int> corners) {
            const int count = static_cast<int>(corners.size()) - 2, begin = at;
            while (at < triangles && source_[at] >= 0 && source_[at] < first + count) ++at;
            bool whole = at - begin == count;
            for (int i = 0; whole && i < count; ++i)
                whole = source_[begin + i] == first + i && to_.triangles[begin + i] == from_.triangles[first + i];
            if (!whole) {
                for (int t = begin; t < at; ++t) add_triangle(t);
                return;
            }
            for (int corner : corners) out_.polygon_corner.push_back(corner + 3 * (begin - first));
            out_.polygon_size.push_back(static_cast<int>(corners.size()));
        });
        for (; at < triangles; ++at) add_triangle(at);
    }

    const SurfaceAttributes& given_;
    const TriMesh &from_, &to_;
    std::vector<int> source_;
    CrackProjection crack_;
    int crack_slot_;
    std::vector<Vec3> rest_normal_, normal_;  // per corner, before and after
    SurfaceAttributes out_;
};

}  // namespace

std::shared_ptr<const SurfaceAttributes> skin_attributes(const Skin& skin) {
    const auto& given = skin.given_surface().attributes;
    if (!given || skin.revision() == 0) return given;
    return std::make_shared<const SurfaceAttributes>(SkinAttributes(skin, *given).make());
}

}  // namespace pliant
