// The bench compares like with like: at a tight tolerance the bar hangs as low as the textbook's.

#include "bench/textbook.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "bench/hanging_bar.hpp"

namespace pliant::bench {
namespace {

TEST(Bench, TipEqualsTheTextbooks) {
    for (double young : {1e5, 1e7})
        for (Preconditioner preconditioner : {Preconditioner::jacobi, Preconditioner::multigrid}) {
            const TetMesh mesh = bar({14, 3, 4});
            HangingBar body(mesh, young);
            Textbook book(mesh, young, 0.33, 1000);
            Threads threads(1);
            StageTimes times;
            for (int k = 0; k < 20; ++k) {
                body.step({2000, 1e-11, preconditioner}, threads, times);
                book.step(0.01, 2000, 1e-11);
            }
            const double ours = body.x.back().y() - mesh.rest.back().y(),
                         theirs = book.x().back().y() - mesh.rest.back().y();
            std::cout << "E " << young << ", " << (preconditioner == Preconditioner::jacobi ? "Jacobi" : "multigrid")
                      << ": tip moved by " << ours << " m, textbook " << theirs << ", relative difference "
                      << std::abs(ours / theirs - 1) << "\n";
            EXPECT_NEAR(ours, theirs, 1e-6 * std::abs(theirs));
        }
}

TEST(Bench, EveryCaseIsNamedOnce) {
    for (const Case& one : cases()) {
        EXPECT_FALSE(one.doc.empty());
        EXPECT_EQ(std::count_if(cases().begin(), cases().end(), [&](const Case& c) { return c.name == one.name; }), 1);
    }
}

}  // namespace
}  // namespace pliant::bench
