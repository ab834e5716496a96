#include "pliant/render/camera.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

/// Place in the picture of a point: −1 … 1 from left to right and from bottom to top.
std::pair<double, double> place(const Camera& camera, double aspect, const Vec3& p) {
    const CameraFrame axes(camera, aspect);
    const Vec3 d = p - camera.eye;
    const double z = d.dot(axes.forward);
    EXPECT_GT(z, 0);
    return {d.dot(axes.right) / z / axes.tan_x - axes.shift, d.dot(axes.up) / z / axes.tan_y};
}

struct Extent {
    double left = 9, right = -9, low = 9, high = -9;
};

Extent extent(const Camera& camera, double aspect, std::span<const Box> boxes) {
    Extent e;
    for (const Box& box : boxes)
        for (int i = 0; i < 8; ++i) {
            const auto [x, y] = place(
                camera, aspect,
                Vec3((i & 1 ? box.max : box.min)[0], (i & 2 ? box.max : box.min)[1], (i & 4 ? box.max : box.min)[2]));
            e.left = std::min(e.left, x), e.right = std::max(e.right, x);
            e.low = std::min(e.low, y), e.high = std::max(e.high, y);
        }
    return e;
}

TEST(Camera, FramesBoxesTightly) {
    const Box wide[] = {{Vec3(-5, 0, -1), Vec3(5, 1, 1)}, {Vec3(2, 0, 0), Vec3(6, 2, 3)}};
    const Box tall[] = {{Vec3(-1, 0, -1), Vec3(1, 9, 1)}};
    for (std::span<const Box> boxes : {std::span<const Box>(wide), std::span<const Box>(tall)})
        for (double aspect : {0.6, 1.0, 16.0 / 9})
            for (double azimuth : {-140.0, 0.0, 32.0}) {
                Framing framing;
                framing.azimuth = azimuth;
                const Extent e = extent(frame_camera(boxes, aspect, framing), aspect, boxes);
                const double keep = 1 - 2 * framing.margin;
                EXPECT_LE(std::max({-e.left, e.right, -e.low, e.high}), keep + 1e-9);
                // It touches the margin on both sides of one direction, and is centred in the other.
                const bool across = std::abs(e.right - e.left - 2 * keep) < 1e-6;
                const bool upright = std::abs(e.high - e.low - 2 * keep) < 1e-6;
                EXPECT_TRUE(across || upright) << e.left << " " << e.right << " " << e.low << " " << e.high;
            }
}

TEST(Camera, LeavesRoomAtTheRight) {
    const Box boxes[] = {{Vec3(-5, 0, -1), Vec3(5, 1, 1)}};
    Framing framing;
    framing.right = 0.2;
    const Extent e = extent(frame_camera(boxes, 1.5, framing), 1.5, boxes);
    EXPECT_LE(e.right, 1 - 2 * 0.2);
    EXPECT_GE(e.left, -1);
}

TEST(Camera, StandsAnythingAsInput) {
    for (const Box& box :
         {Box{}, Box{Vec3::Zero(), Vec3::Zero()}, Box{Vec3::Constant(-INFINITY), Vec3::Constant(INFINITY)}}) {
        const Camera camera = frame_camera({&box, 1}, 1.5);
        EXPECT_TRUE(camera.eye.allFinite() && camera.target.allFinite());
        EXPECT_GT((camera.eye - camera.target).norm(), 0);
    }
    const CameraFrame straight_down({Vec3(0, 5, 0), Vec3::Zero()}, 1);
    EXPECT_NEAR(straight_down.right.norm(), 1, 1e-12);
    EXPECT_NEAR(straight_down.up.dot(straight_down.right), 0, 1e-12);
}

}  // namespace
}  // namespace pliant
