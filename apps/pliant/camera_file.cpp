#include "camera_file.hpp"

#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/server/json.hpp"

namespace pliant {

namespace fs = std::filesystem;

void write_camera(const fs::path& run, const std::optional<CameraDesc>& camera) {
    const fs::path file = run / "camera.json";
    if (!camera) {
        std::error_code ignored;
        fs::remove(file, ignored);
        return;
    }
    JsonWriter json;
    json.begin_object();
    const auto vector = [&](const char* name, const Vec3& v) {
        json.key(name);
        json.begin_line();
        json.begin_array();
        for (int k = 0; k < 3; ++k) json.value(v[k]);
        json.end_array();
        json.end_line();
    };
    vector("eye", camera->eye);
    vector("target", camera->target);
    json.entry("fov", camera->fov);
    json.end_object();
    write_file_atomic(file.string(), json.take());
}

std::optional<CameraDesc> read_camera(const fs::path& run) {
    const fs::path file = run / "camera.json";
    if (!fs::is_regular_file(file)) return {};
    const auto json = parse_json(read_file(file.string(), 1 << 16));
    const auto eye = json ? json->vec3("eye") : std::nullopt, target = json ? json->vec3("target") : std::nullopt;
    const auto fov = json ? json->number("fov") : std::nullopt;
    if (!eye || !target || !fov || *fov < 1 || *fov > 120 || *eye == *target)
        throw UserError("the camera of this run is damaged", {file.string(), 0}, "Delete the file to have one found");
    return CameraDesc{*eye, *target, *fov, {}};
}

}  // namespace pliant
