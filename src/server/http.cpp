#include "pliant/server/http.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "pliant/core/error.hpp"
#include "pliant/server/sha1.hpp"

namespace pliant {

namespace {

bool is_token_char(char c) {  // RFC 9110, section 5.6.2
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool parse_first_line(std::string_view line, HttpRequest& request) {
    const auto first = line.find(' '), last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return false;
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, last - first - 1);
    if (line.substr(last + 1) != "HTTP/1.1") return false;
    if (request.method.empty() || !std::all_of(request.method.begin(), request.method.end(), is_token_char))
        return false;
    if (request.target.empty() || request.target[0] != '/') return false;
    return std::all_of(request.target.begin(), request.target.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool parse_header(std::string_view line, HttpRequest& request) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;  // a continued line starts with a blank: refused
    std::string name(line.substr(0, colon));
    if (!std::all_of(name.begin(), name.end(), is_token_char)) return false;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string_view value = trimmed(line.substr(colon + 1));
    for (char c : value)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return false;
    return request.headers.emplace(std::move(name), value).second;  // one said twice has two meanings
}

}  // namespace

HttpParse parse_request(std::string_view bytes, HttpRequest& request, std::size_t& used) {
    const auto end = bytes.substr(0, HttpLimits::bytes).find("\r\n\r\n");
    if (end == std::string_view::npos) return bytes.size() >= HttpLimits::bytes ? HttpParse::bad : HttpParse::more;
    request = {};
    std::string_view rest = bytes.substr(0, end + 2);
    for (bool first = true; !rest.empty(); first = false) {
        const auto stop = rest.find("\r\n");
        const std::string_view line = rest.substr(0, stop);
        rest.remove_prefix(stop + 2);
        if (line.find('\n') != std::string_view::npos || line.find('\r') != std::string_view::npos)
            return HttpParse::bad;
        if (!(first ? parse_first_line(line, request) : parse_header(line, request))) return HttpParse::bad;
        if (request.headers.size() > HttpLimits::headers) return HttpParse::bad;
    }
    // Nothing here takes a body.
    if (request.headers.count("transfer-encoding")) return HttpParse::bad;
    if (const auto length = request.header("content-length"); !length.empty() && length != "0") return HttpParse::bad;
    used = end + 4;
    return HttpParse::done;
}

std::string http_answer(int status, std::string_view type, std::string_view body, bool with_body) {
    const char* reason = status == 200   ? "OK"
                         : status == 400 ? "Bad Request"
                         : status == 403 ? "Forbidden"
                         : status == 404 ? "Not Found"
                         : status == 405 ? "Method Not Allowed"
                         : status == 408 ? "Request Timeout"
                                         : "Service Unavailable";
    std::string text = "HTTP/1.1 " + std::to_string(status) + " " + reason + "\r\nContent-Type: " + std::string(type) +
                       "\r\nContent-Length: " + std::to_string(body.size()) +
                       "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                       "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
                       "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                       "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' "
                       "'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'\r\n\r\n";
    if (with_body) text += body;
    return text;
}

std::string websocket_answer(std::string_view key) {
    const std::string accept = base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept + "\r\n\r\n";
}

bool is_loopback_host(std::string_view host) {
    for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
        if (host.substr(0, name.size()) != name) continue;
        std::string_view port = host.substr(name.size());
        if (port.empty()) return true;
        if (port[0] != ':' || port.size() < 2 || port.size() > 6) return false;
        port.remove_prefix(1);
        return std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    return false;
}

bool same_secret(std::string_view given, std::string_view secret) {
    // Every byte of the secret is looked at whatever was given; the length itself is no secret.
    volatile unsigned char difference = given.size() == secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < secret.size(); ++i) {
        const char g = given.empty() ? 0 : given[i % given.size()];
        difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(g ^ secret[i]));
    }
    return difference == 0;
}

std::string random_token() {
    unsigned char bytes[16];
    std::size_t have = 0;
    while (have < sizeof bytes) {
        const ssize_t n = getrandom(bytes + have, sizeof bytes - have, 0);
        if (n < 0 && errno == EINTR) continue;
        CHECK(n > 0, errno);
        have += static_cast<std::size_t>(n);
    }
    std::string text;
    for (unsigned char b : bytes) text += "0123456789abcdef"[b >> 4], text += "0123456789abcdef"[b & 15];
    return text;
}

}  // namespace pliant
