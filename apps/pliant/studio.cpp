// pliant studio: the scene in a browser, to watch and to hold.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "commands.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/mesh_file.hpp"
#include "scene_files.hpp"
#include "studio_session.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

StudioSession* running = nullptr;

/// Asks the desktop to show the page, when there is one. The page's address is printed in any case.
void open_browser(const std::string& url) {
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    if (const pid_t child = ::fork(); child == 0) {
        if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) std::_Exit(1);
        ::execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
        std::_Exit(1);
    }
}

int run_studio(const Args& args) {
    StudioOptions options;
    if (!args.words().empty()) {
        const std::string& word = args.words()[0];
        options.source = fs::is_directory(word) ? fs::path(word) : find_scene(word);
    }
    for (const std::string& text : args.all("set")) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) throw UsageError("--set wants key=value, not '" + text + "'");
        options.scene.args[text.substr(0, equals)] = text.substr(equals + 1);
    }
    options.scene.model_paths = model_folders(args.all("models"));
    connect_files(options.scene);
    options.scene.print = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    options.threads = static_cast<int>(args.integer("threads", 0, 1024));
    options.history_bytes = static_cast<std::size_t>(args.integer("history", 16, 1 << 20)) << 20;
    options.out = args.text("out");
    options.compare = args.text("compare");
    if (!options.compare.empty() && options.source.empty())
        throw UsageError("--compare shows a run beside another: name a scene or a run as well");
    options.paused = args.has("paused");

    StudioSession session(std::move(options));
    ServerHandler handler;
    handler.asset = [&](const std::string& path) { return session.asset(path); };
    handler.opened = [&](ClientId client) { session.opened(client); };
    handler.closed = [&](ClientId client) { session.closed(client); };
    handler.message = [&](ClientId client, const Json& json) { return session.message(client, json); };
    handler.full = [&] { return session.full(); };
    handler.pictures = [&](ClientId client) { return session.pictures(client); };
    ServerOptions server_options;
    server_options.port = static_cast<int>(args.integer("port", 0, 65535));
    Server server(server_options, std::move(handler), [&](Server& self) { session.connect(&self); });

    std::printf("Pliant Studio is at %s\n", server.url().c_str());
    std::printf(
        "From another machine: ssh -L %d:127.0.0.1:%d THIS-MACHINE, then open the same address there. "
        "Ctrl-C ends it.\n",
        server.port(), server.port());
    std::fflush(stdout);
    if (!args.has("no-open")) open_browser(server.url());

    running = &session;
    const auto quit = [](int) {
        if (running) running->stop();
    };
    const auto before_int = std::signal(SIGINT, quit);
    const auto before_term = std::signal(SIGTERM, quit);
    const auto before_hup = std::signal(SIGHUP, quit);
    if (before_hup == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // as nohup wants it
    session.run();
    std::signal(SIGINT, before_int);
    std::signal(SIGTERM, before_term);
    std::signal(SIGHUP, before_hup);
    running = nullptr;
    const ServerCounts counts = server.counts();
    std::printf("%s pictures sent, %s MB; %s requests refused, %s messages without sense.\n",
                grouped(static_cast<long long>(counts.pictures)).c_str(),
                short_number(static_cast<double>(counts.picture_bytes) / 1e6).c_str(),
                grouped(static_cast<long long>(counts.refused)).c_str(),
                grouped(static_cast<long long>(counts.malformed)).c_str());
    return 0;
}

}  // namespace

Command studio_command() {
    return {
        .name = "studio",
        .arguments = "[SCENE|DIR]",
        .least_words = 0,
        .most_words = 1,
        .summary = "Shows a running scene in the browser, to see and to hold.",
        .about =
            "SCENE is a Lua file or the name of a shipped scene; DIR is what `pliant run` or the studio wrote.\n"
            "Without either, the start page lists the shipped scenes. The page is served on this machine only;\n"
            "its address has a secret part that changes every time. A scene is loaded again when its file\n"
            "changes.",
        .flags = {{.name = "port", .value = "P", .fallback = "0", .help = "Port to listen on; 0 means any free one."},
                  {.name = "no-open", .help = "Print the address, but do not open a browser."},
                  {.name = "paused", .help = "Waits until play is pressed."},
                  {.name = "out",
                   .letter = 'o',
                   .value = "DIR",
                   .fallback = "out",
                   .help = "Folder that sessions are saved in, each as a run directory of its own."},
                  {.name = "compare",
                   .value = "DIR",
                   .help = "A run to show beside it, as shadows and as further lines of the plots."},
                  {.name = "history",
                   .value = "N",
                   .unit = "MB",
                   .fallback = "1024",
                   .help = "Memory for going back in time; beyond it the oldest frames are forgotten."},
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
                   .repeated = true}},
        .examples = {{"pliant studio quickstart", "Bears of jelly to throw about."},
                     {"pliant studio out/quickstart", "Look at a run again."},
                     {"pliant studio out/soft --compare out/stiff", "Two runs, one beside the other."},
                     {"pliant studio", "Choose from the shipped scenes."}},
        .run = run_studio};
}

}  // namespace pliant
