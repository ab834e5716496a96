#include "pliant/render/scene.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "pliant/core/error.hpp"

namespace pliant {

struct RayScene::Tree {
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    ~Tree() {
        if (scene) rtcReleaseScene(scene);
        if (device) rtcReleaseDevice(device);
    }
};

namespace {

constexpr float far_away = 1e6f;  // in units of the subject's radius; beyond it floats resolve nothing

Vec3f load(const std::vector<float>& points, unsigned i) {
    return Vec3f(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
}

// Starting a ray on a surface: far enough off it that rounding (a few 1e-7 at unit size) cannot hit it again.
Vec3f off_surface(const Vec3f& p, const Vec3f& normal) {
    return p + normal * (2e-5f * std::max(1.0f, p.cwiseAbs().maxCoeff()));
}

}  // namespace

RayScene::RayScene(const Frame& frame, const std::vector<BodyLook>& looks, const UnitSize& size,
                   std::optional<double> ground_height, double crease, Threads& threads) {
    CHECK(looks.size() == frame.bodies.size(), looks.size(), frame.bodies.size());
    if (ground_height) ground_ = float((*ground_height - size.center[1]) / size.radius);
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
        gloss_.push_back(looks[b].gloss);
        depth_.push_back(looks[b].depth);
        texture_.push_back(looks[b].rest.empty() ? Texture{} : looks[b].texture);
        if (looks[b].visible) add_body(frame.bodies[b], looks[b], unsigned(b), size);
    }
    points_.push_back(0);
    compute_normals(crease, threads);
    build();
}

RayScene::~RayScene() = default;

void RayScene::add_body(const BodyFrame& body, const BodyLook& look, unsigned index, const UnitSize& size) {
    if (!body.triangles) return;
    const unsigned first = unsigned(points_.size() / 3);
    std::vector<char> usable(body.points.size());
    points_.reserve(points_.size() + 3 * body.points.size());
    for (std::size_t i = 0; i < body.points.size(); ++i) {
        const Vec3f p = size.point(body.points[i]);
        usable[i] = p.allFinite() && p.cwiseAbs().maxCoeff() < far_away;
        for (int k = 0; k < 3; ++k) points_.push_back(usable[i] ? p[k] : 0.0f);
    }
    if (look.rest.size() == body.points.size() && look.texture.kind != Texture::Kind::none) {
        rest_.resize(first, Vec3f::Zero());
        for (const Vec3& r : look.rest) rest_.push_back(r.cast<float>());
    }
    const auto& triangles = *body.triangles;
    // An artist's hard and smooth edges come before what angles suggest.
    const bool shaded = body.attributes && body.attributes->shading.size() == 3 * triangles.size();
    const std::vector<Vec3> brought = shaded ? corner_normals(body) : std::vector<Vec3>{};
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        Face face{{}, index};
        bool good = true;
        for (int k = 0; k < 3 && good; ++k) {
            const int i = triangles[t][k];
            good = i >= 0 && std::size_t(i) < usable.size() && usable[i];
            if (good) face.corner[k] = first + unsigned(i);
        }
        if (!good) continue;
        const Vec3f a = load(points_, face.corner[0]), b = load(points_, face.corner[1]),
                    c = load(points_, face.corner[2]);
        if (!((b - a).cross(c - a).squaredNorm() > 0)) continue;
        faces_.push_back(face);
        if (!look.triangle_material.empty()) {
            face_material_.resize(faces_.size(), -1);
            corner_uv_.resize(3 * faces_.size());
            face_material_.back() = int(materials_.size()) + look.triangle_material[t];
            if (!look.uv.empty()) std::copy_n(look.uv.begin() + std::ptrdiff_t(3 * t), 3, corner_uv_.end() - 3);
        }
        for (std::size_t k = 3 * t; k < 3 * t + 3 && shaded; ++k) {
            corner_normals_.resize(3 * faces_.size() - 3 + k % 3, Vec3f::Zero());
            corner_normals_.push_back(brought[k].cast<float>());
        }
        for (int k = 0; k < 3; ++k) {
            Vec3f color = look.color;
            if (!look.vertex_colors.empty()) color = look.vertex_colors[triangles[t][k]];
            if (!look.triangle_colors.empty() && look.triangle_colors[t].allFinite()) color = look.triangle_colors[t];
            if (!look.corner_colors.empty()) color = color.cwiseProduct(look.corner_colors[3 * t + std::size_t(k)]);
            corner_colors_.push_back(color);
        }
    }
    materials_.insert(materials_.end(), look.materials.begin(), look.materials.end());
}

// Each corner averages the normals of the faces around its place, weighted by their angle there and by how nearly
// they face the same way. The weight fades over a range of angles instead of switching, so that a surface that
// bends past the crease angle does not flicker from frame to frame. Places, not indices: seams with doubled
// vertices shade through. Corners that were brought with a normal keep it.
void RayScene::compute_normals(double crease, Threads& threads) {
    const std::size_t vertices = points_.size() / 3;
    std::vector<unsigned> order(vertices), place(vertices);
    std::iota(order.begin(), order.end(), 0u);
    auto key = [&](unsigned i) { return &points_[3 * i]; };
    std::sort(order.begin(), order.end(), [&](unsigned i, unsigned j) {
        const float *a = key(i), *b = key(j);
        for (int k = 0; k < 3; ++k)
            if (a[k] != b[k]) return a[k] < b[k];
        return i < j;
    });
    for (std::size_t i = 0; i < vertices; ++i)
        place[order[i]] =
            i > 0 && std::equal(key(order[i]), key(order[i]) + 3, key(order[i - 1])) ? place[order[i - 1]] : order[i];

    std::vector<Vec3f> face_normal(faces_.size());
    std::vector<float> angle(3 * faces_.size());
    parallel_for(threads, faces_.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t f = begin; f < end; ++f) {
            Vec3f p[3];
            for (int k = 0; k < 3; ++k) p[k] = load(points_, faces_[f].corner[k]);
            face_normal[f] = (p[1] - p[0]).cross(p[2] - p[0]).stableNormalized();
            for (int k = 0; k < 3; ++k) {
                const Vec3f u = (p[(k + 1) % 3] - p[k]).stableNormalized(),
                            v = (p[(k + 2) % 3] - p[k]).stableNormalized();
                angle[3 * f + k] = std::acos(std::clamp(u.dot(v), -1.0f, 1.0f));
            }
        }
    });

    std::vector<unsigned> start(vertices + 1, 0), around(3 * faces_.size());
    for (const Face& face : faces_)
        for (unsigned i : face.corner) ++start[place[i] + 1];
    for (std::size_t i = 0; i < vertices; ++i) start[i + 1] += start[i];
    std::vector<unsigned> fill(start.begin(), start.end() - 1);
    for (std::size_t f = 0; f < faces_.size(); ++f)
        for (int k = 0; k < 3; ++k) around[fill[place[faces_[f].corner[k]]]++] = unsigned(3 * f + k);

    constexpr double degree = std::numbers::pi / 180;
    const float apart = float(std::cos(1.3 * crease * degree)), together = float(std::cos(0.7 * crease * degree));
    corner_normals_.resize(3 * faces_.size(), Vec3f::Zero());
    parallel_for(threads, faces_.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t f = begin; f < end; ++f)
            for (int k = 0; k < 3; ++k) {
                if (corner_normals_[3 * f + k].squaredNorm() > 0.5f) continue;  // it was brought
                const unsigned v = place[faces_[f].corner[k]];
                Vec3f sum = face_normal[f] * 1e-3f;
                // A fan of thousands of slivers around one point costs no more than a bounded number of them.
                const unsigned count = start[v + 1] - start[v], stride = 1 + count / 64;
                for (unsigned j = 0; j < count; j += stride) {
                    const unsigned c = around[start[v] + j];
                    const Vec3f& n = face_normal[c / 3];
                    const float weight = smoothstep(apart, together, n.dot(face_normal[f]));
                    if (weight > 0) sum += n * (weight * angle[c]);
                }
                const float length = sum.norm();
                corner_normals_[3 * f + k] = length > 0 ? Vec3f(sum / length) : face_normal[f];
            }
    });
}

void RayScene::build() {
    if (faces_.empty()) return;
    for (const Face& face : faces_)
        for (unsigned i : face.corner) low_ = low_.cwiseMin(load(points_, i)), high_ = high_.cwiseMax(load(points_, i));
    const float margin = 1e-4f * std::max(1.0f, std::max(low_.cwiseAbs().maxCoeff(), high_.cwiseAbs().maxCoeff()));
    low_.array() -= margin, high_.array() += margin;
    tree_ = std::make_unique<Tree>();
    // One thread: the tree is then the same every time, and so is which of two coincident faces a ray reports.
    tree_->device = rtcNewDevice("threads=1,set_affinity=0");
    CHECK(tree_->device != nullptr, int(rtcGetDeviceError(nullptr)));
    tree_->scene = rtcNewScene(tree_->device);
    rtcSetSceneFlags(tree_->scene, RTC_SCENE_FLAG_ROBUST);  // no light leaks through shared edges
    RTCGeometry geometry = rtcNewGeometry(tree_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, points_.data(), 0,
                               3 * sizeof(float), points_.size() / 3);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, faces_.data(), 0, sizeof(Face),
                               faces_.size());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree_->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(tree_->scene);
    const RTCError error = rtcGetDeviceError(tree_->device);
    CHECK(error == RTC_ERROR_NONE, int(error), faces_.size());
}

namespace {

RTCRay ray_from(const Vec3f& origin, const Vec3f& direction, float far) {
    RTCRay ray;
    ray.org_x = origin[0], ray.org_y = origin[1], ray.org_z = origin[2];
    ray.dir_x = direction[0], ray.dir_y = direction[1], ray.dir_z = direction[2];
    ray.tnear = 0, ray.tfar = far, ray.time = 0, ray.mask = ~0u, ray.id = 0, ray.flags = 0;
    return ray;
}

}  // namespace

bool RayScene::near_bodies(const Vec3f& origin, const Vec3f& direction) const {
    float from = 0, to = std::numeric_limits<float>::infinity();
    for (int k = 0; k < 3; ++k) {
        const float inverse = 1 / direction[k];
        const float a = (low_[k] - origin[k]) * inverse, b = (high_[k] - origin[k]) * inverse;
        // A direction along the slab gives infinities, or NaN on its very edge, which the order of these keeps out.
        from = std::max(from, std::min(a, b));
        to = std::min(to, std::max(a, b));
    }
    return from <= to;
}

float RayScene::ground_distance(const Vec3f& origin, const Vec3f& direction) const {
    if (ground_ && direction[1] < 0 && origin[1] > *ground_) return (*ground_ - origin[1]) / direction[1];
    return std::numeric_limits<float>::infinity();
}

RayHit RayScene::ground_hit(const Vec3f& origin, const Vec3f& direction, float distance) const {
    RayHit hit;
    hit.ground = true;
    hit.distance = distance;
    hit.position = origin + distance * direction;
    hit.position[1] = *ground_;
    hit.geometric = hit.normal = Vec3f::UnitY();
    hit.lifted = off_surface(hit.position, hit.normal);
    hit.color = Vec3f::Zero();  // the ground's colour is the light's affair
    return hit;
}

RayHit RayScene::face_hit(const Vec3f& direction, float distance, unsigned f, float u, float v,
                          const Vec3f& normal) const {
    RayHit hit;
    const Face& face = faces_[f];
    const float weight[3] = {1 - u - v, u, v};
    Vec3f corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = load(points_, face.corner[k]);
    hit.distance = distance;
    hit.position = weight[0] * corner[0] + weight[1] * corner[1] + weight[2] * corner[2];
    // Embree's own, of the faces that add_body() let through: none is flat.
    hit.geometric = normal.stableNormalized();
    const float side = hit.geometric.dot(direction) > 0 ? -1.0f : 1.0f;  // both sides of a sheet are lit as outsides
    hit.geometric *= side;
    hit.normal = Vec3f::Zero();
    hit.color = Vec3f::Zero();
    // Shadow rays that start on a coarse facet of a surface shaded smooth are caught by its neighbours, which shows
    // as a jagged edge between light and dark. They start instead at the point moved out to the tangent planes at
    // the corners (Hanika 2021, "Hacking the shadow terminator"), wherever those lie above the facet.
    Vec3f lift = Vec3f::Zero();
    for (int k = 0; k < 3; ++k) {
        const Vec3f n = side * corner_normals_[3 * f + k];
        hit.normal += weight[k] * n;
        hit.color += weight[k] * corner_colors_[3 * f + k];
        lift -= weight[k] * std::min(0.0f, (hit.position - corner[k]).dot(n)) * n;
    }
    hit.normal.stableNormalize();
    if (!(hit.normal.dot(hit.geometric) > 0.05f)) hit.normal = hit.geometric;
    hit.lifted = off_surface(hit.position + lift, hit.geometric);
    hit.gloss = gloss_[face.body];
    hit.depth = depth_[face.body];
    if (f < face_material_.size() && face_material_[f] >= 0)
        apply_material(materials_[std::size_t(face_material_[f])], f, weight, side, hit);
    const Texture& texture = texture_[face.body];
    if (texture.kind != Texture::Kind::none) {
        Vec3f at = Vec3f::Zero();
        for (int k = 0; k < 3; ++k) at += weight[k] * rest_[face.corner[k]];
        hit.color = mix(hit.color, texture.second, texture.share(at));
    }
    return hit;
}

void RayScene::apply_material(const BroughtMaterial& material, unsigned f, const float weight[3], float side,
                              RayHit& hit) const {
    const std::array<float, 2>* uv = &corner_uv_[3 * f];
    float at[2] = {0, 0};
    for (unsigned k = 0; k < 3; ++k)
        for (unsigned i = 0; i < 2; ++i) at[i] += weight[k] * uv[k][i];
    if (material.color) hit.color = hit.color.cwiseProduct(picture_color(*material.color, at[0], at[1]));
    if (material.roughness) hit.roughness = *material.roughness;
    if (material.roughness_map) hit.roughness *= picture_numbers(*material.roughness_map, at[0], at[1])[1];
    hit.metallic = material.metallic;
    if (material.metallic_map) hit.metallic *= picture_numbers(*material.metallic_map, at[0], at[1])[2];
    if (!material.normal_map) return;
    // The directions in which u and v grow on the face, square to the smooth normal: u from the face's sides, v by
    // whether the picture is mirrored there.
    const Face& face = faces_[f];
    const Vec3f a = load(points_, face.corner[0]);
    const Vec3f side_b = load(points_, face.corner[1]) - a, side_c = load(points_, face.corner[2]) - a;
    const float ub = uv[1][0] - uv[0][0], vb = uv[1][1] - uv[0][1], uc = uv[2][0] - uv[0][0], vc = uv[2][1] - uv[0][1];
    const float mirrored = ub * vc - uc * vb < 0 ? -1.0f : 1.0f;
    const Vec3f outward = side * hit.normal;
    Vec3f along_u = mirrored * (vc * side_b - vb * side_c);
    along_u -= along_u.dot(outward) * outward;
    const float length = along_u.norm();
    if (!(length > 0)) return;  // the picture has no width here
    along_u /= length;
    const Vec3f along_v = mirrored * outward.cross(along_u);
    const Vec3f n = 2 * picture_numbers(*material.normal_map, at[0], at[1]) - Vec3f::Ones();
    const float s = material.normal_strength;
    const Vec3f turned = side * (s * n[0] * along_u + s * n[1] * along_v + n[2] * outward).stableNormalized();
    if (turned.dot(hit.geometric) > 0.05f) hit.normal = turned;
}

bool RayScene::intersect(const Vec3f& origin, const Vec3f& direction, RayHit& hit) const {
    const float ground = ground_distance(origin, direction);
    RTCRayHit query;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    if (tree_ && near_bodies(origin, direction)) {
        query.ray = ray_from(origin, direction, ground);
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(tree_->scene, &context, &query);
    }
    if (query.hit.geomID != RTC_INVALID_GEOMETRY_ID)
        hit = face_hit(direction, query.ray.tfar, query.hit.primID, query.hit.u, query.hit.v,
                       Vec3f(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z));
    else if (ground < std::numeric_limits<float>::infinity())
        hit = ground_hit(origin, direction, ground);
    else
        return false;
    return true;
}

float RayScene::way_out(const Vec3f& origin, const Vec3f& direction) const {
    if (!tree_) return std::numeric_limits<float>::infinity();
    RTCRayHit query;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    query.ray = ray_from(origin, direction, std::numeric_limits<float>::infinity());
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tree_->scene, &context, &query);
    return query.ray.tfar;
}

bool RayScene::occluded(const Vec3f& origin, const Vec3f& direction) const {
    if (!tree_ || !near_bodies(origin, direction)) return false;
    RTCRay ray = ray_from(origin, direction, std::numeric_limits<float>::infinity());
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(tree_->scene, &context, &ray);
    return ray.tfar < 0;
}

namespace {

void put_ray(RTCRay4& rays, int i, const Vec3f& origin, const Vec3f& direction, float far) {
    rays.org_x[i] = origin[0], rays.org_y[i] = origin[1], rays.org_z[i] = origin[2];
    rays.dir_x[i] = direction[0], rays.dir_y[i] = direction[1], rays.dir_z[i] = direction[2];
    rays.tnear[i] = 0, rays.tfar[i] = far, rays.time[i] = 0, rays.mask[i] = ~0u, rays.id[i] = 0, rays.flags[i] = 0;
}

RTCIntersectContext coherent() {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    return context;
}

}  // namespace

unsigned RayScene::intersect(const Vec3f& origin, const Vec3f* direction, int count, RayHit* hit) const {
    alignas(16) int valid[packet];
    alignas(16) RTCRayHit4 query;
    float ground[packet];
    int any = 0;
    for (int i = 0; i < packet; ++i) {
        const Vec3f& d = direction[std::min(i, count - 1)];
        valid[i] = i < count && near_bodies(origin, d) ? -1 : 0;
        any |= valid[i];
        ground[i] = ground_distance(origin, d);
        put_ray(query.ray, i, origin, d, ground[i]);
        query.hit.geomID[i] = query.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    if (tree_ && any) {
        RTCIntersectContext context = coherent();
        rtcIntersect4(valid, tree_->scene, &context, &query);
    }
    unsigned met = 0;
    for (int i = 0; i < count; ++i) {
        if (query.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID)
            hit[i] = face_hit(direction[i], query.ray.tfar[i], query.hit.primID[i], query.hit.u[i], query.hit.v[i],
                              Vec3f(query.hit.Ng_x[i], query.hit.Ng_y[i], query.hit.Ng_z[i]));
        else if (ground[i] < std::numeric_limits<float>::infinity())
            hit[i] = ground_hit(origin, direction[i], ground[i]);
        else
            continue;
        met |= 1u << i;
    }
    return met;
}

unsigned RayScene::occluded(const Vec3f* origin, const Vec3f* direction, unsigned asked) const {
    if (!tree_ || asked == 0) return 0;
    alignas(16) int valid[packet];
    alignas(16) RTCRay4 rays;
    for (int i = 0; i < packet; ++i)
        if ((asked >> i & 1u) != 0 && !near_bodies(origin[i], direction[i])) asked &= ~(1u << i);
    if (asked == 0) return 0;
    for (int i = 0; i < packet; ++i) {
        const bool counts = (asked >> i & 1u) != 0;
        valid[i] = counts ? -1 : 0;
        put_ray(rays, i, counts ? origin[i] : Vec3f(Vec3f::Zero()), counts ? direction[i] : Vec3f(Vec3f::UnitY()),
                std::numeric_limits<float>::infinity());
    }
    RTCIntersectContext context = coherent();
    rtcOccluded4(valid, tree_->scene, &context, &rays);
    unsigned hidden = 0;
    for (int i = 0; i < packet; ++i)
        if ((asked >> i & 1u) != 0 && rays.tfar[i] < 0) hidden |= 1u << i;
    return hidden;
}

}  // namespace pliant
