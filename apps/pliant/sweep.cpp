// pliant sweep: a scene over a grid of its own numbers, with one page of pictures, plots and a table.

#include <algorithm>
#include <cctype>
#include <iostream>

#include "camera_file.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "page_file.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "record.hpp"
#include "run_extent.hpp"
#include "scene_files.hpp"
#include "sweep_page.hpp"
#ifdef PLIANT_WITH_RENDER
#include "pliant/render/png.hpp"
#endif

namespace pliant {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_runs = 1000;

/// --set a=1,2,3 as a key with its values.
std::vector<SweepKey> sweep_keys(const Args& args) {
    std::vector<SweepKey> keys;
    std::size_t runs = 1;
    for (const std::string& text : args.all("set")) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw UsageError("--set wants key=value,value,…, not '" + text + "'");
        SweepKey key{text.substr(0, equals), {}};
        for (const SweepKey& other : keys)
            if (other.name == key.name)
                throw UsageError("--set " + key.name + " is given twice: put all values in one");
        std::string rest = text.substr(equals + 1) + ",";
        for (std::size_t at = 0; !rest.empty(); rest.erase(0, at + 1)) {
            at = rest.find(',');
            const std::string value = rest.substr(0, at);
            if (value.empty()) throw UsageError("--set " + key.name + " has an empty value");
            if (std::find(key.values.begin(), key.values.end(), value) == key.values.end()) key.values.push_back(value);
        }
        runs *= key.values.size();
        if (runs > most_runs)
            throw UsageError("that would be more than " + std::to_string(most_runs) + " runs: give fewer values");
        keys.push_back(std::move(key));
    }
    if (runs < 2) throw UsageError("say what to vary, with several values: --set cell=0.04,0.05,0.06");
    return keys;
}

/// All combinations, the last key changing fastest.
std::vector<SweepRun> sweep_runs(const std::vector<SweepKey>& keys) {
    std::vector<SweepRun> runs(1);
    for (const SweepKey& key : keys) {
        std::vector<SweepRun> more;
        for (const SweepRun& run : runs)
            for (const std::string& value : key.values) {
                more.push_back(run);
                more.back().values.push_back(value);
            }
        runs = std::move(more);
    }
    for (SweepRun& run : runs)
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if (keys[k].values.size() < 2) continue;
            std::string part = keys[k].name + "=" + run.values[k];
            for (char& c : part)
                if (!std::isalnum(static_cast<unsigned char>(c)) &&
                    std::string_view("=-_.+").find(c) == std::string_view::npos)
                    c = '_';
            run.folder += (run.folder.empty() ? "" : ",") + part;
        }
    return runs;
}

#ifdef PLIANT_WITH_RENDER

int picture_frame(const RunDirectory& run, const Args& args) {
    const int last = run.frame_count() - 1;
    return args.has("frame") ? std::min(last, int(args.integer("frame", 0))) : last;
}

/// All pictures from the same place, with the same ground and the same colours.
void take_pictures(Sweep& sweep, const fs::path& out, const Args& args) {
    RenderOptions options;
    options.width = 480, options.height = 320;
    options.field = args.text("field");
    options.samples = 16;
    RunExtent extent;
    std::optional<CameraDesc> wanted;
    for (const SweepRun& run : sweep.runs) {
        if (!run.error.empty()) continue;
        RunDirectory on_disk(out / run.folder);
        const bool close = args.has("close");
        if (close) extent.add_boxes(on_disk.load(picture_frame(on_disk, args)));
        extent.add(on_disk, options.field, !close);
        if (!close && !wanted) wanted = read_camera(out / run.folder);
    }
    if (extent.boxes.empty()) return;
    extent.complete(options);
    if (wanted)
        options.camera->eye = wanted->eye, options.camera->target = wanted->target, options.camera->fov = wanted->fov;
    Threads threads(int(args.integer("threads", 0, 1024)));
    for (SweepRun& run : sweep.runs) {
        if (!run.error.empty()) continue;
        RunDirectory on_disk(out / run.folder);
        const Frame frame = on_disk.load(picture_frame(on_disk, args));
        RenderOptions mine = options;
        use_looks(mine, read_looks(out / run.folder));
        run.picture = png_bytes(render(frame, mine, threads), 7);
        sweep.caption = "The pictures show t = " + short_number(frame.time) + " s" +
                        (options.field.empty() ? "" : ", coloured by " + options.field) + ", all from the same place.";
    }
}

#else

void take_pictures(Sweep& sweep, const fs::path&, const Args&) {
    sweep.caption = "This pliant was built without pictures.";
}

#endif

int run_sweep(const Args& args) {
    Sweep sweep;
    const fs::path scene = find_scene(args.words()[0]);
    sweep.scene = scene.stem().string();
    sweep.keys = sweep_keys(args);
    sweep.runs = sweep_runs(sweep.keys);
    const fs::path out = args.has("out") ? fs::path(args.text("out")) : fs::path("out") / (sweep.scene + "-sweep");
    ensure_directory(out.string());
    int failed = 0;
    for (SweepRun& run : sweep.runs) {
        RecordOrder order;
        order.scene = scene;
        order.out = out / run.folder;
        std::vector<std::string> set;
        for (std::size_t k = 0; k < sweep.keys.size(); ++k) set.push_back(sweep.keys[k].name + "=" + run.values[k]);
        order.options = scene_options(set, args.all("models"));
        if (args.has("frames")) order.frames = static_cast<int>(args.integer("frames", 0));
        order.threads = static_cast<int>(args.integer("threads", 0, 1024));
        order.quiet = args.has("quiet");
        order.title = run.folder;
        order.sound = args.has("pages");
        try {
            run.report = record_run(order);
            if (args.has("pages")) {
                run.page = run.folder + ".html";
                write_file_atomic((out / run.page).string(), make_page(order.out, sweep.scene + " " + run.folder).html);
            }
        } catch (const UserError& error) {
            if (CatchInterrupt::asked()) throw;
            run.error = error.what();
            ++failed;
            std::cerr << run.folder << ": " << error.what() << '\n';
        }
    }
    take_pictures(sweep, out, args);
    write_file_atomic((out / "sweep.csv").string(), sweep_csv(sweep));
    write_file_atomic((out / "index.html").string(), sweep_html(sweep));
    std::cout << (out / "index.html").string() << ": " << sweep.runs.size() << " runs\n";
    if (failed > 0)
        throw UserError(std::to_string(failed) + " of " + std::to_string(sweep.runs.size()) +
                        " runs could not be made; the page says why");
    return 0;
}

}  // namespace

Command sweep_command() {
    return {
        .name = "sweep",
        .arguments = "SCENE",
        .least_words = 1,
        .most_words = 1,
        .summary = "a scene over a grid of its numbers, as one page of pictures, plots and a table",
        .about =
            "Runs the scene for every combination of the values that --set lists; the scene reads them as args.KEY.\n"
            "DIR then holds a folder per run, a table (sweep.csv) and a page (index.html) that needs nothing else: a\n"
            "grid of pictures, all taken from the same place (the first key makes the columns, the second the rows), "
            "a\n"
            "plot per measure with a line per run, and the numbers. A run that cannot be made is shown with its\n"
            "reason, and the others go on.",
        .flags =
            {{.name = "set",
              .value = "KEY=A,B,…",
              .help = "Values that args.KEY takes, one after the other; a single one is the same in all runs.",
              .repeated = true},
             {.name = "out", .letter = 'o', .value = "DIR", .help = "Where to write; out/SCENE-sweep if not given."},
             {.name = "frames", .value = "N", .help = "Stop each run after N frames."},
             {.name = "frame", .value = "N", .help = "Which frame the pictures show; the last if not given."},
             {.name = "field", .value = "NAME", .help = "Colour bodies by a field; all pictures share its range."},
             {.name = "close", .help = "Come as near as the frames that are shown allow."},
             {.name = "pages", .help = "Also a page per run that plays it; the pictures are links to them."},
             {.name = "threads", .value = "N", .fallback = "0", .help = "How many work together, 0: one per core."},
             {.name = "models", .value = "DIR", .help = "Another folder to load meshes from.", .repeated = true},
             {.name = "quiet", .help = "No progress."}},
        .examples = {{"pliant sweep quickstart --set cell=0.04,0.05,0.07", "one number, three runs"},
                     {"pliant sweep mine.lua --set young=1e4,1e5,1e6 --set poisson=0.1,0.3,0.45", "nine runs, a grid"}},
        .run = run_sweep};
}

}  // namespace pliant
