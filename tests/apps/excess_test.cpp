// What goes beyond all measure ends with a sentence, at once: scenes that ask for too much, numbers that cannot be
// held, folders that two runs want, signals, and pages that send without end.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "../scenes/pliant_process.hpp"
#include "pliant/core/timer.hpp"

namespace pliant::test {
namespace {

class Excess : public testing::Test {
protected:
    std::string at(const std::string& name) const { return (folder.path / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(at(name)) << text;
        return at(name);
    }
    Outcome run_scene(const std::string& text, std::vector<std::string> flags = {"--no-out"}) const {
        flags.insert(flags.begin(), {"run", write("scene.lua", text)});
        return run_pliant(flags, folder.path);
    }
    /// One sentence that holds all of these words, status 1, within a few seconds.
    void expect_refused(const std::string& text, const std::vector<std::string>& words) const {
        SCOPED_TRACE(text);
        const double start = seconds_now();
        const Outcome outcome = run_scene(text);
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_LT(seconds_now() - start, 10);
        EXPECT_EQ(outcome.err.rfind("pliant: ", 0), 0U) << outcome.err;
        EXPECT_EQ(outcome.err.find("internal"), std::string::npos) << outcome.err;
        for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
    }

    TemporaryFolder folder;
};

TEST_F(Excess, WhatASceneAsksForIsEstimatedFirst) {
    const std::string world = "world { dt = 0.01, duration = 0.02, patience = 5 } ";
    expect_refused(
        world + "fem_body { surface = box { size = {1, 1, 1} }, volume = grid { cells = {1000, 1000, 1000} } }",
        {"a grid of 1,000 × 1,000 × 1,000 cubes", "GB of memory", "Use fewer cells", "scene.lua:1"});
    expect_refused(
        world + "modal_body { surface = sphere { radius = 0.1 }, volume = lattice { tets = 20000 }, modes = 5000 }",
        {"5,000 modes of", "would take about", "min to make", "patience"});
    expect_refused(world + "fem_body { surface = sphere { radius = 0.1 }, triangles = 20000000 }",
                   {"a surface this fine", "would take about", "Ask for fewer triangles"});
    expect_refused(world +
                       "fem_body { surface = difference { shell { sphere { radius = 0.5 }, wall = 0.0005 }, "
                       "box { size = {1, 1, 1}, at = {0, 0.5, 0} } } }",
                   {"a surface this fine", "thicker wall"});
    expect_refused(world + "fem_body { surface = box { size = {1, 1, 1} }, volume = lattice { cell = 1e-4 } }",
                   {"tets would need about", "Use a larger cell"});
    expect_refused(
        world +
            "fem_body { surface = sphere { radius = 0.1 }, volume = lattice { tets = 200000 }, material = "
            "{ vary = function(x, y, z) local s = 0 for i = 1, 20000 do s = s + i end return { young = 1e5 } "
            "end } }",
        {"its material, asked for in", "make the function shorter"});
}

TEST_F(Excess, StepsOfLeapFrogAreCounted) {
    for (const char* dt : {"1e-10", "1e-12", "1e-13", "1e-300"})
        expect_refused(
            std::string("world { dt = 0.01, duration = 0.02 } particle_body { surface = box { size = {1, 1, 1} }, "
                        "volume = grid { cells = {2, 2, 2} }, integrator = leap_frog { dt = ") +
                dt + " } }",
            {"steps of leap_frog", "Use a larger dt"});
}

TEST_F(Excess, NumbersThatCannotBeHeldAreNamed) {
    for (const char* kind : {"fem_body", "particle_body", "modal_body"})
        for (const char* numbers :
             {"density = 5e-324", "density = 1e-200", "density = 1e300", "young = 5e-324", "young = 1e300"}) {
            const std::string material = std::string("material = { poisson = 0.3, ") + numbers + " } }";
            expect_refused(std::string("world { dt = 0.01, duration = 0.02 } ") + kind +
                               " { surface = sphere { radius = 0.1 }, volume = lattice { tets = 300 }, " + material,
                           {"to calculate with", "Check its size", "scene.lua:1"});
        }
    expect_refused(
        "world { dt = 0.01, duration = 0.1 } fem_body { surface = sphere { radius = 0.1 }, "
        "velocity = {1e200, 0, 0} }",
        {"beyond all numbers", "Check its velocity"});
    expect_refused(
        "world { dt = 0.01, duration = 0.1 } local b = fem_body { surface = sphere { radius = 0.1 } } "
        "pull { body = b, inside = sphere { radius = 1 }, force = function(t) return 1e300, 0, 0 end }",
        {"body"});
}

TEST_F(Excess, OddTetsAreRefusedOrNoted) {
    const std::string head =
        "MeshVersionFormatted 1\nDimension 3\nVertices\n6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "1 1 1 0\n0.5 0.5 0 0\nTetrahedra\n";
    write("flat.mesh", head + "3\n1 2 3 4 0\n2 3 4 5 0\n1 2 3 6 0\nEnd\n");
    write("good.mesh", head + "2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n");
    write("odd.mesh", head + "5\n1 2 3 4 0\n2 3 4 5 0\n3 2 4 5 0\n2 3 4 5 0\n1 2 2 3 0\nEnd\n");
    for (const char* model : {"spring", "cmpm1", "cmpm2", "cmpm3"})
        expect_refused(std::string("world { dt = 0.01, duration = 0.02 } particle_body { model = \"") + model +
                           "\", volume = tets \"flat.mesh\" }",
                       {"tet 2", "flat"});
    for (const char* kind : {"fem_body", "particle_body", "modal_body"}) {
        const std::string scene = std::string("world { dt = 0.01, duration = 0.02 } ") + kind + " { volume = tets \"";
        const Outcome odd = run_scene(scene + "odd.mesh\" }", {"--no-out", "--report", at("odd.json")});
        const Outcome good = run_scene(scene + "good.mesh\" }", {"--no-out", "--report", at("good.json")});
        EXPECT_EQ(odd.status, 0) << odd.err;
        EXPECT_NE(odd.err.find("note: odd.mesh: left out 1 tet in which a node occurs twice."), std::string::npos)
            << odd.err;
        EXPECT_NE(odd.err.find("note: odd.mesh: left out 2 tets with the same nodes as another."), std::string::npos);
        EXPECT_NE(content(at("odd.json")).find("left out 2 tets"), std::string::npos);
        EXPECT_EQ(reported(at("odd.json"), "state_hash"), reported(at("good.json"), "state_hash"));
    }
}

const char* const long_scene =
    "world { dt = 0.01, duration = 3000 } fem_body { surface = sphere { radius = 0.1 }, volume = lattice { tets = 500 "
    "} }";

bool has_frames(const fs::path& out) {
    std::error_code failed;
    for (const auto& entry : fs::recursive_directory_iterator(out, failed))
        if (entry.is_regular_file()) return true;
    return false;
}

TEST_F(Excess, TwoRunsIntoOneFolder) {
    const std::string scene = write("long.lua", long_scene);
    const pid_t first = start_pliant({"run", scene, "-o", at("out")}, at("first.txt"));
    for (int i = 0; i < 1000 && !has_frames(at("out")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Outcome second = run_pliant({"run", scene, "-o", at("out"), "--frames", "2"}, folder.path);
    EXPECT_EQ(second.status, 1);
    EXPECT_NE(second.err.find("another run is writing into this folder"), std::string::npos) << second.err;
    kill(first, SIGKILL);
    wait_for(first, at("first.txt"));
    const Outcome third = run_pliant({"run", scene, "-o", at("out"), "--frames", "2"}, folder.path);
    EXPECT_EQ(third.status, 0) << third.err;  // a run that was killed holds nothing
}

TEST_F(Excess, AClosedTerminalStopsARunWithASentence) {
    const std::string scene = write("long.lua", long_scene);
    const pid_t child = start_pliant({"run", scene, "-o", at("out")}, at("log.txt"));
    for (int i = 0; i < 1000 && !has_frames(at("out")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(child, SIGHUP);
    const Outcome outcome = wait_for(child, at("log.txt"));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("stopped at frame"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
}

TEST_F(Excess, SignalsWhileASceneIsBuiltEndWithASentence) {
    for (int signal : {SIGHUP, SIGTERM, SIGINT}) {
        const std::string scene = write("slow.lua",
                                        "world { patience = 1e9 } modal_body { surface = sphere { radius = 1 }, "
                                        "volume = lattice { tets = 100000 }, modes = 2000 }");
        const fs::path log = at("log" + std::to_string(signal));
        const pid_t child = start_pliant({"run", scene, "-o", at("out")}, log);
        // It says what it is about to do before it begins.
        const fs::path errors = errors_beside(log);
        for (int i = 0; i < 3000 && content(errors).find("2,000 modes") == std::string::npos; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(child, signal);
        const Outcome outcome = wait_for(child, log);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_NE(outcome.err.find("pliant: stopped"), std::string::npos) << outcome.err;
    }
}

TEST_F(Excess, ARunOfManyShortStepsIsAnnounced) {
    // 10¹⁰ steps; the world's own step of 10⁻³ s takes some of a second.
    const std::string scene =
        write("long.lua",
              "world { dt = 1e-3, duration = 1000, fps = 1000 } particle_body { surface = box { size = {1, 1, 1} }, "
              "volume = grid { cells = {2, 2, 2} }, integrator = leap_frog { dt = 1e-7 } }");
    const Outcome outcome = run_pliant({"run", scene, "--no-out", "--frames", "1"}, folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("the run is 1e+10 steps of leap_frog, which take about"), std::string::npos)
        << outcome.err;
}

TEST_F(Excess, WhatModesCannotReachIsSaidWithHowMuchIsMissing) {
    const std::string scene = write("far.lua", R"(world { duration = 0.1, gravity = {0, 0, 0} }
local b = modal_body { name = "bar", surface = box { size = {1, 0.1, 0.1} }, volume = grid { cells = {10, 1, 1} },
  material = { young = 1e5, density = 1000 }, modes = 1, hold = box { size = {0.02, 1, 1}, at = {-0.5, 0, 0} } }
drag { body = b, at = {0.5, 0, 0}, to = {1, 0, 0} })");
    const Outcome outcome = run_pliant({"run", scene, "--no-out"}, folder.path);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::printf("%s", outcome.err.c_str());  // one mode, across the bar: the half metre along it is missing
    EXPECT_NE(outcome.err.find("body 'bar': a held point stays 0.5 m away from where it is told to be"),
              std::string::npos)
        << outcome.err;
}

TEST_F(Excess, AFileBeyondTheUsersLimitIsAWriteThatFails) {
    const std::string scene = write("long.lua", long_scene);
    const std::string command = "ulimit -f 4; exec " PLIANT_BINARY " run " + scene + " -o " + at("out") +
                                " --frames 20 -q 2> " + at("errors.txt");
    const int status = std::system(("bash -c '" + command + "'").c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    const std::string words = content(at("errors.txt"));
    std::printf("%s", words.c_str());
    EXPECT_EQ(words.rfind("pliant: ", 0), 0U) << words;
    EXPECT_NE(words.find(at("out")), std::string::npos) << words;
}

/// A page of the studio, by hand.
class StudioPage {
public:
    StudioPage(const std::string& url) {
        const auto colon = url.find(':', 7), slash = url.find('/', 8);
        const int port = std::stoi(url.substr(colon + 1));
        fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        const std::string host = "127.0.0.1:" + std::to_string(port);
        send_bytes("GET " + url.substr(slash) + "live HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
                   "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        wait_for_words(" 101 ");
    }
    ~StudioPage() { ::close(fd_); }
    StudioPage(const StudioPage&) = delete;
    StudioPage& operator=(const StudioPage&) = delete;

    void send(const std::string& message) {
        std::string frame = "\x81";
        frame += static_cast<char>(0x80 | message.size());
        send_bytes(frame + std::string(4, '\0') + message);
    }
    /// False when the other side does not take more.
    bool send_at_once(const std::string& message) {
        std::string frame = "\x81";
        frame += static_cast<char>(0x80 | message.size());
        frame += std::string(4, '\0') + message;
        return ::send(fd_, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
               static_cast<ssize_t>(frame.size());
    }
    bool wait_for_words(const std::string& words) {
        const timeval limit{10, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        char buffer[4096];
        while (heard_.find(words) == std::string::npos) {
            const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
            if (n <= 0) return false;
            heard_.append(buffer, static_cast<std::size_t>(n));
        }
        return true;
    }

private:
    void send_bytes(const std::string& bytes) {
        EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    int fd_ = -1;
    std::string heard_;
};

std::string address_in(const fs::path& log) {
    for (int i = 0; i < 1000; ++i) {
        const std::string text = content(log);
        const auto at = text.find("http://");
        if (at != std::string::npos && text.find('\n', at) != std::string::npos)
            return text.substr(at, text.find('\n', at) - at);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return {};
}

TEST_F(Excess, APageThatOrdersWithoutEndStopsNobody) {
    const std::string scene =
        write("long.lua",
              "world { dt = 0.01, duration = 3000 } fem_body { surface = sphere { radius = 0.1 }, "
              "volume = lattice { tets = 60000 } }");
    const fs::path log = at("studio.txt");
    const pid_t child = start_pliant({"studio", scene, "--no-open", "-o", at("out")}, log);
    const std::string url = address_in(log);
    ASSERT_FALSE(url.empty()) << content(errors_beside(log));
    {
        StudioPage page(url);
        ASSERT_TRUE(page.wait_for_words("\"type\": \"scene\""));
        int taken = 0;
        // Every one of these simulates a frame; the rest of them waits with the page.
        while (taken < 100000 && page.send_at_once("{\"op\": \"step\"}")) ++taken;
        std::printf("%d orders were sent before the line was full\n", taken);
        EXPECT_GT(taken, 1000);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const double start = seconds_now();
        kill(child, SIGTERM);
        const Outcome outcome = wait_for(child, log);
        EXPECT_EQ(outcome.status, 0) << outcome.words;
        std::printf("it ended %.2f s after it was asked to\n", seconds_now() - start);
        EXPECT_LT(seconds_now() - start, 3);
    }
}

TEST_F(Excess, ASessionIsSavedInAFolderOfItsOwn) {
    const std::string scene = write("long.lua", long_scene);
    const fs::path log = at("studio.txt");
    const pid_t child = start_pliant({"studio", scene, "--no-open", "--paused", "-o", at("out")}, log);
    const std::string url = address_in(log);
    ASSERT_FALSE(url.empty()) << content(errors_beside(log));
    {
        StudioPage page(url);
        ASSERT_TRUE(page.wait_for_words("\"type\": \"scene\""));
        for (const char* name : {"..", ".", "..."}) {
            page.send(std::string("{\"op\": \"save\", \"name\": \"") + name + "\"}");
            EXPECT_TRUE(page.wait_for_words("'" + std::string(name) + "' cannot be the name of a folder"));
        }
        page.send("{\"op\": \"save\", \"name\": \"../sideways\"}");
        EXPECT_TRUE(page.wait_for_words("\"saved\""));
    }
    kill(child, SIGTERM);
    EXPECT_EQ(wait_for(child, log).status, 0);
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(at("out"))) found.push_back(entry.path().filename().string());
    EXPECT_EQ(found, std::vector<std::string>{"-sideways"});
}

}  // namespace
}  // namespace pliant::test
