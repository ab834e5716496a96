#ifdef PLIANT_WITH_RENDER

#include "movie.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/render/image.hpp"

extern char** environ;

namespace pliant {

std::string find_ffmpeg() {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/ffmpeg";
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

namespace {
bool is_webm(const std::string& path) { return path.size() > 5 && path.compare(path.size() - 5, 5, ".webm") == 0; }
}  // namespace

Movie::Movie(const std::string& ffmpeg, const std::string& path, int width, int height, double fps,
             const std::string& sound, bool quick)
    : path_(path), temporary_(path + ".part-" + std::to_string(getpid()) + (is_webm(path) ? ".webm" : ".mp4")) {
    const bool webm = is_webm(path);
    std::vector<std::string> words{ffmpeg, "-v", "error", "-nostdin", "-y",
                                   // raw pictures on standard input
                                   "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                                   std::to_string(width) + "x" + std::to_string(height), "-r", number_text(fps), "-i",
                                   "pipe:0"};
    // A name such as "-x.wav" must not be taken for an option.
    if (!sound.empty())
        words.insert(words.end(), {"-i", "file:" + sound, "-c:a", webm ? "libopus" : "aac", "-b:a", "192k"});
    // Players want 4:2:0 colours, which need even sides, and the colour space said aloud.
    words.insert(words.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709"});
    if (webm)
        words.insert(words.end(), {"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "28", "-row-mt", "1", "-deadline", "good",
                                   "-cpu-used", quick ? "6" : "3"});
    else
        words.insert(words.end(), {"-c:v", "libx264", "-preset", quick ? "veryfast" : "medium", "-crf", "18",
                                   "-movflags", "+faststart"});
    words.insert(words.end(), {"-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
                               "iec61966-2-1", "file:" + temporary_});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw UserError(std::string("no pipe to ffmpeg: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int failed = posix_spawn(&process_, ffmpeg.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    pipe_ = ends[1];
    if (failed != 0) {
        process_ = -1;
        close(pipe_);
        throw UserError("ffmpeg did not start: " + std::string(std::strerror(failed)));
    }
}

Movie::~Movie() {
    if (process_ < 0) return;
    kill(process_, SIGTERM);
    wait_for_end();
    std::remove(temporary_.c_str());
}

int Movie::wait_for_end() {
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
}

void Movie::add(const Image& picture) {
    // If ffmpeg dies, the write must fail with EPIPE rather than end this program; the old setting is put back.
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    std::size_t done = 0;
    int error = 0;
    while (done < picture.rgb.size() && error == 0) {
        const ssize_t n = write(pipe_, picture.rgb.data() + done, picture.rgb.size() - done);
        if (n >= 0)
            done += std::size_t(n);
        else if (errno != EINTR)
            error = errno;
    }
    sigaction(SIGPIPE, &before, nullptr);
    if (error != 0) {
        wait_for_end();
        std::remove(temporary_.c_str());
        throw UserError("ffmpeg stopped before the movie was done: " + std::string(std::strerror(error)), {},
                        "Its own message is above");
    }
}

void Movie::finish() {
    const int status = wait_for_end();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::remove(temporary_.c_str());
        throw UserError("ffmpeg could not make " + path_, {}, "Its own message is above");
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const std::string cause = std::strerror(errno);
        std::remove(temporary_.c_str());
        throw UserError("the movie could not be put at " + path_ + ": " + cause);
    }
}

}  // namespace pliant

#endif
