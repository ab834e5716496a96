// From pairs that are near to rows of the linear system: how stiff they are, how they push, and how they rub.

#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_parts.hpp"

namespace pliant {

namespace {

void add_weight(Coupling& row, int system, int node, double weight) {
    for (int i = 0; i < row.count; ++i)
        if (row.ends[i].system == system && row.ends[i].node == node) {
            row.ends[i].weight += weight;
            return;
        }
    row.ends[row.count++] = {system, node, weight};
}

/// Adds to the load of a node and gives the sum.
double add_load(std::vector<std::vector<double>>& load, const Coupling::End& end, double add) {
    const auto system = static_cast<std::size_t>(end.system), node = static_cast<std::size_t>(end.node);
    if (load.size() <= system) load.resize(system + 1);
    if (load[system].size() <= node) load[system].resize(node + 1, 0.0);
    return load[system][node] += add;
}

}  // namespace

/// Weights of the first feature sum to 1, those of the second to −1: a row changes nobody's total momentum.
void SurfaceContact::Parts::add_ends(const Near& pair, Coupling& row) const {
    row.count = 0;
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) {
        const ContactSurface& s = surfaces_[surface_of(pair.point[k])];
        if (s.system < 0 || pair.coefficient[k] == 0) continue;
        const Point at = s.embedding->point(static_cast<std::size_t>(local(pair.point[k])), s.tets);
        for (int n = 0; n < 4; ++n)
            if (at.weight[n] != 0) add_weight(row, s.system, at.node[n], pair.coefficient[k] * at.weight[n]);
    }
}

/// How far the first feature has moved beside the second since the start of the step, m.
Vec3 SurfaceContact::Parts::displacement(const Near& pair) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k)
        sum += pair.coefficient[k] * (now_[pair.point[k]] - start_[pair.point[k]]);
    return sum;
}

/// The stiffness of a pair follows what it holds apart: with m the inertia and a the inertia and elasticity that the
/// pair feels, 1/m = Σ c²/mᵢ over its nodes, k dt² = κ (m (1 + (d̂/d)²) + a − m). Where several pairs share nodes they
/// share the stiffness, so that a fine surface on a coarse mesh is no stiffer than a coarse one.
void SurfaceContact::Parts::assign_stiffness(const ResistanceOf& resistance) {
    const std::size_t all = near_.size() + impending_.size();
    const auto pair_at = [&](std::size_t i) -> Near& {
        return i < near_.size() ? near_[i] : impending_[i - near_.size()].pair;
    };
    rows_.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        Near& pair = pair_at(i);
        add_ends(pair, rows_[i]);
        double light = 0, soft = 0;
        for (int e = 0; e < rows_[i].count; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            const NodeResistance r = resistance(end.system, end.node);
            light += end.weight * end.weight / r.mass, soft += end.weight * end.weight / r.effective;
        }
        // Points that hang on the same nodes cannot be pushed apart, nor can those whose motion is given.
        const bool movable = light > 0 && soft > 0 && std::isfinite(1 / light);
        pair.tangent_stiffness = movable ? 1 / soft : 0;
        pair.barrier.inertia = movable ? 1 / light : 0;
        pair.barrier.elastic = pair.tangent_stiffness;
        for (int e = 0; e < rows_[i].count && movable; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            add_load(load_now_, end, end.weight * end.weight / soft);
        }
    }
    // The most of all iterations, so that the last ones solve the same problem.
    for (std::size_t i = 0; i < all; ++i)
        for (int e = 0; e < rows_[i].count; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            const double now = add_load(load_now_, end, 0), most = add_load(load_, end, 0);
            if (now > most) add_load(load_, end, now - most);
        }
    for (std::size_t i = 0; i < all; ++i) {
        Near& pair = pair_at(i);
        if (!pair.barrier.pushes()) continue;
        double sharers = 1;
        for (int e = 0; e < rows_[i].count; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            sharers = std::max(sharers, add_load(load_, end, 0) / resistance(end.system, end.node).effective);
        }
        const double scale = options.stiffness / (sharers * dt_ * dt_);
        pair.barrier.elastic *= scale, pair.barrier.inertia *= scale, pair.tangent_stiffness *= scale;
    }
    for (const Coupling& row : rows_)
        for (int e = 0; e < row.count; ++e) add_load(load_now_, row.ends[e], -add_load(load_now_, row.ends[e], 0));
}

std::array<std::int32_t, 4> SurfaceContact::Parts::anchor_key(const Near& pair) const {
    const int a = surfaces_[surface_of(pair.point[0])].owner;
    const int partner =
        pair.kind == Kind::vertex_plane ? planes_[pair.b].owner : surfaces_[surface_of(pair.point[3])].owner;
    if (pair.kind == Kind::edge_edge) return {a, local(pair.point[0]), local(pair.point[1]), partner};
    return {a, local(pair.point[0]), -1, partner};
}

const TangentAnchor* SurfaceContact::Parts::anchor_of(const Near& pair) const {
    const std::array<std::int32_t, 4> key = anchor_key(pair);
    const auto at = std::lower_bound(anchors_.begin(), anchors_.end(), key,
                                     [](const TangentAnchor& a, const auto& k) { return a.key < k; });
    return at != anchors_.end() && at->key == key ? &*at : nullptr;
}

/// Pairs that touched at the end of the last step take up the friction of then. Those of one vertex with one partner
/// share it by how hard they will press: by their gaps.
void SurfaceContact::Parts::recall_friction() {
    std::vector<std::pair<const TangentAnchor*, double>> shares;
    const auto press = [](const Near& n) { return (n.barrier.distance - n.gap) * (n.barrier.distance - n.gap); };
    for (const Near& n : near_)
        if (const TangentAnchor* anchor = anchor_of(n)) shares.push_back({anchor, press(n)});
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto total = [&](const TangentAnchor* anchor) {
        double sum = 0;
        for (auto at = std::lower_bound(shares.begin(), shares.end(), anchor,
                                        [](const auto&s, const TangentAnchor*a) { return s.first < a; });
             at != shares.end() && at->first == anchor; ++at)
            sum += at->second;
        return sum;
    };
    for (Near& n : near_) {
        const TangentAnchor* anchor = anchor_of(n);
        n.fresh = !anchor;
        n.memory.setZero();
        if (!anchor) continue;
        const double sum = total(anchor);
        if (sum > 0) n.memory = press(n) / sum * Vec3(anchor->force[0], anchor->force[1], anchor->force[2]);
    }
}

/// Coulomb's law as the derivative of a convex potential of the relative displacement: a spring that sticks up to μ
/// times the normal force of the iterate and slides beyond. While it slides along the same direction its force is
/// constant there and stiff across; where the direction has just changed, the secant keeps Newton's method from
/// overshooting.
void SurfaceContact::Parts::set_friction(Near& pair, const Near* before) const {
    pair.rub.setZero(), pair.tangent.setZero();
    pair.sliding = false;
    const double limit = pair.friction * pair.force, k = pair.tangent_stiffness;
    if (!(limit > 0) || !(k > 0)) return;
    const Mat3 plane = Mat3::Identity() - pair.normal * pair.normal.transpose();
    const Vec3 elongation = plane * (pair.moved - pair.memory / k);
    const double length = elongation.norm();
    constexpr double nearly = 0.999;
    if (k * length <= nearly * limit) {
        pair.rub = -k * elongation;
        pair.tangent = k * plane;
        return;
    }
    pair.sliding = true;
    const Vec3 along = elongation / length;
    pair.rub = -std::min(limit, k * length) * along;
    const bool goes_on =
        before ? before->sliding && before->rub.dot(along) < -0.9 * before->rub.norm() : pair.memory.dot(along) < 0;
    pair.tangent = limit / length * (goes_on ? Mat3(plane - along * along.transpose()) : plane);
}

double SurfaceContact::Parts::energy_at(std::span<const std::span<const Vec3>> velocity) const {
    double sum = 0;
    for (const Near& pair : near_) {
        if (!pair.barrier.pushes()) continue;
        FourPoints at;
        Vec3 moved = Vec3::Zero();
        for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) {
            const int p = pair.point[k];
            const ContactSurface& s = surfaces_[surface_of(p)];
            at[k] =
                s.system < 0
                    ? target_[p]
                    : Vec3(start_[p] +
                           dt_ * s.embedding->point(static_cast<std::size_t>(local(p)), s.tets).of(velocity[s.system]));
            moved += pair.coefficient[k] * (at[k] - start_[p]);
        }
        double gap = 0;
        if (pair.kind == Kind::vertex_plane)
            gap = planes_[pair.b].normal.dot(at[0] - planes_[pair.b].point);
        else
            gap = std::sqrt(
                closest(pair.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge, at).distance2);
        gap = std::max(gap, options.least * pair.barrier.distance);
        if (gap < pair.barrier.distance) sum += pair.barrier.energy(gap);
        const double limit = pair.friction * pair.force, k = pair.tangent_stiffness;
        if (!(limit > 0) || !(k > 0)) continue;
        Vec3 along = moved - pair.memory / k;
        along -= pair.normal.dot(along) * pair.normal;
        const double length = along.norm();
        sum += k * length <= limit ? 0.5 * k * length * length : limit * length - 0.5 * limit * limit / k;
    }
    return sum;
}

/// Newton's row: the force of the iterate and its derivative, in terms of mean velocities of the step. What moves by
/// itself counts with all of its motion.
Coupling SurfaceContact::Parts::row_of(const Near& pair) const {
    return row_of(pair, pair.force, pair.slope * pair.normal * pair.normal.transpose() + pair.tangent);
}

Coupling SurfaceContact::Parts::row_of(const Near& pair, double force, const Mat3& stiffness) const {
    Coupling row;
    add_ends(pair, row);
    Vec3 moved = displacement(pair);
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k)
        if (given(pair.point[k])) moved -= pair.coefficient[k] * (target_[pair.point[k]] - start_[pair.point[k]]);
    row.S = dt_ * dt_ * stiffness;
    row.s = dt_ * (force * pair.normal + pair.rub + stiffness * moved);
    return row;
}

std::span<const Coupling> SurfaceContact::Parts::rows(const ResistanceOf& resistance) {
    assign_stiffness(resistance);
    const bool first = stats_.iterations == 0;
    auto old = before_.begin();
    const auto order = [](const Near& n) { return std::array{static_cast<int>(n.kind), n.a, n.b}; };
    std::size_t count = 0;
    for (Near& pair : near_) {
        pair.force = pair.barrier.force(pair.gap);
        pair.slope = pair.barrier.slope(pair.gap);
        pair.moved = displacement(pair);
        const Near* before = nullptr;
        if (!first) {
            while (old != before_.end() && order(*old) < order(pair)) ++old;
            if (old != before_.end() && order(*old) == order(pair)) before = &*old;
            if (before && before->slope > 0) {
                const double asked = before->force - before->slope * (gap_at(*before, target_) - before->gap);
                pair.slope = pair.barrier.chord(pair.gap, std::max(0.0, asked));
            }
            pair.memory = before ? before->memory : Vec3(Vec3::Zero());
            pair.fresh = before ? before->fresh : anchor_of(pair) == nullptr;
        }
        set_friction(pair, before);
        if (pair.barrier.pushes()) rows_[count++] = row_of(pair);
    }
    rows_.resize(count);
    for (Impending& next : impending_) {
        const double k = next.stiffness = next.pair.tangent_stiffness;
        if (!(k > 0)) continue;
        const double force = k * (next.wanted + next.shift - gap_at(next.pair, now_));
        rows_.push_back(row_of(next.pair, force, k * next.pair.normal * next.pair.normal.transpose()));
    }
    return rows_;
}

}  // namespace pliant
