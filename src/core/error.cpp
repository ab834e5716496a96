#include "pliant/core/error.hpp"

namespace pliant {

namespace {

std::string with_stop(const std::string& sentence) {
    if (sentence.empty() || sentence.ends_with("…")) return sentence;
    const char last = sentence.back();
    return last == '.' || last == '?' || last == '!' ? sentence : sentence + ".";
}

std::string full_text(const std::string& message, const Where& where, const std::string& remedy) {
    std::string text = where.known() ? where.text() + ": " : "";
    text += with_stop(message);
    if (!remedy.empty()) text += " " + with_stop(remedy);
    return text;
}

template <class T>
void add_value(std::string& list, const T& value) {
    std::ostringstream out;
    out << (list.empty() ? "" : ", ") << value;
    list += out.str();
}

}  // namespace

std::string Where::text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }

UserError::~UserError() = default;

UserError::UserError(const std::string& message, Where where, const std::string& remedy)
    : std::runtime_error(full_text(message, where, remedy)),
      message_(message),
      remedy_(remedy),
      where_(std::move(where)) {}

void add_check_value(std::string& list, long long value) { add_value(list, value); }
void add_check_value(std::string& list, unsigned long long value) { add_value(list, value); }
void add_check_value(std::string& list, double value) { add_value(list, value); }
void add_check_value(std::string& list, std::string_view value) { add_value(list, value); }

void check_failed(const char* condition, const char* file, int line, const std::string& values) {
    std::ostringstream out;
    out << "internal check failed: " << condition;
    if (!values.empty()) out << " [" << values << "]";
    out << " at " << file << ":" << line << ". Please report this with the scene that caused it.";
    throw InternalError(out.str());
}

}  // namespace pliant
