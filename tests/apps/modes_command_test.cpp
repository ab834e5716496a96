// pliant modes from outside: tables, files, and one clear sentence for each mistake.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>

#include "../scenes/pliant_process.hpp"

namespace pliant::test {
namespace {

class ModesCommand : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string file(const std::string& name) const { return (folder.path / name).string(); }
    /// words: with a blank between any two.
    Outcome run(const std::string& words) const {
        std::istringstream in("modes " + words);
        return run_pliant({std::istream_iterator<std::string>(in), {}}, folder.path);
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
    void refuses(const std::string& words, const std::string& because) const {
        const Outcome o = run(words);
        EXPECT_NE(o.status, 0) << words;
        EXPECT_NE(o.words.find(because), std::string::npos) << words << ": " << o.words;
        EXPECT_EQ(o.words.find("terminate"), std::string::npos) << o.words;
    }
};

TEST_F(ModesCommand, WritesReadsAndRescales) {
    const Outcome o = run("bar:length=0.3,cells=6 -n 4 -o " + file("bar.modes"));
    ASSERT_EQ(o.status, 0) << o.words;
    EXPECT_NE(o.words.find("6 rigid motions set apart"), std::string::npos) << o.words;
    EXPECT_NE(o.words.find("none missing"), std::string::npos) << o.words;
    const Outcome again =
        run(file("bar.modes") + " --density 10800 -o " + file("heavy.modes"));  // four times: half the pitch
    ASSERT_EQ(again.status, 0) << again.words;
    auto first = [](const std::string& text) { return std::atof(text.c_str() + text.find("    1 ") + 6); };
    EXPECT_NEAR(first(again.words) / first(o.words), 0.5, 1e-4);
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
    EXPECT_EQ(two.status, 0) << two.words;
    EXPECT_NE(two.words.find("12 rigid motions"), std::string::npos) << two.words;
    // A sliver has modes, and is named.
    write("sliver.mesh", nodes + "1e-5 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
    const Outcome sliver = run(file("sliver.mesh") + " -n 5");
    EXPECT_EQ(sliver.status, 0) << sliver.words;
    EXPECT_NE(sliver.words.find("sliver"), std::string::npos) << sliver.words;
    EXPECT_EQ(sliver.words.find("nan"), std::string::npos) << sliver.words;
    write("flat.mesh", nodes + "0 0\nTetrahedra\n2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n");
    refuses(file("flat.mesh") + " -n 5", "no volume");
}

}  // namespace
}  // namespace pliant::test
