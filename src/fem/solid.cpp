#include "pliant/fem/solid.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/element_kernels.hpp"
#include "pliant/fem/element_lame.hpp"
#include "pliant/fem/row_kernels.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/stress.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

namespace {

// Groups of tets at a time: their forces are gathered before they leave a core's own cache.
constexpr int groups_at_once = 64;

// For the lanes that Newton's method gives up: any F, a proper rotation back.
void robust_rotation(const double* F, double* quaternion) {
    const Mat3 matrix = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(F);
    const Quat guess = Quat(quaternion[0], quaternion[1], quaternion[2], quaternion[3]).normalized();
    const Quat q = closest_rotation(matrix, guess);
    quaternion[0] = q.w(), quaternion[1] = q.x(), quaternion[2] = q.y(), quaternion[3] = q.z();
}

double sum_in_order(std::span<const double> terms) {
    double sum = 0;
    for (const double term : terms) sum += term;
    return sum;
}

const double* numbers(std::span<const Vec3> v) { return v.empty() ? nullptr : v.front().data(); }

}  // namespace

Solid::Solid(const TetMesh& mesh, std::vector<ElementMaterial> material, const SolidOptions& options)
    : parts_(std::make_unique<Parts>()) {
    CHECK(mesh.tet_count() > 0, mesh.tet_count());
    Parts& p = *parts_;
    p.options = options;
    p.law = options.law ? options.law : &material_laws().entries().front();
    p.law_numbers = options.law_numbers.empty() ? p.law->default_numbers() : options.law_numbers;
    p.options.law_numbers = p.law_numbers;
    p.nodes = mesh.node_count(), p.tets = mesh.tet_count(), p.groups = (p.tets + 7) / 8;
    p.set_elements(mesh);
    p.set_gathering(mesh);
    Threads alone(1);
    p.set_parts(linked_tets(mesh.tets), alone);
    p.set_rest(mesh);
    p.set_chunks();
    set_material(std::move(material));
}

void Solid::relink(const TetMesh& mesh, const std::vector<ElementMaterial>& material, std::span<const int> relinked,
                   Threads& threads) {
    Parts& p = *parts_;
    CHECK(mesh.tet_count() == p.tets, mesh.tet_count(), p.tets);
    if (!p.smoothing && p.split_gathering(mesh, relinked, threads)) {
        const std::vector<int>& resized = p.split_update.resized;
        p.mass.resize(p.nodes);
        parallel_for(threads, resized.size(), 128, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const int row = p.system.row_of_node[resized[k]];
                double mass = 0;
                for (unsigned i = p.incident_begin[row]; i < p.incident_begin[row + 1]; ++i)
                    mass += p.corner_mass(p.incident[i] / 4, p.incident[i] % 4, material[p.incident[i] / 4].density);
                p.mass[resized[k]] = mass;
            }
        });
        p.forget_hierarchy();
    } else {
        p.nodes = mesh.node_count();
        for (int lane = 0; lane < 8 * p.groups; ++lane)
            for (int a = 0; a < 4; ++a) p.set_corner_node(lane, a, mesh.tets[std::min(lane, p.tets - 1)][a]);
        p.set_gathering(mesh);
        set_material(material);
    }
    p.set_rest(mesh);
    p.set_chunks();
}

void Solid::set_parts(std::span<const int> part_of_tet, Threads& threads) { parts_->set_parts(part_of_tet, threads); }

Solid::~Solid() = default;
Solid::Solid(Solid&&) noexcept = default;
Solid& Solid::operator=(Solid&&) noexcept = default;

void Solid::Parts::set_elements(const TetMesh& mesh) {
    const std::size_t lanes = 8 * std::size_t(groups);
    node.resize(4 * lanes), gradient.resize(9 * lanes), mu.assign(lanes, 0);
    rotation.assign(4 * lanes, 0.f), line.assign(16 * lanes + 16, 0.f);
    if (!law->hooke) law_block.assign(56 * lanes + 56, 0.f);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const int t = std::min(lane, tets - 1);
        const Tet& tet = mesh.tets[t];
        Mat3 edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        if (!(edges.determinant() > 0) || !inverse.allFinite())
            throw UserError("tetrahedron " + std::to_string(t) + " has no positive volume at rest", {},
                            "Turn it round or leave it out");
        const long at = lane / 8, l = lane % 8;
        for (int a = 0; a < 4; ++a) node[32 * at + 8 * a + l] = tet[a];
        for (int k = 0; k < 9; ++k) gradient[72 * at + 8 * k + l] = inverse(k / 3, k % 3);
        rotation[32 * at + l] = 1;
    }
}

void Solid::set_shapes(const TetMesh& mesh, std::span<const Mat3> shape, Threads& threads) {
    Parts& p = *parts_;
    CHECK(static_cast<int>(shape.size()) == p.tets && mesh.tet_count() == p.tets, shape.size(), p.tets);
    if (p.rest_volume.empty()) {
        std::vector<double> volume(p.tets);
        for (int t = 0; t < p.tets; ++t) volume[t] = p.volume(t);
        p.rest_volume = std::move(volume);
    }
    parallel_for(threads, p.groups, 64, [&](std::size_t begin, std::size_t end) {
        for (int lane = 8 * static_cast<int>(begin); lane < 8 * static_cast<int>(end); ++lane) {
            const int t = std::min(lane, p.tets - 1);
            const Tet& tet = mesh.tets[t];
            Mat3 edges;
            for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
            const Mat3 inverse = (shape[t] * edges).inverse();
            for (int k = 0; k < 9; ++k) p.gradient[72L * (lane / 8) + 8 * k + lane % 8] = inverse(k / 3, k % 3);
        }
    });
    if (p.smoothing) p.slope_domains();
    p.forget_hierarchy();
}

void Solid::Parts::set_masses(const std::vector<ElementMaterial>& material) {
    mass.assign(nodes, 0);
    for (int t = 0; t < tets; ++t)
        for (int a = 0; a < 4; ++a) mass[corner_node(t, a)] += corner_mass(t, a, material[t].density);
    material_mass.clear();
    if (!(options.least_fill > 0)) return;
    // Wojtan & Turk 2008, section 6: m_min. A node amid full elements of a lattice has a quarter of 24 of them.
    material_mass = mass;
    for (int t = 0; t < tets; ++t) {
        const double least = options.least_fill * 6 * volume(t) * material[t].density;
        for (int a = 0; a < 4; ++a) mass[corner_node(t, a)] = std::max(mass[corner_node(t, a)], least);
    }
}

void Solid::set_carried(std::vector<std::array<double, 4>> carried, const std::vector<ElementMaterial>& material) {
    Parts& p = *parts_;
    CHECK(static_cast<int>(carried.size()) == p.tets, carried.size(), p.tets);
    p.carried = std::move(carried);
    if (p.options.least_fill > 0) return set_material(material);  // stiffness follows it, too
    p.set_masses(material);
    p.forget_hierarchy();
}

void Solid::set_material(std::vector<ElementMaterial> material) {
    Parts& p = *parts_;
    CHECK(static_cast<int>(material.size()) == p.tets, material.size(), p.tets);
    p.set_masses(material);
    double stiffness = 0, total = 0;
    p.stiffness = 0;
    const double poisson = material[0].poisson;
    p.ratio = first_lame(1, poisson);
    p.same_ratio =
        std::all_of(material.begin(), material.end(), [&](const ElementMaterial& e) { return e.poisson == poisson; });
    p.lambda.assign(p.same_ratio ? 0 : p.mu.size(), 0);
    if (p.same_ratio) p.lambda.shrink_to_fit();
    for (int t = 0; t < p.tets; ++t) {
        const ElementMaterial& e = material[t];
        const double volume = p.stiff_share(t) * p.volume(t);
        p.mu[t] = shear_modulus(volume * e.young, e.poisson);
        if (!p.same_ratio) p.lambda[t] = first_lame(p.mu[t], e.poisson);
        total += e.density * volume;
        p.stiffness += p.lambda_volume(t) + 2 * p.mu_volume(t);
        for (int a = 0; a < 4; ++a)
            stiffness += (p.lambda_volume(t) + 4 * p.mu_volume(t)) * p.shape_gradient(t, a).squaredNorm() / 3;
    }
    p.stiffness_per_mass = stiffness / total;
    if (p.smoothing) p.weigh_domains();
    p.forget_hierarchy();
}

void Solid::set_mass(std::span<const double> mass) {
    CHECK(static_cast<int>(mass.size()) == parts_->nodes, mass.size(), parts_->nodes);
    parts_->mass.assign(mass.begin(), mass.end());
    parts_->forget_hierarchy();
}

BlockSystem& Solid::system() { return parts_->system; }
const BlockSystem& Solid::system() const { return parts_->system; }
std::span<const double> Solid::mass() const { return parts_->mass; }
std::span<const double> Solid::material_mass() const {
    return parts_->material_mass.empty() ? parts_->mass : parts_->material_mass;
}
double Solid::fill() const { return parts_->options.fill; }
const SolidOptions& Solid::options() const { return parts_->options; }
const std::vector<std::array<double, 4>>& Solid::carried() const { return parts_->carried; }

std::vector<std::array<float, 4>> Solid::rotations() const {
    const Parts& p = *parts_;
    std::vector<std::array<float, 4>> list(p.tets);
    for (int t = 0; t < p.tets; ++t)
        for (int i = 0; i < 4; ++i) list[t][i] = p.rotation[32L * (t / 8) + 8 * i + t % 8];
    return list;
}

void Solid::set_rotations(std::span<const std::array<float, 4>> rotation) {
    Parts& p = *parts_;
    CHECK(static_cast<int>(rotation.size()) == p.tets, rotation.size(), p.tets);
    for (int lane = 0; lane < 8 * p.groups; ++lane)  // lanes behind the last tet are copies of it
        for (int i = 0; i < 4; ++i)
            p.rotation[32L * (lane / 8) + 8 * i + lane % 8] = rotation[std::min(lane, p.tets - 1)][i];
}

std::span<float> Solid::rotation_state() { return parts_->rotation; }
std::span<const float> Solid::rotation_state() const { return parts_->rotation; }

ElementInput element_input(const Solid::Parts& p, std::span<const Vec3> x, std::span<const Vec3> v, int first) {
    return {.x = numbers(x),
            .v = v.empty() ? nullptr : numbers(v),
            .node = p.node.data() + 32L * first,
            .gradient = p.gradient.data() + 72L * first,
            .mu = p.mu.data() + 8L * first,
            .lambda = p.same_ratio ? nullptr : p.lambda.data() + 8L * first,
            .ratio = p.ratio};
}

ElementArgs element_args(const Solid::Parts& p, std::span<const Vec3> x, std::span<const Vec3> v, int first,
                         float* rotation) {
    ElementArgs args{element_input(p, x, v, first)};
    args.rotation = rotation;
    args.tets = p.tets - 8 * first;
    args.corotational = p.law->objective;
    args.robust = robust_rotation;
    return args;
}

void Solid::assemble(std::span<const Vec3> x, std::span<const Vec3> v, const SolidInput& input, Threads& threads,
                     StageTimes& times) {
    Parts& p = *parts_;
    BlockSystem& a = p.system;
    const std::size_t n = p.nodes;
    CHECK(x.size() == n && v.size() == n && input.force.size() == n, x.size(), v.size(), input.force.size(), n);
    CHECK(input.prescribed.empty() || input.prescribed.size() == n, input.prescribed.size(), n);
    CHECK(input.plastic_strain.empty() || static_cast<int>(input.plastic_strain.size()) == p.tets,
          input.plastic_strain.size());
    CHECK(input.dt > 0, input.dt);
    CHECK(p.law->hooke || (input.plastic_strain.empty() && !input.flow), p.law->name);
    Smoothing* const smooth = p.smoothing.get();
    p.size_energy();

    const double inertia_scale = input.mass_scale + input.dt * input.rate_scale * p.options.mass_damping;
    const double stiffness_damping = input.rate_scale * p.options.stiffness_damping;
    if (p.inertia_scale != inertia_scale) {
        for (int row = 0; row < a.rows; ++row) a.inertia[row] = inertia_scale * p.mass[a.node_of_row[row]];
        p.inertia_scale = inertia_scale;
    }
    a.reference = 0, a.pending_correction = 0;
    a.spare = std::span(p.line).first(128 * std::size_t(p.groups));  // spent when the matrix is there
    double* force = reinterpret_cast<double*>(a.block.data());
    const PlasticFlow* flow = input.flow;
    CHECK(!flow || (input.turn == 0 && static_cast<int>(flow->strain.size()) == p.tets &&
                    (flow->numbers.size() == 1 || static_cast<int>(flow->numbers.size()) == p.groups)),
          flow->strain.size(), flow->numbers.size(), p.tets);
    const double* plastic = flow                           ? flow->strain.front().data()
                            : input.plastic_strain.empty() ? nullptr
                                                           : input.plastic_strain.front().data();
    ElementArgs elements = element_args(p, x, v, 0, p.rotation.data());
    elements.plastic = plastic;
    elements.energy = p.energy.data();
    elements.line = p.line.data(), elements.force = force;
    elements.dt = input.dt, elements.reach = input.dt + stiffness_damping, elements.turn = input.turn;
    if (flow) {
        elements.flowing = flow->strain.front().data();
        elements.flow_numbers = flow->numbers.data(), elements.flow_numbers_differ = flow->numbers.size() > 1;
        elements.flow_stops = flow->stops_at_yield;
        elements.flow = flow->flow, elements.flow_context = flow->context;
    }
    RowArgs rows{.rows = a.rows,
                 .slice_begin = a.slice_begin.data(),
                 .pair_begin = p.pair_begin.data(),
                 .pair = p.pair.data(),
                 .pair_steps = p.pair_steps.data(),
                 .incident_begin = p.incident_begin.data(),
                 .incident = p.incident.data(),
                 .node_of_row = a.node_of_row.data(),
                 .line = p.line.data(),
                 .law_block = p.law_block.data(),
                 .same_ratio = p.same_ratio,
                 .ratio = static_cast<float>(p.ratio),
                 .force = force,
                 .external = numbers(input.force),
                 .v = numbers(v),
                 .mass = p.mass.data(),
                 .inertia = a.inertia.data(),
                 .prescribed = a.prescribed.data(),
                 .block = a.block.data(),
                 .packed = nullptr,
                 .preconditioner = a.preconditioner.data(),
                 .out_v = a.v.data(),
                 .out_r = a.r.data(),
                 .dt = input.dt,
                 .mass_damping = input.rate_scale * p.options.mass_damping};
    const ElementKernel hooke = element_kernel(p.kernels);
    LawArgs law = p.law_args(x, v, input.dt);
    law.damping = stiffness_damping, law.rate_scale = input.rate_scale;
    law.force = force, law.block = p.law_block.data();
    SmoothArgs smooth_args{};
    const SmoothKernels& smoothed = smooth_kernels(p.kernels);
    const SmoothPass smooth_pass = smooth ? smoothed.pass(p.law->place) : nullptr;
    if (smooth) {
        if (flow) p.flow_smoothed(x, *flow, threads);
        smooth_args = p.smooth_args(x, v);
        if (plastic) {
            p.gather_plastic(flow ? flow->strain : input.plastic_strain, threads);
            smooth_args.plastic = smooth->plastic.data();
        }
        smooth_args.dt = input.dt, smooth_args.damping = stiffness_damping;
        smooth_args.rate_scale = input.rate_scale;
        smooth_args.force = force, smooth_args.tangent = smooth->tangent.data();
    }
    const LawPass pass = p.law->hooke ? nullptr : p.pass();
    const auto element = [&](int begin, int end) { pass ? pass(law, begin, end) : hooke(elements, begin, end); };
    const RowKernels& row = row_kernels(p.kernels);

    p.prepare_multigrid(x, input, rows, threads, times);
    if ((pass || smooth) && p.stiff_in(input.dt)) p.follow_rotations(x, v, input.dt, threads);  // for rotation_lag()
    a.packed_ready = !smooth && a.packs && !a.multigrid && a.packed.size() >= std::size_t(a.slots());
    if (a.packed_ready) rows.packed = a.packed.data();
    double clock[4] = {seconds_now(), 0, 0, 0}, early = 0;
    run_team(threads, a.slices, [&](const Team& team) {
        auto tick = [&](int stage) {
            team.barrier();
            if (team.member == 0) clock[stage] = seconds_now();
        };
        const auto gather = [&](int c) {
            const int begin = c * Parts::chunk_slices, end = std::min(a.slices, begin + Parts::chunk_slices);
            Parts::Chunk& chunk = p.chunks[c];
            chunk.pinned = false, std::fill_n(chunk.momentum, 3, 0.);
            for (int i = 8 * begin; i < std::min(8 * end, a.rows); ++i) {
                a.prescribed[i] = !input.prescribed.empty() && input.prescribed[a.node_of_row[i]];
                chunk.pinned |= a.prescribed[i] != 0;
            }
            row.residual(rows, begin, end, chunk.momentum);
        };
        const int group_begin = team.begin(p.groups), group_end = team.end(p.groups);
        const int chunk_begin = team.begin(p.chunks.size()), chunk_end = team.end(p.chunks.size());
        int early_begin = chunk_begin;
        if (smooth) {
            smoothed.deformation(smooth_args, team.begin(p.tets), team.end(p.tets));
            team.barrier();
            smooth_pass(smooth_args, team.begin(smooth->groups), team.end(smooth->groups));
            team.barrier();
            smoothed.forces(smooth_args, team.begin(p.tets), team.end(p.tets));
            tick(1);
            for (int c = chunk_begin; c < chunk_end; ++c) gather(c);
            tick(2);
            smoothed.blocks(smooth_args, team.begin(a.slices), team.end(a.slices));
            team.barrier();
            smoothed.mirror(smooth_args, team.begin(a.slices), team.end(a.slices));
            for (int i = 8 * team.begin(a.slices); i < std::min(8 * team.end(a.slices), a.rows); ++i)
                a.reset_preconditioner(i);
            tick(3);
            return;
        }
        // Rows whose tets this member has all done are gathered while the forces are in its cache. Copies of nodes
        // gather from anywhere: their chunks wait, wherever they come in the order.
        while (early_begin < chunk_end && p.chunks[early_begin].first < group_begin) ++early_begin;
        int early_end = early_begin;
        const auto is_done = [&](const Parts::Chunk& chunk, int done) {
            return chunk.first >= group_begin && chunk.last < done;
        };
        for (int group = group_begin; group < group_end; group += groups_at_once) {
            const int done = std::min(group + groups_at_once, group_end);
            element(group, done);
            const double began = team.member == 0 ? seconds_now() : 0;
            while (early_end < chunk_end && is_done(p.chunks[early_end], done)) gather(early_end++);
            if (team.member == 0) early += seconds_now() - began;
        }
        tick(1);
        for (int c = chunk_begin; c < chunk_end; ++c)
            if (c < early_begin || c >= early_end) gather(c);
        tick(2);  // the element forces are spent, their memory becomes the matrix
        (pass ? row.law_blocks : row.blocks)(rows, team.begin(a.slices), team.end(a.slices));
        tick(3);
    });
    a.momentum.setZero();
    a.pinned = false;
    for (const Parts::Chunk& chunk : p.chunks) {
        a.momentum += Vec3(chunk.momentum[0], chunk.momentum[1], chunk.momentum[2]);
        a.pinned |= chunk.pinned;
    }
    if (input.mass_scale != 1)
        for (std::size_t i = 0; i < n; ++i) a.momentum += (input.mass_scale - 1) * p.mass[i] * v[i];
    if (!a.part.empty()) {
        std::fill(a.part_momentum.begin(), a.part_momentum.end(), Vec3::Zero());
        std::fill(a.part_pinned.begin(), a.part_pinned.end(), 0);
        for (int i = 0; i < a.rows; ++i) {
            const int node = a.node_of_row[i];
            a.part_momentum[a.part[i]] += input.mass_scale * p.mass[node] * v[node] + input.dt * input.force[node];
            a.part_pinned[a.part[i]] |= a.prescribed[i];
        }
    }
    a.lever.clear();
    if (p.stiff_in(input.dt)) {
        a.lever.resize(a.rows);
        a.part_spin.assign(a.parts(), Vec3::Zero());
        a.part_mass.assign(a.parts(), 0);
        for (int i = 0; i < a.rows; ++i) {
            const int node = a.node_of_row[i], part = a.part_of(i);
            // Where the rotations of the elements are, their forces have no torque.
            a.lever[i] = x[node] + input.turn * v[node];
            a.part_mass[part] += a.inertia[i];
            a.part_spin[part] +=
                a.lever[i].cross(input.mass_scale * p.mass[node] * v[node] + input.dt * input.force[node]);
        }
    }
    p.prepare_two_level(x, input, threads);
    // One pass does rotations and element forces; "forces" is their gathering.
    times.add("rotations", clock[1] - clock[0] - early);
    times.add("forces", clock[2] - clock[1] + early);
    times.add("assembly", clock[3] - clock[2]);
}

LawArgs Solid::Parts::law_args(std::span<const Vec3> x, std::span<const Vec3> v, double dt) {
    LawArgs args{element_input(*this, x, v, 0)};
    args.numbers = law_numbers.data(), args.fill = options.fill;
    args.dt = dt, args.damping = options.stiffness_damping;
    args.energy = energy.data();
    return args;
}

namespace {

/// λ and μ of the groups [first, first + groups), in lanes.
void write_moduli(std::span<const ElementMaterial> material, int first, int groups, double* out) {
    ElementLame lame_of;
    for (int i = 0; i < 8 * groups; ++i) {
        const Lame& m = lame_of(material[std::min<std::size_t>(8 * first + i, material.size() - 1)]);
        double* lane = out + 16 * (i / 8) + i % 8;
        lane[0] = m.lambda, lane[8] = m.mu;
    }
}

}  // namespace

void Solid::total_strains(std::span<const Vec3> x, std::span<std::array<double, 6>> out, int begin, int end) {
    Parts& p = *parts_;
    CHECK(static_cast<int>(out.size()) == p.tets && begin >= 0 && end <= p.groups, out.size(), p.tets, begin, end);
    if (p.smoothing) {
        for (int t = 8 * begin; t < std::min(8 * end, p.tets); ++t) out[t] = p.mean_strain(x, t);
        return;
    }
    ElementArgs args = element_args(p, x, {}, 0, p.rotation.data());
    args.strain = out.front().data();
    element_kernel(p.kernels)(args, begin, end);
}

IterateEnergy Solid::energy_at(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                               std::span<const std::array<double, 6>> plastic, std::span<const char> given,
                               Threads& threads) {
    Parts& p = *parts_;
    CHECK(v.empty() || ahead > 0, ahead);
    p.given.clear();
    for (std::size_t i = 0; i < given.size() && p.given.empty(); ++i)
        if (given[i] && !v[i].isZero(0)) p.given.resize(v.size());
    for (std::size_t i = 0; i < p.given.size(); ++i) p.given[i] = given[i] ? v[i] : Vec3::Zero();
    const bool by_kernel = p.law->hooke && !p.smoothing;
    const double turned = v.empty() || by_kernel || !p.stiff_in(ahead) ? 0 : p.turned(x, v, ahead, threads);
    if (p.smoothing) {
        IterateEnergy sum = p.smoothed_energy_at(x, v, ahead, plastic, threads);
        sum.turned = turned;
        return sum;
    }
    p.size_energy();
    p.power.resize(v.empty() ? 0 : p.groups);
    parallel_for(threads, p.groups, 64, [&](std::size_t begin, std::size_t end) {
        const int first = static_cast<int>(begin), count = static_cast<int>(end - begin);
        const auto ask = [&](ElementInput& args, int from) {
            if (!v.empty()) args.power = p.power.data() + from;
            if (!p.given.empty()) args.given = numbers(p.given), args.prescribed = given.data();
        };
        if (!p.law->hooke) {
            LawArgs args = p.law_args(x, v, ahead);
            ask(args, 0);
            p.pass()(args, first, first + count);
            return;
        }
        alignas(64) float rotation[32 * 64];
        std::copy_n(p.rotation.data() + 32L * first, 32 * count, rotation);
        ElementArgs args = element_args(p, x, v, first, rotation);
        args.turn = ahead, args.assembled = p.rotation.data() + 32L * first;
        ask(args, first);
        if (!plastic.empty()) args.plastic = plastic[8 * first].data();
        args.energy = p.energy.data() + first;
        element_kernel(p.kernels)(args, 0, count);
    });
    IterateEnergy sum{.elastic = sum_in_order(p.energy), .turned = turned};
    for (const GroupPower& group : p.power) {
        sum.turned = std::max(sum.turned, group.turned);
        sum.power += group.all, sum.rate += group.rate;
        sum.given_power += group.given, sum.given_rate += group.given_rate;
    }
    return sum;
}

double Solid::elastic_energy_at(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                                Threads& threads) {
    return energy_at(x, {}, 0, plastic, {}, threads).elastic;
}

double Solid::stiffness() const { return parts_->stiffness; }
double Solid::assembled_energy() const { return sum_in_order(parts_->energy); }

void Solid::measure_stresses(std::span<const Vec3> x, std::span<const ElementMaterial> material,
                             std::span<const std::array<double, 6>> plastic, std::span<float> von_mises,
                             std::span<float> principal, int begin, int end) const {
    const Parts& p = *parts_;
    const auto tets = static_cast<std::size_t>(p.tets);
    CHECK(begin >= 0 && end <= p.groups && material.size() == tets, begin, end, material.size(), p.tets);
    CHECK(von_mises.size() == tets && principal.size() == tets, von_mises.size(), principal.size(), p.tets);
    if (p.smoothing) {
        for (int t = 8 * begin; t < std::min(8 * end, p.tets); ++t) {
            const std::array<double, 6> s = p.biot_stress(x, p.smoothed_stress(x, plastic, t), t);
            von_mises[t] = float(pliant::von_mises(s)), principal[t] = float(greatest_principal(s));
        }
        return;
    }
    if (!p.law->hooke) {
        for (int t = 8 * begin; t < std::min(8 * end, p.tets); ++t) {
            const std::array<double, 6> s = law_stress(x, t, material[t]);
            von_mises[t] = float(pliant::von_mises(s)), principal[t] = float(greatest_principal(s));
        }
        return;
    }
    constexpr int at_once = 16;
    alignas(64) double moduli[16 * at_once];
    alignas(64) float rotation[32 * at_once], measured[2][8 * at_once];
    for (int first = begin; first < end; first += at_once) {
        const int groups = std::min(at_once, end - first), count = std::min(8 * groups, p.tets - 8 * first);
        std::copy_n(p.rotation.data() + 32L * first, 32 * groups, rotation);
        write_moduli(material, first, groups, moduli);
        ElementArgs args = element_args(p, x, {}, first, rotation);
        if (!plastic.empty()) args.plastic = plastic[8 * first].data();
        args.moduli = moduli, args.von_mises = measured[0], args.principal = measured[1];
        element_kernel(p.kernels)(args, 0, groups);
        std::copy_n(measured[0], count, von_mises.data() + 8L * first);
        std::copy_n(measured[1], count, principal.data() + 8L * first);
    }
}

void Solid::velocity(std::span<Vec3> out) const {
    const BlockSystem& a = parts_->system;
    CHECK(static_cast<int>(out.size()) == a.rows, out.size(), a.rows);
    for (int row = 0; row < a.rows; ++row) out[a.node_of_row[row]] = a.at(a.v, row);
}

std::span<const unsigned> Solid::star(int node) const {
    const int row = parts_->system.row_of_node[node];
    const unsigned begin = parts_->incident_begin[row], end = parts_->incident_begin[row + 1];
    return std::span(parts_->incident).subspan(begin, end - begin);
}

double Solid::effective_mass(int node) const {
    const BlockSystem& a = parts_->system;
    return a.diagonal(a.row_of_node[node]).trace() / 3;
}

SolveReport solve(std::span<Solid* const> solids, std::span<const Coupling> couplings, const SolveOptions& options,
                  Threads& threads, StageTimes& times) {
    if (solids.empty()) return {};
    StageTimer timer(times, "solve");
    Solid::Parts& first = solids.front()->parts();
    first.scratch.systems.clear();
    for (Solid* solid : solids) first.scratch.systems.push_back(&solid->parts().system);
    const CgReport report =
        solve_coupled(first.scratch.systems, couplings,
                      {.iterations = options.iterations, .tolerance = options.tolerance, .kernels = first.kernels},
                      threads, first.scratch);
    return {report.iterations, report.residual, report.missed};
}

}  // namespace pliant
