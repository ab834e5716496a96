#include "pliant/geometry/aabb_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {
namespace {

std::vector<Box> random_boxes(int count, std::uint64_t seed, double size) {
    Rng rng(seed);
    std::vector<Box> boxes(count);
    for (Box& box : boxes) {
        const Vec3 p(rng.uniform(), rng.uniform(), rng.uniform());
        box.add(p);
        box.add(Vec3(p + size * Vec3(rng.uniform(), rng.uniform(), rng.uniform())));
    }
    return boxes;
}

double box_distance2(const Box& box, const Vec3& p) {
    return (box.min - p).cwiseMax(p - box.max).cwiseMax(0.0).squaredNorm();
}

void compare_with_brute_force(const AabbTree& tree, const std::vector<Box>& boxes, std::uint64_t seed) {
    Rng rng(seed);
    for (int q = 0; q < 50; ++q) {
        Box query;
        query.add(Vec3(rng.uniform(), rng.uniform(), rng.uniform()));
        query = query.grown(rng.uniform(0, 0.2));
        std::vector<int> found, expected;
        tree.overlapping(query, [&](int item) { found.push_back(item); });
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (boxes[i].overlaps(query)) expected.push_back(static_cast<int>(i));
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);

        const Vec3 p(rng.uniform(-1, 2), rng.uniform(-1, 2), rng.uniform(-1, 2));
        const double limit = q % 3 ? std::numeric_limits<double>::infinity() : 0.05;
        const auto near = tree.nearest(p, limit, [&](int i) { return box_distance2(boxes[i], p); });
        AabbTree::Nearest best;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (const double d2 = box_distance2(boxes[i], p); d2 < std::min(limit, best.distance2))
                best = {static_cast<int>(i), d2};
        EXPECT_EQ(near.item, best.item);
        EXPECT_EQ(near.distance2, best.distance2);

        Vec3 direction(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        if (q % 4 == 0) direction[q % 3] = 0;
        const double reach = rng.uniform(0, 3);
        std::vector<int> along, along_expected;
        tree.along_ray(p, direction, reach, [&](int item) { along.push_back(item); });
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            double enter = 0, leave = reach;
            for (int k = 0; k < 3; ++k) {
                if (direction[k] == 0) {
                    if (p[k] < boxes[i].min[k] || p[k] > boxes[i].max[k]) leave = -1;
                    continue;
                }
                const double a = (boxes[i].min[k] - p[k]) / direction[k], b = (boxes[i].max[k] - p[k]) / direction[k];
                enter = std::max(enter, std::min(a, b)), leave = std::min(leave, std::max(a, b));
            }
            if (enter <= leave) along_expected.push_back(static_cast<int>(i));
        }
        std::sort(along.begin(), along.end());
        EXPECT_EQ(along, along_expected);
    }
}

TEST(AabbTree, AgreesWithBruteForceAndAfterRefit) {
    for (const int count : {1, 2, 5, 700}) {
        std::vector<Box> boxes = random_boxes(count, count, 0.1);
        AabbTree tree(boxes);
        compare_with_brute_force(tree, boxes, 1);
        boxes = random_boxes(count, count + 1000, 0.2);
        tree.refit(boxes);
        compare_with_brute_force(tree, boxes, 2);
    }
}

TEST(AabbTree, IsTheSameFromAnyNumberOfThreads) {
    for (const int count : {1, 4, 5, 80, 3000}) {
        const std::vector<Box> boxes = random_boxes(count, count, 0.1);
        Threads three(3);
        const AabbTree alone(boxes);
        AabbTree together(boxes, three);
        const auto visited = [](const AabbTree& tree) {
            std::vector<int> items;
            tree.overlapping({Vec3(0.1, 0.2, 0.1), Vec3(0.7, 0.8, 0.9)}, [&](int item) { items.push_back(item); });
            return items;
        };
        EXPECT_EQ(visited(alone), visited(together)) << count;
        together.refit(boxes);
        compare_with_brute_force(together, boxes, 3);
    }
}

TEST(AabbTree, EmptyTreeVisitsNothing) {
    const AabbTree tree(std::span<const Box>{});
    EXPECT_TRUE(tree.empty());
    tree.overlapping(Box{}, [](int) { FAIL(); });
    EXPECT_EQ(tree.nearest(Vec3::Zero(), 1e9, [](int) { return 0.0; }).item, -1);
}

TEST(AabbTree, TiesGoToTheLowerItem) {
    const std::vector<Box> boxes(37, Box{Vec3::Zero(), Vec3::Ones()});
    const AabbTree tree(boxes);
    EXPECT_EQ(tree.nearest(Vec3(2, 0, 0), 1e9, [](int) { return 1.0; }).item, 0);
    EXPECT_EQ(tree.nearest(Vec3(2, 0, 0), 1.0, [](int) { return 1.0; }).item, -1);  // strictly below the limit
}

TEST(AabbTree, SurvivesPathologicalInput) {
    // Sizes that double from box to box defeat binning; the depth must stay bounded all the same.
    std::vector<Box> boxes;
    for (int i = 0; i < 600; ++i) {
        Box box;
        box.add(Vec3(std::ldexp(1.0, i - 300), 0, 0));
        boxes.push_back(box);
    }
    boxes.push_back(Box{});
    boxes.push_back({Vec3::Constant(std::nan("")), Vec3::Constant(std::nan(""))});
    const AabbTree tree(boxes);
    int seen = 0;
    tree.overlapping({Vec3(-1, -1, -1), Vec3(1, 1, 1)}, [&](int) { ++seen; });
    EXPECT_EQ(seen, 301);
}

TEST(AabbTree, AHitShortensTheRay) {
    std::vector<Box> boxes;
    for (int i = 0; i < 64; ++i) boxes.push_back({Vec3(i, -1, -1), Vec3(i + 0.5, 1, 1)});
    const AabbTree tree(boxes);
    int visits = 0, first = -1;
    tree.along_ray(Vec3(-1, 0, 0), Vec3(1, 0, 0), 1000, [&](int item) {
        if (visits++ == 0) first = item;
        return item + 1.0;  // the parameter at which the ray enters that box
    });
    EXPECT_EQ(first, 0);
    EXPECT_LE(visits, 4);
}

}  // namespace
}  // namespace pliant
