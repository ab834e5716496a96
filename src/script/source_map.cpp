#include "pliant/script/source_map.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "pliant/core/error.hpp"

namespace pliant::script {

namespace {

struct Token {
    enum class Kind { name, keyword, number, string, symbol };
    Kind kind = Kind::symbol;
    std::string_view text;
    std::size_t begin = 0;
    int line = 0;

    bool is(std::string_view s) const { return (kind == Kind::symbol || kind == Kind::keyword) && text == s; }
};

constexpr std::array<std::string_view, 22> keywords{
    "and", "break", "do",  "else", "elseif", "end",    "false",  "for",  "function", "goto",  "if",
    "in",  "local", "nil", "not",  "or",     "repeat", "return", "then", "true",     "until", "while"};

class Tokens {
public:
    explicit Tokens(std::string_view text) : text_(text) {}

    /// Nothing at the end, or where the text stops being Lua.
    std::optional<Token> next() {
        if (!skip_blanks()) return {};
        const std::size_t begin = at_;
        Token token{Token::Kind::symbol, {}, begin, line_};
        const char c = text_[at_];
        if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
            while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
                ++at_;
            token.text = text_.substr(begin, at_ - begin);
            token.kind =
                std::ranges::find(keywords, token.text) != keywords.end() ? Token::Kind::keyword : Token::Kind::name;
        } else if (std::isdigit(static_cast<unsigned char>(c)) ||
                   (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
            number();
            token.kind = Token::Kind::number;
        } else if (c == '"' || c == '\'') {
            if (!quoted(c)) return {};
            token.kind = Token::Kind::string;
        } else if (c == '[' && long_level() >= 0) {
            if (!long_bracket(long_level())) return {};
            token.kind = Token::Kind::string;
        } else {
            ++at_;
            // Only '==' must not be taken for '=' here; other pairs never matter.
            static constexpr std::array<std::string_view, 8> pairs{"==", "~=", "<=", ">=", "//", "::", "<<", ">>"};
            if (std::ranges::find(pairs, text_.substr(begin, 2)) != pairs.end()) ++at_;
        }
        token.text = text_.substr(begin, at_ - begin);
        return token;
    }

private:
    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void advance() {
        if (text_[at_] == '\n') ++line_;
        ++at_;
    }
    /// At '[': the number of '=' of a long bracket, or -1.
    int long_level() const {
        std::size_t i = at_ + 1;
        while (i < text_.size() && text_[i] == '=') ++i;
        return i < text_.size() && text_[i] == '[' ? static_cast<int>(i - at_ - 1) : -1;
    }
    bool long_bracket(int level) {
        const std::string close = "]" + std::string(static_cast<std::size_t>(level), '=') + "]";
        const std::size_t end = text_.find(close, at_ + static_cast<std::size_t>(level) + 2);
        if (end == std::string_view::npos) return false;
        while (at_ < end + close.size()) advance();
        return true;
    }
    bool skip_blanks() {
        while (at_ < text_.size()) {
            if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
                advance();
            } else if (text_[at_] == '-' && peek(1) == '-') {
                at_ += 2;
                if (peek(0) == '[' && long_level() >= 0) {
                    if (!long_bracket(long_level())) return false;
                } else {
                    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
                }
            } else {
                return true;
            }
        }
        return false;
    }
    void number() {
        const bool hex = text_[at_] == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (at_ < text_.size()) {
            const char c = text_[at_];
            const bool exponent = hex ? (c == 'p' || c == 'P') : (c == 'e' || c == 'E');
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') return;
            ++at_;
            if (exponent && (peek(0) == '+' || peek(0) == '-')) ++at_;
        }
    }
    bool quoted(char quote) {
        for (++at_; at_ < text_.size(); advance()) {
            if (text_[at_] == quote) {
                ++at_;
                return true;
            }
            if (text_[at_] == '\n') return false;
            if (text_[at_] != '\\') continue;
            if (peek(1) == 'z') {
                at_ += 1;
                while (at_ + 1 < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_ + 1])))
                    ++at_, line_ += text_[at_] == '\n';
                // advance() of the loop must not count this newline again.
                if (text_[at_] == '\n') --line_;
            } else if (at_ + 1 < text_.size()) {
                ++at_;
            }
        }
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

/// A bracket or block that is open: '{' '(' '[' or a keyword that waits for its end.
struct Open {
    bool table = false;
    int constructor = -1;
    std::size_t begin = 0;
    int line = 0;
    bool call = false;             ///< f{…} without parentheses
    bool fresh = true;             ///< the next token starts an entry
    std::string_view pending_key;  ///< the name that starts the entry, until we know whether '=' follows
    int pending_line = 0;
};

struct Insertion {
    std::size_t at;
    std::string text;
};

}  // namespace

std::vector<std::string> defined_names(const std::string& text) {
    std::set<std::string> names;
    Tokens tokens(text);
    Token last, before_last;
    while (const std::optional<Token> token = tokens.next()) {
        if (token->kind == Token::Kind::name && (last.is("local") || last.is("function") || last.is("for")))
            names.insert(std::string(token->text));
        if (token->is("=") && last.kind == Token::Kind::name && !before_last.is("."))
            names.insert(std::string(last.text));
        before_last = last;
        last = *token;
    }
    names.erase("__place");
    return {names.begin(), names.end()};
}

SourceMap map_source(const std::string& original, const std::string& file, std::size_t first) {
    std::string text = original;
    if (text.starts_with("\xef\xbb\xbf")) text.replace(0, 3, "   ");
    if (text.starts_with('#')) std::fill_n(text.begin(), std::min(text.find('\n'), text.size()), ' ');

    SourceMap map;
    std::vector<Open> open;
    std::vector<Insertion> insertions;
    Tokens tokens(text);
    Token last, before_last;
    while (const std::optional<Token> token = tokens.next()) {
        const Token& t = *token;
        if (t.kind == Token::Kind::name) {
            if (t.text == "_ENV" || t.text == "__place")
                throw UserError("the name '" + std::string(t.text) + "' cannot be used in scenes", {file, t.line},
                                "Use another name");
            if (last.is(".") && before_last.text == "args") map.args_read.insert(std::string(t.text));
        }
        if (last.is("[") && before_last.text == "args" && t.kind == Token::Kind::string && t.text.size() > 2)
            map.args_read.insert(std::string(t.text.substr(1, t.text.size() - 2)));

        // An entry of the innermost constructor starts here, or its name turns out to be a key.
        if (!open.empty() && open.back().table && !t.is("}")) {
            Open& table = open.back();
            Constructor& notes = map.constructors[static_cast<std::size_t>(table.constructor)];
            if (t.is(",") || t.is(";")) {
                table.fresh = true;
                table.pending_key = {};
            } else if (table.fresh) {
                table.fresh = false;
                if (t.kind == Token::Kind::name) table.pending_key = t.text;
                if (!t.is("[")) notes.items.push_back(t.line);
                table.pending_line = t.line;
            } else if (!table.pending_key.empty()) {
                if (t.is("=")) {
                    notes.items.pop_back();
                    notes.keys[std::string(table.pending_key)] = table.pending_line;
                }
                table.pending_key = {};
            }
        }

        if (t.is("{")) {
            const bool call = last.kind == Token::Kind::name || last.kind == Token::Kind::string || last.is(")") ||
                              last.is("]") || last.is("}");
            open.push_back({true, static_cast<int>(map.constructors.size()), t.begin, t.line, call, true, {}, 0});
            map.constructors.push_back({t.line, {}, {}});
        } else if (t.is("(") || t.is("[") || t.is("function") || t.is("if") || t.is("do") || t.is("repeat")) {
            open.push_back({});
        } else if (t.is(")") || t.is("]") || t.is("end") || t.is("until")) {
            if (!open.empty() && !open.back().table) open.pop_back();
        } else if (t.is("}")) {
            if (open.empty() || !open.back().table) break;  // unbalanced: left to the compiler
            const Open table = open.back();
            open.pop_back();
            // Short lists such as {0, 1, 0} need no notes: their place is that of the entry they belong to.
            const Constructor& notes = map.constructors[static_cast<std::size_t>(table.constructor)];
            if (!notes.keys.empty() || t.line != table.line) {
                std::string start = table.call ? "(" : "";
                start += "__place(" + std::to_string(first + static_cast<std::size_t>(table.constructor)) + ",";
                insertions.push_back({table.begin, start});
                insertions.push_back({t.begin + 1, table.call ? "))" : ")"});
            }
        }
        before_last = last;
        last = t;
    }
    std::ranges::stable_sort(insertions, {}, &Insertion::at);
    map.text = "local __place=...;";
    std::size_t done = 0;
    for (const Insertion& insertion : insertions) {
        map.text.append(text, done, insertion.at - done);
        map.text += insertion.text;
        done = insertion.at;
    }
    map.text.append(text, done);
    return map;
}

}  // namespace pliant::script
