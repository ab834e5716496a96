#include "pliant/io/view_of_run.hpp"

#include <cmath>

namespace pliant {

Quat ViewOfRun::rotation() const {
    const Vec3 back = (eye - target).normalized();
    Vec3 right = Vec3::UnitY().cross(back);
    right = right.squaredNorm() > 1e-12 ? Vec3(right.normalized()) : Vec3(Vec3::UnitX());  // straight down or up
    Mat3 axes;
    axes.col(0) = right, axes.col(1) = back.cross(right), axes.col(2) = back;
    return Quat(axes).normalized();
}

ViewOfRun view_of_run(const RunInfo& info, const Box& bounds) {
    ViewOfRun view{Vec3(1, 0.6, 2), Vec3::Zero(), 26, 0.1, 10};
    const double size = bounds.empty() ? 1 : std::max(bounds.diagonal(), 1e-9);
    if (info.camera) {
        view.eye = info.camera->eye, view.target = info.camera->target, view.fov = info.camera->fov;
    } else if (!bounds.empty()) {
        view.target = bounds.center();
        const double distance = 0.5 * size / std::sin(0.5 * view.fov * M_PI / 180);  // a sphere round the box
        view.eye = view.target + distance * Vec3(1, 0.6, 2).normalized();
    }
    const double distance = (view.eye - (bounds.empty() ? view.target : bounds.center())).norm();
    view.far = 10 * (distance + size);
    view.near = 1e-3 * std::max(distance, size);
    return view;
}

TriMesh ground_patch(const RunInfo::Ground& ground, const Box& bounds) {
    const Vec3 c = bounds.empty() ? Vec3(Vec3::Zero()) : bounds.center();
    const double r = bounds.empty() ? 1 : 3 * std::max(bounds.diagonal(), 1e-9), y = ground.height;
    return {
        {{c.x() - r, y, c.z() - r}, {c.x() - r, y, c.z() + r}, {c.x() + r, y, c.z() + r}, {c.x() + r, y, c.z() - r}},
        {{0, 1, 2}, {0, 2, 3}}};
}

}  // namespace pliant
