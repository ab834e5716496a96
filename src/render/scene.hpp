#pragma once
// A Frame made ready for rays: triangles at unit size in Embree's tree, corner normals, corner colours, and an
// endless level ground. Nothing else in this room knows Embree.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/render/brought_pictures.hpp"
#include "pliant/render/float3.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

/// A pattern of two colours that fills space.
struct Texture {
    enum class Kind { none, checker, stripes, noise };
    Kind kind = Kind::none;
    float size = 0.05f;                     ///< of a square, a stripe or a blotch, m
    Vec3f second = Vec3f::Constant(0.95f);  ///< linear RGB

    /// How much of the second colour there is at a place, 0 … 1.
    float share(const Vec3f& at) const;
};

/// A material that a body was brought with, decoded. Pictures are null where there is none.
struct BroughtMaterial {
    std::shared_ptr<const Image> color, roughness_map, metallic_map, normal_map;
    std::optional<float> roughness;  ///< nothing: the clear coat that all bodies have
    float metallic = 0;
    float normal_strength = 1;
};

/// How one body is coloured. Empty arrays: `color` everywhere.
struct BodyLook {
    bool visible = true;
    Vec3f color = Vec3f::Constant(0.8f);  ///< linear RGB
    float gloss = 1;                      ///< strength of the clear coat: 0 chalk, 1 wax
    float depth = 0;                      ///< how deep sunlight gets into it, in picture space; 0: not at all
    Texture texture;                      ///< through and through, in the places that `rest` gives
    std::vector<Vec3> rest;               ///< per vertex, m: where it was before the body deformed; none: no texture
    std::vector<Vec3f> vertex_colors;
    std::vector<Vec3f> triangle_colors;  ///< NaN: this triangle has no colour of its own
    std::vector<Vec3f> corner_colors;    ///< per corner of each triangle; the triangle's colour is multiplied by it
    /// What the body was brought with beside colours; per triangle one of them. Empty: nothing.
    std::vector<BroughtMaterial> materials;
    std::vector<int> triangle_material;
    std::span<const std::array<float, 2>> uv;  ///< per corner of each triangle; empty: no pictures
};

/// Picture space: q = (p − center) / radius.
struct UnitSize {
    Vec3 center = Vec3::Zero();
    double radius = 1;  ///< m

    Vec3f point(const Vec3& p) const { return ((p - center) / radius).cast<float>(); }
};

/// Where a ray met something.
struct RayHit {
    bool ground = false;
    float distance = 0;
    Vec3f position;
    Vec3f lifted;     ///< on the smooth surface that the corner normals suggest: where shadow rays start
    Vec3f geometric;  ///< unit normal of the triangle, on the side the ray came from
    Vec3f normal;     ///< unit shading normal, on the same side
    Vec3f color;
    float gloss = 0;
    float depth = 0;       ///< how deep sunlight gets
    float roughness = -1;  ///< 0 a mirror … 1 chalk; −1: that of the clear coat
    float metallic = 0;    ///< 0 … 1; what it mirrors has its colour then
};

class RayScene {
public:
    /// looks: one per body. Triangles with bad indices, non-finite points or no area are left out.
    /// crease: edges sharper than about this many degrees stay sharp.
    RayScene(const Frame& frame, const std::vector<BodyLook>& looks, const UnitSize& size,
             std::optional<double> ground_height, double crease, Threads& threads);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    /// The nearest thing on the ray. direction has unit length. Safe to call from several threads.
    bool intersect(const Vec3f& origin, const Vec3f& direction, RayHit& hit) const;
    /// Whether any body (the ground does not count) lies on the ray.
    bool occluded(const Vec3f& origin, const Vec3f& direction) const;

    // Rays that go much the same way, at most `packet` of them: together they cost little more than one. Of the
    // results, bit i is of ray i.
    static constexpr int packet = 4;
    unsigned intersect(const Vec3f& origin, const Vec3f* direction, int count, RayHit* hit) const;
    /// How far a ray that starts within a body goes until it leaves it; infinite where it does not.
    float way_out(const Vec3f& origin, const Vec3f& direction) const;
    /// asked: the rays that count, as bits.
    unsigned occluded(const Vec3f* origin, const Vec3f* direction, unsigned asked) const;

    std::optional<float> ground() const { return ground_; }
    /// The box of all faces, slightly widened.
    const Vec3f& low() const { return low_; }
    const Vec3f& high() const { return high_; }
    std::size_t triangles() const { return faces_.size(); }

private:
    struct Face {
        std::array<unsigned, 3> corner;
        unsigned body;
    };
    void add_body(const BodyFrame& body, const BodyLook& look, unsigned index, const UnitSize& size);
    void compute_normals(double crease, Threads& threads);
    void build();
    /// Distance to the ground; infinite where there is none.
    float ground_distance(const Vec3f& origin, const Vec3f& direction) const;
    RayHit ground_hit(const Vec3f& origin, const Vec3f& direction, float distance) const;
    /// normal: of the face, of any length; u, v: Embree's.
    RayHit face_hit(const Vec3f& direction, float distance, unsigned face, float u, float v, const Vec3f& normal) const;
    /// What a brought material does to a hit on the outside (+1) or the inside (−1) of a face.
    void apply_material(const BroughtMaterial& material, unsigned face, const float weight[3], float side,
                        RayHit& hit) const;

    /// Whether the ray may meet a body at all: most rays from the ground up pass the box of all of them.
    bool near_bodies(const Vec3f& origin, const Vec3f& direction) const;

    struct Tree;
    std::unique_ptr<Tree> tree_;
    Vec3f low_ = Vec3f::Constant(1e30f), high_ = Vec3f::Constant(-1e30f);  // box of the faces, slightly widened
    std::vector<float> points_;  // x, y, z of each vertex, and one spare for Embree's 16-byte loads
    std::vector<Face> faces_;
    std::vector<Vec3f> corner_normals_;  // three per face
    std::vector<Vec3f> corner_colors_;   // three per face
    std::vector<BroughtMaterial> materials_;
    std::vector<int> face_material_;  // per face; −1: none. May end before the faces do, where no more have any
    std::vector<std::array<float, 2>> corner_uv_;  // three per face, likewise
    std::vector<float> gloss_, depth_;             // per body
    std::vector<Texture> texture_;                 // per body
    std::vector<Vec3f> rest_;                      // per vertex; empty when no body has a texture
    std::optional<float> ground_;
};

}  // namespace pliant
