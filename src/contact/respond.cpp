// From contacts to rows: stiffness, who pushes, and how they rub.

#include <algorithm>
#include <cmath>

#include "pliant/contact/scratch.hpp"

namespace pliant {

namespace {

// A pass is worth another solve when a force changes by more than this part of the mean force on the body's contacts,
// or friction by more than this part of its limit.
constexpr double worth_force = 0.02;
constexpr double worth_friction = 0.02;
// A row that pulls, or rubs beyond its cone, by more than this part of that mean force throws the body about.
constexpr double bearable_error = 0.2;
// A vertex may go this much deeper in one step, over the offset, before it is stopped harder.
constexpr double tolerated_dive = 0.25;
// The largest integral offset, over the offset.
constexpr double max_integral_offset = 5;

void add_end(Coupling& row, int system, int node, double weight) {
    for (int i = 0; i < row.count; ++i)
        if (row.ends[i].system == system && row.ends[i].node == node) {
            row.ends[i].weight += weight;
            return;
        }
    row.ends[row.count++] = {system, node, weight};
}

void add_point(Coupling& row, const SurfaceView& view, int system, int vertex, double weight) {
    const Point point = view.point(vertex);
    for (int k = 0; k < 4; ++k)
        if (point.weight[k] != 0) add_end(row, system, point.node[k], weight * point.weight[k]);
}

// The part of v at right angles to a unit vector.
Vec3 across(const Vec3& unit, const Vec3& v) { return v - unit * unit.dot(v); }

Vec3 velocity_of(const Coupling& row, std::span<const std::span<const Vec3>> v) {
    Vec3 u = Vec3::Zero();
    for (int i = 0; i < row.count; ++i) u += row.ends[i].weight * v[row.ends[i].system][row.ends[i].node];
    return u;
}

}  // namespace

// The weights of the vertex sum to 1, those of the other body's point to -1: rows change no one's total momentum.
void ContactSolver::build_ends() {
    const std::vector<SurfaceView>& views = scratch_->views;
    all_rows_.resize(contacts_.size());
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const Contact& c = contacts_[i];
        Coupling& row = all_rows_[i];
        row.count = 0;
        add_point(row, views[c.body], c.body, c.vertex, 1);
        if (c.on_obstacle()) continue;
        const Tri& tri = views[c.partner].triangles[c.triangle];
        for (int k = 0; k < 3; ++k)
            if (c.weight[k] != 0) add_point(row, views[c.partner], c.partner, tri[k], -c.weight[k]);
    }
}

// A point that hangs on nodes of masses mᵢ with weights wᵢ weighs m = 1/Σ(wᵢ²/mᵢ). A row of stiffness κ·m/dt² adds
// κ·m·wᵢ² ≤ κ·mᵢ to the diagonal of node i; where several rows share a node they are made softer until their sum
// stays below κ·mᵢ too, so a fine surface on a coarse mesh is no stiffer than a coarse one.
void ContactSolver::assign_stiffness(const EffectiveMass& mass) {
    auto mass_of = [&](const Coupling::End& end) { return mass(end.system, end.node); };
    load_.resize(std::max(load_.size(), scratch_->views.size()));
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const Coupling& row = all_rows_[i];
        double mobility = 0, free = 0;
        bool held = false;
        for (int e = 0; e < row.count; ++e) {
            const double square = row.ends[e].weight * row.ends[e].weight, weighs = mass_of(row.ends[e]);
            mobility += square / weighs;
            if (std::isfinite(weighs))
                free += square;
            else
                held = true;
        }
        // Points whose motion is given on both sides cannot be pushed, nor can those that hang on the same nodes:
        // what rounding leaves of their weights must not count.
        // Pieces of one body are not pushed by parts of it that hands hold: crumbs between two such would be shot out.
        const bool caught = held && contacts_[i].between_pieces();
        const bool pushes = free > 1e-6 && !caught && !contacts_[i].handled_by_body;
        const double m = pushes && std::isfinite(1 / mobility) ? 1 / mobility : 0;
        contacts_[i].stiffness = m;
        for (int e = 0; e < row.count; ++e) {
            std::vector<double>& load = load_[row.ends[e].system];
            const auto node = static_cast<std::size_t>(row.ends[e].node);
            if (load.size() <= node) load.resize(node + 1, 0.0);
            load[node] += m * row.ends[e].weight * row.ends[e].weight;
        }
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const Coupling& row = all_rows_[i];
        double row_load = 1;
        for (int e = 0; e < row.count; ++e)
            row_load = std::max(row_load, load_[row.ends[e].system][row.ends[e].node] / mass_of(row.ends[e]));
        contacts_[i].stiffness *= options.stiffness / (row_load * dt_ * dt_);
    }
    for (const Coupling& row : all_rows_)
        for (int e = 0; e < row.count; ++e) load_[row.ends[e].system][row.ends[e].node] = 0;
}

// An obstacle that yields takes part in no system; its motion without contact is known beforehand. Each of its n
// contacts is given an nth of its mass m at that point (mass splitting): a row S against a partner of mass m/n that
// moves freely is the row S·m/(n·S + m) against its free motion. However light the obstacle, it is never pushed harder
// than what makes both move alike.
void ContactSolver::soften_for_yielding() {
    const std::vector<Obstacle>& obstacles = scratch_->obstacles;
    sharers_.assign(obstacles.size(), 0);
    for (const Contact& c : contacts_)
        if (c.on_obstacle() && (c.end_separation < 0 || c.force > 0)) ++sharers_[c.obstacle()];
    for (Contact& c : contacts_) {
        if (!c.on_obstacle() || !obstacles[c.obstacle()].mobility || !(c.stiffness > 0)) continue;
        const double mobility = obstacles[c.obstacle()].mobility(c.point, c.normal);
        c.stiffness /= 1 + dt_ * dt_ * c.stiffness * mobility * std::max(1, sharers_[c.obstacle()]);
    }
}

// What the rows of the last solve did: s − S·u on the vertex.
void ContactSolver::collect_returned() {
    returned_.clear();
    std::size_t row = 0;
    for (const Contact& c : contacts_) {
        if (!c.solved || c.handled_by_body) continue;
        const Coupling& r = rows_[row++];
        if (!c.on_obstacle() || !scratch_->obstacles[c.obstacle()].mobility) continue;
        returned_.push_back({c.obstacle(), c.point, r.S * c.velocity - r.s, c.body, c.fresh ? c.approach : 0});
    }
}

// Coulomb's cone as a spring that softens: it holds with the full stiffness up to μ·force, and beyond that with just
// the stiffness that gives μ·force at the elongation it will have. Whatever that guess, such a row only brakes. The
// guess is the present solution; before the first solve, the elongation of the last step and its growth. Returns
// whether the row changed enough to matter.
bool ContactSolver::set_friction(Contact& c) const {
    const Vec3 t = across(c.normal, c.tangent_elongation + dt_ * (c.velocity - c.drift));
    const double now = t.norm(), limit = c.friction * c.force;
    const double length = now + std::clamp(c.length_growth, -0.5 * now, 0.5 * now);
    const double before = c.tangent_stiffness;
    c.sliding = c.stiffness * length > limit;
    c.tangent_stiffness = c.sliding ? limit / length : c.friction > 0 ? c.stiffness : 0;
    return std::abs(c.tangent_stiffness - before) * now > worth_friction * limit;
}

// Forces are judged against the mean of those on the same piece of the same body: a crumb weighs next to nothing beside
// what it broke from.
void ContactSolver::assign_pieces() {
    const std::vector<SurfaceView>& views = scratch_->views;
    int count = 0;
    first_piece_.clear();
    for (const SurfaceView& view : views) {
        first_piece_.push_back(count);
        count += view.piece.empty() ? 1 : 1 + *std::max_element(view.piece.begin(), view.piece.end());
    }
    auto piece = [&](int body, int vertex) {
        return first_piece_[body] + (views[body].piece.empty() ? 0 : views[body].piece[vertex]);
    };
    for (Contact& c : contacts_) {
        c.piece = piece(c.body, c.vertex);
        c.partner_piece = c.on_obstacle() ? -1 : piece(c.partner, views[c.partner].triangles[c.triangle][0]);
    }
    forces_.assign(count, {});
}

void ContactSolver::count_force(const Contact& c) {
    for (int piece : {c.piece, c.partner_piece})
        if (piece >= 0) forces_[piece].sum += c.force, forces_[piece].count += 1;
}

// Of the piece that is pressed less.
double ContactSolver::mean_force(const Contact& c) const {
    const double one = forces_[c.piece].mean();
    return c.partner_piece < 0 ? one : std::min(one, forces_[c.partner_piece].mean());
}

std::span<const Coupling> ContactSolver::rows(const EffectiveMass& mass) {
    if (!stiff_) {
        build_ends();
        assign_stiffness(mass);
        soften_for_yielding();
        stiff_ = true;
        assign_pieces();
        for (const Contact& c : contacts_)
            if (c.force > 0) count_force(c);
        for (Contact& c : contacts_) {
            const bool rested = c.force > 0;
            // Where a vertex arrives just now the spring will not see the whole predicted depth.
            if (!rested) c.force = std::max(0.0, -c.end_separation) * c.stiffness / (1 + options.stiffness);
            c.active = c.stiffness > 0 && c.end_separation < 0 && (rested || c.force > worth_force * mean_force(c));
            set_friction(c);
            // How hard it will press is not known before the first solve, only far too much: without friction till
            // then.
            if (!rested) c.tangent_stiffness = 0;
            c.length_growth = 0;
        }
    }
    rows_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        Contact& c = contacts_[i];
        if (final && final(c.body)) {
            if (c.solved) rows_.push_back(all_rows_[i]);
            continue;
        }
        c.solved = c.active;
        if (!c.active) continue;
        Coupling& row = all_rows_[i];
        const Mat3 along = c.normal * c.normal.transpose();
        row.S = dt_ * dt_ * (c.stiffness * along + c.tangent_stiffness * (Mat3::Identity() - along));
        row.s = -dt_ * (c.stiffness * (c.base_separation - c.augmented_depth) * c.normal +
                        c.tangent_stiffness * across(c.normal, c.tangent_elongation - dt_ * c.drift));
        rows_.push_back(row);
    }
    return rows_;
}

ContactWork ContactSolver::work() const {
    ContactWork sum;
    std::size_t at = 0;
    for (const Contact& c : contacts_) {
        if (!c.solved || c.handled_by_body) continue;
        const Coupling& row = rows_[at++];
        const Vec3 impulse = row.s - row.S * c.velocity;
        const double along = c.normal.dot(impulse), speed = c.normal.dot(c.velocity);
        sum.normal += along * speed;
        sum.friction += impulse.dot(c.velocity) - along * speed;
    }
    return sum;
}

bool ContactSolver::update(std::span<const std::span<const Vec3>> node_velocities) {
    for (PieceForce& piece : forces_) piece = {};
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        Contact& c = contacts_[i];
        if (!(c.stiffness > 0)) continue;
        c.velocity = velocity_of(all_rows_[i], node_velocities);
        c.end_separation = c.base_separation + dt_ * c.normal.dot(c.velocity);
        c.force = std::max(0.0, c.augmented_depth - c.end_separation) * c.stiffness;
        if (c.solved)
            count_force(c);
        else
            c.force /= 1 + options.stiffness;
    }
    bool changed = false;
    unconverged_ = false;
    for (Contact& c : contacts_) {
        if (!(c.stiffness > 0) || (final && final(c.body))) continue;
        const double small = worth_force * mean_force(c);
        // Contacts let go as soon as they pull, but take hold only when there is something to hold: no chatter.
        c.active = c.solved ? c.force > 0 : c.force > small;
        const double pull = std::max(0.0, c.end_separation - c.augmented_depth) * c.stiffness;
        if (c.active != c.solved && (!c.solved || pull > small)) changed = true;
        const double rub =
            c.tangent_stiffness * across(c.normal, c.tangent_elongation + dt_ * (c.velocity - c.drift)).norm();
        const double wrong = std::max(pull, rub - c.friction * c.force);
        if (c.solved && wrong > bearable_error * mean_force(c)) unconverged_ = true;
        // A spring alone would let a fast vertex in by speed·dt/κ: through a thin plate. What it let in is asked for
        // again in the next pass (the multiplier of an augmented Lagrangian, for this step only); at rest nothing
        // dives.
        const double dive = std::min(c.base_separation - c.motion, 0.0) - c.end_separation;
        const bool yields = c.on_obstacle() && scratch_->obstacles[c.obstacle()].mobility;
        const bool dives = c.solved && !yields && dive > tolerated_dive * c.offset;
        // Too large a multiplier is reduced again: no vertex is held above the surface.
        const bool hovers =
            c.solved && c.force > 0 && c.augmented_depth > 0 && c.end_separation > tolerated_dive * c.offset;
        if (set_friction(c) && c.active) changed = true;
        if (!dives && !hovers) continue;
        c.augmented_depth = dives ? c.augmented_depth + dive : std::max(0.0, c.augmented_depth - c.end_separation);
        changed = true;
        if (hovers && c.end_separation > c.offset) unconverged_ = true;
    }
    return changed;
}

void ContactSolver::finish_excluded(int i, double impulse, const Vec3& velocity) {
    Contact& c = contacts_[i];
    c.solved = true;
    c.force = impulse / dt_;
    c.velocity = velocity;
}

void ContactSolver::finish() {
    collect_returned();
    stats_ = {};
    stats_.candidates = static_cast<int>(contacts_.size());
    anchors_.clear();
    by_partner_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        Contact& c = contacts_[i];
        const double depth = -(c.distance + c.motion + dt_ * c.normal.dot(c.velocity));
        stats_.max_depth = std::max(stats_.max_depth, depth);
        if (c.solved && !(c.force > 0)) ++stats_.pulling;
        if (!c.solved || !(c.force > 0)) {
            c.force = 0;
            continue;
        }
        ++stats_.touching;
        if (c.sliding) ++stats_.sliding;
        Vec3 elongation =
            c.handled_by_body ? Vec3::Zero() : across(c.normal, c.tangent_elongation + dt_ * (c.velocity - c.drift));
        const double limit = c.friction * c.force / c.stiffness, trial = elongation.norm();
        if (trial > limit) elongation *= limit / trial;
        // The integral part of the control: under its load a spring alone would let the vertex rest inside.
        if (!c.fresh && !c.handled_by_body)
            c.integral_offset = std::clamp(
                c.integral_offset + options.offset_gain * (depth + (c.between_pieces() ? 0 : 0.5 * c.offset)),
                std::min(c.integral_offset, 0.0), max_integral_offset * c.offset);
        anchors_.push_back({c.body,
                            c.vertex,
                            c.partner,
                            c.slot,
                            {elongation[0], elongation[1], elongation[2]},
                            c.force,
                            depth,
                            trial,
                            c.trial_length > 0 ? trial - c.trial_length : 0.0,
                            c.integral_offset});
        const bool turned = !c.on_obstacle() && c.partner < c.body;
        const int first = turned ? c.partner : c.body, second = turned ? c.body : c.partner;
        const std::uint64_t key =
            (static_cast<std::uint64_t>(first) << 32) | (static_cast<std::uint32_t>(second) ^ 0x80000000u);
        by_partner_.push_back({key, static_cast<int>(i)});
    }
    std::sort(by_partner_.begin(), by_partner_.end());
    impulses_.clear();
    std::uint64_t open = ~std::uint64_t{0};
    for (const auto& [key, index] : by_partner_) {
        const Contact& c = contacts_[index];
        const bool turned = !c.on_obstacle() && c.partner < c.body;
        if (key != open) {
            open = key;
            ContactImpulse pair{};
            pair.body = turned ? c.partner : c.body;
            pair.partner = turned ? c.body : c.partner;
            pair.position.setZero(), pair.normal.setZero();
            impulses_.push_back(pair);
        }
        ContactImpulse& pair = impulses_.back();
        const double j = c.force * dt_;
        pair.impulse += j;
        pair.position += j * c.point;
        pair.normal += (turned ? -j : j) * c.normal;
        ++pair.contacts;
        if (!c.fresh) continue;
        pair.fresh += j;
        pair.speed = std::max(pair.speed, c.approach);
    }
    for (ContactImpulse& pair : impulses_) {
        if (pair.impulse > 0) pair.position /= pair.impulse;
        pair.normal = pair.normal.stableNormalized();
    }
}

}  // namespace pliant
