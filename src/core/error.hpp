#pragma once
// Two kinds of failure. UserError: something the user can mend; one sentence, where, and a remedy.
// CHECK: a mistake of ours; says which condition failed, with the values.

#include <sstream>
#include <stdexcept>
#include <string>

namespace pliant {

/// A place in a file the user wrote. line 0: the whole file; empty file: nowhere.
struct Where {
    std::string file;
    int line = 0;

    bool known() const { return !file.empty(); }
    std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

/// what() reads "file:line: message. remedy" and is shown to the user as it stands.
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message, Where where = {}, const std::string& remedy = {});

    const Where& where() const { return where_; }
    const std::string& message() const { return message_; }
    const std::string& remedy() const { return remedy_; }

private:
    std::string message_, remedy_;
    Where where_;
};

/// Thrown by CHECK; never meant to be handled, only reported.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& values);

template <class... Values>
std::string check_values(const Values&... values) {
    std::ostringstream out;
    [[maybe_unused]] const char* separator = "";
    ((out << separator << values, separator = ", "), ...);
    return out.str();
}

/// CHECK(i < n, i, n): throws InternalError that names the condition and prints the values.
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) ::pliant::check_failed(#condition, __FILE__, __LINE__, ::pliant::check_values(__VA_ARGS__)); \
    } while (false)

}  // namespace pliant
