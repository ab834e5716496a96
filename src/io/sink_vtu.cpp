// VTK's XML files for ParaView: per body and frame BODY_000123.vtu (the tet mesh) and BODY-surface_000123.vtp (the seen
// surface), and per body a .pvd that lists them with their times. Arrays are appended raw, 64-bit sizes.

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "pliant/core/bytes.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

std::string xml_text(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += static_cast<unsigned char>(c) < 32 ? ' ' : c;
        }
    }
    return escaped;
}

/// XML in front, all arrays behind it in one block that the XML points into.
class VtkDocument {
public:
    VtkDocument(std::string type, double time) : type_(std::move(type)) {
        xml_ = "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type_ +
               "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<" + type_ +
               ">\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
               number_text(time) + "</DataArray>\n</FieldData>\n";
    }

    void line(const std::string& text) { xml_ += text + "\n"; }

    template <PlainBytes T>
    void array(const char* type, std::string_view name, int components, const std::vector<T>& values) {
        const char* bytes = reinterpret_cast<const char*>(values.data());
        std::copy_n(bytes, values.size() * sizeof(T), declare(type, name, components, values.size() * sizeof(T)));
    }
    /// Points in full precision for the mesh that is computed on, in single for the one that is looked at.
    void vectors(std::string_view name, const std::vector<Vec3>& values, bool full_precision) {
        if (full_precision) return array("Float64", name, 3, values);
        char* at = declare("Float32", name, 3, values.size() * 12);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Eigen::Vector3f v = values[i].cast<float>();
            std::memcpy(at + 12 * i, v.data(), 12);
        }
    }
    void fields(const BodyFrame& body, Field::On on) {
        for (const Field& field : body.fields)
            if (field.on == on) array("Float32", field.name, field.components, field.values);
    }

    void save(const std::filesystem::path& path) {
        xml_ += "</" + type_ + ">\n<AppendedData encoding=\"raw\">\n_";
        OutputFile file(path);
        file.write(xml_);
        file.write(data_.bytes());
        file.write("\n</AppendedData>\n</VTKFile>\n");
        file.commit();
    }

private:
    char* declare(const char* type, std::string_view name, int components, std::size_t bytes) {
        xml_ += "<DataArray type=\"" + std::string(type) + "\" Name=\"" + xml_text(name) + "\"";
        if (components > 1) xml_ += " NumberOfComponents=\"" + std::to_string(components) + "\"";
        xml_ += " format=\"appended\" offset=\"" + std::to_string(data_.bytes().size()) + "\"/>\n";
        data_.value(static_cast<std::uint64_t>(bytes));
        return data_.grow(bytes);
    }

    std::string type_, xml_;
    ByteWriter data_;
};

/// 1·n, 2·n, 3·n …: where each of `count` cells of n corners ends.
std::vector<int> cell_ends(std::size_t count, int corners) {
    std::vector<int> ends(count);
    for (std::size_t i = 0; i < count; ++i) ends[i] = corners * static_cast<int>(i + 1);
    return ends;
}

void save_tets(const BodyFrame& body, double time, const std::filesystem::path& path) {
    const std::size_t tets = body.tets->size();
    VtkDocument doc("UnstructuredGrid", time);
    doc.line("<Piece NumberOfPoints=\"" + std::to_string(body.nodes.size()) + "\" NumberOfCells=\"" +
             std::to_string(tets) + "\">\n<PointData>");
    doc.fields(body, Field::On::node);
    doc.line("</PointData>\n<CellData>");
    doc.fields(body, Field::On::tet);
    doc.line("</CellData>\n<Points>");
    doc.vectors("points", body.nodes, true);
    doc.line("</Points>\n<Cells>");
    doc.array("Int32", "connectivity", 1, *body.tets);
    doc.array("Int32", "offsets", 1, cell_ends(tets, 4));
    doc.array("UInt8", "types", 1, std::vector<std::uint8_t>(tets, 10));  // VTK_TETRA
    doc.line("</Cells>\n</Piece>");
    doc.save(path);
}

void save_surface(const BodyFrame& body, double time, const std::filesystem::path& path) {
    const std::size_t triangles = has_surface(body) ? body.triangles->size() : 0;
    const std::size_t vertices = triangles > 0 ? 0 : body.points.size();  // lone points are cells of their own
    VtkDocument doc("PolyData", time);
    doc.line("<Piece NumberOfPoints=\"" + std::to_string(body.points.size()) + "\" NumberOfVerts=\"" +
             std::to_string(vertices) + "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" +
             std::to_string(triangles) + "\">\n<PointData Normals=\"normals\">");
    if (body.normals.size() == body.points.size()) doc.vectors("normals", body.normals, false);
    doc.fields(body, Field::On::vertex);
    doc.line("</PointData>\n<CellData>");
    if (triangles > 0) doc.fields(body, Field::On::triangle);
    doc.line("</CellData>\n<Points>");
    doc.vectors("points", body.points, false);
    doc.line("</Points>");
    if (triangles > 0) {
        doc.line("<Polys>");
        doc.array("Int32", "connectivity", 1, *body.triangles);
        doc.array("Int32", "offsets", 1, cell_ends(triangles, 3));
        doc.line("</Polys>");
    } else {
        std::vector<int> each(vertices);
        for (std::size_t i = 0; i < vertices; ++i) each[i] = static_cast<int>(i);
        doc.line("<Verts>");
        doc.array("Int32", "connectivity", 1, each);
        doc.array("Int32", "offsets", 1, cell_ends(vertices, 1));
        doc.line("</Verts>");
    }
    doc.line("</Piece>");
    doc.save(path);
}

/// The time that VtkDocument wrote on top of a file.
double saved_time(const std::filesystem::path& path) {
    char head[1024] = {};
    std::ifstream(path, std::ios::binary).read(head, sizeof head - 1);
    const std::string_view text(head);
    const std::size_t value = text.find('>', text.find("TimeValue"));
    double time = 0;
    const auto wrong = value == std::string_view::npos ||
                       std::from_chars(head + value + 1, head + text.size(), time).ec != std::errc{};
    if (wrong) throw UserError("is not a file of this run", {path.string()}, "Move it away, or start the run anew");
    return time;
}

/// The files of one body (or its surface) so far, and the .pvd that lists them.
struct Collection {
    std::map<int, double> times;  ///< by frame index, s
    std::size_t listed = 0;       ///< how many of them the .pvd on disk has
};

class VtuSink : public FrameSink {
public:
    explicit VtuSink(const std::filesystem::path& directory) : directory_(directory / "vtu") {}

    void begin(const RunInfo&) override { ensure_directory(directory_); }

    void write(const Frame& frame) override {
        check_fields(frame);
        if (first_frame_ < 0) first_frame_ = frame.index;
        const std::vector<std::string> stems = body_stems(frame);
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const BodyFrame& body = frame.bodies[b];
            if (has_tets(body)) add(frame, stems[b], ".vtu", [&](const auto& p) { save_tets(body, frame.time, p); });
            if (!body.points.empty())
                add(frame, stems[b] + "-surface", ".vtp", [&](const auto& p) { save_surface(body, frame.time, p); });
        }
    }

    void finish() override {
        if (first_frame_ < 0) open_all();
        for (auto& [name, collection] : collections_) save_list(name, collection);
    }

private:
    template <class Save>
    void add(const Frame& frame, const std::string& stem, const std::string& suffix, Save&& save) {
        Collection& collection = open(stem, suffix);
        save(directory_ / (stem + "_" + frame_number(frame.index) + suffix));
        collection.times[frame.index] = frame.time;
        // Growing by an eighth before each rewriting keeps the sum of all rewritings linear in the number of frames.
        if (collection.times.size() > collection.listed + collection.listed / 8) save_list(stem + suffix, collection);
    }

    Collection& open(const std::string& stem, const std::string& suffix) {
        const auto [found, is_new] = collections_.try_emplace(stem + suffix);
        if (!is_new) return found->second;
        drop_frames(directory_, stem + "_", suffix, first_frame_);
        for (const int index : frames_in(directory_, stem + "_", suffix))
            found->second.times[index] = saved_time(directory_ / (stem + "_" + frame_number(index) + suffix));
        return found->second;
    }

    /// For a run that was stopped after its last frame: all is there but the last lists.
    void open_all() {
        first_frame_ = std::numeric_limits<int>::max();
        std::set<std::pair<std::string, std::string>> found;
        for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
            const std::string name = entry.path().stem().string(), suffix = entry.path().extension().string();
            const std::size_t underscore = name.rfind('_');
            if (underscore == std::string::npos || (suffix != ".vtu" && suffix != ".vtp")) continue;
            if (frame_index_in(name, name.substr(0, underscore + 1), "") >= 0)
                found.emplace(name.substr(0, underscore), suffix);
        }
        for (const auto& [stem, suffix] : found) open(stem, suffix);
    }

    void save_list(const std::string& name, Collection& collection) const {
        const std::size_t dot = name.size() - 4;
        const std::string stem = name.substr(0, dot), suffix = name.substr(dot);
        std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
        for (const auto& [index, time] : collection.times)
            xml += "<DataSet timestep=\"" + number_text(time) + "\" part=\"0\" file=\"" + stem + "_" +
                   frame_number(index) + suffix + "\"/>\n";
        OutputFile file(directory_ / (stem + ".pvd"));
        file.write(xml + "</Collection>\n</VTKFile>\n");
        file.commit();
        collection.listed = collection.times.size();
    }

    std::filesystem::path directory_;
    int first_frame_ = -1;
    std::map<std::string, Collection> collections_;  ///< by stem and suffix: "cow.vtu", "cow-surface.vtp"
};

}  // namespace

std::unique_ptr<FrameSink> make_vtu_sink(const std::filesystem::path& directory) {
    return std::make_unique<VtuSink>(directory);
}

}  // namespace pliant
