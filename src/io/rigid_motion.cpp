#include "pliant/io/rigid_motion.hpp"

#include <algorithm>

#include "pliant/geometry/polar.hpp"

namespace pliant {

std::optional<Pose> rigid_motion(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    if (from.size() != to.size() || from.empty()) return {};
    Vec3 mean_from = Vec3::Zero(), mean_to = Vec3::Zero();
    for (const Vec3& p : from) mean_from += p / static_cast<double>(from.size());
    for (const Vec3& p : to) mean_to += p / static_cast<double>(to.size());
    Mat3 covariance = Mat3::Zero();
    double size = 0, moved = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        covariance += (to[i] - mean_to) * (from[i] - mean_from).transpose();
        size = std::max(size, (from[i] - mean_from).norm());
        moved = std::max(moved, (to[i] - from[i]).norm());
    }
    if (moved <= 1e-6 * size) return Pose{};
    const Quat turn = closest_rotation(covariance);  // Kabsch 1976
    const Pose pose{turn, mean_to - turn * mean_from};
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!((pose * from[i] - to[i]).norm() <= 1e-5 * size)) return {};
    return pose;
}

}  // namespace pliant
