// Who acts on whom and with what numbers, in the layouts of force_kernels.hpp.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/particle/particle_parts.hpp"

namespace pliant {

namespace {

// 0 … n − 1 in the order in which a plane meets them that moves along the body's longest side. Elements, corners and
// particles in this order use what others have just used, whatever order a mesh comes in.
template <class Place>
std::vector<int> swept(std::span<const Vec3> rest, std::size_t n, Place&& place) {
    Box box;
    for (const Vec3& p : rest) box.add(p);
    int axis = 0;
    (box.max - box.min).maxCoeff(&axis);
    std::vector<double> key(n);
    for (std::size_t i = 0; i < n; ++i) key[i] = place(i)[axis];
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
    return order;
}

}  // namespace

void ParticleForces::Parts::set_gathering(std::span<const Vec3> rest, std::span<const int> acts_on,
                                          std::span<const int> rows) {
    std::vector<unsigned> count(particles, 0);
    for (int i : acts_on) ++count[i];
    gather_order = swept(rest, rest.size(), [&](std::size_t i) { return rest[i]; });
    constexpr int window = 32;  // so that particles which lie close to each other stay close
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
void ParticleForces::Parts::set_pair_gathering(std::span<const Vec3> rest,
                                               const std::vector<std::array<int, 2>>& pairs) {
    std::vector<int> acts_on, rows;
    for (std::size_t e = 0; e < pairs.size(); ++e)
        for (int side = 0; side < 2; ++side) {
            acts_on.push_back(pairs[e][side]);
            rows.push_back(static_cast<int>(16 * (e / 8) + 8 * side + element_row(e % 8)));
        }
    set_gathering(rest, acts_on, rows);
}

void ParticleForces::Parts::set_springs(const ParticleStructure& s) {
    element = swept(s.rest, s.edges.size(),
                    [&](std::size_t e) -> Vec3 { return s.rest[s.edges[e][0]] + s.rest[s.edges[e][1]]; });
    groups = static_cast<int>((element.size() + 7) / 8);
    pair.resize(16 * std::size_t(groups)), constant_float.assign(16 * std::size_t(groups), 0);
    std::vector<std::array<int, 2>> pairs;
    for (int e : element) pairs.push_back(s.edges[e]);
    for (int lane = 0; lane < 8 * groups; ++lane)
        for (int i = 0; i < 2; ++i) pair[16L * (lane / 8) + lane % 8 + 8 * i] = 4 * s.edges[element_of(lane)][i];
    force.assign(64 * std::size_t(groups), 0);
    set_pair_gathering(s.rest, pairs);
}

void ParticleForces::Parts::set_spring_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const std::vector<double> k =
        options.stiffness > 0 ? std::vector<double>(s.edges.size(), options.stiffness) : spring_constants(s, material);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const int e = element_of(lane);
        const double length = (s.rest[s.edges[e][0]] - s.rest[s.edges[e][1]]).norm();
        float* at = constant_float.data() + 16L * (lane / 8) + lane % 8;
        at[0] = static_cast<float>(1 / length);
        at[8] = is_filler(lane) ? 0 : static_cast<float>(k[e] * length);
    }
}

namespace {

double extent(std::span<const Vec3> points) {
    Box box;
    for (const Vec3& p : points) box.add(p);
    return box.diagonal();
}

}  // namespace

void ParticleForces::Parts::add_corner(const Tet& tet, const Vec4& weights) {
    std::array<int, 4> heaviest{0, 1, 2, 3};
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [&](int a, int b) { return std::abs(weights[a]) > std::abs(weights[b]); });
    for (int k : heaviest) corner_node.push_back(4 * tet[k]), corner_weight.push_back(static_cast<float>(weights[k]));
}

void ParticleForces::Parts::set_faces(const ParticleStructure& s) {
    // Faces between particles, those with many corners first so that groups are even.
    for (int f : swept(s.rest, s.faces.size(), [&](std::size_t i) { return s.faces[i].centre; }))
        if (s.faces[f].b >= 0 && s.faces[f].area.norm() > 0) element.push_back(f);
    if (element.empty())
        throw UserError("cmpm1 needs the Voronoi cells of the particles, and the body has none", {},
                        "Use model = \"cmpm2\" or \"cmpm3\", or a structure with cells");
    // Within windows, so that particles which lie close in memory stay close.
    constexpr std::size_t window = 128;
    const auto count = [&](int f) { return s.polygon_begin[f + 1] - s.polygon_begin[f]; };
    for (std::size_t begin = 0; begin < element.size(); begin += window)
        std::stable_sort(element.begin() + static_cast<long>(begin),
                         element.begin() + static_cast<long>(std::min(element.size(), begin + window)),
                         [&](int a, int b) { return count(a) > count(b); });

    // Corners that several faces share are moved once. They are the same where they lie at the same place at rest: what
    // moves with the tets is continuous. A hair's difference that rounding puts on two sides only costs time.
    const double hair = 1e-9 * extent(s.rest);
    using Place = std::array<std::int64_t, 3>;
    std::vector<std::pair<Place, int>> order;
    for (int f : element)
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
    // Numbers in the order in which the faces use them, those that hang on two particles first, then on three. Less
    // than a float of their place can tell is nothing.
    const auto hangs_on = [&](int c) {
        int particles_of = 0;
        for (int k = 0; k < 4; ++k) particles_of += std::abs(s.polygon[c].weight[k]) > 1e-8;
        return std::max(2, particles_of);
    };
    std::vector<int> place(s.polygon.size(), -1);
    for (int hang : {2, 3, 4}) {
        for (int f : element)
            for (int c = s.polygon_begin[f]; c < s.polygon_begin[f + 1]; ++c) {
                const int of = alike[c];
                if (place[of] >= 0 || hangs_on(of) != hang) continue;
                place[of] = corners++;
                add_corner(s.tets[s.polygon[of].tet], s.polygon[of].weight);
            }
        if (corners % 2 == 1) ++corners, add_corner(s.tets[0], Vec4::Zero());
        if (hang == 2) corner_pairs_of_two = corners / 2;
        if (hang == 3) corner_pairs_of_three = corners / 2;
    }
    for (std::size_t c = 0; c < place.size(); ++c)
        if (alike[c] >= 0) place[c] = place[alike[c]];
    corner.assign(4 * std::size_t(corners), 0), near.assign(4 * s.size(), 0);

    groups = static_cast<int>((element.size() + 7) / 8);
    pair.resize(16 * std::size_t(groups)), constant_float.assign(32 * std::size_t(groups), 0);
    slot_begin.assign(1, 0);
    std::vector<std::array<int, 2>> pairs;
    for (int g = 0; g < groups; ++g) {
        int longest = 0;
        for (int lane = 0; lane < 8; ++lane) longest = std::max(longest, count(element_of(8 * g + lane)));
        const int begin = slot_begin.back();
        slot_begin.push_back(begin + longest);
        column.resize(8 * std::size_t(slot_begin.back()));
        for (int lane = 0; lane < 8; ++lane) {
            const int f = element_of(8 * g + lane);
            const VoronoiFace& face = s.faces[f];
            const int first = s.polygon_begin[f];
            for (int k = 0; k < longest; ++k)
                column[8L * (begin + k) + lane] = 4 * place[k < count(f) ? first + k : first];
            pair[16L * g + lane] = 4 * face.a, pair[16L * g + 8 + lane] = 4 * face.b;
            if (!is_filler(8 * g + lane)) pairs.push_back({face.a, face.b});
        }
    }
    force.assign(64 * std::size_t(groups), 0);
    set_pair_gathering(s.rest, pairs);
}

void ParticleForces::Parts::set_face_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const std::vector<ParticleMaterial> local = particle_materials(s, material);
    for (int lane = 0; lane < 8 * groups; ++lane) {
        const VoronoiFace& face = s.faces[element_of(lane)];
        const double area = face.area.norm(), filled = is_filler(lane) ? 0 : area;
        float* at = constant_float.data() + 32L * (lane / 8) + lane % 8;
        at[0] = static_cast<float>(1 / (s.rest[face.b] - s.rest[face.a]).norm());
        at[8] = static_cast<float>(0.5 / area);
        at[16] = static_cast<float>(filled * 0.5 * (local[face.a].young + local[face.b].young));
        at[24] = static_cast<float>(filled * 0.5 * (local[face.a].shear + local[face.b].shear));
    }
}

namespace {

struct RestTet {
    Mat3 inverse;  ///< of the matrix of its three edges from corner 0, 1/m
    double volume;
};

RestTet rest_tet(const ParticleStructure& s, int t) {
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
    element = swept(s.rest, s.tets.size(), [&](std::size_t t) -> Vec3 {
        const Tet& of = s.tets[t];
        return s.rest[of[0]] + s.rest[of[1]] + s.rest[of[2]] + s.rest[of[3]];
    });
    groups = static_cast<int>((element.size() + 7) / 8);
    const std::size_t lanes = 8 * std::size_t(groups);
    force.assign(16 * lanes, 0);
    if (!third) row.resize(4 * lanes), constant_float.assign(16 * lanes, 0), weight.assign(7 * lanes, 0);
    if (third) {
        node.resize(4 * lanes), gradient.resize(9 * lanes), constant.assign(6 * lanes, 0);
        rotation.assign(4 * lanes, 0), dilation.assign(lanes, 0);
        pressure.assign(s.size(), 0);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const int t = element_of(lane);
        const Tet& tet = s.tets[t];
        const RestTet rest = rest_tet(s, t);
        const std::size_t g = lane / 8, l = lane % 8;
        for (int k = 0; k < 4; ++k) (third ? node : row)[32 * g + 8 * k + l] = third ? tet[k] : 4 * tet[k];
        if (!third) continue;
        for (int k = 0; k < 9; ++k) gradient[72 * g + 8 * k + l] = rest.inverse(k / 3, k % 3);
        rotation[32 * g + l] = 1;
    }

    std::vector<int> acts_on, rows;
    for (std::size_t at = 0; at < element.size(); ++at)
        for (int k = 0; k < 4; ++k) {
            acts_on.push_back(s.tets[element[at]][k]);
            const int lane = static_cast<int>(at % 8);
            rows.push_back(static_cast<int>(32 * (at / 8) + 8 * k) + (third ? lane : element_row(lane)));
        }
    set_gathering(s.rest, acts_on, rows);
    if (!third) return;
    for (int entry : gather_entry) tets.push_back(8 * (entry / 128) + entry / 4 % 8);
}

void ParticleForces::Parts::set_model2_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    const bool unit = options.normal == DeformedNormal::unit;
    for (std::size_t lane = 0; lane < 8 * std::size_t(groups); ++lane) {
        const int t = element_of(lane);
        const double young = is_filler(lane) ? 0 : material[t].young;
        const double shear = is_filler(lane) ? 0 : material[t].shear;
        const auto [inverse, volume] = rest_tet(s, t);
        Vec3 of[4];
        for (int k = 0; k < 3; ++k) of[k + 1] = inverse.row(k).transpose();
        of[0] = -(of[1] + of[2] + of[3]);
        float* at = constant_float.data() + 128 * (lane / 8) + lane % 8;
        auto put = [&](double value) { *std::exchange(at, at + 8) = static_cast<float>(value); };
        put(young / 24), put((young - shear) / 24 / (6 * volume));
        for (const auto& e : tet_edge) put(1 / (36 * volume * volume * (of[e[1]] - of[e[0]]).squaredNorm()));
        for (int i = 1; i < 4; ++i)
            for (int k = i; k < 4; ++k) put((unit ? 1 : shear * volume) * of[i].dot(of[k]));
        put(shear * volume / 4), put(36 * volume * volume);
        at = weight.data() + 56 * (lane / 8) + lane % 8;
        for (const auto& [i, j] : tet_edge)
            put(volume / 8 * (of[j] - of[i]).norm() * (s.rest[s.tets[t][j]] - s.rest[s.tets[t][i]]).norm());
        put(1 / (6 * volume));
    }
}

void ParticleForces::Parts::set_model3_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    for (std::size_t lane = 0; lane < 8 * std::size_t(groups); ++lane) {
        const int t = element_of(lane);
        const ParticleMaterial& m = material[t];
        const double volume = rest_tet(s, t).volume;
        const bool fibres = m.fibre_young > 0 && m.fibre.norm() > 0;
        const Vec3 fibre = fibres ? m.fibre.normalized() : Vec3::UnitX();
        double* at = constant.data() + 48 * (lane / 8) + lane % 8;
        const double filled = is_filler(lane) ? 0 : volume;
        at[0] = 2 * effective_moduli(ParticleModel::cmpm3, m).mu * filled, at[8] = volume;
        at[16] = fibres ? m.fibre_young * filled : 0;
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

}  // namespace pliant
