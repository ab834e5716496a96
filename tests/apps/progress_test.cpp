#include "progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace pliant {
namespace {

std::string drawn(Progress::Style style) {
    std::FILE* out = std::tmpfile();
    {
        Progress progress("run", 10, "frames", style, out);
        progress.update(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(120));
        progress.update(5, "2 contacts");
        progress.finish("done");
        progress.update(9);
    }
    std::string text(static_cast<std::size_t>(std::ftell(out)), '\0');
    std::rewind(out);
    text.resize(std::fread(text.data(), 1, text.size(), out));
    std::fclose(out);
    return text;
}

TEST(Progress, BarShowsShareAndTimeLeft) {
    const std::string text = drawn(Progress::Style::bar);
    for (const char* part : {"\r", "█", "░", "5/10 frames", " left", "2 contacts", "run: 5 frames in", "done\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_EQ(text.find("9/10"), std::string::npos) << "nothing after the end";
}

TEST(Progress, LinesHaveNoControlLetters) {
    const std::string text = drawn(Progress::Style::lines);
    EXPECT_EQ(text.find_first_of("\r\033"), std::string::npos);
    EXPECT_NE(text.find("run: 5 frames in"), std::string::npos);
}

TEST(Progress, QuietIsQuiet) { EXPECT_EQ(drawn(Progress::Style::quiet), ""); }

TEST(Progress, Durations) {
    EXPECT_EQ(duration_text(0.44), "0.4 s");
    EXPECT_EQ(duration_text(59.4), "59 s");
    EXPECT_EQ(duration_text(59.6), "1 min 00 s");
    EXPECT_EQ(duration_text(185), "3 min 05 s");
    EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

}  // namespace
}  // namespace pliant
