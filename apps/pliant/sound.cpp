// pliant sound SCENE: runs a scene, lets its bodies ring, writes the WAV.

#include "commands.hpp"
#include "notes.hpp"
#include "output_lock.hpp"

#ifdef PLIANT_WITH_SOUND

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "camera_file.hpp"
#include "looks_file.hpp"
#include "mode_cache.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/report.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/sound/plot.hpp"
#include "pliant/sound/soundtrack.hpp"
#include "pliant/sound/spectrum.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "scene_files.hpp"
#include "voices.hpp"

#endif

namespace pliant {

#ifdef PLIANT_WITH_SOUND

namespace {

namespace fs = std::filesystem;

/// What `pliant sound` was asked to do.
struct SoundOrder {
    fs::path scene, wav, out, stems, cache;
    std::string report, plot;
    int bits = 24, threads = 0, frames = -1;
    bool quiet = false, one_ear = false;
    SoundtrackOptions sound;
    SceneOptions options;
};

SoundOrder sound_order(const Args& args) {
    SoundOrder order;
    order.scene = find_scene(args.words()[0]);
    for (const std::string& text : args.all("out")) {
        const bool wav = fs::path(text).extension() == ".wav";
        fs::path& place = wav ? order.wav : order.out;
        if (!place.empty())
            throw UsageError(std::string("--out names two ") + (wav ? "sounds" : "folders") + ": give one of each");
        place = text;
    }
    if (order.wav.empty())
        order.wav = order.out.empty() ? fs::path(order.scene.stem().string() + ".wav") : order.out / "sound.wav";
    if (args.has("cache") && args.has("no-cache")) throw UsageError("--cache and --no-cache contradict each other");
    order.stems = args.text("stems");
    order.report = args.text("report");
    order.plot = args.text("plot");
    order.bits = static_cast<int>(args.integer("bits", 16, 32));
    if (order.bits != 16 && order.bits != 24 && order.bits != 32) throw UsageError("--bits is 16, 24 or 32");
    order.sound.rate = static_cast<int>(args.integer("rate", 8000, 384000));
    order.sound.tail = args.number("tail");
    order.sound.peak_db = args.number("peak");
    if (!(order.sound.tail >= 0 && order.sound.tail <= 3600)) throw UsageError("--tail is 0 … 3600 s");
    if (!(order.sound.peak_db <= 0)) throw UsageError("--peak is in dB below full scale, so not above 0");
    if (args.has("single")) order.sound.precision = Precision::single;
    order.threads = static_cast<int>(args.integer("threads", 0, 1024));
    if (args.has("frames")) order.frames = static_cast<int>(args.integer("frames", 0));
    order.quiet = args.has("quiet");
    order.one_ear = args.has("no-listener");
    if (!args.has("no-cache")) order.cache = args.has("cache") ? fs::path(args.text("cache")) : default_mode_cache();
    for (const std::string& text : args.all("set")) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) throw UsageError("--set wants key=value, not '" + text + "'");
        order.options.args[text.substr(0, equals)] = text.substr(equals + 1);
    }
    order.options.model_paths = model_folders(args.all("models"));
    connect_files(order.options);
    order.options.print = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return order;
}

/// The WAV's place is tried before minutes are spent on what would go into it.
void check_sound_writable(const fs::path& path) {
    if (fs::is_directory(path))
        throw UserError(path.string() + " is a folder, not a WAV file", {}, "Name a file with -o");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    ensure_directory(folder.string());
    const bool there = fs::exists(path);
    if (!std::ofstream(path, std::ios::app))
        throw UserError(path.string() + ": cannot write the file: " + std::strerror(errno), {},
                        "Choose another place with -o");
    std::error_code ignored;
    if (!there) fs::remove(path, ignored);
}

/// Letters, digits, - and _ of a body's name: a file name that is one everywhere.
std::string file_name(const std::string& name) {
    std::string out;
    for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
    return out;
}

std::vector<double> first_channel(const Audio& audio) {
    std::vector<double> out;
    for (std::size_t n = 0; n < audio.samples.size(); n += static_cast<std::size_t>(audio.channels))
        out.push_back(audio.samples[n]);
    return out;
}

/// Mean frequency of a sound, weighted by power.
double centroid(const Audio& audio) {
    const Spectrum s = spectrum(first_channel(audio), audio.rate);
    double sum = 0, weight = 0;
    for (std::size_t k = 0; k < s.power.size(); ++k)
        weight += s.power[k], sum += s.power[k] * static_cast<double>(k) * s.bin;
    return weight > 0 ? sum / weight : 0;
}

class SoundRun {
public:
    explicit SoundRun(SoundOrder order) : order_(std::move(order)), notes_(order_.quiet) {
        check_sound_writable(order_.wav);
        if (!order_.out.empty()) {
            ensure_directory(order_.out.string());
            lock_ = OutputLock(order_.out);
            sinks_ = make_sinks("frames,csv", order_.out);
        }
        simulation_ =
            std::make_unique<Simulation>(Scene::load(order_.scene, order_.options), order_.threads, notes_.sayer());
        notes_.print(simulation_->warnings());
        if (!order_.out.empty()) write_camera(order_.out, simulation_->desc().camera);
        if (!order_.out.empty()) write_looks(order_.out, simulation_->desc());
        frames_ = simulation_->frames();
        if (order_.frames >= 0) frames_ = std::min(frames_, order_.frames);
    }

    int go() {
        find_voices();
        run();
        synthesise();
        return conclude();
    }

private:
    void find_voices() {
        World& w = simulation_->world();
        const std::vector<SoundingBody> bodies = sounding_bodies(*simulation_);
        if (bodies.empty())
            throw UserError("no body of " + order_.scene.string() + " has a sound", {},
                            "Write sound = true in a rigid_body or fem_body");
        FoundVoices found = pliant::find_voices(bodies, order_.cache, 0.499 * order_.sound.rate, *w.threads);
        for (const std::string& note : found.notes) w.warnings.add(note);
        notes_.print(w.warnings);
        cached_ = found.cached, computed_ = found.computed, modes_s_ = found.seconds;
        for (const SoundSource& source : found.sources) {
            const Voice& voice = *source.voice;
            oscillators_ += voice.size();
            lowest_.push_back(voice.size() > 0 ? voice.oscillators[0].frequency / (2 * 3.14159265358979) : 0);
        }
        listen_to(w, bodies);
        track_ = std::make_unique<SoundtrackSink>(std::move(found.sources));
    }

    void write_frame() {
        const Frame frame = simulation_->show();
        for (auto& sink : sinks_) sink->write(frame);
        track_->write(frame);
        for (const auto& [name, value] : frame.measures) report_.series[name].emplace_back(frame.time, value);
    }

    void run() {
        for (auto& sink : sinks_)
            sink->begin({.scene = order_.scene.string(), .fps = simulation_->desc().world.fps, .frames = frames_ + 1});
        Progress progress(order_.scene.stem().string(), std::max(1, frames_), "frames", order_.quiet);
        const double start = seconds_now();
        write_frame();
        while (simulation_->frame() < frames_) {
            simulation_->advance([&](const StepReport&, double s) { step_times_.add(1e3 * s); });
            notes_.print(simulation_->warnings(), &progress);
            write_frame();
            progress.update(simulation_->frame(), "t = " + short_number(simulation_->world().time) + " s");
        }
        report_.wall_s = seconds_now() - start;
        progress.finish();
        for (auto& sink : sinks_) sink->finish();
    }

    void synthesise() {
        const SceneDesc& desc = simulation_->desc();
        SoundtrackOptions options = order_.sound;
        options.gravity = desc.world.gravity.norm();
        if (desc.listener && !order_.one_ear)
            options.listener = Listener{desc.listener->at, desc.listener->right, desc.listener->ears,
                                        desc.listener->reference, desc.listener->delay};
        sound_ = track_->render(options, *simulation_->world().threads);
        const std::string bytes = encode_wav(sound_.mix, order_.bits);
        write_file_atomic(order_.wav.string(), bytes);
        if (!order_.out.empty() && order_.wav != order_.out / "sound.wav")
            write_file_atomic((order_.out / "sound.wav").string(), bytes);
        // What the numbers below say was measured in what was written.
        const Audio mix = decode_wav(bytes, order_.wav.string());
        if (!order_.plot.empty()) write_file_atomic(order_.plot, sound_svg(mix, order_.wav.stem().string()));
        const Levels l = levels(mix.samples, mix.channels);
        report_.metrics["peak_dbfs"] = 20 * std::log10(std::max(l.peak, 1e-9));
        report_.metrics["mean_over_peak"] = l.peak > 0 ? std::abs(l.mean) / l.peak : 0;
        report_.metrics["centroid_hz"] = centroid(mix);
        report_.metrics["sound_s"] = mix.seconds();
        report_.metrics["oscillators"] = oscillators_;
        report_.metrics["synthesis_s"] = sound_.seconds;
        report_.metrics["modes_s"] = modes_s_;
        report_.metrics["modes_cached"] = cached_;
        report_.metrics["modes_computed"] = computed_;
        const fs::path stems = !order_.stems.empty() ? order_.stems
                               : !order_.out.empty() ? order_.out / "stems"
                                                     : fs::path();
        if (!stems.empty()) ensure_directory(stems.string());
        for (std::size_t i = 0; i < sound_.stems.size(); ++i) {
            const Stem& stem = sound_.stems[i];
            const std::string stem_bytes = encode_wav(stem.audio, order_.bits);
            if (!stems.empty()) write_file_atomic((stems / (file_name(stem.name) + ".wav")).string(), stem_bytes);
            const Audio heard = decode_wav(stem_bytes, stem.name);
            // Blows shift the phase; between them the pitch is exact. Too short a time between them says nothing.
            std::vector<double> ringing = first_channel(heard);
            if (10 * (stem.free_till - stem.free_from) > static_cast<std::size_t>(heard.rate))
                ringing = {ringing.begin() + static_cast<std::ptrdiff_t>(stem.free_from),
                           ringing.begin() + static_cast<std::ptrdiff_t>(stem.free_till)};
            report_.metrics[stem.name + "_hz"] = strongest_partial(ringing, heard.rate, 20, 20000);
            report_.metrics[stem.name + "_mode_hz"] = lowest_[i];
            report_.metrics[stem.name + "_blows"] = stem.blows;
        }
    }

    int conclude() {
        fill_report(report_, *simulation_, order_.scene.string(), step_times_);
        if (simulation_->frame() == simulation_->frames())
            for (const SoundExpectDesc& e : simulation_->desc().sound_expects) report_.expectations.push_back(judge(e));
        if (!order_.report.empty()) write_report(order_.report, report_);
        return print_summary();
    }

    ExpectationReport judge(const SoundExpectDesc& e) const {
        const auto found = report_.metrics.find(e.metric);
        if (found == report_.metrics.end())
            throw UserError("there is no sound metric '" + e.metric + "'", e.where,
                            "The report lists them: " + report_.metrics.begin()->first + " …");
        std::string range = e.metric;
        if (std::isfinite(e.at_least)) range += " at least " + short_number(e.at_least);
        if (std::isfinite(e.at_most)) range += " at most " + short_number(e.at_most);
        return {range, found->second >= e.at_least && found->second <= e.at_most,
                e.metric + " is " + number_text(found->second)};
    }

    int print_summary() const {
        int failed = 0;
        for (const ExpectationReport& e : report_.expectations) failed += !e.passed;
        if (!order_.quiet) {
            for (std::size_t i = 0; i < sound_.stems.size() && i < 20; ++i) {
                const Stem& stem = sound_.stems[i];
                std::printf("%-12s %4d modes from %8.2f Hz, %4d blows, %6.1f dBFS, strongest partial %9.3f Hz\n",
                            stem.name.c_str(), stem.modes, lowest_[i], stem.blows, stem.loudest,
                            report_.metrics.at(stem.name + "_hz"));
            }
            std::printf("modes of %d bodies computed, %d from the cache, %s s; %d oscillators over %s s in %s s\n",
                        computed_, cached_, short_number(modes_s_).c_str(), oscillators_,
                        short_number(sound_.mix.seconds()).c_str(), short_number(sound_.seconds).c_str());
            for (const ExpectationReport& e : report_.expectations)
                std::printf("%s: %s%s%s\n", e.passed ? "as expected" : "NOT AS EXPECTED", e.name.c_str(),
                            e.message.empty() ? "" : ": ", e.message.c_str());
            std::printf("written to %s (%d Hz, %d bits, loudest sample at %s dBFS)\n", order_.wav.c_str(),
                        sound_.mix.rate, order_.bits, short_number(report_.metrics.at("peak_dbfs")).c_str());
        }
        if (failed > 0)
            throw UserError(std::to_string(failed) + " of " + std::to_string(report_.expectations.size()) +
                            " expectations of the scene were not met");
        return 0;
    }

    SoundOrder order_;
    std::vector<std::unique_ptr<FrameSink>> sinks_;
    std::unique_ptr<Simulation> simulation_;
    std::unique_ptr<SoundtrackSink> track_;
    Soundtrack sound_;
    RunReport report_;
    StepTimeTally step_times_;
    std::vector<double> lowest_;
    int frames_ = 0, cached_ = 0, computed_ = 0, oscillators_ = 0;
    double modes_s_ = 0;
    NotePrinter notes_;
    OutputLock lock_;
};

int make_sound(const Args& args) { return SoundRun(sound_order(args)).go(); }

}  // namespace

#else

namespace {

int make_sound(const Args&) {
    throw UserError("this build has no sound", {}, "Install libsndfile1-dev, then configure and build again");
}

}  // namespace

#endif

Command sound_command() {
    return {
        .name = "sound",
        .arguments = "SCENE",
        .least_words = 1,
        .most_words = 1,
        .summary = "Lets a scene's bodies ring and writes the WAV.",
        .about =
            "Runs the scene; bodies with `sound` ring with their own modes at every contact. Modes are computed once\n"
            "and kept, by content, in a cache. One gain brings the loudest sample of mix and stems to --peak: nothing\n"
            "clips, stems add up to the mix. With --out the frames and the sound of one run lie side by side, and\n"
            "`pliant render` makes a movie with sound of them.",
        .flags =
            {
                {.name = "out",
                 .letter = 'o',
                 .value = "PLACE",
                 .help = "What to write: a name that ends in .wav is the sound alone, any other is a folder for the "
                         "frames, sound.wav and stems/ of this run; SCENE.wav when left out.",
                 .repeated = true},
                {.name = "report", .value = "FILE", .help = "Writes pitches, levels and times as JSON."},
                {.name = "plot", .value = "FILE", .help = "Draws spectrum and spectrogram up to 5 kHz, as SVG."},
                {.name = "stems",
                 .value = "DIR",
                 .help = "Folder for one WAV per body; stems/ in the folder of --out when left out."},
                {.name = "rate", .value = "N", .unit = "Hz", .fallback = "44100", .help = "Samples per second."},
                {.name = "bits",
                 .value = "N",
                 .fallback = "24",
                 .help = "Bits of a sample: 16 or 24 (integers), 32 (floating point)."},
                {.name = "peak",
                 .value = "DB",
                 .unit = "dB",
                 .fallback = "-1",
                 .help = "Level of the loudest sample; full scale is 0."},
                {.name = "tail",
                 .value = "S",
                 .unit = "s",
                 .fallback = "0",
                 .help = "How long it rings on at the end."},
                {.name = "single",
                 .help = "Calculates in single precision, which is faster; its noise is 100 dB down."},
                {.name = "no-listener", .help = "Ignores the scene's listener: all bodies are heard alike, at once."},
                {.name = "cache",
                 .value = "DIR",
                 .help = "Folder that modes are kept in; ~/.cache/pliant/modes when left out."},
                {.name = "no-cache", .help = "Computes all modes anew and keeps none."},
                {.name = "frames", .value = "N", .help = "Stops after N frames."},
                {.name = "threads",
                 .value = "N",
                 .fallback = "0",
                 .help = "How many threads work together; 0 means one per core."},
                {.name = "set",
                 .value = "KEY=VALUE",
                 .help = "A value that the scene gets as args.KEY.",
                 .repeated = true},
                {.name = "models",
                 .value = "DIR",
                 .help = "Another folder that the scene may load meshes from; ./models always is.",
                 .repeated = true},
                {.name = "quiet", .letter = 'q', .help = "Prints nothing but errors."},
            },
        .examples = {{"pliant sound scenes/sound/chimes.lua -o chimes.wav --report r.json", "Wind chimes."},
                     {"pliant sound scenes/sound/blocks.lua --out out/blocks && pliant render out/blocks -o blocks.mp4",
                      "A movie with sound."}},
        .run = make_sound,
    };
}

}  // namespace pliant
