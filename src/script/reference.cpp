// The scene reference, made from what checks the scenes, so that the two cannot disagree.

#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant {

namespace {

std::string kind_of(const Key& key) {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " or ") + word; };
    if (!key.choices.empty()) {
        for (const std::string& choice : key.choices) add("\"" + choice + "\"");
        return text;
    }
    if (key.holds & Holds::boolean) add("true/false");
    if (key.holds & Holds::number) add(key.integer ? "whole number" : "number");
    if (key.holds & Holds::text) add("text");
    if (key.holds & Holds::vec3) add("{x, y, z}");
    if (key.holds & Holds::list) add("list");
    if (key.holds & Holds::table) add("table");
    if (key.holds & Holds::function) add("function");
    if (key.holds & Holds::handle) {
        std::string types = key.type.empty() ? "object" : key.type;
        for (std::size_t bar; (bar = types.find('|')) != std::string::npos;) types.replace(bar, 1, " or ");
        add(types);
    }
    return text;
}

std::string range_of(const Key& key) {
    const bool low = std::isfinite(key.min), high = std::isfinite(key.max);
    if (!low && !high) return "";
    std::string text;
    if (low) text += (key.open_min ? "> " : "≥ ") + number_text(key.min);
    if (low && high) text += ", ";
    if (high) text += (key.open_max ? "< " : "≤ ") + number_text(key.max);
    return text;
}

std::string default_of(const Key& key) {
    if (key.required) return "required";
    switch (key.fallback.kind()) {
        case Value::Kind::number: return number_text(key.fallback.number());
        case Value::Kind::boolean: return key.fallback.boolean() ? "true" : "false";
        case Value::Kind::text: return "\"" + key.fallback.text() + "\"";
        case Value::Kind::table: {
            const Vec3 v = key.fallback.vec3();
            return "{" + number_text(v.x()) + ", " + number_text(v.y()) + ", " + number_text(v.z()) + "}";
        }
        default: return "";
    }
}

void add_keys(std::string& page, const Schema& schema) {
    if (schema.keys.empty()) return;
    page += "| key | what | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
    for (const Key& key : schema.keys) {
        std::string doc = key.doc;
        for (std::size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2) doc.insert(at, "\\");
        page += "| `" + key.name + "` | " + kind_of(key) + " | " + key.unit + " | " + default_of(key) + " | " +
                range_of(key) + " | " + doc + " |\n";
    }
    page += "\n";
}

constexpr const char* introduction = R"(# Scene reference

A scene is a Lua 5.4 file: data plus optional callbacks. Units are SI, angles are in degrees, y is up. A key that does not
exist, a number out of range or a name that nobody defined is an error with its line and a suggestion. This page is
generated from the tables that check scenes.

Beside the verbs below, a scene has `math` (with `math.random` seeded by `world { seed = … }`), `string`, `table`, `utf8`,
`print`, `pcall`, `pairs` (in the order of the keys, the same in every run) and the other basic functions of Lua. It has no
files (but `include` and `load`), programs, clocks, metatables or coroutines.

- `args.name` is what `--set name=value` gave, or nil: `local cell = args.cell or 0.1`. A setting that the scene does not read is an error.
- `state` is a table that checkpoints save: keep in it what callbacks need to remember (numbers, texts, true, false, and tables of them).
- `include "parts/wheel.lua"` runs another file below the scene's folder or a model path, once, and gives what it returns (the same again when it is included again). Names that it defines without `local` are known to the scene, and it sees `args`. Scenes in a folder called `parts` are not listed.
- `vec(x, y, z)` makes a vector with `+ - * /`, `.x .y .z`, `:length()`, `:dot(v)`, `:cross(v)`, `:normalized()`. A plain `{x, y, z}` does wherever a verb wants a vector.

)";

}  // namespace

std::string scene_reference_markdown() {
    std::string page = introduction;
    for (const script::VerbGroup& group : script::verb_groups()) {
        page += "## " + group.title + "\n\n" + group.doc + "\n\n";
        for (const script::Verb& verb : *group.verbs) {
            page += "### " + verb.schema.name + "\n\n" + verb.schema.doc + "\n\n```lua\n" + verb.usage + "\n```\n\n";
            add_keys(page, verb.schema);
        }
        for (const Schema* table : group.tables) {
            page += "### The table " + table->name + "\n\n" + table->doc + "\n\n";
            add_keys(page, *table);
        }
        if (group.methods) {
            page += "### Methods of a " + group.methods->front().type + "\n\n| method | gives |\n|---|---|\n";
            for (const script::ObjectMethod& method : *group.methods)
                page += "| `" + method.usage + "` | " + method.doc + " |\n";
            page += "\n";
        }
    }
    return page;
}

}  // namespace pliant
