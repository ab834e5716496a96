#pragma once
// The studio's simulation: one thread that owns the world, fed with requests, leaving pictures for the server to fetch.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"
#include "pliant/server/server.hpp"
#include "studio_compare.hpp"
#include "studio_hand.hpp"
#include "studio_history.hpp"
#include "studio_sound.hpp"
#include "studio_stream.hpp"

namespace pliant {

struct StudioOptions {
    std::filesystem::path source;       ///< scene or run directory; empty: the start page
    std::filesystem::path compare;      ///< run directory that is shown beside it; empty: none
    SceneOptions scene;                 ///< how scenes are loaded
    std::filesystem::path out = "out";  ///< where sessions are saved
    int threads = 0;
    std::size_t history_bytes = std::size_t{1} << 30;
    bool paused = false;
};

class StudioSession {
public:
    explicit StudioSession(StudioOptions options);
    ~StudioSession();

    /// Where messages go; to be set before run().
    void connect(Server* server) { server_ = server; }
    /// Until stop(): simulates, shows, obeys.
    void run();
    void stop();

    // Called by the server's thread.
    void opened(ClientId client);
    void closed(ClientId client);
    bool message(ClientId client, const Json& json);
    bool full();  ///< so many requests wait that no more are taken for now
    std::vector<Bytes> pictures(ClientId client);
    std::optional<Asset> asset(const std::string& path);

private:
    // Requests, run on the session's thread.
    /// between_steps: what a hand does need not wait for the end of a frame.
    void post(std::function<void()> request, bool between_steps = false);
    void obey();
    void obey_quick();
    bool view_order(ClientId client, const Json& json);
    bool order(ClientId client, const std::string& op, const Json& json);
    bool hand_order(const std::string& op, const Json& json);

    void open(const std::filesystem::path& source);
    void open_scene(const std::filesystem::path& file);
    void open_run(const std::filesystem::path& directory);
    void close_all();
    void watch_file();
    void tell_voices();
    void tell_warnings();
    void set_voices(const std::string& message);
    void play(bool on);
    void advance();
    void go_on_from_shown();
    bool warm(const std::string& body, const Vec3& at, double radius, double temperature, double power);
    void set_knob(const std::string& body, const std::string& name, double value);
    void keep_hand();
    void show_hand();
    void tell_knobs(int index);
    void tell_holder();
    void announce_scene();
    void seek(int index);
    void show_live();
    void publish(const std::shared_ptr<const Frame>& frame);
    void save(const std::string& name);
    void fail(const std::exception& error);
    void set_busy(const std::string& text);
    /// The numbers of all frames so far, for the plots of a page that has just come.
    void tell_past(ClientId client);
    std::string past_numbers() const;
    /// Keeps what the session went through, to be shown beside what comes; or no longer does.
    void keep_to_compare(bool on);
    void tell_compared(ClientId client = 0);

    std::string hello(ClientId client);
    std::string scene_text() const;
    std::string gallery_text() const;
    std::string info_text(const Frame& frame);
    void measure_bodies();
    void tell(std::string_view type, const std::string& text, ClientId client = 0);

    StudioOptions options_;
    Server* server_ = nullptr;

    // The session's thread.
    std::unique_ptr<Simulation> simulation_;
    std::unique_ptr<RunDirectory> replay_;
    std::filesystem::path source_;
    std::vector<std::filesystem::path> watched_;  ///< the scene and what it reads
    std::filesystem::file_time_type written_{};   ///< when the latest of them was
    History history_;
    ComparedRun compared_;
    std::shared_ptr<const Frame> present_;  ///< what pages show, without what is compared
    StudioHand hand_;
    StudioSound sound_;
    bool playing_ = false;
    double speed_ = 1;                 ///< 1: real time; 0: as fast as it goes
    int shown_ = 0;                    ///< frame in the picture
    double next_frame_ = 0;            ///< when it is due, s
    std::uint64_t drawn_epoch_ = 0;    ///< that a page has on its screen: time waits for it
    std::map<int, std::string> past_;  ///< numbers of each frame of this session, as JSON for plots
    double checked_ = 0;               ///< when the file was last looked at, s
    std::size_t warnings_told_ = 0;
    /// What hands had set at a frame, besides what the simulation itself remembers.
    struct HandState {
        std::vector<StudioHand::Pinned> pinned;
        std::shared_ptr<const std::vector<double>> knobs;  ///< in the order of knobs(world)
        std::vector<float> contacts;                       ///< as pictures show them
    };
    std::map<int, HandState> hands_;                                     ///< by frame, for all of history_
    std::map<std::string, std::pair<std::string, std::string>> turned_;  ///< name in the measures → body and name
    std::shared_ptr<const std::vector<double>> told_knobs_;              ///< as pages show them
    std::vector<float> contacts_;
    std::shared_ptr<const std::vector<CellShapes>> cells_;
    struct {
        double step_ms = 0, iterations = 0, seconds = 0, realtime = 0;
        int contacts = 0;
        std::vector<std::pair<std::string, double>> stages;
        std::string energies;      ///< volumes and energies, JSON of the bodies
        int energies_of = -1;      ///< the frame that these are of
        double energies_at = -1;   ///< when they were taken, s
        double energies_cost = 0;  ///< how long that took, s
    } numbers_;
    std::map<std::string, double> stage_seconds_;

    // Between the threads.
    std::mutex mutex_;
    std::condition_variable bell_;
    std::deque<std::function<void()>> requests_, quick_requests_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> listeners_wait_{false};  ///< the server was told that no more requests are taken
    Picture picture_;
    std::string scene_message_, error_message_, gallery_message_, voices_message_;
    std::string busy_with_;  ///< what pages wait for; empty: nothing
    std::uint64_t epoch_ = 0, branch_ = 0, serial_ = 0;

    // The server's thread.
    std::map<ClientId, PageView> pages_;
    ClientId holder_ = 0;
    std::map<std::string, Asset> assets_;
};

/// The page's files, by the path they are asked for. UserError when they are missing.
std::map<std::string, Asset> studio_assets();

}  // namespace pliant
