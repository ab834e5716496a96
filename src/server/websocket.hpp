#pragma once
// WebSocket frames (RFC 6455). Clients must mask theirs; ours are not masked.

#include <cstdint>
#include <string>
#include <string_view>

namespace pliant {

enum class WsOpcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// The header of an unmasked, unfragmented frame with this much payload.
std::string websocket_header(WsOpcode opcode, std::size_t payload);

/// Puts the frames of one client together to messages.
class WebSocketReader {
public:
    /// limit: the largest message taken, bytes.
    explicit WebSocketReader(std::size_t limit) : limit_(limit) {}

    enum class Got {
        nothing,  ///< more bytes are needed
        text,
        ping,
        pong,
        close,
        error  ///< close the connection with status()
    };
    /// Takes the next whole item from the front of `bytes`; `used` says how much of it is done with.
    Got next(std::string_view bytes, std::size_t& used);

    std::string& payload() { return payload_; }       ///< of what next() got
    std::uint16_t status() const { return status_; }  ///< why it is an error, as sent in a close frame

private:
    Got fail(std::uint16_t status) {
        status_ = status;
        return Got::error;
    }

    std::size_t limit_;
    std::string payload_, partial_;
    bool in_message_ = false;
    std::uint16_t status_ = 1000;
};

bool is_utf8(std::string_view text);

}  // namespace pliant
