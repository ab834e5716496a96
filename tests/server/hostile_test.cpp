// The list of requests that must not get through, and those that must.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "pliant/core/rng.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/server/http.hpp"
#include "pliant/server/server.hpp"
#include "pliant/server/sha1.hpp"
#include "pliant/server/websocket.hpp"

namespace pliant {
namespace {

/// A browser, a bad one or a broken one.
class Client {
public:
    explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
    ~Client() { ::close(fd_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return;  // turned away already
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    /// Until the other side closes, or `until` is in what came, or nothing comes any more.
    std::string read(std::string_view until = {}, int milliseconds = 10000) {
        while (until.empty() || text_.find(until) == std::string::npos) {
            pollfd p{fd_, POLLIN, 0};
            if (::poll(&p, 1, milliseconds) <= 0) break;
            char buffer[65536];
            const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
            if (n <= 0) {
                closed_ = true;
                break;
            }
            text_.append(buffer, static_cast<std::size_t>(n));
        }
        return text_;
    }
    bool closed() const { return closed_; }

private:
    int fd_;
    std::string text_;
    bool closed_ = false;
};

std::string masked(int first, std::string_view payload, bool mask = true) {
    std::string frame(1, static_cast<char>(first));
    const int bit = mask ? 0x80 : 0;
    if (payload.size() < 126) {
        frame += static_cast<char>(bit | static_cast<int>(payload.size()));
    } else {
        frame += static_cast<char>(bit | 127);
        for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift);
    }
    const std::string key = "\x11\x22\x33\x44";
    if (mask) frame += key;
    for (std::size_t i = 0; i < payload.size(); ++i)
        frame += mask ? static_cast<char>(payload[i] ^ key[i % 4]) : payload[i];
    return frame;
}

class Hostile : public testing::Test {
protected:
    Hostile() {
        ServerHandler handler;
        handler.asset = [this](const std::string& path) -> std::optional<Asset> {
            ++asked_;
            if (path.empty() || path == "app.js")
                return Asset{"text/html", std::make_shared<const std::string>("THE PAGE")};
            return std::nullopt;
        };
        handler.message = [this](ClientId, const Json& json) {
            if (json.text("op") != "hit") return false;
            ++hits_;
            return true;
        };
        ServerOptions options;
        options.token = token_;
        options.request_seconds = 0.4;
        options.malformed = 8;
        server_ = std::make_unique<Server>(options, std::move(handler));
        host_ = "127.0.0.1:" + std::to_string(server_->port());
    }

    std::string get(const std::string& target, const std::string& headers) {
        return "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n";
    }
    std::string upgrade(const std::string& target, const std::string& host, const std::string& origin) {
        return "GET " + target + " HTTP/1.1\r\n" + host + origin +
               "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    }
    /// True if the server gave anything away: the page, or a WebSocket.
    bool passes(const std::string& bytes) {
        ++tried_;
        Client client(server_->port());
        client.send(bytes);
        const std::string answer = client.read("\r\n\r\n");
        return answer.find(" 200 ") != std::string::npos || answer.find(" 101 ") != std::string::npos ||
               answer.find("THE PAGE") != std::string::npos;
    }

    const std::string token_ = "0123456789abcdef0123456789abcdef";
    std::atomic<int> asked_{0}, hits_{0};
    int tried_ = 0;
    std::string host_;
    std::unique_ptr<Server> server_;
};

TEST_F(Hostile, HonestRequestsPass) {
    EXPECT_TRUE(passes(get("/" + token_ + "/", "Host: " + host_ + "\r\n")));
    EXPECT_TRUE(
        passes(get("/" + token_ + "/app.js", "Host: localhost:9000\r\nSec-Fetch-Site: same-origin\r\n")));  // a tunnel
    EXPECT_TRUE(passes(get("/" + token_ + "/", "Host: [::1]\r\nSec-Fetch-Site: none\r\n")));
    EXPECT_TRUE(passes(upgrade("/" + token_ + "/live", "Host: " + host_ + "\r\n", "Origin: http://" + host_ + "\r\n")));
}

TEST_F(Hostile, NoneOfTheListPasses) {
    const std::string good_host = "Host: " + host_ + "\r\n", good_origin = "Origin: http://" + host_ + "\r\n";
    std::vector<std::string> requests;
    // Tokens: missing, cut, longer, other case, nearly right in every place, as a query, a header or a cookie.
    for (const std::string target :
         {"/", "/live", "/app.js", "//", "/%30123456789abcdef0123456789abcdef/", "/0123456789abcdef0123456789abcde/",
          "/0123456789abcdef0123456789abcdef0/", "/0123456789ABCDEF0123456789ABCDEF/",
          "/?token=0123456789abcdef0123456789abcdef", "/index.html?0123456789abcdef0123456789abcdef",
          "/x/0123456789abcdef0123456789abcdef/"}) {
        requests.push_back(get(target, good_host));
        requests.push_back(
            get(target, good_host + "Cookie: token=" + token_ + "\r\nAuthorization: Bearer " + token_ + "\r\n"));
        requests.push_back(upgrade(target, good_host, good_origin));
    }
    for (std::size_t i = 0; i < token_.size(); ++i) {
        std::string wrong = token_;
        wrong[i] = wrong[i] == 'f' ? 'e' : 'f';
        requests.push_back(get("/" + wrong + "/", good_host));
        requests.push_back(upgrade("/" + wrong + "/live", good_host, good_origin));
    }
    // Foreign hosts: DNS rebinding, and names that look like ours.
    for (const std::string host : {"evil.example",
                                   "evil.example:80",
                                   "127.0.0.1.evil.example",
                                   "localhost.evil.example",
                                   "127.0.0.1:80@evil.example",
                                   "0.0.0.0",
                                   "127.0.0.2",
                                   "127.1",
                                   "2130706433",
                                   "localhost:",
                                   "localhost:123456",
                                   "localhost:80a",
                                   "127.0.0.1:80:80",
                                   "[::]",
                                   "[::1]evil",
                                   "LOCALHOSTX",
                                   "::1",
                                   " ",
                                   "localhost,evil.example",
                                   "evil.example, localhost",
                                   "192.168.0.1",
                                   "[::ffff:127.0.0.1]"})
        for (const std::string& target : {"/" + token_ + "/", "/" + token_ + "/app.js", "/" + token_ + "/live"}) {
            requests.push_back(get(target, "Host: " + host + "\r\n"));
            requests.push_back(upgrade(target, "Host: " + host + "\r\n", "Origin: http://" + host + "\r\n"));
        }
    requests.push_back(get("/" + token_ + "/", ""));                                    // no Host at all
    requests.push_back(get("/" + token_ + "/", good_host + "Host: evil.example\r\n"));  // two of them
    requests.push_back(get("/" + token_ + "/", "Host: evil.example\r\n" + good_host));
    // Origins that are not the page's own.
    for (const std::string& origin : std::vector<std::string>{
             "null", "http://evil.example", "https://" + host_, "http://localhost:1", "http://127.0.0.1",
             "http://" + host_ + ".evil.example", "http://" + host_ + "/", "file://", "chrome-extension://abc", "",
             "http://evil.example#http://" + host_, host_}) {
        requests.push_back(get("/" + token_ + "/", good_host + "Origin: " + origin + "\r\n"));
        requests.push_back(upgrade("/" + token_ + "/live", good_host, "Origin: " + origin + "\r\n"));
    }
    requests.push_back(upgrade("/" + token_ + "/live", good_host, ""));  // browsers always have one here
    for (const char* site : {"cross-site", "same-site", "evil"})
        requests.push_back(get("/" + token_ + "/", good_host + "Sec-Fetch-Site: " + site + "\r\n"));
    // Ways out of the folder.
    for (const std::string path : {"../",
                                   "../../etc/passwd",
                                   "..%2f..%2fetc%2fpasswd",
                                   "%2e%2e/%2e%2e/etc/passwd",
                                   "....//....//etc/passwd",
                                   "/etc/passwd",
                                   "//etc/passwd",
                                   "..\\..\\windows\\win.ini",
                                   "app.js/../../secret",
                                   "./app.js",
                                   "app.js%00.html",
                                   "app.js/",
                                   "APP.JS",
                                   "thumbs/../app.js",
                                   "~root/.ssh/id_rsa",
                                   "proc/self/environ",
                                   ".git/config",
                                   "node_modules/../package.json",
                                   "file:///etc/passwd",
                                   "..;/app.js",
                                   "%c0%ae%c0%ae/etc/passwd",
                                   "app.js#",
                                   "live/../app.js"})
        requests.push_back(get("/" + token_ + "/" + path, good_host));
    // Other methods, other protocols, requests that two readers would read differently.
    for (const char* method :
         {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "G ET", "", "HEAD\tX"})
        requests.push_back(std::string(method) + " /" + token_ + "/ HTTP/1.1\r\n" + good_host + "\r\n");
    for (const char* line : {"HTTP/1.0", "HTTP/2", "HTTP/1.1 ", "http/1.1", "", "HTTP/1.1\tX", "RTSP/1.0"})
        requests.push_back("GET /" + token_ + "/ " + line + "\r\n" + good_host + "\r\n");
    for (const std::string header :
         {"Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", "Content-Length: 0\r\nContent-Length: 5\r\n",
          " folded: x\r\n", "no colon\r\n", ": empty\r\n", "bad name: x\r\n", "Name : x\r\n", "X: a\rb\r\n",
          "X: a\nY: b\r\n", "X: \x01\r\n", "Content-Length: -1\r\n", "Content-Length: 0x0\r\n"})
        requests.push_back(get("/" + token_ + "/", good_host + header));
    requests.push_back("GET http://" + host_ + "/" + token_ + "/ HTTP/1.1\r\n" + good_host + "\r\n");
    requests.push_back("GET /" + token_ + "/ HTTP/1.1\n" + good_host + "\n\n\r\n\r\n");
    requests.push_back("GET /" + token_ + "/ x HTTP/1.1\r\n" + good_host + "\r\n");
    requests.push_back(get("/" + token_ + "/", good_host) + get("/" + token_ + "/", good_host) + "x");  // pipelined
    requests.push_back(get("/" + token_ + "/", good_host + "X: " + std::string(9000, 'a') + "\r\n"));
    requests.push_back(get("/" + token_ + "/" + std::string(9000, 'a'), good_host));
    std::string many = good_host;
    for (int i = 0; i < 80; ++i) many += "H" + std::to_string(i) + ": x\r\n";
    requests.push_back(get("/" + token_ + "/", many));
    requests.push_back(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n");  // TLS
    requests.push_back("\r\n\r\n");
    requests.push_back(std::string(200, '\0') + "\r\n\r\n");
    // Upgrades that are none.
    for (const std::string header :
         {"Upgrade: h2c\r\nConnection: Upgrade\r\n", "Connection: Upgrade\r\n", "Upgrade: websocket\r\n"})
        requests.push_back(get("/" + token_ + "/live", good_host + good_origin + header));
    requests.push_back(
        get("/" + token_ + "/live",
            good_host + good_origin +
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: "
                "dGhlIHNhbXBsZSBub25jZQ==\r\n"));
    requests.push_back(get(
        "/" + token_ + "/live",
        good_host + good_origin +
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n"));

    int passed = 0;
    for (const std::string& request : requests)
        if (passes(request)) {
            ++passed;
            ADD_FAILURE() << "passed: " << request.substr(0, 300);
        }
    EXPECT_EQ(asked_, 23) << "only well-formed requests with the token reach the table of files, and none is in it";
    EXPECT_GE(requests.size(), 300u);
    EXPECT_EQ(passed, 0);
    std::printf("%zu hostile requests, %d passed; the server counts %llu refused\n", requests.size(), passed,
                static_cast<unsigned long long>(server_->counts().refused));
    EXPECT_TRUE(passes(get("/" + token_ + "/", good_host))) << "the server still answers honest people";
}

TEST_F(Hostile, SlowHeadersAreNotWaitedFor) {
    Client slow(server_->port()), silent(server_->port());
    const std::string request = get("/" + token_ + "/", "Host: " + host_ + "\r\n");
    slow.send(request.substr(0, request.size() - 2));
    const std::string answer = slow.read();
    EXPECT_TRUE(slow.closed());
    EXPECT_NE(answer.find(" 408 "), std::string::npos);
    silent.read();
    EXPECT_TRUE(silent.closed());
    EXPECT_EQ(asked_, 0);
}

TEST_F(Hostile, ManyConnectionsDoNotShutOthersOutForLong) {
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 100; ++i) crowd.push_back(std::make_unique<Client>(server_->port()));
    for (auto& client : crowd) client->read();  // all are closed in the end, served or not
    EXPECT_TRUE(passes(get("/" + token_ + "/", "Host: " + host_ + "\r\n")));
}

TEST_F(Hostile, BadFramesEndTheConnection) {
    const std::string hit = "{\"op\": \"hit\"}";
    const std::vector<std::pair<std::string, std::string>> frames{
        {"unmasked", masked(0x81, hit, false)},
        {"oversize", masked(0x81, std::string(70000, 'a'))},
        {"oversize by its header alone", std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x11\x22\x33\x44", 14)},
        {"oversize in pieces", masked(0x01, std::string(40000, 'a')) + masked(0x80, std::string(40000, 'a'))},
        {"reserved bits", masked(0xc1, hit)},
        {"unknown opcode", masked(0x83, hit)},
        {"unknown control", masked(0x8b, "")},
        {"binary", masked(0x82, hit)},
        {"continuation of nothing", masked(0x80, hit)},
        {"a new message inside another", masked(0x01, hit) + masked(0x81, hit)},
        {"long control frame", masked(0x89, std::string(200, 'a'))},
        {"control frame in pieces", masked(0x09, "a")},
        {"broken UTF-8", masked(0x81, "{\"op\": \"hit\xff\"}")},
    };
    for (const auto& [name, bytes] : frames) {
        Client client(server_->port());
        client.send(upgrade("/" + token_ + "/live", "Host: " + host_ + "\r\n", "Origin: http://" + host_ + "\r\n"));
        ASSERT_NE(client.read("\r\n\r\n").find(" 101 "), std::string::npos);
        client.send(bytes);
        client.read();
        EXPECT_TRUE(client.closed()) << name;
    }
    EXPECT_EQ(hits_, 0);
}

TEST_F(Hostile, MessagesWithoutSenseAreCountedAndDropped) {
    Client client(server_->port());
    client.send(upgrade("/" + token_ + "/live", "Host: " + host_ + "\r\n", "Origin: http://" + host_ + "\r\n"));
    client.read("\r\n\r\n");
    const std::vector<std::string> nonsense{
        "", "{", "[]", "{\"op\": 3}", "{\"op\": \"other\"}", "{\"op\": \"hit\"} x", std::string(100, '[')};
    for (const std::string& text : nonsense) client.send(masked(0x81, text));
    client.send(masked(0x81, "{\"op\": \"hit\"}"));
    client.send(masked(0x89, "still there"));
    client.read("still there");
    EXPECT_EQ(hits_, 1);
    EXPECT_EQ(server_->counts().malformed, nonsense.size());
    client.send(masked(0x81, "nonsense"));  // the eighth: enough
    client.read();
    EXPECT_TRUE(client.closed());
}

TEST_F(Hostile, RandomBytesNeverPass) {
    Rng rng(7);
    for (int i = 0; i < 150; ++i) {
        std::string bytes = get("/" + token_ + "/", "Host: " + host_ + "\r\n");
        const std::size_t start = 5 + rng.below(30);  // somewhere in the token
        for (int k = 0; k < 3; ++k) bytes[start + static_cast<std::size_t>(k)] = static_cast<char>('g' + rng.below(10));
        EXPECT_FALSE(passes(bytes)) << bytes;
    }
}

}  // namespace
}  // namespace pliant
