#include "pliant/fracture/crack_front.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant {

namespace {

/// What the elements round a node look like from it: each is a triangle of its link, each edge from the node a vertex.
struct Link {
    struct Vertex {
        int node;
        double angle;  // that the elements round the edge to it fill at rest, rad
        bool on_front = false;
    };
    struct Rim {  // an edge of the link's border: a free face at the node
        int a, b;
        int inside;  // the third node of its triangle
        int other(int end) const { return end == a ? b : a; }
    };
    std::vector<Vertex> vertices;  // ascending
    std::vector<Rim> rims;

    Link(std::span<const Vec3> rest, std::span<const Tet> star, int node) {
        for (const Tet& tet : star) {
            std::array<int, 3> other{};
            int count = 0;
            for (int n : tet)
                if (n != node) other[count++] = n;
            for (int k = 0; k < 3; ++k) {
                const int b = other[k], c = other[(k + 1) % 3], d = other[(k + 2) % 3];
                const Vec3 along = (rest[b] - rest[node]).normalized();
                const Vec3 u = along.cross(rest[c] - rest[node]), v = along.cross(rest[d] - rest[node]);
                vertices.push_back({b, std::atan2(u.cross(v).norm(), u.dot(v))});
                rims.push_back({std::min(c, d), std::max(c, d), b});
            }
        }
        std::sort(vertices.begin(), vertices.end(), [](const Vertex& p, const Vertex& q) {
            return std::tie(p.node, p.angle) < std::tie(q.node, q.angle);
        });
        std::size_t kept = 0;
        for (const Vertex& v : vertices) {
            if (kept > 0 && vertices[kept - 1].node == v.node)
                vertices[kept - 1].angle += v.angle;
            else
                vertices[kept++] = v;
        }
        vertices.resize(kept);
        keep_border();
        constexpr double full_turn = 2 * M_PI * (1 - 1e-6);  // less by rounding
        for (Vertex& v : vertices)
            v.on_front = v.angle > full_turn && std::count_if(rims.begin(), rims.end(), [&](const Rim& rim) {
                                                    return rim.a == v.node || rim.b == v.node;
                                                }) == 2;
    }

    bool is_tip() const {
        return std::any_of(vertices.begin(), vertices.end(), [](const Vertex& v) { return v.on_front; });
    }
    bool on_front(int node) const {
        const auto found =
            std::lower_bound(vertices.begin(), vertices.end(), node, [](const Vertex& v, int n) { return v.node < n; });
        return found != vertices.end() && found->node == node && found->on_front;
    }

private:
    void keep_border() {
        std::sort(rims.begin(), rims.end(), [](const Rim& p, const Rim& q) {
            return std::tie(p.a, p.b, p.inside) < std::tie(q.a, q.b, q.inside);
        });
        const auto same = [](const Rim& p, const Rim& q) { return p.a == q.a && p.b == q.b; };
        std::size_t kept = 0;
        for (std::size_t i = 0; i < rims.size(); ++i)
            if ((i == 0 || !same(rims[i - 1], rims[i])) && (i + 1 == rims.size() || !same(rims[i], rims[i + 1])))
                rims[kept++] = rims[i];
        rims.resize(kept);
    }
};

/// A face of a crack: free faces at the node in a row, from one edge of the front to the next or to the body's
/// boundary.
struct CrackFace {
    std::array<int, 2> ends{};  // −1 where it comes out at the boundary
    std::vector<int> rims, between;
    int side = 0;
};

/// From a vertex on the front along the free face `rim`.
CrackFace walk(const Link& link, int start, int rim) {
    CrackFace face;
    face.ends = {start, -1};
    for (std::size_t steps = 0; steps <= link.rims.size(); ++steps) {
        face.rims.push_back(rim);
        const int next = link.rims[rim].other(start);
        if (next == face.ends[0]) return face;  // once round the whole border
        if (link.on_front(next)) {
            face.ends[1] = next;
            return face;
        }
        face.between.push_back(next);
        int found = -1, count = 0;
        for (std::size_t i = 0; i < link.rims.size(); ++i)
            if (static_cast<int>(i) != rim && (link.rims[i].a == next || link.rims[i].b == next))
                found = static_cast<int>(i), ++count;
        if (count != 1) return face;
        rim = found, start = next;
    }
    return face;
}

/// Two faces that come out at the boundary are the crack's as far as their nodes lie on each other at rest. Each of the
/// two goes on round the whole border, so that what lies on each other is met a second time from behind.
void trim_at_boundary(CrackFace& face, CrackFace& opposite, std::span<const Vec3> rest) {
    std::size_t last = 0, other = 0;
    for (std::size_t i = 0; i < face.between.size(); ++i)
        for (std::size_t j = 0; j < opposite.between.size(); ++j)
            if (i + j + 2 <= face.between.size() && i + j + 2 > last + other &&
                face.between[i] != opposite.between[j] && rest[face.between[i]] == rest[opposite.between[j]])
                last = i + 1, other = j + 1;
    face.between.resize(last), face.rims.resize(last);
    opposite.between.resize(other), opposite.rims.resize(other);
}

std::vector<CrackFace> crack_faces(const Link& link, std::span<const Vec3> rest) {
    std::vector<CrackFace> faces;
    for (const Link::Vertex& v : link.vertices) {
        if (!v.on_front) continue;
        std::vector<CrackFace> two;
        for (std::size_t i = 0; i < link.rims.size(); ++i)
            if (link.rims[i].a == v.node || link.rims[i].b == v.node)
                two.push_back(walk(link, v.node, static_cast<int>(i)));
        if (two[0].ends[1] < 0 && two[1].ends[1] < 0) trim_at_boundary(two[0], two[1], rest);
        // What ends at the front at both ends is found from both.
        for (CrackFace& face : two)
            if (face.ends[1] < 0 || face.ends[0] < face.ends[1]) faces.push_back(std::move(face));
    }
    return faces;
}

}  // namespace

CrackFront crack_front(std::span<const Vec3> rest, std::span<const Vec3> x, std::span<const Tet> star, int node,
                       const Vec3& normal, double turn) {
    const Link link(rest, star, node);
    CrackFront front;
    if (link.rims.empty() || !link.is_tip()) return front;
    /// Area vector of a free face, out of its element.
    const auto outwards = [&](const Link::Rim& rim) {
        const Vec3 n = 0.5 * (x[rim.a] - x[node]).cross(x[rim.b] - x[node]);
        return n.dot(x[rim.inside] - x[node]) > 0 ? Vec3(-n) : n;
    };
    std::vector<CrackFace> faces = crack_faces(link, rest);
    for (CrackFace& face : faces) {
        Vec3 area = Vec3::Zero();
        for (int rim : face.rims) area += outwards(link.rims[rim]);
        const double along = area.normalized().dot(normal);
        face.side = std::abs(along) > std::cos(turn) ? (along < 0 ? 1 : -1) : 0;
    }
    const auto know = [&](int n, double distance) { front.known.push_back({n, distance}); };
    for (const Link::Vertex& v : link.vertices) {
        if (!v.on_front) continue;
        bool up = false, down = false;
        for (const CrackFace& face : faces)
            if (face.ends[0] == v.node || face.ends[1] == v.node) up |= face.side > 0, down |= face.side < 0;
        if (up && down) know(v.node, 0);
    }
    if (!front.any()) return front;
    for (const CrackFace& face : faces)
        for (int n : face.between)
            if (face.side != 0) know(n, face.side * (x[n] - x[node]).norm());
    // What a face covers when seen along the plane's normal lies behind the front.
    const auto is_known = [&](int n) {
        return std::any_of(front.known.begin(), front.known.end(),
                           [&](const CrackFront::Neighbour& k) { return k.node == n; });
    };
    for (const Link::Vertex& v : link.vertices) {
        if (v.on_front || is_known(v.node)) continue;
        const Vec3 r = x[v.node] - x[node];
        for (const CrackFace& face : faces) {
            if (face.side == 0) continue;
            for (int i : face.rims) {
                const Link::Rim& rim = link.rims[i];
                const Vec3 a = x[rim.a] - x[node], b = x[rim.b] - x[node];
                const double turning = a.cross(b).dot(normal);
                if (!(a.cross(r).dot(normal) * turning > 0 && r.cross(b).dot(normal) * turning > 0)) continue;
                const double depth = -r.dot(outwards(rim).normalized());  // above 0: on the element's side of the face
                if (!is_known(v.node)) know(v.node, face.side * depth);
            }
        }
    }
    std::sort(front.known.begin(), front.known.end(),
              [](const CrackFront::Neighbour& p, const CrackFront::Neighbour& q) {
                  return std::tie(p.node, p.distance) < std::tie(q.node, q.distance);
              });
    front.known.erase(
        std::unique(front.known.begin(), front.known.end(),
                    [](const CrackFront::Neighbour& p, const CrackFront::Neighbour& q) { return p.node == q.node; }),
        front.known.end());
    return front;
}

bool is_crack_tip(std::span<const Vec3> rest, std::span<const Tet> star, int node) {
    return Link(rest, star, node).is_tip();
}

}  // namespace pliant
