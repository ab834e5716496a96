#include "studio_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>

#include "camera_file.hpp"
#include "looks_file.hpp"
#include "output_lock.hpp"
#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/world/knobs.hpp"
#include "scene_files.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr double look_at_file_every = 0.3;  // s
constexpr std::size_t most_requests = 64;   // that wait; pages are not listened to while there are more
constexpr double longest_obedience = 0.05;  // s, after which time goes on, whatever is still asked for

/// A name that stays inside the folder it is put in.
std::string plain_name(const std::string& name) {
    std::string result;
    for (char c : name)
        result += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ? c : '-';
    while (!result.empty() && result[0] == '.') result.erase(0, 1);
    if (result.empty())
        throw UserError("'" + name + "' cannot be the name of a folder", {}, "Use letters, digits, - and _");
    return result.substr(0, 100);
}

/// What the user wrote there; empty when it cannot be read.
std::string line_of_file(const Where& where) {
    std::ifstream file(where.file);
    std::string line;
    for (int i = 0; i < where.line; ++i)
        if (!std::getline(file, line)) return {};
    const std::size_t start = line.find_first_not_of(" \t");
    return start == std::string::npos ? std::string() : line.substr(start, 200);
}

/// Bodies appear in a frame in the order of their numbers: those of particles after the others.
std::shared_ptr<const std::vector<CellShapes>> cell_shapes(const World& w) {
    std::vector<CellShapes> list;
    for (std::size_t i = 0; i < w.particles.size(); ++i) {
        const ParticleStructure& structure = w.particles[i].structure;
        if (structure.polygon.empty()) continue;
        CellShapes cells;
        cells.body = w.fem.size() + i;
        for (const VoronoiCorner& corner : structure.polygon) {
            cells.tet.push_back(corner.tet);
            for (int k = 0; k < 4; ++k) cells.weight.push_back(static_cast<float>(corner.weight[k]));
        }
        cells.begin = structure.polygon_begin;
        for (const VoronoiFace& face : structure.faces) cells.inner.push_back(face.a), cells.outer.push_back(face.b);
        list.push_back(std::move(cells));
    }
    return std::make_shared<const std::vector<CellShapes>>(std::move(list));
}

}  // namespace

StudioSession::StudioSession(StudioOptions options)
    : options_(std::move(options)), history_(options_.history_bytes), assets_(studio_assets()) {
    gallery_message_ = gallery_text();
    playing_ = !options_.paused;
}

StudioSession::~StudioSession() = default;

void StudioSession::stop() {
    stopping_ = true;
    bell_.notify_all();
}

void StudioSession::post(std::function<void()> request, bool between_steps) {
    {
        const std::lock_guard lock(mutex_);
        (between_steps ? quick_requests_ : requests_).push_back(std::move(request));
    }
    bell_.notify_all();
}

bool StudioSession::full() {
    const std::lock_guard lock(mutex_);
    if (requests_.size() + quick_requests_.size() < most_requests) return false;
    listeners_wait_ = true;
    return true;
}

void StudioSession::obey_quick() {
    std::deque<std::function<void()>> quick;
    {
        const std::lock_guard lock(mutex_);
        quick.swap(quick_requests_);
    }
    if (listeners_wait_.exchange(false)) server_->wake();  // there is room again
    for (const auto& request : quick) request();
}

void StudioSession::obey() {
    const double start = seconds_now();
    while (!stopping_) {
        obey_quick();
        std::function<void()> request;
        {
            const std::lock_guard lock(mutex_);
            if (requests_.empty()) return;
            request = std::move(requests_.front());
            requests_.pop_front();
        }
        try {
            request();
        } catch (const std::exception& error) {
            fail(error);
        }
        if (seconds_now() - start > longest_obedience) return;
    }
}

namespace {

/// The table of measures that lies beside a run's frames, as messages to plots have it; empty where there is none.
std::string numbers_of_run(const fs::path& run) {
    const fs::path file = run / "measures.csv";
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) return {};
    std::istringstream text(read_file(file.string(), 1 << 28));
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> columns;
    for (std::string line; std::getline(text, line);) {
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        if (names.empty()) {
            names = cells;
            columns.resize(names.size());
            continue;
        }
        for (std::size_t i = 0; i < columns.size(); ++i)
            columns[i].push_back(i < cells.size() && !cells[i].empty() &&
                                         cells[i].find_first_not_of("+-.0123456789e") == std::string::npos
                                     ? cells[i]
                                     : "null");
    }
    const auto time =
        std::find_if(names.begin(), names.end(), [](const std::string& n) { return n.rfind("time", 0) == 0; });
    if (time == names.end()) return {};
    const auto list = [&](std::size_t i) {
        std::string out = "[";
        for (std::size_t k = 0; k < columns[i].size(); ++k) out += (k ? "," : "") + columns[i][k];
        return out + "]";
    };
    const auto t = static_cast<std::size_t>(time - names.begin());
    std::string series;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == t || names[i] == "frame") continue;
        const std::string name = json_text(valid_utf8(names[i]));
        series += (series.empty() ? "" : ", ") + ("{\"title\": " + name) + ", \"unit\": \"\", \"values\": {" + name +
                  ": " + list(i) + "}}";
    }
    return "\"time\": " + list(t) + ", \"series\": [" + series + "]";
}

}  // namespace

void StudioSession::run() {
    if (!options_.source.empty()) open(options_.source);
    if (!options_.compare.empty()) {
        compared_ = ComparedRun(options_.compare, numbers_of_run(options_.compare));
        tell_compared();
        if (present_) publish(present_);
    }
    while (!stopping_) {
        obey();
        watch_file();
        tell_voices();
        tell_warnings();
        const bool more = simulation_ || (replay_ && shown_ + 1 < replay_->frame_count());
        const double now = seconds_now();
        // The first picture of a scene is on somebody's screen before time runs.
        const bool seen = drawn_epoch_ == epoch_;
        if (playing_ && more && seen && now >= next_frame_) {
            try {
                advance();
            } catch (const std::exception& error) {
                fail(error);
            }
            continue;
        }
        const double wait = playing_ && more && seen ? next_frame_ - now : 0.1;
        std::unique_lock lock(mutex_);
        if (requests_.empty() && quick_requests_.empty() && !stopping_)
            bell_.wait_for(lock, std::chrono::duration<double>(std::clamp(wait, 0.0, 0.1)));
    }
}

/// Pages that come while it lasts are told, too.
void StudioSession::set_busy(const std::string& text) {
    {
        const std::lock_guard lock(mutex_);
        busy_with_ = text;
    }
    if (!text.empty()) tell("busy", text);
}

void StudioSession::fail(const std::exception& error) {
    playing_ = false;
    set_busy({});
    const auto* mistake = dynamic_cast<const UserError*>(&error);
    const std::string text = message_text("error", [&](JsonWriter& json) {
        json.entry("message", mistake ? mistake->message() : std::string(error.what()));
        json.entry("where", mistake ? mistake->where().text() : "");
        json.entry("line", mistake ? valid_utf8(line_of_file(mistake->where())) : "");
        json.entry("remedy", mistake ? mistake->remedy() : "");
    });
    {
        const std::lock_guard lock(mutex_);
        error_message_ = text;
    }
    server_->send_all(text);
    if (present_) publish(present_);
}

void StudioSession::tell(std::string_view type, const std::string& text, ClientId client) {
    server_->send(client, message_text(type, [&](JsonWriter& json) { json.entry("text", valid_utf8(text)); }));
}

namespace {

/// What plots show of a frame.
std::string plot_numbers(const Frame& frame, const std::string& bodies) {
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    for (const auto& [name, value] : frame.measures) json.entry(name, value);
    json.end_object();
    return "{\"time\": " + number_text(frame.time) + ", \"info\": {\"measures\": " + line_of(json) +
           (bodies.empty() ? "" : ", \"bodies\": " + bodies) + "}}";
}

}  // namespace

void StudioSession::close_all() {
    hand_.attach(nullptr);
    sound_.detach();
    set_voices("{\"type\": \"voices\", \"list\": []}");
    simulation_.reset();
    replay_.reset();
}

namespace {

fs::file_time_type last_written(const std::vector<fs::path>& files) {
    fs::file_time_type latest = fs::file_time_type::min();
    for (const fs::path& file : files) {
        std::error_code failed;
        const auto written = fs::last_write_time(file, failed);
        if (!failed) latest = std::max(latest, written);
    }
    return latest;
}

}  // namespace

void StudioSession::open(const fs::path& source) {
    set_busy("Building " + source.stem().string() + " …");
    if (source != source_ && compared_) compared_ = {}, tell_compared();
    source_ = source;
    if (watched_.empty() || watched_.front() != source) watched_ = {source};
    written_ = last_written(watched_);
    {
        const std::lock_guard lock(mutex_);
        error_message_.clear();
    }
    try {
        if (fs::is_directory(source))
            open_run(source);
        else
            open_scene(source);
    } catch (const std::exception& error) {
        fail(error);
    }
}

void StudioSession::open_scene(const fs::path& file) {
    // The old scene goes on being shown when the new one cannot be built.
    auto fresh = std::make_unique<Simulation>(
        Scene::load(file, options_.scene), options_.threads,
        [&](const std::string& sentence) { set_busy("Building " + file.stem().string() + ": " + sentence + " …"); });
    close_all();
    simulation_ = std::move(fresh);
    warnings_told_ = simulation_->warnings().list().size();
    watched_ = {file};
    for (std::size_t i = 1; i < simulation_->desc().files.size(); ++i)
        watched_.emplace_back(simulation_->desc().files[i].path);
    written_ = last_written(watched_);
    hand_.attach(&simulation_->world());
    cells_ = cell_shapes(simulation_->world());
    if (sound_.attach(*simulation_)) set_voices("{\"type\": \"voices\", \"list\": [], \"searching\": true}");
    history_.begin({.scene = file.string(), .fps = simulation_->desc().world.fps, .frames = 0});
    hands_.clear(), turned_.clear(), told_knobs_.reset(), past_.clear();
    ++epoch_;
    numbers_ = {};
    stage_seconds_.clear();
    announce_scene();
    show_live();
}

void StudioSession::open_run(const fs::path& directory) {
    auto fresh = std::make_unique<RunDirectory>(directory);
    close_all();
    replay_ = std::move(fresh);
    cells_.reset();
    past_.clear();
    ++epoch_;
    shown_ = 0;
    announce_scene();
    tell_past(0);
    publish(std::make_shared<const Frame>(replay_->load(0)));
}

void StudioSession::announce_scene() {
    set_busy({});
    {
        const std::lock_guard lock(mutex_);
        scene_message_ = scene_text();
    }
    server_->send_all(scene_message_);
    next_frame_ = seconds_now();
}

void StudioSession::set_voices(const std::string& message) {
    {
        const std::lock_guard lock(mutex_);
        voices_message_ = message;
    }
    server_->send_all(message);
}

void StudioSession::tell_voices() {
    std::vector<std::string> notes;
    const std::string message = sound_.news(notes);
    for (const std::string& note : notes) tell("note", note);
    if (!message.empty()) set_voices(message);
}

/// Those of a scene's start are in its message; these came up since.
void StudioSession::tell_warnings() {
    if (!simulation_) return;
    const std::vector<Warning>& list = simulation_->warnings().list();
    for (; warnings_told_ < list.size(); ++warnings_told_) tell("note", list[warnings_told_].sentence());
}

void StudioSession::watch_file() {
    const double now = seconds_now();
    if (now - checked_ < look_at_file_every || source_.empty() || replay_) return;
    checked_ = now;
    std::error_code failed;
    if (!fs::exists(source_, failed) || last_written(watched_) == written_) return;
    const bool was_playing = playing_ || !simulation_;
    open(source_);
    if (simulation_) play(was_playing), tell("note", "Reloaded " + source_.filename().string() + ": the file changed.");
}

/// What the hand did is seen at once while time stands still; otherwise with the next frame.
void StudioSession::show_hand() {
    if (!playing_ && present_) publish(present_);
}

void StudioSession::play(bool on) {
    playing_ = on;
    next_frame_ = seconds_now();
    if (present_) publish(present_);
}

void StudioSession::go_on_from_shown() {
    if (!simulation_ || history_.empty() || shown_ >= history_.last()) return;
    const HandState then = hands_.at(shown_);
    // Materials first: what the state says of temperatures is put on top of them.
    World& w = simulation_->world();
    const std::vector<Knob> now = knobs(w);
    for (std::size_t i = 0; i < now.size() && i < then.knobs->size(); ++i)
        if (now[i].value != (*then.knobs)[i]) turn(w, now[i].body, now[i].name, (*then.knobs)[i]);
    simulation_->restore(history_.state(shown_));
    hand_.go_back(history_.time(shown_), then.pinned);
    history_.cut_after(shown_);
    hands_.erase(hands_.upper_bound(shown_), hands_.end());
    past_.erase(past_.upper_bound(shown_), past_.end());
    numbers_.energies_of = -1;
    ++branch_;
}

void StudioSession::set_knob(const std::string& body, const std::string& name, double value) {
    if (!turn(simulation_->world(), body, name, value)) return;
    for (const Knob& knob : knobs(simulation_->world()))  // as it was set: within its range
        if (knob.body == body && knob.name == name) hand_.note_knob(body, name, knob.value);
    turned_[(body.empty() ? "" : body + " ") + name] = {body, name};
}

void StudioSession::keep_hand() {
    auto values = std::make_shared<std::vector<double>>();
    for (const Knob& knob : knobs(simulation_->world())) values->push_back(knob.value);
    HandState state{hand_.pinned(), values, contacts_};
    // Seldom turned: frames share what they have in common.
    if (const auto before = hands_.find(shown_ - 1); before != hands_.end() && *before->second.knobs == *values)
        state.knobs = before->second.knobs;
    hands_[shown_] = std::move(state);
    hands_.erase(hands_.begin(), hands_.lower_bound(history_.first()));
    tell_knobs(shown_);
}

void StudioSession::tell_knobs(int index) {
    const auto found = hands_.find(index);
    if (found == hands_.end() || found->second.knobs == told_knobs_) return;
    told_knobs_ = found->second.knobs;
    server_->send_all(message_text("knobs", [&](JsonWriter& json) {
        json.key("values");
        json.begin_array();
        for (double value : *told_knobs_) json.value(value);
        json.end_array();
    }));
}

void StudioSession::advance() {
    const double start = seconds_now();
    double frame_seconds = 0.02;
    if (replay_) {
        frame_seconds = 1 / std::max(1e-3, replay_->info().fps);
        seek(shown_ + 1);
        if (shown_ + 1 >= replay_->frame_count()) play(false);
    } else {
        frame_seconds = 1 / simulation_->desc().world.fps;
        go_on_from_shown();
        int steps = 0;
        numbers_.iterations = 0;
        double seconds = 0;
        simulation_->advance([&](const StepReport& report, double took) {
            ++steps;
            seconds += took;
            numbers_.iterations += report.iterations;
            numbers_.contacts = report.contacts;
            hand_.note_time();
            obey_quick();
        });
        numbers_.step_ms = 1e3 * seconds / std::max(1, steps);
        numbers_.stages.clear();
        for (const auto& stage : simulation_->world().times.entries()) {
            double& before = stage_seconds_[stage.name];
            numbers_.stages.emplace_back(stage.name, 1e3 * (stage.seconds - before) / std::max(1, steps));
            before = stage.seconds;
        }
        show_live();
    }
    const double now = seconds_now();
    // Late frames are not made up for: the picture shows what is, not what should have been.
    next_frame_ = speed_ > 0 ? std::max(next_frame_ + frame_seconds / speed_, now - frame_seconds) : now;
    numbers_.seconds = now - start;
    const double least = speed_ > 0 ? frame_seconds / speed_ : 1e-6;  // the pace that was asked for
    const double rate = frame_seconds / std::max(now - start, least);
    numbers_.realtime += 0.1 * (rate - numbers_.realtime);
}

void StudioSession::seek(int index) {
    if (replay_) {
        shown_ = std::clamp(index, 0, replay_->frame_count() - 1);
        publish(std::make_shared<const Frame>(replay_->load(shown_)));
    } else if (simulation_ && !history_.empty()) {
        shown_ = std::clamp(index, history_.first(), history_.last());
        contacts_ = hands_.at(shown_).contacts;
        tell_knobs(shown_);
        publish(std::make_shared<const Frame>(history_.load(shown_)));
    }
}

void StudioSession::show_live() {
    Frame now = simulation_->show();
    // What was turned by hand is part of the record, as what the scene measures is.
    if (!turned_.empty())
        for (const Knob& knob : knobs(simulation_->world()))
            if (const std::string name = (knob.body.empty() ? "" : knob.body + " ") + knob.name; turned_.count(name))
                now.measures[name] = knob.value;
    const auto frame = std::make_shared<const Frame>(std::move(now));
    history_.add(*frame, simulation_->save());
    shown_ = frame->index;
    const World& w = simulation_->world();
    contacts_.clear();
    for (const Contact& c : w.contact.contacts()) {
        if (!(c.force > 0)) continue;
        const Vec3 force = c.force * c.normal;
        for (int k = 0; k < 3; ++k) contacts_.push_back(static_cast<float>(c.point[k]));
        for (int k = 0; k < 3; ++k) contacts_.push_back(static_cast<float>(force[k]));
    }
    keep_hand();
    if (const std::string strikes = sound_.strikes(*frame, simulation_->desc().world.fps); !strikes.empty())
        server_->send_all(strikes);
    if (const std::string tuning = sound_.tuning(simulation_->world()); !tuning.empty()) server_->send_all(tuning);
    publish(frame);
    const std::string& numbers = past_[shown_] =
        plot_numbers(*frame, numbers_.energies_of == shown_ ? numbers_.energies : "");
    server_->send_all("{\"type\": \"history\", \"frames\": [" + numbers + "]}");
}

std::string StudioSession::past_numbers() const {
    if (replay_) return numbers_of_run(source_);
    std::string text;
    for (const auto& [index, numbers] : past_) text += (text.empty() ? "" : ", ") + numbers;
    return text.empty() ? "" : "\"frames\": [" + text + "]";
}

void StudioSession::tell_past(ClientId client) {
    const std::string numbers = past_numbers();
    if (numbers.empty()) return;
    const std::string text = "{\"type\": \"history\", " + numbers + "}";
    client ? server_->send(client, text) : server_->send_all(text);
}

void StudioSession::keep_to_compare(bool on) {
    if (on && (!simulation_ || history_.empty())) return tell("note", "There is nothing to keep yet.");
    compared_ = on ? ComparedRun(history_, past_numbers()) : ComparedRun();
    tell_compared();
    if (present_) publish(present_);
}

void StudioSession::tell_compared(ClientId client) {
    const std::string& numbers = compared_.numbers();
    const std::string text = std::string("{\"type\": \"compared\", \"on\": ") + (compared_ ? "true" : "false") +
                             (numbers.empty() ? "" : ", " + numbers) + "}";
    client ? server_->send(client, text) : server_->send_all(text);
}

void StudioSession::publish(const std::shared_ptr<const Frame>& frame) {
    present_ = frame;
    std::shared_ptr<const Frame> shown = frame;
    try {
        shown = compared_.beside(frame);
    } catch (const UserError& error) {  // a damaged file of the other run
        compared_ = {};
        tell_compared();
        tell("note", error.what());
    }
    Picture picture{++serial_, epoch_, branch_, std::move(shown), info_text(*frame), cells_, contacts_};
    {
        const std::lock_guard lock(mutex_);
        picture_ = std::move(picture);
    }
    server_->wake();
}

void StudioSession::save(const std::string& name) {
    if (!simulation_) throw UserError("a run that is on disk already need not be saved again");
    const fs::path directory = options_.out / plain_name(name.empty() ? source_.stem().string() + "-studio" : name);
    ensure_directory(directory.string());
    const OutputLock lock(directory);
    history_.save(directory);
    write_camera(directory, simulation_->desc().camera);
    write_looks(directory, simulation_->desc());
    tell("saved", directory.string());
}

// ---- the server's thread -------------------------------------------------------------------------------------------

void StudioSession::opened(ClientId client) {
    pages_[client] = {};
    if (holder_ == 0) holder_ = client;
    std::string scene, error, voices, busy;
    {
        const std::lock_guard lock(mutex_);
        scene = scene_message_, error = error_message_, voices = voices_message_, busy = busy_with_;
    }
    server_->send(client, hello(client));
    server_->send(client, gallery_message_);
    if (!scene.empty()) server_->send(client, scene);
    if (!error.empty()) server_->send(client, error);
    if (!voices.empty()) server_->send(client, voices);
    if (!busy.empty()) tell("busy", busy, client);
    post([this, client] { sound_.tell_all_again(), tell_past(client), tell_compared(client); });
    tell_holder();
}

void StudioSession::tell_holder() {
    server_->send_all(message_text("hand", [&](JsonWriter& json) {
        json.entry("holder", holder_);
        json.entry("watchers", pages_.size());
    }));
}

void StudioSession::closed(ClientId client) {
    pages_.erase(client);
    if (holder_ == client) {
        holder_ = pages_.empty() ? 0 : pages_.begin()->first;
        post([this] { hand_.let_go(), hand_.stop_heat(); });
    }
    tell_holder();
}

std::vector<Bytes> StudioSession::pictures(ClientId client) {
    const auto page = pages_.find(client);
    if (page == pages_.end()) return {};
    Picture picture;
    {
        const std::lock_guard lock(mutex_);
        if (!picture_.frame || (picture_.serial == page->second.serial && !page->second.changed)) return {};
        picture = picture_;
    }
    return {std::make_shared<const std::string>(write_picture(picture, page->second))};
}

std::optional<Asset> StudioSession::asset(const std::string& path) {
    const auto found = assets_.find(path.empty() ? "index.html" : path);
    return found == assets_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pliant
