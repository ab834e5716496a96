#include "pliant/world/edit_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "pliant/body/fem_arrays.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

double volume_of(const TetMesh& mesh, int tet) { return signed_volume(mesh.rest, mesh.tets[tet]); }

std::vector<int> tets_with(const TetMesh& mesh, std::initializer_list<int> nodes) {
    std::vector<int> found;
    for (int t = 0; t < mesh.tet_count(); ++t)
        if (std::all_of(nodes.begin(), nodes.end(), [&](int n) {
                return std::find(mesh.tets[t].begin(), mesh.tets[t].end(), n) != mesh.tets[t].end();
            }))
            found.push_back(t);
    return found;
}

Tet with(Tet tet, int node, int instead) {
    std::replace(tet.begin(), tet.end(), node, instead);
    return tet;
}

/// A random place inside becomes a node: one tet becomes four.
MeshEdit split_tet(const TetMesh& mesh, Rng& rng) {
    const int t = static_cast<int>(rng.below(mesh.tets.size()));
    MeshEdit edit;
    double weight[4], sum = 0;
    for (double& w : weight) sum += w = 0.5 + rng.uniform();
    MeshEdit::NewNode node;
    for (int k = 0; k < 4; ++k) node.parents.push_back({mesh.tets[t][k], weight[k] / sum});
    edit.new_nodes.push_back(node);
    edit.removed_tets = {t};
    for (int corner : mesh.tets[t]) edit.new_tets.push_back({with(mesh.tets[t], corner, mesh.node_count()), {{t, 1}}});
    return edit;
}

/// The middle of a random edge becomes a node: every tet round it becomes two.
MeshEdit split_edge(const TetMesh& mesh, Rng& rng) {
    const Tet& tet = mesh.tets[rng.below(mesh.tets.size())];
    const int from = static_cast<int>(rng.below(4)), a = tet[from], b = tet[(from + 1 + rng.below(3)) % 4];
    MeshEdit edit;
    edit.new_nodes.push_back({{{a, 0.5}, {b, 0.5}}});
    edit.removed_tets = tets_with(mesh, {a, b});
    for (int t : edit.removed_tets)
        for (int end : {a, b}) edit.new_tets.push_back({with(mesh.tets[t], end, mesh.node_count()), {{t, 1}}});
    return edit;
}

/// A node inside moves to a neighbour: its tets become fewer, each of all the material that was there.
MeshEdit collapse(const TetMesh& mesh, Rng& rng) {
    const Tet& tet = mesh.tets[rng.below(mesh.tets.size())];
    const int from = static_cast<int>(rng.below(4)), node = tet[from], to = tet[(from + 1 + rng.below(3)) % 4];
    for (int outside : boundary_surface(mesh).node)
        if (outside == node) return {};
    MeshEdit edit;
    edit.removed_nodes = {node};
    edit.removed_tets = tets_with(mesh, {node});
    double star = 0;
    for (int t : edit.removed_tets) star += volume_of(mesh, t);
    std::vector<Parent> parents;
    for (int t : edit.removed_tets) parents.push_back({t, volume_of(mesh, t) / star});
    for (int t : edit.removed_tets) {
        const Tet moved = with(mesh.tets[t], node, to);
        if (std::count(moved.begin(), moved.end(), to) > 1) continue;
        if (tet_quality(mesh.rest, {moved})[0] < 0.02) return {};
        edit.new_tets.push_back({moved, parents});
    }
    return edit;
}

/// A tet goes to the end of the list.
MeshEdit renumber(const TetMesh& mesh, Rng& rng) {
    const int t = static_cast<int>(rng.below(mesh.tets.size()));
    MeshEdit edit;
    edit.removed_tets = {t};
    edit.new_tets = {{mesh.tets[t], {{t, 1}}}};
    return edit;
}

MeshEdit random_edit(const TetMesh& mesh, Rng& rng) {
    const bool many = mesh.tet_count() > 220;
    switch (rng.below(many ? 4 : 6)) {
        case 0: return renumber(mesh, rng);
        case 4: return split_tet(mesh, rng);
        case 5: return split_edge(mesh, rng);
        default: return collapse(mesh, rng);
    }
}

constexpr double bar_length = 0.4;

/// A warm clay bar held at one end and pulled by a hand at the other, which reaches the floor.
World held_bar(int threads) {
    World w(threads);
    w.dt = 0.01;
    FemBodyDesc desc;
    desc.name = "bar";
    desc.mesh = bar_mesh(4, 2, 2, Vec3(0, 0, 0), Vec3(bar_length, 0.2, 0.2));
    const TetMesh fine = bar_mesh(7, 3, 3, Vec3(0, 0, 0), Vec3(bar_length, 0.2, 0.2));
    desc.surface = boundary_surface(fine).surface;
    desc.material = {{5e4, 0.4, 1000}};
    desc.plasticity = &plasticity_laws().get("creep");
    desc.plastic = {{0.02, 5, 2}};
    HeatDesc heat;
    heat.numbers.initial = 20;
    heat.table.rows = {{20, 1.0, {}, {}}, {80, 0.5, {}, {}}};
    heat.young = 1;
    desc.heat = heat;
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.x.size(); ++i) body.temperature[i] = 20 + 100 * body.x[i].x();
    body.temperature_next = body.temperature;
    set_material_at(body, body.temperature);
    Grip grip{0, {}, [](double) { return Pose{}; }, {}};
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (body.mesh.rest[i].x() == 0) grip.nodes.push_back(static_cast<int>(i));
    w.grips.push_back(grip);
    Drag drag;
    drag.point = embed_point(body.mesh, Vec3(0.37, 0.11, 0.08));
    drag.target = [](double t) { return Vec3(0.37, 0.11 + 0.05 * std::sin(6 * t), 0.08 + 0.05 * std::cos(5 * t)); };
    w.drags.push_back(drag);
    Prop floor;
    floor.name = "floor";
    floor.obstacle.shape = ground_obstacle(-0.02);
    w.props.push_back(floor);
    return w;
}

struct Sums {
    double mass = 0, heat = 0, size = 0, spin_size = 0;
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    Strain6 plastic{};
};

Sums sums(const FemBody& body) {
    Sums s;
    const auto mass = body.solid.mass();
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        s.mass += mass[i], s.heat += mass[i] * body.temperature[i];
        s.momentum += mass[i] * body.v[i], s.spin += mass[i] * body.x[i].cross(body.v[i]);
        s.size += mass[i] * body.v[i].norm(), s.spin_size += mass[i] * body.x[i].norm() * body.v[i].norm();
    }
    for (int t = 0; t < body.mesh.tet_count(); ++t)
        for (int k = 0; k < 6; ++k) s.plastic[k] += volume_of(body.mesh, t) * body.plastic_strain[t][k];
    return s;
}

/// The largest error of each kind over a run.
struct Errors {
    double mass = 0, momentum = 0, spin = 0, heat = 0, plastic = 0, hand = 0, skin = 0;
    int wrongly_held = 0, edits = 0;
};

void check_edit(World& w, const MeshEdit& edit, Errors& worst) {
    const FemBody& body = w.fem[0];
    const Sums before = sums(body);
    const Vec3 hand = w.drags[0].point.of(body.mesh.rest);
    edit_mesh(w, 0, edit);
    const Sums after = sums(body);
    const auto see = [](double& most, double error) { most = std::max(most, error); };
    see(worst.mass, std::abs(after.mass - before.mass) / before.mass);
    see(worst.momentum, (after.momentum - before.momentum).norm() / std::max(before.size, 1e-300));
    see(worst.spin, (after.spin - before.spin).norm() / std::max(before.spin_size, 1e-300));
    see(worst.heat, std::abs(after.heat - before.heat) / before.heat);
    const double volume = total_volume(body.mesh.rest, body.mesh.tets);
    for (int k = 0; k < 6; ++k) see(worst.plastic, std::abs(after.plastic[k] - before.plastic[k]) / volume);
    see(worst.hand, (w.drags[0].point.of(body.mesh.rest) - hand).norm() / bar_length);
    for (std::size_t v = 0; v < body.surface().points.size(); ++v)
        see(worst.skin,
            (body.embedding().point(v, body.mesh.tets).of(body.mesh.rest) - body.surface().points[v]).norm() /
                bar_length);
    std::vector<char> held(body.x.size(), 0);
    for (int node : w.grips[0].nodes) held[node] = 1;
    for (std::size_t i = 0; i < held.size(); ++i) worst.wrongly_held += held[i] != (body.mesh.rest[i].x() == 0);
    ++worst.edits;
}

void edit_at_random(World& w, Errors& worst) {
    Rng rng(7, w.steps);
    MeshEdit edit;
    while (edit.empty()) edit = random_edit(w.fem[0].mesh, rng);  // not every node can be collapsed
    check_edit(w, edit, worst);
}

TEST(EditMesh, TetsReplacedInEveryStepKeepWhatTheyCarry) {
    constexpr int steps = 1000;
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = held_bar(threads);
        Errors worst;
        ByteWriter saved;
        for (int i = 0; i < steps; ++i) {
            if (i == steps / 2) save_state(w, saved);
            edit_at_random(w, worst);
            step(w);
        }
        ASSERT_TRUE(!first_nonfinite(w.fem[0]));
        std::printf(
            "%d threads: %d edits, %d tets; relative errors: mass %.1e, momentum %.1e, spin %.1e, heat %.1e, "
            "plastic %.1e, hand %.1e, skin %.1e\n",
            threads, worst.edits, w.fem[0].mesh.tet_count(), worst.mass, worst.momentum, worst.spin, worst.heat,
            worst.plastic, worst.hand, worst.skin);
        EXPECT_EQ(worst.edits, steps);
        EXPECT_LT(worst.mass, 1e-12);
        EXPECT_LT(worst.momentum, 1e-12);
        EXPECT_LT(worst.spin, 1e-12);
        EXPECT_LT(worst.heat, 1e-12);
        EXPECT_LT(worst.plastic, 1e-12);
        EXPECT_LT(worst.hand, 1e-12);
        EXPECT_LT(worst.skin, 1e-9);
        EXPECT_EQ(worst.wrongly_held, 0);
        if (threads == 1) hash = state_hash(w);
        EXPECT_EQ(state_hash(w), hash) << threads << " threads";
        if (threads != 2) continue;
        World resumed = held_bar(7);
        ByteReader in(saved.bytes());
        load_state(resumed, in);
        in.finish();
        while (resumed.steps < steps) edit_at_random(resumed, worst), step(resumed);
        EXPECT_EQ(state_hash(resumed), hash) << "resumed";
    }
}

// A breakable body takes edits until it cracks, then cracks, and all that is saved.
TEST(EditMesh, ABreakableBodyCracksAfterAnEdit) {
    const auto make = [](int threads) {
        World w(threads);
        w.gravity.setZero();
        FemBodyDesc desc;
        desc.mesh = bar_mesh(4, 2, 2, Vec3(0, 0, 0), Vec3(bar_length, 0.2, 0.2));
        desc.material = {{1e5, 0.3, 1000}};
        desc.fracture = FractureDesc{.strength = {5e3}};
        w.fem.push_back(make_fem_body(std::move(desc)));
        return w;
    };
    World w = make(1);
    Rng rng(3, 0);
    for (int i = 0; i < 20; ++i) {
        const MeshEdit edit = random_edit(w.fem[0].mesh, rng);
        if (!edit.empty()) edit_mesh(w, 0, edit);
    }
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i].x() = 10 * (body.x[i].x() - 0.2);
    const double weighs = mass(body);
    for (int i = 0; i < 30; ++i) step(w);
    EXPECT_GE(pieces(body), 2);
    EXPECT_NEAR(mass(body), weighs, 1e-12 * weighs);
    EXPECT_LT(body.seen->volume_error(), 1e-9);
    ByteWriter out;
    save_state(w, out);
    World again = make(2);
    ByteReader in(out.bytes());
    load_state(again, in);
    in.finish();
    EXPECT_EQ(state_hash(again), state_hash(w));
    for (int i = 0; i < 20; ++i) step(w), step(again);
    EXPECT_EQ(state_hash(again), state_hash(w));
}

/// A brittle bar that flies apart: pieces spin, and crack further between edits.
World flying_bar(int threads) {
    World w(threads);
    w.gravity.setZero();
    w.dt = 0.002;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(6, 2, 2, Vec3(0, 0, 0), Vec3(0.6, 0.2, 0.2));
    desc.material = {{2e5, 0.3, 1000}};
    desc.fracture = FractureDesc{.strength = {4e3}};
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) {
        const Vec3 r = body.x[i] - Vec3(0.3, 0.1, 0.1);
        body.v[i] = 4 * Vec3(r.x(), 0, 0) + Vec3(1, 2, 3).cross(r);
    }
    return w;
}

/// Volume at rest of the seen surface of each piece, smallest first.
std::vector<double> piece_volumes(const SeenSurface& seen) {
    std::vector<double> volume(static_cast<std::size_t>(seen.piece_count()), 0);
    const auto& p = seen.surface().points;
    for (std::size_t t = 0; t < seen.surface().triangles.size(); ++t) {
        const Tri& tri = seen.surface().triangles[t];
        volume[static_cast<std::size_t>(seen.piece()[t])] += p[tri[0]].dot(p[tri[1]].cross(p[tri[2]])) / 6;
    }
    std::sort(volume.begin(), volume.end());
    return volume;
}

struct CrackedErrors {
    double mass = 0, momentum = 0, spin = 0, volume = 0, piece = 0, hang = 0;
    int edits = 0, after_cracks = 0, open = 0;
};

/// Edits the mesh at random and looks at what must not change.
void edit_cracked(World& w, CrackedErrors& worst) {
    Rng rng(11, w.steps);
    MeshEdit edit;
    const FemBody& body = w.fem[0];
    while (edit.empty()) edit = random_edit(body.mesh, rng);
    const auto spin_of = [&] {
        Vec3 spin = Vec3::Zero();
        for (std::size_t i = 0; i < body.x.size(); ++i) spin += body.solid.mass()[i] * body.x[i].cross(body.v[i]);
        return spin;
    };
    const double mass_before = mass(body);
    const Vec3 momentum_before = momentum(body), spin_before = spin_of();
    const std::vector<double> pieces_before = piece_volumes(*body.seen);
    edit_mesh(w, 0, edit);
    const auto see = [](double& most, double error) { most = std::max(most, error); };
    see(worst.mass, std::abs(mass(body) - mass_before) / mass_before);
    see(worst.momentum, (momentum(body) - momentum_before).norm() / mass_before);  // against 1 m/s
    see(worst.spin, (spin_of() - spin_before).norm() / mass_before);
    see(worst.volume, std::abs(body.seen->volume_error()));
    const SurfaceFacts facts = inspect(body.surface());
    worst.open += !facts.closed() || !facts.oriented() || !body.seen->watertight();
    const std::vector<double> pieces_after = piece_volumes(*body.seen);
    ASSERT_EQ(pieces_after.size(), pieces_before.size());
    for (std::size_t i = 0; i < pieces_after.size(); ++i)
        see(worst.piece, std::abs(pieces_after[i] - pieces_before[i]) / body.rest_volume);
    for (std::size_t v = 0; v < body.surface().points.size(); ++v)
        see(worst.hang,
            (body.embedding().point(v, body.mesh.tets).of(body.mesh.rest) - body.surface().points[v]).norm());
    ++worst.edits, worst.after_cracks += pieces_before.size() > 1;
}

// The two sides of a crack then have different elements, and the body goes on cracking.
TEST(EditMesh, ABodyThatHasCrackedAlongFacesTakesEveryEdit) {
    constexpr int steps = 60;
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = flying_bar(threads);
        CrackedErrors worst;
        ByteWriter saved;
        int pieces_at_half = 0;
        for (int i = 0; i < steps; ++i) {
            if (i == steps / 2) save_state(w, saved), pieces_at_half = pieces(w.fem[0]);
            if (i % 2 == 1) edit_cracked(w, worst);
            step(w);
        }
        ASSERT_TRUE(!first_nonfinite(w.fem[0]));
        std::printf(
            "%d threads: %d edits, %d of them after cracks; %d pieces at half time, %d at the end, %d tets; errors: "
            "mass "
            "%.1e, momentum %.1e m/s, spin %.1e m2/s, volume %.1e, of a piece %.1e, vertices off %.1e m\n",
            threads, worst.edits, worst.after_cracks, pieces_at_half, pieces(w.fem[0]), w.fem[0].mesh.tet_count(),
            worst.mass, worst.momentum, worst.spin, worst.volume, worst.piece, worst.hang);
        EXPECT_GT(worst.after_cracks, 15);
        EXPECT_GT(pieces_at_half, 1);
        EXPECT_EQ(worst.open, 0);
        EXPECT_LT(worst.mass, 1e-12);
        EXPECT_LT(worst.momentum, 1e-12);
        EXPECT_LT(worst.spin, 1e-12);
        EXPECT_LT(worst.volume, 1e-9);
        EXPECT_LT(worst.piece, 1e-5);  // the first edit of a cracked body moves the cuts of its skin by 1e-6 of an edge
        EXPECT_LT(worst.hang, 1e-12);
        if (threads == 1) hash = state_hash(w);
        EXPECT_EQ(state_hash(w), hash) << threads << " threads";
        World resumed = flying_bar(2);
        ByteReader in(saved.bytes());
        load_state(resumed, in);
        in.finish();
        for (int i = steps / 2; i < steps; ++i) {
            if (i % 2 == 1) edit_cracked(resumed, worst);
            step(resumed);
        }
        EXPECT_EQ(state_hash(resumed), hash) << "resumed";
        EXPECT_EQ(resumed.fem[0].surface().triangles, w.fem[0].surface().triangles);
    }
}

TEST(EditMesh, AStateOfBeforeTheEditWantsAWorldMadeAnew) {
    World w = held_bar(1);
    ByteWriter out;
    save_state(w, out);
    Rng rng(1, 0);
    edit_mesh(w, 0, split_tet(w.fem[0].mesh, rng));
    ByteReader in(out.bytes());
    EXPECT_THROW(load_state(w, in), UserError);
}

/// Changes one bit of an array, looks, and changes it back.
struct FlipABit {
    const World& w;
    int& arrays;

    template <class T>
    void operator()(const ArrayRole& role, std::vector<T>& array) const {
        (*this)(role, std::span<T>(array));
    }
    template <class T>
    void operator()(const ArrayRole& role, std::span<T> array) const {
        if (!array.empty()) look(role.name, reinterpret_cast<unsigned char*>(&array[array.size() / 2]));
    }
    template <PlainBytes T>
    void operator()(const ArrayRole& role, T& value) const {
        look(role.name, reinterpret_cast<unsigned char*>(&value));
    }
    void look(const char* name, unsigned char* byte) const {
        const std::uint64_t before = state_hash(w);
        *byte ^= 1;
        EXPECT_NE(state_hash(w), before) << name;
        *byte ^= 1;
        EXPECT_EQ(state_hash(w), before) << name;
        ++arrays;
    }
};

TEST(EditMesh, EveryBitThatIsSavedIsInTheHash) {
    World w = held_bar(1);
    Rng rng(1, 0);
    edit_mesh(w, 0, split_tet(w.fem[0].mesh, rng));
    step(w);
    int arrays = 0;
    for_each_array(w.fem[0], FlipABit{w, arrays});
    for_each_solver_array(w.fem[0].solid, FlipABit{w, arrays});
    FlipABit{w, arrays}({"rest"}, w.fem[0].mesh.rest);
    FlipABit{w, arrays}({"tets"}, w.fem[0].mesh.tets);
    FlipABit{w, arrays}({"grip"}, w.grips[0].nodes);
    FlipABit{w, arrays}({"hand"}, w.drags[0].point.weight);
    std::printf("%d arrays\n", arrays);
    EXPECT_GE(arrays, 16);
}

}  // namespace
}  // namespace pliant
