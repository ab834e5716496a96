// The whole run as one animated .glb. A body is a node of its name. What moves as a whole is a mesh and a moving node;
// what deforms has a morph target per frame, with weights that go from one to the next, so that players blend between
// frames as between any keys. Where a body's triangles change, another mesh takes over: those whose time it is not
// are shrunk to nothing, which all players understand.

#include <map>
#include <optional>

#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/glb_mesh.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/rigid_motion.hpp"
#include "pliant/io/run_frames.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/view_of_run.hpp"

namespace pliant {

namespace {

using GlbJson = GlbFile::Json;

/// Players keep morph targets in layers of a texture, of which there are 256 at least.
constexpr std::size_t most_targets = 250;

/// Frames of a body that share their triangles.
struct Segment {
    std::vector<int> frames;  ///< places in the run
    std::shared_ptr<const std::vector<Tri>> triangles;
    std::shared_ptr<const SurfaceAttributes> attributes;
    std::vector<Vec3> first;    ///< points of its first frame
    std::vector<Pose> motion;   ///< per frame from the first; fewer when it does not move as a whole
    double begin = 0, end = 0;  ///< s; the end is where the next takes over
    int node = -1;

    bool rigid() const { return motion.size() == frames.size(); }
    bool still() const {
        return rigid() && std::all_of(motion.begin(), motion.end(), [](const Pose& p) {
                   return p.translation.isZero(0) && p.rotation.coeffs() == Quat::Identity().coeffs();
               });
    }
};

struct GltfBody {
    std::string stem, name;  ///< no two stems are alike
    std::vector<Segment> segments;
};

class GltfRun {
public:
    GltfRun(RunDirectory& run, const std::filesystem::path& path) : run_(run), file_(path) {}

    void write() {
        find_segments();
        GlbJson roots = GlbJson::array();
        for (GltfBody& body : bodies_) roots.push_back(add_body(body));
        add_scenery(roots);
        file_.add("scenes", {{"nodes", std::move(roots)}});
        if (!channels_.empty())
            file_.add("animations", {{"name", "run"}, {"channels", channels_}, {"samplers", samplers_}});
        file_.save();
    }

private:
    /// Which meshes a body needs, and which of them move as a whole.
    void find_segments() {
        std::map<std::string, std::size_t> number;
        for (int i = 0; i < run_.frame_count(); ++i) {
            const Frame frame = run_.load(i);
            times_.push_back(frame.time);
            const std::vector<std::string> stems = body_stems(frame);
            for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
                const BodyFrame& body = frame.bodies[b];
                if (!has_surface(body)) continue;
                for (const Vec3& p : body.points) bounds_.add(p);
                const auto [found, is_new] = number.try_emplace(stems[b], bodies_.size());
                if (is_new) bodies_.push_back({stems[b], body.name, {}});
                add_to_segments(bodies_[found->second].segments, body, i);
            }
        }
        for (GltfBody& body : bodies_)
            for (Segment& segment : body.segments) {
                const auto last = static_cast<std::size_t>(segment.frames.back());
                segment.begin = times_[static_cast<std::size_t>(segment.frames.front())];
                segment.end = last + 1 < times_.size() ? times_[last + 1] : std::numeric_limits<double>::infinity();
            }
    }
    static void add_to_segments(std::vector<Segment>& segments, const BodyFrame& body, int frame) {
        Segment* last = segments.empty() ? nullptr : &segments.back();
        const auto same = [](const auto& a, const auto& b) { return a == b || (a && b && *a == *b); };
        const bool goes_on = last && last->frames.back() + 1 == frame && same(last->triangles, body.triangles) &&
                             same(last->attributes, body.attributes) && last->first.size() == body.points.size();
        // A long one is cut; both parts have the frame between them, so that nothing is seen of the cut.
        const bool cut = goes_on && !last->rigid() && last->frames.size() > most_targets;
        if (goes_on) {
            last->triangles = body.triangles;  // the one that is in memory anyway
            last->frames.push_back(frame);
            if (last->motion.size() + 1 == last->frames.size())
                if (const auto motion = rigid_motion(last->first, body.points)) last->motion.push_back(*motion);
        }
        if (!goes_on || cut)
            segments.push_back({{frame}, body.triangles, body.attributes, body.points, {Pose{}}, 0, 0, -1});
    }

    int add_body(GltfBody& body) {
        GlbMaterials materials;
        GlbJson children = GlbJson::array();
        for (std::size_t s = 0; s < body.segments.size(); ++s) {
            const std::string name = body.segments.size() == 1 ? body.name : body.name + "." + std::to_string(s + 1);
            children.push_back(add_segment(body, body.segments[s], name, materials));
        }
        if (body.segments.size() == 1) return children[0].get<int>();
        return file_.add("nodes", {{"name", valid_utf8(body.name)}, {"children", std::move(children)}});
    }

    BodyFrame load(const GltfBody& body, int place) {
        Frame frame = run_.load(place);
        const std::vector<std::string> stems = body_stems(frame);
        const auto at = std::find(stems.begin(), stems.end(), body.stem);
        CHECK(at != stems.end(), body.stem, place);
        return std::move(frame.bodies[static_cast<std::size_t>(at - stems.begin())]);
    }

    int add_segment(const GltfBody& body, Segment& segment, const std::string& name, GlbMaterials& materials) {
        const BodyFrame base = load(body, segment.frames[0]);
        const ExportSurface surface = export_surface(base);
        const GlbVertices vertices = glb_vertices(surface);
        Vec3 origin = Vec3::Zero();
        std::vector<GlbTarget> targets;
        if (segment.rigid()) {
            Box box;
            for (const Vec3& p : base.points) box.add(p);
            origin = box.center();
        } else {
            const auto positions = glb_positions(surface, vertices, origin), normals = glb_normals(surface, vertices);
            const auto tangents = glb_tangents(surface, vertices);
            for (std::size_t k = 1; k < segment.frames.size(); ++k) {
                const BodyFrame moved = load(body, segment.frames[k]);
                const ExportSurface now = export_surface(moved);
                GlbTarget target;
                target.positions = file_.differences(less(glb_positions(now, vertices, origin), positions), true);
                if (!normals.empty())
                    target.normals = file_.differences(less(glb_normals(now, vertices), normals), false);
                if (!tangents.empty())
                    target.tangents = file_.differences(less(glb_tangents(now, vertices), tangents), false);
                targets.push_back(target);
            }
        }
        const int mesh = add_glb_mesh(file_, surface, vertices, origin, materials, targets);
        GlbJson node{{"name", valid_utf8(name)}, {"mesh", mesh}};
        if (segment.rigid()) node["translation"] = {origin.x(), origin.y(), origin.z()};
        if (!targets.empty()) {
            file_.entry("meshes", mesh)["weights"] = std::vector<float>(targets.size(), 0.F);
            GlbJson names = GlbJson::array();  // what Blender calls the shape keys
            for (std::size_t k = 1; k < segment.frames.size(); ++k)
                names.push_back("frame " + std::to_string(run_.frame_index(segment.frames[k])));
            file_.entry("meshes", mesh)["extras"] = {{"targetNames", std::move(names)}};
        }
        segment.node = file_.add("nodes", std::move(node));
        if (segment.rigid() && !segment.still()) animate_motion(segment, origin);
        if (!targets.empty()) animate_weights(segment);
        animate_presence(segment);
        return segment.node;
    }

    static std::vector<GlbFile::Float3> less(std::vector<GlbFile::Float3> a, const std::vector<GlbFile::Float3>& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) a[i][k] -= b[i][k];
        return a;
    }

    std::vector<float> times_of(const Segment& segment) const {
        std::vector<float> times;
        for (int frame : segment.frames) times.push_back(static_cast<float>(times_[static_cast<std::size_t>(frame)]));
        return times;
    }
    void animate(int node, const char* path, const std::vector<float>& times, const std::vector<float>& values,
                 int components, const char* interpolation) {
        int& input = inputs_[times];
        if (input == 0) input = 1 + file_.floats(times, 1, false, true);
        const int output = file_.floats(values, components, false);
        samplers_.push_back({{"input", input - 1}, {"output", output}, {"interpolation", interpolation}});
        channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
    }
    void animate_motion(const Segment& segment, const Vec3& origin) {
        std::vector<float> translation, rotation;
        Quat before = Quat::Identity();
        for (const Pose& pose : segment.motion) {
            const Vec3 at = pose * origin;
            for (int k = 0; k < 3; ++k) translation.push_back(static_cast<float>(at[k]));
            Quat q = pose.rotation;
            if (q.dot(before) < 0) q.coeffs() *= -1;  // the shorter way from key to key
            before = q;
            for (int k = 0; k < 4; ++k) rotation.push_back(static_cast<float>(q.coeffs()[k]));  // x, y, z, w
        }
        animate(segment.node, "translation", times_of(segment), translation, 3, "LINEAR");
        animate(segment.node, "rotation", times_of(segment), rotation, 4, "LINEAR");
    }
    void animate_weights(const Segment& segment) {
        const std::size_t n = segment.frames.size();
        std::vector<float> weights(n * (n - 1), 0.F);
        for (std::size_t k = 1; k < n; ++k) weights[k * (n - 1) + k - 1] = 1;
        animate(segment.node, "weights", times_of(segment), weights, 1, "LINEAR");
    }
    /// There from its begin to its end.
    void animate_presence(const Segment& segment) {
        const bool from_start = segment.begin <= times_.front(), till_end = segment.end > times_.back();
        if (from_start && till_end) return;
        std::vector<float> times, scale;
        const auto key = [&](double time, float size) {
            times.push_back(static_cast<float>(time));
            scale.insert(scale.end(), 3, size);
        };
        if (!from_start) key(times_.front(), 0);
        key(segment.begin, 1);
        if (!till_end) key(segment.end, 0);
        animate(segment.node, "scale", times, scale, 3, "STEP");
        // Until the animation plays, what is seen is the first frame.
        if (!from_start) file_.entry("nodes", segment.node)["scale"] = {0, 0, 0};
    }

    void add_scenery(GlbJson& roots) {
        const RunInfo& info = run_.info();
        const ViewOfRun view = view_of_run(info, bounds_);
        if (info.ground) {
            const TriMesh patch = ground_patch(*info.ground, bounds_);
            ExportSurface surface = export_surface(patch, "ground");
            surface.normals.assign(patch.points.size(), Vec3::UnitY()), surface.normal_per_point = true;
            for (std::size_t k = 0; k < 3; ++k)
                surface.slots[0].color[k] = static_cast<float>(info.ground->color[static_cast<Eigen::Index>(k)]);
            GlbMaterials materials;
            const int mesh = add_glb_mesh(file_, surface, glb_vertices(surface), Vec3::Zero(), materials, {});
            roots.push_back(file_.add("nodes", {{"name", "ground"}, {"mesh", mesh}}));
        }
        const int camera = file_.add(
            "cameras",
            {{"name", "camera"},
             {"type", "perspective"},
             {"perspective",
              {{"yfov", view.fov * M_PI / 180}, {"aspectRatio", 16.0 / 9}, {"znear", view.near}, {"zfar", view.far}}}});
        const Quat turn = view.rotation();
        roots.push_back(file_.add("nodes", {{"name", "camera"},
                                            {"camera", camera},
                                            {"translation", {view.eye.x(), view.eye.y(), view.eye.z()}},
                                            {"rotation", {turn.x(), turn.y(), turn.z(), turn.w()}}}));
    }

    RunDirectory& run_;
    GlbFile file_;
    std::vector<double> times_;
    std::vector<GltfBody> bodies_;
    Box bounds_;
    GlbJson channels_ = GlbJson::array(), samplers_ = GlbJson::array();
    std::map<std::vector<float>, int> inputs_;  ///< accessors of times, by their contents; one more than the number
};

class GltfSink : public FrameSink {
public:
    explicit GltfSink(const std::filesystem::path& directory) : directory_(directory), frames_(directory, "gltf") {}

    void begin(const RunInfo& info) override {
        info_ = info;
        ensure_directory(directory_);
        frames_.begin(info);
    }
    void write(const Frame& frame) override { frames_.add(frame); }
    void finish() override {
        if (const auto run = frames_.open()) GltfRun(*run, directory_ / (scene_stem(info_) + ".glb")).write();
        frames_.drop();
    }

private:
    std::filesystem::path directory_;
    RunFrames frames_;
    RunInfo info_;
};

}  // namespace

std::unique_ptr<FrameSink> make_gltf_sink(const std::filesystem::path& directory) {
    return std::make_unique<GltfSink>(directory);
}

}  // namespace pliant
