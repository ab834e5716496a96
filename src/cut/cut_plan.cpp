#include "pliant/cut/cut_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "pliant/core/threads.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/mesh/lists.hpp"

namespace pliant {

namespace {

/// The function of a bound at the nodes of a tet. Where it does not change its sign only the signs matter. Values too
/// large for exact products belong to elements stretched to several times the longest edge there was: they are halved
/// until they fit.
CutPlane values_at(const CutSheet& sheet, const SheetBound& bound, const Tet& tet) {
    CutPlane out;
    bool below = false, above = false;
    std::int64_t largest = 0;
    for (int k = 0; k < 4; ++k) {
        std::int64_t& v = out[k] = sheet.value[bound.function][tet[k]];
        if (bound.minus >= 0) v -= sheet.value[bound.minus][tet[k]];
        v = bound.sign * v - bound.less;
        below = below || v < 0, above = above || v > 0;
        largest = std::max(largest, std::abs(v));
    }
    if (below && above)
        for (; largest > cut_limit; largest /= 2)
            for (std::int64_t& v : out) v /= 2;
    else
        for (std::int64_t& v : out) v = v > 0 ? 1 : v < 0 ? -1 : 0;
    return out;
}

bool takes_away(const SheetPatch& patch) { return patch.carves || patch.half > 0; }

bool may_meet(const CutSheet& sheet, const SheetPatch& patch, const Tet& tet) {
    int below = 0, above = 0;
    for (int node : tet) {
        const std::int64_t v = sheet.value[patch.function][node];
        below += v<patch.half, above += v> - patch.half;
    }
    if (patch.carves || patch.half > 0) return below > 0 && (patch.carves || above > 0);
    return (below > 0 && above > 0) || below + above == 1;
}

bool has_length(const CutPlane& plane) {
    return std::any_of(plane.begin(), plane.end(), [](std::int64_t v) { return v != 0; });
}

bool front_has_passed(const CutElement& element, const CutPlane& at, const CutPlane& front) {
    for (const CutCell& cell : element.cells)
        for (const CutFacet& facet : cell.facets) {
            if (!facet.cut) continue;
            for (int p : facet.corner)
                if (side_of(at, element.points[p]) == 0 && side_of(front, element.points[p]) > 0) return false;
        }
    return true;
}

int support_size(const CutPoint& p) {
    return static_cast<int>(std::count_if(p.begin(), p.end(), [](Int128 c) { return c != 0; }));
}

/// Section 4: the new points of an element are on its edges, one on each at most, and each part has a node.
bool fits_the_paper(const CutElement& element) {
    std::vector<int> set;
    const int parts = connected_cells(element, set);
    for (int n = 0; n < parts; ++n) {
        const CutElement part = part_of(element, set, n);
        bool with_node = false;
        for (const CutPoint& p : part.points) {
            if (support_size(p) > 2) return false;
            with_node = with_node || support_size(p) == 1;
        }
        if (!with_node) return false;
    }
    const CutElement all = part_of(element, std::vector<int>(element.cells.size(), 0), 0);
    for (std::size_t i = 0; i < all.points.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (support_size(all.points[i]) != 2 || support_size(all.points[j]) != 2) continue;
            bool same_edge = true;
            for (int k = 0; k < 4; ++k) same_edge = same_edge && (all.points[i][k] != 0) == (all.points[j][k] != 0);
            if (same_edge) return false;
        }
    return true;
}

/// An element that the sheet went through.
struct Changed {
    int tet = -1;
    CutElement element = {};
    bool carved = false;  ///< some of it may be gone
};

/// A patch without thickness.
bool slit_tet(const CutSheet& sheet, const SheetPatch& patch, const Tet& tet, CutElement& element) {
    CutPatch here{values_at(sheet, {.function = patch.function}, tet), {}};
    for (const SheetBound& bound : patch.within) {
        const CutPlane plane = values_at(sheet, bound, tet);
        if (has_length(plane)) here.within.push_back(plane);
    }
    if (!cut(element, here)) return false;
    return !patch.front || front_has_passed(element, here.at, values_at(sheet, *patch.front, tet));
}

/// A region between walls. Where two patches meet there is none: what is beyond goes with the other patch.
bool carve_tet(const CutSheet& sheet, const SheetPatch& patch, const Tet& tet, CutElement& element) {
    std::vector<CutPlane> within;
    const auto add = [&](const SheetBound& bound) {
        const CutPlane plane = values_at(sheet, bound, tet);
        if (has_length(plane)) within.push_back(plane);
    };
    add({.function = patch.function, .less = patch.half});
    if (patch.half > 0) add({.function = patch.function, .sign = -1, .less = patch.half});
    for (const SheetBound& bound : patch.within)
        if (bound.minus < 0) add(bound);
    const std::size_t walls = within.size();
    for (const SheetBound& bound : patch.within)
        if (bound.minus >= 0) add(bound);
    if (patch.front) {  // nothing of the element that is to go may be ahead of it
        CutElement ahead = element;
        std::vector<CutPlane> region = within;
        region.push_back(values_at(sheet, {.function = patch.front->function, .sign = -1}, tet));
        if (carve(ahead, region, 0)) return false;
    }
    return carve(element, within, walls);
}

/// What a tet holds after the sheet has gone through it; none where it does not change.
std::optional<Changed> cut_tet(const CutSheet& sheet, const Tet& tet, const CutSurface::Content& content,
                               const CutRules& rules) {
    std::optional<Changed> out;
    for (const SheetPatch& patch : sheet.patches) {
        if (!may_meet(sheet, patch, tet)) continue;
        CutElement trial = out ? out->element : content ? *content : whole_element();
        if (!(takes_away(patch) ? carve_tet(sheet, patch, tet, trial) : slit_tet(sheet, patch, tet, trial))) continue;
        if (rules.paper && !fits_the_paper(trial)) continue;
        out = Changed{.element = std::move(trial), .carved = takes_away(patch) || (out && out->carved)};
    }
    return out;
}

/// An element near the cut: its cells and which of them hang together within it.
struct Near {
    int tet;
    const CutElement* element;  ///< null: whole
    int parts = 1;
    std::vector<int> part = {};  ///< per cell
    int first_corner = 0;        ///< of 4·parts: those of part 0 first
    bool changed = false;        ///< it holds something else than before
    bool carved = false;         ///< likewise, and less
};

class Planner {
public:
    Planner(const TetMesh& mesh, const CutSurface& state, const CutSheet& sheet, const CutRules& rules,
            Threads& threads)
        : mesh_(mesh), state_(state), rules_(rules) {
        cut_elements(sheet, threads);
    }

    CutPlan plan() {
        CutPlan plan;
        plan.elements = static_cast<int>(cut_.size());
        if (cut_.empty()) return plan;
        find_ring();
        join_corners();
        copy_nodes(plan.edit);
        link_elements(plan);
        return plan;
    }

private:
    void cut_elements(const CutSheet& sheet, Threads& threads) {
        std::vector<int> candidates;
        for (int t = 0; t < mesh_.tet_count(); ++t)
            if (std::any_of(sheet.patches.begin(), sheet.patches.end(),
                            [&](const SheetPatch& patch) { return may_meet(sheet, patch, mesh_.tets[t]); }))
                candidates.push_back(t);
        std::vector<std::optional<Changed>> results(candidates.size());
        parallel_for(threads, candidates.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                results[i] = cut_tet(sheet, mesh_.tets[candidates[i]], state_.content(candidates[i]), rules_);
        });
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (results[i]) cut_.push_back(std::move(*results[i])), cut_.back().tet = candidates[i];
    }

    /// Nodes whose copies may change, and all elements round them. An element that a former cut has parted but for
    /// what goes round may come apart now, and then all of its nodes matter.
    void find_ring() {
        std::vector<char> found(mesh_.tets.size(), 0);
        active_.assign(mesh_.rest.size(), 0);
        const Lists<int> star = corners_round_nodes(mesh_.node_count(), mesh_.tets);
        std::vector<int> waiting;  // nodes whose ring has not been looked at
        const auto activate = [&](int t) {
            for (int node : mesh_.tets[t])
                if (!active_[node]) active_[node] = 1, waiting.push_back(node);
        };
        for (const auto& [t, element, carved] : cut_) {
            found[t] = 1;
            near_.push_back({.tet = t, .element = &element, .changed = true, .carved = carved});
            Near& near = near_.back();
            near.parts = connected_cells(element, near.part);
            activate(t);
        }
        while (!waiting.empty()) {
            const int node = waiting.back();
            waiting.pop_back();
            for (int i = star.begin[node]; i < star.begin[node + 1]; ++i) {
                const int t = star.items[i] / 4;
                if (found[t]) continue;
                found[t] = 1;
                near_.push_back({.tet = t, .element = state_.content(t).get()});
                Near& near = near_.back();
                if (near.element) near.parts = connected_cells(*near.element, near.part);
                if (near.parts > 1) activate(t);
            }
        }
        std::sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) { return a.tet < b.tet; });
        int corners = 0;
        for (Near& near : near_) near.first_corner = corners, corners += 4 * near.parts;
        joined_.reset(corners);
    }

    int corner(const Near& near, int part, int k) const { return near.first_corner + 4 * part + k; }

    /// Parts of two elements on either side of a face that share some of it have the same copies of its nodes.
    void join_corners() {
        struct Face {
            Tri nodes;
            int near, opposite;
            auto operator<=>(const Face&) const = default;
        };
        std::vector<Face> faces;
        for (std::size_t i = 0; i < near_.size(); ++i)
            for (int f = 0; f < 4; ++f) {
                Face face{.nodes = {}, .near = static_cast<int>(i), .opposite = f};
                for (int k = 0; k < 3; ++k) face.nodes[k] = mesh_.tets[near_[i].tet][tet_faces[f][k]];
                if (!active_[face.nodes[0]] && !active_[face.nodes[1]] && !active_[face.nodes[2]]) continue;
                std::sort(face.nodes.begin(), face.nodes.end());
                faces.push_back(face);
            }
        std::sort(faces.begin(), faces.end());
        for (std::size_t begin = 0, end; begin < faces.size(); begin = end) {
            for (end = begin + 1; end < faces.size() && faces[end].nodes == faces[begin].nodes;) ++end;
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = i + 1; j < end; ++j) {
                    const Near &a = near_[faces[i].near], &b = near_[faces[j].near];
                    if (state_.parent(a.tet) != state_.parent(b.tet))
                        join_across(a, faces[i].opposite, b, faces[j].opposite);
                }
        }
    }

    void join_across(const Near& a, int opposite_a, const Near& b, int opposite_b) {
        std::array<int, 4> place;  // of b's nodes in a
        const Tet &of_a = mesh_.tets[a.tet], &of_b = mesh_.tets[b.tet];
        for (int k = 0; k < 4; ++k)
            place[k] =
                k == opposite_b ? -1 : static_cast<int>(std::find(of_a.begin(), of_a.end(), of_b[k]) - of_a.begin());
        for (int p = 0; p < a.parts; ++p)
            for (int q = 0; q < b.parts; ++q) {
                if (!touch(a, p, opposite_a, b, q, opposite_b, place)) continue;
                for (int k = 0; k < 4; ++k)
                    if (place[k] >= 0) joined_.join(corner(a, p, place[k]), corner(b, q, k));
            }
    }

    /// Some facet of part p of a and some of part q of b overlap on the face between them, and neither is cut.
    bool touch(const Near& a, int p, int opposite_a, const Near& b, int q, int opposite_b,
               const std::array<int, 4>& place) const {
        if (!a.element && !b.element) return true;
        static const CutElement whole = whole_element();
        const CutElement &in_a = a.element ? *a.element : whole, &in_b = b.element ? *b.element : whole;
        CutPlane face{};
        face[opposite_a] = 1;
        for (std::size_t i = 0; i < in_a.cells.size(); ++i) {
            if (a.element && a.part[i] != p) continue;
            for (const CutFacet& one : in_a.cells[i].facets) {
                if (one.plane != opposite_a || one.cut) continue;
                const FacetOutline outline = outline_of(in_a, one);
                for (std::size_t j = 0; j < in_b.cells.size(); ++j) {
                    if (b.element && b.part[j] != q) continue;
                    for (const CutFacet& other : in_b.cells[j].facets)
                        if (other.plane == opposite_b && !other.cut &&
                            overlap(face, outline, outline_of(in_b, other, place, opposite_a)))
                            return true;
                }
            }
        }
        return false;
    }

    bool has_node(const Near& near, int part, int k) const {
        if (!near.element) return true;
        for (std::size_t c = 0; c < near.element->cells.size(); ++c) {
            if (near.part[c] != part) continue;
            for (const CutFacet& facet : near.element->cells[c].facets)
                for (int p : facet.corner)
                    if (near.element->points[p][k] != 0 && support_size(near.element->points[p]) == 1) return true;
        }
        return false;
    }

    /// Every set of corners gets a copy of its node. The first that has the node itself keeps it; others that do not
    /// are virtual.
    void copy_nodes(MeshEdit& edit) {
        struct Corner {
            int node, set;
            bool real;
        };
        std::vector<Corner> corners;
        for (const Near& near : near_)
            for (int p = 0; p < near.parts; ++p)
                for (int k = 0; k < 4; ++k)
                    if (const int node = mesh_.tets[near.tet][k]; active_[node])
                        corners.push_back({node, joined_.find(corner(near, p, k)), has_node(near, p, k)});
        // Sets are named by their lowest corners, so that this order is that of the tets.
        std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) {
            return std::tuple(a.node, a.set, !a.real) < std::tuple(b.node, b.set, !b.real);
        });
        corners.erase(std::unique(corners.begin(), corners.end(),
                                  [](const Corner& a, const Corner& b) { return a.node == b.node && a.set == b.set; }),
                      corners.end());
        number_.assign(joined_.size(), -1);
        auto at = corners.begin();
        for (int node = 0; node < mesh_.node_count(); ++node) {
            if (!active_[node]) continue;
            const auto begin = at;
            while (at != corners.end() && at->node == node) ++at;
            if (begin == at) {
                edit.removed_nodes.push_back(node);
                continue;
            }
            auto keeper = std::find_if(begin, at, [](const Corner& c) { return c.real; });
            if (keeper == at) keeper = begin;
            for (auto c = begin; c != at; ++c) {
                number_[c->set] = c == keeper ? node : edit.copy_node(node, mesh_.node_count());
                if (c != keeper) edit.new_nodes.back().is_virtual = !c->real;
            }
        }
    }

    Tet nodes_of(const Near& near, int part) {
        Tet nodes = mesh_.tets[near.tet];
        for (int k = 0; k < 4; ++k)
            if (active_[nodes[k]]) nodes[k] = number_[joined_.find(corner(near, part, k))];
        return nodes;
    }

    void link_elements(CutPlan& plan) {
        for (const Near& near : near_) {
            const Tet& before = mesh_.tets[near.tet];
            std::vector<Tet> copies;
            std::vector<int> copy(static_cast<std::size_t>(near.parts));
            for (int p = 0; p < near.parts; ++p) {
                const Tet nodes = nodes_of(near, p);
                const auto same = std::find(copies.begin(), copies.end(), nodes);
                copy[p] = static_cast<int>(same - copies.begin());
                if (same == copies.end()) copies.push_back(nodes);
            }
            const auto content = [&](int number) -> CutSurface::Content {
                if (!near.changed && copies.size() == 1) return state_.content(near.tet);
                std::vector<int> set = near.part;
                for (int& s : set) s = copy[s];
                return std::make_shared<const CutElement>(part_of(*near.element, set, number));
            };
            if (copies.size() == 1 && !near.carved) {
                if (copies[0] != before) plan.edit.relinked.push_back({near.tet, copies[0]});
                if (near.changed) plan.changed.push_back({near.tet, content(0)});
                continue;
            }
            plan.edit.removed_tets.push_back(near.tet);
            for (std::size_t c = 0; c < copies.size(); ++c) {
                plan.added.push_back(content(static_cast<int>(c)));
                plan.edit.new_tets.push_back(
                    {.nodes = copies[c], .parents = {{near.tet, 1.0}}, .share = share_of(*plan.added.back())});
            }
        }
    }

    const TetMesh& mesh_;
    const CutSurface& state_;
    CutRules rules_;
    std::vector<Changed> cut_;
    std::vector<Near> near_;
    std::vector<char> active_;  // per node: its copies may change
    UnionFind joined_;          // of corners
    std::vector<int> number_;   // per set of corners: its node after the edit
};

}  // namespace

CutPlan plan_cut(const TetMesh& mesh, const CutSurface& state, const CutSheet& sheet, const CutRules& rules,
                 Threads& threads) {
    return Planner(mesh, state, sheet, rules, threads).plan();
}

}  // namespace pliant
