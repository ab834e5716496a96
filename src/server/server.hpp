#pragma once
// A page and its WebSocket on the loopback address, in a thread of its own.
//
// Whoever wants anything must know the token, which is the first part of every path: http://127.0.0.1:PORT/TOKEN/.
// Host must name this machine and Origin, when there is one, must be the page's own: a foreign page in the user's
// browser can neither read nor steer. GET changes nothing. Everything else (sizes, waiting, connections) is bounded.
//
// Pictures are pulled, never pushed: a client that says "ready" gets the newest one there is. A slow browser sees fewer
// pictures, never old ones, and nobody waits for it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/server/json.hpp"

namespace pliant {

using ClientId = std::uint64_t;
using Bytes = std::shared_ptr<const std::string>;

struct Asset {
    std::string type;  ///< MIME
    Bytes bytes;
};

/// What the server asks of its owner; all calls come from the server's thread.
struct ServerHandler {
    /// The file at a path below the token ("" for the page); nothing: 404.
    std::function<std::optional<Asset>(const std::string& path)> asset;
    std::function<void(ClientId)> opened;
    std::function<void(ClientId)> closed;
    /// A message in good form; false: it makes no sense, and is counted.
    std::function<bool(ClientId, const Json&)> message;
    /// No more messages can be taken for now: clients are not read from until this changes and wake() is called, so
    /// that what they send waits in their own memory. Left out: never.
    std::function<bool()> full = {};
    /// What a client that is ready should see next, as binary messages; none: nothing new.
    std::function<std::vector<Bytes>(ClientId)> pictures;
};

struct ServerOptions {
    int port = 0;                           ///< 0: any free one
    std::string token;                      ///< empty: a random one
    std::size_t message_bytes = 1 << 16;    ///< largest message taken; larger ends the connection
    std::size_t backlog_bytes = 64u << 20;  ///< unsent messages (not pictures) before a client is given up
    int connections = 64;                   ///< at once; more are turned away
    double request_seconds = 5;             ///< for sending the whole request
    int malformed = 100;                    ///< messages without sense before a client is given up
};

struct ServerCounts {
    std::uint64_t requests = 0, refused = 0, opened = 0, malformed = 0, pictures = 0, picture_bytes = 0;
};

class Server {
public:
    /// Listens and answers at once; UserError when the port is taken. `before` is called before the first request can
    /// come in: the place to make this server known to its handler.
    Server(ServerOptions options, ServerHandler handler, const std::function<void(Server&)>& before = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int port() const;
    const std::string& token() const;
    std::string url() const;
    ServerCounts counts() const;

    // From any thread.
    /// A text message for one client, or for all.
    void send(ClientId client, std::string text);
    void send_all(std::string text);
    /// There are new pictures: ask for them.
    void wake();

private:
    struct Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace pliant
