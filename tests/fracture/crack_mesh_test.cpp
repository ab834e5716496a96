#include "pliant/fracture/crack_mesh.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "pliant/core/rng.hpp"
#include "pliant/fracture/crack_front.hpp"
#include "pliant/geometry/tet_split.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

Vec3 random_direction(Rng& rng) {
    for (;;) {
        const Vec3 v(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
}

/// A box whose nodes are moved about inside it by a quarter of a cell, so that no two elements are alike.
TetMesh shaken_box(int cells, std::uint64_t seed) {
    TetMesh mesh = bar_mesh(cells, cells, cells, {0, 0, 0}, {1, 1, 1});
    Rng rng(seed, 0);
    for (Vec3& p : mesh.rest)
        for (int k = 0; k < 3; ++k) {
            const double move = rng.uniform(-0.2, 0.2) / cells;
            if (p[k] > 1e-9 && p[k] < 1 - 1e-9) p[k] += move;
        }
    return mesh;
}

/// What the boundary of a mesh looks like, found from its faces alone.
struct BoundaryCheck {
    long long open = 0;      ///< directed edges without as many the other way
    long long hinges = 0;    ///< edges of more than two boundary triangles
    long long overused = 0;  ///< faces of more than two tets, or of two on the same side
    double volume = 0;

    explicit BoundaryCheck(const TetMesh& mesh) {
        std::map<Tri, std::vector<Tri>> faces;
        for (const Tet& tet : mesh.tets)
            for (const auto& f : tet_faces) {
                const Tri nodes{tet[f[0]], tet[f[1]], tet[f[2]]};
                Tri key = nodes;
                std::sort(key.begin(), key.end());
                faces[key].push_back(nodes);
            }
        std::map<std::array<int, 2>, std::array<int, 2>> edges;
        const auto odd = [](const Tri& t) { return (t[0] < t[1]) + (t[1] < t[2]) + (t[2] < t[0]) == 2; };
        for (const auto& [key, uses] : faces) {
            if (uses.size() > 2 || (uses.size() == 2 && odd(uses[0]) == odd(uses[1]))) ++overused;
            if (uses.size() != 1) continue;
            const Tri& t = uses[0];
            volume += mesh.rest[t[0]].cross(mesh.rest[t[1]]).dot(mesh.rest[t[2]]) / 6;
            for (int k = 0; k < 3; ++k) {
                const int a = t[k], b = t[(k + 1) % 3];
                ++edges[{std::min(a, b), std::max(a, b)}][a < b];
            }
        }
        for (const auto& [edge, count] : edges) open += count[0] != count[1], hinges += count[0] > 1;
    }
};

/// Nodes whose elements do not hang together by faces with the node.
int loose_nodes(const TetMesh& mesh) {
    int found = 0;
    std::vector<std::vector<int>> star(mesh.rest.size());
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int n : mesh.tets[t]) star[n].push_back(t);
    for (int node = 0; node < mesh.node_count(); ++node) {
        if (star[node].empty()) {
            ++found;
            continue;
        }
        std::vector<int> reached{star[node][0]};
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (int t : star[node]) {
                int common = 0;
                for (int n : mesh.tets[t])
                    common += std::count(mesh.tets[reached[i]].begin(), mesh.tets[reached[i]].end(), n);
                if (common == 3 && std::find(reached.begin(), reached.end(), t) == reached.end()) reached.push_back(t);
            }
        found += reached.size() != star[node].size();
    }
    return found;
}

double worst_quality(const TetMesh& mesh) {
    const std::vector<double> q = tet_quality(mesh.rest, mesh.tets);
    return *std::min_element(q.begin(), q.end());
}

void random_cuts(int total, int at_once, int cells, int look_every) {
    TetMesh mesh = shaken_box(cells, 5);
    std::vector<double> edge = mean_edges(mesh);
    const double floor = std::min(CutOptions{}.quality, worst_quality(mesh));
    const int tets = mesh.tet_count();
    Rng rng(7, 1);
    double off = 0, area = 0, worst_volume = 0, lowest = 1;
    int opened = 0, done = 0;
    long long hinges = 0;
    while (done < total) {
        CrackMesh cracks(mesh, mesh.rest, edge);
        for (int i = 0; i < at_once; ++i, ++done) {
            const int node = rng.below(cracks.node_count());
            const Vec3 normal = random_direction(rng);
            const Opening o = cracks.cut(node, normal);
            if (!o.opened) continue;
            ++opened;
            if (done > total / 10) continue;
            area += o.area_vector.norm();
            off += o.area_vector.norm() * std::acos(std::clamp(o.area_vector.normalized().dot(normal), -1.0, 1.0));
        }
        apply(mesh, cracks.edit());
        edge.assign(cracks.edges().begin(), cracks.edges().end());
        if (done % look_every != 0 && done < total) continue;
        const BoundaryCheck check(mesh);
        ASSERT_EQ(check.open, 0) << done;
        ASSERT_EQ(check.overused, 0) << done;
        ASSERT_EQ(loose_nodes(mesh), 0) << done;
        hinges = check.hinges;
        worst_volume = std::max(worst_volume, std::abs(check.volume - 1));
        lowest = std::min(lowest, worst_quality(mesh));
        ASSERT_GE(lowest, floor * (1 - 1e-9)) << done;
    }
    std::cout << total << " cuts, " << opened << " opened; worst quality " << lowest << " (floor " << floor
              << "), tets " << tets << " -> " << mesh.tet_count() << ", nodes " << mesh.node_count() << ", pieces "
              << connected_pieces(mesh.tets) << ", hinge edges " << hinges << ", volume error " << worst_volume
              << ", mean angle off the plane in the first tenth " << off / area * 180 / M_PI << " degrees\n";
    EXPECT_LT(worst_volume, 1e-12);
}

TEST(CrackMesh, RandomCutsKeepQualityVolumeAndAClosedBoundary) {
    random_cuts(300, 1, 3, 1);
    random_cuts(6000, 20, 4, 2000);
}

TEST(SoakCrackMesh, AHundredThousandRandomCuts) { random_cuts(100000, 100, 8, 5000); }

TetMesh apply_cuts(const TetMesh& mesh, const CrackMesh& cracks) {
    TetMesh out = mesh;
    apply(out, cracks.edit());
    return out;
}

// Figure 7: an element divided by a plane through one of its nodes becomes three, one on one side and two on the other.
// It is alone, so the crack reaches a boundary on both edges: every node on the plane is doubled.
TEST(CrackMesh, AnElementIsDividedInThree) {
    const TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.1, 1}}, {{0, 1, 2, 3}}, {}, 0};
    CrackMesh cracks(mesh, mesh.rest, mean_edges(mesh));
    const Vec3 normal = Vec3(0, -0.55, 0.4).normalized();   // node 2 below, 3 above; 1 on neither: it is snapped
    const Vec3 plane = Vec3(-0.8, -0.5, 0.6).normalized();  // 1 and 2 below, 3 above
    const Opening o = cracks.cut(0, plane);
    ASSERT_TRUE(o.opened);
    const TetMesh cut = apply_cuts(mesh, cracks);
    EXPECT_EQ(cut.tet_count(), 3);
    EXPECT_EQ(cut.node_count(), 4 + 2 + 3);
    EXPECT_EQ(connected_pieces(cut.tets), 2);
    EXPECT_NEAR(total_volume(cut.rest, cut.tets), 1.0 / 6, 1e-16);
    // What is above is the corner at node 3: its share is the product of the shares of the two edges.
    const auto share = [&](int i) {
        const double d = mesh.rest[i].dot(plane), top = mesh.rest[3].dot(plane);
        return top / (top - d);
    };
    int above = 0;
    for (const Tet& tet : cut.tets)
        if (std::find(tet.begin(), tet.end(), o.sides[1]) != tet.end()) {
            ++above;
            EXPECT_NEAR(signed_volume(cut.rest, tet), share(1) * share(2) / 6, 1e-15);
        }
    EXPECT_EQ(above, 1);
    EXPECT_NEAR(o.area_vector.normalized().dot(plane), 1, 1e-14) << "the crack lies in the plane and looks upwards";
    // Through a node of the element: two elements, one new point.
    CrackMesh other(mesh, mesh.rest, mean_edges(mesh));
    ASSERT_TRUE(other.cut(0, normal).opened);
    EXPECT_EQ(apply_cuts(mesh, other).tet_count(), 2);
}

// Figure 8: what shares a face or an edge with the divided element is divided at the same points and nowhere else. The
// crack does not go through it, so nothing but the cut node is doubled.
TEST(CrackMesh, NeighboursFollowWithoutNodesOfTheirOwn) {
    const std::vector<Vec3> nodes{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.1, 1}, {1, 1, 1}, {-1, 0.6, 1}};
    for (const bool by_face : {true, false}) {
        TetMesh mesh{nodes, {{0, 1, 2, 3}, {3, 2, 1, 4}}, {}, 0};
        if (!by_face) mesh.tets.push_back({2, 3, 4, 5});  // has the edge from 2 to 3, and a face of the second
        orient_tets(mesh);
        CrackMesh cracks(mesh, mesh.rest, mean_edges(mesh));
        const Vec3 plane = Vec3(-0.8, -0.5, 0.6).normalized();
        const Opening o = cracks.cut(0, plane);
        ASSERT_TRUE(o.opened);
        const TetMesh cut = apply_cuts(mesh, cracks);
        EXPECT_EQ(cut.tet_count(), by_face ? 3 + 3 : 3 + 3 + 2);
        EXPECT_EQ(cut.node_count(), mesh.node_count() + 2 + 1) << "two points on edges and the copy of the node";
        EXPECT_EQ(connected_pieces(cut.tets), 1);
        EXPECT_EQ(BoundaryCheck(cut).open, 0);
        EXPECT_NEAR(total_volume(cut.rest, cut.tets), total_volume(mesh.rest, mesh.tets), 1e-15);
    }
}

// Planes through nodes, along edges and in faces of a regular mesh need no new element.
TEST(CrackMesh, PlanesInFacesOnlySplitNodes) {
    const TetMesh mesh = bar_mesh(4, 4, 4, {0, 0, 0}, {1, 1, 1});
    for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(-1, 0, 0), Vec3(1, -1, 0)}) {
        CrackMesh cracks(mesh, mesh.rest, mean_edges(mesh));
        const int middle = 62;  // of 125
        const Opening o = cracks.cut(middle, normal.normalized());
        ASSERT_TRUE(o.opened);
        EXPECT_TRUE(cracks.edit().only_splits());
        EXPECT_EQ(cracks.node_count(), 126) << "its border is inside";
        EXPECT_GT(o.area_vector.normalized().dot(normal.normalized()), 1 - 1e-12);
        // The square or rhomb of the faces round the node in that plane.
        const double whole = o.area_vector.norm();
        EXPECT_NEAR(o.area, whole, 1e-12);
    }
}

/// Area in which a plane through `at` meets the mesh, element by element.
double section_area(const TetMesh& mesh, const Vec3& at, const Vec3& normal) {
    double area = 0;
    for (const Tet& tet : mesh.tets) {
        std::array<double, 4> d;
        for (int k = 0; k < 4; ++k) d[k] = (mesh.rest[tet[k]] - at).dot(normal);
        const TetSection section = section_of_tet(d);
        std::array<Vec3, 4> p;
        for (int k = 0; k < section.count; ++k) {
            const int c = section.corner[k];
            if (c < 4) {
                p[k] = mesh.rest[tet[c]];
            } else {
                const double t = edge_parameter(d, c - 4);
                p[k] = (1 - t) * mesh.rest[tet[tet_edges[c - 4][0]]] + t * mesh.rest[tet[tet_edges[c - 4][1]]];
            }
        }
        for (int k = 2; k < section.count; ++k) area += 0.5 * (p[k - 1] - p[0]).cross(p[k] - p[0]).norm();
    }
    return area;
}

// A crack that one plane drives from tip to tip, across elements and with hardly any snapping, parts a body in two
// along that plane, and nowhere else.
TEST(CrackMesh, APlaneGoesThroughTheBody) {
    const TetMesh mesh = shaken_box(5, 3);
    const std::vector<double> edge = mean_edges(mesh);
    for (const Vec3& way : {Vec3(1, 0.4, -0.3), Vec3(0.1, 1, 0.2), Vec3(-0.3, 0.5, 0.6)}) {
        const Vec3 normal = way.normalized();
        CrackMesh cracks(mesh, mesh.rest, edge);
        std::vector<int> tips{110};
        double area = 0;
        for (std::size_t i = 0; i < tips.size(); ++i) {
            const Vec3 place = cracks.rest()[tips[i]];
            if (std::count(cracks.rest().begin(), cracks.rest().end(), place) > 1) continue;  // it is parted
            const Opening o =
                cracks.cut(tips[i], normal, {.angle = 1e-9, .share = 1e-9, .quality = 1e-12, .smallest = 0});
            if (!o.opened) continue;
            area += o.area;
            tips.insert(tips.end(), o.tips.begin(), o.tips.end());
        }
        const TetMesh cut = apply_cuts(mesh, cracks);
        const double exact = section_area(mesh, mesh.rest[110], normal);
        std::cout << "pieces " << connected_pieces(cut.tets) << ", crack area " << area << " m2, of the section "
                  << exact << " m2; tets " << mesh.tet_count() << " -> " << cut.tet_count() << "\n";
        EXPECT_EQ(connected_pieces(cut.tets), 2);
        EXPECT_NEAR(area, exact, 1e-10);
        EXPECT_EQ(BoundaryCheck(cut).open, 0);
        EXPECT_EQ(BoundaryCheck(cut).hinges, 0);
        EXPECT_EQ(loose_nodes(cut), 0);
    }
}

/// Drives a plane from a node through the body, from tip to tip, with the floor under elements on.
struct Driven {
    int pieces = 0;
    double area = 0;
    TetMesh mesh;

    Driven(const TetMesh& whole, int start, const Vec3& normal, const CutOptions& options = {}) {
        CrackMesh cracks(whole, whole.rest, mean_edges(whole));
        std::vector<int> tips{start};
        for (std::size_t i = 0; i < tips.size(); ++i) {
            const Vec3 place = cracks.rest()[tips[i]];
            if (std::count(cracks.rest().begin(), cracks.rest().end(), place) > 1) continue;  // it is parted
            const Opening o = cracks.cut(tips[i], normal, options);
            area += o.area;
            tips.insert(tips.end(), o.tips.begin(), o.tips.end());
        }
        mesh = apply_cuts(whole, cracks);
        pieces = connected_pieces(mesh.tets);
    }
};

// Figure 12: no crack runs back beside the one that is there. With the floor under elements on, tips lie off the plane,
// and every plane through a tip is another one: without fronts and aims the plane leaves up to 15 pieces and 17 times
// the area.
TEST(CrackMesh, APlaneLeavesTwoPiecesWithTheFloorOn) {
    int bodies = 0, in_two = 0;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const TetMesh mesh = shaken_box(5, seed);
        int middle = 0;
        for (int i = 0; i < mesh.node_count(); ++i)
            if ((mesh.rest[i] - Vec3(0.5, 0.5, 0.5)).norm() < (mesh.rest[middle] - Vec3(0.5, 0.5, 0.5)).norm())
                middle = i;
        Rng rng(seed, 4);
        for (int k = 0; k < 3; ++k) {
            const Vec3 normal = random_direction(rng);
            const Driven driven(mesh, middle, normal);
            const double exact = section_area(mesh, mesh.rest[middle], normal);
            ++bodies, in_two += driven.pieces == 2;
            sum += driven.area / exact;
            EXPECT_EQ(BoundaryCheck(driven.mesh).open, 0);
            EXPECT_GE(worst_quality(driven.mesh), std::min(CutOptions{}.quality, worst_quality(mesh)) * (1 - 1e-9));
        }
    }
    std::cout << in_two << " of " << bodies << " bodies in two pieces, with " << sum / bodies
              << " times the area of the section on average\n";
    EXPECT_GE(in_two, bodies * 4 / 5);
    EXPECT_LT(sum / bodies, 2);
}

// A tip opens ahead of it: the front's edges stay on the crack, and nothing opens behind, by whatever angle it turns.
TEST(CrackMesh, ATipOpensAhead) {
    const TetMesh mesh = shaken_box(5, 3);
    int middle = 0;
    for (int i = 0; i < mesh.node_count(); ++i)
        if ((mesh.rest[i] - Vec3(0.5, 0.5, 0.5)).norm() < (mesh.rest[middle] - Vec3(0.5, 0.5, 0.5)).norm()) middle = i;
    const Vec3 normal = Vec3(1, 0.4, -0.3).normalized();
    for (double turn : {0.0, 0.3, 0.6, 0.9, 1.2}) {
        CrackMesh cracks(mesh, mesh.rest, mean_edges(mesh));
        const Opening first = cracks.cut(middle, normal);
        ASSERT_TRUE(first.opened && !first.tips.empty());
        const auto star_of = [&](int node) {
            std::vector<Tet> star;
            for (int t : cracks.star(node)) star.push_back(cracks.tet(t));
            return star;
        };
        EXPECT_FALSE(is_crack_tip(mesh.rest, {}, middle));
        const int tip = first.tips.front();
        ASSERT_TRUE(is_crack_tip(cracks.rest(), star_of(tip), tip));
        const Vec3 ahead = (cracks.rest()[tip] - mesh.rest[middle]).normalized();
        const Vec3 across = normal.cross(ahead).normalized();
        const Vec3 turned = Eigen::AngleAxisd(turn, across) * normal;
        const CrackFront front = crack_front(cracks.rest(), cracks.x(), star_of(tip), tip, turned, CutOptions{}.turn);
        ASSERT_TRUE(front.any());
        const Opening second = cracks.cut(tip, turned);
        ASSERT_TRUE(second.opened) << turn;
        // Seen along the first plane, no new tip lies on the first crack, which its tips surround.
        std::vector<int> rim = first.tips;
        const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
        const auto flat = [&](int n) {
            const Vec3 r = cracks.rest()[n] - mesh.rest[middle];
            return Eigen::Vector2d(r.dot(u), r.dot(v));
        };
        const auto cross = [](const Eigen::Vector2d& p, const Eigen::Vector2d& q) {
            return p.x() * q.y() - p.y() * q.x();
        };
        std::sort(rim.begin(), rim.end(), [&](int p, int q) {
            return std::atan2(flat(p).y(), flat(p).x()) < std::atan2(flat(q).y(), flat(q).x());
        });
        int new_tips = 0;
        for (int t : second.tips) {
            if (std::binary_search(first.tips.begin(), first.tips.end(), t)) continue;
            ++new_tips;
            for (std::size_t k = 0; k < rim.size(); ++k) {
                const Eigen::Vector2d p = flat(rim[k]), q = flat(rim[(k + 1) % rim.size()]), r = flat(t);
                const bool inside = cross(p, r) > 0 && cross(r, q) > 0 && cross(q - p, r - p) > 1e-9;
                EXPECT_FALSE(inside) << "turned by " << turn << ", node " << t << " lies behind";
            }
        }
        EXPECT_GT(new_tips, 0) << turn;
        EXPECT_EQ(BoundaryCheck(apply_cuts(mesh, cracks)).open, 0);
    }
}

// Everything is relative: the same cuts a thousand times smaller and elsewhere.
TEST(CrackMesh, DoesNotDependOnScale) {
    const TetMesh mesh = shaken_box(3, 9);
    TetMesh small = mesh;
    for (Vec3& p : small.rest) p *= 1.0 / 1024;
    CrackMesh a(mesh, mesh.rest, mean_edges(mesh)), b(small, small.rest, mean_edges(small));
    Rng rng(3, 3);
    for (int i = 0; i < 100; ++i) {
        const int node = rng.below(a.node_count());
        const Vec3 normal = random_direction(rng);
        ASSERT_EQ(a.cut(node, normal).opened, b.cut(node, normal).opened);
        ASSERT_EQ(a.node_count(), b.node_count()) << i;
    }
    EXPECT_EQ(apply_cuts(mesh, a).tets, apply_cuts(small, b).tets);
}

// What is per node or per tet goes with a cut: a field that is linear in space stays it, and material by material the
// volume stays.
TEST(CrackMesh, FieldsAndMaterialsFollow) {
    TetMesh mesh = shaken_box(3, 4);
    for (int t = 0; t < mesh.tet_count(); ++t) mesh.region.push_back(t % 5);
    const auto volumes = [](const TetMesh& m) {
        std::array<double, 5> sum{};
        for (int t = 0; t < m.tet_count(); ++t) sum[m.region[t]] += signed_volume(m.rest, m.tets[t]);
        return sum;
    };
    const auto before = volumes(mesh);
    std::vector<Vec3> v;
    for (const Vec3& p : mesh.rest) v.emplace_back(1 + p.y(), p.z() - 2 * p.x(), 3 * p.y());
    CrackMesh cracks(mesh, mesh.rest, mean_edges(mesh));
    Rng rng(3, 3);
    for (int i = 0; i < 200; ++i) cracks.cut(rng.below(cracks.node_count()), random_direction(rng));
    const MeshEdit edit = cracks.edit();
    apply(mesh, edit);
    follow_nodes(v, edit);
    const auto after = volumes(mesh);
    for (int r = 0; r < 5; ++r) EXPECT_NEAR(after[r], before[r], 1e-14) << r;
    Vec3 momentum = Vec3::Zero();
    for (const Tet& tet : mesh.tets)
        for (int n : tet) momentum += signed_volume(mesh.rest, tet) / 4 * v[n];
    for (std::size_t i = 0; i < v.size(); ++i) {
        const Vec3& p = mesh.rest[i];
        ASSERT_LT((v[i] - Vec3(1 + p.y(), p.z() - 2 * p.x(), 3 * p.y())).norm(), 1e-14);
    }
    EXPECT_LT((momentum - Vec3(1.5, -0.5, 1.5)).norm(), 1e-12) << "of the linear field over the box of volume 1";
}

}  // namespace
}  // namespace pliant
