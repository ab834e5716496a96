#pragma once
// The one language of fracture, cutting and remeshing: what shall change in a tet mesh, with parents for everything
// new, so that every array per node or per tet can follow. Rules propose edits; apply() alone changes connectivity.

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

/// A share of an existing node or tet in a new one.
struct Parent {
    int index;
    double weight;  ///< the weights of one new item sum to 1
};

struct MeshEdit {
    /// New nodes get the numbers node_count, node_count + 1, … One parent of weight 1 is a copy; several are a blend
    /// (a point on a cut edge lies between its ends).
    struct NewNode {
        std::vector<Parent> parents;
        bool is_virtual = false;  ///< it carries a part of elements, but no material is where it is
    };
    /// An existing tet with other nodes at the same places at rest: its shape stays. A tet that shall have another
    /// shape is removed, and a new one added.
    struct Relink {
        int tet;
        Tet nodes;
    };
    struct NewTet {
        Tet nodes;
        std::vector<Parent> parents;  ///< tets whose material it is made of, weighted by volume
        double share = 1;             ///< of its volume that is material: the rest is in copies of it, or gone
    };

    // Tets name nodes by their numbers before any is removed: old ones as they were, new ones from node_count on.
    std::vector<NewNode> new_nodes;
    std::vector<Relink> relinked;
    std::vector<int> removed_tets;   ///< numbers before the edit, ascending; later tets move up
    std::vector<NewTet> new_tets;    ///< go after those that stay
    std::vector<int> removed_nodes;  ///< ascending; no tet may need them any more; later nodes move up
    /// Where new nodes are at rest, m, if the body's present shape becomes the one that its mesh is at rest in: then
    /// every node and tet is new, and the parents say where in the body as it is now a node lies. Empty: new nodes lie
    /// between their parents at rest, too.
    std::vector<Vec3> new_rest;

    bool empty() const {
        return new_nodes.empty() && relinked.empty() && removed_tets.empty() && new_tets.empty() &&
               removed_nodes.empty();
    }
    /// True where nodes are only copied and tets only linked to the copies: element shapes, masses of elements and the
    /// numbers of tets stay. Such an edit takes the fast path through solids and skins.
    bool only_splits() const;

    /// A copy of a node; returns its number. `nodes` is the mesh's node count before the edit.
    int copy_node(int node, int nodes) {
        new_nodes.push_back({.parents = {{node, 1.0}}});
        return nodes + static_cast<int>(new_nodes.size()) - 1;
    }
};

/// Changes connectivity, rest positions and regions, and bumps the revision. Throws InternalError, and changes nothing,
/// when a number is out of range, weights do not sum to 1, or a tet needs a node that is removed.
void apply(TetMesh& mesh, const MeshEdit& edit);

/// The numbers of `count` items after those of `removed` (ascending) are gone: −1 for these, the others move up.
std::vector<int> numbers_after_removal(std::size_t count, const std::vector<int>& removed);

/// The parent with the largest weight, the first of equals.
inline int heaviest(const std::vector<Parent>& parents) {
    return std::max_element(parents.begin(), parents.end(),
                            [](const Parent& a, const Parent& b) { return a.weight < b.weight; })
        ->index;
}

/// What new items inherit: copies exactly; numbers and vectors blended; everything else from the heaviest parent.
template <class T>
T inherited(const std::vector<T>& values, const std::vector<Parent>& parents) {
    if (parents.size() == 1) return T(values[parents[0].index]);
    if constexpr (std::is_floating_point_v<T> || requires(T a, double w) { a.norm(), T(a * w); }) {
        T sum = values[parents[0].index] * parents[0].weight;
        for (std::size_t i = 1; i < parents.size(); ++i) sum += values[parents[i].index] * parents[i].weight;
        return sum;
    } else if constexpr (requires(T a) { a.begin(), a[0] * 1.0; }) {  // std::array<double, …>
        T sum{};
        for (const Parent& p : parents)
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += values[p.index][k] * p.weight;
        return sum;
    } else {
        return values[heaviest(parents)];
    }
}

/// Takes the items with the numbers `removed`, ascending, out of a list.
template <class T>
void remove_items(std::vector<T>& items, const std::vector<int>& removed) {
    if (removed.empty()) return;
    std::size_t keep = static_cast<std::size_t>(removed.front()), next = 0;
    for (std::size_t i = keep; i < items.size(); ++i) {
        if (next < removed.size() && static_cast<std::size_t>(removed[next]) == i)
            ++next;
        else
            items[keep++] = std::move(items[i]);
    }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(keep), items.end());
}

/// Lets an array with one value per node follow the edit.
template <class T>
void follow_nodes(std::vector<T>& per_node, const MeshEdit& edit) {
    const std::size_t size = per_node.size() + edit.new_nodes.size();
    if (size > per_node.capacity()) per_node.reserve(size + size / 8);  // what broke once breaks again
    for (const MeshEdit::NewNode& node : edit.new_nodes) per_node.push_back(inherited(per_node, node.parents));
    remove_items(per_node, edit.removed_nodes);
}

/// Lets an array with one value per tet follow the edit. Quantities per volume blend rightly; amounts must be shared
/// out by their owner.
template <class T>
void follow_tets(std::vector<T>& per_tet, const MeshEdit& edit) {
    std::vector<T> added;
    added.reserve(edit.new_tets.size());
    for (const MeshEdit::NewTet& tet : edit.new_tets) added.push_back(inherited(per_tet, tet.parents));
    remove_items(per_tet, edit.removed_tets);
    per_tet.insert(per_tet.end(), added.begin(), added.end());
}

/// Splits a node: the tets round it are sorted into groups (per tet of `around`, a group number from 0; group 0 keeps
/// the node), every other group gets a copy. Adds to the edit; works on the connectivity `tets` of before the edit.
void split_node(MeshEdit& edit, const TetMesh& mesh, int node, const std::vector<int>& around,
                const std::vector<int>& group);

}  // namespace pliant
