// Legacy .vtk, versions 1 to 5.1, ascii and binary (big-endian): unstructured grids and polygon data.

#include "pliant/io/mesh_vtk.hpp"

#include <array>

#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

/// Bytes of a legacy type in a binary file; 0: unknown.
struct ScalarType {
    char kind;  // 'i' signed, 'u' unsigned, 'f' real, 'b' bits
    std::size_t bytes;
};

ScalarType scalar_named(TextReader& in, std::string_view name) {
    struct Entry {
        const char* name;
        ScalarType type;
    };
    constexpr Entry table[] = {{"bit", {'b', 1}},
                               {"unsigned_char", {'u', 1}},
                               {"char", {'i', 1}},
                               {"signed_char", {'i', 1}},
                               {"unsigned_short", {'u', 2}},
                               {"short", {'i', 2}},
                               {"unsigned_int", {'u', 4}},
                               {"int", {'i', 4}},
                               {"unsigned_long", {'u', 8}},
                               {"long", {'i', 8}},
                               {"float", {'f', 4}},
                               {"double", {'f', 8}},
                               {"vtkIdType", {'i', 4}},
                               {"vtktypeint64", {'i', 8}},
                               {"vtktypeuint64", {'u', 8}}};
    for (const Entry& entry : table)
        if (same_word(name, entry.name)) return entry.type;
    in.fail("unknown VTK type " + in_quotes(name));
}

class LegacyReader {
public:
    explicit LegacyReader(const MeshSource& source)
        : text(source.bytes, source.name), bytes(source.bytes, source.name, 0, true) {}

    TextReader text;
    bool binary = false;

    /// `count` numbers that start on the next line. T: double or long long.
    template <class T>
    std::vector<T> array(std::uint64_t count, ScalarType type, const char* what) {
        std::vector<T> out;
        if (!binary) {
            text.expect_room(count, 2, what);
            out.reserve(count);
            for (std::uint64_t i = 0; i < count; ++i) {
                if constexpr (std::is_same_v<T, double>)
                    out.push_back(text.number(what));
                else
                    out.push_back(text.integer(what));
            }
            return out;
        }
        start_binary();
        if (type.kind == 'b') {
            bytes.take(count / 8 + (count % 8 != 0), what);
        } else {
            bytes.need(count, type.bytes, what);
            out.reserve(count);
            for (std::uint64_t i = 0; i < count; ++i) out.push_back(scalar<T>(type, what));
        }
        text.seek(bytes.position());
        return out;
    }
    void skip_array(std::uint64_t count, ScalarType type) {
        if (!binary) {
            text.expect_room(count, 2, "the values of an array");
            for (std::uint64_t i = 0; i < count; ++i)
                if (text.word().empty()) text.fail("the file ends inside an array", "It is truncated: get it again");
            return;
        }
        start_binary();
        if (type.kind == 'b') {
            bytes.take(count / 8 + (count % 8 != 0), "the values of an array");
        } else {
            bytes.need(count, type.bytes, "values of an array");
            bytes.take(count * type.bytes, "values of an array");
        }
        text.seek(bytes.position());
    }
    /// A count in a header line; what it stands for is checked when the data is read.
    std::uint64_t count(const char* what) { return static_cast<std::uint64_t>(text.integer(what, 0, 1LL << 40)); }
    ScalarType type() { return scalar_named(text, text.word_on_line()); }

private:
    void start_binary() {
        text.skip_line();
        bytes.seek(text.position());
    }
    template <class T>
    T scalar(ScalarType type, const char* what) {
        switch (type.kind == 'f' ? 16 + type.bytes : type.kind == 'u' ? 32 + type.bytes : type.bytes) {
            case 1: return static_cast<T>(bytes.read<std::int8_t>(what));
            case 2: return static_cast<T>(bytes.read<std::int16_t>(what));
            case 4: return static_cast<T>(bytes.read<std::int32_t>(what));
            case 8: return static_cast<T>(bytes.read<std::int64_t>(what));
            case 33: return static_cast<T>(bytes.read<std::uint8_t>(what));
            case 34: return static_cast<T>(bytes.read<std::uint16_t>(what));
            case 36: return static_cast<T>(bytes.read<std::uint32_t>(what));
            case 40: return static_cast<T>(bytes.read<std::uint64_t>(what));
            default: break;
        }
        const double real = type.bytes == 4 ? bytes.read<float>(what) : bytes.read<double>(what);
        if (!(std::abs(real) < TextReader::largest_number)) bytes.fail(std::string(what) + " is not a usable number");
        return static_cast<T>(std::is_same_v<T, double> || std::abs(real) < 1e18 ? real : -1);
    }
    ForeignBytes bytes;
};

/// Corner lists of cells as one array with the start of each cell; either way of writing them ends up here.
struct CellList {
    std::vector<long long> corners;
    std::vector<std::size_t> start{0};  // one more than there are cells

    std::size_t size() const { return start.size() - 1; }
};

CellList read_cells(LegacyReader& in) {
    const std::uint64_t first = in.count("the number of cells"), second = in.count("the size of the cell list");
    CellList list;
    const std::size_t place = in.text.position();
    if (same_word(in.text.word(), "OFFSETS")) {  // version 5.1
        const std::vector<long long> offsets = in.array<long long>(first, in.type(), "a cell offset");
        if (!same_word(in.text.word(), "CONNECTIVITY")) in.text.fail("expected CONNECTIVITY after the offsets");
        list.corners = in.array<long long>(second, in.type(), "a corner of a cell");
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > static_cast<long long>(list.corners.size()))
                in.text.fail("the cell offsets do not ascend within the cell list");
            if (i > 0)
                list.start.push_back(static_cast<std::size_t>(offsets[i]));
            else if (offsets[i] != 0)
                in.text.fail("the first cell offset is not zero");
        }
        return list;
    }
    in.text.seek(place);
    list.corners = in.array<long long>(second, {'i', 4}, "a corner of a cell");
    // n c1 … cn n c1 …: the counts are taken out in place.
    std::size_t from = 0, to = 0;
    for (std::uint64_t cell = 0; cell < first; ++cell) {
        if (from >= list.corners.size()) in.text.fail("the cell list is shorter than its cells");
        const long long n = list.corners[from++];
        if (n < 0 || static_cast<std::uint64_t>(n) > list.corners.size() - from)
            in.text.fail("a cell has " + std::to_string(n) + " corners, more than its list");
        for (long long k = 0; k < n; ++k) list.corners[to++] = list.corners[from++];
        list.start.push_back(to);
    }
    list.corners.resize(to);
    return list;
}

struct Grid {
    std::vector<Vec3> points;
    CellList cells;
    std::vector<long long> types;
    std::vector<std::pair<CellList, long long>> polygon_cells;  // of POLYDATA, with the VTK type they stand for
    std::vector<double> region;
    int region_rank = 0;
    bool points_seen = false, cells_seen = false;
};

void take_region(LegacyReader& in, Grid& grid, bool of_cells, std::string_view name, std::uint64_t tuples,
                 std::uint64_t components, ScalarType type) {
    const int rank = of_cells && components == 1 ? region_name_rank(name) : 0;
    if (components > 1000) in.text.fail("an array has " + std::to_string(components) + " components");
    if (rank > grid.region_rank) {
        grid.region = in.array<double>(tuples, type, "a region number");
        grid.region_rank = rank;
    } else {
        in.skip_array(tuples * components, type);
    }
}

void skip_metadata(TextReader& text) {
    text.skip_line();
    while (text.remaining() > 0 && !text.rest_of_line().empty()) {
    }
}

/// One attribute of CELL_DATA or POINT_DATA. False: not an attribute.
bool read_attribute(LegacyReader& in, Grid& grid, std::string_view key, bool of_cells, std::uint64_t n) {
    TextReader& text = in.text;
    if (same_word(key, "FIELD")) {
        text.word_on_line();
        const std::uint64_t arrays = in.count("the number of arrays");
        for (std::uint64_t a = 0; a < arrays; ++a) {
            std::string name(text.word());
            if (name.empty()) text.fail("the file ends inside a field", "It is truncated: get it again");
            if (same_word(name, "METADATA")) {
                skip_metadata(text);
                name = std::string(text.word());
            }
            const std::uint64_t components = in.count("the number of components"),
                                tuples = in.count("the number of tuples");
            if (same_word(text.peek(), "string"))
                text.fail("arrays of text are not read", "Save the mesh without them");
            const ScalarType type = in.type();
            take_region(in, grid, of_cells, name, tuples, components, type);
        }
    } else if (same_word(key, "SCALARS")) {
        const std::string name(text.word_on_line());
        const ScalarType type = in.type();
        const std::uint64_t components = text.at_line_end() ? 1 : in.count("the number of components");
        const std::size_t place = text.position();
        if (same_word(text.word(), "LOOKUP_TABLE"))
            text.word_on_line();
        else
            text.seek(place);
        take_region(in, grid, of_cells, name, n, components, type);
    } else if (same_word(key, "VECTORS") || same_word(key, "NORMALS")) {
        text.word_on_line();
        in.skip_array(3 * n, in.type());
    } else if (same_word(key, "TENSORS")) {
        text.word_on_line();
        in.skip_array(9 * n, in.type());
    } else if (same_word(key, "GLOBAL_IDS") || same_word(key, "PEDIGREE_IDS")) {
        text.word_on_line();
        in.skip_array(n, in.type());
    } else if (same_word(key, "TEXTURE_COORDINATES")) {
        text.word_on_line();
        const std::uint64_t dim = static_cast<std::uint64_t>(text.integer("the dimension", 1, 3));
        in.skip_array(dim * n, in.type());
    } else if (same_word(key, "COLOR_SCALARS") || same_word(key, "LOOKUP_TABLE")) {
        text.word_on_line();
        const std::uint64_t count = in.count("the number of values");
        if (count > 1 << 20) text.fail("a colour table has " + std::to_string(count) + " values");
        in.skip_array(same_word(key, "LOOKUP_TABLE") ? 4 * count : count * n,
                      in.binary ? ScalarType{'u', 1} : ScalarType{'f', 4});
    } else {
        return false;
    }
    return true;
}

void read_header(LegacyReader& in) {
    TextReader& text = in.text;
    if (text.rest_of_line().substr(0, 14) != "# vtk DataFile")
        text.fail_at(0, "does not start with '# vtk DataFile', so it is no VTK file");
    text.skip_line();  // a title
    const std::string_view coding = text.word();
    if (same_word(coding, "BINARY"))
        in.binary = true;
    else if (!same_word(coding, "ASCII"))
        text.fail("expected ASCII or BINARY, found " + in_quotes(coding));
    if (!same_word(text.word(), "DATASET")) text.fail("expected DATASET");
    const std::string_view kind = text.word();
    if (!same_word(kind, "UNSTRUCTURED_GRID") && !same_word(kind, "POLYDATA"))
        text.fail("holds a data set of the kind " + in_quotes(kind),
                  "Save it as an unstructured grid or as polygon data");
}

void add_cells(LegacyReader& in, CellSoup& soup, const CellList& list, const std::vector<long long>* types,
               long long one_type, const std::vector<double>& region) {
    const auto points = static_cast<long long>(soup.points.size());
    std::vector<int> corners;
    for (std::size_t c = 0; c < list.size(); ++c) {
        corners.clear();
        for (std::size_t k = list.start[c]; k < list.start[c + 1]; ++k) {
            if (list.corners[k] < 0 || list.corners[k] >= points)
                in.text.fail("cell " + std::to_string(c) + " names point " + std::to_string(list.corners[k]) +
                             ", but the points are numbered 0 … " + std::to_string(points - 1));
            corners.push_back(static_cast<int>(list.corners[k]));
        }
        const long long type = types ? (*types)[c] : one_type;
        if (!add_vtk_cell(soup, type, corners, c < region.size() ? region_from(region[c]) : 0))
            in.text.fail("cell " + std::to_string(c) + " has too few corners for its type " + std::to_string(type));
    }
}

}  // namespace

MeshFile parse_vtk(const MeshSource& source) {
    LegacyReader in(source);
    read_header(in);
    Grid grid;
    bool of_cells = false, in_data = false;
    std::uint64_t data_count = 0;
    TextReader& text = in.text;
    while (!text.at_end()) {
        const std::string key(text.word().substr(0, 64));
        if (same_word(key, "POINTS")) {
            if (grid.points_seen) text.fail("there are two POINTS sections");
            grid.points_seen = true;
            const std::uint64_t n = in.count("the number of points");
            const ScalarType type = in.type();
            const std::vector<double> x = in.array<double>(3 * n, type, "a coordinate");
            grid.points.resize(x.size() / 3);
            for (std::size_t i = 0; i < grid.points.size(); ++i)
                grid.points[i] = Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        } else if (same_word(key, "CELLS")) {
            if (grid.cells_seen) text.fail("there are two CELLS sections");
            grid.cells_seen = true;
            grid.cells = read_cells(in);
        } else if (same_word(key, "CELL_TYPES")) {
            if (!grid.types.empty()) text.fail("there are two CELL_TYPES sections");
            grid.types = in.array<long long>(in.count("the number of cell types"), {'i', 4}, "a cell type");
        } else if (same_word(key, "POLYGONS")) {
            grid.polygon_cells.emplace_back(read_cells(in), 7);
        } else if (same_word(key, "TRIANGLE_STRIPS")) {
            grid.polygon_cells.emplace_back(read_cells(in), 6);
        } else if (same_word(key, "VERTICES") || same_word(key, "LINES")) {
            read_cells(in);
        } else if (same_word(key, "CELL_DATA") || same_word(key, "POINT_DATA")) {
            of_cells = same_word(key, "CELL_DATA"), in_data = true;
            data_count = in.count("the number of values");
        } else if (same_word(key, "METADATA")) {
            skip_metadata(text);
        } else if (!read_attribute(in, grid, key, in_data && of_cells, data_count)) {
            text.fail("expected a section such as POINTS or CELLS, found " + in_quotes(key));
        }
    }
    if (grid.types.size() != grid.cells.size())
        text.fail("there are " + std::to_string(grid.cells.size()) + " cells but " + std::to_string(grid.types.size()) +
                  " cell types");
    CellSoup soup;
    soup.points = std::move(grid.points);
    add_cells(in, soup, grid.cells, &grid.types, 0, grid.region);
    for (const auto& [list, type] : grid.polygon_cells) add_cells(in, soup, list, nullptr, type, {});
    return finish_cells(std::move(soup), "vtk", source.name);
}

std::string format_vtk(const CellView& cells, bool ascii) {
    const auto corners = static_cast<std::size_t>(cells.per_cell);
    const std::size_t n = cells.points.size(), m = cells.cells();
    const int type = cells.per_cell == 4 ? 10 : 5;
    TextBuilder out(ascii ? n * 60 + m * 48 : n * 24 + m * 4 * (corners + 3));
    // Big-endian, value by value into one block.
    auto block = [&](auto value_at, std::size_t count) {
        using T = decltype(value_at(std::size_t{0}));
        char* at = out.grow(count * sizeof(T));
        for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
            const T value = swapped_bytes(value_at(i));
            std::memcpy(at, &value, sizeof value);
        }
        out.text("\n");
    };
    out.text("# vtk DataFile Version 3.0\npliant mesh, metres\n").text(ascii ? "ASCII\n" : "BINARY\n");
    out.text("DATASET UNSTRUCTURED_GRID\nPOINTS ").integer(static_cast<long long>(n)).text(" double\n");
    if (ascii)
        for (const Vec3& p : cells.points) out.vector(p).text("\n");
    else
        block([&](std::size_t i) { return cells.points[i / 3][static_cast<Eigen::Index>(i % 3)]; }, 3 * n);
    out.text("CELLS ")
        .integer(static_cast<long long>(m))
        .text(" ")
        .integer(static_cast<long long>(m * (corners + 1)))
        .text("\n");
    if (ascii)
        for (std::size_t i = 0; i < m; ++i) {
            out.integer(cells.per_cell);
            for (std::size_t k = 0; k < corners; ++k) out.text(" ").integer(cells.corners[corners * i + k]);
            out.text("\n");
        }
    else
        block(
            [&, width = corners + 1](std::size_t i) -> std::int32_t {
                return i % width == 0 ? cells.per_cell : cells.corners[i / width * corners + i % width - 1];
            },
            m*(corners + 1));
    out.text("CELL_TYPES ").integer(static_cast<long long>(m)).text("\n");
    if (ascii)
        for (std::size_t i = 0; i < m; ++i) out.integer(type).text("\n");
    else
        block([&](std::size_t) -> std::int32_t { return type; }, m);
    if (cells.region.empty()) return out.take();
    out.text("CELL_DATA ").integer(static_cast<long long>(m)).text("\nSCALARS region int 1\nLOOKUP_TABLE default\n");
    if (ascii)
        for (int r : cells.region) out.integer(r).text("\n");
    else
        block([&](std::size_t i) -> std::int32_t { return cells.region[i]; }, m);
    return out.take();
}

}  // namespace pliant
