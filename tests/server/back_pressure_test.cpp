// A slow page gets fewer pictures, never old ones, and nobody waits for it.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "pliant/core/timer.hpp"
#include "pliant/server/server.hpp"

namespace pliant {
namespace {

class Page {
public:
    explicit Page(const Server& server) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
        EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        const std::string host = "127.0.0.1:" + std::to_string(server.port());
        write("GET /" + server.token() + "/live HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        std::string text;
        while (text.find("\r\n\r\n") == std::string::npos) text += read(1);
        EXPECT_NE(text.find(" 101 "), std::string::npos);
    }
    ~Page() { ::close(fd_); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    void ready() { text("{\"op\": \"ready\"}"); }
    void text(const std::string& message) { frame('\x81', message); }
    void ping(int number) {
        std::string payload = std::to_string(number);
        frame('\x89', payload + std::string(125 - payload.size(), ' '));
    }
    std::string pong() { return message(0x8A); }
    /// Gives up on what does not come within this time.
    void patience(int seconds) {
        const timeval limit{seconds, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    std::string picture() { return message(0x82); }
    std::string words() { return message(0x81); }

private:
    std::string message(unsigned char kind) {
        const std::string head = read(2);
        if (head.empty()) return {};
        EXPECT_EQ(static_cast<unsigned char>(head[0]), kind);
        std::size_t size = static_cast<unsigned char>(head[1]);
        if (size >= 126) {
            const std::string digits = read(size == 126 ? 2 : 8);
            size = 0;
            for (char c : digits) size = (size << 8) | static_cast<unsigned char>(c);
        }
        return read(size);
    }
    void frame(char kind, const std::string& payload) {
        std::string bytes(1, kind);
        bytes += static_cast<char>(0x80 | payload.size());
        write(bytes + std::string(4, '\0') + payload);
    }
    void write(const std::string& bytes) {
        EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
    }
    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        for (std::size_t have = 0; have < size;) {
            const ssize_t n = ::recv(fd_, bytes.data() + have, size - have, 0);
            if (n <= 0) return {};
            have += static_cast<std::size_t>(n);
        }
        return bytes;
    }
    int fd_;
};

TEST(BackPressure, ASlowPageSeesTheNewestAndSlowsNobody) {
    std::atomic<std::uint64_t> newest{0};
    std::map<ClientId, std::uint64_t> seen;
    const std::string load(3 << 20, 'x');  // larger than socket buffers: an unread picture blocks the line
    ServerHandler handler;
    handler.pictures = [&](ClientId client) -> std::vector<Bytes> {
        const std::uint64_t now = newest;
        if (seen[client] == now) return {};
        seen[client] = now;
        std::string bytes(reinterpret_cast<const char*>(&now), sizeof now);
        return {std::make_shared<const std::string>(bytes + load)};
    };
    Server server({}, handler);
    Page slow(server), quick(server);
    slow.ready();

    const auto number = [](const std::string& picture) {
        std::uint64_t n = 0;
        std::memcpy(&n, picture.data(), sizeof n);
        return n;
    };
    // The quick page takes 40 pictures in turn while the slow one reads nothing at all.
    newest = 1;
    server.wake();
    for (std::uint64_t i = 1; i <= 40; ++i) {
        newest = i;
        quick.ready();
        server.wake();
        EXPECT_EQ(number(quick.picture()), i);
    }
    // What was on its way when it stopped reading is old by now; the next one it asks for is the newest.
    EXPECT_EQ(number(slow.picture()), 1u);
    slow.ready();
    EXPECT_EQ(number(slow.picture()), 40u);
}

TEST(BackPressure, WordsDoNotKeepAPictureBack) {
    std::atomic<bool> there{false};
    std::atomic<int> asked{0};
    ServerHandler handler;
    handler.pictures = [&](ClientId) -> std::vector<Bytes> {
        ++asked;
        if (!there) return {};
        return {std::make_shared<const std::string>("picture")};
    };
    Server server({}, handler);
    Page page(server);
    page.patience(20);
    page.ready();
    while (asked == 0) std::this_thread::yield();  // it waits for a picture from now on
    // Words and a picture become known at once, and one ring of the bell tells of both.
    there = true;
    server.send_all("{}");
    EXPECT_EQ(page.words(), "{}");
    EXPECT_EQ(page.picture(), "picture");
}

/// Pings that nobody waits for: the answers must not pile up while the page reads nothing.
TEST(BackPressure, OfManyPingsTheLastIsAnswered) {
    Server server({}, {});
    Page page(server);
    page.patience(20);
    const int pings = 400000;  // 50 MB, many times what waits in sockets
    std::thread sender([&] {
        for (int i = 0; i < pings; ++i) page.ping(i);
    });
    sender.join();
    int answers = 0, last = -1;
    while (last != pings - 1) {
        const std::string pong = page.pong();
        if (pong.empty()) break;
        ++answers;
        last = std::stoi(pong);
    }
    std::printf("%d pings, %d answers\n", pings, answers);
    EXPECT_EQ(last, pings - 1);
    EXPECT_LT(answers, pings / 2);
}

/// What cannot be taken now waits with the page, and is taken later, in order.
TEST(BackPressure, OrdersWaitWhileThereIsNoRoom) {
    std::atomic<int> taken{0};
    std::atomic<bool> room{true};
    ServerHandler handler;
    handler.message = [&](ClientId, const Json& json) {
        EXPECT_EQ(json.integer("n", 0, 1 << 30), taken.load());
        ++taken;
        if (taken % 100 == 0) room = false;
        return true;
    };
    handler.full = [&] { return !room; };
    Server server({}, handler);
    Page page(server);
    const int orders = 5000;
    std::thread sender([&] {
        for (int i = 0; i < orders; ++i) page.text("{\"n\": " + std::to_string(i) + "}");
    });
    for (int round = 1; round <= orders / 100; ++round) {
        while (taken < 100 * round) std::this_thread::yield();
        if (round % 10 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(taken, 100 * round);  // and none more, however long one waits
        room = true;
        server.wake();
    }
    sender.join();
    EXPECT_EQ(taken, orders);
}

TEST(BackPressure, MegabytesPerSecond) {
    const std::string load(1200000, 'x');  // 100,000 triangles: 50,000 points and their values as float32, and a header
    std::atomic<std::uint64_t> newest{0};
    ServerHandler handler;
    handler.pictures = [&](ClientId) -> std::vector<Bytes> { return {std::make_shared<const std::string>(load)}; };
    Server server({}, handler);
    Page page(server);
    const double start = seconds_now();
    constexpr int pictures = 100;
    for (int i = 0; i < pictures; ++i) {
        page.ready();
        EXPECT_EQ(page.picture().size(), load.size());
    }
    const double rate = pictures / (seconds_now() - start);
    std::printf("transport: %.0f pictures of 1.2 MB per second over loopback\n", rate);
}

}  // namespace
}  // namespace pliant
