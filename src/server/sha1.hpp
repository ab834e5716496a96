#pragma once
// SHA-1 and base64: what the WebSocket handshake asks for. SHA-1 protects nothing here; it shows that the other side
// knows the protocol.

#include <string>
#include <string_view>

namespace pliant {

std::string sha1(std::string_view bytes);    ///< 20 bytes
std::string base64(std::string_view bytes);  ///< with padding

}  // namespace pliant
