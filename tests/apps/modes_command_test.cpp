// pliant modes from outside: tables, files, and one clear sentence for each mistake.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace pliant {
namespace {

struct Outcome {
    int status;
    std::string text;
};

Outcome run(const std::string& words) {
    const std::string command = std::string(PLIANT_BINARY) + " modes " + words + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    Outcome out{-1, {}};
    char buffer[512];
    while (fgets(buffer, sizeof buffer, pipe)) out.text += buffer;
    out.status = WEXITSTATUS(pclose(pipe));
    return out;
}

class ModesCommand : public testing::Test {
protected:
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("pliant_modes_" + std::to_string(getpid()));
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string file(const std::string& name) const { return (folder / name).string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
    void refuses(const std::string& words, const std::string& because) const {
        const Outcome o = run(words);
        EXPECT_NE(o.status, 0) << words;
        EXPECT_NE(o.text.find(because), std::string::npos) << words << ": " << o.text;
        EXPECT_EQ(o.text.find("terminate"), std::string::npos) << o.text;
    }
};

TEST_F(ModesCommand, WritesReadsAndRescales) {
    const Outcome o = run("bar:length=0.3,cells=6 -n 4 -o " + file("bar.modes"));
    ASSERT_EQ(o.status, 0) << o.text;
    EXPECT_NE(o.text.find("6 rigid motions set apart"), std::string::npos) << o.text;
    EXPECT_NE(o.text.find("none missing"), std::string::npos) << o.text;
    const Outcome again =
        run(file("bar.modes") + " --density 10800 -o " + file("heavy.modes"));  // four times: half the pitch
    ASSERT_EQ(again.status, 0) << again.text;
    auto first = [](const std::string& text) { return std::atof(text.c_str() + text.find("    1 ") + 6); };
    EXPECT_NEAR(first(again.text) / first(o.text), 0.5, 1e-4);
    // A bit that flips is found.
    std::fstream f(file("bar.modes"), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(200);
    f.put('\x5a');
    f.close();
    refuses(file("bar.modes"), "checksum");
}

TEST_F(ModesCommand, SaysWhatIsWrong) {
    refuses("bar:length=0.3,cells=2 -n 100000", "only");
    refuses("tube:lenght=1", "length");
    refuses("bar: -n 3 -o /nowhere/x.modes", "does not exist");
    refuses("nothing.vtu", "nothing.vtu");
    refuses("bar: --below 0.001", "no mode");
    // Two tets apart, and one without volume.
    const std::string nodes =
        "MeshVersionFormatted 1\nDimension 3\nVertices\n8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "5 0 0 0\n6 0 0 0\n5 1 0 0\n5 0 ";
    write("two.mesh", nodes + "1 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
    const Outcome two = run(file("two.mesh") + " -n 5");
    EXPECT_EQ(two.status, 0) << two.text;
    EXPECT_NE(two.text.find("12 rigid motions"), std::string::npos) << two.text;
    // A sliver has modes, and is named.
    write("sliver.mesh", nodes + "1e-5 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
    const Outcome sliver = run(file("sliver.mesh") + " -n 5");
    EXPECT_EQ(sliver.status, 0) << sliver.text;
    EXPECT_NE(sliver.text.find("sliver"), std::string::npos) << sliver.text;
    EXPECT_EQ(sliver.text.find("nan"), std::string::npos) << sliver.text;
    write("flat.mesh", nodes + "0 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
    refuses(file("flat.mesh") + " -n 5", "no volume");
}

}  // namespace
}  // namespace pliant
