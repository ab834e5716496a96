#include "pliant/script/colors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant::script {
namespace {

// The inverse of what the decoder does: the curve of IEC 61966-2-1 from light to signal.
double signal(double light) { return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055; }

TEST(Colors, HexIsSrgbAndComesBack) {
    double worst = 0;
    for (unsigned rgb : {0x000000U, 0xFFFFFFU, 0x123456U, 0xA1B2C3U, 0x0A0B0CU, 0x7F8081U}) {
        char text[8];
        std::snprintf(text, sizeof text, "#%06x", rgb);
        const auto color = color_by_name(text);
        ASSERT_TRUE(color) << text;
        for (int k = 0; k < 3; ++k)
            worst = std::max(worst, std::abs(255 * signal((*color)[k]) - double(rgb >> (16 - 8 * k) & 255)));
    }
    std::printf("largest error %.1e of 255\n", worst);
    EXPECT_LT(worst, 1e-3);
    EXPECT_EQ(*color_by_name("#fa0"), *color_by_name("#FFAA00"));
    EXPECT_EQ(*color_by_name("teal"), *color_by_name("#008080"));
}

TEST(Colors, WhatIsNoneIsNone) {
    for (const char* text : {"", "#", "#12", "#12345", "#12345g", "tael", "Teal ", "#1234567"})
        EXPECT_FALSE(color_by_name(text)) << text;
    EXPECT_THROW(color_from(Value(std::string("tael"))), UserError);
    EXPECT_THROW(color_from(Value(Vec3(0, 2, 0))), UserError);
    EXPECT_EQ(color_from(Value(Vec3(0, 0.5, 1))), Vec3(0, 0.5, 1));
}

}  // namespace
}  // namespace pliant::script
