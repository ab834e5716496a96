// pliant render: pictures and movies of a run or a scene, with no GPU and no display.

#include <iostream>

#include "commands.hpp"
#include "pliant/core/error.hpp"

#ifdef PLIANT_WITH_RENDER
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>

#include "camera_file.hpp"
#include "in_order.hpp"
#include "movie.hpp"
#include "notes.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/frame_file.hpp"
#include "pliant/render/gif.hpp"
#include "pliant/render/jpeg.hpp"
#include "pliant/render/png.hpp"
#include "pliant/render/renderer.hpp"
#include "progress.hpp"
#include "record.hpp"
#include "run_extent.hpp"
#include "scene_files.hpp"
#endif

namespace pliant {

namespace {

#ifdef PLIANT_WITH_RENDER

namespace fs = std::filesystem;

std::string extension_of(const std::string& file) {
    std::string kind = fs::path(file).extension().string();
    std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return kind;
}

/// Previews are to be quick, final pictures small.
int png_level(const RenderOptions& options) { return options.quality == Quality::preview ? 3 : 7; }

void write_picture(const std::string& file, const Image& picture, int png_level) {
    write_file_atomic(file, extension_of(file) == ".png" ? png_bytes(picture, png_level) : jpeg_bytes(picture));
}

std::vector<double> numbers(const Args& args, const std::string& flag, char separator, std::size_t count) {
    const std::string text = args.text(flag);
    std::vector<double> list;
    const char *at = text.data(), *end = at + text.size();
    while (at <= end) {
        double value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc() || !std::isfinite(value)) break;
        list.push_back(value);
        if (next == end) {
            if (list.size() == count) return list;
            break;
        }
        if (*next != separator) break;
        at = next + 1;
    }
    throw UsageError("--" + flag + " wants " + std::to_string(count) + " numbers with '" + separator +
                     "' between, not '" + text + "'");
}

std::pair<int, int> pair_of_sizes(const Args& args, const std::string& flag, int low, int high) {
    const auto n = numbers(args, flag, 'x', 2);
    for (double v : n)
        if (v != std::floor(v) || v < low || v > high)
            throw UsageError("--" + flag + " wants two whole numbers from " + std::to_string(low) + " to " +
                             std::to_string(high) + ", not '" + args.text(flag) + "'");
    return {int(n[0]), int(n[1])};
}

RenderOptions render_options(const Args& args) {
    RenderOptions options;
    if (args.has("sheet")) options.width = 640, options.height = 360;
    if (args.has("size")) std::tie(options.width, options.height) = pair_of_sizes(args, "size", 16, 8192);
    const std::string quality = args.text("quality");
    if (quality != "preview" && quality != "final")
        throw UsageError("--quality is 'preview' or 'final', not '" + quality + "'");
    options.quality = quality == "final" ? Quality::final : Quality::preview;
    if (args.has("samples")) options.samples = int(args.integer("samples", 1, 65536));
    options.field = args.text("field");
    if (args.has("range")) {
        const auto n = numbers(args, "range", ',', 2);
        if (!(n[0] < n[1])) throw UsageError("--range wants the lower value first");
        options.range = FieldRange{n[0], n[1]};
    }
    options.color_pieces = args.has("pieces");
    options.view.azimuth = args.number("azimuth");
    options.view.elevation = args.number("elevation");
    options.view.fov = args.number("fov");
    if (!(options.view.fov >= 1 && options.view.fov <= 120))
        throw UsageError("--fov is an angle from 1 to 120 degrees");
    options.ground = !args.has("no-ground");
    if (args.has("ground")) options.ground_height = args.number("ground");
    options.exposure = args.number("exposure");
    return options;
}

int frame_on_disk(const RunDirectory& run, const Args& args) {
    if (!args.has("frame")) return run.frame_count() - 1;
    const long long wanted = args.integer("frame", 0);
    for (int i = 0; i < run.frame_count(); ++i)
        if (run.frame_index(i) == wanted) return i;
    throw UserError("the run has no frame " + std::to_string(wanted), {},
                    "It has " + std::to_string(run.frame_count()) + ", from " + std::to_string(run.frame_index(0)) +
                        " to " + std::to_string(run.frame_index(run.frame_count() - 1)));
}

/// Sets what must stay the same through a movie (camera, ground, colour range) from frames all over the run.
void complete_options(RunDirectory& run, const fs::path& folder, const Args& args, RenderOptions& options) {
    RunExtent extent;
    const bool close = args.has("close");
    if (close) extent.add_boxes(run.load(frame_on_disk(run, args)));
    extent.add(run, options.range ? "" : options.field, !close);
    extent.complete(options);
    use_looks(options, read_looks(folder));
    Camera& camera = *options.camera;
    const bool own_view = close || args.has("azimuth") || args.has("elevation") || args.has("fov");
    if (const auto wanted = own_view ? std::nullopt : read_camera(folder)) {
        camera.eye = wanted->eye;
        camera.target = wanted->target;
        camera.fov = wanted->fov;
    }
    if (args.has("target")) {
        const auto n = numbers(args, "target", ',', 3);
        const Vec3 target(n[0], n[1], n[2]);
        camera.eye += target - camera.target;
        camera.target = target;
    }
    if (args.has("eye")) {
        const auto n = numbers(args, "eye", ',', 3);
        camera.eye = Vec3(n[0], n[1], n[2]);
    }
}

std::string time_text(const Frame& frame) {
    char text[40];
    std::snprintf(text, sizeof text, "t = %.3g s", frame.time);
    return text;
}

/// The mean of several pictures taken while the shutter is open, from this frame towards the next. Bodies that break in
/// between, and the last frame, are shown as they are.
Image render_moving(RunDirectory& run, int i, const Frame& frame, int pictures, double shutter,
                    const RenderOptions& options, Threads& threads) {
    if (pictures <= 1 || i + 1 >= run.frame_count()) return render(frame, options, threads);
    const Frame next = run.load(i + 1);
    std::vector<float> sum;
    Image mean;
    for (int k = 0; k < pictures; ++k) {
        const double s = shutter * (k + 0.5) / pictures;
        Frame between = frame;
        for (std::size_t b = 0; b < between.bodies.size() && b < next.bodies.size(); ++b) {
            BodyFrame& body = between.bodies[b];
            const BodyFrame& later = next.bodies[b];
            if (body.points.size() != later.points.size() || body.surface_revision != later.surface_revision) continue;
            for (std::size_t v = 0; v < body.points.size(); ++v)
                body.points[v] += s * (later.points[v] - body.points[v]);
        }
        mean = render(between, options, threads);
        sum.resize(mean.rgb.size());
        // In proportion to light, about: a moving highlight must not darken.
        for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += float(mean.rgb[p]) * float(mean.rgb[p]);
    }
    for (std::size_t p = 0; p < sum.size(); ++p)
        mean.rgb[p] = std::uint8_t(std::lround(std::sqrt(sum[p] / float(pictures))));
    return mean;
}

void render_movie(RunDirectory& run, const fs::path& source, const Args& args, const RenderOptions& options,
                  Threads& threads) {
    const std::string out = args.text("out");
    const double fps = args.has("fps") ? args.number("fps") : run.info().fps;
    if (!(fps > 0 && fps <= 1000)) throw UsageError("--fps is a number above 0, up to 1000");
    const int blur = int(args.integer("blur", 1, 256));
    const std::string ffmpeg = find_ffmpeg();
    Progress progress("render", run.frame_count(), "frames", args.has("quiet"));
    // A frame per thread: most of what a picture takes can be shared among threads, but not all of it.
    const auto each = [&](const std::function<void(int, const Image&)>& use) {
        in_order(
            run.frame_count(), threads.count(),
            [&](int i) {
                Threads alone(1);
                return render_moving(run, i, run.load(i), blur, args.number("shutter"), options, alone);
            },
            [&](int i, const Image& picture) {
                use(i, picture);
                progress.update(i + 1);
            });
    };
    if (fs::path(out).extension() == ".gif") {
        GifWriter gif(options.width, options.height, fps);
        each([&](int, const Image& picture) { gif.add(picture); });
        write_file_atomic(out, gif.take());
        progress.finish(out);
        return;
    }
    if (!ffmpeg.empty()) {
        Movie movie(ffmpeg, out, options.width, options.height, fps, sound_of_run(source),
                    options.quality == Quality::preview);
        each([&](int, const Image& picture) { movie.add(picture); });
        movie.finish();
        progress.finish(out);
        return;
    }
    fs::path folder = fs::path(out).replace_extension();
    folder += "-frames";
    ensure_directory(folder.string());
    each([&](int i, const Image& picture) {
        char name[32];
        std::snprintf(name, sizeof name, "%06d.png", run.frame_index(i));
        write_file_atomic((folder / name).string(), png_bytes(picture, png_level(options)));
    });
    progress.finish();
    std::cerr << "pliant: ffmpeg is not installed, so the pictures are in " << folder.string()
              << " one by one instead of in a movie. Install the Debian package ffmpeg, or name a .gif.\n";
}

/// How a scene that is run only to be shown is run.
RecordOrder record_order(const Args& args, bool movie) {
    RecordOrder order;
    order.scene = find_scene(args.words()[0]);
    const fs::path out = args.text("out");
    order.out = args.has("keep") ? fs::path(args.text("keep"))
                                 : (out.has_parent_path() ? out.parent_path() : fs::path(".")) /
                                       (".pliant-render-" + out.filename().string());
    order.options = scene_options(args.all("set"), args.all("models"));
    // What comes after the frame that is shown is not seen; one more says where things are going.
    if (args.has("frame")) order.frames = int(args.integer("frame", 0, 1 << 30)) + (args.integer("blur", 1, 256) > 1);
    order.threads = int(args.integer("threads", 0, 1024));
    order.sound = movie;
    order.quiet = args.has("quiet");
    return order;
}

int render_run(const fs::path& source, bool movie, const Args& args, RenderOptions options) {
    const std::string out = args.text("out");
    RunDirectory run(source);
    Threads threads(int(args.integer("threads", 0, 1024)));
    complete_options(run, source, args, options);
    if (movie) {
        render_movie(run, source, args, options, threads);
        return 0;
    }
    if (!args.has("sheet")) {
        const int i = frame_on_disk(run, args);
        const Frame frame = run.load(i);
        if (args.has("time")) options.caption = time_text(frame);
        const int blur = int(args.integer("blur", 1, 256));
        const Image picture = render_moving(run, i, frame, blur, args.number("shutter"), options, threads);
        write_picture(out, picture, png_level(options));
        return 0;
    }
    const auto [columns, rows] = pair_of_sizes(args, "sheet", 1, 64);
    if (columns * (options.width + 4) > 32768 || rows * (options.height + 4) > 32768)
        throw UsageError("the sheet would be more than 32768 pixels wide or high: choose a smaller --size");
    const std::vector<int> chosen = spaced(run.frame_count(), columns * rows);
    std::vector<Image> pictures;
    Progress progress("render", double(chosen.size()), "frames", args.has("quiet"));
    for (int i : chosen) {
        const Frame frame = run.load(i);
        options.caption = time_text(frame);
        pictures.push_back(render(frame, options, threads));
        progress.update(double(pictures.size()));
    }
    write_picture(out, contact_sheet(pictures, columns), 7);
    progress.finish(out);
    return 0;
}

int run_render(const Args& args) {
    const fs::path source = args.words()[0];
    const std::string out = args.text("out");
    if (out.empty())
        throw UsageError(
            "say where to put the picture with -o FILE.png or .jpg, or a movie with -o FILE.mp4, .webm or .gif");
    const std::string kind = extension_of(out);
    const bool movie = kind == ".mp4" || kind == ".webm" || kind == ".gif";
    if (kind != ".png" && kind != ".jpg" && kind != ".jpeg" && !movie)
        throw UsageError("pictures are written as .png or .jpg and movies as .mp4, .webm or .gif, not '" + out + "'");
    if (movie && (args.has("sheet") || args.has("frame") || args.has("close")))
        throw UsageError("--sheet, --frame and --close make a picture: name a .png or .jpg with -o");
    if (args.has("sheet") && args.has("frame"))
        throw UsageError("--sheet shows frames from all over the run, so it does not go with --frame");
    if (args.has("ground") && args.has("no-ground")) throw UsageError("--ground and --no-ground contradict each other");
    if (fs::is_directory(source) && (args.has("keep") || args.has("set")))
        throw UsageError("--keep and --set are for a scene, and '" + source.string() +
                         "' is a run that is there already");
    const RenderOptions options = render_options(args);
    int status = 0;
    if (fs::is_directory(source)) {
        status = render_run(source, movie, args, options);
    } else {
        const SceneRun recorded(record_order(args, movie && kind != ".gif"), args.has("keep"));
        status = render_run(recorded.folder(), movie, args, options);
    }
    for (const std::string& sentence : options.pictures->unreadable()) NotePrinter(args.has("quiet")).sayer()(sentence);
    return status;
}

#else

int run_render(const Args&) {
    throw UserError("this pliant was built without pictures", {},
                    "Install libembree-dev (3.13), libpng-dev and libjpeg-dev and build it again");
}

#endif

}  // namespace

Command render_command() {
    Command command;
    command.name = "render";
    command.arguments = "DIR|SCENE";
    command.least_words = command.most_words = 1;
    command.summary = "Makes pictures and movies of a run or a scene, without a GPU or a display.";
    command.about =
        "Traces rays on the CPU: soft sun and sky, shadows, a ground. DIR is what `pliant run --out DIR` wrote; a "
        "SCENE\n"
        "(a Lua file, or the name of a shipped one) is run first, into a folder that is deleted afterwards unless "
        "--keep\n"
        "names it. The camera is the scene's own (camera { … }), or frames all bodies over the whole run. A .png or "
        ".jpg "
        "shows\n"
        "one frame, or with --sheet several; a .mp4 or .webm shows the whole run and needs the ffmpeg program (without "
        "it\n"
        "the pictures are written one by one), a .gif does not. Bodies of a scene that have a voice are heard in its\n"
        "movie, and a run's one .wav becomes the movie's sound. Pictures are the same to the byte for any number of "
        "threads.";
    command.flags = {
        {.name = "out",
         .letter = 'o',
         .value = "FILE",
         .help = "Picture (.png, .jpg) or movie (.mp4, .webm, .gif) to write."},
        {.name = "frame", .value = "N", .help = "Which frame of the run a picture shows; the last if not given."},
        {.name = "sheet", .value = "CxR", .help = "Frames from all over the run in one picture, C columns and R rows."},
        {.name = "size", .value = "WxH", .help = "Pixels of each picture; 1280x720, in a sheet 640x360."},
        {.name = "quality", .value = "Q", .fallback = "preview", .help = "Preview (2 s a picture) or final (cleaner)."},
        {.name = "samples", .value = "N", .help = "Rays per pixel, best a power of two; preview 4, final 32."},
        {.name = "field", .value = "NAME", .help = "Colour bodies by a field, such as von_mises or speed."},
        {.name = "range", .value = "LOW,HIGH", .help = "Values at the ends of the colour bar; found if not given."},
        {.name = "pieces", .help = "A colour for every piece of a broken body."},
        {.name = "azimuth",
         .value = "A",
         .unit = "degrees",
         .fallback = "32",
         .help = "Camera, around the vertical axis."},
        {.name = "elevation", .value = "A", .unit = "degrees", .fallback = "16", .help = "Camera, above the horizon."},
        {.name = "fov",
         .value = "A",
         .unit = "degrees",
         .fallback = "26",
         .help = "Camera, angle of view from top to bottom."},
        {.name = "eye", .value = "X,Y,Z", .unit = "m", .help = "Camera, its place; found if not given."},
        {.name = "target", .value = "X,Y,Z", .unit = "m", .help = "Camera, where it looks; found if not given."},
        {.name = "close",
         .help = "Come as near as the frame that is shown allows; otherwise the whole run is in view."},
        {.name = "ground", .value = "Y", .unit = "m", .help = "Height of the ground; found if not given."},
        {.name = "no-ground", .help = "No ground and no shadow on it."},
        {.name = "exposure",
         .value = "E",
         .unit = "stops",
         .fallback = "0",
         .help = "Brightness; +1 is twice as bright."},
        {.name = "blur",
         .value = "N",
         .fallback = "1",
         .help = "Motion blur: the mean of N pictures while the shutter is open; takes N times as long."},
        {.name = "shutter",
         .value = "S",
         .fallback = "0.5",
         .help = "How long the shutter is open, as a share of the time between frames."},
        {.name = "time", .help = "Write the time into a picture's corner (sheets always have it)."},
        {.name = "fps",
         .value = "N",
         .unit = "1/s",
         .help = "Frames per second of a movie; the run's own if not given."},
        {.name = "keep", .value = "DIR", .help = "Of a scene: where its run is written and stays."},
        {.name = "set", .value = "KEY=VALUE", .help = "Of a scene: given to it as args.KEY.", .repeated = true},
        {.name = "models",
         .value = "DIR",
         .help = "Of a scene: another folder that it may load meshes from; ./models always is.",
         .repeated = true},
        {.name = "threads", .value = "N", .fallback = "0", .help = "Threads to use; 0 is one per core."},
        {.name = "quiet", .letter = 'q', .help = "Prints nothing but errors."},
    };
    command.examples = {
        {"pliant render quickstart -o quickstart.mp4", "Runs a shipped scene and films it."},
        {"pliant render out/cow -o cow.mp4", "A movie of the run, as real time as the run's frames are."},
        {"pliant render out/cow -o cow.png --frame 40 --quality final", "One good picture."},
        {"pliant render out/cow -o cow.png --sheet 3x2 --field von_mises", "Six moments, coloured by stress."},
    };
    command.run = run_render;
    return command;
}

}  // namespace pliant
