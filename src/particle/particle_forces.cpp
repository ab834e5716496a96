#include "pliant/particle/particle_forces.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/particle/particle_parts.hpp"

namespace pliant {

namespace {

double extent(std::span<const Vec3> points) {
    Box box;
    for (const Vec3& p : points) box.add(p);
    return box.diagonal();
}

}  // namespace

ParticleForces::ParticleForces(const ParticleStructure& s, std::span<const ParticleMaterial> material,
                               const ParticleModelOptions& options)
    : parts_(std::make_unique<Parts>()) {
    CHECK(material.size() == s.tets.size() && !s.tets.empty(), material.size(), s.tets.size());
    Parts& p = *parts_;
    p.options = options;
    p.particles = static_cast<int>(s.size());
    const std::vector<ParticleMaterial> local = particle_materials(s, material);
    p.mass.resize(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (!(s.volume[i] > 0))
            throw UserError("particle " + std::to_string(i) + " has a cell without volume", {},
                            "Leave it out, or mesh the body again");
        p.mass[i] = local[i].density * s.volume[i];
    }
    const std::size_t rows = 4 * s.size();
    p.x.assign(rows, 0), p.v.assign(rows, 0), p.gathered.assign(rows, 0), p.scale.assign(rows, 0),
        p.push.assign(rows, 0);
    switch (options.model) {
        case ParticleModel::spring: p.set_springs(s); break;
        case ParticleModel::cmpm1: p.set_faces(s); break;
        case ParticleModel::cmpm2:
        case ParticleModel::cmpm3: p.set_tets(s); break;
    }
    set_material(s, material);
}

void ParticleForces::set_material(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    CHECK(material.size() == s.tets.size(), material.size(), s.tets.size());
    switch (parts_->options.model) {
        case ParticleModel::spring: return parts_->set_spring_numbers(s, material);
        case ParticleModel::cmpm1: return parts_->set_face_numbers(s, material);
        case ParticleModel::cmpm2: return parts_->set_model2_numbers(s, material);
        case ParticleModel::cmpm3: return parts_->set_model3_numbers(s, material);
    }
}

ParticleForces::~ParticleForces() = default;
ParticleForces::ParticleForces(ParticleForces&&) noexcept = default;
ParticleForces& ParticleForces::operator=(ParticleForces&&) noexcept = default;

std::span<const double> ParticleForces::mass() const { return parts_->mass; }
std::span<double> ParticleForces::memory() { return parts_->rotation; }
std::span<const double> ParticleForces::memory() const { return parts_->rotation; }

void ParticleForces::Parts::set_gathering(std::span<const int> acts_on, std::span<const int> rows) {
    std::vector<unsigned> count(particles, 0);
    for (int i : acts_on) ++count[i];
    gather_order.resize(particles);
    std::iota(gather_order.begin(), gather_order.end(), 0);
    constexpr int window = 256;  // so that particles which lie close in memory stay close
    for (int begin = 0; begin < particles; begin += window)
        std::stable_sort(gather_order.begin() + begin, gather_order.begin() + std::min(particles, begin + window),
                         [&](int a, int b) { return count[a] < count[b]; });
    gather_begin.assign(particles + 1, 0);
    for (int i = 0; i < particles; ++i) gather_begin[i + 1] = gather_begin[i] + count[gather_order[i]];
    gather_entry.resize(acts_on.size());
    std::vector<unsigned> next(particles);
    for (int i = 0; i < particles; ++i) next[gather_order[i]] = gather_begin[i];
    for (std::size_t e = 0; e < acts_on.size(); ++e) gather_entry[next[acts_on[e]]++] = 4 * rows[e];
}

// Element e acts on pairs[e][0] with its force and on pairs[e][1] with the opposite.
void ParticleForces::Parts::set_pair_gathering(const std::vector<std::array<int, 2>>& pairs) {
    std::vector<int> acts_on, rows;
    for (std::size_t e = 0; e < pairs.size(); ++e)
        for (int side = 0; side < 2; ++side) {
            acts_on.push_back(pairs[e][side]);
            rows.push_back(static_cast<int>(16 * (e / 8) + 8 * side + e % 8));
        }
    set_gathering(acts_on, rows);
}

void ParticleForces::Parts::set_springs(const ParticleStructure& s) {
    groups = static_cast<int>((s.edges.size() + 7) / 8);
    pair.resize(16 * std::size_t(groups)), constant_float.assign(16 * std::size_t(groups), 0);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const std::size_t e = std::min<std::size_t>(lane, s.edges.size() - 1);
        for (int i = 0; i < 2; ++i) pair[16L * (lane / 8) + lane % 8 + 8 * i] = 4 * s.edges[e][i];
    }
    force.assign(64 * std::size_t(groups), 0);
    set_pair_gathering(s.edges);
}

void ParticleForces::Parts::set_spring_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const std::vector<double> k =
        options.stiffness > 0 ? std::vector<double>(s.edges.size(), options.stiffness) : spring_constants(s, material);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const std::size_t e = std::min<std::size_t>(lane, s.edges.size() - 1);
        const double length = (s.rest[s.edges[e][0]] - s.rest[s.edges[e][1]]).norm();
        float* at = constant_float.data() + 16L * (lane / 8) + lane % 8;
        at[0] = static_cast<float>(1 / length);
        at[8] = static_cast<float>(k[e] * length);
    }
}

void ParticleForces::Parts::set_faces(const ParticleStructure& s) {
    // Faces between particles, those with many corners first so that groups are even.
    for (std::size_t f = 0; f < s.faces.size(); ++f)
        if (s.faces[f].b >= 0 && s.faces[f].area.norm() > 0) inner.push_back(static_cast<int>(f));
    if (inner.empty())
        throw UserError("cmpm1 needs the Voronoi cells of the particles, and the body has none", {},
                        "Use model = \"cmpm2\" or \"cmpm3\", or a structure with cells");
    // Within windows, so that particles which lie close in memory stay close.
    constexpr std::size_t window = 512;
    const auto count = [&](int f) { return s.polygon_begin[f + 1] - s.polygon_begin[f]; };
    for (std::size_t begin = 0; begin < inner.size(); begin += window)
        std::stable_sort(inner.begin() + static_cast<long>(begin),
                         inner.begin() + static_cast<long>(std::min(inner.size(), begin + window)),
                         [&](int a, int b) { return count(a) > count(b); });

    // Corners that several faces share are moved once. They are the same where they lie at the same place at rest: what
    // moves with the tets is continuous. A hair's difference that rounding puts on two sides only costs time.
    const double hair = 1e-9 * extent(s.rest);
    using Place = std::array<std::int64_t, 3>;
    std::vector<std::pair<Place, int>> order;
    for (int f : inner)
        for (int c = s.polygon_begin[f]; c < s.polygon_begin[f + 1]; ++c) {
            const Vec3 at = (s.polygon[c].rest - s.rest[0]) / hair;
            order.push_back({{std::llround(at.x()), std::llround(at.y()), std::llround(at.z())}, c});
        }
    std::sort(order.begin(), order.end());
    std::vector<int> alike(s.polygon.size(), -1);  // the corner that stands for it
    for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
        if (order[i].first != order[first].first) first = i;
        alike[order[i].second] = order[first].second;
    }
    std::vector<int> place(s.polygon.size(), -1);  // numbers in the order in which the faces use them
    for (int f : inner)
        for (int c = s.polygon_begin[f]; c < s.polygon_begin[f + 1]; ++c) {
            int& number = place[alike[c]];
            if (number < 0) {
                number = corners++;
                const VoronoiCorner& of = s.polygon[alike[c]];
                for (int k = 0; k < 4; ++k) {
                    corner_node.push_back(4 * s.tets[of.tet][k]);
                    corner_weight.push_back(static_cast<float>(of.weight[k]));
                }
            }
            place[c] = number;
        }
    corner.assign(4 * std::size_t(corners), 0), near.assign(4 * s.size(), 0);

    groups = static_cast<int>((inner.size() + 7) / 8);
    pair.resize(16 * std::size_t(groups)), constant_float.assign(32 * std::size_t(groups), 0);
    slot_begin.assign(1, 0);
    std::vector<std::array<int, 2>> pairs;
    for (int g = 0; g < groups; ++g) {
        int longest = 0;
        for (int lane = 0; lane < 8; ++lane)
            longest = std::max(longest, count(inner[std::min<std::size_t>(8 * g + lane, inner.size() - 1)]));
        longest += longest % 2;
        const int begin = slot_begin.back();
        slot_begin.push_back(begin + longest);
        column.resize(8 * std::size_t(slot_begin.back()));
        for (int lane = 0; lane < 8; ++lane) {
            const int f = inner[std::min<std::size_t>(8 * g + lane, inner.size() - 1)];
            const VoronoiFace& face = s.faces[f];
            const int first = s.polygon_begin[f];
            for (int k = 0; k < longest; ++k)
                column[8L * (begin + k) + lane] = 4 * place[k < count(f) ? first + k : first];
            pair[16L * g + lane] = 4 * face.a, pair[16L * g + 8 + lane] = 4 * face.b;
            if (8 * std::size_t(g) + lane < inner.size()) pairs.push_back({face.a, face.b});
        }
    }
    force.assign(64 * std::size_t(groups), 0);
    set_pair_gathering(pairs);
}

void ParticleForces::Parts::set_face_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const std::vector<ParticleMaterial> local = particle_materials(s, material);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const VoronoiFace& face = s.faces[inner[std::min<std::size_t>(lane, inner.size() - 1)]];
        const double area = face.area.norm();
        float* at = constant_float.data() + 32L * (lane / 8) + lane % 8;
        at[0] = static_cast<float>(1 / (s.rest[face.b] - s.rest[face.a]).norm());
        at[8] = static_cast<float>(0.5 / area);
        at[16] = static_cast<float>(area * 0.5 * (local[face.a].young + local[face.b].young));
        at[24] = static_cast<float>(area * 0.5 * (local[face.a].shear + local[face.b].shear));
    }
}

namespace {

struct RestTet {
    Mat3 inverse;  ///< of the matrix of its three edges from corner 0, 1/m
    double volume;
};

RestTet rest_tet(const ParticleStructure& s, std::size_t t) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = s.rest[s.tets[t][k + 1]] - s.rest[s.tets[t][0]];
    const RestTet rest{edges.inverse(), edges.determinant() / 6};
    if (!(rest.volume > 0) || !rest.inverse.allFinite())
        throw UserError("tetrahedron " + std::to_string(t) + " has no positive volume at rest", {},
                        "Turn it round or leave it out");
    return rest;
}

}  // namespace

void ParticleForces::Parts::set_tets(const ParticleStructure& s) {
    const bool third = options.model == ParticleModel::cmpm3;
    groups = static_cast<int>((s.tets.size() + 7) / 8);
    const std::size_t lanes = 8 * std::size_t(groups);
    force.assign(16 * lanes, 0);
    if (!third) row.resize(4 * lanes), constant_float.assign(16 * lanes, 0);
    if (third) {
        node.resize(4 * lanes), gradient.resize(9 * lanes), constant.assign(6 * lanes, 0);
        rotation.assign(4 * lanes, 0), dilation.assign(lanes, 0);
        pressure.assign(s.size(), 0);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t t = std::min(lane, s.tets.size() - 1);
        const Tet& tet = s.tets[t];
        const RestTet rest = rest_tet(s, t);
        const std::size_t g = lane / 8, l = lane % 8;
        for (int k = 0; k < 4; ++k) (third ? node : row)[32 * g + 8 * k + l] = third ? tet[k] : 4 * tet[k];
        if (!third) continue;
        for (int k = 0; k < 9; ++k) gradient[72 * g + 8 * k + l] = rest.inverse(k / 3, k % 3);
        rotation[32 * g + l] = 1;
    }

    std::vector<int> acts_on, rows;
    for (std::size_t t = 0; t < s.tets.size(); ++t)
        for (int k = 0; k < 4; ++k) {
            acts_on.push_back(s.tets[t][k]);
            rows.push_back(static_cast<int>(32 * (t / 8) + 8 * k + t % 8));
        }
    set_gathering(acts_on, rows);
    if (!third) return;
    for (int entry : gather_entry) tets.push_back(8 * (entry / 128) + entry / 4 % 8);
}

void ParticleForces::Parts::set_model2_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const bool unit = options.normal == DeformedNormal::unit;
    for (std::size_t lane = 0; lane < 8 * std::size_t(groups); ++lane) {
        const std::size_t t = std::min(lane, s.tets.size() - 1);
        const ParticleMaterial& m = material[t];
        const auto [inverse, volume] = rest_tet(s, t);
        Vec3 of[4];
        for (int k = 0; k < 3; ++k) of[k + 1] = inverse.row(k).transpose();
        of[0] = -(of[1] + of[2] + of[3]);
        float* at = constant_float.data() + 128 * (lane / 8) + lane % 8;
        auto put = [&](double value) { *std::exchange(at, at + 8) = static_cast<float>(value); };
        put(m.young / 24), put((m.young - m.shear) / 24 / (6 * volume));
        for (const auto& e : tet_edge) put(1 / (36 * volume * volume * (of[e[1]] - of[e[0]]).squaredNorm()));
        for (int i = 1; i < 4; ++i)
            for (int k = i; k < 4; ++k) put((unit ? 1 : m.shear * volume) * of[i].dot(of[k]));
        put(m.shear * volume / 4), put(36 * volume * volume);
    }
}

void ParticleForces::Parts::set_model3_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    for (std::size_t lane = 0; lane < 8 * std::size_t(groups); ++lane) {
        const std::size_t t = std::min(lane, s.tets.size() - 1);
        const ParticleMaterial& m = material[t];
        const double volume = rest_tet(s, t).volume;
        const bool fibres = m.fibre_young > 0 && m.fibre.norm() > 0;
        const Vec3 fibre = fibres ? m.fibre.normalized() : Vec3::UnitX();
        double* at = constant.data() + 48 * (lane / 8) + lane % 8;
        at[0] = 2 * effective_moduli(ParticleModel::cmpm3, m).mu * volume, at[8] = volume;
        at[16] = fibres ? m.fibre_young * volume : 0;
        for (int k = 0; k < 3; ++k) at[24 + 8 * k] = fibre[k];
    }
    // A quarter of each tet belongs to the cell of each of its corners. λ and dilation of a cell are means over it.
    std::vector<double> cell(s.size(), 0), lambda(s.size(), 0);
    for (std::size_t t = 0; t < s.tets.size(); ++t) {
        const double quarter = signed_volume(s.rest, s.tets[t]) / 4;
        const double stiff = effective_moduli(ParticleModel::cmpm3, material[t]).lambda;
        for (int corner_of : s.tets[t]) cell[corner_of] += quarter, lambda[corner_of] += quarter * stiff;
    }
    bulk.resize(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) bulk[i] = lambda[i] / cell[i] * 0.25 / cell[i];
}

void ParticleForces::Parts::load(std::span<const Vec3> positions) {
    CHECK(static_cast<int>(positions.size()) == particles, positions.size(), particles);
    for (int i = 0; i < particles; ++i)
        for (int k = 0; k < 3; ++k) x[4L * i + k] = positions[i][k];
    std::copy(x.begin(), x.begin() + 4, origin);
    follow_positions();
}

void ParticleForces::Parts::follow_positions() {
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = static_cast<float>(x[i] - origin[i % 4]);
}

void ParticleForces::Parts::element_forces(const Team& team) {
    const ParticleKernels& kernel = particle_kernels(kernels);
    const int begin = team.begin(groups), end = team.end(groups);
    if (options.model == ParticleModel::spring)
        return kernel.springs({x.data(), pair.data(), constant_float.data(), force.data()}, begin, end);
    if (options.model == ParticleModel::cmpm1) {
        kernel.corners({near.data(), corner_node.data(), corner_weight.data(), corner.data()}, team.begin(corners),
                       team.end(corners));
        team.barrier();
        return kernel.faces({x.data(), corner.data(), slot_begin.data(), column.data(), pair.data(),
                             constant_float.data(), force.data()},
                            begin, end);
    }
    const TetArgs tet_args{.x = x.data(),
                           .node = node.data(),
                           .row = row.data(),
                           .gradient = gradient.data(),
                           .constant = constant.data(),
                           .constant_float = constant_float.data(),
                           .force = force.data(),
                           .unit_normal = options.normal == DeformedNormal::unit,
                           .rotation = rotation.data(),
                           .pressure = pressure.data(),
                           .dilation = dilation.data()};
    if (options.model == ParticleModel::cmpm2) return kernel.model2(tet_args, begin, end);
    kernel.dilations(tet_args, begin, end);
    team.barrier();
    for (int i = team.begin(particles); i < team.end(particles); ++i) {
        double sum = 0;
        for (unsigned e = gather_begin[i]; e < gather_begin[i + 1]; ++e) sum += dilation[tets[e]];
        pressure[gather_order[i]] = bulk[gather_order[i]] * sum;
    }
    team.barrier();
    kernel.model3(tet_args, begin, end);
}

namespace {

template <class Job>
void with_team(Threads& threads, int groups, Job&& job) {
    if (threads.count() == 1 || groups < ParticleForces::Parts::worth_sharing) return job(Team{});
    threads.run([&](int member, int count) { job(Team{&threads, member, count}); });
}

}  // namespace

void ParticleForces::forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads) {
    Parts& p = *parts_;
    p.load(x);
    with_team(threads, p.groups, [&](const Team& team) {
        p.element_forces(team);
        team.barrier();
        particle_kernels(p.kernels).gather(p.gathering(), p.gathered.data(), team.begin(p.particles),
                                           team.end(p.particles));
    });
    for (int i = 0; i < p.particles; ++i)
        out[i] = Vec3(p.gathered[4L * i], p.gathered[4L * i + 1], p.gathered[4L * i + 2]);
}

void ParticleForces::leap_frog(const LeapFrogRun& run, std::span<Vec3> x, std::span<Vec3> v, Threads& threads) {
    Parts& p = *parts_;
    CHECK(run.steps > 0 && run.h > 0, run.steps, run.h);
    p.load(x);
    for (int i = 0; i < p.particles; ++i) {
        const bool held = !run.prescribed.empty() && run.prescribed[i];
        const double scale = held ? 0 : run.h / p.mass[i];
        for (int k = 0; k < 3; ++k) {
            p.v[4L * i + k] = v[i][k];
            p.scale[4L * i + k] = scale;
            p.push[4L * i + k] = held ? v[i][k] : scale * run.force[i][k];
        }
    }
    for (const AxisHold& hold : run.holds) {
        p.scale[4L * hold.particle + hold.axis] = 0;
        p.push[4L * hold.particle + hold.axis] = hold.velocity;
    }
    const MoveArgs move{p.scale.data(), p.push.data(), p.x.data(), p.v.data(),
                        run.h,          run.damping,   p.origin,   p.near.empty() ? nullptr : p.near.data()};
    const ParticleKernels& kernel = particle_kernels(p.kernels);
    if (run.constraint) run.constraint->begin(p.scale);
    const TouchRows rows{p.x, p.v, p.scale, run.h, run.damping};
    p.touched.resize(run.touches.empty() ? 0 : p.particles);
    const int rounds = begin_touches(run.touches, rows, p.touched);
    with_team(threads, p.groups, [&](const Team& team) {
        for (int n = 0; n < run.steps; ++n) {
            if (run.constraint && team.member == 0) run.constraint->linearise(p.x);
            p.element_forces(team);
            team.barrier();
            kernel.move(p.gathering(), move, team.begin(p.particles), team.end(p.particles));
            team.barrier();
            if (!run.constraint && run.touches.empty()) continue;
            if (team.member == 0) {
                if (run.constraint) run.constraint->correct(p.x, p.v, run.h);
                stop_touches(run.touches, rows, (n + 1) * run.h, rounds);
                p.follow_positions();
            }
            team.barrier();
        }
    });
    for (int i = 0; i < p.particles; ++i)
        for (int k = 0; k < 3; ++k) {
            x[i][k] = p.x[4L * i + k];
            v[i][k] = p.scale[4L * i + k] > 0 ? p.v[4L * i + k] : p.push[4L * i + k];
        }
}

}  // namespace pliant
