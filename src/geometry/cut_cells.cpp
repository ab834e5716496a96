#include "pliant/geometry/cut_cells.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"

namespace pliant {

namespace {

Int128 magnitude(Int128 a) { return a < 0 ? -a : a; }

Int128 common_factor(Int128 a, Int128 b) {
    a = magnitude(a), b = magnitude(b);
    while (b != 0) {
        // Most are small: the long division of 128 bits is left to those that are not.
        if ((a | b) >> 63 == 0) return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        a %= b;
        std::swap(a, b);
    }
    return a;
}

template <class T>
bool in_lowest_terms(std::array<T, 4>& v) {
    Int128 factor = 0;
    for (const T& c : v) factor = common_factor(factor, c);
    if (factor == 0) return false;
    if (factor != 1)
        for (T& c : v) c = static_cast<T>(c / factor);
    return true;
}

/// The one point of three planes.
CutPoint meeting_point(const CutPlane& a, const CutPlane& b, const CutPlane& c) {
    CutPoint point;
    for (int k = 0; k < 4; ++k) {
        const int i = (k + 1) % 4, j = (k + 2) % 4, l = (k + 3) % 4;
        const Int128 minor = Int128(a[i]) * (Int128(b[j]) * c[l] - Int128(b[l]) * c[j]) -
                             Int128(a[j]) * (Int128(b[i]) * c[l] - Int128(b[l]) * c[i]) +
                             Int128(a[l]) * (Int128(b[i]) * c[j] - Int128(b[j]) * c[i]);
        point[k] = k % 2 == 0 ? minor : -minor;
    }
    CHECK(in_lowest_terms(point));
    if (std::any_of(point.begin(), point.end(), [](Int128 m) { return m < 0; }))
        for (Int128& m : point) m = -m;
    return point;
}

int sign(Int128 value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

int point_number(CutElement& element, const CutPoint& point) {
    const auto at = std::find(element.points.begin(), element.points.end(), point);
    if (at != element.points.end()) return static_cast<int>(at - element.points.begin());
    element.points.push_back(point);
    return static_cast<int>(element.points.size()) - 1;
}

/// The number of a plane among those of the tet: its own faces first.
int plane_number(CutElement& element, CutPlane plane) {
    CHECK(in_lowest_terms(plane));
    if (*std::find_if(plane.begin(), plane.end(), [](std::int64_t c) { return c != 0; }) < 0)
        for (std::int64_t& c : plane) c = -c;
    for (int k = 0; k < 4; ++k)
        if (plane == plane_of(element, k)) return k;
    const auto at = std::find(element.planes.begin(), element.planes.end(), plane);
    const auto index = at - element.planes.begin();
    if (at == element.planes.end()) element.planes.push_back(plane);
    return 4 + static_cast<int>(index);
}

/// Signs of a function at all points of the element, found when they are first asked for.
class Sides {
public:
    Sides(const CutElement& element, const CutPlane& plane) : element_(element), plane_(plane) {}
    int operator()(int point) {
        if (sides_.size() < element_.points.size()) sides_.resize(element_.points.size(), unknown);
        if (sides_[point] == unknown) sides_[point] = static_cast<signed char>(side_of(plane_, element_.points[point]));
        return sides_[point];
    }

private:
    static constexpr signed char unknown = 2;
    const CutElement& element_;
    CutPlane plane_;
    std::vector<signed char> sides_;
};

struct Range {
    bool below = false, above = false;
    bool both() const { return below && above; }
};

void add(Range& range, const CutFacet& facet, Sides& sides) {
    for (int p : facet.corner) {
        range.below = range.below || sides(p) < 0;
        range.above = range.above || sides(p) > 0;
    }
}
Range range_of(const CutFacet& facet, Sides& sides) {
    Range range;
    add(range, facet, sides);
    return range;
}
Range range_of(const CutCell& cell, Sides& sides) {
    Range range;
    for (const CutFacet& facet : cell.facets) add(range, facet, sides);
    return range;
}

/// The part of a facet on one side of a plane that other facets may reach across. Nothing where it has no corner
/// strictly there.
CutFacet clipped(CutElement& element, const CutFacet& facet, int plane, Sides& sides, int keep) {
    CutFacet out{.plane = facet.plane, .cut = facet.cut, .corner = {}, .along = {}};
    const std::size_t count = facet.corner.size();
    bool inside = false;
    for (std::size_t i = 0; i < count; ++i) {
        const int a = facet.corner[i], b = facet.corner[(i + 1) % count];
        const int from = keep * sides(a), to = keep * sides(b);
        inside = inside || from > 0;
        if (from >= 0) {
            out.corner.push_back(a);
            out.along.push_back(from == 0 && to <= 0 ? plane : facet.along[i]);
        }
        if (from * to >= 0) continue;
        out.corner.push_back(
            point_number(element, meeting_point(plane_of(element, facet.plane), plane_of(element, facet.along[i]),
                                                plane_of(element, plane))));
        out.along.push_back(from > 0 ? plane : facet.along[i]);
    }
    if (!inside) out.corner.clear();
    return out;
}

/// Closes a cell along the plane that clipped its facets.
CutFacet cap(const CutCell& cell, int plane) {
    struct Edge {
        int from, to, along;
    };
    std::vector<Edge> edges;  // turned round: the cap runs along each of them the other way
    for (const CutFacet& facet : cell.facets)
        for (std::size_t i = 0; i < facet.corner.size(); ++i)
            if (facet.along[i] == plane)
                edges.push_back({facet.corner[(i + 1) % facet.corner.size()], facet.corner[i], facet.plane});
    CHECK(edges.size() >= 3, edges.size());
    CutFacet out{.plane = plane, .cut = false, .corner = {}, .along = {}};
    const Edge* at = &edges.front();
    do {
        out.corner.push_back(at->from);
        out.along.push_back(at->along);
        const auto next =
            std::find_if(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.from == at->to; });
        CHECK(next != edges.end() && out.corner.size() <= edges.size(), edges.size());
        at = &*next;
    } while (at != &edges.front());
    return out;
}

/// Divides a cell which has corners on both sides: returns the part where `keep` times the function is positive.
CutCell half(CutElement& element, const CutCell& cell, int plane, Sides& sides, int keep) {
    CutCell out;
    for (const CutFacet& facet : cell.facets) {
        CutFacet part = clipped(element, facet, plane, sides, keep);
        if (!part.corner.empty()) out.facets.push_back(std::move(part));
    }
    out.facets.push_back(cap(out, plane));
    return out;
}

CutFacet section(CutElement& element, const CutCell& cell, int plane, Sides& sides) {
    return half(element, cell, plane, sides, 1).facets.back();
}

/// A facet that lies in the plane, none if there is no such.
CutFacet* facet_in(CutCell& cell, Sides& sides) {
    for (CutFacet& facet : cell.facets)
        if (std::all_of(facet.corner.begin(), facet.corner.end(), [&](int p) { return sides(p) == 0; })) return &facet;
    return nullptr;
}

/// Some area of the facet is where none of the functions is positive.
bool reaches_within(const CutElement& element, const CutFacet& facet, std::span<const CutPlane> within) {
    FacetOutline outline = outline_of(element, facet);
    return std::all_of(within.begin(), within.end(), [&](const CutPlane& bound) {
        Range range;
        for (const CutPoint& p : outline.corner) {
            const int side = side_of(bound, p);
            range.below = range.below || side < 0, range.above = range.above || side > 0;
        }
        if (!range.above) return true;
        return range.below && clip(outline, plane_of(element, facet.plane), bound, -1);
    });
}

/// Cuts one cell; what comes of it besides goes to `out`. Returns whether it changed.
bool cut_cell(CutElement& element, CutCell cell, const CutPatch& patch, std::vector<CutCell>& out) {
    Sides at(element, patch.at);
    const bool through = range_of(cell, at).both();
    const int plane = through ? plane_number(element, patch.at) : -1;
    {
        CutFacet* beside = through ? nullptr : facet_in(cell, at);
        if (!through && (!beside || beside->cut)) return out.push_back(std::move(cell)), false;
        const CutFacet where = through ? section(element, cell, plane, at) : *beside;
        if (!reaches_within(element, where, patch.within)) return out.push_back(std::move(cell)), false;
    }
    for (const CutPlane& bound : patch.within) {
        Sides sides(element, bound);
        const CutFacet where = through ? section(element, cell, plane, at) : *facet_in(cell, at);
        if (!range_of(where, sides).both()) continue;
        const int number = plane_number(element, bound);
        out.push_back(half(element, cell, number, sides, 1));
        cell = half(element, cell, number, sides, -1);
    }
    if (through) {
        for (int keep : {1, -1}) {
            out.push_back(half(element, cell, plane, at, keep));
            out.back().facets.back().cut = true;
        }
    } else {
        facet_in(cell, at)->cut = true;
        out.push_back(std::move(cell));
    }
    return true;
}

}  // namespace

Vec4 weights_of(const CutPoint& point) {
    Vec4 weight;
    Int128 sum = 0;
    for (Int128 c : point) sum += c;
    for (int k = 0; k < 4; ++k) weight[k] = static_cast<double>(point[k]) / static_cast<double>(sum);
    return weight;
}

int side_of(const CutPlane& plane, const CutPoint& point) {
    Int128 value = 0;
    for (int k = 0; k < 4; ++k) value += plane[k] * point[k];
    return sign(value);
}

CutPlane plane_of(const CutElement& element, int plane) {
    if (plane >= 4) return element.planes[plane - 4];
    CutPlane unit{};
    unit[plane] = 1;
    return unit;
}

CutElement whole_element() {
    CutElement element;
    for (int k = 0; k < 4; ++k) {
        CutPoint node{};
        node[k] = 1;
        element.points.push_back(node);
    }
    constexpr std::array<std::array<int, 3>, 4> faces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
    CutCell cell;
    for (int f = 0; f < 4; ++f) {
        CutFacet facet{.plane = f, .cut = false, .corner = {}, .along = {}};
        for (int i = 0; i < 3; ++i) {
            facet.corner.push_back(faces[f][i]);
            facet.along.push_back(faces[f][(i + 2) % 3]);  // opposite to the third corner
        }
        cell.facets.push_back(std::move(facet));
    }
    element.cells.push_back(std::move(cell));
    return element;
}

bool cut(CutElement& element, const CutPatch& patch) {
    std::vector<CutCell> cells = std::move(element.cells), out;
    bool changed = false;
    for (CutCell& cell : cells) changed = cut_cell(element, std::move(cell), patch, out) || changed;
    element.cells = std::move(out);
    return changed;
}

bool carve(CutElement& element, std::span<const CutPlane> within, std::size_t walls) {
    bool changed = false;
    for (std::size_t w = 0; w < walls; ++w) {
        CutPatch wall{within[w], {}};
        for (std::size_t i = 0; i < within.size(); ++i)
            if (i != w) wall.within.push_back(within[i]);
        changed = cut(element, wall) || changed;
    }
    std::vector<CutCell> cells = std::move(element.cells), out;
    for (CutCell& cell : cells) {
        std::vector<CutCell> beyond;
        CutCell inside = cell;
        const bool gone = std::all_of(within.begin(), within.end(), [&](const CutPlane& bound) {
            Sides sides(element, bound);
            const Range range = range_of(inside, sides);
            if (!range.both()) return !range.above;
            const int plane = plane_number(element, bound);
            beyond.push_back(half(element, inside, plane, sides, 1));
            inside = half(element, inside, plane, sides, -1);
            return true;
        });
        changed = changed || gone;
        if (gone)
            std::move(beyond.begin(), beyond.end(), std::back_inserter(out));
        else
            out.push_back(std::move(cell));
    }
    element.cells = std::move(out);
    return changed;
}

int connected_cells(const CutElement& element, std::vector<int>& set) {
    const int count = static_cast<int>(element.cells.size());
    UnionFind sets(count);
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b)
            for (const CutFacet& one : element.cells[a].facets)
                for (const CutFacet& other : element.cells[b].facets) {
                    if (one.plane < 4 || one.plane != other.plane || one.cut || other.cut || sets.same(a, b)) continue;
                    if (overlap(plane_of(element, one.plane), outline_of(element, one), outline_of(element, other)))
                        sets.join(a, b);
                }
    return sets.number(set);
}

CutElement part_of(const CutElement& element, std::span<const int> set, int number) {
    CutElement out;
    std::vector<int> plane(element.planes.size(), -1), point(element.points.size(), -1);
    const auto plane_in_part = [&](int p) {
        if (p < 4) return p;
        int& at = plane[p - 4];
        if (at < 0) at = static_cast<int>(out.planes.size()), out.planes.push_back(element.planes[p - 4]);
        return 4 + at;
    };
    for (std::size_t c = 0; c < element.cells.size(); ++c) {
        if (set[c] != number) continue;
        CutCell cell = element.cells[c];
        for (CutFacet& facet : cell.facets) {
            facet.plane = plane_in_part(facet.plane);
            for (int& p : facet.along) p = plane_in_part(p);
            for (int& p : facet.corner) {
                if (point[p] < 0)
                    point[p] = static_cast<int>(out.points.size()), out.points.push_back(element.points[p]);
                p = point[p];
            }
        }
        out.cells.push_back(std::move(cell));
    }
    return out;
}

double share_of(const CutElement& element) {
    double sum = 0;
    for (const CutCell& cell : element.cells) {
        const Vec3 base = weights_of(element.points[cell.facets[0].corner[0]]).tail<3>();
        for (const CutFacet& facet : cell.facets) {
            const auto at = [&](std::size_t i) {
                return Vec3(weights_of(element.points[facet.corner[i]]).tail<3>() - base);
            };
            const Vec3 first = at(0);
            for (std::size_t i = 1; i + 1 < facet.corner.size(); ++i) sum += first.cross(at(i)).dot(at(i + 1));
        }
    }
    return sum;
}

bool reaches_node(const CutElement& element, int k) {
    return std::any_of(element.points.begin(), element.points.end(), [&](const CutPoint& point) {
        for (int i = 0; i < 4; ++i)
            if (i != k && point[i] != 0) return false;
        return true;
    });
}

FacetOutline outline_of(const CutElement& element, const CutFacet& facet) {
    FacetOutline out;
    for (int p : facet.corner) out.corner.push_back(element.points[p]);
    for (int p : facet.along) out.along.push_back(plane_of(element, p));
    return out;
}

FacetOutline outline_of(const CutElement& element, const CutFacet& facet, const std::array<int, 4>& place,
                        int opposite) {
    FacetOutline out = outline_of(element, facet);
    const auto renumber = [&](auto& values) {
        auto from = values;
        values[opposite] = 0;
        for (int k = 0; k < 4; ++k)
            if (place[k] >= 0) values[place[k]] = from[k];
    };
    for (CutPoint& p : out.corner) renumber(p);
    for (CutPlane& p : out.along) renumber(p);
    return out;
}

int inner_side(const FacetOutline& facet, const CutPlane& edge) {
    int inside = 0;
    for (std::size_t i = 0; i < facet.corner.size() && inside == 0; ++i) inside = side_of(edge, facet.corner[i]);
    CHECK(inside != 0);
    return inside;
}

bool clip(FacetOutline& facet, const CutPlane& plane, const CutPlane& by, int keep) {
    FacetOutline out;
    const std::size_t count = facet.corner.size();
    std::vector<int> sides(count);
    bool inside = false;
    for (std::size_t i = 0; i < count; ++i) {
        sides[i] = keep * side_of(by, facet.corner[i]);
        inside = inside || sides[i] > 0;
    }
    if (!inside) return false;
    for (std::size_t i = 0; i < count; ++i) {
        const int from = sides[i], to = sides[(i + 1) % count];
        if (from >= 0) {
            out.corner.push_back(facet.corner[i]);
            out.along.push_back(from == 0 && to <= 0 ? by : facet.along[i]);
        }
        if (from * to >= 0) continue;
        out.corner.push_back(meeting_point(plane, facet.along[i], by));
        out.along.push_back(from > 0 ? by : facet.along[i]);
    }
    facet = std::move(out);
    return true;
}

bool overlap(const CutPlane& plane, const FacetOutline& a, const FacetOutline& b) {
    FacetOutline common = a;
    for (const CutPlane& edge : b.along)
        if (!clip(common, plane, edge, inner_side(b, edge))) return false;
    return true;
}

void save(ByteWriter& out, const CutElement& element) {
    out.vector(element.planes);
    out.vector(element.points);
    out.value(static_cast<std::uint64_t>(element.cells.size()));
    for (const CutCell& cell : element.cells) {
        out.value(static_cast<std::uint64_t>(cell.facets.size()));
        for (const CutFacet& facet : cell.facets) {
            out.value(facet.plane);
            out.value(static_cast<std::uint8_t>(facet.cut));
            out.vector(facet.corner);
            out.vector(facet.along);
        }
    }
}

bool load(ByteReader& in, CutElement& element) {
    in.vector(element.planes);
    in.vector(element.points);
    const int planes = 4 + static_cast<int>(element.planes.size()), points = static_cast<int>(element.points.size());
    const auto in_range = [](const std::vector<int>& list, int count) {
        return std::all_of(list.begin(), list.end(), [&](int i) { return i >= 0 && i < count; });
    };
    // Nothing is reserved by a number that was read: a cell that is not there ends the reading.
    for (auto cells = in.value<std::uint64_t>(); cells > 0; --cells) {
        CutCell cell;
        for (auto facets = in.value<std::uint64_t>(); facets > 0; --facets) {
            CutFacet facet;
            in.value(facet.plane);
            facet.cut = in.value<std::uint8_t>() != 0;
            in.vector(facet.corner);
            in.vector(facet.along);
            if (facet.plane < 0 || facet.plane >= planes || facet.corner.size() < 3 ||
                facet.along.size() != facet.corner.size() || !in_range(facet.corner, points) ||
                !in_range(facet.along, planes))
                return false;
            cell.facets.push_back(std::move(facet));
        }
        element.cells.push_back(std::move(cell));
    }
    return !element.cells.empty();
}

}  // namespace pliant
