#pragma once
// JSON text, written from front to back: keys keep the order they are given in, numbers read back as the same doubles,
// what JSON has no number for (infinities, NaN) becomes null, and strings are valid UTF-8 whatever went in.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

class JsonWriter {
public:
    void begin_object();
    void end_object();
    void begin_array();
    void end_array();
    /// Inside an object, before each value.
    void key(std::string_view name);

    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(double number);
    void value(bool flag);
    template <std::integral T>
    void value(T number) {
        plain(std::to_string(number));
    }
    template <class T>
    void entry(std::string_view name, const T& v) {
        key(name);
        value(v);
    }
    /// A value in one line whatever is in it: [[0, 1], [0.02, 1.5]].
    void begin_line() { ++one_line_; }
    void end_line() { --one_line_; }

    /// The finished text with a line break at its end. CHECKs that everything begun was ended.
    std::string take();

private:
    struct Level {
        char close;
        bool empty = true;
    };
    void open(char bracket, char close);
    void close(char bracket);
    void separate();
    void new_line();
    void plain(std::string_view text);
    void quoted(std::string_view text);

    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
    int one_line_ = 0;
};

/// The same text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace pliant
