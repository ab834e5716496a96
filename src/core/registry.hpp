#pragma once
// An explicit list of named kinds (material laws, plasticity laws, fracture rules …). Filled by one
// register.cpp per family, looked up by the name a scene uses.

#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

/// Entry must have a `std::string name`.
template <class Entry>
class Registry {
public:
    Registry(std::string family, std::vector<Entry> entries)
        : family_(std::move(family)), entries_(std::move(entries)) {}

    const Entry* find(std::string_view name) const {
        for (const Entry& entry : entries_)
            if (entry.name == name) return &entry;
        return nullptr;
    }
    /// Throws a UserError that names the nearest known entry.
    const Entry& get(std::string_view name, const Where& where = {}) const {
        if (const Entry* entry = find(name)) return *entry;
        std::string all;
        for (const std::string& n : names()) all += (all.empty() ? "" : ", ") + n;
        const std::string guess = did_you_mean(name, names());
        throw UserError("there is no " + family_ + " called '" + std::string(name) + "'", where,
                        (guess.empty() ? "" : guess + " ") + "Known: " + all);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> list;
        for (const Entry& entry : entries_) list.push_back(entry.name);
        return list;
    }
    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::string family_;
    std::vector<Entry> entries_;
};

}  // namespace pliant
