#pragma once
// An immutable snapshot of the world: all that any sink (exporter, picture, checkpoint index, web stream) sees.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/mesh/point.hpp"
#include "pliant/mesh/surface_attributes.hpp"

namespace pliant {

/// A named array on part of a body.
struct Field {
    enum class On { node, tet, vertex, triangle };  ///< of the tet mesh, or of the seen surface
    std::string name;  ///< snake_case, as it appears in exports: "displacement", "von_mises"
    std::string unit;  ///< "m", "Pa", "" for labels
    On on = On::node;
    int components = 1;  ///< 1, 3, 6 or 9; values are interleaved
    std::vector<float> values;
};

struct BodyFrame {
    std::string name;
    std::string kind;  ///< "fem", "particle", "shell", "modal", "rigid", "obstacle"
    // The seen surface.
    std::vector<Vec3> points;
    std::vector<Vec3> normals;
    std::shared_ptr<const std::vector<Tri>> triangles;
    std::uint64_t surface_revision = 0;  ///< changes when `triangles` does
    /// What the surface was brought with, for the triangles as they are now; null: nothing. Shared like `triangles`.
    std::shared_ptr<const SurfaceAttributes> attributes;
    // The carrying tet mesh; empty for bodies without one.
    std::vector<Vec3> nodes;
    std::shared_ptr<const std::vector<Tet>> tets;
    std::uint64_t mesh_revision = 0;
    /// What each vertex of the surface hangs on: values at nodes come to the surface by it. None for bodies without a
    /// mesh.
    std::shared_ptr<const std::vector<Point>> carriers;
    std::vector<Field> fields;
    Vec3 color{0.8, 0.8, 0.8};  ///< linear RGB
};

/// Values at nodes, or at tets, as they are at the vertices of the surface; empty where the body has no mesh, or other
/// numbers of nodes and vertices than its parts say. Weights below zero do not count, so that no value is overshot.
std::vector<float> node_values_on_surface(const BodyFrame& body, std::span<const float> per_node);
std::vector<float> tet_values_at_nodes(const BodyFrame& body, std::span<const float> per_tet);

/// Normals for shading, 3 · triangle + corner, of a body that was brought with normals or has crack faces (triangle
/// fields "crack" and "flat"): the brought ones turn with their triangles; without them skin and crack faces are each
/// smooth by themselves with a crease between them, and triangles marked flat have their own normal. Empty for other
/// bodies: there `normals` says all.
std::vector<Vec3> corner_normals(const BodyFrame& body);

/// Something that happened since the previous frame.
struct Event {
    std::string kind;  ///< "impact", "crack", "cut"
    std::string body;
    double time = 0;  ///< s
    Vec3 position = Vec3::Zero();
    double size = 0;             ///< N·s for impacts, m² for cracks
    double energy = 0;           ///< set free by a crack, J
    Vec3 normal = Vec3::Zero();  ///< of a crack, unit; zero: not known
};

/// What one contact did to one body in one substep, in the body's frame at the start of the run. Sound is made of it.
struct ContactEvent {
    std::int32_t body = 0;        ///< place in Frame::bodies
    double time = 0;              ///< at the end of the substep, s
    double interval = 0;          ///< length of the substep, s
    Vec3 point = Vec3::Zero();    ///< m
    Vec3 impulse = Vec3::Zero();  ///< on the body, N·s
    double approach = 0;          ///< speed at which the two met, m/s; about zero for resting contacts
    double slide = 0;             ///< speed along the surface, m/s
};

struct Frame {
    int index = 0;
    double time = 0;                ///< s
    std::vector<BodyFrame> bodies;  ///< deformable bodies first, obstacles after them
    std::vector<Event> events;
    std::vector<ContactEvent> contact_events;  ///< in the order of time; only of bodies in World::recorded
    std::map<std::string, double> measures;
};

/// Facts about the whole run, known before its first frame.
struct RunInfo {
    std::string scene = {};
    double fps = 50;
    int frames = 0;  ///< how many will come; 0 if not known
    /// Where pictures are taken from, when the scene says so.
    struct Camera {
        Vec3 eye, target;
        double fov = 26;  ///< vertical, degrees
    };
    std::optional<Camera> camera = {};
    /// The level ground, which has no triangles and so is not among the bodies.
    struct Ground {
        double height = 0;  ///< m
        Vec3 color{0.5, 0.5, 0.5};
    };
    std::optional<Ground> ground = {};
};

class FrameSink {
public:
    virtual ~FrameSink() = default;
    virtual void begin(const RunInfo&) {}
    virtual void write(const Frame& frame) = 0;
    virtual void finish() {}
};

}  // namespace pliant
