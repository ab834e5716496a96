// Bounded Voronoi cells: they fill the body without gap or overlap, whatever the body and wherever the sites are.

#include "pliant/meshing/voronoi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/geometry/point_tree.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/lattice.hpp"

namespace pliant {
namespace {

Vec3 random_vector(Rng& rng) { return Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)); }

/// Tets from a centre to the triangles of a subdivided octahedron: a ball, or with random radii a star without
/// convexity.
TetMesh star(Rng& rng, bool convex) {
    TetMesh mesh;
    mesh.rest = {Vec3::Zero()};
    for (int axis = 0; axis < 3; ++axis)
        for (int sign : {1, -1}) mesh.rest.push_back(sign * Vec3::Unit(axis));
    std::vector<Tri> triangles;
    for (int i = 0; i < 8; ++i) {
        Tri t{1 + (i & 1), 3 + (i >> 1 & 1), 5 + (i >> 2 & 1)};
        if (__builtin_popcount(static_cast<unsigned>(i)) % 2) std::swap(t[1], t[2]);
        triangles.push_back(t);
    }
    for (std::uint64_t level = rng.below(2); level > 0; --level) {
        std::map<std::pair<int, int>, int> middle;
        auto between = [&](int a, int b) {
            const auto [at, added] =
                middle.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(mesh.rest.size()));
            if (added) mesh.rest.push_back((mesh.rest[a] + mesh.rest[b]).normalized());
            return at->second;
        };
        std::vector<Tri> finer;
        for (const auto& [a, b, c] : triangles) {
            const int ab = between(a, b), bc = between(b, c), ca = between(c, a);
            for (const Tri& t : {Tri{a, ab, ca}, Tri{b, bc, ab}, Tri{c, ca, bc}, Tri{ab, bc, ca}}) finer.push_back(t);
        }
        triangles = finer;
    }
    if (!convex)
        for (std::size_t i = 1; i < mesh.rest.size(); ++i) mesh.rest[i] *= rng.uniform(0.2, 1);
    for (const auto& [a, b, c] : triangles) mesh.tets.push_back({0, a, b, c});
    return mesh;
}

/// Cubes cut into tets, perhaps shaken, perhaps with tets taken away.
TetMesh block(Rng& rng, bool convex) {
    TetMesh mesh = bar_mesh(1 + static_cast<int>(rng.below(3)), 1 + static_cast<int>(rng.below(2)),
                            1 + static_cast<int>(rng.below(2)), Vec3::Constant(-1), Vec3::Constant(1));
    if (convex) return mesh;
    if (rng.below(2)) {
        TetMesh shaken = mesh;
        for (Vec3& p : shaken.rest) p += 0.08 * random_vector(rng);
        bool good = true;
        for (const Tet& t : shaken.tets) good &= signed_volume(shaken.rest, t) > 0;
        if (good) mesh = shaken;
    }
    std::erase_if(mesh.tets, [&](const Tet&) { return rng.below(4) == 0; });
    if (mesh.tets.empty()) mesh.tets.push_back({0, 1, 2, 3}), orient_tets(mesh);
    return mesh;
}

struct Body {
    TetMesh mesh;
    std::vector<Vec3> sites;
};

Body random_body(std::uint64_t seed) {
    Rng rng(20061, seed);
    const bool convex = rng.below(2);
    Body body{rng.below(2) ? star(rng, convex) : block(rng, convex), {}};
    const std::uint64_t kind = rng.below(4);
    if (kind <= 1) body.sites = body.mesh.rest;  // the usual case
    if (kind >= 1)
        for (std::uint64_t n = 1 + rng.below(30); n > 0; --n) body.sites.push_back(random_vector(rng));
    if (kind == 3)  // bisectors in the planes of the tets' faces
        for (int i = 0; i < 8; ++i)
            body.sites.push_back(Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
    // Any size, place and posture.
    const double size = std::pow(10.0, rng.uniform(-6, 6));
    const Mat3 turn = rng.below(3) ? Mat3(Quat(Eigen::AngleAxisd(rng.uniform(0, 6), random_vector(rng).normalized())))
                                   : Mat3(Mat3::Identity());
    const Vec3 offset = rng.below(2) ? Vec3(3 * random_vector(rng)) : Vec3(Vec3::Zero());
    for (auto* points : {&body.mesh.rest, &body.sites})
        for (Vec3& p : *points) p = size * (turn * p + offset);
    return body;
}

struct Errors {
    double volume = 0;    // of the sum, over the body's
    double closure = 0;   // |Σ area| / Σ |area|, the worst cell
    double distance = 0;  // corners not on the bisector or nearer to a third site, over the body's size
    double polygon = 0;   // polygon's area vector against the face's, over the body's size squared
};

Errors errors_of(const Body& body, const BoundedVoronoi& cells) {
    Errors e;
    double sum = 0;
    for (double v : cells.volume) {
        EXPECT_GE(v, 0);
        sum += v;
    }
    const double volume = total_volume(body.mesh.rest, body.mesh.tets);
    e.volume = std::abs(sum - volume) / volume;
    std::vector<Vec3> closure(body.sites.size(), Vec3::Zero());
    std::vector<double> around(body.sites.size(), 0);
    const double size = body.mesh.bounds().diagonal();
    for (std::size_t f = 0; f < cells.faces.size(); ++f) {
        const auto& [a, b, area, centre] = cells.faces[f];
        // A surface part may turn round the body, so its size is that of its polygons.
        closure[a] += area;
        Vec3 fan = Vec3::Zero();
        double scalar = 0;
        const int begin = cells.polygon_begin[f], end = cells.polygon_begin[f + 1];
        for (int i = begin; i < end; ++i) {
            const VoronoiCorner& corner = cells.polygon[i];
            const Vec3 u = corner.rest - centre, v = cells.polygon[i + 1 < end ? i + 1 : begin].rest - centre;
            fan += 0.5 * u.cross(v);
            scalar += 0.5 * u.cross(v).norm();
            Vec3 at = Vec3::Zero();
            for (int k = 0; k < 4; ++k) at += corner.weight[k] * body.mesh.rest[body.mesh.tets[corner.tet][k]];
            e.distance = std::max(e.distance, (at - corner.rest).norm() / size);
            const double da = (corner.rest - body.sites[a]).norm();
            if (b >= 0) e.distance = std::max(e.distance, std::abs(da - (corner.rest - body.sites[b]).norm()) / size);
            for (const Vec3& s : body.sites) e.distance = std::max(e.distance, (da - (corner.rest - s).norm()) / size);
        }
        around[a] += b < 0 ? scalar : area.norm();
        if (b >= 0) closure[b] -= area, around[b] += area.norm();
        e.polygon = std::max(e.polygon, (fan - area).norm() / (size * size));
    }
    for (std::size_t i = 0; i < body.sites.size(); ++i)
        // A cell that only touches the body has nothing but rounding.
        if (cells.volume[i] > 1e-13 * volume) e.closure = std::max(e.closure, closure[i].norm() / around[i]);
    return e;
}

void random_bodies(std::uint64_t count) {
    Threads threads(1);
    Errors worst;
    std::size_t cells_seen = 0, faces_seen = 0;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        const Body body = random_body(seed);
        const BoundedVoronoi cells = bounded_voronoi(body.mesh, body.sites, threads);
        const Errors e = errors_of(body, cells);
        EXPECT_LT(e.volume, 1e-13) << seed << " " << total_volume(body.mesh.rest, body.mesh.tets);
        EXPECT_LT(e.closure, 1e-12) << seed;
        EXPECT_LT(e.distance, 1e-13) << seed;
        EXPECT_LT(e.polygon, 1e-12) << seed;
        worst.volume = std::max(worst.volume, e.volume), worst.closure = std::max(worst.closure, e.closure);
        worst.distance = std::max(worst.distance, e.distance), worst.polygon = std::max(worst.polygon, e.polygon);
        for (double v : cells.volume) cells_seen += v > 0;
        faces_seen += cells.faces.size();
        if (testing::Test::HasFailure()) return;
    }
    std::cout << count << " bodies, " << cells_seen << " cells, " << faces_seen << " faces; worst volume "
              << worst.volume << ", closure " << worst.closure << ", distance " << worst.distance << ", polygon "
              << worst.polygon << "\n";
}

TEST(BoundedVoronoi, RandomBodiesAreFilledWithoutGapOrOverlap) { random_bodies(500); }
TEST(SoakBoundedVoronoi, TenThousandBodies) { random_bodies(10'000); }

// Sites at the centres of cubes: every bisector lies in faces of tets.
TEST(BoundedVoronoi, CentresOfCubesOwnTheirCubes) {
    const int n = 4;
    for (const double h : {0.1, 1.0, 1e3 / 3}) {
        const TetMesh mesh = bar_mesh(n, n, n, Vec3::Constant(7 * h), Vec3::Constant((7 + n) * h));
        std::vector<Vec3> sites;
        for (int i = 0; i < n * n * n; ++i)
            sites.push_back(h * (Vec3(i / n / n, i / n % n, i % n) + Vec3::Constant(7.5)));
        Threads threads(1);
        const BoundedVoronoi cells = bounded_voronoi(mesh, sites, threads);
        for (double v : cells.volume) EXPECT_NEAR(v, h * h * h, 1e-12 * h * h * h);
        int between = 0;
        for (const VoronoiFace& f : cells.faces) {
            if (f.b < 0) continue;
            ++between;
            const Vec3 step = sites[f.b] - sites[f.a];
            EXPECT_NEAR(step.norm(), h, 1e-12 * h) << f.a << " " << f.b;
            EXPECT_LT((f.area - h * step).norm(), 1e-12 * h * h);
            EXPECT_LT((f.centre - 0.5 * (sites[f.a] + sites[f.b])).norm(), 1e-12 * h);
        }
        EXPECT_EQ(between, 3 * n * n * (n - 1));
    }
}

// Inside a body-centred cubic lattice of cell h, cells are truncated octahedra: volume h³/2, 6 squares of side
// √2/4 h and 8 hexagons of the same side. Four to six cells meet in every corner but none of the ties makes a face.
TEST(BoundedVoronoi, LatticeCellsAreTruncatedOctahedra) {
    Threads threads(2);
    const double h = 0.1;
    const LatticeResult lattice_mesh = lattice(*box_shape(Vec3::Constant(0.6), 0), {.cell = h}, threads);
    const ParticleStructure s = particle_structure(lattice_mesh.mesh, threads);
    std::vector<int> faces(s.size(), 0), surface(s.size(), 0);
    for (const VoronoiFace& f : s.faces) {
        ++faces[f.a];
        if (f.b >= 0)
            ++faces[f.b];
        else
            ++surface[f.a];
    }
    const double side = std::numbers::sqrt2 / 4 * h, square = side * side, hexagon = 1.5 * std::sqrt(3.0) * square;
    int inner = 0;
    std::vector<char> whole(s.size(), 1);
    for (const Tri& t : s.boundary)
        for (int i : t) whole[i] = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (!whole[i] || surface[i]) continue;
        ++inner;
        EXPECT_NEAR(s.volume[i], h * h * h / 2, 1e-12 * h * h * h);
        EXPECT_EQ(faces[i], 14);
    }
    EXPECT_GT(inner, 50);
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
        const auto& [a, b, area, centre] = s.faces[f];
        if (b < 0 || !whole[a] || !whole[b] || surface[a] || surface[b]) continue;
        const double d = (s.rest[a] - s.rest[b]).norm();
        EXPECT_NEAR(area.norm(), d > 0.9 * h ? square : hexagon, 1e-12 * h * h);
    }
    double sum = 0;
    for (double v : s.volume) sum += v;
    EXPECT_NEAR(sum / total_volume(s.rest, s.tets), 1, 1e-13);
}

TEST(BoundedVoronoi, SameBitsForAnyNumberOfThreads) {
    Threads one(1), three(3);
    const LatticeResult body = lattice(*sphere_shape(1.0), {.cell = 0.2}, one);
    const ParticleStructure a = particle_structure(body.mesh, one), b = particle_structure(body.mesh, three);
    ASSERT_EQ(a.faces.size(), b.faces.size());
    ASSERT_EQ(a.polygon.size(), b.polygon.size());
    EXPECT_EQ(a.polygon_begin, b.polygon_begin);
    EXPECT_EQ(0, std::memcmp(a.volume.data(), b.volume.data(), a.volume.size() * sizeof(double)));
    for (std::size_t f = 0; f < a.faces.size(); ++f) {
        EXPECT_EQ(a.faces[f].area, b.faces[f].area);
        EXPECT_EQ(a.faces[f].centre, b.faces[f].centre);
    }
    for (std::size_t c = 0; c < a.polygon.size(); ++c) EXPECT_EQ(a.polygon[c].weight, b.polygon[c].weight);
}

TEST(BoundedVoronoi, SitesInOnePlaceBelongToTheLower) {
    Threads threads(1);
    const TetMesh mesh = bar_mesh(1, 1, 1, Vec3::Zero(), Vec3::Ones());
    const std::vector<Vec3> sites{Vec3(0.25, 0.5, 0.5), Vec3(0.75, 0.5, 0.5), Vec3(0.25, 0.5, 0.5), Vec3(9, 9, 9)};
    const BoundedVoronoi cells = bounded_voronoi(mesh, sites, threads);
    EXPECT_NEAR(cells.volume[0], 0.5, 1e-15);
    EXPECT_NEAR(cells.volume[1], 0.5, 1e-15);
    EXPECT_EQ(cells.volume[2], 0);
    EXPECT_EQ(cells.volume[3], 0);
}

// Each cell of the picture is a closed surface that encloses the cell's volume times the cube of the factor.
TEST(BoundedVoronoi, PicturesShowTheCells) {
    Threads threads(1);
    TetMesh mesh = bar_mesh(2, 2, 2, Vec3::Zero(), Vec3::Ones());
    mesh.tets.erase(mesh.tets.begin() + 5, mesh.tets.begin() + 9);
    const ParticleStructure s = particle_structure(mesh, threads);
    const TriMesh cells = cell_surfaces(s, 0.5);
    EXPECT_NEAR(enclosed_volume(cells.points, cells.triangles), total_volume(mesh.rest, mesh.tets) / 8, 1e-14);
}

TEST(BoundedVoronoi, FlatTetsAreNamed) {
    Threads threads(1);
    TetMesh mesh = bar_mesh(1, 1, 1, Vec3::Zero(), Vec3::Ones());
    mesh.tets.push_back({0, 1, 2, 3});  // four corners of one side
    EXPECT_THROW(particle_structure(mesh, threads), UserError);
}

TEST(PointTree, FindsTheNearestInOrder) {
    Rng rng(5);
    std::vector<Vec3> points;
    for (int i = 0; i < 400; ++i) points.push_back((random_vector(rng) * 4).array().round() / 4);  // many ties
    const PointTree tree{points};
    std::vector<PointTree::Found> found, all;
    for (int n = 0; n < 200; ++n) {
        const Vec3 p = n % 2 ? points[n] : Vec3(random_vector(rng));
        all.clear();
        for (int i = 0; i < 400; ++i) all.push_back({(points[i] - p).squaredNorm(), i});
        std::sort(all.begin(), all.end());
        tree.nearest(p, 17, found);
        ASSERT_EQ(found.size(), 17u);
        for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].point, all[i].point) << n << " " << i;
    }
}

}  // namespace
}  // namespace pliant
