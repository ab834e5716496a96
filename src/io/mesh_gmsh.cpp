// Gmsh .msh 2.2 and 4.1, ascii and binary. The region of a tet is its physical group, or its entity without one.

#include <map>
#include <optional>

#include "pliant/core/text.hpp"
#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

struct ElementKind {
    int nodes;
    const char* name;
};

/// By Gmsh's type number; corner nodes come first in all of them.
std::optional<ElementKind> element_kind(long long type) {
    static const std::map<long long, ElementKind> kinds{
        {1, {2, "lines"}},       {2, {3, "triangles"}},   {3, {4, "quads"}},       {4, {4, "tets"}},
        {5, {8, "hexahedra"}},   {6, {6, "prisms"}},      {7, {5, "pyramids"}},    {8, {3, "lines"}},
        {9, {6, "triangles"}},   {10, {9, "quads"}},      {11, {10, "tets"}},      {12, {27, "hexahedra"}},
        {13, {18, "prisms"}},    {14, {14, "pyramids"}},  {15, {1, "points"}},     {16, {8, "quads"}},
        {17, {20, "hexahedra"}}, {18, {15, "prisms"}},    {19, {13, "pyramids"}},  {20, {9, "triangles"}},
        {21, {10, "triangles"}}, {22, {12, "triangles"}}, {23, {15, "triangles"}}, {26, {4, "lines"}},
        {27, {5, "lines"}},      {28, {6, "lines"}},      {29, {20, "tets"}},      {30, {35, "tets"}},
        {31, {56, "tets"}},
    };
    const auto found = kinds.find(type);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

/// One number after another, from text or from bytes. The caller says the width a binary file has it in.
class Numbers {
public:
    Numbers(std::string_view bytes, const std::string& name) : text_(bytes, name), binary_(bytes, name) {}

    bool is_binary = false;

    long long int32(const char* what) {
        return is_binary ? binary_.read<std::int32_t>(what) : text_.integer(what, -2147483648LL, 2147483647LL);
    }
    std::uint64_t size(const char* what) {
        return is_binary ? binary_.read<std::uint64_t>(what) : static_cast<std::uint64_t>(text_.integer(what, 0));
    }
    double real(const char* what) {
        if (!is_binary) return text_.number(what);
        const double value = binary_.read<double>(what);
        if (!(std::abs(value) < TextReader::largest_number))
            binary_.fail(std::string(what) + " is not a usable number", "Coordinates must be finite");
        return value;
    }
    /// `count` entries of so many bytes at least must still be there.
    void room(std::uint64_t count, std::size_t text_bytes, std::size_t binary_bytes, const char* what) {
        if (is_binary)
            binary_.need(count, binary_bytes, what);
        else
            text_.expect_room(count, text_bytes, what);
        if (count > 2147483647U) fail(std::string("too many ") + what);
    }
    [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) {
        if (is_binary) binary_.fail(message, remedy);
        text_.fail(message, remedy);
    }
    /// Text sections and binary ones alternate; the places are kept in step by these two.
    void to_binary() { binary_.seek(text_.position()); }
    void to_text() {
        if (is_binary) text_.seek(binary_.position());
    }
    TextReader& text() { return text_; }
    ForeignBytes& binary() { return binary_; }

private:
    TextReader text_;
    ForeignBytes binary_;
};

struct Reading {
    Numbers in;
    CellSoup soup;
    NodeNumbers numbers;
    std::map<long long, int> physical;  // of the volumes (4.1)
    bool nodes_seen = false, elements_seen = false;
};

void expect_end(Reading& r, const char* section) {
    const std::string_view found = r.in.text().word();
    if (found != section)
        r.in.text().fail(std::string("expected ") + section + ", found " +
                         (found.empty() ? "the end of the file" : in_quotes(found)));
}

void add_node(Reading& r, long long number, const Vec3& p) {
    r.numbers.add(number);
    r.soup.points.push_back(p);
}

void finish_nodes(Reading& r) {
    long long twice = 0;
    if (!r.numbers.finish(twice)) r.in.fail("two nodes have the number " + std::to_string(twice));
    r.nodes_seen = true;
}

/// Corner nodes through `next` (a callable giving node numbers); nodes of higher order are passed over.
template <class Next>
void add_element(Reading& r, long long type, const ElementKind& kind, int region, Next&& next) {
    const std::string_view name = kind.name;
    const bool tet = name == "tets", triangle = name == "triangles", quad = name == "quads";
    const int corners = tet || quad ? 4 : triangle ? 3 : 0;
    int node[4] = {0, 0, 0, 0};
    for (int k = 0; k < kind.nodes; ++k) {
        const long long number = next();
        if (k >= corners) continue;
        node[k] = r.numbers.index(number);
        if (node[k] < 0) r.in.fail("an element names node " + std::to_string(number) + ", which does not exist");
    }
    if (tet) {
        r.soup.tets.push_back({node[0], node[1], node[2], node[3]});
        r.soup.region.push_back(region);
    } else if (corners > 0) {
        r.soup.polygons.corners.insert(r.soup.polygons.corners.end(), node, node + corners);
        r.soup.polygons.sizes.push_back(corners);
    } else if (type != 1 && type != 15 && name != "lines") {
        r.soup.leave_out(name);
    }
}

const ElementKind& known_kind(Reading& r, long long type, std::optional<ElementKind>& kind) {
    kind = element_kind(type);
    if (!kind) r.in.fail("element type " + std::to_string(type) + " is not known", "Save the mesh with linear tets");
    return *kind;
}

// ---- 2.2 ----

void read_nodes_2(Reading& r) {
    TextReader& text = r.in.text();
    const auto count = static_cast<std::uint64_t>(text.integer("the number of nodes", 0));
    if (r.in.is_binary) text.skip_line(), r.in.to_binary();
    r.in.room(count, 8, 28, "nodes");
    r.soup.points.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const long long number = r.in.int32("the number of a node");
        Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = r.in.real("a coordinate");
        add_node(r, number, p);
    }
    finish_nodes(r);
    r.in.to_text();
}

/// The tags of a 2.2 element: physical group, entity, then partitions.
int read_tags(Numbers& in, long long tags) {
    long long physical = 0, entity = 0;
    for (long long k = 0; k < tags; ++k) {
        const long long tag = in.int32("an element's tag");
        if (k == 0) physical = tag;
        if (k == 1) entity = tag;
    }
    return static_cast<int>(physical != 0 ? physical : entity);
}

void read_elements_2(Reading& r) {
    TextReader& text = r.in.text();
    const auto count = static_cast<std::uint64_t>(text.integer("the number of elements", 0));
    if (r.in.is_binary) text.skip_line(), r.in.to_binary();
    r.in.room(count, 6, 8, "elements");
    auto next = [&] { return r.in.int32("a node of an element"); };
    std::optional<ElementKind> kind;
    for (std::uint64_t done = 0; done < count;) {
        long long block = 1, tags = 0, type = 0;
        if (r.in.is_binary) {
            type = r.in.int32("an element's type");
            block = r.in.int32("the number of elements in a block");
            tags = r.in.int32("the number of tags");
        } else {
            r.in.int32("the number of an element");
            type = r.in.int32("an element's type");
            tags = r.in.int32("the number of tags");
        }
        known_kind(r, type, kind);
        if (tags < 0 || tags > 1000) r.in.fail("an element has " + std::to_string(tags) + " tags");
        if (block < 1 || static_cast<std::uint64_t>(block) > count - done)
            r.in.fail("a block has " + std::to_string(block) + " elements, more than are left");
        for (long long i = 0; i < block; ++i) {
            if (r.in.is_binary) r.in.int32("the number of an element");
            const int region = read_tags(r.in, tags);
            add_element(r, type, *kind, region, next);
        }
        done += static_cast<std::uint64_t>(block);
    }
    r.elements_seen = true;
    r.in.to_text();
}

// ---- 4.1 ----

void read_entities_4(Reading& r) {
    if (r.in.is_binary) r.in.text().skip_line(), r.in.to_binary();
    std::uint64_t count[4];
    for (std::uint64_t& n : count) n = r.in.size("the number of entities");
    for (int dim = 0; dim < 4; ++dim) {
        r.in.room(count[dim], 8, dim == 0 ? 36 : 68, "entities");
        for (std::uint64_t i = 0; i < count[dim]; ++i) {
            const long long tag = r.in.int32("the tag of an entity");
            for (int k = 0; k < (dim == 0 ? 3 : 6); ++k) {  // a bounding box that may be infinite: never mind
                if (r.in.is_binary)
                    r.in.binary().read<double>("a bound");
                else
                    r.in.text().word();
            }
            const std::uint64_t groups = r.in.size("the number of physical groups");
            r.in.room(groups, 2, 4, "physical groups");
            for (std::uint64_t k = 0; k < groups; ++k) {
                const long long group = r.in.int32("a physical group");
                if (dim == 3 && k == 0) r.physical[tag] = static_cast<int>(group);
            }
            if (dim == 0) continue;
            const std::uint64_t bounds = r.in.size("the number of bounding entities");
            r.in.room(bounds, 2, 4, "bounding entities");
            for (std::uint64_t k = 0; k < bounds; ++k) r.in.int32("a bounding entity");
        }
    }
    r.in.to_text();
}

void read_nodes_4(Reading& r) {
    if (r.in.is_binary) r.in.text().skip_line(), r.in.to_binary();
    const std::uint64_t blocks = r.in.size("the number of node blocks");
    const std::uint64_t total = r.in.size("the number of nodes");
    r.in.size("the smallest node number"), r.in.size("the largest node number");
    r.in.room(total, 8, 32, "nodes");
    r.in.room(blocks, 8, 20, "node blocks");
    r.soup.points.reserve(total);
    std::vector<long long> tags;
    for (std::uint64_t b = 0; b < blocks; ++b) {
        const long long dim = r.in.int32("the dimension of an entity");
        r.in.int32("the tag of an entity");
        const long long parametric = r.in.int32("the parametric flag");
        const std::uint64_t count = r.in.size("the number of nodes in a block");
        if (dim < 0 || dim > 3) r.in.fail("an entity has the dimension " + std::to_string(dim));
        const long long extra = parametric != 0 ? dim : 0;
        r.in.room(count, 8, 32 + 8 * static_cast<std::size_t>(extra), "nodes in a block");
        tags.clear();
        for (std::uint64_t i = 0; i < count; ++i)
            tags.push_back(static_cast<long long>(r.in.size("the number of a node")));
        for (std::uint64_t i = 0; i < count; ++i) {
            Vec3 p;
            for (int k = 0; k < 3; ++k) p[k] = r.in.real("a coordinate");
            for (long long k = 0; k < extra; ++k) r.in.real("a parameter");
            add_node(r, tags[i], p);
        }
    }
    finish_nodes(r);
    r.in.to_text();
}

void read_elements_4(Reading& r) {
    if (r.in.is_binary) r.in.text().skip_line(), r.in.to_binary();
    const std::uint64_t blocks = r.in.size("the number of element blocks");
    const std::uint64_t total = r.in.size("the number of elements");
    r.in.size("the smallest element number"), r.in.size("the largest element number");
    r.in.room(total, 4, 16, "elements");
    r.in.room(blocks, 8, 20, "element blocks");
    auto next = [&] { return static_cast<long long>(r.in.size("a node of an element")); };
    std::optional<ElementKind> kind;
    for (std::uint64_t b = 0; b < blocks; ++b) {
        const long long dim = r.in.int32("the dimension of an entity");
        const long long entity = r.in.int32("the tag of an entity");
        const long long type = r.in.int32("an element's type");
        const std::uint64_t count = r.in.size("the number of elements in a block");
        known_kind(r, type, kind);
        const auto width = static_cast<std::size_t>(kind->nodes) + 1;
        r.in.room(count, 2 * width, 8 * width, "elements in a block");
        const auto group = dim == 3 ? r.physical.find(entity) : r.physical.end();
        const int region = group != r.physical.end() ? group->second : static_cast<int>(entity);
        if (std::string_view(kind->name) == "tets") r.soup.tets.reserve(r.soup.tets.size() + count);
        for (std::uint64_t i = 0; i < count; ++i) {
            r.in.size("the number of an element");
            add_element(r, type, *kind, region, next);
        }
    }
    r.elements_seen = true;
    r.in.to_text();
}

/// Returns the major version.
int read_format(Reading& r) {
    TextReader& text = r.in.text();
    const std::size_t place = text.position();
    const double version = text.number("the version");
    const bool is_binary = text.integer("the file type", 0, 1) == 1;
    text.integer("the data size", 8, 8);
    const bool old_one = version >= 2 && version < 3, new_one = version >= 4.1 && version < 5;
    if (!old_one && !new_one)
        text.fail_at(place, "Gmsh format " + short_number(version) + " is not read; 2.2 and 4.1 are",
                     "Save it with -format msh41 or msh22");
    if (is_binary) {
        text.skip_line();
        r.in.to_binary();
        const auto one = r.in.binary().read<std::int32_t>("the byte-order mark");
        if (one != 1 && swapped_bytes(one) != 1) r.in.binary().fail("the byte-order mark is neither order of 1");
        r.in.binary().set_swap(one != 1);
        r.in.is_binary = true;
        r.in.to_text();
    }
    expect_end(r, "$EndMeshFormat");
    return old_one ? 2 : 4;
}

/// Passes over a section that says nothing about the mesh; its end is a line of its own.
void skip_section(Reading& r, std::string_view section) {
    TextReader& text = r.in.text();
    const std::string end = "\n$End" + std::string(section.substr(1));
    const std::size_t found = text.text().find(end, text.position());
    if (found == std::string_view::npos)
        text.fail("the section " + in_quotes(section) + " has no end", "The file is truncated: get it again");
    text.seek(found + end.size());
}

}  // namespace

MeshFile parse_gmsh(const MeshSource& source) {
    Reading r{Numbers(source.bytes, source.name), {}, {}, {}};
    TextReader& text = r.in.text();
    int version = 0;
    while (!text.at_end()) {
        const std::string section(text.word());
        if (section == "$MeshFormat") {
            if (version != 0) text.fail("there are two $MeshFormat sections");
            version = read_format(r);
            continue;
        }
        if (section.empty() || section[0] != '$')
            text.fail("expected a section such as $Nodes, found " + in_quotes(section));
        if (section.size() > 60) text.fail("unknown section " + in_quotes(section));
        if (section == "$Comments" || (version != 0 && section != "$Nodes" && section != "$Elements" &&
                                       (section != "$Entities" || version == 2))) {
            skip_section(r, section);
            continue;
        }
        if (version == 0) text.fail("the file does not start with $MeshFormat", "Gmsh 1 files are not read");
        if (section == "$Entities") {
            read_entities_4(r);
            expect_end(r, "$EndEntities");
        } else if (section == "$Nodes") {
            if (r.nodes_seen) text.fail("there are two $Nodes sections");
            version == 2 ? read_nodes_2(r) : read_nodes_4(r);
            expect_end(r, "$EndNodes");
        } else {
            if (!r.nodes_seen) text.fail("$Elements comes before $Nodes");
            if (r.elements_seen) text.fail("there are two $Elements sections");
            version == 2 ? read_elements_2(r) : read_elements_4(r);
            expect_end(r, "$EndElements");
        }
    }
    return finish_cells(std::move(r.soup), "msh", source.name);
}

}  // namespace pliant
