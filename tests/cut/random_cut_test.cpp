// Cuts at random, and in every special position: no material is lost, the boundary stays closed, and the body falls
// into as many pieces as it must.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>

#include "cut_mesh.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {

namespace {

TetMesh small_box(int n) { return bar_mesh(n, n, n, Vec3(0, 0, 0), Vec3(1, 1, 1)); }

struct Dice {
    std::mt19937_64 bits;
    explicit Dice(std::uint64_t seed) : bits(seed) {}
    double number(double from, double to) { return from + (to - from) * (static_cast<double>(bits() >> 11) * 0x1p-53); }
    int pick(int count) { return static_cast<int>(bits() % static_cast<std::uint64_t>(count)); }
    Vec3 vector() { return {number(-1, 1), number(-1, 1), number(-1, 1)}; }
};

/// A plane, often through nodes, along edges or in faces.
SheetPlane any_plane(Dice& dice, const TetMesh& mesh) {
    const auto node = [&] { return mesh.rest[dice.pick(mesh.node_count())]; };
    for (;;) {
        SheetPlane plane{Vec3(dice.number(0, 1), dice.number(0, 1), dice.number(0, 1)), dice.vector()};
        const int special = dice.pick(4);
        if (special >= 1) plane.point = node();
        if (special == 2) plane.normal = (node() - plane.point).cross(dice.vector());
        if (special == 3) {
            const Tet& tet = mesh.tets[dice.pick(mesh.tet_count())];
            const auto& face = tet_faces[dice.pick(4)];
            plane.point = mesh.rest[tet[face[0]]];
            plane.normal = (mesh.rest[tet[face[1]]] - plane.point).cross(mesh.rest[tet[face[2]]] - plane.point);
        }
        if (plane.normal.norm() < 0.01) continue;
        plane.normal.normalize();
        return plane;
    }
}

Blade any_blade(Dice& dice, const TetMesh& mesh) {
    Blade blade;
    blade.direction = dice.pick(2) ? Vec3(0, -1, 0) : dice.vector();
    const int points = 2 + dice.pick(3);
    for (int i = 0; i < points; ++i)
        blade.path.push_back(dice.pick(3) == 0
                                 ? mesh.rest[dice.pick(mesh.node_count())]
                                 : Vec3(dice.number(-0.2, 1.2), dice.number(0.5, 1.1), dice.number(-0.2, 1.2)));
    blade.depth = dice.pick(3) == 0 ? 10 : dice.number(0.1, 1);
    return blade;
}

int pieces_of(const CutMesh& body) {
    const std::vector<int> linked = linked_tets(body.mesh.tets);
    return linked.empty() ? 1 : 1 + *std::ranges::max_element(linked);
}

// The pieces that planes leave of a mesh, counted without any copies: the cells that they cut each element into, joined
// across faces where two cells of the same signs meet. All of it is decided by signs of whole numbers, so that
// splinters count as what they are. Planes are what a cut takes them for: distances of the nodes, rounded.

__extension__ typedef __int128 Wide;
using Plane4 = std::array<std::int64_t, 4>;  // a linear function on an element, by its values at the corners

struct Place {
    std::array<Wide, 4> at;  // barycentric, times something positive
    std::vector<int> sign;   // of the planes
};

int sign_of(Wide v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

Wide determinant(const Plane4& a, const Plane4& b, const Plane4& c, int without) {
    std::array<int, 3> k{};
    for (int i = 0, n = 0; i < 4; ++i)
        if (i != without) k[n++] = i;
    const auto minor = [&](int i, int j) { return Wide(b[k[i]]) * c[k[j]] - Wide(b[k[j]]) * c[k[i]]; };
    return a[k[0]] * minor(1, 2) - a[k[1]] * minor(0, 2) + a[k[2]] * minor(0, 1);
}

/// Where three of the planes or faces of an element meet, on it.
std::vector<Place> places_of(const std::vector<Plane4>& planes) {
    std::vector<Plane4> all = planes;
    for (int k = 0; k < 4; ++k) all.push_back({}), all.back()[k] = 1;
    std::vector<Place> places;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
            for (std::size_t k = j + 1; k < all.size(); ++k) {
                Place place;
                int low = 0, high = 0;
                for (int c = 0; c < 4; ++c) {
                    place.at[c] = (c % 2 == 0 ? 1 : -1) * determinant(all[i], all[j], all[k], c);
                    low = std::min(low, sign_of(place.at[c])), high = std::max(high, sign_of(place.at[c]));
                }
                if (low * high != 0 || low == high) continue;  // outside, or the three have a line in common
                if (low < 0)
                    for (Wide& w : place.at) w = -w;
                for (const Plane4& plane : planes) {
                    Wide sum = 0;
                    for (int c = 0; c < 4; ++c) sum += plane[c] * place.at[c];
                    place.sign.push_back(sign_of(sum));
                }
                places.push_back(std::move(place));
            }
    return places;
}

/// There is something with these signs in the element, or on one of its faces: some place of its closure is strictly
/// inside of each of its bounds, so that the mean of these is inside of all.
bool exists(const std::vector<Place>& places, const std::vector<int>& signs, int face) {
    const std::size_t n = signs.size();
    std::vector<char> strictly(n + 4, 0);
    if (face >= 0) strictly[n + face] = 1;
    for (const Place& place : places) {
        if (face >= 0 && place.at[face] != 0) continue;
        bool within = true;
        for (std::size_t i = 0; i < n && within; ++i) within = place.sign[i] * signs[i] >= 0;
        if (!within) continue;
        for (std::size_t i = 0; i < n; ++i) strictly[i] |= place.sign[i] != 0;
        for (int c = 0; c < 4; ++c) strictly[n + c] |= place.at[c] != 0;
    }
    return std::ranges::all_of(strictly, [](char yes) { return yes != 0; });
}

struct Cells {
    std::vector<std::vector<int>> signs;  // per cell, of all planes
    std::vector<int> crossing;            // planes that go through the element
    std::vector<Place> places;            // of these
    int first = 0;
};

Cells cells_of(const Tet& tet, const std::vector<std::vector<std::int64_t>>& value) {
    Cells cells;
    cells.signs.assign(1, {});
    std::vector<Plane4> planes;
    for (const auto& at : value) {
        Plane4 plane;
        for (int k = 0; k < 4; ++k) plane[k] = at[tet[k]];
        const auto [low, high] = std::ranges::minmax(plane);
        if (low >= 0 || high <= 0) {  // it passes by
            for (auto& signs : cells.signs) signs.push_back(high > 0 ? 1 : low < 0 ? -1 : 0);
            continue;
        }
        cells.crossing.push_back(static_cast<int>(cells.signs[0].size()));
        planes.push_back(plane);
        cells.places = places_of(planes);
        std::vector<std::vector<int>> next;
        for (const auto& signs : cells.signs)
            for (int side : {1, -1}) {
                std::vector<int> inside;
                for (int plane_at : cells.crossing)
                    inside.push_back(plane_at < static_cast<int>(signs.size()) ? signs[plane_at] : side);
                if (!exists(cells.places, inside, -1)) continue;
                next.push_back(signs), next.back().push_back(side);
            }
        cells.signs = std::move(next);
    }
    if (planes.empty()) cells.places = places_of({});
    return cells;
}

int pieces_counted(const TetMesh& mesh, const std::vector<SheetPlane>& planes) {
    std::vector<std::vector<std::int64_t>> value;
    for (const SheetPlane& plane : planes) value.push_back(distances(mesh.rest, plane, cut_unit(mesh, mesh.rest)));
    std::vector<Cells> elements;
    int count = 0;
    for (const Tet& tet : mesh.tets) {
        elements.push_back(cells_of(tet, value));
        elements.back().first = count;
        count += static_cast<int>(elements.back().signs.size());
    }
    UnionFind joined(count);
    std::map<Tri, std::pair<int, int>> open;  // faces that wait for their other side
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            Tri face;
            for (int k = 0; k < 3; ++k) face[k] = mesh.tets[t][tet_faces[f][k]];
            std::ranges::sort(face);
            const auto [other, fresh] = open.try_emplace(face, t, f);
            if (fresh) continue;
            const Cells &a = elements[t], &b = elements[other->second.first];
            // A plane that the face lies in parts what is on both sides of it.
            if (std::ranges::any_of(
                    value, [&](const auto& at) { return at[face[0]] == 0 && at[face[1]] == 0 && at[face[2]] == 0; }))
                continue;
            for (std::size_t i = 0; i < a.signs.size(); ++i)
                for (std::size_t j = 0; j < b.signs.size(); ++j) {
                    // Planes that pass by an element may touch the face with an edge or a corner, at which it has no
                    // sign of its own; all that go through the face go through both elements.
                    if (a.signs[i] != b.signs[j]) continue;
                    std::vector<int> inside;
                    for (int plane : a.crossing) inside.push_back(a.signs[i][plane]);
                    if (exists(a.places, inside, f))
                        joined.join(a.first + static_cast<int>(i), b.first + static_cast<int>(j));
                }
        }
    std::set<int> pieces;
    for (int c = 0; c < count; ++c) pieces.insert(joined.find(c));
    return static_cast<int>(pieces.size());
}

void check(const CutMesh& body, const char* what, int round) {
    EXPECT_NEAR(body.material(), body.volume, 1e-12 * body.volume) << what << ' ' << round;
    EXPECT_EQ(open_edges(body.surface.surface()), 0) << what << ' ' << round;
    EXPECT_NEAR(enclosed(body.surface.surface()), body.volume, 1e-12 * body.volume) << what << ' ' << round;
}

void cut_at_random(int cuts, std::uint64_t seed) {
    Dice dice(seed);
    double worst = 0;
    std::size_t most = 0;
    int counted = 0, pieces = 0;
    for (int done = 0, round = 0; done < cuts; ++round) {
        const TetMesh small = small_box(1 + dice.pick(3));
        CutMesh body(small);
        std::vector<SheetPlane> planes;
        bool only_planes = true;
        const int here = 1 + dice.pick(6);
        for (int i = 0; i < here; ++i, ++done) {
            const bool again = !planes.empty() && dice.pick(6) == 0;  // the same cut once more
            if (again || dice.pick(2) == 0) {
                const SheetPlane plane = again ? planes.back() : any_plane(dice, body.mesh);
                planes.push_back(plane);
                body.cut(plane_sheet(plane.point, plane.normal));
            } else {
                try {
                    body.cut(blade_sheet(any_blade(dice, body.mesh)));
                    only_planes = false;
                } catch (const UserError&) {
                    continue;  // it would not cut
                }
            }
            check(body, "cut", round);
            worst = std::max(worst, std::abs(body.material() / body.volume - 1));
            for (int t = 0; t < body.mesh.tet_count(); ++t)
                if (body.surface.content(t)) most = std::max(most, body.surface.content(t)->cells.size());
            if (::testing::Test::HasFailure()) return;
        }
        if (only_planes) {
            EXPECT_EQ(pieces_of(body), pieces_counted(small, planes)) << "round " << round;
            ++counted, pieces += pieces_of(body);
        }
        if (::testing::Test::HasFailure()) return;
    }
    std::printf("    %d cuts: material kept to %.1e, at most %zu cells in one copy; %d pieces of %d boxes counted\n",
                cuts, worst, most, pieces, counted);
}

}  // namespace

TEST(RandomCuts, KeepMaterialBoundaryAndPieces) { cut_at_random(1000, 1); }

TEST(SoakRandomCuts, AHundredThousand) { cut_at_random(100000, 2); }

}  // namespace pliant
