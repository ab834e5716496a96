// Hashes, random numbers, texts, errors, registries.

#include <gtest/gtest.h>

#include <set>

#include "pliant/core/error.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/registry.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/text.hpp"

namespace pliant {
namespace {

TEST(Hash, DependsOnEveryByteTheOrderAndTheLength) {
    std::set<std::uint64_t> seen;
    int inputs = 0;
    auto add = [&](const std::string& s) { seen.insert(hash_of(s)), ++inputs; };
    std::string text = "the quick brown fox jumps over";
    add(text);
    for (std::size_t i = 0; i < text.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            std::string other = text;
            other[i] = static_cast<char>(other[i] ^ (1 << bit));
            add(other);
        }
    for (int n = 0; n < 40; ++n) add(std::string(n, '\0'));
    add("ab"), add("ba");
    EXPECT_EQ(static_cast<int>(seen.size()), inputs);
}

TEST(Hash, IsTheSameOnEveryMachine) {
    // Checkpoints and state hashes are compared across runs and builds: this number must not change.
    Hash h;
    h.value(1.5), h.value(std::uint32_t{7}), h.text("pliant");
    EXPECT_EQ(h.digest(), 0x951f844cf765db6cULL);
}

TEST(Rng, RepeatsAndSpreads) {
    Rng a(5), b(5), c(6), d(5, 1);
    int same = 0;
    double sum = 0;
    for (int k = 0; k < 10000; ++k) {
        const double u = a.uniform();
        EXPECT_EQ(u, b.uniform());
        same += u == c.uniform(), same += u == d.uniform();
        EXPECT_GE(u, 0);
        EXPECT_LT(u, 1);
        sum += u;
    }
    EXPECT_EQ(same, 0);
    EXPECT_NEAR(sum / 10000, 0.5, 0.02);
    // SplitMix64 with seed 0, as published.
    EXPECT_EQ(Rng(0).next(), 0xe220a8397b1dcdafULL);
    Rng e(1);
    std::vector<int> hits(7, 0);
    for (int k = 0; k < 7000; ++k) ++hits[e.below(7)];
    for (int h : hits) EXPECT_NEAR(h, 1000, 200);
}

TEST(Text, NamesAndNumbers) {
    const std::vector<std::string> known{"young", "poisson", "density"};
    EXPECT_EQ(nearest_name("yuong", known), "young");
    EXPECT_EQ(nearest_name("poison", known), "poisson");
    EXPECT_EQ(nearest_name("dens", known), "density");
    EXPECT_EQ(nearest_name("xyzzy", known), "");
    EXPECT_EQ(did_you_mean("xyzzy", known), "");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(std::stod(number_text(1.0 / 3)), 1.0 / 3);
    EXPECT_EQ(short_number(1234.567), "1235");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(-1000), "-1,000");
    EXPECT_EQ(grouped(7), "7");
}

TEST(Errors, ReadAsOneSentenceWithPlaceAndRemedy) {
    const UserError e("no such file", {"a.lua", 3}, "Check the name");
    EXPECT_STREQ(e.what(), "a.lua:3: no such file. Check the name.");
    EXPECT_EQ(e.where().line, 3);
    EXPECT_STREQ(UserError("nowhere").what(), "nowhere.");
    try {
        const int i = 5, n = 3;
        CHECK(i < n, i, n);
        FAIL();
    } catch (const InternalError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("i < n"), std::string::npos) << text;
        EXPECT_NE(text.find("5, 3"), std::string::npos) << text;
    }
}

TEST(Registry, FindsByNameOrNamesTheNearest) {
    struct Entry {
        std::string name;
        int value;
    };
    const Registry<Entry> registry("colour", {{"red", 1}, {"green", 2}});
    EXPECT_EQ(registry.get("green").value, 2);
    EXPECT_EQ(registry.find("blue"), nullptr);
    try {
        registry.get("gren", {"x.lua", 9});
        FAIL();
    } catch (const UserError& e) {
        EXPECT_STREQ(e.what(), "x.lua:9: there is no colour called 'gren'. Did you mean 'green'? Known: red, green.");
    }
}

}  // namespace
}  // namespace pliant
