#include "pliant/body/edit.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/body/breaking.hpp"
#include "pliant/body/fem_arrays.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

namespace {

/// A tet's rotation, as its solid keeps it. New tets start from that of their heaviest parent.
struct Rotation {
    std::array<float, 4> quaternion;
};

/// What an edit must not change, summed over some nodes.
struct Amounts {
    Vec3 momentum = Vec3::Zero();  ///< kg·m/s
    Vec3 spin = Vec3::Zero();      ///< angular momentum about a given centre, kg·m²/s
    double heat = 0;               ///< kg·°C; 0 without heat
};

Amounts amounts_of(const FemBody& body, std::span<const int> nodes, const Vec3& centre) {
    const auto mass = node_mass(body);
    Amounts sum;
    for (int i : nodes) {
        const Vec3 p = mass[i] * body.v[i];
        sum.momentum += p, sum.spin += (body.x[i] - centre).cross(p);
        if (!body.temperature.empty()) sum.heat += mass[i] * body.temperature[i];
    }
    return sum;
}

/// Old and new nodes, by their numbers before any is removed, whose tets change: all others keep their mass.
std::vector<char> touched_nodes(const TetMesh& mesh, const MeshEdit& edit) {
    std::vector<char> touched(mesh.rest.size() + edit.new_nodes.size(), 0);
    const auto touch = [&](const Tet& tet) {
        for (int node : tet) touched[node] = 1;
    };
    for (int t : edit.removed_tets) touch(mesh.tets[t]);
    for (const MeshEdit::Relink& relink : edit.relinked) touch(mesh.tets[relink.tet]), touch(relink.nodes);
    for (const MeshEdit::NewTet& tet : edit.new_tets) touch(tet.nodes);
    for (int node : edit.removed_nodes) touched[node] = 1;
    return touched;
}

/// Adds a velocity of rigid motion, and one temperature, so that the amounts are as wanted. False where the nodes are
/// so few or so placed that no rotation gives the angular momentum.
bool restore_amounts(FemBody& body, std::span<const int> nodes, const Vec3& centre, const Amounts& wanted) {
    const auto mass = node_mass(body);
    double total = 0;
    Vec3 middle = Vec3::Zero();
    for (int i : nodes) total += mass[i], middle += mass[i] * body.x[i];
    middle /= total;
    const Amounts now = amounts_of(body, nodes, centre);
    const Vec3 push = wanted.momentum - now.momentum;
    const Vec3 twist = wanted.spin - now.spin - (middle - centre).cross(push);
    Mat3 inertia = Mat3::Zero();
    double size = 0;  // of angular momentum, to tell rounding from a loss
    for (int i : nodes) {
        const Vec3 r = body.x[i] - middle;
        inertia += mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
        size += mass[i] * r.norm() * body.v[i].norm();
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
    Vec3 turn = Vec3::Zero();
    constexpr double flat = 1e-12;  // of the largest moment of inertia: about this axis the nodes do not reach out
    for (int k = 0; k < 3; ++k) {
        const Vec3 axis = axes.eigenvectors().col(k);
        if (axes.eigenvalues()[k] > flat * axes.eigenvalues()[2])
            turn += axis * (axis.dot(twist) / axes.eigenvalues()[k]);
        else if (std::abs(axis.dot(twist)) > flat * size)
            return false;
    }
    for (int i : nodes) body.v[i] += push / total + turn.cross(body.x[i] - middle);
    if (body.temperature.empty()) return true;
    const double warmer = (wanted.heat - now.heat) / total;
    for (int i : nodes) body.temperature[i] += warmer;
    return true;
}

/// Makes the solid and what belongs to it anew for the present mesh, which the seen surface has followed.
void rebuild(FemBody& body, std::span<const Rotation> rotations, std::vector<std::array<double, 4>> carried,
             Threads& threads) {
    Solid solid(body.mesh, solid_material(body), SolidOptions(body.solid.options()));
    if (!carried.empty()) solid.set_carried(std::move(carried), solid_material(body));
    if (!rotations.empty()) {
        std::vector<std::array<float, 4>> quaternions;
        for (const Rotation& r : rotations) quaternions.push_back(r.quaternion);
        solid.set_rotations(quaternions);
    }
    body.solid = std::move(solid);
    if (!body.plastic_deformation.empty()) body.solid.set_shapes(body.mesh, body.plastic_deformation, threads);
    body.solid.set_parts(linked_tets(body.mesh.tets), threads);
    if (body.fracture) body.fracture->stress.resize(body.mesh.tets.size());
    relink_heat(body);
    body.flow_numbers.clear();
    body.keeps_revision = ~std::uint64_t{0};  // the volume constraint is of no mesh there is
    size_scratch(body);
}

Edited split_nodes(FemBody& body, const MeshEdit& edit, Threads& threads) {
    body.edited = body.edited || !body.fracture;
    apply(body.mesh, edit);
    for_each_array(body, [&](const ArrayRole& role, auto& array) {
        if (role.per == Per::node && !array.empty()) follow_nodes(array, edit);
    });
    std::vector<int> relinked;
    for (const MeshEdit::Relink& relink : edit.relinked) relinked.push_back(relink.tet);
    std::sort(relinked.begin(), relinked.end());
    const bool surface_changed = body.seen->follow(body.mesh, edit, threads);
    follow_links(body, relinked, threads);
    return {.node = {}, .surface_changed = surface_changed};
}

/// The arrays of the solid that belong to tets, before an edit and after it.
struct SolidArrays {
    std::vector<Rotation> rotation;
    std::vector<std::array<double, 4>> carried;

    explicit SolidArrays(const Solid& solid) : carried(solid.carried()) {
        for (const auto& quaternion : solid.rotations()) rotation.push_back({quaternion});
    }
    void follow(const MeshEdit& edit) {
        follow_tets(rotation, edit);
        if (carried.empty()) return;
        follow_tets(carried, edit);
        // Corners of new tets are none of their parents': each carries the same.
        for (std::size_t i = carried.size() - edit.new_tets.size(); i < carried.size(); ++i)
            carried[i].fill((carried[i][0] + carried[i][1] + carried[i][2] + carried[i][3]) / 4);
    }
};

void check_shapes(const TetMesh& mesh, const MeshEdit& edit) {
    std::vector<Vec3> rest = mesh.rest;
    if (edit.new_rest.empty())
        for (const MeshEdit::NewNode& node : edit.new_nodes) rest.push_back(inherited(rest, node.parents));
    rest.insert(rest.end(), edit.new_rest.begin(), edit.new_rest.end());
    for (const MeshEdit::Relink& relink : edit.relinked)
        for (int k = 0; k < 4; ++k) CHECK(rest[relink.nodes[k]] == mesh.rest[mesh.tets[relink.tet][k]], relink.tet, k);
    for (const MeshEdit::NewTet& tet : edit.new_tets)
        CHECK(signed_volume(rest, tet.nodes) > 0, tet.nodes[0], tet.nodes[1], tet.nodes[2], tet.nodes[3]);
}

/// `elements`: what tets have if all are new; null: they follow their parents.
Edited replace_elements(FemBody& body, const MeshEdit& edit, NewElements* elements, Threads& threads) {
    check_shapes(body.mesh, edit);
    body.edited = true;
    const std::size_t nodes_before = body.mesh.rest.size();
    const std::vector<char> touched = touched_nodes(body.mesh, edit);
    std::vector<int> before, after;
    for (std::size_t i = 0; i < nodes_before; ++i)
        if (touched[i]) before.push_back(static_cast<int>(i));
    const Vec3 centre = before.empty() ? Vec3(Vec3::Zero()) : body.x[before.front()];
    const Amounts wanted = amounts_of(body, before, centre);
    std::vector<int> everything(nodes_before);
    std::iota(everything.begin(), everything.end(), 0);
    const Amounts wanted_in_all = amounts_of(body, everything, centre);

    SolidArrays arrays(body.solid);
    arrays.follow(edit);
    Edited edited{.node = numbers_after_removal(touched.size(), edit.removed_nodes)};
    apply(body.mesh, edit);
    edited.surface_changed = body.seen->follow(body.mesh, edit, threads);
    for_each_array(body, [&](const ArrayRole& role, auto& array) {
        if (array.empty()) return;
        if (role.per == Per::node) follow_nodes(array, edit);
        if (role.per == Per::tet) follow_tets(array, edit);
    });
    if (elements) {
        body.x = body.mesh.rest;
        body.plastic_deformation = std::move(elements->shape);
        arrays.carried = std::move(elements->carried);
        arrays.rotation.clear();                     // their elastic stretch is symmetric
    } else if (!body.plastic_deformation.empty()) {  // blends lose some volume
        for (std::size_t t = body.mesh.tets.size() - edit.new_tets.size(); t < body.mesh.tets.size(); ++t)
            body.plastic_deformation[t] /= std::cbrt(body.plastic_deformation[t].determinant());
    }
    if (body.cutting && !body.cutting->whole_copies)
        for (std::size_t i = 0; i < edit.new_tets.size(); ++i)
            body.share[body.share.size() - edit.new_tets.size() + i] = edit.new_tets[i].share;
    std::iota(body.origin.begin(), body.origin.end(), 0);  // cracks are counted from here on
    rebuild(body, arrays.rotation, std::move(arrays.carried), threads);

    for (std::size_t i = 0; i < touched.size(); ++i)
        if (touched[i] && edited.node[i] >= 0) after.push_back(edited.node[i]);
    if (!after.empty() && !restore_amounts(body, after, centre, wanted)) {
        everything.resize(body.x.size());
        std::iota(everything.begin(), everything.end(), 0);
        restore_amounts(body, everything, centre, wanted_in_all);
    }
    set_material_at(body, body.temperature);
    body.temperature_next = body.temperature;
    update_surface(body, threads);
    return edited;
}

}  // namespace

Edited apply_edit(FemBody& body, const MeshEdit& edit, Threads& threads) {
    if (edit.empty()) return {};
    return edit.only_splits() ? split_nodes(body, edit, threads) : replace_elements(body, edit, nullptr, threads);
}

Edited apply_edit(FemBody& body, const MeshEdit& edit, NewElements elements, Threads& threads) {
    CHECK(!edit.new_rest.empty() && elements.shape.size() == edit.new_tets.size() &&
              elements.carried.size() == edit.new_tets.size(),
          edit.new_rest.size(), elements.shape.size(), elements.carried.size());
    return replace_elements(body, edit, &elements, threads);
}

void follow_held_nodes(std::vector<int>& held, std::size_t nodes_before, const MeshEdit& edit, const Edited& edited) {
    std::vector<char> is_held(nodes_before + edit.new_nodes.size(), 0);
    for (int node : held) is_held[node] = 1;
    for (std::size_t k = 0; k < edit.new_nodes.size(); ++k) {
        const auto& parents = edit.new_nodes[k].parents;
        const std::size_t node = nodes_before + k;
        const bool all_held = std::all_of(parents.begin(), parents.end(),
                                          [&](const Parent& p) { return p.weight == 0 || is_held[p.index]; });
        if (edit.new_rest.empty()) {
            is_held[node] = all_held && !edit.new_nodes[k].is_virtual;
        } else {  // what is held neither grows nor shrinks on average
            double share = 0;
            for (const Parent& p : parents) share += is_held[p.index] ? p.weight : 0;
            is_held[node] = share > 0.5;
        }
        if (is_held[node]) held.push_back(static_cast<int>(node));
    }
    if (edited.node.empty()) return;
    for (int& node : held) node = edited.node[node];
    std::erase(held, -1);
}

void save_mesh(const FemBody& body, ByteWriter& out) {
    std::vector<Vec3> rest;
    for (std::size_t i = 0; i < body.origin.size() && body.origin[i] == static_cast<int>(i); ++i)
        rest.push_back(body.mesh.rest[i]);
    std::vector<Tet> tets = body.mesh.tets;
    for (Tet& tet : tets)
        for (int& node : tet) node = body.origin[node];
    out.vector(rest);
    out.vector(tets);
    out.vector(body.mesh.region);
    out.vector(body.solid.carried());
    for_each_array(body, [&](const ArrayRole& role, const auto& array) {
        if (role.from_scene) ArrayWriter{out, true}(role, array);
    });
}

void load_mesh(FemBody& body, ByteReader& in, Threads& threads) {
    TetMesh mesh;
    in.vector(mesh.rest);
    in.vector(mesh.tets);
    in.vector(mesh.region);
    auto carried = in.vector<std::array<double, 4>>();
    mesh.revision = body.mesh.revision + 1;
    const std::size_t nodes = mesh.rest.size(), tets = mesh.tets.size();
    bool fits = tets > 0 && (mesh.region.empty() || mesh.region.size() == tets);
    for (const Tet& tet : mesh.tets) {
        for (int node : tet) fits = fits && node >= 0 && node < static_cast<int>(nodes);
        fits = fits && signed_volume(mesh.rest, tet) > 0;
    }
    for_each_array(body, [&](const ArrayRole& role, auto& array) {
        if (!role.from_scene) return;
        const bool had = !array.empty();
        ArrayReader{in, body.name, true}(role, array);
        fits = fits && array.size() == (had ? tets : 0);
    });
    fits = fits && carried.size() == (body.solid.carried().empty() ? 0 : tets);
    if (!fits) throw another_mesh(body.name);
    body.mesh = std::move(mesh);
    for_each_array(body, [&](const ArrayRole& role, auto& array) {
        if (role.from_scene || array.empty() || role.per == Per::body) return;
        array.resize(role.per == Per::node ? nodes : tets);
    });
    std::iota(body.origin.begin(), body.origin.end(), 0);
    std::fill(body.plastic_deformation.begin(), body.plastic_deformation.end(), Mat3::Identity());
    rebuild(body, {}, std::move(carried), threads);
}

}  // namespace pliant
