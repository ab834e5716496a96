// pliant modes from outside: tables, files, and one clear sentence for each mistake.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
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

/// Of the table that was printed, the frequency that is nearest to one, Hz.
double nearest(const std::string& table, double wanted) {
    double best = 0, number = 0, frequency = 0, rest = 0;
    std::istringstream lines(table.substr(table.find("T60 s") + 5));
    while (lines >> number >> frequency >> rest >> rest)
        if (std::abs(frequency - wanted) < std::abs(best - wanted)) best = frequency;
    return best;
}

TEST_F(ModesCommand, ABarTwistsAndACantileverBendsAsByTheFormulas) {
    const double young = 7e10, poisson = 0.33, density = 2700, length = 0.3, width = 0.02;
    const std::string bar = "bar:length=0.3 --young 7e10 --poisson 0.33 --density 2700 ";
    // A free bar of square section: half a wave of torsion along it, K/I = 0.1406·6 (Saint-Venant).
    const Outcome free = run(bar + "-n 12");
    ASSERT_EQ(free.status, 0) << free.words;
    const double shear = young / (2 * (1 + poisson));
    const double torsion = std::sqrt(0.1406 * 6 * shear / density) / (2 * length), twists = nearest(free.out, torsion);
    // Clamped at one end: (1.8751/L)² √(EI/ρA) / 2π; the clamped length ends at the nodes that are held.
    const Outcome held = run(bar + "-n 2 --hold x<-0.149");
    ASSERT_EQ(held.status, 0) << held.words;
    EXPECT_NE(held.words.find(", 0 rigid motions"), std::string::npos) << held.words;
    const double bending = std::pow(1.8751 / length, 2) * width * std::sqrt(young / (12 * density)) / (2 * M_PI);
    const double bends = nearest(held.out, bending);
    std::cout << "torsion " << twists << " Hz, formula " << torsion << ", off by " << twists / torsion - 1
              << "; cantilever " << bends << " Hz, formula " << bending << ", off by " << bends / bending - 1 << '\n';
    EXPECT_NEAR(twists / torsion, 1, 0.01);
    EXPECT_NEAR(bends / bending, 1, 0.01);
}

TEST_F(ModesCommand, SaysWhatIsWrong) {
    refuses("bar: --hold x=3", "--hold is an axis");
    refuses("bar: --hold x<-7", "no node");
    refuses("bar: --hold x<7", "every node");
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
