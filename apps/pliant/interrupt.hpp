#pragma once
// Ctrl-C and a request to end, as a question that long work asks at good moments.

#include <csignal>

namespace pliant {

/// While one exists, SIGINT and SIGTERM do not end the program; whoever made it looks at `asked()`.
class CatchInterrupt {
public:
    CatchInterrupt()
        : before_int_(std::signal(SIGINT, [](int) { asked_ = 1; })),
          before_term_(std::signal(SIGTERM, [](int) { asked_ = 1; })) {
        asked_ = 0;
    }
    ~CatchInterrupt() {
        std::signal(SIGINT, before_int_);
        std::signal(SIGTERM, before_term_);
    }
    CatchInterrupt(const CatchInterrupt&) = delete;
    CatchInterrupt& operator=(const CatchInterrupt&) = delete;

    static bool asked() { return asked_ != 0; }

private:
    inline static volatile std::sig_atomic_t asked_ = 0;
    void (*before_int_)(int);
    void (*before_term_)(int);
};

}  // namespace pliant
