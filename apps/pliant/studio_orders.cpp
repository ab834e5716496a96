// What pages may ask of the session, and what they are told in words. A message that makes no sense is refused as a
// whole: nothing of it is done.

#include <algorithm>
#include <cmath>

#include "camera_file.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/world/knobs.hpp"
#include "scene_files.hpp"
#include "studio_session.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr double energies_share = 0.1;  // of the time: those of a large body cost as much as a good part of a step
constexpr std::size_t longest_name = 200;

std::optional<SurfacePoint> surface_point(const Json& json) {
    const auto body = json.text("body");
    const auto triangle = json.integer("triangle", 0, 1 << 30);
    const auto weight = json.vec3("weight");
    if (!body || !triangle || !weight || body->size() > longest_name) return {};
    if (weight->minCoeff() < -1e-3 || std::abs(weight->sum() - 1) > 1e-2) return {};
    return SurfacePoint{*body, *triangle, *weight};
}

/// A length, force or temperature that a page may name: finite by construction of the parser, and not absurd.
std::optional<double> positive(const Json& json, std::string_view name, double most) {
    const auto n = json.number(name);
    return n && *n > 0 && *n <= most ? n : std::nullopt;
}

/// As one would type it here, or the name alone of something elsewhere: long paths say little in a page.
std::string short_path(const fs::path& file) {
    std::error_code failed;
    const std::string near = fs::relative(file, failed).string();
    return failed || near.empty() || near.rfind("..", 0) == 0 ? file.filename().string() : near;
}

/// Scenes as `pliant scenes` lists them: name, and the first sentence of their comment.
std::vector<std::pair<std::string, std::string>> shipped_scene_list() {
    std::vector<std::pair<std::string, std::string>> list;
    const fs::path folder = shipped_scenes();
    if (folder.empty()) return list;
    for (const fs::path& scene : scenes_below(folder)) {
        list.emplace_back(scene.lexically_relative(folder).replace_extension().string(), first_sentence(scene));
    }
    return list;
}

}  // namespace

bool StudioSession::message(ClientId client, const Json& json) {
    const auto op = json.text("op");
    if (!op) return false;
    if (*op == "view") return view_order(client, json);
    if (*op == "shown") {
        const auto epoch = json.integer("epoch", 0, 1 << 30);
        if (!epoch) return false;
        post([this, e = static_cast<std::uint64_t>(*epoch)] {
            if (e != epoch_ || drawn_epoch_ == e) return;
            drawn_epoch_ = e;
            next_frame_ = 0;
        });
        return true;
    }
    if (*op == "take") {
        holder_ = client;
        post([this] { hand_.let_go(), hand_.stop_heat(); });
        tell_holder();
        return true;
    }
    if (client != holder_) {
        tell("note", "Another window holds the hand. Press “Take the hand” to steer from here.", client);
        return true;
    }
    return order(client, *op, json);
}

bool StudioSession::view_order(ClientId client, const Json& json) {
    PageView& page = pages_[client];
    const auto field = json.text("field");
    const auto inside = json.flag("inside"), contacts = json.flag("contacts"), cells = json.flag("cells");
    if (!field || !inside || !contacts || !cells || field->size() > longest_name) return false;
    page.field = *field, page.inside = *inside, page.contacts = *contacts, page.cells = *cells;
    page.changed = true;
    return true;
}

bool StudioSession::order(ClientId client, const std::string& op, const Json& json) {
    if (op == "play") return post([this] { drawn_epoch_ = epoch_, play(true); }), true;
    if (op == "pause") return post([this] { play(false); }), true;
    if (op == "step") {
        post([this] {
            play(false);
            if (replay_)
                seek(shown_ + 1);
            else if (simulation_ && shown_ < history_.last())
                seek(shown_ + 1);
            else if (simulation_)
                advance();
        });
        return true;
    }
    if (op == "back") return post([this] { play(false), seek(shown_ - 1); }), true;
    if (op == "seek") {
        const auto index = json.integer("index", 0, 1 << 30);
        if (!index) return false;
        return post([this, i = *index] { play(false), seek(i); }), true;
    }
    if (op == "speed") {
        const auto speed = json.number("speed");
        if (!speed || *speed < 0 || *speed > 64) return false;
        return post([this, s = *speed] {
                   speed_ = s;
                   play(playing_);
               }),
               true;
    }
    if (op == "reset" || op == "reload") {
        post([this] {
            if (source_.empty()) return;
            if (replay_)
                seek(0);
            else
                open(source_);
        });
        return true;
    }
    if (op == "open") {
        const auto scene = json.text("scene");
        if (!scene || scene->size() > longest_name) return false;
        // Only what the start page lists: a page cannot name files.
        const auto list = shipped_scene_list();
        const bool known =
            std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.first == *scene; });
        if (!known) return false;
        return post([this, name = *scene] {
                   playing_ = true;
                   open(find_scene(name));
               }),
               true;
    }
    if (op == "keep") {
        const auto on = json.flag("on");
        if (!on) return false;
        return post([this, o = *on] { keep_to_compare(o); }), true;
    }
    if (op == "save") {
        const auto name = json.text("name");
        if (!name || name->size() > longest_name) return false;
        return post([this, n = *name] {
                   try {
                       save(n);
                   } catch (const UserError& error) {
                       tell("note", error.what());
                   }
               }),
               true;
    }
    if (op == "lua") return post([this, client] { tell("lua", hand_.lua(), client); }), true;
    if (op == "set") {
        const auto body = json.text("body"), name = json.text("name");
        const auto value = json.number("value");
        if (!body || !name || !value || body->size() > longest_name || name->size() > longest_name) return false;
        return post(
                   [this, b = *body, n = *name, v = *value] {
                       if (!simulation_) return;
                       go_on_from_shown();  // never within a frame: that is always the last
                       set_knob(b, n, v);
                   },
                   true),
               true;
    }
    return hand_order(op, json);
}

bool StudioSession::hand_order(const std::string& op, const Json& json) {
    // The hand acts on what is seen: from a frame of the past, the session goes on from there.
    const auto act = [this](std::function<bool()> deed, bool between_steps) {
        post(
            [this, deed = std::move(deed), between_steps] {
                if (!simulation_) return tell("note", "A recorded run can be watched, not touched.");
                if (!between_steps) go_on_from_shown();
                if (!deed()) tell("note", "There is nothing to hold here.");
                show_hand();
            },
            between_steps);
        return true;
    };
    if (op == "grab") {
        const auto point = surface_point(json);
        const auto target = json.vec3("target");
        if (!point || !target) return false;
        if (const auto radius = positive(json, "hold", 1e9))
            return act([this, p = *point, t = *target, r = *radius] { return hand_.hold(p, t, r); }, false);
        const auto stiffness = json.number("stiffness");
        if (!stiffness || *stiffness < 0 || *stiffness > 1e12) return false;
        return act([this, p = *point, t = *target, k = *stiffness] { return hand_.grab(p, t, k); }, false);
    }
    if (op == "move") {
        const auto target = json.vec3("target");
        if (!target) return false;
        return post([this, t = *target] { hand_.move_to(t); }, true), true;
    }
    if (op == "drop") return post([this] { hand_.let_go(), hand_.stop_heat(), show_hand(); }, true), true;
    if (op == "stiffness") {
        const auto k = json.number("value");
        if (!k || *k < 0 || *k > 1e12) return false;
        return post([this, v = *k] { hand_.set_stiffness(v); }, true), true;
    }
    if (op == "pin" || op == "unpin") {
        const auto point = surface_point(json);
        const auto radius = positive(json, "radius", 1e9);
        if (!point || !radius) return false;
        if (op == "pin") return act([this, p = *point, r = *radius] { return hand_.pin(p, r); }, false);
        return act([this, p = *point, r = *radius] { return hand_.unpin(p, r); }, false);
    }
    if (op == "unpin_all") return post([this] { hand_.unpin_all(), show_hand(); }, true), true;
    if (op == "push") {
        const auto point = surface_point(json);
        const auto radius = positive(json, "radius", 1e9);
        const auto force = json.vec3("force");
        if (!point || !radius || !force || force->norm() > 1e12) return false;
        return act([this, p = *point, r = *radius, f = *force] { return hand_.push(p, r, f); }, false);
    }
    if (op == "heat") {
        const auto body = json.text("body");
        const auto at = json.vec3("at");
        const auto radius = positive(json, "radius", 1e9);
        const auto temperature = json.number("temperature"), power = json.number("power");
        if (!body || body->size() > longest_name || !at || !radius || !power || *power < 0 || *power > 1e12 ||
            !temperature || std::abs(*temperature) > 1e5)
            return false;
        return act(
            [this, b = *body, a = *at, r = *radius, t = *temperature, p = *power] { return warm(b, a, r, t, p); },
            true);
    }
    return false;
}

bool StudioSession::warm(const std::string& body, const Vec3& at, double radius, double temperature, double power) {
    switch (hand_.heat(body, at, radius, temperature, power)) {
        case StudioHand::Warming::refused: return false;
        case StudioHand::Warming::going: return true;
        case StudioHand::Warming::begun: break;
    }
    bool springs = false;  // that were given a stiffness of their own, which heat does not change
    for (const ParticleBody& p : simulation_->world().particles) springs |= p.name == body && p.model.stiffness > 0;
    tell("note", "The scene gives “" + body + "” no heat, so it takes plain numbers: " +
                     (springs ? "it gets warm, but its springs have a given stiffness and do not soften."
                              : "it softens from 40 °C on, and has 3 % of its stiffness left at 80 °C."));
    return true;
}

std::string StudioSession::hello(ClientId client) {
    return message_text("hello", [&](JsonWriter& json) {
        json.entry("id", client);
        json.entry("version", PLIANT_VERSION);
        json.entry("start_page", options_.source.empty());
    });
}

std::string StudioSession::gallery_text() const {
    return message_text("gallery", [&](JsonWriter& json) {
        json.key("scenes");
        json.begin_array();
        for (const auto& [name, about] : shipped_scene_list()) {
            std::string thumb = "thumbs/" + name + ".jpg";
            std::replace(thumb.begin() + 7, thumb.end(), '/', '-');
            json.begin_object();
            json.entry("name", name);
            json.entry("about", about);
            json.entry("thumb", assets_.count(thumb) ? thumb : std::string());
            json.end_object();
        }
        json.end_array();
    });
}

std::string StudioSession::scene_text() const {
    return message_text("scene", [&](JsonWriter& json) {
        json.entry("epoch", epoch_);
        json.entry("name", source_.stem().string());
        json.entry("file", short_path(source_));
        json.entry("live", simulation_ != nullptr);
        if (const auto camera = simulation_ ? simulation_->desc().camera
                                : replay_   ? read_camera(source_)
                                            : std::nullopt) {
            json.key("camera");
            json.begin_object();
            write_vector(json, "eye", camera->eye);
            write_vector(json, "target", camera->target);
            json.entry("fov", camera->fov);
            json.end_object();
        }
        if (replay_) {
            json.entry("fps", replay_->info().fps);
            json.entry("scene", replay_->info().scene);
        }
        if (simulation_) {
            const World& w = simulation_->world();
            json.entry("cells", cells_ && !cells_->empty());
            json.entry("fps", simulation_->desc().world.fps);
            json.entry("dt", w.dt);
            json.entry("frames", simulation_->frames());
            json.key("warnings");
            json.begin_array();
            for (const std::string& warning : simulation_->warnings().sentences()) json.value(warning);
            json.end_array();
            json.key("planes");
            json.begin_array();
            for (const PlaneDesc& plane : simulation_->desc().planes) {
                json.begin_object();
                write_vector(json, "point", plane.point);
                write_vector(json, "normal", plane.normal);
                json.end_object();
            }
            json.end_array();
            json.key("bodies");
            json.begin_array();
            for (std::size_t i = 0; i < simulation_->desc().bodies.size(); ++i) {
                const BodyDesc& body = simulation_->desc().bodies[i];
                const BodyQuery& query = simulation_->query(static_cast<int>(i));
                json.begin_object();
                json.entry("name", body.name);
                json.entry("kind", body.kind);
                json.entry("nodes", query.node_count());
                json.entry("tets", query.tet_count());
                json.entry("mass", query.mass());
                json.entry("rest_volume", query.rest_volume());
                json.end_object();
            }
            json.end_array();
            json.key("knobs");
            json.begin_array();
            for (const Knob& knob : knobs(w)) {
                json.begin_object();
                json.entry("body", knob.body);
                json.entry("name", knob.name);
                json.entry("label", knob.label);
                json.entry("unit", knob.unit);
                json.entry("doc", knob.doc);
                json.entry("value", knob.value);
                json.entry("low", knob.low);
                json.entry("high", knob.high);
                json.entry("log", knob.logarithmic);
                json.end_object();
            }
            json.end_array();
        }
    });
}

/// Volumes and energies of the frame that is shown, unless they would take more of the time than their share: then
/// those of an earlier frame are told, and plots have a gap here. A frame that time stands still at has its own.
void StudioSession::measure_bodies() {
    auto& n = numbers_;
    const double start = seconds_now();
    if (n.energies_cost > energies_share * (start - n.energies_at) && (playing_ || n.energies_of == shown_)) return;
    JsonWriter bodies;
    bodies.begin_line();
    bodies.begin_array();
    for (std::size_t i = 0; i < simulation_->desc().bodies.size(); ++i) {
        const BodyQuery& query = simulation_->query(static_cast<int>(i));
        bodies.begin_object();
        bodies.entry("name", simulation_->desc().bodies[i].name);
        bodies.entry("volume", query.volume());
        bodies.entry("rest_volume", query.rest_volume());
        bodies.entry("kinetic", query.kinetic_energy());
        bodies.entry("elastic", query.elastic_energy());
        bodies.entry("max_speed", query.max_speed());
        bodies.entry("temperature", query.max_temperature());
        bodies.end_object();
    }
    bodies.end_array();
    n.energies = line_of(bodies);
    n.energies_of = shown_;
    n.energies_at = seconds_now();
    n.energies_cost = n.energies_at - start;
}

std::string StudioSession::info_text(const Frame& frame) {
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    json.entry("playing", playing_);
    json.entry("speed", speed_);
    json.entry("first", replay_ ? 0 : history_.first());
    json.entry("last", replay_ ? replay_->frame_count() - 1 : history_.last());
    json.entry("shown", shown_);
    const bool live = simulation_ && shown_ == history_.last();
    json.entry("live", live);
    json.key("fields");
    json.begin_array();
    std::vector<std::string> seen;
    for (const BodyFrame& body : frame.bodies)
        for (const Field& field : body.fields)
            if (std::find(seen.begin(), seen.end(), field.name) == seen.end()) {
                seen.push_back(field.name);
                json.value(field.name);
            }
    json.end_array();
    json.key("measures");
    json.begin_object();
    for (const auto& [name, value] : frame.measures) json.entry(name, value);
    json.end_object();
    if (simulation_ && live) {
        const World& w = simulation_->world();
        json.entry("steps", w.steps);
        json.entry("dt", w.dt);
        json.entry("step_ms", numbers_.step_ms);
        json.entry("realtime", numbers_.realtime);
        json.entry("contacts", numbers_.contacts);
        json.entry("iterations", numbers_.iterations);
        json.entry("history_mb", static_cast<double>(history_.bytes()) / 1e6);
        json.key("stages");
        json.begin_object();
        for (const auto& [name, ms] : numbers_.stages) json.entry(name, ms);
        json.end_object();
        if (const auto held = hand_.held_point()) {
            write_vector(json, "held", *held);
            write_vector(json, "target", hand_.target());
            json.entry("stiffness", hand_.stiffness());
        }
        json.key("pins");
        json.begin_array();
        for (const StudioHand::Pinned& pin : hand_.pinned())
            for (int k = 0; k < 3; ++k) json.value(pin.at[k]);
        json.end_array();
        measure_bodies();
    }
    json.end_object();
    std::string text = line_of(json);
    if (simulation_ && live) text.insert(text.size() - 1, ", \"bodies\": " + numbers_.energies);
    return text;
}

}  // namespace pliant
