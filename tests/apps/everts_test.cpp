// The thesis' own script (Everts 2006, listing 8.1), word for word, with a structure file of its format.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "../scenes/pliant_process.hpp"

namespace pliant::test {
namespace {

// As printed, long dashes and all.
constexpr const char* listing = R"(— This is a comment
sim = Simulation:new()

— Set simulation parameters
sim:setSaveSkip(4);
sim:setNumTimesteps(80001);
sim:setStepSize(0.0001)

— Load a 3D model and set the density to 1200 kg/m3
sim:setStructure(Structure:new("balkmetgat.str",1200))

— Add actions to the simulation
sim:addAction(ClearForces:new())
sim:addAction(Gravity:new(10.0))
sim:addAction(MaterialForces:new(3000000.0,1000000.0))
sim:addAction(LeapFrog:new())
—sim:addAction(Ground:new(0.0))
sim:addAction(GlobalDamping:new(0.99))
—sim:addAction(SimpleVolumeConstraint:new())
—sim:addAction(MoveSteady:new(0,0.0,2,0.0005,40000,true))

setupSimulation(sim)
)";

// A cube of 2 m: eight particles, six tets, cells that are its octants.
constexpr const char* cube = R"(particles
8
0 0 0
0 0 2
0 2 0
0 2 2
2 0 0
2 0 2
2 2 0
2 2 2
tetrahedra
6
0 4 6 7
0 2 3 7
0 1 5 7
0 5 4 7
0 3 1 7
0 6 2 7
neighbors
6
-1 5 3 -1
-1 4 5 -1
-1 3 4 -1
-1 0 2 -1
-1 2 1 -1
-1 1 0 -1
faces
12
4 6 7
0 6 4
2 3 7
0 3 2
1 5 7
0 5 1
5 4 7
0 4 5
3 1 7
0 1 3
6 2 7
0 2 6
voronoivertices
19
1 1 1
0 1 1
0 0 1
1 0 1
1 1 0
0 1 0
1 0 0
0 1 2
1 1 2
1 0 2
0 2 1
1 2 1
1 2 0
1 2 2
2 0 1
2 1 1
2 1 0
2 1 2
2 2 1
dependencies
19
0 4 6 7
0 2 3 7
0 1 5 7
0 1 5 7
0 4 6 7
0 2 3 7
0 4 6 7
0 3 1 7
0 1 5 7
0 1 5 7
0 2 3 7
0 2 3 7
0 6 2 7
0 2 3 7
0 5 4 7
0 4 6 7
0 4 6 7
0 1 5 7
0 4 6 7
voronoiridges
12
0 1 4 0 1 2 3
0 2 4 4 5 1 0
0 4 4 6 4 0 3
1 3 4 0 1 7 8
1 5 4 0 8 9 3
2 3 4 10 1 0 11
2 6 4 0 4 12 11
3 7 4 13 8 0 11
4 5 4 0 3 14 15
4 6 4 16 4 0 15
5 7 4 15 0 8 17
6 7 4 18 11 0 15
voronoicells
8
3 0 1 2
3 0 3 4
3 1 5 6
3 3 5 7
3 2 8 9
3 4 8 10
3 6 9 11
3 7 10 11
)";

class EvertsScript : public testing::Test {
protected:
    void SetUp() override { std::ofstream(folder.path / "balkmetgat.str") << cube; }

    /// Runs a script for some frames; the report's text, and what was complained about.
    std::string run(const std::string& script, int frames, int& status) const {
        const fs::path file = folder.path / "listing.lua", report = folder.path / "r.json";
        std::ofstream(file) << script;
        const Outcome outcome = run_pliant({"run", file.string(), "--no-out", "--quiet", "--frames",
                                            std::to_string(frames), "--report", report.string()},
                                           folder.path);
        status = outcome.status;
        return content(report) + outcome.err;
    }
    static double number(const std::string& report, const std::string& key) {
        const std::size_t at = report.find("\"" + key + "\":");
        return at == std::string::npos ? std::nan("") : std::stod(report.substr(at + key.size() + 3));
    }
    TemporaryFolder folder;
};

// A free cube under gravity with damping 0.99 per step: v(n) = 0.99 (v(n-1) + g h) after n steps, exactly.
TEST_F(EvertsScript, ListingRunsWordForWord) {
    int status = 0;
    const std::string report = run(listing, 50, status);
    ASSERT_EQ(status, 0) << report;
    double v = 0, y = 0;
    for (int n = 0; n < 200; ++n) v += 10.0 * 1e-4, y -= 1e-4 * v, v *= 0.99;
    std::cout << "lowest " << number(report, "lowest") << " m, expected " << y << "; speed "
              << number(report, "max_speed") << " m/s, expected " << v << "\n";
    EXPECT_EQ(number(report, "steps"), 50);  // of the world: one per saved frame, four leap-frog steps each
    EXPECT_NEAR(number(report, "sim_s"), 0.02, 1e-12);
    EXPECT_NEAR(number(report, "lowest"), y, 1e-6);
    EXPECT_NEAR(number(report, "mass"), 9600, 1e-6);
    EXPECT_NEAR(number(report, "max_speed"), v, 1e-6);
}

TEST_F(EvertsScript, EveryActionIsKnownAndMistakesAreSaid) {
    int status = 0;
    const std::string all = R"(sim = Simulation:new()
sim:setNumTimesteps(101); sim:setStepSize(0.0001)
sim:setStructure(Structure:new("balkmetgat.str", 1200))
sim:addAction(ClearForces:new())
sim:addAction(Gravity:new(10.0))
sim:addAction(MaterialForces2:new(3000000.0, 1000000.0))
local events = EventForces:new()
events:addEvent(10, 2, 2, 2, 0, 100, 0)
sim:addAction(events)
sim:addAction(LeapFrog:new())
sim:addAction(Ground:new(-1.0))
sim:addAction(Tabletop:new(-0.5, 0, 0, 1, 1))
sim:addAction(SimpleVolumeConstraint:new())
sim:addAction(MoveSteady:new(1, 0.0, 1, -0.0001, 100, true))
sim:addAction(SineMovement:new(1, 2.0, 0, 0.01, 5))
sim:addAction(CalculateFlux:new(1, 1.0))
sim:addAction(GlobalDamping:new(0.999))
setupSimulation(sim)
)";
    const std::string report = run(all, 20, status);
    ASSERT_EQ(status, 0) << report;
    EXPECT_NE(report.find("flux_elastic"), std::string::npos);
    const std::string moved =
        run("sim = Simulation:new()\nsim:setStructure(Structure:new(\"balkmetgat.str\", 1200))\n"
            "sim:addAction(MaterialForces:new(3e6, 1e6))\nsim:addAction(LeapFrog:new())\nsim:setNumTimesteps(21)\n"
            "sim:addAction(Rotate:new(1, 2.0, 0.001, 100))\n"
            "sim:addAction(MoveBlock:new(-1, -1, -1, 3, 0.1, 3, 1, 0.0001, 100))\nsetupSimulation(sim)\n",
            20, status);
    EXPECT_EQ(status, 0) << moved;
    const std::string still =
        run("sim = Simulation:new()\nsim:setStructure(Structure:new(\"balkmetgat.str\", 1200))\nsetupSimulation(sim)\n",
            1, status);
    EXPECT_NE(status, 0);
    EXPECT_NE(still.find("LeapFrog"), std::string::npos) << still;
    EXPECT_NE(still.find("listing.lua:3"), std::string::npos) << still;
}

}  // namespace
}  // namespace pliant::test
