// Which features meet on the way to a solution, how far parts may go, and what a step leaves behind. Rows are in
// contact_rows.cpp.

#include "pliant/contact/contact_parts.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/collision/continuous.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr std::size_t pair_chunk = 2048;
/// So many axes of detection prove the way of features that keep apart by more than a thousandth of it.
constexpr int most_axes = 1024;
/// A pair that did not push and ends a step with less than this part of the contact distance pushes from then on.
constexpr double hardly_near = 0.5;
/// Forces that the law of pairs does not have at the gaps of a solution, as a part of all that push.
constexpr double worth = 0.02;
/// The same of friction beyond Coulomb's cone: it would hold what slides.
constexpr double beyond_cone = 0.01;

}  // namespace

void SurfaceContact::Parts::reset() {
    search_ = {};
    meshed_.clear();
    memory_.clear(), forces_.clear(), pushes_.clear(), candidates_.clear();
    within_ = {}, between_ = {};
}

void SurfaceContact::Parts::renumber(int owner, std::span<const int> vertex) {
    const auto follow = [&](std::int32_t& v) {
        v = v < static_cast<std::int32_t>(vertex.size()) ? vertex[static_cast<std::size_t>(v)] : -1;
        return v >= 0;
    };
    std::erase_if(memory_, [&](PairMemory& a) {
        if (a.key[0] != owner) return false;
        return !follow(a.key[1]) || (a.key[2] >= 0 && !follow(a.key[2]));
    });
    std::sort(memory_.begin(), memory_.end(), [](const PairMemory& a, const PairMemory& b) { return a.key < b.key; });
}

// --- the surfaces of the step ---------------------------------------------------------------------------------------

void SurfaceContact::Parts::gather(Threads& threads) {
    std::size_t points = 0;
    first_point_.clear();
    for (const ContactSurface& s : surfaces_)
        first_point_.push_back(static_cast<int>(points)), points += s.points.size();
    for (auto* array : {&start_, &target_, &rest_}) array->resize(points);
    part_.resize(points);
    first_part_.assign(1, 0);
    surface_of_system_.clear();
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        const int first = first_point_[k];
        const bool stays = s.system < 0 && s.end.empty();
        int parts = stays ? 0 : 1;
        for (int part : s.part) parts = std::max(parts, part + 1);
        if (s.system >= 0) {
            if (surface_of_system_.size() <= static_cast<std::size_t>(s.system))
                surface_of_system_.resize(static_cast<std::size_t>(s.system) + 1, -1);
            surface_of_system_[static_cast<std::size_t>(s.system)] = static_cast<int>(k);
        }
        parallel_for(threads, s.points.size(), 4096, [&](std::size_t i, std::size_t last) {
            for (; i < last; ++i) {
                const std::size_t p = static_cast<std::size_t>(first) + i;
                start_[p] = s.points[i];
                rest_[p] = s.rest.empty() ? Vec3(Vec3::Zero()) : s.rest[i];
                const int own = s.part.empty() || s.system < 0 ? 0 : s.part[s.embedding->point(i, s.tets).node[0]];
                part_[p] = stays ? -1 : first_part_.back() + own;
            }
        });
        first_part_.push_back(first_part_.back() + parts);
    }
    prepare_search(threads);
}

/// Patches and trees are made anew when a surface was edited or fell into other pieces.
void SurfaceContact::Parts::prepare_search(Threads& threads) {
    meshed_now_.clear();
    for (const ContactSurface& s : surfaces_) meshed_now_.push_back({s.revision, s.points.size(), s.triangles.size()});
    if (!search_.empty() && meshed_now_ == meshed_ && search_.parts() == part_) return;
    std::vector<std::span<const Tri>> triangles;
    std::vector<int> counts;
    std::vector<SearchedSurface> searched;
    for (const ContactSurface& s : surfaces_) {
        triangles.push_back(s.triangles), counts.push_back(static_cast<int>(s.points.size()));
        searched.push_back({s.system >= 0 || !s.end.empty(), s.system >= 0 && !s.rest.empty(), s.triangles.size(),
                            2 * options.least * s.distance});
    }
    std::vector<Vec3> shape = rest_;
    for (std::size_t k = 0; k < surfaces_.size(); ++k)
        if (surfaces_[k].rest.empty())
            std::copy(surfaces_[k].points.begin(), surfaces_[k].points.end(), shape.begin() + first_point_[k]);
    search_ = ContactSearch(make_feature_mesh(triangles, counts), std::move(searched), shape, part_, threads);
    meshed_ = meshed_now_;
    within_ = {}, between_ = {};
}

void SurfaceContact::Parts::begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes,
                                  double dt, double step, Threads& threads) {
    CHECK(dt > 0, dt);
    dt_ = dt, step_ = step;
    surfaces_.assign(surfaces.begin(), surfaces.end());
    planes_.assign(planes.begin(), planes.end());
    gather(threads);
    target_ = start_;
    for (std::size_t k = 0; k < surfaces_.size(); ++k)
        if (!surfaces_[k].end.empty())
            std::copy(surfaces_[k].end.begin(), surfaces_[k].end.end(), target_.begin() + first_point_[k]);
    stats_ = {};
    part_share_.assign(static_cast<std::size_t>(first_part_.back()), 1);
    links_.clear();
    for (auto& load : load_) std::fill(load.begin(), load.end(), 0.0);
    for (auto& nodes : resistance_) std::fill(nodes.begin(), nodes.end(), NodeResistance{});
    pushes_.clear();
    list_near(threads);
    for (const Candidate& c : candidates_) {
        const Nearest at = nearest(c, start_);
        if (!(at.gap < c.distance)) continue;
        if (c.kind != Kind::vertex_plane && touching(at.gap, c.distance)) {
            const int a = surface_of(c.point[0]), b = surface_of(c.point[3]);
            if (a != b && stats_.touched_before == std::array{0, 0})
                stats_.touched_before = {surfaces_[a].owner, surfaces_[b].owner};
            continue;
        }
        pushes_.push_back(push_of(c, at));
        pushes_.back().moved = expected_displacement(pushes_.back());
    }
    link_systems();
    recall();
    for (Push& pair : pushes_) pair.gap = pair.start;
}

/// How far the first feature would move beside the second if everything went on as it goes, m.
Vec3 SurfaceContact::Parts::expected_displacement(const Push& pair) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) {
        const int p = pair.point[k];
        sum += pair.coefficient[k] *
               (given(p) ? Vec3(target_[p] - start_[p]) : Vec3(dt_ * surfaces_[surface_of(p)].velocities[local(p)]));
    }
    return sum;
}

/// Systems that push each other are solved together.
void SurfaceContact::Parts::link_systems() {
    for (const Push& pair : pushes_) {
        if (pair.kind == Kind::vertex_plane) continue;
        const int a = surfaces_[surface_of(pair.point[0])].system, b = surfaces_[surface_of(pair.point[3])].system;
        if (a < 0 || b < 0 || a == b) continue;
        const std::array link{std::min(a, b), std::max(a, b)};
        if (links_.empty() || links_.back() != link) links_.push_back(link);
    }
    std::sort(links_.begin(), links_.end());
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
}

// --- candidates -----------------------------------------------------------------------------------------------------

/// d̂ of a pair. Places of one body keep half of the distance they have at rest where that is less: a thin wall or
/// strand does not push itself. −1: the pair does not count at all.
float SurfaceContact::Parts::pair_distance(Kind kind, const std::array<int, 4>& point) const {
    const int a = surface_of(point[0]), b = surface_of(point[3]);
    const double da = surfaces_[a].distance, db = surfaces_[b].distance;
    double distance = da > 0 && db > 0 ? std::min(da, db) : std::max(da, db);
    if (a != b) return static_cast<float>(distance);
    if (surfaces_[a].rest.empty()) return -1;
    if (part_[point[0]] != part_[point[3]]) return surfaces_[a].pieces_touch ? static_cast<float>(distance) : -1.0f;
    const double apart = std::sqrt(
        closest(kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge, four(rest_, point)).distance2);
    distance = std::min(distance, 0.5 * apart);
    // What lies on each other at rest belongs together: a seam of a texture, or the sides of a crack that has just
    // opened.
    return distance > options.least * da ? static_cast<float>(distance) : -1.0f;
}

/// Whether a search for ways that pass there lists all that may meet.
bool SurfaceContact::Parts::listed(std::span<const Vec3> points, const std::vector<Vec3>& there) const {
    if (there.size() != points.size()) return false;
    for (std::size_t p = 0; p < points.size(); ++p)
        if (!((points[p] - there[p]).squaredNorm() <= slack_ * slack_)) return false;
    return true;
}

/// Searches where the last ones do not list what is near at the start. That was near the way of the last step, if
/// things went on from there.
void SurfaceContact::Parts::list_near(Threads& threads) {
    bool holds = within_.from.size() == start_.size();
    if (holds) {  // as seen from pieces that stayed where that search was made
        search_.follow(within_.from, start_, threads);
        carried_.assign(search_.motions().begin(), search_.motions().end());
        starts_within_ = listed(search_.side(), within_.from);
        holds = starts_within_ || listed(search_.side(), within_.to);
    }
    search_.follow(start_, target_, threads);
    if (!holds) find_candidates(Where::within, threads);
    if (!listed(start_, between_.to) && !listed(start_, between_.from)) find_candidates(Where::between, threads);
}

/// Searches where the way leaves the ones that the last searches were made for.
void SurfaceContact::Parts::list_met(Threads& threads) {
    bool holds = starts_within_;
    if (holds) {
        seen_.assign(search_.side().begin(), search_.side().end());
        for (std::size_t p = 0; p < seen_.size(); ++p)
            if (part_[p] >= 0) seen_[p] = carried_[part_[p]].back(seen_[p]);
        holds = listed(seen_, within_.to);
    }
    if (!holds) find_candidates(Where::within, threads);
    if (!listed(start_, between_.from) || !listed(target_, between_.to)) find_candidates(Where::between, threads);
}

void SurfaceContact::Parts::find_candidates(Where where, Threads& threads) {
    double gap = 0;
    for (const ContactSurface& s : surfaces_) gap = std::max(gap, s.distance);
    slack_ = options.slack * gap;
    ++stats_.searches;
    const auto wanted = [&](int a, int b) {
        return (surfaces_[a].system >= 0 || surfaces_[b].system >= 0) &&
               !(excluded && excluded(surfaces_[a].owner, surfaces_[b].owner));
    };
    Searched& list = where == Where::within ? within_ : between_;
    list.from = start_;
    if (where == Where::within) {
        list.to.assign(search_.side().begin(), search_.side().end());
        carried_.assign(search_.motions().size(), {});
        starts_within_ = true;
        search_.find_within(gap, slack_, wanted, pairs_, threads);
    } else {
        list.to = target_;
        search_.find_between(gap, slack_, wanted, pairs_, threads);
    }
    std::sort(pairs_.begin(), pairs_.end());
    keep_listed(list.candidates, threads);
    if (where == Where::between) add_planes(list.candidates);
    candidates_.resize(within_.candidates.size() + between_.candidates.size());
    std::merge(within_.candidates.begin(), within_.candidates.end(), between_.candidates.begin(),
               between_.candidates.end(), candidates_.begin(),
               [](const Candidate& a, const Candidate& b) { return order(a) < order(b); });
}

/// Those of pairs_ that count.
void SurfaceContact::Parts::keep_listed(std::vector<Candidate>& out, Threads& threads) {
    const std::size_t chunks = (pairs_.size() + pair_chunk - 1) / pair_chunk;
    if (kept_.size() < chunks) kept_.resize(chunks);
    parallel_for(threads, pairs_.size(), pair_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<Candidate>& kept = kept_[begin / pair_chunk];
        kept.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const FeaturePair& pair = pairs_[i];
            Candidate c{pair.kind == PairKind::vertex_face ? Kind::vertex_face : Kind::edge_edge, pair.a, pair.b,
                        points_of(search_.mesh(), pair), 0};
            c.distance = pair_distance(c.kind, c.point);
            if (c.distance >= 0) kept.push_back(c);
        }
    });
    out.clear();
    for (std::size_t c = 0; c < chunks; ++c) out.insert(out.end(), kept_[c].begin(), kept_[c].end());
}

void SurfaceContact::Parts::add_planes(std::vector<Candidate>& out) const {
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        if (s.system < 0) continue;
        for (int p = search_.mesh().first_point[k]; p < search_.mesh().first_point[k + 1]; ++p) {
            for (int q = 0; q < static_cast<int>(planes_.size()); ++q) {
                const ContactPlane& plane = planes_[q];
                if (excluded && excluded(s.owner, plane.owner)) continue;
                const double height =
                    std::min(plane.normal.dot(start_[p] - plane.point), plane.normal.dot(target_[p] - plane.point));
                if (height <= s.distance + slack_)
                    out.push_back({Kind::vertex_plane, p, q, {p, -1, -1, -1}, static_cast<float>(s.distance)});
            }
        }
    }
}

SurfaceContact::Parts::Nearest SurfaceContact::Parts::nearest(const Candidate& c, std::span<const Vec3> points) const {
    if (c.kind == Kind::vertex_plane) {
        const ContactPlane& plane = planes_[c.b];
        return {{1, 0, 0, 0}, plane.normal, plane.normal.dot(points[c.a] - plane.point)};
    }
    const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
    const ClosestPair pair = closest(kind, four(points, c.point));
    const double gap = std::sqrt(pair.distance2);
    return {pair.coefficient, gap > 0 ? Vec3(pair.difference / gap) : Vec3(Vec3::Zero()), gap};
}

/// On its way from the start to the target.
SurfaceContact::Parts::Nearest SurfaceContact::Parts::nearest_at(const Candidate& c, double time) const {
    const std::span<const Vec3> end = end_of(c);
    const auto at = [&](int p) { return Vec3(start_[p] + time * (end[p] - start_[p])); };
    if (c.kind == Kind::vertex_plane) {
        const ContactPlane& plane = planes_[c.b];
        return {{1, 0, 0, 0}, plane.normal, plane.normal.dot(at(c.a) - plane.point)};
    }
    const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
    const ClosestPair pair = closest(kind, {at(c.point[0]), at(c.point[1]), at(c.point[2]), at(c.point[3])});
    const double gap = std::sqrt(pair.distance2);
    Vec3 normal = gap > 0 ? Vec3(pair.difference / gap) : Vec3(Vec3::Zero());
    if (within(c))  // it has turned with the piece
        normal = Quat::Identity().slerp(time, search_.motions()[part_[c.point[0]]].rotation) * normal;
    return {pair.coefficient, normal, gap};
}

SurfaceContact::Parts::Push SurfaceContact::Parts::push_of(const Candidate& c, const Nearest& at) const {
    Push out;
    out.kind = c.kind, out.a = c.a, out.b = c.b, out.point = c.point;
    out.coefficient = at.coefficient, out.normal = at.normal;
    out.barrier.distance = c.distance;
    out.start = nearest(c, start_).gap;
    const double other =
        c.kind == Kind::vertex_plane ? planes_[c.b].friction : surfaces_[surface_of(c.point[3])].friction;
    out.friction = combined_friction(surfaces_[surface_of(c.point[0])].friction, other);
    return out;
}

// --- motion ---------------------------------------------------------------------------------------------------------

/// What a step leaves of a gap at least. Below the least gap it may hardly shrink any more.
double SurfaceContact::Parts::kept_gap(double gap, double distance) const {
    constexpr double hardly = 1e-6;
    const double least = options.least * distance;
    return std::max(options.kept * std::min(gap, distance), std::min(least, (1 - hardly) * gap));
}

double SurfaceContact::Parts::time_of_impact(const Candidate& c, std::span<const Vec3> end) const {
    if (c.kind == Kind::vertex_plane) {
        const ContactPlane& plane = planes_[c.b];
        const double from = plane.normal.dot(start_[c.a] - plane.point), to = plane.normal.dot(end[c.a] - plane.point);
        const double keep = from > 0 ? kept_gap(from, c.distance) : from;
        return to >= keep ? 1 : std::clamp((from - keep) / (from - to), 0.0, 1.0);
    }
    const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
    const FourPoints from = four(start_, c.point), to = four(end, c.point);
    const double d = std::sqrt(closest(kind, from).distance2);
    if (touching(d, c.distance)) return 1;  // from before the step, and nobody can tell sides
    const Impact impact = first_impact(kind, from, to, {.gap = kept_gap(d, c.distance), .max_iterations = most_axes});
    return impact.hit ? impact.time : 1;
}

/// What the way to the solution does with each candidate.
void SurfaceContact::Parts::look_ahead(Threads& threads) {
    ahead_.resize(candidates_.size());
    parallel_for(threads, candidates_.size(), pair_chunk, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) {
            const Candidate& c = candidates_[i];
            ahead_[i].time = time_of_impact(c, end_of(c));
            ahead_[i].near = ahead_[i].time == 1 && nearest(c, target_).gap < hardly_near * c.distance;
        }
    });
}

/// The share of its way that each part may go. Parts that may meet go by the same one.
void SurfaceContact::Parts::limit(Threads& threads) {
    // For this way alone, since which parts may meet must not depend on other solutions; and a part goes only some of
    // it, straight.
    search_.follow(start_, target_, threads, true);
    find_candidates(Where::within, threads), find_candidates(Where::between, threads);
    ahead_.resize(candidates_.size());
    parallel_for(threads, candidates_.size(), pair_chunk, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) ahead_[i].time = time_of_impact(candidates_[i], target_);
    });
    const auto parts = static_cast<int>(part_share_.size());
    together_.reset(parts);
    const auto parts_of = [&](const Candidate& c) {
        return std::array{part_[c.point[0]], c.kind == Kind::vertex_plane ? -1 : part_[c.point[3]]};
    };
    for (const Candidate& c : candidates_) {
        const auto [a, b] = parts_of(c);
        if (a >= 0 && b >= 0) together_.join(a, b);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        for (int part : parts_of(candidates_[i]))
            if (part >= 0) {
                double& share = part_share_[together_.find(part)];
                share = std::min(share, ahead_[i].time);
            }
    for (int part = 0; part < parts; ++part) part_share_[part] = part_share_[together_.find(part)];
    for (double share : part_share_) stats_.lost = std::max(stats_.lost, 1 - share);
}

/// Signed distance along the normal of the pair, with its coefficients, m.
double SurfaceContact::Parts::gap_at(const Push& pair, const std::vector<Vec3>& points) const {
    Vec3 at = Vec3::Zero();
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) at += pair.coefficient[k] * points[pair.point[k]];
    if (pair.kind == Kind::vertex_plane) at -= planes_[pair.b].point;
    return pair.normal.dot(at);
}

/// The pair goes on from the place where its features meet on the way to the solution.
void SurfaceContact::Parts::push_where_met(Push& pair, const Nearest& at) const {
    if (at.gap > 0) pair.coefficient = at.coefficient, pair.normal = at.normal;
    pair.reached = gap_at(pair, target_), pair.moved = displacement(pair);
    pair.impact = true;
}

/// Reads off the solution what each pair has to bear. True if the next solution would differ.
bool SurfaceContact::Parts::settle(std::span<const char> cut, Threads& threads) {
    ahead_.resize(pushes_.size());
    parallel_for(threads, pushes_.size(), pair_chunk, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) {
            const Candidate c = features_of(pushes_[i]);
            ahead_[i].time = time_of_impact(c, end_of(c));
            ahead_[i].near = ahead_[i].time < 1 || nearest(c, target_).gap < c.distance;
        }
    });
    double pushed = 0, wrong = 0, beyond = 0;
    bool more = false;
    for (std::size_t i = 0; i < pushes_.size(); ++i) {
        Push& pair = pushes_[i];
        pair.reached = gap_at(pair, target_);
        const int system = system_of(pair);
        const bool solution = system < 0 || !cut[system], pushes = pair.barrier.pushes();
        const double borne = pushes ? pair.barrier.force(pair.reached) : 0;
        const double load = solution ? pair.force - pair.slope * (pair.reached - pair.gap) : borne;
        more |= !solution;
        if (borne > 0 && !ahead_[i].near && !pair.returned) {
            pair.away = more = true;
            pair.load = 0;
            continue;
        }
        if (pair.away) {
            if (!(ahead_[i].time < 1)) continue;
            pair.away = false, pair.returned = true;
        }
        pair.load = std::max(0.0, load);
        pair.solved = true;
        const Vec3 moved = displacement(pair), foreseen = pair.foreseen - pair.tangent * (moved - pair.moved);
        pair.moved = moved;
        set_friction(pair);
        pushed += pair.load;
        wrong += std::abs(borne - load) + (foreseen - pair.rub).norm();
        beyond += std::max(0.0, foreseen.norm() - pair.friction * pair.load);
        const double asked = pushes && solution ? stiffness_to_bear(pair, load) : 0;
        if (ahead_[i].time < 1) {  // though its row held it: it was too soft, or has turned, or slid to another place
            if (pair.reached < kept_gap(pair.start, pair.barrier.distance))
                pair.least_stiffness = spare * std::max(pair.barrier.stiffness, asked);
            push_where_met(pair, nearest_at(features_of(pair), ahead_[i].time));
            more = true;
        } else if (!solution)
            pair.gap = std::min(pair.reached, pair.barrier.reach), pair.approach = pair.gap - pair.aim_gap;
        else if (pushes && pair.slope == 0 && borne > 0)
            pair.impact = true;
        else if (asked > pair.barrier.stiffness) {
            pair.barrier.stiffness = pair.least_stiffness = spare * asked;
            set_reach(pair);
            pair.gap = pair.barrier.reach - pair.barrier.closed_under(load);
            more = true;
        } else if (pair.reached < pair.gap)
            pair.gap = pair.barrier.reach - pair.barrier.closed_under(load);
        else
            pair.gap = std::min(pair.reached, pair.barrier.reach);
    }
    return more || wrong > worth * pushed || beyond > beyond_cone * pushed;
}

/// Adds pairs that meet something on the way, or end too near each other. True if there are any.
bool SurfaceContact::Parts::add_met(Threads& threads) {
    list_met(threads);
    look_ahead(threads);
    const std::size_t known = pushes_.size();
    auto old = pushes_.begin();
    const auto end = old + static_cast<std::ptrdiff_t>(known);
    met_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (!(ahead_[i].time < 1 || ahead_[i].near)) continue;
        const Candidate& c = candidates_[i];
        while (old != end && order(*old) < order(c)) ++old;
        if (old != end && order(*old) == order(c)) continue;
        const Nearest at = nearest_at(c, ahead_[i].time);
        if (at.gap == 0) continue;
        met_.push_back(push_of(c, at));
        met_.back().fresh = !remembered(met_.back());
        push_where_met(met_.back(), at);
    }
    pushes_.insert(pushes_.end(), met_.begin(), met_.end());
    std::inplace_merge(pushes_.begin(), pushes_.begin() + static_cast<std::ptrdiff_t>(known), pushes_.end(),
                       [](const Push& a, const Push& b) { return order(a) < order(b); });
    return !met_.empty();
}

int SurfaceContact::Parts::system_of(const Push& pair) const {
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k)
        if (!given(pair.point[k])) return surfaces_[surface_of(pair.point[k])].system;
    return -1;
}

void SurfaceContact::Parts::aim(std::span<const std::span<const Vec3>> velocity, Threads& threads) {
    set_targets(velocity, threads);
    for (Push& pair : pushes_) pair.aim_gap = gap_at(pair, target_), pair.aim_moved = displacement(pair);
}

void SurfaceContact::Parts::add_rates(std::span<const int> group, std::span<const double> share,
                                      std::span<double> rate) const {
    for (const Push& pair : pushes_) {
        const int system = system_of(pair);
        if (system < 0 || !pair.barrier.pushes()) continue;
        const int g = group[system];
        const double gap = pair.reached + share[g] * (pair.aim_gap - pair.reached);
        const Vec3 moved = pair.moved + share[g] * (pair.aim_moved - pair.moved);
        rate[g] -= pair.barrier.force(gap) * (pair.aim_gap - pair.reached) +
                   rub_at(pair, moved).dot(pair.aim_moved - pair.moved);
    }
}

bool SurfaceContact::Parts::advance(std::span<const std::span<const Vec3>> velocity, std::span<const char> cut,
                                    Threads& threads) {
    set_targets(velocity, threads);
    search_.follow(start_, target_, threads);
    ++stats_.iterations;
    std::fill(part_share_.begin(), part_share_.end(), 1.0);
    stats_.lost = 0;
    bool more = settle(cut, threads);
    // A search costs as much as several solves: between the first one and those in which the known pairs agree, what
    // else is in the way can wait.
    if (!more || stats_.iterations == 1) more |= add_met(threads);
    link_systems();
    return more;
}

void SurfaceContact::Parts::set_targets(std::span<const std::span<const Vec3>> velocity, Threads& threads) {
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        if (s.system < 0) continue;
        const auto first = static_cast<std::size_t>(search_.mesh().first_point[k]);
        parallel_for(threads, s.points.size(), 4096, [&](std::size_t i, std::size_t last) {
            for (; i < last; ++i)
                target_[first + i] = start_[first + i] + dt_ * s.embedding->point(i, s.tets).of(velocity[s.system]);
        });
    }
}

double SurfaceContact::Parts::share(int system, int node) const {
    if (system >= static_cast<int>(surface_of_system_.size()) || surface_of_system_[system] < 0) return 1;
    const int k = surface_of_system_[system];
    const ContactSurface& s = surfaces_[k];
    return part_share_[first_part_[k] + (s.part.empty() ? 0 : s.part[node])];
}

// --- the end --------------------------------------------------------------------------------------------------------

void SurfaceContact::Parts::finish() {
    forces_.clear(), memory_.clear();
    stats_.least_gap = 1;
    for (const Push& n : pushes_) {
        if (!(n.load > 0)) continue;
        ++stats_.touching;
        stats_.sliding += n.sliding;
        const double gap = gap_at(n, target_);
        stats_.least_gap = std::min(stats_.least_gap, gap / n.barrier.distance);
        stats_.energy += n.barrier.energy(gap);
        const int a = surface_of(n.point[0]), b = n.kind == Kind::vertex_plane ? -1 : surface_of(n.point[3]);
        Vec3 approach = Vec3::Zero(), at = Vec3::Zero();
        const int second = n.kind == Kind::edge_edge ? 2 : 1;
        for (int k = 0; k < 4 && n.point[k] >= 0; ++k) {
            const ContactSurface& s = surfaces_[surface_of(n.point[k])];
            if (!s.velocities.empty()) approach += n.coefficient[k] * s.velocities[local(n.point[k])];
            if (k < second) at += n.coefficient[k] * target_[n.point[k]];
        }
        forces_.push_back({surfaces_[a].owner, b < 0 ? planes_[n.b].owner : surfaces_[b].owner, at, n.normal, n.load,
                           n.rub, std::max(0.0, -n.normal.dot(approach)), n.fresh, n.sliding});
        stats_.rubbed -= n.rub.dot(n.moved);
        memory_.push_back({.key = key_of(n), .load = n.load, .friction = {n.rub[0], n.rub[1], n.rub[2]}});
    }
    std::sort(memory_.begin(), memory_.end(), [](const PairMemory& a, const PairMemory& b) { return a.key < b.key; });
}

// --- the door -------------------------------------------------------------------------------------------------------

SurfaceContact::SurfaceContact() : parts_(std::make_unique<Parts>()) {}
SurfaceContact::~SurfaceContact() = default;
SurfaceContact::SurfaceContact(SurfaceContact&&) noexcept = default;
SurfaceContact& SurfaceContact::operator=(SurfaceContact&&) noexcept = default;

void SurfaceContact::begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes, double dt,
                           double step, Threads& threads) {
    parts_->options = options;
    parts_->excluded = excluded;
    parts_->begin(surfaces, planes, dt, step, threads);
}
std::span<const Coupling> SurfaceContact::rows(const ResistanceOf& resistance, bool last) {
    return parts_->rows(resistance, last);
}
void SurfaceContact::aim(std::span<const std::span<const Vec3>> velocity, Threads& threads) {
    parts_->aim(velocity, threads);
}
void SurfaceContact::add_rates(std::span<const int> group, std::span<const double> share,
                               std::span<double> rate) const {
    parts_->add_rates(group, share, rate);
}
bool SurfaceContact::advance(std::span<const std::span<const Vec3>> velocity, std::span<const char> cut,
                             Threads& threads) {
    return parts_->advance(velocity, cut, threads);
}
void SurfaceContact::limit(Threads& threads) { parts_->limit(threads); }
double SurfaceContact::share(int system, int node) const { return parts_->share(system, node); }
std::span<const std::array<int, 2>> SurfaceContact::links() const { return parts_->links_; }
void SurfaceContact::finish() { parts_->finish(); }
std::span<const ContactForce> SurfaceContact::forces() const { return parts_->forces_; }
const SurfaceContactStats& SurfaceContact::stats() const { return parts_->stats_; }
const std::vector<PairMemory>& SurfaceContact::memory() const { return parts_->memory_; }
void SurfaceContact::set_memory(std::vector<PairMemory> memory) { parts_->memory_ = std::move(memory); }
void SurfaceContact::renumber(int owner, std::span<const int> vertex) { parts_->renumber(owner, vertex); }
void SurfaceContact::reset() { parts_->reset(); }

}  // namespace pliant
