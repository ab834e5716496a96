#pragma once
// What a user should know about a run that went on nevertheless: each thing is said once, however often it happens.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

struct Warning {
    std::string text;    ///< what happened, where and when; one sentence without its full stop
    std::string remedy;  ///< what to do about it; may be empty
    std::int64_t times = 1;

    /// Both as they are shown: "text. remedy.", and how often it happened.
    std::string sentence() const {
        std::string result = text;
        if (times > 1) result += " (and " + std::to_string(times - 1) + (times == 2 ? " time" : " times") + " more)";
        if (!remedy.empty()) result += ". " + remedy;
        if (result.empty() || result.back() != '.') result += ".";
        return result;
    }
};

class Warnings {
public:
    void add(std::string text, std::string remedy = {}) {
        list_.push_back({std::move(text), std::move(remedy)});
        keys_.push_back({});
    }

    /// For what may happen in every step: `make` is called the first time only and returns the warning; later calls
    /// with the same kind and body are counted, and allocate nothing. kind: a string literal. body: -1 where it is
    /// about none.
    template <class Make>
    void once(const char* kind, int body, Make&& make) {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i].kind && keys_[i].body == body && std::string_view(keys_[i].kind) == kind) {
                ++list_[i].times;
                return;
            }
        list_.push_back(make());
        keys_.push_back({kind, body});
    }

    /// In the order in which they came up.
    const std::vector<Warning>& list() const { return list_; }
    std::vector<std::string> sentences() const {
        std::vector<std::string> result;
        for (const Warning& warning : list_) result.push_back(warning.sentence());
        return result;
    }

private:
    struct Key {
        const char* kind = nullptr;
        int body = -1;
    };
    std::vector<Warning> list_;
    std::vector<Key> keys_;
};

}  // namespace pliant
