#include "pliant/meshing/structured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

// Nodes of a grid `fine` times as dense as the cells.
struct Grid {
    const Blocks& b;
    int fine;

    int nodes(int axis) const { return b.cells[axis] * fine + (axis == 0 && b.closed ? 0 : 1); }
    int number(int i, int j, int k) const {
        if (b.closed) i %= nodes(0);
        return (i * nodes(1) + j) * nodes(2) + k;
    }
    std::vector<Vec3> points() const {
        std::vector<Vec3> out;
        for (int i = 0; i < nodes(0); ++i)
            for (int j = 0; j < nodes(1); ++j)
                for (int k = 0; k < nodes(2); ++k)
                    out.push_back(b.map(Vec3(static_cast<double>(i) / (b.cells[0] * fine),
                                             static_cast<double>(j) / (b.cells[1] * fine),
                                             static_cast<double>(k) / (b.cells[2] * fine))));
        return out;
    }
};

using Corner = std::array<int, 3>;

bool outermost(const Blocks& b, const int* cell) {
    bool any = false;
    for (int a = 0; a < 3; ++a) any = any || cell[a] == 0 || cell[a] == b.cells[a] - 1;
    return any;
}

// Nodes inside a hollow belong to no tet.
template <class Mesh>
void drop_unused_nodes(Mesh& mesh) {
    std::vector<int> number(mesh.rest.size(), -1);
    for (const auto& tet : mesh.tets)
        for (int i : tet) number[i] = 0;
    int used = 0;
    for (std::size_t i = 0; i < number.size(); ++i)
        if (number[i] == 0) number[i] = used, mesh.rest[used++] = mesh.rest[i];
    mesh.rest.resize(used);
    for (auto& tet : mesh.tets)
        for (int& i : tet) i = number[i];
}

// visit(corners) for the six tets of every cell, corners in cell coordinates.
template <class Visit>
void for_each_tet(const Blocks& b, Visit&& visit) {
    static constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < b.cells[0]; ++i)
        for (int j = 0; j < b.cells[1]; ++j)
            for (int k = 0; k < b.cells[2]; ++k) {
                const int cell[3] = {i, j, k};
                if (b.hollow && !outermost(b, cell)) continue;
                // Where the diagonal starts, per axis, and which way it runs.
                int from[3], step[3];
                for (int a = 0; a < 3; ++a) {
                    const bool flip = b.mirrored && a < 2 && cell[a] < b.cells[a] / 2;
                    from[a] = cell[a] + flip, step[a] = flip ? -1 : 1;
                }
                for (const auto& order : orders) {
                    std::array<Corner, 4> corners;
                    corners[0] = {from[0], from[1], from[2]};
                    for (int c = 0; c < 3; ++c) {
                        corners[c + 1] = corners[c];
                        corners[c + 1][order[c]] += step[order[c]];
                    }
                    visit(corners);
                }
            }
}

double value_of(std::map<std::string, double>& given, const std::string& key, double fallback) {
    const auto it = given.find(key);
    if (it == given.end()) return fallback;
    const double v = it->second;
    given.erase(it);
    if (!(v > 0)) throw UserError("'" + key + "' of a shape must be above zero");
    return v;
}

}  // namespace

TetMesh structured_mesh(const Blocks& b) {
    const Grid grid{b, 1};
    TetMesh mesh;
    mesh.rest = grid.points();
    for_each_tet(b, [&](const std::array<Corner, 4>& c) {
        Tet t;
        for (int q = 0; q < 4; ++q) t[q] = grid.number(c[q][0], c[q][1], c[q][2]);
        mesh.tets.push_back(t);
    });
    if (b.hollow) drop_unused_nodes(mesh);
    orient_tets(mesh);
    return mesh;
}

QuadraticMesh structured_quadratic(const Blocks& b) {
    const Grid grid{b, 2};
    QuadraticMesh mesh;
    mesh.rest = grid.points();
    for_each_tet(b, [&](std::array<Corner, 4> c) {
        auto node = [&](int p, int q) { return grid.number(c[p][0] + c[q][0], c[p][1] + c[q][1], c[p][2] + c[q][2]); };
        // Right-handed by the straight tet: a turned corner order would turn the whole element inside out.
        if (signed_volume(mesh.rest[node(0, 0)], mesh.rest[node(1, 1)], mesh.rest[node(2, 2)], mesh.rest[node(3, 3)]) <
            0)
            std::swap(c[1], c[2]);
        Tet10 t;
        for (int q = 0; q < 4; ++q) t[q] = node(q, q);
        for (int e = 0; e < 6; ++e) t[4 + e] = node(tet_edges[e][0], tet_edges[e][1]);
        mesh.tets.push_back(t);
    });
    if (b.hollow) drop_unused_nodes(mesh);
    return mesh;
}

Blocks bar_blocks(const Vec3& size, int along) {
    Blocks b;
    const double edge = size.maxCoeff() / along;
    for (int a = 0; a < 3; ++a) b.cells[a] = std::max(1, static_cast<int>(std::lround(size[a] / edge)));
    b.map = [size](const Vec3& u) -> Vec3 { return (u - Vec3::Constant(0.5)).cwiseProduct(size); };
    return b;
}

Blocks tube_blocks(double radius, double wall, double length, int round, int along) {
    CHECK(radius > 0 && wall > 0 && wall < radius && length > 0 && round >= 3 && along >= 1, radius, wall, length);
    Blocks b;
    b.cells[0] = round, b.cells[1] = along;
    b.closed = true;
    b.map = [=](const Vec3& u) {
        const double angle = 2 * std::numbers::pi * u[0], r = radius - wall * (1 - u[2]);
        return Vec3(r * std::cos(angle), r * std::sin(angle), length * (u[1] - 0.5));
    };
    return b;
}

Blocks bowl_blocks(double radius, double wall, double depth, int across) {
    CHECK(radius > 0 && wall > 0 && wall < radius && depth > 0 && across >= 2, radius, wall, depth);
    Blocks b;
    b.cells[0] = b.cells[1] = (across + 1) / 2 * 2;
    b.mirrored = true;
    const double reach = std::acos(std::clamp(1 - depth / radius, -0.9, 1.0));  // polar angle of the rim
    b.map = [=](const Vec3& u) {
        // Square to disc without a pole: lines of the square become ellipses.
        const double p = 2 * u[0] - 1, q = 2 * u[1] - 1;
        const double x = p * std::sqrt(1 - q * q / 2), y = q * std::sqrt(1 - p * p / 2);
        const double s = std::hypot(x, y), angle = s * reach, r = radius - wall * (1 - u[2]);
        const double sideways = s > 0 ? std::sin(angle) / s : reach;
        return Vec3(r * sideways * x, r * sideways * y, -r * std::cos(angle));
    };
    return b;
}

Blocks crate_blocks(const Vec3& size, double wall, int along) {
    CHECK(wall > 0 && 2 * wall < size.minCoeff() && along >= 1, size.transpose(), wall, along);
    Blocks b;
    b.hollow = true;
    for (int a = 0; a < 3; ++a)
        b.cells[a] = 2 + std::max(1, static_cast<int>(std::lround(along * size[a] / size.maxCoeff())));
    b.map = [=, n = std::array<int, 3>{b.cells[0], b.cells[1], b.cells[2]}](const Vec3& u) {
        Vec3 x;
        for (int a = 0; a < 3; ++a) {
            // One cell for each wall, the others evenly between them.
            const double t = std::min(u[a], 1 - u[a]) * n[a], inner = (size[a] - 2 * wall) / (n[a] - 2);
            const double depth = t < 1 ? t * wall : wall + (t - 1) * inner;
            x[a] = (u[a] < 0.5 ? 1 : -1) * (depth - 0.5 * size[a]);
        }
        return x;
    };
    return b;
}

Blocks wedge_blocks(double radius, double thickness, double angle, double depth, int across) {
    CHECK(thickness > 0 && thickness < 2 * radius && angle > 0 && angle < std::numbers::pi && depth > 0 && across >= 1,
          radius, thickness, angle, depth);
    Blocks b;
    const double along = radius * angle;
    for (int a = 0; a < 3; ++a) {
        const double sizes[3] = {thickness, along, depth};
        b.cells[a] = std::max(1, static_cast<int>(std::lround(across * sizes[a] / thickness)));
    }
    b.map = [=](const Vec3& u) {
        const double r = radius + thickness * (u[0] - 0.5);
        return Vec3(r * std::cos(angle / 2), r * std::sin(angle / 2) * (2 * u[1] - 1), depth * (u[2] - 0.5));
    };
    return b;
}

bool names_structured_shape(const std::string& text) {
    const std::string kind = text.substr(0, text.find(':'));
    return kind == "bar" || kind == "plate" || kind == "tube" || kind == "bowl" || kind == "crate" || kind == "wedge";
}

Blocks structured_shape(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    std::map<std::string, double> given;
    std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string item = rest.substr(0, comma);
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
        const std::size_t equals = item.find('=');
        if (equals == std::string::npos)
            throw UserError("'" + item + "' in the shape '" + text + "' has no value", {},
                            "Write key=number, in metres.");
        const std::string number = item.substr(equals + 1);
        std::size_t used = 0;
        double v = 0;
        try {
            v = std::stod(number, &used);
        } catch (const std::exception&) {
            used = 0;
        }
        if (used == 0 || used != number.size())
            throw UserError("'" + number + "' in the shape '" + text + "' is no number", {},
                            "Write key=number, in metres.");
        given[item.substr(0, equals)] = v;
    }
    Blocks blocks;
    std::vector<std::string> keys;
    const bool has_cells = given.count("cells") > 0;
    const int cells = std::clamp(static_cast<int>(has_cells ? value_of(given, "cells", 1) : 0), 0, 2000);
    if (kind == "bar" || kind == "plate") {
        keys = {"length", "width", "height", "cells"};
        const double length = value_of(given, "length", 0.3);
        const double width = value_of(given, "width", kind == "bar" ? length / 15 : length);
        const double height = value_of(given, "height", kind == "bar" ? length / 15 : length / 60);
        blocks = bar_blocks(Vec3(length, width, height), has_cells ? cells : kind == "bar" ? 40 : 24);
        // One tet across twists too stiffly, even a quadratic one.
        if (!has_cells && kind == "bar")
            for (int& across : blocks.cells) across = std::max(across, 2);
    } else if (kind == "tube") {
        keys = {"length", "radius", "wall", "cells"};
        const double length = value_of(given, "length", 0.5), radius = value_of(given, "radius", 0.0125);
        const double wall = value_of(given, "wall", radius * 0.08);
        if (wall >= radius) throw UserError("the wall of the tube is as thick as its radius", {}, "Use a bar instead.");
        const int round = has_cells ? std::max(3, cells) : 12;
        const double edge = 2 * std::numbers::pi * radius / round;
        blocks = tube_blocks(radius, wall, length, round, std::clamp(static_cast<int>(length / (2 * edge)), 4, 400));
    } else if (kind == "bowl") {
        keys = {"radius", "wall", "depth", "cells"};
        const double radius = value_of(given, "radius", 0.1), wall = value_of(given, "wall", radius * 0.03);
        if (wall >= radius) throw UserError("the wall of the bowl is as thick as its radius", {}, "Make it thinner.");
        blocks = bowl_blocks(radius, wall, value_of(given, "depth", radius), has_cells ? cells : 16);
    } else if (kind == "crate") {
        keys = {"length", "width", "height", "wall", "cells"};
        const double length = value_of(given, "length", 0.05);
        const double width = value_of(given, "width", length), height = value_of(given, "height", length);
        const Vec3 size(length, width, height);
        const double wall = value_of(given, "wall", 0.05 * length);
        if (2 * wall >= size.minCoeff())
            throw UserError("the walls of the crate leave no hollow", {}, "Use a bar instead.");
        blocks = crate_blocks(size, wall, has_cells ? std::max(1, cells) : 6);
    } else if (kind == "wedge") {
        keys = {"radius", "thickness", "angle", "depth", "cells"};
        const double radius = value_of(given, "radius", 1), thickness = value_of(given, "thickness", 0.12 * radius);
        const double angle = value_of(given, "angle", 7.2), depth = value_of(given, "depth", thickness);
        if (thickness >= 2 * radius || angle >= 180)
            throw UserError("the wedge reaches beyond the axis of its arch", {},
                            "Make it thinner, or its angle smaller.");
        blocks =
            wedge_blocks(radius, thickness, angle * std::numbers::pi / 180, depth, has_cells ? std::max(1, cells) : 1);
    } else {
        throw UserError("there is no shape '" + kind + "'", {}, "Known: bar, plate, tube, bowl, crate, wedge.");
    }
    if (!given.empty())
        throw UserError("the shape '" + kind + "' has no '" + given.begin()->first + "'" +
                        did_you_mean(given.begin()->first, keys));
    return blocks;
}

}  // namespace pliant
