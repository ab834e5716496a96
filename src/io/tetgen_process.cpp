#include "pliant/io/tetgen_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/mesh_text.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr const char* without_it = "The methods lattice and conforming need no other program";

/// A folder that goes when we are done, whatever happens.
class ScratchFolder {
public:
    ScratchFolder() {
        std::error_code failed;
        std::string name = (fs::temp_directory_path(failed) / "pliant-tetgen-XXXXXX").string();
        if (failed || !::mkdtemp(name.data()))
            throw UserError("cannot make a temporary folder: " + std::string(std::strerror(errno)), {},
                            "Set TMPDIR to a folder you can write to");
        path_ = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    fs::path operator/(const char* leaf) const { return path_ / leaf; }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string smesh_text(const TriMesh& surface) {
    TextBuilder out(surface.points.size() * 64 + surface.triangles.size() * 32);
    out.integer(static_cast<long long>(surface.points.size())).text(" 3 0 0\n");
    for (std::size_t i = 0; i < surface.points.size(); ++i)
        out.integer(static_cast<long long>(i)).text(" ").vector(surface.points[i]).text("\n");
    out.integer(static_cast<long long>(surface.triangles.size())).text(" 0\n");
    for (const Tri& t : surface.triangles)
        out.text("3 ").integer(t[0]).text(" ").integer(t[1]).text(" ").integer(t[2]).text("\n");
    return out.text("0\n0\n").take();
}

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* program, const char* switches, const char* folder, const TetgenOptions& options) {
    auto limit = [](int what, rlim_t value) {
        rlimit both{value, value};
        ::setrlimit(static_cast<__rlimit_resource>(what), &both);
    };
    if (::chdir(folder) != 0) ::_exit(126);
    const int log = ::open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600), none = ::open("/dev/null", O_RDONLY);
    ::dup2(none, 0), ::dup2(log, 1), ::dup2(log, 2);
    const int most = static_cast<int>(::sysconf(_SC_OPEN_MAX));
    for (int fd = 3; fd < std::min(most, 4096); ++fd) ::close(fd);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, static_cast<rlim_t>(options.seconds) + 1);
    limit(RLIMIT_AS, static_cast<rlim_t>(options.megabytes) << 20);
    limit(RLIMIT_FSIZE, static_cast<rlim_t>(options.megabytes) << 20);
    ::execlp(program, "tetgen", switches, "body.smesh", static_cast<char*>(nullptr));
    ::_exit(errno == ENOENT || errno == EACCES ? 127 : 126);
}

struct Ending {
    int status = 0;
    bool stopped = false;  // by us, for its time
};

Ending run(const std::string& switches, const ScratchFolder& folder, const TetgenOptions& options) {
    const std::string at = folder.path().string();
    const pid_t child = ::fork();
    if (child < 0) throw UserError("cannot start TetGen: " + std::string(std::strerror(errno)), {}, without_it);
    if (child == 0) become(options.program.c_str(), switches.c_str(), at.c_str(), options);
    const double start = seconds_now();
    Ending ending;
    for (useconds_t pause = 500;; pause = std::min<useconds_t>(2 * pause, 20'000)) {
        const pid_t done = ::waitpid(child, &ending.status, WNOHANG);
        if (done == child) return ending;
        if (done < 0 && errno != EINTR) throw UserError("lost track of TetGen", {}, without_it);
        if (!ending.stopped && seconds_now() - start > options.seconds) {
            ::kill(child, SIGKILL);
            ending.stopped = true;
        }
        ::usleep(pause);
    }
}

/// TetGen's own last words, for a message.
std::string last_words(const std::string& log) {
    std::string found;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        if (line.find_first_not_of(" \t\r") != std::string::npos) found = line;
        at = end + 1;
    }
    found.erase(0, found.find_first_not_of(" \t"));
    for (char& c : found)
        if (c < ' ' || c > '~') c = ' ';
    if (found.size() > 120) found = found.substr(0, 120) + "…";
    return found;
}

std::string log_of(const ScratchFolder& folder) {
    std::error_code none;
    return fs::exists(folder / "log", none) ? read_file((folder / "log").string()) : "";
}

/// Where TetGen meets facets that cut one another it may just abort; asked to look for them (-d), it finds them.
bool cuts_itself(const Ending& ending, const ScratchFolder& folder, const TetgenOptions& options) {
    const int status = ending.status;
    if (ending.stopped || (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 127))) return false;
    const Ending look = run("-d", folder, options);
    return !look.stopped && log_of(folder).find("faces are intersecting") != std::string::npos &&
           log_of(folder).find("No faces are intersecting") == std::string::npos;
}

void check_ending(const Ending& ending, const std::string& log, const TetgenOptions& options) {
    const int status = ending.status;
    if (ending.stopped || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        throw UserError("TetGen was stopped after " + short_number(options.seconds) + " s", {},
                        "Ask for fewer tets (a larger volume after a), or use the method lattice");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        throw UserError("TetGen is not installed: there is no program '" + options.program + "'", {},
                        "Install it (Debian: apt install tetgen), or use the method lattice or conforming");
    auto says = [&](const char* words) { return log.find(words) != std::string::npos; };
    if (says("ut of memory") || says("bad_alloc"))
        throw UserError("TetGen needed more than " + std::to_string(options.megabytes) + " MB", {},
                        "Ask for fewer tets (a larger volume after a), or use the method lattice");
    if (WIFSIGNALED(status))
        throw UserError("TetGen crashed (signal " + std::to_string(WTERMSIG(status)) + ")", {}, without_it);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        const std::string words = last_words(log);
        throw UserError("TetGen failed" + (words.empty() ? "" : " and said \"" + words + "\""), {}, without_it);
    }
}

/// TetGen fills cavities too; a surface tells them by its orientation.
std::size_t empty_cavities(const TriMesh& surface, TetMesh& mesh) {
    const WindingNumber winding(surface.points, surface.triangles);
    const double turn = enclosed_volume(surface.points, surface.triangles) < 0 ? -1 : 1;
    std::vector<Tet> kept;
    std::vector<int> region;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Vec3 centre = Vec3::Zero();
        for (int node : mesh.tets[t]) centre += 0.25 * mesh.rest[static_cast<std::size_t>(node)];
        if (!(turn * winding(centre) > 0.5)) continue;
        kept.push_back(mesh.tets[t]);
        if (!mesh.region.empty()) region.push_back(mesh.region[t]);
    }
    const std::size_t dropped = mesh.tets.size() - kept.size();
    if (dropped == 0 || kept.empty()) return 0;
    std::vector<int> index(mesh.rest.size(), -1);
    std::vector<Vec3> rest;
    for (Tet& t : kept)
        for (int& node : t) {
            int& i = index[static_cast<std::size_t>(node)];
            if (i < 0) i = static_cast<int>(rest.size()), rest.push_back(mesh.rest[static_cast<std::size_t>(node)]);
            node = i;
        }
    mesh.tets = std::move(kept), mesh.rest = std::move(rest), mesh.region = std::move(region);
    return dropped;
}

}  // namespace

std::string checked_switches(const std::string& switches) {
    // Letters whose outcome is tets of the body: quality, volumes, what happens to the surface, how much is written.
    constexpr std::string_view known = "pYqaAcfenvkgOSTVCQXMzBFwbDs", number = "0123456789.,/eE+-";
    std::string out = "-";
    bool plc = false, after_value_letter = false;
    for (std::size_t i = switches.rfind('-', 0) == 0 ? 1 : 0; i < switches.size(); ++i) {
        const char c = switches[i];
        const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '/' || c == ',';
        const bool exponent =
            (c == 'e' || c == 'E' || c == '-' || c == '+') && after_value_letter && i > 0 &&
            ((switches[i - 1] >= '0' && switches[i - 1] <= '9') || switches[i - 1] == 'e' || switches[i - 1] == 'E') &&
            i + 1 < switches.size() && number.find(switches[i + 1]) != std::string_view::npos;
        if ((digit || exponent) && out.size() > 1) {
            out += c;
            continue;
        }
        if (known.find(c) == std::string_view::npos || digit)
            throw UserError(
                "TetGen's switch '" + std::string(1, c >= ' ' && c <= '~' ? c : '?') + "' cannot be used here", {},
                "Use q, a, O, Y and the like, as in pqa0.01");
        after_value_letter = c == 'q' || c == 'a' || c == 'T' || c == 'O' || c == 'S' || c == 'V' || c == 'Y';
        plc |= c == 'p';
        out += c;
    }
    if (out.size() > 200) throw UserError("TetGen's switches are too long", {}, "Write something like pqa0.01");
    return plc ? out : "-p" + out.substr(1);
}

TetMesh tetgen(const TriMesh& surface, const TetgenOptions& options, std::vector<std::string>* notes) {
    const std::string switches = checked_switches(options.switches);
    const SurfaceFacts facts = inspect(surface);
    if (surface.triangles.empty()) throw UserError("the surface has no triangles", {}, "Load another one");
    if (!facts.closed())
        throw UserError("the surface is not closed (" + grouped(facts.boundary_edges) + " open and " +
                            grouped(facts.nonmanifold_edges) + " branching edges), which TetGen needs",
                        {}, "Use the method lattice, which takes any surface");
    const ScratchFolder folder;
    write_file_atomic((folder / "body.smesh").string(), smesh_text(surface));
    const Ending ending = run(switches, folder, options);
    const std::string log = log_of(folder);
    if (log.find("self-intersection") != std::string::npos || cuts_itself(ending, folder, options))
        throw UserError("the surface cuts itself, which TetGen cannot mesh", {}, without_it);
    check_ending(ending, log, options);
    std::error_code none;
    if (!fs::exists(folder / "body.1.ele", none)) throw UserError("TetGen made no tets", {}, without_it);
    TetMesh mesh;
    std::vector<std::string> ignored;
    try {
        mesh = read_tets((folder / "body.1.ele").string(), &ignored);
    } catch (const UserError& error) {
        throw UserError("TetGen's result cannot be read (" + error.message() + ")", {}, without_it);
    }
    const std::size_t dropped = facts.components > 1 ? empty_cavities(surface, mesh) : 0;
    if (notes && dropped > 0)
        notes->push_back("left out " + grouped(static_cast<long long>(dropped)) + " tets in cavities");
    return mesh;
}

}  // namespace pliant
