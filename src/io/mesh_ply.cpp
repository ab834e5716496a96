// Stanford PLY, ascii and binary of either byte order: vertices with normals, colours and texture coordinates, faces
// with texture coordinates and materials, or triangle strips; all other elements and properties are passed over.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/ply_write.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

std::size_t size_of(Scalar type) {
    constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

std::optional<Scalar> scalar_named(std::string_view name) {
    struct Entry {
        const char *old_name, *name;
        Scalar type;
    };
    constexpr Entry table[] = {{"char", "int8", Scalar::i8},      {"uchar", "uint8", Scalar::u8},
                               {"short", "int16", Scalar::i16},   {"ushort", "uint16", Scalar::u16},
                               {"int", "int32", Scalar::i32},     {"uint", "uint32", Scalar::u32},
                               {"float", "float32", Scalar::f32}, {"double", "float64", Scalar::f64}};
    for (const Entry& entry : table)
        if (name == entry.old_name || name == entry.name) return entry.type;
    return std::nullopt;
}

struct Property {
    std::string name;
    Scalar type;
    std::optional<Scalar> count_type;  // set for lists
};

struct PlyElement {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;

    const Property* find(std::string_view wanted) const {
        for (const Property& p : properties)
            if (p.name == wanted) return &p;
        return nullptr;
    }
    /// No entry can be smaller: a list at least has its count.
    std::size_t least_bytes(bool ascii) const {
        std::size_t bytes = 0;
        for (const Property& p : properties) bytes += ascii ? 2 : size_of(p.count_type.value_or(p.type));
        return bytes;
    }
};

struct Header {
    bool ascii = false, big_endian = false;
    std::vector<PlyElement> elements;
    std::vector<std::pair<int, std::string>> materials;  ///< of comments "material 0 NAME"
};

Header read_header(TextReader& in) {
    Header header;
    if (in.rest_of_line() != "ply") in.fail_at(0, "does not start with 'ply', so it is no PLY file");
    bool format_seen = false;
    for (;;) {
        if (in.remaining() == 0)
            in.fail_at(in.position(), "the file ends inside its header", "It is truncated: get it again");
        const std::string_view key = in.word_on_line();
        if (key == "format") {
            const std::string_view kind = in.word_on_line();
            if (kind == "ascii")
                header.ascii = true;
            else if (kind == "binary_big_endian")
                header.big_endian = true;
            else if (kind != "binary_little_endian")
                in.fail("unknown PLY format " + in_quotes(kind));
            format_seen = true;
        } else if (key == "element") {
            PlyElement element;
            element.name = std::string(in.word_on_line());
            if (in.at_line_end()) in.fail("an element needs a name and a count");
            element.count = static_cast<std::uint64_t>(in.integer("the count of an element", 0));
            header.elements.push_back(std::move(element));
        } else if (key == "property") {
            if (header.elements.empty()) in.fail("a property comes before any element");
            Property property{};
            std::string_view type = in.word_on_line();
            if (type == "list") {
                const std::string_view count_type = in.word_on_line();
                property.count_type = scalar_named(count_type);
                if (!property.count_type) in.fail("unknown PLY type " + in_quotes(count_type));
                type = in.word_on_line();
            }
            const auto scalar = scalar_named(type);
            if (!scalar) in.fail("unknown PLY type " + in_quotes(type));
            property.type = *scalar;
            property.name = std::string(in.word_on_line());
            header.elements.back().properties.push_back(std::move(property));
        } else if (key == "end_header") {
            in.skip_line();
            break;
        } else if (key == "comment") {
            if (in.word_on_line() == "material") {
                const std::string_view number = in.word_on_line();
                int slot = -1;
                std::from_chars(number.data(), number.data() + number.size(), slot);
                in.at_line_end();  // skips the blanks
                const std::size_t from = in.position();
                const std::size_t end = std::min(in.text().find_first_of("\r\n", from), in.text().size());
                if (slot >= 0) header.materials.emplace_back(slot, in.text().substr(from, end - from));
            }
        } else if (!key.empty() && key != "obj_info") {
            in.fail("unknown word " + in_quotes(key) + " in the PLY header");
        }
        in.skip_line();
    }
    if (!format_seen) in.fail("the header has no 'format' line");
    return header;
}

/// The two encodings behind one face: read one scalar, check that entries can be there, fail with a place.
class AsciiBody {
public:
    /// entries: of all elements. A file with a line for each of them, as the format wants it, is read line by line, so
    /// that numbers beyond the declared ones do no harm; others are read as one long list of numbers.
    AsciiBody(TextReader& in, std::uint64_t entries) : in_(in), by_line_(lines_left(in) >= entries) {}
    static constexpr bool ascii = true;
    void end_entry() {
        if (by_line_ && !in_.at_line_end()) in_.skip_line();
    }
    double number(Scalar, const char* what) { return in_.number(what); }
    long long integer(Scalar type, const char* what) {
        if (type == Scalar::f32 || type == Scalar::f64) return static_cast<long long>(in_.number(what));
        return in_.integer(what);
    }
    void skip(Scalar) {
        if (in_.word().empty()) in_.fail("the file ends too early", "It is truncated: get it again");
    }
    void room(std::uint64_t count, std::size_t least, const char* what) { in_.expect_room(count, least, what); }
    void skip_many(std::uint64_t count, Scalar type) {
        in_.expect_room(count, 2, "a list length");
        for (std::uint64_t i = 0; i < count; ++i) skip(type);
    }
    [[noreturn]] void fail(const std::string& message) { in_.fail(message); }

private:
    static std::uint64_t lines_left(const TextReader& in) {
        std::uint64_t lines = 0;
        bool words = false;
        for (char c : in.text().substr(in.position())) {
            if (c == '\n') lines += words, words = false;
            words |= c > ' ';
        }
        return lines + words;
    }

    TextReader& in_;
    bool by_line_;
};

class BinaryBody {
public:
    explicit BinaryBody(ForeignBytes& in) : in_(in) {}
    static constexpr bool ascii = false;
    void end_entry() {}
    double number(Scalar type, const char* what) { return value<double>(type, what); }
    long long integer(Scalar type, const char* what) {
        if (type != Scalar::f32 && type != Scalar::f64) return value<long long>(type, what);
        const double v = value<double>(type, what);
        return std::abs(v) < 1e15 ? static_cast<long long>(v) : -1;
    }
    void skip(Scalar type) { in_.take(size_of(type), "properties"); }
    void room(std::uint64_t count, std::size_t least, const char* what) { in_.need(count, least, what); }
    void skip_many(std::uint64_t count, Scalar type) {
        in_.need(count, size_of(type), "list entries");
        in_.take(count * size_of(type), "list entries");
    }
    [[noreturn]] void fail(const std::string& message) { in_.fail(message); }

private:
    template <class T>
    T value(Scalar type, const char* what) {
        switch (type) {
            case Scalar::i8: return static_cast<T>(in_.read<std::int8_t>(what));
            case Scalar::u8: return static_cast<T>(in_.read<std::uint8_t>(what));
            case Scalar::i16: return static_cast<T>(in_.read<std::int16_t>(what));
            case Scalar::u16: return static_cast<T>(in_.read<std::uint16_t>(what));
            case Scalar::i32: return static_cast<T>(in_.read<std::int32_t>(what));
            case Scalar::u32: return static_cast<T>(in_.read<std::uint32_t>(what));
            case Scalar::f32: return static_cast<T>(in_.read<float>(what));
            case Scalar::f64: return static_cast<T>(in_.read<double>(what));
        }
        return T{};
    }
    ForeignBytes& in_;
};

template <class Body>
void skip_property(Body& body, const Property& p) {
    if (!p.count_type) return body.skip(p.type);
    const long long count = body.integer(*p.count_type, "a list length");
    if (count < 0) body.fail("a list has a length below zero");
    body.skip_many(static_cast<std::uint64_t>(count), p.type);
}

/// What vertices may have besides their place; empty where they do not.
struct VertexColumns {
    std::vector<Vec3> normal;
    std::vector<std::array<float, 4>> color;
    std::vector<std::array<float, 2>> uv;
};

/// Where the numbers of a vertex go: x y z, then nx ny nz, red green blue alpha, s t.
struct VertexPlaces {
    static constexpr std::size_t normal = 3, color = 6, alpha = 9, uv = 10, count = 12;
    std::array<const Property*, count> property{};

    explicit VertexPlaces(const PlyElement& element) {
        static constexpr std::array<std::string_view, count> names{"x",   "y",     "z",    "nx",    "ny", "nz",
                                                                   "red", "green", "blue", "alpha", "s",  "t"};
        for (std::size_t i = 0; i < count; ++i) property[i] = scalar(element, names[i]);
        // Other programs' names for texture coordinates.
        for (const auto& [u, v] : {std::pair("u", "v"), std::pair("texture_u", "texture_v")})
            if (!property[uv]) property[uv] = scalar(element, u), property[uv + 1] = scalar(element, v);
        for (const auto& [first, n] : {std::pair(normal, 3), std::pair(color, 3), std::pair(uv, 2)})
            for (int k = 0; k < n; ++k)
                if (!property[first + static_cast<std::size_t>(k)])  // all of them or none
                    for (int other = 0; other < n; ++other) property[first + static_cast<std::size_t>(other)] = nullptr;
    }
    static const Property* scalar(const PlyElement& element, std::string_view name) {
        const Property* found = element.find(name);
        return found && !found->count_type ? found : nullptr;
    }
    /// A colour as a share: whole numbers count up to the largest of their type.
    static double share(const Property& p, double value) {
        if (p.type == Scalar::u8) return value / 255;
        if (p.type == Scalar::u16) return value / 65535;
        return value;
    }
};

template <class Body>
void read_vertices(Body& body, const PlyElement& element, std::vector<Vec3>& points, VertexColumns& columns) {
    const VertexPlaces places(element);
    for (int k = 0; k < 3; ++k)
        if (!places.property[static_cast<std::size_t>(k)]) body.fail("the vertices lack one of the properties x, y, z");
    points.reserve(element.count);
    std::array<double, VertexPlaces::count> number{};
    for (std::uint64_t i = 0; i < element.count; ++i) {
        number[VertexPlaces::alpha] = 1;
        for (const Property& p : element.properties) {
            const auto found = std::find(places.property.begin(), places.property.end(), &p);
            if (found == places.property.end()) {
                skip_property(body, p);
                continue;
            }
            const auto at = static_cast<std::size_t>(found - places.property.begin());
            number[at] = body.number(p.type, at < 3 ? "a coordinate" : "a number of a vertex");
            if (at >= VertexPlaces::color && at <= VertexPlaces::alpha) number[at] = VertexPlaces::share(p, number[at]);
        }
        const Vec3 v(number[0], number[1], number[2]);
        if (places.property[VertexPlaces::normal]) columns.normal.emplace_back(number[3], number[4], number[5]);
        if (places.property[VertexPlaces::color]) {
            std::array<float, 4>& color = columns.color.emplace_back();
            for (std::size_t k = 0; k < 3; ++k)
                color[k] = static_cast<float>(linear_of_srgb(number[VertexPlaces::color + k]));
            color[3] = static_cast<float>(number[VertexPlaces::alpha]);
        }
        if (places.property[VertexPlaces::uv])
            columns.uv.push_back(
                {static_cast<float>(number[VertexPlaces::uv]), static_cast<float>(number[VertexPlaces::uv + 1])});
        if (!(v.cwiseAbs().maxCoeff() < TextReader::largest_number) || v.hasNaN())
            body.fail("vertex " + std::to_string(i) + " has a coordinate that is not a usable number");
        points.push_back(v);
        body.end_entry();
    }
}

/// Corners of one face or, with −1 between them, of triangle strips.
template <class Body>
void read_corners(Body& body, const Property& p, bool strips, long long points, PolygonList& faces) {
    const long long count = body.integer(*p.count_type, "the number of corners of a face");
    if (count < 0) body.fail("a face has a number of corners below zero");
    body.room(static_cast<std::uint64_t>(count), Body::ascii ? 2 : size_of(p.type), "corners of a face");
    const std::size_t first = faces.corners.size();
    long long strip[2] = {-1, -1};
    bool flip = false;
    for (long long k = 0; k < count; ++k) {
        const long long v = body.integer(p.type, "a vertex index");
        if (strips && v == -1) {
            strip[0] = strip[1] = -1, flip = false;
            continue;
        }
        if (v < 0 || v >= points)
            body.fail("a face names vertex " + std::to_string(v) + ", but vertices are numbered 0 … " +
                      std::to_string(points - 1));
        if (!strips) {
            faces.corners.push_back(static_cast<int>(v));
            continue;
        }
        if (strip[0] >= 0) {
            const int a = static_cast<int>(strip[flip ? 1 : 0]), b = static_cast<int>(strip[flip ? 0 : 1]);
            faces.add_triangle(a, b, static_cast<int>(v));
            flip = !flip;
        }
        strip[0] = strip[1], strip[1] = v;
    }
    if (strips) return;
    if (count >= 3)
        faces.close(first);
    else
        faces.corners.resize(first);  // a face that is a point or a line: nothing to see
}

/// What faces have besides their corners.
struct FaceColumns {
    std::vector<std::array<float, 2>> uv;  ///< per corner
    std::vector<int> material;             ///< per face
};

/// Texture coordinates of the corners of the face that was read last, if it is one.
template <class Body>
void read_wedges(Body& body, const Property& p, const PolygonList& faces, FaceColumns& columns) {
    const long long count = body.integer(*p.count_type, "the number of texture coordinates of a face");
    if (count < 0) body.fail("a list has a length below zero");
    body.room(static_cast<std::uint64_t>(count), Body::ascii ? 2 : size_of(p.type), "texture coordinates of a face");
    std::array<float, 2> uv{};
    for (long long k = 0; k < count; ++k) {
        uv[static_cast<std::size_t>(k % 2)] = static_cast<float>(body.number(p.type, "a texture coordinate"));
        if (k % 2 == 1 && columns.uv.size() < faces.corners.size()) columns.uv.push_back(uv);
    }
}

PolygonAttributes gathered(const PolygonList& faces, const VertexColumns& vertex, FaceColumns&& face,
                           const Header& header) {
    PolygonAttributes out;
    const auto from_vertices = [&](const auto& from, auto& to) {
        if (!from.empty())
            for (int v : faces.corners) to.push_back(from[static_cast<std::size_t>(v)]);
    };
    from_vertices(vertex.color, out.color);
    from_vertices(vertex.normal, out.normal);
    if (face.uv.size() == faces.corners.size())
        out.uv = std::move(face.uv);
    else
        from_vertices(vertex.uv, out.uv);
    if (face.material.size() != faces.sizes.size()) return out;
    int largest = -1;
    for (int m : face.material) {
        if (m < 0 || m > 65535) return out;  // no numbers of materials
        largest = std::max(largest, m);
    }
    for (int m = 0; m <= largest; ++m) out.materials.push_back({.name = "material" + std::to_string(m)});
    for (const auto& [slot, name] : header.materials)
        if (slot <= largest && !name.empty()) out.materials[static_cast<std::size_t>(slot)].name = name;
    out.material = std::move(face.material);
    return out;
}

template <class Body>
MeshFile read_body(Body body, const Header& header, const std::string& name) {
    std::vector<Vec3> points;
    PolygonList faces;
    VertexColumns vertex_columns;
    FaceColumns face_columns;
    bool vertices_seen = false;
    for (const PlyElement& element : header.elements) {
        const std::size_t least = element.least_bytes(Body::ascii);
        if (least == 0) continue;  // no properties: nothing in the body
        body.room(element.count, least, (element.name + " entries").c_str());
        const bool strips = element.name == "tristrips";
        if (element.name == "vertex") {
            if (vertices_seen) body.fail("the header has two vertex elements");
            read_vertices(body, element, points, vertex_columns);
            vertices_seen = true;
        } else if (element.name == "face" || strips) {
            const Property* list = element.find("vertex_indices");
            if (!list) list = element.find("vertex_index");
            if (!list || !list->count_type) body.fail("the faces lack the list vertex_indices");
            if (!vertices_seen) body.fail("the faces come before the vertices");
            const Property *wedges = element.find("texcoord"), *material = element.find("material_index");
            for (std::uint64_t i = 0; i < element.count; ++i) {
                const std::size_t before = faces.sizes.size();
                int slot = -1;
                for (const Property& p : element.properties) {
                    if (&p == list)
                        read_corners(body, p, strips, static_cast<long long>(points.size()), faces);
                    else if (&p == wedges && p.count_type && !strips)
                        read_wedges(body, p, faces, face_columns);
                    else if (&p == material && !p.count_type)
                        slot = static_cast<int>(std::clamp(body.integer(p.type, "a material"), -1LL, 1LL << 20));
                    else
                        skip_property(body, p);
                }
                body.end_entry();
                if (material && faces.sizes.size() > before)
                    face_columns.material.insert(face_columns.material.end(), faces.sizes.size() - before, slot);
            }
        } else {
            for (std::uint64_t i = 0; i < element.count; ++i) {
                for (const Property& p : element.properties) skip_property(body, p);
                body.end_entry();
            }
        }
    }
    PolygonAttributes brought = gathered(faces, vertex_columns, std::move(face_columns), header);
    return finish_surface(std::move(points), faces, "ply", name, std::move(brought));
}

}  // namespace

MeshFile parse_ply(const MeshSource& source) {
    TextReader in(source.bytes, source.name);
    const Header header = read_header(in);
    std::uint64_t entries = 0;
    for (const PlyElement& element : header.elements)
        if (!element.properties.empty()) entries += std::min(element.count, source.bytes.size() - entries);
    if (header.ascii) return read_body(AsciiBody(in, entries), header, source.name);
    ForeignBytes bytes(source.bytes, source.name, in.position(), header.big_endian);
    return read_body(BinaryBody(bytes), header, source.name);
}

std::string format_ply(const TriMesh& mesh, bool ascii) {
    return ply_text(export_surface(mesh, ""), {.comments = {},
                                               .ascii = ascii,
                                               .doubles = true,
                                               .always_color = false,
                                               .vertex_fields = {},
                                               .triangle_fields = {}});
}

}  // namespace pliant
