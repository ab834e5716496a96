// Which features are near, how far the iterate may move, and what a step leaves behind. Rows are in contact_rows.cpp.

#include "pliant/contact/contact_parts.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/collision/continuous.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr std::size_t pair_chunk = 2048;
// A spring that holds a pair at half of the contact distance leaves it to the barrier below a fifth of that.
constexpr double handed_over = 0.2;

}  // namespace

void SurfaceContact::Parts::reset() {
    search_ = {};
    meshed_.clear();
    anchors_.clear(), forces_.clear(), near_.clear(), before_.clear(), candidates_.clear();
}

void SurfaceContact::Parts::renumber(int owner, std::span<const int> vertex) {
    const auto follow = [&](std::int32_t& v) {
        v = v < static_cast<std::int32_t>(vertex.size()) ? vertex[static_cast<std::size_t>(v)] : -1;
        return v >= 0;
    };
    std::erase_if(anchors_, [&](TangentAnchor& a) {
        if (a.key[0] != owner) return false;
        return !follow(a.key[1]) || (a.key[2] >= 0 && !follow(a.key[2]));
    });
    std::sort(anchors_.begin(), anchors_.end(),
              [](const TangentAnchor& a, const TangentAnchor& b) { return a.key < b.key; });
}

// --- the surfaces of the step ---------------------------------------------------------------------------------------

void SurfaceContact::Parts::gather(Threads& threads) {
    std::size_t points = 0;
    first_point_.clear();
    for (const ContactSurface& s : surfaces_)
        first_point_.push_back(static_cast<int>(points)), points += s.points.size();
    for (auto* array : {&start_, &now_, &target_, &rest_}) array->resize(points);
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
                start_[p] = now_[p] = s.points[i];
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
    near_.clear();
}

void SurfaceContact::Parts::begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes,
                                  double dt, const Vec3& kick, Threads& threads) {
    CHECK(dt > 0, dt);
    dt_ = dt;
    surfaces_.assign(surfaces.begin(), surfaces.end());
    planes_.assign(planes.begin(), planes.end());
    gather(threads);
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        const int first = search_.mesh().first_point[k];
        for (std::size_t i = 0; i < s.points.size(); ++i) {
            Vec3& to = target_[static_cast<std::size_t>(first) + i];
            if (s.system >= 0)
                to = s.points[i] + dt * (s.velocities[i] + kick);
            else
                to = s.end.empty() ? s.points[i] : s.end[i];
        }
    }
    stats_ = {};
    time_.clear();
    part_share_.assign(static_cast<std::size_t>(first_part_.back()), 0);
    part_met_.assign(part_share_.size(), 0);
    links_.clear();
    find_candidates(threads);
    near_.clear(), impending_.clear();
    for (auto& load : load_) std::fill(load.begin(), load.end(), 0.0);
    for (const Candidate& c : candidates_) {
        if (c.kind == Kind::vertex_plane || surface_of(c.point[0]) == surface_of(c.point[3])) continue;
        const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
        if (!touching(std::sqrt(closest(kind, four(now_, c.point)).distance2), c.distance)) continue;
        stats_.touched_before = {surfaces_[surface_of(c.point[0])].owner, surfaces_[surface_of(c.point[3])].owner};
        break;
    }
    find_near(threads);
    recall_friction();
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
    if (!surfaces_[a].pieces_touch && part_[point[0]] != part_[point[3]]) return -1;
    const double apart = std::sqrt(
        closest(kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge, four(rest_, point)).distance2);
    distance = std::min(distance, 0.5 * apart);
    // What lies on each other at rest belongs together: a seam of a texture, or the sides of a crack that has just
    // opened.
    return distance > options.least * da ? static_cast<float>(distance) : -1.0f;
}

void SurfaceContact::Parts::find_candidates(Threads& threads) {
    double gap = 0;
    for (const ContactSurface& s : surfaces_) gap = std::max(gap, s.distance);
    ++stats_.searches;
    search_.find(
        {now_, target_, gap},
        [&](int a, int b) {
            return (surfaces_[a].system >= 0 || surfaces_[b].system >= 0) && !(excluded && excluded(a, b));
        },
        pairs_, threads);
    // In the order of their features, so that lists of two iterations can be compared.
    std::sort(pairs_.begin(), pairs_.end());
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
    candidates_.clear();
    for (std::size_t c = 0; c < chunks; ++c) candidates_.insert(candidates_.end(), kept_[c].begin(), kept_[c].end());
    for (const Candidate& c : candidates_) {
        const int a = surfaces_[surface_of(c.point[0])].system, b = surfaces_[surface_of(c.point[3])].system;
        if (a < 0 || b < 0 || a == b) continue;
        const std::array link{std::min(a, b), std::max(a, b)};
        if (links_.empty() || links_.back() != link) links_.push_back(link);
    }
    std::sort(links_.begin(), links_.end());
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        if (s.system < 0) continue;
        for (int p = search_.mesh().first_point[k]; p < search_.mesh().first_point[k + 1]; ++p) {
            for (int q = 0; q < static_cast<int>(planes_.size()); ++q) {
                const ContactPlane& plane = planes_[q];
                const double height =
                    std::min(plane.normal.dot(now_[p] - plane.point), plane.normal.dot(target_[p] - plane.point));
                if (height <= s.distance)
                    candidates_.push_back({Kind::vertex_plane, p, q, {p, -1, -1, -1}, static_cast<float>(s.distance)});
            }
        }
    }
}

bool SurfaceContact::Parts::look_at(const Candidate& c, Near& out) const {
    out.kind = c.kind, out.a = c.a, out.b = c.b, out.point = c.point;
    if (c.kind == Kind::vertex_plane) {
        const ContactPlane& plane = planes_[c.b];
        // A plane has an inside: what is there at the start is pushed out as from the smallest gap.
        out.gap = std::max<double>(plane.normal.dot(now_[c.a] - plane.point), options.least * c.distance);
        if (!(out.gap < c.distance)) return false;
        out.coefficient = {1, 0, 0, 0};
        out.normal = plane.normal;
        out.friction = combined_friction(surfaces_[surface_of(c.a)].friction, plane.friction);
        return true;
    }
    const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
    const ClosestPair pair = closest(kind, four(now_, c.point));
    if (!(pair.distance2 < double(c.distance) * c.distance)) return false;
    out.gap = std::sqrt(pair.distance2);
    if (touching(out.gap, c.distance)) return false;
    out.coefficient = pair.coefficient;
    out.normal = pair.difference / out.gap;
    out.friction =
        combined_friction(surfaces_[surface_of(c.point[0])].friction, surfaces_[surface_of(c.point[3])].friction);
    return true;
}

/// All pairs that push at the iterate, in the order of the candidates.
void SurfaceContact::Parts::find_near(Threads& threads) {
    std::swap(near_, before_);
    near_.clear();
    const std::size_t chunks = (candidates_.size() + pair_chunk - 1) / pair_chunk;
    if (found_.size() < chunks) found_.resize(chunks);
    parallel_for(threads, candidates_.size(), pair_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<Near>& found = found_[begin / pair_chunk];
        found.clear();
        Near pair;
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate& c = candidates_[i];
            if (look_at(c, pair)) {
                pair.barrier = {0, 0, c.distance};
                found.push_back(pair);
            }
        }
    });
    for (std::size_t c = 0; c < chunks; ++c) near_.insert(near_.end(), found_[c].begin(), found_[c].end());
}

// --- motion ---------------------------------------------------------------------------------------------------------

/// What an iteration leaves of a gap at least. Below the least gap it may hardly shrink any more.
double SurfaceContact::Parts::kept_gap(double gap, double distance) const {
    constexpr double hardly = 1e-6;
    const double least = options.least * distance;
    return std::max(options.kept * std::min(gap, distance), std::min(least, (1 - hardly) * gap));
}

double SurfaceContact::Parts::time_of_impact(const Candidate& c) const {
    if (c.kind == Kind::vertex_plane) {
        const ContactPlane& plane = planes_[c.b];
        const double from = plane.normal.dot(now_[c.a] - plane.point),
                     to = plane.normal.dot(target_[c.a] - plane.point);
        const double keep = from > 0 ? kept_gap(from, c.distance) : from;
        return to >= keep ? 1 : std::clamp((from - keep) / (from - to), 0.0, 1.0);
    }
    const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
    const FourPoints from = four(now_, c.point), to = four(target_, c.point);
    const double d = std::sqrt(closest(kind, from).distance2);
    if (touching(d, c.distance)) return 1;  // from before the step, and nobody can tell sides
    const Impact impact = first_impact(kind, from, to, {.gap = kept_gap(d, c.distance)});
    return impact.hit ? impact.time : 1;
}

/// The share of its way that each part may go.
void SurfaceContact::Parts::limit_parts(Threads& threads) {
    time_.resize(candidates_.size());
    parallel_for(threads, candidates_.size(), pair_chunk, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) time_[i] = time_of_impact(candidates_[i]);
    });
    const auto parts = static_cast<int>(part_share_.size());
    together_.reset(parts);
    std::fill(part_share_.begin(), part_share_.end(), 1.0);
    const auto parts_of = [&](const Candidate& c) {
        return std::array{part_[c.point[0]], c.kind == Kind::vertex_plane ? -1 : part_[c.point[3]]};
    };
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& c = candidates_[i];
        const auto [a, b] = parts_of(c);
        for (int part : {a, b})
            if (part >= 0) part_met_[part] = 1;
        if (a >= 0 && b >= 0) together_.join(a, b);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (!(time_[i] < 1)) continue;
        for (int part : parts_of(candidates_[i]))
            if (part >= 0) {
                double& share = part_share_[together_.find(part)];
                share = std::min(share, time_[i]);
            }
    }
    for (int part = 0; part < parts; ++part) part_share_[part] = part_share_[together_.find(part)];
}

/// Signed distance along the normal of the pair, with its coefficients, m.
double SurfaceContact::Parts::gap_at(const Near& pair, const std::vector<Vec3>& points) const {
    Vec3 at = Vec3::Zero();
    for (int k = 0; k < 4 && pair.point[k] >= 0; ++k) at += pair.coefficient[k] * points[pair.point[k]];
    if (pair.kind == Kind::vertex_plane) at -= planes_[pair.b].point;
    return pair.normal.dot(at);
}

/// Of the solution that was just limited: which pairs it would let through, and which are only held by springs of the
/// last iteration.
void SurfaceContact::Parts::foresee() {
    std::swap(impending_, impending_before_);
    impending_.clear();
    pushed_ = pulled_ = 0;
    auto old = impending_before_.begin();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const Candidate& c = candidates_[i];
        const std::array order{static_cast<int>(c.kind), c.a, c.b};
        const auto order_of = [](const Impending& p) {
            return std::array{static_cast<int>(p.pair.kind), p.pair.a, p.pair.b};
        };
        while (old != impending_before_.end() && order_of(*old) < order) ++old;
        const bool known = old != impending_before_.end() && order_of(*old) == order;
        const bool hit = time_[i] < 1;
        if (!hit && !known) continue;
        Impending next;
        if (known) {
            next = *old;
            const double gap = gap_at(next.pair, target_);
            const double closed = next.wanted + next.shift - gap;
            (closed > 0 ? pushed_ : pulled_) += next.stiffness * std::abs(closed);
            if (!hit && closed <= 0) continue;
            // A spring as stiff as what it holds needs no more; where its normal is wrong it would grow without bound.
            next.shift = std::clamp(next.shift + next.wanted - gap, 0.0, next.most);
        }
        if (hit && !known) {
            const double t = time_[i];
            const auto at = [&](int p) { return Vec3(now_[p] + t * (target_[p] - now_[p])); };
            Near& pair = next.pair;
            pair.kind = c.kind, pair.a = c.a, pair.b = c.b, pair.point = c.point;
            if (c.kind == Kind::vertex_plane) {
                pair.coefficient = {1, 0, 0, 0}, pair.normal = planes_[c.b].normal;
            } else {
                const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
                const ClosestPair close =
                    closest(kind, {at(c.point[0]), at(c.point[1]), at(c.point[2]), at(c.point[3])});
                if (!(close.distance2 > 0)) continue;
                pair.coefficient = close.coefficient;
                pair.normal = close.difference / std::sqrt(close.distance2);
            }
            pair.barrier.distance = c.distance;
            next.wanted = 0.5 * c.distance;
            next.most = std::max(0.0, next.wanted - gap_at(pair, target_));
        }
        impending_.push_back(next);
    }
}

/// Pairs whose force is not what the last rows foresaw.
bool SurfaceContact::Parts::changed_since() const {
    constexpr double worth = 0.01;
    double wrong = 0, all = 0;
    auto old = before_.begin();
    const auto order = [](const Near& n) { return std::array{static_cast<int>(n.kind), n.a, n.b}; };
    const auto foreseen = [&](const Near& n) {  // with the displacement since it was linearised
        return std::max(0.0, n.force - n.slope * (gap_at(n, now_) - n.gap));
    };
    for (const Near& n : near_) {
        while (old != before_.end() && order(*old) < order(n)) {
            const double was = foreseen(*old++);
            wrong += was, all += was;
        }
        if (old != before_.end() && order(*old) == order(n)) {
            const double was = foreseen(*old), is = old->barrier.force(n.gap);
            wrong += std::abs(is - was), all += std::max(is, was);
            Near now = n;
            now.force = is, now.memory = old->memory, now.tangent_stiffness = old->tangent_stiffness;
            now.moved = displacement(n);
            set_friction(now, &*old);
            wrong += (old->rub - old->tangent * (now.moved - old->moved) - now.rub).norm();
            ++old;
        }
    }
    for (; old != before_.end(); ++old) {
        const double was = foreseen(*old);
        wrong += was, all += was;
    }
    return wrong > worth * all;
}

bool SurfaceContact::Parts::advance(std::span<const std::span<const Vec3>> velocity, Threads& threads) {
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        if (s.system < 0) continue;
        const auto first = static_cast<std::size_t>(search_.mesh().first_point[k]);
        parallel_for(threads, s.points.size(), 4096, [&](std::size_t i, std::size_t last) {
            for (; i < last; ++i)
                target_[first + i] = start_[first + i] + dt_ * s.embedding->point(i, s.tets).of(velocity[s.system]);
        });
    }
    find_candidates(threads);
    limit_parts(threads);
    foresee();
    bool cut = false;
    for (std::size_t p = 0; p < now_.size(); ++p)
        if (part_[p] >= 0) now_[p] += part_share_[part_[p]] * (target_[p] - now_[p]);
    stats_.lost = 0;
    for (double share : part_share_) cut |= share < 1, stats_.lost = std::max(stats_.lost, 1 - share);
    ++stats_.iterations;
    stats_.limited += cut;
    find_near(threads);
    // Where the barrier has taken hold the spring is done.
    std::erase_if(impending_, [&](const Impending& p) { return gap_at(p.pair, now_) < handed_over * p.wanted; });
    // Springs that pull hold back what nothing is in the way of.
    constexpr double bearable = 0.1;
    return cut || pulled_ > bearable * pushed_ || changed_since();
}

double SurfaceContact::Parts::share(int system, int node) const {
    if (system >= static_cast<int>(surface_of_system_.size()) || surface_of_system_[system] < 0) return 1;
    const int k = surface_of_system_[system];
    const ContactSurface& s = surfaces_[k];
    return part_share_[first_part_[k] + (s.part.empty() ? 0 : s.part[node])];
}

bool SurfaceContact::Parts::untouched(int system) const {
    if (system >= static_cast<int>(surface_of_system_.size()) || surface_of_system_[system] < 0) return true;
    const int k = surface_of_system_[system];
    return std::none_of(part_met_.begin() + first_part_[k], part_met_.begin() + first_part_[k + 1],
                        [](char met) { return met != 0; });
}

void SurfaceContact::Parts::for_each_link(const std::function<void(int, int)>& f) const {
    for (const auto& [a, b] : links_) f(a, b);
}

// --- the end --------------------------------------------------------------------------------------------------------

void SurfaceContact::Parts::save() { saved_now_ = now_, saved_near_ = near_, saved_before_ = before_; }

void SurfaceContact::Parts::restore() {
    now_ = saved_now_, near_ = saved_near_, before_ = saved_before_;
    std::fill(part_share_.begin(), part_share_.end(), 1.0);
}

void SurfaceContact::Parts::finish(const ResistanceOf& resistance) {
    rows(resistance);
    forces_.clear();
    stats_.least_gap = 1;
    std::vector<TangentAnchor> anchors;
    for (const Near& n : near_) {
        if (!(n.force > 0)) continue;
        ++stats_.touching;
        stats_.sliding += n.sliding;
        stats_.least_gap = std::min(stats_.least_gap, n.gap / n.barrier.distance);
        stats_.energy += n.barrier.energy(n.gap);
        const int a = surface_of(n.point[0]), b = n.kind == Kind::vertex_plane ? -1 : surface_of(n.point[3]);
        Vec3 approach = Vec3::Zero(), at = Vec3::Zero();
        const int second = n.kind == Kind::edge_edge ? 2 : 1;
        for (int k = 0; k < 4 && n.point[k] >= 0; ++k) {
            const ContactSurface& s = surfaces_[surface_of(n.point[k])];
            if (!s.velocities.empty()) approach += n.coefficient[k] * s.velocities[local(n.point[k])];
            if (k < second) at += n.coefficient[k] * now_[n.point[k]];
        }
        forces_.push_back({surfaces_[a].owner, b < 0 ? planes_[n.b].owner : surfaces_[b].owner, at, n.normal, n.force,
                           n.rub, std::max(0.0, -n.normal.dot(approach)), n.fresh, n.sliding});
        stats_.rubbed -= n.rub.dot(displacement(n));
        if (n.sliding) stats_.slipped += n.rub.norm() * displacement(n).norm();
        const std::array<std::int32_t, 4> key = anchor_key(n);
        anchors.push_back({key, {n.rub[0], n.rub[1], n.rub[2]}});
    }
    std::stable_sort(anchors.begin(), anchors.end(),
                     [](const TangentAnchor& a, const TangentAnchor& b) { return a.key < b.key; });
    // A vertex remembers what all faces of a partner do to it together.
    anchors_.clear();
    for (const TangentAnchor& a : anchors)
        if (!anchors_.empty() && anchors_.back().key == a.key)
            for (int k = 0; k < 3; ++k) anchors_.back().force[k] += a.force[k];
        else
            anchors_.push_back(a);
}

// --- the door -------------------------------------------------------------------------------------------------------

SurfaceContact::SurfaceContact() : parts_(std::make_unique<Parts>()) {}
SurfaceContact::~SurfaceContact() = default;
SurfaceContact::SurfaceContact(SurfaceContact&&) noexcept = default;
SurfaceContact& SurfaceContact::operator=(SurfaceContact&&) noexcept = default;

void SurfaceContact::begin(std::span<const ContactSurface> surfaces, std::span<const ContactPlane> planes, double dt,
                           const Vec3& kick, Threads& threads) {
    parts_->options = options;
    parts_->excluded = excluded;
    parts_->begin(surfaces, planes, dt, kick, threads);
}
std::span<const Coupling> SurfaceContact::rows(const ResistanceOf& resistance) { return parts_->rows(resistance); }
bool SurfaceContact::advance(std::span<const std::span<const Vec3>> velocity, Threads& threads) {
    return parts_->advance(velocity, threads);
}
double SurfaceContact::energy_at(std::span<const std::span<const Vec3>> velocity) const {
    return parts_->energy_at(velocity);
}
double SurfaceContact::share(int system, int node) const { return parts_->share(system, node); }
bool SurfaceContact::untouched(int system) const { return parts_->untouched(system); }
void SurfaceContact::for_each_link(const std::function<void(int, int)>& f) const { parts_->for_each_link(f); }
void SurfaceContact::save() { parts_->save(); }
void SurfaceContact::restore() { parts_->restore(); }
void SurfaceContact::finish(const ResistanceOf& resistance) { parts_->finish(resistance); }
std::span<const ContactForce> SurfaceContact::forces() const { return parts_->forces_; }
const SurfaceContactStats& SurfaceContact::stats() const { return parts_->stats_; }
const std::vector<TangentAnchor>& SurfaceContact::anchors() const { return parts_->anchors_; }
void SurfaceContact::set_anchors(std::vector<TangentAnchor> anchors) { parts_->anchors_ = std::move(anchors); }
void SurfaceContact::renumber(int owner, std::span<const int> vertex) { parts_->renumber(owner, vertex); }
void SurfaceContact::reset() { parts_->reset(); }

}  // namespace pliant
