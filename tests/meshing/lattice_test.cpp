#include "pliant/meshing/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numbers>
#include <set>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/geometry/tri_tet.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/meshing/lattice_grid.hpp"
#include "pliant/meshing/lattice_surface.hpp"

namespace pliant {
namespace {

// A bumpy ball with rows of quads from `skip` on (a hole at the pole when > 0).
TriMesh bumpy_ball(int n, int skip = 0, double radius = 1, const Vec3& center = Vec3::Zero()) {
    TriMesh s;
    const int m = 2 * n;
    s.points.push_back(center + Vec3(0, 0, radius));
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double theta = std::numbers::pi * i / n, phi = 2 * std::numbers::pi * j / m;
            const double r = radius * (1 + 0.1 * std::sin(5 * phi) * std::sin(theta) * std::sin(theta));
            s.points.push_back(
                center + r * Vec3(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)));
        }
    s.points.push_back(center - Vec3(0, 0, radius));
    const auto at = [&](int i, int j) {
        return i == 0 ? 0 : i == n ? static_cast<int>(s.points.size()) - 1 : 1 + (i - 1) * m + j % m;
    };
    for (int i = skip; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            if (i + 1 < n) s.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            if (i > 0) s.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return s;
}

TriMesh box_surface(const Vec3& low, const Vec3& high) {
    TriMesh m;
    for (int i = 0; i < 8; ++i)
        m.points.emplace_back(i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return m;
}

void append(TriMesh& to, const TriMesh& from) {
    const int shift = static_cast<int>(to.points.size());
    to.points.insert(to.points.end(), from.points.begin(), from.points.end());
    for (const Tri& t : from.triangles) to.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
}

TriMesh turned(TriMesh m) {
    for (Tri& t : m.triangles) std::swap(t[1], t[2]);
    return m;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "; ";
    return all;
}

LatticeResult with_cell(const TriMesh& m, double cell, int threads = 1) {
    Threads team(threads);
    return lattice(m, {.cell = cell}, team);
}

void expect_contains_surface(const LatticeResult& result, const TriMesh& m) {
    Rng rng(5);
    std::vector<Vec3> points;
    for (const Tri& t : m.triangles) {
        for (int i : t) points.push_back(m.points[i]);
        for (int n = 0; n < 5; ++n) {
            double a = rng.uniform(), b = rng.uniform();
            if (a + b > 1) a = 1 - a, b = 1 - b;
            points.push_back((1 - a - b) * m.points[t[0]] + a * m.points[t[1]] + b * m.points[t[2]]);
        }
    }
    double least = 1;
    for (const Vec4& w : embed(result.mesh, points).weight) least = std::min(least, w.minCoeff());
    EXPECT_GE(least, -1e-9);
}

using TetKey = std::array<std::array<int, 3>, 4>;  // doubled lattice coordinates, sorted

TetKey key_of(std::array<Vec3, 4> u) {
    TetKey key;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) key[i][k] = static_cast<int>(std::lround(2 * u[i][k]));
    std::sort(key.begin(), key.end());
    return key;
}

// Every tet of the lattice around the body, judged one by one with the exact winding number and the general
// triangle-tet test, against what the bits say.
void expect_agrees_with_brute_force(const TriMesh& m, double cell) {
    const LatticeResult result = with_cell(m, cell);
    Threads threads(1);
    const LatticeSurface s = prepare_surface(m, threads);
    const LatticeFrame frame = lattice_frame(s.box, cell / s.unit);
    std::set<TetKey> kept, expected;
    for (const Tet& t : result.mesh.tets) {
        std::array<Vec3, 4> u;
        for (int i = 0; i < 4; ++i) u[i] = frame.coordinate(result.mesh.rest[t[i]] / s.unit - s.center);
        kept.insert(key_of(u));
    }
    EXPECT_EQ(kept.size(), result.mesh.tets.size());
    const auto inside = [&](const Vec3& u) {
        double sum = 0;
        for (const Tri& t : s.triangles)
            sum += triangle_winding(frame.position(u), s.points[t[0]], s.points[t[1]], s.points[t[2]]);
        return sum > 0.5;
    };
    const int n[3] = {4 * frame.blocks[0], 4 * frame.blocks[1], 4 * frame.blocks[2]};
    std::vector<signed char> known(2 * static_cast<std::size_t>(n[0]) * n[1] * n[2], -1);
    const auto inside_node = [&](const int* c, int sub) {
        signed char& k = known[((static_cast<std::size_t>(c[2]) * n[1] + c[1]) * n[0] + c[0]) * 2 + sub];
        if (k < 0) k = inside(Vec3(c[0] + 0.5 * sub, c[1] + 0.5 * sub, c[2] + 0.5 * sub));
        return k == 1;
    };
    for (int z = 0; z + 1 < n[2]; ++z)
        for (int y = 0; y + 1 < n[1]; ++y)
            for (int x = 0; x + 1 < n[0]; ++x)
                for (int type = 0; type < 12; ++type) {
                    const LatticeTet t = lattice_tet(type);
                    int c0[3] = {x, y, z}, c1[3] = {x, y, z};
                    ++c1[t.axis];
                    int p[3] = {c1[0], c1[1], c1[2]};
                    p[t.across] += t.side;
                    int q[3] = {p[0], p[1], p[2]};
                    ++q[t.along];
                    const Vec3 half = Vec3::Constant(0.5);
                    const std::array<Vec3, 4> u{Vec3(c0[0], c0[1], c0[2]) + half, Vec3(c1[0], c1[1], c1[2]) + half,
                                                Vec3(p[0], p[1], p[2]), Vec3(q[0], q[1], q[2])};
                    bool keep = inside_node(c0, 1) || inside_node(c1, 1) || inside_node(p, 0) || inside_node(q, 0);
                    std::array<Vec3, 4> corners;
                    for (int i = 0; i < 4; ++i) corners[i] = frame.position(u[i]);
                    for (std::size_t i = 0; i < s.triangles.size() && !keep; ++i)
                        keep = triangle_touches_tet(s.points[s.triangles[i][0]], s.points[s.triangles[i][1]],
                                                    s.points[s.triangles[i][2]], corners);
                    if (keep) expected.insert(key_of(u));
                }
    EXPECT_EQ(kept, expected);
}

// Triangles between random points: nothing is closed, consistent or free of intersections.
TriMesh random_soup(std::uint64_t seed, int points, int triangles) {
    Rng rng(seed);
    TriMesh m;
    for (int i = 0; i < points; ++i) m.points.emplace_back(rng.uniform(), rng.uniform(), rng.uniform());
    while (static_cast<int>(m.triangles.size()) < triangles) {
        const Tri t{static_cast<int>(rng.below(points)), static_cast<int>(rng.below(points)),
                    static_cast<int>(rng.below(points))};
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) m.triangles.push_back(t);
    }
    return m;
}

TEST(Lattice, AnySoupWillDo) {
    for (int seed = 0; seed < 40; ++seed) {
        TriMesh m = random_soup(seed, 4 + seed % 20, 1 + 2 * seed);
        if (seed % 3 == 0)
            for (Vec3& p : m.points) p += Vec3(300, -100, 1000);
        expect_contains_surface(with_cell(m, 0.07 + 0.01 * (seed % 7)), m);
    }
    expect_agrees_with_brute_force(random_soup(100, 12, 15), 0.17);
    expect_agrees_with_brute_force(random_soup(101, 9, 30), 0.21);
}

TEST(Lattice, AgreesWithBruteForce) {
    expect_agrees_with_brute_force(bumpy_ball(6), 0.37);
    expect_agrees_with_brute_force(bumpy_ball(6, 2), 0.37);                           // a large hole
    expect_agrees_with_brute_force(bumpy_ball(4), 1.7);                               // huge cells
    expect_agrees_with_brute_force(box_surface({0, 0, 0}, {1.03, 0.7, 0.31}), 0.17);  // huge triangles
    TriMesh two = bumpy_ball(5);
    append(two, bumpy_ball(5, 1, 0.7, Vec3(0.6, 0.3, 0.2)));  // intersecting, one of them open
    expect_agrees_with_brute_force(two, 0.4);
}

TEST(Lattice, EveryTetIsTheSamePerfectOne) {
    const LatticeResult r = with_cell(bumpy_ball(12), 0.2);
    ASSERT_GT(r.mesh.tet_count(), 1000);
    const double volume = 0.2 * 0.2 * 0.2 / 12;
    for (const Tet& t : r.mesh.tets) EXPECT_NEAR(signed_volume(r.mesh.rest, t), volume, 1e-12 * volume);
    for (const double q : tet_quality(r.mesh.rest, r.mesh.tets)) EXPECT_GT(q, 0.92);
    std::vector<char> used(r.mesh.rest.size(), 0);
    for (const Tet& t : r.mesh.tets)
        for (int i : t) used[i] = 1;
    EXPECT_EQ(std::count(used.begin(), used.end(), 1), r.mesh.node_count());
    std::set<std::array<double, 3>> places;
    for (const Vec3& p : r.mesh.rest) places.insert({p[0], p[1], p[2]});
    EXPECT_EQ(static_cast<int>(places.size()), r.mesh.node_count());
    EXPECT_EQ(connected_pieces(r.mesh.tets), 1);
    EXPECT_TRUE(r.repairs.empty()) << joined(r.repairs);
    EXPECT_EQ(r.cell, 0.2);
}

TEST(Lattice, ContainsTheSurface) {
    for (const double cell : {0.07, 0.5, 3.0}) {
        for (const TriMesh& m : {bumpy_ball(20), bumpy_ball(20, 5), box_surface({0, 0, 0}, {1, 2, 3})})
            expect_contains_surface(with_cell(m, cell), m);
    }
    // Sides along the planes of the tets' faces: the exact ties.
    TriMesh diamond = box_surface({-1, -1, -1}, {1, 1, 1});
    for (Vec3& p : diamond.points) p = Vec3(p[0] + p[1], p[1] - p[0], p[2]);
    for (const double cell : {0.25, 0.5, 1.0}) expect_contains_surface(with_cell(diamond, cell), diamond);
    // A sheet without any volume, tilted and flat, and a sliver.
    TriMesh sheet;
    sheet.points = {{0, 0, 0}, {1, 0.1, 0.2}, {0.1, 1, 0}, {0, 0, 0},
                    {1, 0, 0}, {0, 1, 0},     {1, 1, 1},   {1 + 1e-9, 1, 1}};
    sheet.triangles = {{0, 1, 2}, {3, 4, 5}, {0, 6, 7}};
    expect_contains_surface(with_cell(sheet, 0.1), sheet);
}

TEST(Lattice, SameBitsForAnyNumberOfThreads) {
    const TriMesh m = bumpy_ball(40, 9);
    const LatticeResult one = with_cell(m, 0.04, 1);
    for (const int threads : {2, 7}) {
        const LatticeResult other = with_cell(m, 0.04, threads);
        EXPECT_EQ(other.mesh.tets, one.mesh.tets);
        EXPECT_EQ(other.mesh.rest, one.mesh.rest);
    }
}

TEST(Lattice, SameConnectivityFromMillimetresToKilometres) {
    const TriMesh m = bumpy_ball(20, 4, 1, Vec3(0.3, 0.1, -2));
    Threads team(1);
    const LatticeResult by_cell = lattice(m, {.cell = 0.11}, team), by_count = lattice(m, {.tets = 5000}, team);
    for (const double s : {0x1p-10, 0x1p10}) {
        TriMesh scaled = m;
        for (Vec3& p : scaled.points) p *= s;
        const LatticeResult a = lattice(scaled, {.cell = 0.11 * s}, team), b = lattice(scaled, {.tets = 5000}, team);
        EXPECT_EQ(a.mesh.tets, by_cell.mesh.tets);
        EXPECT_EQ(b.mesh.tets, by_count.mesh.tets);
        for (int i = 0; i < a.mesh.node_count(); ++i) EXPECT_EQ(a.mesh.rest[i], s * by_cell.mesh.rest[i]);
    }
}

TEST(Lattice, HitsTheWantedNumberOfTets) {
    Threads team(1);
    for (const TriMesh& m : {bumpy_ball(30), bumpy_ball(30, 8), box_surface({0, 0, 0}, {10, 1, 0.2})})
        for (const long long wanted : {2000LL, 20000LL, 300000LL}) {
            const LatticeResult r = lattice(m, {.tets = wanted}, team);
            EXPECT_NEAR(static_cast<double>(r.mesh.tets.size()) / static_cast<double>(wanted), 1, 0.05);
        }
    EXPECT_LT(lattice(bumpy_ball(10), {.tets = 1}, team).mesh.tet_count(), 40);
}

TEST(Lattice, TellsWhatItTolerated) {
    const LatticeResult holes = with_cell(bumpy_ball(16, 3), 0.2);
    EXPECT_NE(joined(holes.repairs).find("32 boundary edges (1 hole)"), std::string::npos) << joined(holes.repairs);
    const LatticeResult closed = with_cell(bumpy_ball(16), 0.2);
    EXPECT_NEAR(static_cast<double>(holes.mesh.tet_count()) / closed.mesh.tet_count(), 1, 0.04);

    TriMesh unused = bumpy_ball(6);
    unused.points.emplace_back(100, 100, 100);
    unused.triangles.push_back({1, 1, 2});
    const LatticeResult r = with_cell(unused, 0.3);
    EXPECT_EQ(r.mesh.tets, with_cell(bumpy_ball(6), 0.3).mesh.tets);
    EXPECT_NE(joined(r.repairs).find("1 point in no triangle"), std::string::npos) << joined(r.repairs);
    EXPECT_NE(joined(r.repairs).find("1 triangle with repeated points"), std::string::npos) << joined(r.repairs);
}

TEST(Lattice, SoupsAndFlipsGiveTheSameMesh) {
    const TriMesh clean = bumpy_ball(14);
    const LatticeResult wanted = with_cell(clean, 0.15);
    TriMesh soup;
    for (const Tri& t : clean.triangles) {
        const int n = static_cast<int>(soup.points.size());
        for (int i : t) soup.points.push_back(clean.points[i]);
        soup.triangles.push_back({n, n + 1, n + 2});
    }
    const LatticeResult from_soup = with_cell(soup, 0.15);
    EXPECT_EQ(from_soup.mesh.tets, wanted.mesh.tets);
    EXPECT_NE(joined(from_soup.repairs).find("duplicate points merged"), std::string::npos);

    TriMesh flips = clean;
    for (std::size_t t = 0; t < flips.triangles.size(); t += 7) std::swap(flips.triangles[t][0], flips.triangles[t][1]);
    const LatticeResult from_flips = with_cell(flips, 0.15);
    EXPECT_EQ(from_flips.mesh.tets, wanted.mesh.tets);
    EXPECT_NE(joined(from_flips.repairs).find("flipped triangles turned"), std::string::npos);

    const LatticeResult inside_out = with_cell(turned(clean), 0.15);
    EXPECT_EQ(inside_out.mesh.tets, wanted.mesh.tets);
    EXPECT_NE(joined(inside_out.repairs).find("inside out"), std::string::npos);
    EXPECT_GT(inside_out.fill, 0.5);

    // Torn apart: every triangle shrunk a little, nothing shared. The inside is still found.
    TriMesh torn = soup;
    for (const Tri& t : torn.triangles) {
        const Vec3 middle = (torn.points[t[0]] + torn.points[t[1]] + torn.points[t[2]]) / 3.0;
        for (int i : t) torn.points[i] = middle + 0.97 * (torn.points[i] - middle);
    }
    const LatticeResult from_torn = with_cell(torn, 0.15);
    EXPECT_NEAR(static_cast<double>(from_torn.mesh.tet_count()) / wanted.mesh.tet_count(), 1, 0.02);
}

TEST(Lattice, CavitiesStayHollowAndInvertedPartsDoNot) {
    TriMesh hollow = bumpy_ball(20);
    append(hollow, turned(bumpy_ball(20, 0, 0.7)));
    const LatticeResult shell = with_cell(hollow, 0.1), solid = with_cell(bumpy_ball(20), 0.1);
    EXPECT_LT(shell.mesh.tet_count(), 0.9 * solid.mesh.tet_count());
    EXPECT_TRUE(shell.repairs.empty()) << joined(shell.repairs);

    TriMesh pair = bumpy_ball(20);
    append(pair, turned(bumpy_ball(20, 0, 0.7, Vec3(3, 0, 0))));
    TriMesh right = bumpy_ball(20);
    append(right, bumpy_ball(20, 0, 0.7, Vec3(3, 0, 0)));
    const LatticeResult mended = with_cell(pair, 0.1);
    EXPECT_EQ(mended.mesh.tets, with_cell(right, 0.1).mesh.tets);
    EXPECT_NE(joined(mended.repairs).find("1 part that was inside out"), std::string::npos) << joined(mended.repairs);
    EXPECT_EQ(connected_pieces(mended.mesh.tets), 2);
}

TEST(Lattice, WholeCellsDrawInNoSecondLayer) {
    const Vec3 size(1, 0.5, 0.75);
    const LatticeResult r = with_cell(box_surface(Vec3::Zero(), size), 0.125);
    int touching_only = 0;
    for (const Tet& t : r.mesh.tets) {
        bool reaches_in = false;
        constexpr int steps = 8;
        for (int i = 0; i <= steps; ++i)
            for (int j = 0; i + j <= steps; ++j)
                for (int k = 0; i + j + k <= steps; ++k) {
                    const Vec3 p = (i * r.mesh.rest[t[0]] + j * r.mesh.rest[t[1]] + k * r.mesh.rest[t[2]] +
                                    (steps - i - j - k) * r.mesh.rest[t[3]]) /
                                   steps;
                    reaches_in |= (p.array() > 1e-9).all() && ((size - p).array() > 1e-9).all();
                }
        touching_only += !reaches_in;
    }
    EXPECT_EQ(touching_only, 0);
}

TEST(Lattice, RefusesWhatMakesNoSense) {
    Threads team(1);
    const TriMesh ball = bumpy_ball(6);
    const auto message = [&](const TriMesh& m, const LatticeOptions& o) -> std::string {
        try {
            lattice(m, o, team);
        } catch (const UserError& e) {
            EXPECT_FALSE(e.remedy().empty()) << e.what();
            return e.what();
        }
        return "no error";
    };
    const auto expect = [&](const std::string& text, const TriMesh& m, const LatticeOptions& o) {
        EXPECT_NE(message(m, o).find(text), std::string::npos) << message(m, o);
    };
    expect("no triangles", TriMesh{}, {.cell = 1});
    expect("needs a size", ball, {});
    expect("either a cell or", ball, {.cell = 1, .tets = 5});
    expect("positive length", ball, {.cell = -1});
    expect("positive length", ball, {.cell = std::nan("")});
    expect("must be positive", ball, {.tets = -3});
    expect("Use a cell of", ball, {.cell = 1e-4});
    expect("limit", ball, {.cell = 1e-300});
    expect("hundred times", ball, {.cell = 1e3});
    expect("above the limit", ball, {.tets = 3'000'000'000});
    TriMesh bad = ball;
    bad.points[7][1] = std::nan("");
    expect("point 7 of the surface is not a finite", bad, {.cell = 0.2});
    bad = ball;
    bad.triangles[3][1] = 100000;
    expect("triangle 3", bad, {.cell = 0.2});
    TriMesh line;
    line.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    line.triangles = {{0, 1, 2}};
    expect("no extent", line, {.cell = 0.2});
    line.points = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    expect("no extent", line, {.cell = 0.2});
    TriMesh wire;  // two specks at the ends of a long diagonal
    wire = bumpy_ball(4, 0, 0.001);
    append(wire, bumpy_ball(4, 0, 0.001, Vec3(5, 5, 5)));
    expect("too thin", wire, {.cell = 0.0005});
}

TEST(Lattice, IsQuick) {
    const TriMesh m = bumpy_ball(132, 20);  // 65,000 triangles, a hole
    Threads team(1);
    const std::clock_t start = std::clock();
    const LatticeResult r = lattice(m, {.tets = 400000}, team);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    RecordProperty("tets_per_cpu_second", std::to_string(r.mesh.tet_count() / seconds));
    EXPECT_GT(r.mesh.tet_count() / seconds, 4e5);  // a fifth of the goal: debug builds and sanitizers are slower
}

}  // namespace
}  // namespace pliant
