#pragma once
// What a picture is of: the box to frame, the floor to stand on, and which obstacles are that floor.

#include <optional>

#include "pliant/world/frame.hpp"

namespace pliant {

/// Box of the finite points that triangles use; empty when there are none.
Box visible_bounds(const BodyFrame& body);

/// Box of the bodies, and of those obstacles that are not much larger than the bodies (a wide plate or wall would
/// make the bodies tiny). All obstacles when there are no other bodies.
Box subject_bounds(const Frame& frame);

/// The same as many small boxes that follow the bodies' outlines, so that a camera can come closer.
std::vector<Box> subject_boxes(const Frame& frame);

/// True for an obstacle that is a level floor much wider than the bodies: it is drawn as the endless ground.
bool is_floor(const BodyFrame& body, const Box& bodies);

struct Floor {
    double height = 0;   ///< m
    bool found = false;  ///< from an obstacle; false: the lowest point of the subject
};
/// Where the ground of this frame is; nothing when the frame shows nothing.
std::optional<Floor> floor_of(const Frame& frame);

}  // namespace pliant
