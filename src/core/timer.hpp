#pragma once
// Wall-clock time per named stage of a step.

#include <chrono>
#include <string_view>
#include <vector>

namespace pliant {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds per stage, in order of first use. Names must be string literals.
class StageTimes {
public:
    struct Entry {
        const char* name;
        double seconds;
    };
    void add(const char* name, double seconds) {
        for (Entry& entry : entries_)
            if (entry.name == name || std::string_view(entry.name) == name) {
                entry.seconds += seconds;
                return;
            }
        entries_.push_back({name, seconds});
    }
    void reset() {
        for (Entry& entry : entries_) entry.seconds = 0;
    }
    const std::vector<Entry>& entries() const { return entries_; }
    double of(std::string_view name) const {
        for (const Entry& entry : entries_)
            if (entry.name == name) return entry.seconds;
        return 0;
    }

private:
    std::vector<Entry> entries_;
};

/// Adds the lifetime of the object to a stage.
class StageTimer {
public:
    StageTimer(StageTimes& times, const char* name) : times_(times), name_(name), start_(seconds_now()) {}
    ~StageTimer() { times_.add(name_, seconds_now() - start_); }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    StageTimes& times_;
    const char* name_;
    double start_;
};

}  // namespace pliant
