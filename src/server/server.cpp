#include "pliant/server/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/server/http.hpp"
#include "pliant/server/websocket.hpp"

namespace pliant {

namespace {

constexpr int max_credit = 2;  // pictures on their way to one client: one being drawn, one being sent

/// A file descriptor that closes itself.
struct Descriptor {
    int fd = -1;
    explicit Descriptor(int f = -1) : fd(f) {}
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
    Descriptor(Descriptor&& b) noexcept : fd(std::exchange(b.fd, -1)) {}
    Descriptor& operator=(Descriptor&& b) noexcept {
        std::swap(fd, b.fd);
        return *this;
    }
};

struct Connection {
    Descriptor socket;
    ClientId id = 0;
    double since = 0;  // s, when the wait for the request began
    std::string in;
    std::deque<Bytes> out;
    std::size_t sent = 0;     // of out.front()
    std::size_t backlog = 0;  // bytes in out
    bool websocket = false;
    bool closing = false;  // nothing more is read; closed once all is sent
    bool dead = false;
    int credit = 0;
    int malformed = 0;
    std::optional<WebSocketReader> reader;
    Bytes pong;  // to be sent when nothing else is left to send; null: none
};

Bytes bytes_of(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

std::string lower(std::string_view text) {
    std::string s(text);
    for (char& c : s)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return s;
}

}  // namespace

struct Server::Loop {
    ServerOptions options;
    ServerHandler handler;
    Descriptor listener, bell;
    int port = 0;
    std::vector<std::unique_ptr<Connection>> connections;
    ClientId next_id = 1;

    std::mutex mutex;                              // guards mail and totals
    std::vector<std::pair<ClientId, Bytes>> mail;  // 0: to all
    ServerCounts totals;
    std::atomic<bool> stop{false};
    std::thread thread;

    Loop(ServerOptions o, ServerHandler h) : options(std::move(o)), handler(std::move(h)) {
        if (options.token.empty()) options.token = random_token();
        listener = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(options.port));
        if (::bind(listener.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener.fd, 64) != 0)
            throw UserError("port " + std::to_string(options.port) + " cannot be used: " + std::strerror(errno), {},
                            "Choose another with --port, or leave it out to get a free one");
        socklen_t size = sizeof address;
        ::getsockname(listener.fd, reinterpret_cast<sockaddr*>(&address), &size);
        port = ntohs(address.sin_port);
        bell = Descriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    }

    ~Loop() {
        stop = true;
        ring();
        if (thread.joinable()) thread.join();
    }

    void ring() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t n = ::write(bell.fd, &one, sizeof one);
    }

    void count(std::uint64_t ServerCounts::*what, std::uint64_t n = 1) {
        const std::lock_guard lock(mutex);
        totals.*what += n;
    }

    void run() {
        std::vector<pollfd> polled;
        while (!stop) {
            polled.assign({{listener.fd, POLLIN, 0}, {bell.fd, POLLIN, 0}});
            bool requests = false;
            const bool full = is_full();
            for (const auto& c : connections) {
                requests |= !c->websocket || c->closing;
                const bool reads = !c->closing && !(full && c->websocket);
                polled.push_back(
                    {c->socket.fd, static_cast<short>((reads ? POLLIN : 0) | (c->out.empty() ? 0 : POLLOUT)), 0});
            }
            ::poll(polled.data(), polled.size(), requests ? 200 : -1);
            if (polled[1].revents) {
                std::uint64_t rings;
                [[maybe_unused]] const ssize_t n = ::read(bell.fd, &rings, sizeof rings);
            }
            deliver_mail();
            for (std::size_t i = 0; i + 2 < polled.size(); ++i) {
                Connection& c = *connections[i];
                if (polled[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) receive(c);
                if (c.websocket && !c.in.empty()) read_messages(c);  // those that had to wait
            }
            const double now = seconds_now();
            for (const auto& c : connections) {
                if (!c->websocket && !c->closing && now - c->since > options.request_seconds) refuse(*c, 408);
                // Whoever does not fetch the rest of an answer is not waited for.
                if (c->closing && now - c->since > 2 * options.request_seconds) c->dead = true;
                transmit(*c);  // words first: a picture is given to whoever has nothing left to fetch
                give_pictures(*c);
                transmit(*c);
            }
            bury();
            if (polled[0].revents) accept_all();
        }
        for (const auto& c : connections) c->dead = true;
        bury();
    }

    bool is_full() const { return handler.full && handler.full(); }

    void accept_all() {
        while (true) {
            Descriptor socket(::accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (socket.fd < 0) return;
            if (static_cast<int>(connections.size()) >= options.connections) {
                count(&ServerCounts::refused);
                continue;  // closed at once
            }
            const int on = 1;
            ::setsockopt(socket.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            auto c = std::make_unique<Connection>();
            c->socket = std::move(socket);
            c->id = next_id++;
            c->since = seconds_now();
            connections.push_back(std::move(c));
        }
    }

    void receive(Connection& c) {
        char buffer[1 << 16];
        // A bounded amount per turn: nobody keeps the others waiting.
        const ssize_t n = ::recv(c.socket.fd, buffer, sizeof buffer, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            c.dead = true;
            return;
        }
        if (n < 0 || c.closing) return;
        c.in.append(buffer, static_cast<std::size_t>(n));
        if (!c.websocket) read_request(c);
        if (c.websocket) read_messages(c);
    }

    void read_request(Connection& c) {
        HttpRequest request;
        std::size_t used = 0;
        const HttpParse parsed = parse_request(c.in, request, used);
        if (parsed == HttpParse::more) return;
        count(&ServerCounts::requests);
        if (parsed == HttpParse::bad) return refuse(c, 400);
        c.in.erase(0, used);
        answer(c, request);
    }

    void answer(Connection& c, const HttpRequest& request) {
        if (!is_loopback_host(request.header("host"))) return refuse(c, 403);
        const bool has_origin = request.headers.count("origin") > 0;
        if (has_origin && request.header("origin") != "http://" + std::string(request.header("host")))
            return refuse(c, 403);
        const auto site = request.header("sec-fetch-site");
        if (!site.empty() && site != "same-origin" && site != "none") return refuse(c, 403);
        // /TOKEN/path; a query is no part of it.
        std::string_view target = request.target;
        target = target.substr(0, target.find('?'));
        target.remove_prefix(1);
        const auto slash = target.find('/');
        const std::string_view given = target.substr(0, slash);
        if (!same_secret(given, options.token)) return refuse(c, 403);
        if (slash == std::string_view::npos) return refuse(c, 404);
        const std::string path(target.substr(slash + 1));
        if (!c.in.empty() && path != "live") return refuse(c, 400);  // one request per connection
        if (request.method != "GET" && request.method != "HEAD") return refuse(c, 405);
        if (path == "live") return upgrade(c, request, has_origin);
        const std::optional<Asset> asset = handler.asset ? handler.asset(path) : std::nullopt;
        if (!asset) return refuse(c, 404);
        queue(c, bytes_of(http_answer(200, asset->type, *asset->bytes, request.method == "GET")));
        c.closing = true;
    }

    void upgrade(Connection& c, const HttpRequest& request, bool has_origin) {
        const auto key = request.header("sec-websocket-key");
        const bool fine = request.method == "GET" && has_origin && lower(request.header("upgrade")) == "websocket" &&
                          lower(request.header("connection")).find("upgrade") != std::string::npos &&
                          request.header("sec-websocket-version") == "13" && key.size() == 24;
        if (!fine) return refuse(c, has_origin ? 400 : 403);  // browsers always say where they come from
        queue(c, bytes_of(websocket_answer(key)));
        c.websocket = true;
        c.reader.emplace(options.message_bytes);
        count(&ServerCounts::opened);
        if (handler.opened) handler.opened(c.id);
    }

    void read_messages(Connection& c) {
        std::size_t done = 0;
        while (!c.closing && !c.dead && !is_full()) {
            std::size_t used = 0;
            const auto got = c.reader->next(std::string_view(c.in).substr(done), used);
            done += used;
            if (got == WebSocketReader::Got::nothing) break;
            switch (got) {
                case WebSocketReader::Got::text: take_message(c, c.reader->payload()); break;
                // Of pings that came while the line was blocked, the last is answered (RFC 6455, section 5.5.3):
                // whoever sends and does not read takes no memory.
                case WebSocketReader::Got::ping: c.pong = bytes_of(c.reader->payload()); break;
                case WebSocketReader::Got::close: close_with(c, 1000); break;
                case WebSocketReader::Got::error:
                    count(&ServerCounts::refused);
                    close_with(c, c.reader->status());
                    break;
                default: break;
            }
        }
        c.in.erase(0, done);
    }

    void take_message(Connection& c, const std::string& text) {
        const std::optional<Json> json = parse_json(text);
        if (json && json->kind == Json::Kind::object) {
            if (json->text("op") == "ready") {
                c.credit = std::min(max_credit, c.credit + 1);
                return;
            }
            if (handler.message && handler.message(c.id, *json)) return;
        }
        count(&ServerCounts::malformed);
        if (++c.malformed >= options.malformed) close_with(c, 1008);
    }

    void give_pictures(Connection& c) {
        if (!c.websocket || c.closing || c.dead || c.credit == 0 || !c.out.empty() || !handler.pictures) return;
        const std::vector<Bytes> pictures = handler.pictures(c.id);
        if (pictures.empty()) return;
        --c.credit;
        std::uint64_t total = 0;
        for (const Bytes& picture : pictures) queue_frame(c, WsOpcode::binary, picture), total += picture->size();
        count(&ServerCounts::pictures);
        count(&ServerCounts::picture_bytes, total);
    }

    void deliver_mail() {
        std::vector<std::pair<ClientId, Bytes>> letters;
        {
            const std::lock_guard lock(mutex);
            letters.swap(mail);
        }
        for (const auto& [to, text] : letters)
            for (const auto& c : connections)
                if (c->websocket && !c->closing && (to == 0 || to == c->id)) {
                    queue_frame(*c, WsOpcode::text, text);
                    if (c->backlog > options.backlog_bytes) c->dead = true;
                }
    }

    void queue(Connection& c, Bytes bytes) {
        if (bytes->empty()) return;
        c.backlog += bytes->size();
        c.out.push_back(std::move(bytes));
    }

    void queue_frame(Connection& c, WsOpcode opcode, const Bytes& payload) {
        queue(c, bytes_of(websocket_header(opcode, payload->size())));
        queue(c, payload);
    }

    void refuse(Connection& c, int status) {
        count(&ServerCounts::refused);
        queue(c, bytes_of(http_answer(status, "text/plain; charset=utf-8", "Pliant Studio does not answer this.\n")));
        c.closing = true;
    }

    void close_with(Connection& c, std::uint16_t status) {
        std::string reason{static_cast<char>(status >> 8), static_cast<char>(status & 255)};
        queue_frame(c, WsOpcode::close, bytes_of(std::move(reason)));
        c.closing = true;
    }

    void transmit(Connection& c) {
        while (!c.out.empty() && !c.dead) {
            const std::string& front = *c.out.front();
            const ssize_t n = ::send(c.socket.fd, front.data() + c.sent, front.size() - c.sent, MSG_NOSIGNAL);
            if (n < 0) {
                if (errno == EINTR) continue;
                if (errno != EAGAIN) c.dead = true;
                return;
            }
            c.since = seconds_now();
            c.sent += static_cast<std::size_t>(n);
            c.backlog -= static_cast<std::size_t>(n);
            if (c.sent == front.size()) c.out.pop_front(), c.sent = 0;
        }
        if (c.out.empty() && c.pong && !c.closing && !c.dead) {
            queue_frame(c, WsOpcode::pong, std::exchange(c.pong, nullptr));
            return transmit(c);
        }
        if (c.out.empty() && c.closing) {
            // What the other side still sends must not turn the answer into a reset.
            ::shutdown(c.socket.fd, SHUT_WR);
            char rest[4096];
            while (::recv(c.socket.fd, rest, sizeof rest, 0) > 0) {
            }
            c.dead = true;
        }
    }

    void bury() {
        for (std::size_t i = 0; i < connections.size();) {
            if (!connections[i]->dead) {
                ++i;
                continue;
            }
            const bool told = connections[i]->websocket;
            const ClientId id = connections[i]->id;
            connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
            if (told && handler.closed) handler.closed(id);
        }
    }
};

Server::Server(ServerOptions options, ServerHandler handler, const std::function<void(Server&)>& before)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(handler))) {
    if (before) before(*this);
    loop_->thread = std::thread([this] { loop_->run(); });
}
Server::~Server() = default;

int Server::port() const { return loop_->port; }
const std::string& Server::token() const { return loop_->options.token; }
std::string Server::url() const {
    return "http://127.0.0.1:" + std::to_string(port()) + "/" + loop_->options.token + "/";
}

ServerCounts Server::counts() const {
    const std::lock_guard lock(loop_->mutex);
    return loop_->totals;
}

void Server::send(ClientId client, std::string text) {
    {
        const std::lock_guard lock(loop_->mutex);
        loop_->mail.emplace_back(client, bytes_of(std::move(text)));
    }
    loop_->ring();
}

void Server::send_all(std::string text) { send(0, std::move(text)); }

void Server::wake() { loop_->ring(); }

}  // namespace pliant
