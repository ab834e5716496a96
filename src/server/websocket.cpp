#include "pliant/server/websocket.hpp"

namespace pliant {

std::string websocket_header(WsOpcode opcode, std::size_t payload) {
    std::string header(1, static_cast<char>(0x80 | static_cast<int>(opcode)));
    if (payload < 126) {
        header += static_cast<char>(payload);
        return header;
    }
    const int bytes = payload < 65536 ? 2 : 8;
    header += static_cast<char>(bytes == 2 ? 126 : 127);
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) header += static_cast<char>(payload >> shift);
    return header;
}

WebSocketReader::Got WebSocketReader::next(std::string_view bytes, std::size_t& used) {
    used = 0;
    while (true) {
        const std::string_view rest = bytes.substr(used);
        if (rest.size() < 2) return Got::nothing;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
        const bool final = byte(0) & 0x80;
        const auto opcode = static_cast<WsOpcode>(byte(0) & 0x0f);
        const bool control = byte(0) & 0x08;
        if (byte(0) & 0x70) return fail(1002);     // extensions that nobody agreed on
        if (!(byte(1) & 0x80)) return fail(1002);  // unmasked
        std::uint64_t length = byte(1) & 0x7f;
        std::size_t at = 2;
        if (length >= 126) {
            if (control) return fail(1002);
            const std::size_t digits = length == 126 ? 2 : 8;
            if (rest.size() < at + digits) return Got::nothing;
            length = 0;
            for (std::size_t i = 0; i < digits; ++i) length = (length << 8) | byte(at + i);
            at += digits;
        }
        if (control ? !final : length > limit_ || partial_.size() + length > limit_) return fail(control ? 1002 : 1009);
        if (rest.size() < at + 4 + length) return Got::nothing;
        const std::string_view mask = rest.substr(at, 4);
        std::string data(rest.substr(at + 4, static_cast<std::size_t>(length)));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(data[i] ^ mask[i % 4]);
        used += at + 4 + static_cast<std::size_t>(length);

        if (control) {
            payload_ = std::move(data);
            if (opcode == WsOpcode::close) return Got::close;
            if (opcode == WsOpcode::ping) return Got::ping;
            if (opcode == WsOpcode::pong) return Got::pong;
            return fail(1002);
        }
        if (in_message_ ? opcode != WsOpcode::continuation : opcode != WsOpcode::text)
            return fail(!in_message_ && opcode == WsOpcode::binary ? 1003 : 1002);
        partial_ += data;
        in_message_ = !final;
        if (!final) continue;
        payload_ = std::move(partial_);
        partial_.clear();
        return is_utf8(payload_) ? Got::text : fail(1007);
    }
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const int more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
        if (more < 0 || i + static_cast<std::size_t>(more) >= text.size()) return false;
        std::uint32_t point = more == 0 ? lead : lead & (0x3fu >> more);
        for (int k = 1; k <= more; ++k) {
            const auto c = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
            if (c >> 6 != 2) return false;
            point = (point << 6) | (c & 0x3fu);
        }
        constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
        i += static_cast<std::size_t>(more) + 1;
    }
    return true;
}

}  // namespace pliant
