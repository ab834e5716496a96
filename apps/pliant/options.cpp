#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <ostream>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

#ifndef PLIANT_VERSION
#define PLIANT_VERSION "0.1.0"
#endif

namespace pliant {

namespace {

std::string spelling(const Flag& flag) {
    std::string text = flag.letter ? std::string("-") + flag.letter + ", --" + flag.name : "--" + flag.name;
    if (!flag.value.empty()) text += " " + flag.value;
    return text;
}

std::string examples_text(const std::vector<Example>& examples) {
    std::string text;
    for (const Example& example : examples) text += "  " + example.line + "\n      " + example.meaning + "\n";
    return text;
}

std::vector<std::string> command_names(const std::vector<Command>& commands) {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.name);
    return names;
}

const Command& find_command(const std::vector<Command>& commands, const std::string& name) {
    for (const Command& command : commands)
        if (command.name == name) return command;
    const std::string guess = did_you_mean(name, command_names(commands));
    throw UsageError("there is no command '" + name + "'. " + (guess.empty() ? "" : guess + " ") +
                     "'pliant --help' lists the commands.");
}

std::size_t letters_in(const std::string& text) {  // not bytes
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t column = 0, at = 0;
    while (at < text.size()) {
        std::size_t end = text.find(' ', at);
        if (end == std::string::npos) end = text.size();
        const std::string word = text.substr(at, end - at);
        if (column > 0 && column + 1 + letters_in(word) > width) out += "\n" + std::string(indent, ' '), column = 0;
        if (column > 0) out += " ", ++column;
        out += word, column += letters_in(word);
        at = end + 1;
    }
    return out;
}

Args::Args(const Command& command, const std::vector<std::string>& typed) : command_(command) {
    bool flags_over = false;
    for (std::size_t i = 0; i < typed.size(); ++i) {
        const std::string& word = typed[i];
        if (flags_over || word.size() < 2 || word[0] != '-') {
            words_.push_back(word);
            continue;
        }
        if (word == "--") {
            flags_over = true;
            continue;
        }
        if (word == "--help" || word == "-h") {
            help_ = true;
            return;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Flag* found = nullptr;
        std::vector<std::string> known{"--help"};
        for (const Flag& flag : command.flags) {
            known.push_back("--" + flag.name);
            if (name == "--" + flag.name || (flag.letter && name == std::string("-") + flag.letter)) found = &flag;
        }
        if (!found) {
            const std::string guess = did_you_mean(name, known);
            throw UsageError("'pliant " + command.name + "' has no flag '" + name + "'. " +
                             (guess.empty() ? "" : guess + " ") + "'pliant " + command.name + " --help' lists them.");
        }
        if (found->value.empty()) {
            if (equals != std::string::npos) throw UsageError("the flag '" + name + "' takes no value.");
            set(*found, "");
        } else if (equals != std::string::npos) {
            set(*found, word.substr(equals + 1));
        } else {
            if (i + 1 == typed.size())
                throw UsageError("the flag '" + name + "' needs a value: " + spelling(*found) + ".");
            set(*found, typed[++i]);
        }
    }
    if (words_.size() < command.least_words || words_.size() > command.most_words)
        throw UsageError(std::string(words_.size() < command.least_words ? "too few" : "too many") +
                         " arguments. Usage: pliant " + command.name + " " + command.arguments);
}

void Args::set(const Flag& flag, const std::string& value) {
    std::vector<std::string>& values = given_[flag.name];
    if (!values.empty() && !flag.repeated) throw UsageError("the flag '--" + flag.name + "' is given twice.");
    values.push_back(value);
}

const Flag& Args::declared(const std::string& flag) const {
    for (const Flag& candidate : command_.flags)
        if (candidate.name == flag) return candidate;
    CHECK(false, command_.name, flag);
    return command_.flags.front();
}

bool Args::has(const std::string& flag) const { return given_.count(declared(flag).name) > 0; }

std::string Args::text(const std::string& flag) const {
    const Flag& known = declared(flag);
    const auto found = given_.find(flag);
    return found == given_.end() ? known.fallback : found->second.back();
}

std::vector<std::string> Args::all(const std::string& flag) const {
    const Flag& known = declared(flag);
    const auto found = given_.find(flag);
    if (found != given_.end()) return found->second;
    return known.fallback.empty() ? std::vector<std::string>{} : std::vector<std::string>{known.fallback};
}

double Args::number(const std::string& flag) const {
    const std::string value = text(flag);
    double result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(result))
        throw UsageError("--" + flag + " wants a number, not '" + value + "'.");
    return result;
}

long long Args::integer(const std::string& flag, long long min, long long max) const {
    const std::string value = text(flag);
    long long result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc{} || end != value.data() + value.size())
        throw UsageError("--" + flag + " wants a whole number, not '" + value + "'.");
    if (result < min || result > max)
        throw UsageError("--" + flag + " must lie in " + std::to_string(min) + " … " + std::to_string(max) + ", not " +
                         value + ".");
    return result;
}

std::string command_help(const Command& command) {
    std::string text = "pliant " + command.name + ": " + command.summary + "\n\nUsage: pliant " + command.name + " " +
                       command.arguments + "\n\n" + command.about + "\n\nFlags:\n";
    std::vector<Flag> flags = command.flags;
    flags.push_back({.name = "help", .letter = 'h', .help = "Show this page."});
    for (const Flag& flag : flags) {
        std::string line = "  " + spelling(flag);
        line += line.size() < 24 ? std::string(24 - line.size(), ' ') : "\n" + std::string(24, ' ');
        std::string help = flag.help;
        if (!flag.unit.empty()) help += " Unit: " + flag.unit + ".";
        if (!flag.fallback.empty()) help += " Default: " + flag.fallback + ".";
        if (flag.repeated) help += " May be given several times.";
        text += line + wrapped(help, 24, 88) + "\n";
    }
    return text + "\nExamples:\n" + examples_text(command.examples);
}

std::string program_help(const std::vector<Command>& commands) {
    std::string text =
        "pliant " PLIANT_VERSION
        ": bodies that bend and bounce, from a surface mesh and a few material numbers.\n\n"
        "A scene is a Lua file that names shapes or mesh files, materials and what happens to them. 'pliant run'\n"
        "simulates it and writes an animation that Blender, ParaView and Houdini open.\n\n"
        "Usage: pliant COMMAND [ARGUMENTS] [FLAGS]\n\nCommands:\n";
    for (const Command& command : commands) {
        std::string line = "  " + command.name + " " + command.arguments;
        const std::size_t letters = letters_in(line);
        line += letters < 30 ? std::string(30 - letters, ' ') : "\n" + std::string(30, ' ');
        text += line + command.summary + "\n";
    }
    text +=
        "\nExamples:\n" +
        examples_text({{"pliant run scenes/quickstart.lua --out out/quickstart", "Simulate a scene that comes along."},
                       {"pliant info bunny.obj", "What is this mesh: size, holes, volume."},
                       {"pliant mesh bunny.obj -o bunny.vtu --tets 20000", "Fill a surface with tetrahedra."}}) +
        "\nRead on: 'pliant help COMMAND' for every flag of a command, docs/ for the scene language.\n"
        "Exit status: 0 done, 1 the work failed (one sentence says why), 2 wrong usage.\n";
    return text;
}

int run_program(const std::vector<Command>& commands, const std::vector<std::string>& typed, std::ostream& out,
                std::ostream& err) {
    try {
        if (typed.empty()) {
            err << program_help(commands);
            return 2;
        }
        const std::string& first = typed[0];
        if (first == "--help" || first == "-h" || first == "help") {
            out << (typed.size() > 1 ? command_help(find_command(commands, typed[1])) : program_help(commands));
            return 0;
        }
        if (first == "--version" || first == "version") {
            out << "pliant " PLIANT_VERSION "\n";
            return 0;
        }
        const Command& command = find_command(commands, first);
        const Args args(command, {typed.begin() + 1, typed.end()});
        if (args.wants_help()) {
            out << command_help(command);
            return 0;
        }
        const int status = command.run(args);
        out.flush();
        if (!out) throw UserError("the output could not be written", {}, "Is the disk full?");
        return status;
    } catch (const UsageError& error) {
        err << "pliant: " << error.what() << "\n";
        return 2;
    } catch (const std::bad_alloc&) {
        err << "pliant: not enough memory for this. Use a coarser mesh or a machine with more memory.\n";
        return 1;
    } catch (const std::exception& error) {
        err << "pliant: " << error.what() << "\n";
        return 1;
    }
}

}  // namespace pliant
