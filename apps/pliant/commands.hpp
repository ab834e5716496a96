#pragma once
// One function per command, each in its own file <command>.cpp; main.cpp puts them into the program's table.

#include "options.hpp"

namespace pliant {

Command run_command();
Command scenes_command();
Command materials_command();
Command info_command();
Command convert_command();
Command mesh_command();
Command models_command();
Command render_command();
Command sound_command();
Command spectrum_command();
Command studio_command();
Command bench_command();
Command modes_command();
Command sweep_command();

}  // namespace pliant
