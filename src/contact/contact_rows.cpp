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

/// Asked for once per node and step.
const NodeResistance& SurfaceContact::Parts::resistance_of(const ResistanceOf& resistance, const Coupling::End& end) {
    const auto system = static_cast<std::size_t>(end.system), node = static_cast<std::size_t>(end.node);
    if (resistance_.size() <= system) resistance_.resize(system + 1);
    if (resistance_[system].size() <= node) resistance_[system].resize(node + 1);
    NodeResistance& known = resistance_[system][node];
    if (known.mass == 0) known = resistance(end.system, end.node);
    return known;
}

/// The stiffness of a pair follows what it holds apart: with a the inertia and elasticity that it feels, 1/a = Σ c²/aᵢ
/// over its nodes, k step² = κ a. Where several pairs share nodes they share the stiffness, so that a fine surface on a
/// coarse mesh is no stiffer than a coarse one.
void SurfaceContact::Parts::assign_stiffness(const ResistanceOf& resistance) {
    const std::size_t all = pushes_.size();
    rows_.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        Push& pair = pushes_[i];
        add_ends(pair, rows_[i]);
        double light = 0, soft = 0;
        for (int e = 0; e < rows_[i].count; ++e) {
            const Coupling::End& end = rows_[i].ends[e];
            const NodeResistance& r = resistance_of(resistance, end);
            light += end.weight * end.weight / r.mass, soft += end.weight * end.weight / r.effective;
        }
        // Points that hang on the same nodes cannot be pushed apart, nor can those whose motion is given.
        const bool movable = !pair.away && light > 0 && soft > 0 && std::isfinite(1 / light);
        pair.inertia = movable ? 1 / light : 0;
        pair.barrier.stiffness = movable ? 1 / soft : 0;
        const bool bears = pair.borne > 0 || pair.load > 0 || pair.impact;
        for (int e = 0; e < rows_[i].count && movable && bears; ++e) {
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
            sharers = std::max(sharers, add_load(load_, end, 0) / resistance_of(resistance, end).effective);
        }
        const double scale = options.stiffness / (sharers * step_ * step_);
        pair.inertia /= sharers;
        // Stick yields by a small part of the distance at most before it slides.
        constexpr double yields = 0.02;
        pair.tangent_stiffness = std::max(options.stiffness * pair.inertia / (step_ * step_),
                                          pair.friction * pair.borne / (yields * pair.barrier.distance));
        // More than that solves in single precision cannot tell from rigid; loads that ask for it come from solutions
        // that do not hold.
        constexpr double stiffest = 1e6;
        const double least = std::max(pair.least_stiffness, spare * stiffness_to_bear(pair, pair.borne)),
                     usual = scale * pair.barrier.stiffness;
        pair.barrier.stiffness = std::clamp(least, usual, stiffest * usual);
    }
    for (const Coupling& row : rows_)
        for (int e = 0; e < row.count; ++e) add_load(load_now_, row.ends[e], -add_load(load_now_, row.ends[e], 0));
}

std::array<std::int32_t, 5> SurfaceContact::Parts::key_of(const Push& pair) const {
    const int a = surfaces_[surface_of(pair.point[0])].owner;
    const int second = pair.kind == Kind::edge_edge ? local(pair.point[1]) : -1;
    if (pair.kind == Kind::vertex_plane) return {a, local(pair.point[0]), second, planes_[pair.b].owner, 0};
    const int k = surface_of(pair.point[3]);
    // Edges are named by their first point as well as any: what matters is that the name stays while the meshes do.
    const int feature = pair.kind == Kind::edge_edge ? pair.b : pair.b - search_.first_face(k);
    return {a, local(pair.point[0]), second, surfaces_[k].owner, feature};
}

namespace {

bool same_touch(const std::array<std::int32_t, 5>& a, const std::array<std::int32_t, 5>& b) {
    return std::equal(a.begin(), a.begin() + 4, b.begin());
}

}  // namespace

/// The same vertex, or edge, touched the same partner at the end of the last step.
bool SurfaceContact::Parts::remembered(const Push& pair) const {
    std::array<std::int32_t, 5> key = key_of(pair);
    key[4] = 0;
    const auto at = std::lower_bound(memory_.begin(), memory_.end(), key,
                                     [](const PairMemory& m, const auto& k) { return m.key < k; });
    return at != memory_.end() && same_touch(at->key, key);
}

/// Pairs that touched at the end of the last step go on with what they bore then. What pairs bore that are no more goes
/// to others of the same vertex, or edge, with the same partner: to those that come new, or else to all.
void SurfaceContact::Parts::recall() {
    by_key_.clear();
    for (std::size_t i = 0; i < pushes_.size(); ++i) {
        by_key_.push_back({key_of(pushes_[i]), static_cast<int>(i)});
        Push& pair = pushes_[i];
        pair.borne = 0, pair.memory.setZero(), pair.fresh = true;
    }
    std::sort(by_key_.begin(), by_key_.end());
    auto m = memory_.begin();
    for (std::size_t begin = 0, end; begin < by_key_.size(); begin = end) {
        const std::array<std::int32_t, 5> key = by_key_[begin].first;
        for (end = begin; end < by_key_.size() && same_touch(by_key_[end].first, key);) ++end;
        while (m != memory_.end() && m->key < key && !same_touch(m->key, key)) ++m;
        double load = 0;
        Vec3 friction = Vec3::Zero();
        std::size_t next = begin, known = 0;
        for (; m != memory_.end() && same_touch(m->key, key); ++m) {
            const Vec3 rubbed(m->friction[0], m->friction[1], m->friction[2]);
            while (next < end && by_key_[next].first < m->key) ++next;
            if (next < end && by_key_[next].first == m->key) {
                Push& pair = pushes_[by_key_[next].second];
                pair.borne = m->load, pair.memory = rubbed, pair.fresh = false, ++known;
            } else {
                load += m->load, friction += rubbed;
            }
        }
        if (!(load > 0)) continue;
        const bool all = known == end - begin;
        const double share = 1.0 / static_cast<double>(all ? known : end - begin - known);
        for (std::size_t i = begin; i < end; ++i) {
            Push& pair = pushes_[by_key_[i].second];
            if (all || pair.fresh) pair.borne += share * load, pair.memory += share * friction;
        }
        for (std::size_t i = begin; i < end; ++i) pushes_[by_key_[i].second].fresh = false;
    }
}

/// How near a pair may come before it pushes: where its load is that of before.
void SurfaceContact::Parts::set_reach(Push& pair) const {
    Barrier& law = pair.barrier;
    law.reach = std::min(law.distance, pair.start + law.closed_under(pair.borne));
}

/// With which a load closes the part of the reach that is bearable, N/m. The reach follows from the stiffness:
/// r = min(d̂, start + √borne c), and a load closes √load c, both with c² = d̂ / 2k.
double SurfaceContact::Parts::stiffness_to_bear(const Push& pair, double load) const {
    if (!(load > 0)) return 0;
    const double distance = pair.barrier.distance, rest = std::sqrt(load) - bearable * std::sqrt(pair.borne);
    double c = bearable * distance / std::sqrt(load);
    if (rest > 0) c = std::min(c, bearable * pair.start / rest);
    return distance / (2 * c * c);
}

/// The law of a pair, linearised where the next solution is expected: at its gap, or where something is met whose load
/// is not known, at the gap that stops what the pair holds apart.
void SurfaceContact::Parts::linearise(Push& pair) const {
    const Barrier& law = pair.barrier;
    set_reach(pair);
    if (pair.impact) {
        const double load = std::max(pair.load, pair.inertia * law.closed(pair.reached) / (dt_ * dt_));
        pair.gap = law.reach - std::min(law.closed_under(load), bearable * law.reach);
        pair.impact = false;
    }
    pair.force = law.force(pair.gap), pair.slope = law.slope(pair.gap);
    if (pair.approach > 0) {  // a chord to where it would be stopped: the law has hardly a slope where it sets in
        const double more = pair.inertia * pair.approach / (dt_ * dt_);
        pair.slope = std::max(pair.slope, more / (law.closed_under(pair.force + more) - law.closed(pair.gap)));
        pair.approach = 0;
    }
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

/// Friction of a pair that has moved so far, as Coulomb's law has it under the load of the last solution, N.
Vec3 SurfaceContact::Parts::rub_at(const Push& pair, const Vec3& moved) const {
    const double limit = pair.friction * pair.load, k = pair.tangent_stiffness;
    if (!(limit > 0) || !(k > 0)) return Vec3::Zero();
    const Vec3 stretched = moved - pair.memory / k, across = stretched - pair.normal.dot(stretched) * pair.normal;
    const double force = k * across.norm();
    return force > limit ? Vec3(-k * limit / force * across) : Vec3(-k * across);
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
        if (pair.slope > 0) rows_[count++] = row_of(pair);
    }
    rows_.resize(count);
    return rows_;
}

}  // namespace pliant
