#pragma once
// A movie file made by the ffmpeg program, which gets raw pictures through a pipe. No shell is involved.

#include <sys/types.h>

#include <string>

namespace pliant {

struct Image;

/// Path of ffmpeg as the PATH finds it; "" when it is not installed.
std::string find_ffmpeg();

class Movie {
public:
    /// Starts ffmpeg; the ending of `path` says what is made, .mp4 (H.264 and AAC) or .webm (VP9 and Opus). Pictures go
    /// to a temporary beside `path`, which finish() renames. sound: a WAV to mux in, or "". quick: larger files in less
    /// time.
    Movie(const std::string& ffmpeg, const std::string& path, int width, int height, double fps,
          const std::string& sound, bool quick);
    /// Without finish(), ends ffmpeg and removes what it wrote.
    ~Movie();
    Movie(const Movie&) = delete;
    Movie& operator=(const Movie&) = delete;

    void add(const Image& picture);  ///< UserError when ffmpeg has gone away
    void finish();                   ///< UserError when ffmpeg failed

private:
    int wait_for_end();

    std::string path_, temporary_;
    pid_t process_ = -1;
    int pipe_ = -1;
};

}  // namespace pliant
