// Files: surfaces and tet meshes, found below the scene's folder or the model paths only.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "pliant/core/hash.hpp"
#include "pliant/core/text.hpp"
#include "pliant/script/body_words.hpp"

namespace pliant::script {

namespace fs = std::filesystem;

namespace {

bool lies_below(const fs::path& path, const fs::path& folder) {
    const auto [f, p] = std::ranges::mismatch(folder, path);
    return f == folder.end();
}

std::string guess_file(const std::string& name, const std::vector<fs::path>& folders) {
    std::vector<std::string> names;
    for (const fs::path& folder : folders) {
        std::error_code failed;
        for (fs::directory_iterator entry(folder / fs::path(name).parent_path(), failed), end;
             !failed && entry != end && names.size() < 1000; entry.increment(failed))
            names.push_back((fs::path(name).parent_path() / entry->path().filename()).string());
    }
    std::ranges::sort(names);
    return did_you_mean(name, names);
}

/// rotation · (scale · p) + translation, for the points of a mesh.
struct Similarity {
    double scale = 1;
    Pose pose;
    Vec3 operator()(const Vec3& p) const { return pose * (scale * p); }
    bool nothing() const {
        return scale == 1 && pose.rotation.isApprox(Quat::Identity(), 0) && pose.translation.isZero(0);
    }
};

std::vector<Key> file_keys(const char* kinds) {
    return with_placement({{.name = "file",
                            .holds = Holds::text,
                            .required = true,
                            .doc = std::string("Below the scene's folder or a model path. ") + kinds},
                           {.name = "scale",
                            .unit = "1",
                            .fallback = 1,
                            .min = 0,
                            .open_min = true,
                            .doc = "Applied first. 0.001 turns millimetres into metres."},
                           {.name = "fit",
                            .unit = "m",
                            .min = 0,
                            .open_min = true,
                            .doc = "Instead of scale: make the longest side this long."}});
}

Similarity similarity(const Params& params, const Box& box) {
    Similarity s{params.number("scale"), placement(params)};
    if (params.has("fit")) {
        const double side = box.empty() ? 0 : box.size().maxCoeff();
        if (!(side > 0)) throw UserError("fit: the mesh has no extent", params.where("fit"), "Use scale instead");
        s.scale = params.number("fit") / side;
    }
    return s;
}

TriMesh changed(const TriMesh& mesh, const Similarity& s) {
    TriMesh result = mesh;
    for (Vec3& p : result.points) p = s(p);
    return result;
}

Value mesh_value(MeshDesc mesh) {
    const Where where = mesh.where;
    return Value(Handle{"mesh", std::move(mesh)}, where);
}

const MeshDesc& self_mesh(const Value& self) { return *std::any_cast<MeshDesc>(&self.handle().object); }

Value changed_value(Loader& loader, const MeshDesc& mesh, const Similarity& s) {
    loader.bridge.charge(mesh.mesh->points.size() / 4);
    MeshDesc result = mesh;
    result.mesh = std::make_shared<const TriMesh>(changed(*mesh.mesh, s));
    return mesh_value(std::move(result));
}

template <class T>
void add(Hash& hash, const std::vector<T>& list) {
    hash.bytes(list.data(), list.size() * sizeof(T));
}
void add(Hash& hash, const TriMesh& mesh) { add(hash, mesh.points), add(hash, mesh.triangles); }
void add(Hash& hash, const TetMesh& mesh) { add(hash, mesh.rest), add(hash, mesh.tets); }
void add(Hash&, const ParticleStructure&) {}  // is in one file
void add(Hash&, const PaintPicture&) {}       // likewise

/// Of the file, and of what was read from it: some formats have a second file beside the one that is named.
template <class Mesh>
std::uint64_t content_of(const fs::path& path, const Mesh& mesh) {
    Hash hash;
    std::ifstream in(path, std::ios::binary);
    std::vector<char> part(std::size_t{1} << 16);  // a multiple of eight, so that parts hash like the whole
    while (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0)
        hash.bytes(part.data(), static_cast<std::size_t>(in.gcount()));
    add(hash, mesh);
    return hash.digest();
}

/// Reads the file of `params` once; errors get the line of the load.
template <class Mesh, class Reader>
std::shared_ptr<const Mesh> read(Loader& loader, std::map<std::string, std::shared_ptr<const Mesh>>& known,
                                 const Reader& reader, const Params& params) {
    const Where& where = params.where("file");
    const fs::path path = find_file(params.text("file"), loader.folders, where);
    std::shared_ptr<const Mesh>& mesh = known[path.string()];
    if (mesh) return mesh;
    if (!reader) throw UserError("files cannot be read here", where, "Use built-in shapes");
    try {
        if constexpr (std::is_invocable_v<const Reader&, const fs::path&>) {
            mesh = std::make_shared<const Mesh>(reader(path));
        } else {
            std::vector<std::string> notes;
            mesh = std::make_shared<const Mesh>(reader(path, notes));
            for (const std::string& note : notes) loader.desc.notes.push_back(params.text("file") + ": " + note);
        }
    } catch (const UserError& error) {
        // The file's own place is part of the sentence; the scene's line comes first.
        throw UserError((error.where().known() ? error.where().text() + ": " : "") + error.message(), where,
                        error.remedy());
    }
    loader.desc.files.push_back({path.string(), content_of(path, *mesh)});
    return mesh;
}

Value make_load(Loader& loader, const Params& params) {
    MeshDesc desc{read(loader, loader.surfaces, loader.options.read_surface, params), params.text("file"),
                  params.where("file")};
    const Similarity s = similarity(params, desc.mesh->bounds());
    return s.nothing() ? mesh_value(std::move(desc)) : changed_value(loader, desc, s);
}

Value make_tets(Loader& loader, const Params& params) {
    auto mesh = read(loader, loader.tets, loader.options.read_tets, params);
    const Similarity s = similarity(params, mesh->bounds());
    if (!s.nothing()) {
        loader.bridge.charge(mesh->rest.size() / 2);
        TetMesh copy = *mesh;
        for (Vec3& p : copy.rest) p = s(p);
        mesh = std::make_shared<const TetMesh>(std::move(copy));
    }
    VolumeDesc volume;
    volume.kind = VolumeDesc::Kind::tets;
    volume.mesh = std::move(mesh);
    volume.file = params.text("file");
    volume.where = params.where();
    return Value(Handle{"volume", volume}, volume.where);
}

/// A structure scaled and placed: areas go with the square of the scale, volumes with the cube.
ParticleStructure changed(const ParticleStructure& structure, const Similarity& s) {
    ParticleStructure result = structure;
    for (Vec3& p : result.rest) p = s(p);
    for (double& v : result.volume) v *= s.scale * s.scale * s.scale;
    for (VoronoiFace& f : result.faces) f.area = s.scale * s.scale * (s.pose.rotation * f.area), f.centre = s(f.centre);
    for (VoronoiCorner& c : result.polygon) c.rest = s(c.rest);
    return result;
}

Value make_structure(Loader& loader, const Params& params) {
    auto structure = read(loader, loader.structures, loader.options.read_structure, params);
    Box box;
    for (const Vec3& p : structure->rest) box.add(p);
    const Similarity s = similarity(params, box);
    if (!s.nothing()) {
        loader.bridge.charge(structure->rest.size() * 8);
        structure = std::make_shared<const ParticleStructure>(changed(*structure, s));
    }
    VolumeDesc volume;
    volume.kind = VolumeDesc::Kind::tets;
    TetMesh mesh;
    mesh.rest = structure->rest;
    mesh.tets = structure->tets;
    volume.mesh = std::make_shared<const TetMesh>(std::move(mesh));
    volume.structure = std::move(structure);
    volume.file = params.text("file");
    volume.where = params.where();
    return Value(Handle{"volume", volume}, volume.where);
}

Value make_picture(Loader& loader, const Params& params) {
    return Value(Handle{"picture", read(loader, loader.pictures, loader.options.read_picture, params)}, params.where());
}

Value make_tetgen(Loader& loader, const Params& params) {
    if (!loader.options.tetgen)
        throw UserError("TetGen cannot be run here", params.where(), "Use lattice or conforming");
    VolumeDesc volume;
    volume.kind = VolumeDesc::Kind::tetgen;
    volume.where = params.where();
    volume.tetgen = [fill = loader.options.tetgen, switches = params.text("switches")](const TriMesh& surface) {
        return fill(surface, switches);
    };
    return Value(Handle{"volume", volume}, volume.where);
}

Value make_conforming(Loader&, const Params& params) {
    return volume_of_cells(params, "conforming", VolumeDesc::Kind::conforming);
}

}  // namespace

fs::path find_file(const std::string& name, const std::vector<fs::path>& folders, const Where& where) {
    const std::string remedy = "Name a file below the scene's folder or a model path, such as \"meshes/cow.obj\"";
    const fs::path relative(name);
    if (name.empty() || name.size() > 1000 || std::ranges::any_of(name, [](unsigned char c) { return c < 32; }))
        throw UserError("this is not the name of a file", where, remedy);
    if (relative.is_absolute() || relative.has_root_path())
        throw UserError("'" + name + "' is an absolute path, which scenes cannot use", where, remedy);
    if (std::ranges::find(relative, "..") != relative.end())
        throw UserError("'" + name + "' leads out of its folder", where, remedy);
    for (const fs::path& folder : folders) {
        std::error_code failed;
        const fs::path root = fs::canonical(folder, failed);
        if (failed) continue;
        const fs::path path = fs::canonical(root / relative, failed);
        if (failed) continue;
        // After links have been followed.
        if (!lies_below(path, root))
            throw UserError("'" + name + "' is a link that leads out of its folder", where, remedy);
        if (!fs::is_regular_file(path, failed)) throw UserError("'" + name + "' is not a file", where, remedy);
        return path;
    }
    const std::string guess = guess_file(name, folders);
    std::string looked;
    for (const fs::path& folder : folders) looked += (looked.empty() ? "" : ", ") + folder.string();
    throw UserError("there is no file '" + name + "'" + (looked.empty() ? "" : " in " + looked), where,
                    guess.empty() ? "Put it beside the scene, or give its folder as a model path" : guess);
}

std::optional<MeshDesc> mesh_of(const Params& params, std::string_view key) {
    const Value& value = params.at(key);
    if (value.nil()) return {};
    const auto* mesh = std::any_cast<MeshDesc>(&value.handle().object);
    return mesh ? std::optional(*mesh) : std::nullopt;
}

const std::vector<Verb>& mesh_verbs() {
    static const std::vector<Verb> verbs{
        {{"load", "A surface mesh from a file.", file_keys("OBJ, PLY, STL, OFF, glTF or GLB.")},
         "load \"cow.obj\", or load { file = \"cow.obj\", fit = 2 }",
         make_load,
         {"file"}},
        {{"tets", "A tet mesh from a file, as the volume of a body.",
          file_keys("TetGen .node/.ele, Gmsh .msh, Medit .mesh, .vtk, .vtu, .veg or .str.")},
         "tets \"bar.msh\"",
         make_tets,
         {"file"}},
        {{"picture",
          "A picture in which material numbers are painted, for the key texture of paint.",
          {{.name = "file",
            .holds = Holds::text,
            .required = true,
            .doc = "PNG, below the scene's folder or a model path."}}},
         "picture \"weak.png\"",
         make_picture,
         {"file"}},
        {{"structure",
          "A structure file: tets and the Voronoi cells of their nodes, as the volume of a body. Particle models take "
          "the cells as they are; other bodies take the tets.",
          file_keys(".str, as pliant mesh IN -o OUT.str makes it.")},
         "structure \"beam.str\"",
         make_structure,
         {"file"}},
        {{"conforming",
          "Tets that end on the surface: a body-centred cubic lattice, warped and cut. For bodies whose mass and shape "
          "must be those of the surface; details smaller than a cell are lost.",
          cell_keys("Size of the lattice's cells. Half of it makes eight times as many tets; parts thinner than a cell "
                    "may be lost.")},
         "conforming { cell = 0.1 }",
         make_conforming},
        {{"tetgen",
          "Tets that end on the surface, made by TetGen, a separate program that must be installed. The surface must "
          "be closed and must not cut itself.",
          {{.name = "switches",
            .holds = Holds::text,
            .fallback = "pq",
            .doc = "TetGen's own: q bounds the shape, a0.01 the volume of a tet in m³, Y keeps the surface's "
                   "triangles. A small volume makes many tets."}}},
         "tetgen { switches = \"pqa0.01\" }",
         make_tetgen},
    };
    return verbs;
}

const std::vector<ObjectMethod>& mesh_methods() {
    static const std::vector<ObjectMethod> methods{
        {"mesh", "mesh:at { x, y, z }", "The mesh moved by a vector, m.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             return changed_value(loader, self_mesh(self),
                                  {1, {Quat::Identity(), point_argument(a, "mesh:at { x, y, z }", loader.here())}});
         }},
        {"mesh", "mesh:rotated(axis, degrees)",
         "The mesh turned about an axis through the origin: \"x\", \"y\", \"z\" or a vector.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             if (a.size() != 2 || a[1].kind() != Value::Kind::number || !std::isfinite(a[1].number()))
                 throw UserError("rotated takes an axis and an angle in degrees", loader.here(),
                                 "Write mesh:rotated(\"y\", 90)");
             return changed_value(
                 loader, self_mesh(self),
                 {1, {Quat(Eigen::AngleAxisd(a[1].number() * degree, axis_from(a[0]))), Vec3::Zero()}});
         }},
        {"mesh", "mesh:scaled(factor)", "The mesh scaled about the origin.",
         [](Loader& loader, const Value& self, std::span<const Value> a) {
             if (a.size() != 1 || a[0].kind() != Value::Kind::number || !(a[0].number() > 0) ||
                 !std::isfinite(a[0].number()))
                 throw UserError("scaled takes a factor above 0", loader.here(), "Write mesh:scaled(2)");
             return changed_value(loader, self_mesh(self), {a[0].number(), {}});
         }},
        {"mesh", "mesh:bounds()", "A box around it: a table with the vectors min and max.",
         [](Loader&, const Value& self, std::span<const Value>) {
             const Box box = self_mesh(self).mesh->bounds();
             if (box.empty()) return Value();
             return Value(Table{{{"min", Value(box.min)}, {"max", Value(box.max)}}, {}});
         }},
    };
    return methods;
}

}  // namespace pliant::script
