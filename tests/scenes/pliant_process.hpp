#pragma once
// Runs the built program as a user would, and reads what it reports.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pliant::test {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "pliant-scenes-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~TemporaryFolder() { fs::remove_all(path); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    fs::path path;
};

inline std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline fs::path errors_beside(fs::path log) { return log += ".errors"; }

/// Starts the program; what it says goes to `log`, what it complains about to the file beside it.
inline pid_t start_pliant(const std::vector<std::string>& words, const fs::path& log) {
    const pid_t child = fork();
    if (child != 0) return child;
    dup2(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    dup2(open(errors_beside(log).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    std::vector<char*> argv{const_cast<char*>(PLIANT_BINARY)};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(PLIANT_BINARY, argv.data());
    _exit(127);
}

struct Outcome {
    int status = 0;  ///< exit status, or 128 + signal
    std::string out, err;
    std::string words;  ///< both
};

inline Outcome wait_for(pid_t child, const fs::path& log) {
    int status = 0;
    waitpid(child, &status, 0);
    const std::string out = content(log), err = content(errors_beside(log));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out, err, out + err};
}

inline Outcome run_pliant(const std::vector<std::string>& words, const fs::path& folder) {
    const fs::path log = folder / "log.txt";
    return wait_for(start_pliant(words, log), log);
}

/// The value of "key": in a report, as it is written there.
inline std::string reported(const fs::path& report, const std::string& key) {
    const std::string text = content(report);
    const auto at = text.find("\"" + key + "\":");
    if (at == std::string::npos) return {};
    auto begin = text.find_first_not_of(" \n", at + key.size() + 3);
    auto end = text.find_first_of(",}\n", begin);
    return text.substr(begin, end - begin);
}

inline std::vector<fs::path> all_scenes() {
    std::vector<fs::path> scenes;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLIANT_SOURCE_DIR) / "scenes"))
        if (entry.path().extension() == ".lua" && entry.path().parent_path().filename() != "parts")
            scenes.push_back(entry.path());
    std::sort(scenes.begin(), scenes.end());
    return scenes;
}

}  // namespace pliant::test
