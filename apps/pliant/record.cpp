#include "record.hpp"

#include <algorithm>

#include "camera_file.hpp"
#include "interrupt.hpp"
#include "looks_file.hpp"
#include "notes.hpp"
#include "output_lock.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "scene_files.hpp"
#ifdef PLIANT_WITH_SOUND
#include "mode_cache.hpp"
#include "voices.hpp"
#endif

namespace pliant {

RunReport record_run(const RecordOrder& order) {
    const CatchInterrupt catching;  // files that were begun are removed by whoever began them
    NotePrinter notes(order.quiet);
    Simulation simulation(Scene::load(order.scene, order.options), order.threads, notes.sayer());
    notes.print(simulation.warnings());
    int frames = simulation.frames();
    if (order.frames >= 0) frames = std::min(frames, order.frames);
    ensure_directory(order.out.string());
    const OutputLock lock(order.out);
    auto sinks = make_sinks("frames,csv", order.out);
    write_camera(order.out, simulation.desc().camera);
    write_looks(order.out, simulation.desc());
#ifdef PLIANT_WITH_SOUND
    SoundtrackSink* track = nullptr;
    if (const auto bodies = order.sound ? sounding_bodies(simulation) : std::vector<SoundingBody>(); !bodies.empty()) {
        auto found =
            find_voices(bodies, default_mode_cache(), 0.499 * SoundtrackOptions().rate, *simulation.world().threads);
        listen_to(simulation.world(), bodies);
        auto sink = std::make_unique<SoundtrackSink>(std::move(found.sources));
        track = sink.get();
        sinks.push_back(std::move(sink));
    }
#endif
    for (auto& sink : sinks) sink->begin(run_info(simulation.desc(), order.scene, frames + 1));
    RunReport report;
    const auto write = [&] {
        const Frame frame = simulation.show();
        for (auto& sink : sinks) sink->write(frame);
        for (const auto& [name, value] : frame.measures) report.series[name].emplace_back(frame.time, value);
    };
    StepTimeTally step_times;
    const double start = seconds_now();
    write();
    Progress progress(order.title.empty() ? order.scene.stem().string() : order.title, std::max(1, frames), "frames",
                      order.quiet);
    while (simulation.frame() < frames) {
        if (CatchInterrupt::asked())
            throw UserError("stopped at frame " + std::to_string(simulation.frame()) + " of " + std::to_string(frames));
        simulation.advance([&](const StepReport&, double seconds) { step_times.add(1e3 * seconds); });
        notes.print(simulation.warnings(), &progress);
        write();
        progress.update(simulation.frame(), "t = " + short_number(simulation.world().time) + " s");
    }
    progress.finish();
    report.wall_s = seconds_now() - start;
    fill_report(report, simulation, order.scene.string(), step_times);
    for (auto& sink : sinks) sink->finish();
#ifdef PLIANT_WITH_SOUND
    if (track)
        write_file_atomic(
            (order.out / "sound.wav").string(),
            encode_wav(track->render(soundtrack_options(simulation.desc()), *simulation.world().threads).mix, 16));
#endif
    return report;
}

SceneRun::SceneRun(const RecordOrder& order, bool keep) : folder_(order.out), kept_(keep) {
    try {
        record_run(order);
    } catch (...) {
        remove();
        throw;
    }
}

void SceneRun::remove() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(folder_, ignored);
}

std::string sound_of_run(const std::filesystem::path& directory) {
    std::string found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        if (entry.path().extension() == ".wav") {
            if (!found.empty()) return "";
            found = entry.path().string();
        }
    return found;
}

}  // namespace pliant
