#include "models_fetch.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

/// Runs a program found on the PATH, with its output going to `log`; no shell sees the words. Returns its exit
/// status, or 127 when there is no such program.
int run_program_in(const fs::path& folder, const std::vector<std::string>& words, const fs::path& log) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw UserError("cannot start " + words[0] + ": " + std::strerror(errno));
    if (child == 0) {
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int nothing = ::open("/dev/null", O_RDONLY);
        if (out < 0 || nothing < 0 || ::chdir(folder.c_str()) != 0) ::_exit(126);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(out, STDERR_FILENO);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// The last line with something in it: what most programs say when they fail.
std::string last_line(const fs::path& log) {
    std::error_code error;
    if (!fs::exists(log, error)) return "";
    std::string text = read_file(log.string());
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text.substr(text.rfind('\n') + 1).substr(0, 200);
}

void run_or_explain(const fs::path& scratch, const std::vector<std::string>& words, const std::string& package_with_it,
                    const std::string& goal) {
    const fs::path log = scratch / "log.txt";
    const int status = run_program_in(scratch, words, log);
    if (status == 0) return;
    if (status == 127)
        throw UserError("the program '" + words[0] + "' is missing, so " + goal + " cannot be fetched", {},
                        "Install it: apt-get install " + package_with_it);
    throw UserError("cannot fetch " + goal + ": '" + words[0] + " " + words[1] + "' failed with: " + last_line(log), {},
                    "Check the network and the package lists (apt-get update)");
}

fs::path only_file(const fs::path& folder, const std::string& start, const std::string& extension) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().rfind(start, 0) == 0 && entry.path().extension() == extension)
            return entry.path();
    throw UserError("the package manager left no " + start + "*" + extension + " file", {},
                    "Try again with the network up");
}

fs::path file_below(const fs::path& folder, const std::string& name) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() == name) return entry.path();
    throw UserError("the package no longer holds the file '" + name + "'", {}, "Report this: the package has changed");
}

/// Unpacks a Debian package into scratch/NAME without installing it.
fs::path unpacked_debian_package(const fs::path& scratch, const std::string& name) {
    run_or_explain(scratch, {"apt-get", "download", name}, "apt", "the Debian package " + name);
    const fs::path into = scratch / name;
    run_or_explain(scratch, {"dpkg-deb", "-x", only_file(scratch, name + "_", ".deb").string(), into.string()}, "dpkg",
                   "the Debian package " + name);
    return into;
}

/// Rows of three numbers: "name=[[1,2,3],[4,5,6]…]" in a JavaScript file that holds nothing but data.
std::vector<Vec3> javascript_rows(const std::string& script, const std::string& file, const std::string& name) {
    std::size_t at = script.find(name + "=[[");
    if (at == std::string::npos)
        throw UserError("has no list '" + name + "'", {file}, "The package has changed: report this");
    at += name.size() + 2;
    const std::size_t end = script.find("]]", at);
    if (end == std::string::npos) throw UserError("the list '" + name + "' has no end", {file}, "Fetch it again");
    std::string numbers = script.substr(at, end - at);
    for (char& c : numbers)
        if (c == '[' || c == ']' || c == ',') c = ' ';
    TextReader in(numbers, file);
    std::vector<Vec3> rows;
    while (!in.at_end()) {
        Vec3& row = rows.emplace_back();
        for (int k = 0; k < 3; ++k) row[k] = in.number("a number");
    }
    return rows;
}

}  // namespace

ScratchFolder::ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "pliant-models-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw UserError("cannot make a temporary folder: " + std::string(std::strerror(errno)), {name},
                        "Set TMPDIR to one that can be written");
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

TriMesh fetch_bunny(const fs::path& scratch) {
    run_or_explain(scratch, {"npm", "pack", "bunny@1.0.1", "--silent", "--ignore-scripts"}, "npm",
                   "the npm package bunny");
    run_or_explain(scratch, {"tar", "-xzf", only_file(scratch, "bunny-", ".tgz").string()}, "tar",
                   "the npm package bunny");
    const std::string file = file_below(scratch / "package", "index.js").string();
    const std::string script = read_file(file);
    TriMesh mesh;
    mesh.points = javascript_rows(script, file, "positions");
    for (const Vec3& row : javascript_rows(script, file, "cells")) {
        Tri t;
        for (int k = 0; k < 3; ++k) {
            if (!(row[k] >= 0 && row[k] < static_cast<double>(mesh.points.size())))
                throw UserError("a triangle names a point that does not exist", {file}, "Fetch it again");
            t[static_cast<std::size_t>(k)] = static_cast<int>(row[k]);
        }
        mesh.triangles.push_back(t);
    }
    return mesh;
}

TriMesh fetch_bunny_full(const fs::path& scratch) {
    return read_surface(file_below(unpacked_debian_package(scratch, "glmark2-data"), "bunny.obj").string());
}

TriMesh fetch_armadillo(const fs::path& scratch) {
    const fs::path package = unpacked_debian_package(scratch, "libcgal-demo");
    run_or_explain(scratch, {"tar", "-xzf", file_below(package, "data.tar.gz").string()}, "tar",
                   "the meshes in libcgal-demo");
    return read_surface(file_below(scratch, "armadillo.off").string());
}

}  // namespace pliant
