#pragma once
// Two kinds of failure. UserError: something the user can mend; one sentence, where, and a remedy.
// CHECK: a mistake of ours; says which condition failed, with the values.

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace pliant {

/// A place in a file the user wrote. line 0: the whole file; empty file: nowhere.
struct Where {
    std::string file;
    int line = 0;

    bool known() const { return !file.empty(); }
    std::string text() const;
};

/// what() reads "file:line: message. remedy" and is shown to the user as it stands.
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message, Where where = {}, const std::string& remedy = {});
    ~UserError() override;

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

/// Adds one value to the list that a failed CHECK prints.
void add_check_value(std::string& list, long long value);
void add_check_value(std::string& list, unsigned long long value);
void add_check_value(std::string& list, double value);
void add_check_value(std::string& list, std::string_view value);

/// Every file has CHECKs and none ever fails: cold keeps their code small, and quick to compile.
template <class... Values>
[[gnu::cold]] std::string check_values(const Values&... values) {
    std::string list;
    [[maybe_unused]] const auto add = [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool> || (std::is_integral_v<T> && sizeof(T) > 1 && std::is_signed_v<T>)) {
            add_check_value(list, static_cast<long long>(value));
        } else if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
            add_check_value(list, static_cast<unsigned long long>(value));
        } else if constexpr (std::is_floating_point_v<T>) {
            add_check_value(list, static_cast<double>(value));
        } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            add_check_value(list, std::string_view(value));
        } else {
            std::ostringstream text;
            text << value;
            add_check_value(list, std::string_view(text.str()));
        }
    };
    (add(values), ...);
    return list;
}

/// CHECK(i < n, i, n): throws InternalError that names the condition and prints the values.
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) ::pliant::check_failed(#condition, __FILE__, __LINE__, ::pliant::check_values(__VA_ARGS__)); \
    } while (false)

}  // namespace pliant
