// VTK's XML files: unstructured grids (.vtu) and polygon data (.vtp), every coding ParaView writes but LZ4 and LZMA.

#include <charconv>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/mesh_vtk.hpp"
#include "pliant/io/mesh_vtu_data.hpp"

namespace pliant {

namespace {

struct Piece {
    std::vector<VtuArray> arrays;
    std::size_t place = 0;

    const VtuArray* find(std::string_view section, std::string_view name) const {
        for (const VtuArray& a : arrays)
            if (a.section == section && (name.empty() || a.name == name)) return &a;
        return nullptr;
    }
};

std::uint64_t whole_number(const TextReader& file, const XmlTag& tag, std::string_view key) {
    const std::string text = tag.attribute(key, "0");
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        file.fail_at(tag.start, std::string(key) + " is " + in_quotes(text) + ", not a whole number");
    return value;
}

void read_file_tag(XmlReader& xml, const XmlTag& tag, VtuCoding& coding) {
    const std::string type = tag.attribute("type");
    if (type != "UnstructuredGrid" && type != "PolyData")
        xml.text().fail_at(tag.start, "holds data of the kind " + in_quotes(type),
                           "Save it as an unstructured grid (.vtu)");
    coding.big_endian = tag.attribute("byte_order") == "BigEndian";
    coding.wide_header = tag.attribute("header_type") == "UInt64";
    const std::string compressor = tag.attribute("compressor");
    coding.zlib = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !coding.zlib)
        xml.text().fail_at(tag.start, "is compressed by " + in_quotes(compressor),
                           "Save it with zlib or without compression");
}

VtuArray read_array_tag(XmlReader& xml, const XmlTag& tag, const std::string& section) {
    VtuArray array;
    array.section = section;
    array.name = tag.attribute("Name");
    array.type = tag.attribute("type");
    array.format = tag.attribute("format", "ascii");
    array.offset = whole_number(xml.text(), tag, "offset");
    array.content = tag.content;
    const std::size_t end = tag.empty ? tag.content : xml.text().text().find('<', tag.content);
    if (end == std::string_view::npos) xml.text().fail_at(tag.start, "an array has no end", "The file is truncated");
    array.content_end = end;
    return array;
}

/// Reads all tags; the pieces then say where their arrays are.
std::vector<Piece> read_structure(XmlReader& xml, VtuCoding& coding) {
    std::vector<Piece> pieces;
    std::string section;
    XmlTag tag;
    bool file_seen = false;
    while (xml.next(tag)) {
        if (!file_seen) {
            if (tag.name != "VTKFile") xml.text().fail_at(tag.start, "is XML, but no VTK file");
            read_file_tag(xml, tag, coding);
            file_seen = true;
        } else if (tag.name == "AppendedData" && !tag.closing) {
            coding.appended_raw = tag.attribute("encoding") == "raw";
            const std::size_t mark = xml.text().text().find('_', tag.content);
            if (mark == std::string_view::npos)
                xml.text().fail_at(tag.start, "the appended data is missing", "The file is truncated: get it again");
            coding.appended = mark + 1;
            break;  // raw bytes follow, no more tags
        } else if (tag.closing) {
            if (tag.name == section) section.clear();
        } else if (tag.name == "Piece") {
            pieces.emplace_back().place = tag.start;
        } else if (tag.name == "DataArray") {
            if (!pieces.empty()) pieces.back().arrays.push_back(read_array_tag(xml, tag, section));
        } else {
            section = tag.name;
        }
    }
    if (!file_seen) xml.text().fail_at(0, "is no VTK XML file");
    return pieces;
}

class PieceReader {
public:
    PieceReader(const TextReader& file, VtuCoding& coding, CellSoup& soup)
        : file_(file), coding_(coding), soup_(soup) {}

    void read(const Piece& piece) {
        const VtuArray* points = piece.find("Points", "");
        if (!points) return;  // a piece may be empty
        const std::vector<double> x = vtu_reals(file_, coding_, *points);
        if (x.size() % 3 != 0)
            file_.fail_at(points->content,
                          "the points have " + std::to_string(x.size()) + " coordinates, not a multiple of three");
        first_ = soup_.points.size();
        if (x.size() / 3 + first_ > 2147483647U) file_.fail_at(points->content, "too many points");
        for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
            const Vec3 p(x[i], x[i + 1], x[i + 2]);
            if (!(p.cwiseAbs().maxCoeff() < TextReader::largest_number) || p.hasNaN())
                file_.fail_at(points->content,
                              "point " + std::to_string(i / 3) + " has a coordinate that is not a usable number");
            soup_.points.push_back(p);
        }
        read_cells(piece, "Cells", -1);
        read_cells(piece, "Polys", 7);
        read_cells(piece, "Strips", 6);
    }

private:
    std::vector<double> regions(const Piece& piece) {
        const VtuArray* best = nullptr;
        for (const VtuArray& a : piece.arrays)
            if (a.section == "CellData" && region_name_rank(a.name) > (best ? region_name_rank(best->name) : 0))
                best = &a;
        return best ? vtu_reals(file_, coding_, *best) : std::vector<double>{};
    }
    /// `one_type`: the VTK type of all cells, or −1 when an array says it.
    void read_cells(const Piece& piece, const char* section, long long one_type) {
        const VtuArray* connectivity = piece.find(section, "connectivity");
        const VtuArray* offsets = piece.find(section, "offsets");
        const VtuArray* types = piece.find(section, "types");
        if (!connectivity && !offsets) return;
        if (!connectivity || !offsets || (one_type < 0 && !types))
            file_.fail_at(piece.place, "the cells lack connectivity, offsets or types");
        const std::vector<long long> corner = vtu_integers(file_, coding_, *connectivity);
        const std::vector<long long> end = vtu_integers(file_, coding_, *offsets);
        const std::vector<long long> type = types ? vtu_integers(file_, coding_, *types) : std::vector<long long>{};
        if (one_type < 0 && type.size() != end.size())
            file_.fail_at(types->content, "there are " + std::to_string(end.size()) + " cells but " +
                                              std::to_string(type.size()) + " cell types");
        const std::vector<double> region = one_type < 0 ? regions(piece) : std::vector<double>{};
        const auto points = static_cast<long long>(soup_.points.size() - first_);
        std::vector<int> corners;
        long long at = 0;
        for (std::size_t c = 0; c < end.size(); ++c) {
            if (end[c] < at || end[c] > static_cast<long long>(corner.size()))
                file_.fail_at(offsets->content,
                              "the offset of cell " + std::to_string(c) + " is out of order or range");
            corners.clear();
            for (; at < end[c]; ++at) {
                const long long v = corner[static_cast<std::size_t>(at)];
                if (v < 0 || v >= points)
                    file_.fail_at(connectivity->content, "cell " + std::to_string(c) + " names point " +
                                                             std::to_string(v) + ", but the points are numbered 0 … " +
                                                             std::to_string(points - 1));
                corners.push_back(static_cast<int>(v + static_cast<long long>(first_)));
            }
            const long long kind = one_type < 0 ? type[c] : one_type;
            if (!add_vtk_cell(soup_, kind, corners, c < region.size() ? region_from(region[c]) : 0))
                file_.fail_at(connectivity->content, "cell " + std::to_string(c) +
                                                         " has too few corners for its type " + std::to_string(kind));
        }
    }

    const TextReader& file_;
    VtuCoding& coding_;
    CellSoup& soup_;
    std::size_t first_ = 0;  // of this piece's points
};

}  // namespace

MeshFile parse_vtu(const MeshSource& source) {
    XmlReader xml(source.bytes, source.name);
    VtuCoding coding;
    // Arrays may be packed or may overlap: a small file must not fill the memory. The meshes that compress best,
    // lattices, need a third of this.
    coding.unpack_left = (std::uint64_t{16} << 20) + 30 * std::uint64_t{source.bytes.size()};
    const std::vector<Piece> pieces = read_structure(xml, coding);
    CellSoup soup;
    PieceReader reader(xml.text(), coding, soup);
    for (const Piece& piece : pieces) reader.read(piece);
    return finish_cells(std::move(soup), "vtu", source.name);
}

std::string format_vtu(const CellView& cells, bool ascii) {
    const auto corners = static_cast<std::size_t>(cells.per_cell);
    const std::size_t n = cells.points.size(), m = cells.cells();
    TextBuilder out(ascii ? n * 60 + m * 48 : n * 24 + m * (4 * corners + 9) + 4096);
    std::uint64_t offset = 0;
    // Each array's tag; in binary files its data follows in the same order at the end, behind its size in 8 bytes.
    auto array = [&](const char* name, const char* type, int components, std::uint64_t bytes, auto&& write_text) {
        out.text("<DataArray type=\"").text(type).text("\" Name=\"").text(name).text("\"");
        if (components > 1) out.text(" NumberOfComponents=\"").integer(components).text("\"");
        if (ascii) {
            out.text(" format=\"ascii\">\n");
            write_text();
            out.text("\n</DataArray>\n");
        } else {
            out.text(" format=\"appended\" offset=\"").integer(static_cast<long long>(offset)).text("\"/>\n");
            offset += 8 + bytes;
        }
    };
    auto integers = [&](std::size_t count, auto&& value) {
        return [&out, count, value] {
            for (std::size_t i = 0; i < count; ++i) out.integer(value(i)).text(i % 16 == 15 ? "\n" : " ");
        };
    };
    const int type = cells.per_cell == 4 ? 10 : 5;
    out.text(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"");
    out.integer(static_cast<long long>(n))
        .text("\" NumberOfCells=\"")
        .integer(static_cast<long long>(m))
        .text("\">\n<Points>\n");
    array("Points", "Float64", 3, 24 * n, [&] {
        for (const Vec3& p : cells.points) out.vector(p).text("\n");
    });
    out.text("</Points>\n<Cells>\n");
    array("connectivity", "Int32", 1, 4 * corners * m,
          integers(m * corners, [&](std::size_t i) { return cells.corners[i]; }));
    array("offsets", "Int32", 1, 4 * m,
          integers(m, [&](std::size_t i) { return static_cast<long long>((i + 1) * corners); }));
    array("types", "UInt8", 1, m, integers(m, [&](std::size_t) { return type; }));
    out.text("</Cells>\n");
    if (!cells.region.empty()) {
        out.text("<CellData Scalars=\"region\">\n");
        array("region", "Int32", 1, 4 * m, integers(m, [&](std::size_t i) { return cells.region[i]; }));
        out.text("</CellData>\n");
    }
    out.text("</Piece>\n</UnstructuredGrid>\n");
    if (ascii) return out.text("</VTKFile>\n").take();
    out.text("<AppendedData encoding=\"raw\">\n_");
    out.value(std::uint64_t{24 * n}).raw(cells.points.data(), 24 * n);
    out.value(std::uint64_t{4 * corners * m}).raw(cells.corners.data(), 4 * corners * m);
    out.value(std::uint64_t{4 * m});
    char* at = out.grow(4 * m);
    for (std::size_t i = 0; i < m; ++i, at += 4) {
        const auto end = static_cast<std::int32_t>((i + 1) * corners);
        std::memcpy(at, &end, 4);
    }
    out.value(std::uint64_t{m});
    std::memset(out.grow(m), type, m);
    if (!cells.region.empty()) out.value(std::uint64_t{4 * m}).raw(cells.region.data(), 4 * m);
    return out.text("\n</AppendedData>\n</VTKFile>\n").take();
}

}  // namespace pliant
