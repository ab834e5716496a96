#pragma once
// Lua forgets on which line a key of a table was written. A scene's text is therefore read once by a small
// tokeniser, which notes the line of every key, and wraps each table constructor in a call that ties the table
// to its notes: { young = 5 } becomes __place(3,{ young = 5 }). Line numbers do not change.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace pliant::script {

/// One table constructor of the text.
struct Constructor {
    int line = 0;                     ///< of its '{'
    std::map<std::string, int> keys;  ///< line of each named entry
    std::vector<int> items;           ///< line of each unnamed entry
};

struct SourceMap {
    std::string text;                       ///< ready to be compiled; wants __place as its first argument
    std::vector<Constructor> constructors;  ///< by number, from `first` on
    std::set<std::string> args_read;        ///< every `args.name` in the text, run or not
};

/// The names that the text gives values to: after local, function or for, and before '='. For suggestions.
std::vector<std::string> defined_names(const std::string& text);

/// Never fails on bad syntax (the compiler says it better); throws UserError for names a scene may not use.
/// `first`: the number of the text's first constructor, so that several texts can share one list.
SourceMap map_source(const std::string& text, const std::string& file, std::size_t first = 0);

}  // namespace pliant::script
