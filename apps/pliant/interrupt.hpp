#pragma once
// Ctrl-C, a request to end and a terminal that was closed, as a question that long work asks at good moments.

#include <csignal>

namespace pliant {

/// While one exists, SIGINT, SIGTERM and SIGHUP do not end the program; whoever made it looks at `asked()`.
class CatchInterrupt {
public:
    CatchInterrupt() : int_(SIGINT), term_(SIGTERM), hup_(SIGHUP) { asked_ = 0; }

    static bool asked() { return asked_ != 0; }

private:
    class Caught {
    public:
        explicit Caught(int signal) : signal_(signal), before_(std::signal(signal, [](int) { asked_ = 1; })) {
            if (before_ == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup wants it
        }
        ~Caught() { std::signal(signal_, before_); }
        Caught(const Caught&) = delete;
        Caught& operator=(const Caught&) = delete;

    private:
        int signal_;
        void (*before_)(int);
    };

    inline static volatile std::sig_atomic_t asked_ = 0;
    Caught int_, term_, hup_;
};

}  // namespace pliant
