#include "pliant/fracture/crack_mesh.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/fracture/crack_front.hpp"
#include "pliant/geometry/tet_split.hpp"

namespace pliant {

namespace {

constexpr int below = 0, above = 1, nowhere = 2;  // sides of the plane

double quality_of(const std::array<const Vec3*, 4>& p) {
    double squares = 0;
    for (const auto& [a, b] : tet_edges) squares += (*p[a] - *p[b]).squaredNorm();
    const double rms = std::sqrt(squares / 6);
    return 6 * std::sqrt(2.0) * signed_volume(*p[0], *p[1], *p[2], *p[3]) / (rms * rms * rms);
}

}  // namespace

/// What a cut is going to be. Nothing is changed before it is good enough.
struct CrackMesh::Plan {
    int node = 0;
    Vec3 normal{0, 0, 1};
    // The nodes that share an element with the cut one.
    std::vector<int> ring;          // ascending
    std::vector<double> distance;   // from the plane, signed, m
    std::vector<double> slope;      // |distance| over the distance from the node: the sine of the angle
    std::vector<signed char> sign;  // −1, 0 or 1; 0 on the plane, snapped ones too
    std::vector<char> fixed;        // a crack that ends at the node says which: the sign stays
    struct Around {
        int tet;
        std::array<int, 4> at;      // of each corner, its number in `ring`; −1 for the cut node
        std::array<bool, 2> has{};  // a part below, above
        std::array<int, 2> side{};  // to which side it goes
        std::array<double, 2> volume{};
        bool divided() const { return has[0] && has[1] && side[0] != side[1]; }
        int only_part() const { return has[0] ? below : above; }
    };
    std::vector<Around> around;
    struct Face {  // between two of `around`; ends of the edge opposite to the node, in `ring`
        int first, second, a, b;
    };
    std::vector<Face> faces;
    struct Point {  // where the plane divides an edge; gets the number node_count() + index
        Edge edge;
        std::array<int, 2> at;  // its ends in `ring`
        double t;               // from the first end to the second
        double length;          // of the edge, at rest, m
    };
    std::vector<Point> points;  // sorted by edge
    std::vector<int> replaced;  // tets that are divided or follow
    struct Child {
        Tet nodes;
        int tet;   // of which it is a part
        int side;  // nowhere: it does not have the node
        double quality;
    };
    std::vector<Child> children;
};

std::vector<double> mean_edges(const TetMesh& mesh) {
    std::vector<std::array<int, 2>> edges;
    for (const Tet& tet : mesh.tets)
        for (const auto& [a, b] : tet_edges) edges.push_back({std::min(tet[a], tet[b]), std::max(tet[a], tet[b])});
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<double> sum(mesh.rest.size(), 0);
    std::vector<int> count(mesh.rest.size(), 0);
    for (const auto& edge : edges)
        for (int node : edge) sum[node] += (mesh.rest[edge[0]] - mesh.rest[edge[1]]).norm(), ++count[node];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= std::max(1, count[i]);
    return sum;
}

CrackMesh::CrackMesh(const TetMesh& mesh, std::span<const Vec3> x, std::span<const double> edge,
                     std::span<const Vec3> aim)
    : old_nodes_(mesh.node_count()),
      old_tets_(mesh.tet_count()),
      mesh_(&mesh),
      rest_(mesh.rest),
      x_(x.begin(), x.end()),
      edge_(edge.begin(), edge.end()),
      aim_(aim.begin(), aim.end()),
      tets_(mesh.tets),
      whole_(mesh.tets.size()),
      parent_(mesh.tets.size()),
      gone_(mesh.tets.size(), 0),
      star_(mesh.rest.size()) {
    aim_.resize(rest_.size(), Vec3::Zero());
    CHECK(x_.size() == rest_.size() && edge_.size() == rest_.size(), x_.size(), edge_.size(), rest_.size());
    for (int t = 0; t < old_tets_; ++t) {
        whole_[t] = parent_[t] = t;
        for (int node : tets_[t]) star_[node].push_back(t);
    }
}

int CrackMesh::copied_from(int node) const {
    if (node < old_nodes_) return -1;
    const auto& parents = new_nodes_[node - old_nodes_].parents;
    return parents.size() == 1 ? parents[0].index : -1;
}

int CrackMesh::add_node(std::vector<Parent> parents) {
    rest_.push_back(inherited(rest_, parents));
    x_.push_back(inherited(x_, parents));
    edge_.push_back(inherited(edge_, parents));
    aim_.push_back(parents.size() > 1 ? Vec3(Vec3::Zero()) : Vec3(aim_[parents[0].index]));
    star_.emplace_back();
    new_nodes_.push_back({std::move(parents)});
    return node_count() - 1;
}

int CrackMesh::add_tet(const Tet& nodes, int parent) {
    const int t = static_cast<int>(tets_.size());
    tets_.push_back(nodes), whole_.push_back(whole_[parent]), parent_.push_back(parent), gone_.push_back(0);
    for (int node : nodes) star_[node].push_back(t);
    return t;
}

void CrackMesh::retire(int t) {
    gone_[t] = 1;
    for (int node : tets_[t]) std::erase(star_[node], t);
}

void CrackMesh::find_ring(Plan& plan, int node, const Vec3& normal, const Vec3& aim) const {
    plan.node = node, plan.normal = normal;
    for (int t : star_[node])
        for (int other : tets_[t])
            if (other != node) plan.ring.push_back(other);
    std::sort(plan.ring.begin(), plan.ring.end());
    plan.ring.erase(std::unique(plan.ring.begin(), plan.ring.end()), plan.ring.end());
    plan.fixed.assign(plan.ring.size(), 0);
    for (int other : plan.ring) {
        const Vec3 away = x_[other] - x_[node];
        plan.distance.push_back((away - aim).dot(normal));
        plan.slope.push_back(std::abs(plan.distance.back()) / away.norm());
        plan.sign.push_back(static_cast<signed char>((plan.distance.back() > 0) - (plan.distance.back() < 0)));
    }
    struct Side {
        Edge edge;
        int tet;
    };
    std::vector<Side> sides;
    for (int t : star_[node]) {
        Plan::Around a{.tet = t, .at = {}};
        for (int k = 0; k < 4; ++k) {
            const int other = tets_[t][k];
            a.at[k] =
                other == node
                    ? -1
                    : static_cast<int>(std::lower_bound(plan.ring.begin(), plan.ring.end(), other) - plan.ring.begin());
        }
        for (const auto& [i, j] : tet_edges)
            if (a.at[i] >= 0 && a.at[j] >= 0)
                sides.push_back(
                    {{std::min(a.at[i], a.at[j]), std::max(a.at[i], a.at[j])}, static_cast<int>(plan.around.size())});
        plan.around.push_back(a);
    }
    std::sort(sides.begin(), sides.end(),
              [](const Side& a, const Side& b) { return std::pair(a.edge, a.tet) < std::pair(b.edge, b.tet); });
    for (std::size_t i = 0; i + 1 < sides.size(); ++i)
        if (sides[i].edge == sides[i + 1].edge)
            plan.faces.push_back({sides[i].tet, sides[i + 1].tet, sides[i].edge[0], sides[i].edge[1]});
}

/// Where a crack ends at the node, the plane starts from its front: the front's edges are on it, and what lies behind
/// goes to the side of the old crack on which it is.
void CrackMesh::go_on_from_front(Plan& plan, const CutOptions& options) const {
    std::vector<Tet> star;
    for (int t : star_[plan.node]) star.push_back(tets_[t]);
    const CrackFront front = crack_front(rest_, x_, star, plan.node, plan.normal, options.turn);
    for (const auto& [node, distance] : front.known) {
        const auto i = std::lower_bound(plan.ring.begin(), plan.ring.end(), node) - plan.ring.begin();
        plan.sign[i] = static_cast<signed char>((distance > 0) - (distance < 0));
        plan.fixed[i] = 1;
        if (distance != 0) plan.distance[i] = distance;
    }
}

void CrackMesh::snap(Plan& plan, const CutOptions& options) const {
    const double sine = std::sin(options.angle);
    for (std::size_t i = 0; i < plan.ring.size(); ++i)
        if (!plan.fixed[i] && !(plan.slope[i] >= sine)) plan.sign[i] = 0;
    // One end of an edge that would be cut too short goes to the plane: the nearer one, by angle where both would be.
    for (const Plan::Around& tet : plan.around)
        for (const auto& [i, j] : tet_edges) {
            const int a = tet.at[i], b = tet.at[j];
            if (a < 0 || b < 0 || plan.sign[a] * plan.sign[b] >= 0) continue;
            const double t = plan.distance[a] / (plan.distance[a] - plan.distance[b]);
            const double length = (rest_[plan.ring[a]] - rest_[plan.ring[b]]).norm();
            const double least =
                std::max(options.share, options.smallest * std::min(edge_[plan.ring[a]], edge_[plan.ring[b]]) / length);
            const bool near_a = t < least, near_b = 1 - t < least;
            if (!near_a && !near_b) continue;
            int nearer = near_a && near_b ? (plan.slope[a] <= plan.slope[b] ? a : b) : near_a ? a : b;
            if (plan.fixed[nearer]) nearer = nearer == a ? b : a;
            if (!plan.fixed[nearer]) plan.sign[nearer] = 0;
        }
}

/// The parts of the elements that the plane leaves, joined to one below it and one above. False where there are no two.
bool CrackMesh::choose_sides(Plan& plan) const {
    for (Plan::Around& tet : plan.around) {
        std::array<double, 4> distance{};
        double sum = 0;
        for (int k = 0; k < 4; ++k)
            if (tet.at[k] >= 0) {
                sum += plan.distance[tet.at[k]];
                if (plan.sign[tet.at[k]] != 0) distance[k] = plan.distance[tet.at[k]];
            }
        const double whole = signed_volume(rest_, tets_[tet.tet]);
        for (int s : {below, above}) {
            tet.volume[s] = whole * part_of_tet(distance, s == below ? -1 : 1).volume;
            tet.has[s] = std::any_of(distance.begin(), distance.end(), [&](double d) { return s ? d > 0 : d < 0; });
            tet.side[s] = s;
        }
        if (tet.has[below] || tet.has[above]) continue;
        const int s = sum < 0 ? below : above;  // all its nodes were snapped: it goes where it lies
        tet.has[s] = true, tet.volume[s] = whole;
    }
    const int tets = static_cast<int>(plan.around.size());
    UnionFind together(2 * tets);
    for (int rounds = 0; rounds <= 2 * tets; ++rounds) {
        together.reset(2 * tets);
        for (int i = 0; i < tets; ++i) {
            const Plan::Around& tet = plan.around[i];
            if (tet.has[0] && tet.has[1] && tet.side[0] == tet.side[1]) together.join(2 * i, 2 * i + 1);
        }
        for (const Plan::Face& face : plan.faces) {
            const Plan::Around &first = plan.around[face.first], &second = plan.around[face.second];
            const int a = plan.sign[face.a], b = plan.sign[face.b];
            const auto join = [&](int s, int r) {
                if (first.side[s] == second.side[r]) together.join(2 * face.first + s, 2 * face.second + r);
            };
            if (a == 0 && b == 0) join(first.only_part(), second.only_part());
            if (a < 0 || b < 0) join(below, below);
            if (a > 0 || b > 0) join(above, above);
        }
        std::vector<double> volume(2 * tets, 0);
        for (int i = 0; i < tets; ++i)
            for (int s : {below, above})
                if (plan.around[i].has[s]) volume[together.find(2 * i + s)] += plan.around[i].volume[s];
        int parts[2] = {0, 0}, smallest = -1;
        const auto side_of = [&](int p) { return plan.around[p / 2].side[p % 2]; };
        for (int p = 0; p < 2 * tets; ++p)
            if (plan.around[p / 2].has[p % 2] && together.find(p) == p) ++parts[side_of(p)];
        if (parts[below] == 0 || parts[above] == 0) return false;
        if (parts[below] == 1 && parts[above] == 1) return true;
        for (int p = 0; p < 2 * tets; ++p)
            if (plan.around[p / 2].has[p % 2] && together.find(p) == p && parts[side_of(p)] > 1 &&
                (smallest < 0 || volume[p] < volume[smallest]))
                smallest = p;
        const int to = 1 - side_of(smallest);
        for (int p = 0; p < 2 * tets; ++p)
            if (plan.around[p / 2].has[p % 2] && together.find(p) == smallest) plan.around[p / 2].side[p % 2] = to;
    }
    return false;
}

/// The points on edges, and the elements that replace others.
void CrackMesh::divide(Plan& plan) const {
    plan.points.clear(), plan.replaced.clear(), plan.children.clear();
    for (const Plan::Around& tet : plan.around) {
        if (!tet.divided()) continue;
        for (const auto& [i, j] : tet_edges) {
            int a = tet.at[i], b = tet.at[j];
            if (a < 0 || b < 0 || plan.sign[a] * plan.sign[b] >= 0) continue;
            if (plan.ring[b] < plan.ring[a]) std::swap(a, b);
            plan.points.push_back({{plan.ring[a], plan.ring[b]},
                                   {a, b},
                                   plan.distance[a] / (plan.distance[a] - plan.distance[b]),
                                   (rest_[plan.ring[a]] - rest_[plan.ring[b]]).norm()});
        }
    }
    std::sort(plan.points.begin(), plan.points.end(),
              [](const Plan::Point& p, const Plan::Point& q) { return p.edge < q.edge; });
    plan.points.erase(std::unique(plan.points.begin(), plan.points.end(),
                                  [](const Plan::Point& p, const Plan::Point& q) { return p.edge == q.edge; }),
                      plan.points.end());
    std::vector<Vec3> place;
    for (const Plan::Point& p : plan.points) {
        place.push_back((1 - p.t) * rest_[p.edge[0]] + p.t * rest_[p.edge[1]]);
        for (int t : star_[p.edge[0]])
            if (std::find(tets_[t].begin(), tets_[t].end(), p.edge[1]) != tets_[t].end()) plan.replaced.push_back(t);
    }
    std::sort(plan.replaced.begin(), plan.replaced.end());
    plan.replaced.erase(std::unique(plan.replaced.begin(), plan.replaced.end()), plan.replaced.end());
    const auto around_of = [&](int t) {
        return std::find_if(plan.around.begin(), plan.around.end(), [&](const Plan::Around& a) { return a.tet == t; });
    };
    for (int t : plan.replaced) {
        const Tet& nodes = tets_[t];
        std::array<int, 6> order, point;
        int count = 0;
        // The longest edge first: its halves are the best shaped. Equal ones by number, which neighbours share.
        const auto goes_before = [&](int e, int f) {
            const double l = plan.points[point[e]].length, m = plan.points[point[f]].length;
            return l != m ? l > m : point[e] < point[f];
        };
        for (int e = 0; e < 6; ++e) {
            const auto [low, high] = std::minmax(nodes[tet_edges[e][0]], nodes[tet_edges[e][1]]);
            const Edge edge{low, high};
            const auto found =
                std::lower_bound(plan.points.begin(), plan.points.end(), edge,
                                 [](const Plan::Point& p, const Edge& wanted) { return p.edge < wanted; });
            if (found == plan.points.end() || found->edge != edge) continue;
            point[e] = static_cast<int>(found - plan.points.begin());
            int at = count++;
            for (; at > 0 && goes_before(e, order[at - 1]); --at) order[at] = order[at - 1];
            order[at] = e;
        }
        const TetSplit split = split_tet(std::span<const int>(order).first(count));
        const auto around = around_of(t);
        for (int i = 0; i < split.count; ++i) {
            Plan::Child child{.nodes = {}, .tet = t, .side = nowhere, .quality = 0};
            std::array<const Vec3*, 4> p;
            int sign = 0;
            for (int k = 0; k < 4; ++k) {
                const int c = split.tet[i][k];
                child.nodes[k] = c < 4 ? nodes[c] : node_count() + point[c - 4];
                p[k] = c < 4 ? &rest_[nodes[c]] : &place[point[c - 4]];
                if (c < 4 && around != plan.around.end() && around->at[c] >= 0 && plan.sign[around->at[c]] != 0)
                    sign = plan.sign[around->at[c]];
            }
            child.quality = quality_of(p);
            const bool has_node = std::find(child.nodes.begin(), child.nodes.end(), plan.node) != child.nodes.end();
            if (has_node) {
                const int part = around->divided() ? (sign < 0 ? below : above) : around->only_part();
                child.side = around->side[part];
            }
            plan.children.push_back(child);
        }
    }
}

/// Nothing where all elements are good enough; else, of those that are not, the ring node nearest to the plane by
/// angle, −1 where none may be moved to it.
std::optional<int> CrackMesh::worst_end(const Plan& plan, const CutOptions& options) const {
    bool good = true;
    int found = -1;
    for (const Plan::Child& child : plan.children) {
        const Tet& nodes = tets_[child.tet];
        const double before = quality_of({&rest_[nodes[0]], &rest_[nodes[1]], &rest_[nodes[2]], &rest_[nodes[3]]});
        if (child.quality >= std::min(options.quality, before)) continue;
        good = false;
        for (const Plan::Point& p : plan.points) {
            if (std::find(nodes.begin(), nodes.end(), p.edge[0]) == nodes.end() ||
                std::find(nodes.begin(), nodes.end(), p.edge[1]) == nodes.end())
                continue;
            for (int end : p.at)
                if (!plan.fixed[end] && (found < 0 || plan.slope[end] < plan.slope[found])) found = end;
        }
    }
    return good ? std::nullopt : std::optional(found);
}

/// Area of the faces round the node whose elements go to different sides.
void CrackMesh::measure(const Plan& plan, Opening& out) const {
    struct Side {
        Edge edge;
        int tet, corner, side;
    };
    std::vector<Side> sides;
    for (int t : star_[plan.node]) {
        const Tet& nodes = tets_[t];
        int side = nowhere;
        for (const Plan::Around& a : plan.around)
            if (a.tet == t) side = a.side[a.only_part()];
        const int first_new = static_cast<int>(tets_.size() - plan.children.size());
        if (t >= first_new) side = plan.children[t - first_new].side;
        for (int k = 0; k < 4; ++k) {
            if (nodes[k] == plan.node) continue;  // the face opposite to it
            Edge edge{-1, -1};
            for (int c : tet_faces[k])
                if (nodes[c] != plan.node) edge[edge[0] < 0 ? 0 : 1] = nodes[c];
            if (edge[1] < edge[0]) std::swap(edge[0], edge[1]);
            sides.push_back({edge, t, k, side});
        }
    }
    std::sort(sides.begin(), sides.end(),
              [](const Side& a, const Side& b) { return std::pair(a.edge, a.side) < std::pair(b.edge, b.side); });
    for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
        if (sides[i].edge != sides[i + 1].edge || sides[i].side == sides[i + 1].side) continue;
        const Tet& nodes = tets_[sides[i].tet];  // the one below
        const auto& face = tet_faces[sides[i].corner];
        const int a = nodes[face[0]], b = nodes[face[1]], c = nodes[face[2]];
        out.area += 0.5 * (rest_[b] - rest_[a]).cross(rest_[c] - rest_[a]).norm();
        out.area_vector += 0.5 * (x_[b] - x_[a]).cross(x_[c] - x_[a]);
        out.tips.insert(out.tips.end(), sides[i].edge.begin(), sides[i].edge.end());
    }
    std::sort(out.tips.begin(), out.tips.end());
    out.tips.erase(std::unique(out.tips.begin(), out.tips.end()), out.tips.end());
}

void CrackMesh::carry_out(Plan& plan, Opening& out) {
    for (const Plan::Point& p : plan.points) add_node({{p.edge[0], 1 - p.t}, {p.edge[1], p.t}});
    for (const Plan::Around& a : plan.around)
        out.nodes.insert(out.nodes.end(), tets_[a.tet].begin(), tets_[a.tet].end());
    for (int t : plan.replaced) retire(t);
    for (const Plan::Child& child : plan.children) {
        add_tet(child.nodes, child.tet);
        out.nodes.insert(out.nodes.end(), child.nodes.begin(), child.nodes.end());
    }
    measure(plan, out);
    const int copy = add_node({{plan.node, 1.0}});
    out.sides = {plan.node, copy};
    const auto hand_over = [&](int t) {
        for (int& node : tets_[t])
            if (node == plan.node) node = copy;
        std::erase(star_[plan.node], t);
        star_[copy].push_back(t);
    };
    for (const Plan::Around& a : plan.around)
        if (!gone_[a.tet] && a.side[a.only_part()] == above) hand_over(a.tet);
    const int first_new = static_cast<int>(tets_.size() - plan.children.size());
    for (std::size_t i = 0; i < plan.children.size(); ++i)
        if (plan.children[i].side == above) hand_over(first_new + static_cast<int>(i));
    // Tips that the plane was bent to remember how far it is from them.
    const Mat3 back = deformation(star_[plan.node].front()).inverse();
    for (std::size_t i = 0; i < plan.ring.size(); ++i)
        if (!plan.fixed[i] && std::binary_search(out.tips.begin(), out.tips.end(), plan.ring[i]))
            aim_[plan.ring[i]] = back * (-plan.distance[i] * plan.normal);
    out.nodes.push_back(copy);
    std::sort(out.nodes.begin(), out.nodes.end());
    out.nodes.erase(std::unique(out.nodes.begin(), out.nodes.end()), out.nodes.end());
    part_loose_stars(out);
    out.opened = true;
}

/// Every part of a node's elements that hangs together by faces with the node gets a copy of its own; the part with
/// the lowest element keeps it. Copies are added to the list, and none of them is a tip.
void CrackMesh::part_loose_stars(Opening& out) {
    std::vector<int>& nodes = out.nodes;
    struct Side {
        Edge edge;
        int tet;
    };
    std::vector<Side> sides;
    std::vector<int> part;
    UnionFind together;
    for (std::size_t at = 0, count = nodes.size(); at < count; ++at) {
        const int node = nodes[at];
        std::vector<int> star = star_[node];
        std::sort(star.begin(), star.end());
        sides.clear();
        for (std::size_t i = 0; i < star.size(); ++i)
            for (int k = 0; k < 4; ++k) {
                const Tet& tet = tets_[star[i]];
                if (tet[k] == node) continue;
                Edge edge{-1, -1};
                for (int c : tet_faces[k])
                    if (tet[c] != node) edge[edge[0] < 0 ? 0 : 1] = tet[c];
                if (edge[1] < edge[0]) std::swap(edge[0], edge[1]);
                sides.push_back({edge, static_cast<int>(i)});
            }
        std::sort(sides.begin(), sides.end(),
                  [](const Side& a, const Side& b) { return std::pair(a.edge, a.tet) < std::pair(b.edge, b.tet); });
        together.reset(static_cast<int>(star.size()));
        for (std::size_t i = 0; i + 1 < sides.size(); ++i)
            if (sides[i].edge == sides[i + 1].edge) together.join(sides[i].tet, sides[i + 1].tet);
        const int parts = together.number(part);
        if (parts < 2) continue;
        std::erase(out.tips, node);
        const int first = node_count();
        for (int p = 1; p < parts; ++p) nodes.push_back(add_node({{node, 1.0}}));
        for (std::size_t i = 0; i < star.size(); ++i) {
            if (part[i] == 0) continue;
            const int copy = first + part[i] - 1;
            for (int& n : tets_[star[i]])
                if (n == node) n = copy;
            std::erase(star_[node], star[i]);
            star_[copy].push_back(star[i]);
        }
    }
    std::sort(nodes.begin(), nodes.end());
}

Mat3 CrackMesh::deformation(int t) const {
    const Tet& n = tets_[t];
    Mat3 rest, now;
    for (int k = 0; k < 3; ++k) rest.col(k) = rest_[n[k + 1]] - rest_[n[0]], now.col(k) = x_[n[k + 1]] - x_[n[0]];
    return now * rest.inverse();
}

Opening CrackMesh::cut(int node, const Vec3& normal, const CutOptions& options) {
    CHECK(node >= 0 && node < node_count(), node, node_count());
    Opening out;
    if (star_[node].empty()) return out;
    const Vec3 aim = deformation(star_[node].front()) * aim_[node];
    if (!try_cut(node, normal, aim, options, out) && aim != Vec3::Zero())
        try_cut(node, normal, Vec3::Zero(), options, out);
    return out;
}

bool CrackMesh::try_cut(int node, const Vec3& normal, const Vec3& aim, const CutOptions& options, Opening& out) {
    Plan plan;
    find_ring(plan, node, normal, aim);
    go_on_from_front(plan, options);
    snap(plan, options);
    for (std::size_t rounds = 0; rounds <= plan.ring.size(); ++rounds) {
        if (!choose_sides(plan)) return false;
        divide(plan);
        const std::optional<int> end = worst_end(plan, options);
        if (!end) {
            carry_out(plan, out);
            return true;
        }
        if (*end < 0) return false;
        plan.sign[*end] = 0;
    }
    return false;
}

MeshEdit CrackMesh::edit() const {
    MeshEdit edit;
    edit.new_nodes = new_nodes_;
    for (int t = 0; t < static_cast<int>(tets_.size()); ++t) {
        if (t >= old_tets_) {
            if (!gone_[t]) edit.new_tets.push_back({tets_[t], {{whole_[t], 1.0}}});
        } else if (gone_[t]) {
            edit.removed_tets.push_back(t);
        } else if (tets_[t] != mesh_->tets[t]) {
            edit.relinked.push_back({t, tets_[t]});
        }
    }
    return edit;
}

}  // namespace pliant
