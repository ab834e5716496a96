// Stanford PLY, ascii and binary of either byte order: vertex x, y, z, and faces or triangle strips; all other
// elements and properties are passed over.

#include <algorithm>
#include <array>
#include <optional>

#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_text.hpp"
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

struct Element {
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
    std::vector<Element> elements;
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
            Element element;
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
        } else if (!key.empty() && key != "comment" && key != "obj_info") {
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

template <class Body>
void read_vertices(Body& body, const Element& element, std::vector<Vec3>& points) {
    std::array<const Property*, 3> axis{element.find("x"), element.find("y"), element.find("z")};
    for (const Property* p : axis)
        if (p == nullptr || p->count_type) body.fail("the vertices lack one of the properties x, y, z");
    points.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
        Vec3 v;
        for (const Property& p : element.properties) {
            const auto found = std::find(axis.begin(), axis.end(), &p);
            if (found == axis.end())
                skip_property(body, p);
            else
                v[found - axis.begin()] = body.number(p.type, "a coordinate");
        }
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

template <class Body>
MeshFile read_body(Body body, const Header& header, const std::string& name) {
    std::vector<Vec3> points;
    PolygonList faces;
    bool vertices_seen = false;
    for (const Element& element : header.elements) {
        const std::size_t least = element.least_bytes(Body::ascii);
        if (least == 0) continue;  // no properties: nothing in the body
        body.room(element.count, least, (element.name + " entries").c_str());
        const bool strips = element.name == "tristrips";
        if (element.name == "vertex") {
            if (vertices_seen) body.fail("the header has two vertex elements");
            read_vertices(body, element, points);
            vertices_seen = true;
        } else if (element.name == "face" || strips) {
            const Property* list = element.find("vertex_indices");
            if (!list) list = element.find("vertex_index");
            if (!list || !list->count_type) body.fail("the faces lack the list vertex_indices");
            if (!vertices_seen) body.fail("the faces come before the vertices");
            for (std::uint64_t i = 0; i < element.count; ++i) {
                for (const Property& p : element.properties) {
                    if (&p == list)
                        read_corners(body, p, strips, static_cast<long long>(points.size()), faces);
                    else
                        skip_property(body, p);
                }
                body.end_entry();
            }
        } else {
            for (std::uint64_t i = 0; i < element.count; ++i) {
                for (const Property& p : element.properties) skip_property(body, p);
                body.end_entry();
            }
        }
    }
    return finish_surface(std::move(points), faces, "ply", name);
}

}  // namespace

MeshFile parse_ply(const MeshSource& source) {
    TextReader in(source.bytes, source.name);
    const Header header = read_header(in);
    std::uint64_t entries = 0;
    for (const Element& element : header.elements)
        if (!element.properties.empty()) entries += std::min(element.count, source.bytes.size() - entries);
    if (header.ascii) return read_body(AsciiBody(in, entries), header, source.name);
    ForeignBytes bytes(source.bytes, source.name, in.position(), header.big_endian);
    return read_body(BinaryBody(bytes), header, source.name);
}

std::string format_ply(const TriMesh& mesh, bool ascii) {
    const std::size_t n = mesh.points.size(), m = mesh.triangles.size();
    TextBuilder out(ascii ? n * 60 + m * 24 : n * 24 + m * 13);
    out.text(ascii ? "ply\nformat ascii 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    out.text("element vertex ").integer(static_cast<long long>(n));
    out.text("\nproperty double x\nproperty double y\nproperty double z\nelement face ");
    out.integer(static_cast<long long>(m)).text("\nproperty list uchar int vertex_indices\nend_header\n");
    if (ascii) {
        for (const Vec3& p : mesh.points) out.vector(p).text("\n");
        for (const Tri& t : mesh.triangles) {
            out.text("3");
            for (int v : t) out.text(" ").integer(v);
            out.text("\n");
        }
        return out.take();
    }
    out.raw(mesh.points.data(), n * sizeof(Vec3));
    char* at = out.grow(m * 13);
    for (const Tri& t : mesh.triangles) {
        *at = 3;
        std::memcpy(at + 1, t.data(), 12);
        at += 13;
    }
    return out.take();
}

}  // namespace pliant
