#include "pliant/mesh/mesh_edit.hpp"

#include <cmath>

namespace pliant {

namespace {

void check_parents(const std::vector<Parent>& parents, int count) {
    CHECK(!parents.empty());
    double sum = 0;
    for (const Parent& p : parents) {
        CHECK(p.index >= 0 && p.index < count, p.index, count);
        sum += p.weight;
    }
    CHECK(std::abs(sum - 1) < 1e-12, sum);
}

void check_tet(const Tet& tet, int nodes) {
    for (int i = 0; i < 4; ++i) {
        CHECK(tet[i] >= 0 && tet[i] < nodes, tet[i], nodes);
        for (int j = 0; j < i; ++j) CHECK(tet[i] != tet[j], tet[i]);
    }
}

void check_removed_nodes(const TetMesh& mesh, const MeshEdit& edit, int nodes) {
    std::vector<char> removed(nodes, 0);
    for (std::size_t i = 0; i < edit.removed_nodes.size(); ++i) {
        const int node = edit.removed_nodes[i];
        CHECK(node >= 0 && node < nodes && (i == 0 || edit.removed_nodes[i - 1] < node), node, nodes);
        removed[node] = 1;
    }
    const auto check = [&](const Tet& tet) {
        for (int node : tet) CHECK(!removed[node], node);
    };
    std::vector<const Tet*> links(mesh.tets.size());
    for (std::size_t t = 0; t < links.size(); ++t) links[t] = &mesh.tets[t];
    for (const MeshEdit::Relink& relink : edit.relinked) links[relink.tet] = &relink.nodes;
    for (int t : edit.removed_tets) links[t] = nullptr;
    for (const Tet* tet : links)
        if (tet) check(*tet);
    for (const MeshEdit::NewTet& tet : edit.new_tets) check(tet.nodes);
}

void check_edit(const TetMesh& mesh, const MeshEdit& edit) {
    int nodes = mesh.node_count();
    // A new node may descend from one that is new in the same edit, if that one comes first.
    for (const MeshEdit::NewNode& node : edit.new_nodes) check_parents(node.parents, nodes++);
    for (const MeshEdit::Relink& relink : edit.relinked) {
        CHECK(relink.tet >= 0 && relink.tet < mesh.tet_count(), relink.tet, mesh.tet_count());
        check_tet(relink.nodes, nodes);
    }
    for (std::size_t i = 0; i < edit.removed_tets.size(); ++i) {
        CHECK(edit.removed_tets[i] >= 0 && edit.removed_tets[i] < mesh.tet_count(), edit.removed_tets[i]);
        CHECK(i == 0 || edit.removed_tets[i - 1] < edit.removed_tets[i], edit.removed_tets[i]);
    }
    for (const MeshEdit::NewTet& tet : edit.new_tets) {
        check_tet(tet.nodes, nodes);
        check_parents(tet.parents, mesh.tet_count());
    }
    if (!edit.removed_nodes.empty()) check_removed_nodes(mesh, edit, nodes);
    CHECK(edit.new_rest.empty() ||
              (edit.new_rest.size() == edit.new_nodes.size() && edit.removed_nodes.size() == mesh.rest.size() &&
               edit.removed_tets.size() == mesh.tets.size()),
          edit.new_rest.size(), edit.new_nodes.size());
    CHECK(mesh.region.empty() || mesh.region.size() == mesh.tets.size(), mesh.region.size(), mesh.tets.size());
}

}  // namespace

bool MeshEdit::only_splits() const {
    return removed_tets.empty() && new_tets.empty() && removed_nodes.empty() &&
           std::all_of(new_nodes.begin(), new_nodes.end(), [](const NewNode& n) { return n.parents.size() == 1; });
}

std::vector<int> numbers_after_removal(std::size_t count, const std::vector<int>& removed) {
    std::vector<int> number(count);
    std::size_t next = 0;
    int kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (next < removed.size() && static_cast<std::size_t>(removed[next]) == i)
            number[i] = -1, ++next;
        else
            number[i] = kept++;
    }
    return number;
}

void apply(TetMesh& mesh, const MeshEdit& edit) {
    if (edit.empty()) return;
    check_edit(mesh, edit);
    const std::size_t nodes = mesh.rest.size() + edit.new_nodes.size();
    if (edit.new_rest.empty())
        follow_nodes(mesh.rest, edit);
    else
        mesh.rest = edit.new_rest;
    if (!mesh.region.empty()) follow_tets(mesh.region, edit);
    for (const MeshEdit::Relink& relink : edit.relinked) mesh.tets[relink.tet] = relink.nodes;
    remove_items(mesh.tets, edit.removed_tets);
    for (const MeshEdit::NewTet& tet : edit.new_tets) mesh.tets.push_back(tet.nodes);
    if (!edit.removed_nodes.empty()) {
        const std::vector<int> number = numbers_after_removal(nodes, edit.removed_nodes);
        for (Tet& tet : mesh.tets)
            for (int& node : tet) node = number[node];
    }
    ++mesh.revision;
}

void split_node(MeshEdit& edit, const TetMesh& mesh, int node, const std::vector<int>& around,
                const std::vector<int>& group) {
    CHECK(around.size() == group.size(), around.size(), group.size());
    int groups = 0;
    for (int g : group) groups = std::max(groups, g + 1);
    std::vector<int> copy(groups, node);
    for (int g = 1; g < groups; ++g) copy[g] = edit.copy_node(node, mesh.node_count());
    for (std::size_t i = 0; i < around.size(); ++i) {
        if (group[i] == 0) continue;
        // The tet may have been re-linked by an earlier split of the same edit.
        auto relink = std::find_if(edit.relinked.begin(), edit.relinked.end(),
                                   [&](const MeshEdit::Relink& r) { return r.tet == around[i]; });
        if (relink == edit.relinked.end()) relink = edit.relinked.insert(relink, {around[i], mesh.tets[around[i]]});
        for (int& n : relink->nodes)
            if (n == node) n = copy[group[i]];
    }
}

}  // namespace pliant
