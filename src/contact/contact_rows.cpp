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
void SurfaceContact::Parts::add_ends(const Push& pair, Coupling& row) const {
    row.count = 0;
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) {
        const ContactSurface& s = surfaces_[surface_of(pair.point[k])];
        if (s.system < 0 || pair.coefficient[k] == 0) continue;
        const Point at = s.embedding->point(static_cast<std::size_t>(local(pair.point[k])), s.tets);
        for (int n = 0; n < 4; ++n)
            if (at.weight[n] != 0) add_weight(row, s.system, at.node[n], pair.coefficient[k] * at.weight[n]);
    }
}

/// How far the first feature moves beside the second in the last solution, m.
Vec3 SurfaceContact::Parts::displacement(const Push& pair) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k)
        sum += pair.coefficient[k] * (target_[pair.point[k]] - start_[pair.point[k]]);
    return sum;
}

/// The stiffness of a pair follows what it holds apart: with m the inertia and a the inertia and elasticity that the
/// pair feels, 1/m = Σ c²/mᵢ over its nodes, k step² = κ (m (d̂/d)² + a). Where several pairs share nodes they
/// share the stiffness, so that a fine surface on a coarse mesh is no stiffer than a coarse one.
void SurfaceContact::Parts::assign_stiffness(const ResistanceOf& resistance) {
    const std::size_t all = pushes_.size();
    rows_.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        Push& pair = pushes_[i];
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
        Push& pair = pushes_[i];
        if (!pair.barrier.pushes()) continue;
        double sharers = 1;
        for (int e = 0; e < rows_[i].count; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            sharers = std::max(sharers, add_load(load_, end, 0) / resistance(end.system, end.node).effective);
        }
        const double scale = options.stiffness / (sharers * step_ * step_);
        pair.barrier.elastic *= scale, pair.barrier.inertia *= scale, pair.tangent_stiffness *= scale;
    }
    for (const Coupling& row : rows_)
        for (int e = 0; e < row.count; ++e) add_load(load_now_, row.ends[e], -add_load(load_now_, row.ends[e], 0));
}

std::array<std::int32_t, 4> SurfaceContact::Parts::anchor_key(const Push& pair) const {
    const int a = surfaces_[surface_of(pair.point[0])].owner;
    const int partner =
        pair.kind == Kind::vertex_plane ? planes_[pair.b].owner : surfaces_[surface_of(pair.point[3])].owner;
    if (pair.kind == Kind::edge_edge) return {a, local(pair.point[0]), local(pair.point[1]), partner};
    return {a, local(pair.point[0]), -1, partner};
}

const TangentAnchor* SurfaceContact::Parts::anchor_of(const Push& pair) const {
    const std::array<std::int32_t, 4> key = anchor_key(pair);
    const auto at = std::lower_bound(anchors_.begin(), anchors_.end(), key,
                                     [](const TangentAnchor& a, const auto& k) { return a.key < k; });
    return at != anchors_.end() && at->key == key ? &*at : nullptr;
}

/// Pairs that touched at the end of the last step take up the friction of then. Those of one vertex with one partner
/// share it by how hard they will press: by their gaps.
void SurfaceContact::Parts::recall_friction() {
    std::vector<std::pair<const TangentAnchor*, double>> shares;
    const auto press = [](const Push& n) { return (n.barrier.distance - n.gap) * (n.barrier.distance - n.gap); };
    for (const Push& n : pushes_)
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
    for (Push& n : pushes_) {
        const TangentAnchor* anchor = anchor_of(n);
        n.fresh = !anchor;
        n.memory.setZero();
        if (!anchor) continue;
        const double sum = total(anchor);
        if (sum > 0) n.memory = press(n) / sum * Vec3(anchor->force[0], anchor->force[1], anchor->force[2]);
    }
}

/// The law of a pair, linearised at its gap. The slope is that of the barrier with its stiffness frozen there. The
/// whole slope grows like 1/d³: pairs that carry much would hold on to each other, and pull at their neighbours as soon
/// as these carry some of it.
void SurfaceContact::Parts::linearise(Push& pair) const {
    const double d = pair.barrier.distance;
    pair.gap = std::clamp(pair.gap, options.least * d, d);
    pair.force = pair.barrier.force(pair.gap);
    pair.slope = pair.barrier.frozen_slope(pair.gap);
    if (!pair.solved) pair.load = pair.force;
}

/// Coulomb's law: a spring that sticks up to μ times the normal force and slides beyond. `rub` is what the law says of
/// the last solution. The next one is looked for with a pair that either sticks or slides on with a constant force: it
/// slides if sticking asked for too much, or as long as it goes on in the direction that it slid in.
void SurfaceContact::Parts::set_friction(Push& pair) const {
    const Vec3 slid = pair.along;
    pair.rub.setZero(), pair.tangent.setZero(), pair.along.setZero(), pair.foreseen.setZero();
    pair.sliding = false;
    const double limit = pair.friction * pair.load, k = pair.tangent_stiffness;
    if (!(limit > 0) || !(k > 0)) return;
    const Mat3 plane = Mat3::Identity() - pair.normal * pair.normal.transpose();
    const Vec3 elongation = plane * (pair.moved - pair.memory / k);
    const double length = elongation.norm();
    pair.sliding = k * length > limit;
    const Vec3 along = length > 0 ? Vec3(elongation / length) : Vec3(Vec3::Zero());
    pair.rub = -std::min(limit, k * length) * along;
    // Before the first solution, what counts is the way that it is expected to slide, not what stick was stretched by.
    constexpr double agree = 0.5;
    const bool goes_on = !pair.solved    ? pair.moved.dot(along) > agree * length
                         : slid.isZero() ? true
                                         : slid.dot(along) > agree;
    if (pair.sliding && goes_on) {
        pair.along = along;
        pair.tangent = limit / length * (plane - along * along.transpose());
        pair.foreseen = pair.rub;
    } else {
        pair.tangent = k * plane;
        pair.foreseen = -k * elongation;
    }
}

/// The linearised force in terms of mean velocities of the step. What moves by itself counts with all of its motion.
Coupling SurfaceContact::Parts::row_of(const Push& pair) const {
    Coupling row;
    add_ends(pair, row);
    Vec3 from = Vec3::Zero(), carried = Vec3::Zero();  // the pair without what the unknowns will add
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) {
        const int p = pair.point[k];
        from += pair.coefficient[k] * (given(p) ? target_[p] : start_[p]);
        if (given(p)) carried += pair.coefficient[k] * (target_[p] - start_[p]);
    }
    if (pair.kind == Kind::vertex_plane) from -= planes_[pair.b].point;
    const double force = pair.force - pair.slope * (pair.normal.dot(from) - pair.gap);
    row.S = dt_ * dt_ * (pair.slope * pair.normal * pair.normal.transpose() + pair.tangent);
    row.s = dt_ * (force * pair.normal + pair.foreseen + pair.tangent * (pair.moved - carried));
    return row;
}

/// A force that stays where the motion turns round would drive it, and stick beyond the cone would hold it: where
/// nobody will look at the solution again, friction is a secant of the last one.
void SurfaceContact::Parts::slow_down(Push& pair) const {
    const double k = pair.tangent_stiffness;
    const Vec3 elongation = pair.moved - pair.memory / k;
    const Vec3 across = elongation - pair.normal.dot(elongation) * pair.normal;
    pair.foreseen = pair.rub;
    pair.tangent =
        std::min(k, pair.rub.norm() / across.norm()) * (Mat3::Identity() - pair.normal * pair.normal.transpose());
}

std::span<const Coupling> SurfaceContact::Parts::rows(const ResistanceOf& resistance, bool last) {
    assign_stiffness(resistance);
    std::size_t count = 0;
    for (Push& pair : pushes_) {
        if (!pair.barrier.pushes()) continue;
        linearise(pair);
        if (!pair.solved) set_friction(pair);
        if (last && pair.sliding) slow_down(pair);
        rows_[count++] = row_of(pair);
    }
    rows_.resize(count);
    return rows_;
}

}  // namespace pliant
