// Point caches: the moving points of a body beside a mesh that another program has already, such as the OBJ of the
// first frame. MDD (LightWave's, big-endian, with times) and PC2 (little-endian). They hold no triangles: a body is in
// them for as long as its points stay the same ones.

#include <bit>
#include <fstream>
#include <map>

#include "pliant/io/file.hpp"
#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/run_frames.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

/// Frames of one body from its first on, up to where its triangles change.
struct CachedBody {
    std::string stem;
    std::vector<int> frames;  ///< places in the run
    std::shared_ptr<const std::vector<Tri>> triangles;
    std::size_t points = 0;
    bool open = true;
};

std::vector<CachedBody> cached_bodies(RunDirectory& run, std::vector<double>& times) {
    std::vector<CachedBody> bodies;
    for (int i = 0; i < run.frame_count(); ++i) {
        const Frame frame = run.load(i);
        times.push_back(frame.time);
        const std::vector<std::string> stems = body_stems(frame);
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const BodyFrame& body = frame.bodies[b];
            if (body.points.empty()) continue;
            auto found =
                std::find_if(bodies.begin(), bodies.end(), [&](const CachedBody& c) { return c.stem == stems[b]; });
            if (found == bodies.end())
                found = bodies.insert(bodies.end(), {stems[b], {}, body.triangles, body.points.size(), true});
            const bool same_triangles = found->triangles == body.triangles ||
                                        (found->triangles && body.triangles && *found->triangles == *body.triangles);
            const bool goes_on = found->frames.empty() || found->frames.back() + 1 == i;
            found->open = found->open && goes_on && same_triangles && found->points == body.points.size();
            if (found->open) found->frames.push_back(i);
        }
    }
    return bodies;
}

/// Appends numbers in the byte order of the format.
class CacheFile {
public:
    CacheFile(const std::filesystem::path& path, bool big_endian) : file_(path), big_endian_(big_endian) {}
    template <class T>
    void put(T value) {
        if (big_endian_) value = swapped_bytes(value);
        file_.write({reinterpret_cast<const char*>(&value), sizeof value});
    }
    void text(std::string_view bytes) { file_.write(bytes); }
    void commit() { file_.commit(); }

private:
    OutputFile file_;
    bool big_endian_;
};

class PointCacheSink : public FrameSink {
public:
    PointCacheSink(const std::filesystem::path& directory, const char* kind)
        : directory_(directory), kind_(kind), frames_(directory, kind) {}

    void begin(const RunInfo& info) override {
        info_ = info;
        ensure_directory(directory_ / kind_);
        frames_.begin(info);
    }
    void write(const Frame& frame) override { frames_.add(frame); }
    void finish() override {
        if (const auto run = frames_.open()) {
            std::vector<double> times;
            for (const CachedBody& body : cached_bodies(*run, times)) save(*run, body, times);
        }
        frames_.drop();
    }

private:
    void save(RunDirectory& run, const CachedBody& body, const std::vector<double>& times) const {
        const bool mdd = kind_ == "mdd";
        CacheFile out(directory_ / kind_ / (body.stem + "." + kind_), mdd);
        const auto frames = static_cast<std::int32_t>(body.frames.size()),
                   points = static_cast<std::int32_t>(body.points);
        if (mdd) {
            out.put(frames), out.put(points);
            for (int i : body.frames) out.put(static_cast<float>(times[static_cast<std::size_t>(i)]));
        } else {
            out.text(std::string_view("POINTCACHE2\0", 12));
            out.put(std::int32_t{1}), out.put(points);
            out.put(static_cast<float>(run.frame_index(body.frames[0]))), out.put(1.F);  // first frame, frames a sample
            out.put(frames);
        }
        for (int i : body.frames) {
            const Frame frame = run.load(i);
            const std::vector<std::string> stems = body_stems(frame);
            const auto at = std::find(stems.begin(), stems.end(), body.stem) - stems.begin();
            for (const Vec3& p : frame.bodies[static_cast<std::size_t>(at)].points)
                for (int k = 0; k < 3; ++k) out.put(static_cast<float>(p[k]));
        }
        out.commit();
    }

    std::filesystem::path directory_;
    std::string kind_;
    RunFrames frames_;
    RunInfo info_;
};

}  // namespace

std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& directory) {
    return std::make_unique<PointCacheSink>(directory, "mdd");
}
std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& directory) {
    return std::make_unique<PointCacheSink>(directory, "pc2");
}

}  // namespace pliant
