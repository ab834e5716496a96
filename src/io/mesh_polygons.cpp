#include "pliant/io/mesh_polygons.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

using Vec2 = Eigen::Vector2d;

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Cuts polygons of five and more corners. Work is bounded by a budget for the whole file, so that a hostile
/// polygon cannot take quadratic time for ever; what is over the budget is cut as a fan.
class EarCutter {
public:
    EarCutter(const std::vector<Vec3>& points, std::size_t all_corners)
        : points_(points), budget_(3e8 + 500.0 * static_cast<double>(all_corners)) {}

    /// Triangles of places in the list of corners, of which this polygon has those from `first` on.
    void cut(const int* corner, int n, int first, std::vector<Tri>& out) {
        if (!flatten(corner, n) || convex(n) || budget_ <= 0) {
            for (int k = 1; k + 1 < n; ++k) out.push_back({first, first + k, first + k + 1});
            return;
        }
        previous_.resize(static_cast<std::size_t>(n));
        next_.resize(static_cast<std::size_t>(n));
        for (int k = 0; k < n; ++k) previous_[k] = (k + n - 1) % n, next_[k] = (k + 1) % n;
        int left = n, refused = 0, at = 1;
        while (left > 3) {
            const int a = previous_[at], c = next_[at];
            // A polygon that crosses itself may have no ear left; then any corner will do.
            if (!is_ear(a, at, c) && refused < left && budget_ > 0) {
                ++refused;
                at = c;
                continue;
            }
            out.push_back({first + a, first + at, first + c});
            next_[a] = c, previous_[c] = a;
            --left, refused = 0;
            at = next_[c];  // skipping one spreads the ears round the polygon instead of making slivers at one corner
        }
        out.push_back({first + previous_[at], first + at, first + next_[at]});
    }

private:
    /// Projects along the largest component of the mean normal (Newell); false for a polygon without area.
    bool flatten(const int* corner, int n) {
        Vec3 normal = Vec3::Zero();
        const Vec3 origin = points_[corner[0]];
        for (int k = 1; k + 1 < n; ++k) normal += (points_[corner[k]] - origin).cross(points_[corner[k + 1]] - origin);
        int axis = 0;
        if (!(normal.cwiseAbs().maxCoeff(&axis) > 0)) return false;
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double sign = normal[axis] > 0 ? 1 : -1;
        flat_.clear();
        for (int k = 0; k < n; ++k) {
            const Vec3 p = points_[corner[k]] - origin;
            flat_.push_back({p[u], sign * p[v]});
        }
        return true;
    }
    bool convex(int n) const {
        for (int k = 0; k < n; ++k)
            if (turn(flat_[k], flat_[(k + 1) % n], flat_[(k + 2) % n]) <= 0) return false;
        return true;
    }
    bool is_ear(int a, int b, int c) {
        const Vec2 &pa = flat_[a], &pb = flat_[b], &pc = flat_[c];
        if (turn(pa, pb, pc) <= 0) return false;
        for (int k = next_[c]; k != a; k = next_[k]) {
            budget_ -= 1;
            const Vec2& p = flat_[k];
            if (turn(pa, pb, p) >= 0 && turn(pb, pc, p) >= 0 && turn(pc, pa, p) >= 0 && p != pa && p != pb && p != pc)
                return false;
        }
        return true;
    }

    const std::vector<Vec3>& points_;
    double budget_;  // point-in-triangle tests
    std::vector<Vec2> flat_;
    std::vector<int> previous_, next_;
};

void cut_quad(const std::vector<Vec3>& points, const int* c, int first, std::vector<Tri>& out) {
    const Vec3 &p0 = points[c[0]], &p1 = points[c[1]], &p2 = points[c[2]], &p3 = points[c[3]];
    const bool good_02 = (p1 - p0).cross(p2 - p0).dot((p2 - p0).cross(p3 - p0)) > 0;
    const bool good_13 = (p2 - p1).cross(p3 - p1).dot((p3 - p1).cross(p0 - p1)) > 0;
    const bool shorter_02 = (p2 - p0).squaredNorm() <= (p3 - p1).squaredNorm();
    if (good_02 == good_13 ? shorter_02 : good_02) {
        out.push_back({first, first + 1, first + 2});
        out.push_back({first, first + 2, first + 3});
    } else {
        out.push_back({first + 1, first + 2, first + 3});
        out.push_back({first + 1, first + 3, first});
    }
}

/// Renumbers so that only used points remain, in their old order. `index` is −1 for the dropped ones.
std::size_t drop_unused_points(std::vector<Vec3>& points, std::vector<int>& index) {
    int kept = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (index[i] >= 0) points[static_cast<std::size_t>(kept)] = points[i], index[i] = kept++;
    const std::size_t dropped = points.size() - static_cast<std::size_t>(kept);
    points.resize(static_cast<std::size_t>(kept));
    return dropped;
}

/// triangulate(), as places in the list of corners.
std::vector<Tri> cut_polygons(const std::vector<Vec3>& points, const PolygonList& polygons,
                              std::vector<std::string>& notes) {
    std::vector<Tri> out;
    out.reserve(polygons.corners.size() - std::min(polygons.corners.size(), 2 * polygons.sizes.size()));
    EarCutter cutter(points, polygons.corners.size());
    long long cut = 0;
    int first = 0;
    for (int n : polygons.sizes) {
        const int* corner = polygons.corners.data() + first;
        if (n == 3)
            out.push_back({first, first + 1, first + 2});
        else if (n == 4)
            cut_quad(points, corner, first, out);
        else if (n > 4)
            cutter.cut(corner, n, first, out);
        cut += n > 3;
        first += n;
    }
    if (cut > 0) notes.push_back("cut " + grouped(cut) + " polygons into triangles");
    return out;
}

std::vector<Tri> points_of(std::vector<Tri> places, const PolygonList& polygons) {
    for (Tri& t : places)
        for (int& v : t) v = polygons.corners[static_cast<std::size_t>(v)];
    return places;
}

/// A normal per corner for smoothing groups: the mean of the polygons of the group round each point, weighed by area.
void smooth_groups(const std::vector<Vec3>& points, const PolygonList& polygons, PolygonAttributes& brought) {
    std::vector<Vec3> face(polygons.sizes.size(), Vec3::Zero());
    std::vector<std::array<int, 3>> uses;  // point, group, corner
    std::size_t first = 0;
    for (std::size_t p = 0; p < polygons.sizes.size(); first += static_cast<std::size_t>(polygons.sizes[p]), ++p) {
        const int* c = polygons.corners.data() + first;
        for (int k = 1; k + 1 < polygons.sizes[p]; ++k)
            face[p] += (points[c[k]] - points[c[0]]).cross(points[c[k + 1]] - points[c[0]]);
    }
    brought.normal.assign(polygons.corners.size(), Vec3::Zero());
    std::vector<std::size_t> polygon_of(polygons.corners.size());
    first = 0;
    for (std::size_t p = 0; p < polygons.sizes.size(); ++p)
        for (int k = 0; k < polygons.sizes[p]; ++k, ++first) {
            polygon_of[first] = p;
            const int group = brought.smoothing[p];
            if (group == 0)
                brought.normal[first] = face[p];
            else
                uses.push_back({polygons.corners[first], group, static_cast<int>(first)});
        }
    std::sort(uses.begin(), uses.end());
    for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
        Vec3 sum = Vec3::Zero();
        for (j = i; j < uses.size() && uses[j][0] == uses[i][0] && uses[j][1] == uses[i][1]; ++j)
            sum += face[polygon_of[static_cast<std::size_t>(uses[j][2])]];
        for (std::size_t k = i; k < j; ++k) brought.normal[static_cast<std::size_t>(uses[k][2])] = sum;
    }
}

/// `places`: the triangles as places in the list of corners. Null where nothing was brought.
std::shared_ptr<const SurfaceAttributes> attributes_of(const TriMesh& mesh, const std::vector<Tri>& places,
                                                       const PolygonList& polygons, PolygonAttributes&& brought) {
    SurfaceAttributes made;
    const auto per_corner = [&](const auto& from, auto& to) {
        if (from.empty()) return;
        to.reserve(3 * places.size());
        for (const Tri& t : places)
            for (int c : t) to.push_back(from[static_cast<std::size_t>(c)]);
    };
    per_corner(brought.uv, made.uv);
    per_corner(brought.color, made.color);
    if (brought.normal.empty() &&
        std::any_of(brought.smoothing.begin(), brought.smoothing.end(), [](int group) { return group >= 0; }))
        smooth_groups(mesh.points, polygons, brought);
    std::vector<Vec3> normals;
    per_corner(brought.normal, normals);
    if (!normals.empty()) set_corner_normals(made, mesh.points, mesh.triangles, normals);
    if (!brought.material.empty()) {
        made.materials = std::move(brought.materials);
        for (std::size_t p = 0; p < polygons.sizes.size(); ++p)
            made.material.insert(made.material.end(), static_cast<std::size_t>(polygons.sizes[p] - 2),
                                 brought.material[p]);
    }
    if (std::any_of(polygons.sizes.begin(), polygons.sizes.end(), [](int n) { return n > 3; })) {
        made.polygon_size = polygons.sizes;
        made.polygon_corner.assign(polygons.corners.size(), -1);
        for (std::size_t t = 0; t < places.size(); ++t)
            for (std::size_t k = 0; k < 3; ++k) {
                int& corner = made.polygon_corner[static_cast<std::size_t>(places[t][k])];
                if (corner < 0) corner = static_cast<int>(3 * t + k);
            }
    }
    if (made.empty()) return nullptr;
    const std::string fault = attribute_fault(made, places.size());
    CHECK(fault.empty(), fault);
    return std::make_shared<const SurfaceAttributes>(std::move(made));
}

}  // namespace

std::vector<Tri> triangulate(const std::vector<Vec3>& points, const PolygonList& polygons,
                             std::vector<std::string>& notes) {
    return points_of(cut_polygons(points, polygons, notes), polygons);
}

std::size_t weld_equal_points(TriMesh& mesh) {
    const std::size_t n = mesh.points.size();
    const std::size_t slots = std::bit_ceil(2 * n + 2);
    std::vector<int> table(slots, -1);
    std::vector<int> index(n);
    std::vector<Vec3> kept;
    kept.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 p = mesh.points[i] + Vec3::Zero();  // −0 + 0 = 0
        std::uint64_t hash = 0;
        for (int k = 0; k < 3; ++k) {
            hash = (hash ^ std::bit_cast<std::uint64_t>(p[k])) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        std::size_t slot = hash & (slots - 1);
        while (table[slot] >= 0 && kept[static_cast<std::size_t>(table[slot])] != p) slot = (slot + 1) & (slots - 1);
        if (table[slot] < 0) {
            table[slot] = static_cast<int>(kept.size());
            kept.push_back(p);
        }
        index[i] = table[slot];
    }
    for (Tri& t : mesh.triangles)
        for (int& v : t) v = index[static_cast<std::size_t>(v)];
    mesh.points = std::move(kept);
    return n - mesh.points.size();
}

void CellSoup::leave_out(std::string_view kind) {
    if (std::find(left_out.begin(), left_out.end(), kind) == left_out.end()) left_out.emplace_back(kind);
}

namespace {

/// Tets that have a node twice enclose nothing, and of equal tets one is enough: counted twice, they would weigh and
/// resist twice.
void drop_odd_tets(CellSoup& soup, std::vector<std::string>& notes) {
    std::vector<std::pair<Tet, std::size_t>> sorted;
    sorted.reserve(soup.tets.size());
    long long repeated = 0, equal = 0;
    std::vector<char> drop(soup.tets.size(), 0);
    for (std::size_t t = 0; t < soup.tets.size(); ++t) {
        Tet tet = soup.tets[t];
        std::sort(tet.begin(), tet.end());
        if (std::adjacent_find(tet.begin(), tet.end()) != tet.end())
            drop[t] = 1, ++repeated;
        else
            sorted.emplace_back(tet, t);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first == sorted[i - 1].first) drop[sorted[i].second] = 1, ++equal;
    if (repeated + equal == 0) return;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < soup.tets.size(); ++t) {
        if (drop[t]) continue;
        soup.tets[kept] = soup.tets[t];
        if (t < soup.region.size()) soup.region[kept] = soup.region[t];
        ++kept;
    }
    soup.tets.resize(kept);
    soup.region.resize(std::min(soup.region.size(), kept));
    const auto tets = [](long long n) { return grouped(n) + (n == 1 ? " tet" : " tets"); };
    if (repeated > 0) notes.push_back("left out " + tets(repeated) + " in which a node occurs twice");
    if (equal > 0) notes.push_back("left out " + tets(equal) + " with the same nodes as another");
}

}  // namespace

MeshFile finish_cells(CellSoup&& soup, const std::string& format, const std::string& name) {
    MeshFile file;
    file.format = format;
    drop_odd_tets(soup, file.notes);
    std::string skipped;
    for (const std::string& kind : soup.left_out) skipped += (skipped.empty() ? "" : ", ") + kind;
    if (soup.tets.empty() && soup.polygons.empty())
        throw UserError(skipped.empty() ? "the file has neither tets nor triangles"
                                        : "the file has neither tets nor triangles, only " + skipped,
                        {name}, "Export a triangle surface or a tetrahedral mesh");
    std::vector<int> used(soup.points.size(), -1);
    std::size_t dropped = 0;
    if (!soup.tets.empty()) {
        for (const Tet& t : soup.tets)
            for (int v : t) used[static_cast<std::size_t>(v)] = 0;
        dropped = drop_unused_points(soup.points, used);
        TetMesh mesh;
        mesh.rest = std::move(soup.points);
        mesh.tets = std::move(soup.tets);
        if (dropped > 0)
            for (Tet& t : mesh.tets)
                for (int& v : t) v = used[static_cast<std::size_t>(v)];
        if (std::any_of(soup.region.begin(), soup.region.end(), [](int r) { return r != 0; }))
            mesh.region = std::move(soup.region);
        if (const int turned = orient_tets(mesh)) file.notes.push_back("turned " + grouped(turned) + " tets round");
        if (!soup.polygons.empty())
            file.notes.push_back("left out " + grouped(static_cast<long long>(soup.polygons.sizes.size())) +
                                 " surface polygons beside the tets");
        file.volume = std::move(mesh);
    } else {
        for (int v : soup.polygons.corners) used[static_cast<std::size_t>(v)] = 0;
        dropped = drop_unused_points(soup.points, used);
        if (dropped > 0)
            for (int& v : soup.polygons.corners) v = used[static_cast<std::size_t>(v)];
        TriMesh mesh;
        mesh.triangles = triangulate(soup.points, soup.polygons, file.notes);
        mesh.points = std::move(soup.points);
        file.surface = std::move(mesh);
    }
    if (dropped > 0)
        file.notes.push_back("dropped " + grouped(static_cast<long long>(dropped)) + " nodes that no cell uses");
    if (!skipped.empty()) file.notes.push_back("left out cells of other kinds: " + skipped);
    return file;
}

MeshFile finish_surface(std::vector<Vec3>&& points, const PolygonList& polygons, const std::string& format,
                        const std::string& name, PolygonAttributes&& brought) {
    MeshFile file;
    file.format = format;
    TriMesh mesh;
    const std::vector<Tri> places = cut_polygons(points, polygons, file.notes);
    if (places.empty())
        throw UserError("the file has no faces", {name}, "A surface is needed, not points or lines: export with faces");
    mesh.triangles = points_of(places, polygons);
    mesh.points = std::move(points);
    mesh.attributes = attributes_of(mesh, places, polygons, std::move(brought));
    file.surface = std::move(mesh);
    return file;
}

void NodeNumbers::add(long long number) {
    if (count_ == 0) first_ = number;
    if (plain_ && static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(first_) != count_) {
        plain_ = false;
        for (std::uint64_t i = 0; i < count_; ++i)
            sparse_.emplace_back(first_ + static_cast<long long>(i), static_cast<int>(i));
    }
    if (!plain_) sparse_.emplace_back(number, static_cast<int>(count_));
    ++count_;
}

bool NodeNumbers::finish(long long& twice) {
    std::sort(sparse_.begin(), sparse_.end());
    for (std::size_t i = 1; i < sparse_.size(); ++i)
        if (sparse_[i].first == sparse_[i - 1].first) {
            twice = sparse_[i].first;
            return false;
        }
    return true;
}

int NodeNumbers::search(long long number) const {
    const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), std::pair<long long, int>{number, -1});
    return found != sparse_.end() && found->first == number ? found->second : -1;
}

}  // namespace pliant
