#include "looks_file.hpp"

#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/server/json.hpp"
#include "studio_stream.hpp"

namespace pliant {

namespace fs = std::filesystem;

void write_looks(const fs::path& run, const SceneDesc& scene) {
    const fs::path file = run / "looks.json";
    if (!scene.lighting && scene.looks.empty()) {
        std::error_code ignored;
        fs::remove(file, ignored);
        return;
    }
    JsonWriter json;
    json.begin_object();
    if (const auto& light = scene.lighting) {
        json.key("lighting");
        json.begin_object();
        if (light->sun) write_vector(json, "sun", *light->sun);
        if (light->sky) write_vector(json, "sky", *light->sky);
        if (light->horizon) write_vector(json, "horizon", *light->horizon);
        if (light->floor) write_vector(json, "floor", *light->floor);
        json.entry("softness", light->softness);
        json.entry("exposure", light->exposure);
        json.end_object();
    }
    json.key("looks");
    json.begin_array();
    for (const LookDesc& look : scene.looks) {
        json.begin_object();
        json.entry("of", look.of);
        if (look.gloss) json.entry("gloss", *look.gloss);
        json.entry("translucency", look.translucency);
        json.entry("texture", look.texture);
        json.entry("size", look.size);
        write_vector(json, "second", look.second);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    write_file_atomic(file.string(), json.take());
}

SceneLooks read_looks(const fs::path& run) {
    const fs::path file = run / "looks.json";
    if (!fs::is_regular_file(file)) return {};
    const auto json = parse_json(read_file(file.string(), 1 << 20));
    const UserError damaged("the looks of this run are damaged", {file.string(), 0}, "Delete the file to do without");
    if (!json || !json->find("looks")) throw damaged;
    SceneLooks result;
    if (const Json* light = json->find("lighting")) {
        const auto softness = light->number("softness"), exposure = light->number("exposure");
        if (!softness || !exposure || *softness < 0 || *softness > 1) throw damaged;
        result.lighting = LightingDesc{light->vec3("sun"),   *softness, light->vec3("sky"), light->vec3("horizon"),
                                       light->vec3("floor"), *exposure};
    }
    for (const Json& item : json->find("looks")->items) {
        LookDesc look;
        const auto of = item.text("of"), texture = item.text("texture");
        const auto translucency = item.number("translucency"), size = item.number("size");
        const auto second = item.vec3("second");
        if (!of || !texture || !translucency || !size || !second || !(*size > 0)) throw damaged;
        look.of = *of, look.texture = *texture, look.translucency = *translucency, look.size = *size,
        look.second = *second;
        look.gloss = item.number("gloss");
        result.looks.push_back(std::move(look));
    }
    return result;
}

}  // namespace pliant
