// Lua's own messages, in our form: what is wrong, where, and what to do.

#include <cctype>
#include <regex>

#include "pliant/script/sandbox.hpp"

namespace pliant::script {

namespace {

/// Removes "scene:12: " and returns the 12; 0 when there is none.
int take_line(std::string& text) {
    static const std::regex prefix(R"(^(scene\d*|prelude|\[C\]):(\d+|\?): )");
    std::smatch found;
    // Only the beginning is of interest; messages can be long.
    const std::string head = text.substr(0, 40);
    if (!std::regex_search(head, found, prefix)) return 0;
    const bool scene = found[1].str().starts_with("scene");
    const int line = scene && found[2] != "?" ? std::atoi(found[2].str().c_str()) : 0;
    text.erase(0, static_cast<std::size_t>(found.length()));
    return line;
}

std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 32) c = ' ';
    if (text.size() > 300) text = text.substr(0, 300) + " …";
    return text;
}

struct Rule {
    const char* pattern;
    const char* message;  ///< $1 … from the pattern
    const char* remedy;
};

// Tried in order.
constexpr Rule rules[] = {
    // The compiler's.
    {R"('\}' expected \(to close '\{' at line (\d+)\) near <eof>)", "the table that begins on line $1 is never closed",
     "Add the missing '}'"},
    {R"('\}' expected \(to close '\{' at line (\d+)\) near (.+))",
     "the table that begins on line $1 goes wrong before $2", "Put a comma between its entries, or close it with '}'"},
    {R"('\}' expected near <eof>)", "a table is never closed", "Add the missing '}'"},
    {R"('\}' expected near (.+))", "a table goes wrong before $1",
     "Put a comma between its entries, or close it with '}'"},
    {R"('\)' expected \(to close '\(' at line (\d+)\) near (.+))", "the '(' on line $1 is not closed before $2",
     "Add the missing ')' or a comma"},
    {R"('\)' expected near (.+))", "a '(' is not closed before $1", "Add the missing ')' or a comma"},
    {R"('end' expected \(to close '(\w+)' at line (\d+)\) near (.+))", "the '$1' on line $2 has no 'end' before $3",
     "Add the missing 'end'"},
    {R"('end' expected near (.+))", "an 'end' is missing before $1", "Add it"},
    {R"(<eof> expected near 'end')", "there is an 'end' too many",
     "Remove it, or look above for a block that ended early"},
    {R"(unfinished string near <eof>)", "a text has no closing quote", "Add the quote at its end"},
    {R"(unfinished string near (.+))", "a text has no closing quote: $1", "Add the quote at its end"},
    {R"(unfinished long (string|comment).*)", "a long $1 is never closed", "Add ]] at its end"},
    {R"(malformed number near (.+))", "$1 is not a number", "Write numbers like 0.1 or 1e5"},
    {R"(unexpected symbol near <eof>)", "the file ends too early", "Look for a '}', ')' or 'end' that is missing"},
    {R"(unexpected symbol near (.+))", "$1 is not expected here", "Look for a missing value or comma just before it"},
    {R"(syntax error near (.+))", "this is not a statement: it goes wrong at $1", "Write verb { … } or name = value"},
    {R"('=' expected near (.+))", "a '=' is missing before $1", "Write name = value, or verb { … }"},
    {R"('(.+)' expected near (.+))", "'$1' is missing before $2", "Add it"},
    {R"(.*(C stack overflow|too many C levels|too many syntax levels|control structure too long).*)",
     "the text or its calls are nested too deeply", "Use fewer levels"},
    {R"((.*)too many local variables.*)", "the scene has more than 200 local variables in one function",
     "Put some of them into a table"},
    // The interpreter's.
    {R"((.*)stack overflow(.*))", "functions call each other too deeply",
     "Look for a function that calls itself without end"},
    {R"(attempt to index a nil value \((?:local|upvalue|global|field) '(.+)'\))",
     "cannot look into '$1': it has no value here", "Give $1 a value before this line"},
    {R"(attempt to (\w+) a nil value \((?:local|upvalue|global) '(.+)'\))", "cannot $1 '$2': it has no value here",
     "Give $2 a value before this line"},
    {R"(attempt to call a nil value \(method '(.+)'\))", "there is no method '$1' here", "Check its name"},
    {R"(attempt to call a nil value \(field '(.+)'\))", "there is no function '$1' here", "Check its name"},
    {R"(attempt to (\w+) a nil value \(field '(.+)'\))", "cannot $1 '$2': it has no value here",
     "Check the name, or give it a value before this line"},
    {R"(attempt to perform arithmetic on a nil value \((?:local|upvalue|global|field) '(.+)'\))",
     "cannot calculate with '$1': it has no value here", "Give it a value before this line, such as $1 = 1"},
    {R"(attempt to perform arithmetic on an? (\w+) value(.*))", "cannot calculate with a $1$2",
     "Only numbers, and vectors made by vec(x, y, z), can be added and multiplied"},
    {R"(attempt to compare (two )?(\w+)( values?)?( with (\w+))?(.*))", "cannot compare a $2$4",
     "Only two numbers, or two texts, have an order"},
    {R"(attempt to concatenate an? (\w+) value(.*))", "cannot join a $1 to a text$2", "Use tostring(value)"},
    {R"(attempt to call an? (\w+) value(.*))", "cannot call a $1$2", "Only functions and verbs can be called"},
    {R"(attempt to index an? (\w+) value(.*))", "cannot look into a $1$2", "Only tables and objects have entries"},
    {R"(bad argument #(\d+) to '(.+)' \((.+)\))", "argument $1 of $2 is wrong: $3", "Mend the argument"},
};

}  // namespace

UserError explain(const std::string& lua_text, const Where& where) {
    std::string text = lua_text;
    const int line = take_line(text);
    Where place = where;
    if (line > 0) place.line = line;
    text = one_line(text);
    for (const Rule& rule : rules) {
        std::smatch found;
        const std::regex pattern(rule.pattern);
        if (std::regex_match(text, found, pattern))
            return UserError(found.format(rule.message), place, found.format(rule.remedy));
    }
    return UserError(text, place);
}

}  // namespace pliant::script
