#include <cmath>

#include "pliant/io/mesh_vtk.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

void add_polygon(CellSoup& soup, std::span<const int> corners) {
    soup.polygons.corners.insert(soup.polygons.corners.end(), corners.begin(), corners.end());
    soup.polygons.sizes.push_back(static_cast<int>(corners.size()));
}

}  // namespace

bool add_vtk_cell(CellSoup& soup, long long type, std::span<const int> c, int region) {
    auto tet = [&] {
        if (c.size() < 4) return false;
        soup.tets.push_back({c[0], c[1], c[2], c[3]});
        soup.region.push_back(region);
        return true;
    };
    auto polygon = [&](std::size_t corners) {
        if (c.size() < corners) return false;
        add_polygon(soup, c.first(corners));
        return true;
    };
    switch (type) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 21:
        case 35:
        case 68: return true;  // nothing, points, lines
        case 5:
        case 22:
        case 34:
        case 69: return polygon(3);  // linear, quadratic and Lagrange triangles
        case 6:
            for (std::size_t k = 2; k < c.size(); ++k)
                k % 2 == 0 ? soup.polygons.add_triangle(c[k - 2], c[k - 1], c[k])
                           : soup.polygons.add_triangle(c[k - 1], c[k - 2], c[k]);
            return true;
        case 7: return c.size() < 3 || polygon(c.size());
        case 8:  // a pixel: corners in grid order
            if (c.size() < 4) return false;
            add_polygon(soup, std::array<int, 4>{c[0], c[1], c[3], c[2]});
            return true;
        case 9:
        case 23:
        case 28:
        case 70: return polygon(4);
        case 10:
        case 24:
        case 71: return tet();
        case 11: soup.leave_out("voxels"); return true;
        case 12:
        case 25:
        case 29:
        case 72: soup.leave_out("hexahedra"); return true;
        case 13:
        case 26:
        case 73: soup.leave_out("wedges"); return true;
        case 14:
        case 27:
        case 74: soup.leave_out("pyramids"); return true;
        default: soup.leave_out("VTK cells of type " + std::to_string(type)); return true;
    }
}

int region_name_rank(std::string_view name) {
    constexpr std::string_view names[] = {"attribute",        "CellEntityIds", "medit:ref",
                                          "gmsh:geometrical", "MaterialIDs",   "material",
                                          "PhysicalIds",      "gmsh:physical", "region"};
    for (int rank = 1; const std::string_view candidate : names) {
        if (same_word(name, candidate)) return rank;
        ++rank;
    }
    return 0;
}

int region_from(double value) {
    return std::abs(value) < 2e9 && std::floor(value) == value ? static_cast<int>(value) : 0;
}

}  // namespace pliant
