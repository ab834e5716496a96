#pragma once
// Ctrl-C, a request to end and a terminal that was closed, as a question that long work asks at good moments.

#include <unistd.h>

#include <csignal>

namespace pliant {

/// Until someone looks at them, by a CatchInterrupt or otherwise, the signals end the program at once, with a sentence:
/// what is being built is not worth keeping.
inline void end_at_interrupts_with_a_sentence() {
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const auto before = std::signal(signal, [](int) {
            constexpr char sentence[] = "pliant: stopped before it was done.\n";
            (void)!::write(STDERR_FILENO, sentence, sizeof sentence - 1);
            ::_exit(1);
        });
        if (before == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup wants it
    }
}

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
