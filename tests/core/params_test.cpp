// What users read when a table is wrong: these sentences are part of the product.

#include "pliant/core/params.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

const Schema material{
    .name = "material",
    .doc = "",
    .keys = {
        {.name = "young", .unit = "Pa", .fallback = 1e5, .min = 0, .open_min = true},
        {.name = "poisson", .unit = "1", .fallback = 0.33, .min = -1, .max = 0.5, .open_min = true, .open_max = true},
        {.name = "steps", .fallback = 3, .integer = true},
        {.name = "law", .holds = Holds::text, .fallback = "corotational", .choices = {"linear", "corotational"}},
        {.name = "center", .holds = Holds::vec3},
        {.name = "shape", .holds = Holds::handle, .type = "shape"},
        {.name = "on", .holds = Holds::boolean | Holds::function}}};

Value table(std::map<std::string, Value, std::less<>> entries) {
    return Value(Table{std::move(entries), {}}, {"s.lua", 4});
}

std::string message(const Schema& schema, const Value& value) {
    try {
        schema.check(value);
    } catch (const UserError& e) {
        return e.what();
    }
    return "no error";
}

TEST(Params, DefaultsFillWhatIsLeftOut) {
    const Params p = material.check(table({{"young", Value(5.0, {"s.lua", 5})}}));
    EXPECT_EQ(p.number("young"), 5);
    EXPECT_EQ(p.number("poisson"), 0.33);
    EXPECT_EQ(p.integer("steps"), 3);
    EXPECT_EQ(p.text("law"), "corotational");
    EXPECT_FALSE(p.has("center"));
    EXPECT_EQ(p.where("young").line, 5);
    EXPECT_EQ(p.where("poisson").line, 4) << "a default sits where the table does";
    EXPECT_THROW(p.number("yuong"), InternalError) << "asking for an undeclared key is our mistake";
}

TEST(Params, MessagesSayWhatWhereAndWhatToDo) {
    const Where at{"s.lua", 7};
    EXPECT_EQ(message(material, table({{"yuong", Value(1.0, at)}})),
              "s.lua:7: material has no key 'yuong'. Did you mean 'young'?");
    EXPECT_EQ(message(material, table({{"young", Value(-1.0, at)}})),
              "s.lua:7: material: young = -1 is out of range: it must be above 0 Pa.");
    EXPECT_EQ(message(material, table({{"poisson", Value(0.5, at)}})),
              "s.lua:7: material: poisson = 0.5 is out of range: it must be above -1 and below 0.5.");
    EXPECT_EQ(message(material, table({{"young", Value("soft", at)}})),
              "s.lua:7: material: young must be a number in Pa, not the text 'soft'.");
    EXPECT_EQ(message(material, table({{"young", Value(std::nan(""), at)}})),
              "s.lua:7: material: young must be finite.");
    EXPECT_EQ(message(material, table({{"steps", Value(2.5, at)}})),
              "s.lua:7: material: steps must be a whole number, not 2.5.");
    EXPECT_EQ(message(material, table({{"law", Value("corotatonal", at)}})),
              "s.lua:7: material: law = 'corotatonal' is not known. Did you mean 'corotational'? It can be: linear, "
              "corotational.");
    EXPECT_EQ(message(material, table({{"center", Value(1.0, at)}})),
              "s.lua:7: material: center must be a vector {x, y, z}, not the number 1.");
    EXPECT_EQ(message(material, table({{"shape", Value(Handle{"body", 1}, at)}})),
              "s.lua:7: material: shape must be a shape, not a body.");
    EXPECT_EQ(message(material, table({{"on", Value(1.0, at)}})),
              "s.lua:7: material: on must be true or false or a function, not the number 1.");
    EXPECT_EQ(message(material, Value(3.0, at)),
              "s.lua:7: material takes a table { key = value, … }, not the number 3.");
    EXPECT_EQ(message(material, Value(Table{{}, {Value(3.0, at)}}, at)),
              "s.lua:7: material has an entry without a name (the number 3). Write key = value, such as young = …");
}

TEST(Params, RequiredKeysAreAskedFor) {
    const Schema schema{.name = "load",
                        .doc = "",
                        .keys = {{.name = "file", .holds = Holds::text, .required = true, .doc = "What to load"}}};
    EXPECT_EQ(message(schema, table({})), "s.lua:4: load needs 'file' (a text). What to load.");
}

TEST(Params, SeveralSchemasShareOneTable) {
    const Schema extra{.name = "creep", .doc = "", .keys = {{.name = "yield", .fallback = 0.1}}};
    const Schema* also[] = {&extra};
    const Params p = material.check(table({{"yield", Value(0.2)}}), also);
    EXPECT_EQ(p.number("yield"), 0.2);
    EXPECT_EQ(p.number("young"), 1e5);
    EXPECT_THROW(material.check(table({{"yield", Value(0.2)}})), UserError);
}

TEST(Value, VectorsAndObjects) {
    EXPECT_EQ(Value(Vec3(1, 2, 3)).vec3(), Vec3(1, 2, 3));
    EXPECT_THROW(Value(Vec3(1, std::nan(""), 3)).vec3(), UserError);
    EXPECT_THROW(Value(1.0).table(), UserError);
    EXPECT_THROW(Value("x").number(), UserError);
    EXPECT_TRUE(Value().nil());
    const Params p = material.check(table({{"shape", Value(Handle{"shape", 42})}}));
    EXPECT_EQ(p.object<int>("shape"), 42);
    EXPECT_THROW(p.object<double>("shape"), InternalError);
}

}  // namespace
}  // namespace pliant
