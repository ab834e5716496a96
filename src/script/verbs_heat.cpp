// Heat: what a material does with it, and the things that bring it.

#include <algorithm>
#include <cmath>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

constexpr int function_rows = 64;  // that a function of temperature is read at

const Schema& row_schema() {
    static const Schema schema{
        "heat table",
        "A row of `table`: the temperature first, then the numbers there, such as {60, young = 5e4, rate = 100}.",
        {{.name = "young", .unit = "Pa", .min = 0, .open_min = true, .doc = "Young's modulus at this temperature."},
         {.name = "stiffness",
          .unit = "1",
          .min = 0,
          .open_min = true,
          .doc = "Instead of it: what is left of the material's own, such as 0.03. Other moduli follow."},
         {.name = "yield", .unit = "1", .min = 0, .doc = "Of the plasticity law."},
         {.name = "rate", .unit = "1/s", .min = 0, .doc = "Of the plasticity law."}}};
    return schema;
}

const Schema& heat_schema() {
    static const Schema schema{
        "heat",
        "Makes a body of any kind have a temperature. Numbers between rows of the table follow their logarithm. The "
        "frequencies of a modal body follow, the shapes of its modes stay.",
        {{.name = "conductivity",
          .unit = "W/(m·K)",
          .fallback = 0.25,
          .min = 0,
          .doc = "How fast heat spreads inside. Wax 0.25, water 0.6, steel 50."},
         {.name = "specific_heat",
          .unit = "J/(kg·K)",
          .fallback = 2000,
          .min = 0,
          .open_min = true,
          .doc = "Heat that a kilogram takes up per degree. Wax 2000, water 4200; smaller warms up faster."},
         {.name = "ambient", .unit = "°C", .fallback = 20, .doc = "Temperature of the air."},
         {.name = "initial", .unit = "°C", .doc = "Temperature at the start; that of the air when left out."},
         {.name = "cooling",
          .unit = "W/(m²·K)",
          .fallback = 10,
          .min = 0,
          .doc = "Heat that the skin gives to the air. 0 none, 10 still air, 100 wind."},
         {.name = "table",
          .holds = Holds::list | Holds::function,
          .doc = "Rows { {20, young = 1e6, yield = 0.1, rate = 1}, {60, young = 5e4, yield = 0.01, rate = 100} }, or "
                 "function(temperature) that returns such numbers; it is called while the scene loads."},
         {.name = "hottest",
          .unit = "°C",
          .fallback = 200,
          .doc = "A function in `table` is read up to this temperature, and down to as far below the air's."}}};
    return schema;
}

struct Row {
    HeatRow row;
    bool relative;  ///< its Young's modulus is a share of the material's own
};

Row row_of(double temperature, const Value& numbers) {
    const Params params = row_schema().check(numbers);
    const bool relative = params.has("stiffness");
    if (relative && params.has("young"))
        throw UserError("a row of the heat table has young and stiffness", params.where("stiffness"), "Leave one out");
    return {{temperature, optional_number(params, relative ? "stiffness" : "young"), optional_number(params, "yield"),
             optional_number(params, "rate")},
            relative};
}

Row listed_row(const Value& item) {
    const bool good = item.kind() == Value::Kind::table && item.table().items.size() == 1 &&
                      item.table().items[0].kind() == Value::Kind::number;
    if (!good)
        throw UserError("a row of the heat table starts with its temperature", item.where(),
                        "Write {60, young = 5e4, yield = 0.01, rate = 100}");
    return row_of(item.table().items[0].number(), Value(Table{item.table().entries, {}}, item.where()));
}

void read_table(const Params& params, MaterialHeatDesc& heat) {
    const HeatNumbers& numbers = heat.numbers;
    HeatTable& table = heat.table;
    const Value& given = params.at("table");
    if (given.nil()) return;
    const auto add = [&](const Row& row) {
        if (!table.rows.empty() && row.relative != heat.relative)
            throw UserError("the rows of the heat table give different numbers", given.where(),
                            "Give young or stiffness in every row");
        heat.relative = row.relative;
        table.rows.push_back(row.row);
    };
    if (given.kind() == Value::Kind::function) {
        const double top = params.number("hottest"), bottom = std::min(numbers.initial, 2 * numbers.ambient - top);
        if (!(top > numbers.ambient))
            throw UserError("heat: hottest must be above ambient", params.where("hottest"), "Use 200, for example");
        for (int i = 0; i <= function_rows; ++i) {
            const double temperature = bottom + (top - bottom) * i / function_rows;
            const Value argument(temperature);
            const Value result = given.function()(std::span(&argument, 1));
            if (result.kind() != Value::Kind::table)
                throw UserError("the heat table's function must return a table, not " + result.kind_text(),
                                given.where(), "Return { young = 1e5 }, for example");
            add(row_of(temperature, result));
        }
    } else {
        for (const Value& item : given.table().items) add(listed_row(item));
    }
    auto by_temperature = [](const HeatRow& a, const HeatRow& b) { return a.temperature < b.temperature; };
    std::stable_sort(table.rows.begin(), table.rows.end(), by_temperature);
    for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
        const HeatRow &a = table.rows[i], &b = table.rows[i + 1];
        if (!(a.temperature < b.temperature))
            throw UserError("two rows of the heat table have the same temperature", given.where(), "Leave one out");
        if (a.young.has_value() != b.young.has_value() || a.yield.has_value() != b.yield.has_value() ||
            a.rate.has_value() != b.rate.has_value())
            throw UserError("the rows of the heat table give different numbers", given.where(),
                            "Give young, yield or rate in every row or in none");
    }
}

MaterialHeatDesc read_heat(const Params& params) {
    MaterialHeatDesc heat;
    heat.where = params.where();
    heat.numbers = {params.number("conductivity"), params.number("specific_heat"), params.number("ambient"),
                    params.has("initial") ? params.number("initial") : params.number("ambient"),
                    params.number("cooling")};
    read_table(params, heat);
    return heat;
}

Value make_give_heat(Loader& loader, const Params& params) {
    BodyDesc& body = loader.desc.bodies[static_cast<std::size_t>(body_of(params))];
    if (body.kind == "rigid")
        throw UserError("a rigid body has no temperature", params.where("body"), "Name a body that deforms");
    if (body.material.heat)
        throw UserError("body '" + body.name + "' has heat already", params.where("body"),
                        "Change heat = { … } in its material");
    body.material.heat = read_heat(params);
    return {};
}

Value make_heat_source(Loader& loader, const Params& params) {
    HeatSourceDesc source;
    source.at = vector_of_time(params.at("at"), "heat_source: at");
    source.radius = params.number("radius");
    source.temperature = params.number("temperature");
    source.power = params.number("power");
    source.from = params.number("from");
    if (params.has("till")) source.till = params.number("till");
    source.where = params.where();
    loader.desc.heat_sources.push_back(std::move(source));
    return {};
}

}  // namespace

MaterialHeatDesc heat_of(const Value& value) {
    MaterialHeatDesc heat = read_heat(heat_schema().check(value));
    heat.where = value.where();
    return heat;
}

const std::vector<const Schema*>& heat_tables() {
    static const std::vector<const Schema*> tables{&heat_schema(), &row_schema()};
    return tables;
}

const std::vector<Verb>& heat_verbs() {
    static const std::vector<Verb> verbs{
        {{"give_heat", "Gives a body that has none a temperature, just as `heat` in its material does.",
          [] {
              std::vector<Key> keys = heat_schema().keys;
              keys.insert(
                  keys.begin(),
                  {.name = "body", .holds = Holds::handle, .required = true, .type = "body", .doc = "The body."});
              return keys;
          }()},
         "give_heat { body = jelly, table = { {40, stiffness = 1}, {80, stiffness = 0.03} } }",
         make_give_heat},
        {{"heat_source",
          "A hot or cold ball. Bodies whose material has `heat` take up heat where they are inside it.",
          {{.name = "at",
            .holds = Holds::vec3 | Holds::function,
            .unit = "m",
            .required = true,
            .doc = "Its centre: a vector, or function(t) that returns one."},
           {.name = "radius",
            .unit = "m",
            .fallback = 0.1,
            .min = 0,
            .open_min = true,
            .doc = "Of the ball; most heat goes in at its centre. Smaller than a tet, it heats the tets around it."},
           {.name = "temperature",
            .unit = "°C",
            .required = true,
            .doc = "What it warms things up to; at the temperature of the air it does nothing."},
           {.name = "power",
            .unit = "W",
            .fallback = 100,
            .min = 0,
            .doc = "Heat that it gives to a body as cold as the air that fills the ball; less as the body warms up. A "
                   "candle has 50, a hot-air gun 2000."},
           {.name = "from", .unit = "s", .fallback = 0, .min = 0, .doc = "Begins at this time."},
           {.name = "till", .unit = "s", .min = 0, .doc = "Ends at this time."}}},
         "heat_source { at = {0, 1, 0}, radius = 0.1, temperature = 80, power = 100 }",
         make_heat_source},
    };
    return verbs;
}

}  // namespace pliant::script
