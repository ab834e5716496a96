// Which features are near, how far the iterate may move, and what a step leaves behind. Rows are in contact_rows.cpp.

#include "pliant/contact/contact_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/collision/continuous.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/core/error.hpp"
#include "pliant/geometry/polar.hpp"

namespace pliant {

namespace {

constexpr std::size_t pair_chunk = 2048;
constexpr double everywhere = std::numeric_limits<double>::infinity();

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
    std::vector<std::array<std::uint64_t, 3>> meshed;
    for (const ContactSurface& s : surfaces_) meshed.push_back({s.revision, s.points.size(), s.triangles.size()});
    if (search_.empty() || meshed != meshed_) {
        std::vector<std::span<const Tri>> triangles;
        std::vector<int> counts;
        for (const ContactSurface& s : surfaces_)
            triangles.push_back(s.triangles), counts.push_back(static_cast<int>(s.points.size()));
        std::vector<SearchedSurface> searched;
        for (const ContactSurface& s : surfaces_)
            searched.push_back({s.system >= 0 || !s.end.empty(), !s.rest.empty(), s.triangles.size()});
        search_ = ContactSearch(make_feature_mesh(triangles, counts), std::move(searched));
        known_at_.clear();
        meshed_ = std::move(meshed);
        near_.clear();
    }
    const FeatureMesh& mesh = search_.mesh();
    const std::size_t points = mesh.body.size();
    for (auto* array : {&start_, &now_, &target_, &rest_}) array->resize(points);
    part_.resize(points);
    first_part_.assign(1, 0);
    surface_of_system_.clear();
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        const int first = mesh.first_point[k];
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
    find_candidates(threads);
    near_.clear(), impending_.clear();
    for (const Candidate& c : candidates_) {
        if (c.kind == Kind::vertex_plane || surface_of(c.point[0]) == surface_of(c.point[3])) continue;
        const PairKind kind = c.kind == Kind::vertex_face ? PairKind::vertex_face : PairKind::edge_edge;
        if (c.known > options.least * c.distance) continue;
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
    candidates_.resize(candidates_.size() - plane_candidates_);
    const bool known = known_at_.size() == now_.size();
    if (!known) known_at_ = now_;
    slack_.resize(surfaces_.size()), slack_beside_.resize(surfaces_.size());
    measure_motion();
    SearchMotion motion{now_, target_, now_beside_, target_beside_, gap, slack_, slack_beside_};
    const auto touches_itself = [&](std::size_t k) {
        return surfaces_[k].system >= 0 && !surfaces_[k].rest.empty() &&
               !(excluded && excluded(static_cast<int>(k), static_cast<int>(k)));
    };
    bool valid = known && search_.still_valid(motion);
    for (std::size_t k = 0; k < surfaces_.size() && valid; ++k)
        valid = !touches_itself(k) || search_.still_valid_within(static_cast<int>(k), motion);
    if (!valid) {
        ++stats_.searches;
        known_at_ = now_;
        measure_motion();
        // What a later iteration finds is seldom far from what this one expects.
        const FeatureMesh& mesh = search_.mesh();
        for (std::size_t k = 0; k < surfaces_.size(); ++k) {
            double far = 0, beside = 0;
            for (int p = mesh.first_point[k]; p < mesh.first_point[k + 1]; ++p) {
                far = std::max<double>(far, away_[p]);
                beside = std::max(beside, (target_beside_[p] - now_beside_[p]).squaredNorm());
            }
            const bool stays = surfaces_[k].system < 0 && surfaces_[k].end.empty();
            slack_[k] = stays ? 0 : gap + 0.1 * far;
            slack_beside_[k] = gap + 0.1 * std::sqrt(beside) + chord_[k];
        }
        search_.find(
            motion,
            [&](int a, int b) {
                return (surfaces_[a].system >= 0 || surfaces_[b].system >= 0) && !(excluded && excluded(a, b));
            },
            pairs_, threads);
        candidates_.clear();
        know_distances(pairs_, threads);
        for (std::size_t k = 0; k < surfaces_.size(); ++k) {
            if (!touches_itself(k)) continue;
            search_.find_within(static_cast<int>(k), motion, pairs_, threads);
            know_distances(pairs_, threads);
        }
        // In the order of their features, so that lists of two iterations can be compared.
        std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
            return std::array{static_cast<int>(a.kind), a.a, a.b} < std::array{static_cast<int>(b.kind), b.a, b.b};
        });
    }
    plane_candidates_ = 0;
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const ContactSurface& s = surfaces_[k];
        if (s.system < 0) continue;
        for (int p = search_.mesh().first_point[k]; p < search_.mesh().first_point[k + 1]; ++p) {
            for (int q = 0; q < static_cast<int>(planes_.size()); ++q) {
                const ContactPlane& plane = planes_[q];
                const double height =
                    std::min(plane.normal.dot(now_[p] - plane.point), plane.normal.dot(target_[p] - plane.point));
                if (height > s.distance) continue;
                candidates_.push_back({Kind::vertex_plane, p, q, {p, -1, -1, -1}, 0, static_cast<float>(s.distance)});
                ++plane_candidates_;
            }
        }
    }
}

/// Of the pairs found, those that can come near by any motion for which the search holds, with their distances now.
void SurfaceContact::Parts::know_distances(std::span<const FeaturePair> pairs, Threads& threads) {
    const std::size_t chunks = (pairs.size() + pair_chunk - 1) / pair_chunk;
    if (kept_.size() < chunks) kept_.resize(chunks);
    parallel_for(threads, pairs.size(), pair_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<Candidate>& kept = kept_[begin / pair_chunk];
        kept.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const FeaturePair& pair = pairs[i];
            Candidate c{pair.kind == PairKind::vertex_face ? Kind::vertex_face : Kind::edge_edge,
                        pair.a,
                        pair.b,
                        points_of(search_.mesh(), pair),
                        0,
                        0};
            const int a = surface_of(c.point[0]), b = surface_of(c.point[3]);
            const double d = std::sqrt(closest(pair.kind, four(now_, c.point)).distance2);
            c.known = static_cast<float>(d * (1 - 1e-6));
            const double most = std::max(surfaces_[a].distance, surfaces_[b].distance);
            const double slack = a == b ? 2 * slack_beside_[a] : slack_[a] + slack_[b];
            if (c.known - reach_jointly(c) - 2 * slack > most) continue;
            c.distance = pair_distance(c.kind, c.point);
            if (c.distance >= 0) kept.push_back(c);
        }
    });
    for (std::size_t c = 0; c < chunks; ++c) candidates_.insert(candidates_.end(), kept_[c].begin(), kept_[c].end());
}

/// How far points are from where distances are known, and where they are as seen from a surface that has moved along as
/// a rigid body since then.
void SurfaceContact::Parts::measure_motion() {
    const FeatureMesh& mesh = search_.mesh();
    away_.resize(now_.size()), now_beside_.resize(now_.size()), target_beside_.resize(now_.size());
    chord_.assign(surfaces_.size(), 0);
    for (std::size_t k = 0; k < surfaces_.size(); ++k) {
        const int begin = mesh.first_point[k], end = mesh.first_point[k + 1];
        for (int p = begin; p < end; ++p)
            away_[p] = static_cast<float>(
                std::sqrt(std::max((now_[p] - known_at_[p]).squaredNorm(), (target_[p] - known_at_[p]).squaredNorm())) *
                (1 + 1e-6));
        if (surfaces_[k].rest.empty()) continue;
        const auto see = [&](const std::vector<Vec3>& at, std::vector<Vec3>& seen) {
            Vec3 from = Vec3::Zero(), to = Vec3::Zero();
            for (int p = begin; p < end; ++p) from += known_at_[p], to += at[p];
            from /= end - begin, to /= end - begin;
            Mat3 product = Mat3::Zero();
            for (int p = begin; p < end; ++p) product += (at[p] - to) * (known_at_[p] - from).transpose();
            const Mat3 back = closest_rotation(product).toRotationMatrix().transpose();
            for (int p = begin; p < end; ++p) seen[p] = from + back * (at[p] - to);
            return back;
        };
        const Mat3 back = see(now_, now_beside_), further = see(target_, target_beside_);
        // Ways are straight in space and bent where the surface turns: by θ²/8 of the distance from its middle.
        const double turn = Eigen::AngleAxisd(further * back.transpose()).angle();
        double far = 0;
        for (int p = begin; p < end; ++p) far = std::max(far, (now_[p] - now_[begin]).squaredNorm());
        chord_[k] = 0.125 * turn * turn * std::sqrt(far);
    }
}

/// How much nearer the features can have come since their distance was known, if both move by the same share of their
/// way. Nearest points are means of corners, so they move beside each other by no more than some two corners do.
double SurfaceContact::Parts::reach_jointly(const Candidate& c) const {
    const int second = c.kind == Kind::vertex_face ? 1 : 2;
    double most = 0;
    for (int i = 0; i < second; ++i)
        for (int j = second; j < 4; ++j) {
            const int p = c.point[i], q = c.point[j];
            const Vec3 before = known_at_[p] - known_at_[q];
            most = std::max(
                {most, (now_[p] - now_[q] - before).squaredNorm(), (target_[p] - target_[q] - before).squaredNorm()});
        }
    return std::sqrt(most) * (1 + 1e-6);
}

/// The same if each moves by a share of its own.
double SurfaceContact::Parts::reach_apart(const Candidate& c) const {
    const int second = c.kind == Kind::vertex_face ? 1 : 2;
    float a = 0, b = 0;
    for (int k = 0; k < second; ++k) a = std::max(a, away_[c.point[k]]);
    for (int k = second; k < 4; ++k) b = std::max(b, away_[c.point[k]]);
    return static_cast<double>(a) + b;
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
    measure_motion();
    parallel_for(threads, candidates_.size(), pair_chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<Near>& found = found_[begin / pair_chunk];
        found.clear();
        Near pair;
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate& c = candidates_[i];
            if (c.kind != Kind::vertex_plane && c.known - reach_jointly(c) > c.distance) continue;
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
        for (; i < last; ++i) {
            const Candidate& c = candidates_[i];
            const bool apart = c.kind != Kind::vertex_plane && c.known - reach_jointly(c) > c.distance;
            time_[i] = apart ? everywhere : time_of_impact(c);
        }
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
        if (time_[i] == everywhere && (a == b || c.known - reach_apart(c) > c.distance)) continue;
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
            next.shift = std::max(0.0, next.shift + next.wanted - gap);
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
        return std::max(0.0, n.force - n.barrier.slope(n.gap) * (gap_at(n, now_) - n.gap));
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
    measure_motion();
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
    std::erase_if(impending_, [&](const Impending& p) { return gap_at(p.pair, now_) < p.wanted; });
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
    for (const Candidate& c : candidates_) {
        if (c.kind == Kind::vertex_plane) continue;
        const int a = surfaces_[surface_of(c.point[0])].system, b = surfaces_[surface_of(c.point[3])].system;
        if (a >= 0 && b >= 0 && a != b) f(a, b);
    }
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
