// Vega FEM .veg: *VERTICES and *ELEMENTS (TET), whose bodies are those of TetGen's files and may be included from
// them; *SET and *REGION make the region numbers.

#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_tetgen.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

/// Calls read(reader) on the text here, or on the file that *INCLUDE names.
template <class Read>
void read_here_or_included(TextReader& in, const MeshSource& source, Read&& read) {
    if (!same_word(in.peek(), "*INCLUDE")) return read(in);
    in.word();
    const std::string leaf(in.word_on_line());
    if (leaf.empty()) in.fail("*INCLUDE needs a file name");
    const auto text = source.beside ? source.beside(leaf) : std::nullopt;
    if (!text) in.fail("the included file " + in_quotes(leaf) + " is not beside it", "Copy it there");
    TextReader included(*text, (std::filesystem::path(source.name).parent_path() / leaf).string(), '#');
    read(included);
}

/// "3, 4, 5," over several lines: element numbers up to the next section.
std::vector<long long> read_set(TextReader& in) {
    std::vector<long long> members;
    while (!in.at_end() && in.peek()[0] != '*') {
        std::string_view word = in.word();
        while (!word.empty()) {
            const std::size_t comma = word.find(',');
            const std::string_view item = word.substr(0, comma);
            word.remove_prefix(comma == std::string_view::npos ? word.size() : comma + 1);
            if (item.empty()) continue;
            long long value = 0;
            const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
            if (error != std::errc{} || end != item.data() + item.size())
                in.fail("expected the number of an element, found " + in_quotes(item));
            members.push_back(value);
        }
    }
    return members;
}

/// Our own files call region 7 "r7"; other names are numbered as they come.
int region_number(std::string_view name, std::size_t order) {
    int number = 0;
    if (name.size() > 1 && name[0] == 'r') {
        const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
        if (error == std::errc{} && end == name.data() + name.size()) return number;
    }
    return static_cast<int>(order);
}

}  // namespace

MeshFile parse_veg(const MeshSource& source) {
    TextReader in(source.bytes, source.name, '#');
    CellSoup soup;
    NodeNumbers numbers;
    std::map<std::string, std::vector<long long>, std::less<>> sets;
    std::set<std::string, std::less<>> assigned;  // each set once: no file can make us go over a set many times
    bool nodes_seen = false, tets_seen = false;
    while (!in.at_end()) {
        const std::string_view key = in.word();
        if (same_word(key, "*VERTICES")) {
            if (nodes_seen) in.fail("there are two *VERTICES sections");
            nodes_seen = true;
            read_here_or_included(in, source, [&](TextReader& r) { read_tetgen_nodes(r, soup.points, numbers); });
        } else if (same_word(key, "*ELEMENTS")) {
            if (!nodes_seen) in.fail("*ELEMENTS comes before *VERTICES");
            if (tets_seen) in.fail("there are two *ELEMENTS sections");
            tets_seen = true;
            const std::string_view kind = in.word();
            if (!same_word(kind, "TET") && !same_word(kind, "TETS"))
                in.fail("the elements are of the kind " + in_quotes(kind) + "; only TET is read");
            read_here_or_included(in, source, [&](TextReader& r) { read_tetgen_tets(r, numbers, soup); });
        } else if (same_word(key, "*SET")) {
            const std::string name(in.rest_of_line());
            sets[name] = read_set(in);
        } else if (same_word(key, "*REGION")) {
            if (in.at_line_end()) in.skip_line();
            const std::string_view line = in.rest_of_line();
            const std::string name(line.substr(0, line.find(',')));
            if (!assigned.insert(name).second) in.fail("the set " + in_quotes(name) + " has two regions");
            const int region = region_number(name, assigned.size());
            soup.region.resize(soup.tets.size(), 0);
            if (same_word(name, "allElements")) {
                std::fill(soup.region.begin(), soup.region.end(), region);
                continue;
            }
            const auto set = sets.find(name);
            if (set == sets.end())
                in.fail("the region names the set " + in_quotes(name) + ", which is not defined above");
            for (long long element : set->second) {
                if (element < 1 || element > static_cast<long long>(soup.tets.size()))
                    in.fail("the set " + in_quotes(name) + " names element " + std::to_string(element) +
                            ", but there are " + std::to_string(soup.tets.size()));
                soup.region[static_cast<std::size_t>(element - 1)] = region;
            }
        } else if (!key.empty() && key[0] == '*') {
            while (!in.at_end() && in.peek()[0] != '*') in.skip_line();  // *MATERIAL and others
        } else {
            in.fail("expected a section such as *VERTICES, found " + in_quotes(key));
        }
    }
    if (assigned.count("allElements") == 1 && assigned.size() == 1) soup.region.clear();  // the whole body: no news
    return finish_cells(std::move(soup), "veg", source.name);
}

std::string format_veg(const TetMesh& mesh) {
    TextBuilder out(mesh.rest.size() * 64 + mesh.tets.size() * 48);
    out.text("# Vega FEM mesh, metres\n*VERTICES\n").text(format_tetgen_nodes(mesh));
    TetMesh plain;
    plain.tets = mesh.tets;
    out.text("\n*ELEMENTS\nTET\n").text(format_tetgen_tets(plain));
    if (mesh.region.empty()) return out.take();
    // Vega knows regions by name only: r<number>, in ascending order.
    std::map<int, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < mesh.region.size(); ++i) members[mesh.region[i]].push_back(i);
    out.text("\n*MATERIAL default\nENU, 1000, 100000, 0.33\n");
    for (const auto& [region, tets] : members) {
        out.text("\n*SET r").integer(region).text("\n");
        for (std::size_t k = 0; k < tets.size(); ++k)
            out.integer(static_cast<long long>(tets[k]) + 1).text(k % 16 == 15 || k + 1 == tets.size() ? "\n" : ", ");
    }
    for (const auto& [region, tets] : members) out.text("\n*REGION\nr").integer(region).text(", default\n");
    return out.take();
}

}  // namespace pliant
