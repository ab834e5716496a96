#include "pliant/render/camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {

namespace {
constexpr double degree = std::numbers::pi / 180;
}

CameraFrame::CameraFrame(const Camera& camera, double aspect) {
    forward = (camera.target - camera.eye).stableNormalized();
    if (!(forward.squaredNorm() > 0.5)) forward = -Vec3::UnitZ();
    right = forward.cross(camera.up).stableNormalized();
    if (!(right.squaredNorm() > 0.5)) right = forward.unitOrthogonal();  // looking straight along `up`
    up = right.cross(forward);
    tan_y = std::tan(0.5 * std::clamp(camera.fov, 1.0, 170.0) * degree);
    tan_x = tan_y * aspect;
    shift = camera.shift;
}

Camera frame_camera(std::span<const Box> boxes, double aspect, const Framing& framing) {
    Box all;
    for (const Box& box : boxes)
        if (!box.empty() && box.min.allFinite() && box.max.allFinite()) all.add(box);
    Camera camera;
    camera.fov = framing.fov;
    camera.shift = std::clamp(framing.right, 0.0, 0.5);
    const double a = framing.azimuth * degree, e = framing.elevation * degree;
    const Vec3 out(std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e));
    camera.eye = 5 * out;
    if (all.empty() || !(all.diagonal() > 0)) {
        if (!all.empty()) camera.eye += all.center(), camera.target = all.center();
        return camera;
    }

    // In camera axes, with the eye at (cx, cy, cz), a point (x, y, z) is inside when |x − cx| ≤ tx (z − cz), and
    // likewise in y. The sides bound cx from both ends; they meet at the largest cz, the nearest eye, of each pair.
    camera.target = all.center();
    camera.eye = camera.target + out;
    const CameraFrame axes(camera, aspect);
    const double keep = 1 - 2 * std::clamp(framing.margin, 0.0, 0.45);
    const double tx = axes.tan_x * (1 - camera.shift) * keep, ty = axes.tan_y * keep;
    double left = -1e300, right = -1e300, low = -1e300, high = -1e300, front = 1e300;
    for (const Box& box : boxes) {
        if (box.empty() || !box.min.allFinite() || !box.max.allFinite()) continue;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 p = Vec3((corner & 1 ? box.max : box.min)[0], (corner & 2 ? box.max : box.min)[1],
                                (corner & 4 ? box.max : box.min)[2]) -
                           camera.target;
            const double x = p.dot(axes.right), y = p.dot(axes.up), z = p.dot(axes.forward);
            right = std::max(right, x - tx * z), left = std::max(left, -x - tx * z);
            high = std::max(high, y - ty * z), low = std::max(low, -y - ty * z);
            front = std::min(front, z);
        }
    }
    const double cz = std::min({-(left + right) / (2 * tx), -(low + high) / (2 * ty), front - 0.05 * all.diagonal()});
    const Vec3 eye = 0.5 * (right - left) * axes.right + 0.5 * (high - low) * axes.up + cz * axes.forward;
    camera.eye = camera.target + eye;
    camera.target = camera.eye - cz * axes.forward;
    return camera;
}

}  // namespace pliant
