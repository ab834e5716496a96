#include "pliant/material/law_entry.hpp"

#include <span>

#include "pliant/material/law_list.hpp"

namespace pliant {

namespace {

std::vector<std::string> words(const char* text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

template <class... Laws>
std::vector<MaterialLaw> entries(LawList<Laws...>) {
    int place = 0;
    return {law_entry<Laws>(place++)...};
}

}  // namespace

Schema law_schema(const LawFacts& facts) {
    Schema schema{facts.name, facts.doc, {}};
    for (const LawKey& k : std::span(facts.keys, static_cast<std::size_t>(facts.key_count))) {
        Key key{.name = k.name, .unit = k.unit, .doc = k.doc};
        if (k.choices) {
            key.holds = Holds::text, key.choices = words(k.choices);
            key.fallback = key.choices.at(static_cast<std::size_t>(k.fallback));
        } else if (k.count > 1) {
            key.holds = Holds::list;
        } else {
            key.fallback = k.fallback, key.min = k.min, key.max = k.max;
        }
        schema.keys.push_back(std::move(key));
    }
    return schema;
}

std::vector<double> law_numbers(const LawFacts& facts, const Params& params) {
    std::vector<double> out;
    for (const LawKey& k : std::span(facts.keys, static_cast<std::size_t>(facts.key_count))) {
        if (k.choices) {
            const std::vector<std::string> all = words(k.choices);
            out.push_back(static_cast<double>(std::find(all.begin(), all.end(), params.text(k.name)) - all.begin()));
        } else if (k.count == 1) {
            out.push_back(params.number(k.name));
        } else if (!params.has(k.name)) {
            out.insert(out.end(), static_cast<std::size_t>(k.count), k.fallback);
        } else {
            const std::vector<Value>& items = params.table(k.name).items;
            const std::string name = "'" + std::string(k.name) + "'";
            if (static_cast<int>(items.size()) != k.count)
                throw UserError(name + " has " + std::to_string(items.size()) + " numbers", params.where(k.name),
                                "It takes " + std::to_string(k.count) + ". " + k.doc);
            for (const Value& item : items) {
                if (!(item.number() >= k.min && item.number() <= k.max))
                    throw UserError("a number of " + name + " is out of range", params.where(k.name), k.doc);
                out.push_back(item.number());
            }
        }
    }
    return out;
}

std::vector<double> MaterialLaw::default_numbers() const { return numbers(*this, schema.check(Value(Table{}))); }

const Registry<MaterialLaw>& material_laws() {
    static const Registry<MaterialLaw> all{"elasticity", entries(AllLaws{})};
    return all;
}

}  // namespace pliant
