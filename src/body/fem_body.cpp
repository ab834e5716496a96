#include "pliant/body/fem_body.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/body/explicit_step.hpp"
#include "pliant/body/fem_arrays.hpp"
#include "pliant/body/plastic_flow.hpp"
#include "pliant/body/remeshing.hpp"
#include "pliant/body/step_energy.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/stress.hpp"
#include "pliant/solve/block_system.hpp"
#include "pliant/surface/skin_content.hpp"
#include "pliant/surface/tracked_surface.hpp"

namespace pliant {

namespace {

/// What the corners of each tet carry so that every crumb of a body that may break has its centre of mass where it is
/// seen: a crumb whose tet reaches far beyond it would otherwise roll about like a weighted toy. Each corner carries a
/// little at least; the whole weighs what the surface encloses.
std::vector<std::array<double, 4>> carried_masses(std::span<const TetContent> contents, const TetMesh& mesh,
                                                  double enclosed, Threads& threads) {
    constexpr double least_fill = 1e-3, least_corner = 0.02;
    std::vector<std::array<double, 4>> carried(contents.size());
    const auto filled = [&](std::size_t t, double whole) { return std::max(contents[t].volume, least_fill * whole); };
    double total = 0;
    for (std::size_t t = 0; t < contents.size(); ++t) total += filled(t, signed_volume(mesh.rest, mesh.tets[t]));
    parallel_for(threads, contents.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const double whole = signed_volume(mesh.rest, mesh.tets[t]), volume = filled(t, whole);
            for (int a = 0; a < 4; ++a) {
                const double share = std::clamp(contents[t].center[a], 0.0, 1.0);
                carried[t][a] = volume / whole * (least_corner + (1 - 4 * least_corner) * share) * (enclosed / total);
            }
        }
    });
    return carried;
}

}  // namespace

namespace {

void set_volume_constraint(FemBody& body, const VolumeConstraintOptions& options) {
    const BoundarySurface skin = boundary_surface(body.mesh);
    std::vector<Tri> boundary;
    for (const Tri& t : skin.surface.triangles) boundary.push_back({skin.node[t[0]], skin.node[t[1]], skin.node[t[2]]});
    body.keeps_volume.emplace(body.mesh.rest, body.mesh.tets, boundary, options);
    body.keeps_revision = body.mesh.revision;
}

}  // namespace

FemBody make_fem_body(FemBodyDesc desc) {
    Threads alone(1);
    return make_fem_body(std::move(desc), alone);
}

namespace {

/// Which kind of surface goes with the way it breaks.
std::unique_ptr<SeenSurface> seen_surface(FemBodyDesc& desc, const SurfaceFacts& facts) {
    if (desc.cutting) return std::make_unique<CutSurface>(desc.mesh);
    if (desc.fracture && desc.fracture->through_elements) return std::make_unique<MeshBoundary>(desc.mesh);
    Embedding embedding = embed(desc.mesh, desc.surface.points);
    if (desc.remesh) return std::make_unique<TrackedSurface>(std::move(desc.surface), std::move(embedding));
    if (desc.fracture) return std::make_unique<SkinSurface>(Skin(desc.mesh, desc.surface, facts, std::move(embedding)));
    return std::make_unique<EmbeddedSurface>(std::move(desc.surface), facts, std::move(embedding));
}

/// The state of plastic flow at the start, from what a description says has flowed before.
void begin_flow(FemBody& body, const FemBodyDesc& desc, Threads& threads) {
    const std::size_t tets = body.mesh.tets.size();
    const bool flowed = body.plasticity && !desc.lasting.empty();
    CHECK(!flowed || desc.lasting.size() == 1 || desc.lasting.size() == tets, desc.lasting.size(), tets);
    const auto lasting = [&](std::size_t t) { return desc.lasting[desc.lasting.size() == 1 ? 0 : t]; };
    if (desc.remesh || (body.plasticity && body.plasticity->multiplicative())) {
        body.plastic_deformation.assign(tets, Mat3::Identity());
        if (!flowed) return;
        for (std::size_t t = 0; t < tets; ++t) body.plastic_deformation[t] = lasting(t);
        body.solid.set_shapes(body.mesh, body.plastic_deformation, threads);
    } else {
        body.plastic_strain.assign(body.plastic.size(), Strain6{});
        if (!flowed) return;
        for (std::size_t t = 0; t < tets; ++t) small_strain<double>(lasting(t), body.plastic_strain[t].data());
    }
}

}  // namespace

FemBody make_fem_body(FemBodyDesc desc, Threads& threads) {
    if (desc.mesh.tets.empty()) throw UserError("body '" + desc.name + "' has no elements", {}, "Use a smaller cell.");
    if (desc.material.empty()) desc.material.assign(1, ElementMaterial{});
    if (desc.material.size() == 1) desc.material.assign(desc.mesh.tets.size(), desc.material[0]);
    CHECK(desc.material.size() == desc.mesh.tets.size(), desc.material.size(), desc.mesh.tets.size());
    if (desc.plasticity && desc.plasticity->flow && desc.solid.law && !desc.solid.law->hooke)
        throw UserError("body '" + desc.name + "' has plasticity '" + desc.plasticity->name + "' and elasticity '" +
                            desc.solid.law->name + "', which do not go together",
                        {}, "Use plasticity = finite_creep { … }, or elasticity = \"corotational\" or \"linear\"");
    if (!desc.plasticity) desc.plastic.clear();
    if (desc.plasticity && desc.plastic.size() == 1) desc.plastic.assign(desc.mesh.tets.size(), desc.plastic[0]);
    CHECK(!desc.plasticity || desc.plastic.size() == desc.mesh.tets.size(), desc.plastic.size(), desc.mesh.tets.size());
    orient_tets(desc.mesh);
    const bool through_elements = desc.fracture && desc.fracture->through_elements;
    CHECK(!desc.cutting || !desc.fracture, desc.name);
    const bool shows_mesh = through_elements || desc.cutting;
    if (shows_mesh) desc.solid.fill = 1;  // the elements are the body: what is seen is their boundary
    TriMesh brought;
    if (shows_mesh) brought = std::move(desc.surface);
    if (desc.surface.triangles.empty() || shows_mesh) desc.surface = boundary_surface(desc.mesh).surface;
    if (desc.remesh) check_remesh(desc);

    // The solid on one side, what is seen on the other: neither needs the other.
    std::optional<Solid> solid;
    std::unique_ptr<SeenSurface> seen;
    SurfaceFacts facts;
    parallel_for(threads, 2, 1, [&](std::size_t side, std::size_t) {
        if (side == 0) {
            solid.emplace(desc.mesh, desc.material, desc.solid);
        } else {
            facts = inspect(desc.surface);
            seen = seen_surface(desc, facts);
            seen->bring(std::move(brought));
        }
    });
    FemBody body(std::move(*solid));
    take_shared(body, desc, std::move(desc.mesh), std::move(seen), facts);
    reset_nodes(body, body.x.size());
    body.solve = desc.solve;
    set_integrator(body, desc.integrator ? *desc.integrator : *integrators().front(), desc.own_step);
    body.material = std::move(desc.material);
    body.rotates = !desc.solid.law || desc.solid.law->objective;
    body.plasticity = desc.plasticity;
    body.plastic = std::move(desc.plastic);
    begin_flow(body, desc, threads);
    if (body.plasticity && body.plasticity->stress_flow) body.hardened.assign(body.plastic.size(), 0);
    body.origin.resize(body.x.size());
    std::iota(body.origin.begin(), body.origin.end(), 0);
    if (through_elements) {
        body.cracks = make_element_cracks(*desc.fracture, body.mesh);
        body.edited = true;
    } else if (desc.fracture) {
        body.fracture = make_fracture(*desc.fracture, body.mesh);
        skin_of(body).prepare(threads);  // now, not when the first crack makes everybody wait
    }
    if (desc.cutting) {
        body.cutting = desc.cutting;
        body.share.assign(body.mesh.tets.size(), 1);
        body.edited = true;
    }
    if (body.fracture && surface_closed(facts)) {
        const std::vector<TetContent> contents = skin_of(body).contents(threads);
        for (std::size_t t = 0; t < contents.size(); ++t)
            body.fracture->share[t] =
                std::clamp(contents[t].volume / signed_volume(body.mesh.rest, body.mesh.tets[t]), 0.0, 1.0);
        // What a mean tet has of it.
        if (!desc.fracture->grain)
            body.fracture->options.least_piece = body.rest_volume / static_cast<double>(contents.size());
        if (desc.solid.fill < 1)
            body.solid.set_carried(carried_masses(contents, body.mesh, body.rest_volume, threads), body.material);
    }
    add_spin(body, node_mass(body), desc.spin);
    if (desc.heat) add_heat(body, *desc.heat);
    if (desc.keeps_volume) set_volume_constraint(body, *desc.keeps_volume);
    update_surface(body, threads);
    if (desc.remesh) begin_remeshing(body, *desc.remesh, threads);
    return body;
}

namespace {

bool reaches_back(const FemBody& body) { return body.integrator->formula && body.integrator->formula(1).memory > 0; }

/// How the present step reaches over the last one. Where something touches the body, impulses belong to one step.
TwoStep step_formula(const FemBody& body, double dt) {
    const std::vector<double>& last = body.history.step;
    if (!reaches_back(body) || body.touched || last.empty() || last[1] != double(body.mesh.revision)) return {};
    return body.integrator->formula(dt / last[0]);
}

/// After commit: what the next step reaches back to.
void keep_history(FemBody& body, double dt) {
    TwoStepHistory& history = body.history;
    history.step.clear();
    if (body.touched) return;
    history.step = {dt, double(body.mesh.revision)};
    history.moved.resize(body.x.size());
    for (std::size_t i = 0; i < body.x.size(); ++i) history.moved[i] = body.x[i] - body.frame.rigid[i];
    history.velocity = body.frame.carried;
}

FrameInput frame_input(const FemBody& body, double dt) {
    const bool back = reaches_back(body);
    return {.dt = dt,
            .mass_damping = body.solid.options().mass_damping,
            .x = body.x,
            .v = body.v,
            .first_guess = body.v_next,
            .force = body.force,
            .mass = body.solid.mass(),
            .prescribed = body.prescribed,
            .axis_holds = body.axis_holds,
            .formula = body.formula,
            .history = back ? &body.history : nullptr,
            .ratio = body.history.step.empty() ? 1 : dt / body.history.step[0],
            .second_order = back && !body.touched,
            .stands = !body.rotates};
}

}  // namespace

bool turns_ahead(const FemBody& body, double dt) {
    if (!body.plastic_strain.empty()) return false;
    // Free pieces start from rest in their frames, which turn along.
    const auto& pieces = body.frame.pieces;
    const bool held = std::any_of(pieces.begin(), pieces.end(), [](const PieceFrame& p) { return !p.moves; });
    return body.formula.memory > 0 || (held && body.solid.stiff_in(dt));
}

std::span<const Vec3> in_frame(FemBody& body) {
    if (!body.frame.active) return body.v_next;
    body.deforming.resize(body.v_next.size());
    for (std::size_t i = 0; i < body.v_next.size(); ++i) body.deforming[i] = body.v_next[i] - body.frame.velocity[i];
    return body.deforming;
}

std::span<const Vec3> frame_positions(const FemBody& body) { return body.frame.active ? body.frame.y : body.x; }

void set_integrator(FemBody& body, const Integrator& integrator, double longest) {
    body.integrator = &integrator;
    body.own.longest = longest;
    body.own.halvings.assign(integrator.is_explicit() ? 1 : 0, 0);
    body.history = {};
    if (integrator.is_explicit()) follow_own_mesh(body);
}

void begin_step(FemBody& body, double dt, Threads& threads, StageTimes& times) {
    MovingFrame& frame = body.frame;
    frame.active = false;
    if (body.integrator->is_explicit()) {
        StageTimer timer(times, "explicit steps");
        if (!body.plastic_deformation.empty()) flow_shapes(body, dt, threads);
        return predict_own_steps(body, dt, threads);
    }
    body.formula = step_formula(body, dt);
    // Linear elasticity takes rotation for strain: its forces have torques, and there is no frame to speak of.
    if (body.rotates || reaches_back(body)) {
        StageTimer timer(times, "update");
        begin_frame(frame, frame_input(body, dt), system(body), threads);
    }
    SolidInput input{.dt = dt,
                     .force = frame.active ? frame.force : body.force,
                     .prescribed = body.prescribed,
                     .solve = body.solve,
                     .turn = turns_ahead(body, dt) ? dt : 0,
                     .mass_scale = body.formula.mass_scale(),
                     .rate_scale = body.formula.rate_scale()};
    const std::span<const Vec3> start = frame.active ? frame.start : body.v_next;
    if (!body.plastic_deformation.empty() && body.flows) flow_shapes(body, dt, threads);
    if (body.plastic_strain.empty() || !body.flows) {
        input.plastic_strain = body.plastic_strain;
        body.solid.assemble(frame_positions(body), start, input, threads, times);
    } else {
        set_flow_numbers(body, dt, threads);
        const FlowContext context{&body, dt};
        const PlasticFlow flow = plastic_flow(body, context);
        input.flow = &flow;
        body.solid.assemble(frame_positions(body), start, input, threads, times);
    }
    if (frame.active) enter_frame(frame, system(body));
    if (obeys_energy_law(body)) measure_start(body, dt, threads);
}

double rotation_lag(const FemBody& body, double dt) {
    return body.integrator->is_explicit() ? 0 : body.solid.rotation_lag(body.energy.iterate.turned, dt);
}

void newton_iteration(FemBody& body, double dt, Threads& threads, StageTimes& times) {
    if (body.integrator->is_explicit()) return;
    const bool framed = body.frame.active;
    const std::span<const Vec3> w = in_frame(body);
    // assemble() takes the velocities it starts from for those before the step: what they differ by is an impulse.
    const auto mass = body.solid.mass();
    body.newton_force = framed ? body.frame.force : body.force;
    const std::span<const Vec3> before = framed ? body.frame.start : body.v;
    for (std::size_t i = 0; i < body.force.size(); ++i)
        if (!body.prescribed[i]) body.newton_force[i] += body.formula.mass_scale() * mass[i] / dt * (before[i] - w[i]);
    const double reference = body.solid.system().reference;
    body.solid.assemble(frame_positions(body), w,
                        {.dt = dt,
                         .force = body.newton_force,
                         .prescribed = body.prescribed,
                         .plastic_strain = body.plastic_strain,
                         .solve = body.solve,
                         .turn = dt,
                         .mass_scale = body.formula.mass_scale(),
                         .rate_scale = body.formula.rate_scale()},
                        threads, times);
    body.solid.system().reference = reference;
    if (framed) enter_frame(body.frame, system(body));
}

BlockSystem& system(FemBody& body) { return body.integrator->is_explicit() ? body.own.masses : body.solid.system(); }
const BlockSystem& system(const FemBody& body) {
    return body.integrator->is_explicit() ? body.own.masses : body.solid.system();
}
void finish_solve(FemBody& body, Threads& threads) {
    if (body.integrator->is_explicit()) {
        const BlockSystem& a = body.own.masses;
        for (int row = 0; row < a.rows; ++row) body.v_next[a.node_of_row[row]] = a.at(a.v, row);
        return;
    }
    body.solid.velocity(body.v_next);
    if (body.frame.active)
        remove_rigid_error(body.frame, body.solid.mass(), body.prescribed, system(body), body.v_next, threads);
}
std::span<const double> node_mass(const FemBody& body) { return body.solid.material_mass(); }

void commit_step(FemBody& body, double dt, Threads& threads) {
    if (body.keeps_volume) body.x_before = body.x;
    double left = 0;  // of the excess
    if (body.integrator->is_explicit()) {
        std::swap(body.x, body.own.x_trial);
        std::swap(body.v, body.own.v_trial);
    } else if (body.frame.active) {
        left = leave_frame(body.frame, frame_input(body, dt), system(body), body.energy.excess, body.x, body.v_next,
                           threads);
        std::swap(body.v, body.v_next);
    } else {
        std::swap(body.v, body.v_next);
        parallel_for(threads, body.x.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) body.x[i] += dt * body.v[i];
        });
        left = slow_free_nodes(body, threads);
    }
    body.energy.excess = left;
    if (body.keeps_volume) {
        if (body.keeps_revision != body.mesh.revision)  // it broke
            set_volume_constraint(body, VolumeConstraintOptions(body.keeps_volume->options()));
        body.keeps_volume->apply(body.x_before, body.solid.mass(), body.prescribed, body.axis_holds, dt, body.x,
                                 body.v);
    }
    if (reaches_back(body)) keep_history(body, dt);
    if (!body.fracture) update_surface(body, threads);  // else it may break first
}

SurfaceView surface_view(const FemBody& body) {
    if (!body.collide) return {};
    const bool comes_apart = may_break(body) || !body.seen->vertex_piece().empty();
    const bool broken = comes_apart && body.seen->piece_count() > 1;
    return {.points = body.points,
            .velocities = body.velocities,
            .triangles = body.surface().triangles,
            .tets = body.mesh.tets,
            .embedding = &body.embedding(),
            .spacing = body.spacing,
            .friction = body.friction,
            .revision = body.mesh.revision,
            .piece = broken ? body.seen->vertex_piece() : std::span<const int>(),
            .pieces_touch = broken && pieces_touch(body),
            .seams = !may_break(body)};
}

bool pieces_touch(const FemBody& body) {
    if (body.remeshing) return true;
    if (body.cutting) return body.cutting->touch;
    return body.cracks ? body.cracks->touch : body.fracture && body.fracture->touch;
}

bool smooth_cracks(const FemBody& body) {
    if (body.cutting) return body.cutting->smooth;
    return body.cracks ? body.cracks->smooth : body.fracture && body.fracture->smooth;
}

std::vector<ElementMaterial> solid_material(const FemBody& body) {
    std::vector<ElementMaterial> out(body.material.size());
    for (std::size_t t = 0; t < out.size(); ++t) out[t] = stepped_material(body, static_cast<int>(t));
    for (std::size_t t = 0; t < body.share.size(); ++t) out[t].young *= body.share[t], out[t].density *= body.share[t];
    return out;
}

namespace {

/// Of material in a tet at rest, m³.
double material_volume(const FemBody& body, int t) {
    const double volume = signed_volume(body.mesh.rest, body.mesh.tets[t]);
    return body.share.empty() ? volume : body.share[t] * volume;
}

}  // namespace

double elastic_energy(const FemBody& body) {
    if (body.plastic_strain.empty()) return body.solid.elastic_energy(body.x);
    if (body.solid.smoothed()) return body.solid.smoothed_energy(body.x, body.plastic_strain);
    double sum = 0;
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Strain6 e = elastic_strain(body, t);
        const Lame m = lame(body.material[t].young, body.material[t].poisson);
        sum += body.solid.fill() * material_volume(body, t) * hooke_energy(m.lambda, m.mu, e.data());
    }
    return sum;
}

double max_speed(const FemBody& body) { return max_speed(body.fracture ? body.velocities : body.v); }

double von_mises(const FemBody& body, int tet) { return von_mises(elastic_stress(body, tet)); }

double mean_plastic_strain(const FemBody& body) {
    double sum = 0, total = 0;
    for (int t = 0; t < static_cast<int>(body.plastic.size()); ++t) {
        const double volume = material_volume(body, t);
        sum += volume * plastic_strain_norm(body, t), total += volume;
    }
    return total > 0 ? sum / total : 0;
}

Flux flux_through(const FemBody& body, int axis, double at) {
    Vec3 total = Vec3::Zero();
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        bool above[4];
        for (int k = 0; k < 4; ++k) above[k] = body.x[tet[k]][axis] > at;
        if (above[0] == above[1] && above[0] == above[2] && above[0] == above[3]) continue;
        const Mat3 stress = symmetric_matrix(elastic_stress(body, t));
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = body.mesh.rest[tet[k + 1]] - body.mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        Vec3 gradient[4];
        for (int k = 0; k < 3; ++k) gradient[k + 1] = inverse.row(k).transpose();
        gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
        // A pair's share of the traction is P times V/4 (g_j − g_i); summed over pairs that the plane parts.
        Vec3 area = Vec3::Zero();
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (!above[i] && above[j]) area += edges.determinant() / 24 * (gradient[j] - gradient[i]);
        total += body.solid.rotation(t) * stress * area * (body.share.empty() ? 1 : body.share[t]);
    }
    Flux flux;
    flux.elastic = total[axis] * Vec3::Unit(axis);
    flux.shear = total - flux.elastic;
    return flux;
}

std::optional<int> first_nonfinite(const FemBody& body) {
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (!body.x[i].allFinite() || !body.v[i].allFinite()) return static_cast<int>(i);
    return std::nullopt;
}

void save_state(const FemBody& body, ByteWriter& out) {
    out.value(static_cast<std::uint8_t>(body.edited));
    if (body.edited) save_mesh(body, out);
    if (body.edited || body.fracture) {
        out.vector(body.mesh.tets);
        out.value(body.mesh.revision);
    }
    for_each_array(body, ArrayWriter{out});
    body.seen->save(out);
    if (body.plasticity && body.plasticity->maxwell) out.value(body.flow_dt);
    for_each_solver_array(body.solid, ArrayWriter{out});
    if (body.cracks) out.value(body.cracks->total);
    if (body.remeshing) out.value(body.remeshing->total);
}

void load_state(FemBody& body, ByteReader& in) {
    Threads alone(1);
    const bool edited = in.value<std::uint8_t>() != 0;
    if (body.edited && !edited)
        throw UserError("the saved state is from before the mesh of body '" + body.name + "' was changed", {},
                        "Load it into a world that was built anew.");
    body.edited = edited;
    if (edited) load_mesh(body, in, alone);
    std::vector<Tet> tets = body.mesh.tets;
    std::uint64_t revision = body.mesh.revision;
    if (edited || body.fracture) in.vector(tets), in.value(revision);
    const std::vector<int> origin = body.origin;
    const std::size_t elements = body.mesh.tets.size();
    const bool additive = !body.plastic_strain.empty(), finite = !body.plastic_deformation.empty();
    for_each_array(body, ArrayReader{in, body.name});
    const std::size_t nodes = body.origin.size();
    bool fits = tets.size() == elements && body.plastic_strain.size() == (additive ? elements : 0) &&
                body.plastic_deformation.size() == (finite ? elements : 0);
    for_each_array(body, [&](const ArrayRole& role, const auto& array) {
        fits = fits && (role.per != Per::node || array.empty() || array.size() == nodes);
    });
    if (!fits || body.x.size() != nodes || body.v.size() != nodes) throw another_mesh(body.name);
    if (edited || body.fracture)
        set_links(body, origin, std::move(tets));
    else if (body.origin != origin)
        throw another_mesh(body.name);
    if (!body.seen->load(in, body.mesh, body.origin, alone)) throw another_mesh(body.name);
    if (edited || body.fracture) {
        std::vector<int> all(body.mesh.tets.size());
        std::iota(all.begin(), all.end(), 0);
        follow_links(body, all, alone);
    }
    body.mesh.revision = revision;
    if (finite) body.solid.set_shapes(body.mesh, body.plastic_deformation, alone);
    if (body.plasticity && body.plasticity->maxwell) {
        in.value(body.flow_dt);
        body.solid.set_material(solid_material(body));
    }
    for_each_solver_array(body.solid, ArrayReader{in, body.name});
    if (body.cracks) in.value(body.cracks->total);
    if (body.remeshing) in.value(body.remeshing->total);
    body.flow_numbers.clear();
    if (!finish_temperature(body) || !body.solid.set_kept_state(KeptState(body.solid.kept_state())))
        throw another_mesh(body.name);
}

void hash_state(const FemBody& body, Hash& hash) {
    if (body.edited) {
        ByteWriter mesh;
        save_mesh(body, mesh);
        hash.text(mesh.bytes());
    }
    if (body.edited || body.fracture) {
        hash.bytes(body.mesh.tets.data(), body.mesh.tets.size() * sizeof(Tet));
        hash.value(body.mesh.revision);
    }
    for_each_array(body, ArrayHash{hash});
    for_each_solver_array(body.solid, ArrayHash{hash});
    body.seen->hash(hash);
    if (body.cracks) hash.bytes(&body.cracks->total, sizeof body.cracks->total);
    if (body.remeshing) hash.bytes(&body.remeshing->total, sizeof body.remeshing->total);
}

}  // namespace pliant
