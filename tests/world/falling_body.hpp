#pragma once
// The body that CONTRIBUTING.md adds as an example; the page quotes what follows.

#include "pliant/body/deformable_body.hpp"
#include "pliant/body/state_list.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

// A body that keeps its shape and only falls: the least that a world can ask of a kind.
struct FallingBodyDesc {
    std::string name = "body";
    TetMesh mesh;
    TriMesh surface;               ///< what is seen; empty: the boundary of the mesh
    double density = 1000;         ///< kg/m³
    Vec3 velocity = Vec3::Zero();  ///< at the start, m/s
    double friction = 0.5;         ///< Coulomb coefficient
    bool collide = true;           ///< false: passes through everything
    Vec3 color = Vec3(1, 1, 1);    ///< linear RGB
};

struct FallingBody : DeformableBody {
    std::vector<double> node_mass;  ///< kg
    double fallen = 0;              ///< m: state beside x and v
};

inline FallingBody make_falling_body(FallingBodyDesc desc) {
    if (desc.surface.triangles.empty()) desc.surface = boundary_surface(desc.mesh).surface;
    const SurfaceFacts facts = inspect(desc.surface);
    auto seen = std::make_unique<EmbeddedSurface>(desc.mesh, std::move(desc.surface), facts);
    FallingBody body;
    take_shared(body, desc, std::move(desc.mesh), std::move(seen), facts);
    body.node_mass.assign(body.x.size(), 0);
    for (const Tet& tet : body.mesh.tets)
        for (int node : tet) body.node_mass[node] += desc.density * signed_volume(body.mesh.rest, tet) / 4;
    return body;
}

// The state, named once: what is missing here is lost on resume.
template <class Body, class F>
requires std::same_as<std::remove_const_t<Body>, FallingBody>
void for_each_array(Body& body, F&& f) {
    f(ArrayRole{"x", Per::node}, body.x);
    f(ArrayRole{"v", Per::node}, body.v);
    f(ArrayRole{"temperature", Per::node}, body.temperature);
    f(ArrayRole{"fallen"}, body.fallen);
}

inline const char* kind_name(const FallingBody&) { return "falling"; }
inline std::span<const double> node_mass(const FallingBody& body) { return body.node_mass; }
inline double elastic_energy(const FallingBody&) { return 0; }
inline SurfaceView surface_view(const FallingBody& body) {
    if (!body.collide) return {};
    return {.points = body.points,
            .velocities = body.velocities,
            .triangles = body.surface().triangles,
            .tets = body.mesh.tets,
            .embedding = &body.embedding(),
            .spacing = body.spacing,
            .friction = body.friction,
            .revision = body.mesh.revision};
}

// Heat has nothing to change in a body that does not deform.
inline void add_heat(FallingBody&, const HeatDesc&) {}
inline void set_material_at(FallingBody&, std::span<const double>) {}

inline void save_state(const FallingBody& body, ByteWriter& out) { for_each_array(body, ArrayWriter{out}); }
inline void load_state(FallingBody& body, ByteReader& in) { for_each_array(body, ArrayReader{in, body.name}); }
inline void hash_state(const FallingBody& body, Hash& hash) { for_each_array(body, ArrayHash{hash}); }

// Its own stage of a step: exact under a constant acceleration.
inline void fall(FallingBody& body, const Vec3& gravity, double dt, Threads& threads) {
    const Vec3 shift = dt * body.v.front() + 0.5 * dt * dt * gravity;
    for (Vec3& x : body.x) x += shift;
    for (Vec3& v : body.v) v += dt * gravity;
    body.fallen -= shift.y();
    update_surface(body, threads);
}

static_assert(AnyBody<FallingBody>);  // the compiler names every function that is missing

}  // namespace pliant
