#include "studio_hand.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pliant/core/text.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

constexpr double push_seconds = 0.05;  // how long one push lasts
/// A held spot lags so far behind the pointer, s: pointers jump, and a jump would be a blow.
constexpr double carry_seconds = 0.03;
constexpr double warm_seconds = 0.5;  // in which a spot is warmed when no power is given

/// As exactly as it matters: what is copied is to happen again.
std::string lua_number(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.10g", value);
    return buffer;
}

std::string lua_vector(const Vec3& v) {
    return "{" + lua_number(v[0]) + ", " + lua_number(v[1]) + ", " + lua_number(v[2]) + "}";
}

std::string lua_text(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

/// What the lines of deeds are made of. A spot is a list of nodes: where each was at time 0, and how far from there it
/// was when it was touched.
constexpr const char* lua_functions = R"lua(local function along(path)
  return function(t)
    for i = 2, #path do
      local a, b = path[i - 1], path[i]
      if t <= b[1] then
        local s = math.max(0, t - a[1]) / (b[1] - a[1])
        return {a[2] + s * (b[2] - a[2]), a[3] + s * (b[3] - a[3]), a[4] + s * (b[4] - a[4])}
      end
    end
    local last = path[#path]
    return {last[2], last[3], last[4]}
  end
end
local function place(node) return sphere { radius = hair, at = node[1] } end
local function places(spot)
  local list = {}
  for i, node in ipairs(spot) do list[i] = place(node) end
  return #list > 1 and union(list) or list[1]
end
local function hold(grip, way, spot)
  for _, node in ipairs(spot) do
    local m = node[2]
    move { body = grip.body, from = grip.from, release = grip.till, inside = place(node),
           path = function(t) local w = way(t) return {m[1] + w[1], m[2] + w[2], m[3] + w[3]} end }
  end
end
)lua";

/// plain_heat() as a scene says it.
std::string give_heat_line(const std::string& name) {
    const HeatDesc heat = plain_heat();
    std::string rows;
    for (const HeatRow& row : heat.table.rows)
        rows += " {" + lua_number(row.temperature) + ", stiffness = " + lua_number(*row.young) + "},";
    return "give_heat { body = body(" + lua_text(name) + "), conductivity = " + lua_number(heat.numbers.conductivity) +
           ", specific_heat = " + lua_number(heat.numbers.specific_heat) +
           ", ambient = " + lua_number(heat.numbers.ambient) + ", cooling = " + lua_number(heat.numbers.cooling) +
           ", table = {" + rows + " } }\n";
}

/// A path without the points that lie on the straight way between their neighbours.
std::vector<std::pair<double, Vec3>> thinned(const std::vector<std::pair<double, Vec3>>& path) {
    if (path.size() < 3) return path;
    Box box;
    for (const auto& [t, p] : path) box.add(p);
    const double hair = 5e-4 * box.diagonal();
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

/// Where the point that a spring holds was at the start, a millionth of the way to the middle of its tet: a point on a
/// face belongs to two tets, and a scene that names it must find the same one.
Vec3 start_within(const World& w, const Drag& drag) {
    return visit_body(w, drag.body, [&](const auto& body) {
        Point inwards = drag.point;
        inwards.weight += 1e-6 * (Vec4::Constant(0.25) - inwards.weight);
        return inwards.of(body.mesh.rest);
    });
}

}  // namespace

void StudioHand::attach(World* world) {
    world_ = world;
    drag_.reset(), pull_.reset(), heat_.reset();
    hold_.clear(), pinned_.clear(), deeds_.clear(), warmed_.clear();
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

std::vector<StudioHand::SpotNode> StudioHand::spot_of(int body, const std::vector<int>& nodes) const {
    std::vector<SpotNode> spot;
    visit_body(*world_, body, [&](const auto& b) {
        for (int node : nodes) spot.push_back({b.mesh.rest[node], b.x[node] - b.mesh.rest[node]});
    });
    return spot;
}

std::vector<StudioHand::SpotNode> StudioHand::spot_of(const std::vector<Grip>& grips) const {
    std::vector<SpotNode> spot;
    for (const Grip& grip : grips) {
        const std::vector<SpotNode> nodes = spot_of(grip.body, grip.nodes);
        spot.insert(spot.end(), nodes.begin(), nodes.end());
    }
    return spot;
}

bool StudioHand::take(const SurfacePoint& point, const Vec3& target, double stiffness) {
    if (!world_) return false;
    let_go();
    auto drag = spring_at(*world_, point);
    if (!drag) return false;
    *target_ = target;
    stiffness_ = stiffness > 0 ? stiffness : grip_stiffness(*world_, *drag);
    drag->stiffness = stiffness;
    drag->target = [place = target_](double) { return *place; };
    drag_ = std::move(drag);
    open_drag_ = static_cast<int>(deeds_.size());
    deeds_.push_back({.kind = Deed::Kind::drag,
                      .body = point.body,
                      .start = start_within(*world_, *drag_),
                      .from = world_->time,
                      .number = stiffness,
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
    Deed& deed = deeds_[open_drag_];
    deed.path.clear();  // where the spot is led, not where the pointer is
    if (drag_->body < solved_count(*world_)) {
        hold_ = pins_at(*world_, point, radius, carried_);
        deed.kind = Deed::Kind::hold;
        deed.spot = spot_of(hold_);
    } else {  // without a stiffness, the point of a modal body follows exactly
        deed.kind = Deed::Kind::lead;
        drag_->target = [from = held_from_, moved = carried_](double) { return Vec3(from + *moved); };
    }
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
    std::vector<SpotNode> spot = spot_of(grips);
    pinned_.push_back({point, *at, radius, std::move(grips)});
    deeds_.push_back({.kind = Deed::Kind::pin,
                      .body = point.body,
                      .from = world_->time,
                      .radius = radius,
                      .path = {{world_->time, *at}},
                      .spot = std::move(spot)});
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
                      .from = world_->time,
                      .till = world_->time + push_steps_ * world_->dt,
                      .radius = radius,
                      .path = {{world_->time, newton}},
                      .spot = spot_of(pull_->body, pull_->nodes)});
    put_back();
    return true;
}

StudioHand::Warming StudioHand::heat(const std::string& body, const Vec3& at, double radius, double temperature,
                                     double power) {
    const auto number = world_ ? deforming_body(*world_, body) : std::nullopt;
    if (!number) return Warming::refused;
    const bool fresh = warm_up(*world_, *number);
    if (fresh) warmed_.push_back(body);
    const Warming result = fresh ? Warming::begun : Warming::going;
    if (!(power > 0)) power = power_to_warm(*world_, *number, radius, temperature, warm_seconds);
    *heat_at_ = at;
    const bool same = heat_ && heat_->radius == radius && heat_->temperature == temperature && heat_->power == power;
    if (same) return result;
    stop_heat();
    heat_ = HeatSource{[place = heat_at_](double) { return *place; }, radius, temperature, power, {}};
    open_heat_ = static_cast<int>(deeds_.size());
    deeds_.push_back({.kind = Deed::Kind::heat,
                      .body = {},
                      .from = world_->time,
                      .number = power,
                      .radius = radius,
                      .temperature = temperature,
                      .path = {{world_->time, at}}});
    put_back();
    return result;
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
    if (open_drag_ >= 0) {
        Deed& deed = deeds_[open_drag_];
        deed.path.emplace_back(world_->time, deed.kind == Deed::Kind::hold   ? *carried_
                                             : deed.kind == Deed::Kind::lead ? Vec3(held_from_ + *carried_)
                                                                             : *target_);
    }
    *carried_ += (1 - std::exp(-world_->dt / carry_seconds)) * (*target_ - held_from_ - *carried_);
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
        deeds_.back().name == name && deeds_.back().from == now) {
        deeds_.back().number = value;
        return;
    }
    deeds_.push_back({.kind = Deed::Kind::knob, .body = body, .from = now, .number = value, .name = name});
}

std::string StudioHand::lua() const {
    std::string text = "-- What a hand did in the studio: put these lines at the end of the scene.\n";
    if (deeds_.empty()) return text + "-- Nothing was done yet.\n";
    Box all;
    for_each_body(*world_, [&](const auto& body) { all.add(bounds(body)); });
    text += "local hair = " + short_number(1e-6 * all.diagonal()) + "  -- m: far less than nodes are apart\n";
    text += lua_functions;
    for (const std::string& name : warmed_) text += give_heat_line(name);
    // A step takes what holds at its end, so deeds begin and end in the middle of one.
    const double half = 0.5 * world_->dt;
    for (const Deed& deed : deeds_) {
        if (deed.path.empty() && deed.kind != Deed::Kind::knob) continue;  // let go before the next step
        std::string path = "along {";
        for (const auto& [t, p] : thinned(deed.path))
            path += " {" + lua_number(t) + ", " + lua_number(p[0]) + ", " + lua_number(p[1]) + ", " + lua_number(p[2]) +
                    "},";
        path += " }";
        const std::string body = "body = body(" + lua_text(deed.body) + ")";
        const std::string from = ", from = " + lua_number(deed.from + half);
        const auto end = [&](const char* name) {
            return deed.till >= deed.from ? std::string(", ") + name + " = " + lua_number(deed.till + half) : "";
        };
        const auto spot = [&] {
            std::string nodes = "{\n";
            for (const SpotNode& node : deed.spot)
                nodes += "  {" + lua_vector(node.start) + ", " + lua_vector(node.moved) + "},\n";
            return nodes + "}";
        };
        switch (deed.kind) {
            case Deed::Kind::drag:
            case Deed::Kind::lead:
                text += "drag { " + body + ", at = " + lua_vector(deed.start) + ", to = " + path +
                        (deed.number > 0 ? ", stiffness = " + lua_number(deed.number) : "") + from + end("release") +
                        " }\n";
                break;
            case Deed::Kind::hold:
                text += "hold({ " + body + from + end("till") + " }, " + path + ", " + spot() + ")\n";
                break;
            case Deed::Kind::pin:
                text +=
                    "hold({ " + body + from + end("till") + " }, along { {0, 0, 0, 0} }, " + spot() + ")  -- pinned\n";
                break;
            case Deed::Kind::push:
                text += "pull { " + body + ", force = " + lua_vector(deed.path[0].second) + from + end("till") +
                        ", inside = places(" + spot() + ") }\n";
                break;
            case Deed::Kind::heat:
                text += "heat_source { at = " + path + ", radius = " + lua_number(deed.radius) +
                        ", temperature = " + lua_number(deed.temperature) + ", power = " + lua_number(deed.number) +
                        from + end("till") + " }\n";
                break;
            case Deed::Kind::knob:
                text += "change { " + (deed.body.empty() ? "" : body + ", ") + "at = " + lua_number(deed.from + half) +
                        ", " + deed.name + " = " + lua_number(deed.number) + " }\n";
                break;
        }
    }
    return text;
}

}  // namespace pliant
