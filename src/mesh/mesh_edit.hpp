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
    };
    /// An existing tet with new nodes; its rest shape stays (a vertex split) unless the new nodes lie elsewhere.
    struct Relink {
        int tet;
        Tet nodes;
    };
    struct NewTet {
        Tet nodes;
        std::vector<Parent> parents;  ///< tets whose material it is made of, weighted by volume
    };

    std::vector<NewNode> new_nodes;
    std::vector<Relink> relinked;
    std::vector<int> removed_tets;  ///< numbers before the edit, ascending; later tets move up
    std::vector<NewTet> new_tets;   ///< go after those that stay

    bool empty() const { return new_nodes.empty() && relinked.empty() && removed_tets.empty() && new_tets.empty(); }

    /// A copy of a node; returns its number. `nodes` is the mesh's node count before the edit.
    int copy_node(int node, int nodes) {
        new_nodes.push_back({{{node, 1.0}}});
        return nodes + static_cast<int>(new_nodes.size()) - 1;
    }
};

/// Changes connectivity, rest positions and regions, and bumps the revision. Throws InternalError, and changes nothing,
/// when a number is out of range or weights do not sum to 1.
void apply(TetMesh& mesh, const MeshEdit& edit);

/// What new items inherit: copies exactly; numbers and vectors blended; integers and enums from the heaviest parent,
/// the first of equals.
template <class T>
T inherited(const std::vector<T>& values, const std::vector<Parent>& parents) {
    const auto heaviest = std::max_element(parents.begin(), parents.end(),
                                           [](const Parent& a, const Parent& b) { return a.weight < b.weight; });
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        return values[heaviest->index];
    } else {
        if (parents.size() == 1) return T(values[parents[0].index]);
        T sum = values[parents[0].index] * parents[0].weight;
        for (std::size_t i = 1; i < parents.size(); ++i) sum += values[parents[i].index] * parents[i].weight;
        return sum;
    }
}

/// Lets an array with one value per node follow the edit.
template <class T>
void follow_nodes(std::vector<T>& per_node, const MeshEdit& edit) {
    const std::size_t size = per_node.size() + edit.new_nodes.size();
    if (size > per_node.capacity()) per_node.reserve(size + size / 8);  // what broke once breaks again
    for (const MeshEdit::NewNode& node : edit.new_nodes) per_node.push_back(inherited(per_node, node.parents));
}

/// Lets an array with one value per tet follow the edit. Quantities per volume blend rightly; amounts must be shared
/// out by their owner.
template <class T>
void follow_tets(std::vector<T>& per_tet, const MeshEdit& edit) {
    std::vector<T> added;
    added.reserve(edit.new_tets.size());
    for (const MeshEdit::NewTet& tet : edit.new_tets) added.push_back(inherited(per_tet, tet.parents));
    if (!edit.removed_tets.empty()) {
        std::size_t keep = 0, next = 0;
        for (std::size_t i = 0; i < per_tet.size(); ++i) {
            if (next < edit.removed_tets.size() && static_cast<std::size_t>(edit.removed_tets[next]) == i) {
                ++next;
                continue;
            }
            if (keep != i) per_tet[keep] = per_tet[i];
            ++keep;
        }
        per_tet.erase(per_tet.begin() + static_cast<std::ptrdiff_t>(keep), per_tet.end());
    }
    per_tet.insert(per_tet.end(), added.begin(), added.end());
}

/// Splits a node: the tets round it are sorted into groups (per tet of `around`, a group number from 0; group 0 keeps
/// the node), every other group gets a copy. Adds to the edit; works on the connectivity `tets` of before the edit.
void split_node(MeshEdit& edit, const TetMesh& mesh, int node, const std::vector<int>& around,
                const std::vector<int>& group);

}  // namespace pliant
