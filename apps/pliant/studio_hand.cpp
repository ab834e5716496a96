#include "studio_hand.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

constexpr double push_seconds = 0.05;  // how long one push lasts
/// A held spot lags so far behind the pointer, s: pointers jump, and a jump would be a blow.
constexpr double carry_seconds = 0.03;

std::string lua_vector(const Vec3& v) {
    return "{" + short_number(v[0]) + ", " + short_number(v[1]) + ", " + short_number(v[2]) + "}";
}

std::string lua_text(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

/// A path without the points that lie on the straight way between their neighbours.
std::vector<std::pair<double, Vec3>> thinned(const std::vector<std::pair<double, Vec3>>& path) {
    if (path.size() < 3) return path;
    Box box;
    for (const auto& [t, p] : path) box.add(p);
    const double hair = 2e-3 * box.diagonal();
    std::vector<std::pair<double, Vec3>> result{path[0]};
    std::size_t from = 0;
    for (std::size_t i = 2; i < path.size(); ++i) {
        bool straight = true;
        for (std::size_t k = from + 1; k < i && straight; ++k) {
            const double s = (path[k].first - path[from].first) / (path[i].first - path[from].first);
            straight = (path[from].second + s * (path[i].second - path[from].second) - path[k].second).norm() <= hair;
        }
        if (!straight) result.push_back(path[i - 1]), from = i - 1;
    }
    result.push_back(path.back());
    return result;
}

}  // namespace

void StudioHand::attach(World* world) {
    world_ = world;
    drag_.reset(), pull_.reset(), heat_.reset();
    hold_.clear(), pinned_.clear(), deeds_.clear();
    open_drag_ = open_heat_ = -1;
    if (!world) return;
    own_drags_ = world->drags.size(), own_grips_ = world->grips.size();
    own_pulls_ = world->pulls.size(), own_heat_ = world->heat_sources.size();
}

void StudioHand::put_back() {
    if (!world_) return;
    world_->drags.resize(own_drags_);
    world_->grips.resize(own_grips_);
    world_->pulls.resize(own_pulls_);
    world_->heat_sources.resize(own_heat_);
    if (drag_ && hold_.empty()) world_->drags.push_back(*drag_);
    for (const Pinned& pin : pinned_) world_->grips.insert(world_->grips.end(), pin.grips.begin(), pin.grips.end());
    world_->grips.insert(world_->grips.end(), hold_.begin(), hold_.end());
    if (pull_) world_->pulls.push_back(*pull_);
    if (heat_) world_->heat_sources.push_back(*heat_);
}

bool StudioHand::take(const SurfacePoint& point, const Vec3& target, double stiffness) {
    if (!world_) return false;
    let_go();
    auto drag = spring_at(*world_, point);
    if (!drag) return false;
    *target_ = target;
    stiffness_ = stiffness > 0 ? stiffness : feel_of(*world_, *drag);
    drag->stiffness = stiffness;
    drag->target = [place = target_](double) { return *place; };
    drag_ = std::move(drag);
    open_drag_ = static_cast<int>(deeds_.size());
    deeds_.push_back({.kind = Deed::Kind::drag,
                      .body = point.body,
                      .start = start_of(*world_, point).value_or(Vec3::Zero()),
                      .from = world_->time,
                      .number = stiffness,
                      .name = {},
                      .path = {{world_->time, target}}});
    return true;
}

bool StudioHand::grab(const SurfacePoint& point, const Vec3& target, double stiffness) {
    if (!take(point, target, stiffness)) return false;
    put_back();
    return true;
}

bool StudioHand::hold(const SurfacePoint& point, const Vec3& target, double radius) {
    if (!take(point, target, 0)) return false;
    carried_->setZero();
    held_from_ = position_of(*world_, *drag_);  // it may have moved on since the picture that was touched
    if (drag_->body < solved_count(*world_))
        hold_ = pins_at(*world_, point, radius, carried_);
    else  // without a stiffness, the point of a modal body follows exactly
        drag_->target = [from = held_from_, moved = carried_](double) { return Vec3(from + *moved); };
    put_back();
    return true;
}

void StudioHand::move_to(const Vec3& target) {
    *target_ = target;
    *heat_at_ = target;
}

void StudioHand::set_stiffness(double newton_per_meter) {
    stiffness_ = newton_per_meter;
    if (!drag_) return;
    drag_->stiffness = newton_per_meter;
    put_back();
}

void StudioHand::let_go() {
    if (open_drag_ >= 0) deeds_[open_drag_].till = world_->time;
    open_drag_ = -1;
    drag_.reset();
    hold_.clear();
    put_back();
}

bool StudioHand::pin(const SurfacePoint& point, double radius) {
    if (!world_) return false;
    auto grips = pins_at(*world_, point, radius);
    const auto at = position_of(*world_, point);
    if (grips.empty() || !at) return false;
    pinned_.push_back({point, *at, radius, std::move(grips)});
    deeds_.push_back({.kind = Deed::Kind::pin,
                      .body = point.body,
                      .start = start_of(*world_, point).value_or(Vec3::Zero()),
                      .from = world_->time,
                      .radius = radius,
                      .name = {},
                      .path = {{world_->time, *at}}});
    put_back();
    return true;
}

bool StudioHand::unpin(const SurfacePoint& point, double radius) {
    if (!world_) return false;
    const auto at = position_of(*world_, point);
    if (!at) return false;
    return free_if([&](const Pinned& pin) {
        return pin.point.body == point.body && (pin.at - *at).norm() <= 1.5 * std::max(radius, pin.radius);
    });
}

void StudioHand::unpin_all() {
    free_if([](const Pinned&) { return true; });
}

bool StudioHand::free_if(const std::function<bool(const Pinned&)>& chosen) {
    bool any = false;
    for (const Pinned& pin : pinned_) {
        if (!chosen(pin)) continue;
        any = true;
        for (Deed& deed : deeds_)
            if (deed.kind == Deed::Kind::pin && deed.till < deed.from && deed.body == pin.point.body &&
                deed.path[0].second == pin.at)
                deed.till = world_->time;
    }
    std::erase_if(pinned_, chosen);
    put_back();
    return any;
}

bool StudioHand::push(const SurfacePoint& point, double radius, const Vec3& newton) {
    if (!world_) return false;
    auto pull = push_at(*world_, point, radius, newton);
    if (!pull) return false;
    pull_ = std::move(pull);
    push_steps_ = std::max(1, static_cast<int>(std::lround(push_seconds / world_->dt)));
    deeds_.push_back({.kind = Deed::Kind::push,
                      .body = point.body,
                      .start = start_of(*world_, point).value_or(Vec3::Zero()),
                      .from = world_->time,
                      .till = world_->time + push_steps_ * world_->dt,
                      .radius = radius,
                      .name = {},
                      .path = {{world_->time, newton}}});
    put_back();
    return true;
}

void StudioHand::heat(const Vec3& at, double radius, double temperature, double power) {
    if (!world_) return;
    *heat_at_ = at;
    const bool same = heat_ && heat_->radius == radius && heat_->temperature == temperature && heat_->power == power;
    if (same) return;
    stop_heat();
    heat_ = HeatSource{[place = heat_at_](double) { return *place; }, radius, temperature, power, {}};
    open_heat_ = static_cast<int>(deeds_.size());
    deeds_.push_back({.kind = Deed::Kind::heat,
                      .body = {},
                      .from = world_->time,
                      .number = power,
                      .radius = radius,
                      .temperature = temperature,
                      .name = {},
                      .path = {{world_->time, at}}});
    put_back();
}

void StudioHand::stop_heat() {
    if (open_heat_ >= 0) deeds_[open_heat_].till = world_->time;
    open_heat_ = -1;
    heat_.reset();
    put_back();
}

void StudioHand::note_time() {
    // Where a body broke, the world's grips have taken the copies of their nodes: they are ours too from now on.
    std::size_t k = own_grips_;
    const auto take_copies = [&](std::vector<Grip>& grips) {
        for (Grip& grip : grips) {
            const std::vector<int>& nodes = world_->grips[k++].nodes;
            if (nodes.size() != grip.nodes.size()) grip.nodes = nodes;
        }
    };
    for (Pinned& pin : pinned_) take_copies(pin.grips);
    take_copies(hold_);
    *carried_ += (1 - std::exp(-world_->dt / carry_seconds)) * (*target_ - held_from_ - *carried_);
    if (open_drag_ >= 0) deeds_[open_drag_].path.emplace_back(world_->time, *target_);
    if (open_heat_ >= 0) deeds_[open_heat_].path.emplace_back(world_->time, *heat_at_);
    if (pull_ && --push_steps_ <= 0) {
        pull_.reset();
        put_back();
    }
}

void StudioHand::go_back(double time, std::vector<Pinned> pinned) {
    if (open_drag_ >= 0 || open_heat_ >= 0) let_go(), stop_heat();
    pinned_ = std::move(pinned);
    put_back();
    std::erase_if(deeds_, [&](const Deed& deed) { return deed.from > time; });
    for (Deed& deed : deeds_)
        if (deed.till > time) {
            deed.till = deed.kind == Deed::Kind::pin ? -1 : time;
            std::erase_if(deed.path, [&](const auto& at) { return at.first > time; });
        }
}

std::optional<Vec3> StudioHand::held_point() const {
    // From the spring itself: triangles are numbered anew when a body breaks, tets are not.
    if (!world_ || !drag_) return {};
    return position_of(*world_, *drag_);
}

void StudioHand::note_knob(const std::string& body, const std::string& name, double value) {
    if (!world_) return;
    const double now = world_->time;
    if (!deeds_.empty() && deeds_.back().kind == Deed::Kind::knob && deeds_.back().body == body &&
        deeds_.back().name == name) {
        deeds_.back().number = value;
        return;
    }
    deeds_.push_back({.kind = Deed::Kind::knob, .body = body, .from = now, .number = value, .name = name, .path = {}});
}

std::string StudioHand::lua() const {
    std::string text = "-- What a hand did in the studio: put these lines at the end of the scene.\n";
    if (deeds_.empty()) return text + "-- Nothing was done yet.\n";
    text +=
        "local function along(path)\n"
        "  return function(t)\n"
        "    for i = 2, #path do\n"
        "      local a, b = path[i - 1], path[i]\n"
        "      if t <= b[1] then\n"
        "        local s = math.max(0, t - a[1]) / (b[1] - a[1])\n"
        "        return {a[2] + s * (b[2] - a[2]), a[3] + s * (b[3] - a[3]), a[4] + s * (b[4] - a[4])}\n"
        "      end\n"
        "    end\n"
        "    local last = path[#path]\n"
        "    return {last[2], last[3], last[4]}\n"
        "  end\n"
        "end\n";
    for (const Deed& deed : deeds_) {
        std::string path = "along {";
        for (const auto& [t, p] : thinned(deed.path))
            path += " {" + short_number(t) + ", " + short_number(p[0]) + ", " + short_number(p[1]) + ", " +
                    short_number(p[2]) + "},";
        path += " }";
        const std::string body = "body(" + lua_text(deed.body) + ")";
        const std::string from = ", from = " + short_number(deed.from);
        const bool ended = deed.till >= deed.from;
        switch (deed.kind) {
            case Deed::Kind::drag:
                text += "drag { body = " + body + ", at = " + lua_vector(deed.start) + ", to = " + path +
                        (deed.number > 0 ? ", stiffness = " + short_number(deed.number) : "") + from +
                        (ended ? ", release = " + short_number(deed.till) : "") + " }\n";
                break;
            case Deed::Kind::pin:
                text += "drag { body = " + body + ", at = " + lua_vector(deed.start) + ", to = function() return " +
                        lua_vector(deed.path[0].second) + " end" + from +
                        (ended ? ", release = " + short_number(deed.till) : "") + " }  -- pinned\n";
                break;
            case Deed::Kind::push:
                text += "pull { body = " + body + ", at = " + lua_vector(deed.start) +
                        ", force = " + lua_vector(deed.path[0].second) + from + ", till = " + short_number(deed.till) +
                        " }\n";
                break;
            case Deed::Kind::heat:
                text += "heat_source { at = " + path + ", radius = " + short_number(deed.radius) +
                        ", temperature = " + short_number(deed.temperature) + ", power = " + short_number(deed.number) +
                        from + (ended ? ", till = " + short_number(deed.till) : "") + " }\n";
                break;
            case Deed::Kind::knob:
                text += "-- at t = " + short_number(deed.from) + " s: " + (deed.body.empty() ? "" : deed.body + ".") +
                        deed.name + " = " + short_number(deed.number) + "\n";
                break;
        }
    }
    return text;
}

}  // namespace pliant
