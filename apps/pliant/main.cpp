#include <csignal>
#include <iostream>

#include "commands.hpp"
#include "interrupt.hpp"

int main(int argc, char** argv) {
    // A file beyond the limit of the user's quota (ulimit -f) is a write that fails, with a sentence, not a silent end.
    std::signal(SIGXFSZ, SIG_IGN);
    using namespace pliant;
    end_at_interrupts_with_a_sentence();
    // A new command is one file, one declaration in commands.hpp and one line here.
    const std::vector<Command> commands{
        run_command(),      sweep_command(),  scenes_command(), materials_command(), mesh_command(),
        convert_command(),  info_command(),   models_command(), render_command(),    sound_command(),
        spectrum_command(), studio_command(), modes_command(),  bench_command(),
    };
    return run_program(commands, {argv + 1, argv + argc}, std::cout, std::cerr);
}
