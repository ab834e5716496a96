#pragma once
// HTTP/1.1 requests, as far as a page and a WebSocket need them: a request line, headers, no body. What a browser would
// never send is refused rather than understood, because two readings of one request are how requests are smuggled.

#include <map>
#include <string>
#include <string_view>

namespace pliant {

struct HttpRequest {
    std::string method;
    std::string target;                          ///< as sent, from its first '/'
    std::map<std::string, std::string> headers;  ///< names in lower case, values without blanks round them

    /// "" when it is not there.
    std::string_view header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string_view{} : std::string_view(found->second);
    }
};

struct HttpLimits {
    static constexpr std::size_t bytes = 8192;  ///< of request line and headers together
    static constexpr std::size_t headers = 64;
};

enum class HttpParse { more, done, bad };

/// Reads a request from the front of `bytes`; `used` is its length when it is done.
HttpParse parse_request(std::string_view bytes, HttpRequest& request, std::size_t& used);

/// A whole answer that ends the connection, with the headers that keep a page to itself.
std::string http_answer(int status, std::string_view type, std::string_view body, bool with_body = true);

/// The answer that turns the connection into a WebSocket (RFC 6455, section 4.2.2).
std::string websocket_answer(std::string_view key);

/// True if `host` (a Host header, with or without port) names this machine by its loopback address.
bool is_loopback_host(std::string_view host);

/// Takes as long for a guess that is nearly right as for one that is all wrong.
bool same_secret(std::string_view given, std::string_view secret);

/// 32 hexadecimal digits from the system's random source.
std::string random_token();

}  // namespace pliant
