// pliant run SCENE: loads, simulates, writes.

#include <cstdio>
#include <filesystem>
#include <map>

#include "camera_file.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "looks_file.hpp"
#include "notes.hpp"
#include "output_lock.hpp"
#include "pliant/contact/penetration.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/checkpoint.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/report.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/intersections.hpp"
#include "pliant/world/stress_field.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "scene_files.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

/// What `pliant run` was asked to do.
struct RunOrder {
    fs::path scene;
    fs::path out;  ///< empty: nothing is written but the report
    std::string report;
    std::string exports;
    int frames = -1;  ///< -1: all of the scene
    int threads = 0;
    int checkpoint_every = 0;
    bool resume = false, quiet = false;
    bool check_intersections = false;  ///< at every frame
    SceneOptions options;
};

std::map<std::string, std::string> scene_arguments(const Args& args) {
    std::map<std::string, std::string> pairs;
    for (const std::string& text : args.all("set")) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) throw UsageError("--set wants key=value, not '" + text + "'");
        pairs[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return pairs;
}

RunOrder run_order(const Args& args) {
    RunOrder order;
    order.scene = find_scene(args.words()[0]);
    if (args.has("no-out") && (args.has("out") || args.has("export")))
        throw UsageError("--no-out writes nothing, so it does not go with --out or --export");
    if (args.has("no-out") && args.has("checkpoint-every"))
        throw UsageError("--no-out writes no checkpoints, so it does not go with --checkpoint-every");
    if (!args.has("no-out"))
        order.out = args.has("out") ? fs::path(args.text("out")) : fs::path("out") / order.scene.stem();
    order.report = args.text("report");
    order.exports = args.text("export");
    if (args.has("frames")) order.frames = static_cast<int>(args.integer("frames", 0));
    order.threads = static_cast<int>(args.integer("threads", 0, 1024));
    order.checkpoint_every = static_cast<int>(args.integer("checkpoint-every", 0));
    order.resume = args.has("resume");
    order.quiet = args.has("quiet");
    if (args.has("check")) {
        if (args.text("check") != "intersections")
            throw UsageError("--check knows 'intersections', not '" + args.text("check") + "'");
        order.check_intersections = true;
    }
    if (order.resume && order.out.empty()) throw UsageError("--resume needs the directory of a run, so not --no-out");
    order.options.args = scene_arguments(args);
    order.options.model_paths = model_folders(args.all("models"));
    connect_files(order.options);
    order.options.print = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return order;
}

/// What the scene was made from, for its checkpoints.
std::map<std::string, std::uint64_t> sources_of(const SceneDesc& scene, const SceneOptions& options) {
    std::map<std::string, std::uint64_t> sources;
    for (const SceneFile& file : scene.files) {
        // Files may have moved, with the scene, since; a file may be read twice, in different ways.
        const bool own = &file == &scene.files.front();
        const std::string name = own ? "the scene's text" : "'" + fs::path(file.path).filename().string() + "'";
        Hash hash;
        hash.value(sources[name]);
        hash.value(file.content);
        sources[name] = hash.digest();
    }
    for (const auto& [key, value] : options.args) sources["--set " + key] = hash_of(value);
    return sources;
}

/// One run, from start or checkpoint to its end.
class Run {
public:
    explicit Run(RunOrder order) : order_(std::move(order)), notes_(order_.quiet) {
        if (!order_.out.empty()) {
            ensure_directory(order_.out.string());
            lock_ = OutputLock(order_.out);
            sinks_ = make_sinks("frames,csv," + order_.exports, order_.out);
            wants_stress_ = order_.exports.find("vtu") != std::string::npos;
        }
        simulation_ =
            std::make_unique<Simulation>(Scene::load(order_.scene, order_.options), order_.threads, notes_.sayer());
        notes_.print(simulation_->warnings());
        sources_ = sources_of(simulation_->desc(), order_.options);
        if (!order_.out.empty()) write_camera(order_.out, simulation_->desc().camera);
        if (!order_.out.empty()) write_looks(order_.out, simulation_->desc());
        frames_ = simulation_->frames();
        if (order_.frames >= 0) frames_ = std::min(frames_, order_.frames);
    }

    int go() {
        at_start_ = find_intersections(simulation_->world());
        start_or_resume();
        Progress progress(order_.scene.stem().string(), std::max(1, frames_), "frames", order_.quiet);
        const double start = seconds_now();
        while (simulation_->frame() < frames_ && !CatchInterrupt::asked()) {
            simulation_->advance([&](const StepReport&, double seconds) { step_times_.add(1e3 * seconds); });
            notes_.print(simulation_->warnings(), &progress);
            write_frame();
            const int frame = simulation_->frame();
            if (order_.checkpoint_every > 0 && frame % order_.checkpoint_every == 0) save();
            progress.update(frame, "t = " + short_number(simulation_->world().time) + " s");
        }
        report_.wall_s = seconds_now() - start;
        progress.finish();
        for (auto& sink : sinks_) sink->finish();
        if (CatchInterrupt::asked()) {
            save();
            throw UserError(
                "stopped at frame " + std::to_string(simulation_->frame()) + " of " + std::to_string(frames_), {},
                order_.out.empty() ? "" : "Go on with the same command and --resume");
        }
        return conclude();
    }

private:
    void start_or_resume() {
        for (auto& sink : sinks_) sink->begin(run_info(simulation_->desc(), order_.scene, frames_ + 1));
        if (order_.resume) {
            if (auto loaded = load_checkpoint(order_.out)) {
                if (const std::string changed = changed_sources(loaded->checkpoint, sources_); !changed.empty())
                    throw UserError(
                        "the checkpoint in " + order_.out.string() + " was written with another state of " + changed,
                        {}, "Undo the change, run without --resume, or into another --out");
                if (!loaded->warning.empty()) simulation_->world().warnings.add(loaded->warning);
                restore(loaded->checkpoint);
                return;
            }
            simulation_->world().warnings.add("there is no checkpoint in " + order_.out.string() +
                                              ": the run starts anew");
        } else if (!order_.out.empty()) {
            remove_checkpoints(order_.out);
        }
        write_frame();
    }

    void write_frame() {
        Frame frame = simulation_->show(!sinks_.empty());
        if (order_.check_intersections) {
            const Intersections now = find_intersections(simulation_->world());
            frame.measures["intersections"] = static_cast<double>(now.crossings.count - crossed_before(at_start_, now));
        }
        if (wants_stress_) add_stress_fields(simulation_->world(), frame);
        for (auto& sink : sinks_) sink->write(frame);
        for (const auto& [name, value] : frame.measures) report_.series[name].emplace_back(frame.time, value);
    }

    void save() {
        if (order_.out.empty()) return;
        ByteWriter series;
        series.value(static_cast<std::uint64_t>(report_.series.size()));
        for (const auto& [name, points] : report_.series) {
            series.text(name);
            series.value(static_cast<std::uint64_t>(points.size()));
            for (const auto& [t, v] : points) series.value(t), series.value(v);
        }
        save_checkpoint(order_.out, {.sources = sources_,
                                     .step = static_cast<std::int64_t>(simulation_->world().steps),
                                     .frame = simulation_->frame(),
                                     .time = simulation_->world().time,
                                     .sections = {{"simulation", simulation_->save()}, {"series", series.take()}}});
    }

    void restore(const Checkpoint& checkpoint) {
        const auto found = checkpoint.sections.find("simulation");
        if (found == checkpoint.sections.end()) throw UserError("the checkpoint lacks the simulation's state");
        simulation_->restore(found->second);
        ByteReader in = section_reader(checkpoint, "series");
        for (auto names = in.value<std::uint64_t>(); names > 0; --names) {
            auto& points = report_.series[in.text()];
            for (std::size_t n = in.count(2 * sizeof(double)); n > 0; --n) {
                const double t = in.value<double>();
                points.emplace_back(t, in.value<double>());
            }
        }
    }

    int conclude() {
        save();
        fill_report(report_, *simulation_, order_.scene.string(), step_times_);
        const Intersections crossing = report_intersections();
        report_penetration(crossing);
        if (!order_.report.empty()) write_report(order_.report, report_);
        return print_summary();
    }

    /// `intersections` are pairs of triangles that cross at the end and did not at the start.
    Intersections report_intersections() {
        const World& w = simulation_->world();
        const Intersections now = find_intersections(w);
        const std::int64_t kept = crossed_before(at_start_, now);
        report_.metrics["intersections"] = static_cast<double>(now.crossings.count - kept);
        report_.metrics["intersections_at_start"] = static_cast<double>(at_start_.crossings.count);
        report_.metrics["intersections_kept"] = static_cast<double>(kept);
        if (!now.crossings.pairs.empty()) {
            const CrossingPair& first = now.crossings.pairs.front();
            crossing_ = grouped(now.crossings.count) + " pairs of triangles cross, the first: triangle " +
                        std::to_string(first.triangle_a) + " of '" + now.names[first.surface_a] + "' and triangle " +
                        std::to_string(first.triangle_b) + " of '" + now.names[first.surface_b] + "'";
        }
        return now;
    }

    void report_penetration(const Intersections& crossing) {
        const World& w = simulation_->world();
        std::vector<SurfaceView> views;
        for_each_body(w, [&](const auto& body) { views.push_back(surface_view(body)); });
        std::vector<Obstacle> obstacles;
        for (const Prop& prop : w.props) obstacles.push_back(prop.obstacle);
        const Penetration found = measure_penetration(views, obstacles, *w.threads,
                                                      [&](int view, int partner) { return ignores(w, view, partner); });
        // Edges cross without a vertex being inside: the depth is 0 only when nothing crosses.
        report_.metrics["penetration_depth"] = found.max_depth > 0 ? found.max_depth : crossing.crossings.depth;
        if (found.body >= 0) {
            const std::string& partner =
                found.partner >= 0 ? body_name(w, found.partner) : w.props[-1 - found.partner].name;
            deepest_ = "deepest: vertex " + std::to_string(found.vertex) + " of '" + body_name(w, found.body) +
                       "' is " + short_number(found.max_depth) + " m inside '" + partner + "'";
        }
        report_.metrics["penetration_fraction"] = found.fraction;
    }

    int print_summary() const {
        int failed = 0;
        for (const ExpectationReport& e : report_.expectations) failed += !e.passed;
        if (!order_.quiet) {
            for (const BodyReport& b : report_.bodies)
                if (report_.bodies.size() <= 8)
                    std::printf("%s: %s tets, %s seen triangles%s%s, %s kg\n", b.name.c_str(),
                                grouped(b.elements).c_str(), grouped(b.surface_triangles).c_str(),
                                b.surface_closed ? "" : " (open surface)",
                                b.pieces > 1 ? (" in " + grouped(b.pieces) + " pieces").c_str() : "",
                                short_number(b.mass).c_str());
            const double rate =
                report_.wall_s > 0 ? 1e-3 * report_.step_ms.mean * static_cast<double>(step_times_.count()) : 0;
            std::printf("%lld steps, %s ms each; %s s simulated in %s s (steps alone: %s times real time); state %s\n",
                        static_cast<long long>(report_.steps), short_number(report_.step_ms.mean).c_str(),
                        short_number(report_.sim_s).c_str(), short_number(report_.wall_s).c_str(),
                        short_number(rate > 0 ? report_.sim_s / rate : 0).c_str(),
                        hash_text(report_.state_hash).c_str());
            for (const auto& [name, value] : report_.metrics)
                std::printf("  %-24s %s\n", name.c_str(), short_number(value).c_str());
            if (!deepest_.empty()) std::printf("%s\n", deepest_.c_str());
            if (!crossing_.empty()) std::printf("%s\n", crossing_.c_str());
            for (const ExpectationReport& e : report_.expectations)
                std::printf("%s: %s%s%s\n", e.passed ? "as expected" : "NOT AS EXPECTED", e.name.c_str(),
                            e.message.empty() ? "" : ": ", e.message.c_str());
            if (!order_.out.empty()) std::printf("written to %s\n", order_.out.string().c_str());
        }
        if (failed > 0)
            throw UserError(std::to_string(failed) + " of " + std::to_string(report_.expectations.size()) +
                            " expectations of the scene were not met");
        return 0;
    }

    RunOrder order_;
    std::map<std::string, std::uint64_t> sources_;
    std::vector<std::unique_ptr<FrameSink>> sinks_;
    bool wants_stress_ = false;  ///< the tensor, for ParaView
    std::unique_ptr<Simulation> simulation_;
    int frames_ = 0;
    RunReport report_;
    StepTimeTally step_times_;
    NotePrinter notes_;
    OutputLock lock_;
    std::string deepest_;  ///< for people: what is inside what at the end
    Intersections at_start_;
    std::string crossing_;  ///< for people: what crosses at the end
};

int run_scene(const Args& args) {
    Run run(run_order(args));
    const CatchInterrupt catching;
    return run.go();
}

std::string export_help() {
    std::string text = "What else to write, separated by commas:";
    for (const SinkKind& kind : sink_kinds().entries())
        if (kind.name != "frames" && kind.name != "csv") text += " " + kind.name + " (" + kind.doc + ");";
    text.back() = '.';
    return text;
}

}  // namespace

Command run_command() {
    return {
        .name = "run",
        .arguments = "SCENE",
        .least_words = 1,
        .most_words = 1,
        .summary = "Simulates a scene and writes its animation.",
        .about =
            "SCENE is a Lua file, or the name of a shipped scene (`pliant scenes` lists them). Frames for\n"
            "`pliant render` and a table of the scene's measures (measures.csv) are always written.\n"
            "Exit status: 0 when the scene's own expectations were met.",
        .flags =
            {{.name = "out", .letter = 'o', .value = "DIR", .help = "Folder to write into; out/SCENE when left out."},
             {.name = "export", .value = "LIST", .help = export_help()},
             {.name = "frames", .value = "N", .help = "Stops after N frames; the whole scene is run when left out."},
             {.name = "threads",
              .value = "N",
              .fallback = "0",
              .help = "How many threads work together; 0 means one per core. The result has the same bits."},
             {.name = "set",
              .value = "KEY=VALUE",
              .help = "A value that the scene gets as args.KEY.",
              .repeated = true},
             {.name = "report",
              .value = "FILE",
              .help = "Writes times, measures, bodies, warnings and the state hash as JSON."},
             {.name = "check",
              .value = "WHAT",
              .help =
                  "What to check at every frame: intersections counts the pairs of triangles that cross, as a measure. "
                  "The report always has those of the end."},
             {.name = "resume", .help = "Goes on from the last checkpoint in the output folder, to the same bits."},
             {.name = "checkpoint-every",
              .value = "N",
              .unit = "frames",
              .fallback = "50",
              .help = "How often the state is saved; 0 means only at the end."},
             {.name = "models",
              .value = "DIR",
              .help = "Another folder that the scene may load meshes from; ./models always is.",
              .repeated = true},
             {.name = "no-out", .help = "Simulates only, and writes nothing but the report."},
             {.name = "quiet", .letter = 'q', .help = "Prints nothing but errors."}},
        .examples = {{"pliant run quickstart --export usd", "Three bears of jelly, for Blender."},
                     {"pliant run mine.lua --set young=2e5 --report r.json", "Your own scene, stiffer."}},
        .run = run_scene};
}

}  // namespace pliant
