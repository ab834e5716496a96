// The native frame files of frame_file.hpp.

#include <tuple>

#include "pliant/io/file.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

/// The connectivity a body had last, so that it is hashed and written only when it changes. Holding on to it makes
/// sure that another one cannot have the same address.
template <class Element>
struct LastTopology {
    Topology<Element> elements;
    std::uint64_t revision = 0;
    std::uint64_t digest = 0;
};

class FramesSink : public FrameSink {
public:
    explicit FramesSink(const std::filesystem::path& directory) : directory_(directory / "frames") {}

    void begin(const RunInfo& info) override {
        info_ = info;
        ensure_directory(directory_);
    }

    void write(const Frame& frame) override {
        check_fields(frame);
        if (first_) drop_frames(directory_, "", ".frame", frame.index);
        if (first_ && frame.index == 0) drop_topologies();
        first_ = false;
        std::vector<TopologyNames> names;
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const BodyFrame& body = frame.bodies[b];
            auto& [triangles, tets, carriers, attributes] = last_[body.name];
            names.push_back({name_of(body.triangles, body.surface_revision, triangles),
                             name_of(body.tets, body.mesh_revision, tets),
                             name_of(body.carriers, body.mesh_revision, carriers),
                             name_of(body.attributes, attributes)});
        }
        save(frame_number(frame.index) + ".frame", encode_frame(frame, info_, names));
    }

private:
    template <class Element>
    std::uint64_t name_of(const Topology<Element>& elements, std::uint64_t revision,
                          LastTopology<Element>& last) const {
        if (!elements) return 0;
        if (elements == last.elements && revision == last.revision) return last.digest;
        last = {elements, revision, topology_digest(*elements)};
        // Another body or an earlier revision may have the same; files of that name have the same contents.
        const std::string name = topology_file_name(last.digest);
        if (!std::filesystem::exists(directory_ / name)) save(name, encode_topology(*elements));
        return last.digest;
    }

    using Attributes = std::shared_ptr<const SurfaceAttributes>;
    std::uint64_t name_of(const Attributes& attributes, std::pair<Attributes, std::uint64_t>& last) const {
        if (!attributes) return 0;
        if (attributes == last.first) return last.second;
        for (const SurfaceMaterial& material : attributes->materials)
            for (const auto* picture : pictures_of(material))
                if (*picture) save_once(encode_picture(**picture));
        last = {attributes, save_once(encode_attributes(*attributes))};
        return last.second;
    }
    std::uint64_t save_once(const std::string& bytes) const {
        const std::uint64_t digest = topology_digest(std::string_view(bytes));
        const std::string name = topology_file_name(digest);
        if (!std::filesystem::exists(directory_ / name)) save(name, bytes);
        return digest;
    }

    void save(const std::string& name, std::string_view bytes) const {
        OutputFile file(directory_ / name);
        file.write(bytes);
        file.commit();
    }

    /// A new run: no frame is left that could refer to them.
    void drop_topologies() const {
        std::vector<std::filesystem::path> old;
        for (const auto& entry : std::filesystem::directory_iterator(directory_))
            if (entry.path().extension() == ".topology") old.push_back(entry.path());
        for (const auto& path : old) std::filesystem::remove(path);
    }

    std::filesystem::path directory_;
    RunInfo info_;
    std::map<std::string, std::tuple<LastTopology<Tri>, LastTopology<Tet>, LastTopology<Point>,
                                     std::pair<Attributes, std::uint64_t>>>
        last_;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<FrameSink> make_frames_sink(const std::filesystem::path& directory) {
    return std::make_unique<FramesSink>(directory);
}

}  // namespace pliant
