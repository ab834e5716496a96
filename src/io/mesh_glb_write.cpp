// A surface as one binary glTF file: positions in single precision, as the format has them.

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_text.hpp"

namespace pliant {

std::string format_glb(const TriMesh& mesh) {
    const std::size_t n = mesh.points.size(), m = mesh.triangles.size();
    const std::size_t position_bytes = 12 * n, index_bytes = 12 * m;
    Eigen::Vector3f low = Eigen::Vector3f::Constant(0), high = low;
    if (n > 0) low = high = mesh.points[0].cast<float>();
    for (const Vec3& p : mesh.points) low = low.cwiseMin(p.cast<float>()), high = high.cwiseMax(p.cast<float>());
    TextBuilder json;
    auto count = [](std::size_t v) { return static_cast<long long>(v); };
    auto bound = [&](const char* name, const Eigen::Vector3f& v) {
        json.text(",\"").text(name).text("\":[").number(v.x()).text(",").number(v.y()).text(",").number(v.z()).text(
            "]");
    };
    json.text(
        R"({"asset":{"version":"2.0","generator":"pliant"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)");
    json.text(R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":)");
    json.integer(count(position_bytes + index_bytes)).text(R"(}],"bufferViews":[{"buffer":0,"byteLength":)");
    json.integer(count(position_bytes))
        .text(R"(,"target":34962},{"buffer":0,"byteOffset":)")
        .integer(count(position_bytes));
    json.text(R"(,"byteLength":)")
        .integer(count(index_bytes))
        .text(R"(,"target":34963}],"accessors":[{"bufferView":0,)");
    json.text(R"("componentType":5126,"type":"VEC3","count":)").integer(count(n));
    bound("min", low), bound("max", high);
    json.text(R"(},{"bufferView":1,"componentType":5125,"type":"SCALAR","count":)").integer(count(3 * m)).text("}]}");
    while (json.size() % 4 != 0) json.text(" ");
    const std::string header = json.take();

    const std::size_t binary = position_bytes + index_bytes;
    TextBuilder out(28 + header.size() + binary);
    auto word = [&](std::size_t v) { out.value(static_cast<std::uint32_t>(v)); };
    out.text("glTF");
    word(2), word(28 + header.size() + binary), word(header.size()), word(0x4E4F534A);
    out.text(header);
    word(binary), word(0x004E4942);
    for (const Vec3& p : mesh.points) {
        const Eigen::Vector3f f = p.cast<float>();
        out.raw(f.data(), 12);
    }
    return out.raw(mesh.triangles.data(), index_bytes).take();
}

}  // namespace pliant
