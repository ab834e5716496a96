#pragma once
// What a scene can say. A verb is a Schema and a function that adds to the SceneDesc or makes an object; one file per
// group of verbs, each with a list, and verbs.cpp joins the lists. To add a group (plasticity, fracture, heat,
// particles, modal, sound): write verbs_<group>.cpp, and name its list in verb_groups().

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pliant/core/params.hpp"
#include "pliant/script/lua_value.hpp"
#include "pliant/script/scene.hpp"

namespace pliant::script {

/// One per body: shared by the handles of it in Lua and the Scene that connects it.
struct BodySlot {
    std::string name;
    const BodyQuery* query = nullptr;  ///< null until the world exists
    struct Tracked {
        Vec3 start;
        int node;
    };
    std::vector<Tracked> tracked;  ///< nodes found for body:point
    std::uint64_t revision = 0;    ///< of the mesh they were found in
};

/// What verbs work on while a scene is loading.
struct Loader {
    SceneDesc& desc;
    const SceneOptions& options;
    LuaBridge& bridge;
    std::vector<std::filesystem::path> folders;  ///< that load may read from
    std::vector<std::shared_ptr<BodySlot>> bodies;
    std::map<std::string, std::shared_ptr<const TriMesh>> surfaces;  ///< read already, by path
    std::map<std::string, std::shared_ptr<const TetMesh>> tets;
    bool world_given = false;

    Where here() const { return bridge.sandbox().here(); }
    /// Bodies, planes and obstacles share one set of names. Throws when it is taken; makes one from `kind` when empty.
    std::string unique_name(const std::string& wanted, const std::string& kind, const Where& where);

    std::set<std::string> names;
    std::map<std::string, std::shared_ptr<const ParticleStructure>> structures = {};  ///< read already, by path

    std::map<std::string, std::shared_ptr<const PaintPicture>> pictures = {};  ///< read already, by path

    std::map<std::string, int> included = {};  ///< path → where Lua's registry keeps what the file returned
    std::vector<std::string> including = {};   ///< paths of the files being run, the innermost last
};

struct Verb {
    Schema schema;
    LiteralText usage;  ///< as in the reference: "sphere { radius = 0.5 }"
    std::function<Value(Loader&, const Params&)> make;
    /// Keys that arguments without names go to: measure("tip", function) is measure { name = "tip", value = function }.
    std::vector<std::string> positional = {};
    /// Key that gets the unnamed entries of the table: union { a, b }.
    LiteralText items = {};
};

struct ObjectMethod {
    LiteralText type;   ///< "shape"
    LiteralText usage;  ///< "shape:at { x, y, z }"; the name is between ':' and the first thing behind it
    LiteralText doc;
    Value (*call)(Loader&, const Value& self, std::span<const Value> arguments);

    std::string name() const;
};

struct VerbGroup {
    std::string title;
    std::string doc;
    const std::vector<Verb>* verbs;
    const std::vector<ObjectMethod>* methods = nullptr;
    std::vector<const Schema*> tables = {};  ///< schemas of tables inside, such as material
};

const std::vector<VerbGroup>& verb_groups();

// The lists, one per file.
const std::vector<Verb>& run_verbs();
const std::vector<Verb>& shape_verbs();
const std::vector<ObjectMethod>& shape_methods();
const std::vector<Verb>& mesh_verbs();
const std::vector<ObjectMethod>& mesh_methods();
const std::vector<Verb>& body_verbs();
const std::vector<ObjectMethod>& body_methods();
const std::vector<const Schema*>& body_tables();
/// Reads what all bodies have in common and adds one to the scene.
/// What FEM and modal bodies share: name, surface, volume, place, material, collide, sound.
BodyDesc read_elastic_body(const Params& params, const char* verb);
const std::vector<Verb>& modal_verbs();
const std::vector<Verb>& shell_verbs();
const std::vector<Verb>& plastic_verbs();
const std::vector<Verb>& heat_verbs();
const std::vector<const Schema*>& heat_tables();
const std::vector<Verb>& particle_verbs();
const std::vector<const Schema*>& particle_tables();
const std::vector<Verb>& rigid_verbs();
const std::vector<Verb>& sound_verbs();
const std::vector<const Schema*>& sound_tables();
const std::vector<Verb>& motion_verbs();
const std::vector<Verb>& cutting_verbs();
const std::vector<Verb>& scenery_verbs();
const std::vector<Verb>& look_verbs();
const std::vector<const Schema*>& scenery_tables();

/// Makes the verbs and methods known to the sandbox. The loader must live as long.
void define_verbs(Loader& loader);
/// Makes include known.
void define_include(Loader& loader);

// Words that several groups share.

/// A solid and what is needed to keep its cost in bounds: nested shapes cost at every question about a distance.
struct ShapeObject {
    ShapePtr shape;
    ShapePtr plain;  ///< before pose and scale: chains of at, rotated and scaled become one transform
    Pose pose;
    double scale = 1;
    int depth = 1;
    double parts = 1;
};
using ShapeHandle = std::shared_ptr<const ShapeObject>;
struct BodyHandle {
    int index = 0;
    std::shared_ptr<BodySlot> slot;
};

Value shape_value(ShapeObject shape, const Where& where);
ShapePtr shape_of(const Params& params, std::string_view key);  ///< null when the key was left out
std::optional<MeshDesc> mesh_of(const Params& params, std::string_view key);
int body_of(const Params& params);
BodySlot& slot_of(const Value& body);
const BodyQuery& query(Loader& loader, const Value& body);  ///< throws while the scene loads
/// The key volume_constraint of a body: a table or one of the words. `implicit`: Newton steps by default.
Key volume_constraint_key();
VolumeConstraintOptions volume_constraint_of(const Value& value, bool implicit);
int axis_number(const Value& axis);            ///< 0, 1, 2 for "x", "y", "z" ; -1 for anything else
MaterialHeatDesc heat_of(const Value& value);  ///< the key `heat` of a material
const Schema& cutting_schema();
CuttingDesc cutting_of(const Value& value);  ///< the key `cutting` of a body
const Schema& fracture_schema();
const Schema& remesh_schema();
const Schema& inlet_schema();
std::vector<PaintDesc> paint_of(const Value& value);  ///< the key `paint` of a material
const std::vector<const Schema*>& paint_tables();
MaterialFractureDesc fracture_of(const Value& value);              ///< the key `fracture` of a material
RemeshOptions remesh_of(const Value& value);                       ///< the key `remesh` of a fem_body
MaterialDesc material_of(const Value& value, const Where& where);  ///< the key `material` of a body
Key sound_key();                                                   ///< the key `sound` of a body
std::optional<SoundDesc> sound_of(const Params& params);

std::vector<Key> with_placement(std::vector<Key> keys);  ///< adds `at` and `rotate`
Pose placement(const Params& params);
Quat rotation_from(const Value& rotate);  ///< {x, y, z} in degrees, or { axis =, angle = }
Vec3 axis_from(const Value& axis);        ///< unit length; {x,y,z} or "x", "y", "z"

/// A vector, or a function of time that gives one.
std::function<Vec3(double)> vector_of_time(const Value& value, const std::string& what);
std::function<double(double)> number_of_time(const Value& value, const std::string& what);
std::optional<double> optional_number(const Params& params, std::string_view key);
/// color = {r, g, b}, "red" or "#ff8800"; linear RGB.
std::optional<Vec3> optional_color(const Params& params, std::string_view key = "color");
Key color_key();
/// Arguments (x, y, z) or ({x, y, z}).
Vec3 point_argument(std::span<const Value> arguments, const std::string& usage, const Where& where);

/// Finds a file below one of the folders; throws when it is not there or leads out of them.
std::filesystem::path find_file(const std::string& name, const std::vector<std::filesystem::path>& folders,
                                const Where& where);

inline constexpr double degree = 3.14159265358979323846 / 180;

}  // namespace pliant::script
