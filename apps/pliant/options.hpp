#pragma once
// The command line: each command declares its flags in one table, from which come the parsing, the help and the
// suggestions for misspelt words.

#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pliant/core/params.hpp"

namespace pliant {

/// A command line that makes no sense: exit status 2, and a hint where to read on.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Flag {
    LiteralText name;           ///< without dashes: "cell" is given as --cell
    char letter = 0;            ///< 'o' allows -o
    LiteralText value = {};     ///< what the value is called in the help, "DIR"; empty: a switch without value
    LiteralText unit = {};      ///< "m", "s", "Pa"; empty where there is none
    LiteralText fallback = {};  ///< used and shown when the flag is not given; empty: none
    LiteralText help = {};
    bool repeated = false;  ///< may be given several times
};

class Args;

struct Example {
    LiteralText line;     ///< what to type
    LiteralText meaning;  ///< what it does
};

struct Command {
    LiteralText name;
    LiteralText arguments;  ///< "IN OUT" for the usage line
    std::size_t least_words = 0, most_words = 0;
    LiteralText summary;  ///< one line for pliant --help
    LiteralText about;    ///< a few lines for pliant CMD --help
    std::vector<Flag> flags;
    std::vector<Example> examples;
    int (*run)(const Args&);  ///< returns the exit status; throws UserError (1) or UsageError (2)
};

/// What was typed after the command's name. Asking for a flag the command did not declare is a mistake of ours.
class Args {
public:
    Args(const Command& command, const std::vector<std::string>& typed);

    const std::vector<std::string>& words() const { return words_; }
    bool wants_help() const { return help_; }

    bool has(const std::string& flag) const;  ///< typed by the user
    /// The value typed (the last one), else the fallback, else "".
    std::string text(const std::string& flag) const;
    std::vector<std::string> all(const std::string& flag) const;
    /// UsageError when it is not a finite number.
    double number(const std::string& flag) const;
    /// UsageError when it is no whole number in min … max.
    long long integer(const std::string& flag, long long min, long long max = 2147483647) const;

private:
    const Flag& declared(const std::string& flag) const;
    void set(const Flag& flag, const std::string& value);

    const Command& command_;
    std::vector<std::string> words_;
    std::map<std::string, std::vector<std::string>> given_;
    bool help_ = false;
};

/// Breaks text into lines of at most `width` letters, each but the first indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

/// The page of one command, with every flag, its unit and default, and the examples.
std::string command_help(const Command& command);
/// The page of the program.
std::string program_help(const std::vector<Command>& commands);

/// Finds the command and runs it. Returns the exit status: 0 done, 1 the work failed, 2 wrong usage.
int run_program(const std::vector<Command>& commands, const std::vector<std::string>& typed, std::ostream& out,
                std::ostream& err);

}  // namespace pliant
