// The small parts: digests, JSON, frames, back-pressure.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/core/rng.hpp"
#include "pliant/server/http.hpp"
#include "pliant/server/json.hpp"
#include "pliant/server/sha1.hpp"
#include "pliant/server/websocket.hpp"

namespace pliant {
namespace {

std::string hex(std::string_view bytes) {
    std::string text;
    for (char c : bytes) {
        text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

TEST(Sha1, PublishedDigests) {  // FIPS 180 examples
    EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(hex(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    EXPECT_EQ(hex(sha1(std::string(1000000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Base64, Rfc4648) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Websocket, HandshakeOfTheRfc) {  // RFC 6455, section 1.3
    EXPECT_NE(websocket_answer("dGhlIHNhbXBsZSBub25jZQ==").find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos);
}

TEST(Websocket, MessageOfTheRfcAndInPieces) {  // section 5.7
    const std::string hello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
    WebSocketReader reader(100);
    std::size_t used = 0;
    for (std::size_t n = 0; n < hello.size(); ++n)
        EXPECT_EQ(reader.next(std::string_view(hello).substr(0, n), used), WebSocketReader::Got::nothing);
    EXPECT_EQ(reader.next(hello, used), WebSocketReader::Got::text);
    EXPECT_EQ(reader.payload(), "Hello");
    EXPECT_EQ(used, hello.size());
}

TEST(Websocket, HeaderLengths) {
    EXPECT_EQ(websocket_header(WsOpcode::text, 5), "\x81\x05");
    EXPECT_EQ(hex(websocket_header(WsOpcode::binary, 256)), "827e0100");
    EXPECT_EQ(hex(websocket_header(WsOpcode::binary, 65536)), "827f0000000000010000");
}

TEST(Utf8, RefusesWhatIsNone) {
    EXPECT_TRUE(is_utf8("größe µ 𝛼"));
    for (const char* bad :
         {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82"})
        EXPECT_FALSE(is_utf8(bad));
}

TEST(Json, ReadsWhatBrowsersWrite) {
    const auto json = parse_json(
        R"( {"op":"grab","target":[1,-2.5e-1,3],"n":7,"on":true,"name":"a\"b\u00e9\ud83d\ude00","x":null} )");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->text("op"), "grab");
    EXPECT_EQ(json->vec3("target"), Vec3(1, -0.25, 3));
    EXPECT_EQ(json->integer("n", 0, 10), 7);
    EXPECT_FALSE(json->integer("n", 0, 6));
    EXPECT_EQ(json->flag("on"), true);
    EXPECT_EQ(json->text("name"), "a\"bé😀");
    EXPECT_FALSE(json->number("x"));
    EXPECT_FALSE(json->number("missing"));
}

TEST(Json, RefusesTheRest) {
    for (const char* bad : {"",
                            "{",
                            "}",
                            "[1,]",
                            "{\"a\":1,}",
                            "{\"a\":1 \"b\":2}",
                            "{\"a\":1,\"a\":2}",
                            "nan",
                            "inf",
                            "-",
                            "1e999",
                            "0x10",
                            "'a'",
                            "\"\n\"",
                            "\"\\x\"",
                            "\"\\ud800\"",
                            "\"\\udc00\"",
                            "tru",
                            "[1 2]",
                            "1 1",
                            "{1:2}",
                            "\"abc"})
        EXPECT_FALSE(parse_json(bad)) << bad;
    EXPECT_FALSE(parse_json(std::string(1000, '[')));
    EXPECT_FALSE(parse_json("{\"v\":[1,2]}")->vec3("v"));
    EXPECT_FALSE(parse_json("{\"v\":[1,2,\"3\"]}")->vec3("v"));
}

TEST(Json, DamagedMessagesNeverCrash) {
    const std::string good =
        R"({"op":"push","body":"cow","triangle":12,"weight":[0.2,0.3,0.5],"force":[1e3,-2,0],"q":"\u00e9\n"})";
    Rng rng(3);
    int readable = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string bad = good;
        for (int k = 0; k < 3; ++k) bad[rng.below(bad.size())] = static_cast<char>(rng.below(256));
        if (rng.below(4) == 0) bad.resize(rng.below(bad.size()));
        readable += parse_json(bad).has_value();
    }
    std::printf("%d of 20000 damaged messages still read\n", readable);
    EXPECT_LT(readable, 20000);
}

TEST(Json, TextComesBack) {
    const std::string text = "tab\t quote\" back\\slash \x01 ü";
    EXPECT_EQ(parse_json(json_text(text))->text_value, text);
}

TEST(Secret, ComparesWhole) {
    EXPECT_TRUE(same_secret("abc", "abc"));
    for (const char* wrong : {"", "abd", "abcd", "ab", "bbc", "abcabc"}) EXPECT_FALSE(same_secret(wrong, "abc"));
    EXPECT_EQ(random_token().size(), 32u);
    EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace pliant
