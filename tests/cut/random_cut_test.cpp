// Cuts at random, and in every special position: no material is lost, the boundary stays closed, and the body falls
// into as many pieces as it must.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

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

using Polygon = std::vector<Vec3>;

/// Corners of a convex polygon in the order in which they go round.
Polygon round(Polygon corners, const Vec3& normal) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : corners) middle += p / static_cast<double>(corners.size());
    const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
    std::ranges::sort(corners, {}, [&](const Vec3& p) { return std::atan2((p - middle).dot(v), (p - middle).dot(u)); });
    return corners;
}

/// Cuts are rounded to 2e-8 or so of the box, and planes that meet in a line may leave splinters as thick as that.
constexpr double splinter = 1e-6;  // m³

int pieces_of(const CutMesh& body) {
    const std::vector<int> linked = linked_tets(body.mesh.tets);
    std::vector<double> volume(static_cast<std::size_t>(body.surface.piece_count()), 0);
    for (int t = 0; t < body.mesh.tet_count(); ++t)
        volume[linked.empty() ? 0 : linked[t]] += body.share(t) * signed_volume(body.mesh.rest, body.mesh.tets[t]);
    return static_cast<int>(std::ranges::count_if(volume, [](double v) { return v > splinter; }));
}

/// Of the unit box, cut by infinite planes: cells of their arrangement, found without any mesh.
int cells_of_arrangement(const std::vector<SheetPlane>& planes) {
    // Convex cells, as the polygons of their faces, are split by one plane after the other.
    using Cell = std::vector<Polygon>;
    Cell box;
    for (int axis = 0; axis < 3; ++axis)
        for (double at : {0.0, 1.0}) {
            Polygon face;
            for (auto [u, v] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
                Vec3 p;
                p[axis] = at, p[(axis + 1) % 3] = u, p[(axis + 2) % 3] = v;
                face.push_back(p);
            }
            box.push_back(face);
        }
    std::vector<Cell> cells{box};
    const double on = 1e-7;  // cuts round distances to 2e-8 or so of the box
    for (const SheetPlane& plane : planes) {
        std::vector<Cell> next;
        for (const Cell& cell : cells) {
            double low = 0, high = 0;
            for (const Polygon& face : cell)
                for (const Vec3& p : face) {
                    const double d = (p - plane.point).dot(plane.normal);
                    low = std::min(low, d), high = std::max(high, d);
                }
            if (low > -on || high < on) {
                next.push_back(cell);
                continue;
            }
            for (int keep : {1, -1}) {
                Cell half;
                Polygon cap;
                for (const Polygon& face : cell) {
                    Polygon part;
                    for (std::size_t i = 0; i < face.size(); ++i) {
                        const Vec3 &a = face[i], &b = face[(i + 1) % face.size()];
                        const auto distance = [&](const Vec3& p) {
                            const double d = keep * (p - plane.point).dot(plane.normal);
                            return std::abs(d) < on ? 0 : d;
                        };
                        const double da = distance(a), db = distance(b);
                        if (da >= 0) part.push_back(a);
                        if (da == 0) cap.push_back(a);
                        if (da * db < 0) part.push_back(a + (b - a) * (da / (da - db))), cap.push_back(part.back());
                    }
                    if (part.size() >= 3) half.push_back(part);
                }
                half.push_back(round(cap, plane.normal));
                next.push_back(half);
            }
        }
        cells = std::move(next);
    }
    return static_cast<int>(std::ranges::count_if(cells, [](const Cell& cell) {
        Vec3 middle = Vec3::Zero();
        for (const Vec3& p : cell[0]) middle += p / static_cast<double>(cell[0].size());
        double sum = 0;
        for (std::size_t f = 1; f < cell.size(); ++f)
            for (std::size_t i = 1; i + 1 < cell[f].size(); ++i)
                sum += std::abs((cell[f][0] - middle).cross(cell[f][i] - middle).dot(cell[f][i + 1] - middle)) / 6;
        return sum > splinter;
    }));
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
    for (int done = 0, round = 0; done < cuts; ++round) {
        CutMesh body(small_box(1 + dice.pick(3)));
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
            EXPECT_EQ(pieces_of(body), cells_of_arrangement(planes)) << "round " << round;
        }
        if (::testing::Test::HasFailure()) return;
    }
    std::printf("    %d cuts: material kept to %.1e, at most %zu cells in one copy\n", cuts, worst, most);
}

}  // namespace

TEST(RandomCuts, KeepMaterialBoundaryAndPieces) { cut_at_random(1000, 1); }

TEST(SoakRandomCuts, AHundredThousand) { cut_at_random(100000, 2); }

}  // namespace pliant
