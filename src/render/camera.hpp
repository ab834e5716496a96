#pragma once
// Where the picture is taken from, and how to find a good place for it.

#include <span>

#include "pliant/core/types.hpp"

namespace pliant {

struct Camera {
    Vec3 eye = Vec3(0, 0, 5);
    Vec3 target = Vec3::Zero();
    Vec3 up = Vec3::UnitY();
    double fov = 26;   ///< full vertical angle of view, degrees; smaller flattens the perspective
    double shift = 0;  ///< how far the target lies left of the picture's middle, in half widths
};

/// How a camera looks at what it frames.
struct Framing {
    double azimuth = 32;    ///< degrees around the vertical y axis; 0 looks along −z, positive moves to +x
    double elevation = 16;  ///< degrees above the horizon
    double fov = 26;        ///< degrees, vertical
    double margin = 0.09;   ///< share of the picture left free on each side, 0 … 0.45
    double right = 0;       ///< share of the width left free at the right for a colour bar, 0 … 0.5
};

/// The nearest camera that shows every box whole. aspect: width / height of the picture. Without any box that has a
/// size, a camera that looks at the origin from 5 m.
Camera frame_camera(std::span<const Box> boxes, double aspect, const Framing& framing = {});

/// Camera axes and half-angle tangents; rays through the picture follow from it.
struct CameraFrame {
    Vec3 right, up, forward;
    double tan_x, tan_y;
    double shift;

    CameraFrame(const Camera& camera, double aspect);
};

}  // namespace pliant
