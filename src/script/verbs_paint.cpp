// Material numbers painted on a mesh.

#include <algorithm>

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

struct PaintedNumber {
    const char *name, *unit, *doc;
    std::optional<double> MaterialNumbers::*number;  ///< null: the temperature
    bool above_zero;
};

const std::vector<PaintedNumber>& painted_numbers() {
    static const std::vector<PaintedNumber> numbers{
        {"young", "Pa", "Stiffness.", &MaterialNumbers::young, true},
        {"density", "kg/m³", "Mass per volume.", &MaterialNumbers::density, true},
        {"yield", "1", "Of the body's plasticity law.", &MaterialNumbers::yield, false},
        {"rate", "1/s", "Of the body's plasticity law.", &MaterialNumbers::rate, false},
        {"strength", "Pa", "Of the body's fracture: paint where it shall break.", &MaterialNumbers::strength, true},
        {"temperature", "°C", "At the start, of a body with heat.", nullptr, false},
    };
    return numbers;
}

const Schema& channel_schema() {
    static const Schema schema{
        "painted",
        "One painted number.",
        {{.name = "channel",
          .holds = Holds::text,
          .fallback = "red",
          .choices = {"red", "green", "blue", "alpha", "grey"},
          .doc = "Of the colours, as linear values from 0 to 1; grey is their luminance."},
         {.name = "texture",
          .holds = Holds::handle,
          .type = "picture",
          .doc = "Painted in a picture that lies on the surface by its texture coordinates, instead of at its "
                 "vertices: picture \"weak.png\"."},
         {.name = "from", .required = true, .doc = "The number where the channel is 0 (black)."},
         {.name = "to", .required = true, .doc = "The number where the channel is 1 (full)."},
         {.name = "blend",
          .holds = Holds::text,
          .fallback = "linear",
          .choices = {"linear", "log"},
          .doc = "log: equal steps of colour are equal factors, for numbers that span decades."}}};
    return schema;
}

}  // namespace

static const Schema& paint_schema() {
    static const Schema schema = [] {
        Schema s{"paint",
                 "Numbers painted on the loaded surface, as colours of its vertices or in a texture. Each tet takes "
                 "the colour of the "
                 "surface nearest to its centre; paint comes after the regions and before vary.",
                 {}};
        for (const PaintedNumber& number : painted_numbers())
            s.keys.push_back(
                {.name = number.name,
                 .holds = Holds::table,
                 .doc = std::string(number.doc) + " { channel = \"red\", from = …, to = … }, " + number.unit + "."});
        return s;
    }();
    return schema;
}

const std::vector<const Schema*>& paint_tables() {
    static const std::vector<const Schema*> tables{&paint_schema(), &channel_schema()};
    return tables;
}

std::vector<PaintDesc> paint_of(const Value& value) {
    const Params params = paint_schema().check(value);
    std::vector<PaintDesc> list;
    for (const PaintedNumber& number : painted_numbers()) {
        if (!params.has(number.name)) continue;
        const Params one = channel_schema().check(params.at(number.name));
        PaintDesc paint{.number = number.number,
                        .channel = PaintDesc::Channel::red,
                        .from = one.number("from"),
                        .to = one.number("to"),
                        .logarithmic = one.text("blend") == "log",
                        .where = one.where()};
        if (one.has("texture")) paint.picture = one.object<std::shared_ptr<const PaintPicture>>("texture");
        const auto& names = channel_schema().keys[0].choices;
        paint.channel =
            static_cast<PaintDesc::Channel>(std::find(names.begin(), names.end(), one.text("channel")) - names.begin());
        const double least = std::min(paint.from, paint.to);
        if (number.number && (number.above_zero || paint.logarithmic ? !(least > 0) : !(least >= 0)))
            throw UserError(std::string("paint: from and to of ") + number.name + " must be " +
                                (number.above_zero || paint.logarithmic ? "above 0" : "0 or more"),
                            paint.where, "Write " + std::string(number.name) + " = { from = 1e4, to = 1e5 }");
        if (!number.number && paint.logarithmic)
            throw UserError("paint: a temperature has no log blend", paint.where, "Leave blend out");
        list.push_back(std::move(paint));
    }
    return list;
}

}  // namespace pliant::script
