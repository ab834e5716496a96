// Gmsh .msh out: 4.1 (default) or 2.2, binary (default) or ascii. Each region becomes an entity of its number.

#include <algorithm>
#include <map>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_text.hpp"

namespace pliant {

namespace {

/// Cells by region, ascending. Gmsh wants entity tags above zero, so region 0 and below become fresh tags.
std::map<int, std::vector<std::uint32_t>> cells_by_entity(const CellView& cells) {
    std::map<int, std::vector<std::uint32_t>> groups;
    if (cells.region.empty()) {
        auto& all = groups[1];
        all.resize(cells.cells());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
        return groups;
    }
    for (std::size_t i = 0; i < cells.cells(); ++i) groups[cells.region[i]].push_back(static_cast<std::uint32_t>(i));
    return groups;
}

Box bounds_of(const CellView& cells) {
    Box box;
    for (const Vec3& p : cells.points) box.add(p);
    return box;
}

std::string format_2(const CellView& cells, bool ascii) {
    const auto corners = static_cast<std::size_t>(cells.per_cell);
    const std::size_t n = cells.points.size(), m = cells.cells();
    const int type = cells.per_cell == 4 ? 4 : 2;
    TextBuilder out(ascii ? n * 64 + m * 48 : n * 28 + m * (4 * corners + 12));
    out.text(ascii ? "$MeshFormat\n2.2 0 8\n" : "$MeshFormat\n2.2 1 8\n");
    if (!ascii) out.value(std::int32_t{1}).text("\n");
    out.text("$EndMeshFormat\n$Nodes\n").integer(static_cast<long long>(n)).text("\n");
    for (std::size_t i = 0; i < n; ++i) {
        const auto number = static_cast<std::int32_t>(i + 1);
        if (ascii)
            out.integer(number).text(" ").vector(cells.points[i]).text("\n");
        else
            out.value(number).raw(cells.points[i].data(), 24);
    }
    out.text(ascii ? "$EndNodes\n$Elements\n" : "\n$EndNodes\n$Elements\n")
        .integer(static_cast<long long>(m))
        .text("\n");
    if (!ascii) out.value(std::int32_t{type}).value(static_cast<std::int32_t>(m)).value(std::int32_t{2});
    for (std::size_t i = 0; i < m; ++i) {
        const std::int32_t region = cells.region.empty() ? 0 : cells.region[i];
        const auto number = static_cast<std::int32_t>(i + 1), entity = region > 0 ? region : 1;
        if (ascii) {
            out.integer(number).text(" ").integer(type).text(" 2 ").integer(region).text(" ").integer(entity);
            for (std::size_t k = 0; k < corners; ++k) out.text(" ").integer(cells.corners[corners * i + k] + 1);
            out.text("\n");
        } else {
            std::int32_t record[7] = {number, region, entity, 0, 0, 0, 0};
            for (std::size_t k = 0; k < corners; ++k) record[3 + k] = cells.corners[corners * i + k] + 1;
            out.raw(record, 4 * (3 + corners));
        }
    }
    return out.text(ascii ? "$EndElements\n" : "\n$EndElements\n").take();
}

std::string format_4(const CellView& cells, bool ascii) {
    using Size = std::uint64_t;
    const auto corners = static_cast<std::size_t>(cells.per_cell);
    const std::size_t n = cells.points.size(), m = cells.cells();
    const int dim = cells.per_cell - 1;
    const std::int32_t type = cells.per_cell == 4 ? 4 : 2;
    const auto groups = cells_by_entity(cells);
    const bool named = !cells.region.empty();
    TextBuilder out(ascii ? n * 64 + m * 48 : n * 32 + m * 8 * (corners + 1));
    auto size = [&](Size v, const char* after) {
        ascii ? out.integer(static_cast<long long>(v)).text(after) : out.value(v);
    };
    auto int32 = [&](std::int32_t v, const char* after) { ascii ? out.integer(v).text(after) : out.value(v); };
    auto real = [&](double v, const char* after) { ascii ? out.number(v).text(after) : out.value(v); };
    const char* section_end = ascii ? "" : "\n";

    out.text(ascii ? "$MeshFormat\n4.1 0 8\n" : "$MeshFormat\n4.1 1 8\n");
    if (!ascii) out.value(std::int32_t{1}).text("\n");
    out.text("$EndMeshFormat\n$Entities\n");
    for (int d = 0; d < 4; ++d) size(d == dim ? groups.size() : 0, d == 3 ? "\n" : " ");
    const Box box = bounds_of(cells);
    int fresh = 0;  // entity tags for regions at or below zero: above every region there is
    for (const auto& [region, members] : groups) fresh = std::max(fresh, region);
    std::map<int, std::int32_t> tag_of;
    for (const auto& [region, members] : groups) {
        const std::int32_t tag = tag_of[region] = region > 0 || fresh == 2147483647 ? region : ++fresh;
        int32(tag, " ");
        for (int k = 0; k < 3; ++k) real(box.min[k], " ");
        for (int k = 0; k < 3; ++k) real(box.max[k], " ");
        size(named && dim == 3 ? 1 : 0, " ");
        if (named && dim == 3) int32(region, " ");
        size(0, "\n");
    }
    out.text(section_end).text("$EndEntities\n$Nodes\n");
    size(1, " "), size(n, " "), size(n > 0 ? 1 : 0, " "), size(n, "\n");
    int32(dim, " "), int32(tag_of.begin()->second, " "), int32(0, " "), size(n, "\n");
    for (std::size_t i = 0; i < n; ++i) size(i + 1, "\n");
    if (ascii)
        for (const Vec3& p : cells.points) out.vector(p).text("\n");
    else
        out.raw(cells.points.data(), n * sizeof(Vec3));
    out.text(section_end).text("$EndNodes\n$Elements\n");
    size(groups.size(), " "), size(m, " "), size(m > 0 ? 1 : 0, " "), size(m, "\n");
    Size number = 0;
    for (const auto& [region, members] : groups) {
        int32(dim, " "), int32(tag_of[region], " "), int32(type, " "), size(members.size(), "\n");
        char* at = ascii ? nullptr : out.grow(members.size() * 8 * (1 + corners));
        for (const std::uint32_t cell : members) {
            const int* corner = cells.corners.data() + corners * cell;
            ++number;
            if (ascii) {
                out.integer(static_cast<long long>(number));
                for (std::size_t k = 0; k < corners; ++k) out.text(" ").integer(corner[k] + 1);
                out.text("\n");
            } else {
                Size record[5] = {number, 0, 0, 0, 0};
                for (std::size_t k = 0; k < corners; ++k) record[1 + k] = static_cast<Size>(corner[k]) + 1;
                std::memcpy(at, record, 8 * (1 + corners));
                at += 8 * (1 + corners);
            }
        }
    }
    return out.text(section_end).text("$EndElements\n").take();
}

}  // namespace

std::string format_gmsh(const CellView& cells, bool ascii, bool version_2) {
    return version_2 ? format_2(cells, ascii) : format_4(cells, ascii);
}

}  // namespace pliant
